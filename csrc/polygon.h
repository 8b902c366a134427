/* Convex polygons of the ground plane, relative to a centre: prisms of a level, and placed shapes
 * of the class POLYGON, as everything but a box meets them. */
#ifndef FIXSYNC_POLYGON_H
#define FIXSYNC_POLYGON_H

#include "placed_shape.h"
#include "wide.h"

/* A convex polygon, counterclockwise: m_j = v_j - centre, u_j = v_(j+1) - v_j. Where its bounds
 * meet those of a shape about the centre, m is below 2^30.8 on each axis. */
typedef struct polygon {
    planar m[FXS_VERTICES_MAX], u[FXS_VERTICES_MAX];
    uint32_t n;
} polygon;

/* Corners, turned, then rounded, about d. */
static inline void place_corners(polygon *p, const planar *corner, uint32_t n, planar dir,
                                 planar d) {
    p->n = n;
    for (uint32_t j = 0; j < n; j++) {
        const planar v = turned(corner[j], dir);
        FXS_ASSERT(dot64(corner[j], corner[j]) < Q60_ONE / 4);
        p->m[j].x = d.x + round_q30(v.x);
        p->m[j].z = d.z + round_q30(v.z);
    }
    for (uint32_t j = 0; j < n; j++) {
        const planar next = p->m[j + 1 < n ? j + 1 : 0];
        p->u[j].x = next.x - p->m[j].x;
        p->u[j].z = next.z - p->m[j].z;
    }
}

/* A placed shape of the class POLYGON, its centre at d. */
static inline void polygon_of_shape(polygon *p, const placed_shape *s, planar d) {
    planar corner[FXS_VERTICES_MAX];
    const uint32_t n = corners_of(s->kind, s->size, corner);
    place_corners(p, corner, n, direction_of(s), d);
}

/* How deep, times |u_j|, q reaches into the inside of edge j of p. Points of the two
 * are at most 2^31.6 apart where their bounds meet, 2^32.2 in a cast: below 2^62.2. */
static inline int64_t depth_beyond(const polygon *p, uint32_t j, const polygon *q) {
    int64_t most = INT64_MIN;
    for (uint32_t k = 0; k < q->n; k++) {
        const planar from = {q->m[k].x - p->m[j].x, q->m[k].z - p->m[j].z};
        most = max64(most, cross64(p->u[j], from));
    }
    return most;
}

/* The part of a polygon that is nearest to its centre: the inside, a face or a vertex. */
typedef struct nearest_part {
    planar towards;      /* a direction of any length; (0, 0) inside */
    int64_t distance;    /* of a face s_j, else the square of the distance: 0 inside */
    int64_t face_square; /* of a face |u_j|^2 < 2^61, else 0 */
} nearest_part;

static inline nearest_part nearest_part_of(const polygon *p) {
    nearest_part found = {{0, 0}, 0, 0};
    int is_outside = 0;
    FXS_ASSERT(p->n >= 3 && p->n <= FXS_VERTICES_MAX);
    for (uint32_t j = 0; j < p->n; j++) {
        const planar m = p->m[j];
        const planar u = p->u[j];
        const int64_t s = cross64(m, u); /* as t below 2^62.4 */
        if (s >= 0) {
            continue;
        }
        const int64_t t = -dot64(u, m);
        const int64_t uu = dot64(u, u);
        if (t > 0 && t < uu) {
            const nearest_part face = {{-u.z, u.x}, s, uu};
            return face;
        }
        const planar end = {m.x + u.x, m.z + u.z};
        const planar vertex = t <= 0 ? m : end;
        const int64_t square = dot64(vertex, vertex);
        if (!is_outside || square < found.distance) {
            found.towards = vertex;
            found.distance = square;
            is_outside = 1;
        }
    }
    return found;
}

/* CLS of the distance to the nearest part and the root of q, 0 <= q < 2^58.1. */
static inline int classify_part(const nearest_part *part, int64_t q) {
    FXS_ASSERT(q >= 0 && part->face_square >= 0);
    FXS_ASSERT(part->face_square < (int64_t)1 << 61);
    if (part->face_square == 0) {
        return classify(part->distance, q);
    }
    /* Both below 2^125. */
    return classify_wide(i128_square(part->distance), i128_mul(q, part->face_square));
}

#endif
