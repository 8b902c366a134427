/* Colliders sorted by rows of space, as the broad phase lays them out in the scratch memory of a
 * world.
 *
 * Colliders are sorted by row and, within a row, by where they begin on x. Rows are strips of z (in
 * a tall world, beams of y and z) at least as high as any collider in them is long, so what meets
 * is in the same or in a neighbouring row, and of two that meet the one beginning first on x
 * reaches the other's beginning: every collider searches along its own row and its neighbours from
 * its own beginning to its own end. The places where it starts to look move forward only, so one
 * walk over the sorted array finds them all.
 *
 * Where sizes differ much, levels keep the rows of small colliders low: a level holds sizes within
 * a factor of 8, and a collider searches for larger ones in the rows of every level above its own.
 *
 * Where many are together whose layers never meet, looking at them would cost their square for
 * nothing. When that shows, the search begins again with levels of their own for groups of layers,
 * and goes through those that meet only.
 *
 * All of this is rebuilt from the state at every step of more than SMALL_WORLD_MAX and only
 * proposes; fxs_placed_contact decides. */
#ifndef FIXSYNC_GRID_H
#define FIXSYNC_GRID_H

#include "blocks.h"
#include "broad.h"

#define GROUPS_MAX 8
#define LEVELS_MAX                                                                                 \
    (11 * GROUPS_MAX + 1) /* 33 bit lengths of a size, three to a level, in each group; and one of \
                             the isolated colliders */

#define LAST_KEY (((uint64_t)1 << 63) - 1) /* above every key and every end of a row */

typedef struct level {
    uint32_t first, end; /* in the sorted arrays */
    uint32_t wide, tall; /* longest collider on x and z, and on y; raw */
    uint32_t z_inverse, y_inverse; /* floor(2^32 / size of a row) */
    uint32_t group;
} level;

/* What the last build made: how coordinates become keys. A key is level | y row | z row | x | id,
 * each as wide as need be. */
typedef struct grid {
    uint32_t count, levels;
    uint32_t beams;                              /* rows are beams of y and z, not strips of z */
    uint32_t x_at, z_at, y_at, level_at, key_end; /* bit positions in a key */
    uint32_t x_drop; /* bits dropped from a field of x to make the key's */
    uint32_t shift; /* raw bits dropped from a bound to make a field */
    uint32_t moved_max; /* ids that may move until the grid is not worth keeping */
    uint32_t indexed, index_shift, index_end; /* whether there is an index; of a key to its place in
                                                 it; the last place of it */
    int64_t low[3], high[3]; /* at or below, at or above every bound */
    uint32_t group_of[32],
        level_of[GROUPS_MAX]
                [33]; /* by layer; by group, and how many bits the collider's length has */
    uint32_t met_groups[GROUPS_MAX]; /* for each group, the groups it meets */
    level level[LEVELS_MAX];
} grid;

typedef struct arrays {
    grid *g;
    uint64_t *keys, *spare; /* BLOCK more keys than colliders: the last ones are LAST_KEY */
    uint64_t *least, *most; /* of boxes in the order of the keys, like: */
    placed *sorted;
} arrays;

static inline uint64_t aligned(uint64_t size) { return (size + 7) & ~(uint64_t)7; }

static inline arrays arrays_of(const fxs_world *w) {
    arrays a;
    a.g = (grid *)at(w, w->broad_at);
    a.most = (uint64_t *)at(w, w->broad_at + aligned(sizeof(grid)));
    a.keys = (uint64_t *)at(w, w->rows_at);
    a.spare = a.keys + w->capacity + BLOCK;
    a.least = a.spare + w->capacity + BLOCK;
    a.sorted = (placed *)at(w, w->sorted_at);
    return a;
}

/* What moved since the grid was built: queries look at it beside the grid, four at a time, and drop
 * it from what they find there. It lies where the copies were that a step needs, behind the index
 * of the grid, which takes 4 bytes a collider and 4 more, and behind 8 bytes a collider for sorting
 * answers. With more than LANES_WORLD_MAX it has room: 16 * capacity + 8 bytes, and 28 for each of
 * MOVED_MAX(capacity) + BLOCK, are less than 64 * (capacity + BLOCK). */
typedef struct moved_rows {
    uint32_t *place_of, *ids; /* by id, its place among the moved; by place, its id */
    int32_t *bounds; /* in lanes */
    uint64_t stride;
} moved_rows;
#define MOVED_MAX(count) (64 + (count) / 4)

static inline uint32_t *index_of(const arrays *a, const fxs_world *w) {
    return (uint32_t *)((uint64_t *)a->sorted + w->capacity);
}

static inline moved_rows moved_of(const fxs_world *w) {
    const arrays a = arrays_of(w);
    moved_rows m;
    m.stride = (uint64_t)MOVED_MAX(w->capacity) + BLOCK;
    m.place_of = index_of(&a, w) + w->capacity + 2;
    m.ids = m.place_of + w->capacity;
    m.bounds = (int32_t *)(m.ids + m.stride);
    return m;
}

static inline uint32_t least32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t most32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* from_low < 2^33, inverse <= 2^31. Two places no further apart than a row is high are in the same
 * or in neighbouring rows. */
static inline uint32_t row_of(uint64_t from_low, uint32_t inverse) {
    return (uint32_t)(from_low * inverse >> 32);
}

static inline uint64_t from_low(const grid *g, uint32_t axis, int64_t v) {
    return (uint64_t)(v - g->low[axis]);
}
static inline uint32_t z_row(const level *l, uint64_t z) { return row_of(z, l->z_inverse) + 1; }
static inline uint32_t y_row(const grid *g, const level *l, uint64_t y) {
    return g->beams ? row_of(y, l->y_inverse) + 1 : 0;
}
static inline uint64_t x_key(const grid *g, uint64_t field) {
    return field >> g->x_drop << g->x_at;
}

/* The key where a row begins. Rows count from 1, so that the rows before the first and after the
 * last have keys too. */
static inline uint64_t row_key(const grid *g, uint32_t lvl, uint32_t y, uint32_t z) {
    return ((uint64_t)lvl << (g->level_at & 63)) + ((uint64_t)y << g->y_at) +
           ((uint64_t)z << g->z_at);
}

/* The first place whose key is not below `key`, searched outwards from `hint`. */
FXS_INTERNAL uint32_t fxs_grid_seek(const arrays *a, uint32_t hint, uint64_t key);

/* Sorts the active colliders of a world into the grid. `apart`: layers that do not meet have levels
 * of their own. Returns whether that could be worth it. */
FXS_INTERNAL int fxs_grid_build(fxs_world *w, const arrays *a, int apart);

#endif
