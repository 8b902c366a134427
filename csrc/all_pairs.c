/* Hits of a small world: pairs whose bounds meet, without a grid and without sorting. */
#include "all_pairs.h"
#include "blocks.h"
#include "derive.h"

#define LANES_ROOM (LANES_WORLD_MAX + BLOCK) /* with a last block that has no colliders */
#define LANES_PAIRS_ROOM (LANES_WORLD_MAX * (LANES_WORLD_MAX - 1) / 2 + BLOCK)

_Static_assert(SMALL_WORLD_MAX <= 256, "a pair has a byte for each of the two");

/* Active colliders in order of ids. */
typedef struct active_list {
    const placed_shape *who[SMALL_WORLD_MAX + BLOCK];
    uint64_t count;
} active_list;

SPECIALISED void list_active(const fxs_world *w, active_list *c) {
    const uint64_t *present = present_set(w);
    const uint64_t words = set_words(w->capacity);
    const placed_shape *all = placed_shapes(w);
    uint64_t n = 0;
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const placed_shape *s = all + word * 64 + trailing_zeros(bits);
            c->who[n] = s;
            n += s->active;
        }
    }
    c->count = n;
    FXS_ASSERT(n <= SMALL_WORLD_MAX && n <= w->count);
}

/* ---- every pair ---- */

/* Writes the pairs whose bounds meet, by (a, b), each first << 8 | second. Returns the count. */
SPECIALISED uint64_t propose_by_lanes(active_list *c, uint16_t *pairs) {
    int32_t bounds[LANE_BOUNDS * LANES_ROOM];
    const uint64_t n = c->count;
    uint16_t *last = pairs;
    for (uint64_t i = n; n && i < n + BLOCK; i++) {
        c->who[i] = c->who[n - 1]; /* for the last block; its lane is cleared */
    }
    for (uint64_t i = 0; i < n; i += BLOCK) {
        put_lanes(bounds + i, LANES_ROOM, c->who + i);
    }
    for (uint64_t i = n; i < n + BLOCK; i++) {
        clear_lane(bounds + i, LANES_ROOM);
    }
    for (uint64_t i = 0; i + 1 < n; i++) {
        const lane_box box = lane_box_of(bounds + i, LANES_ROOM);
        uint64_t first = (i << 8 | (i + 1)) * EACH;
        for (uint64_t j = i + 1; j < n; j += BLOCK, first += BLOCK * EACH) {
            last = keep_short(last, first, met_of_lanes(bounds + j, LANES_ROOM, box));
        }
    }
    return (uint64_t)(last - pairs);
}

/* ---- sets ---- */

enum { CELLS = 32, CELL_BITS = 5, SET_WORDS = SMALL_WORLD_MAX / 64 };

/* An axis in CELLS cells: for each cell, the colliders that begin in it or before, and those that
 * end in it or after. Two meet on the axis, or nearly, if one is in both sets of the other's last
 * and first cell. */
typedef struct axis_sets {
    uint64_t begun[SET_WORDS][CELLS];
    uint64_t open[SET_WORDS][CELLS];
    uint8_t first[SMALL_WORLD_MAX];
    uint8_t last[SMALL_WORLD_MAX];
} axis_sets;

static inline int64_t least_on(const placed_shape *s, int is_x) {
    return is_x ? (int64_t)s->x - s->extent_x : (int64_t)s->z - s->extent_z;
}
static inline int64_t most_on(const placed_shape *s, int is_x) {
    return is_x ? (int64_t)s->x + s->extent_x : (int64_t)s->z + s->extent_z;
}

SPECIALISED void make_sets(const active_list *c, axis_sets *sets, int is_x) {
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    for (uint64_t i = 0; i < c->count; i++) {
        low = min64(low, least_on(c->who[i], is_x));
        high = max64(high, most_on(c->who[i], is_x));
    }
    const uint32_t extent_bits = c->count ? bit_length((uint64_t)(high - low)) : 0;
    const uint32_t shift = extent_bits > CELL_BITS ? extent_bits - CELL_BITS : 0;
    const size_t words = (size_t)set_words((uint32_t)c->count);
    memset(sets->begun, 0, words * sizeof sets->begun[0]);
    memset(sets->open, 0, words * sizeof sets->open[0]);
    for (uint64_t i = 0; i < c->count; i++) {
        const uint64_t bit = (uint64_t)1 << (i & 63);
        const uint8_t first = (uint8_t)((uint64_t)(least_on(c->who[i], is_x) - low) >> shift);
        const uint8_t last = (uint8_t)((uint64_t)(most_on(c->who[i], is_x) - low) >> shift);
        sets->first[i] = first;
        sets->last[i] = last;
        sets->begun[i >> 6][first] |= bit;
        sets->open[i >> 6][last] |= bit;
    }
    for (size_t word = 0; word < words; word++) {
        for (uint32_t cell = 1; cell < CELLS; cell++) {
            sets->begun[word][cell] |= sets->begun[word][cell - 1];
            sets->open[word][CELLS - 1 - cell] |= sets->open[word][CELLS - cell];
        }
    }
}

/* Writes the pairs of i and those after it whose bounds meet, as propose_by_lanes. */
SPECIALISED uint64_t propose_after(const active_list *c, const axis_sets *x, const axis_sets *z,
                                   uint64_t i, uint16_t *pairs) {
    const uint32_t x_first = x->first[i];
    const uint32_t x_last = x->last[i];
    const uint32_t z_first = z->first[i];
    const uint32_t z_last = z->last[i];
    uint64_t n = 0;
    uint64_t later = UINT64_MAX << (i & 63) << 1; /* those after i, in its own word */
    for (uint64_t word = i >> 6; word * 64 < c->count; word++, later = UINT64_MAX) {
        uint64_t met = x->begun[word][x_last] & x->open[word][x_first] & later;
        met &= z->begun[word][z_last] & z->open[word][z_first];
        for (; met; met &= met - 1) {
            const uint64_t j = word * 64 + trailing_zeros(met);
            pairs[n] = (uint16_t)(i << 8 | j);
            n += extents_overlap(c->who[i], c->who[j]);
        }
    }
    return n;
}

/* ---- both ---- */

/* Writes the hits among the proposed pairs after those found. Returns the count of all. */
SPECIALISED uint64_t hits_among(const fxs_world *w, const active_list *c, const uint16_t *pairs,
                                uint64_t proposed, packed_hit *out, uint64_t found) {
    for (uint64_t i = 0; i < proposed; i++) {
        const placed_shape *a = c->who[pairs[i] >> 8];
        const placed_shape *b = c->who[pairs[i] & 255];
        FXS_ASSERT(a->id < b->id);
        if (may_hit(a, b)) {
            const uint32_t contact = (uint32_t)fxs_near_contact(a, b);
            out[found < w->hit_capacity ? found : w->hit_capacity] =
                hit_pack(a->id, b->id, contact);
            found += contact >= w->hit_when;
        }
    }
    return found;
}

static uint64_t hits_by_sets(const fxs_world *w, packed_hit *out) {
    active_list c;
    axis_sets x, z;
    uint16_t pairs[SMALL_WORLD_MAX];
    uint64_t found = 0;
    list_active(w, &c);
    make_sets(&c, &x, 1);
    make_sets(&c, &z, 0);
    for (uint64_t i = 0; i < c.count; i++) {
        const uint64_t proposed = propose_after(&c, &x, &z, i, pairs);
        found = hits_among(w, &c, pairs, proposed, out, found);
    }
    return found;
}

uint64_t fxs_all_pairs_hits(fxs_world *w, packed_hit *out) {
    FXS_ASSERT(w->count <= SMALL_WORLD_MAX);
    derive(w);
    if (w->count > LANES_WORLD_MAX) {
        return hits_by_sets(w, out);
    }
    active_list c;
    uint16_t pairs[LANES_PAIRS_ROOM];
    list_active(w, &c);
    const uint64_t proposed = propose_by_lanes(&c, pairs);
    return hits_among(w, &c, pairs, proposed, out, 0);
}
