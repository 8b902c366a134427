/* Hits of a small world: every pair of bounds is compared, without a grid and without sorting. */
#include "few.h"
#include "blocks.h"

#define ROOM (FEW_COLLIDERS + BLOCK) /* lanes, with a last block that has no colliders */
#define PAIRS_MAX (FEW_COLLIDERS * (FEW_COLLIDERS - 1) / 2)

/* Active colliders in order of ids. */
typedef struct crowd {
    int32_t bounds[LANE_BOUNDS * ROOM];
    const placed *who[ROOM];
    uint64_t count;
} crowd;

static void take_in(const fxs_world *w, crowd *c) {
    const uint64_t *present = present_set(w), words = set_words(w->capacity);
    const placed *all = colliders(w);
    uint64_t n = 0;
    for (uint64_t word = 0; word < words; word++) {
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            const placed *s = all + word * 64 + trailing_zeros(bits);
            c->who[n] = s;
            n += s->active;
        }
    }
    c->count = n;
    for (uint64_t i = n; n && i < n + BLOCK; i++) {
        c->who[i] = c->who[n - 1]; /* for the last block; its lane is cleared */
    }
    for (uint64_t i = 0; i < n; i += BLOCK) {
        put_lanes(c->bounds + i, ROOM, c->who + i);
    }
    for (uint64_t i = n; i < n + BLOCK; i++) {
        clear_lane(c->bounds + i, ROOM);
    }
}

/* The pairs whose bounds meet, by (a, b), each first << 8 | second: how many. */
static uint64_t propose(const crowd *c, uint16_t *pairs) {
    uint16_t *last = pairs;
    for (uint64_t i = 0; i + 1 < c->count; i++) {
        const lane_box box = lane_box_of(c->bounds + i, ROOM);
        uint64_t first = (i << 8 | (i + 1)) * EACH;
        for (uint64_t j = i + 1; j < c->count; j += BLOCK, first += BLOCK * EACH) {
            last = keep_short(last, first, met_of_lanes(c->bounds + j, ROOM, box));
        }
    }
    return (uint64_t)(last - pairs);
}

uint64_t fxs_few_hits(fxs_world *w, packed_hit *out) {
    crowd c;
    uint16_t pairs[PAIRS_MAX + BLOCK];
    uint64_t found = 0;
    derive(w);
    take_in(w, &c);
    const uint64_t proposed = propose(&c, pairs);
    for (uint64_t i = 0; i < proposed; i++) {
        const placed *a = c.who[pairs[i] >> 8], *b = c.who[pairs[i] & 255];
        if (may_hit(a, b)) {
            const uint32_t contact = (uint32_t)fxs_near_contact(a, b);
            out[found < w->hit_capacity ? found : w->hit_capacity] =
                hit_pack(a->id, b->id, contact);
            found += contact >= w->hit_when;
        }
    }
    return found;
}
