/* Frames of a rollback game, for counting instructions: rollback WHAT COLLIDERS PLAYERS. Only
 * instructions within measured() are counted. Prints the hash of the state at the end. */
#include "fixsync_kit.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEP_SAVE, STEP_PUSH, STEP_SAVE_HASH, STEP_PUSH_CONFIRM, REWIND, HISTORY, LOOP, PEER };
enum { FRAMES = 40, BACK = 8, OWN = 64, WINDOW = 16, PLAYERS_MAX = 4 };

static fxs_world *world;
static fxs_rewind *ring;
static fxs_history *history;
static fxs_pose *poses;
static fxs_command *rows, *given;
static fxs_event *events, *taken_back, *predicted, *confirmed;
static uint8_t *state, own[OWN];
static uint64_t room;
static uint32_t count, players;
static fxs_inputs *inputs;
static fxs_rollback *peers[2]; /* the second one is not measured */
static fxs_world *worlds[2];
static int64_t values[PLAYERS_MAX];

static void check(int32_t status) {
    if (status < 0) {
        fprintf(stderr, "status %d\n", (int)status);
        exit(1);
    }
}

static void *memory(uint64_t size) {
    void *found = calloc(1, size);
    if (found == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return found;
}

/* Where the colliders are in a frame: rows of spheres that move to and fro, so that hits begin and
 * end. */
static void place(uint32_t frame) {
    for (uint32_t i = 0; i < count; i++) {
        const int32_t sway = (int32_t)(frame * (i % 7) % 16) * 4096;
        poses[i].x = (int32_t)(i % 32) * 80000 + sway;
        poses[i].z = (int32_t)(i / 32) * 80000;
        rows[i].type = FXS_COMMAND_POSE;
        rows[i].collider.id = i;
        rows[i].collider.x = poses[i].x;
        rows[i].collider.z = poses[i].z;
    }
}

static uint64_t step(void) {
    uint64_t bad;
    fxs_counts found;
    check(fxs_world_apply(world, rows, count, &bad));
    check(fxs_world_step(world, events, room, &found));
    return found.events;
}

static void push(uint64_t n, const uint64_t *hash) {
    const fxs_pushed pushed = {hash != NULL ? *hash : 0, count, 0, n, 0, hash != NULL};
    fxs_event_changes changes;
    check(fxs_history_push(history, world, own, &pushed, rows, events, taken_back, predicted,
                           &changes));
}

static void confirm(void) {
    fxs_confirmed found;
    check(fxs_history_settle(history, fxs_history_head(history)));
    while (fxs_history_confirm(history, &found, given, confirmed) == FXS_OK) {
    }
}

/* The input of a player: it changes every eight frames. */
static int64_t pressed(uint32_t player, uint32_t frame) { return frame / BACK * (player + 1) % 7; }

static uint64_t play(uint32_t frame) {
    place(frame);
    for (uint32_t i = 0; i < count; i++) {
        rows[i].collider.x += (int32_t)values[i % players] * 512;
    }
    return step();
}

/* A tick as a game with inputs and a history of its own has it. */
static void tick_loop(uint32_t now) {
    const uint32_t redo = fxs_inputs_redo(inputs), known = fxs_inputs_confirmed(inputs);
    check(fxs_history_settle(history, redo < known ? redo : known));
    if (redo != fxs_history_head(history)) {
        check(fxs_history_back(history, redo, world, own));
    }
    for (uint32_t f = redo; f <= now; f++) {
        check(fxs_inputs_take(inputs, f, values));
        push(play(f), NULL);
    }
    fxs_confirmed found;
    while (fxs_history_confirm(history, &found, given, confirmed) == FXS_OK) {
    }
}

/* The same with a peer. */
static void tick_peer(uint32_t me, const int64_t *local) {
    fxs_rollback_request asked;
    fxs_event_changes changes;
    world = worlds[me];
    check(fxs_rollback_tick(peers[me], local));
    do {
        check(fxs_rollback_next(peers[me], world, own, &asked, values, given, confirmed));
        if (asked.type == FXS_ROLLBACK_STEP) {
            const fxs_pushed pushed = {.command_count = count, .event_count = play(asked.frame)};
            check(fxs_rollback_push(peers[me], world, own, &pushed, 0, rows, events, taken_back,
                                    predicted, &changes));
        }
    } while (asked.type != FXS_ROLLBACK_NONE);
}

__attribute__((noinline)) static void measured(int what, uint32_t frame) {
    uint64_t at, hash;
    switch (what) {
    case STEP_SAVE:
        step();
        fxs_world_save(world, state);
        return;
    case STEP_PUSH: push(step(), NULL); return;
    case STEP_SAVE_HASH:
        step();
        fxs_world_save(world, state);
        fxs_world_hash(world);
        return;
    case STEP_PUSH_CONFIRM: {
        const uint64_t n = step();
        hash = fxs_world_hash(world);
        push(n, &hash);
        confirm();
        return;
    }
    case REWIND: check(fxs_rewind_load(ring, frame, world, own, &at)); break;
    case HISTORY: check(fxs_history_back(history, frame, world, own)); break;
    case LOOP: tick_loop(frame); return;
    case PEER: {
        const int64_t local = pressed(0, frame);
        tick_peer(0, &local);
        return;
    }
    }
    for (uint32_t i = 0; i < BACK; i++) {
        const uint64_t n = step();
        if (what == REWIND) {
            check(fxs_rewind_push(ring, world, own));
        } else {
            push(n, NULL);
        }
    }
}

/* The first player is here; inputs of the others come eight frames late. */
static void play_loop(void) {
    inputs = memory(fxs_inputs_size(players, 2 * WINDOW));
    check(fxs_inputs_init(inputs, players, 2 * WINDOW, 0));
    for (uint32_t frame = 0; frame < 3 * FRAMES; frame++) {
        check(fxs_inputs_put(inputs, 0, frame, pressed(0, frame)));
        for (uint32_t i = 1; i < players && frame >= BACK; i++) {
            check(fxs_inputs_put(inputs, i, frame - BACK, pressed(i, frame - BACK)));
        }
        measured(LOOP, frame);
    }
}

static void play_peers(uint64_t state_size, const fxs_config *config) {
    static uint8_t flight[2][BACK + 1][FXS_PACKET_SIZE];
    static uint64_t sizes[2][BACK + 1];
    fxs_rollback_settings settings = {.own_size = OWN,
                                      .state_size = state_size,
                                      .command_room = count,
                                      .event_room = room,
                                      .past = 0,
                                      .players = players,
                                      .numbers = 1,
                                      .prediction_max = WINDOW};
    worlds[0] = world;
    worlds[1] = memory(fxs_world_size(config));
    check(fxs_world_init(worlds[1], config));
    check(fxs_world_copy(worlds[1], world));
    for (uint32_t me = 0; me < 2; me++) {
        settings.random[0] = (uint8_t)me;
        for (uint32_t i = 0; i < players; i++) {
            settings.peers[i] = (i != 0) != (me != 0);
        }
        peers[me] = memory(fxs_rollback_size(&settings));
        check(fxs_rollback_init(peers[me], &settings, worlds[me], own));
    }
    for (uint32_t i = 0; i < 4; i++) { /* they greet each other */
        uint8_t *bytes = flight[0][0];
        check(fxs_rollback_packet(peers[i % 2], 1, bytes, FXS_PACKET_SIZE, &sizes[0][0]));
        check(fxs_rollback_receive(peers[1 - i % 2], 1, bytes, sizes[0][0]));
    }
    for (uint32_t frame = 0; frame < 3 * FRAMES; frame++) {
        int64_t others[PLAYERS_MAX];
        for (uint32_t i = 1; i < players; i++) {
            others[i - 1] = pressed(i, frame);
        }
        for (uint32_t me = 0; me < 2 && frame > BACK - 1; me++) {
            const uint32_t at = (frame - BACK) % (BACK + 1);
            check(fxs_rollback_receive(peers[me], 1, flight[1 - me][at], sizes[1 - me][at]));
        }
        measured(PEER, frame);
        tick_peer(1, others);
        for (uint32_t me = 0; me < 2; me++) {
            const uint32_t at = frame % (BACK + 1);
            check(
                fxs_rollback_packet(peers[me], 1, flight[me][at], FXS_PACKET_SIZE, &sizes[me][at]));
        }
    }
    world = worlds[0];
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "rollback WHAT COLLIDERS PLAYERS\n");
        return 2;
    }
    const int what = atoi(argv[1]);
    count = (uint32_t)atoi(argv[2]);
    players = (uint32_t)atoi(argv[3]);
    fxs_config config = {count, 8 * count, FXS_TOUCHING, {0}};
    config.layers[0] = 1;
    world = memory(fxs_world_size(&config));
    check(fxs_world_init(world, &config));
    room = 16 * (uint64_t)count;
    const uint64_t state_size = 160 + 56 * (uint64_t)count + 12 * 8 * (uint64_t)count;
    const fxs_history_room sizes = {OWN, state_size, count, room, FRAMES + BACK, 0};
    state = memory(state_size);
    poses = memory(count * sizeof *poses);
    rows = memory(count * sizeof *rows);
    given = memory(count * sizeof *given);
    events = memory(room * sizeof *events);
    taken_back = memory(room * sizeof *taken_back);
    predicted = memory(room * sizeof *predicted);
    confirmed = memory(room * sizeof *confirmed);
    place(0);
    for (uint32_t i = 0; i < count; i++) {
        fxs_collider c = {0};
        c.id = i;
        c.active = 1;
        c.size[0] = 40000;
        c.x = poses[i].x;
        c.z = poses[i].z;
        check(fxs_world_add(world, &c));
    }
    ring = memory(fxs_rewind_size(FRAMES + BACK, OWN, state_size));
    history = memory(fxs_history_size(&sizes));
    check(fxs_rewind_init(ring, FRAMES + BACK, OWN, state_size));
    check(fxs_rewind_push(ring, world, own));
    check(fxs_history_init(history, &sizes, world, own));
    if (what == LOOP) {
        play_loop();
    } else if (what == PEER) {
        play_peers(state_size, &config);
    }
    for (uint32_t frame = 0; frame < FRAMES && what < LOOP; frame++) {
        place(frame);
        if (what < REWIND) {
            measured(what, frame);
            continue;
        }
        const uint64_t n = step();
        check(fxs_rewind_push(ring, world, own));
        push(n, NULL);
    }
    if (what == REWIND || what == HISTORY) {
        measured(what, FRAMES - BACK);
    }
    printf("%016llx\n", (unsigned long long)fxs_world_hash(world));
    return 0;
}
