/* Worlds (docs/contract.md): colliders by id, changes, steps, queries. */
#include "blocks.h"
#include "wide.h"
#include "world.h"

/* ---- layout ---- */

static int config_good(const fxs_config *c) {
    return c->capacity > 0 && c->capacity <= FXS_CAPACITY_MAX && (c->hit_when == FXS_TOUCHING || c->hit_when == FXS_OVERLAPPING) &&
           is_symmetric(c->layers);
}

/* Takes `size` bytes, rounded up to 8, off the end of what is laid out. */
static uint64_t room(uint64_t *end, uint64_t size) {
    uint64_t start = *end;
    *end += (size + 7) & ~(uint64_t)7;
    return start;
}

static uint64_t lay_out(fxs_world *w, const fxs_config *c) {
    uint64_t end = 0, set = set_size(c->capacity), hit_room = ((uint64_t)c->hit_capacity + 1) * sizeof(packed_hit);
    uint64_t rows = (uint64_t)c->capacity + BLOCK;
    room(&end, sizeof *w);
    w->solids_at = room(&end, rows * sizeof(solid));
    w->places_at = room(&end, rows * sizeof(place));
    w->present_at = room(&end, set);
    w->changed_at = room(&end, set);
    w->marks_at = room(&end, set);
    w->known_at = room(&end, set);
    w->hits_at = room(&end, hit_room);
    w->spare_at = room(&end, hit_room);
    w->other_at = room(&end, hit_room);
    /* As many digits as there may be keys to sort, so that counting costs no more than moving: but no more than a near cache holds. */
    w->digit_bits = bit_length(c->capacity);
    w->digit_bits = w->digit_bits < 6 ? 6 : w->digit_bits > 14 ? 14 : w->digit_bits;
    w->digits_at = room(&end, (uint64_t)4 << w->digit_bits);
    w->broad_at = room(&end, fxs_broad_size(c->capacity));
    w->sorted_at = room(&end, rows * sizeof(solid));
    w->rows_at = room(&end, rows * sizeof(place));
    return end;
}

uint64_t fxs_world_size(const fxs_config *config) {
    fxs_world w;
    return config_good(config) ? lay_out(&w, config) : 0;
}

int32_t fxs_world_init(fxs_world *memory, const fxs_config *config) {
    if (!config_good(config) || (uintptr_t)memory % 8) {
        return FXS_E_CONFIG;
    }
    memset(memory, 0, sizeof *memory);
    lay_out(memory, config);
    memory->capacity = config->capacity;
    memory->hit_capacity = config->hit_capacity;
    memory->hit_when = config->hit_when;
    memcpy(memory->layers, config->layers, sizeof memory->layers);
    memset(present_set(memory), 0, set_size(config->capacity));
    memset(changed_set(memory), 0, set_size(config->capacity));
    memset(mark_set(memory), 0, set_size(config->capacity));
    return FXS_OK;
}

int32_t fxs_world_copy(fxs_world *dst, const fxs_world *src) {
    if (dst->capacity != src->capacity) {
        return FXS_E_CONFIG;
    }
    if (dst->hit_capacity < src->hit_count) {
        return FXS_E_ROOM;
    }
    grid_stale(dst);
    dst->hit_when = src->hit_when;
    dst->frame = src->frame;
    dst->count = src->count;
    dst->changed_count = src->changed_count;
    dst->hit_count = src->hit_count;
    dst->underived = src->underived;
    memcpy(dst->layers, src->layers, sizeof dst->layers);
    memcpy(present_set(dst), present_set(src), set_size(src->capacity));
    memcpy(changed_set(dst), changed_set(src), set_size(src->capacity));
    memcpy(hits(dst), hits(src), src->hit_count * sizeof(packed_hit));
    const uint64_t *present = present_set(src);
    for (uint32_t id = set_next(present, 0, src->capacity); id < src->capacity; id = set_next(present, id + 1, src->capacity)) {
        solids(dst)[id] = solids(src)[id];
        places(dst)[id] = places(src)[id];
    }
    return FXS_OK;
}

/* ---- reading ---- */

uint32_t fxs_world_frame(const fxs_world *world) { return world->frame; }
uint32_t fxs_world_count(const fxs_world *world) { return world->count; }

void fxs_world_config(const fxs_world *world, fxs_config *out) {
    out->capacity = world->capacity;
    out->hit_capacity = world->hit_capacity;
    out->hit_when = world->hit_when;
    memcpy(out->layers, world->layers, sizeof out->layers);
}

int32_t fxs_world_get(const fxs_world *world, uint32_t id, fxs_collider *out) {
    int32_t status = find(world, id);
    if (status == FXS_OK) {
        fxs_collider_of(solids(world) + id, places(world) + id, out);
    }
    return status;
}

void fxs_world_ids(const fxs_world *world, uint32_t *ids) {
    const uint64_t *present = present_set(world);
    for (uint32_t id = set_next(present, 0, world->capacity); id < world->capacity; id = set_next(present, id + 1, world->capacity)) {
        *ids++ = id;
    }
}

void fxs_world_colliders(const fxs_world *world, fxs_collider *out) {
    const uint64_t *present = present_set(world);
    for (uint32_t id = set_next(present, 0, world->capacity); id < world->capacity; id = set_next(present, id + 1, world->capacity)) {
        fxs_collider_of(solids(world) + id, places(world) + id, out++);
    }
}

uint64_t fxs_world_hit_count(const fxs_world *world) { return world->hit_count; }

void fxs_world_hits(const fxs_world *world, fxs_hit *out) {
    const packed_hit *h = hits(world);
    for (uint32_t i = 0; i < world->hit_count; i++) {
        out[i].a = hit_a(h[i]);
        out[i].b = hit_b(h[i]);
        out[i].contact = hit_contact(h[i]);
    }
}

/* ---- placing ---- */

void fxs_collider_of(const solid *s, const place *p, fxs_collider *out) {
    uint8_t *bytes = (uint8_t *)out;
    memcpy(bytes, (const uint8_t *)s + offsetof(solid, id), TRAITS_SIZE);
    memcpy(bytes + TRAITS_SIZE, p, sizeof *p);
    memcpy(bytes + TRAITS_SIZE + sizeof *p, s->size, sizeof s->size);
}

void fxs_turn_colliders(fxs_world *w, const uint32_t *turned_ids, uint32_t turned_count, const uint32_t *offset_ids, uint32_t offset_count) {
    fxs_turn_solids(solids(w), turned_ids, turned_count);
    for (uint32_t i = 0; i < offset_count; i++) {
        set_centre(solids(w) + offset_ids[i], places(w) + offset_ids[i]);
    }
}

/* Turning is done at once for many: see fxs_turn_colliders. */
void fxs_derive(fxs_world *w) {
    const uint64_t *present = present_set(w), words = set_words(w->capacity);
    for (uint64_t word = 0; word < words; word++) {
        uint32_t turned_ids[TURNING_MAX], offset_ids[TURNING_MAX], turned_count = 0, offset_count = 0;
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            uint32_t id = (uint32_t)(word * 64) + trailing_zeros(bits);
            solid *s = solids(w) + id;
            const place *p = places(w) + id;
            if (!is_derived(s)) {
                derive_round(w, s, p);
                turned_ids[turned_count] = offset_ids[offset_count] = id;
                turned_count += is_turned(s, p);
                offset_count += has_offset(p);
            }
        }
        fxs_turn_colliders(w, turned_ids, turned_count, offset_ids, offset_count);
    }
    w->underived = 0;
}

const solid *fxs_derived(const fxs_world *w, uint32_t id, solid *copy) {
    const solid *s = solids(w) + id;
    if (w->underived == 0 || is_derived(s)) {
        return s;
    }
    *copy = *s;
    solid_place(copy, places(w) + id);
    return copy;
}

/* ---- steps ---- */

/* How many digits to sort by: few passes over the keys, but counts that are not many more than the keys. */
static uint32_t choose_passes(const fxs_world *w, uint64_t n, uint32_t bits) {
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t passes = (bits + w->digit_bits - 1) / w->digit_bits; passes && passes <= bits; passes++) {
        uint64_t cost = passes * (2 * n + ((uint64_t)1 << (bits + passes - 1) / passes));
        if (cost >= least) {
            break;
        }
        least = cost;
        best = passes;
    }
    return best;
}

/* Few keys, no two of them equal, by how many are less than each: no branch depends on chance. */
enum { FEW_KEYS = 32 };
static void sort_few(const uint64_t *keys, uint64_t n, uint64_t *to) {
    for (uint64_t i = 0; i < n; i++) {
        uint64_t less = 0;
        for (uint64_t j = 0; j < n; j++) {
            less += keys[j] < keys[i];
        }
        to[less] = keys[i];
    }
}

/* LSD radix sort by digits of about the same width; a digit that is the same in every key costs one read. Returns where the keys are
 * then: in `keys` or in `spare`. */
static uint64_t *sorted(const fxs_world *w, uint64_t *keys, uint64_t *spare, uint64_t n, uint32_t low, uint32_t bits) {
    uint32_t passes = choose_passes(w, n, bits), width = passes ? (bits + passes - 1) / passes : 0;
    uint32_t *ends = (uint32_t *)at(w, w->digits_at);
    for (uint32_t done = 0; done < bits; done += width) {
        uint32_t shift = low + done, most = bits - done < width ? bits - done : width, mask = (1u << most) - 1, sum = 0;
        memset(ends, 0, sizeof *ends << most);
        for (uint64_t i = 0; i < n; i++) {
            ends[keys[i] >> shift & mask]++;
        }
        if (ends[keys[0] >> shift & mask] == n) {
            continue;
        }
        for (uint32_t digit = 0; digit <= mask; digit++) {
            uint32_t here = ends[digit];
            ends[digit] = sum;
            sum += here;
        }
        for (uint64_t i = 0; i < n; i++) {
            uint64_t key = keys[i];
            spare[ends[key >> shift & mask]++] = key;
        }
        uint64_t *swap = keys;
        keys = spare;
        spare = swap;
    }
    return keys;
}

void fxs_sort(const fxs_world *w, uint64_t *keys, uint64_t *spare, uint64_t n, uint32_t low, uint32_t bits) {
    const uint64_t *done = spare;
    if (n <= FEW_KEYS) {
        sort_few(keys, n, spare);
    } else {
        done = sorted(w, keys, spare, n, low, bits);
    }
    if (done != keys) {
        memcpy(keys, done, (size_t)n * sizeof *keys);
    }
}

static uint64_t offset_of(const fxs_world *w, const packed_hit *list) { return (uint64_t)((const uint8_t *)list - (const uint8_t *)w); }

static inline void put_event(fxs_event *events, uint64_t capacity, uint64_t at, packed_hit h, uint32_t kind, uint32_t contact) {
    if (at < capacity) {
        fxs_event *e = events + at;
        e->a = hit_a(h);
        e->b = hit_b(h);
        e->kind = kind;
        e->contact = contact;
    }
}

/* Merges the hits of the last step with those of this one, both ascending and followed by NO_HIT, into events: how many. Those past the
 * capacity are counted only. */
static uint64_t compare_hits(const fxs_world *w, const packed_hit *now, fxs_event *events, uint64_t capacity) {
    const packed_hit *old = hits(w);
    const uint64_t *changed = w->changed_count ? changed_set(w) : NULL;
    uint64_t count = 0;
    for (;;) { /* where both have a pair the next ones are known before what it is has been looked at */
        uint64_t was = *old >> 2, is = *now >> 2;
        if (was == is) {
            if (*now == NO_HIT) {
                return count;
            }
            if (changed && (set_has(changed, hit_a(*now)) || set_has(changed, hit_b(*now)))) {
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

int32_t fxs_world_step(fxs_world *world, fxs_event *events, uint64_t event_capacity, fxs_counts *counts) {
    packed_hit *now = (packed_hit *)at(world, world->spare_at), *other = (packed_hit *)at(world, world->other_at);
    uint64_t found = fxs_broad_hits(world, now);
    counts->hits = found;
    counts->events = world->hit_count + found;
    if (found > world->hit_capacity) {
        return FXS_E_ROOM;
    }
    uint32_t id_bits = bit_length(world->capacity - 1);
    uint64_t both = world->spare_at + world->other_at;
    if (found <= FEW_KEYS) {
        sort_few(now, found, other);
        now = other;
    } else {
        now = sorted(world, now, other, found, 2, id_bits); /* by b, then by a: the bits that ids of this world have */
        now = sorted(world, now, (packed_hit *)at(world, both - offset_of(world, now)), found, 33, id_bits);
    }
    now[found] = hits(world)[world->hit_count] = NO_HIT;
    counts->events = compare_hits(world, now, events, event_capacity);
    if (counts->events > event_capacity) {
        return FXS_E_ROOM;
    }
    uint64_t old = world->hits_at;
    world->hits_at = offset_of(world, now);
    world->other_at = both - world->hits_at;
    world->spare_at = old;
    world->hit_count = (uint32_t)found;
    if (world->changed_count) {
        memset(changed_set(world), 0, set_size(world->capacity));
        world->changed_count = 0;
    }
    world->frame++;
    return FXS_OK;
}

int32_t fxs_world_contact(const fxs_world *world, uint32_t a, uint32_t b) {
    int32_t status = find(world, a);
    if (status == FXS_OK) {
        status = find(world, b);
    }
    if (status != FXS_OK) {
        return status;
    }
    solid copies[2];
    return fxs_solid_contact(fxs_derived(world, a, copies), fxs_derived(world, b, copies + 1));
}

/* The active colliders that a query meets, in scratch and in no order: how many. */
static uint64_t met_by(fxs_world *w, const fxs_query *q, uint64_t **ids) {
    solid area;
    fxs_solid_make(&area, &q->shape, &q->pose);
    int64_t least[3], most[3];
    fxs_solid_bounds(&area, least, most);
    uint64_t n, *near = fxs_broad_near(w, least, most, &n);
    *ids = near;
    return fxs_solid_met(&area, q, solids(w), near, n, (int)w->hit_when);
}

/* Squared distance of a collider's centre from a pose: three components of 33 bits. */
static i128 distance_sq(const solid *s, const fxs_pose *from) {
    return i128_add(i128_add(i128_square((int64_t)s->x - from->x), i128_square((int64_t)s->y - from->y)),
                    i128_square((int64_t)s->z - from->z));
}

static int is_nearer(const fxs_world *w, const fxs_pose *from, uint64_t a, uint64_t b) {
    int order = i128_cmp(distance_sq(solids(w) + a, from), distance_sq(solids(w) + b, from));
    return order < 0 || (order == 0 && a < b);
}

/* Moves ids[top] down to where no child is further away: a heap with the furthest on top. */
static void sift(const fxs_world *w, const fxs_pose *from, uint64_t *ids, uint64_t n, uint64_t top) {
    uint64_t id = ids[top];
    for (uint64_t child; (child = 2 * top + 1) < n; top = child) {
        child += child + 1 < n && is_nearer(w, from, ids[child], ids[child + 1]);
        if (!is_nearer(w, from, id, ids[child])) {
            break;
        }
        ids[top] = ids[child];
    }
    ids[top] = id;
}

/* The `limit` nearest of n ids to the front, nearest first: a heap of that many, from which the furthest is taken away again and again. */
static void sort_nearest(const fxs_world *w, const fxs_pose *from, uint64_t *ids, uint64_t n, uint64_t limit) {
    for (uint64_t i = limit / 2; i--;) {
        sift(w, from, ids, limit, i);
    }
    for (uint64_t i = limit; i < n; i++) {
        if (is_nearer(w, from, ids[i], ids[0])) {
            ids[0] = ids[i];
            sift(w, from, ids, limit, 0);
        }
    }
    for (uint64_t i = limit; i-- > 1;) {
        uint64_t furthest = ids[0];
        ids[0] = ids[i];
        ids[i] = furthest;
        sift(w, from, ids, i, 0);
    }
}

/* Queries in the order of ids, or nearest first and at most `limit` of each (0: all). */
static int32_t answer(fxs_world *w, uint64_t n, const fxs_query *queries, int nearest_first, uint64_t limit, uint64_t *ends, uint32_t *ids,
                      uint64_t id_capacity, uint64_t *count) {
    for (uint64_t i = 0; i < n; i++) {
        int32_t status = fxs_placed_check(&queries[i].shape, &queries[i].pose);
        if (status != FXS_OK) {
            *count = i;
            return status;
        }
    }
    uint64_t found = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t *met, met_count = met_by(w, queries + i, &met), kept = limit && limit < met_count ? limit : met_count;
        if (kept <= id_capacity && found <= id_capacity - kept) {
            if (nearest_first) {
                sort_nearest(w, &queries[i].pose, met, met_count, kept);
                for (uint64_t j = 0; j < kept; j++) {
                    ids[found + j] = (uint32_t)met[j];
                }
            } else {
                fxs_broad_sort(w, met, met_count, ids + found);
            }
        }
        found += kept;
        ends[i] = found;
    }
    *count = found;
    return found > id_capacity ? FXS_E_ROOM : FXS_OK;
}

int32_t fxs_world_query_many(fxs_world *world, uint64_t n, const fxs_query *queries, uint64_t *ends, uint32_t *ids,
                             uint64_t id_capacity, uint64_t *count) {
    return answer(world, n, queries, 0, 0, ends, ids, id_capacity, count);
}

int32_t fxs_world_query(fxs_world *world, const fxs_query *query, uint32_t *ids, uint64_t id_capacity, uint64_t *count) {
    uint64_t end;
    return answer(world, 1, query, 0, 0, &end, ids, id_capacity, count);
}

int32_t fxs_world_nearest(fxs_world *world, const fxs_query *query, uint64_t limit, uint32_t *ids, uint64_t id_capacity,
                          uint64_t *count) {
    uint64_t end;
    return answer(world, 1, query, 1, limit, &end, ids, id_capacity, count);
}

int32_t fxs_world_nearest_many(fxs_world *world, uint64_t n, const fxs_query *queries, uint64_t limit, uint64_t *ends, uint32_t *ids,
                               uint64_t id_capacity, uint64_t *count) {
    return answer(world, n, queries, 1, limit, ends, ids, id_capacity, count);
}
