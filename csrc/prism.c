/* Contact of a shape with a prism of a level (docs/contract.md, Levels), exact.
 *
 * The caller has rejected by bounds: on x and z the shape's centre is at most its reach, below
 * 2^29.6, from the bounds of the vertices, which span at most 2^30. So a vertex is below 2^30.8
 * from the centre on each axis. */
#include "level.h"
#include "wide.h"

void fxs_polygon_of(polygon *p, const solid *prism, const vertex *v, int64_t x, int64_t z) {
    const uint32_t n = p->n = prism->vertex_count;
    for (uint32_t j = 0; j < n; j++) {
        const vertex *next = v + (j + 1 < n ? j + 1 : 0);
        p->m[j].x = v[j].x - x;
        p->m[j].z = v[j].z - z;
        p->u[j].x = (int64_t)next->x - v[j].x;
        p->u[j].z = (int64_t)next->z - v[j].z;
    }
}

/* Where the centre is to edge j: s_j and t_j of the contract, with w_j = -m_j. Both below 2^62.4.
 */
static int64_t edge_side(const polygon *p, uint32_t j) { return cross64(p->m[j], p->u[j]); }
static int64_t edge_along(const polygon *p, uint32_t j) { return -dot64(p->u[j], p->m[j]); }

/* NEAR of the centre: 0 <= q < 2^58. */
static int near_polygon(const polygon *p, int64_t q) {
    int found = FXS_OVERLAPPING, is_outside = 0;
    for (uint32_t j = 0; j < p->n; j++) {
        const int64_t s = edge_side(p, j);
        if (s >= 0) {
            continue;
        }
        const planar m = p->m[j], u = p->u[j];
        const planar end = {m.x + u.x, m.z + u.z};
        const int64_t t = edge_along(p, j);
        const int64_t uu = dot64(u, u); /* below 2^61 */
        int beyond;
        if (t <= 0) {
            beyond = classify(dot64(m, m), q);
        } else if (t >= uu) {
            beyond = classify(dot64(end, end), q);
        } else {
            beyond = classify_wide(i128_square(s), i128_mul(q, uu)); /* below 2^125 */
        }
        if (beyond == FXS_OVERLAPPING) {
            return beyond;
        }
        found = is_outside ? max_int(found, beyond) : beyond;
        is_outside = 1;
    }
    return is_outside ? found : classify(0, q);
}

/* Against a box, whose frame has the direction dir; all Q.46: l below 2^62, H at most 2^59. */
static int box_polygon(const polygon *p, const posed *box) {
    const planar dir = direction_of_posed(box),
                 H = {box->size[0] * Q30_ONE, box->size[2] * Q30_ONE};
    int64_t least_x = INT64_MAX, least_z = INT64_MAX, most_x = -INT64_MAX, most_z = -INT64_MAX;
    int found = FXS_OVERLAPPING;
    for (uint32_t j = 0; j < p->n; j++) {
        const planar l = turned_back(p->m[j], dir), U = turned_back(p->u[j], dir);
        least_x = min64(least_x, l.x);
        least_z = min64(least_z, l.z);
        most_x = max64(most_x, l.x);
        most_z = max64(most_z, l.z);
        const i128 limit = i128_add(i128_mul(H.x, abs64(U.z)), i128_mul(H.z, abs64(U.x)));
        found = min_int(found, classify_wide(cross_wide(U, l), limit));
    }
    found = min_int(found, min_int(classify(least_x, H.x), classify(-most_x, H.x)));
    return min_int(found, min_int(classify(least_z, H.z), classify(-most_z, H.z)));
}

/* A sector and a polygon, seen from the apex. */
typedef struct aim_at {
    const polygon *p;
    const posed *sector;
    planar v, within; /* towards the nearest point, (0, 0) inside; and to a point within */
    int nearest;      /* class of the nearest point */
} aim_at;

/* The least and the greatest cross(e, m_j); below 2^62.2. */
static void sides_of_edge(const polygon *p, planar e, int64_t *least, int64_t *most) {
    *least = INT64_MAX;
    *most = -INT64_MAX;
    for (uint32_t j = 0; j < p->n; j++) {
        const int64_t side = cross64(e, p->m[j]);
        *least = min64(*least, side);
        *most = max64(*most, side);
    }
}

/* The edge from the apex to radius along e, against the polygon. */
static int edge_polygon(const polygon *p, planar e, int64_t radius) {
    int64_t least, most;
    sides_of_edge(p, e, &least, &most);
    int found = min_int(classify(least, 0), classify(0, most));
    for (uint32_t j = 0; j < p->n && found > FXS_APART; j++) {
        const i128 inner = i128_mul(Q30_ONE, cross64(p->u[j], p->m[j]));
        const int64_t turn = cross64(p->u[j], e);
        found = min_int(found, classify_wide(inner, i128_mul(radius, max64(0, turn))));
    }
    return found;
}

static int wedge_polygon(int is_narrow, int A, int B) {
    return is_narrow ? min_int(A, B) : max_int(A, B);
}

/* FULL of the contract for the edges e1 and e2, whose wedge is at most half a turn if it is narrow.
 */
static int full_polygon(const aim_at *a, planar e1, planar e2, int is_narrow) {
    int A = sign64(cross64(e2, a->v)), B = sign64(cross64(a->v, e1)), W = FXS_APART;
    if (wedge_polygon(is_narrow, A, B) >= 0) {
        A = A != 0 ? A : sign64(cross64(e2, a->within));
        B = B != 0 ? B : sign64(cross64(a->within, e1));
        W = wedge_polygon(is_narrow, A, B) > 0 ? FXS_OVERLAPPING : FXS_TOUCHING;
    }
    const int64_t radius = a->sector->size[0];
    const int found = min_int(W, a->nearest);
    if (found == FXS_OVERLAPPING) {
        return found;
    }
    return max_int(found, max_int(edge_polygon(a->p, e1, radius), edge_polygon(a->p, e2, radius)));
}

/* FAR's class of an edge: how far along e the polygon reaches, against the inner radius i. */
static int far_along(const polygon *p, planar e, int64_t i) {
    int64_t least, most;
    sides_of_edge(p, e, &least, &most);
    if (least > 0 || most < 0) {
        return FXS_APART;
    }
    int found = FXS_OVERLAPPING;
    for (uint32_t j = 0; j < p->n; j++) {
        const int64_t turn = cross64(p->u[j], e);
        if (turn < 0) {
            const i128 inner = i128_mul(Q30_ONE, cross64(p->u[j], p->m[j]));
            found = min_int(found, classify_wide(inner, i128_mul(i, turn)));
        }
    }
    return found;
}

static int far_polygon(const aim_at *a, planar e1, planar e2) {
    const int64_t i = a->sector->size[2];
    int found = max_int(far_along(a->p, e1, i), far_along(a->p, e2, i));
    for (uint32_t j = 0; j < a->p->n; j++) {
        const planar m = a->p->m[j];
        if (cross64(e2, m) >= 0 && cross64(m, e1) >= 0) {
            found = max_int(found, classify(i * i, dot64(m, m)));
        }
    }
    return found;
}

/* FULL without the points nearer than the inner radius. */
static int ring_polygon(const aim_at *a, planar e1, planar e2) {
    return min_int(full_polygon(a, e1, e2, 1), far_polygon(a, e1, e2));
}

/* v of the contract: a way towards the nearest point. */
static planar towards_polygon(const polygon *p) {
    planar nearest = p->m[0];
    int is_outside = 0;
    for (uint32_t j = 0; j < p->n; j++) {
        const int64_t t = edge_along(p, j);
        if (edge_side(p, j) < 0) {
            is_outside = 1;
            if (t > 0 && t < dot64(p->u[j], p->u[j])) {
                const planar v = {-p->u[j].z, p->u[j].x};
                return v;
            }
        }
        if (dot64(p->m[j], p->m[j]) < dot64(nearest, nearest)) {
            nearest = p->m[j];
        }
    }
    const planar inside = {0, 0};
    return is_outside ? nearest : inside;
}

static int sector_polygon(const polygon *p, const posed *s) {
    const int64_t radius = s->size[0], i = s->size[2];
    const uint32_t yaw = s->yaw, half_angle = s->half_angle;
    const int nearest = near_polygon(p, radius * radius);
    /* An edge is longer than the radius by half a raw unit at most, so beyond 2 more no rule below
     * finds anything. */
    if (nearest == FXS_APART && near_polygon(p, (radius + 2) * (radius + 2)) == FXS_APART) {
        return FXS_APART;
    }
    if (half_angle == FXS_HALF_ANGLE_MAX) {
        int64_t farthest = 0;
        for (uint32_t j = 0; j < p->n; j++) {
            farthest = max64(farthest, dot64(p->m[j], p->m[j]));
        }
        return i == 0 ? nearest : min_int(nearest, classify(i * i, farthest));
    }
    const planar within = {p->m[0].x + p->m[1].x + p->m[2].x, p->m[0].z + p->m[1].z + p->m[2].z};
    const aim_at a = {p, s, towards_polygon(p), within, nearest};
    const planar e1 = fxs_direction_of(yaw + half_angle), e2 = fxs_direction_of(yaw - half_angle);
    if (i == 0) {
        return full_polygon(&a, e1, e2, half_angle <= 16384);
    }
    if (half_angle <= 16384) {
        return ring_polygon(&a, e1, e2);
    }
    const planar e0 = fxs_direction_of(yaw);
    return max_int(ring_polygon(&a, e0, e2), ring_polygon(&a, e1, e0));
}

int fxs_prism_contact(const posed *s, const solid *prism, const vertex *v, int64_t gap) {
    polygon p;
    fxs_polygon_of(&p, prism, v, s->x, s->z);
    const int64_t r = s->size[0], f = max64(0, gap);
    if (f > (is_round(s) ? r : 0)) {
        return FXS_APART;
    }
    switch (figure_of(s->kind)) {
    case ROUND:
        return near_polygon(&p, r * r - f * f);
    case CYLINDER:
        return min_int(classify(gap, 0), near_polygon(&p, r * r));
    case BOX:
        return min_int(classify(gap, 0), box_polygon(&p, s));
    case SECTOR:
        return min_int(classify(gap, 0), sector_polygon(&p, s));
    case FIGURE_COUNT:
        break;
    }
    return FXS_APART; /* not reached */
}
