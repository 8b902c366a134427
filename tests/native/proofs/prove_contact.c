/* Contact of two shapes of kinds KIND_A and KIND_B: no overflow, no lost bits, no undefined behaviour, for every valid input, and up to
 * 2^15 raw units beyond the reach of the shapes, which the broad phase may ask for. */
#include "contact.c"
#include "placed_shape.c"
#include "wedge.c"

#include "any.h"

static int is_near(int64_t a, int64_t b, int64_t reach) { return abs64(b - a) <= reach + 32768; }

/* Any shape of a kind, without a hole: what a hole adds has its own proofs. */
static fxs_shape any_full_shape(uint32_t kind) {
    fxs_shape shape = any_shape(kind);
    if (fxs_kinds[kind].has_hole) {
        shape.size[2] = 0;
    }
    return shape;
}

/* Two placed shapes of these kinds that are near. */
static void any_near(placed_shape *a, placed_shape *b) {
    fxs_shape shape_a = any_full_shape(KIND_A), shape_b = any_full_shape(KIND_B);
    fxs_pose pose_a = any_pose(), pose_b = any_pose();
    fxs_place_shape(a, &shape_a, &pose_a);
    fxs_place_shape(b, &shape_b, &pose_b);
    __CPROVER_assume(is_near(a->x, b->x, (int64_t)a->extent_x + b->extent_x));
    __CPROVER_assume(is_near(a->y, b->y, (int64_t)a->extent_y + b->extent_y));
    __CPROVER_assume(is_near(a->z, b->z, (int64_t)a->extent_z + b->extent_z));
}

/*@ contact of {a} and {b}: no overflow, nothing lost, nothing undefined
    bounds    all shapes, poses and directions, to 2^15 raw units beyond the reach
    of        00 01 02 03 04 11 12 13 14 22 23 24 33 34
    in        fixsync.h
    change    #define FXS_SIZE_MAX 536870911
    to        #define FXS_SIZE_MAX 2147483647
    quick     22 */
void contact_is_defined(void) {
    placed_shape a, b;
    any_near(&a, &b);
    const pair_order order = order_of_kinds(KIND_A, KIND_B);
    const placed_shape *first = order.is_swapped ? &b : &a, *second = order.is_swapped ? &a : &b;
    int contact = contact_of_depth(depth_of_pair(order.pair, first, second, NULL));
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}

/* What decides nearly all of what a sector's query asks. */
#if KIND_B == FXS_SECTOR && (KIND_A == FXS_CYLINDER || KIND_A == FXS_BOX)
/*@ a query's form of the contact of {a} and {b}: no overflow, nothing lost
    bounds    all shapes, poses and directions, to 2^15 raw units beyond the reach
    of        24 34
    in        fixsync.h
    change    #define FXS_SIZE_MAX 536870911
    to        #define FXS_SIZE_MAX 2147483647
    undecided 24 34 */
void depth_is_defined(void) {
    placed_shape a, b;
    any_near(&a, &b);
    edges e = edges_of(&b);
    const planar d = {(int64_t)a.x - b.x, (int64_t)a.z - b.z};
    const near_pair m = {&a, &b, d, (int64_t)a.size[1] + b.size[1] - abs64((int64_t)b.y - a.y), 0, &e};
    int64_t depth = depth_by_discs(&m);
    int contact = depth == UNKNOWN ? FXS_APART : contact_of_depth(depth);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}
#endif

#if KIND_A == KIND_B
/*@ what a sector's hole adds to its contact with what is round from above: no overflow, nothing lost
    bounds    all radii, places and directions
    options   -DKIND_A=4 -DKIND_B=4 --unwind 5
    in        fixsync.h
    change    #define FXS_SIZE_MAX 536870911
    to        #define FXS_SIZE_MAX 2147483647 */
/* What a hole adds to the contact with what is round from above. */
void hole_is_defined(void) {
    const int64_t radius = any_in(2, FXS_SIZE_MAX), inner = any_in(1, FXS_SIZE_MAX - 1), D2 = nondet_int64(), q = nondet_int64();
    __CPROVER_assume(inner < radius && D2 >= 0 && D2 < inner * inner && q >= 0 && q <= (int64_t)FXS_SIZE_MAX * FXS_SIZE_MAX);
    const int contact = near_hole(inner, D2, q);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
    const planar d = {any_in(-(1 << 30), 1 << 30), any_in(-(1 << 30), 1 << 30)}, e = fxs_direction_of(0);
    const planar v = from_edge(inner, radius, e, d);
    __CPROVER_assert(abs64(v.x) < 2 * Q60_ONE && abs64(v.z) < 2 * Q60_ONE, "a distance");
}

/*@ what a sector's hole adds to its contact with a box: no overflow, nothing lost
    bounds    all boxes and directions that are not rejected
    options   -DKIND_A=4 -DKIND_B=4 --unwind 5
    in        fixsync.h
    change    #define FXS_SIZE_MAX 536870911
    to        #define FXS_SIZE_MAX 2147483647
    undecided */
/* And with a box that is not rejected: on each axis the apex is less than the radius and 3 raw units beyond it. */
void far_is_defined(void) {
    const int64_t radius = any_in(2, FXS_SIZE_MAX), half_x = any_in(1, FXS_SIZE_MAX), half_z = any_in(1, FXS_SIZE_MAX);
    sector_view s = {.half = {half_x * Q30_ONE, half_z * Q30_ONE}, .apex = {nondet_int64(), nondet_int64()}, .radius = radius, .inner = any_in(1, FXS_SIZE_MAX - 1)};
    const int64_t beyond = (radius + 3) * Q30_ONE;
    __CPROVER_assume(s.apex.x >= -s.half.x - beyond && s.apex.x <= s.half.x + beyond && s.apex.z >= -s.half.z - beyond && s.apex.z <= s.half.z + beyond);
    const planar e[2] = {fxs_direction_of(0), fxs_direction_of(0)};
    int contact = class_far(1, &s, e, 1);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
    contact = class_far(1, &s, e, 0);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}

static wedge any_wedge(void) {
    const wedge s = {{fxs_direction_of(0), fxs_direction_of(0)}, any_in(1, FXS_SIZE_MAX)};
    return s;
}

/* An apex from another one, not further on an axis than two radii and 2 raw units. */
static planar any_apex(int64_t reach) {
    const planar d = {nondet_int64(), nondet_int64()};
    __CPROVER_assume(d.x >= -reach - 2 && d.x <= reach + 2 && d.z >= -reach - 2 && d.z <= reach + 2);
    return d;
}

/*@ a sector's apex and another sector: no overflow, nothing lost
    bounds    all radii, directions and places that are not rejected
    options   -DKIND_A=4 -DKIND_B=4 --unwind 5
    in        fixsync.h
    change    #define FXS_SIZE_MAX 536870911
    to        #define FXS_SIZE_MAX 2147483647 */
void near_wedge_is_defined(void) {
    const wedge s = any_wedge();
    const int64_t r = any_in(1, FXS_SIZE_MAX);
    const int contact = near_wedge(&s, any_apex(s.radius + r), r * r);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}

/*@ a sector and the edges of another: no overflow, nothing lost
    bounds    all radii, directions and places that are not rejected
    options   -DKIND_A=4 -DKIND_B=4 --unwind 5
    in        fixsync.h
    change    #define FXS_SIZE_MAX 536870911
    to        #define FXS_SIZE_MAX 2147483647 */
void edges_are_defined(void) {
    const wedge a = any_wedge(), b = any_wedge();
    const int contact = contact_beyond_edges(&a, &b, any_apex(a.radius + b.radius));
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}

/*@ what decides most pairs of wide sectors: no overflow, nothing lost
    bounds    all radii, angles, directions and places that are not rejected
    options   -DKIND_A=4 -DKIND_B=4 --unwind 5
    in        fixsync.h
    change    #define FXS_SIZE_MAX 536870911
    to        #define FXS_SIZE_MAX 2147483647 */
void well_met_is_defined(void) {
    const placed_shape a = {.size = {any_in(1, FXS_SIZE_MAX)}, .half_angle = nondet_uint16()};
    const placed_shape b = {.size = {any_in(1, FXS_SIZE_MAX)}, .half_angle = nondet_uint16()};
    const planar d = any_apex((int64_t)a.size[0] + b.size[0]);
    const edges e = {fxs_direction_of(0), fxs_direction_of(0)};
    const int is_met = are_well_met(&a, &b, d, fxs_direction_of(0), fxs_direction_of(0)) | is_well_in(&b, &e, d);
    __CPROVER_assert(is_met == 0 || is_met == 1, "an answer");
}

/* Bounds of a query. */
/* In the place of angle.c, where it is proved. */
int32_t fxs_yaw_between(uint32_t from, uint32_t to) {
    (void)from;
    (void)to;
    return any_in(-32768, 32767);
}

/*@ bounds of a query for a sector: no overflow, nothing lost
    bounds    all sectors, poses and directions
    options   -DKIND_A=4 -DKIND_B=4 --unwind 4
    in        placed_shape.c
    change    ? Q30_ONE : high
    to        ? Q60_ONE : high
    quick */
void bounds_are_defined(void) {
    fxs_shape shape = any_shape(KIND_A);
    fxs_pose pose = any_pose();
    placed_shape s;
    fxs_place_shape(&s, &shape, &pose);
    aabb box;
    fxs_placed_bounds(&s, &box);
    __CPROVER_assert(box.min[0] <= box.max[0] && box.min[1] <= box.max[1] && box.min[2] <= box.max[2], "bounds");
}
#endif
