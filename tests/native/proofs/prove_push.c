/* Push-out: nothing undefined and nothing lost, in the ranges the code states for OVERLAPPING pairs. */
#include "push.c"
#include "push_estimate.c"

#include "any.h"

/* In the place of angle.c: a root rounded down, which the lemmas on isqrt64 show it to be. */
uint32_t fxs_isqrt64(uint64_t n) {
    uint64_t r = nondet_uint32(), next_sq = (r + 1) * (r + 1);
#ifdef ROUGH_ROOT /* only how large it is: as large as the roots of the ends of the range that n must lie in */
    __CPROVER_assert(n >= (uint64_t)1 << 60 && n >> 63 == 0, "the range of n");
    __CPROVER_assume(r >= 1u << 30 && r <= 3037000499u);
#else
    __CPROVER_assume(r * r <= n && (r == UINT32_MAX || n < next_sq));
#endif
    return (uint32_t)r;
}

static planar any_place(int64_t most) {
    planar p = {nondet_int64(), nondet_int64()};
    __CPROVER_assume(p.x >= -most && p.x <= most && p.z >= -most && p.z <= most);
    return p;
}

/* 2^30.6, and a little more. */
#define FURTHEST 1627512000

static void any_body(placed_shape *s, uint8_t kind) {
    s->kind = kind;
    s->yaw = nondet_uint16();
    fxs_direction(s->yaw, &s->cos_q30, &s->sin_q30);
    for (uint32_t i = 0; i < 3; i++) {
        s->size[i] = any_in(0, FXS_SIZE_MAX);
    }
}

/*@ push_out, the root of a number in Q30: shifts in range, nothing lost
    bounds    all of its range
    options   --unwind 34
    in        push_estimate.c
    change    for (; m >> 62 == 0; m <<= 2) {
    to        for (; m >> 63 == 0; m <<= 2) { */
void root_q30_is_defined(void) {
    int64_t n = nondet_int64();
    __CPROVER_assume(n >= 1 && n <= Q60_ONE);
    int64_t root = root_q30(n);
    __CPROVER_assert(root >= 0 && root <= Q60_ONE, "a root");
}

/*@ push_out, the length and direction of a vector: no overflow, nothing lost
    bounds    all of its range
    options   -DROUGH_ROOT --unwind 34
    in        push_estimate.c
    change    for (; (x | z) >> 31; x >>= 1, z >>= 1)
    to        for (; (x | z) >> 32; x >>= 1, z >>= 1) */
void estimate_along_is_defined(void) {
    planar v = any_place(((int64_t)1 << 62) - 1);
    __CPROVER_assume(v.x != 0 || v.z != 0);
    push_estimate w = estimate_along(v);
    __CPROVER_assert(w.length >= 0, "a length");
}

/*@ push_out, the push_estimate between two boxes: no overflow
    bounds    all sizes, places and directions
    options   --unwind 5
    in        placed_shape.h
    change    {own->size[0] * Q30_ONE +
    to        {own->size[0] * Q60_ONE + */
void boxes_part_along_an_axis(void) {
    placed_shape a, b;
    any_body(&a, FXS_BOX);
    any_body(&b, FXS_BOX);
    push_estimate w = estimate_of_boxes(&a, &b, any_place(FURTHEST));
    __CPROVER_assert(abs64(w.out.x) <= Q30_ONE && abs64(w.out.z) <= Q30_ONE && abs64(w.length) < 4 * Q60_ONE, "an estimate");
}

/*@ push_out, a length times a direction in whole units: no overflow
    bounds    all of its range
    in        push.c
    change    (length % Q30_ONE) * u / Q30_ONE
    to        length * u / Q30_ONE
    quick */
void parts_are_whole(void) {
    int64_t length = nondet_int64(), u = any_in(0, 1 << 30);
    __CPROVER_assume(length >= 0 && length < 2 * Q60_ONE);
    int64_t part = whole_part(length, u);
    __CPROVER_assert(part >= 0 && part < 2 * Q30_ONE, "a part of the length");
}

/*@ push_out, the better of two estimates is the shorter, whatever their order
    bounds    all estimates
    in        push_estimate.c
    change    return a.length < b.length ? a : b;
    to        return a;
    quick */
/* Whatever the order of the arguments: two estimates of one pair are ranked by what they are. */
void the_better_way_does_not_depend_on_order(void) {
    push_estimate a = {any_place(Q30_ONE), nondet_int64()}, b = {any_place(Q30_ONE), nondet_int64()};
    push_estimate one = better(a, b), other = better(b, a);
    __CPROVER_assert(one.length == other.length && abs64(one.out.x) == abs64(other.out.x), "the same length and steepness");
    __CPROVER_assert(one.length <= a.length && one.length <= b.length, "the shorter one");
}
