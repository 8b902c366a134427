/* Bytes of a level: refused, or read so that they save as they were; then what a shape meets in the
 * level, one solid at a time and all at once, in a world and without one. The first bytes are the
 * shape, its pose and a motion, the others the level. */
#include "cast.h"
#include "fuzz_read.h"
#include "reference.h"

#include <string.h>

enum { IDS = 512 };

static void *filled(uint64_t size) {
    void *memory = malloc((size_t)size);
    REQUIRE(memory != NULL && size > 0);
    memset(memory, 0xA5, (size_t)size);
    return memory;
}

/* The distance of a hit, with its normal, which both must be those of the reference. */
static int64_t check_hit(const fxs_level *level, const fxs_cast *cast, const uint8_t *solid, const fxs_cast_hit *hit) {
    const uint32_t index = hit->id - FXS_LEVEL;
    const int64_t M[3] = {cast->motion[0], cast->motion[1], cast->motion[2]};
    const int32_t k = (int32_t)hit->fraction;
    placed_shape own;
    int32_t normal[3], expected[3] = {0, 0, 0};
    int64_t distance = 0;
    fxs_place_shape(&own, &cast->shape, &cast->pose);
    if (fxs_level_contact(level, index, &cast->shape, &cast->pose) != FXS_OVERLAPPING) {
        distance = ref_solid_cast_normal(&cast->shape, &cast->pose, cast->motion, solid, k, expected);
    }
    REQUIRE(fxs_solid_hit_normal(&own, level, index, M, k, normal) == distance);
    for (int i = 0; i < 3; i++) {
        REQUIRE(normal[i] == expected[i] && hit->normal[i] == expected[i]);
    }
    return distance;
}

/* `bytes` are those of the level. */
static void check_cast(const fxs_level *level, const uint8_t *bytes, const fxs_cast *cast, uint64_t solids) {
    static const uint8_t *solid_at[IDS];
    static fxs_cast_hit all[IDS], first[1];
    uint64_t count, count_first;
    const int32_t status = fxs_level_cast(level, cast, all, IDS, &count);
    if (status != FXS_OK) {
        REQUIRE(count == 0);
        return;
    }
    REQUIRE(count <= solids && solids <= IDS);
    bytes += 8;
    for (uint64_t i = 0; i < solids; i++) {
        solid_at[i] = bytes;
        bytes += ref_solid_size(bytes);
    }
    int64_t distance_before = 0;
    for (uint64_t i = 0; i < count; i++) {
        REQUIRE(all[i].fraction <= 65536 && all[i].id - FXS_LEVEL < solids);
        const int64_t distance = check_hit(level, cast, solid_at[all[i].id - FXS_LEVEL], all + i);
        if (i > 0 && all[i - 1].fraction == all[i].fraction) {
            REQUIRE(distance_before < distance || (distance_before == distance && all[i - 1].id < all[i].id));
        } else if (i > 0) {
            REQUIRE(all[i - 1].fraction < all[i].fraction);
        }
        distance_before = distance;
    }
    for (uint32_t i = 0; i < solids; i++) { /* contact at the start is a hit with fraction 0 */
        if (fxs_level_contact(level, i, &cast->shape, &cast->pose) >= (int32_t)cast->hit_when) {
            int found = 0;
            for (uint64_t k = 0; k < count; k++) {
                found |= all[k].id == FXS_LEVEL + i && all[k].fraction == 0;
            }
            REQUIRE(found);
        }
    }
    fxs_cast one = *cast;
    one.limit = 1;
    REQUIRE(fxs_level_cast(level, &one, first, 1, &count_first) == FXS_OK);
    REQUIRE(count_first == (count > 0));
    REQUIRE(count == 0 || memcmp(first, all, sizeof first) == 0);
}

static void check_pushes(fxs_world *world, uint32_t solid, const fxs_pose *pose) {
    int32_t t[2], dy;
    if (fxs_world_push_out(world, 0, solid, t) != FXS_OK) {
        return;
    }
    const int is_overlap = fxs_world_contact(world, 0, solid) == FXS_OVERLAPPING;
    REQUIRE((t[0] != 0 || t[1] != 0) == is_overlap);
    const int64_t x = (int64_t)pose->x + t[0], z = (int64_t)pose->z + t[1];
    if (x == (int32_t)x && z == (int32_t)z) {
        REQUIRE(fxs_world_move(world, 0, (int32_t)x, pose->y, (int32_t)z) == FXS_OK);
        REQUIRE(fxs_world_contact(world, 0, solid) != FXS_OVERLAPPING);
        REQUIRE(fxs_world_move(world, 0, pose->x, pose->y, pose->z) == FXS_OK);
    }
    if (fxs_world_lift(world, 0, solid, &dy) == FXS_OK) {
        const int64_t y = (int64_t)pose->y + dy;
        if (y == (int32_t)y) {
            REQUIRE(fxs_world_move(world, 0, pose->x, (int32_t)y, pose->z) == FXS_OK);
            REQUIRE(fxs_world_contact(world, 0, solid) != FXS_OVERLAPPING);
            REQUIRE(fxs_world_move(world, 0, pose->x, pose->y, pose->z) == FXS_OK);
        }
    }
    fxs_world_side(world, 0, solid);
}

static void check_world(const fxs_level *level, const fxs_query *q, const uint32_t *ids,
                        uint64_t count, uint64_t solids) {
    fxs_config config = {1, IDS, FXS_TOUCHING, {1}};
    for (int i = 1; i < 32; i++) {
        config.layers[0] |= (uint32_t)1 << i;
        config.layers[i] = 1;
    }
    fxs_world *world = filled(fxs_world_size(&config));
    REQUIRE(fxs_world_init(world, &config) == FXS_OK);
    REQUIRE(fxs_world_attach(world, level) == FXS_OK);
    fxs_collider c = {0};
    c.kind = (uint8_t)q->shape.kind;
    c.half_angle = (uint16_t)q->shape.half_angle;
    memcpy(c.size, q->shape.size, sizeof c.size);
    c.active = 1;
    c.yaw = (uint16_t)q->pose.yaw;
    c.x = q->pose.x;
    c.y = q->pose.y;
    c.z = q->pose.z;
    REQUIRE(fxs_world_add(world, &c) == FXS_OK);
    static fxs_event events[IDS];
    static fxs_hit hits[IDS];
    fxs_counts counts;
    REQUIRE(fxs_world_step(world, events, IDS, &counts) == FXS_OK && counts.hits == count);
    fxs_world_hits(world, hits);
    for (uint64_t i = 0; i < count; i++) {
        REQUIRE(hits[i].b == ids[i] && events[i].b == ids[i] && events[i].kind == FXS_ENTER);
    }
    uint64_t at, size = fxs_world_save_size(world), hash = fxs_world_hash(world);
    uint8_t *state = filled(size);
    fxs_world_save(world, state);
    REQUIRE(fxs_world_load(world, state, size, &at) == FXS_OK && fxs_world_hash(world) == hash);
    free(state);
    for (uint32_t i = 0; i < solids && i < 4; i++) {
        check_pushes(world, FXS_LEVEL + i, &q->pose);
    }
    free(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length) {
    static uint32_t ids[IDS];
    input in = {data, data + length};
    const fxs_shape shape = take_shape(&in);
    REQUIRE(fxs_shape_check(&shape) == ref_shape_check(&shape)); /* also that it knows each kind */
    const int32_t x = take_int32(&in), y = take_int32(&in), z = take_int32(&in);
    const fxs_pose pose = {x, y, z, (uint32_t)take(&in, 2)};
    const int32_t mx = take_size(&in), my = take_size(&in), mz = take_size(&in);
    const fxs_cast cast = {
        shape, pose, {mx, my, mz}, UINT32_MAX, 0, 0, 1 + (uint32_t)take(&in, 1) % 2};
    /* A copy of its own, so that reading past it is seen. */
    const uint64_t size = (uint64_t)(in.end - in.next);
    uint8_t *bytes = filled(size ? size : 1);
    memcpy(bytes, in.next, (size_t)size);
    bytes = realloc(bytes, size ? (size_t)size : 1);
    fxs_level *level = filled(fxs_level_size(bytes, size));
    uint64_t at = UINT64_MAX;
    const int32_t status = fxs_level_init(level, bytes, size, &at);
    REQUIRE(status == FXS_OK || (status == FXS_E_LEVEL && at <= size));
    if (status == FXS_OK) {
        const uint32_t solids = fxs_level_count(level);
        uint8_t *saved = filled(fxs_level_save_size(level));
        fxs_level_save(level, saved);
        REQUIRE(fxs_level_save_size(level) == size && memcmp(saved, bytes, (size_t)size) == 0);
        REQUIRE(fxs_level_hash(level) == fxs_hash64(bytes, size, 0));
        free(saved);
        const fxs_query q = {shape, pose, UINT32_MAX, 0, 0};
        uint64_t count = 0;
        if (fxs_level_query(level, &q, FXS_TOUCHING, ids, IDS, &count) == FXS_OK) {
            uint64_t met = 0;
            for (uint32_t i = 0; i < solids; i++) {
                if (fxs_level_contact(level, i, &shape, &pose) >= FXS_TOUCHING) {
                    REQUIRE(met < count && ids[met] == FXS_LEVEL + i);
                    met++;
                }
            }
            REQUIRE(met == count);
            check_cast(level, bytes, &cast, solids);
            check_world(level, &q, ids, count, solids);
        } else {
            REQUIRE(count == 0);
        }
    }
    free(level);
    free(bytes);
    return 0;
}
