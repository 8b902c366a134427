/* Casts (docs/contract.md): when a shape that moves straight first meets another, exact.
 *
 * b is held still and a moves, relative to it, from D = a - b along M, the difference of the
 * motions. The places of a that touch b are a convex set, so the times of contact are one interval,
 * and its start is the answer. Every pair but two is a window of time (slabs: bounds on one
 * coordinate, linear in time) and a distance (the length of the gaps on two or three axes, each
 * linear in time between the moments at which it opens or closes) that is to fall to r: `track`
 * below. Two boxes are slabs alone. A round shape and a cylinder are two tracks and a rim, which
 * counts at multiples of 2^-32 only.
 *
 * Magnitudes. A size is below 2^29, so r, a sum of two radii, below 2^30; |M| < 2^30 on each axis;
 * once the swept bounds meet, |D| < 2^31.4 on each axis and |D.x, D.z| < 2^31.9. Planar coordinates
 * in the frame of a turned box are in Q.46, all others in raw units; the unit of a track is 2^30 or
 * 1 accordingly. */
#include "cast.h"
#include "wide256.h"

/* ---- moments ---- */

/* The time n / d, 0 <= n <= d, d > 0: d is a component of M, below 2^30, or below 2^60.6 where it
 * is turned; or a power of two. */
typedef struct moment {
    int64_t n, d;
} moment;

static int moment_order(moment a, moment b) {
    if (((uint64_t)a.d | (uint64_t)b.d) >> 31 == 0) {
        int64_t l = a.n * b.d, r = b.n * a.d;
        return (l > r) - (l < r);
    }
    return i128_cmp(i128_mul(a.n, b.d), i128_mul(b.n, a.d));
}

/* floor(65536 * t) */
static int32_t fraction_of(moment t) {
    if (t.d >> 46 == 0) {
        return (int32_t)(((uint64_t)t.n << 16) / (uint64_t)t.d);
    }
    if (t.n == t.d) {
        return WHOLE;
    }
    int32_t k = 0;
    for (int i = 0; i < 16; i++) { /* a digit at a time: n < d < 2^61 */
        t.n *= 2;
        k *= 2;
        if (t.n >= t.d) {
            t.n -= t.d;
            k++;
        }
    }
    return k;
}

/* One coordinate of a: at time t it is p + t * m; mirrored where needed, so that m >= 0. On a
 * track, its gap is what it lies beyond -half..half, on one side: -1 before, 0 within (no
 * gap), 1 past it. A half of 0 is one place: always 1, the gap signed. */
typedef struct axis {
    int64_t p, m, half;
    int side;
} axis;

static axis axis_of(int64_t p, int64_t m, int64_t half) {
    axis a = {m < 0 ? -p : p, m < 0 ? -m : m, half, 1};
    return a;
}

/* The times that a set of slabs leaves, closed; `slides` if a boundary of one is never left, so
 * that nothing overlaps. */
typedef struct window {
    moment in, out;
    int slides;
} window;

/* Narrows the window to low <= p + t * m <= high; 0 if nothing is left of 0 <= t <= 1. |p| + |low|
 * and |p| + |high| < 2^62.4. */
static int clip_between(window *w, const axis *a, int64_t low, int64_t high) {
    moment in = {low - a->p, a->m}, out = {high - a->p, a->m};
    if (in.n > a->m || out.n < 0) {
        return 0;
    }
    if (in.n > 0 && moment_order(in, w->in) > 0) {
        w->in = in;
    }
    if (out.n < a->m && moment_order(out, w->out) < 0) {
        w->out = out;
    }
    w->slides |= a->m == 0 && (in.n == 0 || out.n == 0);
    return 1;
}

static int clip(window *w, const axis *a, int64_t limit) {
    return clip_between(w, a, -limit, limit);
}

/* Whether anything that is `when` can be in the window: for OVERLAPPING an open interval has to be
 * left. */
static int window_holds(const window *w, int when) {
    int order = moment_order(w->in, w->out);
    return when == FXS_OVERLAPPING ? order < 0 && !w->slides : order <= 0;
}

/* ---- tracks ---- */

/* The distance of the two shapes, its square being the sum of the squares of the axes' gaps,
 * against r. It is convex in t. In the window each |gap| <= r on its axis, so where u + t * m is a
 * gap, |u| <= r + m < 2^61.3 and at any t of 0..1 |u + t * m| < 2^62.1. */
typedef struct track {
    axis axes[3];
    int count;
    int is_raw; /* in raw units, not in Q.46 */
    int64_t r;
    int by_root; /* out: the first contact is where the distance falls to r, not where the window
                    opens */
} track;

/* What a contact at the edge of a window, and at a single moment of least distance, is worth. */
enum { AT_ENDS = 1, AT_TANGENT = 2 };

/* The gaps at n / d, times d, and r * d: below 2^123, in raw units below 2^62. `top` are they
 * shifted right, towards zero, to less than 2^62; where that loses nothing they are all there
 * is. */
typedef struct gaps {
    i128 gap[3], limit;
    int64_t top[3], top_limit, m[3];
    int32_t shift;
    int count;
} gaps;

/* a >> shift, or a << -shift, for a >= 0 and shift > -63; known to be below 2^63. */
static int64_t leading(i128 a, int32_t shift) {
    return (int64_t)(shift >= 0 ? i128_low(i128_shr(a, (uint32_t)shift)) : i128_low(a) << -shift);
}

/* u of the gap u + t * m. */
static int64_t axis_start(const axis *a) { return a->p - a->side * a->half; }

static void gaps_at(gaps *g, const track *k, moment t) {
    g->count = 0;
    if (k->is_raw) { /* |u| < 2^31, d <= 2^30 */
        g->shift = 0;
        g->top_limit = k->r * t.d;
        for (int i = 0; i < k->count; i++) {
            const axis *a = k->axes + i;
            if (a->side != 0) {
                g->top[g->count] = axis_start(a) * t.d + a->m * t.n;
                g->m[g->count++] = a->m;
            }
        }
        return;
    }
    int32_t bits;
    g->limit = i128_mul(k->r, t.d);
    bits = (int32_t)i128_bits(g->limit);
    for (int i = 0; i < k->count; i++) {
        const axis *a = k->axes + i;
        if (a->side != 0) {
            i128 gap = i128_add(i128_mul(axis_start(a), t.d), i128_mul(a->m, t.n));
            bits = max_int(bits, (int32_t)i128_bits(i128_abs(gap)));
            g->gap[g->count] = gap;
            g->m[g->count++] = a->m;
        }
    }
    g->shift = max_int(bits - 62, 0);
    g->top_limit = leading(g->limit, g->shift);
    for (int i = 0; i < g->count; i++) {
        int64_t top = leading(i128_abs(g->gap[i]), g->shift);
        g->top[i] = i128_sign(g->gap[i]) < 0 ? -top : top;
    }
}

/* The sign of the distance's slope: of the sum of gap * m, below 3 * 2^184. Of the tops it is below
 * 3 * 2^123, and off by less than the sum of m, in units of 2^shift. */
static int slope_sign(const gaps *g) {
    i128 sum = i128_of(0);
    uint64_t slack = 0;
    for (int i = 0; i < g->count; i++) {
        sum = i128_add(sum, i128_mul(g->top[i], g->m[i]));
        slack += (uint64_t)g->m[i];
    }
    if (g->shift == 0 || i128_cmp(i128_abs(sum), i128_join(0, slack)) >= 0) {
        return i128_sign(sum);
    }
    i256 wide = {{0, 0, 0, 0}};
    for (int i = 0; i < g->count; i++) {
        wide = i256_add(wide, i256_mul(g->gap[i], i128_of(g->m[i])));
    }
    return i256_sign(wide);
}

/* The sign of distance - r: of the sum of gap^2 less limit^2, below 4 * 2^246. The squares of the
 * tops sum to less than 2^126. */
static int value_sign(const gaps *g) {
    i128 least = i128_of(0), most = least;
    for (int i = 0; i < g->count; i++) {
        least = i128_add(least, i128_square(g->top[i]));
    }
    if (g->shift == 0) {
        return i128_cmp(least, i128_square(g->top_limit));
    }
    if (g->count == 1) { /* a face of a box, where the two are most often equal */
        return i128_cmp(i128_abs(g->gap[0]), g->limit);
    }
    if (i128_cmp(least, i128_square(g->top_limit + 1)) >= 0) {
        return 1;
    }
    for (int i = 0; i < g->count; i++) {
        most = i128_add(most, i128_square(abs64(g->top[i]) + 1));
    }
    if (i128_cmp(most, i128_square(g->top_limit)) <= 0) {
        return -1;
    }
    i256 wide = i256_neg(i256_mul(g->limit, g->limit));
    for (int i = 0; i < g->count; i++) {
        wide = i256_add(wide, i256_mul(g->gap[i], g->gap[i]));
    }
    return i256_sign(wide);
}

/* value(t) = a t^2 - 2 b t + c of the gaps that are open: c below 2^124.2. Its vertex lies past the
 * moment the caller stands at, where it was positive or 0 and falling; so b > 0 and c >= 0. */
typedef struct quadratic {
    i128 a, b, c;
} quadratic;

static void quadratic_of(quadratic *q, const track *k) {
    q->a = q->b = i128_of(0);
    q->c = i128_neg(i128_square(k->r));
    for (int i = 0; i < k->count; i++) {
        const axis *a = k->axes + i;
        if (a->side != 0) {
            int64_t u = axis_start(a);
            q->a = i128_add(q->a, i128_square(a->m));
            q->b = i128_sub(q->b, i128_mul(u, a->m));
            q->c = i128_add(q->c, i128_square(u));
        }
    }
}

/* The sign of b^2 - a c = r^2 |m|^2 - |u x m|^2: each part of the cross product is below 2^123, so
 * all of it below 2^248. */
static int discriminant_sign(const track *k, const quadratic *q) {
    i256 sum = i256_mul(i128_square(k->r), q->a);
    for (int i = 1; i < k->count; i++) {
        for (int j = 0; j < i; j++) {
            const axis *a = k->axes + i, *b = k->axes + j;
            if (a->side != 0 && b->side != 0) {
                i128 cross = i128_sub(i128_mul(axis_start(a), b->m), i128_mul(axis_start(b), a->m));
                sum = i256_add(sum, i256_neg(i256_mul(cross, cross)));
            }
        }
    }
    return i256_sign(sum);
}

/* The first root, estimated from the leading 31 bits of a, b and c, for b > 0 and c >= 0: -1, no
 * root; 0, undecided; 1, it is `fine` / 2^24, within SLACK / 2^24 if it is at most 1. All is in
 * units of 2^shift, shift <= 0 for a b of fewer bits, so that 2^30 <= b < 2^31. Then b^2 is below
 * 2^62 and off by less than 2^33, and a c, unless it plainly exceeds b^2, is below 2^63 and off by
 * less than 2^-29 of itself and 1: b^2 - a c is known within 2^35. The root is c / (b + sqrt(b^2 -
 * a c)), at least c / 2b. Where b^2 - a c >= 2^50, the square root is off by less than 2^35 / 2^26
 * + 1, and b and c by less than 1: in 2^-24, a root of at most 1 by less than 8.1 in all, and 1 for
 * the rounding of `fine`. */
enum { SLACK = 10 };
static int root_estimate(const quadratic *q, int64_t *fine) {
    int32_t bits_a = (int32_t)i128_bits(q->a), bits_b = (int32_t)i128_bits(q->b),
            bits_c = (int32_t)i128_bits(q->c);
    *fine = 0;
    if (bits_c != 0 &&
        bits_a + bits_c >
            2 * bits_b + 1) { /* a c >= 2^(bits_a + bits_c - 2) >= 2^(2 bits_b) > b^2 */
        return -1;
    }
    if (bits_c > bits_b + 2) { /* c > 2 b */
        return 0;
    }
    int32_t shift = bits_b - 31, shift_a = max_int(bits_a - 31, 0),
            shift_c = max_int(bits_c - 31, 0);
    int64_t b = leading(q->b, shift), c = leading(q->c, shift),
            ac = leading(q->a, shift_a) * leading(q->c, shift_c);
    int32_t down = 2 * shift - shift_a - shift_c;
    ac = ac == 0 || down > 62 ? 0 : down >= 0 ? ac >> down : ac << -down;
    int64_t discriminant = b * b - ac;
    if (discriminant <= -((int64_t)1 << 35)) {
        return -1;
    }
    int64_t root = discriminant > 0 ? fxs_isqrt64((uint64_t)discriminant) : 0;
    *fine = c * ((int64_t)1 << 24) / (b + root); /* c < 2^33 */
    return discriminant >= (int64_t)1 << 50;
}

/* Whether fraction / 65536 is not after the first root. */
static int is_before_root(const track *k, int32_t fraction) {
    gaps g;
    moment t = {fraction, WHOLE};
    gaps_at(&g, k, t);
    return slope_sign(&g) <= 0 && value_sign(&g) >= 0;
}

/* The fraction of the first root, which is at most 1, by the signs at the fractions about the
 * estimate. */
static int32_t root_fraction(const track *k, int64_t fine) {
    int32_t fraction = (int32_t)min64(fine >> 8, WHOLE);
    while (!is_before_root(k, fraction)) { /* 0 is not after it */
        fraction--;
    }
    while (fraction < WHOLE && is_before_root(k, fraction + 1)) {
        fraction++;
    }
    return fraction;
}

/* Whether a root estimated as `fine` is surely after t, or before it; and at the fraction fine /
 * 256. */
static int is_after(int64_t fine, moment t) {
    return i128_cmp(i128_mul(fine - SLACK, t.d), i128_mul(t.n, (int64_t)1 << 24)) > 0;
}
static int is_before(int64_t fine, moment t) {
    return i128_cmp(i128_mul(fine + SLACK, t.d), i128_mul(t.n, (int64_t)1 << 24)) < 0;
}
static int is_plain(int64_t fine) { return (fine & 255) >= SLACK && (fine & 255) <= 255 - SLACK; }

/* The fraction of the first contact in the window, or NONE; `worth` of AT_ENDS and AT_TANGENT. With
 * neither, the distance must fall below r. Pieces between the moments at which a gap opens or
 * closes are walked while the distance falls. */
static int32_t first_contact(track *k, const window *w, int worth) {
    gaps g;
    int gap_count = 0, is_known = 0;
    for (int i = 0; i < k->count; i++) {
        axis *a = k->axes + i;
        if (a->half != 0) { /* |p| + half < 2^62.4, times d < 2^60.6 */
            i128 along = i128_mul(a->m, w->in.n);
            int past_start = i128_sign(i128_add(i128_mul(a->p + a->half, w->in.d), along)) >= 0;
            int past_end = i128_sign(i128_add(i128_mul(a->p - a->half, w->in.d), along)) > 0;
            a->side = past_start + past_end - 1;
        }
        gap_count += a->side != 0;
    }
    moment now = w->in;
    for (;;) {
        moment next = w->out;
        axis *crossed = NULL;
        for (int i = 0; i < k->count; i++) {
            axis *a = k->axes + i;
            moment change = {a->side * a->half - a->p, a->m};
            if (a->side == 0) {
                change.n += a->half;
            }
            if (a->side <= 0 && change.n < change.d && moment_order(change, next) < 0) {
                next = change;
                crossed = a;
            }
        }
        /* Most contacts that open with more than one gap are at a root well inside the piece. */
        quadratic q;
        int64_t fine = 0;
        int estimate = 0;
        quadratic_of(&q, k);
        if ((is_known || gap_count > 1) && i128_sign(q.b) > 0 && i128_sign(q.c) >= 0) {
            estimate = root_estimate(&q, &fine);
            if (estimate > 0 && is_plain(fine) && is_after(fine, now) && is_before(fine, next)) {
                k->by_root = 1;
                return (int32_t)(fine >> 8);
            }
            if (estimate < 0 && crossed == NULL) {
                return NONE;
            }
        }
        if (!is_known) {
            gaps_at(&g, k, now);
            int value = value_sign(&g), slope = slope_sign(&g);
            k->by_root = 0;
            if (value < 0 || (value == 0 && (worth & AT_ENDS))) {
                return fraction_of(now);
            }
            if (slope >= 0) { /* it never falls; the distance may be r all along */
                return value == 0 && worth == AT_TANGENT && i128_sign(q.a) == 0 ? fraction_of(now)
                                                                                : NONE;
            }
            is_known = 1;
            k->by_root = 1;
            if (estimate == 0) {
                estimate = root_estimate(&q, &fine);
            }
        }
        gaps_at(&g, k, next);
        int slope = slope_sign(&g);
        if (slope >= 0) {
            int sign = estimate < 0 ? -1 : estimate > 0 ? 1 : discriminant_sign(k, &q);
            return sign > 0 ||
                           (sign == 0 && (worth & AT_TANGENT) && ((worth & AT_ENDS) || slope > 0))
                       ? root_fraction(k, fine)
                       : NONE;
        }
        int value = estimate < 0 ? 1 : value_sign(&g);
        if (value < 0 || (value == 0 && (worth & AT_ENDS))) {
            return root_fraction(k, fine);
        }
        if (crossed == NULL) {
            return NONE;
        }
        crossed->side++;
        now = next;
    }
}

/* ---- a round shape against a cylinder ---- */

/* Where a shape's centre stands when its height and the other one's meet, seen from the other one's
 * centre: low <= 0 <= high. They are -h and h, the half heights added, but for a cylinder of a
 * level with its centre rounded. */
typedef struct heights {
    int64_t low, high;
} heights;

static heights mirrored(heights y) {
    heights m = {-y.high, -y.low};
    return m;
}

/* A round shape of radius r against a cylinder of radius R. At moments k / 2^32, all in 2^-32 raw
 * units; in the window |x|, |z| <= R + r < 2^62 and the vertical gap f <= r < 2^61. */
typedef struct rim {
    int64_t p[3], m[3]; /* these, the heights and the sizes in raw units */
    heights meet;
    int64_t R, r;
} rim;

#define RIM_STEPS ((int64_t)1 << 32) /* in a whole motion */

/* 2^32 p + k m, known to be below 2^63; the terms alone may be above. */
static int64_t rim_coordinate(int64_t p, int64_t m, int64_t k) {
    uint64_t sum = ((uint64_t)p << 32) + (uint64_t)m * (uint64_t)k;
    return sum <= INT64_MAX ? (int64_t)sum : -(int64_t)~sum - 1;
}

/* The vertical gap at the height y. */
static int64_t rim_gap(const rim *s, int64_t y) {
    return max64(0, y < 0 ? s->meet.low * RIM_STEPS - y : y - s->meet.high * RIM_STEPS);
}

/* The contact at k / 2^32. D2 < 2^125, so L^2 < 2^250 and 4 R^2 q < 2^246. */
static int rim_contact(const rim *s, int64_t k) {
    int64_t x = rim_coordinate(s->p[0], s->m[0], k), y = rim_coordinate(s->p[1], s->m[1], k),
            z = rim_coordinate(s->p[2], s->m[2], k);
    int64_t r = s->r * RIM_STEPS, R = s->R * RIM_STEPS, f = rim_gap(s, y);
    i128 q = i128_mul(r - f, r + f),
         beyond = i128_sub(i128_add(i128_square(x), i128_square(z)), i128_square(R));
    if (i128_sign(q) < 0 || i128_sign(beyond) <= 0) {
        return 1 + i128_sign(q);
    }
    i128 L = i128_sub(beyond, q);
    if (i128_sign(L) < 0) {
        return FXS_OVERLAPPING;
    }
    return 1 + i256_sign(i256_add(i256_mul(i128_square(2 * R), q), i256_neg(i256_mul(L, L))));
}

/* The sign of sqrt(D2) * U - R * V for D2 < 2^125, R < 2^61 and U, V > 0 below 2^94. With root =
 * floor(sqrt(D2)) and delta = R V - root U: delta < 0 makes it positive; delta >= U negative,
 * sqrt(D2) being below root + 1. Between them squares decide, (D2 - root^2) U^2 against delta (2
 * root U + delta); or, with over = (D2 - root^2) U - 2 root delta, over * U against delta^2 <
 * U^2. */
static int surd_sign(i128 D2, i128 U, int64_t R, i128 V) {
    int64_t root = isqrt128(D2);
    i128 rest = i128_sub(D2, i128_square(root)), one = i128_of(1);
    i256 delta = i256_add(i256_mul(V, i128_of(R)), i256_neg(i256_mul(U, i128_of(root))));
    if (i256_sign(delta) < 0) {
        return 1;
    }
    if (i256_sign(i256_add(delta, i256_neg(i256_mul(U, one)))) >= 0) {
        return -1;
    }
    i128 d = i128_join(delta.word[1], delta.word[0]);
    i256 over = i256_add(i256_mul(rest, U), i256_neg(i256_mul(d, i128_mul(root, 2))));
    if (i256_sign(over) < 0) {
        return -1;
    }
    if (i256_sign(i256_add(over, i256_neg(i256_mul(U, one)))) >= 0) {
        return 1;
    }
    return i256_sign(
        i256_add(i256_mul(i128_join(over.word[1], over.word[0]), U), i256_neg(i256_mul(d, d))));
}

/* The sign of the slope of the distance to the cylinder at k / 2^32. With rho = sqrt(D2) > R it is
 * that of rho * U - R * V, where V = x m.x + z m.z (below 2^94) is rho times the slope of rho, and
 * U = f f' + V. */
static int rim_slope(const rim *s, int64_t k) {
    int64_t x = rim_coordinate(s->p[0], s->m[0], k), y = rim_coordinate(s->p[1], s->m[1], k),
            z = rim_coordinate(s->p[2], s->m[2], k);
    int64_t R = s->R * RIM_STEPS, f = rim_gap(s, y);
    i128 D2 = i128_add(i128_square(x), i128_square(z)),
         V = i128_add(i128_mul(x, s->m[0]), i128_mul(z, s->m[2]));
    i128 rise = i128_mul(f, y < 0 ? -s->m[1] : s->m[1]), U = i128_add(rise, V);
    if (i128_cmp(D2, i128_square(R)) <= 0) {
        return i128_sign(rise);
    }
    int sign_U = i128_sign(U), sign_V = i128_sign(V);
    if (sign_U * sign_V <= 0) {
        return sign_U ? sign_U : -sign_V;
    }
    return sign_U * surd_sign(D2, i128_abs(U), R, i128_abs(V));
}

/* Whether a plane that faces the round shape at k / 2^32 keeps it off the cylinder all the way from
 * `first` to `last`. Any direction proves what it proves: the shapes reach r * |u| + R * |u.x, u.z|
 * + h * |u.y| along u; of u towards the place at k on the nearest part of the cylinder, times rho,
 * 28 bits are kept. |u.D|, |u.M| < 2^61.2, the reach below 2^60. */
static int rim_clears(const rim *s, int64_t k, int64_t first, int64_t last) {
    int64_t x = rim_coordinate(s->p[0], s->m[0], k), y = rim_coordinate(s->p[1], s->m[1], k),
            z = rim_coordinate(s->p[2], s->m[2], k);
    int64_t f = rim_gap(s, y), rho = isqrt128(i128_add(i128_square(x), i128_square(z)));
    int64_t E = max64(0, rho - s->R * RIM_STEPS);
    i128 along[3] = {i128_mul(abs64(x), E), i128_mul(f, rho), i128_mul(abs64(z), E)};
    int32_t shift = 0;
    for (int i = 0; i < 3; i++) {
        shift = max_int(shift, (int32_t)i128_bits(along[i]) - 28);
    }
    int64_t u[3], sign[3] = {x, y, z}, uD = 0, uM = 0;
    for (int i = 0; i < 3; i++) {
        u[i] = leading(along[i], shift);
        u[i] = sign[i] < 0 ? -u[i] : u[i];
        uD += u[i] * s->p[i];
        uM += u[i] * s->m[i];
    }
    int64_t planar_sq = u[0] * u[0] + u[2] * u[2];
    int64_t reach = s->R * ((int64_t)fxs_isqrt64((uint64_t)planar_sq) + 1) +
                    u[1] * (u[1] < 0 ? s->meet.low : s->meet.high) +
                    s->r * ((int64_t)fxs_isqrt64((uint64_t)(planar_sq + u[1] * u[1])) + 1);
    i128 limit = i128_mul(reach - uD, RIM_STEPS);
    return i128_cmp(i128_mul(uM, first), limit) > 0 && i128_cmp(i128_mul(uM, last), limit) > 0;
}

/* A k of first..last whose contact is >= when, or NONE. The distance is convex: it is least beside
 * the change of its slope's sign. */
static int64_t rim_find(const rim *s, int64_t first, int64_t last, int when) {
    if (first > last) {
        return NONE;
    }
    if (rim_contact(s, first) >= when) {
        return first;
    }
    if (rim_contact(s, last) >= when) {
        return last;
    }
    if (rim_slope(s, first) >= 0 || rim_slope(s, last) <= 0) {
        return NONE;
    }
    for (uint32_t i = 1; last - first > 1; i++) {
        int64_t middle = first + (last - first) / 2;
        if (rim_contact(s, middle) >= when) {
            return middle;
        }
        if ((i & (i - 1)) == 0 &&
            rim_clears(s, middle, first, last)) { /* rarely: a wide interval decides little */
            return NONE;
        }
        *(rim_slope(s, middle) < 0 ? &first : &last) = middle;
    }
    return NONE;
}

/* What counts: real times at which the round shape is beside the cylinder (f = 0) or over a lid
 * (rho <= R), two cylinders' worth of places; and all multiples of 2^-32, wherever they are. */
static int32_t round_cylinder(const axis *axes, const int64_t *p, const int64_t *m, int64_t r,
                              int64_t R, heights meet, window w, int when) {
    int open = when == FXS_OVERLAPPING;
    track k = {{axes[0], axes[2]}, 2, 1, R + r, 0};
    window beside = w;
    int32_t first = NONE;
    /* Beside it f = 0 counts at the very ends of the slab, so the slab is closed even when the disc
     * is open. */
    const heights on_axis = m[1] < 0 ? mirrored(meet) : meet;
    if (clip_between(&beside, axes + 1, on_axis.low, on_axis.high) &&
        window_holds(&beside, FXS_TOUCHING)) {
        first = first_contact(&k, &beside, open ? 0 : AT_ENDS | AT_TANGENT);
        if (first == 0 ||
            (first > 0 &&
             k.by_root)) { /* before it the planar distance is too large for any contact */
            return first;
        }
    }
    /* Over a lid rho = R counts, so the disc is closed even when the slab is open; what that leaves
     * to the ends of the motion is at multiples of 2^-32. */
    k.r = R;
    int32_t lid = first_contact(&k, &w, open ? AT_TANGENT : AT_ENDS | AT_TANGENT);
    if (lid == 0 || (lid > 0 && !k.by_root)) { /* before it the vertical gap is too large */
        return lid;
    }
    first = first < 0 || (lid >= 0 && lid < first) ? lid : first;
    rim s = {{p[0], p[1], p[2]}, {m[0], m[1], m[2]}, meet, R, r};
    int64_t start = (w.in.n * RIM_STEPS + w.in.d - 1) / w.in.d,
            end = w.out.n * RIM_STEPS / w.out.d; /* n <= d < 2^30 */
    if (first < 0) {
        k.r = R + r;
        if (first_contact(&k, &w, AT_ENDS | AT_TANGENT) < 0) {
            return NONE;
        }
        int64_t found = rim_find(&s, start, end, when);
        if (found < 0) {
            return NONE;
        }
        first = (int32_t)(found / WHOLE);
    }
    /* From the first contact to the one known, all is contact. The least fraction whose last
     * multiple of 2^-32 is one: */
    int32_t low = (int32_t)(start / WHOLE);
    while (low < first) {
        int32_t middle = low + (first - low) / 2;
        if (rim_contact(&s, (int64_t)(middle + 1) * WHOLE - 1) >= when) {
            first = middle;
        } else {
            low = middle + 1;
        }
    }
    return first;
}

/* ---- pairs ---- */

static int is_quarter(planar dir) { return dir.x == 0 || dir.z == 0; }
static planar whole(planar v) { /* of Q.46 that are whole raw units */
    planar p = {v.x / Q30_ONE, v.z / Q30_ONE};
    return p;
}

/* Four planar slabs; |p| + limit < 2^61.9 + 2^60.4. */
static int32_t cast_boxes(const placed *a, const placed *b, planar p, planar m, window w,
                          int when) {
    planar rel = fxs_direction_of((uint32_t)b->yaw - a->yaw);
    int64_t c = abs64(rel.x), s = abs64(rel.z);
    int quarters = is_quarter(direction_of_placed(a)) && is_quarter(direction_of_placed(b));
    for (int i = 0; i < (quarters ? 1 : 2);
         i++) { /* the axes of boxes that are parallel are the same */
        const placed *own = i == 0 ? b : a, *other = i == 0 ? a : b;
        planar q = turned_back(p, direction_of_placed(own)),
               v = turned_back(m, direction_of_placed(own)), limit;
        limit.x = own->size[0] * Q30_ONE + other->size[0] * c + other->size[2] * s;
        limit.z = own->size[2] * Q30_ONE + other->size[0] * s + other->size[2] * c;
        if (quarters) {
            q = whole(q);
            v = whole(v);
            limit = whole(limit);
        }
        axis x = axis_of(q.x, v.x, 0), z = axis_of(q.z, v.z, 0);
        if (!clip(&w, &x, limit.x) || !clip(&w, &z, limit.z)) {
            return NONE;
        }
    }
    return window_holds(&w, when) ? fraction_of(w.in) : NONE;
}

/* D and M as above, a's kind at most b's; `meet` is -h..h unless one of them is a cylinder.
 * Fractions above `most` may be missed. */
static int32_t first_of_pair(const placed *a, const placed *b, const int64_t *D, const int64_t *M,
                             heights meet, int when, int32_t most) {
    int is_round = a->kind <= FXS_CAPSULE;
    int64_t h = meet.high, unit = 1;
    int64_t r = a->size[0] + (is_round && b->kind <= FXS_CAPSULE
                                  ? b->size[0]
                                  : 0); /* the gap that touches, vertical ones included */
    window w = {{0, 1}, {1, 1}, 0};
    if (most < WHOLE) {
        w.out.n = most + 1;
        w.out.d = WHOLE;
    }
    axis axes[3];
    axes[1] = axis_of(D[1], M[1], h);
    const heights on_axis = M[1] < 0 ? mirrored(meet) : meet;
    const int64_t spare = is_round ? r : 0;
    /* It leaves time: the bounds are known to meet on the way. */
    clip_between(&w, axes + 1, on_axis.low - spare, on_axis.high + spare);
    planar p = {D[0], D[2]}, m = {M[0], M[2]}, half = {0, 0};
    if (a->kind == FXS_BOX) {
        return cast_boxes(a, b, p, m, w, when);
    }
    if (b->kind == FXS_BOX) {
        planar dir = direction_of_placed(b);
        p = turned_back(p, dir);
        m = turned_back(m, dir);
        if (is_quarter(dir)) {
            p = whole(p);
            m = whole(m);
        } else {
            unit = Q30_ONE;
        }
        half.x = b->size[0] * unit;
        half.z = b->size[2] * unit;
    } else if (b->kind == FXS_CYLINDER) {
        r += b->size[0]; /* the planar gap of a cylinder is from its axis */
    }
    axes[0] = axis_of(p.x, m.x, half.x);
    axes[2] = axis_of(p.z, m.z, half.z);
    if (!clip(&w, axes, half.x + r * unit) || !clip(&w, axes + 2, half.z + r * unit) ||
        !window_holds(&w, when)) {
        return NONE;
    }
    if (is_round && b->kind == FXS_CYLINDER) {
        return round_cylinder(axes, D, M, a->size[0], b->size[0], meet, w, when);
    }
    track k = {{axes[0], axes[2], axis_of(D[1] * unit, M[1] * unit, h * unit)},
               is_round ? 3 : 2,
               unit == 1,
               r * unit,
               0};
    return first_contact(&k, &w, when == FXS_OVERLAPPING ? 0 : AT_ENDS | AT_TANGENT);
}

/* Whether the bounds of a, which moves by M, and of b meet on the way. */
static int sweep_meets(const int64_t *D, const int64_t *M, const placed *a, const placed *b) {
    int64_t reach[3] = {(int64_t)a->reach_x + b->reach_x, (int64_t)a->reach_y + b->reach_y,
                        (int64_t)a->reach_z + b->reach_z};
    for (int i = 0; i < 3; i++) {
        if (D[i] + min64(M[i], 0) > reach[i] || D[i] + max64(M[i], 0) < -reach[i]) {
            return 0;
        }
    }
    return 1;
}

int32_t fxs_placed_cast(const placed *a, const placed *b, const int64_t *M, int when,
                        int32_t most) {
    int64_t D[3] = {(int64_t)a->x - b->x, (int64_t)a->y - b->y, (int64_t)a->z - b->z};
    if (!sweep_meets(D, M, a, b)) {
        return NONE;
    }
    const int64_t h = (int64_t)a->size[1] + b->size[1];
    const heights meet = {-h, h};
    if (a->kind <= b->kind) {
        return first_of_pair(a, b, D, M, meet, when, most);
    }
    int64_t minus_D[3] = {-D[0], -D[1], -D[2]}, minus_M[3] = {-M[0], -M[1], -M[2]};
    return first_of_pair(b, a, minus_D, minus_M, meet, when, most);
}

int32_t fxs_pillar_cast(const placed *a, const pillar *b, const int64_t *M, int when,
                        int32_t most) {
    /* What is out of the shape's reach on its way is cut off, so that heights are below 2^30.6. The
     * least gap that is left there is 1 below 0: no class of contact depends on it. */
    const int64_t half = a->size[1], spare = half + (a->kind <= FXS_CAPSULE ? a->size[0] : 0);
    const int64_t least = a->y + min64(M[1], 0), most_y = a->y + max64(M[1], 0);
    const int64_t low = max64(b->y_low, least - spare - 1),
                  high = min64(b->y_high, most_y + spare + 1);
    const int64_t middle = low + (high - low) / 2;
    const int64_t D[3] = {(int64_t)a->x - b->x, a->y - middle, (int64_t)a->z - b->z};
    const int64_t reach_x = (int64_t)a->reach_x + b->radius,
                  reach_z = (int64_t)a->reach_z + b->radius;
    if (low > most_y + spare || high < least - spare || D[0] + min64(M[0], 0) > reach_x ||
        D[0] + max64(M[0], 0) < -reach_x || D[2] + min64(M[2], 0) > reach_z ||
        D[2] + max64(M[2], 0) < -reach_z) {
        return NONE;
    }
    const heights meet = {low - middle - half, high - middle + half};
    placed disc = {0};
    disc.kind = FXS_CYLINDER;
    disc.size[0] = b->radius;
    if (a->kind <= FXS_CYLINDER) {
        return first_of_pair(a, &disc, D, M, meet, when, most);
    }
    int64_t minus_D[3] = {-D[0], -D[1], -D[2]}, minus_M[3] = {-M[0], -M[1], -M[2]};
    return first_of_pair(&disc, a, minus_D, minus_M, mirrored(meet), when, most);
}

/* The times of both views are one interval, because each of them is convex: bounds on each axis,
 * and the distance on the ground. Once they meet on the way, |D| < 2^31 on each axis. */
int32_t fxs_views_cast(const views *s, const int64_t *D, const int64_t *M, int when) {
    const int64_t limit[3] = {min64(s->half_x + s->r, s->side_x), s->half_y, s->half_z + s->r};
    window w = {{0, 1}, {1, 1}, 0};
    axis axes[3];
    for (int i = 0; i < 3; i++) {
        axes[i] = axis_of(D[i], M[i], 0);
        if (!clip(&w, axes + i, limit[i])) {
            return NONE;
        }
    }
    if (!window_holds(&w, when)) {
        return NONE;
    }
    if (s->r == 0) {
        return fraction_of(w.in);
    }
    axes[0].half = s->half_x;
    axes[2].half = s->half_z;
    track k = {{axes[0], axes[2]}, 2, 1, s->r, 0};
    return first_contact(&k, &w, when == FXS_OVERLAPPING ? 0 : AT_ENDS | AT_TANGENT);
}

/* ---- normals ----
 *
 * Taken at the fraction k, in 1/65536 raw units. The shapes are in contact less than |M| / 65536
 * later, so a gap there is at most r and a step of the motion: below 2^46.1 on each axis. It is 0
 * on all axes only of shapes that overlap. */

/* A planar direction, which may be longer than 2^30 by a little, turned by the frame's yaw. */
static vector back(vector n, const placed *frame) {
    planar v = {n.x, n.z}, dir = direction_of_placed(frame), t = turned(v, dir);
    n.x = round_q30(t.x);
    n.z = round_q30(t.z);
    return n;
}

/* x * dir.x + z * dir.z for |x|, |z| < 2^49. */
static i128 dot_wide(int64_t x, int64_t z, int64_t dir_x, int64_t dir_z) {
    return i128_add(i128_mul(x, dir_x), i128_mul(z, dir_z));
}

/* sgn(v) * max(0, |v| - half * 2^46) / 2^30 */
static int64_t gap_q16(i128 v, int32_t half) {
    i128 gap = i128_sub(i128_abs(v), i128_mul(half, (int64_t)1 << 46));
    int64_t e = i128_sign(gap) > 0 ? (int64_t)i128_low(i128_shr(gap, 30)) : 0;
    return i128_sign(v) < 0 ? -e : e;
}

static vector normal_of_boxes(const placed *a, const placed *b, const int64_t *P) {
    planar rel = fxs_direction_of((uint32_t)b->yaw - a->yaw);
    int64_t c = abs64(rel.x), s = abs64(rel.z);
    vector best = {0, 0, 0};
    i128 greatest = i128_of(0);
    for (int i = 0; i < 4; i++) {
        const placed *own = i < 2 ? b : a, *other = i < 2 ? a : b;
        planar dir = direction_of_placed(own);
        int on_x = i % 2 == 0;
        i128 p = on_x ? dot_wide(P[0], P[2], dir.x, dir.z) : dot_wide(P[0], P[2], -dir.z, dir.x);
        int64_t limit = on_x ? own->size[0] * Q30_ONE + other->size[0] * c + other->size[2] * s
                             : own->size[2] * Q30_ONE + other->size[0] * s + other->size[2] * c;
        i128 beyond = i128_sub(i128_abs(p), i128_mul(limit, WHOLE));
        if (i == 0 || i128_cmp(beyond, greatest) > 0) {
            greatest = beyond;
            vector n = {on_x ? i128_sign(p) * Q30_ONE : 0, 0, on_x ? 0 : i128_sign(p) * Q30_ONE};
            best = back(n, own);
        }
    }
    return best;
}

/* a's kind at most b's, P = 65536 D + k M, F the vertical gap with its sign: 0 if a is not round.
 */
static vector normal_beside(const placed *a, const placed *b, const int64_t *P, int64_t F) {
    const int is_round = a->kind <= FXS_CAPSULE;
    if (b->kind <= FXS_CAPSULE || (!is_round && b->kind == FXS_CYLINDER)) {
        return unit(P[0], F, P[2]);
    }
    if (b->kind == FXS_CYLINDER) {
        int64_t rho = isqrt128(i128_add(i128_square(P[0]), i128_square(P[2]))),
                E = rho - b->size[0] * (int64_t)WHOLE;
        return E <= 0 ? unit(0, F, 0) : unit(scaled(P[0], E, rho), F, scaled(P[2], E, rho));
    }
    if (a->kind == FXS_BOX) {
        return normal_of_boxes(a, b, P);
    }
    planar dir = direction_of_placed(b);
    int64_t e_x = gap_q16(dot_wide(P[0], P[2], dir.x, dir.z), b->size[0]),
            e_z = gap_q16(dot_wide(P[0], P[2], -dir.z, dir.x), b->size[2]);
    return back(unit(e_x, F, e_z), b);
}

static vector normal_of_pair(const placed *a, const placed *b, const int64_t *P) {
    int is_round = a->kind <= FXS_CAPSULE;
    int64_t h = ((int64_t)a->size[1] + b->size[1]) * WHOLE,
            F = is_round ? with_sign(max64(0, abs64(P[1]) - h), P[1]) : 0;
    if (!is_round && abs64(P[1]) >= h) {
        vector n = {0, sign64(P[1]) * Q30_ONE, 0};
        return n;
    }
    return normal_beside(a, b, P, F);
}

void fxs_pillar_cast_normal(const placed *a, const pillar *b, const int64_t *M, int32_t k,
                            int32_t *out) {
    const int64_t above = WHOLE * ((int64_t)a->y - a->size[1] - b->y_high) + k * M[1];
    const int64_t below = WHOLE * ((int64_t)b->y_low - a->y - a->size[1]) - k * M[1];
    const int64_t P[3] = {((int64_t)a->x - b->x) * WHOLE + k * M[0], 0,
                          ((int64_t)a->z - b->z) * WHOLE + k * M[2]};
    const int64_t minus_P[3] = {-P[0], 0, -P[2]};
    placed disc = {0};
    disc.kind = FXS_CYLINDER;
    disc.size[0] = b->radius;
    vector n = {0, above >= 0 ? Q30_ONE : -Q30_ONE, 0};
    if (a->kind <= FXS_CAPSULE) {
        n = normal_beside(a, &disc, P, max64(0, above) - max64(0, below));
    } else if (above < 0 && below < 0) {
        const int is_box = a->kind == FXS_BOX;
        n = is_box ? normal_beside(&disc, a, minus_P, 0) : normal_beside(a, &disc, P, 0);
        n.x = is_box ? -n.x : n.x;
        n.z = is_box ? -n.z : n.z;
    }
    out[0] = (int32_t)n.x;
    out[1] = (int32_t)n.y;
    out[2] = (int32_t)n.z;
}

void fxs_placed_cast_normal(const placed *a, const placed *b, const int64_t *M, int32_t k,
                            int32_t *out) {
    vector n = {0, 0, 0};
    if (k != 0 || fxs_placed_contact(a, b) != FXS_OVERLAPPING) {
        int64_t P[3] = {((int64_t)a->x - b->x) * WHOLE + k * M[0],
                        ((int64_t)a->y - b->y) * WHOLE + k * M[1],
                        ((int64_t)a->z - b->z) * WHOLE + k * M[2]};
        if (a->kind <= b->kind) {
            n = normal_of_pair(a, b, P);
        } else {
            int64_t minus_P[3] = {-P[0], -P[1], -P[2]};
            n = normal_of_pair(b, a, minus_P);
            n.x = -n.x;
            n.y = -n.y;
            n.z = -n.z;
        }
    }
    out[0] = (int32_t)n.x;
    out[1] = (int32_t)n.y;
    out[2] = (int32_t)n.z;
}

/* No axis of a shape's bounds reaches further from its centre, however it is turned. */
static int64_t furthest(const fxs_shape *s) {
    return (int64_t)s->size[0] + s->size[1] + s->size[2] + 5;
}

int32_t fxs_cast_pair(const fxs_shape *a, const fxs_pose *pose_a, const int32_t *motion_a,
                      const fxs_shape *b, const fxs_pose *pose_b, const int32_t *motion_b,
                      uint32_t hit_when, int32_t *fraction, int32_t *normal) {
    int32_t status = fxs_placed_check(a, pose_a);
    if (status == FXS_OK) {
        status = fxs_placed_check(b, pose_b);
    }
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
    int64_t reach = furthest(a) + furthest(b);
    for (int i = 0; i < 3; i++) { /* before directions are worked out: most pairs are far apart */
        if (D[i] + min64(M[i], 0) > reach || D[i] + max64(M[i], 0) < -reach) {
            return 0;
        }
    }
    placed sa, sb;
    fxs_placed_make(&sa, a, pose_a);
    fxs_placed_make(&sb, b, pose_b);
    int32_t k = fxs_placed_cast(&sa, &sb, M, (int)hit_when, WHOLE);
    if (k == NONE) {
        return 0;
    }
    *fraction = k;
    fxs_placed_cast_normal(&sa, &sb, M, k, normal);
    return 1;
}
