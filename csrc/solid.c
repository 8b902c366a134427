/* Solids of a level: which of them a shape meets (docs/contract.md, Levels). */
#include "heap.h"
#include "level.h"
#include "polygon_contact.h"

/* Whether the bounds of s meet those of a solid, wherever either is. */
static int meets_bounds(const placed_shape *s, const fxs_level *l, const solid *b) {
    aabb box;
    level_node n;
    fxs_placed_bounds(s, &box);
    fxs_solid_bounds(l, b, &n);
    const aabb32 clamped = aabb_clamp(&box);
    return aabb32_overlaps(&clamped, &n.box);
}

int fxs_prism_contact(const placed_shape *s, const solid *prism, const vertex *v, int64_t gap) {
    polygon p;
    fxs_polygon_of(&p, prism, v, s->x, s->z);
    return fxs_polygon_contact(s, &p, gap);
}

int fxs_solid_contact_near(const placed_shape *s, const fxs_level *l, uint32_t index, int64_t gap) {
    const solid *b = solids(l) + index;
    const vertex *v = level_vertices(l, b);
    return b->code == FXS_PRISM ? fxs_prism_contact(s, b, v, gap)
                                : fxs_cylinder_solid_contact(s, v->x, v->z, b->radius, gap);
}

int fxs_solid_contact(const placed_shape *s, const fxs_level *l, uint32_t index) {
    const solid *b = solids(l) + index;
    return meets_bounds(s, l, b) ? fxs_solid_contact_near(s, l, index, solid_gap(s, b)) : FXS_APART;
}

/* ---- ids in order ---- */

static int is_later_id(const void *none, const uint32_t *a, const uint32_t *b) {
    (void)none;
    return *a > *b;
}

FXS_HEAP(id_heap, uint32_t, const void *, is_later_id)

uint64_t fxs_level_met(const fxs_level *l, const placed_shape *area, uint32_t mask, int hit_when,
                       uint32_t *ids, uint64_t room) {
    aabb box;
    level_walk walk;
    uint64_t met = 0;
    fxs_placed_bounds(area, &box);
    fxs_level_walk(&walk, l, &box, mask);
    for (uint32_t i; (i = fxs_level_next(&walk)) != NO_SOLID;) {
        if (fxs_solid_contact_near(area, l, i, solid_gap(area, solids(l) + i)) >= hit_when) {
            if (met < room) {
                ids[met] = FXS_LEVEL + i;
            }
            met++;
        }
    }
    if (met <= room) {
        id_heap_make(NULL, ids, met); /* in place: a level has no scratch memory */
        id_heap_sort(NULL, ids, met);
    }
    return met;
}

/* ---- public ---- */

int32_t fxs_level_contact(const fxs_level *l, uint32_t index, const fxs_shape *shape,
                          const fxs_pose *pose) {
    if (index >= l->count) {
        return FXS_E_ID;
    }
    int32_t status = fxs_placed_check(shape, pose);
    if (status != FXS_OK) {
        return status;
    }
    placed_shape s;
    fxs_place_shape(&s, shape, pose);
    return fxs_solid_contact(&s, l, index);
}

int32_t fxs_level_query(const fxs_level *l, const fxs_query *query, uint32_t hit_when,
                        uint32_t *ids, uint64_t id_capacity, uint64_t *count) {
    *count = 0;
    int32_t status = fxs_placed_check(&query->shape, &query->pose);
    if (status != FXS_OK) {
        return status;
    }
    if (hit_when != FXS_TOUCHING && hit_when != FXS_OVERLAPPING) {
        return FXS_E_HIT_WHEN;
    }
    placed_shape area;
    fxs_place_shape(&area, &query->shape, &query->pose);
    *count = fxs_level_met(l, &area, query->mask, (int)hit_when, ids, id_capacity);
    return *count > id_capacity ? FXS_E_ROOM : FXS_OK;
}
