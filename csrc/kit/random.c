/* Seeded random numbers: SplitMix64. */
#include "../fixsync_kit.h"

/* Weyl increment and multipliers: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators" (2014), with Stafford's variant 13 of the mixing function. */
#define STEP 0x9E3779B97F4A7C15u
#define MIX_1 0xBF58476D1CE4E5B9u
#define MIX_2 0x94D049BB133111EBu

uint64_t fxs_random_next(uint64_t *state) {
    *state += STEP;
    uint64_t z = *state;
    z = (z ^ z >> 30) * MIX_1;
    z = (z ^ z >> 27) * MIX_2;
    return z ^ z >> 31;
}

uint64_t fxs_random_below(uint64_t *state, uint64_t count) {
    if (count == 0) {
        return fxs_random_next(state);
    }
    /* 2^64 % count: so many of the greatest numbers would favour the small remainders. */
    uint64_t excess = ((uint64_t)0 - count) % count;
    uint64_t number = fxs_random_next(state);
    while (number > UINT64_MAX - excess) {
        number = fxs_random_next(state);
    }
    return number % count;
}

int32_t fxs_random_between(uint64_t *state, int64_t low, int64_t high, int64_t *out) {
    if (low > high) {
        return FXS_E_RANGE;
    }
    uint64_t count = (uint64_t)high - (uint64_t)low + 1; /* 0 for all 2^64 */
    uint64_t offset = fxs_random_below(state, count);
    /* low + offset in parts below 2^63: no sum leaves int64. */
    int64_t half = (int64_t)(offset / 2);
    *out = low + half + half + (int64_t)(offset % 2);
    return FXS_OK;
}

int32_t fxs_random_chance(uint64_t *state, uint64_t numerator, uint64_t denominator) {
    if (denominator == 0) {
        return FXS_E_RANGE;
    }
    return fxs_random_below(state, denominator) < numerator;
}

static void swap(uint8_t *a, uint8_t *b, uint64_t size) {
    for (uint64_t i = 0; i < size; i++) {
        uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

void fxs_random_shuffle(uint64_t *state, uint8_t *items, uint64_t count, uint64_t item_size) {
    for (uint64_t left = count; left > 1; left--) {
        uint64_t other = fxs_random_below(state, left);
        swap(items + (left - 1) * item_size, items + other * item_size, item_size);
    }
}
