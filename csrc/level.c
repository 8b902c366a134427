/* Levels: bytes in and out, and the tree (docs/contract.md, Levels).
 *
 * The tree is packed: solids are sorted by size and position, every 8 of a row have one node above
 * them, and a node's children are found by counting. A small box finds solids faster through cells
 * of the plane, in a time that does not grow with the level: the tree has then only solids that
 * are too large for them. */
#include "level.h"
#include "hash.h"
#include "sort.h"

enum {
    LEVEL_HEAD_SIZE = 8,
    SOLID_HEAD_SIZE = 12,
    SOLID_SIZE_MIN = 24,
    CELLS_PER_SOLID = 4 /* lists have room for so many on average; larger solids are not listed */
};
#define SPAN_MAX ((1 << 30) - 2)

/* ---- layout ---- */

/* Lays out a level of n solids with room for the vertices of `size` bytes, and its scratch behind
 * it; returns the size of both. */
static uint64_t lay_out_level(fxs_level *l, uint64_t n, uint64_t size) {
    uint64_t end = align8(sizeof *l);
    l->solids_at = end;
    end = align8(end + n * sizeof(solid));
    l->vertices_at = end; /* a vertex takes 8 bytes there too */
    end = align8(end + (size - LEVEL_HEAD_SIZE - n * SOLID_HEAD_SIZE));
    l->row_count = 0;
    for (uint64_t nodes = n; nodes; nodes = (nodes + LEVEL_FANOUT - 1) / LEVEL_FANOUT) {
        l->row_at[l->row_count] = end;
        l->row_size[l->row_count++] = (uint32_t)nodes;
        end += nodes * sizeof(level_node);
        if (nodes == 1) {
            break;
        }
    }
    /* Keys, twice, to sort them; later the cells, n and their end, and the lists. */
    l->cells_at = end;
    l->listed_at = end + (n + 1) * sizeof(uint32_t);
    return align8(l->listed_at + CELLS_PER_SOLID * n * sizeof(uint32_t));
}

static const uint8_t LEVEL_MAGIC[4] = {'F', 'X', 'L', '1'};

/* Whether the number of solids fits the bytes: then `*n` is set, else `*at`, the field at fault. */
static int has_count(const uint8_t *bytes, uint64_t size, uint64_t *n, uint64_t *at) {
    *at = 0;
    for (uint32_t i = 0; i < 4; i++) {
        if (size <= i || bytes[i] != LEVEL_MAGIC[i]) {
            return 0;
        }
    }
    *at = 4;
    if (size < LEVEL_HEAD_SIZE) {
        return 0;
    }
    *n = read32(bytes + 4);
    return *n <= FXS_CAPACITY_MAX && SOLID_SIZE_MIN * *n <= size - LEVEL_HEAD_SIZE;
}

/* ---- checks ---- */

static int64_t cross_of(const vertex *o, const vertex *a, const vertex *b, const vertex *v) {
    int64_t ux = (int64_t)b->x - a->x;
    int64_t uz = (int64_t)b->z - a->z; /* below 2^30 each, as is v - o */
    return ux * ((int64_t)v->z - o->z) - uz * ((int64_t)v->x - o->x);
}

/* Whether these are the vertices of a prism: strictly convex, counterclockwise, once round, and of
 * a span that fits. */
static int is_convex(const vertex *v, uint32_t n) {
    vertex least = v[0];
    vertex most = v[0];
    for (uint32_t j = 1; j < n; j++) {
        least.x = v[j].x < least.x ? v[j].x : least.x;
        least.z = v[j].z < least.z ? v[j].z : least.z;
        most.x = v[j].x > most.x ? v[j].x : most.x;
        most.z = v[j].z > most.z ? v[j].z : most.z;
    }
    if ((int64_t)most.x - least.x > SPAN_MAX || (int64_t)most.z - least.z > SPAN_MAX) {
        return 0;
    }
    for (uint32_t j = 0; j < n; j++) {
        uint32_t next = j + 1 < n ? j + 1 : 0;
        for (uint32_t k = 0; k < n; k++) {
            if (k != j && k != next && cross_of(v + j, v + j, v + next, v + k) <= 0) {
                return 0;
            }
        }
    }
    return 1;
}

/* The parts of a solid's bytes, in their order. Each reads a field when all before it are good and
 * it is there; on a fault returns 0, and `*at` is the field. */
static int read_solid_head(const uint8_t *bytes, uint64_t size, solid *s, uint64_t *at) {
    const uint64_t left = size - *at;
    const uint8_t *p = bytes + *at;
    const struct solid_kind *k = left < 1 ? NULL : fxs_solid_kind(p[0]);
    if (k == NULL) {
        return 0;
    }
    s->code = p[0];
    *at += 1;
    if (left < 2 || p[1] >= FXS_LAYER_COUNT) {
        return 0;
    }
    s->layer = p[1];
    *at += 1;
    if (left < 4) {
        return 0;
    }
    const uint32_t count = (uint32_t)p[2] | (uint32_t)p[3] << 8;
    if (count < k->vertices_least || count > k->vertices_most) {
        return 0;
    }
    s->vertex_count = (uint8_t)count;
    return 1;
}

static int read_heights(const uint8_t *bytes, uint64_t size, solid *s, uint64_t start,
                        uint64_t *at) {
    const uint64_t left = size - start;
    const uint8_t *p = bytes + start;
    *at = start + (left < 8 ? 4 : 8);
    if (left < SOLID_HEAD_SIZE) {
        return 0;
    }
    s->y_low = read_signed(p + 4);
    s->y_high = read_signed(p + 8);
    return s->y_low < s->y_high;
}

static int read_vertices(const uint8_t *bytes, uint64_t size, uint32_t numbers, vertex *v,
                         uint64_t *at) {
    const uint8_t *p = bytes + *at;
    const uint64_t whole = (size - *at) / 4;
    if (whole < numbers) {
        *at += 4 * whole;
        return 0;
    }
    for (uint32_t j = 0; j < numbers / 2; j++) {
        v[j].x = read_signed(p + 8 * j);
        v[j].z = read_signed(p + 8 * j + 4);
    }
    return 1;
}

static int read_radius(const uint8_t *bytes, solid *s, uint64_t *at) {
    *at += 8; /* behind the centre */
    s->radius = read_signed(bytes + *at);
    s->vertex_count = 1;
    return s->radius >= 1 && s->radius <= FXS_SIZE_MAX;
}

/* Reads the solid at `*at`, with its vertices into `v`. On a fault returns 0, and `*at` is the
 * field. */
static int read_solid(const uint8_t *bytes, uint64_t size, solid *s, vertex *v, uint64_t *at) {
    const uint64_t start = *at;
    if (!read_solid_head(bytes, size, s, at) || !read_heights(bytes, size, s, start, at)) {
        return 0;
    }
    const int is_cylinder = s->code == FXS_CYLINDER;
    const uint32_t numbers = is_cylinder ? 3 : 2u * s->vertex_count;
    const uint64_t numbers_at = start + SOLID_HEAD_SIZE;
    *at = numbers_at;
    if (!read_vertices(bytes, size, numbers, v, at)) {
        return 0;
    }
    s->radius = 0;
    const int is_good = is_cylinder ? read_radius(bytes, s, at) : is_convex(v, s->vertex_count);
    if (is_good) {
        *at = numbers_at + 4 * numbers;
    }
    return is_good;
}

/* ---- the tree ---- */

void fxs_polygon_of(polygon *p, const solid *prism, const vertex *v, int64_t x, int64_t z) {
    const uint32_t n = p->n = prism->vertex_count;
    for (uint32_t j = 0; j < n; j++) {
        const vertex *next = v + (j + 1 < n ? j + 1 : 0);
        p->m[j].x = v[j].x - x;
        p->m[j].z = v[j].z - z;
        p->u[j].x = (int64_t)next->x - v[j].x;
        p->u[j].z = (int64_t)next->z - v[j].z;
        FXS_ASSERT(abs64(p->u[j].x) < Q30_ONE && abs64(p->u[j].z) < Q30_ONE);
    }
}

void fxs_solid_bounds(const fxs_level *l, const solid *s, level_node *out) {
    const vertex *v = level_vertices(l, s);
    int64_t min[2] = {v->x, v->z};
    int64_t max[2] = {v->x, v->z};
    for (uint32_t j = 1; j < s->vertex_count; j++) {
        min[0] = min64(min[0], v[j].x);
        min[1] = min64(min[1], v[j].z);
        max[0] = max64(max[0], v[j].x);
        max[1] = max64(max[1], v[j].z);
    }
    const aabb box = {{min[0] - s->radius, s->y_low, min[1] - s->radius},
                      {max[0] + s->radius, s->y_high, max[1] + s->radius}};
    out->box = aabb_clamp(&box);
    out->layers = (uint32_t)1 << s->layer;
}

/* The lower 16 bits of v, one bit of nothing before each. */
static uint64_t spread(uint64_t v) {
    v = (v | v << 8) & 0x00FF00FF;
    v = (v | v << 4) & 0x0F0F0F0F;
    v = (v | v << 2) & 0x33333333;
    return (v | v << 1) & 0x55555555;
}

/* Sorts by size, four times as large to a class, then along a Z-order curve: large solids do
 * not widen the nodes of small ones. An extent is at most 2^30, so its class has 4 bits. */
enum { SOLID_KEY_BITS = 36 };
static uint64_t solid_key(const level_node *b) {
    const uint64_t x = (uint64_t)((int64_t)b->box.min[0] + b->box.max[0] - 2 * (int64_t)INT32_MIN);
    const uint64_t z = (uint64_t)((int64_t)b->box.min[2] + b->box.max[2] - 2 * (int64_t)INT32_MIN);
    const int64_t extent_x = (int64_t)b->box.max[0] - b->box.min[0];
    const int64_t extent_z = (int64_t)b->box.max[2] - b->box.min[2];
    const uint64_t extent_class = bit_length((uint64_t)max64(extent_x, extent_z)) / 2;
    return extent_class << 32 | spread(x >> 17) << 1 | spread(z >> 17);
}

/* Solids by their keys, each in a word: key << index_bits | index. Of more than 2^28 solids the
 * last bits of a key are left out. Returns the sorted words. */
static uint64_t *sorted_solids(const fxs_level *l, uint64_t *words, uint32_t index_bits) {
    enum { DIGIT_BITS = 10 };
    uint32_t counts[1 << DIGIT_BITS];
    const digit_counts digits = {counts, DIGIT_BITS};
    const uint64_t n = l->count;
    const uint32_t key_bits = SOLID_KEY_BITS + index_bits <= 64 ? SOLID_KEY_BITS : 64 - index_bits;
    for (uint64_t i = 0; i < n; i++) {
        level_node b;
        fxs_solid_bounds(l, solids(l) + i, &b);
        words[i] = solid_key(&b) >> (SOLID_KEY_BITS - key_bits) << index_bits | i;
    }
    return fxs_sorted(digits, words, words + n, n, index_bits, key_bits);
}

static void widen(level_node *to, const level_node *by) {
    aabb32_union(&to->box, &by->box);
    to->layers |= by->layers;
    to->index |= by->index & LARGE_BELOW;
}

static level_node *nodes_of(fxs_level *l, uint32_t row) {
    return (level_node *)(void *)((uint8_t *)l + l->row_at[row]);
}

/* ---- cells ---- */

enum {
    CELLS_MET_MAX = 9, /* a box that meets more cells, or longer lists, goes down the tree */
    LISTED_MET_MAX = 64
};

static uint32_t cell_of(const fxs_level *l, int i, int32_t v) {
    const int64_t far = max64(0, (int64_t)v - l->origin[i]) >> l->cell_shift;
    return (uint32_t)min64(far, (int64_t)l->cell_count[i] - 1);
}

/* Sets the range of cells that bounds meet on x and z. Returns the count. */
static uint64_t cells_of(const fxs_level *l, const aabb32 *box, uint32_t first[2],
                         uint32_t last[2]) {
    for (int i = 0; i < 2; i++) {
        first[i] = cell_of(l, i, box->min[2 * i]);
        last[i] = cell_of(l, i, box->max[2 * i]);
    }
    FXS_ASSERT(first[0] <= last[0] && first[1] <= last[1]);
    return (uint64_t)(last[0] - first[0] + 1) * (last[1] - first[1] + 1);
}

static uint32_t *cell_starts(const fxs_level *l) {
    return (uint32_t *)(void *)((uint8_t *)(uintptr_t)l + l->cells_at);
}
static uint32_t *cell_lists(const fxs_level *l) {
    return (uint32_t *)(void *)((uint8_t *)(uintptr_t)l + l->listed_at);
}

/* Lists each cell's solids. `starts` are the lists' ends: they go back to starts. */
static void fill_lists(fxs_level *l, const level_node *nodes) {
    uint32_t *starts = cell_starts(l);
    uint32_t *list = cell_lists(l);
    for (uint32_t left = l->count; left > 0; left--) {
        const uint32_t i = left - 1;
        uint32_t first[2], last[2];
        if (nodes[i].index & LARGE_BELOW) {
            continue;
        }
        cells_of(l, &nodes[i].box, first, last);
        for (uint32_t z = first[1]; z <= last[1]; z++) {
            for (uint32_t x = first[0]; x <= last[0]; x++) {
                list[--starts[(uint64_t)z * l->cell_count[0] + x]] = i;
            }
        }
    }
}

/* There are at most as many cells as solids. A solid is marked if its lists have no room for it. */
static void build_cells(fxs_level *l) {
    const uint32_t n = l->count;
    if (n == 0) {
        return; /* there is no row of nodes */
    }
    level_node *nodes = nodes_of(l, 0);
    level_node all = nodes[0];
    for (uint32_t i = 1; i < n; i++) {
        widen(&all, nodes + i);
    }
    l->origin[0] = all.box.min[0];
    l->origin[1] = all.box.min[2];
    const uint64_t extent_x = (uint64_t)((int64_t)all.box.max[0] - all.box.min[0]);
    const uint64_t extent_z = (uint64_t)((int64_t)all.box.max[2] - all.box.min[2]);
    l->cell_shift = 1; /* extents below 2^32: their product in cells is at most 2^62 */
    while (((extent_x >> l->cell_shift) + 1) * ((extent_z >> l->cell_shift) + 1) > n &&
           l->cell_shift < 32) {
        l->cell_shift++;
    }
    l->cell_count[0] = (uint32_t)(extent_x >> l->cell_shift) + 1;
    l->cell_count[1] = (uint32_t)(extent_z >> l->cell_shift) + 1;
    const uint64_t count = (uint64_t)l->cell_count[0] * l->cell_count[1];
    FXS_ASSERT(count <= n || l->cell_shift == 32);
    uint32_t *starts = cell_starts(l);
    memset(starts, 0, (size_t)count * sizeof *starts);
    uint64_t used = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first[2], last[2];
        const uint64_t met = cells_of(l, &nodes[i].box, first, last);
        if (met > CELLS_PER_SOLID * CELLS_PER_SOLID || used + met > CELLS_PER_SOLID * (uint64_t)n) {
            nodes[i].index |= LARGE_BELOW;
            continue;
        }
        used += met;
        for (uint32_t z = first[1]; z <= last[1]; z++) {
            for (uint32_t x = first[0]; x <= last[0]; x++) {
                starts[(uint64_t)z * l->cell_count[0] + x]++;
            }
        }
    }
    /* Counts to ends. */
    uint32_t end = 0;
    for (uint64_t i = 0; i < count; i++) {
        end += starts[i];
        starts[i] = end;
    }
    FXS_ASSERT(end == used);
    starts[count] = end;
    fill_lists(l, nodes);
}

static void build_tree(fxs_level *l) {
    const uint64_t n = l->count;
    const uint32_t index_bits = bit_length(n ? n - 1 : 0);
    const uint64_t index_mask = ((uint64_t)1 << index_bits) - 1;
    uint64_t *words = (uint64_t *)(void *)((uint8_t *)l + l->cells_at);
    const uint64_t *sorted = n ? sorted_solids(l, words, index_bits) : words;
    for (uint64_t i = 0; i < n; i++) {
        level_node *node = nodes_of(l, 0) + i;
        node->index = (uint32_t)(sorted[i] & index_mask);
        FXS_ASSERT(node->index < n);
        fxs_solid_bounds(l, solids(l) + node->index, node);
    }
    build_cells(l);
    for (uint32_t row = 1; row < l->row_count; row++) {
        const level_node *below = nodes_of(l, row - 1);
        for (uint32_t i = 0; i < l->row_size[row]; i++) {
            level_node *node = nodes_of(l, row) + i;
            const uint64_t first = (uint64_t)i * LEVEL_FANOUT;
            const uint64_t size = l->row_size[row - 1];
            const uint64_t end = first + LEVEL_FANOUT < size ? first + LEVEL_FANOUT : size;
            *node = below[first];
            for (uint64_t k = first + 1; k < end; k++) {
                FXS_ASSERT(k < size);
                widen(node, below + k);
            }
        }
    }
}

static void open_cell(level_walk *w) {
    const uint32_t *start =
        cell_starts(w->level) + (uint64_t)w->cell[1] * w->level->cell_count[0] + w->cell[0];
    w->listed = start[0];
    w->listed_end = start[1];
}

void fxs_level_begin(level_walk *walk, const fxs_level *l, const aabb *box, uint32_t mask) {
    walk->level = l;
    walk->mask = mask;
    walk->box = aabb_clamp(box);
    walk->x = walk->z = walk->mx = walk->mz = walk->across = 0;
    walk->row = 0;
    walk->at[0] = walk->end[0] = 0;
    walk->in_cells = walk->skips_small = 0;
    if (l->count == 0) {
        return;
    }
    walk->row = l->row_count - 1;
    walk->at[walk->row] = 0;
    walk->end[walk->row] = l->row_size[walk->row];
    walk->in_cells = cells_of(l, &walk->box, walk->first_cell, walk->last_cell) <= CELLS_MET_MAX;
    for (uint32_t z = walk->first_cell[1]; walk->in_cells && z <= walk->last_cell[1]; z++) {
        prefetch(cell_starts(l) + (uint64_t)z * l->cell_count[0] + walk->first_cell[0]);
    }
}

void fxs_level_open(level_walk *walk) {
    const fxs_level *l = walk->level;
    uint32_t met = 0;
    if (!walk->in_cells) {
        return;
    }
    const uint32_t *starts = cell_starts(l);
    for (uint32_t z = walk->first_cell[1]; z <= walk->last_cell[1]; z++) {
        const uint32_t *row = starts + (uint64_t)z * l->cell_count[0];
        met += row[walk->last_cell[0] + 1] - row[walk->first_cell[0]];
        prefetch(cell_lists(l) + row[walk->first_cell[0]]);
    }
    walk->in_cells = walk->skips_small = met <= LISTED_MET_MAX;
    walk->cell[0] = walk->first_cell[0];
    walk->cell[1] = walk->first_cell[1];
    open_cell(walk);
}

void fxs_level_walk(level_walk *walk, const fxs_level *l, const aabb *box, uint32_t mask) {
    fxs_level_begin(walk, l, box, mask);
    fxs_level_open(walk);
}

void fxs_level_prefetch(const level_walk *walk) {
    for (uint32_t i = walk->listed; walk->in_cells && i < walk->listed_end; i++) {
        prefetch(level_row(walk->level, 0) + cell_lists(walk->level)[i]);
    }
}

static int node_meets(const level_walk *w, const level_node *n) {
    return ((n->layers & w->mask) != 0) & aabb32_overlaps(&n->box, &w->box);
}

/* Whether the line keeps clear of a node: |x|, |z| < 2^32, a half extent at most 2^31, |mx|, |mz| <
 * 2^29, across < 2^61. Bounds that end at the end of int32 may stand for larger ones. */
static int line_passes(const level_walk *w, const level_node *n) {
    if ((w->mx | w->mz) == 0 || n->box.min[0] == INT32_MIN || n->box.min[2] == INT32_MIN ||
        n->box.max[0] == INT32_MAX || n->box.max[2] == INT32_MAX) {
        return 0;
    }
    const int64_t half_x = ((int64_t)n->box.max[0] - n->box.min[0]) / 2 + 1;
    const int64_t half_z = ((int64_t)n->box.max[2] - n->box.min[2]) / 2 + 1;
    const int64_t x = w->x - (n->box.min[0] + half_x);
    const int64_t z = w->z - (n->box.min[2] + half_z);
    return abs64(z * w->mx - x * w->mz) > w->across + half_x * abs64(w->mz) + half_z * abs64(w->mx);
}

/* The next solid that the cells list, NO_SOLID at their end. A solid that several of them list is
 * met in the first one of the box. */
static uint32_t next_listed(level_walk *w) {
    const fxs_level *l = w->level;
    for (;;) {
        while (w->listed < w->listed_end) {
            const level_node *node = level_row(l, 0) + cell_lists(l)[w->listed++];
            if (node_meets(w, node) && !line_passes(w, node)) {
                const uint32_t x = cell_of(l, 0, node->box.min[0]);
                const uint32_t z = cell_of(l, 1, node->box.min[2]);
                if ((x > w->first_cell[0] ? x : w->first_cell[0]) == w->cell[0] &&
                    (z > w->first_cell[1] ? z : w->first_cell[1]) == w->cell[1]) {
                    FXS_ASSERT(node->index < l->count && !(node->index & LARGE_BELOW));
                    return node->index;
                }
            }
        }
        if (w->cell[0]++ == w->last_cell[0]) {
            w->cell[0] = w->first_cell[0];
            if (w->cell[1]++ == w->last_cell[1]) {
                w->in_cells = 0;
                return NO_SOLID;
            }
        }
        open_cell(w);
    }
}

uint32_t fxs_level_next(level_walk *walk) {
    const fxs_level *l = walk->level;
    if (walk->in_cells) {
        const uint32_t found = next_listed(walk);
        if (found != NO_SOLID) {
            return found;
        }
    }
    for (;;) {
        const uint32_t row = walk->row;
        if (walk->at[row] == walk->end[row]) {
            if (row + 1 >= l->row_count) {
                return NO_SOLID;
            }
            walk->row = row + 1;
            continue;
        }
        const uint32_t i = walk->at[row]++;
        const level_node *node = level_row(l, row) + i;
        if ((walk->skips_small && !(node->index & LARGE_BELOW)) || !node_meets(walk, node) ||
            line_passes(walk, node)) {
            continue;
        }
        if (row == 0) {
            FXS_ASSERT((node->index & ~LARGE_BELOW) < l->count);
            return node->index & ~LARGE_BELOW;
        }
        const uint64_t first = (uint64_t)i * LEVEL_FANOUT;
        const uint64_t size = l->row_size[row - 1];
        walk->row = row - 1;
        walk->at[row - 1] = (uint32_t)first;
        walk->end[row - 1] = (uint32_t)(first + LEVEL_FANOUT < size ? first + LEVEL_FANOUT : size);
    }
}

/* ---- public ---- */

uint64_t fxs_level_size(const uint8_t *bytes, uint64_t size) {
    fxs_level l;
    uint64_t n, at;
    return has_count(bytes, size, &n, &at) ? lay_out_level(&l, n, size) : align8(sizeof l);
}

int32_t fxs_level_init(fxs_level *l, const uint8_t *bytes, uint64_t size, uint64_t *at) {
    uint64_t n, where;
    if ((uintptr_t)l % 8) {
        return FXS_E_CONFIG;
    }
    if (!has_count(bytes, size, &n, &where)) {
        *at = where;
        return FXS_E_LEVEL;
    }
    lay_out_level(l, n, size);
    l->count = (uint32_t)n;
    solid *all = (solid *)(void *)((uint8_t *)l + l->solids_at);
    vertex *vertices = (vertex *)(void *)((uint8_t *)l + l->vertices_at);
    uint64_t vertex_count = 0;
    where = LEVEL_HEAD_SIZE;
    for (uint64_t i = 0; i < n; i++) {
        all[i].vertex_low = (uint32_t)vertex_count;
        all[i].vertex_high = (uint8_t)(vertex_count >> 32);
        if (!read_solid(bytes, size, all + i, vertices + vertex_count, &where)) {
            *at = where;
            return FXS_E_LEVEL;
        }
        vertex_count += all[i].vertex_count;
    }
    if (where != size) {
        *at = where;
        return FXS_E_LEVEL;
    }
    l->bytes = size;
    l->hash = fxs_hash64(bytes, size, 0);
    build_tree(l);
    return FXS_OK;
}

uint32_t fxs_level_count(const fxs_level *l) { return l->count; }

uint64_t fxs_level_hash(const fxs_level *l) { return l->hash; }

uint64_t fxs_level_save_size(const fxs_level *l) { return l->bytes; }

int32_t fxs_level_solid(const fxs_level *l, uint32_t index, fxs_solid *out) {
    if (index >= l->count) {
        return FXS_E_ID;
    }
    const solid *s = solids(l) + index;
    const vertex *v = level_vertices(l, s);
    memset(out, 0, sizeof *out);
    out->code = s->code;
    out->layer = s->layer;
    out->vertex_count = s->code == FXS_PRISM ? s->vertex_count : 0;
    out->y_low = s->y_low;
    out->y_high = s->y_high;
    for (uint32_t j = 0; j < s->vertex_count; j++) {
        out->numbers[2 * j] = v[j].x;
        out->numbers[2 * j + 1] = v[j].z;
    }
    if (s->code == FXS_CYLINDER) {
        out->numbers[2] = s->radius;
    }
    return FXS_OK;
}

static uint32_t numbers_of(const fxs_solid *s) {
    return s->code == FXS_CYLINDER ? 3 : 2 * (uint32_t)s->vertex_count;
}

static uint8_t *write_head(uint8_t *out, uint32_t count) {
    memcpy(out, LEVEL_MAGIC, sizeof LEVEL_MAGIC);
    write32(out + 4, count);
    return out + LEVEL_HEAD_SIZE;
}

static uint8_t *write_solid(uint8_t *out, const fxs_solid *s) {
    out[0] = s->code;
    out[1] = s->layer;
    out[2] = (uint8_t)s->vertex_count;
    out[3] = (uint8_t)(s->vertex_count >> 8);
    write32(out + 4, (uint32_t)s->y_low);
    write32(out + 8, (uint32_t)s->y_high);
    out += SOLID_HEAD_SIZE;
    for (uint32_t j = 0; j < numbers_of(s); j++) {
        write32(out + 4 * j, (uint32_t)s->numbers[j]);
    }
    return out + 4 * numbers_of(s);
}

void fxs_level_save(const fxs_level *l, uint8_t *out) {
    out = write_head(out, l->count);
    for (uint32_t i = 0; i < l->count; i++) {
        fxs_solid s;
        fxs_level_solid(l, i, &s);
        out = write_solid(out, &s);
    }
}

/* Whether a solid has a number of vertices that its bytes can have. */
static int has_length(const fxs_solid *s) {
    if (s->code == FXS_CYLINDER) {
        return s->vertex_count == 0;
    }
    return s->code == FXS_PRISM && s->vertex_count <= FXS_VERTICES_MAX;
}

int32_t fxs_level_write(const fxs_solid *rows, uint64_t n, uint8_t *out, uint64_t capacity,
                        uint64_t *size) {
    if (n > FXS_CAPACITY_MAX) {
        *size = FXS_CAPACITY_MAX;
        return FXS_E_LEVEL;
    }
    uint64_t needed = LEVEL_HEAD_SIZE;
    for (uint64_t i = 0; i < n; i++) {
        if (!has_length(rows + i)) {
            *size = i;
            return FXS_E_LEVEL;
        }
        needed += SOLID_HEAD_SIZE + 4 * (uint64_t)numbers_of(rows + i);
    }
    *size = needed;
    if (needed > capacity) {
        return FXS_E_ROOM;
    }
    out = write_head(out, (uint32_t)n);
    for (uint64_t i = 0; i < n; i++) {
        out = write_solid(out, rows + i);
    }
    return FXS_OK;
}
