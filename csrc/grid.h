/* Colliders sorted by rows of space, as the broad phase lays them out in the scratch memory of a
 * world.
 *
 * Colliders are sorted by row and, within a row, by where they begin on x. Rows are strips of z (in
 * a tall world, beams of y and z) at least as wide as any collider in them is long. So two
 * colliders that meet are in the same row or in neighbouring rows, and the one that begins first on
 * x reaches the beginning of the other. Every collider searches its own row and its neighbours from
 * its own beginning to its own end. The indices where it starts to look only move forward, so one
 * walk over the sorted array finds all pairs.
 *
 * Where sizes differ much, size classes keep the rows of small colliders narrow: a class holds
 * sizes within a factor of 8, and a collider searches for larger ones in the rows of every class
 * above its own.
 *
 * A crowd whose layers never meet would cost the square of its number, without a hit. When the
 * search counts too many such pairs, it begins again with separate size classes for groups of
 * layers, and searches only groups that meet.
 *
 * All of this is rebuilt from the state at every step of a world that is not small. It only
 * proposes pairs; fxs_placed_contact decides. */
#ifndef FIXSYNC_GRID_H
#define FIXSYNC_GRID_H

#include "blocks.h"
#include "memory.h"

#define GROUPS_MAX 8
/* 33 bit lengths of a size, three to a class, in each group; and one of the isolated colliders. */
#define CLASSES_MAX (11 * GROUPS_MAX + 1)

#define LAST_KEY (((uint64_t)1 << 63) - 1) /* above every key and every end of a row */

typedef struct size_class {
    uint32_t first, end;           /* in the sorted arrays */
    uint32_t wide, tall;           /* longest collider on x and z, and on y; raw */
    uint32_t z_inverse, y_inverse; /* floor(2^32 / size of a row) */
    uint32_t group;
} size_class;

/* The last build: how coordinates become keys. A key is class | y row | z row | x | id, each as
 * wide as need be. */
typedef struct grid {
    uint32_t count, class_count;
    uint32_t beams;                               /* rows are beams of y and z, not strips of z */
    uint32_t x_at, z_at, y_at, class_at, key_end; /* bit positions in a key */
    uint32_t x_drop;    /* bits dropped from a field of x to make the key's */
    uint32_t shift;     /* raw bits dropped from a bound to make a field */
    uint32_t moved_max; /* ids that may move until the grid is not worth keeping */
    uint32_t indexed, index_shift, index_end; /* whether there is an index; of a key to its entry in
                                                 it; the last entry of it */
    int64_t low[3], high[3];                  /* x, y, z: at or below, at or above every bound */
    uint32_t group_of[32],
        class_of_size[GROUPS_MAX]
                     [33]; /* by layer; by group, and how many bits the collider's length has */
    uint32_t met_groups[GROUPS_MAX]; /* for each group, the groups it meets */
    size_class classes[CLASSES_MAX];
} grid;

typedef struct arrays {
    grid *g;
    uint64_t *keys; /* BLOCK more than colliders: the last ones are LAST_KEY */
    /* In turn: scratch of the sort, the key where each collider ends in its row, and what a query
     * found. As long as `keys`. */
    uint64_t *spare;
    uint64_t *min, *max; /* of boxes in the order of the keys, like: */
    placed_shape *sorted;
} arrays;

static inline arrays arrays_of(const fxs_world *w) {
    arrays a;
    a.g = (grid *)at(w, w->broad_at);
    a.max = (uint64_t *)at(w, w->broad_at + align8(sizeof(grid)));
    a.keys = (uint64_t *)at(w, w->rows_at);
    a.spare = a.keys + w->capacity + BLOCK;
    a.min = a.spare + w->capacity + BLOCK;
    a.sorted = (placed_shape *)at(w, w->sorted_at);
    return a;
}

/* Colliders that moved since the grid was built: queries look at them beside the grid, four at a
 * time, and drop them from their finds there. They lie where the copies were that a step needs,
 * behind the index of the grid, which takes 4 bytes a collider and 4 more, and behind 8 bytes a
 * collider for sorting answers. With more than LANES_WORLD_MAX it has room: 16 * capacity + 8
 * bytes, and 28 for each of MOVED_MAX(capacity) + BLOCK, are less than 64 * (capacity + BLOCK). */
typedef struct moved_rows {
    uint32_t *lane_of, *ids; /* by id, its lane among the moved; by lane, its id */
    int32_t *bounds;         /* in lanes */
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
    m.lane_of = index_of(&a, w) + w->capacity + 2;
    m.ids = m.lane_of + w->capacity;
    m.bounds = (int32_t *)(m.ids + m.stride);
    return m;
}

static inline uint32_t least32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t most32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* from_low < 2^33, inverse <= 2^31. Two points no further apart than a row is wide are in the same
 * or in neighbouring rows. */
static inline uint32_t row_of(uint64_t from_low, uint32_t inverse) {
    FXS_ASSERT(from_low < (uint64_t)1 << 33 && inverse <= (uint32_t)1 << 31);
    return (uint32_t)(from_low * inverse >> 32);
}

static inline uint64_t from_low(const grid *g, uint32_t on, int64_t v) {
    FXS_ASSERT(v >= g->low[on]);
    return (uint64_t)(v - g->low[on]);
}
static inline uint32_t z_row(const size_class *c, uint64_t z) {
    return row_of(z, c->z_inverse) + 1;
}
static inline uint32_t y_row(const grid *g, const size_class *c, uint64_t y) {
    return g->beams ? row_of(y, c->y_inverse) + 1 : 0;
}
static inline uint64_t x_key(const grid *g, uint64_t field) {
    return field >> g->x_drop << g->x_at;
}

/* The key where a row begins. Rows count from 1, so that the rows before the first and after the
 * last have keys too. */
static inline uint64_t row_key(const grid *g, uint32_t class_index, uint32_t y, uint32_t z) {
    return ((uint64_t)class_index << (g->class_at & 63)) + ((uint64_t)y << g->y_at) +
           ((uint64_t)z << g->z_at);
}

/* The first index whose key is not below `key`, searched outwards from `hint`. */
FXS_INTERNAL uint32_t fxs_grid_seek(const arrays *a, uint32_t hint, uint64_t key);

/* Bytes of scratch that a grid needs at broad_at. */
FXS_INTERNAL uint64_t fxs_grid_size(uint32_t capacity);

/* Sorts the active colliders of a world into the grid. `apart`: layers that do not meet have size
 * classes of their own. Returns whether that could be faster. */
FXS_INTERNAL int fxs_grid_build(fxs_world *w, const arrays *a, int apart);

#endif
