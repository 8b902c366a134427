/* cast_pair against the contact at single moments of the way, which the reference computes on exact multiples of 2^-32. */
#include "cast.h"
#include "fuzz_read.h"
#include "reference.h"

typedef struct mover {
    fxs_shape shape;
    fxs_pose pose;
    int32_t motion[3];
} mover;

typedef struct answer {
    int32_t hit, fraction, normal[3];
} answer;

static answer cast(const mover *a, const mover *b, uint32_t when) {
    answer r = {0, -1, {0, 0, 0}};
    r.hit = fxs_cast_pair(&a->shape, &a->pose, a->motion, &b->shape, &b->pose, b->motion, when, &r.fraction, r.normal);
    return r;
}

/* By which the kernel orders hits of one fraction; fxs_cast_pair does not return it. */
static int64_t distance_at(const mover *a, const mover *b, int32_t fraction) {
    placed_shape pa, pb;
    int64_t M[3];
    int32_t normal[3];
    fxs_place_shape(&pa, &a->shape, &a->pose);
    fxs_place_shape(&pb, &b->shape, &b->pose);
    for (int i = 0; i < 3; i++) {
        M[i] = (int64_t)a->motion[i] - b->motion[i];
    }
    return fxs_placed_cast_normal(&pa, &pb, M, fraction, normal);
}

/* n of 2^32. */
static int32_t contact_at(const mover *a, const mover *b, int64_t n) {
    return ref_cast_contact(&a->shape, &a->pose, a->motion, &b->shape, &b->pose, b->motion, n, 32);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    input in = {bytes, bytes + size};
    const int64_t end = (int64_t)1 << 32;
    uint32_t when = 1 + (uint32_t)take(&in, 1) % 2;
    mover a, b;
    a.shape = take_shape(&in);
    b.shape = take_shape(&in);
    REQUIRE(fxs_shape_check(&a.shape) == ref_shape_check(&a.shape)); /* also that the reference knows each kind */
    take_poses(&in, &a.pose, &b.pose);
    int32_t still = (int32_t)take(&in, 1) % 2;
    for (int i = 0; i < 3; i++) {
        a.motion[i] = take_size(&in) % (FXS_SIZE_MAX + 1);
        b.motion[i] = still ? 0 : take_size(&in) % (FXS_SIZE_MAX + 1);
    }
    answer ab = cast(&a, &b, when), ba = cast(&b, &a, when);
    if (fxs_overlap(&a.shape, &a.pose, &b.shape, &b.pose) < 0 || a.shape.kind == FXS_SECTOR || b.shape.kind == FXS_SECTOR) {
        REQUIRE(ab.hit < 0);
        return 0;
    }
    REQUIRE(ab.hit == 0 || ab.hit == 1);
    REQUIRE(ab.hit == ba.hit && ab.fraction == ba.fraction);
    int32_t at_start = contact_at(&a, &b, 0), at_end = contact_at(&a, &b, end);
    REQUIRE(at_start == fxs_overlap(&a.shape, &a.pose, &b.shape, &b.pose));
    if (at_start >= (int32_t)when) {
        REQUIRE(ab.hit && ab.fraction == 0);
    }
    if (at_end >= (int32_t)when) {
        REQUIRE(ab.hit);
    }
    answer touching = cast(&a, &b, FXS_TOUCHING), overlapping = cast(&a, &b, FXS_OVERLAPPING);
    if (overlapping.hit) {
        REQUIRE(touching.hit);
        REQUIRE(overlapping.fraction - touching.fraction >= 0 && overlapping.fraction - touching.fraction <= 1);
    }
    /* No contact before it, nor, without a hit, anywhere. */
    int64_t clear = ab.hit ? (int64_t)ab.fraction << 16 : end + 1;
    for (int i = 0; i < 12; i++) {
        int64_t n = i == 0 ? clear - 1 : i == 1 ? clear / 2 : (int64_t)(take(&in, 4) % (uint64_t)(clear ? clear : 1));
        REQUIRE(clear <= 0 || contact_at(&a, &b, n) < (int32_t)when);
    }
    if (!ab.hit) {
        return 0;
    }
    REQUIRE(ab.fraction >= 0 && ab.fraction <= 65536);
    int32_t normal[3];
    REQUIRE(distance_at(&a, &b, ab.fraction) ==
            ref_cast_normal(&a.shape, &a.pose, a.motion, &b.shape, &b.pose, b.motion, ab.fraction, normal));
    for (int i = 0; i < 3; i++) {
        REQUIRE(ab.normal[i] == normal[i]);
        REQUIRE((CORNERED_KINDS >> a.shape.kind & CORNERED_KINDS >> b.shape.kind & 1) || ba.normal[i] == -normal[i]);
    }
    return 0;
}
