/* Building the grid: size classes, the layout of keys, sorting. */
#include "grid.h"

#define AHEAD 8         /* colliders that gather asks for before it copies them */
#define KEY_BITS 62     /* so that every end of a row is below 2^63 - 1 */
#define ROW_KEY_BITS 52 /* of a key without x: leaves at least 10 bits to x */

uint64_t fxs_grid_size(uint32_t capacity) {
    return align8(sizeof(grid)) + 8 * ((uint64_t)capacity + BLOCK);
}

/* The result of the first look at the colliders. */
typedef struct survey {
    int32_t low[3], high[3];             /* of the centres */
    uint32_t longest, shortest, tallest; /* collider on x and z, and on y */
    uint32_t layers;                     /* that are there */
    uint32_t count;
} survey;

/* The result of a second one, if sizes differ much: by bit length of the length on x and z, how
 * many, the longest, the longest on y. */
typedef struct census {
    uint32_t many[33], widest[33], tallest[33];
} census;

static uint32_t length_of(const placed_shape *s) {
    return 2 * (uint32_t)(s->extent_x > s->extent_z ? s->extent_x : s->extent_z);
}

static void take_survey(const fxs_world *w, survey *v) {
    const uint64_t *present = present_set(w);
    const uint64_t words = set_words(w->capacity);
    const placed_shape *all = placed_shapes(w);
    int32_t x0 = INT32_MAX;
    int32_t x1 = INT32_MIN;
    int32_t y0 = x0;
    int32_t y1 = x1;
    int32_t z0 = x0;
    int32_t z1 = x1;
    int32_t extent = 0;
    int32_t least = INT32_MAX;
    int32_t tall = 0;
    uint32_t layers = 0;
    uint32_t count = 0;
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const placed_shape *s = all + word * 64 + trailing_zeros(bits);
            if (!s->active) {
                continue;
            }
            int32_t x = s->x;
            int32_t y = s->y;
            int32_t z = s->z;
            int32_t r = s->extent_x > s->extent_z ? s->extent_x : s->extent_z;
            count++;
            layers |= (uint32_t)1 << s->layer;
            extent = r > extent ? r : extent;
            least = r < least ? r : least;
            tall = s->extent_y > tall ? s->extent_y : tall;
            x0 = x < x0 ? x : x0;
            x1 = x > x1 ? x : x1;
            y0 = y < y0 ? y : y0;
            y1 = y > y1 ? y : y1;
            z0 = z < z0 ? z : z0;
            z1 = z > z1 ? z : z1;
        }
    }
    const survey made = {
        {x0, y0, z0}, {x1, y1, z1}, 2 * (uint32_t)extent, 2 * (uint32_t)least, 2 * (uint32_t)tall,
        layers,       count};
    *v = made;
}

/* Of the colliders on these layers. */
static void take_census(const fxs_world *w, uint32_t layers, census *v) {
    const uint64_t *present = present_set(w);
    const uint64_t words = set_words(w->capacity);
    memset(v, 0, sizeof *v);
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const placed_shape *s = placed_shapes(w) + word * 64 + trailing_zeros(bits);
            if (s->active & (layers >> s->layer)) {
                uint32_t length = length_of(s);
                uint32_t b = bit_length(length);
                v->many[b]++;
                v->widest[b] = most32(v->widest[b], length);
                v->tallest[b] = most32(v->tallest[b], 2 * (uint32_t)s->extent_y);
            }
        }
    }
}

static uint32_t row_bits(uint64_t extent, uint32_t inverse) {
    return bit_length((uint64_t)row_of(extent, inverse) + 2);
}

/* Chooses the size classes of a group, the colliders on these layers, the largest first. Returns
 * how tall the most common of them are. */
static uint32_t choose_classes(const fxs_world *w, grid *g, uint32_t group, uint32_t layers) {
    census by;
    uint32_t common = 0;
    uint32_t top = 0;
    uint32_t before = g->class_count;
    take_census(w, layers, &by);
    for (uint32_t b = 33; b--;) {
        if (by.many[b]) {
            if (g->class_count == before || top > b + 2) {
                size_class *c = g->classes + g->class_count++;
                c->wide = by.widest[b];
                c->tall = 0;
                c->group = group;
                top = b;
            }
            size_class *c = g->classes + g->class_count - 1;
            c->tall = most32(c->tall, by.tallest[b]);
            common = by.many[b] > by.many[common] ? b : common;
        }
        g->class_of_size[group][b] = g->class_count - 1;
    }
    return by.tallest[common];
}

/* Sorts the used layers into groups that meet the same layers. Returns the count. The last
 * group takes the rest. */
static uint32_t choose_groups(const fxs_world *w, grid *g, uint32_t layers,
                              uint32_t members[GROUPS_MAX]) {
    uint32_t groups = 0;
    for (uint32_t left = layers; left;) {
        uint32_t first = trailing_zeros(left);
        uint32_t alike = left;
        for (uint32_t i = 0; groups < GROUPS_MAX - 1 && i < 32; i++) {
            alike &=
                ~((uint32_t)((left >> i & 1) && ((w->layers[i] ^ w->layers[first]) & layers)) << i);
        }
        FXS_ASSERT(alike != 0 && groups < GROUPS_MAX);
        members[groups++] = alike;
        left &= ~alike;
    }
    for (uint32_t i = 0; i < groups; i++) {
        g->met_groups[i] = 0;
        for (uint32_t layer = 0; layer < 32; layer++) {
            if (members[i] >> layer & 1) {
                g->group_of[layer] = i;
                for (uint32_t j = 0; j < groups; j++) {
                    g->met_groups[i] |= (uint32_t)((w->layers[layer] & members[j]) != 0) << j;
                }
            }
        }
    }
    return groups;
}

/* Chooses the size classes; returns the usual height. g->classes[g->class_count] is for isolated
 * colliders, which no layer meets: queries search them, pairs do not. `apart`: groups that do not
 * meet have size classes of their own. */
static uint32_t plan_classes(const fxs_world *w, grid *g, const survey *v, uint32_t meets,
                             int apart) {
    uint32_t usual = v->tallest;
    g->class_count = 0;
    if (apart) {
        uint32_t members[GROUPS_MAX], groups = choose_groups(w, g, v->layers & meets, members);
        for (uint32_t i = 0; i < groups; i++) {
            usual = least32(usual, choose_classes(w, g, i, members[i]));
        }
    } else {
        memset(g->group_of, 0, sizeof g->group_of);
        memset(g->class_of_size[0], 0, sizeof g->class_of_size[0]);
        g->met_groups[0] = 1;
        if (bit_length(v->longest) <= bit_length(v->shortest) + 2) { /* one size class will do */
            g->class_count = 1;
            g->classes[0].wide = v->longest;
            g->classes[0].tall = v->tallest;
            g->classes[0].group = 0;
        } else {
            usual = choose_classes(w, g, 0, v->layers);
        }
    }
    g->classes[g->class_count].wide = v->longest;
    g->classes[g->class_count].tall = v->tallest;
    return usual;
}

/* Chooses size classes and the layout of keys for a world that has colliders. */
static void plan(const fxs_world *w, grid *g, const survey *v, uint32_t meets, int apart) {
    const uint32_t usual = plan_classes(w, g, v, meets, apart);
    const uint32_t id_bits = bit_length(w->capacity - 1);
    const uint32_t longest = most32(v->longest, v->tallest);
    const int isolated = (v->layers & ~meets) != 0;
    uint32_t least = v->longest;
    for (uint32_t i = 0; i < g->class_count; i++) {
        least = least32(least, g->classes[i].wide);
    }
    uint64_t extent[3], most = 0;
    for (uint32_t i = 0; i < 3; i++) {
        g->low[i] = (int64_t)v->low[i] - longest / 2;
        g->high[i] = (int64_t)v->high[i] + longest / 2;
        extent[i] = (uint64_t)(g->high[i] - g->low[i]); /* < 2^32 + 2^31 */
        FXS_ASSERT(g->low[i] < g->high[i]);
        most = extent[i] > most ? extent[i] : most;
    }
    g->shift = bit_length(most) > FIELD ? bit_length(most) - FIELD : 0;
    g->beams = v->high[1] - (int64_t)v->low[1] > 8 * (int64_t)usual;
    uint32_t class_bits = bit_length(g->class_count - !isolated);
    uint32_t z_bits;
    uint32_t y_bits;
    uint32_t smaller = 0;
    do {
        z_bits = y_bits = 0;
        for (uint32_t i = 0; i <= g->class_count; i++) {
            size_class *c = g->classes + i; /* lengths are at least 2 */
            c->z_inverse = (uint32_t)(((uint64_t)1 << 32) / c->wide >> smaller);
            c->y_inverse = (uint32_t)(((uint64_t)1 << 32) / c->tall >> smaller);
            uint32_t z = row_bits(extent[2], c->z_inverse);
            uint32_t y = g->beams ? row_bits(extent[1], c->y_inverse) : 0;
            z_bits = z > z_bits ? z : z_bits;
            y_bits = y > y_bits ? y : y_bits;
        }
        smaller++;
    } while (id_bits + class_bits + z_bits + y_bits > ROW_KEY_BITS);
    /* A fraction of the smallest length is fine enough on x: finer keys would only take longer to
     * sort. */
    uint32_t field_bits = bit_length(extent[0] >> g->shift);
    uint32_t room = KEY_BITS - id_bits - class_bits - z_bits - y_bits;
    uint32_t x_bits = bit_length(extent[0] / least) + 3;
    x_bits = x_bits < field_bits ? x_bits : field_bits;
    x_bits = x_bits < room ? x_bits : room;
    g->x_drop = field_bits - x_bits;
    g->x_at = id_bits;
    g->z_at = g->x_at + x_bits;
    g->y_at = g->z_at + z_bits;
    g->class_at = g->y_at + y_bits;
    g->key_end = g->class_at + class_bits;
    FXS_ASSERT(g->key_end <= KEY_BITS && g->class_count < CLASSES_MAX);
}

/* The keys of all active colliders, in no order. Returns the count. `plain`: there is one size
 * class of strips, and no isolated colliders. */
static inline uint32_t make_keys(const fxs_world *w, const arrays *a, int plain, uint32_t meets) {
    const uint64_t *present = present_set(w);
    const uint64_t words = set_words(w->capacity);
    const placed_shape *all = placed_shapes(w);
    grid *g = a->g;
    const int64_t low_x = g->low[0];
    const int64_t low_z = g->low[2];
    const int64_t low_y = g->low[1];
    const uint64_t x_unit = (uint64_t)1 << g->x_at;
    const uint64_t z_unit = (uint64_t)1 << g->z_at;
    const uint64_t inverse = g->classes[0].z_inverse;
    const uint32_t x_shift = g->shift + g->x_drop;
    const uint32_t isolated = g->class_count;
    uint64_t *keys = a->keys;
    uint32_t n = 0;
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            uint32_t id = (uint32_t)(word * 64) + trailing_zeros(bits);
            const placed_shape *s = all + id;
            if (!s->active) {
                continue;
            }
            uint64_t x = (uint64_t)(s->x - low_x - s->extent_x);
            uint64_t z = (uint64_t)(s->z - low_z - s->extent_z);
            uint64_t key = (x >> x_shift) * x_unit + id;
            if (plain) {
                key += ((z * inverse >> 32) + 1) * z_unit;
            } else {
                const uint32_t group = g->group_of[s->layer];
                const uint32_t class_index = meets >> s->layer & 1
                                                 ? g->class_of_size[group][bit_length(length_of(s))]
                                                 : isolated;
                size_class *c = g->classes + class_index;
                key += row_key(g, class_index, y_row(g, c, (uint64_t)(s->y - low_y - s->extent_y)),
                               z_row(c, z));
                c->end++;
            }
            FXS_ASSERT(key <= (LAST_KEY >> 1) && n < w->count);
            keys[n++] = key;
        }
    }
    return n;
}

/* Writes boxes and copies of the colliders in the order of their keys, and to `spare` the key at
 * which each of them ends in its row. */
static void gather(const fxs_world *w, const arrays *a, uint32_t n) {
    const grid *g = a->g;
    const placed_shape *all = placed_shapes(w);
    const uint64_t *keys = a->keys;
    const uint64_t id_mask = ((uint64_t)1 << g->x_at) - 1;
    const int64_t low_x = g->low[0];
    const int64_t low_z = g->low[2];
    const int64_t low_y = g->low[1];
    const uint32_t shift = g->shift;
    for (uint32_t i = 0; i < n; i++) {
        const placed_shape *s = all + (keys[i] & id_mask);
        prefetch(all + (keys[i + AHEAD < n ? i + AHEAD : i] & id_mask));
        FXS_ASSERT(i == 0 || keys[i - 1] < keys[i]);
        a->sorted[i] = *s;
        int64_t x = s->x - low_x;
        int64_t z = s->z - low_z;
        int64_t y = s->y - low_y;
        int64_t rx = s->extent_x;
        int64_t rz = s->extent_z;
        int64_t ry = s->extent_y;
        FXS_ASSERT(x >= rx && z >= rz && y >= ry);
        FXS_ASSERT((uint64_t)(x + rx) >> shift <= FIELD_MASK);
        FXS_ASSERT((uint64_t)(z + rz) >> shift <= FIELD_MASK);
        FXS_ASSERT((uint64_t)(y + ry) >> shift <= FIELD_MASK);
        a->min[i] = (uint64_t)(x - rx) >> shift | (uint64_t)(z - rz) >> shift << (FIELD + 1) |
                    (uint64_t)(y - ry) >> shift << (2 * FIELD + 2);
        a->max[i] = (uint64_t)(x + rx) >> shift | (uint64_t)(z + rz) >> shift << (FIELD + 1) |
                    (uint64_t)(y + ry) >> shift << (2 * FIELD + 2) | GUARDS;
    }
    const uint64_t row_mask = ~(((uint64_t)1 << g->z_at) - 1);
    const uint64_t kept = FIELD_MASK >> g->x_drop << g->x_drop;
    const uint64_t one = (uint64_t)1 << g->x_at;
    const uint32_t up = g->x_at > g->x_drop ? g->x_at - g->x_drop : 0;
    const uint32_t down = g->x_drop > g->x_at ? g->x_drop - g->x_at : 0;
    for (uint32_t i = 0; i < n; i++) {
        a->spare[i] = (keys[i] & row_mask) + ((a->max[i] & kept) << up >> down) + one;
    }
}

int fxs_grid_build(fxs_world *w, const arrays *a, int apart) {
    grid_stale(w);
    w->grid_fresh = 1;
    a->g->indexed = 0;
    survey v;
    uint32_t meets = 0;
    uint32_t unmet = 0;
    uint32_t n;
    grid *g = a->g;
    take_survey(w, &v);
    g->count = v.count;
    g->moved_max = MOVED_MAX(v.count);
    g->class_count = 0;
    if (v.count == 0) {
        return 0;
    }
    for (uint32_t left = v.layers; left; left &= left - 1) {
        uint32_t layer = trailing_zeros(left);
        meets |= (uint32_t)((w->layers[layer] & v.layers) != 0) << layer;
    }
    for (uint32_t left = meets; left; left &= left - 1) {
        unmet |= meets & ~w->layers[trailing_zeros(left)];
    }
    plan(w, g, &v, meets, apart);
    for (uint32_t i = 0; i <= g->class_count; i++) {
        g->classes[i].end = 0;
    }
    if (g->class_count == 1 && !g->beams && !(v.layers & ~meets)) {
        n = g->classes[0].end = make_keys(w, a, 1, meets);
    } else {
        n = make_keys(w, a, 0, meets);
    }
    uint32_t end = 0;
    for (uint32_t i = 0; i <= g->class_count; i++) {
        g->classes[i].first = end;
        end += g->classes[i].end;
        g->classes[i].end = end;
    }
    fxs_sort(digits_of(w), a->keys, a->spare, n, g->x_at, g->key_end - g->x_at);
    FXS_ASSERT(n == v.count && end == n);
    gather(w, a, n);
    for (uint32_t i = n; i < n + BLOCK; i++) {
        a->keys[i] = LAST_KEY;
        a->min[i] = a->max[i] = 0;
    }
    return unmet != 0;
}

uint32_t fxs_grid_seek(const arrays *a, uint32_t hint, uint64_t key) {
    uint32_t low = 0;
    uint32_t high = a->g->count;
    uint32_t step = 1; /* keys before low are below `key`, keys from high on are not */
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
        uint32_t is_below = a->keys[middle] < key; /* which of the two, chance decides */
        low += (middle + 1 - low) * is_below;
        high -= (high - middle) * (1 - is_below);
    }
    FXS_ASSERT(low == 0 || a->keys[low - 1] < key);
    FXS_ASSERT(a->keys[low] >= key);
    return low;
}
