/* Casts of one shape against another. */
#ifndef FIXSYNC_CAST_H
#define FIXSYNC_CAST_H

#include "normal.h"
#include "toi.h"

/* The fraction at which a, moving by M against b, first makes a contact >= when. NONE if it makes
 * none, or, perhaps, if the fraction is above `max_fraction`. Both kinds can be cast. */
FXS_INTERNAL int32_t fxs_placed_cast(const placed_shape *a, const placed_shape *b, const int64_t *M,
                                     int when, int32_t max_fraction);

/* The same for a shape and a cylinder of a level with its centre. */
FXS_INTERNAL int32_t fxs_cylinder_solid_cast(const placed_shape *a, const solid *b,
                                             const vertex *centre, const int64_t *M, int when,
                                             int32_t max_fraction);
/* Writes the normal of a hit at fraction k, and returns its distance. */
FXS_INTERNAL int64_t fxs_placed_cast_normal(const placed_shape *a, const placed_shape *b,
                                            const int64_t *M, int32_t k, int32_t *out);

/* The same of a shape and a solid that do not overlap at the start. */
FXS_INTERNAL int64_t fxs_solid_cast_normal(const placed_shape *a, const solid *b, const vertex *v,
                                           const int64_t *M, int32_t k, int32_t *out);

/* The same of a hit with a solid of a level. */
FXS_INTERNAL int64_t fxs_solid_hit_normal(const placed_shape *a, const fxs_level *l, uint32_t index,
                                          const int64_t *M, int32_t k, int32_t *out);

/* That of a pair: P = 65536 D + k M, where D leads from b to a, F the vertical gap with its
 * sign: 0 if neither is round. */
FXS_INTERNAL parting fxs_pair_parting(const placed_shape *a, const placed_shape *b, planar P,
                                      int64_t F);

/* Hits of equal fraction are ordered by distance. It stands in the place of the normal until the
 * order is known. */
static inline void put_distance(fxs_cast_hit *hit, int64_t distance) {
    memcpy(hit->normal, &distance, sizeof distance);
}
static inline int64_t distance_of(const fxs_cast_hit *hit) {
    int64_t distance;
    memcpy(&distance, hit->normal, sizeof distance);
    return distance;
}

/* Sorts the hits of a cast by (fraction, distance, id). */
FXS_INTERNAL void fxs_sort_cast_hits(fxs_cast_hit *hits, uint64_t n);

/* What blocks a character, of what its cast meets. */
typedef struct cast_filter {
    uint32_t own;              /* id of its collider, which is left out */
    uint32_t one_way;          /* layers that count only if they are met downwards as a floor, and
                                  are not overlapped at the start */
    int32_t floor_y, edge_y;   /* least y of the normal of a floor, and of that of a flat top */
    uint32_t skips_overlapped; /* 1: what is overlapped at the start is left out */
    const uint64_t *without;   /* a set of ids that are left out, or NULL */
    uint64_t first;            /* ids below it are left out */
    const placed_shape *from;  /* or NULL: what overlaps this is left out, if it is a collider of */
    uint32_t yields;           /* these layers */
} cast_filter;

static inline int is_floor_for(const cast_filter *f, int32_t normal_y, int has_flat_top) {
    return normal_y >= f->floor_y || (has_flat_top && normal_y >= f->edge_y);
}

/* The first hits of a checked cast, OVERLAPPING, that count: at most `limit` of them, which is not
 * 0. Returns their number, or FXS_E_MOTION. */
FXS_INTERNAL int32_t fxs_filtered_cast(fxs_world *world, const fxs_cast *cast,
                                       const cast_filter *filter, fxs_cast_hit *hits);

/* Active colliders that can be cast, each moved by `shift`; their centres stay in int32. */
typedef struct id_set {
    const uint32_t *ids; /* ascending */
    uint64_t n;
    int32_t shift[3];
} id_set;

/* The same cast at a set alone: 1 and its first hit, without a normal; 0, or FXS_E_MOTION. */
FXS_INTERNAL int32_t fxs_cast_at_set(fxs_world *world, const fxs_cast *cast,
                                     const cast_filter *filter, const id_set *set,
                                     fxs_cast_hit *first);

/* Takes a hit of a collider with another one or a solid, and whether the two are known to overlap
 * at the start; returns the fraction after which others do not matter. */
typedef int32_t (*hit_sink)(void *context, uint32_t other, int32_t fraction,
                            int starts_overlapping);

/* The sweep of a collider that can be cast at what stands still: at the solids and, unless `moving`
 * is NULL, at the colliders that are not in that set. Hits after `max_fraction` do not matter.
 * `limit`: 0 if all of the others do. */
FXS_INTERNAL void fxs_sweep_still(fxs_world *w, uint32_t id, const int32_t *motion, int when,
                                  uint32_t limit, const uint64_t *moving, int32_t max_fraction,
                                  hit_sink take, void *context);

/* The length of a motion in the plane, rounded up: below 2^30.6. */
static inline int64_t planar_length(const int64_t *M) {
    return (int64_t)fxs_isqrt64((uint64_t)(M[0] * M[0] + M[2] * M[2])) + 1;
}

/* Whether a coordinate that goes from d to d + m is further than `reach` from 0, on one side, all
 * the time. */
static inline int is_beyond(int64_t d, int64_t m, int64_t reach) {
    return d + min64(m, 0) > reach || d + max64(m, 0) < -reach;
}

/* How far a shape reaches in the plane along a motion and across it, times the motion's length
 * there. */
typedef struct motion_extent {
    int64_t along, across;
} motion_extent;

/* Rounded up; below 2^60.6. `length` is that of M in the plane. */
static inline motion_extent motion_extent_of(const placed_shape *s, const int64_t *M,
                                             int64_t length) {
    const ground_reach r = reach_of(s->kind, s->size);
    motion_extent e = {r.radius * length, r.radius * length};
    if (has_turning_extent(s)) {
        const planar m = {M[0], M[2]};
        const planar on = turned_back(m, direction_of(s)); /* Q.46, below 2^61.5 */
        const int64_t x = abs64(on.x) / Q30_ONE + 1;
        const int64_t z = abs64(on.z) / Q30_ONE + 1;
        e.along += r.half_x * x + r.half_z * z;
        e.across += r.half_x * z + r.half_z * x;
    }
    return e;
}

/* Whether a separating line, along the motion of a against b or across it, keeps the two apart up
 * to `max_fraction`. In 64 bits: 1 for nearly all pairs that do not meet; 0 decides nothing.
 * Directions are quantised, and of two boxes the angle between them once more. Each lets the exact
 * tests see the shapes less than 4 raw units nearer than they are, so the line must keep them 8
 * apart. Bounds that may meet leave centres less than 2^31.3 apart on each axis. */
static inline int passes_by(const placed_shape *a, const motion_extent *of_a, const placed_shape *b,
                            const int64_t *M, int64_t length, int32_t max_fraction) {
    const planar from = {(int64_t)a->x - b->x, (int64_t)a->z - b->z};
    const planar motion = {M[0], M[2]};
    const motion_extent e = motion_extent_of(b, M, length);
    const int64_t near = 8 * length;
    const int64_t along = of_a->along + e.along + near; /* below 2^61.7, as the next */
    const int64_t across = of_a->across + e.across + near;
    const int64_t beside = abs64(cross64(motion, from)); /* below 2^62.3, as the next */
    const int64_t start = dot64(motion, from);
    const int64_t pace = dot64(motion, motion) / WHOLE + 1; /* a fraction of 1 / 65536 */
    const int64_t end = start + pace * (max_fraction + 1);
    return (beside > across) | (start > along) | (end < -along);
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
