/* yaw_of and length against the reference; any bytes hashed in any pieces. */
#include "fuzz_read.h"
#include "hash.h"
#include "reference.h"

static int64_t take_distance(input *in) {
    uint32_t shift = (uint32_t)take(in, 1) % 64;
    uint64_t v = take(in, 8) >> shift;
    return v % 2 ? -(int64_t)(v / 2) : (int64_t)(v / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    input in = {bytes, bytes + size};
    int64_t x = take_distance(&in), y = take_distance(&in), z = take_distance(&in);
    REQUIRE(fxs_yaw_of(x, z) == ref_yaw_of(x, z));
    REQUIRE(fxs_length(x, y, z) == ref_length(x, y, z));

    uint64_t seed = take(&in, 1), expected = ref_hash64(bytes, size, seed);
    REQUIRE(fxs_hash64(bytes, size, seed) == expected);
    hasher h;
    fxs_hash_begin(&h, seed);
    for (size_t at = 0; at < size;) {
        size_t piece = bytes[at] % 71, left = size - at;
        piece = piece < left ? piece + (piece == 0) : left;
        fxs_hash_add(&h, bytes + at, piece);
        at += piece;
    }
    REQUIRE(fxs_hash_end(&h) == expected);
    return 0;
}
