/* Arithmetic of casts beyond wide.h: bits, shifts, quotients and roots of 128-bit numbers, and
 * signed 256-bit products and sums, in four 64-bit words. Every caller bounds its operands so that
 * no result leaves -(2^255 - 1)..2^255 - 1. */
#ifndef FIXSYNC_WIDE256_H
#define FIXSYNC_WIDE256_H

#include "angle.h"
#include "wide.h"

/* A static function that not every file calls. */
#if defined(__GNUC__)
#define SHARED static __attribute__((unused))
#else
#define SHARED static
#endif

/* How many bits a >= 0 takes, and a >> shift (0..127) for a >= 0. */
static inline uint32_t i128_bits(i128 a) {
    return i128_high(a) ? 64 + bit_length(i128_high(a)) : bit_length(i128_low(a));
}
static inline i128 i128_shr(i128 a, uint32_t shift) {
    FXS_ASSERT(i128_sign(a) >= 0 && shift <= 127);
    uint64_t high = i128_high(a);
    uint64_t low = i128_low(a);
    if (shift >= 64) {
        return i128_join(0, high >> (shift - 64));
    }
    return shift ? i128_join(high >> shift, high << (64 - shift) | low >> shift) : a;
}
static inline i128 i128_shl(i128 a, uint32_t shift) {
    FXS_ASSERT(i128_sign(a) >= 0 && shift <= 63 && i128_bits(a) + shift <= 127);
    uint64_t high = i128_high(a);
    uint64_t low = i128_low(a);
    return shift ? i128_join(high << shift | low >> (64 - shift), low << shift) : a;
}

/* a >> shift, or a << -shift, for a >= 0 and shift > -63; known to be below 2^63. */
static inline int64_t leading(i128 a, int32_t shift) {
    FXS_ASSERT(i128_sign(a) >= 0 && shift > -63);
    FXS_ASSERT((int64_t)i128_bits(a) - shift <= 63);
    return (int64_t)(shift >= 0 ? i128_low(i128_shr(a, (uint32_t)shift)) : i128_low(a) << -shift);
}

/* Takes rest / d, below 2^31, out of 0 <= *rest < 2^31 * d, for 2^62 <= d < 2^63. The guess is too
 * small by at most 3. */
SHARED int64_t digit_of(i128 *rest, int64_t d) {
    FXS_ASSERT(d >> 62 == 1);
    FXS_ASSERT(i128_sign(*rest) >= 0 && i128_cmp(*rest, i128_mul(d, (int64_t)1 << 31)) < 0);
    int64_t digit = (int64_t)i128_low(i128_shr(*rest, 31)) / ((d >> 31) + 1);
    *rest = i128_sub(*rest, i128_mul(digit, d));
    while (i128_cmp(*rest, i128_of(d)) >= 0) {
        *rest = i128_sub(*rest, i128_of(d));
        digit++;
    }
    return digit;
}

/* n / d, rounded down, for 0 <= n < 2^62 * d and 0 < d < 2^63. */
SHARED int64_t quotient(i128 n, int64_t d) {
    FXS_ASSERT(d > 0 && i128_sign(n) >= 0 && i128_cmp(n, i128_mul(d, (int64_t)1 << 62)) < 0);
    if (i128_high(n) == 0) {
        return (int64_t)(i128_low(n) / (uint64_t)d);
    }
    uint32_t shift = 63 - bit_length((uint64_t)d);
    n = i128_shl(n, shift); /* < 2^125 */
    d <<= shift;
    i128 rest = i128_shr(n, 31);
    int64_t high = i128_cmp(rest, i128_of(d)) < 0 ? 0 : digit_of(&rest, d);
    rest = i128_add(i128_shl(rest, 31), i128_of((int64_t)(i128_low(n) & 0x7FFFFFFF)));
    return high << 31 | digit_of(&rest, d);
}

/* floor(sqrt(n)) for 0 <= n < 2^126. The root of the leading 61 or 62 bits, then one step of
 * Newton's, which is at most 2 too large. */
SHARED int64_t isqrt128(i128 n) {
    FXS_ASSERT(i128_sign(n) >= 0 && i128_bits(n) <= 126);
    uint32_t bits = i128_bits(n);
    uint32_t half = bits > 62 ? (bits - 61) / 2 : 0;
    int64_t root = fxs_isqrt64(i128_low(i128_shr(n, 2 * half)));
    if (half == 0) {
        return root;
    }
    root <<= half;
    root += quotient(i128_shr(i128_sub(n, i128_square(root)), 1), root);
    while (i128_cmp(i128_square(root), n) > 0) {
        root--;
    }
    FXS_ASSERT(i128_cmp(i128_square(root + 1), n) > 0);
    return root;
}

/* Two's complement, the lowest word first. */
typedef struct i256 {
    uint64_t word[4];
} i256;

static inline i256 i256_add(i256 a, i256 b) {
    uint64_t carry = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t sum = a.word[i] + carry;
        carry = sum < carry;
        a.word[i] = sum + b.word[i];
        carry += a.word[i] < sum;
    }
    return a;
}

static inline i256 i256_neg(i256 a) {
    uint64_t carry = 1;
    for (int i = 0; i < 4; i++) {
        a.word[i] = ~a.word[i] + carry;
        carry = carry && a.word[i] == 0;
    }
    return a;
}

static inline int i256_sign(i256 a) {
    return a.word[3] >> 63 ? -1 : (a.word[0] | a.word[1] | a.word[2] | a.word[3]) != 0;
}

/* Schoolbook on 64-bit halves of |a|, |b| < 2^127: a low by high product is at most 2^127 - 2^64 -
 * 2^63 + 1, so that a 64-bit carry may be added to it. */
static inline i256 i256_mul(i128 a, i128 b) {
    FXS_ASSERT(i128_bits(i128_abs(a)) <= 127 && i128_bits(i128_abs(b)) <= 127);
    int negative = (i128_sign(a) < 0) != (i128_sign(b) < 0);
    a = i128_abs(a);
    b = i128_abs(b);
    uint64_t low = i128_low(a) * i128_low(b);
    uint64_t carry = mul_high(i128_low(a), i128_low(b));
    i128 mid = i128_add(i128_umul(i128_low(a), i128_high(b)), i128_join(0, carry));
    i128 cross = i128_add(i128_umul(i128_high(a), i128_low(b)), i128_join(0, i128_low(mid)));
    i128 high = i128_add(i128_umul(i128_high(a), i128_high(b)), i128_join(0, i128_high(mid)));
    high = i128_add(high, i128_join(0, i128_high(cross)));
    i256 r = {{low, i128_low(cross), i128_low(high), i128_high(high)}};
    return negative ? i256_neg(r) : r;
}

#endif
