/* The frames of frames.rs in C: `frames COLLIDERS FRAMES` prints the last hash. callgrind counts
 * the instructions of frames() alone. */
#include "fixsync.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fxs_event events[1 << 16];
static fxs_command rows[1000];

static int32_t x_of(uint32_t id, uint32_t frame) {
    return (int32_t)(id % 32 * 98304 + (frame + id) % 64 * 512);
}

__attribute__((noinline)) void frames(fxs_world *world, uint32_t n, uint32_t count) {
    for (uint32_t frame = 0; frame < count; frame++) {
        for (uint32_t id = 0; id < n; id++) {
            memset(&rows[id], 0, sizeof rows[id]);
            rows[id].type = FXS_COMMAND_MOVE;
            rows[id].collider.id = id;
            rows[id].collider.x = x_of(id, frame);
            rows[id].collider.z = (int32_t)(id / 32 * 98304);
        }
        uint64_t bad;
        fxs_counts counts;
        if (fxs_world_apply(world, rows, n, &bad) != FXS_OK ||
            fxs_world_step(world, events, sizeof events / sizeof events[0], &counts) != FXS_OK) {
            abort();
        }
        for (uint32_t id = 0; id < n; id++) {
            if (fxs_world_turn(world, id, (frame + id) * 512 % 65536) != FXS_OK) {
                abort();
            }
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        return 2;
    }
    const uint32_t n = (uint32_t)atoi(argv[1]);
    fxs_config config = {n, 4096, FXS_TOUCHING, {0}};
    memset(config.layers, 255, sizeof config.layers);
    fxs_world *world = malloc((size_t)fxs_world_size(&config));
    if (world == NULL || fxs_world_init(world, &config) != FXS_OK) {
        return 2;
    }
    for (uint32_t id = 0; id < n; id++) {
        fxs_collider body = {.id = id, .active = 1, .kind = FXS_BOX, .size = {65536, 65536, 65536}};
        body.x = x_of(id, 0);
        body.z = (int32_t)(id / 32 * 98304);
        if (fxs_world_add(world, &body) != FXS_OK) {
            return 2;
        }
    }
    frames(world, n, (uint32_t)atoi(argv[2]));
    printf("%016llx\n", (unsigned long long)fxs_world_hash(world));
    free(world);
    return 0;
}
