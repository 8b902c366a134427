/* Hits of a world's colliders with the solids of its level. */
#include "level_hits.h"

/* Colliders whose walks of the level are taken together, and pairs with solids whose bounds they
 * meet: the memory that one of them needs is fetched while the others are looked at. */
enum { WALKS_MAX = 16, NEAR_MAX = 64 };
typedef struct solid_search {
    const fxs_world *w;
    packed_hit *out;
    uint64_t found; /* those past the room are counted only */
    uint32_t walk_count, near_count;
    level_walk walks[WALKS_MAX];
    const placed_shape *walkers[WALKS_MAX];
    const placed_shape *near[NEAR_MAX];
    uint32_t near_solid[NEAR_MAX];
} solid_search;

static void test_near(solid_search *s) {
    const fxs_world *w = s->w;
    const solid *all = solids(w->level);
    for (uint32_t i = 0; i < s->near_count; i++) {
        prefetch(level_vertices(w->level, all + s->near_solid[i]));
    }
    for (uint32_t i = 0; i < s->near_count; i++) {
        const placed_shape *a = s->near[i];
        const uint32_t b = s->near_solid[i];
        const int contact = fxs_solid_contact_near(a, w->level, b, solid_gap(a, all + b));
        if (contact >= (int)w->hit_when) {
            if (s->found < w->hit_capacity) {
                s->out[s->found] = hit_pack(a->id, FXS_LEVEL + b, (uint32_t)contact);
            }
            s->found++;
        }
    }
    s->near_count = 0;
}

static void take_walks(solid_search *s) {
    for (uint32_t i = 0; i < s->walk_count; i++) {
        fxs_level_open(s->walks + i);
    }
    for (uint32_t i = 0; i < s->walk_count; i++) {
        fxs_level_prefetch(s->walks + i);
    }
    for (uint32_t i = 0; i < s->walk_count; i++) {
        for (uint32_t b; (b = fxs_level_next(s->walks + i)) != NO_SOLID;) {
            if (s->near_count == NEAR_MAX) {
                test_near(s);
            }
            prefetch(solids(s->w->level) + b);
            FXS_ASSERT(s->near_count < NEAR_MAX && b < s->w->level->count);
            s->near[s->near_count] = s->walkers[i];
            s->near_solid[s->near_count++] = b;
        }
    }
    s->walk_count = 0;
}

uint64_t fxs_level_hits(const fxs_world *w, packed_hit *out, uint64_t found) {
    const uint64_t *present = present_set(w);
    solid_search s;
    s.w = w;
    s.out = out;
    s.found = found;
    s.walk_count = s.near_count = 0;
    for (uint64_t word = 0; word < set_words(w->capacity); word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const placed_shape *a = placed_shapes(w) + word * 64 + trailing_zeros(bits);
            aabb box;
            if (a->active) {
                fxs_placed_bounds(a, &box);
                fxs_level_begin(s.walks + s.walk_count, w->level, &box, a->meets);
                s.walkers[s.walk_count++] = a;
            }
            if (s.walk_count == WALKS_MAX) {
                take_walks(&s);
            }
        }
    }
    take_walks(&s);
    test_near(&s);
    return s.found;
}
