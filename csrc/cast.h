/* Casts of one shape against another. */
#ifndef FIXSYNC_CAST_H
#define FIXSYNC_CAST_H

#include "level.h"
#include "wide256.h"

#define WHOLE 65536 /* the fraction of a whole motion */
#define NONE (-1)   /* the fraction of no hit */

/* The fraction at which a, moving by M against b, first makes a contact >= when. NONE if it makes
 * none, or, perhaps, if the fraction is above `most`. Both kinds can be cast. */
FXS_INTERNAL int32_t fxs_placed_cast(const placed *a, const placed *b, const int64_t *M, int when,
                                     int32_t most);

/* The normal of a hit at fraction k. */
FXS_INTERNAL void fxs_placed_cast_normal(const placed *a, const placed *b, const int64_t *M,
                                         int32_t k, int32_t *out);

/* An upright cylinder of a level. */
typedef struct pillar {
    int32_t x, z, radius, y_low, y_high;
} pillar;

/* The same for a shape and a solid. The bounds of the way of a prism's shape meet those of the
 * prism. No normal is that of shapes that overlap at the start. */
FXS_INTERNAL int32_t fxs_pillar_cast(const placed *a, const pillar *b, const int64_t *M, int when,
                                     int32_t most);
FXS_INTERNAL void fxs_pillar_cast_normal(const placed *a, const pillar *b, const int64_t *M,
                                         int32_t k, int32_t *out);
FXS_INTERNAL int32_t fxs_prism_cast(const placed *a, const solid *prism, const vertex *v,
                                    const int64_t *M, int when);
FXS_INTERNAL void fxs_prism_cast_normal(const placed *a, const solid *prism, const vertex *v,
                                        const int64_t *M, int32_t k, int32_t *out);

/* Where a hitbox of two planes stands, seen from another, when both views meet: on the ground
 * within r of the rectangle +-half_x, +-half_z (r = 0: in it); at the side |x| <= side_x, |y| <=
 * half_y. r and every half are below 2^30; half_x and half_z are 0 only if r is not. */
typedef struct views {
    int64_t half_x, half_z, r, side_x, half_y;
} views;

/* The fraction at which a hitbox that moves from D by M first makes a contact >= when, or NONE.
 * |D| < 2^32, |M| < 2^30 on each axis. */
FXS_INTERNAL int32_t fxs_views_cast(const views *s, const int64_t *D, const int64_t *M, int when);

/* Sorts the hits of a cast by (fraction, id). */
FXS_INTERNAL void fxs_sort_cast_hits(fxs_cast_hit *hits, uint64_t n);

/* ---- normals ---- */

typedef struct vector {
    int64_t x, y, z;
} vector;

static inline int64_t with_sign(int64_t v, int64_t sign) { return sign < 0 ? -v : v; }

/* v * factor / divisor, rounded towards zero; factor >= 0, the quotient below 2^62. */
static inline int64_t scaled(int64_t v, int64_t factor, int64_t divisor) {
    return with_sign(quotient(i128_mul(abs64(v), factor), divisor), v);
}

/* v to length 2^30: |v|^2 < 2^94, so s < 2^61. */
static inline vector unit(int64_t x, int64_t y, int64_t z) {
    i128 square = i128_add(i128_add(i128_square(x), i128_square(y)), i128_square(z));
    int64_t s = isqrt128(i128_shl(square, 28));
    vector n = {scaled(x, (int64_t)1 << 44, s), scaled(y, (int64_t)1 << 44, s),
                scaled(z, (int64_t)1 << 44, s)};
    return n;
}

static inline int is_motion(const int32_t *m) {
    for (int i = 0; i < 3; i++) {
        if (m[i] < -FXS_SIZE_MAX || m[i] > FXS_SIZE_MAX) {
            return 0;
        }
    }
    return 1;
}

#endif
