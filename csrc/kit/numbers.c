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
    const int32_t raised = v < low ? low : v;
    *out = raised > high ? high : raised;
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
    int64_t whole =
        n >> 63 ? quotient(i128_shr(square, 1), (int64_t)(n >> 1)) : quotient(square, (int64_t)n);
    i128 rest = i128_sub(square, i128_umul((uint64_t)whole, n));
    if (i128_sign(rest) < 0) {
        whole--;
        rest = i128_add(rest, i128_join(0, n));
    }
    /* The root is k and a part; that is at least a half if square / n >= k^2 + k + 1/4. */
    uint64_t k = fxs_isqrt64((uint64_t)whole);
    uint64_t half = k * k + k;
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

/* ---- decimals ---- */

enum { DECIMAL_DIGITS = 17 }; /* of a number half way between two of Q16.16 */
/* Half a raw unit, 2^-17, and a raw unit, 2^-16, in units of 10^-17; 10^17 / 2^17 is 5^17. */
#define HALF_RAW ((uint64_t)762939453125)
#define ONE_RAW (2 * HALF_RAW)

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static uint64_t digits_end(const char *text, uint64_t size, uint64_t at) {
    while (at < size && is_digit(text[at])) {
        at++;
    }
    return at;
}

/* The digits first..end as a number, or `limit` if that is smaller; limit <= 2^60. */
static uint64_t whole_number(const char *text, uint64_t first, uint64_t end, uint64_t limit) {
    uint64_t v = 0;
    for (uint64_t i = first; i < end && v < limit; i++) {
        v = 10 * v + (uint64_t)(text[i] - '0');
    }
    return v < limit ? v : limit;
}

/* The digits first..end behind a point, in units of 10^-17, rounded down: below 10^17 < 2^57. With
 * `*has_rest` where that left something out. */
static uint64_t decimal_part(const char *text, uint64_t first, uint64_t end, int *has_rest) {
    uint64_t v = 0;
    for (uint64_t i = 0; i < DECIMAL_DIGITS; i++) {
        v = 10 * v + (first + i < end ? (uint64_t)(text[first + i] - '0') : 0);
    }
    *has_rest = 0;
    for (uint64_t i = first + DECIMAL_DIGITS; i < end; i++) {
        *has_rest |= text[i] != '0';
    }
    return v;
}

int32_t fxs_parse_q(const char *text, uint64_t size, uint32_t nearest, int32_t *out) {
    const uint64_t first = size > 0 && text[0] == '-';
    const uint64_t whole_end = digits_end(text, size, first);
    const int has_point = whole_end < size && text[whole_end] == '.';
    const uint64_t part = whole_end + (uint64_t)has_point;
    const uint64_t end = digits_end(text, size, part);
    if (whole_end == first || end != size || (has_point && end == part)) {
        return FXS_E_TEXT;
    }
    if (nearest > 1) {
        return FXS_E_RANGE;
    }
    int has_rest;
    const uint64_t whole = whole_number(text, first, whole_end, FXS_ONE);
    const uint64_t decimals = decimal_part(text, part, end, &has_rest);
    const uint64_t above = decimals % ONE_RAW; /* beyond the number of Q16.16 below */
    uint64_t v = whole * FXS_ONE + decimals / ONE_RAW;
    if (!nearest && (above != 0 || has_rest)) {
        return FXS_E_INEXACT;
    }
    if (above > HALF_RAW || (above == HALF_RAW && (has_rest || v % 2 != 0))) {
        v++;
    }
    return put_in_range(v, (int)first, out);
}

uint32_t fxs_format_q(int32_t value, char out[24]) {
    const uint64_t size = magnitude(value);
    uint32_t n = 0;
    if (value < 0) {
        out[n++] = '-';
    }
    const uint32_t whole = (uint32_t)(size / FXS_ONE); /* at most 32768 */
    for (uint32_t unit = 10000; unit > 0; unit /= 10) {
        if (whole >= unit || unit == 1) {
            out[n++] = (char)('0' + whole / unit % 10);
        }
    }
    uint64_t rest = size % FXS_ONE * ONE_RAW; /* in units of 10^-17; below 10^17 */
    if (rest > 0) {
        out[n++] = '.';
    }
    for (uint64_t unit = (uint64_t)10000000000000000; rest > 0; unit /= 10) {
        out[n++] = (char)('0' + rest / unit);
        rest %= unit;
    }
    out[n] = 0;
    return n;
}
