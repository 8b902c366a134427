/* Casts (docs/contract.md): when a shape that moves straight first meets another, exact.
 *
 * b is held still and a moves, relative to it, from D = a - b along M, the difference of the
 * motions. The centres of a that touch b are a convex set, so the times of contact are an interval,
 * and its start is the answer. Every pair but two is an interval of time (slabs: bounds on one
 * coordinate, linear in time) and a distance (the length of the gaps on two or three axes, each
 * linear in time between the times at which it opens or closes) that is to fall to r. Two boxes
 * are slabs alone. A round shape and a cylinder are two distances and the edge of a lid, which
 * counts at multiples of 2^-32 only.
 *
 * Magnitudes. A size is below 2^29, so r, a sum of two radii, below 2^30; |M| < 2^30 on each axis;
 * once the swept bounds meet, |D| < 2^31.4 on each axis and |D.x, D.z| < 2^31.9. Planar coordinates
 * in the frame of a turned box are in Q.46, all others in raw units; the unit of a distance is 2^30
 * or 1 accordingly. */
#include "cast.h"
#include "polygon_cast.h"

static int is_quarter(planar dir) { return dir.x == 0 || dir.z == 0; }
static planar whole(planar v) { /* of Q.46 that are whole raw units */
    planar p = {v.x / Q30_ONE, v.z / Q30_ONE};
    return p;
}

static int clip_to(interval64 *w, const axis *a, int64_t limit) {
    return fxs_clip(w, a, -limit, limit);
}

/* Four planar slabs; |p| + limit < 2^61.9 + 2^60.4. */
static int32_t cast_boxes(const placed_shape *a, const placed_shape *b, planar p, planar m,
                          interval64 w, int when) {
    const planar turn = turn_between(a, b);
    const int quarters = is_quarter(direction_of(a)) && is_quarter(direction_of(b));
    const int frames = quarters ? 1 : 2; /* the axes of boxes that are parallel are the same */
    for (int i = 0; i < frames; i++) {
        const placed_shape *own = i == 0 ? b : a;
        const placed_shape *other = i == 0 ? a : b;
        planar q = turned_back(p, direction_of(own));
        planar v = turned_back(m, direction_of(own));
        planar limit = touching_boxes(own, other, turn);
        if (quarters) {
            q = whole(q);
            v = whole(v);
            limit = whole(limit);
        }
        axis x = axis_of(q.x, v.x, 0);
        axis z = axis_of(q.z, v.z, 0);
        if (!clip_to(&w, &x, limit.x) || !clip_to(&w, &z, limit.z)) {
            return NONE;
        }
    }
    return fxs_interval64_holds(&w, when) ? fxs_time64_fraction(w.in) : NONE;
}

/* Turns p and m into the frame of a box. Returns the number of their units in a raw unit. */
static int64_t to_box_frame(const placed_shape *box, planar *p, planar *m) {
    const planar dir = direction_of(box);
    *p = turned_back(*p, dir);
    *m = turned_back(*m, dir);
    if (!is_quarter(dir)) {
        return Q30_ONE;
    }
    *p = whole(*p);
    *m = whole(*m);
    return 1;
}

/* Clips to the time in which the gaps on x and z are within these. 0 if no contact can be in it. */
static int meets_in_plane(interval64 *w, axis axes[3], int64_t x, int64_t z, int when) {
    return clip_to(w, axes, x) && clip_to(w, axes + 2, z) && fxs_interval64_holds(w, when);
}

/* Heights are those of a's way up to b's. */
static int32_t cast_at_polygon(const placed_shape *a, const placed_shape *b, const int64_t *D,
                               const int64_t *M, heights meet, int when, int32_t max_fraction) {
    const planar d = {-D[0], -D[2]};
    const heights way = {meet.low - D[1], meet.high - D[1]};
    polygon p;
    polygon_of_shape(&p, b, d);
    return fxs_polygon_cast(a, &p, way, M, when, max_fraction);
}

/* D and M as above, a of the lesser class; `meet` is -h..h unless one is a cylinder of a level.
 * Fractions above `max_fraction` may be missed. */
static int32_t first_of_pair(class_pair pair, const placed_shape *a, const placed_shape *b,
                             const int64_t *D, const int64_t *M, heights meet, int when,
                             int32_t max_fraction) {
    /* The gap that touches, vertical ones included. */
    int64_t r = a->size[0] + (pair == ROUND_ROUND ? b->size[0] : 0);
    int64_t unit = 1;
    interval64 w = interval_up_to(max_fraction);
    axis axes[3];
    axes[1] = axis_of(D[1], M[1], meet.high);
    const heights on_axis = M[1] < 0 ? mirrored(meet) : meet;
    const int64_t spare = is_round(a) ? r : 0;
    /* It leaves time: the bounds are known to meet during the motion. */
    fxs_clip(&w, axes + 1, on_axis.low - spare, on_axis.high + spare);
    planar p = {D[0], D[2]};
    planar m = {M[0], M[2]};
    planar half = {0, 0};
    switch (pair) {
    case ROUND_ROUND: break;
    case ROUND_CYLINDER:
    case CYLINDER_CYLINDER:
        r += b->size[0]; /* the planar gap of a cylinder is from its axis */
        break;
    case ROUND_BOX:
    case CYLINDER_BOX:
        unit = to_box_frame(b, &p, &m);
        half.x = b->size[0] * unit;
        half.z = b->size[2] * unit;
        break;
    case BOX_BOX: return cast_boxes(a, b, p, m, w, when);
    case ANY_POLYGON:
        return POLYGON_KINDS ? cast_at_polygon(a, b, D, M, meet, when, max_fraction) : NONE;
    CASES_OF_NO_BODIES:
        return NONE; /* no cast comes here */
    }
    axes[0] = axis_of(p.x, m.x, half.x);
    axes[2] = axis_of(p.z, m.z, half.z);
    if (!meets_in_plane(&w, axes, half.x + r * unit, half.z + r * unit, when)) {
        return NONE;
    }
    if (pair == ROUND_CYLINDER) {
        return fxs_cylinder_edge_cast(axes, D, M, a->size[0], b->size[0], meet, w, when);
    }
    const axis upright = axis_of(D[1] * unit, M[1] * unit, meet.high * unit);
    gap_distance k = {{axes[0], axes[2], upright}, is_round(a) ? 3 : 2, unit == 1, r * unit, 0};
    return fxs_first_contact(&k, &w, worth_for(when));
}

/* The same in any order. */
static int32_t first_of_any(const placed_shape *a, const placed_shape *b, const int64_t *D,
                            const int64_t *M, heights meet, int when, int32_t max_fraction) {
    const pair_order order = order_of_kinds(a->kind, b->kind);
    if (!order.is_swapped) {
        return first_of_pair(order.pair, a, b, D, M, meet, when, max_fraction);
    }
    const int64_t minus_D[3] = {-D[0], -D[1], -D[2]};
    const int64_t minus_M[3] = {-M[0], -M[1], -M[2]};
    return first_of_pair(order.pair, b, a, minus_D, minus_M, mirrored(meet), when, max_fraction);
}

int32_t fxs_placed_cast(const placed_shape *a, const placed_shape *b, const int64_t *M, int when,
                        int32_t max_fraction) {
    int64_t D[3] = {(int64_t)a->x - b->x, (int64_t)a->y - b->y, (int64_t)a->z - b->z};
    if (is_beyond(D[0], M[0], (int64_t)a->extent_x + b->extent_x) ||
        is_beyond(D[1], M[1], (int64_t)a->extent_y + b->extent_y) ||
        is_beyond(D[2], M[2], (int64_t)a->extent_z + b->extent_z)) {
        return NONE;
    }
    const int64_t h = (int64_t)a->size[1] + b->size[1];
    const heights meet = {-h, h};
    return first_of_any(a, b, D, M, meet, when, max_fraction);
}

int32_t fxs_cylinder_solid_cast(const placed_shape *a, const solid *b, const vertex *centre,
                                const int64_t *M, int when, int32_t max_fraction) {
    /* Heights that the shape never reaches are cut off; the others are below 2^30.6. The least gap
     * that is left there is 1 below 0: no class of contact depends on it. */
    const int64_t half = a->size[1];
    const int64_t spare = half + (is_round(a) ? a->size[0] : 0);
    const int64_t least = a->y + min64(M[1], 0);
    const int64_t most_y = a->y + max64(M[1], 0);
    const int64_t low = max64(b->y_low, least - spare - 1);
    const int64_t high = min64(b->y_high, most_y + spare + 1);
    const int64_t middle = low + (high - low) / 2;
    const int64_t D[3] = {(int64_t)a->x - centre->x, a->y - middle, (int64_t)a->z - centre->z};
    if (low > most_y + spare || high < least - spare ||
        is_beyond(D[0], M[0], (int64_t)a->extent_x + b->radius) ||
        is_beyond(D[2], M[2], (int64_t)a->extent_z + b->radius)) {
        return NONE;
    }
    const heights meet = {low - middle - half, high - middle + half};
    const placed_shape disc = disc_of(b);
    return first_of_any(a, &disc, D, M, meet, when, max_fraction);
}

/* ---- normals ---- */

/* sgn(v) * max(0, |v| - half * 2^46) / 2^30 */
static int64_t gap_q16(i128 v, int32_t half) {
    i128 gap = i128_sub(i128_abs(v), i128_mul(half, (int64_t)1 << 46));
    int64_t e = i128_sign(gap) > 0 ? (int64_t)i128_low(i128_shr(gap, 30)) : 0;
    return i128_sign(v) < 0 ? -e : e;
}

static parting parting_of_boxes(const placed_shape *a, const placed_shape *b, planar P) {
    const planar turn = turn_between(a, b);
    parting best = {{0, 0, 0}, 0};
    i128 greatest = i128_of(0);
    for (int i = 0; i < 4; i++) {
        const placed_shape *own = i < 2 ? b : a;
        const placed_shape *other = i < 2 ? a : b;
        const planar dir = direction_of(own);
        const planar limit = touching_boxes(own, other, turn);
        const int is_x = i % 2 == 0;
        const i128 p = is_x ? dot_wide(dir, P) : cross_wide(dir, P);
        const i128 beyond = i128_sub(i128_abs(p), i128_mul(is_x ? limit.x : limit.z, WHOLE));
        if (i == 0 || i128_cmp(beyond, greatest) > 0) {
            greatest = beyond;
            best.normal = own_axis(own, is_x, i128_sign(p));
        }
    }
    /* In 2^-46 raw units; without a step of the motion it is 0 at most. */
    best.distance = i128_sign(greatest) > 0 ? (int64_t)i128_low(i128_shr(greatest, 16)) : 0;
    return best;
}

/* Of a round shape off a cylinder of this radius; P and F as below. */
static parting parting_off_cylinder(int32_t radius, planar P, int64_t F) {
    const int64_t distance = isqrt128(dot_wide(P, P));
    const int64_t gap = distance - radius * (int64_t)WHOLE;
    if (gap <= 0) {
        return fxs_unit(0, F, 0);
    }
    const int64_t x = towards_zero(i128_mul(P.x, gap), distance);
    const int64_t z = towards_zero(i128_mul(P.z, gap), distance);
    return fxs_unit(x, F, z);
}

/* Of a round shape or a cylinder off a box. */
static parting parting_off_box(const placed_shape *box, planar P, int64_t F) {
    const planar dir = direction_of(box);
    const int64_t x = gap_q16(dot_wide(dir, P), box->size[0]);
    const int64_t z = gap_q16(cross_wide(dir, P), box->size[2]);
    parting p = fxs_unit(x, F, z);
    p.normal = back(p.normal, box);
    return p;
}

/* a is of the lesser class; P = 65536 D + k M, F the vertical gap with its sign: 0 if a is not
 * round. */
static parting parting_of_pair(class_pair pair, const placed_shape *a, const placed_shape *b,
                               planar P, int64_t F) {
    switch (pair) {
    case ROUND_ROUND:
    case CYLINDER_CYLINDER:
        return without_radius(fxs_unit(P.x, F, P.z), (int64_t)a->size[0] + b->size[0]);
    case ROUND_CYLINDER: return without_radius(parting_off_cylinder(b->size[0], P, F), a->size[0]);
    case ROUND_BOX:
    case CYLINDER_BOX: return without_radius(parting_off_box(b, P, F), a->size[0]);
    case BOX_BOX: return parting_of_boxes(a, b, P);
    case ANY_POLYGON:
        if (POLYGON_KINDS) {
            const planar centre = {0, 0};
            polygon p;
            polygon_of_shape(&p, b, centre);
            return fxs_polygon_parting(a, &p, P, F);
        }
        break;
    CASES_OF_NO_BODIES:
        break; /* no cast comes here */
    }
    const parting none = {{0, 0, 0}, 0};
    return none;
}

parting fxs_pair_parting(const placed_shape *a, const placed_shape *b, planar P, int64_t F) {
    const pair_order order = order_of_kinds(a->kind, b->kind);
    if (!order.is_swapped) {
        return parting_of_pair(order.pair, a, b, P, F);
    }
    const planar minus_P = {-P.x, -P.z};
    parting p = parting_of_pair(order.pair, b, a, minus_P, -F);
    p.normal.x = -p.normal.x;
    p.normal.y = -p.normal.y;
    p.normal.z = -p.normal.z;
    return p;
}

int64_t fxs_placed_cast_normal(const placed_shape *a, const placed_shape *b, const int64_t *M,
                               int32_t k, int32_t *out) {
    parting p = {{0, 0, 0}, 0};
    if (k != 0 || fxs_placed_contact(a, b) != FXS_OVERLAPPING) {
        const planar P = {((int64_t)a->x - b->x) * WHOLE + k * M[0],
                          ((int64_t)a->z - b->z) * WHOLE + k * M[2]};
        const int64_t y = ((int64_t)a->y - b->y) * WHOLE + k * M[1];
        const int64_t gap = abs64(y) - ((int64_t)a->size[1] + b->size[1]) * WHOLE;
        if (gap >= 0 && !is_round(a) && !is_round(b)) {
            p.normal.y = sign64(y) * Q30_ONE;
            p.distance = gap * Q30_OF_STEPS;
        } else {
            p = fxs_pair_parting(a, b, P, sign64(y) * max64(0, gap));
        }
    }
    return put_parting(p, out);
}

/* Of a shape beside a prism of a level. */
static parting parting_beside_prism(const placed_shape *a, const solid *prism, const vertex *v,
                                    planar moved, int64_t F) {
    polygon p;
    fxs_polygon_of(&p, prism, v, a->x, a->z);
    return fxs_polygon_parting(a, &p, moved, F);
}

int64_t fxs_solid_cast_normal(const placed_shape *a, const solid *b, const vertex *v,
                              const int64_t *M, int32_t k, int32_t *out) {
    const planar moved = {k * M[0], k * M[2]};
    const int64_t above = WHOLE * ((int64_t)a->y - a->size[1] - b->y_high) + k * M[1];
    const int64_t below = WHOLE * ((int64_t)b->y_low - a->y - a->size[1]) - k * M[1];
    const int64_t F = max64(0, above) - max64(0, below);
    const int64_t nearest = max64(above, below);
    parting p = {{0, above >= 0 ? Q30_ONE : -Q30_ONE, 0}, 0};
    if (is_round(a) || (above < 0 && below < 0)) {
        const placed_shape disc = disc_of(b);
        const planar P = {((int64_t)a->x - v->x) * WHOLE + moved.x,
                          ((int64_t)a->z - v->z) * WHOLE + moved.z};
        p = b->code == FXS_PRISM ? parting_beside_prism(a, b, v, moved, F)
                                 : fxs_pair_parting(a, &disc, P, F);
    } else {
        p.distance = nearest * Q30_OF_STEPS;
    }
    return put_parting(p, out);
}

/* ---- of two shapes ---- */

/* No axis of a shape's bounds reaches further from its centre, however it is turned. */
static int64_t furthest(const fxs_shape *s) {
    const int64_t corners = POLYGON_KINDS >> s->kind & 1 ? FXS_SIZE_MAX : 0;
    return (int64_t)s->size[0] + s->size[1] + s->size[2] + corners + 5;
}

int32_t fxs_cast_pair(const fxs_shape *a, const fxs_pose *pose_a, const int32_t motion_a[3],
                      const fxs_shape *b, const fxs_pose *pose_b, const int32_t motion_b[3],
                      uint32_t hit_when, int32_t *fraction, int32_t normal[3]) {
    int32_t status = fxs_pair_check(a, pose_a, b, pose_b);
    if (status != FXS_OK) {
        return status;
    }
    if (!can_cast(a->kind) || !can_cast(b->kind)) {
        return FXS_E_UNDEFINED;
    }
    if (!is_motion(motion_a) || !is_motion(motion_b)) {
        return FXS_E_MOTION;
    }
    if (hit_when != FXS_TOUCHING && hit_when != FXS_OVERLAPPING) {
        return FXS_E_HIT_WHEN;
    }
    int64_t D[3] = {(int64_t)pose_a->x - pose_b->x, (int64_t)pose_a->y - pose_b->y,
                    (int64_t)pose_a->z - pose_b->z};
    int64_t M[3] = {(int64_t)motion_a[0] - motion_b[0], (int64_t)motion_a[1] - motion_b[1],
                    (int64_t)motion_a[2] - motion_b[2]};
    int64_t extent = furthest(a) + furthest(b);
    for (int i = 0; i < 3; i++) { /* before directions are worked out: most pairs are far apart */
        if (is_beyond(D[i], M[i], extent)) {
            return 0;
        }
    }
    placed_shape sa, sb;
    fxs_place_shape(&sa, a, pose_a);
    fxs_place_shape(&sb, b, pose_b);
    int32_t k = fxs_placed_cast(&sa, &sb, M, (int)hit_when, WHOLE);
    if (k == NONE) {
        return 0;
    }
    *fraction = k;
    fxs_placed_cast_normal(&sa, &sb, M, k, normal);
    return 1;
}
