/* The broad phase of a step: pairs of colliders that may hit. */
#ifndef FIXSYNC_BROAD_PAIRS_H
#define FIXSYNC_BROAD_PAIRS_H

#include "memory.h"

/* Finds every hit of the world as it is now, in any order, writes the first `hit_capacity` into
 * `out` and returns the count. `out` and the scratch are all it writes. */
FXS_INTERNAL uint64_t fxs_broad_hits(fxs_world *w, packed_hit *out);

#endif
