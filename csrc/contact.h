/* Contact of posed shapes. */
#ifndef FIXSYNC_CONTACT_H
#define FIXSYNC_CONTACT_H

#include "posed.h"

/* Contact of any two posed shapes. */
FXS_INTERNAL int fxs_posed_contact(const posed *a, const posed *b);

/* The same of two that are near: on no axis are they further apart than they reach by more than
 * 2^15 raw units. */
FXS_INTERNAL int fxs_near_contact(const posed *a, const posed *b);

/* Contact with an upright cylinder of a level, whose bounds s meets. gap: how far s is above or
 * below it, negative if it is neither. */
FXS_INTERNAL int fxs_cylinder_solid_contact(const posed *s, int32_t x, int32_t z, int32_t radius,
                                    int64_t gap);

#define NAME_OF_SAME(f) f##_##f,
#define NAME_OF_PAIR(a, b) a##_##b,
typedef enum figure_pair { FIGURE_PAIRS(NAME_OF_SAME, NAME_OF_PAIR) PAIR_COUNT } figure_pair;
#define INDEX_OF_PAIR(a, b) ((b) * ((b) + 1) / 2 + (a))
#define PAIR_IS_AT(a, b) \
    _Static_assert(a##_##b == (int)INDEX_OF_PAIR(a, b), "pairs ascend by the greater figure");
#define SAME_IS_AT(f) PAIR_IS_AT(f, f)
FIGURE_PAIRS(SAME_IS_AT, PAIR_IS_AT)
_Static_assert((int)PAIR_COUNT == (int)INDEX_OF_PAIR(0, FIGURE_COUNT),
               "every two figures are a pair");

/* In a switch over pairs of bodies, the cases of the pairs that never come there. */
#define CASE_OF_SAME(f) case f##_##f:
#define CASE_OF_PAIR(a, b) case a##_##b:
#define CASES_OF_NO_BODIES AREA_PAIRS(CASE_OF_SAME, CASE_OF_PAIR) case PAIR_COUNT

/* The lesser figure of a pair, and the greater one. */
static inline figure lesser_of(figure_pair of) {
    switch (of) {
#define LESSER_OF_PAIR(a, b) case a##_##b: return a;
#define LESSER_OF_SAME(f) LESSER_OF_PAIR(f, f)
        FIGURE_PAIRS(LESSER_OF_SAME, LESSER_OF_PAIR)
    case PAIR_COUNT: break;
    }
    return FIGURE_COUNT;
}
static inline figure greater_of(figure_pair of) {
    switch (of) {
#define GREATER_OF_PAIR(a, b) case a##_##b: return b;
#define GREATER_OF_SAME(f) GREATER_OF_PAIR(f, f)
        FIGURE_PAIRS(GREATER_OF_SAME, GREATER_OF_PAIR)
    case PAIR_COUNT: break;
    }
    return FIGURE_COUNT;
}

/* The pair of two kinds, and SWAPPED if b has the lesser figure. */
enum { SWAPPED = 128 };
static inline uint32_t pair_of(uint32_t a, uint32_t b) {
#define PAIR_OF(a, b) ((a) <= (b) ? INDEX_OF_PAIR(a, b) : INDEX_OF_PAIR(b, a) + SWAPPED)
#define PAIRS_OF_KIND(code, name, sizes, figure, traits, ranges)               \
    {PAIR_OF((int)figure, FIGURE_OF(0)), PAIR_OF((int)figure, FIGURE_OF(1)),       \
     PAIR_OF((int)figure, FIGURE_OF(2)), PAIR_OF((int)figure, FIGURE_OF(3)),       \
     PAIR_OF((int)figure, FIGURE_OF(4)), PAIR_OF((int)figure, FIGURE_OF(5)),       \
     PAIR_OF((int)figure, FIGURE_OF(6)), PAIR_OF((int)figure, FIGURE_OF(7))},
    static const uint8_t OF[KIND_COUNT][KIND_CODES] = {SHAPE_KINDS(PAIRS_OF_KIND)};
    return OF[a][b];
}

/* The hits among n pairs of indices in `all` (each first << 32 | second), packed as in hit.h:
 * writes them, and room for n of them is needed; returns how many. All pairs are of this pair of
 * figures, the lesser first, and near. */
FXS_INTERNAL uint32_t fxs_posed_hits(const posed *all, figure_pair of, const uint64_t *pairs,
                                     uint32_t n, int hit_when, uint64_t *hits);

/* Keeps, in any order, those of n ids that `area`, the query's shape, meets and the query does not
 * leave out. Returns how many. They are near it, as above. */
FXS_INTERNAL uint64_t fxs_posed_met(const posed *area, const fxs_query *q, const posed *all,
                                    uint64_t *ids, uint64_t n, int hit_when);

#endif
