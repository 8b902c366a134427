/* Which pairs meet while many colliders move at once (docs/contract.md, Everything that moves).
 *
 * A collider that moves is swept at all that stands still, as fxs_world_sweep does. Two that move
 * are a pair where their swept bounds meet: few are compared one with another, for many the grid is
 * built of swept bounds. */
#include "broad_pairs.h"
#include "cast.h"
#include "derive.h"
#include "grid.h"
#include "heap.h"

#define FEW_MOVING 64 /* up to so many are compared one with another */

typedef struct sweeps {
    fxs_world *w;
    const fxs_motion *rows;
    uint64_t n;
    int when;
    uint64_t *moving;      /* the set of the ids of the rows */
    const fxs_motion *own; /* row of the collider that is swept at what stands still */
    fxs_pair_hit *hits;    /* a heap, the last in order first, when as many are kept as the limit */
    uint64_t room, count, met;
    uint32_t limit;
    int32_t max_fraction; /* hits at later fractions do not matter */
} sweeps;

/* The motion of an id with a row: nearly always ids ascend without gaps. */
static const int32_t *motion_of_row(const sweeps *s, uint32_t id) {
    uint64_t low = 0;
    uint64_t high = s->n - 1;
    const uint64_t guess = id - s->rows[0].id;
    if (guess <= high) { /* ids ascend: it is not behind its guess */
        if (s->rows[guess].id == id) {
            return s->rows[guess].motion;
        }
        high = guess;
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (s->rows[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return s->rows[low].motion;
}

static const int32_t *motion_of(const sweeps *s, uint32_t id) {
    static const int32_t STILL[3] = {0, 0, 0};
    return id < FXS_LEVEL && set_has(s->moving, id) ? motion_of_row(s, id) : STILL;
}

static void relative_motion(const int32_t *a, const int32_t *b, int64_t *M) {
    for (int i = 0; i < 3; i++) {
        M[i] = (int64_t)a[i] - b[i];
    }
}

/* ---- order ---- */

/* The normal of a hit, and its distance. */
static int64_t normal_of_pair_hit(const sweeps *s, fxs_pair_hit *hit) {
    const placed_shape *a = placed_shapes(s->w) + hit->a;
    const int32_t k = (int32_t)hit->fraction;
    int64_t M[3];
    relative_motion(motion_of(s, hit->a), motion_of(s, hit->b), M);
    return hit->b < FXS_LEVEL
               ? fxs_placed_cast_normal(a, placed_shapes(s->w) + hit->b, M, k, hit->normal)
               : fxs_solid_hit_normal(a, s->w->level, hit->b - FXS_LEVEL, M, k, hit->normal);
}

/* While hits are sought, the third number of a normal: whether the first two hold the distance.
 * STARTS_OVERLAPPING: the distance is 0, and so is the normal. */
enum { IS_UNKNOWN, IS_KNOWN, STARTS_OVERLAPPING };

static void know_pair_distance(const sweeps *s, fxs_pair_hit *hit) {
    if (hit->normal[2] == IS_UNKNOWN) {
        const int64_t distance = normal_of_pair_hit(s, hit);
        const int starts_overlapping = (hit->normal[0] | hit->normal[1] | hit->normal[2]) == 0;
        memcpy(hit->normal, &distance, sizeof distance);
        hit->normal[2] = starts_overlapping ? STARTS_OVERLAPPING : IS_KNOWN;
    }
}

static int is_later_pair(const sweeps *s, fxs_pair_hit *a, fxs_pair_hit *b) {
    int64_t of_a, of_b;
    if (a->fraction != b->fraction) {
        return a->fraction > b->fraction;
    }
    know_pair_distance(s, a);
    know_pair_distance(s, b);
    memcpy(&of_a, a->normal, sizeof of_a);
    memcpy(&of_b, b->normal, sizeof of_b);
    if (of_a != of_b) {
        return of_a > of_b;
    }
    return a->a != b->a ? a->a > b->a : a->b > b->b;
}

FXS_HEAP(pair_heap, fxs_pair_hit, const sweeps *, is_later_pair)

static void keep_pair(sweeps *s, uint32_t one, uint32_t other, int32_t fraction,
                      int starts_overlapping) {
    fxs_pair_hit hit = {one < other ? one : other,
                        one < other ? other : one,
                        (uint32_t)fraction,
                        {0, 0, starts_overlapping ? STARTS_OVERLAPPING : IS_UNKNOWN}};
    int is_full = s->limit != 0 && s->count == s->limit;
    s->met++;
    if (is_full) {
        if (is_later_pair(s, s->hits, &hit)) {
            pair_heap_sift(s, s->hits, s->count, 0, hit);
        }
    } else if (s->count < s->room) {
        s->hits[s->count++] = hit;
        is_full = s->limit != 0 && s->count == s->limit;
        if (is_full) {
            pair_heap_make(s, s->hits, s->count);
        }
    }
    s->max_fraction = is_full ? (int32_t)s->hits[0].fraction : WHOLE;
}

/* Sorts n hits of equal fraction, which ascend by (a, b): nearly always by distance too. */
static void sort_equal(const sweeps *s, fxs_pair_hit *hits, uint64_t n) {
    for (uint64_t i = 1; i < n; i++) {
        if (is_later_pair(s, hits + i - 1, hits + i)) {
            pair_heap_make(s, hits, n);
            pair_heap_sort(s, hits, n);
            return;
        }
    }
}

/* Sorts the hits as words of (fraction, a, b): 0 if those do not fit in the scratch of a step. */
static int sort_words(const sweeps *s) {
    const fxs_world *w = s->w;
    const uint32_t id_bits = bit_length((uint64_t)w->capacity + solid_count(w));
    uint64_t *words = (uint64_t *)at(w, w->spare_at);
    uint64_t *others = (uint64_t *)at(w, w->other_at);
    if (s->count > w->hit_capacity || 17 + 2 * id_bits + 1 > 64) {
        return 0;
    }
    const uint64_t mask = ((uint64_t)1 << id_bits) - 1;
    for (uint64_t i = 0; i < s->count; i++) {
        const fxs_pair_hit *h = s->hits + i;
        const uint64_t b = h->b < FXS_LEVEL ? h->b : (uint64_t)w->capacity + (h->b - FXS_LEVEL);
        const uint64_t pair = (uint64_t)h->a << id_bits | b;
        words[i] = ((uint64_t)h->fraction << 2 * id_bits | pair) << 1 |
                   (h->normal[2] == STARTS_OVERLAPPING);
    }
    words = fxs_sorted(digits_of(w), words, others, s->count, 1, 17 + 2 * id_bits);
    for (uint64_t i = 0; i < s->count; i++) {
        fxs_pair_hit *h = s->hits + i;
        const uint64_t b = words[i] >> 1 & mask;
        h->a = (uint32_t)(words[i] >> (1 + id_bits) & mask);
        h->b = (uint32_t)(b < w->capacity ? b : FXS_LEVEL + (b - w->capacity));
        h->fraction = (uint32_t)(words[i] >> (1 + 2 * id_bits));
        h->normal[0] = h->normal[1] = 0;
        h->normal[2] = words[i] & 1 ? STARTS_OVERLAPPING : IS_UNKNOWN;
    }
    return 1;
}

static void sort_pairs(const sweeps *s) {
    if (s->count < 2) {
        return;
    }
    if (s->limit != 0 || !sort_words(s)) {
        pair_heap_make(s, s->hits, s->count);
        pair_heap_sort(s, s->hits, s->count);
        return;
    }
    for (uint64_t i = 0, end; i < s->count; i = end) {
        end = i + 1;
        while (end < s->count && s->hits[end].fraction == s->hits[i].fraction) {
            end++;
        }
        sort_equal(s, s->hits + i, end - i);
    }
}

/* ---- pairs ---- */

/* A hit of s->own with what stands still. */
static int32_t keep_still(void *context, uint32_t other, int32_t fraction, int starts_overlapping) {
    sweeps *s = context;
    keep_pair(s, s->own->id, other, fraction, starts_overlapping);
    return s->max_fraction;
}

/* Two that move, and whose swept bounds may meet. */
static void try_pair(sweeps *s, const placed_shape *a, const int32_t *motion_a,
                     const placed_shape *b, const int32_t *motion_b) {
    int64_t M[3];
    if (fxs_placed_contact(a, b) == FXS_OVERLAPPING) {
        keep_pair(s, a->id, b->id, 0, 1);
        return;
    }
    relative_motion(motion_a, motion_b, M);
    if (is_beyond((int64_t)a->x - b->x, M[0], (int64_t)a->extent_x + b->extent_x) ||
        is_beyond((int64_t)a->z - b->z, M[2], (int64_t)a->extent_z + b->extent_z)) {
        return;
    }
    /* Not below the length in the plane: a + b / 2 for the longer and the shorter side. */
    const int64_t x = abs64(M[0]);
    const int64_t z = abs64(M[2]);
    const int64_t length = max64(x, z) + (min64(x, z) + 1) / 2;
    const motion_extent of_a = motion_extent_of(a, M, length);
    if (passes_by(a, &of_a, b, M, length, s->max_fraction)) {
        return;
    }
    const int32_t fraction = fxs_placed_cast(a, b, M, s->when, s->max_fraction);
    if (fraction != NONE) {
        keep_pair(s, a->id, b->id, fraction, 0);
    }
}

/* The bounds of a motion. */
static aabb swept_bounds(const sweeps *s, uint64_t row) {
    const int32_t *m = s->rows[row].motion;
    aabb box;
    fxs_placed_bounds(placed_shapes(s->w) + s->rows[row].id, &box);
    for (int i = 0; i < 3; i++) {
        box.min[i] += min64(m[i], 0);
        box.max[i] += max64(m[i], 0);
    }
    return box;
}

static void try_two(sweeps *s, uint64_t i, uint64_t j) {
    const placed_shape *a = placed_shapes(s->w) + s->rows[i].id;
    const placed_shape *b = placed_shapes(s->w) + s->rows[j].id;
    if (a->active && b->active && may_hit(a, b)) {
        try_pair(s, a, s->rows[i].motion, b, s->rows[j].motion);
    }
}

/* Every two rows: blocks of FEW_MOVING of the first ones against all behind them. */
static void try_each(sweeps *s) {
    aabb first[FEW_MOVING];
    for (uint64_t from = 0; from < s->n; from += FEW_MOVING) {
        const uint64_t end = from + FEW_MOVING < s->n ? from + FEW_MOVING : s->n;
        for (uint64_t i = from; i < end; i++) {
            first[i - from] = swept_bounds(s, i);
        }
        for (uint64_t j = from + 1; j < s->n; j++) {
            const aabb second = swept_bounds(s, j);
            for (uint64_t i = from; i < end && i < j; i++) {
                if (aabb_overlaps(first + (i - from), &second)) {
                    try_two(s, i, j);
                }
            }
        }
    }
}

/* The middle of a motion along an axis, and from there to its ends. */
static inline int64_t middle_of(int32_t m) { return m < 0 ? -((1 - (int64_t)m) / 2) : m / 2; }
static inline int64_t half_of(int32_t m) { return (abs64(m) + 1) / 2; }

/* ---- the grid ---- */

static int is_in_range(int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; }

/* Whether the middle of every motion is a place in int32. */
static int have_middles(const sweeps *s) {
    for (uint64_t i = 0; i < s->n; i++) {
        const int32_t *m = s->rows[i].motion;
        const placed_shape *c = placed_shapes(s->w) + s->rows[i].id;
        if (!is_in_range(c->x + middle_of(m[0])) || !is_in_range(c->y + middle_of(m[1])) ||
            !is_in_range(c->z + middle_of(m[2]))) {
            return 0;
        }
    }
    return 1;
}

/* Makes the bounds of what moves swept ones, or undoes that. */
static void sweep_out(const sweeps *s, int32_t sign) {
    for (uint64_t i = 0; i < s->n; i++) {
        const int32_t *m = s->rows[i].motion;
        placed_shape *c = placed_shapes(s->w) + s->rows[i].id;
        c->x += sign * (int32_t)middle_of(m[0]);
        c->y += sign * (int32_t)middle_of(m[1]);
        c->z += sign * (int32_t)middle_of(m[2]);
        c->extent_x += sign * (int32_t)half_of(m[0]);
        c->extent_y += sign * (int32_t)half_of(m[1]);
        c->extent_z += sign * (int32_t)half_of(m[2]);
    }
}

/* Leaves colliders without a row out, or takes them in again: `zero` is 1 meanwhile. */
static void put_aside(const sweeps *s, int is_aside) {
    const uint64_t *present = present_set(s->w);
    for (uint64_t word = 0; word < set_words(s->w->capacity); word++) {
        for (uint64_t bits = present[word] & ~s->moving[word]; bits; bits &= bits - 1) {
            placed_shape *c = placed_shapes(s->w) + word * 64 + trailing_zeros(bits);
            if (is_aside ? c->active : c->zero) {
                c->active = (uint8_t)!is_aside;
                c->zero = (uint8_t)is_aside;
            }
        }
    }
}

/* Of copies of the colliders, whose bounds are swept and whose sizes are their motions. */
static void try_proposed(void *context, const placed_shape *all, const uint64_t *pairs,
                         uint32_t n) {
    sweeps *s = context;
    for (uint32_t i = 0; i < n; i++) {
        const placed_shape *a = all + (pairs[i] >> 32);
        const placed_shape *b = all + (pairs[i] & UINT32_MAX);
        try_pair(s, placed_shapes(s->w) + a->id, a->size, placed_shapes(s->w) + b->id, b->size);
    }
}

static void try_grid(sweeps *s) {
    const arrays a = arrays_of(s->w);
    put_aside(s, 1);
    sweep_out(s, 1);
    fxs_grid_build(s->w, &a, 0);
    sweep_out(s, -1);
    put_aside(s, 0);
    for (uint32_t i = 0; i < a.g->count; i++) {
        memcpy(a.sorted[i].size, motion_of_row(s, a.sorted[i].id), sizeof a.sorted[i].size);
    }
    fxs_broad_pairs(s->w, try_proposed, s);
    grid_stale(s->w);
}

/* ---- all ---- */

/* FXS_OK, or the status of the first bad row and its index. */
static int32_t check_rows(const fxs_world *w, const fxs_motion *rows, uint64_t n, uint64_t *bad) {
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t id = rows[i].id;
        *bad = i;
        if (i > 0 && id <= rows[i - 1].id) {
            return FXS_E_ORDER;
        }
        const int32_t status = find(w, id);
        if (status != FXS_OK) {
            return status;
        }
        if (!can_cast(placed_shapes(w)[id].kind)) {
            return FXS_E_UNDEFINED;
        }
        if (!is_motion(rows[i].motion)) {
            return FXS_E_MOTION;
        }
    }
    return FXS_OK;
}

/* What moves against what stands still. */
static void try_still(sweeps *s) {
    if (s->n == s->w->count && !s->w->level) {
        return;
    }
    for (uint64_t i = 0; i < s->n; i++) {
        s->own = s->rows + i;
        if (placed_shapes(s->w)[s->own->id].active) {
            fxs_sweep_still(s->w, s->own->id, s->own->motion, s->when, s->limit,
                            s->n < s->w->count ? s->moving : NULL, s->max_fraction, keep_still, s);
        }
    }
}

static void put_normals(const sweeps *s) {
    for (uint64_t i = 0; i < s->count; i++) {
        fxs_pair_hit *hit = s->hits + i;
        if (hit->normal[2] == STARTS_OVERLAPPING) {
            hit->normal[0] = hit->normal[1] = hit->normal[2] = 0;
        } else {
            normal_of_pair_hit(s, hit);
        }
    }
}

int32_t fxs_world_sweep_pairs(fxs_world *world, const fxs_motion *rows, uint64_t n,
                              uint32_t hit_when, uint32_t limit, fxs_pair_hit *hits,
                              uint64_t hit_capacity, uint64_t *count) {
    *count = 0;
    if (hit_when > FXS_OVERLAPPING) {
        return FXS_E_HIT_WHEN;
    }
    const int32_t status = check_rows(world, rows, n, count);
    if (status != FXS_OK || n == 0) {
        return status;
    }
    sweeps s = {.w = world,
                .rows = rows,
                .n = n,
                .moving = mark_set(world),
                .hits = hits,
                .room = hit_capacity,
                .limit = limit,
                .max_fraction = WHOLE};
    s.when = least_contact(world, hit_when);
    derive(world);
    for (uint64_t i = 0; i < n; i++) {
        set_put(s.moving, rows[i].id);
    }
    try_still(&s);
    if (n <= FEW_MOVING || !have_middles(&s)) {
        try_each(&s);
    } else {
        try_grid(&s);
    }
    *count = limit != 0 && s.met > limit ? limit : s.met;
    if (*count <= hit_capacity) {
        sort_pairs(&s);
        put_normals(&s);
    }
    for (uint64_t i = 0; i < n; i++) {
        set_drop(s.moving, rows[i].id);
    }
    return *count > hit_capacity ? FXS_E_ROOM : FXS_OK;
}
