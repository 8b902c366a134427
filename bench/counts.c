/* Runs a scene that counts.py wrote, for counting instructions: counts SCENE WHAT [RUNS]. Only
 * instructions within measured() are counted. Prints the hash of the state at the end, or the least
 * nanoseconds of so many runs: of a frame, or of the call. */
#include "fixsync_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The C library picks its own by the processor, so counts would differ between machines. */
typedef uint64_t word __attribute__((may_alias, aligned(1)));

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    uint8_t *t = to;
    const uint8_t *f = from;
    for (; size >= 8; size -= 8, t += 8, f += 8) {
        *(volatile word *)t = *(const word *)f;
    }
    while (size--) {
        *(volatile uint8_t *)t++ = *f++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    uint8_t *t = to;
    const uint8_t *f = from;
    if (t <= f) {
        return memcpy(to, from, size);
    }
    while (size--) {
        *(volatile uint8_t *)(t + size) = f[size];
    }
    return to;
}

void *memset(void *to, int value, size_t size) {
    uint8_t *t = to;
    uint64_t eight = (uint8_t)value * UINT64_C(0x0101010101010101);
    for (; size >= 8; size -= 8, t += 8) {
        *(volatile word *)t = eight;
    }
    while (size--) {
        *(volatile uint8_t *)t++ = (uint8_t)value;
    }
    return to;
}

typedef struct task {
    fxs_world *world;
    fxs_level *level;
    fxs_event *events;
    uint64_t event_room;
    uint32_t *ids;
    fxs_pose *poses;
    uint32_t moving, frames;
    fxs_query *queries;
    uint64_t *ends;
    uint32_t *found;
    uint64_t query_count, found_room;
    uint8_t *state;
    uint64_t state_size, hash;
    fxs_cast_hit *met;
} task;

enum { FRAME, QUERIES, SAVE, LOAD, HASH, ROLLBACK, ASKS, WALKS, LEVEL_CASTS, LEAPS, RIDES };

static void check(int32_t status) {
    if (status != FXS_OK) {
        fprintf(stderr, "status %d\n", (int)status);
        exit(1);
    }
}

static void frame(task *t, const fxs_pose *poses) {
    uint64_t bad;
    fxs_counts counts;
    check(fxs_world_set_pose_many(t->world, t->ids, poses, t->moving, &bad));
    check(fxs_world_step(t->world, t->events, t->event_room, &counts));
}

static void ask(task *t, uint64_t i) {
    const fxs_query *q = t->queries + i;
    const int32_t motion[3] = {4 * 65536, 0, 65536};
    const uint32_t id = t->ids[i % t->moving];
    fxs_cast cast = {q->shape, q->pose, {4 * 65536, 0, 65536}, q->mask, 0, 1, 0};
    uint64_t count;
    fxs_pose pose = q->pose;
    pose.x += 65536;
    check(fxs_world_set_pose(t->world, id, &pose));
    switch (i % 4) {
    case 0:
        check(fxs_world_query(t->world, q, t->found, t->found_room, &count));
        break;
    case 1:
        check(fxs_world_nearest(t->world, q, 4, t->found, t->found_room, &count));
        break;
    case 2:
        check(fxs_world_cast(t->world, &cast, t->met, t->found_room, &count));
        break;
    default:
        check(fxs_world_sweep(t->world, id, motion, 1, 0, t->met, t->found_room, &count));
    }
}

/* A frame of a character: the collider of a query falls and goes ahead. */
static void walk(task *t, uint64_t i, uint32_t one_way) {
    const uint32_t id = (uint32_t)(i * t->moving / t->query_count), mask = one_way ? ~one_way : 0;
    const fxs_mover mover = {id, mask, 4, FXS_ONE / 4, FXS_ONE / 4, 759250125, one_way};
    const int32_t motion[3] = {FXS_ONE / 4, -FXS_ONE / 8, FXS_ONE / 8};
    fxs_mover_result result;
    check(fxs_mover_move(t->world, &mover, motion, &result, t->met));
}

/* A frame of platforms: every eighth collider moves, and may take the next seven along. */
static void ride(task *t, uint64_t i) {
    fxs_mover movers[7];
    fxs_carried rows[7];
    const int32_t motion[3] = {FXS_ONE / 4, FXS_ONE / 8, FXS_ONE / 8};
    const uint32_t id = (uint32_t)(i * 8 % (t->moving / 8 * 8));
    for (uint32_t j = 0; j < 7; j++) {
        const fxs_mover mover = {id + 1 + j, UINT32_MAX, 4, 0, 0, 759250125, 0};
        movers[j] = mover;
    }
    check(fxs_carry(t->world, &id, 1, motion, movers, 7, rows));
}

/* Every shape goes towards the middle of the level. */
static void cast_at_level(task *t, const fxs_query *q) {
    fxs_cast cast = {q->shape, q->pose, {0, FXS_ONE / 8, 0}, q->mask, 0, 0, FXS_TOUCHING};
    uint64_t count;
    cast.motion[0] = q->pose.x < 0 ? 4 * FXS_ONE : -4 * FXS_ONE;
    cast.motion[2] = q->pose.z < 0 ? FXS_ONE : -FXS_ONE;
    check(fxs_level_cast(t->level, &cast, t->met, t->found_room, &count));
}

/* Counting is switched on where this begins and off where it ends. */
__attribute__((noinline)) void measured(task *t, int what) {
    uint64_t count;
    switch (what) {
    case FRAME:
        frame(t, t->poses);
        break;
    case ROLLBACK:
        check(fxs_world_load(t->world, t->state, t->state_size, &count));
        for (uint32_t i = 0; i < t->frames; i++) {
            frame(t, t->poses + (uint64_t)i * t->moving);
        }
        break;
    case ASKS:
        for (uint64_t i = 0; i < t->query_count; i++) {
            ask(t, i);
        }
        break;
    case WALKS:
        for (uint64_t i = 0; i < t->query_count; i++) {
            walk(t, i, 0);
        }
        break;
    case LEAPS:
        for (uint64_t i = 0; i < t->query_count; i++) {
            walk(t, i, 1);
        }
        break;
    case RIDES:
        for (uint64_t i = 0; i < t->query_count; i++) {
            ride(t, i);
        }
        break;
    case LEVEL_CASTS:
        for (uint64_t i = 0; i < t->query_count; i++) {
            cast_at_level(t, t->queries + i);
        }
        break;
    case QUERIES:
        check(fxs_world_query_many(t->world, t->queries, t->query_count, t->ends, t->found,
                                   t->found_room, &count));
        break;
    case SAVE:
        fxs_world_save(t->world, t->state);
        break;
    case LOAD:
        check(fxs_world_load(t->world, t->state, t->state_size, &count));
        break;
    default:
        t->hash = fxs_world_hash(t->world);
    }
}

static int64_t now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Of `runs` runs. */
static int64_t least_time(task *t, int what, int runs) {
    const fxs_pose *first = t->poses;
    int64_t least = INT64_MAX;
    while (runs--) {
        const int64_t began = now();
        for (uint32_t i = 0; i < (what == FRAME ? t->frames : 1); i++) {
            t->poses = (fxs_pose *)(uintptr_t)(first + (uint64_t)i * t->moving);
            measured(t, what);
        }
        t->poses = (fxs_pose *)(uintptr_t)first;
        const int64_t taken = now() - began;
        least = taken < least ? taken : least;
    }
    return least / (what == FRAME ? t->frames : 1);
}

static void *get(FILE *file, uint64_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory || fread(memory, 1, size, file) != size) {
        fprintf(stderr, "the scene ends early\n");
        exit(1);
    }
    return memory;
}

static uint32_t number(FILE *file) {
    uint32_t *read = get(file, 4), value = *read;
    free(read);
    return value;
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 || argc == 4 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "counts SCENE WHAT [RUNS]\n");
        return 2;
    }
    int what = atoi(argv[2]);
    task t = {0};
    fxs_config *config = get(file, sizeof *config);
    uint64_t bad, size = fxs_world_size(config);
    t.world = malloc(size);
    t.event_room = 2 * (uint64_t)config->hit_capacity;
    t.events = malloc(t.event_room * sizeof *t.events);
    t.found_room = 64 * (uint64_t)config->capacity;
    t.found = malloc(t.found_room * sizeof *t.found);
    if (!t.world || !t.events || !t.found) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    check(fxs_world_init(t.world, config));
    uint32_t level_size = number(file);
    if (level_size) {
        uint8_t *level = get(file, level_size);
        t.level = malloc(fxs_level_size(level, level_size));
        check(fxs_level_init(t.level, level, level_size, &bad));
        check(fxs_world_attach(t.world, t.level));
    }
    uint32_t count = number(file);
    fxs_collider *colliders = get(file, sizeof *colliders * (uint64_t)count);
    check(fxs_world_add_many(t.world, colliders, count, &bad));
    t.query_count = number(file);
    t.queries = get(file, sizeof *t.queries * t.query_count);
    t.ends = malloc(8 * (t.query_count + 1));
    t.frames = number(file);
    t.moving = number(file);
    t.ids = get(file, 4 * (uint64_t)t.moving);
    fxs_pose *poses = get(file, sizeof *poses * t.frames * t.moving);
    t.met = malloc(t.found_room * sizeof *t.met);
    t.state_size = fxs_world_save_size(t.world);
    t.state = malloc(t.state_size);
    fxs_world_save(t.world, t.state);
    for (uint32_t i = 0; i < t.frames; i++) {
        t.poses = poses + (uint64_t)i * t.moving;
        if (what == FRAME) {
            measured(&t, FRAME);
        } else {
            frame(&t, t.poses);
        }
    }
    t.poses = poses;
    t.hash = fxs_world_hash(t.world);
    if (what != ROLLBACK) {
        t.state_size = fxs_world_save_size(t.world);
        t.state = realloc(t.state, t.state_size);
        fxs_world_save(t.world, t.state);
    }
    if (what != FRAME) {
        measured(&t, what);
    }
    if (argc == 4) {
        printf("%lld\n", (long long)least_time(&t, what, atoi(argv[3])));
        return 0;
    }
    if (what < ASKS || what == LEVEL_CASTS) { /* others leave colliders moved */
        t.hash = fxs_world_hash(t.world);
    }
    printf("%016llx\n", (unsigned long long)t.hash);
    return 0;
}
