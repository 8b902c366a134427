/* The frames of Bench.cs in C: "n bulk single hash", nanoseconds. */
#include "fixsync.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void) {
    static const int counts[] = {16, 100, 1000};
    static fxs_event events[8192];
    static uint32_t ids[1000];
    static int32_t to[64][3000];
    for (int k = 0; k < 3; k++) {
        const int n = counts[k];
        fxs_config config = {(uint32_t)n, 4096, FXS_TOUCHING, {0}};
        for (int i = 0; i < 32; i++) {
            config.layers[i] = UINT32_MAX;
        }
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
        for (int frame = 0; frame < 64; frame++) {
            for (int i = 0; i < n; i++) {
                to[frame][3 * i] = i % 32 * 98304 + (frame + i) % 64 * 512;
                to[frame][3 * i + 2] = i / 32 * 98304;
            }
        }
        const int frames = 100000 / n;
        double bulk = 1e18, single = 1e18;
        for (int round = 0; round < 120; round++) {
            uint64_t bad;
            fxs_counts found;
            double start = now();
            for (int frame = 0; frame < frames; frame++) {
                fxs_world_move_many(world, ids, to[frame % 64], (uint64_t)n, &bad);
                fxs_world_step(world, events, 8192, &found);
            }
            double took = (now() - start) / frames;
            bulk = took < bulk ? took : bulk;
            start = now();
            for (int call = 0; call < 50000; call++) {
                const int32_t *at = to[0] + 3 * (call % n);
                fxs_world_move(world, ids[call % n], at[0], at[1], at[2]);
            }
            took = (now() - start) / 50000;
            single = took < single ? took : single;
        }
        printf("%d %.0f %.1f %016llx\n", n, bulk, single,
               (unsigned long long)fxs_world_hash(world));
        free(world);
    }
    return 0;
}
