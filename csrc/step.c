/* Steps (docs/contract.md, World): this frame's hits, sorted, and the events since the last one. */
#include "all_pairs.h"
#include "broad_pairs.h"
#include "level_hits.h"

static uint64_t offset_of(const fxs_world *w, const packed_hit *list) {
    return (uint64_t)((const uint8_t *)list - (const uint8_t *)w);
}

static inline void put_event(fxs_event *events, uint64_t capacity, uint64_t at, packed_hit h,
                             uint32_t kind, uint32_t contact) {
    if (at < capacity) {
        fxs_event *e = events + at;
        e->a = hit_a(h);
        e->b = hit_b(h);
        e->kind = kind;
        e->contact = contact;
    }
}

/* Merges the hits of the last step with those of this one, both ascending and followed by NO_HIT,
 * into events. Returns the count. Those past the capacity are only counted. */
static uint64_t compare_hits(const fxs_world *w, const packed_hit *now, fxs_event *events,
                             uint64_t capacity) {
    const packed_hit *old = hits(w);
    const uint64_t *changed = w->changed_count ? changed_set(w) : NULL;
    uint64_t count = 0;
    for (;;) {
        uint64_t was = hit_pair(*old);
        uint64_t is = hit_pair(*now);
        FXS_ASSERT(*old == NO_HIT || hit_pair(old[1]) > was);
        FXS_ASSERT(*now == NO_HIT || hit_pair(now[1]) > is);
        if (was == is) {
            if (*now == NO_HIT) {
                return count;
            }
            if (changed && (set_has(changed, hit_a(*now)) ||
                            (hit_b(*now) < FXS_LEVEL && set_has(changed, hit_b(*now))))) {
                put_event(events, capacity, count++, *now, FXS_EXIT, FXS_APART);
                put_event(events, capacity, count++, *now, FXS_ENTER, hit_contact(*now));
            } else {
                put_event(events, capacity, count++, *now, FXS_STAY, hit_contact(*now));
            }
            old++;
            now++;
        } else if (was < is) {
            put_event(events, capacity, count++, *old++, FXS_EXIT, FXS_APART);
        } else {
            put_event(events, capacity, count++, *now, FXS_ENTER, hit_contact(*now));
            now++;
        }
    }
}

/* The hits by (a, b), in one of the two buffers. The first `among_colliders` are of colliders
 * alone, the others with solids. */
static packed_hit *sorted_hits(const fxs_world *w, packed_hit *now, packed_hit *other,
                               uint64_t among_colliders, uint64_t found) {
    if (found <= FEW_KEYS) {
        fxs_sort_few(now, found, other);
        return other;
    }
    /* By b, then by a: the bits that ids of this world have. */
    const uint32_t id_bits = bit_length(w->capacity - 1);
    const digit_counts digits = digits_of(w);
    packed_hit *done = now;
    if (found == among_colliders) {
        done = fxs_sorted(digits, now, other, found, HIT_B_BIT, id_bits);
    } else {
        if (among_colliders) {
            fxs_sort(digits, now, other, among_colliders, HIT_B_BIT, id_bits);
        }
        fxs_sort(digits, now + among_colliders, other, found - among_colliders, HIT_B_BIT,
                 bit_length(w->level->count - 1));
    }
    return fxs_sorted(digits, done, done == now ? other : now, found, HIT_A_BIT, id_bits);
}

/* Whether all_pairs.c finds the hits. In a crowd, known by its hits in the last step, the grid is
 * faster, which tests pairs of like classes together. */
static int is_small(const fxs_world *w) {
    const int is_crowd = w->hit_count > CROWD_HITS * w->count;
    return w->count <= LANES_WORLD_MAX || (w->count <= SMALL_WORLD_MAX && !is_crowd);
}

int32_t fxs_world_step(fxs_world *world, fxs_event *events, uint64_t event_capacity,
                       fxs_counts *counts) {
    packed_hit *now = (packed_hit *)at(world, world->spare_at);
    packed_hit *other = (packed_hit *)at(world, world->other_at);
    int is_sorted = is_small(world);
    uint64_t found = is_sorted ? fxs_all_pairs_hits(world, now) : fxs_broad_hits(world, now);
    const uint64_t among_colliders = found;
    if (world->level) {
        found = fxs_level_hits(world, now, found);
        is_sorted = is_sorted && found == among_colliders;
    }
    counts->hits = found;
    counts->events = world->hit_count + found;
    if (found > world->hit_capacity) {
        return FXS_E_ROOM;
    }
    const uint64_t both = world->spare_at + world->other_at;
    now = is_sorted ? now : sorted_hits(world, now, other, among_colliders, found);
    now[found] = hits(world)[world->hit_count] = NO_HIT;
    FXS_ASSERT(now != hits(world) && world->hit_count <= world->hit_capacity);
    counts->events = compare_hits(world, now, events, event_capacity);
    if (counts->events > event_capacity) {
        return FXS_E_ROOM;
    }
    uint64_t old = world->hits_at;
    world->hits_at = offset_of(world, now);
    world->other_at = both - world->hits_at;
    world->spare_at = old;
    FXS_ASSERT(world->hits_at != world->spare_at && world->hits_at != world->other_at);
    world->hit_count = (uint32_t)found;
    if (world->changed_count) {
        memset(changed_set(world), 0, set_size(world->capacity));
        world->changed_count = 0;
    }
    FXS_ASSERT(world->changed_count == 0);
    world->frame++;
    return FXS_OK;
}
