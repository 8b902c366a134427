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
 * Where many are together whose layers never meet, looking at them would cost their square for nothing. When that shows, the search
 * begins again with levels of their own for groups of layers, and goes through those that meet only.
 *
 * All of this is rebuilt from the state at every step and only proposes; fxs_solid_contact decides. */
#include "blocks.h"
#include "world.h"

#define GROUPS_MAX 8
#define LEVELS_MAX (11 * GROUPS_MAX + 1) /* 33 bit lengths of a size, three to a level, in each group; and one of those that meet nobody */
#define BATCH 256
#define AHEAD 8 /* colliders that gather asks for before it copies them */
#define IN_VAIN 8 /* pairs to a collider whose layers do not meet, until levels apart are worth it */
#define KEY_BITS 62 /* so that every end of a row is below 2^63 - 1 */
#define LAST_KEY (((uint64_t)1 << 63) - 1) /* above every key and every end of a row */
#define ROW_KEY_BITS 52 /* of a key without x: leaves at least 10 bits to x */

typedef struct level {
    uint32_t first, end; /* in the sorted arrays */
    uint32_t wide, tall; /* longest collider on x and z, and on y; raw */
    uint32_t z_inverse, y_inverse; /* floor(2^32 / size of a row) */
    uint32_t group;
} level;

/* What the last build made: how coordinates become keys. A key is level | y row | z row | x | id, each as wide as need be. */
typedef struct grid {
    uint32_t count, levels;
    uint32_t beams;                              /* rows are beams of y and z, not strips of z */
    uint32_t x_at, z_at, y_at, level_at, key_end; /* bit positions in a key */
    uint32_t x_drop;                             /* bits dropped from a field of x to make the key's */
    uint32_t shift;                              /* raw bits dropped from a bound to make a field */
    uint32_t indexed, index_shift, index_end;    /* whether there is an index; of a key to its place in it; the last place of it */
    int64_t low[3], high[3];                     /* at or below, at or above every bound */
    uint32_t group_of[32], level_of[GROUPS_MAX][33]; /* by layer; by group, and how many bits the collider's length has */
    uint32_t friends[GROUPS_MAX];                /* the groups of which some layers meet some of a group's */
    level level[LEVELS_MAX];
} grid;

typedef struct arrays {
    grid *g;
    uint64_t *keys, *spare; /* BLOCK more keys than colliders: the last ones are LAST_KEY */
    uint64_t *least, *most; /* of boxes in the order of the keys, like: */
    solid *sorted;
} arrays;

static uint64_t aligned(uint64_t size) { return (size + 7) & ~(uint64_t)7; }

uint64_t fxs_broad_size(uint32_t capacity) {
    return aligned(sizeof(grid)) + 8 * ((uint64_t)capacity + BLOCK);
}

static arrays arrays_of(const fxs_world *w) {
    arrays a;
    a.g = (grid *)at(w, w->broad_at);
    a.most = (uint64_t *)at(w, w->broad_at + aligned(sizeof(grid)));
    a.keys = (uint64_t *)at(w, w->rows_at);
    a.spare = a.keys + w->capacity + BLOCK;
    a.least = a.spare + w->capacity + BLOCK;
    a.sorted = (solid *)at(w, w->sorted_at);
    return a;
}

/* ---- building ---- */

/* What the first look at the colliders learns. */
typedef struct survey {
    int32_t low[3], high[3];              /* of the centres on x, z, y */
    uint32_t longest, shortest, tallest;  /* collider on x and z, and on y */
    uint32_t layers;                      /* that are there */
    uint32_t count;
} survey;

/* What a second one learns, if sizes differ much: by bit length of the length on x and z, how many, the longest, the longest on y. */
typedef struct census {
    uint32_t many[33], widest[33], tallest[33];
} census;

static uint32_t length_of(const solid *s) { return 2 * (uint32_t)(s->reach_x > s->reach_z ? s->reach_x : s->reach_z); }
static uint32_t least32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t most32(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void take_survey(const fxs_world *w, survey *v) {
    const uint64_t *present = present_set(w), words = set_words(w->capacity);
    const solid *all = solids(w);
    int32_t x0 = INT32_MAX, x1 = INT32_MIN, y0 = x0, y1 = x1, z0 = x0, z1 = x1, reach = 0, least = INT32_MAX, tall = 0;
    uint32_t layers = 0, count = 0;
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const solid *s = all + word * 64 + trailing_zeros(bits);
            if (!s->active) {
                continue;
            }
            int32_t x = s->x, y = s->y, z = s->z, r = s->reach_x > s->reach_z ? s->reach_x : s->reach_z;
            count++;
            layers |= (uint32_t)1 << s->layer;
            reach = r > reach ? r : reach;
            least = r < least ? r : least;
            tall = s->reach_y > tall ? s->reach_y : tall;
            x0 = x < x0 ? x : x0;
            x1 = x > x1 ? x : x1;
            y0 = y < y0 ? y : y0;
            y1 = y > y1 ? y : y1;
            z0 = z < z0 ? z : z0;
            z1 = z > z1 ? z : z1;
        }
    }
    const survey made = {{x0, z0, y0}, {x1, z1, y1}, 2 * (uint32_t)reach, 2 * (uint32_t)least, 2 * (uint32_t)tall, layers, count};
    *v = made;
}

/* Of the colliders on these layers. */
static void take_census(const fxs_world *w, uint32_t layers, census *v) {
    const uint64_t *present = present_set(w), words = set_words(w->capacity);
    memset(v, 0, sizeof *v);
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const solid *s = solids(w) + word * 64 + trailing_zeros(bits);
            if (s->active & (layers >> s->layer)) {
                uint32_t length = length_of(s), b = bit_length(length);
                v->many[b]++;
                v->widest[b] = most32(v->widest[b], length);
                v->tallest[b] = most32(v->tallest[b], 2 * (uint32_t)s->reach_y);
            }
        }
    }
}

/* from_low < 2^33, inverse <= 2^31. Two places no further apart than a row is high are in the same or in neighbouring rows. */
static uint32_t row_of(uint64_t from_low, uint32_t inverse) { return (uint32_t)(from_low * inverse >> 32); }

static uint32_t row_bits(uint64_t extent, uint32_t inverse) { return bit_length((uint64_t)row_of(extent, inverse) + 2); }

/* Chooses the levels of a group, the colliders on these layers, the largest first. Returns how tall the most common of them are. */
static uint32_t choose_levels(const fxs_world *w, grid *g, uint32_t group, uint32_t layers) {
    census by;
    uint32_t common = 0, top = 0, before = g->levels;
    take_census(w, layers, &by);
    for (uint32_t b = 33; b--;) {
        if (by.many[b]) {
            if (g->levels == before || top > b + 2) {
                level *l = g->level + g->levels++;
                l->wide = by.widest[b];
                l->tall = 0;
                l->group = group;
                top = b;
            }
            level *l = g->level + g->levels - 1;
            l->tall = most32(l->tall, by.tallest[b]);
            common = by.many[b] > by.many[common] ? b : common;
        }
        g->level_of[group][b] = g->levels - 1;
    }
    return by.tallest[common];
}

/* Sorts layers that are there into groups with the same friends: how many groups. What is left when there are enough is the last. */
static uint32_t choose_groups(const fxs_world *w, grid *g, uint32_t layers, uint32_t members[GROUPS_MAX]) {
    uint32_t groups = 0;
    for (uint32_t left = layers; left;) {
        uint32_t first = trailing_zeros(left), alike = left;
        for (uint32_t i = 0; groups < GROUPS_MAX - 1 && i < 32; i++) {
            alike &= ~((uint32_t)((left >> i & 1) && ((w->layers[i] ^ w->layers[first]) & layers)) << i);
        }
        members[groups++] = alike;
        left &= ~alike;
    }
    for (uint32_t i = 0; i < groups; i++) {
        g->friends[i] = 0;
        for (uint32_t layer = 0; layer < 32; layer++) {
            if (members[i] >> layer & 1) {
                g->group_of[layer] = i;
                for (uint32_t j = 0; j < groups; j++) {
                    g->friends[i] |= (uint32_t)((w->layers[layer] & members[j]) != 0) << j;
                }
            }
        }
    }
    return groups;
}

/* Chooses levels and the layout of keys for a world that has colliders. g->level[g->levels] is there for `lonely` ones, that meet
 * nobody: queries want them, pairs do not. `apart`: what does not meet has levels of its own. */
static void plan(const fxs_world *w, grid *g, const survey *v, uint32_t meets, int apart) {
    uint32_t usual = v->tallest, id_bits = bit_length(w->capacity - 1), longest = most32(v->longest, v->tallest), least = v->longest;
    int lonely = (v->layers & ~meets) != 0;
    g->levels = 0;
    if (apart) {
        uint32_t members[GROUPS_MAX], groups = choose_groups(w, g, v->layers & meets, members);
        for (uint32_t i = 0; i < groups; i++) {
            usual = least32(usual, choose_levels(w, g, i, members[i]));
        }
    } else {
        memset(g->group_of, 0, sizeof g->group_of);
        memset(g->level_of[0], 0, sizeof g->level_of[0]);
        g->friends[0] = 1;
        if (bit_length(v->longest) <= bit_length(v->shortest) + 2) { /* one level will do */
            g->levels = 1;
            g->level[0].wide = v->longest;
            g->level[0].tall = v->tallest;
            g->level[0].group = 0;
        } else {
            usual = choose_levels(w, g, 0, v->layers);
        }
    }
    g->level[g->levels].wide = v->longest;
    g->level[g->levels].tall = v->tallest;
    for (uint32_t i = 0; i < g->levels; i++) {
        least = least32(least, g->level[i].wide);
    }
    uint64_t extent[3], most = 0;
    for (uint32_t i = 0; i < 3; i++) {
        g->low[i] = (int64_t)v->low[i] - longest / 2;
        g->high[i] = (int64_t)v->high[i] + longest / 2;
        extent[i] = (uint64_t)(g->high[i] - g->low[i]); /* < 2^32 + 2^31 */
        most = extent[i] > most ? extent[i] : most;
    }
    g->shift = bit_length(most) > FIELD ? bit_length(most) - FIELD : 0;
    g->beams = v->high[2] - (int64_t)v->low[2] > 8 * (int64_t)usual;
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
    uint32_t field_bits = bit_length(extent[0] >> g->shift), room = KEY_BITS - id_bits - level_bits - z_bits - y_bits;
    uint32_t x_bits = bit_length(extent[0] / least) + 3;
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

/* The keys of all active colliders, in no order: how many. `plain`: there is one level of strips, and no lonely colliders. */
static inline uint32_t make_keys(const fxs_world *w, const arrays *a, int plain, uint32_t meets) {
    const uint64_t *present = present_set(w), words = set_words(w->capacity);
    const solid *all = solids(w);
    grid *g = a->g;
    const int64_t low_x = g->low[0], low_z = g->low[1], low_y = g->low[2];
    const uint64_t x_unit = (uint64_t)1 << g->x_at, z_unit = (uint64_t)1 << g->z_at, inverse = g->level[0].z_inverse;
    const uint32_t x_shift = g->shift + g->x_drop, lonely = g->levels;
    uint64_t *keys = a->keys;
    uint32_t n = 0;
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            uint32_t id = (uint32_t)(word * 64) + trailing_zeros(bits);
            const solid *s = all + id;
            if (!s->active) {
                continue;
            }
            uint64_t x = (uint64_t)(s->x - low_x - s->reach_x), z = (uint64_t)(s->z - low_z - s->reach_z);
            uint64_t key = (x >> x_shift) * x_unit + id;
            if (plain) {
                key += ((z * inverse >> 32) + 1) * z_unit;
            } else {
                uint32_t lvl = meets >> s->layer & 1 ? g->level_of[g->group_of[s->layer]][bit_length(length_of(s))] : lonely;
                level *l = g->level + lvl;
                key += row_key(g, lvl, y_row(g, l, (uint64_t)(s->y - low_y - s->reach_y)), z_row(l, z));
                l->end++;
            }
            keys[n++] = key;
        }
    }
    return n;
}

/* Boxes and copies of the colliders in the order of their keys, and in `spare` the keys where they end in their rows. */
static void gather(const fxs_world *w, const arrays *a, uint32_t n) {
    const grid *g = a->g;
    const solid *all = solids(w);
    const uint64_t *keys = a->keys, id_mask = ((uint64_t)1 << g->x_at) - 1;
    const int64_t low_x = g->low[0], low_z = g->low[1], low_y = g->low[2];
    const uint32_t shift = g->shift;
    for (uint32_t i = 0; i < n; i++) {
        const solid *s = all + (keys[i] & id_mask);
        prefetch(all + (keys[i + AHEAD < n ? i + AHEAD : i] & id_mask));
        a->sorted[i] = *s;
        int64_t x = s->x - low_x, z = s->z - low_z, y = s->y - low_y, rx = s->reach_x, rz = s->reach_z, ry = s->reach_y;
        a->least[i] = (uint64_t)(x - rx) >> shift | (uint64_t)(z - rz) >> shift << (FIELD + 1) | (uint64_t)(y - ry) >> shift << (2 * FIELD + 2);
        a->most[i] = (uint64_t)(x + rx) >> shift | (uint64_t)(z + rz) >> shift << (FIELD + 1) |
                     (uint64_t)(y + ry) >> shift << (2 * FIELD + 2) | GUARDS;
    }
    const uint64_t row_mask = ~(((uint64_t)1 << g->z_at) - 1), kept = FIELD_MASK >> g->x_drop << g->x_drop, one = (uint64_t)1 << g->x_at;
    const uint32_t up = g->x_at > g->x_drop ? g->x_at - g->x_drop : 0, down = g->x_drop > g->x_at ? g->x_drop - g->x_at : 0;
    for (uint32_t i = 0; i < n; i++) {
        a->spare[i] = (keys[i] & row_mask) + ((a->most[i] & kept) << up >> down) + one;
    }
}

/* `apart`: what does not meet has levels of its own. Returns whether that could be worth it. */
static int build(fxs_world *w, const arrays *a, int apart) {
    w->grid_fresh = 1;
    w->looks = a->g->indexed = 0;
    survey v;
    uint32_t meets = 0, strangers = 0, n;
    grid *g = a->g;
    take_survey(w, &v);
    g->count = v.count;
    g->levels = 0;
    if (v.count == 0) {
        return 0;
    }
    for (uint32_t left = v.layers; left; left &= left - 1) {
        uint32_t layer = trailing_zeros(left);
        meets |= (uint32_t)((w->layers[layer] & v.layers) != 0) << layer;
    }
    for (uint32_t left = meets; left; left &= left - 1) {
        strangers |= meets & ~w->layers[trailing_zeros(left)];
    }
    plan(w, g, &v, meets, apart);
    for (uint32_t i = 0; i <= g->levels; i++) {
        g->level[i].end = 0;
    }
    if (g->levels == 1 && !g->beams && !(v.layers & ~meets)) {
        n = g->level[0].end = make_keys(w, a, 1, meets);
    } else {
        n = make_keys(w, a, 0, meets);
    }
    uint32_t end = 0;
    for (uint32_t i = 0; i <= g->levels; i++) {
        g->level[i].first = end;
        end += g->level[i].end;
        g->level[i].end = end;
    }
    fxs_sort(w, a->keys, a->spare, n, g->x_at, g->key_end - g->x_at);
    gather(w, a, n);
    for (uint32_t i = n; i < n + BLOCK; i++) {
        a->keys[i] = LAST_KEY;
        a->least[i] = a->most[i] = 0;
    }
    return strangers != 0;
}

/* ---- pairs ---- */

typedef struct search {
    const fxs_world *w;
    arrays a;
    uint64_t id_mask, one; /* of a key: the bits of the id; the least step of x */
    packed_hit *out;
    uint64_t found;
    uint64_t in_vain, in_vain_most; /* pairs looked at whose layers do not meet; as many are borne */
    uint64_t pair[BATCH + BLOCK]; /* places in the sorted arrays whose boxes meet: first << 32 | second */
} search;

/* Tests what is proposed, sorted by kinds: a run of like pairs is predicted well. Boxes that meet are at most two quanta further apart
 * than they reach; a quantum is at most 2^13. */
static void test_proposed(search *s, uint32_t proposed) {
    const solid *all = s->a.sorted;
    uint64_t like[KINDS_COUNT][BATCH + BLOCK], hit[BATCH + BLOCK];
    uint32_t count[KINDS_COUNT] = {0}, met = 0;
    for (uint32_t i = 0; i < proposed; i++) {
        uint64_t pair = s->pair[i], swapped = pair << 32 | pair >> 32;
        const solid *p = all + (pair >> 32), *q = all + (pair & UINT32_MAX);
        uint32_t kinds = kinds_of(p->kind, q->kind);
        like[kinds][count[kinds]] = p->kind > q->kind ? swapped : pair;
        count[kinds] += may_hit(p, q);
        met += p->meets >> q->layer & 1;
    }
    s->in_vain += proposed - met;
    for (int kinds = 0; kinds < KINDS_COUNT; kinds++) {
        uint64_t room = s->found < s->w->hit_capacity ? s->w->hit_capacity - s->found : 0;
        uint64_t *to = count[kinds] < room ? s->out + s->found : hit;
        uint32_t found = fxs_solid_hits(all, kinds, like[kinds], count[kinds], (int)s->w->hit_when, to);
        if (to == hit && room) {
            memcpy(s->out + s->found, hit, (size_t)(found < room ? found : room) * sizeof *hit);
        }
        s->found += found;
    }
}

/* Makes i a candidate with everything from j on whose key is below `end` and whose box meets i's; where candidates end so far and, returned,
 * now. By blocks, of which nearly always one is enough, so that no branch depends on chance. */
static inline uint64_t *scan(search *s, const arrays *a, uint64_t *pair, uint64_t i, uint64_t j, uint64_t end) {
    const packed_box own = {a->least[i], a->most[i]};
    do {
        pair = keep_of_block(pair, i << 32 | j, met_of_block(a->keys + j, a->least + j, a->most + j, own, end));
        j += BLOCK;
        if (pair >= s->pair + BATCH) {
            test_proposed(s, (uint32_t)(pair - s->pair));
            pair = s->pair;
        }
    } while (a->keys[j - 1] < end);
    return pair;
}

/* The first place from `from` on whose key is not below `key`. */
static inline uint64_t seek(const uint64_t *keys, uint64_t from, uint64_t key) {
    uint64_t passed;
    do {
        passed = below_in_block(keys + from, key);
        from += passed;
    } while (passed == BLOCK);
    return from;
}

/* The first place whose key is not below `key`, searched outwards from `hint`. */
static uint32_t seek_far(const arrays *a, uint32_t hint, uint64_t key) {
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
        uint32_t middle = low + (high - low) / 2, is_below = a->keys[middle] < key; /* which of the two, chance decides */
        low += (middle + 1 - low) * is_below;
        high -= (high - middle) * (1 - is_below);
    }
    return low;
}

/* The same where it is nearly always a few places on. */
static inline uint32_t seek_on(const arrays *a, uint32_t hint, uint64_t key) {
    if (hint == 0 || a->keys[hint - 1] < key) {
        uint64_t passed = below_in_block(a->keys + hint, key);
        if (passed < BLOCK) {
            return hint + (uint32_t)passed;
        }
    }
    return seek_far(a, hint, key);
}

/* Pairs within a level: along one's own row to one's own end, and along the rows after it from as far back as one could reach that
 * began before. */
static inline void search_rows(search *s, const level *l, uint32_t rows) {
    const arrays a = s->a;
    const grid *g = a.g;
    const uint64_t *keys = a.keys, *ends = a.spare;
    const uint64_t row_mask = ~(((uint64_t)1 << g->z_at) - 1), begin_mask = ~s->id_mask;
    const uint64_t back = x_key(g, (l->wide >> g->shift) + ((uint64_t)1 << g->x_drop) + 1);
    const uint64_t y = (uint64_t)1 << g->y_at, z = (uint64_t)1 << g->z_at, row[4] = {z, y - z, y, y + z};
    uint64_t start[4] = {l->first, l->first, l->first, l->first}, *pair = s->pair;
    for (uint64_t i = l->first; i < l->end && s->in_vain <= s->in_vain_most; i++) {
        uint64_t key = keys[i], own = key & row_mask, end = ends[i], from = (key & begin_mask) - back;
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

static void search_level(search *s, const level *l) {
    if (s->a.g->beams) {
        search_rows(s, l, 4);
    } else {
        search_rows(s, l, 1);
    }
}

/* Pairs of a collider of a level with larger ones of the level `large`. */
static void search_larger(search *s, const level *l, uint32_t large) {
    const arrays *a = &s->a;
    const grid *g = a->g;
    const level *coarse = g->level + large;
    const uint64_t z_mask = ((uint64_t)1 << (g->y_at - g->z_at)) - 1;
    uint32_t hint[4] = {coarse->first, coarse->first, coarse->first, coarse->first};
    uint64_t *pair = s->pair;
    for (uint32_t i = l->first; i < l->end && s->in_vain <= s->in_vain_most; i++) {
        const solid *p = a->sorted + i;
        int64_t x = (int64_t)p->x - p->reach_x - coarse->wide, z = (int64_t)p->z - p->reach_z - coarse->wide,
                y = (int64_t)p->y - p->reach_y - coarse->tall;
        uint64_t x_begin = x_key(g, from_low(g, 0, max64(x, g->low[0])) >> g->shift), x_end = x_key(g, a->most[i] & FIELD_MASK) + s->one;
        const uint32_t z_first = z_row(coarse, from_low(g, 1, max64(z, g->low[1]))),
                       z_end = z_row(coarse, from_low(g, 1, (int64_t)p->z + p->reach_z)),
                       y_end = y_row(g, coarse, from_low(g, 2, (int64_t)p->y + p->reach_y));
        uint32_t yr = y_row(g, coarse, from_low(g, 2, max64(y, g->low[2]))), zr = z_first;
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
            } else { /* on to the next row that has anything: what is tall may cross very many */
                uint64_t at_row = next - row_key(g, large, 0, 0);
                uint32_t y_next = g->beams ? (uint32_t)(at_row >> g->y_at) : 0, z_next = (uint32_t)(at_row >> g->z_at & z_mask);
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

static void search_levels(search *s) {
    const grid *g = s->a.g;
    if (g->levels == 0) {
        return;
    }
    s->id_mask = ((uint64_t)1 << g->x_at) - 1;
    s->one = (uint64_t)1 << g->x_at;
    for (uint32_t i = 0; i < g->levels; i++) {
        const level *l = g->level + i;
        for (uint32_t j = 0; j <= i; j++) {
            if (g->friends[l->group] >> g->level[j].group & 1) {
                if (i == j) {
                    search_level(s, l);
                } else if (l->wide <= g->level[j].wide) {
                    search_larger(s, l, j);
                } else {
                    search_larger(s, g->level + j, i);
                }
            }
        }
    }
}

uint64_t fxs_broad_hits(fxs_world *w, packed_hit *out) {
    search s;
    derive(w);
    s.w = w;
    s.a = arrays_of(w);
    s.out = out;
    s.found = 0;
    s.in_vain = 0;
    s.in_vain_most = build(w, &s.a, 0) ? (uint64_t)IN_VAIN * s.a.g->count : UINT64_MAX;
    search_levels(&s);
    if (s.in_vain > s.in_vain_most) {
        s.found = 0;
        s.in_vain_most = UINT64_MAX;
        build(w, &s.a, 1);
        search_levels(&s);
    }
    return s.found;
}

/* ---- searches ---- */

#define FEW 48         /* so few colliders are looked at one by one */
#define BUILD_WORTH 6  /* looks at all of them that cost as much as a build */
#define INDEX_WORTH 16 /* searches for which an index of what was built pays */
#define CROWD 24       /* keys under two entries of the index that are better searched than all looked at */

/* For each value of the leading bits of a key, about as many as there are keys, the first place with that or more. It lies behind the
 * room that fxs_broad_sort uses; the copies of colliders there are not needed after the step. */
static uint32_t *index_of(const arrays *a, const fxs_world *w) { return (uint32_t *)((uint64_t *)a->sorted + w->capacity); }

static void make_index(const fxs_world *w, const arrays *a) {
    grid *g = a->g;
    uint32_t *index = index_of(a, w), bits = bit_length(g->count) - 1, used = g->key_end - g->x_at, n = g->level[g->levels].end, sum = 0;
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
}

/* From the first key of a row that a query may want, at the latest, to behind the last one, at the earliest. */
typedef struct span {
    uint32_t from, to;
} span;

/* What the index tells of the keys of a row from `begin` to before `end`. Returns whether it is not many more than those, and none of a row before.
 * Both have entries, and one after them: a row has a key, the one after the last too, and so has every x. */
static inline int is_span(const arrays *a, const uint32_t *index, uint64_t row, uint64_t begin, uint64_t end, span *out) {
    const uint32_t shift = a->g->index_shift, *first = index + (begin >> shift), *last = index + (end >> shift);
    out->from = first[0];
    out->to = last[1];
    return ((first[1] - first[0]) + (last[1] - last[0]) <= CROWD) & (a->keys[first[0]] >= row);
}

/* Blocks of several rows, to be looked at in one loop, and where their rows end. */
#define SPAN_BLOCKS 4
#define LISTED_MAX 32
typedef struct listed {
    uint64_t at[LISTED_MAX + SPAN_BLOCKS], end[LISTED_MAX + SPAN_BLOCKS];
    uint32_t n;
} listed;

/* Appends what a query meets in the blocks of the list, which is empty then: where what is met ends. */
static inline uint64_t *keep_listed(const arrays *a, listed *blocks, packed_box here, uint64_t *met) {
    for (uint32_t i = 0; i < blocks->n; i++) {
        uint64_t at = blocks->at[i];
        met = keep_of_block(met, at, met_of_block(a->keys + at, a->least + at, a->most + at, here, blocks->end[i]));
    }
    blocks->n = 0;
    return met;
}

/* Lists the blocks of a span, a few at once: nearly always all of them, so that no branch depends on how many they are. */
static inline uint64_t *list_span(const arrays *a, listed *blocks, span s, uint64_t end, packed_box here, uint64_t *met) {
    static const uint64_t ON[SPAN_BLOCKS] = {0, BLOCK, 2 * BLOCK, 3 * BLOCK}, SAME[SPAN_BLOCKS] = {0};
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

static uint64_t look_in_grid(const fxs_world *w, const arrays *a, const int64_t least[3], const int64_t most[3], uint64_t *found) {
    static const uint32_t AXIS[3] = {0, 2, 1}; /* x, z, y are the grid's; x, y, z the caller's */
    const grid *g = a->g;
    const uint32_t *index = index_of(a, w);
    if (g->count == 0) {
        return 0;
    }
    uint64_t from[3], to[3], id_mask = ((uint64_t)1 << g->x_at) - 1, one = (uint64_t)1 << g->x_at, *last = found;
    for (uint32_t i = 0; i < 3; i++) {
        if (most[AXIS[i]] < g->low[i] || least[AXIS[i]] > g->high[i]) {
            return 0;
        }
        from[i] = from_low(g, i, clamped(least[AXIS[i]], g->low[i], g->high[i]));
        to[i] = from_low(g, i, clamped(most[AXIS[i]], g->low[i], g->high[i]));
    }
    packed_box here;
    listed blocks;
    blocks.n = 0;
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
            uint64_t next = 0; /* the first key behind a row, if it is known */
            for (uint32_t z = z_first; z <= z_last; z++) {
                const uint64_t row = row_key(g, lvl, y, z), begin = row + x_begin, end = row + x_end;
                span places = {hint, hint};
                if (g->indexed && is_span(a, index, row, begin, end, &places)) {
                    hint = places.from;
                    if (a->keys[hint] < end) { /* else the row has nothing: there may be very many such rows */
                        last = list_span(a, &blocks, places, end, here, last);
                        next = 0;
                        continue;
                    }
                } else {
                    hint = seek_far(a, places.from + (places.to - places.from) / 2, begin);
                    while (a->keys[hint] < end) {
                        last = keep_of_block(last, hint, met_of_block(a->keys + hint, a->least + hint, a->most + hint, here, end));
                        hint += (uint32_t)below_in_block(a->keys + hint, end);
                    }
                }
                /* On to the next row that has anything, if there is one. */
                next = a->keys[hint];
                uint64_t ahead = (next - row) >> g->z_at;
                if (hint >= l->end || ahead > z_last - z) {
                    break;
                }
                z += ahead ? (uint32_t)ahead - 1 : 0;
            }
            if (next) {
                uint64_t ahead = (next - row_key(g, lvl, y, 0)) >> g->y_at;
                if (hint >= l->end || (g->beams && ahead > y_last - y)) {
                    break;
                }
                y += g->beams && ahead ? (uint32_t)ahead - 1 : 0;
            }
        }
    }
    last = keep_listed(a, &blocks, here, last);
    for (uint64_t *id = found; id < last; id++) {
        *id = a->keys[*id] & id_mask;
        prefetch(solids(w) + *id);
    }
    return (uint64_t)(last - found);
}

uint64_t fxs_broad_guess(const fxs_world *w, const int64_t least[3], const int64_t most[3]) {
    static const uint32_t AXIS[3] = {0, 2, 1};
    const grid *g = arrays_of(w).g;
    if (!w->grid_fresh || g->count == 0) {
        return 0;
    }
    const level *usual = g->level + g->levels - 1;
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
    derive(w);
    if (!w->grid_fresh && w->count > FEW && ++w->looks >= BUILD_WORTH) {
        build(w, &a, 0);
    }
    if (w->grid_fresh && a.g->count > FEW && !a.g->indexed && ++w->looks >= INDEX_WORTH) {
        make_index(w, &a);
    }
    *count = w->grid_fresh ? look_in_grid(w, &a, least, most, a.spare) : look_at_all(w, least, most, a.spare);
    return a.spare;
}

#define FEW_SORTED 6 /* so few ids are sorted as keys */
#define SUMMARIES_MAX 64
#define RANKED_MAX (2 * LANES)

/* As members of a set, which is empty before and after: each sets a bit, of which a second set tells in which words there are any. No
 * branch but at the end of a word depends on chance. */
static void sort_as_set(uint64_t *set, uint64_t *ids, uint64_t n, uint64_t summaries) {
    uint64_t summary[SUMMARIES_MAX];
    memset(summary, 0, (size_t)summaries * sizeof *summary);
    for (uint64_t i = 0; i < n; i++) {
        set[ids[i] >> 6] |= (uint64_t)1 << (ids[i] & 63);
        summary[ids[i] >> 12] |= (uint64_t)1 << (ids[i] >> 6 & 63);
    }
    for (uint64_t i = 0; i < summaries; i++) {
        for (uint64_t words = summary[i]; words; words &= words - 1) {
            uint64_t word = i * 64 + trailing_zeros(words), bits = set[word];
            set[word] = 0;
            do {
                *ids++ = word * 64 + trailing_zeros(bits);
                bits &= bits - 1;
            } while (bits);
        }
    }
}

/* By how many are below each, without branches; n <= RANKED_MAX. */
static void sort_by_ranks(const uint64_t *ids, uint64_t n, uint32_t *out) {
    uint16_t number[RANKED_MAX] = {0}, rank[RANKED_MAX];
    for (uint64_t i = 0; i < n; i++) {
        number[i] = (uint16_t)ids[i];
    }
    for (uint64_t i = 0; i < n; i += LANES) {
        rank_lanes(number, n, number + i, rank + i);
    }
    for (uint64_t i = 0; i < n; i++) {
        out[rank[i]] = number[i];
    }
}

void fxs_broad_sort(fxs_world *w, uint64_t *ids, uint64_t n, uint32_t *out) {
    uint64_t summaries = (w->capacity + (uint64_t)4095) / 4096;
    if (n <= RANKED_MAX && w->capacity <= RANKS_END) {
        sort_by_ranks(ids, n, out);
        return;
    }
    if (n > FEW_SORTED && summaries <= n && summaries <= SUMMARIES_MAX) {
        sort_as_set(mark_set(w), ids, n, summaries);
    } else {
        fxs_sort(w, ids, (uint64_t *)arrays_of(w).sorted, n, 0, bit_length(w->capacity - 1));
    }
    for (uint64_t i = 0; i < n; i++) {
        out[i] = (uint32_t)ids[i];
    }
}
