/* What the callers of the public functions ask about kinds of shapes: counted from SHAPE_KINDS, so that a new kind is in all of them. */
#ifndef FIXSYNC_TESTS_KINDS_H
#define FIXSYNC_TESTS_KINDS_H

#include "shape.h"

#define BODY_KIND_BIT(code, name, sizes, shape_class, corners, traits, ranges) \
    | (BODY_BITS >> shape_class & 1) << code
#define COUNT_BODY_KIND(code, name, sizes, shape_class, corners, traits, ranges) \
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
#define SIZES_OF_KIND(code, name, sizes, shape_class, corners, traits, ranges) sizes,
    static const uint8_t SIZES[] = {SHAPE_KINDS(SIZES_OF_KIND)};
    return SIZES[kind];
}

static inline int has_half_height(uint32_t kind) { return sizes_of_kind(kind) > 1; }
static inline int has_half_z(uint32_t kind) { return sizes_of_kind(kind) > 2; }

#endif
