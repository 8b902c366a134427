/* Directions, the yaw of a direction, lengths (docs/contract.md, Numbers). */
#include "angle.h"
#include "fixsync.h"
#include "wide.h"

#include "angle_table.h"

/* cos and sin, with 61 bits after the point, of `half` of 32768 half steps of a quarter turn, by
 * the sum formulas: off by less than 2^-57. No exact value comes so near to a rounding border of
 * 2^-30: checked for all of them by the tests. */
#ifdef FXS_SMALL
static void first_quarter(uint32_t half, uint64_t *cosine, uint64_t *sine) {
    uint64_t c = DIGITS[0][half >> 12][0];
    uint64_t s = DIGITS[0][half >> 12][1];
    for (uint32_t i = 1; i < 5; i++) {
        const uint64_t *by = DIGITS[i][half >> (12 - 3 * i) & 7];
        uint64_t next = 2 * (mul_high(c, by[0]) - mul_high(s, by[1]));
        s = 2 * (mul_high(s, by[0]) + mul_high(c, by[1]));
        c = next;
    }
    *cosine = c >> 2;
    *sine = s >> 2;
}
#else
static inline void first_quarter(uint32_t half, uint64_t *cosine, uint64_t *sine) {
    const uint64_t *a = COARSE[half >> 8];
    const uint64_t *b = FINE[half & 255];
    *cosine = (mul_high(a[0], b[0]) - mul_high(a[1], b[1])) >> 1;
    *sine = (mul_high(a[1], b[0]) + mul_high(a[0], b[1])) >> 1;
}
#endif

/* Direction at `half` of 131072 half steps. */
static planar direction_half(uint32_t half) {
    uint64_t cosine, sine;
    first_quarter(half & 32767, &cosine, &sine);
    int64_t c = (int64_t)((cosine + ((uint64_t)1 << 30)) >> 31);
    int64_t s = (int64_t)((sine + ((uint64_t)1 << 30)) >> 31);
    /* A quarter turn on, (c, s) becomes (-s, c), half a turn on (-c, -s): without branches, because
     * no predictor guesses which. */
    int64_t quarter = -(int64_t)(half >> 15 & 1);
    int64_t turn = -(int64_t)(half >> 16 & 1);
    int64_t swap = (c ^ s) & quarter;
    planar p = {((c ^ swap) ^ (quarter ^ turn)) - (quarter ^ turn), ((s ^ swap) ^ turn) - turn};
    FXS_ASSERT(abs64(p.x) <= Q30_ONE && abs64(p.z) <= Q30_ONE);
    FXS_ASSERT(abs64(dot64(p, p) - Q60_ONE) < (int64_t)1 << 31);
    return p;
}

planar fxs_direction_of(uint32_t yaw) { return direction_half((yaw & 65535) * 2); }

void fxs_direction(uint16_t yaw, int32_t *cos_q30, int32_t *sin_q30) {
    planar p = fxs_direction_of(yaw);
    *cos_q30 = (int32_t)p.x;
    *sin_q30 = (int32_t)p.z;
}

/* u of Q2.30 (not longer than 2^30 + 1), v of 33 bits: each product is below 2^62. */
static int64_t cross_half(planar u, planar v) { return u.x * v.z - u.z * v.x; }

static int is_distance(int64_t v) { return v >= -(int64_t)UINT32_MAX && v <= (int64_t)UINT32_MAX; }

int32_t fxs_yaw_of(int64_t dx, int64_t dz) {
    if (!is_distance(dx) || !is_distance(dz)) {
        return FXS_E_DISTANCE;
    }
    if (dx == 0 && dz == 0) {
        return 0;
    }
    /* Fold into the octant 0 <= z <= x, read the arc tangent of z/x (Q31) off its table (chord
     * error below 0.06 steps), unfold. */
    uint64_t ax = magnitude(dx);
    uint64_t az = magnitude(dz);
    uint64_t least = ax < az ? ax : az;
    uint64_t most = ax < az ? az : ax;
    uint64_t ratio = (least << 31) / most;
    FXS_ASSERT(ratio <= (uint64_t)1 << 31);
    const uint32_t *t = ARCTAN + (ratio >> 24);
    uint64_t steps = t[0] + (((uint64_t)(t[1] - t[0]) * (ratio & 0xFFFFFF)) >> 24);
    uint32_t yaw = (uint32_t)((steps + 32768) >> 16);
    yaw = ax < az ? 16384 - yaw : yaw;
    yaw = dx < 0 ? 32768 - yaw : yaw;
    yaw = dz < 0 ? 65536 - yaw : yaw;
    /* The estimate is off by one at most; the borders decide. */
    planar d = {dx, dz};
    if (cross_half(direction_half((yaw * 2 - 1) & 131071), d) < 0) {
        yaw -= 1;
    } else if (cross_half(d, direction_half((yaw * 2 + 1) & 131071)) <= 0) {
        yaw += 1;
    }
    return (int32_t)(yaw & 65535);
}

int32_t fxs_yaw_between(uint32_t from, uint32_t to) {
    uint32_t turn = (to - from) & 65535;
    return turn < 32768 ? (int32_t)turn : (int32_t)turn - 65536;
}

int32_t fxs_faces(uint32_t yaw, uint32_t half_angle, int64_t dx, int64_t dz) {
    if (yaw >= FXS_TURN) {
        return FXS_E_YAW;
    }
    if (half_angle < 1 || half_angle > FXS_HALF_ANGLE_MAX) {
        return FXS_E_HALF_ANGLE;
    }
    if (!is_distance(dx) || !is_distance(dz)) {
        return FXS_E_DISTANCE;
    }
    planar d = {dx, dz};
    int64_t from_right = cross_half(fxs_direction_of(yaw - half_angle), d);
    int64_t to_left = -cross_half(fxs_direction_of(yaw + half_angle), d);
    return half_angle == FXS_HALF_ANGLE_MAX ||
           (half_angle <= 16384 ? min64(from_right, to_left) : max64(from_right, to_left)) >= 0;
}

int32_t fxs_forward(uint32_t yaw, int32_t length, int32_t *x, int32_t *z) {
    if (length == INT32_MIN) {
        return FXS_E_DISTANCE;
    }
    planar dir = fxs_direction_of(yaw);
    *x = (int32_t)round_q30(
        length * dir.x); /* not longer than the length: a direction's components are at most 2^30 */
    *z = (int32_t)round_q30(length * dir.z);
    return FXS_OK;
}

/* Each line doubles the bits known of the root of n, 2^62 <= n < 2^64, from its leading ones; the
 * last may be one too large. */
uint32_t fxs_isqrt64(uint64_t n) {
    if (n == 0) {
        return 0;
    }
    uint32_t shift = (64 - bit_length(n)) & ~(uint32_t)1;
    uint64_t m = n << shift;
    uint64_t r = 1 + (m >> 62);
    r = (r << 1) + (m >> 59) / r;
    r = (r << 3) + (m >> 53) / r;
    r = (r << 7) + (m >> 41) / r;
    r = (r << 15) + (m >> 17) / r;
    r = (r > UINT32_MAX ? UINT32_MAX : r) >> (shift / 2);
    r -= r * r > n;
    FXS_ASSERT(r * r <= n && n - r * r <= 2 * r);
    return (uint32_t)r;
}

int64_t fxs_length(int64_t dx, int64_t dy, int64_t dz) {
    if (!is_distance(dx) || !is_distance(dy) || !is_distance(dz)) {
        return FXS_E_DISTANCE;
    }
    i128 n = i128_add(i128_add(i128_square(dx), i128_square(dy)), i128_square(dz)); /* < 3 * 2^64 */
    if (i128_high(n) == 0) {
        return (int64_t)fxs_isqrt64(i128_low(n));
    }
    /* Two bits of n per bit of the root: the root of n/4 is right but for the last bit. */
    int64_t root = (int64_t)fxs_isqrt64(i128_high(n) << 62 | i128_low(n) >> 2) * 2;
    return i128_cmp(i128_square(root + 1), n) <= 0 ? root + 1 : root;
}
