/* Contact of a shape of kind KIND_A with a solid of a level: no overflow, no lost bits, no undefined behaviour. What
 * polygon_is_defined proves of the vertices as a shape sees them is what the proofs of the tests start from. These have one
 * vertex: the loops treat each alike, and keep only the least or the greatest of what they find. */
#define DIRECTION_SUM_MAX 1518500252
#ifndef KIND_A
#define KIND_A FXS_SPHERE /* in the proofs of all kinds at once */
#endif
#include "contact.c"
#include "placed_shape.c"
#include "polygon_contact.c"
#include "level.c"
#include "wedge.c"

#include "any.h"

enum { SPAN = (1 << 30) - 2 }; /* as level.c checks it */

static placed_shape any_placed(uint32_t kind) {
    const fxs_shape shape = any_shape(kind);
    const fxs_pose pose = any_pose();
    placed_shape s;
    fxs_place_shape(&s, &shape, &pose);
    return s;
}

static int64_t any_within(int64_t limit) {
    const int64_t v = nondet_int64();
    __CPROVER_assume(v >= -limit && v <= limit);
    return v;
}

/* The most of a vertex on an axis. A box's reach, with any direction, is below 2^30 + 5; that of all others is a radius. */
static int64_t vertex_limit(uint32_t kind) {
    const int64_t reach = kind == FXS_BOX ? SPAN : FXS_SIZE_MAX;
    return SPAN + reach + 5;
}

static polygon any_polygon(uint32_t kind) {
    polygon p;
    p.n = 1;
    for (int j = 0; j < 3; j++) {
        p.m[j].x = any_within(vertex_limit(kind));
        p.m[j].z = any_within(vertex_limit(kind));
        p.u[j].x = any_within(SPAN);
        p.u[j].z = any_within(SPAN);
    }
    return p;
}

/* One coordinate of two vertices whose span meets that of the shape. */
static void any_near(int32_t at[2], int32_t centre, int32_t reach) {
    const int32_t low = nondet_int32(), high = nondet_int32();
    __CPROVER_assume(low <= high && (int64_t)high - low <= SPAN);
    __CPROVER_assume(low <= (int64_t)centre + reach && high >= (int64_t)centre - reach);
    at[0] = any_in(low, high);
    at[1] = any_in(low, high);
}

/*@ vertices of a prism of a level as {a} sees them: no overflow, within their bounds
    bounds    all shapes, poses and directions, all prisms whose bounds meet those of the shape
    options   --unwind 5
    of        00 22 33 44
    in        level.c
    change    p->m[j].x = v[j].x - x;
    to        p->m[j].x = v[j].x + x;
    quick     00 22 44 */
void polygon_is_defined(void) {
    const placed_shape s = any_placed(KIND_A);
    int32_t x[2], z[2];
    any_near(x, s.x, s.extent_x);
    any_near(z, s.z, s.extent_z);
    const vertex v[2] = {{x[0], z[0]}, {x[1], z[1]}};
    solid prism;
    prism.vertex_count = 2;
    polygon p;
    fxs_polygon_of(&p, &prism, v, s.x, s.z);
    for (int j = 0; j < 2; j++) {
        __CPROVER_assert(abs64(p.m[j].x) <= vertex_limit(KIND_A) && abs64(p.m[j].z) <= vertex_limit(KIND_A), "a vertex");
        __CPROVER_assert(abs64(p.u[j].x) <= SPAN && abs64(p.u[j].z) <= SPAN, "an edge");
    }
}

/*@ corners of a shape of the class POLYGON as a shape that is near sees them: no overflow, within the bounds of its proofs
    bounds    all corners that are not further than FXS_SIZE_MAX from the centre, all directions
    options   --unwind 5
    in        polygon.h
    change    p->m[j].x = d.x + round_q30(v.x);
    to        p->m[j].x = d.x + 2 * round_q30(v.x);
    undecided */
void corners_are_defined(void) {
    const int64_t near = 1296121037; /* a box's reach with any direction, and a radius */
    const int64_t reach = vertex_limit(FXS_BOX);
    const planar d = {any_within(near), any_within(near)};
    const planar corner = {any_within(FXS_SIZE_MAX), any_within(FXS_SIZE_MAX)};
    __CPROVER_assume(dot64(corner, corner) <= (int64_t)FXS_SIZE_MAX * FXS_SIZE_MAX);
    polygon p;
    place_corners(&p, &corner, 1, fxs_direction_of(0), d);
    __CPROVER_assert(abs64(p.m[0].x) <= reach && abs64(p.m[0].z) <= reach, "a corner");
}

/*@ contact of what is round from above and a prism of a level: no overflow, nothing lost, nothing undefined
    bounds    all radii, gaps, vertices and edges
    options   --unwind 5
    in        polygon.h
    change    const int64_t t = -dot64(u, m);
    to        const int64_t t = -4 * dot64(u, m); */
void disc_polygon_is_defined(void) {
    const polygon p = any_polygon(FXS_CYLINDER);
    const int64_t r = any_in(1, FXS_SIZE_MAX), f = any_in(0, FXS_SIZE_MAX);
    __CPROVER_assume(f <= r);
    const int contact = near_polygon(&p, r * r - f * f);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}

/*@ contact of a box and a prism of a level: no overflow, nothing lost, nothing undefined
    bounds    all boxes, directions, vertices and edges
    options   --unwind 5
    in        polygon_contact.c
    change    const planar H = {box->size[0] * Q30_ONE, box->size[2] * Q30_ONE};
    to        const planar H = {box->size[0] * Q60_ONE, box->size[2] * Q30_ONE}; */
void box_polygon_is_defined(void) {
    const placed_shape s = any_placed(FXS_BOX);
    const polygon p = any_polygon(FXS_BOX);
    const int contact = box_polygon(&p, &s);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}

/*@ how deep a polygon reaches beyond an edge of another, where both stand or in a cast: no overflow, nothing lost
    bounds    all vertices that are below 2^31.8 apart on an axis, all edges
    options   --unwind 3
    in        polygon.h
    change    most = max64(most, cross64(p->u[j], from));
    to        most = max64(most, 2 * cross64(p->u[j], from)); */
void depth_beyond_is_defined(void) {
    const int64_t half = 1870000000; /* of 2^31.8 */
    polygon p, q;
    p.n = q.n = 1;
    p.u[0].x = any_within(1 << 30);
    p.u[0].z = any_within(1 << 30);
    p.m[0].x = any_within(half);
    p.m[0].z = any_within(half);
    q.m[0].x = any_within(half);
    q.m[0].z = any_within(half);
    const int64_t depth = depth_beyond(&p, 0, &q);
    __CPROVER_assert(depth < 0 || depth >= 0, "a depth");
}

/*@ parts of the contact of a sector and a prism of a level: no overflow, nothing lost, nothing undefined
    bounds    all radii, directions, vertices and edges
    options   --unwind 5
    in        wedge.c
    change    const int64_t side = cross64(e, s->polygon->m[j]);
    to        const int64_t side = 4 * cross64(e, s->polygon->m[j]); */
void sector_parts_are_defined(void) {
    const polygon p = any_polygon(FXS_SECTOR);
    const planar none = {0, 0};
    const planar e = fxs_direction_of(0);
    const int32_t radius = any_in(2, FXS_SIZE_MAX), inner = any_in(1, FXS_SIZE_MAX);
    const sector_view s = {&p, none, none, p.m[0], FXS_TOUCHING, radius, inner};
    const int found = edge_of_polygon(&s, e) + far_edge_of_polygon(&s, e);
    const int side = turn_sign(0, e, p.m[0]) + turn_sign(0, e, within(0, &s));
    const int64_t square = dot64(p.m[0], p.m[0]);
    __CPROVER_assert(found >= 0 && side >= -2 && side <= 2 && square >= 0, "contacts, signs and a square");
}

/*@ contact of a sector and a prism of a level: no overflow, nothing lost, nothing undefined
    bounds    all sectors, directions, vertices and edges
    options   --unwind 5
    in        wedge.c
    change    return is_box ? i128_sign(cross_wide(u, v)) : sign64(cross64(u, v));
    to        return is_box ? i128_sign(cross_wide(u, v)) : sign64(2 * cross64(u, v));
    undecided */
void sector_polygon_is_defined(void) {
    const placed_shape s = any_placed(FXS_SECTOR);
    const polygon p = any_polygon(FXS_SECTOR);
    const int contact = fxs_sector_polygon(&s, &p);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}

/*@ contact of {a} and a cylinder of a level: no overflow, nothing lost, nothing undefined
    bounds    all shapes, poses, directions, heights and cylinders whose bounds meet those of the shape
    options   --unwind 5
    of        00 11 22 33 44
    in        fixsync.h
    change    #define FXS_SIZE_MAX 536870911
    to        #define FXS_SIZE_MAX 2147483647
    quick     22
    undecided 44 */
void cylinder_solid_is_defined(void) {
    const placed_shape s = any_placed(KIND_A);
    solid b;
    b.y_low = nondet_int32();
    b.y_high = nondet_int32();
    const int32_t radius = any_in(1, FXS_SIZE_MAX);
    const int32_t x = nondet_int32(), z = nondet_int32();
    __CPROVER_assume(abs64((int64_t)x - s.x) <= (int64_t)radius + s.extent_x);
    __CPROVER_assume(abs64((int64_t)z - s.z) <= (int64_t)radius + s.extent_z);
    const int64_t gap = solid_gap(&s, &b);
    __CPROVER_assume(gap <= s.extent_y - s.size[1]);
    const int contact = fxs_cylinder_solid_contact(&s, x, z, radius, gap);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}
