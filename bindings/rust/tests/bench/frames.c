/* The frames of frames.rs in C: `frames COLLIDERS FRAMES` prints the last hash and a sum of the small
 * calls. callgrind counts the instructions of frames(), get(), move(), query() and mul() alone. */
#include "fixsync_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fxs_event events[1 << 16];
static fxs_command rows[1000];
static uint32_t ids[1000];

enum { CALLS = 10000 };

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

/* The row is in memory for whoever reads it. */
#define USED(row) __asm__ volatile("" : : "r"(&(row)) : "memory")

__attribute__((noinline)) uint64_t get(const fxs_world *world, uint32_t n) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        fxs_collider row;
        if (fxs_world_get(world, i % n, &row) != FXS_OK) {
            abort();
        }
        USED(row);
        sum += row.owner + (uint32_t)row.x;
    }
    return sum;
}

__attribute__((noinline)) void move(fxs_world *world, uint32_t n) {
    for (uint32_t i = 0; i < CALLS; i++) {
        if (fxs_world_move(world, i % n, (int32_t)i, 0, 0) != FXS_OK) {
            abort();
        }
    }
}

__attribute__((noinline)) uint64_t query(fxs_world *world) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        fxs_query row = {{FXS_SPHERE, 0, {1, 0, 0}}, {(int32_t)i, 0, 0, 0}, 1, 0, 0};
        uint64_t count;
        if (fxs_world_query(world, &row, ids, sizeof ids / sizeof ids[0], &count) != FXS_OK) {
            abort();
        }
        sum += count;
    }
    return sum;
}

__attribute__((noinline)) uint64_t mul(void) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        int32_t out;
        if (fxs_mul((int32_t)i * 100, 70000, &out) != FXS_OK) {
            abort();
        }
        sum += (uint32_t)out;
    }
    return sum;
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
    uint64_t sum = get(world, n) + mul();
    move(world, n);
    printf("%llu\n", (unsigned long long)(sum + query(world)));
    free(world);
    return 0;
}
