/* Hits of colliders with solids. */
#ifndef FIXSYNC_LEVEL_HITS_H
#define FIXSYNC_LEVEL_HITS_H

#include "memory.h"

/* Hits of colliders, which are derived, with solids, appended to the `found` hits of colliders: how
 * many hits there are then; those past hit_capacity are counted only. Ascending by a, and for one a
 * in no order. */
FXS_INTERNAL uint64_t fxs_level_hits(const fxs_world *w, packed_hit *out, uint64_t found);

#endif
