/* Push-outs of placed shapes. */
#ifndef FIXSYNC_PUSH_H
#define FIXSYNC_PUSH_H

#include "level.h"

/* push_out of shapes that can be pushed; of such a shape and a solid. */
FXS_INTERNAL planar fxs_push_of(const placed_shape *a, const placed_shape *b);
FXS_INTERNAL planar fxs_push_of_solid(const placed_shape *a, const fxs_level *l, uint32_t index);

#endif
