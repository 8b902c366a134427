/* Loops that no Python has a part in. What touching the data and sorting it once costs: the work that no broad phase can do without. */
#include <stdint.h>
#include <string.h>

/* Copies n records of 32 bytes, then sorts n keys of 32 bits in three passes of 11, 11 and 10 bits; spare has room for n keys. The
 * sorted keys end up in `spare`. */
void yardstick(uint64_t n, const uint8_t *records, uint8_t *copy, uint32_t *keys, uint32_t *spare) {
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

typedef int32_t (*cast_pair)(const void *, const void *, const int32_t *, const void *, const void *, const int32_t *, uint32_t, int32_t *,
                             int32_t *);

/* fxs_cast_pair of n pairs of movers, each a shape of 5 words, a pose of 4, a motion of 3: how many meet. */
uint32_t casts(uint32_t n, cast_pair call, const uint32_t *movers) {
    uint32_t met = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *a = movers + 24 * i, *b = a + 12;
        int32_t fraction, normal[3];
        met += call(a, a + 5, (const int32_t *)(a + 9), b, b + 5, (const int32_t *)(b + 9), 1, &fraction, normal) == 1;
    }
    return met;
}

typedef void (*direction)(uint16_t yaw, int32_t *cos_q30, int32_t *sin_q30);

static int64_t absolute(int64_t v) { return v < 0 ? -v : v; }
static int contact(int64_t distance, int64_t reach) { return (distance < reach) + (distance <= reach); }

/* The formulas that any game has, in 64 bits: of cylinders, or of a cylinder and a box in whose frame places are rounded. Shapes of 5 words,
 * poses of 4. Nothing is checked, and nothing is exact beside a turned box. */
void plain_contacts(uint64_t n, direction of_yaw, const int32_t *a, const int32_t *pose_a, const int32_t *b, const int32_t *pose_b,
                    uint8_t *contacts) {
    for (uint64_t i = 0; i < n; i++, a += 5, pose_a += 4, b += 5, pose_b += 4) {
        int64_t x = (int64_t)pose_a[0] - pose_b[0], y = (int64_t)pose_a[1] - pose_b[1], z = (int64_t)pose_a[2] - pose_b[2], r = a[2];
        if (of_yaw) {
            int32_t c, s;
            of_yaw((uint16_t)pose_b[3], &c, &s);
            int64_t along = absolute((x * c + z * s) >> 30) - b[2], across = absolute((z * c - x * s) >> 30) - b[4];
            x = along > 0 ? along : 0;
            z = across > 0 ? across : 0;
        } else {
            r += b[2];
        }
        int flat = contact(x * x + z * z, r * r), upright = contact(absolute(y), (int64_t)a[3] + b[3]);
        contacts[i] = (uint8_t)(flat < upright ? flat : upright);
    }
}
