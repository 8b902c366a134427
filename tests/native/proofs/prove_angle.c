/* Angles and lengths: defined for every argument. Tables, divisions and shifts in range. */
#include "angle.c"

#define EXACT_DIRECTIONS
#include "any.h"

void direction_is_defined(void) {
    int32_t c, s;
    fxs_direction(nondet_uint16(), &c, &s);
    __CPROVER_assert(c >= -(1 << 30) && c <= 1 << 30 && s >= -(1 << 30) && s <= 1 << 30, "components of a direction");
}

void yaw_of_is_defined(void) {
    int64_t dx = nondet_int64(), dz = nondet_int64();
    int32_t yaw = fxs_yaw_of(dx, dz);
    __CPROVER_assert(yaw == FXS_E_DISTANCE || (yaw >= 0 && yaw < FXS_TURN), "a yaw");
}

void isqrt_is_defined(void) {
    fxs_isqrt64(nondet_uint64());
}

void length_is_defined(void) {
    int64_t length = fxs_length(nondet_int64(), nondet_int64(), nondet_int64());
    __CPROVER_assert(length == FXS_E_DISTANCE || (length >= 0 && length < (int64_t)1 << 33), "a length");
}

void turns_are_the_shorter_way(void) {
    uint32_t from = nondet_uint32(), to = nondet_uint32();
    int32_t turn = fxs_yaw_between(from, to);
    __CPROVER_assert(turn >= -32768 && turn < 32768 && (from + (uint32_t)turn - to) % FXS_TURN == 0, "the shorter way");
}

void faces_is_defined(void) {
    int32_t faces = fxs_faces(nondet_uint32(), nondet_uint32(), nondet_int64(), nondet_int64());
    __CPROVER_assert(faces <= 1 && faces >= FXS_E_HIT_WHEN, "yes, no or a status");
}

void forward_is_defined(void) {
    int32_t x, z;
    fxs_forward(nondet_uint32(), nondet_int32(), &x, &z);
}
