/* Sorting keys, which are 64-bit words. No two of them are equal. */
#ifndef FIXSYNC_SORT_H
#define FIXSYNC_SORT_H

#include "compiler.h"

/* Sorts at most FEW_KEYS keys into `to`, by how many are less than each: no branch depends on
 * chance. */
enum { FEW_KEYS = 32 };
FXS_INTERNAL void fxs_sort_few(const uint64_t *keys, uint64_t n, uint64_t *to);

/* Scratch of a radix sort: 2^bits counts. */
typedef struct digit_counts {
    uint32_t *counts;
    uint32_t bits;
} digit_counts;

/* Sorts n keys, n > 0, all below 2^(low + bits), by the bits from bit `low` on; keys that are equal
 * in these bits keep their order. `spare` has room for n. Returns where the sorted keys are: `keys`
 * or `spare`. */
FXS_INTERNAL uint64_t *fxs_sorted(digit_counts digits, uint64_t *keys, uint64_t *spare, uint64_t n,
                                  uint32_t low, uint32_t bits);

/* The same, with the sorted keys in `keys`. Few keys are sorted by all of their bits. */
FXS_INTERNAL void fxs_sort(digit_counts digits, uint64_t *keys, uint64_t *spare, uint64_t n,
                           uint32_t low, uint32_t bits);

#endif
