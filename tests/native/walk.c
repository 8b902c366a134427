/* Characters walk about in random levels: `walk SEED FRAMES`. A level is a closed room with walls
 * at any angle, acute wedges, pillars, steps and low ceilings; a few colliders stand in it. After
 * every frame the character overlaps nothing and is still in the room, and the same frame after a
 * load gives the same bytes. Prints what it did, or the first fault; exit code 1 for a fault. */
#include "fixsync_kit.h"
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ONE FXS_ONE
#define SOLIDS_MAX 40
#define COLLIDERS 6
#define ROOM (12 * ONE)
#define CEILING (20 * ONE)
#define LEVEL_ID ((uint32_t)1 << 31)

static uint64_t state;
static uint8_t bytes[1 << 14], before[1 << 12], after[1 << 12];
static uint32_t size, solid_count;
static _Alignas(8) uint64_t level_memory[1 << 13], world_memory[1 << 13];

static int32_t below(int32_t n) { return (int32_t)fxs_random_below(&state, (uint64_t)n); }
static int32_t within(int32_t n) { return below(2 * n + 1) - n; }

static void put(uint32_t value, int count) {
    for (int i = 0; i < count; i++) {
        bytes[size++] = (uint8_t)(value >> (8 * i));
    }
}

static void put_prism(uint32_t n, const int32_t (*v)[2], int32_t low, int32_t high) {
    put(5, 1);
    put(0, 1);
    put(n, 2);
    put((uint32_t)low, 4);
    put((uint32_t)high, 4);
    for (uint32_t i = 0; i < n; i++) {
        put((uint32_t)v[i][0], 4);
        put((uint32_t)v[i][1], 4);
    }
    solid_count++;
}

static void put_box(int32_t x, int32_t z, int32_t half_x, int32_t half_z, int32_t low,
                    int32_t high) {
    const int32_t v[4][2] = {{x - half_x, z - half_z},
                             {x + half_x, z - half_z},
                             {x + half_x, z + half_z},
                             {x - half_x, z + half_z}};
    put_prism(4, v, low, high);
}

static void put_pillar(int32_t x, int32_t z, int32_t radius, int32_t low, int32_t high) {
    put(2, 1);
    put(0, 1);
    put(0, 2);
    put((uint32_t)low, 4);
    put((uint32_t)high, 4);
    put((uint32_t)x, 4);
    put((uint32_t)z, 4);
    put((uint32_t)radius, 4);
    solid_count++;
}

/* A wall along any direction, as thin as a raw unit or two. */
static void put_wall(int32_t x, int32_t z, int32_t low, int32_t high) {
    uint32_t yaw = (uint32_t)below(65536);
    int32_t half = ONE / 4 + below(4 * ONE), thin = 2 + below(ONE / 2), ux, uz, wx, wz;
    fxs_forward(yaw, half, &ux, &uz);
    fxs_forward(yaw + 16384, thin, &wx, &wz);
    const int32_t v[4][2] = {{x - ux - wx, z - uz - wz},
                             {x + ux - wx, z + uz - wz},
                             {x + ux + wx, z + uz + wz},
                             {x - ux + wx, z - uz + wz}};
    put_prism(4, v, low, high);
}

/* A triangle that may be acute. Its corners lie in the order of growing yaw. */
static void put_wedge(int32_t x, int32_t z, int32_t low, int32_t high) {
    uint32_t yaw = (uint32_t)below(65536);
    int32_t v[3][2];
    for (int i = 0; i < 3; i++) {
        fxs_forward(yaw, ONE / 2 + below(3 * ONE), &v[i][0], &v[i][1]);
        v[i][0] += x;
        v[i][1] += z;
        yaw += 12000 + (uint32_t)below(14000);
    }
    put_prism(3, v, low, high);
}

static void make_bytes(void) {
    size = solid_count = 0;
    put(0x314C5846, 4); /* FXL1 */
    put(0, 4);
    put_box(0, 0, ROOM + 4 * ONE, ROOM + 4 * ONE, -ONE, 0);
    put_box(0, 0, ROOM + 4 * ONE, ROOM + 4 * ONE, CEILING, CEILING + ONE);
    for (int side = -1; side <= 1; side += 2) {
        put_box(side * (ROOM + ONE), 0, ONE, ROOM + 3 * ONE, -ONE, CEILING + ONE);
        put_box(0, side * (ROOM + ONE), ROOM + 3 * ONE, ONE, -ONE, CEILING + ONE);
    }
    while (solid_count < 10 + (uint32_t)below(SOLIDS_MAX - 10)) {
        int32_t x = within(ROOM), z = within(ROOM), low = 0, high = 0;
        switch (below(4)) {
        case 0: high = 1 + below(ONE); break;                        /* a step */
        case 1: high = 1 + below(6 * ONE); break;                    /* a wall */
        case 2: low = below(4 * ONE), high = low + 1 + below(ONE); break; /* a shelf */
        default: high = ONE / 4 * (1 + below(4)); break;             /* stairs */
        }
        switch (below(4)) {
        case 0: put_box(x, z, 1 + below(3 * ONE), 1 + below(3 * ONE), low, high); break;
        case 1: put_pillar(x, z, 1 + below(2 * ONE), low, high); break;
        case 2: put_wall(x, z, low, high); break;
        default: put_wedge(x, z, low, high); break;
        }
    }
    for (int i = 0; i < 4; i++) {
        bytes[4 + i] = (uint8_t)(solid_count >> (8 * i));
    }
}

static fxs_collider a_collider(uint32_t id) {
    fxs_collider c;
    memset(&c, 0, sizeof c);
    c.id = id;
    c.kind = (uint8_t)body_kind((uint32_t)below(BODY_KIND_COUNT));
    c.active = 1;
    c.yaw = (uint16_t)below(65536);
    c.x = within(ROOM);
    c.y = ONE + below(3 * ONE);
    c.z = within(ROOM);
    c.size[0] = ONE / 8 + below(ONE);
    c.size[1] = has_half_height(c.kind) ? ONE / 8 + below(ONE) : 0;
    c.size[2] = has_half_z(c.kind) ? ONE / 8 + below(ONE) : 0;
    return c;
}

static int is_inside(fxs_world *world) {
    for (uint32_t i = 0; i < solid_count; i++) {
        if (fxs_world_contact(world, 0, LEVEL_ID + i) == FXS_OVERLAPPING) {
            return 1;
        }
    }
    for (uint32_t id = 1; id < COLLIDERS; id++) {
        if (fxs_world_contact(world, 0, id) == FXS_OVERLAPPING) {
            return 1;
        }
    }
    return 0;
}

static int32_t falls_of(uint32_t flags, int32_t falls) {
    if (flags & FXS_ON_FLOOR) {
        return below(100) ? -ONE / 60 : ONE / 4 + below(ONE / 4); /* a jump */
    }
    return flags & FXS_ON_CEILING && falls > 0 ? 0 : falls > -ONE ? falls - ONE / 60 : falls;
}

typedef struct tally {
    uint64_t frames, floors, walls, ceilings, steps, still;
} tally;

/* A character in a new level, for so many frames. NULL, or what went wrong. */
static const char *walk(uint64_t frames, tally *t) {
    fxs_config config = {COLLIDERS, 64, FXS_OVERLAPPING, {0}};
    fxs_level *level = (fxs_level *)(void *)level_memory;
    fxs_world *world = (fxs_world *)(void *)world_memory;
    uint64_t at;
    memset(config.layers, 255, sizeof config.layers);
    make_bytes();
    if (fxs_level_size(bytes, size) > sizeof level_memory ||
        fxs_world_size(&config) > sizeof world_memory) {
        return "no room";
    }
    if (fxs_level_init(level, bytes, size, &at) != FXS_OK) {
        return NULL; /* a wall that is too thin to be convex */
    }
    fxs_world_init(world, &config);
    fxs_world_attach(world, level);
    for (uint32_t id = 0; id < COLLIDERS; id++) {
        fxs_collider c = a_collider(id);
        fxs_world_add(world, &c);
    }
    if (is_inside(world)) {
        return NULL;
    }
    fxs_mover mover = {0};
    mover.passes = 2 + (uint32_t)below(5);
    mover.step_height = below(3) ? ONE / 4 + below(ONE / 4) : 0;
    mover.snap = below(3) ? ONE / 4 : 0;
    mover.floor_y_q30 = below(4) ? 759250125 : 1 << 30;
    uint32_t flags = 0, yaw = 0, held = 0;
    int32_t falls = 0, speed = 0;
    for (uint64_t frame = 0; frame < frames; frame++) {
        if (frame % 8 == 0) {
            yaw = (uint32_t)below(65536);
            speed = below(10) ? below(ONE / 4) : below(30 * ONE);
        }
        int32_t motion[3];
        fxs_mover_result result, again;
        fxs_cast_hit hits[66];
        falls = falls_of(flags, falls);
        fxs_forward(yaw, speed, motion, motion + 2);
        motion[1] = falls;
        fxs_world_save(world, before);
        uint64_t saved = fxs_world_save_size(world);
        fxs_collider old, now;
        fxs_world_get(world, 0, &old);
        if (fxs_mover_move(world, &mover, motion, &result, hits) != FXS_OK) {
            return "a status";
        }
        fxs_world_get(world, 0, &now);
        if (is_inside(world)) {
            return "the character is inside something";
        }
        if (now.x < -ROOM || now.x > ROOM || now.z < -ROOM || now.z > ROOM || now.y < 0 ||
            now.y > CEILING) {
            return "the character left the room";
        }
        if (result.flags & (FXS_STUCK | FXS_PUSHED)) {
            return "the character was pushed";
        }
        fxs_world_save(world, after);
        fxs_world_load(world, before, saved, &at);
        fxs_mover_move(world, &mover, motion, &again, hits);
        fxs_world_save(world, before);
        if (memcmp(before, after, saved) != 0 || memcmp(&again, &result, sizeof result) != 0) {
            return "the same frame went another way";
        }
        flags = result.flags;
        t->frames++;
        t->floors += (flags & FXS_ON_FLOOR) != 0;
        t->walls += (flags & FXS_ON_WALL) != 0;
        t->ceilings += (flags & FXS_ON_CEILING) != 0;
        t->steps += (flags & FXS_STEPPED) != 0;
        held = speed > 64 && now.x == old.x && now.z == old.z && now.y == old.y ? held + 1 : 0;
        t->still += held > 0;
        if (held == 80) {
            return "the character is stuck: ten directions led nowhere";
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t frames = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    tally t = {0};
    while (t.frames < frames) {
        state = seed;
        const char *fault = walk(200, &t);
        if (fault != NULL) {
            printf("seed %llu: %s\n", (unsigned long long)seed, fault);
            return 1;
        }
        seed++;
    }
    printf("%llu frames: %llu on a floor, %llu at walls, %llu at ceilings, %llu steps, %llu still\n",
           (unsigned long long)t.frames, (unsigned long long)t.floors, (unsigned long long)t.walls,
           (unsigned long long)t.ceilings, (unsigned long long)t.steps,
           (unsigned long long)t.still);
    return 0;
}
