/* Loops without Python: touching the data and sorting it once, which every broad phase must do. */
#include <stdint.h>
#include <string.h>

/* Copies n records of 32 bytes, then sorts n keys of 32 bits in three passes of 11, 11 and 10 bits.
 * spare has room for n keys, and holds the sorted keys at the end. */
void yardstick(uint64_t n, const uint8_t *records, uint8_t *copy, uint32_t *keys,
               uint32_t *spare) {
    static const uint32_t SHIFT[3] = {0, 11, 22};
    uint32_t count[3][2048];
    memset(count, 0, sizeof count);
    memcpy(copy, records, n * 32);
    for (uint64_t i = 0; i < n; i++) {
        for (int pass = 0; pass < 3; pass++) {
            count[pass][keys[i] >> SHIFT[pass] & 2047]++;
        }
    }
    for (int pass = 0; pass < 3; pass++) {
        uint32_t sum = 0;
        for (int digit = 0; digit < 2048; digit++) {
            uint32_t here = count[pass][digit];
            count[pass][digit] = sum;
            sum += here;
        }
        for (uint64_t i = 0; i < n; i++) {
            spare[count[pass][keys[i] >> SHIFT[pass] & 2047]++] = keys[i];
        }
        uint32_t *swap = keys;
        keys = spare;
        spare = swap;
    }
}

typedef int32_t (*cast_pair)(const void *, const void *, const int32_t *, const void *,
                             const void *, const int32_t *, uint32_t, int32_t *, int32_t *);

/* Calls fxs_cast_pair for n pairs of movers: a shape of 5 words, a pose of 4 and a motion of 3.
 * Returns the number of hits. */
uint32_t casts(uint32_t n, cast_pair call, const uint32_t *movers) {
    uint32_t met = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *a = movers + 24 * i, *b = a + 12;
        int32_t fraction, normal[3];
        const int32_t *motion_a = (const int32_t *)(a + 9), *motion_b = (const int32_t *)(b + 9);
        met += call(a, a + 5, motion_a, b, b + 5, motion_b, 1, &fraction, normal) == 1;
    }
    return met;
}

typedef void (*direction)(uint16_t yaw, int32_t *cos_q30, int32_t *sin_q30);

static int64_t absolute(int64_t v) { return v < 0 ? -v : v; }
static int contact(int64_t distance, int64_t reach) {
    return (distance < reach) + (distance <= reach);
}

/* The usual formulas in 64 bits, without checks: two cylinders, or a cylinder and a box, rounded in
 * the frame of the box. Shapes of 5 words, poses of 4. */
void plain_contacts(uint64_t n, direction of_yaw, const int32_t *a, const int32_t *pose_a,
                    const int32_t *b, const int32_t *pose_b, uint8_t *contacts) {
    for (uint64_t i = 0; i < n; i++, a += 5, pose_a += 4, b += 5, pose_b += 4) {
        int64_t x = (int64_t)pose_a[0] - pose_b[0], y = (int64_t)pose_a[1] - pose_b[1];
        int64_t z = (int64_t)pose_a[2] - pose_b[2], r = a[2];
        if (of_yaw) {
            int32_t c, s;
            of_yaw((uint16_t)pose_b[3], &c, &s);
            int64_t along = absolute((x * c + z * s) >> 30) - b[2];
            int64_t across = absolute((z * c - x * s) >> 30) - b[4];
            x = along > 0 ? along : 0;
            z = across > 0 ? across : 0;
        } else {
            r += b[2];
        }
        int flat = contact(x * x + z * z, r * r);
        int upright = contact(absolute(y), (int64_t)a[3] + b[3]);
        contacts[i] = (uint8_t)(flat < upright ? flat : upright);
    }
}
