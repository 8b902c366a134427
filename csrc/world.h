/* The layout of a world in the caller's memory. Everything but the level is found by offsets from
 * its start, so the memory can be moved. */
#ifndef FIXSYNC_WORLD_H
#define FIXSYNC_WORLD_H

#include "level.h"

/* The position of a collider's pose, and its offset. The shape's centre is the position and the
 * turned offset. */
typedef struct anchor {
    int32_t x, y, z;
    int32_t ox, oy, oz;
} anchor;

/* A pair and its contact in one word that sorts by (a, b): a << 33 | b << 1 | contact - 1. a is an
 * id below 2^31, b any 32 bits. */
typedef uint64_t packed_hit;
#define HIT_A_BIT 33
#define HIT_B_BIT 1
#define NO_HIT UINT64_MAX /* above every other */

struct fxs_world {
    uint32_t capacity, hit_capacity, hit_when;
    uint32_t frame;
    uint32_t count; /* colliders */
    uint32_t changed_count; /* ids added or removed since the last step */
    uint32_t hit_count; /* of the last step */
    uint32_t layers[32];
    const fxs_level *level; /* NULL: none */
    uint32_t underived; /* at least how many colliders are as load left them: see derive */
    /* Offsets from the start of this struct. By id: */
    uint64_t colliders_at, anchors_at;
    uint64_t present_at, changed_at, marks_at,
        known_at; /* bit sets of capacity bits; the last two are scratch: marks is empty between
                     calls, known has the ids that moved, if there are any */
    /* Hits of the last step, and two buffers to make the next ones in; each hit_capacity packed
     * hits and NO_HIT. */
    uint64_t hits_at, spare_at, other_at;
    uint64_t digits_at; /* scratch of sorting: 2^digit_bits counts */
    uint32_t digit_bits;
    /* Scratch of the broad phase: sorted_at and rows_at are as large as colliders_at and
     * anchors_at, and exchanged with them by load. */
    uint64_t broad_at, sorted_at, rows_at;
    uint32_t grid_fresh; /* whether the grid holds the colliders, but for those that moved since it
                            was built; scratch, as the grid */
    uint32_t moved_count; /* ids that moved, came, went or changed otherwise since: see grid.h */
    uint32_t searches; /* since the grid was built, without its index */
    uint64_t looked; /* colliders looked at one by one since the grid was built or went stale */
};

static inline void *at(const fxs_world *w, uint64_t offset) {
    return (uint8_t *)(uintptr_t)w + offset;
}
static inline posed *colliders(const fxs_world *w) { return (posed *)at(w, w->colliders_at); }
static inline anchor *anchors(const fxs_world *w) { return (anchor *)at(w, w->anchors_at); }
static inline uint64_t *present_set(const fxs_world *w) { return (uint64_t *)at(w, w->present_at); }
static inline uint64_t *changed_set(const fxs_world *w) { return (uint64_t *)at(w, w->changed_at); }
static inline uint64_t *mark_set(const fxs_world *w) { return (uint64_t *)at(w, w->marks_at); }
static inline uint64_t *known_set(const fxs_world *w) { return (uint64_t *)at(w, w->known_at); }
static inline packed_hit *hits(const fxs_world *w) { return (packed_hit *)at(w, w->hits_at); }

static inline packed_hit hit_pack(uint32_t a, uint32_t b, uint32_t contact) {
    return ((uint64_t)a << HIT_A_BIT) + ((uint64_t)b << HIT_B_BIT) + contact - FXS_TOUCHING;
}
static inline uint32_t hit_a(packed_hit h) { return (uint32_t)(h >> HIT_A_BIT); }
static inline uint32_t hit_b(packed_hit h) { return (uint32_t)(h >> HIT_B_BIT); }
static inline uint32_t hit_contact(packed_hit h) { return FXS_TOUCHING + (uint32_t)(h & 1); }
/* The pair alone, whatever the contact. */
static inline uint64_t hit_pair(packed_hit h) { return h >> HIT_B_BIT; }

static inline uint64_t set_words(uint32_t capacity) { return ((uint64_t)capacity + 63) / 64; }
static inline size_t set_size(uint32_t capacity) {
    return (size_t)set_words(capacity) * 8;
} /* in bytes */
static inline int set_has(const uint64_t *set, uint32_t id) {
    return (int)(set[id >> 6] >> (id & 63) & 1);
}
static inline void set_put(uint64_t *set, uint32_t id) { set[id >> 6] |= (uint64_t)1 << (id & 63); }
/* From `first` on, up to but without `end`; first < end. */
static inline void set_put_run(uint64_t *set, uint32_t first, uint32_t end) {
    uint64_t bits = ~(((uint64_t)1 << (first & 63)) - 1);
    for (uint32_t word = first >> 6; word < (end - 1) >> 6; word++) {
        set[word] |= bits;
        bits = UINT64_MAX;
    }
    set[(end - 1) >> 6] |= bits & (UINT64_MAX >> (63 - ((end - 1) & 63)));
}
static inline void set_drop(uint64_t *set, uint32_t id) {
    set[id >> 6] &= ~((uint64_t)1 << (id & 63));
}

/* How many ids of solids there are, from FXS_LEVEL on. */
static inline uint32_t solid_count(const fxs_world *w) { return w->level ? w->level->count : 0; }
static inline int is_solid(const fxs_world *w, uint32_t id) {
    return id >= FXS_LEVEL && id - FXS_LEVEL < solid_count(w);
}

static inline int32_t find(const fxs_world *w, uint32_t id) {
    return id >= w->capacity ? FXS_E_ID : set_has(present_set(w), id) ? FXS_OK : FXS_E_ABSENT;
}

static inline uint32_t trailing_zeros(uint64_t v) { /* v != 0 */
#if defined(__GNUC__) && !defined(FXS_NO_BUILTINS)
    return (uint32_t)__builtin_ctzll(v);
#else
    uint32_t n = 0;
    for (uint32_t step = 32; step; step /= 2) {
        if (!(v & (((uint64_t)1 << step) - 1))) {
            v >>= step;
            n += step;
        }
    }
    return n;
#endif
}

/* The least member >= from, or the capacity if there is none. from <= capacity. */
static inline uint32_t set_next(const uint64_t *set, uint32_t from, uint32_t capacity) {
    uint64_t word = from >> 6, words = set_words(capacity);
    if (word < words) {
        uint64_t bits = set[word] >> (from & 63) << (from & 63);
        while (bits == 0 && ++word < words) {
            bits = set[word];
        }
        if (bits) {
            return (uint32_t)(word * 64) + trailing_zeros(bits);
        }
    }
    return capacity;
}

/* Whether bit j of mask i is bit i of mask j. */
static inline int is_symmetric(const uint32_t masks[FXS_LAYER_COUNT]) {
    for (uint32_t i = 0; i < FXS_LAYER_COUNT; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if ((masks[i] >> j & 1) != (masks[j] >> i & 1)) {
                return 0;
            }
        }
    }
    return 1;
}

/* Whether layers and owners allow two colliders to hit. */
static inline uint32_t may_hit(const posed *a, const posed *b) {
    return (a->meets >> b->layer & 1) & (uint32_t)((a->owner == 0) | (a->owner != b->owner));
}

/* Centre of s at p from its direction. FXS_OK or FXS_E_CENTRE. */
static inline int32_t set_centre(posed *s, const anchor *p) {
    planar offset = {p->ox, p->oz}, dir = {s->cos_q30, s->sin_q30}, v = turned(offset, dir);
    int64_t x = p->x + round_q30(v.x), y = (int64_t)p->y + p->oy, z = p->z + round_q30(v.z);
    if (x < INT32_MIN || x > INT32_MAX || y < INT32_MIN || y > INT32_MAX || z < INT32_MIN ||
        z > INT32_MAX) {
        return FXS_E_CENTRE;
    }
    s->x = (int32_t)x;
    s->y = (int32_t)y;
    s->z = (int32_t)z;
    return FXS_OK;
}

static inline uint32_t has_offset(const anchor *p) { return (p->ox | p->oy | p->oz) != 0; }

/* Whether a direction is kept: a round collider without an offset does not need one. */
static inline uint32_t is_turned(const posed *s, const anchor *p) {
    return fxs_kinds[s->kind].is_turned | has_offset(p);
}

/* Centre of s from its kind and yaw at p, and its direction if it is kept. FXS_OK or
 * FXS_E_CENTRE. */
static inline int32_t aim(posed *s, const anchor *p) {
    memcpy(s, p, 12); /* x, y, z */
    if (!is_turned(s, p)) {
        return FXS_OK;
    }
    planar dir = fxs_direction_of(s->yaw);
    s->cos_q30 = (int32_t)dir.x;
    s->sin_q30 = (int32_t)dir.z;
    return has_offset(p) ? set_centre(s, p) : FXS_OK;
}

/* Direction, reach and centre of s from its kind, size and yaw at p. FXS_OK or FXS_E_CENTRE (s is
 * then half done). */
static inline int32_t posed_derive(posed *s, const anchor *p) {
    int32_t status = aim(s, p);
    set_reach(s);
    return status;
}

/* Turns colliders that were derived as if they were round and nothing had to be turned, with
 * centres in range: those for which is_turned is 1, and those of them that have an offset.
 * Done at once for each, it would need branches that no predictor guesses. */
enum { TURNING_MAX = 64 }; /* as many as such lists have room for */
FXS_INTERNAL void fxs_turn_colliders(fxs_world *w, const uint32_t *turned_ids,
                                     uint32_t turned_count, const uint32_t *offset_ids,
                                     uint32_t offset_count);

/* A load leaves direction, reach, centre and `meets` of all colliders to be derived when they are
 * needed: a collider that was re-posed before is derived once, not twice. Until then both parts of
 * a direction are 0, which no direction is. A function that reads or keeps derived data calls
 * derive first; with a const world it derives copies of the colliders that it reads. */
static inline int is_derived(const posed *s) { return (s->cos_q30 | s->sin_q30) != 0; }
static inline void derive_round(const fxs_world *w, posed *s,
                                const anchor *p) { /* as if nothing had to be turned */
    memcpy(s, p, 12); /* x, y, z */
    round_reach(s);
    s->cos_q30 = (int32_t)Q30_ONE;
    s->meets = w->layers[s->layer];
}
FXS_INTERNAL void fxs_derive(fxs_world *w);
static inline void derive(fxs_world *w) {
    if (w->underived) {
        fxs_derive(w);
    }
}
/* Without `meets`. */
FXS_INTERNAL const posed *fxs_derived(const fxs_world *w, uint32_t id, posed *copy);

/* fxs_collider is a posed shape's fields from id to owner, an anchor, and the sizes: no padding
 * between them. */
#define TRAITS_SIZE 16
_Static_assert(sizeof(fxs_collider) == 52 && sizeof(anchor) == 24 &&
                   offsetof(fxs_collider, x) == TRAITS_SIZE,
               "a collider has no padding");
_Static_assert(offsetof(posed, size) - offsetof(posed, id) == TRAITS_SIZE,
               "a posed shape's traits are a collider's");

/* The collider that s and p make up; and the other way round, of its bytes wherever they lie:
 * unchecked and not derived. */
FXS_INTERNAL void fxs_collider_of(const posed *s, const anchor *p, fxs_collider *out);
static inline void copy_fields(const uint8_t *bytes, posed *s, anchor *p) {
    memcpy((uint8_t *)s + offsetof(posed, id), bytes, TRAITS_SIZE);
    memcpy(p, bytes + TRAITS_SIZE, sizeof *p);
    memcpy(s->size, bytes + TRAITS_SIZE + sizeof *p, sizeof s->size);
    s->cos_q30 = s->sin_q30 = 0;
}

/* Everything about a collider that does not depend on a world: FXS_OK, FXS_E_KIND, _SIZE,
 * _HALF_ANGLE, _LAYER, _ACTIVE. */
static inline int32_t collider_status(const fxs_collider *c) {
    int32_t status = c->zero ? FXS_E_KIND : shape_status(c->kind, c->half_angle, c->size);
    return status != FXS_OK              ? status
           : c->layer >= FXS_LAYER_COUNT ? FXS_E_LAYER
           : c->active > 1               ? FXS_E_ACTIVE
                                         : FXS_OK;
}

/* Wherever a collider came, went, moved, or changed its shape or its activity, one of these is
 * called. The first of them is for many at once, and for those that use the memory of the grid. */
static inline void grid_stale(fxs_world *w) {
    w->grid_fresh = w->moved_count = w->searches = 0;
    w->looked = 0;
}
FXS_INTERNAL void fxs_grid_moved(fxs_world *w, uint32_t id);
static inline void grid_moved(fxs_world *w, uint32_t id) {
    if (w->grid_fresh) {
        fxs_grid_moved(w, id);
    }
}

/* Before n changes: whether grid_moved must be called for them. */
FXS_INTERNAL int fxs_grid_keeps(fxs_world *w, uint64_t n);
static inline int grid_keeps(fxs_world *w, uint64_t n) {
    return w->grid_fresh && fxs_grid_keeps(w, n);
}

/* Hits of colliders, which are derived, with solids, appended to the `found` hits of colliders: how
 * many hits there are then; those past hit_capacity are counted only. Ascending by a, and for one a
 * in no order. */
FXS_INTERNAL uint64_t fxs_level_hits(const fxs_world *w, packed_hit *out, uint64_t found);

#endif
