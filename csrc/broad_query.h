/* The broad phase of a query or a cast: colliders that may be near a box. It only proposes. */
#ifndef FIXSYNC_BROAD_QUERY_H
#define FIXSYNC_BROAD_QUERY_H

#include "memory.h"

/* The ids of active colliders whose bounds may meet a box, in no
 * order, all whose bounds do meet it among them: `*count` of them in scratch, valid until the broad
 * phase is used again. There is room for all colliders. */
FXS_INTERNAL uint64_t *fxs_broad_near(fxs_world *w, const aabb *box, uint64_t *count);

/* An estimate of that number of ids; 0 if the search would look at all colliders one by one. Only
 * speed may depend on it. */
FXS_INTERNAL uint64_t fxs_broad_guess(const fxs_world *w, const aabb *box);

#endif
