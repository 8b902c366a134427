/* What the callers of the public functions ask about kinds of shapes: counted from SHAPE_KINDS, so that a new kind is in all of them. */
#ifndef FIXSYNC_TESTS_KINDS_H
#define FIXSYNC_TESTS_KINDS_H

#include "shape.h"

#define BODY_KIND_BIT(code, name, sizes, shape_class, corners, front, ranges) \
    | (BODY_BITS >> shape_class & 1) << code
#define COUNT_BODY_KIND(code, name, sizes, shape_class, corners, front, ranges) \
    +(BODY_BITS >> shape_class & 1)
enum {
    ALL_KINDS = (1 << KIND_COUNT) - 1, /* a bit for each */
    BODY_KINDS = 0 SHAPE_KINDS(BODY_KIND_BIT),
    BODY_KIND_COUNT = 0 SHAPE_KINDS(COUNT_BODY_KIND)
};

static inline int is_body_kind(uint32_t kind) { return BODY_KINDS >> kind & 1; }

/* Number n of the kinds that are bodies. */
static inline uint32_t body_kind(uint32_t n) {
    for (uint32_t kind = 0;; kind++) {
        if (is_body_kind(kind)) {
            if (n == 0) {
                return kind;
            }
            n--;
        }
    }
}

/* How many of size[0], size[1], size[2] a kind has, without a hole. */
static inline uint32_t sizes_of_kind(uint32_t kind) {
#define SIZES_OF_KIND(code, name, sizes, shape_class, corners, front, ranges) sizes,
    static const uint8_t SIZES[] = {SHAPE_KINDS(SIZES_OF_KIND)};
    return SIZES[kind];
}

/* Takes the sizes of a polygon into their ranges; those of other kinds begin at 0 or 1 and end at FXS_SIZE_MAX. */
static inline void into_ranges(uint32_t kind, int32_t size[3]) {
#define RANGES(n0, l0, m0, n1, l1, m1, n2, l2, m2, la, ma) \
    {                                                      \
        {l0, m0}, {l1, m1}, { l2, m2 }                     \
    }
#define RANGES_OF_KIND(code, name, sizes, shape_class, corners, front, ranges) ranges,
    static const int32_t ENDS[][3][2] = {SHAPE_KINDS(RANGES_OF_KIND)};
#undef RANGES
    for (int i = 0; i < 3 && (POLYGON_KINDS >> kind & 1); i++) {
        size[i] = (int32_t)min64(max64(size[i], ENDS[kind][i][0]), ENDS[kind][i][1]);
    }
}

static inline int has_half_height(uint32_t kind) { return sizes_of_kind(kind) > 1; }
static inline int has_half_z(uint32_t kind) { return sizes_of_kind(kind) > 2; }

#endif
