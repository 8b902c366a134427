/* A collider that moves through a world by casts, before the world is changed. */
#ifndef FIXSYNC_KIT_WALK_H
#define FIXSYNC_KIT_WALK_H

#include "../cast.h"
#include "../fixsync_kit.h"
#include "../wide256.h"

typedef struct walk {
    fxs_world *world;
    fxs_cast cast; /* its shape, the pose of its centre now; the motion is scratch */
    cast_filter filter;
    int32_t position[3];         /* of its pose now */
    int32_t start[3], stored[3]; /* at the start, and as the world has it */
} walk;

/* The place of an id among n ascending ones, `stride` numbers apart; n where it is not. */
static inline uint64_t place_in(uint32_t id, const uint32_t *ids, uint64_t stride, uint64_t n) {
    uint64_t low = 0;
    uint64_t high = n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (ids[middle * stride] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && ids[low * stride] == id ? low : n;
}

enum { MOVER_WORDS = sizeof(fxs_mover) / sizeof(uint32_t) };
_Static_assert(offsetof(fxs_mover, id) == 0 && sizeof(fxs_mover) % sizeof(uint32_t) == 0,
               "ids of movers lie MOVER_WORDS apart");

/* The place of an id among n movers, which ascend; n where it is not. */
static inline uint64_t place_among(uint32_t id, const fxs_mover *movers, uint64_t n) {
    return n ? place_in(id, &movers->id, MOVER_WORDS, n) : 0;
}

static const int32_t fxs_still[3] = {0, 0, 0};

static inline int are_same(const int32_t *a, const int32_t *b) {
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])) == 0;
}

/* Prepares the walk of a mover. FXS_OK, FXS_E_ID, FXS_E_ABSENT, FXS_E_UNDEFINED, FXS_E_MOVER or
 * FXS_E_MOTION. */
FXS_INTERNAL int32_t fxs_walk_begin(walk *w, fxs_world *world, const fxs_mover *mover,
                                    const int32_t *motion);

/* The first obstacles of a motion from where it is: at most `limit`, which is not 0. Returns their
 * number, or FXS_E_MOTION. */
FXS_INTERNAL int32_t fxs_walk_hits(walk *w, const int32_t *motion, uint32_t limit,
                                   fxs_cast_hit *hits);

/* The next obstacle that it overlaps where it is, by id, from filter.first on, which is then the
 * next id. 0 after the last. One-way layers block only a motion down, so they are left out. */
FXS_INTERNAL int fxs_walk_overlaps(walk *w, uint32_t *id);

/* Moves it straight, and slides it along what it meets, if is_planar in x and z alone. Returns the
 * number of hits, at most `passes`; FXS_E_MOTION or FXS_E_CENTRE. */
FXS_INTERNAL int32_t fxs_walk_slide(walk *w, const int32_t *motion, int is_planar, uint32_t passes,
                                    fxs_cast_hit *hits);

/* Moves it. FXS_OK, or FXS_E_CENTRE if position or centre would leave int32. */
FXS_INTERNAL int32_t fxs_walk_shift(walk *w, const int32_t *by);

#endif
