/* Sorting keys of 64 bits. */
#include "sort.h"
#include "integer.h"

/* How many digits to sort by: few passes over the keys, but counts that are not many more than the
 * keys. */
static uint32_t choose_passes(uint32_t digit_bits, uint64_t n, uint32_t bits) {
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t passes = (bits + digit_bits - 1) / digit_bits; passes && passes <= bits;
         passes++) {
        uint64_t cost = passes * (2 * n + ((uint64_t)1 << (bits + passes - 1) / passes));
        if (cost >= least) {
            break;
        }
        least = cost;
        best = passes;
    }
    return best;
}

void fxs_sort_few(const uint64_t *keys, uint64_t n, uint64_t *to) {
    for (uint64_t i = 0; i < n; i++) {
        FXS_ASSERT(n <= FEW_KEYS);
        uint64_t less = 0;
        for (uint64_t j = 0; j < n; j++) {
            less += keys[j] < keys[i];
        }
        to[less] = keys[i];
    }
}

/* LSD radix sort by digits of about the same width; a digit that is the same in every key costs one
 * read. */
uint64_t *fxs_sorted(digit_counts digits, uint64_t *keys, uint64_t *spare, uint64_t n, uint32_t low,
                     uint32_t bits) {
    const uint32_t passes = choose_passes(digits.bits, n, bits);
    const uint32_t width = passes ? (bits + passes - 1) / passes : 0;
    uint32_t *ends = digits.counts;
    FXS_ASSERT(n > 0 && width <= digits.bits);
    for (uint32_t done = 0; done < bits; done += width) {
        const uint32_t shift = low + done;
        const uint32_t most = bits - done < width ? bits - done : width;
        const uint32_t mask = (1u << most) - 1;
        uint32_t sum = 0;
        memset(ends, 0, sizeof *ends << most);
        for (uint64_t i = 0; i < n; i++) {
            ends[keys[i] >> shift & mask]++;
        }
        if (ends[keys[0] >> shift & mask] == n) {
            continue;
        }
        for (uint32_t digit = 0; digit <= mask; digit++) {
            uint32_t here = ends[digit];
            ends[digit] = sum;
            sum += here;
        }
        for (uint64_t i = 0; i < n; i++) {
            uint64_t key = keys[i];
            spare[ends[key >> shift & mask]++] = key;
        }
        uint64_t *swap = keys;
        keys = spare;
        spare = swap;
    }
    return keys;
}

void fxs_sort(digit_counts digits, uint64_t *keys, uint64_t *spare, uint64_t n, uint32_t low,
              uint32_t bits) {
    const uint64_t *done = spare;
    if (n <= FEW_KEYS) {
        fxs_sort_few(keys, n, spare);
    } else {
        done = fxs_sorted(digits, keys, spare, n, low, bits);
    }
    if (done != keys) {
        memcpy(keys, done, (size_t)n * sizeof *keys);
    }
}
