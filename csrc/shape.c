/* The tables of kinds, and the check of a shape. */
#include "shape.h"

#define RANGES(n0, l0, m0, n1, l1, m1, n2, l2, m2, la, ma) ((m0) > 0) + ((m1) > 0) + ((m2) > 0)
#define SIZES_ARE_COUNTED(code, name, sizes, shape_class, corners, front, ranges) \
    _Static_assert((sizes) == (ranges), "a kind's row counts the sizes that have a range");
SHAPE_KINDS(SIZES_ARE_COUNTED)
#undef RANGES

#define IS_LENGTH(most) ((most) <= FXS_SIZE_MAX)
#define RANGES(n0, l0, m0, n1, l1, m1, n2, l2, m2, la, ma) \
    (IS_LENGTH(m0) && IS_LENGTH(m1) && IS_LENGTH(m2) && (ma) <= FXS_HALF_ANGLE_MAX)
#define RANGES_END(code, name, sizes, shape_class, corners, front, ranges) \
    _Static_assert(ranges, "sizes end at FXS_SIZE_MAX, a half_angle at FXS_HALF_ANGLE_MAX");
SHAPE_KINDS(RANGES_END)
#undef RANGES

#define RANGES(n0, l0, m0, n1, l1, m1, n2, l2, m2, la, ma)                              \
    .least = {SHORT_LEAST, TWO_WORDS(l0, l1)}, .most = {SHORT_MOST, TWO_WORDS(m0, m1)}, \
    .rest_least = TWO_WORDS(l2, la), .rest_most = TWO_WORDS(m2, ma)

#define TRAITS(sides, flat, hole) sides, flat, hole

#define KIND_ROW(code, kind_name, sizes, shape_class, corners, front, ranges) \
    {.name = #kind_name,                                                      \
     .size_count = sizes,                                                     \
     .is_body = BODY_BITS >> shape_class & 1,                                 \
     .is_turned = TURNED_CLASSES >> shape_class & 1,                          \
     front,                                                                   \
     shape_class##_TRAITS,                                                    \
     ranges},

#define NO_KIND {.name = "", RANGES(unused, 0, 0, unused, 0, 0, unused, 0, 0, 1, 0)}

FXS_INTERNAL const struct kind fxs_kinds[KIND_ROWS] = {
    SHAPE_KINDS(KIND_ROW) NO_KIND, NO_KIND, NO_KIND, NO_KIND, NO_KIND, NO_KIND, NO_KIND, NO_KIND};
_Static_assert(sizeof(struct kind) == 64, "a row takes a cache line");

#undef RANGES
#undef TRAITS

#define SOLID_ROW(solid_code, solid_name, least, most) \
    {.code = solid_code, .name = #solid_name, least, most},
static const struct solid_kind SOLIDS[] = {SOLID_KINDS(SOLID_ROW)};

const struct solid_kind *fxs_solid_kind(uint32_t code) {
    for (size_t i = 0; i < sizeof SOLIDS / sizeof *SOLIDS; i++) {
        if (SOLIDS[i].code == code) {
            return SOLIDS + i;
        }
    }
    return NULL;
}

int32_t fxs_shape_check(const fxs_shape *shape) {
    return shape_status(shape->kind, shape->half_angle, shape->size);
}
