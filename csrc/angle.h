/* Directions of yaws, and square roots. */
#ifndef FIXSYNC_ANGLE_H
#define FIXSYNC_ANGLE_H

#include "planar.h"

/* Q2.30; yaw as if taken modulo FXS_TURN. */
FXS_INTERNAL planar fxs_direction_of(uint32_t yaw);

/* floor(sqrt(n)). */
FXS_INTERNAL uint32_t fxs_isqrt64(uint64_t n);

#endif
