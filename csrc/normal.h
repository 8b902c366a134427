/* Normals of the hits of casts. */
#ifndef FIXSYNC_NORMAL_H
#define FIXSYNC_NORMAL_H

#include "cast_estimate.h"

typedef struct vector {
    int64_t x, y, z;
} vector;

/* The vector to length 2^30; |v|^2 < 2^94. */
FXS_INTERNAL vector fxs_unit(int64_t x, int64_t y, int64_t z);

/* The normal of a hit at fraction k. */
FXS_INTERNAL void fxs_posed_cast_normal(const posed *a, const posed *b, const int64_t *M,
                                         int32_t k, int32_t *out);

/* The same of a shape and a solid. No normal is that of shapes that overlap at the start. */
FXS_INTERNAL void fxs_solid_cast_normal(const posed *a, const solid *b, const vertex *v,
                                        const int64_t *M, int32_t k, int32_t *out);

#endif
