/* Sorting: keys of 64 bits, and ids. No two are equal. */
#include "sort.h"
#include "blocks.h"

/* How many digits to sort by: few passes over the keys, but counts that are not many more than the
 * keys. */
static uint32_t choose_passes(const fxs_world *w, uint64_t n, uint32_t bits) {
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t passes = (bits + w->digit_bits - 1) / w->digit_bits; passes && passes <= bits;
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
        uint64_t less = 0;
        for (uint64_t j = 0; j < n; j++) {
            less += keys[j] < keys[i];
        }
        to[less] = keys[i];
    }
}

/* LSD radix sort by digits of about the same width; a digit that is the same in every key costs one
 * read. */
uint64_t *fxs_sorted(const fxs_world *w, uint64_t *keys, uint64_t *spare, uint64_t n, uint32_t low,
                     uint32_t bits) {
    uint32_t passes = choose_passes(w, n, bits), width = passes ? (bits + passes - 1) / passes : 0;
    uint32_t *ends = (uint32_t *)at(w, w->digits_at);
    for (uint32_t done = 0; done < bits; done += width) {
        uint32_t shift = low + done, most = bits - done < width ? bits - done : width,
                 mask = (1u << most) - 1, sum = 0;
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

void fxs_sort(const fxs_world *w, uint64_t *keys, uint64_t *spare, uint64_t n, uint32_t low,
              uint32_t bits) {
    const uint64_t *done = spare;
    if (n <= FEW_KEYS) {
        fxs_sort_few(keys, n, spare);
    } else {
        done = fxs_sorted(w, keys, spare, n, low, bits);
    }
    if (done != keys) {
        memcpy(keys, done, (size_t)n * sizeof *keys);
    }
}

/* ---- ids ---- */

#define FEW_SORTED 6 /* so few ids are sorted as keys */
#define SUMMARIES_MAX 64
#define RANKED_MAX (2 * LANES)

/* As members of a set, which is empty before and after: each sets a bit, of which a second set
 * holds the words with members. Only the branch at the end of a word depends on chance. */
static void sort_as_set(uint64_t *set, uint64_t *ids, uint64_t n, uint64_t summaries) {
    uint64_t summary[SUMMARIES_MAX];
    memset(summary, 0, (size_t)summaries * sizeof *summary);
    for (uint64_t i = 0; i < n; i++) {
        set[ids[i] >> 6] |= (uint64_t)1 << (ids[i] & 63);
        summary[ids[i] >> 12] |= (uint64_t)1 << (ids[i] >> 6 & 63);
    }
    for (uint64_t i = 0; i < summaries; i++) {
        for (uint64_t words = summary[i]; words; words &= words - 1) {
            uint64_t word = i * 64 + trailing_zeros(words), bits = set[word];
            set[word] = 0;
            do {
                *ids++ = word * 64 + trailing_zeros(bits);
                bits &= bits - 1;
            } while (bits);
        }
    }
}

/* By how many are below each, without branches; n <= RANKED_MAX. */
static void sort_by_ranks(const uint64_t *ids, uint64_t n, uint32_t *out) {
    uint16_t number[RANKED_MAX] = {0}, rank[RANKED_MAX];
    for (uint64_t i = 0; i < n; i++) {
        number[i] = (uint16_t)ids[i];
    }
    for (uint64_t i = 0; i < n; i += LANES) {
        rank_lanes(number, n, number + i, rank + i);
    }
    for (uint64_t i = 0; i < n; i++) {
        out[rank[i]] = number[i];
    }
}

void fxs_sort_ids(fxs_world *w, uint64_t *ids, uint64_t n, uint32_t *out) {
    uint64_t summaries = (w->capacity + (uint64_t)4095) / 4096;
    if (n <= RANKED_MAX && w->capacity <= RANKS_END) {
        sort_by_ranks(ids, n, out);
        return;
    }
    if (n > FEW_SORTED && summaries <= n && summaries <= SUMMARIES_MAX) {
        sort_as_set(mark_set(w), ids, n, summaries);
    } else {
        fxs_sort(w, ids, (uint64_t *)at(w, w->sorted_at), n, 0, bit_length(w->capacity - 1));
    }
    for (uint64_t i = 0; i < n; i++) {
        out[i] = (uint32_t)ids[i];
    }
}
