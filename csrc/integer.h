/* Arithmetic of plain integers. */
#ifndef FIXSYNC_INTEGER_H
#define FIXSYNC_INTEGER_H

#include "compiler.h"

static inline int sign64(int64_t v) { return (v > 0) - (v < 0); }
static inline int64_t abs64(int64_t v) {
    FXS_ASSERT(v != INT64_MIN);
    return v < 0 ? -v : v;
}
static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
/* The greater of v and 0, without a branch whatever the compiler makes of comparisons. */
static inline int64_t above_0(int64_t v) {
    FXS_ASSERT(abs64(v) < (int64_t)1 << 62);
    return (int64_t)((uint64_t)(v + abs64(v)) >> 1);
}
static inline int min_int(int a, int b) { return a < b ? a : b; }
static inline int max_int(int a, int b) { return a > b ? a : b; }

/* The size, rounded up to a multiple of 8: what lies in a block of memory begins at one. */
static inline uint64_t align8(uint64_t size) { return (size + 7) & ~(uint64_t)7; }

/* CLS of the contract: APART, TOUCHING or OVERLAPPING as l is above, at or below r. */
static inline int classify(int64_t l, int64_t r) { return (l < r) + (l <= r); }

/* How many bits v takes; 0 for 0. */
static inline uint32_t bit_length(uint64_t v) {
#if defined(__GNUC__) && !defined(FXS_NO_BUILTINS)
    return v ? 64 - (uint32_t)__builtin_clzll(v) : 0;
#else
    uint32_t n = 0;
    for (uint32_t step = 32; step; step /= 2) {
        if (v >> step) {
            v >>= step;
            n += step;
        }
    }
    return n + (uint32_t)v;
#endif
}

static inline uint32_t trailing_zeros(uint64_t v) {
    FXS_ASSERT(v != 0);
#if defined(__GNUC__) && !defined(FXS_NO_BUILTINS)
    return (uint32_t)__builtin_ctzll(v);
#else
    uint32_t n = 0;
    for (uint32_t step = 32; step; step /= 2) {
        if (!(v & (((uint64_t)1 << step) - 1))) {
            v >>= step;
            n += step;
        }
    }
    return n;
#endif
}

#endif
