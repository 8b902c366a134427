/* Derived data of a collider: centre, direction and extents. */
#ifndef FIXSYNC_DERIVE_H
#define FIXSYNC_DERIVE_H

#include "memory.h"

/* Centre of s at p from its direction. FXS_OK or FXS_E_CENTRE. */
static inline int32_t set_centre(placed_shape *s, const anchor *p) {
    planar offset = {p->ox, p->oz};
    planar dir = {s->cos_q30, s->sin_q30};
    planar v = turned(offset, dir);
    int64_t x = p->x + round_q30(v.x);
    int64_t y = (int64_t)p->y + p->oy;
    int64_t z = p->z + round_q30(v.z);
    if (x < INT32_MIN || x > INT32_MAX || y < INT32_MIN || y > INT32_MAX || z < INT32_MIN ||
        z > INT32_MAX) {
        return FXS_E_CENTRE;
    }
    s->x = (int32_t)x;
    s->y = (int32_t)y;
    s->z = (int32_t)z;
    return FXS_OK;
}

static inline uint32_t has_offset(const anchor *p) { return (p->ox | p->oy | p->oz) != 0; }

/* Whether a direction is kept: a round collider without an offset does not need one. */
static inline uint32_t is_turned(const placed_shape *s, const anchor *p) {
    return fxs_kinds[s->kind].is_turned | has_offset(p);
}

/* Centre of s from its kind and yaw at p, and its direction if it is kept. FXS_OK or
 * FXS_E_CENTRE. */
static inline int32_t set_centre_and_direction(placed_shape *s, const anchor *p) {
    memcpy(s, p, 12); /* x, y, z */
    if (!is_turned(s, p)) {
        return FXS_OK;
    }
    planar dir = fxs_direction_of(s->yaw);
    s->cos_q30 = (int32_t)dir.x;
    s->sin_q30 = (int32_t)dir.z;
    return has_offset(p) ? set_centre(s, p) : FXS_OK;
}

/* Direction, extents and centre of s from its kind, size and yaw at p. FXS_OK or FXS_E_CENTRE (s is
 * then half done). */
static inline int32_t derive_placed(placed_shape *s, const anchor *p) {
    int32_t status = set_centre_and_direction(s, p);
    set_extent(s);
    return status;
}

/* Turns colliders that were derived as if they were round and nothing had to be turned, with
 * centres in range: those for which is_turned is 1, and those of them that have an offset.
 * Done one by one, it would need branches that no predictor guesses. */
enum { TURNING_MAX = 64 }; /* as many as such lists have room for */
FXS_INTERNAL void fxs_turn_colliders(fxs_world *w, const uint32_t *turned_ids,
                                     uint32_t turned_count, const uint32_t *offset_ids,
                                     uint32_t offset_count);

/* A load leaves direction, extents, centre and `meets` of all colliders to be derived when they are
 * needed: a collider that was re-posed before is derived once, not twice. Until then both parts of
 * a direction are 0, which no direction is. A function that reads or keeps derived data calls
 * derive first; with a const world it derives copies of the colliders that it reads. */
static inline int is_derived(const placed_shape *s) { return (s->cos_q30 | s->sin_q30) != 0; }
static inline void derive_unturned(const fxs_world *w, placed_shape *s,
                                   const anchor *p) { /* as if nothing had to be turned */
    memcpy(s, p, 12);                                 /* x, y, z */
    set_round_extent(s);
    s->cos_q30 = (int32_t)Q30_ONE;
    s->meets = w->layers[s->layer];
    FXS_ASSERT(s->layer < FXS_LAYER_COUNT && s->kind < KIND_COUNT);
}
FXS_INTERNAL void fxs_derive(fxs_world *w);
static inline void derive(fxs_world *w) {
    if (w->underived) {
        fxs_derive(w);
    }
}
/* Without `meets`. */
FXS_INTERNAL const placed_shape *fxs_derived(const fxs_world *w, uint32_t id, placed_shape *copy);

/* The pose of the centre of a collider that is there: its position and its turned offset. */
FXS_INTERNAL void fxs_centre_of(const fxs_world *w, uint32_t id, fxs_pose *out);

/* fxs_collider is a placed shape's fields from id to owner, an anchor, and the sizes: no padding
 * between them. */
#define TRAITS_SIZE 16
_Static_assert(sizeof(fxs_collider) == 52 && sizeof(anchor) == 24 &&
                   offsetof(fxs_collider, x) == TRAITS_SIZE,
               "a collider has no padding");
_Static_assert(offsetof(placed_shape, size) - offsetof(placed_shape, id) == TRAITS_SIZE,
               "a placed shape's traits are a collider's");

/* The collider that s and p make up; and the other way round, of its bytes wherever they lie:
 * unchecked and not derived. */
FXS_INTERNAL void fxs_collider_of(const placed_shape *s, const anchor *p, fxs_collider *out);
static inline void copy_fields(const uint8_t *bytes, placed_shape *s, anchor *p) {
    memcpy((uint8_t *)s + offsetof(placed_shape, id), bytes, TRAITS_SIZE);
    memcpy(p, bytes + TRAITS_SIZE, sizeof *p);
    memcpy(s->size, bytes + TRAITS_SIZE + sizeof *p, sizeof s->size);
    s->cos_q30 = s->sin_q30 = 0;
}

/* Everything about a collider that does not depend on a world: FXS_OK, FXS_E_KIND, _SIZE,
 * _HALF_ANGLE, _LAYER, _ACTIVE. */
static inline int32_t collider_status(const fxs_collider *c) {
    int32_t status = c->zero ? FXS_E_KIND : shape_status(c->kind, c->half_angle, c->size);
    if (status != FXS_OK) {
        return status;
    }
    if (c->layer >= FXS_LAYER_COUNT) {
        return FXS_E_LAYER;
    }
    return c->active > 1 ? FXS_E_ACTIVE : FXS_OK;
}

#endif
