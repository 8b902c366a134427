/* A collider that moves through a world by casts, before the world is changed. */
#ifndef FIXSYNC_KIT_WALK_H
#define FIXSYNC_KIT_WALK_H

#include "../cast.h"
#include "../fixsync_kit.h"
#include "../wide256.h"

typedef struct walk {
    fxs_world *world;
    fxs_cast cast; /* its shape, the pose of its centre now; the motion is scratch */
    cast_filter filter;
    int32_t position[3];         /* of its pose now */
    int32_t start[3], stored[3]; /* at the start, and as the world has it */
} walk;

/* Prepares the walk of a mover. FXS_OK, FXS_E_ID, FXS_E_ABSENT, FXS_E_UNDEFINED, FXS_E_MOVER or
 * FXS_E_MOTION. */
FXS_INTERNAL int32_t fxs_walk_begin(walk *w, fxs_world *world, const fxs_mover *mover,
                                    const int32_t *motion);

/* The first obstacles of a motion from where it is: at most `limit`, which is not 0. Returns their
 * number, or FXS_E_MOTION. */
FXS_INTERNAL int32_t fxs_walk_hits(walk *w, const int32_t *motion, uint32_t limit,
                                   fxs_cast_hit *hits);

/* Moves it. FXS_OK, or FXS_E_CENTRE if position or centre would leave int32. */
FXS_INTERNAL int32_t fxs_walk_shift(walk *w, const int32_t *by);

#endif
