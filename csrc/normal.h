/* Normals of the hits of casts (docs/contract.md), exact: the functions that pairs (cast.c)
 * and prisms (polygon_cast.c) share.
 *
 * Taken at the fraction k, in 1/65536 raw units. The shapes are in contact less than |M| / 65536
 * later, so a gap there is at most r and a step of the motion: below 2^46.1 on each axis. It is 0
 * on all axes only of shapes that overlap. A vertex of a prism is below 2^47.1 from the centre on
 * each axis, and the nearest point of the prism below 2^46.2. */
#ifndef FIXSYNC_NORMAL_H
#define FIXSYNC_NORMAL_H

#include "placed_shape.h"
#include "wide256.h"

typedef struct vector {
    int64_t x, y, z;
} vector;

/* Where two shapes part: the normal, and how far apart they are along it, in 2^-30 raw units. Below
 * 0 it stands for 0. */
typedef struct parting {
    vector normal;
    int64_t distance;
} parting;

/* The vector to length 2^30; |v|^2 < 2^94. The distance is its length. */
FXS_INTERNAL parting fxs_unit(int64_t x, int64_t y, int64_t z);

static inline parting without_radius(parting p, int64_t radius) {
    p.distance -= radius * Q30_ONE;
    return p;
}

#define Q30_OF_STEPS ((int64_t)1 << 14) /* 2^-30 raw units in 1/65536 raw units */

/* v / d, rounded towards zero; the quotient is below 2^62. */
static inline int64_t towards_zero(i128 v, int64_t d) {
    FXS_ASSERT(d > 0);
    const int64_t q = quotient(i128_abs(v), d);
    return i128_sign(v) < 0 ? -q : q;
}

/* A planar direction, which may be longer than 2^30 by a little, turned by the frame's yaw. */
static inline vector back(vector n, const placed_shape *frame) {
    planar v = {n.x, n.z};
    planar t = turned(v, direction_of(frame));
    n.x = round_q30(t.x);
    n.z = round_q30(t.z);
    return n;
}

/* One of the axes of the frame, its sign that of `sign`. */
static inline vector own_axis(const placed_shape *frame, int is_x, int sign) {
    const vector n = {is_x ? sign * Q30_ONE : 0, 0, is_x ? 0 : sign * Q30_ONE};
    return back(n, frame);
}

static inline i128 dot_wide(planar u, planar v) {
    return i128_add(i128_mul(u.x, v.x), i128_mul(u.z, v.z));
}

/* Writes the normal and returns the distance. */
static inline int64_t put_parting(parting p, int32_t *out) {
    FXS_ASSERT(abs64(p.normal.x) <= INT32_MAX && abs64(p.normal.y) <= INT32_MAX &&
               abs64(p.normal.z) <= INT32_MAX);
    out[0] = (int32_t)p.normal.x;
    out[1] = (int32_t)p.normal.y;
    out[2] = (int32_t)p.normal.z;
    return max64(0, p.distance);
}

#endif
