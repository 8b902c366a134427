/* Angles and lengths: defined for every argument. Tables, divisions and shifts in range. */
#include "angle.c"

#define EXACT_DIRECTIONS
#include "any.h"

/*@ direction: tables in range, nothing lost
    bounds    all 65,536 yaws
    in        angle.c
    change    first_quarter(half & 32767
    to        first_quarter(half & 65535 */
void direction_is_defined(void) {
    int32_t c, s;
    fxs_direction(nondet_uint16(), &c, &s);
    __CPROVER_assert(c >= -(1 << 30) && c <= 1 << 30 && s >= -(1 << 30) && s <= 1 << 30, "components of a direction");
}

/*@ yaw_of: no overflow, tables and division in range
    bounds    all int64 arguments
    options   --unwind 34
    in        angle.c
    change    if (dx == 0 && dz == 0) {
    to        if (dx == 0 && dz == 1) { */
void yaw_of_is_defined(void) {
    int64_t dx = nondet_int64(), dz = nondet_int64();
    int32_t yaw = fxs_yaw_of(dx, dz);
    __CPROVER_assert(yaw == FXS_E_DISTANCE || (yaw >= 0 && yaw < FXS_TURN), "a yaw");
}

/*@ isqrt64: shifts and divisions in range, ends
    bounds    all uint64 arguments
    options   --unwind 34
    in        angle.c
    change    if (n == 0) {
    to        if (n == 1) {
    quick */
void isqrt_is_defined(void) {
    fxs_isqrt64(nondet_uint64());
}

/*@ length: no overflow, below 2^33
    bounds    all int64 arguments
    options   --unwind 34
    in        angle.c
    change    (i128_high(n) << 62 | i128_low(n) >> 2) * 2
    to        (i128_high(n) << 62 | i128_low(n) >> 2) * 4 */
void length_is_defined(void) {
    int64_t length = fxs_length(nondet_int64(), nondet_int64(), nondet_int64());
    __CPROVER_assert(length == FXS_E_DISTANCE || (length >= 0 && length < (int64_t)1 << 33), "a length");
}

/*@ yaw_between is the shorter way round
    bounds    all uint32 arguments
    in        angle.c
    change    turn < 32768 ?
    to        turn <= 32768 ?
    quick */
void turns_are_the_shorter_way(void) {
    uint32_t from = nondet_uint32(), to = nondet_uint32();
    int32_t turn = fxs_yaw_between(from, to);
    __CPROVER_assert(turn >= -32768 && turn < 32768 && (from + (uint32_t)turn - to) % FXS_TURN == 0, "the shorter way");
}

/*@ faces: no overflow, a yes, a no or a status
    bounds    all arguments
    in        angle.c
    change    to_left = -cross_half(
    to        to_left = 4 * -cross_half( */
void faces_is_defined(void) {
    int32_t faces = fxs_faces(nondet_uint32(), nondet_uint32(), nondet_int64(), nondet_int64());
    __CPROVER_assert(faces <= 1 && faces >= FXS_E_HIT_WHEN, "yes, no or a status");
}

/*@ forward: no overflow, nothing lost
    bounds    all arguments
    in        angle.c
    change    if (length == INT32_MIN) {
    to        if (length == 0) { */
void forward_is_defined(void) {
    int32_t x, z;
    fxs_forward(nondet_uint32(), nondet_int32(), &x, &z);
}
