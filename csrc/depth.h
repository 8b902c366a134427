/* How deep two shapes are in each other, of which only the sign counts, and distances of the ground
 * plane in Q.46. */
#ifndef FIXSYNC_DEPTH_H
#define FIXSYNC_DEPTH_H

#include "wide.h"

/* |v|^2 for v in Q.46, each axis rounded down to raw units. */
static inline int64_t floor_square(planar v) {
    const int64_t x = (int64_t)((uint64_t)abs64(v.x) >> 30);
    const int64_t z = (int64_t)((uint64_t)abs64(v.z) >> 30);
    return x * x + z * z;
}

/* Contact as a depth: above 0 where two overlap, 0 where they touch, below where they are apart.
 * The least depth decides. */
static inline int contact_of_depth(int64_t depth) { return (depth >= 0) + (depth > 0); }

/* The depth whose class is CLS(|v|^2, q * 2^60) for v in Q.46, |v|^2 < 2^123, -2^60 <= q <= 2^58.
 * Whole raw units decide it but in a band about one raw unit wide: with u = floor(|v| / 2^30) on
 * each axis, u.x^2 + u.z^2 <= |v|^2 / 2^60 < (u.x + 1)^2 + (u.z + 1)^2. */
static inline int64_t depth_q46(planar v, int64_t q) {
    FXS_ASSERT(abs64(v.x) < (int64_t)1 << 62 && abs64(v.z) < (int64_t)1 << 62);
    FXS_ASSERT(q >= -Q60_ONE && q <= (int64_t)1 << 58);
    const int64_t x = (int64_t)((uint64_t)abs64(v.x) >> 30);
    const int64_t z = (int64_t)((uint64_t)abs64(v.z) >> 30);
    const int64_t least = x * x + z * z;
    const int64_t most = least + 2 * (x + z + 1);
    if ((uint64_t)(q - least) < (uint64_t)(most - least)) {
        const i128 square = i128_add(i128_square(v.x), i128_square(v.z));
        return classify_wide(square, i128_mul(q, Q60_ONE)) - 1;
    }
    return q - least; /* below 0, or most - least and more */
}

#endif
