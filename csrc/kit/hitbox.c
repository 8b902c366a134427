/* Two hitboxes of two planes (docs/contract.md): contact, push-out, lift and cast of a pair. */
#include "hitbox.h"
#include "../toi.h"

int32_t fxs_hitbox_status(const fxs_hitbox *h) {
    const fxs_shape ground = ground_view(h);
    const fxs_shape side = side_view(h);
    if (!is_ground_kind(h->kind)) {
        return FXS_E_KIND;
    }
    const int32_t status = fxs_shape_check(&ground);
    return status == FXS_OK ? fxs_shape_check(&side) : status;
}
static int32_t pair_status(const fxs_hitbox *a, const fxs_hitbox *b) {
    const int32_t status = fxs_hitbox_status(a);
    return status == FXS_OK ? fxs_hitbox_status(b) : status;
}

/* Where a hitbox stands, seen from another, when both views meet: on the ground within r of the
 * rectangle +-half_x, +-half_z (r = 0: in it); at the side |x| <= side_x, |y| <= half_y. r and
 * every half are below 2^30; half_x and half_z are 0 only if r is not. */
typedef struct views {
    int64_t half_x, half_z, r, side_x, half_y;
} views;

static views views_of(const fxs_hitbox *a, const fxs_hitbox *b) {
    views s = {0};
    for (int i = 0; i < 2; i++) {
        const fxs_hitbox *h = i == 0 ? a : b;
        if (h->kind == FXS_CYLINDER) {
            s.r += h->ground[0];
        } else {
            s.half_x += h->ground[0];
            s.half_z += h->ground[1];
        }
        s.side_x += h->side[0];
        s.half_y += h->side[1];
    }
    return s;
}

/* a's position, seen from b's. */
static void seen_from(const fxs_hitbox *a, const fxs_hitbox *b, int64_t *D) {
    D[0] = (int64_t)a->x - b->x;
    D[1] = (int64_t)a->y - b->y;
    D[2] = (int64_t)a->z - b->z;
}

static int contact_at(const views *s, const int64_t *D) {
    const int64_t x = abs64(D[0]);
    const int64_t y = abs64(D[1]);
    const int64_t z = abs64(D[2]);
    const int beside = min_int(classify(x, s->side_x), classify(y, s->half_y));
    if (s->r == 0) {
        return min_int(beside, min_int(classify(x, s->half_x), classify(z, s->half_z)));
    }
    const int64_t gap_x = max64(0, x - s->half_x);
    const int64_t gap_z = max64(0, z - s->half_z);
    const i128 gap_sq = i128_add(i128_square(gap_x), i128_square(gap_z));
    return min_int(beside, classify_wide(gap_sq, i128_square(s->r)));
}

static int contact_of(const fxs_hitbox *a, const fxs_hitbox *b) {
    const views s = views_of(a, b);
    int64_t D[3];
    seen_from(a, b, D);
    return contact_at(&s, D);
}

int32_t fxs_hitbox_contact(const fxs_hitbox *a, const fxs_hitbox *b) {
    const int32_t status = pair_status(a, b);
    return status == FXS_OK ? contact_of(a, b) : status;
}

int32_t fxs_hitbox_push_out(const fxs_hitbox *a, const fxs_hitbox *b, int32_t out_xz[2]) {
    const int32_t status = pair_status(a, b);
    if (status != FXS_OK) {
        return status;
    }
    out_xz[0] = out_xz[1] = 0;
    if (contact_of(a, b) != FXS_OVERLAPPING) {
        return FXS_OK;
    }
    const views s = views_of(a, b);
    const fxs_shape ground_a = ground_view(a);
    const fxs_shape ground_b = ground_view(b);
    const fxs_pose pose_a = ground_pose(a);
    const fxs_pose pose_b = ground_pose(b);
    fxs_push_out(&ground_a, &pose_a, &ground_b, &pose_b, out_xz);
    if (s.side_x >= s.half_x + s.r) {
        return FXS_OK; /* no push along x out of the side views is shorter than the ground's */
    }
    int64_t D[3];
    seen_from(a, b, D);
    const int64_t depth = s.side_x - abs64(D[0]);
    const int64_t x = out_xz[0];
    const int64_t z = out_xz[1];
    if (depth * depth < x * x + z * z) { /* all below 2^31 */
        const int is_left = D[0] != 0 ? D[0] < 0 : D[2] < 0;
        out_xz[0] = (int32_t)(is_left ? -depth : depth);
        out_xz[1] = 0;
    }
    return FXS_OK;
}

int32_t fxs_hitbox_lift(const fxs_hitbox *a, const fxs_hitbox *b, int32_t *out_y) {
    const int32_t status = pair_status(a, b);
    if (status != FXS_OK) {
        return status;
    }
    const int64_t half = (int64_t)a->side[1] + b->side[1];
    const int64_t dy = (int64_t)a->y - b->y;
    const int64_t rise = dy >= 0 ? half - dy : -(half + dy);
    *out_y = contact_of(a, b) == FXS_OVERLAPPING ? (int32_t)rise : 0;
    return FXS_OK;
}

/* ---- casts ---- */

/* The fraction at which a hitbox that moves from D by M first makes a contact >= when, or NONE; |D|
 * < 2^32, |M| < 2^30 on each axis. The times of both views are one interval, because each of them
 * is convex: bounds on each axis, and the distance on the ground. Once they meet during the motion,
 * |D| < 2^31 on each axis. */
static int32_t first_of_views(const views *s, const int64_t *D, const int64_t *M, int when) {
    const int64_t limit[3] = {min64(s->half_x + s->r, s->side_x), s->half_y, s->half_z + s->r};
    interval64 w = WHOLE_MOTION;
    axis axes[3];
    for (int i = 0; i < 3; i++) {
        axes[i] = axis_of(D[i], M[i], 0);
        if (!fxs_clip(&w, axes + i, -limit[i], limit[i])) {
            return NONE;
        }
    }
    if (!fxs_interval64_holds(&w, when)) {
        return NONE;
    }
    if (s->r == 0) {
        return fxs_time64_fraction(w.in);
    }
    axes[0].half = s->half_x;
    axes[2].half = s->half_z;
    gap_distance k = {{axes[0], axes[2]}, 2, 1, s->r, 0};
    return fxs_first_contact(&k, &w, worth_for(when));
}

/* The normal of a hit at fraction k, and its distance. Shapes that do not overlap at the start do
 * not overlap there either, so one of the gaps is 0 or more, and the normal is not (0, 0, 0). |P| <
 * 2^49. */
static int64_t normal_at(const views *s, const int64_t *D, const int64_t *M, int32_t k,
                         int32_t *normal) {
    normal[0] = normal[1] = normal[2] = 0;
    if (k == 0 && contact_at(s, D) == FXS_OVERLAPPING) {
        return 0;
    }
    const int64_t P[3] = {WHOLE * D[0] + k * M[0], WHOLE * D[1] + k * M[1],
                          WHOLE * D[2] + k * M[2]};
    if (abs64(P[1]) >= WHOLE * s->half_y) {
        normal[1] = (int32_t)(sign64(P[1]) * Q30_ONE);
        return (abs64(P[1]) - WHOLE * s->half_y) * Q30_OF_STEPS;
    }
    const int64_t past_x = abs64(P[0]) - WHOLE * s->half_x;
    const int64_t past_z = abs64(P[2]) - WHOLE * s->half_z;
    int64_t gap = max64(past_x, past_z);
    vector n = {sign64(P[0]) * Q30_ONE, 0, 0};
    if (s->r != 0) {
        const int64_t x = max64(0, past_x);
        const int64_t z = max64(0, past_z);
        const int64_t distance = isqrt128(i128_add(i128_square(x), i128_square(z)));
        gap = distance - WHOLE * s->r;
        if (gap >= 0) {
            n = fxs_unit(sign64(P[0]) * x, 0, sign64(P[2]) * z).normal;
        }
    } else if (past_z > past_x) {
        n.x = 0;
        n.z = sign64(P[2]) * Q30_ONE;
    }
    const int64_t beside = abs64(P[0]) - WHOLE * s->side_x;
    if (beside > gap) {
        n.x = sign64(P[0]) * Q30_ONE;
        n.z = 0;
    }
    normal[0] = (int32_t)n.x;
    normal[2] = (int32_t)n.z;
    return max64(0, max64(gap, beside)) * Q30_OF_STEPS;
}

int32_t fxs_hitbox_first(const fxs_hitbox *a, const int32_t motion[3], const fxs_hitbox *b,
                         int when) {
    const views s = views_of(a, b);
    const int64_t M[3] = {motion[0], motion[1], motion[2]};
    int64_t D[3];
    seen_from(a, b, D);
    return first_of_views(&s, D, M, when);
}

int64_t fxs_hitbox_normal(const fxs_hitbox *a, const int32_t motion[3], const fxs_hitbox *b,
                          int32_t k, int32_t *normal) {
    const views s = views_of(a, b);
    const int64_t M[3] = {motion[0], motion[1], motion[2]};
    int64_t D[3];
    seen_from(a, b, D);
    return normal_at(&s, D, M, k, normal);
}

int32_t fxs_hitbox_cast_pair(const fxs_hitbox *a, const int32_t motion_a[3], const fxs_hitbox *b,
                             const int32_t motion_b[3], uint32_t hit_when, int32_t *fraction,
                             int32_t normal[3]) {
    const int32_t status = pair_status(a, b);
    if (status != FXS_OK) {
        return status;
    }
    if (!is_motion(motion_a) || !is_motion(motion_b)) {
        return FXS_E_MOTION;
    }
    if (hit_when != FXS_TOUCHING && hit_when != FXS_OVERLAPPING) {
        return FXS_E_HIT_WHEN;
    }
    const int32_t M[3] = {motion_a[0] - motion_b[0], motion_a[1] - motion_b[1],
                          motion_a[2] - motion_b[2]}; /* below 2^30 */
    const int32_t k = fxs_hitbox_first(a, M, b, (int)hit_when);
    if (k == NONE) {
        return 0;
    }
    *fraction = k;
    fxs_hitbox_normal(a, M, b, k, normal);
    return 1;
}
