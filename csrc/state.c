/* Saved state (docs/contract.md): the one encoding that snapshots, hashes and loads share. */
#include "blocks.h"
#include "derive.h"

#define MAGIC 0x31535846u       /* "FXS1", little-endian */
#define MAGIC_LEVEL 0x32535846u /* "FXS2": of a world with a level */
#define HEAD_SIZE 140           /* magic, frame, hit_when, 32 layer masks */
#define COLLIDER_SIZE 52
#define HIT_SIZE 12

/* With a level its hash follows. */
static uint64_t head_size(const fxs_world *w) { return w->level ? HEAD_SIZE + 8 : HEAD_SIZE; }

uint64_t fxs_world_save_size(const fxs_world *world) {
    return head_size(world) + 4 + (uint64_t)COLLIDER_SIZE * world->count + 4 +
           (uint64_t)HIT_SIZE * world->hit_count + 4 + 4 * (uint64_t)world->changed_count;
}

/* A collider's bytes are its words, the second and third of them put together from smaller fields.
 * On a little-endian machine they lie in memory as they are saved. */
static void put_collider(uint8_t *p, const placed_shape *s, const anchor *where) {
#if LITTLE_ENDIAN_WORDS
    memcpy(p, (const uint8_t *)s + offsetof(placed_shape, id), offsetof(fxs_collider, x));
    memcpy(p + offsetof(fxs_collider, x), where, sizeof *where);
    memcpy(p + offsetof(fxs_collider, size), s->size, sizeof s->size);
#else
    fxs_collider c;
    fxs_collider_of(s, where, &c);
    uint32_t words[COLLIDER_SIZE / 4];
    memcpy(words, &c, COLLIDER_SIZE);
    words[1] = (uint32_t)c.kind | (uint32_t)c.layer << 8 | (uint32_t)c.active << 16 |
               (uint32_t)c.zero << 24;
    words[2] = (uint32_t)c.yaw | (uint32_t)c.half_angle << 16;
    for (uint32_t i = 0; i < COLLIDER_SIZE / 4; i++) {
        write32(p + 4 * i, words[i]);
    }
#endif
}

#if !LITTLE_ENDIAN_WORDS
static inline void get_collider(const uint8_t *p, fxs_collider *c) {
    uint32_t angles = read32(p + 8);
    c->id = read32(p);
    c->kind = p[4];
    c->layer = p[5];
    c->active = p[6];
    c->zero = p[7];
    c->yaw = (uint16_t)angles;
    c->half_angle = (uint16_t)(angles >> 16);
    c->owner = read32(p + 12);
    c->x = read_signed(p + 16);
    c->y = read_signed(p + 20);
    c->z = read_signed(p + 24);
    c->ox = read_signed(p + 28);
    c->oy = read_signed(p + 32);
    c->oz = read_signed(p + 36);
    for (int i = 0; i < 3; i++) {
        c->size[i] = read_signed(p + 40 + 4 * i);
    }
}
#endif

/* copy_fields of a saved collider. */
static inline void copy_saved(const uint8_t *p, placed_shape *s, anchor *where) {
#if LITTLE_ENDIAN_WORDS
    copy_fields(p, s, where);
#else
    fxs_collider c;
    get_collider(p, &c);
    copy_fields((const uint8_t *)&c, s, where);
#endif
}

/* Where saved bytes go: into memory, or a block at a time into a hash. */
typedef struct sink {
    uint8_t *next;
    hasher *hash;
    uint8_t *block, *block_end;
} sink;

/* Where the next `size` bytes go, at most as many as a block has. */
static uint8_t *room_for(sink *s, size_t size) {
    if (s->hash && (size_t)(s->block_end - s->next) < size) {
        fxs_hash_add(s->hash, s->block, (size_t)(s->next - s->block));
        s->next = s->block;
    }
    return s->next;
}

static void put_word(sink *s, uint32_t v) {
    write32(room_for(s, 4), v);
    s->next += 4;
}

enum { AT_ONCE = 64 }; /* colliders or hits put into a block: as many as a word of a set has */

static void emit(const fxs_world *w, sink *s) {
    put_word(s, w->level ? MAGIC_LEVEL : MAGIC);
    put_word(s, w->frame);
    put_word(s, w->hit_when);
    for (uint32_t i = 0; i < 32; i++) {
        put_word(s, w->layers[i]);
    }
    if (w->level) {
        put_word(s, (uint32_t)w->level->hash);
        put_word(s, (uint32_t)(w->level->hash >> 32));
    }
    put_word(s, w->count);
    const uint64_t *present = present_set(w);
    const uint64_t *changed = changed_set(w);
    const uint64_t words = set_words(w->capacity);
    const placed_shape *all = placed_shapes(w);
    const anchor *all_anchors = anchors(w);
    for (uint64_t word = 0; word < words; word++) {
        uint8_t *p = room_for(s, (size_t)AT_ONCE * COLLIDER_SIZE);
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            uint64_t id = word * AT_ONCE + trailing_zeros(bits);
            put_collider(p, all + id, all_anchors + id);
            p += COLLIDER_SIZE;
        }
        s->next = p;
    }
    put_word(s, w->hit_count);
    const packed_hit *list = hits(w);
    for (uint32_t i = 0; i < w->hit_count;) {
        uint8_t *p = room_for(s, (size_t)AT_ONCE * HIT_SIZE);
        for (uint32_t end = w->hit_count - i < AT_ONCE ? w->hit_count : i + AT_ONCE; i < end; i++) {
            packed_hit hit = list[i];
            write32(p, hit_a(hit));
            write32(p + 4, hit_b(hit));
            write32(p + 8, hit_contact(hit));
            p += HIT_SIZE;
        }
        s->next = p;
    }
    put_word(s, w->changed_count);
    if (w->changed_count) {
        for (uint32_t id = set_next(changed, 0, w->capacity); id < w->capacity;
             id = set_next(changed, id + 1, w->capacity)) {
            put_word(s, id);
        }
    }
}

void fxs_world_save(const fxs_world *world, uint8_t *out) {
    sink s = {out, NULL, NULL, NULL};
    emit(world, &s);
    FXS_ASSERT(s.next == out + fxs_world_save_size(world));
}

uint64_t fxs_world_hash(const fxs_world *world) {
    uint8_t block[4096];
    hasher h;
    sink s = {block, &h, block, block + sizeof block};
    fxs_hash_begin(&h, 0);
    emit(world, &s);
    fxs_hash_add(&h, block, (size_t)(s.next - block));
    return fxs_hash_end(&h);
}

typedef struct parts {
    const uint8_t *colliders, *hits, *changed;
    uint32_t count, hit_count, changed_count;
} parts;

/* Finds the parts behind the head by their counts: offset of the count that does not fit, or 0. */
static uint64_t find_parts(const uint8_t *bytes, uint64_t head, uint64_t size, parts *out) {
    uint64_t offset = head;
    uint64_t sizes[3] = {COLLIDER_SIZE, HIT_SIZE, 4};
    const uint8_t *starts[3];
    uint32_t counts[3];
    for (uint32_t i = 0; i < 3; i++) {
        if (size < offset + 4) {
            return offset;
        }
        counts[i] = read32(bytes + offset);
        starts[i] = bytes + offset + 4;
        if ((size - offset - 4) / sizes[i] < counts[i]) {
            return offset;
        }
        offset += 4 + sizes[i] * counts[i];
    }
    out->colliders = starts[0];
    out->hits = starts[1];
    out->changed = starts[2];
    out->count = counts[0];
    out->hit_count = counts[1];
    out->changed_count = counts[2];
    return offset == size ? 0 : offset;
}

static int head_good(const fxs_world *w, const uint8_t *bytes, uint64_t size, uint64_t *at_offset) {
    *at_offset = 0;
    if (size < head_size(w) || read32(bytes) != (w->level ? MAGIC_LEVEL : MAGIC)) {
        return 0;
    }
    *at_offset = 8;
    uint32_t hit_when = read32(bytes + 8);
    if (hit_when != FXS_TOUCHING && hit_when != FXS_OVERLAPPING) {
        return 0;
    }
    uint32_t differ = 0; /* from the masks that the world has: those are symmetric */
    for (uint32_t i = 0; i < 32; i++) {
        differ |= read32(bytes + 12 + 4 * i) ^ w->layers[i];
    }
    for (uint32_t i = 0; differ && i < 32; i++) {
        *at_offset = 12 + 4 * i;
        for (uint32_t j = 0; j < i; j++) {
            if ((read32(bytes + 12 + 4 * i) >> j & 1) != (read32(bytes + 12 + 4 * j) >> i & 1)) {
                return 0;
            }
        }
    }
    *at_offset = HEAD_SIZE;
    return w->level == NULL || read64(bytes + HEAD_SIZE) == w->level->hash;
}

/* Of kind, layer, active and zero: bits that are never set. */
#define TRAITS_UNUSED (~(uint32_t)((KIND_CODES - 1) | (FXS_LAYER_COUNT - 1) << 8 | 1 << 16))

/* Whether saved fields make a collider, but for its id: collider_status, and whether its centre is
 * in range. */
static int is_collider_in_full(const uint8_t *p) {
    placed_shape s;
    anchor where;
    copy_saved(p, &s, &where);
    return (read32(p + 4) & TRAITS_UNUSED) == 0 &&
           shape_status(s.kind, s.half_angle, s.size) == FXS_OK &&
           derive_placed(&s, &where) == FXS_OK;
}

/* The same, quick but for a sector with a hole and for a long offset. */
static inline int is_collider(const uint8_t *p) {
    uint32_t traits = read32(p + 4);
    const struct kind *k = fxs_kinds + (traits & (KIND_CODES - 1));
    uint64_t half_angle = (uint64_t)(read32(p + 8) >> 16) << 32;
    if ((traits & TRAITS_UNUSED) |
        outside(read32(p + 48) | half_angle, k->rest_least, k->rest_most)) {
        return is_collider_in_full(p);
    }
    return are_within(p + 16, k->least, k->most) || is_collider_in_full(p);
}

/* Each reads one part of the saved bytes into scratch, and returns the address of the first bad
 * row, or NULL: ids into the empty sets, colliders into their scratch, hits into the
 * spare list if it has room for all. Ids are looked at in runs, one after the other without a gap;
 * *unbroken is where that from 0 on ends. */
static const uint8_t *read_colliders(const fxs_world *w, const parts *s, uint32_t *unbroken) {
    const uint8_t *p = s->colliders;
    const uint8_t *last = p + (uint64_t)COLLIDER_SIZE * s->count;
    uint32_t next = 0;
    while (p < last) {
        const uint32_t first = read32(p);
        if (first < next || first >= w->capacity) {
            return p;
        }
        const uint64_t room = (uint64_t)COLLIDER_SIZE * (w->capacity - first);
        const uint8_t *end = (uint64_t)(last - p) < room ? last : p + room;
        placed_shape *now = scratch_placed_shapes(w) + first;
        anchor *where = scratch_anchors(w) + first;
        next = first;
        do {
            if (!is_collider(p)) {
                return p;
            }
            copy_saved(p, now++, where++);
            p += COLLIDER_SIZE;
            next++;
        } while (p < end && read32(p) == next);
        set_put_run(mark_set(w), first, next);
        FXS_ASSERT(next <= w->capacity);
        *unbroken = first == 0 ? next : *unbroken;
    }
    return NULL;
}

static const uint8_t *read_changed(const fxs_world *w, const parts *s) {
    uint64_t *known = known_set(w);
    uint64_t next = 0;
    memcpy(known, mark_set(w), set_size(w->capacity));
    for (uint32_t i = 0; i < s->changed_count; i++) {
        const uint8_t *p = s->changed + 4 * (uint64_t)i;
        uint32_t id = read32(p);
        if (id < next || id >= w->capacity) {
            return p;
        }
        next = (uint64_t)id + 1;
        set_put(known, id);
    }
    return NULL;
}

/* Whether each of a and b is known: present or changed, or b a solid. */
static int is_pair(const fxs_world *w, uint32_t a, uint32_t b) {
    const uint64_t *known = known_set(w);
    return b < w->capacity ? set_has(known, a) && set_has(known, b)
                           : is_solid(w, b) && a < w->capacity && set_has(known, a);
}

static const uint8_t *read_hits(const fxs_world *w, const parts *s, uint32_t hit_when,
                                uint32_t unbroken) {
    const uint32_t one = s->hit_count <= w->hit_capacity;
    const uint32_t contacts = FXS_OVERLAPPING - hit_when;
    packed_hit *list = (packed_hit *)at(w, w->spare_at);
    packed_hit last = 0;
    const uint8_t *end = s->hits + (uint64_t)HIT_SIZE * s->hit_count;
    for (const uint8_t *p = s->hits; p < end; p += HIT_SIZE) {
        uint32_t a = read32(p);
        uint32_t b = read32(p + 4);
        uint32_t contact = read32(p + 8);
        if (a >= b || contact - hit_when > contacts || (b >= unbroken && !is_pair(w, a, b))) {
            return p;
        }
        packed_hit hit = hit_pack(a, b, contact);
        if (hit <= last) {
            return p;
        }
        last = hit | 1; /* whatever the contact */
        *list = hit;
        list += one;
    }
    return NULL;
}

static void swap_offsets(uint64_t *a, uint64_t *b) {
    uint64_t was = *a;
    *a = *b;
    *b = was;
}

int32_t fxs_world_load(fxs_world *world, const uint8_t *bytes, uint64_t size, uint64_t *at_offset) {
    parts s = {0};
    if (!head_good(world, bytes, size, at_offset)) {
        return FXS_E_STATE;
    }
    *at_offset = find_parts(bytes, head_size(world), size, &s);
    if (*at_offset) {
        return FXS_E_STATE;
    }
    int32_t status = FXS_OK;
    uint32_t hit_when = read32(bytes + 8);
    uint32_t unbroken = 0;
    grid_stale(world);
    const uint8_t *bad = read_colliders(world, &s, &unbroken);
    bad = bad ? bad : read_changed(world, &s);
    bad = bad ? bad : read_hits(world, &s, hit_when, unbroken);
    if (bad) {
        *at_offset = (uint64_t)(bad - bytes);
        status = FXS_E_STATE;
    } else if (s.hit_count > world->hit_capacity) {
        *at_offset = s.hit_count;
        status = FXS_E_ROOM;
    } else {
        swap_offsets(&world->colliders_at, &world->sorted_at);
        swap_offsets(&world->anchors_at, &world->rows_at);
        swap_offsets(&world->present_at, &world->marks_at);
        swap_offsets(&world->hits_at, &world->spare_at);
    }
    memset(mark_set(world), 0, set_size(world->capacity));
    if (status != FXS_OK) {
        return status;
    }
    world->frame = read32(bytes + 4);
    world->hit_when = hit_when;
    for (uint32_t i = 0; i < 32; i++) {
        world->layers[i] = read32(bytes + 12 + 4 * i);
    }
    world->count = world->underived = s.count;
    world->hit_count = s.hit_count;
    world->changed_count = s.changed_count;
    memset(changed_set(world), 0, set_size(world->capacity));
    for (uint32_t i = 0; i < s.changed_count; i++) {
        set_put(changed_set(world), read32(s.changed + 4 * (uint64_t)i));
    }
    FXS_ASSERT(fxs_world_save_size(world) == size && world->count <= world->capacity);
    return FXS_OK;
}
