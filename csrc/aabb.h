/* Axis-aligned bounding boxes. Axes are in the order x, y, z; both ends belong to a box. */
#ifndef FIXSYNC_AABB_H
#define FIXSYNC_AABB_H

#include "integer.h"

/* In raw units, below 2^34 in magnitude. */
typedef struct aabb {
    int64_t min[3], max[3];
} aabb;

/* The same within int32. */
typedef struct aabb32 {
    int32_t min[3], max[3];
} aabb32;

static inline int32_t clamp32(int64_t v) { return (int32_t)max64(INT32_MIN, min64(v, INT32_MAX)); }

/* Without a branch, as aabb32_overlaps: of the boxes that a tree or a cell lists about half
 * overlap. */
static inline int aabb_overlaps(const aabb *a, const aabb *b) {
    return (a->min[0] <= b->max[0]) & (a->max[0] >= b->min[0]) & (a->min[2] <= b->max[2]) &
           (a->max[2] >= b->min[2]) & (a->min[1] <= b->max[1]) & (a->max[1] >= b->min[1]);
}

/* Boxes that overlap an int32 point overlap there after this. */
static inline aabb32 aabb_clamp(const aabb *box) {
    const aabb32 clamped = {{clamp32(box->min[0]), clamp32(box->min[1]), clamp32(box->min[2])},
                            {clamp32(box->max[0]), clamp32(box->max[1]), clamp32(box->max[2])}};
    return clamped;
}

static inline int aabb32_overlaps(const aabb32 *a, const aabb32 *b) {
    return (a->min[0] <= b->max[0]) & (a->max[0] >= b->min[0]) & (a->min[2] <= b->max[2]) &
           (a->max[2] >= b->min[2]) & (a->min[1] <= b->max[1]) & (a->max[1] >= b->min[1]);
}

/* Widens `to` to the union of both. */
static inline void aabb32_union(aabb32 *to, const aabb32 *by) {
    for (uint32_t i = 0; i < 3; i++) {
        to->min[i] = to->min[i] < by->min[i] ? to->min[i] : by->min[i];
        to->max[i] = to->max[i] > by->max[i] ? to->max[i] : by->max[i];
    }
}

#endif
