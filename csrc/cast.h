/* Casts of one shape against another. */
#ifndef FIXSYNC_CAST_H
#define FIXSYNC_CAST_H

#include "normal.h"

/* The fraction at which a, moving by M against b, first makes a contact >= when. NONE if it makes
 * none, or, perhaps, if the fraction is above `most`. Both kinds can be cast. */
FXS_INTERNAL int32_t fxs_posed_cast(const posed *a, const posed *b, const int64_t *M, int when,
                                     int32_t most);

/* The same for a shape and a solid: a cylinder with its centre, or a prism with its vertices, whose
 * bounds those of the shape's way meet. */
FXS_INTERNAL int32_t fxs_cylinder_solid_cast(const posed *a, const solid *b, const vertex *centre,
                                     const int64_t *M, int when, int32_t most);
FXS_INTERNAL int32_t fxs_prism_cast(const posed *a, const solid *prism, const vertex *v,
                                    const int64_t *M, int when, int32_t most);

/* Sorts the hits of a cast by (fraction, id). */
FXS_INTERNAL void fxs_sort_cast_hits(fxs_cast_hit *hits, uint64_t n);

static inline int is_motion(const int32_t *m) {
    for (int i = 0; i < 3; i++) {
        if (m[i] < -FXS_SIZE_MAX || m[i] > FXS_SIZE_MAX) {
            return 0;
        }
    }
    return 1;
}

#endif
