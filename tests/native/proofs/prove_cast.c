/* Casts: what its helpers state of themselves, in the ranges they state. */
#define FXS_NO_INT128
#include "cast.c"
#include "cast_cylinder_edge.c"
#include "toi.c"
#include "world_cast.c"

#include "any.h"

typedef __CPROVER_bitvector[128] int128;

static int64_t any_between(int64_t low, int64_t high) {
    int64_t v = nondet_int64();
    __CPROVER_assume(v >= low && v <= high);
    return v;
}

static time64 any_time64(int64_t most) {
    time64 t = {nondet_int64(), nondet_int64()};
    __CPROVER_assume(t.d > 0 && t.d <= most && t.n >= 0 && t.n <= t.d);
    return t;
}

/*@ cast, fraction_of: no overflow, within 0 .. 65536
    bounds    all moments with denominators to 2^61
    options   --unwind 18
    in        toi.c
    change    t.n *= 2;
    to        t.n *= 4; */
void fractions_are_defined(void) {
    time64 t = any_time64((int64_t)1 << 61);
    int32_t k = fxs_time64_fraction(t);
    __CPROVER_assert(k >= 0 && k <= WHOLE, "a fraction");
}

/*@ cast, moments are compared without overflow, in 64 bits where those are enough
    bounds    all of its range
    in        toi.c
    change    (uint64_t)b.d) >> 31 == 0
    to        (uint64_t)b.d) >> 40 == 0
    quick */
/* In 64 bits where those are enough. */
void times_are_compared_without_overflow(void) {
    int order = fxs_time64_order(any_time64((int64_t)1 << 61), any_time64((int64_t)1 << 61));
    __CPROVER_assert(order >= -1 && order <= 1, "an order");
}

/*@ cast, coordinates at a multiple of 2^-32 are exact
    bounds    all of its range
    in        cast_cylinder_edge.c
    change    -(int64_t)~sum - 1
    to        -(int64_t)~sum
    quick */
/* m only enters by its product with k, so a product of 1 with any number stands for all. */
void lid_edge_coordinates_are_exact(void) {
    int64_t p = any_between(-((int64_t)1 << 32), (int64_t)1 << 32), product = any_between(-((int64_t)1 << 62), (int64_t)1 << 62);
    int128 v = (int128)p * EDGE_STEPS + (int128)product;
    __CPROVER_assume(v > INT64_MIN && v <= INT64_MAX);
    __CPROVER_assert(lid_edge_coordinate(p, 1, product) == v, "2^32 p + m k");
}

/*@ cast, leading bits are kept
    bounds    all of its range
    in        wide256.h
    change    i128_low(a) << -shift
    to        i128_low(a) << (1 - shift)
    quick */
void leading_bits_are_kept(void) {
    i128 a = i128_join(nondet_uint64(), nondet_uint64());
    int32_t shift = any_in(-62, 127);
    __CPROVER_assume(i128_sign(a) >= 0);
    int128 v = (int128)i128_high(a) << 64 | (int128)i128_low(a);
    __CPROVER_assume(shift >= 0 ? v >> shift <= INT64_MAX : v <= INT64_MAX >> -shift);
    __CPROVER_assert((int128)leading(a, shift) == (shift >= 0 ? v >> shift : v << -shift), "shifted");
}

/*@ cast, slabs are clipped to 0..1 without overflow
    bounds    all slabs, motions and windows
    in        toi.c
    change    if (in.n > a->m || out.n < 0) {
    to        if (in.n > a->m) { */
void slabs_are_clipped(void) {
    interval64 w = {any_time64((int64_t)1 << 61), any_time64((int64_t)1 << 61), 0};
    axis a = axis_of(any_between(-((int64_t)1 << 62), (int64_t)1 << 62), any_between(-((int64_t)1 << 60), (int64_t)1 << 60), 0);
    int64_t limit = any_between(0, (int64_t)1 << 60);
    __CPROVER_assert(a.m >= 0, "mirrored");
    if (fxs_clip(&w, &a, -limit, limit)) {
        __CPROVER_assert(w.in.d > 0 && w.in.n >= 0 && w.in.n <= w.in.d && w.out.d > 0 && w.out.n >= 0 && w.out.n <= w.out.d, "moments");
    } else {
        __CPROVER_assert(a.p + limit < 0 || a.p - limit > 0, "not within the slab at the start");
    }
}

/*@ cast, swept bounds are rounded down, at both ends
    bounds    all motions and slices
    options   --unwind 5
    in        world_cast.c
    change    (j->M[i] * before + lift * WHOLE) / WHOLE - lift
    to        j->M[i] * before / WHOLE */
/* Along one axis: the three are alike. Moments only enter by their product with M, which is of M's sign: with moments of 0 and 1,
 * M is any product, up to that of the longest motion and the last moment. */
void swept_bounds_hold_the_way(void) {
    job j = {0};
    aabb box;
    j.own.x = nondet_int32();
    j.own.extent_x = any_in(0, 1 << 30);
    j.M[0] = any_between(-(int64_t)FXS_SIZE_MAX * WHOLE, (int64_t)FXS_SIZE_MAX * WHOLE);
    int32_t from = nondet_int32() & 1, to = from | (nondet_int32() & 1);
    sweep_bounds(&j, from, to, &box);
    int64_t start = from ? j.M[0] : 0, end = to ? j.M[0] : 0, low = min64(start, end), high = max64(start, end);
    int64_t at_least = box.min[0] - j.own.x + j.own.extent_x, at_most = box.max[0] - j.own.x - j.own.extent_x;
    __CPROVER_assert(at_least * WHOLE <= low && low < (at_least + 1) * WHOLE, "rounded down at the least");
    __CPROVER_assert(at_most * WHOLE <= high && high < (at_most + 1) * WHOLE, "rounded down at the most");
}

static placed_shape any_box(void) {
    const planar dir = fxs_direction_of(0);
    const placed_shape s = {.kind = FXS_BOX,
                            .yaw = nondet_uint16(),
                            .cos_q30 = (int32_t)dir.x,
                            .sin_q30 = (int32_t)dir.z,
                            .size = {any_in(1, FXS_SIZE_MAX), any_in(1, FXS_SIZE_MAX), any_in(1, FXS_SIZE_MAX)}};
    return s;
}

/*@ cast, the distance of two boxes: no overflow, nothing lost, not below 0
    bounds    all boxes and directions, to 2^15 raw units beyond the reach
    options   --unwind 5
    in        cast.c
    change    i128_shr(greatest, 16)
    to        i128_shr(greatest, 14) */
void distance_of_boxes_is_defined(void) {
    const placed_shape a = any_box();
    const placed_shape b = any_box();
    const int64_t reach = (int64_t)a.size[0] + a.size[2] + b.size[0] + b.size[2] + 32768;
    const planar P = {any_between(-reach * WHOLE, reach * WHOLE), any_between(-reach * WHOLE, reach * WHOLE)};
    int32_t normal[3];
    const int64_t distance = put_parting(parting_of_boxes(&a, &b, P), normal);
    __CPROVER_assert(distance >= 0, "a distance");
}

#ifndef MOST_HITS
#define MOST_HITS 1
#endif

/*@ cast, the first hits are kept, in order
    bounds    all hits, up to 3, all limits
    options   -DMOST_HITS=3 --unwind 5
    in        world_cast.c
    change    of_a != of_b ? of_a > of_b : a->id > b->id
    to        of_a != of_b ? of_a > of_b : a->id < b->id
    undecided */
/* Any hits, of any distances, kept and sorted: those that come first, in order. */
void the_first_hits_are_kept_in_order(void) {
    fxs_cast_hit heap[MOST_HITS], all[MOST_HITS];
    kept_hits k = {heap, MOST_HITS, 0, 0, nondet_uint32()};
    job j = {0};
    __CPROVER_assume(k.limit <= MOST_HITS);
    uint32_t n = nondet_uint32();
    __CPROVER_assume(n <= MOST_HITS);
    for (uint32_t i = 0; i < n; i++) {
        fxs_cast_hit hit = {nondet_uint32(), (uint32_t)any_in(0, WHOLE), {0, 0, HAS_DISTANCE}};
        put_distance(&hit, any_between(0, INT64_MAX));
        for (uint32_t before = 0; before < i; before++) {
            __CPROVER_assume(all[before].id != hit.id);
        }
        all[i] = hit;
        int32_t last = keep(&j, &k, hit);
        __CPROVER_assert(last >= 0 && last <= WHOLE, "a fraction");
    }
    hit_heap_make(&j, heap, k.count);
    hit_heap_sort(&j, heap, k.count);
    __CPROVER_assert(k.count == (k.limit != 0 && k.limit < n ? k.limit : n), "as many as asked for");
    for (uint32_t i = 0; i + 1 < k.count; i++) {
        __CPROVER_assert(is_later(&j, heap + i + 1, heap + i), "in order");
    }
    for (uint32_t i = 0; i < n; i++) {
        int is_kept = 0;
        for (uint32_t at = 0; at < k.count; at++) {
            is_kept |= heap[at].id == all[i].id && heap[at].fraction == all[i].fraction;
        }
        __CPROVER_assert(is_kept || (k.count > 0 && is_later(&j, all + i, heap + k.count - 1)), "kept, or later than those kept");
    }
}
