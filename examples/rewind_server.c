/* A server that rewinds: players shoot at the world that they saw some frames ago.
 *
 *     cc -I csrc examples/rewind_server.c csrc/[a-z]*.c csrc/kit/[a-z]*.c -o server && ./server
 *
 * A target runs past. Shooter n sees the world 3n frames late, and aims at where it saw the target.
 * For each shot the server prints the id that the ray meets now, and the one at that frame. */
#include "fixsync_kit.h"

#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 120, KEPT = 32, CAPACITY = 4, HIT_ROOM = 4, TARGET = 0, WALL = 1 };

static void *room(uint64_t size) {
    void *memory = size ? malloc((size_t)size) : NULL;
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

static void must(int32_t status) {
    if (status < 0) {
        fprintf(stderr, "a call returned status %d\n", status);
        exit(1);
    }
}

static fxs_world *new_world(void) {
    fxs_config config = {CAPACITY, HIT_ROOM, FXS_TOUCHING, {0}};
    fxs_world *world = room(fxs_world_size(&config));
    must(fxs_world_init(world, &config));
    return world;
}

/* Where the target is in a frame: it runs 1/8 unit a frame along X. */
static int32_t target_x(uint32_t frame) { return FXS_Q(-8) + (int32_t)frame * FXS_Q_RATIO(1, 8); }

/* The id that a ray from the shooter to a point of the target's path meets first, or -1. */
static int64_t shot(fxs_world *world, int32_t at_x) {
    fxs_cast ray = {{FXS_SPHERE, 0, {1, 0, 0}},
                    {0, 0, FXS_Q(-10), 0},
                    {2 * at_x, 0, FXS_Q(20)},
                    UINT32_MAX,
                    0,
                    1,
                    0};
    fxs_cast_hit hit;
    uint64_t count;
    must(fxs_world_cast(world, &ray, &hit, 1, &count));
    return count ? (int64_t)hit.id : -1;
}

int main(void) {
    fxs_world *world = new_world(), *past = new_world();
    const uint64_t state_size = 160 + 56 * CAPACITY + 12 * HIT_ROOM;
    fxs_rewind *ring = room(fxs_rewind_size(KEPT, 0, state_size));
    must(fxs_rewind_init(ring, KEPT, 0, state_size));

    fxs_collider target = {.id = TARGET, .kind = FXS_CAPSULE, .active = 1, .x = target_x(0)};
    target.size[0] = FXS_Q_RATIO(3, 8);
    target.size[1] = FXS_Q_RATIO(1, 2);
    fxs_collider wall = {.id = WALL, .kind = FXS_BOX, .active = 1, .z = FXS_Q(2)};
    wall.size[0] = wall.size[1] = FXS_Q(1);
    wall.size[2] = FXS_Q_RATIO(1, 4);
    must(fxs_world_add(world, &target));
    must(fxs_world_add(world, &wall));
    must(fxs_rewind_push(ring, world, NULL));

    uint32_t hits_now = 0, hits_then = 0, too_old = 0;
    for (uint32_t frame = 1; frame <= FRAMES; frame++) {
        fxs_event events[2 * HIT_ROOM];
        fxs_counts counts;
        must(fxs_world_move(world, TARGET, target_x(frame), 0, 0));
        must(fxs_world_step(world, events, 2 * HIT_ROOM, &counts));
        must(fxs_rewind_push(ring, world, NULL));
        if (frame % 10 != 0) {
            continue;
        }
        uint32_t late = frame / 10 * 3, seen = frame > late ? frame - late : 0;
        uint64_t at, before = fxs_world_hash(world);
        int32_t status = fxs_rewind_load(ring, seen, past, NULL, &at);
        if (status == FXS_E_RANGE) {
            printf("frame %u: frame %u is no longer kept, from %u on\n", frame, seen,
                   fxs_rewind_oldest(ring));
            too_old++;
            continue;
        }
        must(status);
        int64_t now = shot(world, target_x(seen)), then = shot(past, target_x(seen));
        printf("frame %u: a shot at frame %u meets %lld now, %lld then\n", frame, seen,
               (long long)now, (long long)then);
        hits_now += now == TARGET;
        hits_then += then == TARGET;
        if (fxs_world_hash(world) != before) {
            fprintf(stderr, "a look into the past changed the present\n");
            return 1;
        }
    }
    printf("%u hits without rewinding, %u with it, %u too old; %llu bytes for %u frames\n",
           hits_now, hits_then, too_old,
           (unsigned long long)fxs_rewind_size(KEPT, 0, state_size), fxs_rewind_count(ring));
    free(world);
    free(past);
    free(ring);
    return 0;
}
