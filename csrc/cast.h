/* Casts of one shape against another. */
#ifndef FIXSYNC_CAST_H
#define FIXSYNC_CAST_H

#include "normal.h"
#include "toi.h"

/* The fraction at which a, moving by M against b, first makes a contact >= when. NONE if it makes
 * none, or, perhaps, if the fraction is above `most`. Both kinds can be cast. */
FXS_INTERNAL int32_t fxs_placed_cast(const placed_shape *a, const placed_shape *b, const int64_t *M,
                                     int when, int32_t most);

/* The same for a shape and a solid: a cylinder with its centre, or a prism with its vertices, whose
 * bounds meet those of the shape's motion. */
FXS_INTERNAL int32_t fxs_cylinder_solid_cast(const placed_shape *a, const solid *b,
                                             const vertex *centre, const int64_t *M, int when,
                                             int32_t most);
FXS_INTERNAL int32_t fxs_prism_cast(const placed_shape *a, const solid *prism, const vertex *v,
                                    const int64_t *M, int when, int32_t most);

/* The normal of a hit at fraction k. */
FXS_INTERNAL void fxs_placed_cast_normal(const placed_shape *a, const placed_shape *b,
                                         const int64_t *M, int32_t k, int32_t *out);

/* The same of a shape and a solid. No normal is that of shapes that overlap at the start. */
FXS_INTERNAL void fxs_solid_cast_normal(const placed_shape *a, const solid *b, const vertex *v,
                                        const int64_t *M, int32_t k, int32_t *out);

/* That of a pair: P = 65536 D + k M, where D leads from b to a, F the vertical gap with its
 * sign: 0 if neither is round. */
FXS_INTERNAL vector fxs_pair_normal(const placed_shape *a, const placed_shape *b, planar P,
                                    int64_t F);

/* Sorts the hits of a cast by (fraction, id). */
FXS_INTERNAL void fxs_sort_cast_hits(fxs_cast_hit *hits, uint64_t n);

/* What blocks a character, of what its cast meets. */
typedef struct cast_filter {
    uint32_t own;              /* id of its collider, which is left out */
    uint32_t one_way;          /* layers that count only if they are met downwards as a floor, and
                                  are not overlapped at the start */
    int32_t floor_y, edge_y;   /* least y of the normal of a floor, and of that of a flat top */
    uint32_t skips_overlapped; /* 1: what is overlapped at the start is left out */
    const uint64_t *without;   /* a set of ids that are left out, or NULL */
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

static inline int is_motion(const int32_t *m) {
    for (int i = 0; i < 3; i++) {
        if (m[i] < -FXS_SIZE_MAX || m[i] > FXS_SIZE_MAX) {
            return 0;
        }
    }
    return 1;
}

#endif
