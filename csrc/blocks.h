/* Boxes packed into words, and BLOCK of them tested at once: the one place with vector
 * instructions. Of each function there is a scalar form, for every machine, and where there are
 * instructions a form of them; both give the same for every operand, and -DFXS_NO_BUILTINS takes
 * the scalar one (docs/performance.md, SIMD). */
#ifndef FIXSYNC_BLOCKS_H
#define FIXSYNC_BLOCKS_H

#include "hash.h"
#include "internal.h"

#if !defined(FXS_NO_BUILTINS) && (defined(__SSE2__) || defined(_M_X64))
#define FXS_SSE2 1
#include <emmintrin.h>
#elif !defined(FXS_NO_BUILTINS) && defined(__aarch64__) && defined(__ARM_NEON) && \
    LITTLE_ENDIAN_WORDS
#define FXS_NEON 1
#include <arm_neon.h>
#endif

#define BLOCK 4
#define LANES 16 /* numbers ranked at once */
#define RANKS_END 32768 /* what is ranked is below */
#define FIELD 20 /* bits of a bound in a box */
#define FIELD_MASK (((uint64_t)1 << FIELD) - 1)
#define GUARDS \
    ((uint64_t)1 << FIELD | (uint64_t)1 << (2 * FIELD + 1) | (uint64_t)1 << (3 * FIELD + 2))
#define CARRY              \
    (((uint64_t)1 << 63) - \
     GUARDS) /* added to some of the guards, it reaches bit 63 iff they are all there */

/* Bounds on three axes, quantised to FIELD bits each (rounded down, which keeps order), a guard bit
 * above each field: x in the low field, then z, then y. `most` has its guards set: a box begins
 * before another ends on all axes iff most - least keeps them all. */
typedef struct packed_box {
    uint64_t least, most;
} packed_box;

/* The scalar forms; tests define FXS_SCALAR_FORMS to compare both. */
#if !(defined(FXS_SSE2) || defined(FXS_NEON)) || defined(FXS_SCALAR_FORMS)
/* Of BLOCK boxes, as bits from the lowest: those that meet `box` and whose keys are below `end`.
 * Keys and `end` are at most 2^63 - 1, so that a difference has bit 63 set iff the key is below. */
static inline uint32_t met_of_block_scalar(const uint64_t *keys, const uint64_t *least,
                                           const uint64_t *most, packed_box box, uint64_t end) {
    uint32_t met = 0;
    for (uint32_t k = 0; k < BLOCK; k++) {
        uint64_t kept = (box.most - least[k]) & (most[k] - box.least) & GUARDS;
        met |= (uint32_t)(((kept + CARRY) & (keys[k] - end)) >> 63) << k;
    }
    return met;
}

/* Writes BLOCK sums of v. */
static inline void add_to_block_scalar(uint64_t *to, const uint64_t *from, uint64_t v) {
    for (uint32_t k = 0; k < BLOCK; k++) {
        to[k] = from[k] + v;
    }
}

/* How many of n numbers are below each of LANES numbers: where those would be, if all were
 * sorted. */
static inline void rank_lanes_scalar(const uint16_t *all, uint64_t n, const uint16_t *lanes,
                                     uint16_t *ranks) {
    for (uint32_t k = 0; k < LANES; k++) {
        uint16_t below = 0;
        for (uint64_t i = 0; i < n; i++) {
            below = (uint16_t)(below + (all[i] < lanes[k]));
        }
        ranks[k] = below;
    }
}

/* Of four signed 32-bit numbers, little-endian at p: whether any is not from the least to the most
 * given as pairs, which differ by less than 2^31. */
static inline uint32_t beyond_scalar(const uint8_t *p, const uint64_t least[2],
                                     const uint64_t most[2]) {
    uint32_t above = 0;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t v = read32(p + 4 * k), from = (uint32_t)(least[k / 2] >> (k % 2 * 32)),
                 to = (uint32_t)(most[k / 2] >> (k % 2 * 32));
        above |= v - from > to - from;
    }
    return above;
}

/* Whether four such numbers are no further from 0 than SHORT, and the next four in their ranges. */
static inline int are_within_scalar(const uint8_t *p, const uint64_t least[2],
                                    const uint64_t most[2]) {
    static const uint64_t FROM[2] = {SHORT_LEAST, SHORT_LEAST}, TO[2] = {SHORT_MOST, SHORT_MOST};
    return (beyond_scalar(p, FROM, TO) | beyond_scalar(p + 16, least, most)) == 0;
}
#endif

#if defined(FXS_SSE2)
static inline __m128i load_two(const uint64_t *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline __m128i both(uint64_t v) { return _mm_set1_epi64x((long long)v); }

static inline __m128i met_of_two(const uint64_t *keys, const uint64_t *least, const uint64_t *most,
                                 packed_box box, uint64_t end) {
    __m128i kept = _mm_and_si128(_mm_sub_epi64(both(box.most), load_two(least)),
                                 _mm_sub_epi64(load_two(most), both(box.least)));
    __m128i carried = _mm_add_epi64(_mm_and_si128(kept, both(GUARDS)), both(CARRY));
    return _mm_and_si128(carried, _mm_sub_epi64(load_two(keys), both(end)));
}

/* Halving the numbers' width three times keeps their signs, and makes a byte of each. */
static inline uint32_t met_of_block(const uint64_t *keys, const uint64_t *least,
                                    const uint64_t *most, packed_box box, uint64_t end) {
    __m128i low = met_of_two(keys, least, most, box, end),
            high = met_of_two(keys + 2, least + 2, most + 2, box, end);
    __m128i narrow = _mm_packs_epi16(low, high);
    narrow = _mm_packs_epi16(narrow, narrow);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(narrow, narrow)) & 15;
}

static inline void add_to_block(uint64_t *to, const uint64_t *from, uint64_t v) {
    const __m128i low = load_two(from), high = load_two(from + 2);
    _mm_storeu_si128((__m128i *)to, _mm_add_epi64(low, both(v)));
    _mm_storeu_si128((__m128i *)(to + 2), _mm_add_epi64(high, both(v)));
}

static inline void rank_lanes(const uint16_t *all, uint64_t n, const uint16_t *lanes,
                              uint16_t *ranks) {
    const __m128i low = _mm_loadu_si128((const __m128i *)lanes),
                  high = _mm_loadu_si128((const __m128i *)(lanes + LANES / 2));
    __m128i below_low = _mm_setzero_si128(), below_high = below_low;
    for (uint64_t i = 0; i < n; i++) {
        __m128i v = _mm_set1_epi16((short)all[i]);
        below_low = _mm_sub_epi16(below_low, _mm_cmpgt_epi16(low, v));
        below_high = _mm_sub_epi16(below_high, _mm_cmpgt_epi16(high, v));
    }
    _mm_storeu_si128((__m128i *)ranks, below_low);
    _mm_storeu_si128((__m128i *)(ranks + LANES / 2), below_high);
}

/* A lane's top bit is set where its number is beyond its range. */
static inline __m128i beyond(const uint8_t *p, __m128i least, __m128i most) {
    const __m128i v = _mm_loadu_si128((const __m128i *)p);
    return _mm_or_si128(_mm_sub_epi32(v, least), _mm_sub_epi32(most, v));
}

static inline int are_within(const uint8_t *p, const uint64_t least[2], const uint64_t most[2]) {
    const __m128i first = beyond(p, _mm_set1_epi32(-SHORT), _mm_set1_epi32(SHORT)),
                  next = beyond(p + 16, load_two(least), load_two(most));
    return (_mm_movemask_epi8(_mm_or_si128(first, next)) & 0x8888) == 0;
}
#elif defined(FXS_NEON)
static inline uint32x2_t met_of_two(const uint64_t *keys, const uint64_t *least,
                                    const uint64_t *most, packed_box box, uint64_t end) {
    uint64x2_t kept = vandq_u64(vsubq_u64(vdupq_n_u64(box.most), vld1q_u64(least)),
                                vsubq_u64(vld1q_u64(most), vdupq_n_u64(box.least)));
    uint64x2_t carried = vaddq_u64(vandq_u64(kept, vdupq_n_u64(GUARDS)), vdupq_n_u64(CARRY)),
               below = vsubq_u64(vld1q_u64(keys), vdupq_n_u64(end));
    return vshrn_n_u64(vandq_u64(carried, below), 32);
}

static inline uint32_t met_of_block(const uint64_t *keys, const uint64_t *least,
                                    const uint64_t *most, packed_box box, uint64_t end) {
    static const int32_t PLACE[BLOCK] = {0, 1, 2, 3};
    uint32x4_t high = vcombine_u32(met_of_two(keys, least, most, box, end),
                                   met_of_two(keys + 2, least + 2, most + 2, box, end));
    return vaddvq_u32(vshlq_u32(vshrq_n_u32(high, 31), vld1q_s32(PLACE)));
}

static inline void add_to_block(uint64_t *to, const uint64_t *from, uint64_t v) {
    const uint64x2_t low = vld1q_u64(from), high = vld1q_u64(from + 2);
    vst1q_u64(to, vaddq_u64(low, vdupq_n_u64(v)));
    vst1q_u64(to + 2, vaddq_u64(high, vdupq_n_u64(v)));
}

static inline void rank_lanes(const uint16_t *all, uint64_t n, const uint16_t *lanes,
                              uint16_t *ranks) {
    const uint16x8_t low = vld1q_u16(lanes), high = vld1q_u16(lanes + LANES / 2);
    uint16x8_t below_low = vdupq_n_u16(0), below_high = below_low;
    for (uint64_t i = 0; i < n; i++) {
        uint16x8_t v = vdupq_n_u16(all[i]);
        below_low = vsubq_u16(below_low, vcgtq_u16(low, v));
        below_high = vsubq_u16(below_high, vcgtq_u16(high, v));
    }
    vst1q_u16(ranks, below_low);
    vst1q_u16(ranks + LANES / 2, below_high);
}

/* A lane's top bit is set where its number is beyond its range. */
static inline uint32x4_t beyond(const uint8_t *p, uint32x4_t least, uint32x4_t most) {
    const uint32x4_t v = vreinterpretq_u32_u8(vld1q_u8(p));
    return vorrq_u32(vsubq_u32(v, least), vsubq_u32(most, v));
}

static inline int are_within(const uint8_t *p, const uint64_t least[2], const uint64_t most[2]) {
    const uint32x4_t first = beyond(p, vdupq_n_u32((uint32_t)-SHORT), vdupq_n_u32(SHORT)),
                     next = beyond(p + 16, vreinterpretq_u32_u64(vld1q_u64(least)),
                                   vreinterpretq_u32_u64(vld1q_u64(most)));
    return vmaxvq_u32(vorrq_u32(first, next)) >> 31 == 0;
}
#else
static inline uint32_t met_of_block(const uint64_t *keys, const uint64_t *least,
                                    const uint64_t *most, packed_box box, uint64_t end) {
    return met_of_block_scalar(keys, least, most, box, end);
}

static inline void add_to_block(uint64_t *to, const uint64_t *from, uint64_t v) {
    add_to_block_scalar(to, from, v);
}

static inline void rank_lanes(const uint16_t *all, uint64_t n, const uint16_t *lanes,
                              uint16_t *ranks) {
    rank_lanes_scalar(all, n, lanes, ranks);
}

static inline int are_within(const uint8_t *p, const uint64_t least[2], const uint64_t most[2]) {
    return are_within_scalar(p, least, most);
}
#endif

/* Appends first + k for each bit k of `met`: where the list then ends. There is room for BLOCK. */
static inline uint64_t *keep_of_block(uint64_t *list, uint64_t first, uint32_t met) {
    static const uint64_t KEPT[1 << BLOCK][BLOCK] = {
        {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
        {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    static const uint8_t COUNT[1 << BLOCK] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    add_to_block(list, KEPT[met], first);
    return list + COUNT[met];
}

/* How many of BLOCK ascending keys are below `end`. */
static inline uint64_t below_in_block(const uint64_t *keys, uint64_t end) {
    uint64_t n = keys[0] < end;
    n += keys[1] < end;
    n += keys[2] < end;
    n += keys[3] < end;
    return n;
}

#endif
