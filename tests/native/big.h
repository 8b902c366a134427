/* Signed integers of 384 bits, written for plainness: no compiler type wider than 64 bits, no branch that depends on a width. They
 * carry every intermediate of the contract without a bound on it (the widest needs about 270 bits). */
#ifndef FIXSYNC_TESTS_BIG_H
#define FIXSYNC_TESTS_BIG_H

#include <stdint.h>

#define BIG_WORDS 12

/* Two's complement, least significant word first. */
typedef struct big {
    uint32_t word[BIG_WORDS];
} big;

static inline big big_of(int64_t v) {
    big r;
    uint64_t bits = (uint64_t)v;
    for (int i = 0; i < BIG_WORDS; i++) {
        r.word[i] = i == 0 ? (uint32_t)bits : i == 1 ? (uint32_t)(bits >> 32) : v < 0 ? UINT32_MAX : 0;
    }
    return r;
}

static inline big big_add(big a, big b) {
    uint64_t carry = 0;
    for (int i = 0; i < BIG_WORDS; i++) {
        carry += (uint64_t)a.word[i] + b.word[i];
        a.word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

static inline big big_neg(big a) {
    for (int i = 0; i < BIG_WORDS; i++) {
        a.word[i] = ~a.word[i];
    }
    return big_add(a, big_of(1));
}

static inline big big_sub(big a, big b) { return big_add(a, big_neg(b)); }

static inline big big_mul(big a, big b) {
    big r = big_of(0);
    for (int i = 0; i < BIG_WORDS; i++) {
        uint64_t carry = 0;
        for (int j = 0; a.word[i] && i + j < BIG_WORDS; j++) {
            carry += (uint64_t)a.word[i] * b.word[j] + r.word[i + j]; /* at most (2^32-1)^2 + 2(2^32-1) = 2^64 - 1 */
            r.word[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return r;
}

static inline int big_is_negative(big a) { return a.word[BIG_WORDS - 1] >> 31 != 0; }
static inline big big_abs(big a) { return big_is_negative(a) ? big_neg(a) : a; }

static inline int big_sign(big a) {
    uint32_t any = 0;
    for (int i = 0; i < BIG_WORDS; i++) {
        any |= a.word[i];
    }
    return big_is_negative(a) ? -1 : any != 0;
}

static inline int big_cmp(big a, big b) {
    int diff = big_is_negative(b) - big_is_negative(a);
    for (int i = BIG_WORDS - 1; diff == 0 && i >= 0; i--) {
        diff = (a.word[i] > b.word[i]) - (a.word[i] < b.word[i]);
    }
    return diff;
}

static inline big big_max(big a, big b) { return big_cmp(a, b) < 0 ? b : a; }
static inline big big_min(big a, big b) { return big_cmp(a, b) < 0 ? a : b; }

/* a * 2^by. */
static inline big big_shl(big a, int by) {
    big r = big_of(0);
    for (int i = BIG_WORDS - 1; i >= by / 32; i--) {
        uint64_t high = a.word[i - by / 32], low = i > by / 32 ? a.word[i - by / 32 - 1] : 0;
        r.word[i] = (uint32_t)((high << 32 | low) << by % 32 >> 32);
    }
    return r;
}

/* floor(a / 2^by), a >= 0. */
static inline big big_shr(big a, int by) {
    big r = big_of(0);
    for (int i = 0; i + by / 32 < BIG_WORDS; i++) {
        uint64_t low = a.word[i + by / 32], high = i + by / 32 + 1 < BIG_WORDS ? a.word[i + by / 32 + 1] : 0;
        r.word[i] = (uint32_t)((high << 32 | low) >> by % 32);
    }
    return r;
}

/* floor(a / by), a >= 0, by > 0: long division by one word. */
static inline big big_div_small(big a, uint32_t by) {
    uint64_t rest = 0;
    for (int i = BIG_WORDS - 1; i >= 0; i--) {
        rest = rest << 32 | a.word[i];
        a.word[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    return a;
}

/* floor(a / b), a >= 0, b > 0, bit by bit. */
static inline big big_div(big a, big b) {
    big quotient = big_of(0), rest = big_of(0);
    for (int i = 32 * BIG_WORDS - 1; i >= 0; i--) {
        rest = big_shl(rest, 1);
        rest.word[0] |= a.word[i / 32] >> i % 32 & 1;
        if (big_cmp(rest, b) >= 0) {
            rest = big_sub(rest, b);
            quotient.word[i / 32] |= (uint32_t)1 << i % 32;
        }
    }
    return quotient;
}

/* floor(sqrt(a)), a >= 0: the bits of the root from the highest that fits. */
static inline big big_sqrt(big a) {
    big root = big_of(0);
    int top = 32 * BIG_WORDS - 1;
    while (top > 0 && !(a.word[top / 32] >> top % 32 & 1)) {
        top--;
    }
    for (int i = top / 2; i >= 0; i--) {
        big next = root;
        next.word[i / 32] |= (uint32_t)1 << i % 32;
        if (big_cmp(big_mul(next, next), a) <= 0) {
            root = next;
        }
    }
    return root;
}

/* The value of a, which must fit. */
static inline int64_t big_int64(big a) {
    uint64_t bits = a.word[0] | (uint64_t)a.word[1] << 32;
    return bits <= INT64_MAX ? (int64_t)bits : -(int64_t)(UINT64_MAX - bits) - 1;
}

#endif
