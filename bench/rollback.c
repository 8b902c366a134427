/* Frames of a rollback game, for counting instructions: rollback WHAT COLLIDERS. Only instructions
 * within measured() are counted. Prints the hash of the state at the end. */
#include "fixsync_kit.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEP_SAVE, STEP_PUSH, STEP_SAVE_HASH, STEP_PUSH_CONFIRM, REWIND, HISTORY };
enum { FRAMES = 40, BACK = 8, OWN = 64 };

static fxs_world *world;
static fxs_rewind *ring;
static fxs_history *history;
static fxs_pose *poses;
static fxs_command *rows, *given;
static fxs_event *events, *taken_back, *predicted, *confirmed;
static uint8_t *state, own[OWN];
static uint64_t room;
static uint32_t count;

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

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "rollback WHAT COLLIDERS\n");
        return 2;
    }
    const int what = atoi(argv[1]);
    count = (uint32_t)atoi(argv[2]);
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
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        place(frame);
        if (what < REWIND) {
            measured(what, frame);
            continue;
        }
        const uint64_t n = step();
        check(fxs_rewind_push(ring, world, own));
        push(n, NULL);
    }
    if (what >= REWIND) {
        measured(what, FRAMES - BACK);
    }
    printf("%016llx\n", (unsigned long long)fxs_world_hash(world));
    return 0;
}
