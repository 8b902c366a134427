/* The head of load: the parts it finds lie within the bytes, whatever counts are in them, for every size up to SIZE_MAX_BYTES; nothing
 * else is read. Compiled with FXS_NO_LITTLE_ENDIAN, so that every byte is read by itself. */
#include "derive.c"
#include "world.c"
#include "state.c"

#include "any.h"

#include <stdlib.h>

static const uint8_t *any_bytes(uint64_t *size) {
    *size = nondet_uint64();
    __CPROVER_assume(*size <= SIZE_MAX_BYTES);
    const uint8_t *bytes = malloc((size_t)*size);
    __CPROVER_assume(bytes != NULL);
    return bytes;
}

/*@ load finds its parts within the bytes, whatever the counts in them
    bounds    all bytes of up to 4096
    options   -DSIZE_MAX_BYTES=4096 -DFXS_NO_LITTLE_ENDIAN --unwind 5
    in        state.c
    change    if (size < offset + 4) {
    to        if (size < offset) {
    quick */
void parts_lie_within_the_bytes(void) {
    uint64_t size;
    const uint8_t *bytes = any_bytes(&size);
    parts found = {0};
    uint64_t head = any_in(0, 1) ? HEAD_SIZE + 8 : HEAD_SIZE; /* with a level or without */
    __CPROVER_assume(size >= head);
    uint64_t offset = find_parts(bytes, head, size, &found);
    __CPROVER_assert(offset <= size, "an offset into the bytes");
    if (offset == 0) {
        uint64_t colliders = head + 4, hits = colliders + (uint64_t)COLLIDER_SIZE * found.count + 4;
        uint64_t changed = hits + (uint64_t)HIT_SIZE * found.hit_count + 4;
        __CPROVER_assert(found.colliders == bytes + colliders && found.hits == bytes + hits && found.changed == bytes + changed, "parts");
        __CPROVER_assert(changed + 4 * (uint64_t)found.changed_count == size, "all bytes, and no more");
    }
}

/*@ load reads a state's head within the bytes, and knows symmetric layers
    bounds    all bytes of up to 256
    options   -DSIZE_MAX_BYTES=256 -DFXS_NO_LITTLE_ENDIAN --unwind 34
    in        state.c
    change    if (size < head_size(w) ||
    to        if (size < head_size(w) - 4 || */
void a_head_is_read_within_the_bytes(void) {
    uint64_t size, at;
    uint32_t i = nondet_uint32(), j = nondet_uint32();
    const uint8_t *bytes = any_bytes(&size);
    struct fxs_level level = {0};
    fxs_world w;
    level.hash = nondet_uint64();
    w.level = any_in(0, 1) ? &level : NULL;
    for (uint32_t k = 0; k < 32; k++) {
        w.layers[k] = nondet_uint32();
    }
    __CPROVER_assume(i < 32 && j < 32);
    __CPROVER_assume((w.layers[i] >> j & 1) == (w.layers[j] >> i & 1)); /* as every world's masks are */
    int good = head_good(&w, bytes, size, &at);
    __CPROVER_assert(at <= HEAD_SIZE, "an offset into the head");
    if (good) {
        __CPROVER_assert((read32(bytes + 12 + 4 * i) >> j & 1) == (read32(bytes + 12 + 4 * j) >> i & 1), "layers are symmetric");
        __CPROVER_assert(read32(bytes + 8) == FXS_TOUCHING || read32(bytes + 8) == FXS_OVERLAPPING, "hit_when");
    }
}

/*@ a collider's bytes are the contract's, and are read as they were written
    bounds    all colliders
    options   -DSIZE_MAX_BYTES=256 -DFXS_NO_LITTLE_ENDIAN --unwind 14
    in        state.c
    change    (uint32_t)c.layer << 8
    to        (uint32_t)c.layer << 16
    quick */
void colliders_are_read_as_written(void) {
    placed_shape s;
    anchor where = {nondet_int32(), nondet_int32(), nondet_int32(), nondet_int32(), nondet_int32(), nondet_int32()};
    uint8_t bytes[COLLIDER_SIZE];
    fxs_collider c;
    s.id = nondet_uint32();
    s.kind = (uint8_t)any_in(0, 4);
    s.layer = (uint8_t)any_in(0, 31);
    s.active = (uint8_t)any_in(0, 1);
    s.zero = 0;
    s.yaw = nondet_uint16();
    s.half_angle = nondet_uint16();
    s.owner = nondet_uint32();
    s.size[0] = nondet_int32();
    s.size[1] = nondet_int32();
    s.size[2] = nondet_int32();
    put_collider(bytes, &s, &where);
    __CPROVER_assert(bytes[0] == (s.id & 255) && bytes[3] == s.id >> 24 && bytes[4] == s.kind && bytes[5] == s.layer && bytes[6] == s.active &&
                         bytes[7] == 0 && bytes[8] == (s.yaw & 255) && bytes[11] == s.half_angle >> 8 && bytes[12] == (s.owner & 255),
                     "little-endian, in the contract's order");
    get_collider(bytes, &c);
    __CPROVER_assert(c.id == s.id && c.kind == s.kind && c.layer == s.layer && c.active == s.active && c.zero == 0 && c.yaw == s.yaw &&
                         c.half_angle == s.half_angle && c.owner == s.owner && c.size[0] == s.size[0] && c.size[1] == s.size[1] &&
                         c.size[2] == s.size[2] && c.x == where.x && c.y == where.y && c.z == where.z && c.ox == where.ox &&
                         c.oy == where.oy && c.oz == where.oz,
                     "what was written");
}
