/* The estimate that a push-out starts from (docs/contract.md): the shortest real translation that
 * ends a contact, a length L along a unit vector u:
 *
 * - discs (a sphere or capsule at its height, a cylinder): along the line of centres, L = reach -
 *   distance;
 * - box and disc: through the face that is nearest if the disc's centre is over the box or beside
 *   one face, else from the corner;
 * - boxes, a box and a prism: along the separating axis of least depth. A translation gets two
 *   convex shapes apart by crossing one edge of their Minkowski sum, and the edges of that sum have
 *   those axes for normals;
 * - disc and prism: through the nearest face, or away from the nearest point.
 *
 * Every estimate is odd in p, the vector from b's centre to a's, and sees a and b alike. L errs by
 * at most 0.61 raw units and 2^-29 L (see root_q30 and estimate_along). */
#include "push_estimate.h"
#include "wide256.h"

/* sqrt(n) * 2^30, at most 2^-31 of itself too small; 1 <= n <= 2^60. */
static int64_t root_q30(int64_t n) {
    uint64_t m = (uint64_t)n;
    uint32_t doublings = 0;
    for (; m >> 62 == 0; m <<= 2) {
        doublings++;
    }
    return (int64_t)(((uint64_t)fxs_isqrt64(m) << 30) >> doublings);
}

/* The length of v != 0 in its own unit, and its direction; both within 2^-29 of themselves. |v.x|,
 * |v.z| < 2^62. */
static push_estimate estimate_along(planar v) {
    uint64_t x = magnitude(v.x);
    uint64_t z = magnitude(v.z);
    uint32_t right = 0;
    uint32_t left = 0;
    for (; (x | z) >> 31; x >>= 1, z >>= 1) {
        right++;
    }
    for (; (x | z) >> 30 == 0; x <<= 1, z <<= 1) {
        left++;
    }
    uint64_t m = fxs_isqrt64(x * x + z * z); /* 2^30 <= m < 2^31.5 */
    push_estimate w = {{(int64_t)((x << 30) / m), (int64_t)((z << 30) / m)},
                       (int64_t)((m << right) >> left)};
    w.out.x = v.x < 0 ? -w.out.x : w.out.x;
    w.out.z = v.z < 0 ? -w.out.z : w.out.z;
    return w;
}

/* The radius that s, a sphere, capsule or cylinder, shows a prism at a vertical gap of f <
 * radius. */
static int64_t disc_radius_q30(const placed_shape *s, int64_t f) {
    int64_t r = s->size[0];
    return is_round(s) ? root_q30(r * r - f * f) : r * Q30_ONE;
}

static push_estimate estimate_of_discs(const placed_shape *a, const placed_shape *b, planar p,
                                       int64_t f) {
    int64_t sum = (int64_t)a->size[0] + b->size[0];
    int64_t reach = is_round(a) && is_round(b) ? root_q30(sum * sum - f * f)
                                               : disc_radius_q30(a, f) + disc_radius_q30(b, f);
    planar p_q30 = {p.x * Q30_ONE, p.z * Q30_ONE};
    push_estimate w = {{Q30_ONE, 0}, 0};
    if (p.x != 0 || p.z != 0) {
        w = estimate_along(p_q30);
    }
    w.length = reach - w.length;
    return w;
}

/* The sign of the larger component of v, of x if they are equal; 0 for (0, 0). */
static int heading(planar v) { return abs64(v.x) >= abs64(v.z) ? sign64(v.x) : sign64(v.z); }

/* Through one of the two faces with normal +-n: out on p's side, which is the sign of `along`,
 * p's component along n. Square to n, the side is one that turns over with p; for p = (0, 0) the
 * one towards +X or +Z, whichever is nearer. */
static push_estimate estimate_through(planar n, int64_t along, int64_t limit, planar p) {
    int side = sign64(along);
    if (side == 0) {
        side = heading(n) * (heading(p) ? heading(p) : 1);
    }
    push_estimate w = {{side * n.x, side * n.z}, limit - abs64(along)};
    return w;
}

/* The shorter one, of equal ones the one nearer to the X axis, of those the one in the quadrants
 * where x and z have one sign. */
static push_estimate better(push_estimate a, push_estimate b) {
    int64_t ax = abs64(a.out.x);
    int64_t bx = abs64(b.out.x);
    if (a.length != b.length) {
        return a.length < b.length ? a : b;
    }
    if (ax != bx) {
        return ax > bx ? a : b;
    }
    return sign64(a.out.x) * sign64(a.out.z) >= sign64(b.out.x) * sign64(b.out.z) ? a : b;
}

/* A box is symmetric about its centre, so p serves as the disc's centre from the box whichever of
 * them is a. */
static push_estimate estimate_of_box_and_disc(const placed_shape *box, const placed_shape *disc,
                                              planar p, int64_t f) {
    const int64_t radius = disc_radius_q30(disc, f);
    const int64_t half_x = box->size[0] * Q30_ONE;
    const int64_t half_z = box->size[2] * Q30_ONE;
    const planar x = direction_of(box);
    const planar z = {-x.z, x.x};
    const planar at = turned_back(p, x);
    const planar beyond = {abs64(at.x) - half_x, abs64(at.z) - half_z};
    if (beyond.x > 0 && beyond.z > 0) {
        push_estimate local = estimate_along(beyond);
        planar u = {sign64(at.x) * local.out.x, sign64(at.z) * local.out.z};
        planar world = turned(u, x); /* |world| < 2^61 */
        push_estimate w = {{world.x / Q30_ONE, world.z / Q30_ONE}, radius - local.length};
        return w;
    }
    const push_estimate by_x = estimate_through(x, at.x, half_x + radius, p);
    const push_estimate by_z = estimate_through(z, at.z, half_z + radius, p);
    if (beyond.x > 0) {
        return by_x;
    }
    return beyond.z > 0 ? by_z : better(by_x, by_z);
}

/* Through the better of a box's own axes, along which the other one touches at the limits. */
static push_estimate estimate_on_axes(const placed_shape *box, planar limit, planar p) {
    const planar x = direction_of(box);
    const planar z = {-x.z, x.x};
    const planar at = turned_back(p, x);
    return better(estimate_through(x, at.x, limit.x, p), estimate_through(z, at.z, limit.z, p));
}

static push_estimate estimate_of_boxes(const placed_shape *a, const placed_shape *b, planar p) {
    const planar turn = turn_between(a, b);
    return better(estimate_on_axes(a, touching_boxes(a, b, turn), p),
                  estimate_on_axes(b, touching_boxes(b, a, turn), p));
}

/* v / |u| in Q30, for 0 <= v < 2^65 and |u| < 2^30.5. */
static int64_t over_length_q30(i128 v, planar u) {
    const int64_t length = isqrt128(i128_mul(dot64(u, u), Q60_ONE)); /* Q30, below 2^60.6 */
    return quotient(i128_shl(v, 60), length);
}

/* Out through the face of an edge u. */
static push_estimate estimate_over(planar u, int64_t length) {
    const planar n = {u.z, -u.x};
    push_estimate w = {estimate_along(n).out, length};
    return w;
}

/* Inside, the face to which the disc's centre is nearest; outside, away from the nearest point. */
static push_estimate estimate_of_disc_and_prism(const polygon *prism, int64_t rho) {
    const planar *m = prism->m;
    const planar *u = prism->u;
    push_estimate best = {{Q30_ONE, 0}, INT64_MAX};
    uint32_t nearest = 0;
    int is_outside = 0;
    for (uint32_t j = 0; j < prism->n; j++) {
        const int64_t s = cross64(m[j], u[j]);
        const int64_t t = -dot64(u[j], m[j]);
        if (s >= 0) {
            const int64_t length = rho + over_length_q30(i128_of(s), u[j]);
            best = length < best.length ? estimate_over(u[j], length) : best;
        } else if (t > 0 && t < dot64(u[j], u[j])) {
            return estimate_over(u[j], rho - over_length_q30(i128_of(-s), u[j]));
        } else {
            is_outside = 1;
        }
        nearest = dot64(m[j], m[j]) < dot64(m[nearest], m[nearest]) ? j : nearest;
    }
    if (is_outside) {
        const planar out = {-m[nearest].x * Q30_ONE, -m[nearest].z * Q30_ONE};
        best = estimate_along(out);
        best.length = rho - best.length;
    }
    return best;
}

/* Along the axis of least depth, of the prism's edges and the box's own. */
static push_estimate estimate_of_box_and_prism(const placed_shape *box, const polygon *prism) {
    const planar *m = prism->m;
    const planar *u = prism->u;
    const planar x = direction_of(box);
    const planar z = {-x.z, x.x};
    const planar minus_x = {-x.x, -x.z};
    const planar minus_z = {-z.x, -z.z};
    const int64_t half_x = box->size[0];
    const int64_t half_z = box->size[2];
    planar least = {INT64_MAX, INT64_MAX};
    planar most = {INT64_MIN, INT64_MIN};
    push_estimate best = {{0, 0}, INT64_MAX};
    for (uint32_t j = 0; j < prism->n; j++) {
        const planar l = turned_back(m[j], x);
        const planar U = turned_back(u[j], x);
        least.x = min64(least.x, l.x);
        least.z = min64(least.z, l.z);
        most.x = max64(most.x, l.x);
        most.z = max64(most.z, l.z);
        /* Below 2^92.5, in raw units squared times 2^30. */
        const i128 reach = i128_add(i128_mul(half_x, abs64(U.z)), i128_mul(half_z, abs64(U.x)));
        const i128 depth = i128_add(i128_mul(cross64(m[j], u[j]), Q30_ONE), reach);
        const int64_t norm = isqrt128(i128_mul(dot64(u[j], u[j]), Q60_ONE));
        const int64_t length = i128_sign(depth) > 0 ? quotient(i128_shl(depth, 30), norm) : 0;
        best = length < best.length ? estimate_over(u[j], length) : best;
    }
    const push_estimate own[4] = {{x, most.x + half_x * Q30_ONE},
                                  {minus_x, half_x * Q30_ONE - least.x},
                                  {z, most.z + half_z * Q30_ONE},
                                  {minus_z, half_z * Q30_ONE - least.z}};
    for (int i = 0; i < 4; i++) {
        best = own[i].length < best.length ? own[i] : best;
    }
    return best;
}

/* Along the axis of least depth of the edges of both, p's first. */
static push_estimate estimate_of_polygons(const placed_shape *a, const polygon *p) {
    const planar centre = {0, 0};
    push_estimate best = {{0, 0}, INT64_MAX};
    polygon own;
    polygon_of_shape(&own, a, centre);
    for (uint32_t j = 0; j < p->n + own.n; j++) {
        const int is_own = j >= p->n;
        const planar u = is_own ? own.u[j - p->n] : p->u[j];
        const int64_t depth = is_own ? depth_beyond(&own, j - p->n, p) : depth_beyond(p, j, &own);
        const int64_t length = over_length_q30(i128_of(max64(0, depth)), u);
        best = length < best.length ? estimate_over(is_own ? opposite(u) : u, length) : best;
    }
    return best;
}

/* Of a pair whose second one is a POLYGON; p leads from b's centre to a's. Two of them are taken in
 * the order that p has, not that they are given in. */
static push_estimate estimate_at_polygon(const ordered *o, planar p, int64_t f) {
    const int is_swapped = o->is_swapped != 0;
    const int turns = is_swapped || (shape_class_of(o->first->kind) == POLYGON && heading(p) < 0);
    const int is_first = turns == is_swapped;
    polygon seen;
    polygon_of_shape(&seen, is_first ? o->second : o->first, turns ? p : opposite(p));
    push_estimate w = fxs_push_estimate_polygon(is_first ? o->first : o->second, &seen, f);
    w.out = turns ? opposite(w.out) : w.out;
    return w;
}

push_estimate fxs_push_estimate(const placed_shape *a, const placed_shape *b, planar p, int64_t f) {
    const ordered o = ordered_pair(a, b);
    const push_estimate none = {{Q30_ONE, 0}, 0};
    switch (o.pair) {
    case ROUND_ROUND:
    case ROUND_CYLINDER:
    case CYLINDER_CYLINDER: return estimate_of_discs(a, b, p, f);
    case ROUND_BOX:
    case CYLINDER_BOX: return estimate_of_box_and_disc(o.second, o.first, p, f);
    case BOX_BOX: return estimate_of_boxes(a, b, p);
    case ANY_POLYGON:
        if (POLYGON_KINDS) {
            return estimate_at_polygon(&o, p, f);
        }
        break;
    CASES_OF_NO_BODIES:
        break;
    }
    return none; /* not reached */
}

push_estimate fxs_push_estimate_polygon(const placed_shape *a, const polygon *p, int64_t f) {
    const push_estimate none = {{Q30_ONE, 0}, 0};
    switch (shape_class_of(a->kind)) {
    case ROUND:
    case CYLINDER: return estimate_of_disc_and_prism(p, disc_radius_q30(a, f));
    case BOX: return estimate_of_box_and_prism(a, p);
    case POLYGON:
        if (POLYGON_KINDS) {
            return estimate_of_polygons(a, p);
        }
        break;
    CASES_OF_NO_BODY:
        break;
    }
    return none; /* not reached */
}
