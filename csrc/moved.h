/* Colliders that moved since the grid was built. */
#ifndef FIXSYNC_MOVED_H
#define FIXSYNC_MOVED_H

#include "memory.h"

/* Wherever a collider came, went, moved, or changed its shape or its activity, one of these or
 * grid_stale is called. */
FXS_INTERNAL void fxs_grid_moved(fxs_world *w, uint32_t id);
static inline void grid_moved(fxs_world *w, uint32_t id) {
    if (w->grid_fresh) {
        fxs_grid_moved(w, id);
    }
}

/* Before n changes: whether grid_moved must be called for them. */
FXS_INTERNAL int fxs_grid_keeps(fxs_world *w, uint64_t n);
static inline int grid_keeps(fxs_world *w, uint64_t n) {
    return w->grid_fresh && fxs_grid_keeps(w, n);
}

/* Of n ids found in the grid, those that did not move since, and those of the moved whose bounds
 * may meet the box. Returns the count. */
FXS_INTERNAL uint64_t fxs_with_moved(const fxs_world *w, const aabb *box, uint64_t *found,
                                     uint64_t n);

#endif
