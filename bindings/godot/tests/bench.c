/* The frames of bench.gd in C: "name nanoseconds" a line. */
#include "fixsync_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static fxs_event events[8192], taken_back[64], predicted[64];
static uint32_t ids[1000];
static int32_t to[64][3000];

static fxs_world *arena(int n) {
    fxs_config config = {(uint32_t)n, 4096, FXS_TOUCHING, {0}};
    memset(config.layers, 0xFF, sizeof config.layers);
    fxs_world *world = malloc(fxs_world_size(&config));
    fxs_world_init(world, &config);
    for (int i = 0; i < n; i++) {
        fxs_collider body = {.id = (uint32_t)i, .active = 1};
        ids[i] = (uint32_t)i;
        body.x = i % 32 * 98304;
        body.z = i / 32 * 98304;
        body.size[0] = 65536;
        fxs_world_add(world, &body);
    }
    for (int frame = 0; frame < 64; frame++)
        for (int i = 0; i < n; i++) {
            to[frame][3 * i] = i % 32 * 98304 + (frame + i) % 64 * 512;
            to[frame][3 * i + 2] = i / 32 * 98304;
        }
    return world;
}

static void frame(fxs_world *world, int n, int at, fxs_counts *found) {
    uint64_t bad;
    fxs_world_move_many(world, ids, to[at % 64], (uint64_t)n, &bad);
    fxs_world_step(world, events, 8192, found);
}

int main(void) {
    static const int counts[] = {16, 100, 1000};
    fxs_counts found;
    for (int k = 0; k < 3; k++) {
        fxs_world *world = arena(counts[k]);
        double best = 1e18;
        for (int round = 0; round < 40; round++) {
            int frames = 40000 / counts[k];
            double start = now();
            for (int at = 0; at < frames; at++)
                frame(world, counts[k], at, &found);
            double took = (now() - start) / frames;
            best = took < best ? took : best;
        }
        printf("frame_of_%d %.0f\n", counts[k], best);
        free(world);
    }
    fxs_world *world = arena(16);
    frame(world, 16, 0, &found);
    fxs_history_room room = {4, 4096, 64, 64, 16, 0};
    fxs_history *history = malloc(fxs_history_size(&room));
    uint8_t own[4] = {0};
    fxs_history_init(history, &room, world, own);
    double best = 1e18;
    for (int round = 0; round < 3000; round++) {
        double start = now();
        fxs_event_changes changes;
        fxs_history_back(history, 1, world, own);
        for (int at = 1; at < 9; at++) {
            frame(world, 16, at + round, &found);
            const fxs_pushed pushed = {.event_count = found.events};
            fxs_history_push(history, world, own, &pushed, NULL, events, taken_back, predicted,
                             &changes);
        }
        double took = now() - start;
        best = took < best ? took : best;
    }
    printf("rollback_of_8 %.0f\n", best);
    return 0;
}
