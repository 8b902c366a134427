/* Motion after a hit: along, slide, bounce. */
#include "../cast.h"
#include "../fixsync_kit.h"
#include "../wide256.h"

static int is_normal(const int32_t *n) {
    for (int i = 0; i < 3; i++) {
        if (n[i] < -FXS_NORMAL_MAX || n[i] > FXS_NORMAL_MAX) {
            return 0;
        }
    }
    return 1;
}

int32_t fxs_along(const int32_t motion[3], uint32_t fraction, const int32_t normal[3],
                  int32_t out[3]) {
    if (!is_motion(motion)) {
        return FXS_E_MOTION;
    }
    if (normal != NULL && !is_normal(normal)) {
        return FXS_E_NORMAL;
    }
    if (fraction > WHOLE) {
        return FXS_E_RANGE;
    }
    for (int i = 0; i < 3; i++) {
        int negative = motion[i] < 0;
        /* Toward zero, or away from it if the normal points where the motion leads. */
        int is_away = normal != NULL && (negative ? normal[i] < 0 : normal[i] > 0);
        uint64_t part = magnitude(motion[i]) * fraction + (is_away ? WHOLE - 1 : 0);
        int64_t size = (int64_t)(part / WHOLE);
        out[i] = (int32_t)(negative ? -size : size);
    }
    return FXS_OK;
}

int32_t fxs_bounce(const int32_t motion[3], const int32_t normal[3], uint32_t kept,
                   int32_t out[3]) {
    if (!is_normal(normal)) {
        return FXS_E_NORMAL;
    }
    if (kept > FXS_ONE) {
        return FXS_E_RANGE;
    }
    i128 into = i128_of(0); /* below 3 * 2^62 in magnitude */
    int64_t length_sq = 0;
    int64_t longest = 0;
    int64_t speed = 0;
    for (int i = 0; i < 3; i++) {
        into = i128_add(into, i128_mul(motion[i], normal[i]));
        length_sq += (int64_t)normal[i] * normal[i]; /* at most 6.75 * 2^60 */
        longest = max64(longest, abs64(normal[i]));
        speed += abs64(motion[i]);
    }
    if (length_sq == 0) {
        return FXS_E_NORMAL;
    }
    if (i128_sign(into) >= 0) {
        memmove(out, motion, 3 * sizeof *out);
        return FXS_OK;
    }
    /* A normal along an axis is exact. Each component of another is less than 5 * 2^-30 off: the
     * result must not lead into the surface of the true normal either. */
    int64_t spare = longest * longest == length_sq ? 0 : 16 * speed;
    /* Each added component has the sign of the normal's, and is rounded away from zero, so
     * dot(result, normal) >= into - factor * into + spare >= spare. */
    i128 total = i128_umul(i128_low(i128_neg(into)), FXS_ONE + kept);
    total = i128_add(total, i128_of(spare * FXS_ONE)); /* < 2^82 */
    int64_t result[3];
    for (int i = 0; i < 3; i++) {
        /* |n| * total / (2^16 * length_sq) = up to 2^38, rounded up in two steps. */
        uint64_t size = magnitude(normal[i]);
        i128 part = i128_add(i128_umul(i128_low(total), size),
                             i128_join(i128_high(total) * size, 0)); /* < 2^113 */
        part = i128_shr(i128_add(part, i128_of(FXS_ONE - 1)), 16);
        int64_t added = quotient(i128_add(part, i128_of(length_sq - 1)), length_sq);
        result[i] = motion[i] + (normal[i] < 0 ? -added : added);
        if (result[i] < INT32_MIN || result[i] > INT32_MAX) {
            return FXS_E_RANGE;
        }
    }
    for (int i = 0; i < 3; i++) {
        out[i] = (int32_t)result[i];
    }
    return FXS_OK;
}

int32_t fxs_slide(const int32_t motion[3], const int32_t normal[3], int32_t out[3]) {
    return fxs_bounce(motion, normal, 0, out);
}
