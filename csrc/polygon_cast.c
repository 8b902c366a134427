/* When a shape that moves straight first meets a prism, of a level or a POLYGON, exact
 * (docs/contract.md, Levels).
 *
 * The centres of the shape that touch the prism are a convex set, so the times of contact are one
 * interval. The set is a union of simple pieces. For a ball or capsule of radius r: the prism with
 * all that is at most r above and below it, balls about the vertices of both lids, cylinders about
 * the edges of both lids and about the upright edges, and a slab on each face. Each piece is a
 * interval of time (linear bounds) and at most one quadratic that must fall to 0; the first time of
 * any piece is the first of all. For a box or a POLYGON all bounds are linear.
 *
 * Magnitudes. u is below 2^30 on each axis. At a prism of a level the motion is below 2^29 on each
 * axis, and a vertex, as the swept bounds meet, below 2^31.2 from the centre. At a POLYGON the
 * motion is a difference below 2^30, and a vertex below 2^31.9 from the centre, but u is below 2^30
 * long. So cross(m, u) is below 2^62.2 for both. */
#include "polygon_cast.h"

/* The finding: the fraction of the first contact, or NONE, and whether it is the contact that is
 * asked for: any, or an overlap somewhere. Pieces met after `max_fraction` do not matter. */
typedef struct finding {
    int32_t fraction;
    int32_t max_fraction;
    int is_enough;
} finding;

static void found_at(finding *f, int32_t fraction, int overlaps) {
    FXS_ASSERT(fraction >= 0 && fraction <= WHOLE);
    if (f->fraction == NONE || fraction < f->fraction) {
        f->fraction = fraction;
    }
    f->is_enough |= overlaps;
    if (f->is_enough) {
        f->max_fraction = min_int(f->max_fraction, f->fraction);
    }
}

/* Whether no other piece can change the finding. */
static int is_settled(const finding *f) { return f->is_enough && f->fraction == 0; }

static int32_t fraction_found(const finding *f) { return f->is_enough ? f->fraction : NONE; }

/* ---- quadratics ---- */

/* Contact is where a quadratic is at most 0.
 *
 * Adds s^2 for s = s0 + t * sm. */
static void add_square(quadratic *q, int64_t s0, int64_t sm) {
    FXS_ASSERT(max64(abs64(s0), abs64(sm)) < (int64_t)5 << 60);
    q->a = i128_add(q->a, i128_square(sm));
    q->b = i128_sub(q->b, i128_mul(s0, sm));
    q->c = i128_add(q->c, i128_square(s0));
}

/* Adds k * g^2 for g = g0 + t * gm. */
static void add_gap(quadratic *q, int64_t g0, int64_t gm, int64_t k) {
    FXS_ASSERT(max64(abs64(g0), abs64(gm)) <= (int64_t)3 << 29 && k < (int64_t)1 << 61);
    q->a = i128_add(q->a, i128_mul(gm * gm, k));
    q->b = i128_sub(q->b, i128_mul(g0 * gm, k));
    q->c = i128_add(q->c, i128_mul(g0 * g0, k));
}

/* Signs of the value and the slope at t: the value times d^2 is below 2^250. */
static int quadratic_value(const quadratic *q, time64 t) {
    FXS_ASSERT(i128_bits(i128_abs(q->a)) <= 121 && i128_bits(i128_abs(q->b)) <= 123);
    FXS_ASSERT(i128_bits(i128_abs(q->c)) <= 125 && t.n >= 0 && t.d < (int64_t)1 << 62);
    if (t.n == 0) {
        return i128_sign(q->c);
    }
    const i256 squared = i256_mul(q->a, i128_square(t.n));
    const i256 linear = i256_neg(i256_mul(q->b, i128_mul(t.n, t.d)));
    const i256 constant = i256_mul(q->c, i128_square(t.d));
    return i256_sign(i256_add(i256_add(squared, constant), i256_add(linear, linear)));
}
static int quadratic_slope(const quadratic *q, time64 t) {
    const i256 at_n = i256_mul(q->a, i128_of(t.n));
    return i256_sign(i256_add(at_n, i256_neg(i256_mul(q->b, i128_of(t.d)))));
}

/* Whether k / 65536 is not after the first root. */
static int is_before_fall(const quadratic *q, int32_t k) {
    const time64 t = {k, WHOLE};
    return quadratic_slope(q, t) <= 0 && quadratic_value(q, t) >= 0;
}

/* The fraction of the first root, which is after 0 and at most 1, searched from the estimate. */
static int32_t fall_fraction(const quadratic *q, int64_t fine) {
    int32_t fraction = (int32_t)min64(fine >> 8, WHOLE);
    while (!is_before_fall(q, fraction)) {
        fraction--;
    }
    while (fraction < WHOLE && is_before_fall(q, fraction + 1)) {
        fraction++;
    }
    return fraction;
}

/* The sign of the least value from a time on where it falls, up to the end of the interval. */
static int least_value(const quadratic *q, time64 end) {
    if (quadratic_slope(q, end) <= 0) {
        return quadratic_value(q, end);
    }
    return i256_sign(i256_add(i256_mul(q->a, q->c), i256_neg(i256_mul(q->b, q->b))));
}

/* The same as fall_to_0, by exact signs throughout. */
static void fall_exactly(finding *f, const quadratic *q, const interval64 *w, int64_t fine) {
    const int value = quadratic_value(q, w->in);
    const int slope = quadratic_slope(q, w->in);
    if (value <= 0) {
        const int falls = slope < 0 && fxs_time64_order(w->in, w->out) < 0;
        found_at(f, fxs_time64_fraction(w->in), value < 0 || falls);
        return;
    }
    if (slope >= 0) {
        return;
    }
    const int least = least_value(q, w->out);
    if (least <= 0) {
        found_at(f, fall_fraction(q, fine), least < 0);
    }
}

/* Finds where the value is at most 0 in an interval whose bounds may be met with equality. Returns
 * whether it falls through 0 well inside the interval. */
static int fall_to_0(finding *f, const quadratic *q, const interval64 *w) {
    int64_t fine = 0;
    if (i128_sign(q->c) > 0) {
        if (i128_sign(q->b) <= 0) {
            return 0;
        }
        const int estimate = fxs_root_estimate(q, &fine);
        if (estimate < 0) {
            return 0;
        }
        if (estimate > 0) {
            if (fine - ROOT_ERROR >= (f->max_fraction + 1) * (int64_t)256 ||
                is_after(fine, w->out)) {
                return 0;
            }
            if (is_plain(fine) && is_after(fine, w->in) && is_before(fine, w->out)) {
                found_at(f, (int32_t)(fine >> 8), 1);
                return 1;
            }
        }
    }
    if (fxs_interval64_holds(w, FXS_TOUCHING)) {
        fall_exactly(f, q, w, fine);
    }
    return 0;
}

/* ---- round shapes and cylinders ---- */

/* A ball, capsule or cylinder of radius r. `upright`: its height, which meets the solid's from
 * meet.low to meet.high. The gap below its bottom or above its top is low0 + t * -my or high0 +
 * t * my. */
typedef struct swept {
    planar m;
    int64_t low0, high0, my, r;
    int64_t length; /* of m, rounded up: at most 2^30.6 */
    int is_round;
    axis upright;
    heights meet;
    interval64 all; /* the part of the motion that matters */
} swept;

/* Narrows the interval to the solid's heights and `spare` more; for a cylinder its lids are a
 * strict bound. */
static int within_heights(interval64 *w, const swept *a, int64_t spare) {
    return fxs_clip(w, &a->upright, a->meet.low - spare, a->meet.high + spare);
}

/* The edge of a lid, the gap to which is g0 + t * gm, added to a planar distance. Where the gap is
 * not above 0, other pieces are nearer; where it is above r, nothing is met. So |g0| <= r +
 * |gm|. */
static void fall_at_lid(finding *f, const swept *a, const interval64 *w, const quadratic *flat,
                        int64_t g0, int64_t gm, int64_t k) {
    const int64_t least = g0 + min64(gm, 0);
    const int64_t most = g0 + max64(gm, 0);
    if (most > 0 && least <= a->r) {
        quadratic q = *flat;
        add_gap(&q, g0, gm, k);
        fall_to_0(f, &q, w);
    }
}

/* A piece whose planar distance, squared and times k, less r^2 k, is `flat`: as high as the solid,
 * and for a round shape about the edges of both lids. Returns whether its upright side is met well
 * inside. */
static int fall_at_piece(finding *f, const swept *a, const interval64 *w, const quadratic *flat,
                         int64_t k) {
    interval64 upright = *w;
    int is_inside = 0;
    if (within_heights(&upright, a, 0)) {
        is_inside = fall_to_0(f, flat, &upright);
    }
    if (a->is_round && !is_inside) {
        fall_at_lid(f, a, w, flat, a->low0, -a->my, k);
        fall_at_lid(f, a, w, flat, a->high0, a->my, k);
    }
    return is_inside;
}

/* The prism itself, with all that is at most `spare` above and below it: r for a round shape, else
 * 0. A centre inside the polygon has no s_j above twice its area, 2^61. */
static void fall_within(finding *f, const swept *a, const polygon *p) {
    const int64_t spare = a->is_round ? a->r : 0;
    interval64 inside = a->all;
    interval64 on_axis = a->all;
    if (!within_heights(&on_axis, a, spare)) {
        return;
    }
    for (uint32_t j = 0; j < p->n; j++) {
        FXS_ASSERT(IS_WITHIN_BITS(p->u[j], 30));
        const int64_t s0 = cross64(p->m[j], p->u[j]);
        const int64_t sm = cross64(p->u[j], a->m);
        const axis side = axis_of(s0, sm, 0);
        const int64_t end = sm < 0 ? -((int64_t)1 << 61) : (int64_t)1 << 61;
        if (!fxs_clip(&inside, &side, min64(0, end), max64(0, end))) {
            return;
        }
    }
    within_heights(&inside, a, spare);
    if (!fxs_interval64_holds(&inside, FXS_TOUCHING)) {
        return;
    }
    /* The heights are a strict bound: they are not met at a single time where one of them is at
     * its end. */
    int overlaps = !on_axis.slides;
    if (overlaps && fxs_time64_order(inside.in, inside.out) == 0) {
        const time64 t = inside.in;
        const i128 low = i128_sub(i128_mul(a->low0 - spare, t.d), i128_mul(a->my, t.n));
        const i128 high = i128_add(i128_mul(a->high0 - spare, t.d), i128_mul(a->my, t.n));
        overlaps = i128_sign(low) < 0 && i128_sign(high) < 0;
    }
    found_at(f, fxs_time64_fraction(inside.in), overlaps);
}

/* The face on edge j: beside it, 0 <= t_j <= |u|^2, at the distance s_j / |u|. Returns whether it
 * is met from outside, well inside its bounds: the line of the face parts all that is met from all
 * before, so this is the first contact of all. */
static int fall_at_face(finding *f, const swept *a, const polygon *p, uint32_t j) {
    const planar u = p->u[j];
    const planar m = p->m[j];
    const int64_t uu = dot64(u, u);
    const int64_t along_m = dot64(u, a->m);
    const axis along = axis_of(-dot64(u, m), along_m, 0);
    interval64 beside = a->all;
    if (!fxs_clip(&beside, &along, along_m < 0 ? -uu : 0, along_m < 0 ? 0 : uu)) {
        return 0;
    }
    const int64_t s0 = cross64(m, u);
    const int64_t sm = cross64(u, a->m);
    const i128 reach = i128_mul(a->r * a->r, uu);
    const int64_t nearest = max64(min64(s0, s0 + sm), min64(0, max64(s0, s0 + sm)));
    if (i128_cmp(i128_square(nearest), reach) > 0) {
        return 0;
    }
    quadratic flat = {i128_of(0), i128_of(0), i128_neg(reach)};
    add_square(&flat, s0, sm);
    return fall_at_piece(f, a, &beside, &flat, uu) && s0 < 0;
}

/* All that is at most r from the upright edge at a vertex, m from the centre. */
static void fall_at_vertex(finding *f, const swept *a, planar m) {
    /* No further than r across the motion, and along it: below 2^62.4, r * length below 2^60. */
    const int64_t reach = a->r * a->length;
    FXS_ASSERT(IS_WITHIN_BITS(a->m, 30) && a->length < (int64_t)3 << 29);
    const int64_t start = dot64(m, a->m);
    if (abs64(cross64(m, a->m)) > reach || start < -reach || start > reach + dot64(a->m, a->m)) {
        return;
    }
    quadratic flat = {i128_of(0), i128_of(0), i128_of(-a->r * a->r)};
    add_square(&flat, -m.x, a->m.x);
    add_square(&flat, -m.z, a->m.z);
    fall_at_piece(f, a, &a->all, &flat, 1);
}

static void fall_at_prism(finding *f, const swept *a, const polygon *p) {
    fall_within(f, a, p);
    for (uint32_t j = 0; j < p->n && !is_settled(f); j++) {
        if (fall_at_face(f, a, p, j)) {
            return;
        }
    }
    for (uint32_t j = 0; j < p->n && !is_settled(f); j++) {
        fall_at_vertex(f, a, p->m[j]);
    }
}

static int32_t cast_round_or_cylinder(const placed_shape *s, const polygon *p, heights meet,
                                      const int64_t *M, int when, int32_t max_fraction) {
    const planar m = {M[0], M[2]};
    const int64_t length = (int64_t)fxs_isqrt64((uint64_t)dot64(m, m)) + 1;
    swept a = {m,
               meet.low,
               -meet.high,
               M[1],
               s->size[0],
               length,
               is_round(s),
               axis_of(0, M[1], 0),
               M[1] < 0 ? mirrored(meet) : meet,
               interval_up_to(max_fraction)};
    finding f = {NONE, max_fraction, when == FXS_TOUCHING};
    if (!a.is_round) {
        /* The lids are strict: where the heights meet at one time only, nothing overlaps. */
        interval64 lids = a.all;
        if (!within_heights(&lids, &a, 0) || !fxs_interval64_holds(&lids, when)) {
            return NONE;
        }
    }
    fall_at_prism(&f, &a, p);
    return fraction_found(&f);
}

/* ---- boxes and polygons ---- */

/* The time n / d, 0 <= n <= d, below 2^123. */
typedef struct time128 {
    i128 n, d;
} time128;

/* The sign of a - b. */
static int time128_order(time128 a, time128 b) {
    FXS_ASSERT(i128_sign(a.d) > 0 && i128_sign(b.d) > 0);
    return i256_sign(i256_add(i256_mul(a.n, b.d), i256_neg(i256_mul(b.n, a.d))));
}

/* floor(65536 * t), a digit at a time. */
static int32_t time128_fraction(time128 t) {
    FXS_ASSERT(i128_sign(t.n) >= 0 && i128_cmp(t.n, t.d) <= 0 && i128_bits(t.d) <= 123);
    int32_t k = 0;
    if (i128_cmp(t.n, t.d) == 0) {
        return WHOLE;
    }
    for (int i = 0; i < 16; i++) {
        t.n = i128_add(t.n, t.n);
        k *= 2;
        if (i128_cmp(t.n, t.d) >= 0) {
            t.n = i128_sub(t.n, t.d);
            k++;
        }
    }
    return k;
}

/* The times at which all bounds hold, closed, of 0 <= t <= 1. */
typedef struct interval128 {
    time128 in, out;
    int is_empty;
    int slides; /* a strict bound is met with equality all the time */
} interval128;

static interval128 whole_motion(void) {
    const time128 start = {i128_of(0), i128_of(1)};
    const time128 end = {i128_of(1), i128_of(1)};
    const interval128 w = {start, end, 0, 0};
    return w;
}

/* Narrows the interval128 to c + t * m <= 0. */
static void bound(interval128 *w, i128 c, i128 m, int is_strict) {
    const int rises = i128_sign(m);
    if (rises == 0) {
        w->is_empty |= i128_sign(c) > 0;
        w->slides |= is_strict && i128_sign(c) == 0;
        return;
    }
    const i128 sum = i128_add(c, m); /* the value at 1 */
    if (rises < 0 ? i128_sign(sum) > 0 : i128_sign(c) > 0) {
        w->is_empty = 1;
        return;
    }
    if (rises < 0 && i128_sign(c) > 0) {
        const time128 in = {c, i128_neg(m)};
        w->in = time128_order(in, w->in) > 0 ? in : w->in;
    } else if (rises > 0 && i128_sign(sum) > 0) {
        const time128 out = {i128_neg(c), m};
        w->out = time128_order(out, w->out) < 0 ? out : w->out;
    }
}

static void bound64(interval128 *w, int64_t c, int64_t m, int is_strict) {
    bound(w, i128_of(c), i128_of(m), is_strict);
}

static int holds(const interval128 *w) { return !w->is_empty && time128_order(w->in, w->out) <= 0; }

/* Whether some time is inside all bounds, for bounds that are all strict. */
static int holds_strictly(const interval128 *w) {
    return !w->is_empty && !w->slides && time128_order(w->in, w->out) < 0;
}

/* All bounds are strict, and all linear: of the box's frame in Q.46, of the prism's edges in its
 * square. */
static interval128 box_at_polygon(const placed_shape *s, const polygon *p, const int64_t *M) {
    const planar dir = direction_of(s);
    const planar m = {M[0], M[2]};
    const planar turned_m = turned_back(m, dir);
    const planar H = {s->size[0] * Q30_ONE, s->size[2] * Q30_ONE};
    planar least = {INT64_MAX, INT64_MAX};
    planar most = {-INT64_MAX, -INT64_MAX};
    interval128 w = whole_motion();
    for (uint32_t j = 0; j < p->n; j++) {
        const planar l = turned_back(p->m[j], dir);
        const planar U = turned_back(p->u[j], dir);
        least.x = min64(least.x, l.x);
        least.z = min64(least.z, l.z);
        most.x = max64(most.x, l.x);
        most.z = max64(most.z, l.z);
        const i128 limit = i128_add(i128_mul(H.x, abs64(U.z)), i128_mul(H.z, abs64(U.x)));
        bound(&w, i128_sub(cross_wide(U, l), limit), cross_wide(turned_m, U), 1);
    }
    bound64(&w, least.x - H.x, -turned_m.x, 1);
    bound64(&w, -most.x - H.x, turned_m.x, 1);
    bound64(&w, least.z - H.z, -turned_m.z, 1);
    bound64(&w, -most.z - H.z, turned_m.z, 1);
    return w;
}

/* q, which moves by m, is not beyond any edge of p. */
static void bound_by_edges(interval128 *w, const polygon *p, const polygon *q, planar m) {
    for (uint32_t j = 0; j < p->n; j++) {
        bound64(w, -depth_beyond(p, j, q), -cross64(p->u[j], m), 1);
    }
}

static interval128 polygon_at_polygon(const placed_shape *s, const polygon *p, const int64_t *M) {
    const planar centre = {0, 0};
    const planar m = {M[0], M[2]};
    interval128 w = whole_motion();
    polygon q;
    polygon_of_shape(&q, s, centre);
    bound_by_edges(&w, p, &q, m);
    bound_by_edges(&w, &q, p, opposite(m));
    return w;
}

/* All bounds are strict and linear: `w` has those of the plane. */
static int32_t first_in_bounds(interval128 w, heights way, int64_t m, int when) {
    bound64(&w, way.low, -m, 1);
    bound64(&w, -way.high, m, 1);
    const int is_met = when == FXS_OVERLAPPING ? holds_strictly(&w) : holds(&w);
    return is_met ? time128_fraction(w.in) : NONE;
}

int32_t fxs_polygon_cast(const placed_shape *s, const polygon *p, heights way, const int64_t *M,
                         int when, int32_t max_fraction) {
    switch (shape_class_of(s->kind)) {
    case ROUND:
    case CYLINDER: return cast_round_or_cylinder(s, p, way, M, when, max_fraction);
    case BOX: return first_in_bounds(box_at_polygon(s, p, M), way, M[1], when);
    case POLYGON:
        return POLYGON_KINDS ? first_in_bounds(polygon_at_polygon(s, p, M), way, M[1], when) : NONE;
    CASES_OF_NO_BODY:
        break; /* no cast comes here */
    }
    return NONE;
}

/* ---- normals ---- */

/* Its distance is isqrt(|u|^2 * 2^60). */
static parting outward(planar u) { return fxs_unit(u.z * WHOLE, 0, -u.x * WHOLE); }

/* Of the axis of a round shape or a cylinder whose vertical gap, with its sign, is F. */
static parting parting_off_prism(const planar *u, const planar *w, uint32_t n, int64_t F) {
    uint32_t nearest = 0;
    i128 least = i128_of(0);
    int is_outside = 0;
    for (uint32_t j = 0; j < n; j++) {
        const i128 s = cross_wide(u[j], w[j]);
        const i128 t = dot_wide(u[j], w[j]);
        const int64_t uu = dot64(u[j], u[j]);
        if (i128_sign(s) < 0) {
            is_outside = 1;
            if (i128_sign(t) > 0 && i128_cmp(t, i128_mul(WHOLE, uu)) < 0) {
                if (F == 0) {
                    parting p = outward(u[j]);
                    p.distance = towards_zero(i128_shl(i128_neg(s), 44), p.distance);
                    return p;
                }
                /* |s| / |u| is below 2^46.2, so |s| is below 2^76.7 and u * |s| below 2^107. */
                const i256 x = i256_mul(i128_of(u[j].z), s);
                const i256 z = i256_mul(i128_of(u[j].x), s);
                const i128 out_x = i128_neg(i128_join(x.word[1], x.word[0]));
                return fxs_unit(towards_zero(out_x, uu), F,
                                towards_zero(i128_join(z.word[1], z.word[0]), uu));
            }
        }
        const i128 square = dot_wide(w[j], w[j]);
        if (j == 0 || i128_cmp(square, least) < 0) {
            least = square;
            nearest = j;
        }
    }
    return is_outside ? fxs_unit(w[nearest].x, F, w[nearest].z) : fxs_unit(0, F, 0);
}

/* Of a box: of the edges and the box's own axes, the first with the greatest gap. */
static parting parting_of_box_prism(const placed_shape *s, const planar *u, const planar *w,
                                    uint32_t n) {
    const planar dir = direction_of(s);
    const int64_t halves[2] = {s->size[0], s->size[2]};
    parting best = {{0, 0, 0}, INT64_MIN};
    i128 least[2], most[2]; /* of l_j, on x and z */
    for (uint32_t j = 0; j < n; j++) {
        const planar U = turned_back(u[j], dir);
        const i128 l[2] = {i128_neg(dot_wide(dir, w[j])), cross_wide(w[j], dir)};
        for (int i = 0; i < 2; i++) {
            least[i] = j == 0 || i128_cmp(l[i], least[i]) < 0 ? l[i] : least[i];
            most[i] = j == 0 || i128_cmp(l[i], most[i]) > 0 ? l[i] : most[i];
        }
        /* cross(u, -w), below 2^77.6, times 2^44; and 2^30 * (...), below 2^90.5 * 2^30, times
         * 2^14. */
        const i128 reach =
            i128_add(i128_mul(halves[0], abs64(U.z)), i128_mul(halves[1], abs64(U.x)));
        const i256 shifted = i256_mul(cross_wide(w[j], u[j]), i128_shl(i128_of(1), 44));
        const i128 beyond =
            i128_sub(i128_join(shifted.word[1], shifted.word[0]), i128_shl(reach, 30));
        const int64_t length = isqrt128(i128_mul(dot64(u[j], u[j]), Q60_ONE));
        const int64_t gap = towards_zero(beyond, length);
        if (gap > best.distance) {
            best.normal = outward(u[j]).normal;
            best.distance = gap;
        }
    }
    for (int i = 0; i < 4; i++) {
        const int is_x = i < 2;
        const int sign = i % 2 == 0 ? 1 : -1;
        const i128 half = i128_mul(halves[i / 2], (int64_t)1 << 46);
        const i128 side = sign > 0 ? i128_neg(most[i / 2]) : least[i / 2];
        const int64_t gap = towards_zero(i128_sub(side, half), WHOLE);
        if (gap > best.distance) {
            best.normal = own_axis(s, is_x, sign);
            best.distance = gap;
        }
    }
    return best;
}

/* How far q is beyond the edge u, its centre at w from the edge's start: below 0 if it is not. q's
 * vertices are `sign` times from its centre. The products are below 2^78 * 2^44. */
static int64_t gap_beyond(planar u, planar w, int sign, const planar *m, uint32_t n) {
    i128 most = i128_of(0);
    for (uint32_t k = 0; k < n; k++) {
        const planar from = {w.x + sign * m[k].x, w.z + sign * m[k].z};
        const i128 inside = cross_wide(u, from);
        most = k == 0 || i128_cmp(inside, most) > 0 ? inside : most;
    }
    const int64_t length = isqrt128(i128_mul(dot64(u, u), Q60_ONE));
    const int64_t gap = quotient(i128_shl(i128_abs(most), 44), length);
    return i128_sign(most) < 0 ? gap : -gap;
}

/* Of a POLYGON: of the edges of the other one and its own, the first with the greatest gap. */
static parting parting_of_polygons(const placed_shape *s, const planar *u, const planar *w,
                                   uint32_t n) {
    const planar centre = {0, 0};
    parting best = {{0, 0, 0}, INT64_MIN};
    polygon own;
    polygon_of_shape(&own, s, centre);
    for (uint32_t j = 0; j < own.n; j++) {
        own.m[j].x *= WHOLE;
        own.m[j].z *= WHOLE;
    }
    for (uint32_t j = 0; j < n + own.n; j++) {
        const int is_own = j >= n;
        const planar edge = is_own ? own.u[j - n] : u[j];
        const int64_t gap = is_own ? gap_beyond(edge, opposite(own.m[j - n]), -1, w, n)
                                   : gap_beyond(edge, w[j], 1, own.m, own.n);
        if (gap > best.distance) {
            best.normal = outward(is_own ? opposite(edge) : edge).normal;
            best.distance = gap;
        }
    }
    return best;
}

parting fxs_polygon_parting(const placed_shape *a, const polygon *p, planar P, int64_t F) {
    planar w[FXS_VERTICES_MAX];
    for (uint32_t j = 0; j < p->n; j++) {
        w[j].x = P.x - WHOLE * p->m[j].x;
        w[j].z = P.z - WHOLE * p->m[j].z;
    }
    switch (shape_class_of(a->kind)) {
    case ROUND:
    case CYLINDER: break;
    case BOX: return parting_of_box_prism(a, p->u, w, p->n);
    case POLYGON:
        if (POLYGON_KINDS) {
            return parting_of_polygons(a, p->u, w, p->n);
        }
        break;
    CASES_OF_NO_BODY:
        break; /* no cast comes here */
    }
    return without_radius(parting_off_prism(p->u, w, p->n, F), a->size[0]);
}
