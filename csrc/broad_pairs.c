/* Pairs of colliders that are worth an exact test, found along the rows of the grid. */
#include "broad_pairs.h"
#include "derive.h"
#include "grid.h"

#define BATCH 256
/* Pairs for each collider whose layers do not meet: with more, separate size classes are faster. */
#define FILTERED_PER_COLLIDER 8

typedef struct pair_search {
    const fxs_world *w;
    arrays a;
    uint64_t id_mask, one; /* of a key: the bits of the id; the least step of x */
    packed_hit *out;
    uint64_t found;
    uint64_t filtered;     /* pairs looked at whose layers do not meet */
    uint64_t filtered_max; /* above it the search begins again, with size classes apart */
    pair_taker take;       /* of pairs that may hit, or NULL: exact tests find hits */
    void *context;
    /* Pairs whose boxes meet, as indices in the sorted arrays: first << 32 | second. */
    uint64_t pair[BATCH + BLOCK];
} pair_search;

/* Tests the proposed pairs, sorted by kinds: a run of like pairs is predicted well. Packed boxes
 * that meet have a gap of at most two quanta on each axis; a quantum is at most 2^13. */
static void test_proposed(pair_search *s, uint32_t proposed) {
    const placed_shape *all = s->a.sorted;
    uint64_t like[PAIRS_END][BATCH + BLOCK], hit[BATCH + BLOCK];
    uint32_t count[PAIRS_END] = {0};
    FXS_ASSERT(proposed < BATCH + BLOCK);
    uint32_t met = 0;
    for (uint32_t i = 0; i < proposed; i++) {
        uint64_t pair = s->pair[i];
        uint64_t swapped = pair << 32 | pair >> 32;
        FXS_ASSERT(pair >> 32 < s->a.g->count && (pair & UINT32_MAX) < s->a.g->count);
        const placed_shape *p = all + (pair >> 32);
        const placed_shape *q = all + (pair & UINT32_MAX);
        const pair_order order = order_of_kinds(p->kind, q->kind);
        like[order.pair][count[order.pair]] = order.is_swapped ? swapped : pair;
        count[order.pair] += may_hit(p, q);
        met += p->meets >> q->layer & 1;
    }
    s->filtered += proposed - met;
    if (s->take) {
        for (uint32_t kinds = 0; kinds < PAIRS_END; kinds++) {
            s->take(s->context, all, like[kinds], count[kinds]);
        }
        return;
    }
    for (uint32_t kinds = 0; kinds < PAIRS_END; kinds++) {
        if (count[kinds] == 0) {
            continue;
        }
        uint64_t room = s->found < s->w->hit_capacity ? s->w->hit_capacity - s->found : 0;
        uint64_t *to = count[kinds] < room ? s->out + s->found : hit;
        uint32_t found = fxs_placed_hits(all, (class_pair)kinds, like[kinds], count[kinds],
                                         (int)s->w->hit_when, to);
        if (to == hit && room) {
            memcpy(s->out + s->found, hit, (size_t)(found < room ? found : room) * sizeof *hit);
        }
        s->found += found;
    }
}

/* Makes i a candidate with every index from j on whose key is below `end` and whose box meets i's.
 * Takes the end of the candidates so far and returns the new end. By blocks: nearly always one is
 * enough, so the branch is predicted. */
static inline uint64_t *scan(pair_search *s, const arrays *a, uint64_t *pair, uint64_t i,
                             uint64_t j, uint64_t end) {
    const packed_aabb own = {a->min[i], a->max[i]};
    do {
        pair = keep_of_block(pair, i << 32 | j,
                             met_of_block(a->keys + j, a->min + j, a->max + j, own, end));
        j += BLOCK;
        if (pair >= s->pair + BATCH) {
            test_proposed(s, (uint32_t)(pair - s->pair));
            pair = s->pair;
        }
    } while (a->keys[j - 1] < end);
    return pair;
}

/* The first index from `from` on whose key is not below `key`. */
static inline uint64_t seek(const uint64_t *keys, uint64_t from, uint64_t key) {
    uint64_t passed;
    do {
        passed = below_in_block(keys + from, key);
        from += passed;
    } while (passed == BLOCK);
    return from;
}

/* The same, faster if the index is only a few keys further on. */
static inline uint32_t seek_on(const arrays *a, uint32_t hint, uint64_t key) {
    if (hint == 0 || a->keys[hint - 1] < key) {
        uint64_t passed = below_in_block(a->keys + hint, key);
        if (passed < BLOCK) {
            return hint + (uint32_t)passed;
        }
    }
    return fxs_grid_seek(a, hint, key);
}

/* Pairs within a size class. A collider searches its own row up to its own end, and the rows after
 * it from as far back as an earlier collider could begin and still reach it. */
static inline void search_rows(pair_search *s, const size_class *c, uint32_t rows) {
    const arrays a = s->a;
    const grid *g = a.g;
    const uint64_t *keys = a.keys;
    const uint64_t *ends = a.spare;
    const uint64_t row_mask = ~(((uint64_t)1 << g->z_at) - 1);
    const uint64_t begin_mask = ~s->id_mask;
    const uint64_t back = x_key(g, (c->wide >> g->shift) + ((uint64_t)1 << g->x_drop) + 1);
    const uint64_t y = (uint64_t)1 << g->y_at;
    const uint64_t z = (uint64_t)1 << g->z_at;
    const uint64_t row[4] = {z, y - z, y, y + z};
    uint64_t start[4] = {c->first, c->first, c->first, c->first};
    uint64_t *pair = s->pair;
    for (uint64_t i = c->first; i < c->end && s->filtered <= s->filtered_max; i++) {
        uint64_t key = keys[i];
        uint64_t own = key & row_mask;
        uint64_t end = ends[i];
        uint64_t from = (key & begin_mask) - back;
        from = from > own && key > back ? from : own;
        pair = scan(s, &a, pair, i, i + 1, end);
        for (uint32_t k = 0; k < rows; k++) {
            prefetch(a.sorted + start[k] + BLOCK);
            start[k] = seek(keys, start[k], from + row[k]);
            pair = scan(s, &a, pair, i, start[k], end + row[k]);
        }
    }
    test_proposed(s, (uint32_t)(pair - s->pair));
}

static void search_class(pair_search *s, const size_class *c) {
    if (s->a.g->beams) {
        search_rows(s, c, 4);
    } else {
        search_rows(s, c, 1);
    }
}

/* Pairs of a collider of a size class with larger ones of the size class `large`. */
static void search_larger(pair_search *s, const size_class *c, uint32_t large) {
    const arrays *a = &s->a;
    const grid *g = a->g;
    const size_class *coarse = g->classes + large;
    const uint64_t z_mask = ((uint64_t)1 << (g->y_at - g->z_at)) - 1;
    uint32_t hint[4] = {coarse->first, coarse->first, coarse->first, coarse->first};
    uint64_t *pair = s->pair;
    for (uint32_t i = c->first; i < c->end && s->filtered <= s->filtered_max; i++) {
        const placed_shape *p = a->sorted + i;
        int64_t x = (int64_t)p->x - p->extent_x - coarse->wide;
        int64_t z = (int64_t)p->z - p->extent_z - coarse->wide;
        int64_t y = (int64_t)p->y - p->extent_y - coarse->tall;
        uint64_t x_begin = x_key(g, from_low(g, 0, max64(x, g->low[0])) >> g->shift);
        uint64_t x_end = x_key(g, a->max[i] & FIELD_MASK) + s->one;
        const uint32_t z_first = z_row(coarse, from_low(g, 2, max64(z, g->low[2])));
        const uint32_t z_end = z_row(coarse, from_low(g, 2, (int64_t)p->z + p->extent_z));
        const uint32_t y_end = y_row(g, coarse, from_low(g, 1, (int64_t)p->y + p->extent_y));
        uint32_t yr = y_row(g, coarse, from_low(g, 1, max64(y, g->low[1])));
        uint32_t zr = z_first;
        while (yr <= y_end) {
            uint64_t row = row_key(g, large, yr, zr);
            uint32_t *h = hint + (zr & 3);
            *h = seek_on(a, *h, row + x_begin);
            uint64_t next = a->keys[*h];
            if (next < row + x_end) {
                pair = scan(s, a, pair, i, *h, row + x_end);
                zr++;
            } else if (*h >= coarse->end) {
                break;
            } else if ((next - row) >> g->z_at == 0) {
                zr++;
            } else { /* on to the next row that is not empty: a tall collider may cross very many */
                uint64_t at_row = next - row_key(g, large, 0, 0);
                uint32_t y_next = g->beams ? (uint32_t)(at_row >> g->y_at) : 0;
                uint32_t z_next = (uint32_t)(at_row >> g->z_at & z_mask);
                zr = z_next < z_first ? z_first : z_next;
                yr = y_next;
            }
            if (zr > z_end) {
                zr = z_first;
                yr++;
            }
        }
    }
    test_proposed(s, (uint32_t)(pair - s->pair));
}

static void search_classes(pair_search *s) {
    const grid *g = s->a.g;
    if (g->class_count == 0) {
        return;
    }
    s->id_mask = ((uint64_t)1 << g->x_at) - 1;
    s->one = (uint64_t)1 << g->x_at;
    for (uint32_t i = 0; i < g->class_count; i++) {
        const size_class *c = g->classes + i;
        for (uint32_t j = 0; j <= i; j++) {
            if (g->met_groups[c->group] >> g->classes[j].group & 1) {
                if (i == j) {
                    search_class(s, c);
                } else if (c->wide <= g->classes[j].wide) {
                    search_larger(s, c, j);
                } else {
                    search_larger(s, g->classes + j, i);
                }
            }
        }
    }
}

uint64_t fxs_broad_hits(fxs_world *w, packed_hit *out) {
    pair_search s;
    derive(w);
    s.w = w;
    s.a = arrays_of(w);
    s.take = NULL;
    s.out = out;
    s.found = 0;
    s.filtered = 0;
    s.filtered_max =
        fxs_grid_build(w, &s.a, 0) ? (uint64_t)FILTERED_PER_COLLIDER * s.a.g->count : UINT64_MAX;
    search_classes(&s);
    if (s.filtered > s.filtered_max) {
        s.found = 0;
        s.filtered_max = UINT64_MAX;
        fxs_grid_build(w, &s.a, 1);
        search_classes(&s);
    }
    return s.found;
}

void fxs_broad_pairs(fxs_world *w, pair_taker take, void *context) {
    pair_search s;
    s.w = w;
    s.a = arrays_of(w);
    s.take = take;
    s.context = context;
    s.out = NULL;
    s.found = 0;
    s.filtered = 0;
    s.filtered_max = UINT64_MAX;
    search_classes(&s);
}
