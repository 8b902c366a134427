/* Colliders that may be near a box: one by one, in the grid, or by an index of it. */
#include "broad_query.h"
#include "all_pairs.h"
#include "derive.h"
#include "grid.h"
#include "moved.h"

#define BUILD_WORTH 6  /* looks at all colliders that cost as much as a build */
#define LANES_WORTH 6  /* lanes that cost as much as one collider */
#define INDEX_WORTH 16 /* searches for which an index of the built blocks pays */
/* With more keys under two entries of the index, a search is faster than a look at all. */
#define ENTRY_KEYS_MAX 24

/* The index has, for each value of the leading bits of a key, about as many as there are keys, the
 * first index with that or more. */
static void make_index(const fxs_world *w, const arrays *a) {
    grid *g = a->g;
    uint32_t *index = index_of(a, w);
    uint32_t bits = bit_length(g->count) - 1;
    uint32_t used = g->key_end - g->x_at;
    uint32_t n = g->classes[g->class_count].end;
    uint32_t sum = 0;
    bits = least32(least32(bits, used), 31);
    g->index_shift = g->key_end - bits;
    g->index_end = 1u << bits;
    memset(index, 0, ((size_t)g->index_end + 1) * sizeof *index);
    for (uint32_t i = 0; i < n; i++) {
        index[a->keys[i] >> g->index_shift]++;
    }
    for (uint32_t i = 0; i <= g->index_end; i++) {
        uint32_t here = index[i];
        index[i] = sum;
        sum += here;
    }
    g->indexed = 1;
    FXS_ASSERT(sum == n && index[g->index_end] == n);
}

/* From the first key of a row that a query may want, at the latest, to behind the last one, at the
 * earliest. */
typedef struct span {
    uint32_t from, to;
} span;

/* The span of indices that the index gives for the keys of a row from `begin` to before `end`.
 * Returns whether the span is not much longer than these keys, and begins in this row. Both have
 * entries, and one after them: a row has a key, the one after the last too, and so has every x. */
static inline int is_span(const arrays *a, const uint32_t *index, uint64_t row, uint64_t begin,
                          uint64_t end, span *out) {
    const uint32_t shift = a->g->index_shift;
    const uint32_t *first = index + (begin >> shift);
    const uint32_t *last = index + (end >> shift);
    out->from = first[0];
    out->to = last[1];
    const uint32_t keys = (first[1] - first[0]) + (last[1] - last[0]);
    return (keys <= ENTRY_KEYS_MAX) & (a->keys[first[0]] >= row);
}

/* Blocks of several rows, to be looked at in one loop, and where their rows end. */
#define SPAN_BLOCKS 4
#define LISTED_MAX 32
typedef struct listed {
    uint64_t at[LISTED_MAX + SPAN_BLOCKS], end[LISTED_MAX + SPAN_BLOCKS];
    uint32_t n;
} listed;

/* Appends the indices that a query meets in the blocks of the list, and empties the list: where the
 * appended indices end. */
static inline uint64_t *keep_listed(const arrays *a, listed *blocks, packed_aabb here,
                                    uint64_t *met) {
    for (uint32_t i = 0; i < blocks->n; i++) {
        uint64_t at = blocks->at[i];
        const uint64_t end = blocks->end[i];
        const uint32_t found = met_of_block(a->keys + at, a->min + at, a->max + at, here, end);
        met = keep_of_block(met, at, found);
    }
    blocks->n = 0;
    return met;
}

/* Lists the blocks of a span, a few at once: nearly always all of them, so that no branch depends
 * on how many they are. */
static inline uint64_t *list_span(const arrays *a, listed *blocks, span s, uint64_t end,
                                  packed_aabb here, uint64_t *met) {
    static const uint64_t ON[SPAN_BLOCKS] = {0, BLOCK, 2 * BLOCK, 3 * BLOCK};
    static const uint64_t SAME[SPAN_BLOCKS] = {0};
    for (uint32_t from = s.from; from < s.to; from += SPAN_BLOCKS * BLOCK) {
        add_to_block(blocks->at + blocks->n, ON, from);
        add_to_block(blocks->end + blocks->n, SAME, end);
        blocks->n += least32((s.to - from + BLOCK - 1) / BLOCK, SPAN_BLOCKS);
        if (blocks->n >= LISTED_MAX) {
            met = keep_listed(a, blocks, here, met);
        }
    }
    return met;
}

static int64_t clamped(int64_t v, int64_t low, int64_t high) { return max64(low, min64(v, high)); }

static uint64_t look_at_all(const fxs_world *w, const aabb *box, uint64_t *found) {
    const uint64_t *present = present_set(w);
    uint64_t n = 0;
    for (uint64_t word = 0; word < set_words(w->capacity); word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const placed_shape *s = placed_shapes(w) + word * 64 + trailing_zeros(bits);
            found[n] = s->id;
            n += (uint64_t)(s->active && extents_meet_aabb(s, box));
        }
    }
    return n;
}

/* A query of the grid: its box in steps of the grid from its low corner, and the indices in the
 * sorted arrays that it has found so far. */
typedef struct grid_query {
    arrays a;
    const uint32_t *index;
    uint64_t from[3], to[3];
    packed_aabb here;
    listed blocks;
    uint64_t *last; /* where the found indices end */
} grid_query;

/* The rows of one size class that a query wants, and the keys in each. */
typedef struct wanted_rows {
    uint32_t size_class;
    uint32_t z_first, z_last, y_first, y_last;
    uint64_t x_begin, x_end; /* of a key, within its row */
    uint32_t hint;           /* an index at or before the next row */
} wanted_rows;

static uint64_t packed_point(const grid *g, const uint64_t v[3]) {
    return v[0] >> g->shift | v[2] >> g->shift << (FIELD + 1) | v[1] >> g->shift << (2 * FIELD + 2);
}

/* Sets the box of a query. 0 if it misses the whole grid. */
static int set_query_box(grid_query *q, const aabb *box) {
    const grid *g = q->a.g;
    for (uint32_t i = 0; i < 3; i++) {
        if (box->max[i] < g->low[i] || box->min[i] > g->high[i]) {
            return 0;
        }
        q->from[i] = from_low(g, i, clamped(box->min[i], g->low[i], g->high[i]));
        q->to[i] = from_low(g, i, clamped(box->max[i], g->low[i], g->high[i]));
    }
    q->here.min = packed_point(g, q->from);
    q->here.max = packed_point(g, q->to) | GUARDS;
    return 1;
}

/* v less `by`, or 0. */
static inline uint64_t back_from(uint64_t v, uint64_t by) { return v - (v < by ? v : by); }

static inline wanted_rows rows_of(const grid_query *q, uint32_t class_index) {
    const grid *g = q->a.g;
    const size_class *c = g->classes + class_index;
    wanted_rows rows;
    rows.size_class = class_index;
    rows.z_first = z_row(c, back_from(q->from[2], c->wide));
    rows.z_last = z_row(c, q->to[2]);
    rows.y_first = y_row(g, c, back_from(q->from[1], c->tall));
    rows.y_last = y_row(g, c, q->to[1]);
    rows.x_begin = x_key(g, back_from(q->from[0], c->wide) >> g->shift);
    rows.x_end = x_key(g, q->to[0] >> g->shift) + ((uint64_t)1 << g->x_at);
    rows.hint = c->first;
    return rows;
}

/* Finds those of a row from an index on, one block after the other: the index behind them. */
static inline uint32_t walk_row(grid_query *q, uint32_t at, uint64_t end) {
    const arrays *a = &q->a;
    while (a->keys[at] < end) {
        const uint32_t found = met_of_block(a->keys + at, a->min + at, a->max + at, q->here, end);
        q->last = keep_of_block(q->last, at, found);
        at += (uint32_t)below_in_block(a->keys + at, end);
    }
    return at;
}

/* Looks at a row. The first key behind it; 0 if that is not known. */
static inline uint64_t look_in_row(grid_query *q, wanted_rows *rows, uint64_t row) {
    const arrays *a = &q->a;
    const uint64_t begin = row + rows->x_begin;
    const uint64_t end = row + rows->x_end;
    span found = {rows->hint, rows->hint};
    if (a->g->indexed && is_span(a, q->index, row, begin, end, &found)) {
        rows->hint = found.from;
        if (a->keys[rows->hint] < end) { /* else the row has nothing: there may be very many */
            q->last = list_span(a, &q->blocks, found, end, q->here, q->last);
            return 0;
        }
    } else {
        const uint32_t middle = found.from + (found.to - found.from) / 2;
        rows->hint = walk_row(q, fxs_grid_seek(a, middle, begin), end);
    }
    return a->keys[rows->hint];
}

/* Looks at the rows of one y, from each to the next that has anything. The first key behind the
 * last one; 0 if that is not known. */
static inline uint64_t look_along_z(grid_query *q, wanted_rows *rows, uint32_t y) {
    const grid *g = q->a.g;
    const uint32_t class_end = g->classes[rows->size_class].end;
    uint64_t next = 0;
    for (uint32_t z = rows->z_first; z <= rows->z_last; z++) {
        const uint64_t row = row_key(g, rows->size_class, y, z);
        next = look_in_row(q, rows, row);
        if (next == 0) {
            continue;
        }
        const uint64_t ahead = (next - row) >> g->z_at;
        if (rows->hint >= class_end || ahead > rows->z_last - z) {
            break;
        }
        z += ahead ? (uint32_t)ahead - 1 : 0;
    }
    return next;
}

static void look_in_class(grid_query *q, uint32_t class_index) {
    const grid *g = q->a.g;
    const size_class *c = g->classes + class_index;
    if (c->first == c->end) {
        return;
    }
    wanted_rows rows = rows_of(q, class_index);
    for (uint32_t y = rows.y_first; y <= rows.y_last; y++) {
        const uint64_t next = look_along_z(q, &rows, y);
        if (next == 0) {
            continue;
        }
        const uint64_t ahead = (next - row_key(g, class_index, y, 0)) >> g->y_at;
        if (rows.hint >= c->end || (g->beams && ahead > rows.y_last - y)) {
            break;
        }
        y += g->beams && ahead ? (uint32_t)ahead - 1 : 0;
    }
}

static uint64_t look_in_grid(const fxs_world *w, const arrays *a, const aabb *box,
                             uint64_t *found) {
    const grid *g = a->g;
    grid_query q;
    q.a = *a;
    if (g->count == 0 || !set_query_box(&q, box)) {
        return 0;
    }
    q.index = index_of(a, w);
    q.blocks.n = 0;
    q.last = found;
    for (uint32_t class_index = 0; class_index <= g->class_count; class_index++) {
        look_in_class(&q, class_index);
    }
    q.last = keep_listed(a, &q.blocks, q.here, q.last);
    const uint64_t id_mask = ((uint64_t)1 << g->x_at) - 1;
    for (uint64_t *id = found; id < q.last; id++) {
        *id = a->keys[*id] & id_mask;
        FXS_ASSERT(set_has(present_set(w), (uint32_t)*id) ||
                   (w->moved_count && set_has(known_set(w), (uint32_t)*id)));
        prefetch(placed_shapes(w) + *id);
    }
    return (uint64_t)(q.last - found);
}

uint64_t fxs_broad_guess(const fxs_world *w, const aabb *box) {
    const grid *g = arrays_of(w).g;
    if (!w->grid_fresh || g->count == 0) {
        return 0;
    }
    const size_class *usual = g->classes + g->class_count - 1;
    uint64_t n = g->count; /* < 2^32, times an extent < 2^32.6 in two steps */
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t low = max64(box->min[i], g->low[i]);
        const int64_t high = min64(box->max[i], g->high[i]);
        const int64_t length = i == 1 ? usual->tall : usual->wide;
        const int64_t shared = high - low + length;
        const int64_t extent = g->high[i] - g->low[i];
        if (shared <= 0) {
            return 0;
        }
        if (shared < extent) {
            n = n * (uint64_t)(shared >> 2) / (uint64_t)((extent >> 2) + 1);
        }
    }
    return n;
}

uint64_t *fxs_broad_near(fxs_world *w, const aabb *box, uint64_t *count) {
    arrays a = arrays_of(w);
    derive(w);
    if (w->count > LANES_WORLD_MAX) {
        w->looked += w->grid_fresh ? w->moved_count / LANES_WORTH : w->count;
        if (w->looked >= BUILD_WORTH * (uint64_t)w->count) {
            fxs_grid_build(w, &a, 0);
        }
    }
    if (w->grid_fresh && a.g->count > LANES_WORLD_MAX && !a.g->indexed &&
        ++w->searches >= INDEX_WORTH) {
        make_index(w, &a);
    }
    if (!w->grid_fresh) {
        *count = look_at_all(w, box, a.spare);
    } else {
        *count = look_in_grid(w, &a, box, a.spare);
        *count = w->moved_count ? fxs_with_moved(w, box, a.spare, *count) : *count;
    }
    for (uint64_t i = 0; i < *count; i++) {
        FXS_ASSERT(set_has(present_set(w), (uint32_t)a.spare[i]) &&
                   placed_shapes(w)[a.spare[i]].active);
    }
    return a.spare;
}
