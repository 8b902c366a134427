/* The kit. The first byte chooses: a table of frame data and what a body does with it; strikes of
 * three bodies; a ring of states beside the same states kept in full; what a recorder is given as
 * text; numbers, beside the same in 128 bits; two states; two shapes; or a history. */
#include "fixsync_kit.h"
#include "fuzz_read.h"

#include <string.h>

enum { IDS = 34, OWN = 9, FRAMES = 6, KEPT = 64, STATE = 40000 };

/* A copy of its own, so that reading past it is seen. */
static uint8_t *copy_of(const uint8_t *bytes, uint64_t size) {
    uint8_t *copy = malloc(size ? (size_t)size : 1);
    REQUIRE(copy != NULL);
    memcpy(copy, bytes, (size_t)size);
    return copy;
}

static fxs_world *new_world(void) {
    fxs_config config = {IDS, IDS * (IDS - 1) / 2, FXS_TOUCHING, {0}};
    memset(config.layers, 0xFF, sizeof config.layers);
    fxs_world *world = malloc((size_t)fxs_world_size(&config));
    REQUIRE(world != NULL && fxs_world_init(world, &config) == FXS_OK);
    return world;
}

/* ---- bodies ---- */

static void check_saved(const fxs_body *body, const uint8_t *table) {
    uint8_t saved[280], again[280];
    const uint64_t size = fxs_body_save_size(body);
    fxs_body other = *body;
    uint64_t at = 0;
    REQUIRE(size <= sizeof saved);
    fxs_body_save(body, saved);
    REQUIRE(fxs_body_load(&other, table, saved, size, &at) == FXS_OK);
    REQUIRE(fxs_body_save_size(&other) == size);
    fxs_body_save(&other, again);
    REQUIRE(memcmp(saved, again, (size_t)size) == 0);
    REQUIRE(fxs_body_hash(body) == fxs_hash64(saved, size, 0));
}

static int32_t change_body(fxs_body *body, const uint8_t *table, fxs_world *world, input *in,
                           fxs_command *rows) {
    fxs_pose pose = {0, 0, 0, 0};
    switch (take(in, 1) % 8) {
    case 0: return fxs_body_start(body, table, world, (uint32_t)take(in, 1) % 5, rows);
    case 1: return fxs_body_cancel(body, table, world, rows);
    case 2: return fxs_body_mirror(body, table, world, (uint32_t)take(in, 1) % 3, rows);
    case 3:
        pose.x = take_int32(in);
        pose.y = take_int32(in);
        pose.z = take_int32(in);
        pose.yaw = (uint32_t)take(in, 2) + (uint32_t)take(in, 1) % 2;
        return fxs_body_set_pose(body, table, world, &pose, rows);
    case 4: return fxs_body_strike(body, (uint32_t)take(in, 1));
    case 5: return fxs_world_remove(world, (uint32_t)take(in, 1) % IDS);
    default: return fxs_body_tick(body, table, world, rows);
    }
}

static void load_body(fxs_body *body, const uint8_t *table, input *in) {
    uint64_t size = take(in, 1) + 24 * (take(in, 1) % 2), at = UINT64_MAX;
    uint8_t state[300] = {'F', 'X', 'B', '1'}, before[280], saved[280];
    for (uint64_t i = 4; i < size; i++) {
        state[i] = (uint8_t)take(in, 1);
    }
    uint8_t *copy = copy_of(state, size);
    fxs_body_save(body, before);
    const uint64_t size_before = fxs_body_save_size(body);
    const int32_t status = fxs_body_load(body, table, copy, size, &at);
    fxs_body_save(body, saved);
    if (status == FXS_OK) {
        REQUIRE(fxs_body_save_size(body) == size && memcmp(saved, copy, (size_t)size) == 0);
    } else {
        REQUIRE(status == FXS_E_STATE && at <= size);
        REQUIRE(fxs_body_save_size(body) == size_before);
        REQUIRE(memcmp(saved, before, (size_t)size_before) == 0);
    }
    free(copy);
}

static void try_table(input *in) {
    static fxs_command rows[FXS_BODY_ROWS];
    const uint64_t left = (uint64_t)(in->end - in->next), wanted = take(in, 2);
    const uint64_t size = left > 2 ? (wanted < left - 2 ? wanted : left - 2) : 0;
    uint8_t *table = copy_of(in->next, size);
    in->next += size;
    uint64_t at = UINT64_MAX;
    if (fxs_frame_data_check(table, size, &at) != FXS_OK) {
        REQUIRE(at <= size);
        free(table);
        return;
    }
    REQUIRE(at == UINT64_MAX && size >= 12);
    fxs_world *world = new_world();
    fxs_body body;
    fxs_pose pose = {0, 0, 0, 0};
    uint32_t ids[FXS_PARTS_MAX];
    for (uint32_t i = 0; i < FXS_PARTS_MAX; i++) {
        ids[i] = IDS - 1 - i;
    }
    REQUIRE(fxs_body_add(&body, table, world, ids, 7, &pose, (uint32_t)take(in, 1) % 2, rows) >= 0);
    while (in->next < in->end) {
        uint8_t before[280];
        const uint64_t hash = fxs_world_hash(world);
        fxs_body_save(&body, before);
        if (change_body(&body, table, world, in, rows) < 0) {
            uint8_t after[280];
            fxs_body_save(&body, after);
            REQUIRE(fxs_world_hash(world) == hash);
            REQUIRE(memcmp(before, after, (size_t)fxs_body_save_size(&body)) == 0);
        }
        check_saved(&body, table);
        REQUIRE(fxs_body_phase(&body, table) <= FXS_PHASE_RECOVERY);
        fxs_body_hit(&body, table);
        fxs_body_can_start(&body, table, (uint32_t)take(in, 1) % 5);
        if (take(in, 1) % 4 == 0) {
            load_body(&body, table, in);
        }
    }
    free(world);
    free(table);
}

/* ---- strikes ---- */

enum { FIGHTERS = 3, MOST_EVENTS = 12, ONE_EACH = FIGHTERS * FIGHTERS };

static void take_fighter(input *in, fxs_body *body, uint32_t first_id) {
    const uint64_t parts = 5 - take(in, 1) % 6 / 2;
    memset(body, 0, sizeof *body);
    for (uint32_t i = 0; i < FXS_PARTS_MAX; i++) {
        body->ids[i] = i < parts ? first_id + i : FXS_NO_PART;
    }
    body->attack = take(in, 1) % 4 ? 0 : FXS_NO_ATTACK;
    body->victim_count = take(in, 1) % 4 ? 0 : FXS_VICTIMS_MAX - (uint32_t)take(in, 1) % 3;
    for (uint32_t i = 0; i < body->victim_count; i++) {
        body->victims[i] = 2 * i + 1; /* owner 1 is struck already */
    }
}

/* The same strikes and the same memory for bodies in any order, and none the second time. */
static void try_strikes(input *in) {
    fxs_world *world = new_world();
    fxs_body bodies[FIGHTERS], turned[FIGHTERS];
    fxs_event events[MOST_EVENTS];
    fxs_strike found[ONE_EACH], of_turned[ONE_EACH], again[ONE_EACH];
    uint32_t owner = 0;
    for (uint32_t id = 0; id < 5 * FIGHTERS; id++) {
        fxs_collider c = {.id = id, .kind = FXS_SPHERE, .active = 1, .size = {1, 0, 0}};
        owner = id % 5 ? owner : (uint32_t)take(in, 1) % 4;
        c.owner = owner; /* of all parts of a fighter */
        c.layer = (uint8_t)(take(in, 1) % 4);
        REQUIRE(take(in, 1) % 16 == 0 || fxs_world_add(world, &c) == FXS_OK);
    }
    for (uint32_t i = 0; i < FIGHTERS; i++) {
        take_fighter(in, &bodies[i], 5 * i);
        turned[(i + 1) % FIGHTERS] = bodies[i];
    }
    const uint64_t n = take(in, 1) % (MOST_EVENTS + 1);
    for (uint64_t i = 0; i < n; i++) {
        const fxs_event e = {(uint32_t)take(in, 1) % 17, (uint32_t)take(in, 1) % 17,
                             (uint32_t)take(in, 1) % 4, 1};
        events[i] = e;
    }
    const uint32_t mask = (uint32_t)take(in, 1);
    const int32_t count = fxs_strikes(world, events, n, mask, bodies, FIGHTERS, found);
    REQUIRE(fxs_strikes(world, events, n, mask, turned, FIGHTERS, of_turned) == count);
    REQUIRE(count == FXS_E_ROOM || (count >= 0 && count <= FIGHTERS * (FIGHTERS - 1)));
    for (int32_t i = 0; i < count; i++) {
        int32_t same = 0;
        for (int32_t j = 0; j < count; j++) {
            same += of_turned[j].attacker == (found[i].attacker + 1) % FIGHTERS &&
                    of_turned[j].victim == (found[i].victim + 1) % FIGHTERS &&
                    of_turned[j].part == found[i].part;
        }
        REQUIRE(same == 1);
        REQUIRE(i == 0 || found[i - 1].attacker < found[i].attacker ||
                (found[i - 1].attacker == found[i].attacker &&
                 found[i - 1].victim < found[i].victim));
    }
    for (uint32_t i = 0; i < FIGHTERS; i++) {
        REQUIRE(memcmp(&bodies[i], &turned[(i + 1) % FIGHTERS], sizeof *bodies) == 0);
    }
    REQUIRE(count < 0 || fxs_strikes(world, events, n, mask, bodies, FIGHTERS, again) == 0);
    free(world);
}

/* ---- rewind ---- */

typedef struct kept {
    uint32_t frame;
    uint64_t size;
    uint8_t own[OWN];
    uint8_t state[STATE];
} kept;

static void try_ring(input *in) {
    static kept all[KEPT]; /* frame f at f % KEPT */
    static fxs_event events[600];
    const uint32_t frames = 1 + (uint32_t)take(in, 1) % FRAMES, own_size = (uint32_t)take(in, 1) % OWN;
    const uint64_t state_size = take(in, 1) % 2 ? STATE : 160 + take(in, 1) * 8;
    const uint64_t size = fxs_rewind_size(frames, own_size, state_size);
    REQUIRE(size > 0);
    fxs_rewind *ring = malloc((size_t)size);
    REQUIRE(ring != NULL && fxs_rewind_init(ring, frames, own_size, state_size) == FXS_OK);
    fxs_world *world = new_world(), *other = new_world();
    uint32_t count = 0, newest = 0, number = 0;
    while (in->next < in->end) {
        const uint32_t what = (uint32_t)take(in, 1);
        fxs_collider c = {0};
        fxs_counts counts;
        switch (what % 4) {
        case 0:
            c.id = what % IDS;
            c.active = 1;
            c.x = (int32_t)(what % 7);
            c.size[0] = 3;
            if (fxs_world_add(world, &c) != FXS_OK) {
                REQUIRE(fxs_world_remove(world, c.id) == FXS_OK);
            }
            break;
        case 1: REQUIRE(fxs_world_step(world, events, 600, &counts) == FXS_OK); break;
        case 2: {
            uint8_t own[OWN];
            for (uint32_t i = 0; i < OWN; i++) {
                own[i] = (uint8_t)(++number);
            }
            const uint32_t frame = fxs_world_frame(world);
            const int is_kept = count && frame <= newest && newest - frame < count;
            const int32_t status = fxs_rewind_push(ring, world, own);
            if (fxs_world_save_size(world) > state_size) {
                REQUIRE(status == FXS_E_ROOM || (count && !is_kept && frame != newest + 1));
                REQUIRE(status < 0);
            } else if (count && !is_kept && frame != newest + 1) {
                REQUIRE(status == FXS_E_ORDER);
            } else {
                REQUIRE(status == FXS_OK);
                count = is_kept ? count - (newest - frame) : count + (count < frames);
                newest = frame;
                kept *k = all + frame % KEPT;
                k->frame = frame;
                k->size = fxs_world_save_size(world);
                fxs_world_save(world, k->state);
                memcpy(k->own, own, OWN);
            }
            break;
        }
        default: {
            const uint32_t frame = newest + 2 - what / 4 % 10;
            fxs_world *to = what & 64 ? other : world;
            uint8_t own[OWN] = {0};
            uint64_t at;
            const uint64_t hash = fxs_world_hash(to);
            const int32_t status = fxs_rewind_load(ring, frame, to, own, &at);
            if (count && frame <= newest && newest - frame < count) {
                const kept *k = all + frame % KEPT;
                REQUIRE(status == FXS_OK && k->frame == frame);
                REQUIRE(memcmp(own, k->own, own_size) == 0);
                REQUIRE(fxs_world_hash(to) == fxs_hash64(k->state, k->size, 0));
            } else {
                REQUIRE(status == FXS_E_RANGE && fxs_world_hash(to) == hash);
            }
        }
        }
        REQUIRE(fxs_rewind_count(ring) == count);
        REQUIRE(!count || fxs_rewind_oldest(ring) == newest - count + 1);
    }
    free(ring);
    free(world);
    free(other);
}

/* ---- recorder ---- */

static void try_text(input *in) {
    static char text[1 << 14];
    static fxs_recorder recorder;
    const uint64_t room = take(in, 1) % 4 ? sizeof text : take(in, 2) % sizeof text;
    const int is_line = take(in, 1) % 2;
    const uint64_t size = (uint64_t)(in->end - in->next);
    char *given = (char *)copy_of(in->next, size);
    fxs_world *world = new_world();
    uint64_t at = UINT64_MAX;
    int32_t status;
    memset(text, 0x5A, sizeof text);
    if (is_line) {
        REQUIRE(fxs_recorder_begin(&recorder, world, NULL, 0, NULL, 0, text, sizeof text, &at) ==
                FXS_OK);
        const uint64_t before = recorder.size;
        status = fxs_recorder_line(&recorder, given, size, text, sizeof text);
        REQUIRE(status == FXS_OK || recorder.size == before);
    } else {
        status = fxs_recorder_begin(&recorder, world, given, size, NULL, 0, text, room, &at);
        REQUIRE(status == FXS_OK || status == FXS_E_TEXT || status == FXS_E_ROOM);
        REQUIRE(status != FXS_E_TEXT || at <= size);
        REQUIRE(status != FXS_OK || (recorder.size <= room && text[0] == '{'));
        for (uint64_t i = room; i < sizeof text; i++) {
            REQUIRE(text[i] == 0x5A);
        }
    }
    free(world);
    free(given);
}

/* ---- numbers ---- */

static __int128 rounded(__int128 n, __int128 d) { /* halves away from zero */
    const int negative = (n < 0) != (d < 0);
    n = n < 0 ? -n : n;
    d = d < 0 ? -d : d;
    n = (2 * n + d) / (2 * d);
    return negative ? -n : n;
}

static void check_number(int32_t status, int32_t found, __int128 expected) {
    const int fits = expected >= INT32_MIN && expected <= INT32_MAX;
    REQUIRE(fits ? status == FXS_OK && found == expected : status == FXS_E_RANGE);
}

static void try_numbers(input *in) {
    while (in->next < in->end) {
        int32_t v[3], w[3], out = 0, vector[3];
        for (int i = 0; i < 3; i++) {
            const uint32_t shift = (uint32_t)take(in, 1) % 32;
            v[i] = take_int32(in) / (int32_t)(1u << (shift < 31 ? shift : 30));
            w[i] = take_int32(in) / (int32_t)(1u << (shift < 31 ? shift : 30));
        }
        const __int128 a = v[0], b = v[1], c = v[2];
        check_number(fxs_mul(v[0], v[1], &out), out, rounded(a * b, 65536));
        if (b != 0) {
            check_number(fxs_div(v[0], v[1], &out), out, rounded(a * 65536, b));
        }
        if (c != 0) {
            check_number(fxs_mul_div(v[0], v[1], v[2], &out), out, rounded(a * b, c));
        }
        const uint32_t fraction = (uint32_t)take(in, 2) + (uint32_t)take(in, 1) % 2;
        check_number(fxs_lerp(v[0], v[1], fraction, &out), out, a + rounded((b - a) * fraction, 65536));
        const __int128 dot = a * w[0] + b * w[1] + c * w[2], square = a * a + b * b + c * c;
        check_number(fxs_dot(v, w, &out), out, rounded(dot, 65536));
        if (fxs_hypot(v[0], v[1], v[2], &out) == FXS_OK) { /* out - 1/2 <= root < out + 1/2 */
            const __int128 twice = 2 * (__int128)out;
            REQUIRE(4 * square < (twice + 1) * (twice + 1));
            REQUIRE(out == 0 || 4 * square >= (twice - 1) * (twice - 1));
        }
        const int32_t status = fxs_slide(v, w, vector);
        if (status == FXS_OK) { /* it does not lead into the surface */
            REQUIRE((__int128)vector[0] * w[0] + (__int128)vector[1] * w[1] +
                        (__int128)vector[2] * w[2] >= 0);
        }
        uint64_t random = take(in, 8);
        const uint64_t count = take(in, 8);
        REQUIRE(count == 0 || fxs_random_below(&random, count) < count);
        int64_t low = v[0], high = v[1], between = 0;
        const int32_t drawn = fxs_random_between(&random, low, high, &between);
        REQUIRE(drawn == (low > high ? FXS_E_RANGE : FXS_OK));
        REQUIRE(drawn < 0 || (between >= low && between <= high));
    }
}

/* ---- differences ---- */

enum { ROWS = 40, WORDS = 512 };

/* Every row of any two byte strings has words, which fit. */
static void try_differences(input *in) {
    static fxs_difference rows[ROWS];
    char words[WORDS];
    const uint64_t left = (uint64_t)(in->end - in->next), wanted = take(in, 2);
    const uint64_t rest = left > 2 ? left - 2 : 0, a_size = wanted < rest ? wanted : rest;
    uint8_t *a = copy_of(in->next, a_size), *b = copy_of(in->next + a_size, rest - a_size);
    const uint64_t b_size = rest - a_size;
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t count = 0, at = UINT64_MAX, end = UINT64_MAX, size = 0;
        const int32_t is_state = fxs_state_end(a, a_size, &end);
        REQUIRE(end <= a_size);
        const int32_t status =
            i == 0   ? fxs_state_differences(a, a_size, b, b_size, rows, ROWS, &count, &at)
            : i == 1 ? fxs_state_differences(a, a_size, a, a_size, rows, ROWS, &count, &at)
            : i == 2 ? fxs_state_fields(a, a_size, rows, ROWS, &count, &at)
                     : fxs_body_differences(a, a_size, b, b_size, rows, ROWS, &count, &at);
        if (status == FXS_E_STATE) {
            REQUIRE(at <= (a_size > b_size ? a_size : b_size) && count <= 1);
            continue;
        }
        REQUIRE(status == (count > ROWS ? FXS_E_ROOM : FXS_OK));
        REQUIRE(i == 3 || (is_state == FXS_OK && end == a_size));
        REQUIRE(i != 1 || count == 0);
        for (uint64_t j = 0; j < count && j < ROWS; j++) {
            REQUIRE(fxs_difference_text(rows + j, NULL, 0, words, WORDS, &size) == FXS_OK);
        }
    }
    free(a);
    free(b);
}

/* ---- explanations ---- */

static void try_explanation(input *in) {
    const fxs_shape a = take_shape(in), b = take_shape(in);
    const uint32_t hit_when = (uint32_t)take(in, 1) % 4;
    fxs_pose at_a, at_b;
    fxs_explanation e;
    take_poses(in, &at_a, &at_b);
    const int32_t contact = fxs_overlap(&a, &at_a, &b, &at_b);
    const int32_t status = fxs_explain_shapes(&a, &at_a, &b, &at_b, hit_when, &e);
    if (contact < 0) {
        REQUIRE(status == contact);
        return;
    }
    if (hit_when != FXS_TOUCHING && hit_when != FXS_OVERLAPPING) {
        REQUIRE(status == FXS_E_HIT_WHEN);
        return;
    }
    const int counts = (uint32_t)contact >= hit_when;
    REQUIRE(status == FXS_OK && e.contact == (uint32_t)contact);
    REQUIRE((e.why == 0) == counts && (e.gap <= 0) == counts);
    REQUIRE(e.grows <= 1 && e.sector <= FXS_SECTOR_HOLE && e.planar <= e.gap);
    static char words[1024];
    uint64_t size = 0;
    REQUIRE(fxs_explanation_text(&e, NULL, NULL, words, sizeof words, &size) == FXS_OK && size > 0);
}

/* ---- history ---- */

enum { PUSH_ROWS = 3, PUSH_EVENTS = 4 };

static void take_events(input *in, fxs_event *events, uint64_t n) {
    static const uint32_t KINDS[] = {FXS_ENTER, FXS_STAY, FXS_EXIT, FXS_GAME_EVENT, 17, 4};
    uint32_t kind = 0;
    for (uint64_t i = 0; i < n; i++) {
        kind = kind + (uint32_t)take(in, 1) % 3;
        events[i].a = (uint32_t)take(in, 1) % 2;
        events[i].b = 2;
        events[i].kind = KINDS[kind < 6 ? kind : 5];
        events[i].contact = (uint32_t)take(in, 1) % 2;
    }
}

/* Whatever is called, a refused push changes no byte, and each frame is confirmed once, in order. */
static void try_history(input *in) {
    const fxs_history_room room = {OWN, STATE, 2, PUSH_EVENTS - 1, 1 + (uint32_t)take(in, 1) % 5,
                                   (uint32_t)take(in, 1) % 3};
    const uint64_t size = fxs_history_size(&room);
    fxs_world *world = new_world();
    fxs_history *history = malloc((size_t)size);
    uint8_t *before = malloc((size_t)size), own[OWN] = {0};
    REQUIRE(history != NULL && before != NULL);
    memset(history, 0, (size_t)size);
    REQUIRE(fxs_history_init(history, &room, world, own) == FXS_OK);
    uint32_t next = 0;
    while (in->next < in->end) {
        fxs_command rows[PUSH_ROWS], commands[PUSH_ROWS];
        fxs_event events[PUSH_EVENTS], taken_back[PUSH_EVENTS], predicted[PUSH_EVENTS];
        fxs_event_changes changes = {0, 0};
        fxs_confirmed found;
        fxs_counts counts;
        int32_t status;
        switch (take(in, 1) % 4) {
        case 0:
            status = fxs_history_settle(history, (uint32_t)take(in, 1));
            REQUIRE(status == FXS_OK || status == FXS_E_RANGE);
            break;
        case 1:
            status = fxs_history_back(history, (uint32_t)take(in, 1), world, own);
            REQUIRE(status == FXS_OK || status == FXS_E_RANGE);
            break;
        case 2:
            while (fxs_history_confirm(history, &found, commands, events) == FXS_OK) {
                REQUIRE(found.frame == next++ && found.commands <= 2);
                REQUIRE(found.events < PUSH_EVENTS && found.game_events <= found.events);
            }
            REQUIRE(fxs_history_first(history) == next);
            break;
        default: {
            const uint64_t n = take(in, 1) % 4, after = take(in, 1) % 3, m = take(in, 1) % 5;
            const uint32_t is_final = (uint32_t)take(in, 1) % 2;
            const uint64_t hash = take(in, 1);
            const fxs_pushed pushed = {hash, n, after, m, is_final, hash % 3 != 0};
            memset(rows, 0, sizeof rows);
            take_events(in, events, m);
            REQUIRE(fxs_world_step(world, NULL, 0, &counts) == FXS_OK);
            memcpy(before, history, (size_t)size);
            status = fxs_history_push(history, world, own, &pushed, rows, events, taken_back,
                                      predicted, &changes);
            REQUIRE(status == FXS_OK || memcmp(before, history, (size_t)size) == 0);
            REQUIRE(changes.taken_back < PUSH_EVENTS && changes.predicted < PUSH_EVENTS);
            REQUIRE(status != FXS_OK || !is_final || changes.predicted == 0);
            if (status != FXS_OK) { /* the world goes back to the head */
                const uint32_t head = fxs_history_head(history);
                if (fxs_history_back(history, head, world, own) != FXS_OK) {
                    uint64_t at;
                    REQUIRE(fxs_rewind_load(fxs_history_states(history), head, world, own, &at) ==
                            FXS_OK);
                }
            }
        }
        }
        REQUIRE(fxs_history_head(history) - next <= room.window);
        REQUIRE(fxs_history_free(history) <= room.window);
    }
    free(before);
    free(history);
    free(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    input in = {bytes, bytes + size};
    const uint64_t part = take(&in, 1);
    if (part >= 250) {
        try_differences(&in);
        return 0;
    }
    if (part >= 245) {
        try_history(&in);
        return 0;
    }
    if (part >= 240) {
        try_explanation(&in);
        return 0;
    }
    if (part >= 235) {
        try_strikes(&in);
        return 0;
    }
    switch (part % 4) {
    case 0: try_table(&in); break;
    case 1: try_ring(&in); break;
    case 2: try_text(&in); break;
    default: try_numbers(&in);
    }
    return 0;
}
