/* Bytes in, shapes and poses out. */
#ifndef FIXSYNC_TESTS_FUZZ_READ_H
#define FIXSYNC_TESTS_FUZZ_READ_H

#include "fuzz.h"
#include "shape.h"

typedef struct input {
    const uint8_t *next, *end;
} input;

static inline uint64_t take(input *in, int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) {
        v |= (uint64_t)(in->next < in->end ? *in->next++ : 0) << 8 * i;
    }
    return v;
}

static inline int32_t to_signed(uint32_t v) { return v <= INT32_MAX ? (int32_t)v : -(int32_t)(UINT32_MAX - v) - 1; }
static inline int32_t take_int32(input *in) { return to_signed((uint32_t)take(in, 4)); }

/* A size of any magnitude: what is left of four bytes after a shift. */
static inline int32_t take_size(input *in) {
    uint32_t shift = (uint32_t)take(in, 1) % 32;
    return to_signed((uint32_t)take(in, 4) >> shift);
}

static inline fxs_shape take_shape(input *in) {
    fxs_shape s = {(uint32_t)take(in, 1) % (KIND_COUNT + 1), 0, {0, 0, 0}}; /* or none of them */
    const struct kind *kind = fxs_kinds + s.kind;
    for (int i = 0; i < (s.kind < KIND_COUNT ? kind->size_count + kind->has_hole : 3); i++) {
        s.size[i] = take_size(in);
    }
    if (s.kind == FXS_SECTOR) {
        s.half_angle = (uint32_t)take(in, 2) + (uint32_t)take(in, 1) % 2;
        if (s.size[0] > 0 && s.half_angle % 4) { /* mostly one that fits, often none */
            s.size[2] = s.half_angle % 2 ? s.size[2] % s.size[0] : 0;
        }
    }
    return s;
}

/* b at a small distance from a, or anywhere. */
static inline void take_poses(input *in, fxs_pose *a, fxs_pose *b) {
    int32_t at[6];
    uint32_t shift = (uint32_t)take(in, 1) % 40;
    for (int i = 0; i < 3; i++) {
        at[i] = take_int32(in);
    }
    for (int i = 0; i < 3; i++) {
        int64_t v = shift < 32 ? (int64_t)at[i] + take_int32(in) / ((int32_t)1 << (shift < 31 ? shift : 30)) : take_int32(in);
        at[3 + i] = v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : (int32_t)v;
    }
    fxs_pose pa = {at[0], at[1], at[2], (uint32_t)take(in, 2)}, pb = {at[3], at[4], at[5], (uint32_t)take(in, 2)};
    if (shift % 4 == 3) {
        pb.yaw = (pa.yaw + pb.yaw % 8 * 8192) % 65536;
    }
    *a = pa;
    *b = pb;
}

#endif
