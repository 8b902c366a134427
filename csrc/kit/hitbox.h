/* A hitbox of two planes: its ground view and its side view as shapes. */
#ifndef FIXSYNC_HITBOX_H
#define FIXSYNC_HITBOX_H

#include "../cast.h"
#include "../fixsync_kit.h"

/* The views as shapes, as far as a size can reach on the axis that they do not see. */
static inline fxs_shape ground_view(const fxs_hitbox *h) {
    fxs_shape s = {h->kind, 0, {h->ground[0], FXS_SIZE_MAX, h->ground[1]}};
    return s;
}
static inline fxs_shape side_view(const fxs_hitbox *h) {
    fxs_shape s = {FXS_BOX, 0, {h->side[0], h->side[1], FXS_SIZE_MAX}};
    return s;
}

static inline fxs_pose ground_pose(const fxs_hitbox *h) {
    fxs_pose p = {h->x, 0, h->z, 0};
    return p;
}
static inline fxs_pose side_pose(const fxs_hitbox *h) {
    fxs_pose p = {h->x, h->y, 0, 0};
    return p;
}

static inline int is_ground_kind(uint32_t kind) { return kind == FXS_CYLINDER || kind == FXS_BOX; }

/* FXS_OK, FXS_E_KIND or FXS_E_SIZE. */
FXS_INTERNAL int32_t fxs_hitbox_status(const fxs_hitbox *h);

/* The fraction at which a, a hitbox that moves, first makes a contact >= when with b, or NONE. All
 * are checked. */
FXS_INTERNAL int32_t fxs_hitbox_first(const fxs_hitbox *a, const int32_t motion[3],
                                      const fxs_hitbox *b, int when);

/* Writes the normal of that hit, and returns its distance. */
FXS_INTERNAL int64_t fxs_hitbox_normal(const fxs_hitbox *a, const int32_t motion[3],
                                       const fxs_hitbox *b, int32_t k, int32_t *normal);

#endif
