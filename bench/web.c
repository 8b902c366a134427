/* The native side of web.py: `web COUNT FRAMES ROUNDS` moves COUNT spheres FRAMES times in a round.
 * It prints the nanoseconds of a frame's moves and step in the fastest round, and the hash. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fixsync_kit.h"

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv) {
    uint32_t count = argc > 3 ? (uint32_t)atoi(argv[1]) : 16;
    uint32_t frames = argc > 3 ? (uint32_t)atoi(argv[2]) : 1;
    uint32_t rounds = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
    uint32_t width = 1;
    while (width * width < 4 * count) {
        width++;
    }
    uint64_t random = 1, least = UINT64_MAX, bad;
    int32_t *places = malloc(sizeof *places * 3 * count * (frames + 1));
    for (uint32_t i = 0; i < 3 * count; i++) {
        uint64_t far = (uint64_t)width * FXS_ONE;
        places[i] = i % 3 == 1 ? 0 : (int32_t)fxs_random_below(&random, far);
    }
    for (uint32_t i = 3 * count; i < 3 * count * (frames + 1); i++) {
        int32_t by = i % 3 == 1 ? 0 : (int32_t)fxs_random_below(&random, FXS_ONE / 4) - FXS_ONE / 8;
        places[i] = places[i - 3 * count] + by;
    }
    fxs_config config = {.capacity = count, .hit_capacity = 16 * count, .hit_when = FXS_TOUCHING};
    memset(config.layers, 255, sizeof config.layers);
    fxs_world *world = malloc((size_t)fxs_world_size(&config));
    fxs_event *events = malloc(sizeof *events * 32 * count);
    uint32_t *ids = malloc(sizeof *ids * count);
    fxs_world_init(world, &config);
    for (uint32_t id = 0; id < count; id++) {
        fxs_collider one = {.id = id, .kind = FXS_SPHERE, .active = 1, .size = {FXS_ONE / 2}};
        ids[id] = id;
        fxs_world_add(world, &one);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        uint64_t start = now();
        for (uint32_t frame = 0; frame <= frames; frame++) {
            fxs_counts counts;
            fxs_world_move_many(world, ids, places + (size_t)3 * count * frame, count, &bad);
            fxs_world_step(world, events, 32 * (uint64_t)count, &counts);
        }
        uint64_t taken = (now() - start) / (frames + 1);
        least = taken < least ? taken : least;
    }
    printf("%llu %llu\n", (unsigned long long)least, (unsigned long long)fxs_world_hash(world));
    return 0;
}
