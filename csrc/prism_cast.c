/* When a shape that moves straight first meets a prism of a level, exact (docs/contract.md,
 * Levels).
 *
 * The places of the shape that touch the prism are a convex set, so the times of contact are one
 * interval. The set is a union of simple pieces. For a ball or capsule of radius r: the prism with
 * all that is at most r above and below it, balls about the vertices of both lids, cylinders about
 * the edges of both lids and about the upright edges, and a slab on each face. Each piece is a span
 * of time (linear bounds) and at most one quadratic that must fall to 0; the first time of any
 * piece is the first of all. For a box all bounds are linear.
 *
 * Magnitudes. The swept bounds meet, so a vertex is below 2^31.1 from the centre on each axis; the
 * motion is below 2^29 on each axis, u below 2^30. */
#include "cast.h"
#include "wide256.h"

/* The time n / d, 0 <= n <= d; below 2^62 where a parabola looks at it, below 2^123 for a box. */
typedef struct instant {
    i128 n, d;
} instant;

/* The sign of a - b. */
static int instant_order(instant a, instant b) {
    return i256_sign(i256_add(i256_mul(a.n, b.d), i256_neg(i256_mul(b.n, a.d))));
}

/* floor(65536 * t), a digit at a time. */
static int32_t instant_fraction(instant t) {
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
typedef struct span_of_time {
    instant in, out;
    int is_empty;
    int slides; /* a strict bound is met with equality all the time */
} span_of_time;

static span_of_time whole_motion(void) {
    const instant start = {i128_of(0), i128_of(1)}, end = {i128_of(1), i128_of(1)};
    const span_of_time w = {start, end, 0, 0};
    return w;
}

/* Narrows the span_of_time to c + t * m <= 0. */
static void bound(span_of_time *w, i128 c, i128 m, int is_strict) {
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
        const instant in = {c, i128_neg(m)};
        w->in = instant_order(in, w->in) > 0 ? in : w->in;
    } else if (rises > 0 && i128_sign(sum) > 0) {
        const instant out = {i128_neg(c), m};
        w->out = instant_order(out, w->out) < 0 ? out : w->out;
    }
}

static void bound64(span_of_time *w, int64_t c, int64_t m, int is_strict) {
    bound(w, i128_of(c), i128_of(m), is_strict);
}

static int holds(const span_of_time *w) {
    return !w->is_empty && instant_order(w->in, w->out) <= 0;
}

/* Whether some time is inside all bounds, for bounds that are all strict. */
static int holds_strictly(const span_of_time *w) {
    return !w->is_empty && !w->slides && instant_order(w->in, w->out) < 0;
}

/* What is found: the fraction of the first contact or NONE, and whether anything overlaps. */
typedef struct finding {
    int32_t fraction;
    int overlaps;
} finding;

static void found_at(finding *f, int32_t fraction, int overlaps) {
    f->fraction = f->fraction == NONE || fraction < f->fraction ? fraction : f->fraction;
    f->overlaps |= overlaps;
}

/* ---- quadratics ---- */

/* a t^2 + 2 b t + c; a below 2^121, b below 2^123, c below 2^125. Contact is where it is at most 0.
 */
typedef struct parabola {
    i128 a, b, c;
} parabola;

/* Adds s^2 for s = s0 + t * sm, below 2^62.2. */
static void add_square(parabola *q, int64_t s0, int64_t sm) {
    q->a = i128_add(q->a, i128_square(sm));
    q->b = i128_add(q->b, i128_mul(s0, sm));
    q->c = i128_add(q->c, i128_square(s0));
}

/* Adds k * g^2 for g = g0 + t * gm, at most 2^30 each; k < 2^61. */
static void add_gap(parabola *q, int64_t g0, int64_t gm, int64_t k) {
    q->a = i128_add(q->a, i128_mul(gm * gm, k));
    q->b = i128_add(q->b, i128_mul(g0 * gm, k));
    q->c = i128_add(q->c, i128_mul(g0 * g0, k));
}

/* Signs of the value and the slope at n / d, n <= d < 2^62: the value times d^2 is below 2^250. */
static int fall_value(const parabola *q, instant t) {
    const int64_t n = (int64_t)i128_low(t.n), d = (int64_t)i128_low(t.d);
    const i256 b = i256_mul(q->b, i128_mul(n, d));
    const i256 ends = i256_add(i256_mul(q->a, i128_square(n)), i256_mul(q->c, i128_square(d)));
    return i256_sign(i256_add(ends, i256_add(b, b)));
}
static int fall_slope(const parabola *q, instant t) {
    return i256_sign(i256_add(i256_mul(q->a, t.n), i256_mul(q->b, t.d)));
}

/* Whether k / 65536 is not after the first root. */
static int is_before_fall(const parabola *q, int32_t k) {
    const instant t = {i128_of(k), i128_of(WHOLE)};
    return fall_slope(q, t) <= 0 && fall_value(q, t) >= 0;
}

/* Finds where it is at most 0 in a span whose bounds may be met with equality. */
static void fall_to_0(finding *f, const parabola *q, const span_of_time *w) {
    if (!holds(w)) {
        return;
    }
    const int value = fall_value(q, w->in), slope = fall_slope(q, w->in);
    if (value <= 0) {
        const int falls = slope < 0 && instant_order(w->in, w->out) < 0;
        found_at(f, instant_fraction(w->in), value < 0 || falls);
        return;
    }
    if (slope >= 0) {
        return;
    }
    int least; /* sign of the least value in the span_of_time */
    if (fall_slope(q, w->out) <= 0) {
        least = fall_value(q, w->out);
    } else {
        least = i256_sign(i256_add(i256_mul(q->a, q->c), i256_neg(i256_mul(q->b, q->b))));
    }
    if (least > 0) {
        return;
    }
    int32_t low = instant_fraction(w->in), high = WHOLE; /* low is not after the root */
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if (is_before_fall(q, middle)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    found_at(f, low, least < 0);
}

/* ---- shapes ---- */

/* A ball, capsule or cylinder of radius r: the gap below its bottom or above its top is low0 + t *
 * -my or high0 + t * my. */
typedef struct swept {
    planar m;
    int64_t low0, high0, my, r;
    int is_round;
} swept;

/* Within the solid's heights, the edges of both lids counted in; for a cylinder its lids are a
 * strict bound. */
static void within_heights(span_of_time *w, const swept *a, int64_t spare, int is_strict) {
    bound64(w, a->low0 - spare, -a->my, is_strict);
    bound64(w, a->high0 - spare, a->my, is_strict);
}

/* The edge of a lid: a gap that is further from it than r all the way is left out, so that its
 * square fits. */
static void cast_lid(finding *f, const swept *a, const span_of_time *w, parabola q, int64_t gap0,
                     int64_t gap_m, int64_t k) {
    if (abs64(gap0) <= a->r + abs64(gap_m)) {
        add_gap(&q, gap0, gap_m, k);
        fall_to_0(f, &q, w);
    }
}

/* A piece whose planar distance, squared and times k, is s^2 + e^2, of which x is where it starts
 * and z how it moves: as high as the solid, and for a round shape about the edges of both lids. */
static void cast_piece(finding *f, const swept *a, const span_of_time *w, planar s, planar e,
                       int64_t k) {
    parabola q = {i128_of(0), i128_of(0), i128_neg(i128_mul(a->r * a->r, k))};
    add_square(&q, s.x, s.z);
    add_square(&q, e.x, e.z);
    span_of_time upright = *w;
    within_heights(&upright, a, 0, !a->is_round);
    if (a->is_round) {
        fall_to_0(f, &q, &upright);
        cast_lid(f, a, w, q, a->low0, -a->my, k);
        cast_lid(f, a, w, q, a->high0, a->my, k);
        return;
    }
    finding beside = {NONE, 0};
    fall_to_0(&beside, &q, &upright);
    if (beside.fraction != NONE) {
        /* The lids are strict: where the heights meet at one moment only, nothing overlaps. */
        span_of_time lids = whole_motion();
        within_heights(&lids, a, 0, 1);
        found_at(f, beside.fraction, beside.overlaps && holds_strictly(&lids));
    }
}

/* The prism itself, with all that is at most `spare` above and below it: r for a round shape, else
 * 0. */
static void cast_within(finding *f, const swept *a, const polygon *p) {
    const int64_t spare = a->is_round ? a->r : 0;
    span_of_time inside = whole_motion(), on_axis = whole_motion();
    for (uint32_t j = 0; j < p->n && !inside.is_empty; j++) {
        bound64(&inside, cross64(p->u[j], p->m[j]), -cross64(p->u[j], a->m), 0);
    }
    within_heights(&on_axis, a, spare, 1);
    within_heights(&inside, a, spare, 0);
    if (!holds(&inside)) {
        return;
    }
    /* The heights are a strict bound: they are not met at a single moment where one of them is at
     * its end. */
    int overlaps = !on_axis.slides;
    if (overlaps && instant_order(inside.in, inside.out) == 0) {
        const int64_t moment_n = (int64_t)i128_low(inside.in.n),
                      moment_d = (int64_t)i128_low(inside.in.d);
        const i128 low = i128_sub(i128_mul(a->low0 - spare, moment_d), i128_mul(a->my, moment_n));
        const i128 high = i128_add(i128_mul(a->high0 - spare, moment_d), i128_mul(a->my, moment_n));
        overlaps = i128_sign(low) < 0 && i128_sign(high) < 0;
    }
    found_at(f, instant_fraction(inside.in), overlaps);
}

static finding cast_round_or_cylinder(const placed *s, const solid *prism, const vertex *v,
                                      const int64_t *M) {
    const int64_t y_low = (int64_t)prism->y_low - s->y - s->size[1],
                  y_high = (int64_t)s->y - s->size[1] - prism->y_high;
    const swept a = {{M[0], M[2]}, y_low, y_high, M[1], s->size[0], is_round(s)};
    polygon p;
    fxs_polygon_of(&p, prism, v, s->x, s->z);
    finding f = {NONE, 0};
    cast_within(&f, &a, &p);
    for (uint32_t j = 0; j < p.n; j++) {
        const span_of_time all = whole_motion();
        const planar u = p.u[j], m = p.m[j];
        const planar x = {-m.x, a.m.x}, z = {-m.z, a.m.z}, nothing = {0, 0};
        cast_piece(&f, &a, &all, x, z, 1);
        /* The face: beside the edge, 0 <= t_j <= |u|^2, at the distance s_j / |u|. */
        const int64_t uu = dot64(u, u), along0 = -dot64(u, m), along_m = dot64(u, a.m);
        const planar side = {cross64(m, u), cross64(u, a.m)};
        span_of_time beside = whole_motion();
        bound64(&beside, -along0, -along_m, 0);
        bound64(&beside, along0 - uu, along_m, 0);
        cast_piece(&f, &a, &beside, side, nothing, uu);
    }
    return f;
}

/* All bounds are strict, and all linear: of the box's frame in Q.46, of the prism's edges in its
 * square. */
static finding cast_box_prism(const placed *s, const solid *prism, const vertex *v,
                              const int64_t *M) {
    const planar dir = direction_of_placed(s), m = {M[0], M[2]}, turned_m = turned_back(m, dir);
    const planar H = {s->size[0] * Q30_ONE, s->size[2] * Q30_ONE};
    planar least = {INT64_MAX, INT64_MAX}, most = {-INT64_MAX, -INT64_MAX};
    span_of_time w = whole_motion();
    polygon p;
    fxs_polygon_of(&p, prism, v, s->x, s->z);
    for (uint32_t j = 0; j < p.n; j++) {
        const planar l = turned_back(p.m[j], dir), U = turned_back(p.u[j], dir);
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
    const int64_t hh = s->size[1];
    bound64(&w, (int64_t)prism->y_low - s->y - hh, -M[1], 1);
    bound64(&w, (int64_t)s->y - hh - prism->y_high, M[1], 1);
    finding f = {NONE, 0};
    if (holds(&w)) {
        found_at(&f, instant_fraction(w.in), holds_strictly(&w));
    }
    return f;
}

int32_t fxs_prism_cast(const placed *s, const solid *prism, const vertex *v, const int64_t *M,
                       int when) {
    const finding f = s->kind == FXS_BOX ? cast_box_prism(s, prism, v, M)
                                         : cast_round_or_cylinder(s, prism, v, M);
    return when == FXS_OVERLAPPING && !f.overlaps ? NONE : f.fraction;
}
