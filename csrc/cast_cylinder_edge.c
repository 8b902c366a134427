/* Casts of a round shape against a cylinder: contacts with the edge of a lid count at multiples of
 * 2^-32. */
#include "toi.h"

/* A round shape of radius r against a cylinder of radius R. At times k / 2^32, all in 2^-32 raw
 * units; in the interval |x|, |z| <= R + r < 2^62 and the vertical gap f <= r < 2^61. */
typedef struct lid_edge {
    int64_t p[3], m[3]; /* these, the heights and the sizes in raw units */
    heights meet;
    int64_t R, r;
} lid_edge;

#define EDGE_STEPS ((int64_t)1 << 32) /* in a whole motion */

/* 2^32 p + k m, known to be below 2^63; the terms alone may be above. */
static int64_t lid_edge_coordinate(int64_t p, int64_t m, int64_t k) {
    uint64_t sum = ((uint64_t)p << 32) + (uint64_t)m * (uint64_t)k;
    return sum <= INT64_MAX ? (int64_t)sum : -(int64_t)~sum - 1;
}

/* Where the round shape is at k / 2^32, and its vertical gap f there. */
typedef struct lid_edge_point {
    int64_t x, y, z, f;
} lid_edge_point;

static lid_edge_point lid_edge_at(const lid_edge *s, int64_t k) {
    lid_edge_point at;
    at.x = lid_edge_coordinate(s->p[0], s->m[0], k);
    at.y = lid_edge_coordinate(s->p[1], s->m[1], k);
    at.z = lid_edge_coordinate(s->p[2], s->m[2], k);
    FXS_ASSERT(k >= 0 && k <= EDGE_STEPS);
    at.f = max64(0, at.y < 0 ? s->meet.low * EDGE_STEPS - at.y : at.y - s->meet.high * EDGE_STEPS);
    return at;
}

/* The square of its planar distance from the cylinder's axis. */
static i128 lid_edge_square(const lid_edge_point *at) {
    return i128_add(i128_square(at->x), i128_square(at->z));
}

/* The contact at k / 2^32. D2 < 2^125, so L^2 < 2^250 and 4 R^2 q < 2^246. */
static int lid_edge_contact(const lid_edge *s, int64_t k) {
    const lid_edge_point at = lid_edge_at(s, k);
    int64_t r = s->r * EDGE_STEPS;
    int64_t R = s->R * EDGE_STEPS;
    i128 q = i128_mul(r - at.f, r + at.f);
    i128 beyond = i128_sub(lid_edge_square(&at), i128_square(R));
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
    FXS_ASSERT(i128_sign(U) > 0 && i128_sign(V) > 0 && R >= 0);
    i128 rest = i128_sub(D2, i128_square(root));
    i128 one = i128_of(1);
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
static int lid_edge_slope(const lid_edge *s, int64_t k) {
    const lid_edge_point at = lid_edge_at(s, k);
    int64_t R = s->R * EDGE_STEPS;
    i128 D2 = lid_edge_square(&at);
    i128 V = i128_add(i128_mul(at.x, s->m[0]), i128_mul(at.z, s->m[2]));
    i128 rise = i128_mul(at.f, at.y < 0 ? -s->m[1] : s->m[1]);
    i128 U = i128_add(rise, V);
    if (i128_cmp(D2, i128_square(R)) <= 0) {
        return i128_sign(rise);
    }
    int sign_U = i128_sign(U);
    int sign_V = i128_sign(V);
    if (sign_U * sign_V <= 0) {
        return sign_U ? sign_U : -sign_V;
    }
    return sign_U * surd_sign(D2, i128_abs(U), R, i128_abs(V));
}

/* Whether a plane that faces the round shape at k / 2^32 keeps it off the cylinder from `first` to
 * `last`. A proof by any direction holds. The shapes reach r * |u| + R * |u.x, u.z| + h * |u.y|
 * along u; of u towards the place at k on the nearest part of the cylinder, times rho, 28 bits are
 * kept. |u.D|, |u.M| < 2^61.2, the reach below 2^60. */
static int lid_edge_clears(const lid_edge *s, int64_t k, int64_t first, int64_t last) {
    const lid_edge_point at = lid_edge_at(s, k);
    int64_t rho = isqrt128(lid_edge_square(&at));
    int64_t E = max64(0, rho - s->R * EDGE_STEPS);
    i128 along[3] = {i128_mul(abs64(at.x), E), i128_mul(at.f, rho), i128_mul(abs64(at.z), E)};
    int32_t shift = 0;
    for (int i = 0; i < 3; i++) {
        shift = max_int(shift, (int32_t)i128_bits(along[i]) - 28);
    }
    int64_t u[3];
    int64_t sign[3] = {at.x, at.y, at.z};
    int64_t uD = 0;
    int64_t uM = 0;
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
    i128 limit = i128_mul(reach - uD, EDGE_STEPS);
    return i128_cmp(i128_mul(uM, first), limit) > 0 && i128_cmp(i128_mul(uM, last), limit) > 0;
}

/* A k of first..last whose contact is >= when, or NONE. The distance is convex: it is least beside
 * the change of its slope's sign. */
static int64_t lid_edge_find(const lid_edge *s, int64_t first, int64_t last, int when) {
    if (first > last) {
        return NONE;
    }
    if (lid_edge_contact(s, first) >= when) {
        return first;
    }
    if (lid_edge_contact(s, last) >= when) {
        return last;
    }
    if (lid_edge_slope(s, first) >= 0 || lid_edge_slope(s, last) <= 0) {
        return NONE;
    }
    for (uint32_t i = 1; last - first > 1; i++) {
        int64_t middle = first + (last - first) / 2;
        if (lid_edge_contact(s, middle) >= when) {
            return middle;
        }
        if ((i & (i - 1)) == 0 &&
            lid_edge_clears(s, middle, first, last)) { /* rarely: a wide interval decides little */
            return NONE;
        }
        *(lid_edge_slope(s, middle) < 0 ? &first : &last) = middle;
    }
    return NONE;
}

/* The fraction at which the round shape is first beside the cylinder (f = 0), its planar distance
 * being k's; NONE if it is never. There f = 0 counts at the very ends of the slab, so the slab is
 * closed even when the disc is open. */
static int32_t contact_beside(gap_distance *k, const axis *upright, heights meet, interval64 w,
                              int when) {
    if (!fxs_clip(&w, upright, meet.low, meet.high) || !fxs_interval64_holds(&w, FXS_TOUCHING)) {
        return NONE;
    }
    return fxs_first_contact(k, &w, worth_for(when));
}

/* A fraction at or after the first contact at a multiple of 2^-32 from `start` to `end`; NONE if
 * there is none. Where the planar gap_distance k is never R + r, there is none. */
static int32_t any_contact_at_edge(const lid_edge *s, gap_distance *k, const interval64 *w,
                                   int64_t start, int64_t end, int when) {
    k->r = s->R + s->r;
    if (fxs_first_contact(k, w, worth_for(FXS_TOUCHING)) < 0) {
        return NONE;
    }
    const int64_t found = lid_edge_find(s, start, end, when);
    return found < 0 ? NONE : (int32_t)(found / WHOLE);
}

/* All times from the first contact to the known one, `first`, are contacts: the least fraction
 * from `low` on whose last multiple of 2^-32 is a contact. */
static int32_t first_fraction(const lid_edge *s, int32_t low, int32_t first, int when) {
    while (low < first) {
        const int32_t middle = low + (first - low) / 2;
        if (lid_edge_contact(s, (int64_t)(middle + 1) * WHOLE - 1) >= when) {
            first = middle;
        } else {
            low = middle + 1;
        }
    }
    return first;
}

/* Contacts count at real times at which the round shape is beside the cylinder (f = 0) or over a
 * lid (rho <= R), two cylinders' worth of places; elsewhere at multiples of 2^-32. */
int32_t fxs_cylinder_edge_cast(const axis *axes, const int64_t *p, const int64_t *m, int64_t r,
                               int64_t R, heights meet, interval64 w, int when) {
    gap_distance k = {{axes[0], axes[2]}, 2, 1, R + r, 0};
    int32_t first = contact_beside(&k, axes + 1, m[1] < 0 ? mirrored(meet) : meet, w, when);
    /* Before a root the planar distance is too large for any contact. */
    if (first == 0 || (first > 0 && k.by_root)) {
        return first;
    }
    /* Over a lid rho = R counts, so the disc is closed even when the slab is open; the contacts
     * that this leaves to the ends of the motion are at multiples of 2^-32. */
    k.r = R;
    const int32_t lid = fxs_first_contact(&k, &w, AT_TANGENT | worth_for(when));
    if (lid == 0 || (lid > 0 && !k.by_root)) { /* before it the vertical gap is too large */
        return lid;
    }
    if (first < 0 || (lid >= 0 && lid < first)) {
        first = lid;
    }
    const lid_edge s = {{p[0], p[1], p[2]}, {m[0], m[1], m[2]}, meet, R, r};
    FXS_ASSERT(r > 0 && R > 0);
    const int64_t start = (w.in.n * EDGE_STEPS + w.in.d - 1) / w.in.d; /* n <= d < 2^30 */
    const int64_t end = w.out.n * EDGE_STEPS / w.out.d;
    if (first < 0) {
        first = any_contact_at_edge(&s, &k, &w, start, end, when);
    }
    FXS_ASSERT(first >= NONE && first <= WHOLE);
    return first < 0 ? NONE : first_fraction(&s, (int32_t)(start / WHOLE), first, when);
}
