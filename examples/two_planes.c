/* Hitboxes with a ground view and a side view: the first program of docs/cookbook.md.
 *
 *     cc -I csrc examples/two_planes.c csrc/[a-z]*.c csrc/kit/[a-z]*.c -o planes && ./planes */
#include "fixsync_kit.h"

#include <stdio.h>

static uint64_t memory[2048];
static fxs_world *const world = (fxs_world *)memory;

static int32_t change(uint32_t type, fxs_hitbox hitbox) {
    fxs_planes_command command = {type, 0, hitbox};
    fxs_command rows[2];
    uint64_t bad;
    return fxs_planes_apply(world, &command, 1, rows, &bad);
}

static void move(fxs_hitbox *hitbox, int32_t x, int32_t y, int32_t z) {
    hitbox->x = x;
    hitbox->y = y;
    hitbox->z = z;
    change(FXS_COMMAND_MOVE, *hitbox);
}

static void step(const char *what) {
    static const char *const KINDS[] = {"", "ENTER", "STAY", "EXIT"};
    fxs_event events[64], joined[64];
    fxs_counts counts;
    uint64_t n = 0;
    fxs_world_step(world, events, 64, &counts);
    fxs_planes_events(world, events, counts.events, joined, &n);
    printf("%s:", what);
    for (uint64_t i = 0; i < n; i++) {
        printf(" %s", KINDS[joined[i].kind]);
    }
    printf("\n");
}

int main(void) {
    fxs_config config = {16, 64, FXS_TOUCHING, {1 << 1, 1 << 0}}; /* layer 0 meets layer 1 */
    if (fxs_planes_config(&config, &config) != FXS_OK ||
        fxs_world_size(&config) > sizeof memory || fxs_world_init(world, &config) != FXS_OK) {
        return 1;
    }
    const int32_t unit = FXS_ONE;
    const fxs_hitbox torso = {.id = 1, .kind = FXS_CYLINDER, .active = 1, .y = unit,
                              .ground = {unit / 2}, .side = {unit / 2, unit}};
    fxs_hitbox fist = {.id = 2, .kind = FXS_BOX, .layer = 1, .active = 1,
                       .x = 5 * unit / 4, .y = unit,
                       .ground = {3 * unit / 4, unit / 4}, .side = {3 * unit / 4, unit / 4}};
    fxs_hitbox knife = {.id = 3, .kind = FXS_CYLINDER, .layer = 1, .active = 1,
                        .x = -8 * unit, .y = unit, .z = -unit,
                        .ground = {unit / 4}, .side = {unit / 8, unit / 8}};
    change(FXS_COMMAND_ADD, torso);
    change(FXS_COMMAND_ADD, fist);
    step("edges touch");
    move(&fist, 9 * unit / 8, unit, 5 * unit / 8);
    step("behind the torso's side");
    move(&fist, unit, 5 * unit / 2, 0);
    step("jumped over");
    move(&fist, unit / 2, unit, unit / 2);
    int32_t push[2], way[3];
    fxs_hitbox_push_out(&fist, &torso, push);
    printf("push the fist out by %d %d\n", push[0], push[1]);

    change(FXS_COMMAND_REMOVE, fist);
    change(FXS_COMMAND_ADD, knife);
    const int32_t motion[3] = {16 * unit, 0, 2 * unit};
    fxs_cast_hit hits[16];
    uint64_t count;
    if (fxs_planes_sweep(world, 3, motion, 1, 0, hits, 16, &count) != FXS_OK || count != 1) {
        return 1;
    }
    fxs_along(motion, hits[0].fraction, hits[0].normal, way);
    move(&knife, knife.x + way[0], knife.y + way[1], knife.z + way[2]);
    printf("the knife meets %u after %u / 65536, at %d %d %d\n", (unsigned)hits[0].id,
           (unsigned)hits[0].fraction, knife.x, knife.y, knife.z);
    return 0;
}
