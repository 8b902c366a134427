/* Boxes packed into words, and BLOCK of them tested at once: the one file with vector
 * instructions. Of each function there is a scalar form, for every machine, and where there are
 * instructions a form of them; both give the same for every operand, and -DFXS_NO_BUILTINS takes
 * the scalar one (docs/performance.md, Threads and SIMD). */
#ifndef FIXSYNC_BLOCKS_H
#define FIXSYNC_BLOCKS_H

#include "hash.h"
#include "placed_shape.h"

#if !defined(FXS_NO_BUILTINS) && (defined(__SSE2__) || defined(_M_X64))
#define FXS_SSE2 1
#include <emmintrin.h>
#elif !defined(FXS_NO_BUILTINS) && defined(__wasm_simd128__)
#define FXS_SSE2 1 /* the same form: each of its instructions is one of WebAssembly */
#include <wasm_simd128.h>
typedef v128_t __m128i;
#define _mm_loadu_si128 wasm_v128_load
#define _mm_storeu_si128 wasm_v128_store
#define _mm_setzero_si128() wasm_i64x2_const_splat(0)
#define _mm_set1_epi16 wasm_i16x8_splat
#define _mm_set1_epi32 wasm_i32x4_splat
#define _mm_set1_epi64x wasm_i64x2_splat
#define _mm_and_si128 wasm_v128_and
#define _mm_or_si128 wasm_v128_or
#define _mm_xor_si128 wasm_v128_xor
#define _mm_add_epi32 wasm_i32x4_add
#define _mm_add_epi64 wasm_i64x2_add
#define _mm_sub_epi16 wasm_i16x8_sub
#define _mm_sub_epi32 wasm_i32x4_sub
#define _mm_sub_epi64 wasm_i64x2_sub
#define _mm_srli_epi32 wasm_u32x4_shr
#define _mm_cmpgt_epi16 wasm_i16x8_gt
#define _mm_packs_epi16 wasm_i8x16_narrow_i16x8
#define _mm_movemask_epi8 (int)wasm_i8x16_bitmask
#define _mm_movemask_ps (int)wasm_i32x4_bitmask
#define _mm_castsi128_ps(v) (v)
#define _mm_unpacklo_epi32(a, b) wasm_i32x4_shuffle(a, b, 0, 4, 1, 5)
#define _mm_unpackhi_epi32(a, b) wasm_i32x4_shuffle(a, b, 2, 6, 3, 7)
#define _mm_unpacklo_epi64(a, b) wasm_i64x2_shuffle(a, b, 0, 2)
#define _mm_unpackhi_epi64(a, b) wasm_i64x2_shuffle(a, b, 1, 3)
#elif !defined(FXS_NO_BUILTINS) && defined(__aarch64__) && defined(__ARM_NEON) && \
    LITTLE_ENDIAN_WORDS
#define FXS_NEON 1
#include <arm_neon.h>
#endif

#define BLOCK 4
#define LANES 16        /* numbers ranked at once */
#define RANKS_END 32768 /* ranks are below */
#define FIELD 20        /* bits of a bound in a box */
#define FIELD_MASK (((uint64_t)1 << FIELD) - 1)
#define GUARDS \
    ((uint64_t)1 << FIELD | (uint64_t)1 << (2 * FIELD + 1) | (uint64_t)1 << (3 * FIELD + 2))
#define CARRY              \
    (((uint64_t)1 << 63) - \
     GUARDS) /* added to some of the guards, it reaches bit 63 iff they are all there */

/* Bounds on three axes, quantised to FIELD bits each (rounded down, which keeps order), a guard bit
 * above each field: x in the low field, then z, then y. `max` has its guards set: a box begins
 * before another ends on all axes iff max - min keeps them all. */
typedef struct packed_aabb {
    uint64_t min, max;
} packed_aabb;

/* Bounds side by side: the least of all on x, then on y and on z, then the most, `stride` numbers
 * apart. They count steps of 4 raw units, and lie at most 12 raw units outside the bounds, within
 * -2^28 - 2..2^30 + 2^28 + 2, so that no difference overflows. */
#define LANE_BOUNDS 6
#define NO_LEAST ((int32_t)3 << 29)   /* above all of them */
#define NO_MOST (-((int32_t)1 << 29)) /* below all of them */

static inline void clear_lane(int32_t *least, uint64_t stride) {
    least[0] = least[stride] = least[2 * stride] = NO_LEAST;
    least[3 * stride] = least[4 * stride] = least[5 * stride] = NO_MOST;
}

static inline void put_axis(int32_t *least, int32_t *most, int32_t centre, int32_t extent) {
    const int32_t at = (int32_t)(((uint32_t)centre ^ (uint32_t)1 << 31) >> 2); /* rounded down */
    const int32_t on = (int32_t)((uint32_t)extent >> 2) + 1;
    *least = at - on;
    *most = at + on;
}

static inline void put_lane(int32_t *least, uint64_t stride, const placed_shape *s) {
    int32_t *most = least + 3 * stride;
    put_axis(least, most, s->x, s->extent_x);
    put_axis(least + stride, most + stride, s->y, s->extent_y);
    put_axis(least + 2 * stride, most + 2 * stride, s->z, s->extent_z);
}

#if !defined(FXS_SSE2) || defined(FXS_SCALAR_FORMS)
/* Writes the bounds of BLOCK shapes. */
static inline void put_lanes_scalar(int32_t *bounds, uint64_t stride,
                                    const placed_shape *const who[BLOCK]) {
    for (uint32_t k = 0; k < BLOCK; k++) {
        put_lane(bounds + k, stride, who[k]);
    }
}
#endif

/* A bound as a lane has it: a bound beyond those of all colliders stays beyond them. */
static inline int32_t lane_bound(int64_t v) {
    const int64_t far = ((int64_t)1 << 31) + ((int64_t)1 << 30) + 8;
    return (int32_t)((uint64_t)(max64(-far, min64(v, far)) + ((int64_t)1 << 32)) >> 2) -
           ((int32_t)1 << 29);
}

/* The scalar forms; tests define FXS_SCALAR_FORMS to compare both. */
#if !(defined(FXS_SSE2) || defined(FXS_NEON)) || defined(FXS_SCALAR_FORMS)
/* A bit for each of BLOCK boxes, the first lowest: 1 if it meets `box` and its key is below `end`.
 * Keys and `end` are at most 2^63 - 1, so that a difference has bit 63 set iff the key is below. */
static inline uint32_t met_of_block_scalar(const uint64_t *keys, const uint64_t *least,
                                           const uint64_t *most, packed_aabb box, uint64_t end) {
    uint32_t met = 0;
    for (uint32_t k = 0; k < BLOCK; k++) {
        uint64_t kept = (box.max - least[k]) & (most[k] - box.min) & GUARDS;
        met |= (uint32_t)(((kept + CARRY) & (keys[k] - end)) >> 63) << k;
    }
    return met;
}

/* Of BLOCK bounds in lanes, as bits from the lowest: those that meet `box`. */
typedef struct scalar_box {
    int32_t bound[LANE_BOUNDS];
} scalar_box;

static inline scalar_box scalar_box_of(const int32_t *bounds, uint64_t stride) {
    scalar_box box;
    for (uint32_t i = 0; i < LANE_BOUNDS; i++) {
        box.bound[i] = bounds[i * stride];
    }
    return box;
}

static inline uint32_t met_of_lanes_scalar(const int32_t *bounds, uint64_t stride, scalar_box box) {
    uint32_t met = 0;
    for (uint32_t k = 0; k < BLOCK; k++) {
        int32_t apart = 0; /* negative if they are apart on an axis */
        for (uint32_t i = 0; i < 3; i++) {
            apart |= bounds[(i + 3) * stride + k] - box.bound[i];
            apart |= box.bound[i + 3] - bounds[i * stride + k];
        }
        met |= (uint32_t)(apart >= 0) << k;
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
        uint32_t v = read32(p + 4 * k);
        uint32_t from = (uint32_t)(least[k / 2] >> (k % 2 * 32));
        uint32_t to = (uint32_t)(most[k / 2] >> (k % 2 * 32));
        above |= v - from > to - from;
    }
    return above;
}

/* Whether four such numbers are no further from 0 than SHORT, and the next four in their ranges. */
static inline int are_within_scalar(const uint8_t *p, const uint64_t least[2],
                                    const uint64_t most[2]) {
    static const uint64_t FROM[2] = {SHORT_LEAST, SHORT_LEAST};
    static const uint64_t TO[2] = {SHORT_MOST, SHORT_MOST};
    return (beyond_scalar(p, FROM, TO) | beyond_scalar(p + 16, least, most)) == 0;
}
#endif

#if defined(FXS_SSE2)
static inline __m128i load_two(const uint64_t *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline __m128i both(uint64_t v) { return _mm_set1_epi64x((long long)v); }

static inline __m128i met_of_two(const uint64_t *keys, const uint64_t *least, const uint64_t *most,
                                 packed_aabb box, uint64_t end) {
    __m128i kept = _mm_and_si128(_mm_sub_epi64(both(box.max), load_two(least)),
                                 _mm_sub_epi64(load_two(most), both(box.min)));
    __m128i carried = _mm_add_epi64(_mm_and_si128(kept, both(GUARDS)), both(CARRY));
    return _mm_and_si128(carried, _mm_sub_epi64(load_two(keys), both(end)));
}

/* Halving the numbers' width three times keeps their signs, and makes a byte of each. */
static inline uint32_t met_of_block(const uint64_t *keys, const uint64_t *least,
                                    const uint64_t *most, packed_aabb box, uint64_t end) {
    __m128i low = met_of_two(keys, least, most, box, end);
    __m128i high = met_of_two(keys + 2, least + 2, most + 2, box, end);
    __m128i narrow = _mm_packs_epi16(low, high);
    narrow = _mm_packs_epi16(narrow, narrow);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(narrow, narrow)) & 15;
}

/* x, y and z of four, each beside a number of no use, to four of x, of y and of z. */
static inline void put_columns(int32_t *to, uint64_t stride, const __m128i rows[BLOCK]) {
    const __m128i low = _mm_unpacklo_epi32(rows[0], rows[1]);
    const __m128i low_2 = _mm_unpacklo_epi32(rows[2], rows[3]);
    const __m128i high = _mm_unpackhi_epi32(rows[0], rows[1]);
    const __m128i high_2 = _mm_unpackhi_epi32(rows[2], rows[3]);
    _mm_storeu_si128((__m128i *)to, _mm_unpacklo_epi64(low, low_2));
    _mm_storeu_si128((__m128i *)(to + stride), _mm_unpackhi_epi64(low, low_2));
    _mm_storeu_si128((__m128i *)(to + 2 * stride), _mm_unpacklo_epi64(high, high_2));
}

_Static_assert(offsetof(placed_shape, extent_x) == 12, "centre and extents lie side by side");

/* Bounds on x, y and z, each beside a number of no use. */
static inline void put_row(__m128i *least, __m128i *most, const placed_shape *s) {
    const __m128i centre = _mm_loadu_si128((const __m128i *)&s->x);
    const __m128i extent = _mm_loadu_si128((const __m128i *)&s->extent_x);
    const __m128i at = _mm_srli_epi32(_mm_xor_si128(centre, _mm_set1_epi32(INT32_MIN)), 2);
    const __m128i on = _mm_add_epi32(_mm_srli_epi32(extent, 2), _mm_set1_epi32(1));
    *least = _mm_sub_epi32(at, on);
    *most = _mm_add_epi32(at, on);
}

static inline void put_lanes(int32_t *bounds, uint64_t stride,
                             const placed_shape *const who[BLOCK]) {
    __m128i least[BLOCK], most[BLOCK];
    put_row(least, most, who[0]);
    put_row(least + 1, most + 1, who[1]);
    put_row(least + 2, most + 2, who[2]);
    put_row(least + 3, most + 3, who[3]);
    put_columns(bounds, stride, least);
    put_columns(bounds + 3 * stride, stride, most);
}

static inline __m128i lanes_at(const int32_t *p) { return _mm_loadu_si128((const __m128i *)p); }

typedef struct lane_box {
    __m128i bound[LANE_BOUNDS];
} lane_box;

static inline lane_box lane_box_of(const int32_t *bounds, uint64_t stride) {
    const lane_box box = {{_mm_set1_epi32(bounds[0]), _mm_set1_epi32(bounds[stride]),
                           _mm_set1_epi32(bounds[2 * stride]), _mm_set1_epi32(bounds[3 * stride]),
                           _mm_set1_epi32(bounds[4 * stride]), _mm_set1_epi32(bounds[5 * stride])}};
    return box;
}

/* On an axis they are apart where a difference is negative. */
static inline __m128i apart_on(const int32_t *least, uint64_t stride, __m128i box_least,
                               __m128i box_most) {
    return _mm_or_si128(_mm_sub_epi32(lanes_at(least + 3 * stride), box_least),
                        _mm_sub_epi32(box_most, lanes_at(least)));
}

static inline uint32_t met_of_lanes(const int32_t *bounds, uint64_t stride, lane_box box) {
    __m128i on_x = apart_on(bounds, stride, box.bound[0], box.bound[3]);
    __m128i on_y = apart_on(bounds + stride, stride, box.bound[1], box.bound[4]);
    __m128i on_z = apart_on(bounds + 2 * stride, stride, box.bound[2], box.bound[5]);
    const __m128i apart = _mm_or_si128(_mm_or_si128(on_x, on_y), on_z);
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(apart)) ^ 15;
}

static inline void add_to_block(uint64_t *to, const uint64_t *from, uint64_t v) {
    const __m128i low = load_two(from);
    const __m128i high = load_two(from + 2);
    _mm_storeu_si128((__m128i *)to, _mm_add_epi64(low, both(v)));
    _mm_storeu_si128((__m128i *)(to + 2), _mm_add_epi64(high, both(v)));
}

static inline void rank_lanes(const uint16_t *all, uint64_t n, const uint16_t *lanes,
                              uint16_t *ranks) {
    const __m128i low = _mm_loadu_si128((const __m128i *)lanes);
    const __m128i high = _mm_loadu_si128((const __m128i *)(lanes + LANES / 2));
    __m128i below_low = _mm_setzero_si128();
    __m128i below_high = below_low;
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
    const __m128i first = beyond(p, _mm_set1_epi32(-SHORT), _mm_set1_epi32(SHORT));
    const __m128i next = beyond(p + 16, load_two(least), load_two(most));
    return (_mm_movemask_epi8(_mm_or_si128(first, next)) & 0x8888) == 0;
}
#elif defined(FXS_NEON)
static inline uint32x2_t met_of_two(const uint64_t *keys, const uint64_t *least,
                                    const uint64_t *most, packed_aabb box, uint64_t end) {
    uint64x2_t kept = vandq_u64(vsubq_u64(vdupq_n_u64(box.max), vld1q_u64(least)),
                                vsubq_u64(vld1q_u64(most), vdupq_n_u64(box.min)));
    uint64x2_t carried = vaddq_u64(vandq_u64(kept, vdupq_n_u64(GUARDS)), vdupq_n_u64(CARRY));
    uint64x2_t below = vsubq_u64(vld1q_u64(keys), vdupq_n_u64(end));
    return vshrn_n_u64(vandq_u64(carried, below), 32);
}

static inline uint32_t met_of_block(const uint64_t *keys, const uint64_t *least,
                                    const uint64_t *most, packed_aabb box, uint64_t end) {
    static const int32_t LANE[BLOCK] = {0, 1, 2, 3};
    uint32x4_t high = vcombine_u32(met_of_two(keys, least, most, box, end),
                                   met_of_two(keys + 2, least + 2, most + 2, box, end));
    return vaddvq_u32(vshlq_u32(vshrq_n_u32(high, 31), vld1q_s32(LANE)));
}

static inline void put_lanes(int32_t *bounds, uint64_t stride,
                             const placed_shape *const who[BLOCK]) {
    put_lanes_scalar(bounds, stride, who);
}

typedef struct lane_box {
    int32x4_t bound[LANE_BOUNDS];
} lane_box;

static inline lane_box lane_box_of(const int32_t *bounds, uint64_t stride) {
    lane_box box;
    for (uint32_t i = 0; i < LANE_BOUNDS; i++) {
        box.bound[i] = vld1q_dup_s32(bounds + i * stride);
    }
    return box;
}

static inline uint32_t met_of_lanes(const int32_t *bounds, uint64_t stride, lane_box box) {
    static const int32_t LANE[BLOCK] = {0, 1, 2, 3};
    int32x4_t apart = vdupq_n_s32(0);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const int32x4_t least = vld1q_s32(bounds + axis * stride);
        const int32x4_t most = vld1q_s32(bounds + (axis + 3) * stride);
        apart = vorrq_s32(apart, vsubq_s32(most, box.bound[axis]));
        apart = vorrq_s32(apart, vsubq_s32(box.bound[axis + 3], least));
    }
    const uint32x4_t met = vshrq_n_u32(vmvnq_u32(vreinterpretq_u32_s32(apart)), 31);
    return vaddvq_u32(vshlq_u32(met, vld1q_s32(LANE)));
}

static inline void add_to_block(uint64_t *to, const uint64_t *from, uint64_t v) {
    const uint64x2_t low = vld1q_u64(from);
    const uint64x2_t high = vld1q_u64(from + 2);
    vst1q_u64(to, vaddq_u64(low, vdupq_n_u64(v)));
    vst1q_u64(to + 2, vaddq_u64(high, vdupq_n_u64(v)));
}

static inline void rank_lanes(const uint16_t *all, uint64_t n, const uint16_t *lanes,
                              uint16_t *ranks) {
    const uint16x8_t low = vld1q_u16(lanes);
    const uint16x8_t high = vld1q_u16(lanes + LANES / 2);
    uint16x8_t below_low = vdupq_n_u16(0);
    uint16x8_t below_high = below_low;
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
    const uint32x4_t first = beyond(p, vdupq_n_u32((uint32_t)-SHORT), vdupq_n_u32(SHORT));
    const uint32x4_t next = beyond(p + 16, vreinterpretq_u32_u64(vld1q_u64(least)),
                                   vreinterpretq_u32_u64(vld1q_u64(most)));
    return vmaxvq_u32(vorrq_u32(first, next)) >> 31 == 0;
}
#else
static inline void put_lanes(int32_t *bounds, uint64_t stride,
                             const placed_shape *const who[BLOCK]) {
    put_lanes_scalar(bounds, stride, who);
}

typedef scalar_box lane_box;
static inline lane_box lane_box_of(const int32_t *bounds, uint64_t stride) {
    return scalar_box_of(bounds, stride);
}

static inline uint32_t met_of_lanes(const int32_t *bounds, uint64_t stride, lane_box box) {
    return met_of_lanes_scalar(bounds, stride, box);
}

static inline uint32_t met_of_block(const uint64_t *keys, const uint64_t *least,
                                    const uint64_t *most, packed_aabb box, uint64_t end) {
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

/* For each mask of BLOCK bits, the indices of its bits, ascending, and their number. */
#define KEPT_OF_BLOCK                                                         \
    {{0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2}, \
     {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}}
static const uint8_t COUNT_OF_BLOCK[1 << BLOCK] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

/* Appends first + k for each bit k of `met`: where the list then ends. There is room for BLOCK. */
static inline uint64_t *keep_of_block(uint64_t *list, uint64_t first, uint32_t met) {
    static const uint64_t KEPT[1 << BLOCK][BLOCK] = KEPT_OF_BLOCK;
    add_to_block(list, KEPT[met], first);
    return list + COUNT_OF_BLOCK[met];
}

/* The same in numbers of 16 bits, of which a word has BLOCK. `first_each` is first * EACH; first is
 * at most 2^16 - BLOCK, so that no sum carries into the next. */
#define EACH (UINT64_MAX / UINT16_MAX)
static inline uint16_t *keep_short(uint16_t *list, uint64_t first_each, uint32_t met) {
    static const uint16_t KEPT[1 << BLOCK][BLOCK] = KEPT_OF_BLOCK;
    uint64_t word;
    memcpy(&word, KEPT[met], sizeof word);
    word += first_each;
    memcpy(list, &word, sizeof word);
    return list + COUNT_OF_BLOCK[met];
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
