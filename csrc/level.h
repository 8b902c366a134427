/* A level in the caller's memory: its solids ready for the tests, a tree over their bounds, and
 * cells of the plane that list the small ones. Built once, then only read. Everything is found by
 * offsets from its start. */
#ifndef FIXSYNC_LEVEL_H
#define FIXSYNC_LEVEL_H

#include "contact.h"
#include "polygon.h"

/* One solid of a level. A cylinder has one vertex, its centre. */
typedef struct solid {
    int32_t y_low, y_high;
    int32_t radius;      /* of a cylinder; 0 for a prism */
    uint32_t vertex_low; /* of its first vertex among all of the level's: the low 32 bits */
    uint8_t vertex_high; /* and the next 8: 2^31 solids have at most 2^36 */
    uint8_t vertex_count;
    uint8_t code, layer;
} solid;

/* A node of the tree or, in the lowest row, a solid; 32 bytes. Its box is clamped to int32: centres
 * of shapes are int32, so two boxes that overlap at all overlap within it. */
typedef struct level_node {
    aabb32 box;
    uint32_t index;  /* of the solid, in the lowest row; and LARGE_BELOW */
    uint32_t layers; /* bit of each layer that is below */
} level_node;

/* Of a node: it has a solid that the cells do not list. */
#define LARGE_BELOW ((uint32_t)1 << 31)

typedef struct vertex {
    int32_t x, z;
} vertex;

enum { LEVEL_FANOUT = 8, LEVEL_ROWS_MAX = 12 }; /* 8^11 > 2^31: so many rows hold any level */

struct fxs_level {
    uint64_t hash;  /* XXH64 of the level's bytes */
    uint64_t bytes; /* how many those are */
    uint32_t count; /* solids */
    uint32_t row_count;
    uint64_t solids_at, vertices_at;
    uint64_t row_at[LEVEL_ROWS_MAX]; /* nodes; row 0 has one for each solid, each row above one for
                                        8 of those below */
    uint32_t row_size[LEVEL_ROWS_MAX];
    /* Cells of 2^cell_shift raw units from `origin` (x, z) on, row by row: where the list of each
     * begins, and their lists of nodes of row 0. */
    uint64_t cells_at, listed_at;
    int32_t origin[2];
    uint32_t cell_shift, cell_count[2];
};

static inline const solid *solids(const fxs_level *l) {
    return (const solid *)(const void *)((const uint8_t *)l + l->solids_at);
}
static inline const vertex *level_vertices(const fxs_level *l, const solid *s) {
    FXS_ASSERT(s->vertex_count >= 1 && s->vertex_count <= FXS_VERTICES_MAX);
    const uint64_t first = (uint64_t)s->vertex_high << 32 | s->vertex_low;
    return (const vertex *)(const void *)((const uint8_t *)l + l->vertices_at) + first;
}
static inline const level_node *level_row(const fxs_level *l, uint32_t row) {
    FXS_ASSERT(row < l->row_count);
    return (const level_node *)(const void *)((const uint8_t *)l + l->row_at[row]);
}

/* A walk over the solids of some layers whose bounds meet a box. */
typedef struct level_walk {
    const fxs_level *level;
    aabb32 box;
    uint32_t mask;
    /* Along a motion (mx, mz) from (x, z): no further from that line than `across` divided by the
     * motion's length. A motion of (0, 0) leaves out nothing. */
    int64_t x, z, mx, mz, across;
    /* First through cells, from `first_cell` to `last_cell`, then down the tree: to the solids that
     * the cells do not list, or to all of them if the box meets many cells. */
    uint32_t first_cell[2], last_cell[2], cell[2];
    uint32_t listed, listed_end;
    int in_cells, skips_small;
    uint32_t row; /* where the walk is */
    uint32_t at[LEVEL_ROWS_MAX],
        end[LEVEL_ROWS_MAX]; /* next node of each row, and where its siblings end */
} level_walk;

/* Begins a walk; the box may have any numbers below 2^34 and is clamped to int32. */
FXS_INTERNAL void fxs_level_walk(level_walk *walk, const fxs_level *l, const aabb *box,
                                 uint32_t mask);

/* The same in two calls. The first one only prefetches the memory that the second one reads. */
FXS_INTERNAL void fxs_level_begin(level_walk *walk, const fxs_level *l, const aabb *box,
                                  uint32_t mask);
FXS_INTERNAL void fxs_level_open(level_walk *walk);

/* Prefetches the first bounds that the walk will read. */
FXS_INTERNAL void fxs_level_prefetch(const level_walk *walk);

/* The index of the next solid, in any order; NO_SOLID at the end. */
#define NO_SOLID UINT32_MAX
FXS_INTERNAL uint32_t fxs_level_next(level_walk *walk);

/* A prism's polygon relative to a centre. */
FXS_INTERNAL void fxs_polygon_of(polygon *p, const solid *prism, const vertex *v, int64_t x,
                                 int64_t z);

/* A cylinder of a level as a shape at the origin, without a height. */
static inline placed_shape disc_of(const solid *b) {
    placed_shape disc = {0};
    disc.kind = FXS_CYLINDER;
    disc.size[0] = b->radius;
    return disc;
}

/* Bounds of a solid, and the bit of its layer. */
FXS_INTERNAL void fxs_solid_bounds(const fxs_level *l, const solid *s, level_node *out);

/* How far s is above or below a solid; negative if it is neither, 0 if it touches that plane. */
static inline int64_t solid_gap(const placed_shape *s, const solid *b) {
    return max64((int64_t)b->y_low - ((int64_t)s->y + s->size[1]),
                 ((int64_t)s->y - s->size[1]) - b->y_high);
}

/* Contact of s with a prism or any solid whose bounds it meets. The gap is solid_gap, or that of
 * s at another height. */
FXS_INTERNAL int fxs_prism_contact(const placed_shape *s, const solid *prism, const vertex *v,
                                   int64_t gap);
FXS_INTERNAL int fxs_solid_contact_near(const placed_shape *s, const fxs_level *l, uint32_t index,
                                        int64_t gap);

/* The same wherever the two are. */
FXS_INTERNAL int fxs_solid_contact(const placed_shape *s, const fxs_level *l, uint32_t index);

/* Writes the ids of the solids of the layers in `mask` that `area` meets, ascending, if there is
 * room for all. Returns the count. */
FXS_INTERNAL uint64_t fxs_level_met(const fxs_level *l, const placed_shape *area, uint32_t mask,
                                    int hit_when, uint32_t *ids, uint64_t room);

#endif
