/* Windows of time and distances of casts, exact. */
#include "toi.h"

int fxs_time64_order(time64 a, time64 b) {
    FXS_ASSERT(a.d > 0 && b.d > 0);
    if (((uint64_t)a.d | (uint64_t)b.d) >> 31 == 0) {
        int64_t l = a.n * b.d;
        int64_t r = b.n * a.d;
        return (l > r) - (l < r);
    }
    return i128_cmp(i128_mul(a.n, b.d), i128_mul(b.n, a.d));
}

int32_t fxs_time64_fraction(time64 t) {
    FXS_ASSERT(t.d > 0 && t.n >= 0 && t.n <= t.d);
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

int fxs_clip(interval64 *w, const axis *a, int64_t low, int64_t high) {
    FXS_ASSERT(a->m >= 0 && low <= high);
    time64 in = {low - a->p, a->m};
    time64 out = {high - a->p, a->m};
    if (in.n > a->m || out.n < 0) {
        return 0;
    }
    if (in.n > 0 && fxs_time64_order(in, w->in) > 0) {
        w->in = in;
    }
    if (out.n < a->m && fxs_time64_order(out, w->out) < 0) {
        w->out = out;
    }
    w->slides |= a->m == 0 && (in.n == 0 || out.n == 0);
    return 1;
}

int fxs_interval64_holds(const interval64 *w, int when) {
    int order = fxs_time64_order(w->in, w->out);
    return when == FXS_OVERLAPPING ? order < 0 && !w->slides : order <= 0;
}

/* The gaps at n / d, times d, and r * d: below 2^123, in raw units below 2^62. `top` are they
 * shifted right, towards zero, to less than 2^62; where that loses nothing they are all there
 * is. */
typedef struct gaps {
    i128 gap[3], limit;
    int64_t top[3], top_limit, m[3];
    int32_t shift;
    int count;
} gaps;

/* u of the gap u + t * m. */
static int64_t axis_start(const axis *a) { return a->p - a->side * a->half; }

static void gaps_at(gaps *g, const gap_distance *k, time64 t) {
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
    FXS_ASSERT(g->count <= 3);
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
    uint64_t error = 0;
    for (int i = 0; i < g->count; i++) {
        sum = i128_add(sum, i128_mul(g->top[i], g->m[i]));
        error += (uint64_t)g->m[i];
    }
    if (g->shift == 0 || i128_cmp(i128_abs(sum), i128_join(0, error)) >= 0) {
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
    i128 least = i128_of(0);
    i128 most = least;
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

/* value(t) of the gaps that are open: c below 2^124.2. Its vertex lies past the time the caller
 * stands at, where it was positive or 0 and falling; so b > 0 and c >= 0. */
static void quadratic_of(quadratic *q, const gap_distance *k) {
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
static int discriminant_sign(const gap_distance *k, const quadratic *q) {
    i256 sum = i256_mul(i128_square(k->r), q->a);
    for (int i = 1; i < k->count; i++) {
        for (int j = 0; j < i; j++) {
            const axis *a = k->axes + i;
            const axis *b = k->axes + j;
            if (a->side != 0 && b->side != 0) {
                i128 cross = i128_sub(i128_mul(axis_start(a), b->m), i128_mul(axis_start(b), a->m));
                sum = i256_add(sum, i256_neg(i256_mul(cross, cross)));
            }
        }
    }
    return i256_sign(sum);
}

/* All is in units of 2^shift, shift <= 0 for a b of fewer bits, so that 2^30 <= b < 2^31. Then b^2
 * is below 2^62 and off by less than 2^33, and a c, unless it plainly exceeds b^2, is below 2^63
 * and off by less than 2^-29 of itself and 1: b^2 - a c is known within 2^35. The root is c / (b +
 * sqrt(b^2 - a c)), at least c / 2b. Where b^2 - a c >= 2^50, the square root is off by less than
 * 2^35 / 2^26 + 1, and b and c by less than 1: in 2^-24, a root of at most 1 by less than 8.1 in
 * all, and 1 for the rounding of `fine`. */
int fxs_root_estimate(const quadratic *q, int64_t *fine) {
    int32_t bits_a = (int32_t)i128_bits(q->a);
    int32_t bits_b = (int32_t)i128_bits(q->b);
    int32_t bits_c = (int32_t)i128_bits(q->c);
    *fine = 0;
    if (bits_c != 0 &&
        bits_a + bits_c >
            2 * bits_b + 1) { /* a c >= 2^(bits_a + bits_c - 2) >= 2^(2 bits_b) > b^2 */
        return -1;
    }
    if (bits_c > bits_b + 2) { /* c > 2 b */
        return 0;
    }
    int32_t shift = bits_b - 31;
    int32_t shift_a = max_int(bits_a - 31, 0);
    int32_t shift_c = max_int(bits_c - 31, 0);
    FXS_ASSERT(i128_sign(q->b) > 0 && i128_sign(q->c) >= 0 && bits_c <= 126);
    int64_t b = leading(q->b, shift);
    FXS_ASSERT(b >> 30 == 1);
    int64_t c = leading(q->c, shift);
    int64_t ac = leading(q->a, shift_a) * leading(q->c, shift_c);
    int32_t down = 2 * shift - shift_a - shift_c;
    if (ac == 0 || down > 62) {
        ac = 0;
    } else {
        ac = down >= 0 ? ac >> down : ac << -down;
    }
    int64_t discriminant = b * b - ac;
    if (discriminant <= -((int64_t)1 << 35)) {
        return -1;
    }
    int64_t root = discriminant > 0 ? fxs_isqrt64((uint64_t)discriminant) : 0;
    *fine = c * ((int64_t)1 << 24) / (b + root); /* c < 2^33 */
    return discriminant >= (int64_t)1 << 50;
}

/* Whether fraction / 65536 is not after the first root. */
static int is_before_root(const gap_distance *k, int32_t fraction) {
    gaps g;
    time64 t = {fraction, WHOLE};
    gaps_at(&g, k, t);
    return slope_sign(&g) <= 0 && value_sign(&g) >= 0;
}

/* The fraction of the first root, which is at most 1, by the signs at the fractions about the
 * estimate. */
static int32_t root_fraction(const gap_distance *k, int64_t fine) {
    int32_t fraction = (int32_t)min64(fine >> 8, WHOLE);
    FXS_ASSERT(fraction >= 0);
    while (!is_before_root(k, fraction)) { /* 0 is not after it */
        fraction--;
    }
    while (fraction < WHOLE && is_before_root(k, fraction + 1)) {
        fraction++;
    }
    return fraction;
}

/* A piece of time, between two times at which a gap opens or closes. */
typedef struct piece {
    time64 now, next;
    axis *crossed; /* whose gap changes at the end; NULL where the interval ends */
    quadratic q;   /* of the gaps that are open */
    int estimate;  /* of its root, and where: see fxs_root_estimate */
    int64_t fine;
    int is_falling; /* at the start the distance is above r, or at it, and falls */
} piece;

enum { GOES_ON = -2 };

/* Sets the side of each gap at the start. Returns the number of open gaps. */
static int open_gaps(gap_distance *k, time64 start) {
    int gap_count = 0;
    for (int i = 0; i < k->count; i++) {
        axis *a = k->axes + i;
        if (a->half != 0) { /* |p| + half < 2^62.4, times d < 2^60.6 */
            const i128 along = i128_mul(a->m, start.n);
            const i128 from_first = i128_add(i128_mul(a->p + a->half, start.d), along);
            const i128 from_last = i128_add(i128_mul(a->p - a->half, start.d), along);
            a->side = (i128_sign(from_first) >= 0) + (i128_sign(from_last) > 0) - 1;
        }
        gap_count += a->side != 0;
    }
    return gap_count;
}

/* The end of the piece: the first change of a gap, or the end of the interval. */
static void end_piece(piece *s, gap_distance *k, time64 end) {
    s->next = end;
    s->crossed = NULL;
    for (int i = 0; i < k->count; i++) {
        axis *a = k->axes + i;
        time64 change = {a->side * a->half - a->p, a->m};
        if (a->side == 0) {
            change.n += a->half;
        }
        if (a->side <= 0 && change.n < change.d && fxs_time64_order(change, s->next) < 0) {
            s->next = change;
            s->crossed = a;
        }
    }
}

/* Most contacts that open with more than one gap are at a root well inside the piece. */
static int32_t contact_by_estimate(piece *s, gap_distance *k) {
    if (i128_sign(s->q.b) <= 0 || i128_sign(s->q.c) < 0) {
        return GOES_ON;
    }
    s->estimate = fxs_root_estimate(&s->q, &s->fine);
    if (s->estimate > 0 && is_plain(s->fine) && is_after(s->fine, s->now) &&
        is_before(s->fine, s->next)) {
        k->by_root = 1;
        return (int32_t)(s->fine >> 8);
    }
    return s->estimate < 0 && s->crossed == NULL ? NONE : GOES_ON;
}

/* Whether a time at which distance - r has this sign, and falls or ends, is a contact. */
static int is_contact(int value, int worth) {
    return value < 0 || (value == 0 && (worth & AT_ENDS));
}

static int32_t contact_at_start(piece *s, gap_distance *k, int worth) {
    gaps g;
    gaps_at(&g, k, s->now);
    const int value = value_sign(&g);
    const int slope = slope_sign(&g);
    k->by_root = 0;
    if (is_contact(value, worth)) {
        return fxs_time64_fraction(s->now);
    }
    if (slope >= 0) { /* it never falls; the distance may be r all along */
        const int is_along = value == 0 && worth == AT_TANGENT && i128_sign(s->q.a) == 0;
        return is_along ? fxs_time64_fraction(s->now) : NONE;
    }
    s->is_falling = 1;
    k->by_root = 1;
    if (s->estimate == 0) {
        s->estimate = fxs_root_estimate(&s->q, &s->fine);
    }
    return GOES_ON;
}

/* Where the distance is least within the piece. `slope`: its sign at the end. */
static int32_t contact_at_least(const piece *s, const gap_distance *k, int slope, int worth) {
    int sign = s->estimate;
    if (sign == 0) {
        sign = discriminant_sign(k, &s->q);
    }
    const int is_met_once = (worth & AT_TANGENT) && ((worth & AT_ENDS) || slope > 0);
    const int is_met = sign > 0 || (sign == 0 && is_met_once);
    return is_met ? root_fraction(k, s->fine) : NONE;
}

static int32_t contact_at_end(const piece *s, const gap_distance *k, int worth) {
    gaps g;
    gaps_at(&g, k, s->next);
    const int slope = slope_sign(&g);
    if (slope >= 0) {
        return contact_at_least(s, k, slope, worth);
    }
    const int value = s->estimate < 0 ? 1 : value_sign(&g);
    if (is_contact(value, worth)) {
        return root_fraction(k, s->fine);
    }
    return s->crossed == NULL ? NONE : GOES_ON;
}

int32_t fxs_first_contact(gap_distance *k, const interval64 *w, int worth) {
    const int gap_count = open_gaps(k, w->in);
    piece s;
    s.now = w->in;
    s.is_falling = 0;
    for (;;) {
        int32_t found = GOES_ON;
        end_piece(&s, k, w->out);
        quadratic_of(&s.q, k);
        s.estimate = 0;
        s.fine = 0;
        if (s.is_falling || gap_count > 1) {
            found = contact_by_estimate(&s, k);
        }
        if (found == GOES_ON && !s.is_falling) {
            found = contact_at_start(&s, k, worth);
        }
        if (found == GOES_ON) {
            found = contact_at_end(&s, k, worth);
        }
        FXS_ASSERT(found >= GOES_ON && found <= WHOLE);
        if (found != GOES_ON) {
            return found;
        }
        s.crossed->side++;
        FXS_ASSERT(s.crossed->side <= 1 && fxs_time64_order(s.now, s.next) <= 0);
        s.now = s.next;
    }
}
