/* The golden of the kit: generated cases through its functions, digested, as golden.c is for the
 * kernel. Nothing of libc but memcpy, memmove and memset; every case is a function of its section's
 * name and its number alone. */
#include "fixsync_kit.h"
#include "kinds.h"
#include "print.h"

#include <string.h>

static uint64_t state;

static void answer(int64_t v) {
    uint64_t mixed = (digest ^ (uint64_t)v) * UINT64_C(0x9E3779B97F4A7C15);
    digest = mixed ^ mixed >> 29;
    words++;
}

static void answer_status(int32_t status, const int32_t *out, uint32_t n) {
    answer(status);
    for (uint32_t i = 0; i < n; i++) {
        answer(out[i]);
    }
}

static uint32_t below(uint32_t n) { return (uint32_t)fxs_random_below(&state, n); }

static int32_t within(int32_t room) {
    int64_t v;
    fxs_random_between(&state, -(int64_t)room, room, &v);
    return (int32_t)v;
}

/* Any int32, often small, at a power of two or at an end. */
static int32_t any_number(void) {
    switch (below(6)) {
    case 0: return within(3);
    case 1: return INT32_MIN + (int32_t)below(2);
    case 2: return INT32_MAX - (int32_t)below(2);
    case 3: {
        int32_t power = (int32_t)1 << below(31);
        return power - (int32_t)below(2);
    }
    default: {
        int32_t size = (int32_t)(fxs_random_next(&state) >> 33);
        return below(2) ? -size : size;
    }
    }
}

static void any_vector(int32_t *v) {
    for (int i = 0; i < 3; i++) {
        v[i] = any_number();
    }
}

static void one_number(uint32_t number) {
    int32_t a = any_number(), b = any_number(), c = any_number(), v[3], w[3], out[3] = {0, 0, 0};
    uint32_t part = below(65538);
    (void)number;
    any_vector(v);
    any_vector(w);
    answer_status(fxs_mul(a, b, out), out, 1);
    answer_status(fxs_div(a, b, out), out, 1);
    answer_status(fxs_mul_div(a, b, c, out), out, 1);
    answer_status(fxs_sqrt(a, out), out, 1);
    answer_status(fxs_lerp(a, b, part, out), out, 1);
    answer_status(fxs_clamp(a, b, c, out), out, 1);
    answer_status(fxs_approach(a, b, c, out), out, 1);
    answer_status(fxs_hypot(a, b, c, out), out, 1);
    answer_status(fxs_dot(v, w, out), out, 1);
    answer_status(fxs_scale(v, c, out), out, 3);
    answer_status(fxs_with_length(v, c, out), out, 3);
    uint32_t yaw = below(65537), end = below(65537);
    answer(fxs_turn_towards(yaw, end, part));
}

static void one_draw(uint32_t number) {
    uint64_t own = number % 2 ? fxs_random_next(&state) : number;
    uint64_t count = fxs_random_next(&own) >> (number % 64);
    int64_t low = (int64_t)(fxs_random_next(&own) >> 1), out = 0;
    uint8_t items[30];
    answer((int64_t)fxs_random_next(&own));
    answer((int64_t)fxs_random_below(&own, count));
    answer(fxs_random_chance(&own, count / 3, count));
    answer(fxs_random_between(&own, -low, low, &out));
    answer(out);
    answer(fxs_random_between(&own, low, low - (int64_t)(number % 3), &out));
    answer(out);
    for (uint32_t i = 0; i < sizeof items; i++) {
        items[i] = (uint8_t)i;
    }
    fxs_random_shuffle(&own, items, sizeof items / (1 + number % 3), 1 + number % 3);
    for (uint32_t i = 0; i < sizeof items; i++) {
        answer(items[i]);
    }
    answer((int64_t)own);
}

static void one_motion(uint32_t number) {
    int32_t motion[3], normal[3], out[3] = {0, 0, 0};
    uint32_t fraction = below(65538);
    any_vector(motion);
    any_vector(normal);
    for (int i = 0; i < 3; i++) {
        motion[i] = number % 2 ? motion[i] / 4 : motion[i];
        normal[i] = number % 5 ? normal[i] / 2 : normal[i];
    }
    answer_status(fxs_along(motion, fraction, number % 3 ? normal : NULL, out), out, 3);
    answer_status(fxs_bounce(motion, normal, fraction, out), out, 3);
    answer_status(fxs_slide(motion, normal, out), out, 3);
}

/* ---- movers ---- */

#define COLLIDERS 24

static _Alignas(8) uint64_t memory[1 << 15];
static fxs_cast_hit hits[FXS_PASSES_MAX + 2];

static void answer_hits(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        answer(hits[i].id);
        answer(hits[i].fraction);
        for (int j = 0; j < 3; j++) {
            answer(hits[i].normal[j]);
        }
    }
}

/* A collider of any kind on a coarse lattice, so that edges meet. */
static fxs_collider any_collider(uint32_t id) {
    fxs_collider c;
    memset(&c, 0, sizeof c);
    c.id = id;
    c.kind = (uint8_t)(id == 0        ? body_kind(below(BODY_KIND_COUNT))
                       : below(8) < 5 ? FXS_BOX
                                      : below(KIND_COUNT));
    c.layer = (uint8_t)below(2);
    c.active = below(8) != 0;
    c.owner = below(6) ? 0 : 1;
    c.yaw = (uint16_t)(below(3) ? below(8) * 8192 : below(65536));
    c.x = within(20) * 20000;
    c.y = within(6) * 20000;
    c.z = within(20) * 20000;
    if (below(4) == 0) {
        c.ox = within(30000);
        c.oz = within(30000);
    }
    c.size[0] = (int32_t)(1 + below(8)) * 10000;
    if (has_half_height(c.kind)) {
        c.size[1] = (int32_t)(1 + below(5)) * 10000;
    }
    if (has_half_z(c.kind)) {
        c.size[2] = (int32_t)(1 + below(12)) * 10000;
    }
    if (c.kind == FXS_SECTOR) {
        c.half_angle = (uint16_t)(1 + below(32768));
    }
    return c;
}

static fxs_world *any_world(void) {
    fxs_world *world = (fxs_world *)(void *)memory;
    fxs_config config = {COLLIDERS, 64, FXS_TOUCHING, {0}};
    memset(config.layers, 255, sizeof config.layers);
    if (fxs_world_size(&config) > sizeof memory) {
        answer(-1);
        return NULL;
    }
    fxs_world_init(world, &config);
    for (uint32_t id = 0; id < COLLIDERS; id++) {
        fxs_collider c = any_collider(id);
        answer(fxs_world_add(world, &c));
    }
    fxs_collider floor = any_collider(1);
    fxs_world_remove(world, 1);
    floor.kind = FXS_BOX;
    floor.half_angle = 0;
    floor.y = -200000;
    floor.size[0] = floor.size[2] = 900000;
    floor.size[1] = 100000;
    fxs_world_add(world, &floor);
    return world;
}

static void any_motion(int32_t *motion) {
    static const int32_t FALLS[] = {-8192, -8192, -8192, -30000, -500000, 0, 60000};
    int32_t size = below(64) ? (int32_t)1 << (8 + below(11)) : FXS_SIZE_MAX + (int32_t)below(2);
    motion[0] = within(size);
    motion[1] = below(64) ? FALLS[below(COUNT(FALLS))] : within(size);
    motion[2] = within(size);
}

static void one_dash(uint32_t number) {
    fxs_world *world = any_world();
    for (uint32_t i = 0; world && i < 8; i++) {
        int32_t motion[3];
        uint32_t mask = below(4), passes = below(6);
        uint64_t count = 0;
        any_motion(motion);
        int32_t status = fxs_move_and_slide(world, number % 32, motion, mask, passes, hits, &count);
        answer(status);
        answer_hits(count);
        answer((int64_t)fxs_world_hash(world));
    }
}

static void walk_about(uint32_t number, uint32_t mask, uint32_t one_way) {
    fxs_world *world = any_world();
    fxs_mover mover = {0};
    mover.mask = one_way ? mask : 1 + below(3);
    mover.one_way = one_way;
    mover.passes = 1 + below(8); /* 1 is refused */
    mover.step_height = (int32_t)below(3) * 15000;
    mover.snap = (int32_t)below(3) * 15000;
    mover.floor_y_q30 = number % 4 ? 759250125 : 1 << 30;
    for (uint32_t i = 0; world && i < 16; i++) {
        int32_t motion[3] = {0, -400000, 0}; /* to the floor */
        fxs_mover_result result;
        memset(&result, 0, sizeof result);
        if (i > 0) {
            any_motion(motion);
        }
        answer(fxs_mover_move(world, &mover, motion, &result, hits));
        answer(result.x);
        answer(result.y);
        answer(result.z);
        for (int j = 0; j < 3; j++) {
            answer(result.motion[j]);
        }
        answer(result.flags);
        answer(result.floor);
        answer_hits(result.hit_count);
        answer((int64_t)fxs_world_hash(world));
    }
}

static void one_walk(uint32_t number) { walk_about(number, 0, 0); }

/* With one-way layers; 3 and 1 share one, and 0 is refused beside one. */
static void one_leap(uint32_t number) {
    static const uint32_t LAYERS[][2] = {{1, 2}, {2, 1}, {4, 3}, {1, 6}, {3, 1}, {0, 2}};
    const uint32_t *of = LAYERS[number % COUNT(LAYERS)];
    walk_about(number, of[0], of[1]);
}

/* Platforms and movers of any world; some calls are refused. */
static void one_ride(uint32_t number) {
    static const uint32_t LAYERS[][2] = {{3, 0}, {1, 2}, {0, 0}, {2, 1}};
    fxs_world *world = any_world();
    for (uint32_t i = 0; world && i < 8; i++) {
        uint32_t ids[COLLIDERS] = {0}, n = 0, count = 0;
        fxs_mover movers[COLLIDERS];
        fxs_carried rows[COLLIDERS];
        memset(movers, 0, sizeof movers);
        memset(rows, 0, sizeof rows);
        for (uint32_t id = 0; id < COLLIDERS; id++) {
            fxs_collider c;
            const uint32_t role = below(8), which = below(COUNT(LAYERS));
            const int is_any = below(256) == 0;
            if (!is_any && (fxs_world_get(world, id, &c) != FXS_OK || c.kind == FXS_SECTOR)) {
                continue;
            }
            if (role < 2 && (is_any || c.active)) {
                ids[n++] = id;
            } else if (role > 1 && role < 7) {
                const fxs_mover m = {id, LAYERS[which][0], 4, 0, 0, 759250125, LAYERS[which][1]};
                movers[count++] = m;
            }
        }
        int32_t motion[3];
        const int32_t size = number % 8 ? 1 << (9 + below(8)) : 1 << 26;
        for (int j = 0; j < 3; j++) {
            motion[j] = below(3) ? within(size) : 0;
        }
        const int32_t status = fxs_carry(world, ids, n, motion, movers, count, rows);
        answer(status);
        for (uint32_t j = 0; status == FXS_OK && j < count; j++) {
            answer(rows[j].id);
            answer(rows[j].x);
            answer(rows[j].y);
            answer(rows[j].z);
            for (int k = 0; k < 3; k++) {
                answer(rows[j].motion[k]);
            }
            answer(rows[j].flags);
            answer(rows[j].by);
        }
        answer((int64_t)fxs_world_hash(world));
    }
}

/* Crowds of any world; some calls are refused. */
static void one_crowd(uint32_t number) {
    static const uint32_t LAYERS[][2] = {{3, 0}, {1, 2}, {0, 0}, {2, 1}};
    static fxs_event events[2 * COLLIDERS * COLLIDERS];
    fxs_world *world = any_world();
    for (uint32_t i = 0; world && i < 8; i++) {
        fxs_mover movers[COLLIDERS];
        fxs_separated rows[COLLIDERS];
        fxs_counts counts;
        uint32_t yields[FXS_LAYER_COUNT] = {below(4), below(4), below(4)};
        uint64_t count = 0, n = 0;
        for (uint32_t id = 0; id < COLLIDERS; id++) {
            fxs_collider c;
            const uint32_t role = below(4), which = below(COUNT(LAYERS));
            const int is_any = below(256) == 0;
            if (role &&
                (is_any || (fxs_world_get(world, id, &c) == FXS_OK && c.kind != FXS_SECTOR))) {
                const fxs_mover m = {id, LAYERS[which][0], 2 + below(4),    0,
                                     0,  759250125,        LAYERS[which][1]};
                movers[count++] = m;
            }
        }
        answer(fxs_world_step(world, events, COUNT(events), &counts));
        const uint32_t passes = 1 + below(3);
        const uint64_t room = number % 16 ? COLLIDERS : 2;
        const int32_t status =
            fxs_movers_separate(world, yields, passes, movers, count, rows, room, &n);
        answer(status);
        answer((int64_t)n);
        for (uint64_t j = 0; status == FXS_OK && j < n; j++) {
            answer(rows[j].id);
            answer(rows[j].x);
            answer(rows[j].y);
            answer(rows[j].z);
            answer(rows[j].is_held);
        }
        answer((int64_t)fxs_world_hash(world));
    }
}

/* ---- bodies, recorder and rewind ---- */

/* Of three parts and two attacks: FRAMES of tests/test_frame_data.py. */
static const uint8_t TABLE[252] = {
    70, 88, 70, 49, 3,   0,   0,   0,   2, 0,  0,   0,   2,   3,   1,  0,  0,  0,   0,  0,  0,
    0,  0,  0,  0,  0,   0,   0,   0,   0, 0,  0,   136, 19,  0,   0,  64, 31, 0,   0,  0,  0,
    0,  0,  3,  31, 0,   0,   0,   192, 0, 0,  166, 255, 255, 255, 20, 0,  0,  0,   3,  0,  0,
    0,  60, 0,  0,  0,   70,  0,   0,   0, 80, 0,   0,   0,   4,   0,  1,  0,  210, 4,  40, 35,
    0,  0,  0,  0,  206, 255, 255, 255, 0, 0,  0,   0,   44,  1,   0,  0,  10, 0,   0,  0,  0,
    0,  0,  0,  10, 0,   0,   0,   6,   0, 0,  0,   1,   0,   0,   0,  3,  0,  0,   0,  2,  0,
    0,  0,  2,  0,  0,   0,   164, 0,   0, 0,  6,   0,   0,   0,   4,  0,  0,  0,   0,  0,  0,
    0,  1,  0,  0,  0,   0,   0,   0,   0, 0,  0,   0,   0,   240, 0,  0,  0,  0,   0,  0,  0,
    9,  0,  0,  0,  1,   0,   0,   0,   2, 0,  0,   0,   4,   0,   0,  0,  6,  0,   0,  0,  6,
    0,  0,  0,  7,  0,   0,   0,   2,   0, 0,  0,   3,   0,   0,   0,  6,  0,  0,   0,  4,  0,
    0,  0,  9,  0,  0,   0,   1,   0,   0, 0,  1,   0,   0,   0,   9,  0,  0,  0,   10, 0,  0,
    0,  0,  0,  0,  0,   0,   0,   0,   0, 1,  0,   0,   0,   3,   0,  0,  0,  4,   0,  0,  0,
};

/* A table with some changes: where it is refused, if it is. */
static void one_table(uint32_t number) {
    static const uint8_t NASTY[] = {0, 1, 2, 3, 4, 10, 31, 32, 33, 127, 128, 255};
    uint8_t table[sizeof TABLE + 8] = {0};
    uint64_t size = sizeof TABLE, at = UINT64_MAX;
    memcpy(table, TABLE, sizeof TABLE);
    for (uint32_t i = below(4); i; i--) {
        uint32_t place = below(sizeof TABLE);
        table[place] = NASTY[below(sizeof NASTY)];
    }
    size = number % 8 ? size : below(sizeof table + 1);
    answer(fxs_frame_data_check(table, size, &at));
    answer((int64_t)at);
}

static char text[1 << 16];

static void answer_body(const fxs_body *body, const fxs_world *world) {
    static uint8_t saved[24 + 4 * FXS_VICTIMS_MAX];
    fxs_body again = *body;
    uint64_t at = 0;
    fxs_body_save(body, saved);
    answer(fxs_body_load(&again, TABLE, saved, fxs_body_save_size(body), &at));
    answer((int64_t)fxs_body_hash(body));
    answer((int64_t)fxs_body_hash(&again));
    uint32_t place = 4 * below(6);
    saved[place] ^= (uint8_t)(1u << below(8));
    answer(fxs_body_load(&again, TABLE, saved, fxs_body_save_size(body), &at));
    answer((int64_t)at);
    answer(fxs_body_phase(body, TABLE));
    answer(fxs_body_hit(body, TABLE));
    answer(fxs_body_can_start(body, TABLE, below(3)));
    answer((int64_t)fxs_world_hash(world));
}

static fxs_pose any_pose(void) {
    fxs_pose pose;
    pose.x = within(90000);
    pose.y = within(9000);
    pose.z = within(90000);
    pose.yaw = below(65540);
    return pose;
}

/* A change of a body; it may be refused. */
static int32_t change_body(fxs_body *body, fxs_world *world, fxs_command *rows) {
    fxs_pose pose = any_pose();
    switch (below(7)) {
    case 0: return fxs_body_start(body, TABLE, world, below(3), rows);
    case 1: return fxs_body_cancel(body, TABLE, world, rows);
    case 2: return fxs_body_mirror(body, TABLE, world, below(2), rows);
    case 3:
        pose.x = below(8) ? pose.x : any_number();
        return fxs_body_set_pose(body, TABLE, world, &pose, rows);
    case 4: return fxs_body_strike(body, below(9)) < 0;
    default: return fxs_body_tick(body, TABLE, world, rows);
    }
}

static void answer_text(fxs_recorder *recorder) {
    answer((int64_t)fxs_hash64((const uint8_t *)text, recorder->size, 0));
    answer((int64_t)recorder->size);
    recorder->size = 0;
}

/* Frames of a body among colliders: each is recorded, kept, and loaded again. */
static void one_fight(uint32_t number) {
    static _Alignas(8) uint64_t ring_memory[1 << 13];
    static fxs_command rows[FXS_BODY_ROWS];
    static fxs_event events[256];
    static uint32_t met[COLLIDERS];
    fxs_rewind *ring = (fxs_rewind *)(void *)ring_memory;
    fxs_world *world = any_world();
    uint32_t ids[3] = {COLLIDERS - 1, 2, 7}, own = number;
    fxs_body body;
    fxs_recorder recorder;
    fxs_pose pose = any_pose();
    pose.yaw %= FXS_TURN;
    uint64_t at = 0;
    if (world == NULL || fxs_rewind_size(4, 4, 4096) > sizeof ring_memory) {
        answer(-1);
        return;
    }
    answer(fxs_rewind_init(ring, 4, 4, 4096));
    for (uint32_t i = 0; i < 3; i++) {
        answer(fxs_world_remove(world, ids[i]));
    }
    answer(fxs_recorder_begin(&recorder, world, NULL, 0, NULL, 0, text, sizeof text, &at));
    int32_t n = fxs_body_add(&body, TABLE, world, ids, 3, &pose, number % 2, rows);
    answer(fxs_recorder_commands(&recorder, rows, (uint64_t)n, text, sizeof text));
    for (uint32_t frame = 0; frame < 8; frame++) {
        for (uint32_t i = below(4); i; i--) {
            n = change_body(&body, world, rows);
            answer(n);
            answer(
                fxs_recorder_commands(&recorder, rows, n > 0 ? (uint64_t)n : 0, text, sizeof text));
            answer_body(&body, world);
        }
        fxs_counts counts;
        fxs_cast cast = {{FXS_BOX, 0, {9000, 9000, 9000}}, pose, {0, 0, 0}, UINT32_MAX, 3, 2, 0};
        cast.motion[1] = -90000;
        fxs_query query = {cast.shape, cast.pose, UINT32_MAX, own % 3, 0};
        answer(fxs_recorder_cast(&recorder, &cast, text, sizeof text));
        answer(fxs_recorder_query(&recorder, &query, text, sizeof text));
        answer(fxs_world_step(world, events, COUNT(events), &counts));
        uint64_t found = 0;
        answer(fxs_world_cast(world, &cast, hits, COUNT(hits), &found));
        answer(fxs_recorder_hits(&recorder, hits, found, text, sizeof text));
        answer(fxs_world_query(world, &query, met, COUNT(met), &found));
        answer(fxs_recorder_ids(&recorder, met, found, text, sizeof text));
        const fxs_recorded recorded = {.hash = fxs_world_hash(world),
                                       .event_count = counts.events,
                                       .has_events = 1,
                                       .has_hash = 1};
        answer(fxs_recorder_step(&recorder, &recorded, events, text, sizeof text));
        answer_text(&recorder);
        answer(fxs_rewind_push(ring, world, (const uint8_t *)&own));
        if (below(3) == 0) { /* back, and on from there: the recorder's log is of both */
            answer(fxs_rewind_load(ring, fxs_world_frame(world) - below(5), world, (uint8_t *)&own,
                                   &at));
        }
        answer((int64_t)fxs_world_hash(world));
        answer(own++);
        answer(fxs_rewind_oldest(ring));
        answer(fxs_rewind_count(ring));
    }
    answer(fxs_body_pose(&body, TABLE, world, &pose));
    answer(pose.x);
    answer(pose.yaw);
    answer(fxs_body_remove(&body, TABLE, world, rows));
    answer(fxs_recorder_end(&recorder, text, sizeof text));
    answer_text(&recorder);
    static const char ABOUT[] = "{\"tick_rate\":30}";
    answer(fxs_recorder_begin(&recorder, world, ABOUT, sizeof ABOUT - 1, NULL, 0, text,
                              sizeof text, &at));
    answer_text(&recorder);
}

/* First lines, often with a byte changed, then frames of inputs or of nothing, and an end. */
static void one_log(uint32_t number) {
    static const char *const ABOUTS[] = {
        "{\"tick_rate\":[60000,1001],\"sim\":\"duel\",\"seed\":18446744073709551615,\"unit_mm\":"
        "25}",
        "{\"sim\":\"\xc3\xa9\\u0001\\n\",\"meta\":{\"a\":[1,-20,{\"b\":true}],\"b\":{\"a\":[]}}}",
        "{\"seed\":7,\"names\":{\"layers\":{\"0\":\"a\",\"31\":\"b\"},\"ids\":{\"0\":\"c\",\"9\":"
        "\"\"}}}",
        "{\"semantics\":null,\"build\":\"\xc3\xa9\",\"data\":\"0123456789abcdef\"}", "{}"};
    static const char LINE[] = "{\"frame\":0,\"commands\":[]}";
    static uint8_t bytes[4096];
    fxs_world *world = any_world();
    fxs_recorder recorder = {0};
    char about[128];
    uint64_t about_size = 0, state_size, at = 0;
    if (world == NULL) {
        answer(-1);
        return;
    }
    for (const char *from = ABOUTS[number % COUNT(ABOUTS)]; from[about_size]; about_size++) {
        about[about_size] = from[about_size];
    }
    if (below(3) == 0) {
        uint32_t changed = below((uint32_t)about_size);
        about[changed] = "\"{}[],:0-a\\ "[below(12)];
    }
    state_size = below(2) ? fxs_world_save_size(world) : 0;
    fxs_world_save(world, bytes);
    answer(fxs_recorder_begin(&recorder, world, about, about_size, bytes, state_size, text,
                              sizeof text, &at));
    answer((int64_t)at);
    answer_text(&recorder);
    for (uint32_t frame = 0; frame < 4; frame++) {
        const int64_t inputs[3] = {any_number(), INT64_MIN + frame, 0};
        const fxs_event event = {frame, below(9), 1 + frame % 3, frame % 3};
        const uint64_t hash = fxs_random_next(&state);
        uint32_t known = below(8);
        answer(fxs_recorder_line(&recorder, LINE, sizeof LINE - 1, text, sizeof text));
        answer(fxs_recorder_inputs(&recorder, inputs, below(4), text, sizeof text));
        answer(fxs_recorder_input_list(&recorder, inputs, below(4), text, sizeof text));
        const fxs_recorded recorded = {.hash = hash,
                                       .event_count = (known & 1) && (known & 2),
                                       .has_events = known & 1,
                                       .has_hash = known & 4};
        answer(fxs_recorder_step(&recorder, &recorded, &event, text, sizeof text));
    }
    answer(fxs_recorder_inputs(&recorder, NULL, 0, text, sizeof text));
    answer(fxs_recorder_end(&recorder, text, sizeof text));
    answer_text(&recorder);
}

/* Frames of a log with a sim: rows of the world, of the game, of both lists, of the wrong one. */
static void one_sim_log(uint32_t number) {
    static const char ABOUT[] = "{\"sim\":\"duel\"}";
    static uint8_t bytes[4096];
    fxs_world *world = any_world();
    fxs_recorder recorder = {0};
    uint64_t at = 0;
    if (world == NULL) {
        answer(-1);
        return;
    }
    const uint64_t size = number % 4 ? fxs_world_save_size(world) : 0;
    fxs_world_save(world, bytes);
    answer(fxs_recorder_begin(&recorder, world, ABOUT, sizeof ABOUT - 1, bytes, size, text,
                              sizeof text, &at));
    for (uint32_t frame = 0; frame < 4; frame++) {
        const int64_t inputs[2] = {any_number(), INT64_MIN + frame};
        const fxs_event row = {frame % 3, below(9), 1 + frame % 3, frame % 3};
        const fxs_event game = {below(8) ? FXS_GAME_EVENT + frame : 0, below(9), frame, 1};
        const uint64_t hash = fxs_random_next(&state);
        const uint64_t whole = fxs_random_next(&state);
        const uint32_t known = below(64);
        answer(fxs_recorder_inputs(&recorder, inputs, below(3), text, sizeof text));
        const fxs_recorded recorded = {hash, whole, (known & 3) == 3, (known & 12) == 12,
                                       known & 1, known & 4, known & 16, known & 32};
        const fxs_event both[2] = {recorded.event_count ? row : game, game};
        answer(fxs_recorder_step(&recorder, &recorded, both, text, sizeof text));
    }
    answer(fxs_recorder_end(&recorder, text, sizeof text));
    answer_text(&recorder);
}

/* ---- two planes ---- */

static int32_t any_size(int32_t room) { return 1 + (int32_t)below((uint32_t)room); }

/* A hitbox, seldom a bad one. room: the largest size, a power of two. */
static fxs_hitbox any_hitbox(int32_t room) {
    fxs_hitbox h = {0};
    const int is_bad = below(32) == 0;
    h.id = below(6);
    h.kind = (uint8_t)(is_bad ? below(KIND_COUNT) : below(2) ? FXS_CYLINDER : FXS_BOX);
    h.layer = (uint8_t)below(is_bad ? 17 : 2);
    h.active = below(8) != 0;
    h.owner = below(3);
    h.x = within(room);
    h.y = within(room);
    h.z = within(room);
    h.ground[0] = any_size(room);
    h.ground[1] = h.kind == FXS_BOX ? any_size(room) : 0;
    h.side[0] = below(3) ? any_size(room) : h.ground[0];
    h.side[1] = any_size(room);
    return h;
}

static void any_way(int32_t room, int32_t *motion) {
    for (int i = 0; i < 3; i++) {
        motion[i] = below(4) ? within(room) : 0;
    }
}

static void one_pair_of_planes(uint32_t number) {
    static const int32_t ROOMS[] = {4, 16, 65536, 1 << 20, FXS_SIZE_MAX};
    const int32_t room = ROOMS[number % COUNT(ROOMS)];
    const fxs_hitbox a = any_hitbox(room), b = any_hitbox(room);
    int32_t out[3] = {0, 0, 0}, way_a[3], way_b[3], fraction = 0;
    any_way(room, way_a);
    any_way(room, way_b);
    answer(fxs_hitbox_contact(&a, &b));
    answer_status(fxs_hitbox_push_out(&a, &b, out), out, 2);
    answer_status(fxs_hitbox_lift(&a, &b, out), out, 1);
    for (uint32_t when = 0; when <= FXS_OVERLAPPING; when++) {
        answer_status(fxs_hitbox_cast_pair(&a, way_a, &b, way_b, when, &fraction, out), out, 3);
        answer(fraction);
    }
}

/* A match of up to six hitboxes, with a rollback now and then. */
static void one_brawl(uint32_t number) {
    static uint8_t saved[2048];
    const int32_t room = number % 2 ? 8 : 1 << 18;
    fxs_config config = {6, 64, 1 + number % 2, {3, 3}};
    fxs_world *world = (fxs_world *)memory;
    fxs_planes_command commands[2];
    fxs_command rows[4];
    fxs_event events[128], joined[128];
    fxs_hit pairs[64];
    fxs_hitbox_cast cast;
    uint32_t ids[32];
    uint64_t saved_size = 0, at = 0, found = 0;
    answer(fxs_planes_config(&config, &config));
    if (fxs_world_size(&config) > sizeof memory) {
        answer(-1);
        return;
    }
    answer(fxs_world_init(world, &config));
    for (uint32_t frame = 0; frame < 8; frame++) {
        for (uint32_t i = 0; i < 6; i++) {
            for (uint32_t j = 0; j < 2; j++) {
                commands[j].type = below(3) ? FXS_COMMAND_ADD : below(FXS_COMMAND_LAYERS + 1);
                commands[j].mask = below(4);
                commands[j].hitbox = any_hitbox(room);
            }
            at = 0;
            answer(fxs_planes_apply(world, commands, 1 + below(2), rows, &at));
            answer((int64_t)at);
        }
        fxs_counts counts = {0, 0};
        answer(fxs_world_step(world, events, COUNT(events), &counts));
        answer(fxs_planes_events(world, events, counts.events, joined, &found));
        for (uint64_t i = 0; i < found; i++) {
            answer(joined[i].a);
            answer(joined[i].b);
            answer(joined[i].kind * 4 + joined[i].contact);
        }
        found = fxs_planes_hits(world, pairs);
        for (uint64_t i = 0; i < found; i++) {
            answer(pairs[i].a * 64 + pairs[i].b * 4 + pairs[i].contact);
        }
        cast.hitbox = any_hitbox(room);
        any_way(room, cast.motion);
        cast.mask = below(4);
        cast.exclude_owner = below(2);
        cast.limit = below(3);
        cast.hit_when = below(4);
        answer(fxs_planes_query(world, &cast.hitbox, cast.mask, cast.exclude_owner, cast.hit_when,
                                ids, COUNT(ids), &found));
        for (uint64_t i = 0; i < found; i++) {
            answer(ids[i]);
        }
        answer(fxs_planes_cast(world, &cast, hits, COUNT(hits), &found));
        answer_hits((uint32_t)found);
        answer(fxs_planes_sweep(world, below(7), cast.motion, cast.limit, 0, hits, COUNT(hits),
                                &found));
        answer_hits((uint32_t)found);
        answer(fxs_planes_get(world, below(7), &cast.hitbox));
        answer(cast.hitbox.x);
        answer(cast.hitbox.side[0]);
        if (saved_size && below(3) == 0) {
            answer(fxs_world_load(world, saved, saved_size, &at));
        } else if (fxs_world_save_size(world) <= sizeof saved) {
            saved_size = fxs_world_save_size(world);
            fxs_world_save(world, saved);
        }
        answer((int64_t)fxs_world_hash(world));
    }
}

/* ---- differences and explanations ---- */

static void answer_differences(int32_t status, const fxs_difference *rows, uint64_t room,
                               uint64_t count) {
    static const fxs_name NAMES[] = {{3, "three"}, {7, "\xc3\xa9"}};
    answer(status);
    answer((int64_t)count);
    for (uint64_t i = 0; status != FXS_E_STATE && i < count && i < room; i++) {
        uint64_t size = 0;
        answer(rows[i].of);
        answer(rows[i].a);
        answer(rows[i].b);
        answer(rows[i].field);
        answer(rows[i].values[0]);
        answer(rows[i].values[1]);
        answer(2 * (int64_t)rows[i].absent[0] + rows[i].absent[1]);
        answer(fxs_difference_text(rows + i, NAMES, COUNT(NAMES), text, 16 + below(500), &size));
        answer((int64_t)fxs_hash64((const uint8_t *)text, size < 16 ? size : 16, 0));
        answer((int64_t)size);
    }
}

/* Two states of a world, the second often with a bit changed, and two bodies. */
static void one_difference(uint32_t number) {
    static uint8_t states[2][4096];
    static fxs_difference rows[512];
    static fxs_event events[256];
    uint64_t sizes[2], count = 0, at = 0, room = number % 8 ? COUNT(rows) : below(30);
    fxs_world *world = any_world();
    for (uint32_t i = 0; world && i < 2; i++) {
        fxs_counts counts;
        answer(fxs_world_step(world, events, COUNT(events), &counts));
        for (uint32_t j = below(4); i && j; j--) {
            const int32_t z = within(9000);
            const int32_t x = within(9000);
            answer(fxs_world_move(world, below(COLLIDERS), x, 0, z));
            answer(fxs_world_remove(world, below(COLLIDERS)));
        }
        sizes[i] = fxs_world_save_size(world);
        if (sizes[i] > sizeof states[i] - 8) {
            world = NULL;
        } else {
            fxs_world_save(world, states[i]);
        }
    }
    if (world == NULL) {
        answer(-1);
        return;
    }
    const uint32_t flipped = number % 3 ? 0 : 1u << below(8);
    states[1][below((uint32_t)sizes[1])] ^= (uint8_t)flipped;
    sizes[0] -= number % 16 == 1;
    answer(fxs_state_end(states[1], sizes[1] + 8, &at));
    answer((int64_t)at);
    int32_t status =
        fxs_state_differences(states[0], sizes[0], states[1], sizes[1], rows, room, &count, &at);
    answer_differences(status, rows, room, count);
    answer(status == FXS_E_STATE ? (int64_t)at : 0);
    status = fxs_state_fields(states[1], sizes[1], rows, room, &count, &at);
    answer_differences(status, rows, room, count);
    uint8_t bodies[2][40] = {{'F', 'X', 'B', '1'}, {'F', 'X', 'B', '1'}};
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t j = 4; j < 24; j += 4) {
            bodies[i][j] = (uint8_t)below(3);
        }
        bodies[i][20] = (uint8_t)(below(8) ? 4 : below(6));
        for (uint32_t j = 24; j < 40; j += 4) {
            bodies[i][j] = (uint8_t)(j + below(4));
        }
    }
    status = fxs_body_differences(bodies[0], sizeof bodies[0], bodies[1], sizeof bodies[1], rows,
                                  room, &count, &at);
    answer_differences(status, rows, room, count);
}

static void answer_explanation(int32_t status, const fxs_explanation *out) {
    answer(status);
    answer(out->why);
    answer(out->grows);
    answer(out->sector);
    answer(out->contact);
    answer(out->height);
    answer(out->planar);
    answer(out->gap);
    answer(out->turn);
}

/* A pillar of layer 1 and a triangle of layer 0. */
static const uint8_t LEVEL[] = {
    70,  88,  76, 49, 2,   0,   0,  0, 2, 1, 0, 0, 0,   0,   0, 0,   0,   0, 1,   0, 0, 0, 1,
    0,   0,   0,  2,  0,   0,   64, 1, 0, 5, 0, 3, 0,   0,   0, 255, 255, 0, 128, 0, 0, 0, 0,
    255, 255, 0,  0,  255, 255, 0,  0, 1, 0, 0, 0, 255, 255, 0, 0,   0,   0, 0,   0, 1, 0,
};

static void one_explanation(uint32_t number) {
    static _Alignas(8) uint64_t level_memory[4096], world_memory[1 << 13];
    fxs_level *level = (fxs_level *)(void *)level_memory;
    fxs_world *world = (fxs_world *)(void *)world_memory;
    fxs_config config = {8, 64, 1 + number % 2, {0}};
    fxs_explanation out;
    uint64_t at = 0;
    memset(&out, 0, sizeof out);
    memset(config.layers, 255, sizeof config.layers);
    config.layers[1] ^= 2;
    if (fxs_level_size(LEVEL, sizeof LEVEL) > sizeof level_memory ||
        fxs_world_size(&config) > sizeof world_memory) {
        answer(-1);
        return;
    }
    answer(fxs_level_init(level, LEVEL, sizeof LEVEL, &at));
    answer(fxs_world_init(world, &config));
    answer(fxs_world_attach(world, level));
    for (uint32_t id = 0; id < 6; id++) {
        fxs_collider c = any_collider(id);
        c.owner = below(3);
        answer(fxs_world_add(world, &c));
    }
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t a = below(9) < 8 ? below(7) : FXS_LEVEL + below(3), b = below(7);
        b = below(3) ? b : FXS_LEVEL + below(3);
        answer_explanation(fxs_world_explain(world, a, b, &out), &out);
        fxs_collider c = any_collider(1);
        fxs_query query = {{c.kind, c.half_angle, {c.size[0], c.size[1], c.size[2]}},
                           {0, 0, 0, 0},
                           below(4),
                           below(3),
                           0};
        query.pose = any_pose();
        answer_explanation(fxs_world_explain_query(world, &query, b, &out), &out);
        fxs_pose pose = any_pose();
        fxs_shape box = {FXS_BOX, 0, {1 + (int32_t)below(90000), 9000, 9000}};
        answer_explanation(
            fxs_explain_shapes(&box, &pose, &query.shape, &query.pose, 1 + below(3), &out), &out);
    }
}

/* ---- rollback ---- */

enum { PEERS = 2, WINDOW = 6, TICKS = 24, PEER_ROWS = 8, PEER_EVENTS = 64 };

/* A peer of a rollback game: inputs that come late, or twice, move two colliders. */
typedef struct peer {
    fxs_world *world;
    fxs_inputs *inputs;
    fxs_history *history;
    uint64_t own; /* the game's own state */
    int64_t sent[PEERS][TICKS];
    uint32_t come[PEERS]; /* how many inputs of each player have come */
} peer;

static void answer_events(const fxs_event *events, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        answer(events[i].a);
        answer(events[i].b);
        answer(events[i].kind);
        answer(events[i].contact);
    }
}

/* Steps a frame on its inputs, with an event of the game's own and, at times, a reaction. */
static int32_t push_frame(peer *p, const int64_t *values, uint32_t is_final) {
    fxs_command rows[PEER_ROWS];
    fxs_event events[PEER_EVENTS], taken_back[PEER_EVENTS], predicted[PEER_EVENTS];
    fxs_counts counts = {0, 0};
    fxs_event_changes changes = {0, 0};
    uint64_t n = 0, n_after = 0, bad;
    for (uint32_t player = 0; player < PEERS; player++) {
        fxs_command *c = &rows[n];
        memset(c, 0, sizeof *c);
        c->type = FXS_COMMAND_MOVE;
        c->collider.id = player;
        c->collider.x = (int32_t)(values[player] % 16) * 20000;
        c->collider.z = (int32_t)(values[player] / 16) * 20000;
        n += fxs_world_apply(p->world, c, 1, &bad) == FXS_OK;
    }
    answer(fxs_world_step(p->world, events, PEER_EVENTS - 1, &counts));
    const uint64_t hash = fxs_world_hash(p->world);
    p->own = p->own * 31 + counts.events;
    const fxs_event own = {7, 0, FXS_GAME_EVENT + (uint32_t)(p->own % 3), (uint32_t)p->own};
    events[counts.events] = own;
    if (counts.events % 2 == 1 && n > 0) {
        rows[n] = rows[0];
        rows[n].collider.y += 10000;
        n_after = fxs_world_apply(p->world, rows + n, 1, &bad) == FXS_OK;
    }
    const fxs_pushed pushed = {hash, n + n_after, n_after, counts.events + 1, is_final, 1};
    const int32_t status = fxs_history_push(p->history, p->world, (uint8_t *)&p->own, &pushed, rows,
                                            events, taken_back, predicted, &changes);
    answer(status);
    answer_events(taken_back, changes.taken_back);
    answer_events(predicted, changes.predicted);
    return status;
}

static void confirm_frames(peer *p) {
    fxs_command rows[PEER_ROWS];
    fxs_event events[PEER_EVENTS];
    fxs_confirmed found;
    while (fxs_history_confirm(p->history, &found, rows, events) == FXS_OK) {
        answer(found.frame);
        answer((int64_t)found.hash);
        answer((int64_t)found.commands);
        answer_events(events, found.events);
        fxs_recorder log = {0};
        uint64_t at;
        answer(fxs_recorder_begin(&log, p->world, NULL, 0, NULL, 0, text, sizeof text, &at));
        const fxs_recorded recorded = {.hash = found.hash,
                                       .event_count = found.events - found.game_events,
                                       .game_count = found.game_events,
                                       .has_events = 1,
                                       .has_game = 1,
                                       .has_hash = 1};
        answer(fxs_recorder_step(&log, &recorded, events, text, sizeof text));
        answer((int64_t)fxs_hash64((const uint8_t *)text, log.size, 0));
    }
    answer(fxs_history_first(p->history));
}

/* A history with more room is used on, and its newest state is the world's. */
static void grow(peer *p, fxs_history_room room) {
    static _Alignas(8) uint64_t larger[1 << 14];
    room.window++;
    answer(fxs_history_size(&room) <= sizeof larger);
    answer(fxs_history_grow((fxs_history *)(void *)larger, &room, p->history));
    p->history = (fxs_history *)(void *)larger;
    const fxs_rewind *states = fxs_history_states(p->history);
    uint64_t size = 0;
    const uint8_t *newest = fxs_rewind_state(states, fxs_history_head(p->history), &size);
    answer(newest != NULL);
    answer(newest != NULL ? (int64_t)fxs_hash64(newest, size, 0) : 0);
}

static void tick(peer *p, uint32_t first, uint32_t now) {
    int64_t values[PEERS];
    for (uint32_t player = 0; player < PEERS; player++) {
        for (uint32_t left = below(4); left && p->come[player] <= now; left--) {
            const uint32_t i = p->come[player]++;
            answer(fxs_inputs_put(p->inputs, player, first + i, p->sent[player][i]));
        }
    }
    answer(fxs_inputs_put(p->inputs, 2, first + below(TICKS), 0));
    answer(fxs_inputs_put(p->inputs, 0, first + p->come[0] - (p->come[0] != 0), below(256)));
    const uint32_t redo = fxs_inputs_redo(p->inputs), known = fxs_inputs_confirmed(p->inputs);
    const uint32_t is_known = redo - first < known - first;
    answer(redo);
    answer(known);
    answer(fxs_history_settle(p->history, is_known ? redo : known));
    if (redo != fxs_history_head(p->history)) {
        answer(fxs_history_back(p->history, redo, p->world, (uint8_t *)&p->own));
    }
    for (uint32_t frame = redo; frame - first <= now && fxs_history_free(p->history); frame++) {
        if (fxs_inputs_take(p->inputs, frame, values) != FXS_OK ||
            push_frame(p, values, frame - first < known - first) != FXS_OK) {
            break;
        }
    }
    confirm_frames(p);
}

static void one_rollback(uint32_t number) {
    static const uint32_t FIRST[] = {0, 7, 0x7FFFFFF0u, 0xFFFFFFF4u};
    static _Alignas(8) uint64_t of_history[1 << 14], of_inputs[1 << 8];
    static uint8_t bytes[4096];
    const fxs_history_room room = {
        sizeof(uint64_t), 160 + 56 * COLLIDERS + 12 * 64, PEER_ROWS, PEER_EVENTS, WINDOW, 0};
    const uint32_t first = FIRST[number % COUNT(FIRST)];
    uint64_t at;
    peer p;
    memset(&p, 0, sizeof p);
    p.world = any_world();
    if (p.world == NULL || fxs_history_size(&room) > sizeof of_history ||
        fxs_inputs_size(PEERS, 2 * WINDOW) > sizeof of_inputs) {
        answer(-1);
        return;
    }
    fxs_world_save(p.world, bytes);
    for (uint32_t i = 0; i < 4; i++) {
        bytes[4 + i] = (uint8_t)(first >> 8 * i); /* the frame */
    }
    answer(fxs_world_load(p.world, bytes, fxs_world_save_size(p.world), &at));
    p.history = (fxs_history *)(void *)of_history;
    p.inputs = (fxs_inputs *)(void *)of_inputs;
    answer(fxs_inputs_init(p.inputs, PEERS, 2 * WINDOW, first));
    answer(fxs_history_init(p.history, &room, p.world, (uint8_t *)&p.own));
    for (uint32_t i = 0; i < PEERS * TICKS; i++) {
        p.sent[i % PEERS][i / PEERS] = below(256);
    }
    for (uint32_t now = 0; now < TICKS; now++) {
        tick(&p, first, now);
        if (now == TICKS / 2) {
            grow(&p, room);
        }
    }
    answer((int64_t)fxs_world_hash(p.world));
    answer((int64_t)p.own);
}

/* ---- text ---- */

static void answer_bytes(const char *bytes, uint64_t n) {
    answer((int64_t)n);
    for (uint64_t i = 0; i < n; i++) {
        answer((uint8_t)bytes[i]);
    }
}

static void one_text(uint32_t number) {
    static const char LETTERS[] = "0123456789.-";
    char words[64], out[256];
    uint64_t size = 0;
    int32_t value = 77;
    const uint32_t length = fxs_format_q(any_number(), words);
    answer_bytes(words, length);
    answer(fxs_parse_q(words, length, 0, &value));
    answer(value);
    const uint32_t n = 1 + below(30);
    for (uint32_t i = 0; i < n; i++) {
        words[i] = LETTERS[below(number % 3 ? 10 : 12)];
    }
    words[below(n)] = '.';
    answer(fxs_parse_q(words, n, below(3), &value));
    answer(value);
    for (uint32_t i = 0; i < n; i++) {
        words[i] = (char)(uint8_t)below(number % 2 ? 128 : 256);
    }
    const int32_t status = fxs_recorder_text(words, n, out, below(sizeof out), &size);
    answer(status);
    answer((int64_t)size);
    if (status == FXS_OK) {
        answer_bytes(out, size);
    }
    const char *reported = fxs_status_text(-(int32_t)below(80));
    for (size = 0; reported[size]; size++) {
    }
    answer_bytes(reported, size);
}

/* ---- solids ---- */

/* Solids of shapes, as the bytes of a level, and their outlines. */
static void one_solid(uint32_t number) {
    static fxs_solid solids[2];
    static fxs_vertex vertices[64];
    static uint8_t bytes[128];
    fxs_level *level = (fxs_level *)(void *)memory;
    const fxs_collider c = any_collider(number % 24);
    const fxs_shape shape = {c.kind, c.half_angle, {c.size[0], c.size[1], c.size[2]}};
    const int32_t x = any_number();
    const int32_t y = any_number();
    const int32_t z = any_number();
    const fxs_pose pose = {x, y, z, c.yaw};
    uint64_t size = 0, at = 0;
    memset(solids, 0, sizeof solids);
    answer(fxs_solid_of(&shape, &pose, below(33), solids));
    solids[1] = solids[0];
    answer(fxs_level_write(solids, 2, bytes, below(8) ? sizeof bytes : 40, &size));
    answer((int64_t)size);
    if (solids[0].code == 0 || size > sizeof bytes) {
        return;
    }
    answer((int64_t)fxs_hash64(bytes, size, 0));
    if (fxs_level_init(level, bytes, size, &at) == FXS_OK) {
        fxs_extent extent = {0, 0, 0, 0};
        const uint32_t segments = 2 + below(40);
        answer(fxs_level_outline(level, below(3), segments, vertices, COUNT(vertices), &extent));
        for (uint32_t i = 0; i < extent.outer; i++) {
            answer(vertices[i].x);
            answer(vertices[i].z);
        }
    }
}

/* ---- the text of explanations ---- */

static int64_t any_amount(void) {
    const uint32_t bits = 1 + below(36);
    const int64_t amount = (int64_t)(fxs_random_next(&state) >> (64 - bits));
    return below(8) == 0 ? FXS_NEVER : below(4) ? amount : -amount;
}

static void one_wording(uint32_t number) {
    static const fxs_name NAMES[] = {{3, "three"}, {7, "\xc3\xa9"}, {9, ""}, {FXS_LEVEL + 4, ""}};
    fxs_explanation e;
    uint64_t size = 0;
    e.why = below(4096) & below(4096);
    e.why |= number % 64 ? 0 : below(2) << 12;
    e.grows = below(2) + (number % 32 == 1);
    e.sector = below(3) ? 0 : below(4 + (number % 16 == 1));
    e.contact = below(3);
    e.height = any_amount();
    e.planar = any_amount();
    e.gap = any_amount();
    e.turn = below(4) ? below(32770) : FXS_NEVER;
    const uint32_t a = below(COUNT(NAMES) + 1);
    const uint32_t b = below(COUNT(NAMES) + 1);
    memset(text, 0, 1024);
    answer(fxs_explanation_text(&e, a < COUNT(NAMES) ? NAMES + a : NULL,
                                b < COUNT(NAMES) ? NAMES + b : NULL, text,
                                below(4) ? 1024 : below(200), &size));
    answer((int64_t)size);
    answer((int64_t)fxs_hash64((const uint8_t *)text, 1024, 0));
}

/* Four bodies that attack each other, some of one owner. */
static void one_strike(uint32_t number) {
    static fxs_command rows[FXS_BODY_ROWS];
    static fxs_event events[256];
    static fxs_strike struck[256];
    fxs_world *world = (fxs_world *)(void *)memory;
    fxs_config config = {12, 256, FXS_TOUCHING, {0}};
    fxs_body bodies[4];
    memset(config.layers, 255, sizeof config.layers);
    if (fxs_world_size(&config) > sizeof memory) {
        answer(-1);
        return;
    }
    answer(fxs_world_init(world, &config));
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t ids[3] = {i, 11 - i, 4 + i};
        const fxs_pose pose = {within(9000), 0, within(9000), below(FXS_TURN)};
        answer(fxs_body_add(&bodies[i], TABLE, world, ids, 1 + (i + number) % 3, &pose, below(2),
                            rows));
    }
    for (uint32_t frame = 0; frame < 12; frame++) {
        for (uint32_t i = 0; i < 4; i++) {
            const fxs_pose pose = {within(9000), 0, within(9000), below(FXS_TURN)};
            switch (below(6)) {
            case 0: answer(fxs_body_start(&bodies[i], TABLE, world, below(2), rows)); break;
            case 1: answer(fxs_body_set_pose(&bodies[i], TABLE, world, &pose, rows)); break;
            default: answer(fxs_body_tick(&bodies[i], TABLE, world, rows));
            }
        }
        fxs_counts counts;
        const uint32_t mask = below(2) | below(2) << 3 | below(2) << 31;
        answer(fxs_world_step(world, events, COUNT(events), &counts));
        const int32_t n = fxs_strikes(world, events, counts.events, mask, bodies, 4, struck);
        answer(n);
        for (int32_t i = 0; i < n; i++) {
            answer(struck[i].attacker);
            answer(struck[i].victim);
            answer(struck[i].part);
            answer(struck[i].owner);
        }
        for (uint32_t i = 0; i < 4; i++) {
            answer((int64_t)fxs_body_hash(&bodies[i]));
        }
    }
}

/* ---- two peers, and frame data from text ---- */

enum { MATCH_ROWS = 4, MATCH_EVENTS = 8, MATCH_TICKS = 40, MATCH_STATE = 2048 };

typedef struct match_peer {
    fxs_world *world;
    fxs_rollback *rollback;
    uint8_t own[8];
} match_peer;

static void play_frames(match_peer *it) {
    fxs_rollback_request request;
    fxs_command commands[MATCH_ROWS];
    fxs_event events[MATCH_EVENTS], taken_back[MATCH_EVENTS], predicted[MATCH_EVENTS];
    fxs_event_changes changes;
    fxs_recorded recorded;
    int64_t inputs[2], guess = 1;
    do {
        answer(fxs_rollback_next(it->rollback, it->world, it->own, &request, inputs,
                                 commands, events));
        answer(request.type);
        answer(request.frame);
        if (request.type == FXS_ROLLBACK_GUESS) {
            answer(fxs_rollback_guess(it->rollback, &guess));
        } else if (request.type == FXS_ROLLBACK_STEP) {
            fxs_counts counts = {0, 0};
            for (uint32_t id = 0; id < 2; id++) {
                answer(fxs_world_move(it->world, id, (int32_t)inputs[id] * 65536, 0, 0));
            }
            answer(fxs_world_step(it->world, events, MATCH_EVENTS, &counts));
            it->own[0] = (uint8_t)(it->own[0] + inputs[0] + 7 * inputs[1]);
            const fxs_pushed pushed = {fxs_world_hash(it->world), 0, 0, counts.events, 0, 1};
            answer(fxs_rollback_push(it->rollback, it->world, it->own, &pushed, it->own[0],
                                     commands, events, taken_back, predicted,
                                     &changes));
            answer((int64_t)changes.taken_back);
        } else if (request.type == FXS_ROLLBACK_CONFIRMED) {
            answer((int64_t)request.confirmed.hash);
            answer(fxs_rollback_recorded(it->rollback, 1, &recorded));
        }
    } while (request.type != FXS_ROLLBACK_NONE);
}

static void one_match(uint32_t number) {
    static _Alignas(8) uint64_t of_peers[2][1 << 16], larger[1 << 16], of_worlds[2][1 << 12];
    static uint8_t packet[FXS_PACKET_SIZE];
    fxs_config config = {2, 1, FXS_TOUCHING, {1}};
    match_peer peers[2];
    fxs_rollback_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.own_size = sizeof peers[0].own;
    settings.state_size = MATCH_STATE;
    settings.command_room = MATCH_ROWS;
    settings.event_room = MATCH_EVENTS;
    settings.past = 8;
    settings.players = 2;
    settings.numbers = 1;
    settings.prediction_max = 1 + below(8);
    settings.input_delay = below(3);
    settings.guesses = below(2);
    settings.check = number % 3 ? 0 : 1 + below(4);
    answer((int64_t)(fxs_rollback_size(&settings) > 0));
    for (uint32_t i = 0; i < 2; i++) {
        match_peer *it = &peers[i];
        memset(it->own, 0, sizeof it->own);
        it->world = (fxs_world *)(void *)of_worlds[i];
        it->rollback = (fxs_rollback *)(void *)of_peers[i];
        if (fxs_world_size(&config) > sizeof of_worlds[i] ||
            fxs_rollback_size(&settings) > sizeof of_peers[i]) {
            answer(-1);
            return;
        }
        answer(fxs_world_init(it->world, &config));
        for (uint32_t id = 0; id < 2; id++) {
            fxs_collider ball;
            memset(&ball, 0, sizeof ball);
            ball.id = id;
            ball.kind = FXS_SPHERE;
            ball.active = 1;
            ball.size[0] = 65536;
            answer(fxs_world_add(it->world, &ball));
        }
        settings.random[0] = (uint8_t)(i + 1);
        settings.peers[i] = 0;
        settings.peers[1 - i] = 1;
        answer(fxs_rollback_init(it->rollback, &settings, it->world, it->own));
    }
    for (uint32_t now = 0; now < MATCH_TICKS; now++) {
        for (uint32_t i = 0; i < 2; i++) {
            const int64_t input = below(4);
            fxs_pace pace;
            uint64_t size = 0;
            fxs_rollback_pace(peers[i].rollback, &pace);
            answer(pace.ahead);
            const int32_t status = fxs_rollback_tick(peers[i].rollback, &input);
            answer(status);
            if (status == FXS_OK) {
                play_frames(&peers[i]);
            }
            answer(fxs_rollback_packet(peers[i].rollback, 1, packet, sizeof packet, &size));
            for (uint64_t at = 0; at < size; at++) {
                answer(packet[at]);
            }
            if (below(8) == 0) {
                packet[below((uint32_t)size)] ^= 1;
            }
            if (below(4)) {
                answer(fxs_rollback_receive(peers[1 - i].rollback, 1, packet, size));
            }
        }
        if (now == MATCH_TICKS / 2) {
            answer(fxs_rollback_set_delay(peers[0].rollback, below(4)));
            settings.past = 12; /* and the settings are those of the second peer */
            answer(fxs_rollback_grow((fxs_rollback *)(void *)larger, &settings, peers[1].rollback));
            peers[1].rollback = (fxs_rollback *)(void *)larger;
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        fxs_player_pace player;
        fxs_refusal refusal;
        fxs_desync desync;
        uint64_t size = 0;
        answer(fxs_rollback_player(peers[i].rollback, 1 - i, &player));
        answer(player.next);
        answer(fxs_rollback_refusal(peers[i].rollback, 1, &refusal));
        answer(refusal.status);
        answer(fxs_rollback_desync(peers[i].rollback, &desync));
        answer(fxs_rollback_kept(peers[i].rollback, 0, FXS_PART_WORLD, &size) == NULL);
        answer(peers[i].own[0]);
    }
}

static void one_document(uint32_t number) {
    static const char TEXT[] = "{\"parts\": {\"fist\": {\"shape\": [\"sphere\", 1]}}, \"attacks\": {}}";
    char text[sizeof TEXT];
    static uint8_t out[4 * sizeof TEXT + FXS_FRAME_DATA_MESSAGE_MAX];
    uint64_t table = 0, names = 0;
    const uint64_t size = number % 4 ? below(sizeof TEXT) : sizeof TEXT - 1;
    memcpy(text, TEXT, sizeof TEXT);
    text[below(sizeof TEXT - 1)] ^= (char)(number % 2);
    answer(fxs_frame_data_read(text, size, out, sizeof out, &table, &names));
    answer((int64_t)table);
    for (uint64_t i = 0; i < table; i++) {
        answer(out[i]);
    }
}

/* ---- all of it ---- */

static const section SECTIONS[] = {
    {"kit numbers", one_number, {256, 8192, 1 << 18}},
    {"kit random", one_draw, {256, 8192, 1 << 17}},
    {"kit motion", one_motion, {256, 8192, 1 << 18}},
    {"kit dashes", one_dash, {16, 512, 1 << 13}},
    {"kit walks", one_walk, {16, 512, 1 << 13}},
    {"kit tables", one_table, {256, 8192, 1 << 18}},
    {"kit fights", one_fight, {16, 512, 1 << 13}},
    {"kit logs", one_log, {64, 2048, 1 << 15}},
    {"kit planes", one_pair_of_planes, {256, 8192, 1 << 18}},
    {"kit brawls", one_brawl, {16, 512, 1 << 13}},
    {"kit states", one_difference, {16, 512, 1 << 13}},
    {"kit causes", one_explanation, {16, 512, 1 << 13}},
    {"kit rollbacks", one_rollback, {16, 512, 1 << 13}},
    {"kit text", one_text, {64, 2048, 1 << 16}},
    {"kit solids", one_solid, {64, 2048, 1 << 16}},
    {"kit leaps", one_leap, {16, 512, 1 << 13}},
    {"kit rides", one_ride, {16, 512, 1 << 13}},
    {"kit sim logs", one_sim_log, {64, 2048, 1 << 15}},
    {"kit words", one_wording, {256, 8192, 1 << 18}},
    {"kit strikes", one_strike, {16, 512, 1 << 13}},
    {"kit crowds", one_crowd, {16, 512, 1 << 13}},
    {"kit matches", one_match, {16, 64, 512}},
    {"kit documents", one_document, {64, 2048, 1 << 14}},
};

static void run_section(const section *s, int level) {
    uint32_t number = 0;
    state = digest = words = 0;
    for (const char *c = s->name; *c; c++) {
        state = state * 31 + (uint64_t)*c;
    }
    for (int now = 0; now <= level; now++) {
        for (; number < s->counts[now]; number++) {
            s->one(number);
        }
        print_checkpoint(now, s->name, number, words);
        print_text("\n");
    }
}

int golden_run(int level, int trace) {
    (void)trace;
    for (uint32_t i = 0; i < COUNT(SECTIONS); i++) {
        run_section(SECTIONS + i, level);
    }
    return 0;
}
