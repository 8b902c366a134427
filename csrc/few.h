/* Small worlds: so few colliders that every pair of them is looked at. */
#ifndef FIXSYNC_FEW_H
#define FIXSYNC_FEW_H

#include "world.h"

enum { FEW_COLLIDERS = 48 };

/* Every hit of a world of at most FEW_COLLIDERS as it is now, by (a, b): writes the first
 * `hit_capacity` into `out`, which has room for one more, and returns how many there are. */
FXS_INTERNAL uint64_t fxs_few_hits(fxs_world *w, packed_hit *out);

#endif
