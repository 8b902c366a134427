/* Normals of casts (docs/contract.md), exact.
 *
 * Taken at the fraction k, in 1/65536 raw units. The shapes are in contact less than |M| / 65536
 * later, so a gap there is at most r and a step of the motion: below 2^46.1 on each axis. It is 0
 * on all axes only of shapes that overlap. A vertex of a prism is below 2^47.1 from the centre on
 * each axis, and the nearest point of the prism below 2^46.2. */
#include "normal.h"

/* v / d, rounded towards zero; the quotient is below 2^62. */
static int64_t towards_zero(i128 v, int64_t d) {
    const int64_t q = quotient(i128_abs(v), d);
    return i128_sign(v) < 0 ? -q : q;
}

vector fxs_unit(int64_t x, int64_t y, int64_t z) {
    const int64_t one = (int64_t)1 << 44;
    const i128 square = i128_add(i128_add(i128_square(x), i128_square(y)), i128_square(z));
    const int64_t s = isqrt128(i128_shl(square, 28)); /* below 2^61 */
    vector n = {towards_zero(i128_mul(x, one), s), towards_zero(i128_mul(y, one), s),
                towards_zero(i128_mul(z, one), s)};
    return n;
}

/* A planar direction, which may be longer than 2^30 by a little, turned by the frame's yaw. */
static vector back(vector n, const posed *frame) {
    planar v = {n.x, n.z};
    planar t = turned(v, direction_of_posed(frame));
    n.x = round_q30(t.x);
    n.z = round_q30(t.z);
    return n;
}

/* One of the axes of the frame, its sign that of `sign`. */
static vector own_axis(const posed *frame, int is_x, int sign) {
    const vector n = {is_x ? sign * Q30_ONE : 0, 0, is_x ? 0 : sign * Q30_ONE};
    return back(n, frame);
}

static i128 dot_wide(planar u, planar v) {
    return i128_add(i128_mul(u.x, v.x), i128_mul(u.z, v.z));
}

/* sgn(v) * max(0, |v| - half * 2^46) / 2^30 */
static int64_t gap_q16(i128 v, int32_t half) {
    i128 gap = i128_sub(i128_abs(v), i128_mul(half, (int64_t)1 << 46));
    int64_t e = i128_sign(gap) > 0 ? (int64_t)i128_low(i128_shr(gap, 30)) : 0;
    return i128_sign(v) < 0 ? -e : e;
}

/* ---- of pairs ---- */

static vector normal_of_boxes(const posed *a, const posed *b, planar P) {
    const planar turn = turn_between(a, b);
    vector best = {0, 0, 0};
    i128 greatest = i128_of(0);
    for (int i = 0; i < 4; i++) {
        const posed *own = i < 2 ? b : a;
        const posed *other = i < 2 ? a : b;
        const planar dir = direction_of_posed(own);
        const planar limit = touching_boxes(own, other, turn);
        const int is_x = i % 2 == 0;
        const i128 p = is_x ? dot_wide(dir, P) : cross_wide(dir, P);
        const i128 beyond = i128_sub(i128_abs(p), i128_mul(is_x ? limit.x : limit.z, WHOLE));
        if (i == 0 || i128_cmp(beyond, greatest) > 0) {
            greatest = beyond;
            best = own_axis(own, is_x, i128_sign(p));
        }
    }
    return best;
}

/* Of a round shape off a cylinder of this radius; P and F as below. */
static vector normal_off_cylinder(int32_t radius, planar P, int64_t F) {
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
static vector normal_off_box(const posed *box, planar P, int64_t F) {
    const planar dir = direction_of_posed(box);
    const int64_t x = gap_q16(dot_wide(dir, P), box->size[0]);
    const int64_t z = gap_q16(cross_wide(dir, P), box->size[2]);
    return back(fxs_unit(x, F, z), box);
}

/* a is of the lesser figure; P = 65536 D + k M, F the vertical gap with its sign: 0 if a is not
 * round. */
static vector normal_of_pair(const posed *a, const posed *b, planar P, int64_t F) {
    switch (figure_of(b->kind)) {
    case ROUND: break;
    case CYLINDER:
        if (is_round(a)) {
            return normal_off_cylinder(b->size[0], P, F);
        }
        break;
    case BOX:
        return figure_of(a->kind) == BOX ? normal_of_boxes(a, b, P) : normal_off_box(b, P, F);
    CASES_OF_NO_BODY: break; /* no cast comes here */
    }
    return fxs_unit(P.x, F, P.z);
}

/* The same in any order. */
static vector normal_of_any(const posed *a, const posed *b, planar P, int64_t F) {
    if (!(pair_of(a->kind, b->kind) & SWAPPED)) {
        return normal_of_pair(a, b, P, F);
    }
    const planar minus_P = {-P.x, -P.z};
    const vector of_b = normal_of_pair(b, a, minus_P, -F);
    const vector n = {-of_b.x, -of_b.y, -of_b.z};
    return n;
}

static void put_normal(vector n, int32_t *out) {
    out[0] = (int32_t)n.x;
    out[1] = (int32_t)n.y;
    out[2] = (int32_t)n.z;
}

void fxs_posed_cast_normal(const posed *a, const posed *b, const int64_t *M, int32_t k,
                            int32_t *out) {
    vector n = {0, 0, 0};
    if (k != 0 || fxs_posed_contact(a, b) != FXS_OVERLAPPING) {
        const planar P = {((int64_t)a->x - b->x) * WHOLE + k * M[0],
                          ((int64_t)a->z - b->z) * WHOLE + k * M[2]};
        const int64_t y = ((int64_t)a->y - b->y) * WHOLE + k * M[1];
        const int64_t gap = abs64(y) - ((int64_t)a->size[1] + b->size[1]) * WHOLE;
        if (gap >= 0 && !is_round(a) && !is_round(b)) {
            n.y = sign64(y) * Q30_ONE;
        } else {
            n = normal_of_any(a, b, P, sign64(y) * max64(0, gap));
        }
    }
    put_normal(n, out);
}

/* ---- off solids ---- */

static vector outward(planar u) { return fxs_unit(u.z * WHOLE, 0, -u.x * WHOLE); }

/* Of a round shape or a cylinder whose vertical gap, with its sign, is F. */
static vector normal_off_prism(const planar *u, const planar *w, uint32_t n, int64_t F) {
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
                    return outward(u[j]);
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
static vector normal_of_box_prism(const posed *s, const planar *u, const planar *w, uint32_t n) {
    const planar dir = direction_of_posed(s);
    const int64_t halves[2] = {s->size[0], s->size[2]};
    vector best = {0, 0, 0};
    int64_t greatest = INT64_MIN;
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
        if (gap > greatest) {
            greatest = gap;
            best = outward(u[j]);
        }
    }
    for (int i = 0; i < 4; i++) {
        const int is_x = i < 2;
        const int sign = i % 2 == 0 ? 1 : -1;
        const i128 half = i128_mul(halves[i / 2], (int64_t)1 << 46);
        const i128 side = sign > 0 ? i128_neg(most[i / 2]) : least[i / 2];
        const int64_t gap = towards_zero(i128_sub(side, half), WHOLE);
        if (gap > greatest) {
            greatest = gap;
            best = own_axis(s, is_x, sign);
        }
    }
    return best;
}

/* The normal at a height where the gap is F, with its sign. */
static vector normal_beside_prism(const posed *a, const solid *prism, const vertex *v, planar moved,
                                  int64_t F) {
    polygon p;
    planar w[FXS_VERTICES_MAX];
    fxs_polygon_of(&p, prism, v, a->x, a->z);
    for (uint32_t j = 0; j < p.n; j++) {
        w[j].x = moved.x - WHOLE * p.m[j].x;
        w[j].z = moved.z - WHOLE * p.m[j].z;
    }
    switch (figure_of(a->kind)) {
    case ROUND:
    case CYLINDER: break;
    case BOX: return normal_of_box_prism(a, p.u, w, p.n);
    CASES_OF_NO_BODY: break; /* no cast comes here */
    }
    return normal_off_prism(p.u, w, p.n, F);
}

void fxs_solid_cast_normal(const posed *a, const solid *b, const vertex *v, const int64_t *M,
                           int32_t k, int32_t *out) {
    const planar moved = {k * M[0], k * M[2]};
    const int64_t above = WHOLE * ((int64_t)a->y - a->size[1] - b->y_high) + k * M[1];
    const int64_t below = WHOLE * ((int64_t)b->y_low - a->y - a->size[1]) - k * M[1];
    const int64_t F = max64(0, above) - max64(0, below);
    vector n = {0, above >= 0 ? Q30_ONE : -Q30_ONE, 0};
    if (is_round(a) || (above < 0 && below < 0)) {
        const posed disc = disc_of(b);
        const planar P = {((int64_t)a->x - v->x) * WHOLE + moved.x,
                          ((int64_t)a->z - v->z) * WHOLE + moved.z};
        n = b->code == FXS_PRISM ? normal_beside_prism(a, b, v, moved, F)
                                 : normal_of_any(a, &disc, P, F);
    }
    put_normal(n, out);
}
