/* The kernel on many threads, for a race detector: worlds apart, then one world with several readers. With an
 * argument, one world that two threads play, which must be reported. */
#include "fixsync.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, READERS = 4, COUNT = 80, FRAMES = 20 };

static void require(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static uint32_t next(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static fxs_world *new_world(uint32_t seed) {
    fxs_config config = {COUNT, COUNT * COUNT, FXS_TOUCHING, {0}};
    for (int i = 0; i < FXS_LAYER_COUNT; i++) {
        config.layers[i] = UINT32_MAX;
    }
    fxs_world *world = malloc((size_t)fxs_world_size(&config));
    require(world != NULL && fxs_world_init(world, &config) == FXS_OK, "no world");
    for (uint32_t id = 0; id < COUNT; id++) {
        fxs_collider c = {0};
        c.id = id;
        c.kind = (uint8_t)(id % 5);
        c.active = 1;
        c.yaw = (uint16_t)next(&seed);
        c.half_angle = c.kind == FXS_SECTOR ? 8000 : 0;
        c.x = (int32_t)(next(&seed) % 20000);
        c.z = (int32_t)(next(&seed) % 20000);
        c.size[0] = 1500;
        c.size[1] = c.kind == FXS_SPHERE ? 0 : 700;
        c.size[2] = c.kind == FXS_BOX ? 900 : 0;
        require(fxs_world_add(world, &c) == FXS_OK, "not added");
    }
    return world;
}

/* Uses everything that a world can do, and returns its hash. */
static uint64_t play(fxs_world *world, uint32_t seed) {
    static _Thread_local fxs_event events[2 * COUNT * COUNT];
    uint32_t ids[COUNT];
    for (int frame = 0; frame < FRAMES; frame++) {
        fxs_counts counts;
        fxs_moved moved[COUNT];
        uint32_t yields[FXS_LAYER_COUNT] = {1};
        uint64_t count;
        int32_t x = (int32_t)(next(&seed) % 20000);
        require(fxs_world_move(world, next(&seed) % COUNT, x, 0, x) == FXS_OK, "not moved");
        require(fxs_world_step(world, events, 2 * COUNT * COUNT, &counts) == FXS_OK, "not stepped");
        fxs_query query = {{FXS_SPHERE, 0, {3000, 0, 0}}, {x, 0, 5000, 0}, UINT32_MAX, 0, 0};
        require(fxs_world_query(world, &query, ids, COUNT, &count) == FXS_OK, "not answered");
        fxs_cast cast = {{FXS_SPHERE, 0, {100, 0, 0}}, {0, 0, x, 0}, {20000, 0, 0}, UINT32_MAX, 0, 0, FXS_TOUCHING};
        fxs_cast_hit hits[COUNT];
        require(fxs_world_cast(world, &cast, hits, COUNT, &count) == FXS_OK, "not cast");
        require(fxs_world_separate(world, yields, 1, moved, COUNT, &count) == FXS_OK, "not separated");
        uint64_t size = fxs_world_save_size(world);
        uint8_t *state = malloc((size_t)size);
        require(state != NULL, "no memory");
        fxs_world_save(world, state);
        require(fxs_world_load(world, state, size, &count) == FXS_OK, "not loaded");
        free(state);
    }
    return fxs_world_hash(world);
}

typedef struct job {
    fxs_world *world;
    uint32_t seed;
    uint64_t hash;
} job;

static void *player(void *argument) {
    job *j = argument;
    j->hash = play(j->world, j->seed);
    return NULL;
}

/* Calls every function that takes a const world. */
static void *reader(void *argument) {
    job *j = argument;
    const fxs_world *world = j->world;
    uint32_t ids[COUNT];
    fxs_collider colliders[COUNT], one;
    fxs_config config;
    int32_t out[2];
    uint64_t hits = fxs_world_hit_count(world), size = fxs_world_save_size(world);
    fxs_hit *found = malloc((size_t)(hits * sizeof *found + 1));
    uint8_t *state = malloc((size_t)size);
    fxs_world_config(world, &config);
    fxs_world *copy = malloc((size_t)fxs_world_size(&config));
    require(found != NULL && state != NULL && copy != NULL, "no memory");
    require(fxs_world_init(copy, &config) == FXS_OK, "no copy");
    for (int i = 0; i < FRAMES; i++) {
        require(fxs_world_frame(world) == FRAMES && fxs_world_count(world) == COUNT, "another world");
        require(fxs_world_get(world, 7, &one) == FXS_OK, "none got");
        fxs_world_ids(world, ids);
        fxs_world_colliders(world, colliders);
        fxs_world_hits(world, found);
        fxs_world_save(world, state);
        require(fxs_world_contact(world, 0, 1) >= 0, "no contact");
        require(fxs_world_push_out(world, 0, 1, out) == FXS_OK, "no push");
        require(fxs_world_lift(world, 0, 1, out) == FXS_OK, "no lift");
        require(fxs_world_side(world, 0, 3) >= 0, "no side");
        require(fxs_world_copy(copy, world) == FXS_OK, "not copied");
        require(fxs_world_hash(copy) == fxs_world_hash(world), "another hash");
    }
    j->hash = fxs_world_hash(world);
    free(copy);
    free(state);
    free(found);
    return NULL;
}

static void run(void *(*body)(void *), job *jobs, int count) {
    pthread_t threads[THREADS];
    for (int i = 0; i < count; i++) {
        require(pthread_create(&threads[i], NULL, body, &jobs[i]) == 0, "no thread");
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}

int main(int argc, char **argv) {
    job jobs[THREADS];
    (void)argv;
    if (argc > 1) {
        jobs[0].world = jobs[1].world = new_world(1);
        jobs[0].seed = 1;
        jobs[1].seed = 2;
        run(player, jobs, 2);
        return 0;
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        jobs[i].world = new_world(i / 2);
        jobs[i].seed = i / 2;
    }
    run(player, jobs, THREADS);
    for (int i = 0; i < THREADS; i += 2) {
        require(jobs[i].hash == jobs[i + 1].hash, "the same world came to two hashes");
        require(i == 0 || jobs[i].hash != jobs[0].hash, "other worlds came to one hash");
    }
    for (int i = 0; i < READERS; i++) {
        jobs[i].world = jobs[0].world;
    }
    run(reader, jobs, READERS);
    printf("%d threads, each with a world; %d readers of one world\n", (int)THREADS, (int)READERS);
    return 0;
}
