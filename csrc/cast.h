/* Casts of one shape against another. */
#ifndef FIXSYNC_CAST_H
#define FIXSYNC_CAST_H

#include "internal.h"

#define WHOLE 65536 /* the fraction of a whole motion */
#define NONE (-1)   /* the fraction of no hit */

/* The fraction at which a, moving by M against b, first makes a contact >= when. NONE if it makes
 * none, or, perhaps, if the fraction is above `most`. Both kinds can be cast. */
FXS_INTERNAL int32_t fxs_placed_cast(const placed *a, const placed *b, const int64_t *M, int when,
                                     int32_t most);

/* The normal of a hit at fraction k. */
FXS_INTERNAL void fxs_placed_cast_normal(const placed *a, const placed *b, const int64_t *M,
                                         int32_t k, int32_t *out);

static inline int is_motion(const int32_t *m) {
    for (int i = 0; i < 3; i++) {
        if (m[i] < -FXS_SIZE_MAX || m[i] > FXS_SIZE_MAX) {
            return 0;
        }
    }
    return 1;
}

#endif
