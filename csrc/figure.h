/* Figures of the ground plane: distances in Q.46, and a polygon as a centre sees it. */
#ifndef FIXSYNC_FIGURE_H
#define FIXSYNC_FIGURE_H

#include "fixsync.h"
#include "wide.h"

/* |v|^2 for v in Q.46, each axis rounded down to raw units. */
static inline int64_t floor_square(planar v) {
    const int64_t x = (int64_t)((uint64_t)abs64(v.x) >> 30);
    const int64_t z = (int64_t)((uint64_t)abs64(v.z) >> 30);
    return x * x + z * z;
}

/* Contact as a depth: above 0 where two overlap, 0 where they touch, below where they are apart.
 * The least depth decides. */
static inline int class_of(int64_t depth) { return (depth >= 0) + (depth > 0); }

/* The depth whose class is CLS(|v|^2, q * 2^60) for v in Q.46, |v|^2 < 2^123, -2^60 <= q <= 2^58.
 * Whole raw units decide it but in a band about one raw unit wide: with u = floor(|v| / 2^30) on
 * each axis, u.x^2 + u.z^2 <= |v|^2 / 2^60 < (u.x + 1)^2 + (u.z + 1)^2. */
static inline int64_t depth_q46(planar v, int64_t q) {
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

/* A convex polygon, counterclockwise: m_j = v_j - centre, u_j = v_(j+1) - v_j. Where its bounds
 * meet those of a shape about the centre, m is below 2^30.8 on each axis. */
typedef struct polygon {
    planar m[FXS_VERTICES_MAX], u[FXS_VERTICES_MAX];
    uint32_t n;
} polygon;

/* The part of a polygon that is nearest to its centre: the inside, a face or a vertex. */
typedef struct nearest_part {
    planar towards;      /* a direction of any length; (0, 0) inside */
    int64_t distance;    /* of a face s_j, else the square of the distance: 0 inside */
    int64_t face_square; /* of a face |u_j|^2 < 2^61, else 0 */
} nearest_part;

static inline nearest_part nearest_part_of(const polygon *p) {
    nearest_part found = {{0, 0}, 0, 0};
    int is_outside = 0;
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
    if (part->face_square == 0) {
        return classify(part->distance, q);
    }
    /* Both below 2^125. */
    return classify_wide(i128_square(part->distance), i128_mul(q, part->face_square));
}

#endif
