/* A character that walks onto a step, off it, and along a wall: the program of docs/movement.md.
 *
 *     cc -I csrc examples/walk.c csrc/[a-z]*.c csrc/kit/[a-z]*.c -o walk && ./walk */
#include "fixsync_kit.h"

#include <stdio.h>
#include <string.h>

static uint64_t memory[2048];

static void add(fxs_world *world, uint32_t id, uint8_t kind, int32_t x, int32_t y, int32_t a,
                int32_t b, int32_t c) {
    fxs_collider collider = {
        .id = id, .kind = kind, .active = 1, .x = x, .y = y, .size = {a, b, c}};
    fxs_world_add(world, &collider);
}

int main(void) {
    fxs_config config = {8, 16, FXS_TOUCHING, {0}};
    fxs_world *world = (fxs_world *)memory;
    memset(config.layers, 255, sizeof config.layers);
    if (fxs_world_size(&config) > sizeof memory || fxs_world_init(world, &config) != FXS_OK) {
        return 1;
    }
    add(world, 1, FXS_CAPSULE, 0, FXS_Q_RATIO(5, 4), FXS_Q_RATIO(3, 8), FXS_Q_RATIO(1, 2), 0);
    add(world, 2, FXS_BOX, 0, FXS_Q(-1), FXS_Q(20), FXS_Q(1), FXS_Q(20));
    add(world, 3, FXS_BOX, FXS_Q(2), 0, FXS_Q(1), FXS_Q_RATIO(1, 4), FXS_Q(4));
    add(world, 4, FXS_BOX, FXS_Q(6), 0, FXS_Q(1), FXS_Q(4), FXS_Q(9));

    fxs_mover mover = {1, 0, 4, FXS_Q_RATIO(3, 8), FXS_Q_RATIO(3, 8), 759250125, 0};
    fxs_mover_result result = {0};
    fxs_cast_hit hits[5]; /* passes + 1 */
    uint32_t flags = UINT32_MAX, floor = 0;
    for (int frame = 0; frame < 48; frame++) {
        int32_t fall = result.motion[1] - FXS_Q_RATIO(1, 64);
        const int32_t motion[3] = {FXS_Q_RATIO(1, 8), fall, FXS_Q_RATIO(1, 16)};
        if (fxs_mover_move(world, &mover, motion, &result, hits) != FXS_OK) {
            return 1;
        }
        if (result.flags != flags || result.floor != floor) {
            printf("frame %d floor, step, wall: %u %d %d at %d %d %d\n", frame,
                   (unsigned)result.floor, (result.flags & FXS_STEPPED) != 0,
                   (result.flags & FXS_ON_WALL) != 0, (int)result.x, (int)result.y, (int)result.z);
        }
        flags = result.flags;
        floor = result.floor;
    }
    return 0;
}
