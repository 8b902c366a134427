/* The layout of a world in the caller's memory. Everything but the level is found by offsets from
 * its start, so the memory can be moved. */
#ifndef FIXSYNC_MEMORY_H
#define FIXSYNC_MEMORY_H

#include "hit.h"
#include "level.h"
#include "set.h"
#include "sort.h"

/* The position of a collider's pose, and its offset. The shape's centre is the position and the
 * turned offset. */
typedef struct anchor {
    int32_t x, y, z;
    int32_t ox, oy, oz;
} anchor;

struct fxs_world {
    uint32_t capacity, hit_capacity, hit_when;
    uint32_t frame;
    uint32_t count;         /* colliders */
    uint32_t changed_count; /* ids added or removed since the last step */
    uint32_t hit_count;     /* of the last step */
    uint32_t layers[32];
    const fxs_level *level; /* NULL: none */
    uint32_t underived;     /* at least how many colliders are as load left them: see derive */
    /* Offsets from the start of this struct. By id: */
    uint64_t colliders_at, anchors_at;
    /* Sets of capacity bits. Scratch: marks is empty between calls; known has the ids that moved
     * since the grid was built (moved.c), or in a load those that a hit may name (state.c). */
    uint64_t present_at, changed_at, marks_at, known_at;
    /* Hits of the last step, and two buffers to make the next ones in; each hit_capacity packed
     * hits and NO_HIT. */
    uint64_t hits_at, spare_at, other_at;
    uint64_t digits_at; /* scratch of sorting: 2^digit_bits counts */
    uint32_t digit_bits;
    /* Scratch of the broad phase. The parts at sorted_at and rows_at are as large as those at
     * colliders_at and anchors_at: see scratch_colliders. */
    uint64_t broad_at, sorted_at, rows_at;
    /* Whether the grid, which is scratch too, holds all colliders but those that moved since it
     * was built. */
    uint32_t grid_fresh;
    uint32_t moved_count; /* ids that moved, came, went or changed otherwise since: see grid.h */
    uint32_t searches;    /* since the grid was built, without its index */
    uint64_t looked;      /* colliders tested one by one since the grid was built or went stale */
};

static inline void *at(const fxs_world *w, uint64_t offset) {
    return (uint8_t *)(uintptr_t)w + offset;
}
static inline placed_shape *placed_shapes(const fxs_world *w) {
    return (placed_shape *)at(w, w->colliders_at);
}
static inline anchor *anchors(const fxs_world *w) { return (anchor *)at(w, w->anchors_at); }
static inline uint64_t *present_set(const fxs_world *w) { return (uint64_t *)at(w, w->present_at); }
static inline uint64_t *changed_set(const fxs_world *w) { return (uint64_t *)at(w, w->changed_at); }
static inline uint64_t *mark_set(const fxs_world *w) { return (uint64_t *)at(w, w->marks_at); }
static inline uint64_t *known_set(const fxs_world *w) { return (uint64_t *)at(w, w->known_at); }
static inline packed_hit *hits(const fxs_world *w) { return (packed_hit *)at(w, w->hits_at); }

/* Scratch with room for every collider and its anchor. It has one owner at a time:
 *   the grid, from its build until grid_stale, with what queries keep beside it (grid.h);
 *   load, which stages the colliders that it reads, and exchanges them with the world's (state.c);
 *   apply, which keeps the colliders that it may have to put back (change.c).
 * The last two use these functions, after grid_stale. */
static inline placed_shape *scratch_placed_shapes(const fxs_world *w) {
    FXS_ASSERT(!w->grid_fresh);
    return (placed_shape *)at(w, w->sorted_at);
}
static inline anchor *scratch_anchors(const fxs_world *w) {
    FXS_ASSERT(!w->grid_fresh);
    return (anchor *)at(w, w->rows_at);
}

static inline digit_counts digits_of(const fxs_world *w) {
    const digit_counts digits = {(uint32_t *)at(w, w->digits_at), w->digit_bits};
    return digits;
}

/* How many ids of solids there are, from FXS_LEVEL on. */
static inline uint32_t solid_count(const fxs_world *w) { return w->level ? w->level->count : 0; }
static inline int is_solid(const fxs_world *w, uint32_t id) {
    return id >= FXS_LEVEL && id - FXS_LEVEL < solid_count(w);
}

/* The least contact that counts for a question: a checked hit_when, of which 0 is the world's. */
static inline int least_contact(const fxs_world *w, uint32_t hit_when) {
    return (int)(hit_when ? hit_when : w->hit_when);
}

static inline int32_t find(const fxs_world *w, uint32_t id) {
    FXS_ASSERT(w->count <= w->capacity && w->hit_count <= w->hit_capacity);
    if (id >= w->capacity) {
        return FXS_E_ID;
    }
    return set_has(present_set(w), id) ? FXS_OK : FXS_E_ABSENT;
}

/* Whether bit j of mask i is bit i of mask j. */
static inline int is_symmetric(const uint32_t masks[FXS_LAYER_COUNT]) {
    for (uint32_t i = 0; i < FXS_LAYER_COUNT; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if ((masks[i] >> j & 1) != (masks[j] >> i & 1)) {
                return 0;
            }
        }
    }
    return 1;
}

/* Whether layers and owners allow two colliders to hit. */
static inline uint32_t may_hit(const placed_shape *a, const placed_shape *b) {
    FXS_ASSERT(a->layer < FXS_LAYER_COUNT && b->layer < FXS_LAYER_COUNT);
    FXS_ASSERT((a->meets >> b->layer & 1) == (b->meets >> a->layer & 1));
    return (a->meets >> b->layer & 1) & (uint32_t)((a->owner == 0) | (a->owner != b->owner));
}

/* For changes of many colliders, and for functions that use the memory of the grid. moved.h has the
 * other ones. */
static inline void grid_stale(fxs_world *w) {
    w->grid_fresh = w->moved_count = w->searches = 0;
    w->looked = 0;
}

#endif
