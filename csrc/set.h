/* Sets of ids: bit i of the words is id i. */
#ifndef FIXSYNC_SET_H
#define FIXSYNC_SET_H

#include "integer.h"

static inline uint64_t set_words(uint32_t capacity) { return ((uint64_t)capacity + 63) / 64; }
static inline size_t set_size(uint32_t capacity) {
    return (size_t)set_words(capacity) * 8;
} /* in bytes */
static inline int set_has(const uint64_t *set, uint32_t id) {
    return (int)(set[id >> 6] >> (id & 63) & 1);
}
static inline void set_put(uint64_t *set, uint32_t id) { set[id >> 6] |= (uint64_t)1 << (id & 63); }
/* From `first` on, up to but without `end`. */
static inline void set_put_run(uint64_t *set, uint32_t first, uint32_t end) {
    FXS_ASSERT(first < end);
    uint64_t bits = ~(((uint64_t)1 << (first & 63)) - 1);
    for (uint32_t word = first >> 6; word < (end - 1) >> 6; word++) {
        set[word] |= bits;
        bits = UINT64_MAX;
    }
    set[(end - 1) >> 6] |= bits & (UINT64_MAX >> (63 - ((end - 1) & 63)));
}
static inline void set_drop(uint64_t *set, uint32_t id) {
    set[id >> 6] &= ~((uint64_t)1 << (id & 63));
}

/* The least member >= from, or the capacity where no member is. from <= capacity. */
static inline uint32_t set_next(const uint64_t *set, uint32_t from, uint32_t capacity) {
    FXS_ASSERT(from <= capacity);
    uint64_t word = from >> 6;
    uint64_t words = set_words(capacity);
    if (word < words) {
        uint64_t bits = set[word] >> (from & 63) << (from & 63);
        while (bits == 0 && ++word < words) {
            bits = set[word];
        }
        if (bits) {
            return (uint32_t)(word * 64) + trailing_zeros(bits);
        }
    }
    return capacity;
}

#endif
