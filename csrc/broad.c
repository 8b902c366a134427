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
#define FIELD_MASK (((uint64_t)1 << FIELD) - 1)
#define GUARDS ((uint64_t)1 << FIELD | (uint64_t)1 << (2 * FIELD + 1) | (uint64_t)1 << (3 * FIELD + 2))
#define BATCH 256
#define ROW_KEY_BITS 54 /* of a key without x: leaves at least 10 bits to x */

/* Bounds on three axes, quantised to FIELD bits each (rounded down, which keeps order), a guard bit above each field: x in the low
 * field, then z, then y. `most` has its guards set: a box begins before another ends on all axes iff most - least keeps them all. */
typedef struct packed_box {
    uint64_t least, most;
} packed_box;

typedef struct level {
    uint32_t first, end; /* in the sorted arrays */
    uint32_t wide, tall; /* longest collider on x and z, and on y; raw */
    uint32_t z_inverse, y_inverse; /* floor(2^32 / size of a row) */
} level;

/* What the last build made: how coordinates become keys. A key is level | y row | z row | x | id, each as wide as need be. */
typedef struct grid {
    uint32_t count, levels;
    uint32_t beams;                              /* rows are beams of y and z, not strips of z */
    uint32_t x_at, z_at, y_at, level_at, key_end; /* bit positions in a key */
    uint32_t x_drop;                             /* bits dropped from a field of x to make the key's */
    uint32_t shift;                              /* raw bits dropped from a bound to make a field */
    int64_t low[3], high[3];                     /* at or below, at or above every bound */
    level level[LEVELS_MAX];
} grid;

typedef struct arrays {
    grid *g;
    uint64_t *keys, *spare; /* one more key than colliders: the last is above all */
    packed_box *boxes, *sorted;    /* by id, and in the order of the keys */
} arrays;

static uint64_t aligned(uint64_t size) { return (size + 7) & ~(uint64_t)7; }

uint64_t fxs_broad_size(uint32_t capacity) {
    return aligned(sizeof(grid)) + 2 * 8 * ((uint64_t)capacity + 1) + 2 * sizeof(packed_box) * (uint64_t)capacity;
}

static arrays arrays_of(const fxs_world *w) {
    arrays a;
    a.g = (grid *)at(w, w->broad_at);
    a.keys = (uint64_t *)at(w, w->broad_at + aligned(sizeof(grid)));
    a.spare = a.keys + w->capacity + 1;
    a.boxes = (packed_box *)(a.spare + w->capacity + 1);
    a.sorted = a.boxes + w->capacity;
    return a;
}

/* ---- building ---- */

/* What the first look at the colliders learns. */
typedef struct survey {
    int32_t low[3], high[3];                    /* of the centres on x, z, y */
    uint32_t many[33], widest[33], tallest[33]; /* by bit length of the length on x and z: how many; longest; longest on y */
    uint32_t layers;                            /* that are there */
    uint32_t count;
} survey;

static uint32_t length_of(const solid *s) { return 2 * (uint32_t)(s->reach_x > s->reach_z ? s->reach_x : s->reach_z); }

static void take_survey(const fxs_world *w, survey *v) {
    const uint64_t *present = present_set(w);
    const solid *all = solids(w);
    uint64_t words = set_words(w->capacity);
    int32_t x0 = INT32_MAX, x1 = INT32_MIN, y0 = x0, y1 = x1, z0 = x0, z1 = x1;
    uint32_t layers = 0, count = 0;
    memset(v, 0, sizeof *v);
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const solid *s = all + word * 64 + trailing_zeros(bits);
            if (!s->active) {
                continue;
            }
            uint32_t length = length_of(s), tall = 2 * (uint32_t)s->reach_y, b = bit_length(length);
            uint32_t widest = v->widest[b], tallest = v->tallest[b];
            count++;
            layers |= 1u << s->layer;
            v->many[b]++;
            v->widest[b] = length > widest ? length : widest;
            v->tallest[b] = tall > tallest ? tall : tallest;
            x0 = s->x < x0 ? s->x : x0;
            x1 = s->x > x1 ? s->x : x1;
            y0 = s->y < y0 ? s->y : y0;
            y1 = s->y > y1 ? s->y : y1;
            z0 = s->z < z0 ? s->z : z0;
            z1 = s->z > z1 ? s->z : z1;
        }
    }
    const int32_t low[3] = {x0, z0, y0}, high[3] = {x1, z1, y1};
    memcpy(v->low, low, sizeof low);
    memcpy(v->high, high, sizeof high);
    v->layers = layers;
    v->count = count;
}

/* from_low < 2^33, inverse <= 2^31. Two places no further apart than a row is high are in the same or in neighbouring rows. */
static uint32_t row_of(uint64_t from_low, uint32_t inverse) { return (uint32_t)(from_low * inverse >> 32); }

static uint32_t row_bits(uint64_t extent, uint32_t inverse) { return bit_length((uint64_t)row_of(extent, inverse) + 2); }

/* Chooses levels and the layout of keys for a world that has colliders. level_of[b] is the level of a collider whose length has b
 * bits; g->level[g->levels] is there for `lonely` ones, that meet nobody: queries want them, pairs do not. */
static void plan(grid *g, const survey *v, uint32_t id_bits, int lonely, uint32_t level_of[33]) {
    uint32_t common = 0, top = 0, longest = 0;
    g->count = v->count;
    g->levels = 0;
    for (uint32_t b = 33; b--;) {
        if (v->many[b]) {
            if (g->levels == 0 || top > b + 2) {
                level *l = g->level + g->levels++;
                l->wide = v->widest[b];
                l->tall = 0;
                top = b;
            }
            level *l = g->level + g->levels - 1;
            l->tall = v->tallest[b] > l->tall ? v->tallest[b] : l->tall;
            longest = v->tallest[b] > longest ? v->tallest[b] : longest;
            common = v->many[b] > v->many[common] ? b : common;
        }
        level_of[b] = g->levels - 1;
    }
    g->level[g->levels] = g->level[0];
    g->level[g->levels].tall = longest;
    longest = g->level[0].wide > longest ? g->level[0].wide : longest;
    uint64_t extent[3], most = 0;
    for (uint32_t i = 0; i < 3; i++) {
        g->low[i] = (int64_t)v->low[i] - longest / 2;
        g->high[i] = (int64_t)v->high[i] + longest / 2;
        extent[i] = (uint64_t)(g->high[i] - g->low[i]); /* < 2^32 + 2^31 */
        most = extent[i] > most ? extent[i] : most;
    }
    g->shift = bit_length(most) > FIELD ? bit_length(most) - FIELD : 0;
    g->beams = v->high[2] - (int64_t)v->low[2] > 8 * (int64_t)v->tallest[common];
    uint32_t level_bits = bit_length(g->levels - !lonely), z_bits, y_bits, smaller = 0;
    do {
        z_bits = y_bits = 0;
        for (level *l = g->level; l <= g->level + g->levels; l++) { /* lengths are at least 2 */
            l->z_inverse = (uint32_t)(((uint64_t)1 << 32) / l->wide >> smaller);
            l->y_inverse = (uint32_t)(((uint64_t)1 << 32) / l->tall >> smaller);
            uint32_t z = row_bits(extent[1], l->z_inverse), y = g->beams ? row_bits(extent[2], l->y_inverse) : 0;
            z_bits = z > z_bits ? z : z_bits;
            y_bits = y > y_bits ? y : y_bits;
        }
        smaller++;
    } while (id_bits + level_bits + z_bits + y_bits > ROW_KEY_BITS);
    /* A fraction of the smallest length is fine enough on x: finer keys would only take longer to sort. */
    uint32_t field_bits = bit_length(extent[0] >> g->shift), room = 64 - id_bits - level_bits - z_bits - y_bits;
    uint32_t x_bits = bit_length(extent[0] / g->level[g->levels - 1].wide) + 3;
    x_bits = x_bits < field_bits ? x_bits : field_bits;
    x_bits = x_bits < room ? x_bits : room;
    g->x_drop = field_bits - x_bits;
    g->x_at = id_bits;
    g->z_at = g->x_at + x_bits;
    g->y_at = g->z_at + z_bits;
    g->level_at = g->y_at + y_bits;
    g->key_end = g->level_at + level_bits;
}

static uint64_t from_low(const grid *g, uint32_t axis, int64_t v) { return (uint64_t)(v - g->low[axis]); }
static uint32_t z_row(const level *l, uint64_t z) { return row_of(z, l->z_inverse) + 1; }
static uint32_t y_row(const grid *g, const level *l, uint64_t y) { return g->beams ? row_of(y, l->y_inverse) + 1 : 0; }
static uint64_t x_key(const grid *g, uint64_t field) { return field >> g->x_drop << g->x_at; }

/* The key where a row begins. Rows count from 1, so that the rows before the first and after the last have keys too. */
static uint64_t row_key(const grid *g, uint32_t lvl, uint32_t y, uint32_t z) {
    return ((uint64_t)lvl << (g->level_at & 63)) + ((uint64_t)y << g->y_at) + ((uint64_t)z << g->z_at);
}

static void build(fxs_world *w, const arrays *a) {
    w->grid_fresh = 1;
    survey v;
    uint32_t level_of[33], counts[LEVELS_MAX] = {0}, meets = 0;
    grid *g = a->g;
    take_survey(w, &v);
    g->count = g->levels = 0;
    if (v.count == 0) {
        return;
    }
    for (uint32_t i = 0; i < 32; i++) {
        meets |= (uint32_t)((w->layers[i] & v.layers) != 0) << i;
    }
    plan(g, &v, bit_length(w->capacity - 1), (v.layers & ~meets) != 0, level_of);
    const uint64_t *present = present_set(w), words = set_words(w->capacity);
    const solid *all = solids(w);
    const int64_t low_x = g->low[0], low_z = g->low[1], low_y = g->low[2];
    const uint32_t shift = g->shift, x_drop = g->x_drop, x_at = g->x_at, z_at = g->z_at, beams = g->beams, lonely = g->levels;
    uint64_t *keys = a->keys;
    packed_box *boxes = a->boxes;
    uint32_t n = 0;
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            uint32_t id = (uint32_t)(word * 64) + trailing_zeros(bits);
            const solid *s = all + id;
            if (!s->active) {
                continue;
            }
            uint32_t lvl = meets >> s->layer & 1 ? level_of[bit_length(length_of(s))] : lonely;
            const level *l = g->level + lvl;
            uint64_t rx = (uint64_t)s->reach_x, rz = (uint64_t)s->reach_z, ry = (uint64_t)s->reach_y;
            uint64_t x = (uint64_t)(s->x - low_x) - rx, z = (uint64_t)(s->z - low_z) - rz, y = (uint64_t)(s->y - low_y) - ry;
            uint64_t x_field = x >> shift, key = (uint64_t)z_row(l, z) << z_at | x_field >> x_drop << x_at | id;
            boxes[id].least = x_field | z >> shift << (FIELD + 1) | y >> shift << (2 * FIELD + 2);
            boxes[id].most = (x + 2 * rx) >> shift | (z + 2 * rz) >> shift << (FIELD + 1) | (y + 2 * ry) >> shift << (2 * FIELD + 2) | GUARDS;
            if (lvl | beams) {
                key += row_key(g, lvl, y_row(g, l, y), 0);
            }
            keys[n++] = key;
            counts[lvl]++;
        }
    }
    fxs_sort(w, a->keys, a->spare, n, g->x_at, g->key_end - g->x_at);
    a->keys[n] = UINT64_MAX;
    uint64_t id_mask = ((uint64_t)1 << g->x_at) - 1;
    for (uint32_t i = 0; i < n; i++) {
        a->sorted[i] = a->boxes[a->keys[i] & id_mask];
    }
    uint32_t end = 0;
    for (uint32_t i = 0; i <= g->levels; i++) {
        g->level[i].first = end;
        end += counts[i];
        g->level[i].end = end;
    }
}

/* ---- pairs ---- */

typedef struct search {
    const fxs_world *w;
    arrays a;
    uint64_t id_mask, one; /* of a key: the bits of the id; the least step of x */
    packed_hit *out;
    uint64_t found;
    uint64_t pair[BATCH]; /* places in the sorted arrays whose boxes meet: first << 32 | second */
} search;

/* Tests what is proposed, sorted by kinds: a run of like pairs is predicted well. Boxes that meet are at most two quanta further apart
 * than they reach; a quantum is at most 2^13. */
static void test_proposed(search *s, uint32_t proposed) {
    static const uint8_t SORT[5] = {4, 4, 0, 1, 4};
    const solid *all = solids(s->w);
    const uint64_t *keys = s->a.keys, id_mask = s->id_mask;
    uint64_t like[4][BATCH], hit[BATCH];
    uint32_t count[4] = {0};
    for (uint32_t i = 0; i < proposed; i++) {
        uint64_t a = keys[s->pair[i] >> 32] & id_mask, b = keys[s->pair[i] & UINT32_MAX] & id_mask;
        const solid *p = all + a, *q = all + b;
        uint32_t sorts = (uint32_t)SORT[p->kind] + SORT[q->kind], kinds = sorts > 3 ? 3 : sorts;
        uint64_t swap = (a ^ b) & ((uint64_t)0 - (uint64_t)(p->kind > q->kind));
        like[kinds][count[kinds]] = (a ^ swap) << 32 | (b ^ swap);
        count[kinds] += may_hit(p, q);
    }
    for (int kinds = 0; kinds < 4; kinds++) {
        uint32_t found = fxs_solid_hits(all, kinds, like[kinds], count[kinds], (int)s->w->hit_when, hit);
        uint64_t room = s->found < s->w->hit_capacity ? s->w->hit_capacity - s->found : 0, kept = found < room ? found : room;
        if (kept) {
            memcpy(s->out + s->found, hit, (size_t)kept * sizeof *hit);
        }
        s->found += found;
    }
}

static int boxes_meet(const packed_box *p, const packed_box *q) { return ((p->most - q->least) & (q->most - p->least) & GUARDS) == GUARDS; }

/* Proposes i, whose box is `here`, with everything from j on whose key is below `end`; `proposed` so far and, returned, now. */
static inline uint32_t scan(search *s, const uint64_t *keys, const packed_box *sorted, uint32_t proposed, uint32_t i,
                            packed_box here, uint32_t j, uint64_t end) {
    for (; keys[j] < end; j++) {
        s->pair[proposed] = (uint64_t)i << 32 | j;
        proposed += (uint32_t)boxes_meet(&here, sorted + j);
        if (proposed == BATCH) {
            test_proposed(s, proposed);
            proposed = 0;
        }
    }
    return proposed;
}

/* The first place whose key is not below `key`, searched outwards from `hint`. */
static uint32_t seek(const arrays *a, uint32_t hint, uint64_t key) {
    uint32_t low = 0, high = a->g->count, step = 1; /* keys before low are below `key`, keys from high on are not */
    if (a->keys[hint] < key) {
        low = hint + 1;
        while (high - low > step && a->keys[low + step] < key) {
            low += step + 1;
            step *= 2;
        }
        high = high - low > step ? low + step : high;
    } else {
        high = hint;
        while (high - low > step && a->keys[high - step] >= key) {
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

/* Pairs within a level: along one's own row to one's own end, and along the rows after it from as far back as one could reach that
 * began before. */
static void search_level(search *s, const level *l) {
    const grid *g = s->a.g;
    const uint64_t *keys = s->a.keys;
    const packed_box *sorted = s->a.sorted;
    const uint64_t row_mask = ~(((uint64_t)1 << g->z_at) - 1), begin_mask = ~s->id_mask, one = s->one;
    const uint64_t back = x_key(g, (l->wide >> g->shift) + ((uint64_t)1 << g->x_drop) + 1);
    const uint64_t y = (uint64_t)1 << g->y_at, z = (uint64_t)1 << g->z_at, row[4] = {z, y - z, y, y + z};
    const uint32_t x_drop = g->x_drop, x_at = g->x_at, end_i = l->end, rows = g->beams ? 4 : 1;
    uint32_t start[4] = {l->first, l->first, l->first, l->first}, proposed = 0;
    for (uint32_t i = l->first; i < end_i; i++) {
        packed_box here = sorted[i];
        uint64_t begin = keys[i] & begin_mask, own = begin & row_mask, end = own + ((here.most & FIELD_MASK) >> x_drop << x_at) + one;
        uint64_t from = begin - own > back ? begin - back : own;
        proposed = scan(s, keys, sorted, proposed, i, here, i + 1, end);
        uint32_t k = 0;
        do {
            uint32_t first = start[k];
            while (keys[first] < from + row[k]) {
                first++;
            }
            start[k] = first;
            proposed = scan(s, keys, sorted, proposed, i, here, first, end + row[k]);
        } while (++k < rows);
    }
    test_proposed(s, proposed);
}

/* Pairs of a collider of a level with larger ones of the level `large`. */
static void search_larger(search *s, const level *l, uint32_t large) {
    const arrays *a = &s->a;
    const grid *g = a->g;
    const level *coarse = g->level + large;
    uint32_t hint[4] = {coarse->first, coarse->first, coarse->first, coarse->first}, proposed = 0;
    for (uint32_t i = l->first; i < l->end; i++) {
        const solid *p = solids(s->w) + (a->keys[i] & s->id_mask);
        packed_box here = a->sorted[i];
        int64_t x = (int64_t)p->x - p->reach_x - coarse->wide, z = (int64_t)p->z - p->reach_z - coarse->wide,
                y = (int64_t)p->y - p->reach_y - coarse->tall;
        uint64_t x_begin = x_key(g, from_low(g, 0, max64(x, g->low[0])) >> g->shift), x_end = x_key(g, here.most & FIELD_MASK) + s->one;
        uint32_t z_end = z_row(coarse, from_low(g, 1, (int64_t)p->z + p->reach_z)),
                 y_end = y_row(g, coarse, from_low(g, 2, (int64_t)p->y + p->reach_y));
        for (uint32_t yr = y_row(g, coarse, from_low(g, 2, max64(y, g->low[2]))); yr <= y_end; yr++) {
            for (uint32_t zr = z_row(coarse, from_low(g, 1, max64(z, g->low[1]))); zr <= z_end; zr++) {
                uint64_t row = row_key(g, large, yr, zr);
                uint32_t *h = hint + (zr & 3);
                *h = seek(a, *h, row + x_begin);
                proposed = scan(s, a->keys, a->sorted, proposed, i, here, *h, row + x_end);
            }
        }
    }
    test_proposed(s, proposed);
}

uint64_t fxs_broad_hits(fxs_world *w, packed_hit *out) {
    search s;
    s.w = w;
    s.a = arrays_of(w);
    s.out = out;
    s.found = 0;
    build(w, &s.a);
    const grid *g = s.a.g;
    if (g->levels == 0) {
        return 0;
    }
    s.id_mask = ((uint64_t)1 << g->x_at) - 1;
    s.one = (uint64_t)1 << g->x_at;
    for (uint32_t i = 0; i < g->levels; i++) {
        search_level(&s, g->level + i);
        for (uint32_t j = 0; j < i; j++) {
            search_larger(&s, g->level + i, j);
        }
    }
    return s.found;
}

/* ---- searches ---- */

#define FEW 48         /* so few colliders are looked at one by one */
#define BUILD_WORTH 16 /* looks at all of them that cost as much as a build */

static int64_t clamped(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

static int bounds_meet(const solid *s, const int64_t least[3], const int64_t most[3]) {
    return (int64_t)s->x - s->reach_x <= most[0] && (int64_t)s->x + s->reach_x >= least[0] && (int64_t)s->z - s->reach_z <= most[2] &&
           (int64_t)s->z + s->reach_z >= least[2] && (int64_t)s->y - s->reach_y <= most[1] && (int64_t)s->y + s->reach_y >= least[1];
}

static uint64_t look_at_all(const fxs_world *w, const int64_t least[3], const int64_t most[3], uint64_t *found) {
    const uint64_t *present = present_set(w);
    uint64_t n = 0;
    for (uint64_t word = 0; word < set_words(w->capacity); word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const solid *s = solids(w) + word * 64 + trailing_zeros(bits);
            found[n] = s->id;
            n += (uint64_t)(s->active && bounds_meet(s, least, most));
        }
    }
    return n;
}

static uint64_t look_in_grid(const arrays *a, const int64_t least[3], const int64_t most[3], uint64_t *found) {
    static const uint32_t AXIS[3] = {0, 2, 1}; /* x, z, y are the grid's; x, y, z the caller's */
    const grid *g = a->g;
    if (g->count == 0) {
        return 0;
    }
    uint64_t from[3], to[3], id_mask = ((uint64_t)1 << g->x_at) - 1, one = (uint64_t)1 << g->x_at, n = 0;
    for (uint32_t i = 0; i < 3; i++) {
        if (most[AXIS[i]] < g->low[i] || least[AXIS[i]] > g->high[i]) {
            return 0;
        }
        from[i] = from_low(g, i, clamped(least[AXIS[i]], g->low[i], g->high[i]));
        to[i] = from_low(g, i, clamped(most[AXIS[i]], g->low[i], g->high[i]));
    }
    packed_box here;
    here.least = from[0] >> g->shift | from[1] >> g->shift << (FIELD + 1) | from[2] >> g->shift << (2 * FIELD + 2);
    here.most = (to[0] >> g->shift | to[1] >> g->shift << (FIELD + 1) | to[2] >> g->shift << (2 * FIELD + 2)) | GUARDS;
    for (uint32_t lvl = 0; lvl <= g->levels; lvl++) {
        const level *l = g->level + lvl;
        if (l->first == l->end) {
            continue;
        }
        uint64_t back_x = from[0] - (from[0] < l->wide ? from[0] : l->wide), back_z = from[1] - (from[1] < l->wide ? from[1] : l->wide),
                 back_y = from[2] - (from[2] < l->tall ? from[2] : l->tall);
        uint32_t z_first = z_row(l, back_z), z_last = z_row(l, to[1]), y_first = y_row(g, l, back_y), y_last = y_row(g, l, to[2]), hint = l->first;
        uint64_t x_begin = x_key(g, back_x >> g->shift), x_end = x_key(g, to[0] >> g->shift) + one;
        for (uint32_t y = y_first; y <= y_last; y++) {
            for (uint32_t z = z_first; z <= z_last; z++) {
                uint64_t row = row_key(g, lvl, y, z);
                hint = seek(a, hint, row + x_begin);
                for (; a->keys[hint] < row + x_end; hint++) {
                    found[n] = a->keys[hint] & id_mask;
                    n += (uint64_t)boxes_meet(&here, a->sorted + hint);
                }
                /* On to the next row that has anything, if there is one. */
                uint64_t ahead = (a->keys[hint] - row) >> g->z_at;
                if (hint >= l->end || ahead > z_last - z) {
                    break;
                }
                z += ahead ? (uint32_t)ahead - 1 : 0;
            }
            if (hint >= l->end) {
                break;
            }
            uint64_t ahead = (a->keys[hint] - row_key(g, lvl, y, 0)) >> g->y_at;
            if (g->beams && ahead > y_last - y) {
                break;
            }
            y += g->beams && ahead ? (uint32_t)ahead - 1 : 0;
        }
    }
    return n;
}

uint64_t fxs_broad_guess(const fxs_world *w, const int64_t least[3], const int64_t most[3]) {
    static const uint32_t AXIS[3] = {0, 2, 1};
    const grid *g = arrays_of(w).g;
    if (!w->grid_fresh || g->count == 0) {
        return 0;
    }
    const level *usual = g->level + (g->levels ? g->levels - 1 : 0);
    uint64_t n = g->count; /* < 2^32, times an extent < 2^32.6 in two steps */
    for (uint32_t i = 0; i < 3; i++) {
        int64_t extent = g->high[i] - g->low[i], length = i == 2 ? usual->tall : usual->wide;
        int64_t shared = min64(most[AXIS[i]], g->high[i]) - max64(least[AXIS[i]], g->low[i]) + length;
        n = shared <= 0 ? 0 : shared < extent ? n * (uint64_t)(shared >> 2) / (uint64_t)((extent >> 2) + 1) : n;
    }
    return n;
}

uint64_t *fxs_broad_near(fxs_world *w, const int64_t least[3], const int64_t most[3], uint64_t *count) {
    arrays a = arrays_of(w);
    if (!w->grid_fresh && w->count > FEW && ++w->looks >= BUILD_WORTH) {
        build(w, &a);
    }
    *count = w->grid_fresh ? look_in_grid(&a, least, most, a.spare) : look_at_all(w, least, most, a.spare);
    return a.spare;
}

void fxs_broad_sort(fxs_world *w, uint64_t *ids, uint64_t n) {
    fxs_sort(w, ids, (uint64_t *)arrays_of(w).boxes, n, 0, bit_length(w->capacity - 1));
}
