/* Calls of fixsync.h whose arguments can be traced and whose answers are digested, and a reader that takes any bytes for a sequence
 * of them. Shared by the golden and the fuzzer; each includes it with FXS(name) as fxs_name or, with CALL_REFERENCE, as ref_name.
 *
 * Every answer is one 64-bit word that goes through answer(). A digest is a function of the answers in order. */
#ifndef FIXSYNC_TESTS_CALLS_H
#define FIXSYNC_TESTS_CALLS_H

#include "fixsync.h"
#include "kinds.h"
#include "print.h"

#include <stddef.h>
#include <string.h>

#ifdef CALL_REFERENCE
#include "reference.h"
#define FXS(name) ref_##name
#else
#define FXS(name) fxs_##name
#endif

/* ---- printing, tracing, digesting ---- */

static int tracing, failed;

static void print_signed(int64_t v) {
    print_text(v < 0 ? " -" : " ");
    print_unsigned(v < 0 ? (uint64_t)0 - (uint64_t)v : (uint64_t)v);
}

/* A call in the trace: its name, its arguments, then what answer() is given until the next call. */
static void call(const char *name) {
    if (tracing) {
        print_text("\n");
        print_text(name);
    }
}

static void given(int64_t v) {
    if (tracing) {
        print_signed(v);
    }
}

static void given_bytes(const uint8_t *bytes, uint64_t size) {
    if (tracing) {
        print_text(" x");
        for (uint64_t i = 0; i < size; i++) {
            print_hex(bytes[i], 2);
        }
    }
}

static void given_shape(const fxs_shape *s) {
    given(s->kind);
    given(s->half_angle);
    given(s->size[0]);
    given(s->size[1]);
    given(s->size[2]);
}

static void given_pose(const fxs_pose *p) {
    given(p->x);
    given(p->y);
    given(p->z);
    given(p->yaw);
}

static void given_collider(const fxs_collider *c) {
    const int64_t fields[] = {c->id, c->kind, c->layer, c->active, c->zero, c->yaw, c->half_angle, c->owner, c->x, c->y, c->z,
                              c->ox, c->oy, c->oz, c->size[0], c->size[1], c->size[2]};
    for (uint32_t i = 0; i < COUNT(fields); i++) {
        given(fields[i]);
    }
}

static void answers_follow(void) {
    if (tracing) {
        print_text(" =");
    }
}

static uint64_t mixed(uint64_t hash, uint64_t v) {
    hash = (hash ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static void answer(uint64_t v) {
    digest = mixed(digest, v);
    words++;
    if (tracing) {
        print_signed(v <= INT64_MAX ? (int64_t)v : -(int64_t)(UINT64_MAX - v) - 1);
    }
}

static void answer_signed(int64_t v) { answer((uint64_t)v); }

static void answer_bytes(const uint8_t *bytes, uint64_t size) {
    uint64_t hash = size;
    for (uint64_t i = 0; i < size; i++) {
        hash = mixed(hash, bytes[i]);
    }
    answer(size);
    answer(hash);
}

static void answer_collider(const fxs_collider *c) {
    const int64_t fields[] = {c->id, c->kind, c->layer, c->active, c->zero, c->yaw, c->half_angle, c->owner, c->x, c->y, c->z,
                              c->ox, c->oy, c->oz, c->size[0], c->size[1], c->size[2]};
    for (uint32_t i = 0; i < COUNT(fields); i++) {
        answer_signed(fields[i]);
    }
}

static void checkpoint(int level, const char *section, uint64_t frame, uint64_t size) {
    if (tracing) {
        print_text("\n");
    }
    print_checkpoint(level, section, frame, size);
    if (!tracing) {
        print_text("\n");
    }
}

/* Something that must hold on every machine does not. */
static void broken(const char *what) {
    failed = 1;
    print_text("\nBROKEN: ");
    print_text(what);
    print_text("\n");
}

/* ---- worlds ---- */

#define WORLDS 3
#define WORLD_ROOM (5u << 20)
#define BEYOND 64 /* bytes after a world that must stay as they are */
#define COLLIDERS_MAX 1024
#define HITS_MAX 40000

/* One more place than worlds: a world is moved to the free one now and then. */
static _Alignas(8) uint64_t memory[WORLDS + 1][WORLD_ROOM / 8];
static uint32_t place_of[WORLDS], free_place;
static fxs_config configs[WORLDS];

static uint8_t saved[COLLIDERS_MAX * 56 + HITS_MAX * 12 + 256];
static fxs_event events[2 * HITS_MAX];
static fxs_hit hit_list[HITS_MAX];
static fxs_collider collider_list[COLLIDERS_MAX];
static uint32_t id_list[16 * COLLIDERS_MAX];

static FXS(world) *world_at(uint32_t w) { return (FXS(world) *)(void *)memory[place_of[w]]; }

static void call_world(const char *name, uint32_t w) {
    call(name);
    given(w);
}

static int32_t do_init(uint32_t w, const fxs_config *config) {
    uint64_t size = FXS(world_size)(config);
    int32_t status;
    if (size + BEYOND > WORLD_ROOM) {
        broken("a world of the golden needs more memory than it is given");
        return FXS_E_ROOM;
    }
    for (uint32_t i = 0; i < WORLDS; i++) {
        place_of[i] = i;
    }
    free_place = WORLDS;
    call_world("init", w);
    given(config->capacity);
    given(config->hit_capacity);
    given(config->hit_when);
    for (uint32_t i = 0; i < 32; i++) {
        given(config->layers[i]);
    }
    answers_follow();
    if (size) {
        memset(memory[w], 0xA5, (size_t)size); /* whatever is in it must not matter */
        memset((uint8_t *)memory[w] + size, 0xC3, BEYOND);
    }
    status = FXS(world_init)(world_at(w), config);
    answer(size != 0);
    answer_signed(status);
    if (status == FXS_OK) {
        configs[w] = *config;
    }
    return status;
}

static void check_beyond(uint32_t w) {
    const uint8_t *beyond = (const uint8_t *)memory[place_of[w]] + FXS(world_size)(&configs[w]);
    for (uint32_t i = 0; i < BEYOND; i++) {
        if (beyond[i] != 0xC3) {
            broken("something was written past the end of a world");
        }
    }
}

/* Moves a world's bytes elsewhere, and spoils the place they were in. */
static void do_relocate(uint32_t w) {
    uint32_t from = place_of[w];
    uint64_t size = FXS(world_size)(&configs[w]);
    memcpy(memory[free_place], memory[from], (size_t)size + BEYOND);
    memset(memory[from], 0x5A, (size_t)size);
    place_of[w] = free_place;
    free_place = from;
}

static int32_t do_add(uint32_t w, const fxs_collider *c) {
    int32_t status = FXS(world_add)(world_at(w), c);
    call_world("add", w);
    given_collider(c);
    answers_follow();
    answer_signed(status);
    return status;
}

static int32_t do_move(uint32_t w, uint32_t id, int32_t x, int32_t y, int32_t z) {
    int32_t status = FXS(world_move)(world_at(w), id, x, y, z);
    call_world("move", w);
    given(id);
    given(x);
    given(y);
    given(z);
    answers_follow();
    answer_signed(status);
    return status;
}

static int32_t do_pose(uint32_t w, uint32_t id, const fxs_pose *pose) {
    int32_t status = FXS(world_set_pose)(world_at(w), id, pose);
    call_world("pose", w);
    given(id);
    given_pose(pose);
    answers_follow();
    answer_signed(status);
    return status;
}

static void do_shape(uint32_t w, uint32_t id, const fxs_shape *shape) {
    call_world("shape", w);
    given(id);
    given_shape(shape);
    answers_follow();
    answer_signed(FXS(world_set_shape)(world_at(w), id, shape));
}

static void do_offset(uint32_t w, uint32_t id, int32_t ox, int32_t oy, int32_t oz) {
    call_world("offset", w);
    given(id);
    given(ox);
    given(oy);
    given(oz);
    answers_follow();
    answer_signed(FXS(world_set_offset)(world_at(w), id, ox, oy, oz));
}

/* remove, turn, owner, layer, active: an id and at most one number. */
static void do_simple(uint32_t w, uint32_t which, uint32_t id, uint32_t value) {
    static const char *const NAMES[5] = {"remove", "turn", "owner", "layer", "active"};
    call_world(NAMES[which], w);
    given(id);
    if (which > 0) {
        given(value);
    }
    answers_follow();
    answer_signed(which == 0   ? FXS(world_remove)(world_at(w), id)
                  : which == 1 ? FXS(world_turn)(world_at(w), id, value)
                  : which == 2 ? FXS(world_set_owner)(world_at(w), id, value)
                  : which == 3 ? FXS(world_set_layer)(world_at(w), id, value)
                               : FXS(world_set_active)(world_at(w), id, value));
}

static int32_t do_step(uint32_t w, uint64_t event_capacity) {
    fxs_counts counts = {7, 7};
    int32_t status = FXS(world_step)(world_at(w), events, event_capacity, &counts);
    call_world("step", w);
    given((int64_t)event_capacity);
    answers_follow();
    answer_signed(status);
    if (status != FXS_OK) { /* what would have been enough is not to the bit */
        answer(counts.hits > configs[w].hit_capacity);
        return status;
    }
    answer(counts.hits);
    answer(counts.events);
    answer(FXS(world_frame)(world_at(w)));
    for (uint64_t i = 0; i < counts.events; i++) {
        answer(events[i].a);
        answer(events[i].b);
        answer(events[i].kind);
        answer(events[i].contact);
    }
    return status;
}

static void given_query(const fxs_query *q) {
    given_shape(&q->shape);
    given_pose(&q->pose);
    given(q->mask);
    given(q->exclude_owner);
}

static void do_query(uint32_t w, const fxs_query *q, uint64_t room) {
    uint64_t count = 7;
    int32_t status = FXS(world_query)(world_at(w), q, id_list, room, &count);
    call_world("query", w);
    given((int64_t)room);
    given_query(q);
    answers_follow();
    answer_signed(status);
    if (status == FXS_OK || status == FXS_E_ROOM) {
        answer(count);
    }
    for (uint64_t i = 0; status == FXS_OK && i < count; i++) {
        answer(id_list[i]);
    }
}

static void do_query_many(uint32_t w, uint64_t n, const fxs_query *queries, uint64_t room) {
    uint64_t ends[16], count = 7;
    int32_t status = FXS(world_query_many)(world_at(w), queries, n, ends, id_list, room, &count);
    call_world("query_many", w);
    given((int64_t)room);
    for (uint64_t i = 0; i < n; i++) {
        given_query(&queries[i]);
    }
    answers_follow();
    answer_signed(status);
    answer(count);
    for (uint64_t i = 0; status == FXS_OK && i < n; i++) {
        answer(ends[i]);
    }
    for (uint64_t i = 0; status == FXS_OK && i < count; i++) {
        answer(id_list[i]);
    }
}

static uint64_t do_save(uint32_t w) {
    uint64_t size = FXS(world_save_size)(world_at(w));
    if (size > sizeof saved) {
        broken("a state of the golden is larger than its buffer");
        return 0;
    }
    check_beyond(w);
    FXS(world_save)(world_at(w), saved);
    call_world("save", w);
    answers_follow();
    answer_bytes(saved, size);
    answer(FXS(world_hash)(world_at(w)));
    return size;
}

static int32_t do_load(uint32_t w, const uint8_t *bytes, uint64_t size) {
    uint64_t at = 0;
    int32_t status = FXS(world_load)(world_at(w), bytes, size, &at);
    call_world("load", w);
    given_bytes(bytes, size);
    answers_follow();
    answer_signed(status);
    if (status != FXS_OK) {
        answer(at);
    }
    return status;
}

static void do_copy(uint32_t to, uint32_t from) {
    call_world("copy", to);
    given(from);
    answers_follow();
    answer_signed(FXS(world_copy)(world_at(to), world_at(from)));
}

static void do_contact(uint32_t w, uint32_t a, uint32_t b) {
    call_world("contact", w);
    given(a);
    given(b);
    answers_follow();
    answer_signed(FXS(world_contact)(world_at(w), a, b));
}

static void do_get(uint32_t w, uint32_t id) {
    fxs_collider c;
    int32_t status = FXS(world_get)(world_at(w), id, &c);
    call_world("get", w);
    given(id);
    answers_follow();
    answer_signed(status);
    if (status == FXS_OK) {
        answer_collider(&c);
    }
}

/* Everything that can be read out of a world. */
static void do_list(uint32_t w) {
    uint32_t count = FXS(world_count)(world_at(w));
    uint64_t hit_count = FXS(world_hit_count)(world_at(w));
    fxs_config config;
    FXS(world_ids)(world_at(w), id_list);
    FXS(world_colliders)(world_at(w), collider_list);
    FXS(world_hits)(world_at(w), hit_list);
    FXS(world_config)(world_at(w), &config);
    call_world("list", w);
    answers_follow();
    answer(config.capacity);
    answer(config.hit_capacity);
    answer(config.hit_when);
    for (uint32_t i = 0; i < 32; i++) {
        answer(config.layers[i]);
    }
    answer(FXS(world_frame)(world_at(w)));
    answer(count);
    for (uint32_t i = 0; i < count; i++) {
        answer(id_list[i]);
        answer_collider(&collider_list[i]);
    }
    answer(hit_count);
    for (uint64_t i = 0; i < hit_count; i++) {
        answer(hit_list[i].a);
        answer(hit_list[i].b);
        answer(hit_list[i].contact);
    }
}

static void do_add_many(uint32_t w, uint64_t n, const fxs_collider *colliders) {
    uint64_t bad = 77;
    int32_t status = FXS(world_add_many)(world_at(w), colliders, n, &bad);
    call_world("add_many", w);
    for (uint64_t i = 0; i < n; i++) {
        given_collider(&colliders[i]);
    }
    answers_follow();
    answer_signed(status);
    answer(bad);
}

static void do_move_many(uint32_t w, uint64_t n, const uint32_t *ids, const int32_t *positions) {
    uint64_t bad = 77;
    int32_t status = FXS(world_move_many)(world_at(w), ids, positions, n, &bad);
    call_world("move_many", w);
    for (uint64_t i = 0; i < n; i++) {
        given(ids[i]);
        given(positions[3 * i]);
        given(positions[3 * i + 1]);
        given(positions[3 * i + 2]);
    }
    answers_follow();
    answer_signed(status);
    answer(bad);
}

static void do_set_pose_many(uint32_t w, uint64_t n, const uint32_t *ids, const fxs_pose *poses) {
    uint64_t bad = 77;
    int32_t status = FXS(world_set_pose_many)(world_at(w), ids, poses, n, &bad);
    call_world("set_pose_many", w);
    for (uint64_t i = 0; i < n; i++) {
        given(ids[i]);
        given_pose(&poses[i]);
    }
    answers_follow();
    answer_signed(status);
    answer(bad);
}

static fxs_config config_of(uint32_t capacity, uint32_t hit_capacity, uint32_t hit_when) {
    fxs_config c;
    c.capacity = capacity;
    c.hit_capacity = hit_capacity;
    c.hit_when = hit_when;
    memset(c.layers, 0xFF, sizeof c.layers);
    return c;
}

static fxs_collider collider_of(uint32_t id, const fxs_shape *shape, const fxs_pose *pose) {
    fxs_collider c = {id, (uint8_t)shape->kind, 0, 1, 0, (uint16_t)pose->yaw, (uint16_t)shape->half_angle, 0,
                      pose->x, pose->y, pose->z, 0, 0, 0, {shape->size[0], shape->size[1], shape->size[2]}};
    return c;
}

/* ---- command streams: any bytes are a sequence of calls. The fuzzer feeds the same reader. ---- */

typedef struct reader {
    const uint8_t *next, *end;
} reader;

static uint32_t take8(reader *r) { return r->next < r->end ? *r->next++ : 0; }
static uint32_t take32(reader *r) {
    uint32_t v = take8(r);
    v |= take8(r) << 8;
    v |= take8(r) << 16;
    return v | take8(r) << 24;
}

/* Mostly a multiple of a quarter unit near the origin, so that things meet; any int32 at times. */
static int32_t take_coordinate(reader *r) {
    uint32_t b = take8(r);
    if (b < 224) {
        return ((int32_t)b - 112) * 16384;
    }
    return b < 248 ? ((int32_t)take8(r) - 128) * (int32_t)(1u << (b - 224)) : (int32_t)((int64_t)take32(r) - INT32_MAX - 1);
}

static int32_t take_size(reader *r) {
    uint32_t b = take8(r);
    if (b < 224) {
        return (1 + (int32_t)(b % 16)) * 16384;
    }
    return b < 246 ? (int32_t)take8(r) * (int32_t)(1u << (b - 224)) : (int32_t)((int64_t)take32(r) - INT32_MAX - 1);
}

static fxs_shape take_shape(reader *r) {
    uint32_t b = take8(r), kind = b < 250 ? b % KIND_COUNT : b;
    fxs_shape s = {kind, 0, {0, 0, 0}};
    for (uint32_t i = 0; i < (kind < KIND_COUNT ? sizes_of_kind(kind) : 3); i++) {
        s.size[i] = take_size(r);
    }
    if (kind == FXS_SECTOR || b == 249) {
        s.half_angle = (take8(r) + 1) * 128;
    }
    return s;
}

static fxs_pose take_pose(reader *r) {
    fxs_pose p;
    p.x = take_coordinate(r);
    p.y = take_coordinate(r) / 4;
    p.z = take_coordinate(r);
    uint32_t b = take8(r);
    p.yaw = b < 128 ? b % 8 * 8192 : b < 250 ? b * 263 : take32(r);
    return p;
}

static fxs_collider take_collider(reader *r, uint32_t capacity) {
    fxs_shape shape = take_shape(r);
    fxs_pose pose = take_pose(r);
    uint32_t b = take8(r);
    fxs_collider c = collider_of(take8(r) % (capacity + 1), &shape, &pose);
    c.owner = b % 4;
    c.layer = (uint8_t)(b / 4 % 33);
    c.active = (uint8_t)(b < 250 ? 1 : b % 4);
    c.zero = (uint8_t)(b == 255);
    if (b % 8 == 0) {
        c.ox = take_coordinate(r);
        c.oy = take_coordinate(r);
        c.oz = take_coordinate(r);
    }
    return c;
}

static fxs_query take_query(reader *r) {
    fxs_query q;
    q.shape = take_shape(r);
    q.pose = take_pose(r);
    uint32_t b = take8(r);
    q.mask = b < 128 ? UINT32_MAX : take32(r);
    q.exclude_owner = b % 8;
    q.hit_when = 0;
    return q;
}

static void one_command(reader *r, uint32_t *now) {
    uint32_t op = take8(r), w = *now, capacity = configs[w].capacity, id = take8(r) % (capacity + 1);
    switch (op % 32) {
    default: {
        fxs_collider c = take_collider(r, capacity);
        do_add(w, &c);
        break;
    }
    case 1: do_simple(w, 0, id, 0); break;
    case 2: do_simple(w, 1, id, take8(r) * 258); break;
    case 3: do_simple(w, 2, id, take8(r) % 4); break;
    case 4: do_simple(w, 3, id, take8(r) % 33); break;
    case 5: do_simple(w, 4, id, take8(r) % 3); break;
    case 6:
    case 7: {
        int32_t x = take_coordinate(r), y = take_coordinate(r) / 4, z = take_coordinate(r);
        do_move(w, id, x, y, z);
        break;
    }
    case 8: {
        fxs_pose pose = take_pose(r);
        do_pose(w, id, &pose);
        break;
    }
    case 9: {
        fxs_shape shape = take_shape(r);
        do_shape(w, id, &shape);
        break;
    }
    case 10: {
        int32_t ox = take_coordinate(r), oy = take_coordinate(r), oz = take_coordinate(r);
        do_offset(w, id, ox, oy, oz);
        break;
    }
    case 11:
    case 12:
    case 13: do_step(w, COUNT(events)); break;
    case 14: do_step(w, take8(r) % 8); break;
    case 15: {
        fxs_query q = take_query(r);
        do_query(w, &q, id % 4 ? COUNT(id_list) : id);
        break;
    }
    case 16: {
        fxs_query queries[4];
        uint32_t n = id % 5;
        for (uint32_t i = 0; i < n; i++) {
            queries[i] = take_query(r);
        }
        do_query_many(w, n, queries, take8(r) % 2 ? COUNT(id_list) : 1);
        break;
    }
    case 17: { /* into the other world, as it is or with a byte changed */
        uint64_t size = do_save(w);
        uint32_t changed = take8(r);
        if (changed >= 128) {
            saved[(take32(r) & 0xFFFF) % size] ^= (uint8_t)(1u << changed % 8);
        }
        if (do_load(1 - w, saved, size - (changed == 127)) == FXS_OK && changed % 2) {
            *now = 1 - w;
        }
        break;
    }
    case 18: do_copy(1 - w, w); break;
    case 19: do_relocate(w); break;
    case 20: do_contact(w, id, take8(r) % (capacity + 1)); break;
    case 21: do_get(w, id); break;
    case 22: do_list(w); break;
    case 23: {
        fxs_collider c[4];
        uint32_t n = id % 5;
        for (uint32_t i = 0; i < n; i++) {
            c[i] = take_collider(r, capacity);
        }
        do_add_many(w, n, c);
        break;
    }
    case 24: {
        uint32_t ids[4], n = id % 5;
        int32_t positions[12];
        for (uint32_t i = 0; i < 3 * n; i++) {
            ids[i / 3] = i % 3 ? ids[i / 3] : take8(r) % (capacity + 1);
            positions[i] = take_coordinate(r);
        }
        do_move_many(w, n, ids, positions);
        break;
    }
    case 25: {
        uint32_t ids[4], n = id % 5;
        fxs_pose poses[4];
        for (uint32_t i = 0; i < n; i++) {
            ids[i] = take8(r) % (capacity + 1);
            poses[i] = take_pose(r);
        }
        do_set_pose_many(w, n, ids, poses);
        break;
    }
    }
}

static void run_commands(const uint8_t *bytes, uint64_t size) {
    reader r = {bytes, bytes + size};
    uint32_t b = take8(&r), now = 0;
    fxs_config c = config_of(1 + b % 20, take8(&r) / 4, 1 + b / 20 % 2);
    if (b >= 200) {
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t pair_bits = take8(&r), x = pair_bits % 8, y = pair_bits / 8 % 8;
            c.layers[x] &= ~((uint32_t)1 << y);
            c.layers[y] &= ~((uint32_t)1 << x);
        }
        if (b >= 254) {
            c.layers[b % 2] ^= 16;
        }
    }
    if (do_init(0, &c) != FXS_OK) {
        return;
    }
    c.hit_capacity /= 2;
    do_init(1, &c);
    while (r.next < r.end) {
        one_command(&r, &now);
    }
    do_save(now);
}

#endif
