/* Small helpers against what they stand for, for every argument. */
#include "any.h"
#include "blocks.h"
#include "hit.h"
#include "set.h"

typedef __CPROVER_bitvector[80] int80;

/*@ round_q30 rounds to nearest, halves away from zero
    bounds    all of its range
    in        planar.h
    change    (uint64_t)-v + ((uint64_t)1 << 29)
    to        (uint64_t)-v + ((uint64_t)1 << 28)
    quick */
void round_q30_rounds_halves_away_from_zero(void) {
    int64_t v = nondet_int64();
    __CPROVER_assume(v > INT64_MIN + (1 << 29) && v < INT64_MAX - (1 << 29));
    int80 m = v < 0 ? -(int80)v : (int80)v, r = (2 * m + ((int80)1 << 30)) / ((int80)1 << 31);
    __CPROVER_assert((int80)round_q30(v) == (v < 0 ? -r : r), "v / 2^30, rounded");
}

/*@ classify is the contract's CLS
    in        integer.h
    change    (l < r) + (l <= r)
    to        (l < r) + (l < r)
    quick */
void classify_orders(void) {
    int64_t l = nondet_int64(), r = nondet_int64();
    __CPROVER_assert(classify(l, r) == (l < r ? FXS_OVERLAPPING : l == r ? FXS_TOUCHING : FXS_APART), "CLS");
}

/*@ bit_length and trailing_zeros without builtins
    options   -DFXS_NO_BUILTINS --unwind 8
    in        integer.h
    change    for (uint32_t step = 32; step; step /= 2)
    to        for (uint32_t step = 16; step; step /= 2)
    quick */
/* Compiled with FXS_NO_BUILTINS. */
void bits_are_counted(void) {
    uint64_t v = nondet_uint64();
    uint32_t n = bit_length(v);
    __CPROVER_assert(n == 0 ? v == 0 : n <= 64 && v >> (n - 1) == 1, "bit_length");
    if (v != 0) {
        uint32_t zeros = trailing_zeros(v);
        __CPROVER_assert(zeros < 64 && v >> zeros & 1 && (v & (((uint64_t)1 << zeros) - 1)) == 0, "trailing_zeros");
    }
}

/*@ a packed hit holds its parts and sorts by (a, b)
    bounds    all ids, a < b
    in        hit.h
    change    HIT_A_BIT 33
    to        HIT_A_BIT 32
    quick */
void packed_hits_hold_their_parts(void) {
    uint32_t a = nondet_uint32(), b = nondet_uint32(), contact = nondet_uint32(), c = nondet_uint32(), d = nondet_uint32();
    __CPROVER_assume(a < FXS_CAPACITY_MAX && c < FXS_CAPACITY_MAX && a < b && c < d);
    __CPROVER_assume(contact == FXS_TOUCHING || contact == FXS_OVERLAPPING);
    packed_hit h = hit_pack(a, b, contact), k = hit_pack(c, d, FXS_TOUCHING);
    __CPROVER_assert(hit_a(h) == a && hit_b(h) == b && hit_contact(h) == contact, "parts");
    if (a != c || b != d) {
        __CPROVER_assert((h < k) == (a < c || (a == c && b < d)), "order");
    }
}

/*@ set_next finds the least member
    bounds    all sets of up to 192 ids
    options   --unwind 194
    in        set.h
    change    set[word] >> (from & 63) << (from & 63)
    to        set[word] >> (from & 31) << (from & 31) */
/* Sets of up to 192 ids. */
void next_member_is_the_least(void) {
    uint64_t set[3] = {nondet_uint64(), nondet_uint64(), nondet_uint64()};
    uint32_t capacity = nondet_uint32(), from = nondet_uint32(), other = nondet_uint32();
    __CPROVER_assume(capacity >= 1 && capacity <= 192 && from <= capacity && other >= from && other < capacity);
    for (uint32_t id = 0; id < 192; id++) {
        __CPROVER_assume(id < capacity || !set_has(set, id));
    }
    uint32_t next = set_next(set, from, capacity);
    __CPROVER_assert(next >= from && next <= capacity, "in range");
    __CPROVER_assert(next == capacity || set_has(set, next), "a member");
    __CPROVER_assert(other >= next || !set_has(set, other), "none before it");
}

/* On one axis, as met_of_lanes asks. */
static int lanes_meet(int32_t least_a, int32_t most_a, int32_t least_b, int32_t most_b) {
    return ((most_b - least_a) | (most_a - least_b)) >= 0;
}

/*@ bounds in lanes: those that meet are found, what was cleared is not; no overflow
    bounds    all centres, reaches to 2^30
    in        blocks.h
    change    ((uint32_t)extent >> 2) + 1;
    to        ((uint32_t)extent >> 2);
    quick */
/* A collider, a second one, one that was cleared, and a query. */
void lanes_meet_where_bounds_do(void) {
    int32_t a = nondet_int32(), b = nondet_int32(), extent_a = any_in(0, 1 << 30), extent_b = any_in(0, 1 << 30);
    int32_t least_a, most_a, least_b, most_b;
    put_axis(&least_a, &most_a, a, extent_a);
    put_axis(&least_b, &most_b, b, extent_b);
    int64_t gap = abs64((int64_t)a - b) - extent_a - extent_b, from = nondet_int64(), to = nondet_int64();
    __CPROVER_assume(from <= to && from > -((int64_t)1 << 34) && to < (int64_t)1 << 34);
    int32_t least = lane_bound(from), most = lane_bound(to);
    __CPROVER_assert(gap > 0 || lanes_meet(least_a, most_a, least_b, most_b), "bounds that meet are found");
    __CPROVER_assert(from > (int64_t)a + extent_a || to < (int64_t)a - extent_a || lanes_meet(least, most, least_a, most_a), "by a query too");
    __CPROVER_assert(!lanes_meet(least_a, most_a, NO_LEAST, NO_MOST), "what was cleared meets nothing");
    __CPROVER_assert(!lanes_meet(least, most, NO_LEAST, NO_MOST), "nor a query");
}
