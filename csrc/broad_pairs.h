/* The broad phase of a step: pairs of colliders that may hit. */
#ifndef FIXSYNC_BROAD_PAIRS_H
#define FIXSYNC_BROAD_PAIRS_H

#include "memory.h"

/* Finds every hit of the world as it is now, in any order, writes the first `hit_capacity` into
 * `out` and returns the count. `out` and the scratch are all it writes. */
FXS_INTERNAL uint64_t fxs_broad_hits(fxs_world *w, packed_hit *out);

/* Takes n pairs of indices in `all`, each first << 32 | second, whose bounds may meet, and which
 * layers and owners let hit. */
typedef void (*pair_taker)(void *context, const placed_shape *all, const uint64_t *pairs,
                           uint32_t n);

/* Offers the pairs of the grid as it was built last. */
FXS_INTERNAL void fxs_broad_pairs(fxs_world *w, pair_taker take, void *context);

#endif
