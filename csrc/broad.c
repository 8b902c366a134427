/* Broad phase: which pairs are worth an exact test.
 *
 * Colliders are sorted by row and, within a row, by where they begin on x. Rows are strips of z (in a tall world, beams of y and z)
 * at least as high as any collider in them is long, so what meets is in the same or in a neighbouring row, and of two that meet the
 * one beginning first on x reaches the other's beginning: every collider looks along its own row and its neighbours from its own
 * beginning to its own end. The places where it starts to look move forward only, so one walk over the sorted array finds them all.
 *
 * Where sizes differ much, levels keep the rows of small colliders low: a level holds sizes within a factor of 8, and a collider
 * looks for larger ones in the rows of every level above its own.
 *
 * All of this is rebuilt from the state at every step and only proposes; fxs_solid_contact decides. */
#include "world.h"

#define LEVELS_MAX 12 /* 33 bit lengths of a size, three to a level, and one of those that meet nobody */
#define FIELD 20      /* bits of a bound in a box */
#define FIELD_MASK ((1u << FIELD) - 1)
#define GUARDS ((uint64_t)1 << FIELD | (uint64_t)1 << (2 * FIELD + 1) | (uint64_t)1 << (3 * FIELD + 2))
#define BATCH 512

/* Bounds on three axes, quantised to FIELD bits each (rounded down, which keeps order), a guard bit above each field: x in the low
 * field, then z, then y. `most` has its guards set: a box begins before another ends on all axes iff most - least keeps them all. */
typedef struct box {
    uint64_t least, most;
} box;

typedef struct level {
    uint32_t first, end;    /* in the sorted arrays */
    uint32_t inverse;       /* floor(2^32 / height of a row) */
    uint32_t wide;          /* longest collider on x and on the axes of the rows, raw */
} level;

/* What the last build made: how coordinates become keys. A key is level | y row | z row | x | index, each as wide as need be. */
typedef struct grid {
    uint32_t count, levels;
    int32_t low[3];         /* least bound on x, z, y */
    uint32_t shift[3];      /* raw bits dropped from a bound to make a field */
    uint32_t x_drop;        /* bits dropped from a field of x to make the key's */
    uint32_t x_at, z_at, y_at, level_at; /* bit positions in a key */
    uint32_t tall;          /* rows are beams of y and z */
    level level[LEVELS_MAX];
} grid;

typedef struct arrays {
    grid *g;
    uint64_t *keys, *spare; /* one more key than colliders: the last is above all */
    box *boxes, *sorted;
    uint32_t *ids;          /* by the index in a key */
} arrays;

static uint64_t aligned(uint64_t size) { return (size + 7) & ~(uint64_t)7; }

uint64_t fxs_broad_size(uint32_t capacity) {
    uint64_t n = capacity;
    return aligned(sizeof(grid)) + 2 * 8 * (n + 1) + 2 * sizeof(box) * n + aligned(4 * n);
}

static arrays arrays_of(const fxs_world *w) {
    arrays a;
    a.g = (grid *)at(w, w->broad_at);
    a.keys = (uint64_t *)at(w, w->broad_at + aligned(sizeof(grid)));
    a.spare = a.keys + w->capacity + 1;
    a.boxes = (box *)(a.spare + w->capacity + 1);
    a.sorted = a.boxes + w->capacity;
    a.ids = (uint32_t *)(a.sorted + w->capacity);
    return a;
}

static uint32_t bit_length(uint64_t v) {
#if defined(__GNUC__) && !defined(FXS_NO_BUILTINS)
    return v ? 64 - (uint32_t)__builtin_clzll(v) : 0;
#else
    uint32_t n = 0;
    for (uint32_t step = 32; step; step /= 2) {
        if (v >> step) {
            v >>= step;
            n += step;
        }
    }
    return n + (uint32_t)v;
#endif
}

/* Clamping keeps order, and of two intervals that meet and have their centres in range it keeps that they meet. */
static int32_t clamped(int64_t v) { return v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : (int32_t)v; }
static int32_t least_of(int32_t centre, int32_t reach) { return clamped((int64_t)centre - reach); }
static int32_t most_of(int32_t centre, int32_t reach) { return clamped((int64_t)centre + reach); }

static uint32_t wide_of(const solid *s, uint32_t tall) {
    int32_t most = s->reach_x > s->reach_z ? s->reach_x : s->reach_z;
    return 2 * (uint32_t)(tall && s->reach_y > most ? s->reach_y : most);
}

static uint32_t offset(int32_t v, int32_t low) { return (uint32_t)v - (uint32_t)low; }
static uint32_t row_of(uint32_t from_low, uint32_t inverse) { return (uint32_t)((uint64_t)from_low * inverse >> 32); }

/* What the first look at the colliders learns. */
typedef struct survey {
    int32_t low[3], high[3];       /* of all bounds on x, z, y */
    uint32_t widest[2][34];        /* flat, tall: the longest of each bit length of a length; 0: none */
    uint32_t many[34];             /* flat: how many of each */
    uint32_t layers;               /* that are there */
} survey;

static void take_survey(const fxs_world *w, arrays *a, survey *v) {
    const uint64_t *present = present_set(w);
    uint32_t n = 0;
    memset(v, 0, sizeof *v);
    for (uint32_t i = 0; i < 3; i++) {
        v->low[i] = INT32_MAX;
        v->high[i] = INT32_MIN;
    }
    for (uint64_t word = 0; word < set_words(w->capacity); word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const solid *s = solids(w) + word * 64 + trailing_zeros(bits);
            if (!s->active) {
                continue;
            }
            a->ids[n++] = s->id;
            v->layers |= 1u << s->layer;
            const int32_t centre[3] = {s->x, s->z, s->y}, reach[3] = {s->reach_x, s->reach_z, s->reach_y};
            for (uint32_t i = 0; i < 3; i++) {
                int32_t low = least_of(centre[i], reach[i]), high = most_of(centre[i], reach[i]);
                v->low[i] = low < v->low[i] ? low : v->low[i];
                v->high[i] = high > v->high[i] ? high : v->high[i];
            }
            uint32_t flat = wide_of(s, 0), tall = wide_of(s, 1), length = bit_length(flat);
            v->many[length]++;
            v->widest[0][length] = flat > v->widest[0][length] ? flat : v->widest[0][length];
            length = bit_length(tall);
            v->widest[1][length] = tall > v->widest[1][length] ? tall : v->widest[1][length];
        }
    }
    a->g->count = n;
}

/* Chooses levels and the layout of keys. level_of[b] is the level of a collider whose length has b bits. */
static void plan(arrays *a, const survey *v, uint32_t level_of[34]) {
    grid *g = a->g;
    uint32_t extent[3], common = 0;
    for (uint32_t i = 0; i < 3; i++) {
        extent[i] = offset(v->high[i], v->low[i]);
        g->low[i] = v->low[i];
        g->shift[i] = bit_length(extent[i]) > FIELD ? bit_length(extent[i]) - FIELD : 0;
    }
    for (uint32_t b = 0; b < 34; b++) {
        common = v->many[b] > v->many[common] ? b : common;
    }
    g->tall = bit_length(extent[2]) > common + 3; /* more than about eight of the usual colliders on top of each other */
    const uint32_t *widest = v->widest[g->tall];
    g->levels = 0;
    for (uint32_t b = 34; b--;) {
        if (widest[b] && (g->levels == 0 || level_of[b + 1] == LEVELS_MAX || bit_length(g->level[g->levels - 1].wide) > b + 2)) {
            g->level[g->levels++].wide = widest[b];
        }
        level_of[b] = g->levels ? g->levels - 1 : LEVELS_MAX;
    }
    /* One more level for those that meet nobody: queries want them, pairs do not. */
    g->level[g->levels] = g->level[g->levels - 1];
    for (uint32_t b = 0; b < g->levels; b++) {
        g->level[g->levels].wide = g->level[b].wide > g->level[g->levels].wide ? g->level[b].wide : g->level[g->levels].wide;
    }
    uint32_t index_bits = bit_length(g->count), level_bits = bit_length(g->levels), z_bits, y_bits, least = g->level[g->levels - 1].wide;
    for (uint32_t height = 0;; height++) {
        for (uint32_t i = 0; i <= g->levels; i++) { /* 2^32 / height, rounded down: height >= 2 */
            g->level[i].inverse = (uint32_t)((((uint64_t)1 << 32) / g->level[i].wide) >> height);
        }
        uint32_t finest = g->level[g->levels - 1].inverse;
        z_bits = bit_length(row_of(extent[1], finest) + 2);
        y_bits = g->tall ? bit_length(row_of(extent[2], finest) + 2) : 0;
        if (index_bits + level_bits + z_bits + y_bits <= 54) {
            break;
        }
    }
    uint32_t x_bits = bit_length(extent[0] / least) + 4, x_most = 64 - index_bits - level_bits - z_bits - y_bits;
    x_bits = x_bits < FIELD ? x_bits : FIELD;
    x_bits = x_bits < x_most ? x_bits : x_most;
    g->x_drop = FIELD - x_bits;
    g->x_at = index_bits;
    g->z_at = g->x_at + x_bits;
    g->y_at = g->z_at + z_bits;
    g->level_at = g->y_at + y_bits;
}

static uint64_t field(const grid *g, uint32_t axis, int32_t v) { return offset(v, g->low[axis]) >> g->shift[axis]; }

static box box_of(const grid *g, const solid *s) {
    box b;
    b.least = field(g, 0, least_of(s->x, s->reach_x)) | field(g, 1, least_of(s->z, s->reach_z)) << (FIELD + 1) |
              field(g, 2, least_of(s->y, s->reach_y)) << (2 * FIELD + 2);
    b.most = (field(g, 0, most_of(s->x, s->reach_x)) | field(g, 1, most_of(s->z, s->reach_z)) << (FIELD + 1) |
              field(g, 2, most_of(s->y, s->reach_y)) << (2 * FIELD + 2)) |
             GUARDS;
    return b;
}

static int boxes_meet(const box *p, const box *q) { return (((p->most - q->least) & (q->most - p->least)) & GUARDS) == GUARDS; }

/* The key of a place, without index: rows begin at 1, so that the row before the first and the one after the last are keys too. */
static uint64_t key_at(const grid *g, uint32_t lvl, uint32_t y_row, uint32_t z_row, uint64_t x_field) {
    return ((uint64_t)lvl << g->level_at) + ((uint64_t)y_row << g->y_at) + ((uint64_t)z_row << g->z_at) +
           (x_field >> g->x_drop << g->x_at);
}

static uint32_t z_row(const grid *g, const level *l, int32_t z) { return row_of(offset(z, g->low[1]), l->inverse) + 1; }
static uint32_t y_row(const grid *g, const level *l, int32_t y) { return g->tall ? row_of(offset(y, g->low[2]), l->inverse) + 1 : 0; }

static void build(const fxs_world *w, arrays *a) {
    survey v;
    uint32_t level_of[35], counts[LEVELS_MAX + 1] = {0};
    grid *g = a->g;
    take_survey(w, a, &v);
    if (g->count == 0) {
        g->levels = 0;
        return;
    }
    level_of[34] = LEVELS_MAX;
    plan(a, &v, level_of);
    uint32_t meets[32];
    for (uint32_t i = 0; i < 32; i++) {
        meets[i] = w->layers[i] & v.layers;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        const solid *s = solids(w) + a->ids[i];
        uint32_t lvl = meets[s->layer] ? level_of[bit_length(wide_of(s, g->tall))] : g->levels;
        const level *l = g->level + lvl;
        a->boxes[i] = box_of(g, s);
        a->keys[i] = key_at(g, lvl, y_row(g, l, least_of(s->y, s->reach_y)), z_row(g, l, least_of(s->z, s->reach_z)),
                            a->boxes[i].least & FIELD_MASK) | i;
        counts[lvl]++;
    }
    fxs_sort(a->keys, a->spare, g->count, g->x_at, g->level_at + bit_length(g->levels) - g->x_at);
    a->keys[g->count] = UINT64_MAX;
    uint64_t index_mask = ((uint64_t)1 << g->x_at) - 1;
    for (uint32_t i = 0; i < g->count; i++) {
        a->sorted[i] = a->boxes[a->keys[i] & index_mask];
    }
    uint32_t end = 0;
    for (uint32_t i = 0; i <= g->levels; i++) {
        g->level[i].first = end;
        end += counts[i];
        g->level[i].end = end;
    }
}

/* Pairs of places in the sorted array whose boxes meet, tested exactly a batch at a time. */
typedef struct search {
    const fxs_world *w;
    arrays a;
    uint64_t index_mask;
    packed_hit *out;
    uint64_t found;
    uint32_t pairs;
    uint32_t first[BATCH + 1], second[BATCH + 1];
} search;

static void test_batch(search *s) {
    const fxs_world *w = s->w;
    for (uint32_t i = 0; i < s->pairs; i++) {
        uint32_t a = s->a.ids[s->a.keys[s->first[i]] & s->index_mask], b = s->a.ids[s->a.keys[s->second[i]] & s->index_mask];
        const solid *p = solids(w) + a, *q = solids(w) + b;
        if (!layers_meet(w, p, q) || !owners_meet(p, q)) {
            continue;
        }
        int contact = fxs_solid_contact(p, q);
        if (contact >= (int)w->hit_when) {
            if (s->found < w->hit_capacity) {
                s->out[s->found] = a < b ? hit_pack(a, b, contact) : hit_pack(b, a, contact);
            }
            s->found++;
        }
    }
    s->pairs = 0;
}

/* Proposes i with everything from `from` on whose key is below `end`. */
static void scan(search *s, uint32_t i, uint32_t from, uint64_t end) {
    const uint64_t *keys = s->a.keys;
    const box *sorted = s->a.sorted, here = sorted[i];
    for (uint32_t j = from; keys[j] < end; j++) {
        s->first[s->pairs] = i;
        s->second[s->pairs] = j;
        s->pairs += (uint32_t)boxes_meet(&here, sorted + j);
        if (s->pairs == BATCH) {
            test_batch(s);
        }
    }
}

/* The first place in [0, count] whose key is not below `key`, searched outwards from `hint`. */
static uint32_t seek(const arrays *a, uint32_t hint, uint64_t key) {
    uint32_t low = 0, high = a->g->count, step = 1; /* keys below low are below `key`, keys from high on are not */
    if (a->keys[hint] < key) {
        low = hint + 1;
        while (low < high && high - low > step && a->keys[low + step - 1] < key) {
            low += step;
            step *= 2;
        }
        high = high - low > step ? low + step : high;
    } else {
        high = hint;
        while (low < high && high - low > step && a->keys[high - step] >= key) {
            high -= step;
            step *= 2;
        }
        low = high - low > step ? high - step : low;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Pairs within a level. */
static void search_level(search *s, const level *l) {
    const arrays *a = &s->a;
    const grid *g = a->g;
    uint64_t x_mask = (((uint64_t)1 << g->z_at) - 1) & ~s->index_mask, one = (uint64_t)1 << g->x_at;
    uint64_t rows[9];
    uint32_t start[9], forward = 0, count = 0;
    for (int dy = g->tall ? -1 : 0; dy <= (g->tall ? 1 : 0); dy++) {
        for (int dz = -1; dz <= 1; dz++) {
            if (dy != 0 || dz != 0) {
                rows[count++] = ((uint64_t)(int64_t)dy << g->y_at) + ((uint64_t)(int64_t)dz << g->z_at);
            }
        }
    }
    forward = count / 2; /* rows[forward..] lie after one's own */
    for (uint32_t k = 0; k < count; k++) {
        start[k] = l->first;
    }
    for (uint32_t i = l->first; i < l->end; i++) {
        uint64_t begin = a->keys[i] & ~s->index_mask;
        uint64_t end = (begin & ~x_mask) + ((a->sorted[i].most & FIELD_MASK) >> g->x_drop << g->x_at) + one;
        scan(s, i, i + 1, end);
        for (uint32_t k = 0; k < count; k++) {
            /* Of two that begin at the same x the one in the earlier row proposes the pair. */
            uint64_t from = begin + rows[k] + (k < forward ? one : 0);
            uint32_t at_k = start[k];
            while (a->keys[at_k] < from) {
                at_k++;
            }
            start[k] = at_k;
            scan(s, i, at_k, end + rows[k]);
        }
    }
}

/* Pairs of a collider of level `small` with larger ones of the level `large`. */
static void search_levels(search *s, uint32_t small, uint32_t large) {
    const arrays *a = &s->a;
    const grid *g = a->g;
    const level *fine = g->level + small, *coarse = g->level + large;
    uint32_t hint[4] = {coarse->first, coarse->first, coarse->first, coarse->first};
    for (uint32_t i = fine->first; i < fine->end; i++) {
        const solid *p = solids(s->w) + a->ids[a->keys[i] & s->index_mask];
        int32_t z0 = least_of(p->z, p->reach_z), y0 = least_of(p->y, p->reach_y), x0 = least_of(p->x, p->reach_x);
        int64_t wide = coarse->wide;
        int32_t back_x = (int32_t)max64((int64_t)x0 - wide, g->low[0]), back_y = (int32_t)max64((int64_t)y0 - wide, g->low[2]),
                back_z = (int32_t)max64((int64_t)z0 - wide, g->low[1]);
        uint32_t y_end = y_row(g, coarse, most_of(p->y, p->reach_y)), z_end = z_row(g, coarse, most_of(p->z, p->reach_z));
        for (uint32_t y = y_row(g, coarse, back_y); y <= y_end; y++) {
            for (uint32_t z = z_row(g, coarse, back_z); z <= z_end; z++) {
                uint64_t from = key_at(g, large, y, z, field(g, 0, back_x));
                uint32_t *h = hint + (z & 3);
                *h = seek(a, *h, from);
                scan(s, i, *h, key_at(g, large, y, z, a->sorted[i].most & FIELD_MASK) + ((uint64_t)1 << g->x_at));
            }
        }
    }
}

uint64_t fxs_broad_hits(const fxs_world *w, packed_hit *out) {
    search s;
    s.w = w;
    s.a = arrays_of(w);
    s.out = out;
    s.found = 0;
    s.pairs = 0;
    build(w, &s.a);
    const grid *g = s.a.g;
    s.index_mask = ((uint64_t)1 << g->x_at) - 1;
    for (uint32_t i = 0; i < g->levels; i++) {
        search_level(&s, g->level + i);
        for (uint32_t j = 0; j < i; j++) {
            search_levels(&s, i, j);
        }
    }
    test_batch(&s);
    return s.found;
}
