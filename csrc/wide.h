/* Signed 128-bit arithmetic: with the compiler's __int128 where it has one, else (or with
 * FXS_NO_INT128) in two 64-bit words. Both forms give the same values; every caller bounds its
 * operands so that no result leaves -(2^127 - 1)..2^127 - 1. */
#ifndef FIXSYNC_WIDE_H
#define FIXSYNC_WIDE_H

#include "planar.h"

static inline uint64_t magnitude(int64_t v) {
    return v < 0 ? (uint64_t)0 - (uint64_t)v : (uint64_t)v;
}

#ifdef FXS_INT128

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

static inline i128 i128_of(int64_t v) { return v; }
static inline i128 i128_mul(int64_t a, int64_t b) { return (i128)a * b; }
static inline i128 i128_umul(uint64_t a, uint64_t b) {
    return (i128)((u128)a * b);
} /* a * b < 2^127 */
static inline i128 i128_add(i128 a, i128 b) { return a + b; }
static inline i128 i128_sub(i128 a, i128 b) { return a - b; }
static inline i128 i128_neg(i128 a) { return -a; }
static inline int i128_sign(i128 a) { return (a > 0) - (a < 0); }
static inline int i128_cmp(i128 a, i128 b) { return (a > b) - (a < b); }
static inline uint64_t i128_low(i128 a) { return (uint64_t)a; }
static inline uint64_t i128_high(i128 a) { return (uint64_t)((u128)a >> 64); }
static inline i128 i128_join(uint64_t high, uint64_t low) { return (i128)((u128)high << 64 | low); }
static inline uint64_t mul_high(uint64_t a, uint64_t b) { return (uint64_t)((u128)a * b >> 64); }

#else

/* With FXS_SMALL, arithmetic on words is called instead of repeated. */
#if defined(FXS_SMALL) && defined(__GNUC__)
#define OUTLINED static __attribute__((noinline, unused))
#else
#define OUTLINED static inline
#endif

/* Two's complement in two words. */
typedef struct i128 {
    uint64_t low, high;
} i128;

static inline i128 i128_join(uint64_t high, uint64_t low) {
    i128 r = {low, high};
    return r;
}
static inline uint64_t i128_low(i128 a) { return a.low; }
static inline uint64_t i128_high(i128 a) { return a.high; }
static inline i128 i128_of(int64_t v) { return i128_join(v < 0 ? UINT64_MAX : 0, (uint64_t)v); }
static inline i128 i128_add(i128 a, i128 b) {
    uint64_t low = a.low + b.low;
    return i128_join(a.high + b.high + (low < a.low), low);
}
static inline i128 i128_neg(i128 a) {
    return i128_join(~a.high + (a.low == 0), (uint64_t)0 - a.low);
}
static inline i128 i128_sub(i128 a, i128 b) {
    return i128_join(a.high - b.high - (a.low < b.low), a.low - b.low);
}

/* Schoolbook on 32-bit halves: each partial product is below 2^64 - 2^33 + 2, so a 32-bit carry may
 * be added to it. */
OUTLINED uint64_t mul_high(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX;
    uint64_t a1 = a >> 32;
    uint64_t b0 = b & UINT32_MAX;
    uint64_t b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t mid = a1 * b0 + (low >> 32);
    uint64_t cross = a0 * b1 + (mid & UINT32_MAX);
    return a1 * b1 + (mid >> 32) + (cross >> 32);
}
static inline i128 i128_umul(uint64_t a, uint64_t b) { return i128_join(mul_high(a, b), a * b); }

static inline i128 i128_mul(int64_t a, int64_t b) {
    i128 r = i128_umul(magnitude(a), magnitude(b));
    return (a < 0) != (b < 0) ? i128_neg(r) : r;
}
static inline int i128_sign(i128 a) { return a.high >> 63 ? -1 : (a.high | a.low) != 0; }
OUTLINED int compare_words(uint64_t a_high, uint64_t a_low, uint64_t b_high, uint64_t b_low) {
    uint64_t flip = (uint64_t)1 << 63;
    uint64_t ah = a_high ^ flip;
    uint64_t bh = b_high ^ flip;
    if (ah != bh) {
        return ah < bh ? -1 : 1;
    }
    return (a_low > b_low) - (a_low < b_low);
}
static inline int i128_cmp(i128 a, i128 b) { return compare_words(a.high, a.low, b.high, b.low); }

#endif

static inline i128 i128_abs(i128 a) { return i128_sign(a) < 0 ? i128_neg(a) : a; }
static inline i128 i128_square(int64_t v) { return i128_umul(magnitude(v), magnitude(v)); }

static inline i128 cross_wide(planar u, planar v) {
    return i128_sub(i128_mul(u.x, v.z), i128_mul(u.z, v.x));
}

/* CLS of the contract on two wide values. */
static inline int classify_wide(i128 l, i128 r) { return 1 - i128_cmp(l, r); }

#endif
