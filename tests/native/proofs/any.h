/* What the proofs start from: any valid shape at any valid pose, any direction. */
#ifndef FIXSYNC_PROOFS_ANY_H
#define FIXSYNC_PROOFS_ANY_H

#include "placed_shape.h"
#include "shape.c"

int32_t nondet_int32(void);
int64_t nondet_int64(void);
uint16_t nondet_uint16(void);
uint32_t nondet_uint32(void);
uint64_t nondet_uint64(void);

static int32_t any_in(int32_t low, int32_t high) {
    int32_t v = nondet_int32();
    __CPROVER_assume(v >= low && v <= high);
    return v;
}

static fxs_shape any_shape(uint32_t kind) {
    fxs_shape s = {kind, nondet_uint32(), {nondet_int32(), nondet_int32(), nondet_int32()}};
    __CPROVER_assume(fxs_shape_check(&s) == FXS_OK);
    return s;
}

static fxs_pose any_pose(void) {
    fxs_pose p = {nondet_int32(), nondet_int32(), nondet_int32(), nondet_uint16()};
    return p;
}

#ifndef EXACT_DIRECTIONS
/* In the place of angle.c: any direction with components within +-2^30. That those of angle.c are such is checked for
 * all 65,536 of them, by the golden and by the tests of directions. */
planar fxs_direction_of(uint32_t yaw) {
    (void)yaw;
    planar dir = {any_in(-(1 << 30), 1 << 30), any_in(-(1 << 30), 1 << 30)};
#ifdef DIRECTION_SUM_MAX
    __CPROVER_assume(abs64(dir.x) + abs64(dir.z) <= DIRECTION_SUM_MAX); /* sqrt(2) * 2^30 + 2 */
#endif
    return dir;
}
void fxs_direction(uint16_t yaw, int32_t *cos_q30, int32_t *sin_q30) {
    planar dir = fxs_direction_of(yaw);
    *cos_q30 = (int32_t)dir.x;
    *sin_q30 = (int32_t)dir.z;
}
#endif

#endif
