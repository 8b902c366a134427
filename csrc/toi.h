/* When a shape that moves straight is near another: intervals of time, and the distance in them.
 * Casts of pairs are made of these. */
#ifndef FIXSYNC_TOI_H
#define FIXSYNC_TOI_H

#include "level.h"
#include "wide256.h"

#define WHOLE 65536 /* the fraction of a whole motion */
#define NONE (-1)   /* the fraction of no hit */

/* The time n / d, 0 <= n <= d, d > 0: d is a component of M, below 2^30, or below 2^60.6 where it
 * is turned; or a power of two. */
typedef struct time64 {
    int64_t n, d;
} time64;

/* floor(65536 * t) */
FXS_INTERNAL int32_t fxs_time64_fraction(time64 t);

/* One coordinate of a: p + t * m at time t, mirrored where needed so that m >= 0. Its gap is the
 * signed distance from -half..half, `side` where it is: -1 below, 0 inside (no gap), 1 above. If
 * half is 0, `side` is always 1 and the gap is the coordinate. */
typedef struct axis {
    int64_t p, m, half;
    int side;
} axis;

static inline axis axis_of(int64_t p, int64_t m, int64_t half) {
    axis a = {m < 0 ? -p : p, m < 0 ? -m : m, half, 1};
    return a;
}

/* The closed interval of times in all of a set of slabs. `slides` if the path stays on the boundary
 * of one, so that nothing overlaps. */
typedef struct interval64 {
    time64 in, out;
    int slides;
} interval64;

#define WHOLE_MOTION {{0, 1}, {1, 1}, 0}

/* The times of all fractions up to this. */
static inline interval64 interval_up_to(int32_t max_fraction) {
    interval64 w = WHOLE_MOTION;
    if (max_fraction < WHOLE) {
        w.out.n = max_fraction + 1;
        w.out.d = WHOLE;
    }
    return w;
}

/* Narrows the interval to low <= p + t * m <= high; 0 if nothing is left of 0 <= t <= 1. |p| +
 * |low| and |p| + |high| < 2^62.8. */
FXS_INTERNAL int fxs_clip(interval64 *w, const axis *a, int64_t low, int64_t high);

/* The sign of a - b. */
FXS_INTERNAL int fxs_time64_order(time64 a, time64 b);

/* Whether the interval can hold a contact of at least `when`. OVERLAPPING needs an open
 * interval. */
FXS_INTERNAL int fxs_interval64_holds(const interval64 *w, int when);

/* value(t) = a t^2 - 2 b t + c, a at least 0: convex. */
typedef struct quadratic {
    i128 a, b, c;
} quadratic;

/* The first root, estimated from the leading 31 bits of a, b and c, for b > 0 and c >= 0 below
 * 2^126: -1, no root; 0, undecided; 1, it is `fine` / 2^24, within ROOT_ERROR / 2^24 if it is at
 * most 1. Where it is undecided, `fine` is where to begin a search, and its low bits mean
 * nothing. */
enum { ROOT_ERROR = 10 };
FXS_INTERNAL int fxs_root_estimate(const quadratic *q, int64_t *fine);

/* Whether a root estimated as `fine` is certainly after t, or before it; and at the fraction fine /
 * 256. */
static inline int is_after(int64_t fine, time64 t) {
    return i128_cmp(i128_mul(fine - ROOT_ERROR, t.d), i128_mul(t.n, (int64_t)1 << 24)) > 0;
}
static inline int is_before(int64_t fine, time64 t) {
    return i128_cmp(i128_mul(fine + ROOT_ERROR, t.d), i128_mul(t.n, (int64_t)1 << 24)) < 0;
}
static inline int is_plain(int64_t fine) {
    return (fine & 255) >= ROOT_ERROR && (fine & 255) <= 255 - ROOT_ERROR;
}

/* The distance of the two shapes, its square being the sum of the squares of the axes' gaps,
 * against r. It is convex in t. In the interval each |gap| <= r on its axis, so where u + t * m is
 * a gap, |u| <= r + m < 2^61.3 and at any t of 0..1 |u + t * m| < 2^62.1. */
typedef struct gap_distance {
    axis axes[3];
    int count;
    int is_raw; /* in raw units, not in Q.46 */
    int64_t r;
    int by_root; /* out: the first contact is where the distance falls to r, not where the interval
                    opens */
} gap_distance;

/* Whether a contact counts at the edge of an interval, and at a single time of least distance. */
enum { AT_ENDS = 1, AT_TANGENT = 2 };
static inline int worth_for(int when) { return when == FXS_OVERLAPPING ? 0 : AT_ENDS | AT_TANGENT; }

/* The fraction of the first contact in the interval, or NONE; `worth` of AT_ENDS and AT_TANGENT.
 * With neither, the distance must fall below r. */
FXS_INTERNAL int32_t fxs_first_contact(gap_distance *k, const interval64 *w, int worth);

/* The interval of a.y - b.y in which the heights of two shapes meet, without round ends: -h..h, h
 * the sum of the half heights. Not so for solids: b.y is the rounded middle of a cylinder, and for
 * a prism the y where a begins. */
typedef struct heights {
    int64_t low, high;
} heights;

static inline heights mirrored(heights y) {
    heights m = {-y.high, -y.low};
    return m;
}

/* The fraction at which a round shape of radius r first makes a contact >= when with a cylinder of
 * radius R, or NONE. It moves from p by m, as the axes have it; the bounds leave the interval w. */
FXS_INTERNAL int32_t fxs_cylinder_edge_cast(const axis *axes, const int64_t *p, const int64_t *m,
                                            int64_t r, int64_t R, heights meet, interval64 w,
                                            int when);

#endif
