/* Small worlds: so few colliders that their hits are found pair by pair, without a grid. */
#ifndef FIXSYNC_ALL_PAIRS_H
#define FIXSYNC_ALL_PAIRS_H

#include "memory.h"

enum {
    LANES_WORLD_MAX = 48,  /* up to so many colliders the bounds of every pair are compared */
    SMALL_WORLD_MAX = 256, /* and up to so many, sets of those that may meet, */
    CROWD_HITS = 2         /* unless there are more than so many hits a collider */
};

/* Every hit of a world of at most SMALL_WORLD_MAX as it is now, by (a, b): writes the first
 * `hit_capacity` into `out`, which has room for one more, and returns the count. */
FXS_INTERNAL uint64_t fxs_all_pairs_hits(fxs_world *w, packed_hit *out);

#endif
