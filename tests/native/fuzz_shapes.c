/* Two shapes: overlap and lift against the reference, push-outs against what they promise. */
#include "fuzz_read.h"
#include "reference.h"

static int32_t overlap_after(const fxs_shape *a, fxs_pose pa, const fxs_shape *b, const fxs_pose *pb, int64_t x, int64_t y, int64_t z, int *fits) {
    int64_t to[3] = {pa.x + x, pa.y + y, pa.z + z};
    *fits = 1;
    for (int i = 0; i < 3; i++) {
        *fits = *fits && to[i] >= INT32_MIN && to[i] <= INT32_MAX;
    }
    if (!*fits) {
        return FXS_APART;
    }
    pa.x = (int32_t)to[0];
    pa.y = (int32_t)to[1];
    pa.z = (int32_t)to[2];
    return ref_overlap(a, &pa, b, pb);
}

/* Nothing that is more than 2 raw units (3 with the quantised sides of two turned boxes, and one for rounding here) shorter ends the contact. */
static void check_length(const fxs_shape *a, const fxs_pose *pa, const fxs_shape *b, const fxs_pose *pb, int64_t x, int64_t z) {
    int64_t length = ref_length(x, 0, z), shorter = length - 4;
    for (uint32_t yaw = 0; shorter > 0 && yaw < 65536; yaw += 8192) {
        int32_t c, s;
        int fits;
        ref_direction((uint16_t)yaw, &c, &s);
        int32_t contact = overlap_after(a, *pa, b, pb, shorter * c / (1 << 30), 0, shorter * s / (1 << 30), &fits);
        REQUIRE(!fits || contact == FXS_OVERLAPPING);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    input in = {bytes, bytes + size};
    fxs_shape a = take_shape(&in), b = take_shape(&in);
    fxs_pose pa, pb;
    take_poses(&in, &pa, &pb);
    REQUIRE(fxs_shape_check(&a) == ref_shape_check(&a)); /* also that the reference knows each kind */
    int32_t contact = fxs_overlap(&a, &pa, &b, &pb);
    REQUIRE(contact == ref_overlap(&a, &pa, &b, &pb));
    if (contact < 0) {
        return 0;
    }
    REQUIRE(contact == fxs_overlap(&b, &pb, &a, &pa));
    int32_t xz[2] = {0, 0}, zx[2] = {0, 0}, dy = 0, ref_dy = 0;
    int32_t status = fxs_push_out(&a, &pa, &b, &pb, xz);
    REQUIRE(status == (a.kind == FXS_SECTOR || b.kind == FXS_SECTOR ? FXS_E_UNDEFINED : FXS_OK));
    REQUIRE(fxs_lift(&a, &pa, &b, &pb, &dy) == ref_lift(&a, &pa, &b, &pb, &ref_dy));
    REQUIRE(dy == ref_dy);
    if (status != FXS_OK) {
        return 0;
    }
    REQUIRE(fxs_push_out(&b, &pb, &a, &pa, zx) == FXS_OK);
    if (contact != FXS_OVERLAPPING) {
        REQUIRE(xz[0] == 0 && xz[1] == 0 && dy == 0);
        return 0;
    }
    int fits;
    REQUIRE(overlap_after(&a, pa, &b, &pb, xz[0], 0, xz[1], &fits) != FXS_OVERLAPPING);
    check_length(&a, &pa, &b, &pb, xz[0], xz[1]);
    if (pa.x != pb.x || pa.z != pb.z) {
        REQUIRE(zx[0] == -xz[0] && zx[1] == -xz[1]);
    }
    int32_t side = fxs_side(&a, &pa, &b, &pb);
    REQUIRE(b.kind == FXS_BOX ? side >= FXS_SIDE_POS_X && side <= FXS_SIDE_NEG_Z : side == FXS_E_UNDEFINED);
    return 0;
}
