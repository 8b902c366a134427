/* Q16.16 arithmetic: exact, then rounded to nearest, halves away from zero. */
#include "../fixsync_kit.h"
#include "../wide256.h"

/* FXS_OK and the number of this magnitude and sign, or FXS_E_RANGE. */
static int32_t put_in_range(uint64_t size, int negative, int32_t *out) {
    if (size > (uint64_t)INT32_MAX + (uint64_t)negative) {
        return FXS_E_RANGE;
    }
    *out = negative ? (int32_t)-(int64_t)size : (int32_t)size;
    return FXS_OK;
}

int32_t fxs_mul_div(int32_t a, int32_t b, int32_t c, int32_t *out) {
    if (c == 0) {
        return FXS_E_RANGE;
    }
    int64_t product = (int64_t)a * b;
    uint64_t divisor = magnitude(c);
    /* |product| <= 2^62, so twice it and a divisor fit 64 bits. */
    uint64_t size = (2 * magnitude(product) + divisor) / (2 * divisor);
    return put_in_range(size, (product < 0) != (c < 0), out);
}

int32_t fxs_mul(int32_t a, int32_t b, int32_t *out) { return fxs_mul_div(a, b, FXS_ONE, out); }

int32_t fxs_div(int32_t a, int32_t b, int32_t *out) { return fxs_mul_div(a, FXS_ONE, b, out); }

/* sqrt(n), rounded: no root of an integer is a half. */
static uint64_t rounded_root(uint64_t n) {
    uint64_t root = fxs_isqrt64(n);
    return root + (n - root * root > root);
}

int32_t fxs_sqrt(int32_t a, int32_t *out) {
    if (a < 0) {
        return FXS_E_RANGE;
    }
    *out = (int32_t)rounded_root((uint64_t)a * FXS_ONE); /* below 2^24 */
    return FXS_OK;
}

int32_t fxs_lerp(int32_t a, int32_t b, uint32_t fraction, int32_t *out) {
    if (fraction > FXS_ONE) {
        return FXS_E_RANGE;
    }
    int64_t difference = (int64_t)b - a;
    int64_t part = (int64_t)((magnitude(difference) * fraction + FXS_ONE / 2) / FXS_ONE);
    *out = (int32_t)(difference < 0 ? a - part : a + part);
    return FXS_OK;
}

int32_t fxs_clamp(int32_t v, int32_t low, int32_t high, int32_t *out) {
    if (low > high) {
        return FXS_E_RANGE;
    }
    *out = v < low ? low : v > high ? high : v;
    return FXS_OK;
}

int32_t fxs_approach(int32_t v, int32_t target, int32_t most, int32_t *out) {
    if (most < 0) {
        return FXS_E_RANGE;
    }
    int64_t difference = (int64_t)target - v;
    *out = (int32_t)(v + max64(-(int64_t)most, min64(most, difference)));
    return FXS_OK;
}

int32_t fxs_turn_towards(uint32_t yaw, uint32_t end, uint32_t most) {
    if (yaw >= FXS_TURN || end >= FXS_TURN) {
        return FXS_E_YAW;
    }
    if (most > FXS_TURN) {
        return FXS_E_RANGE;
    }
    int64_t turn = fxs_yaw_between(yaw, end);
    turn = max64(-(int64_t)most, min64(most, turn));
    return (int32_t)((yaw + turn + FXS_TURN) % FXS_TURN);
}

/* x^2 + y^2 + z^2 <= 3 * 2^62. */
static uint64_t length_sq(int32_t x, int32_t y, int32_t z) {
    return (uint64_t)((int64_t)x * x) + (uint64_t)((int64_t)y * y) + (uint64_t)((int64_t)z * z);
}

int32_t fxs_hypot(int32_t x, int32_t y, int32_t z, int32_t *out) {
    return put_in_range(rounded_root(length_sq(x, y, z)), 0, out);
}

int32_t fxs_dot(const int32_t a[3], const int32_t b[3], int32_t *out) {
    i128 sum = i128_of(0);
    for (int i = 0; i < 3; i++) {
        sum = i128_add(sum, i128_mul(a[i], b[i]));
    }
    int negative = i128_sign(sum) < 0;
    sum = i128_add(i128_abs(sum), i128_of(FXS_ONE / 2)); /* below 2^64 */
    return put_in_range(i128_low(sum) / FXS_ONE, negative, out);
}

int32_t fxs_scale(const int32_t v[3], int32_t factor, int32_t out[3]) {
    int32_t scaled[3];
    for (int i = 0; i < 3; i++) {
        if (fxs_mul(v[i], factor, scaled + i) != FXS_OK) {
            return FXS_E_RANGE;
        }
    }
    memcpy(out, scaled, sizeof scaled);
    return FXS_OK;
}

/* size * length / sqrt(n), rounded, for size^2 <= n < 2^64 and length < 2^31. */
static uint64_t scaled_to(uint64_t size, uint64_t length, uint64_t n) {
    uint64_t product = size * length; /* < 2^62 */
    i128 square = i128_umul(product, product);
    /* The square over n is at most length^2. Half of n, rounded down, is less than one part in
     * 2^62 too small, so the quotient is at most 1 too large. */
    int64_t whole = n >> 63 ? quotient(i128_shr(square, 1), (int64_t)(n >> 1))
                            : quotient(square, (int64_t)n);
    i128 rest = i128_sub(square, i128_umul((uint64_t)whole, n));
    if (i128_sign(rest) < 0) {
        whole--;
        rest = i128_add(rest, i128_join(0, n));
    }
    /* The root is k and a part; that is at least a half if square / n >= k^2 + k + 1/4. */
    uint64_t k = fxs_isqrt64((uint64_t)whole), half = k * k + k;
    int up = (uint64_t)whole > half ||
             ((uint64_t)whole == half && i128_low(rest) >= n / 4 + (n % 4 != 0));
    return k + (uint64_t)up;
}

int32_t fxs_with_length(const int32_t v[3], int32_t length, int32_t out[3]) {
    uint64_t n = length_sq(v[0], v[1], v[2]);
    if (n == 0 || length < 0) {
        return FXS_E_RANGE;
    }
    for (int i = 0; i < 3; i++) {
        int negative = v[i] < 0;
        /* At most the length. */
        int64_t size = (int64_t)scaled_to(magnitude(v[i]), (uint64_t)length, n);
        out[i] = (int32_t)(negative ? -size : size);
    }
    return FXS_OK;
}
