/* Vectors of the ground plane. */
#ifndef FIXSYNC_PLANAR_H
#define FIXSYNC_PLANAR_H

#include "integer.h"

#define Q30_ONE ((int64_t)1 << 30)
#define Q60_ONE ((int64_t)1 << 60)

/* A vector of the ground plane. Its unit is named where it is used: raw Q16.16, Q2.30, or their
 * product Q.46. */
typedef struct planar {
    int64_t x, z;
} planar;

/* For assertions: whether both numbers of v are at most 2^bits in magnitude. */
#define IS_WITHIN_BITS(v, bits) (max64(abs64((v).x), abs64((v).z)) <= (int64_t)1 << (bits))

static inline planar opposite(planar v) {
    const planar minus_v = {-v.x, -v.z};
    return minus_v;
}
static inline int64_t cross64(planar u, planar v) { return u.x * v.z - u.z * v.x; }
static inline int64_t dot64(planar u, planar v) { return u.x * v.x + u.z * v.z; }

/* v / 2^30 rounded to nearest, halves away from zero; |v| < 2^63 - 2^29. */
static inline int64_t round_q30(int64_t v) {
    FXS_ASSERT(abs64(v) <= INT64_MAX - ((int64_t)1 << 29));
    return v < 0 ? -(int64_t)(((uint64_t)-v + ((uint64_t)1 << 29)) >> 30)
                 : (int64_t)(((uint64_t)v + ((uint64_t)1 << 29)) >> 30);
}

/* v turned by yaw and by minus yaw, dir the direction of yaw; the product of the units, unrounded.
 * Exact for |v.x| + |v.z| < 2^33. */
static inline planar turned(planar v, planar dir) {
    FXS_ASSERT(abs64(v.x) + abs64(v.z) < (int64_t)1 << 33);
    FXS_ASSERT(abs64(dir.x) <= Q30_ONE && abs64(dir.z) <= Q30_ONE);
    planar p = {v.x * dir.x - v.z * dir.z, v.x * dir.z + v.z * dir.x};
    return p;
}
static inline planar turned_back(planar v, planar dir) {
    FXS_ASSERT(abs64(v.x) + abs64(v.z) < (int64_t)1 << 33);
    FXS_ASSERT(abs64(dir.x) <= Q30_ONE && abs64(dir.z) <= Q30_ONE);
    planar p = {v.x * dir.x + v.z * dir.z, v.z * dir.x - v.x * dir.z};
    return p;
}

#endif
