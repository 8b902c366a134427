/* Push-outs of posed shapes. */
#ifndef FIXSYNC_PUSH_H
#define FIXSYNC_PUSH_H

#include "level.h"

/* push_out of shapes that can be pushed; of such a shape and a solid. */
FXS_INTERNAL planar fxs_push_of(const posed *a, const posed *b);
FXS_INTERNAL planar fxs_push_of_solid(const posed *a, const fxs_level *l, uint32_t index);

#endif
