/* Contact of placed shapes. */
#ifndef FIXSYNC_CONTACT_H
#define FIXSYNC_CONTACT_H

#include "placed_shape.h"

/* Contact of any two placed shapes. */
FXS_INTERNAL int fxs_placed_contact(const placed_shape *a, const placed_shape *b);

/* The same of two that are near: on every axis the gap between their extents is at most
 * NEAR_GAP. */
#define NEAR_GAP (1 << 15)
FXS_INTERNAL int fxs_near_contact(const placed_shape *a, const placed_shape *b);

/* Contact with an upright cylinder of a level, whose bounds s meets. gap: how far s is above or
 * below it, negative if it is neither. */
FXS_INTERNAL int fxs_cylinder_solid_contact(const placed_shape *s, int32_t x, int32_t z,
                                            int32_t radius, int64_t gap);

#define NAME_OF_PAIR(a, b) a##_##b,
typedef enum class_pair { CLASS_PAIRS(NAME_OF_PAIR) PAIR_COUNT } class_pair;
#define INDEX_OF_PAIR(a, b) ((int)(b) == POLYGON ? (int)ANY_POLYGON : (b) * ((b) + 1) / 2 + (a))
#define PAIR_IS_AT(a, b) \
    _Static_assert(a##_##b == (int)INDEX_OF_PAIR(a, b), "pairs ascend by the greater class");
CLASS_PAIRS(PAIR_IS_AT)
_Static_assert((int)ANY_POLYGON == (int)POLYGON * (POLYGON + 1) / 2 &&
                   (int)POLYGON + 1 == (int)SHAPE_CLASS_COUNT,
               "every two classes are a pair, and POLYGON is the last class");

/* In a switch over pairs of bodies, the cases of the pairs that never come there. */
#define CASE_OF_PAIR(a, b) case a##_##b:
#define CASES_OF_NO_BODIES AREA_PAIRS(CASE_OF_PAIR) case PAIR_COUNT

/* How many pairs have kinds. */
enum { PAIRS_END = POLYGON_KINDS ? PAIR_COUNT : ANY_POLYGON };

/* The lesser class of a pair, and the greater one. */
static inline shape_class lesser_of(class_pair of) {
    switch (of) {
#define LESSER_OF_PAIR(a, b) \
    case a##_##b: return (shape_class)a;
        CLASS_PAIRS(LESSER_OF_PAIR)
    case PAIR_COUNT: break;
    }
    return SHAPE_CLASS_COUNT;
}
static inline shape_class greater_of(class_pair of) {
    switch (of) {
#define GREATER_OF_PAIR(a, b) \
    case a##_##b: return b;
        CLASS_PAIRS(GREATER_OF_PAIR)
    case PAIR_COUNT: break;
    }
    return SHAPE_CLASS_COUNT;
}

/* The order of two kinds: their pair, and whether the second one has the lesser class. */
typedef struct pair_order {
    class_pair pair;
    uint32_t is_swapped;
} pair_order;

static inline pair_order order_of_kinds(uint32_t a, uint32_t b) {
    enum { SWAPPED = 128 };
#define ORDERED_INDEX(a, b) ((a) <= (b) ? INDEX_OF_PAIR(a, b) : INDEX_OF_PAIR(b, a) + SWAPPED)
#define ORDERS_OF_KIND(code, name, sizes, shape_class, corners, front, ranges)                   \
    {ORDERED_INDEX((int)shape_class, CLASS_OF(0)), ORDERED_INDEX((int)shape_class, CLASS_OF(1)), \
     ORDERED_INDEX((int)shape_class, CLASS_OF(2)), ORDERED_INDEX((int)shape_class, CLASS_OF(3)), \
     ORDERED_INDEX((int)shape_class, CLASS_OF(4)), ORDERED_INDEX((int)shape_class, CLASS_OF(5)), \
     ORDERED_INDEX((int)shape_class, CLASS_OF(6)), ORDERED_INDEX((int)shape_class, CLASS_OF(7))},
    static const uint8_t OF[KIND_COUNT][KIND_CODES] = {SHAPE_KINDS(ORDERS_OF_KIND)};
    const uint32_t index = OF[a][b];
    FXS_ASSERT(a < KIND_COUNT && b < KIND_COUNT && index % SWAPPED < PAIR_COUNT);
    const pair_order order = {(class_pair)(index % SWAPPED), index & SWAPPED};
    return order;
}

/* Two shapes in the order of their classes: the lesser one first. */
typedef struct ordered {
    class_pair pair;
    uint32_t is_swapped; /* a and b of ordered_pair are `second` and `first` */
    const placed_shape *first, *second;
} ordered;

static inline ordered ordered_pair(const placed_shape *a, const placed_shape *b) {
    const pair_order order = order_of_kinds(a->kind, b->kind);
    const ordered o = {order.pair, order.is_swapped, order.is_swapped ? b : a,
                       order.is_swapped ? a : b};
    return o;
}

/* The hits among n pairs of indices in `all` (each first << 32 | second), packed as in hit.h:
 * writes them, and needs room for n of them. Returns the count. All pairs are of this pair of
 * classes, the lesser first, and near. */
FXS_INTERNAL uint32_t fxs_placed_hits(const placed_shape *all, class_pair of, const uint64_t *pairs,
                                      uint32_t n, int hit_when, uint64_t *hits);

/* Keeps, in any order, those of n ids that `area`, the query's shape, meets and the query does not
 * leave out. Returns the count. They are near it, as above. */
FXS_INTERNAL uint64_t fxs_placed_met(const placed_shape *area, const fxs_query *q,
                                     const placed_shape *all, uint64_t *ids, uint64_t n,
                                     int hit_when);

#endif
