/* Shapes at their poses: checked, made, turned, and their bounds (docs/contract.md, Shapes). */
#include "placed_shape.h"

int32_t fxs_placed_check(const fxs_shape *shape, const fxs_pose *pose) {
    int32_t status = fxs_shape_check(shape);
    if (status != FXS_OK) {
        return status;
    }
    return pose->yaw >= FXS_TURN ? FXS_E_YAW : FXS_OK;
}

int32_t fxs_query_check(const fxs_query *query) {
    const int32_t status = fxs_placed_check(&query->shape, &query->pose);
    return status == FXS_OK && query->hit_when > FXS_OVERLAPPING ? FXS_E_HIT_WHEN : status;
}

void fxs_place_shape(placed_shape *out, const fxs_shape *shape, const fxs_pose *pose) {
    FXS_ASSERT(fxs_placed_check(shape, pose) == FXS_OK);
    out->kind = (uint8_t)shape->kind;
    out->half_angle = (uint16_t)shape->half_angle;
    out->yaw = (uint16_t)pose->yaw;
    memcpy(out->size, shape->size, sizeof out->size);
    out->x = pose->x;
    out->y = pose->y;
    out->z = pose->z;
    out->cos_q30 = (int32_t)Q30_ONE;
    out->sin_q30 = 0;
    if (fxs_kinds[shape->kind].is_turned) {
        fxs_direction(out->yaw, &out->cos_q30, &out->sin_q30);
    }
    set_extent(out);
}

int32_t fxs_pair_check(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                       const fxs_pose *pose_b) {
    int32_t status = fxs_placed_check(a, pose_a);
    return status != FXS_OK ? status : fxs_placed_check(b, pose_b);
}

int32_t fxs_pair_make(placed_shape *out_a, placed_shape *out_b, const fxs_shape *a,
                      const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b) {
    int32_t status = fxs_pair_check(a, pose_a, b, pose_b);
    if (status == FXS_OK) {
        fxs_place_shape(out_a, a, pose_a);
        fxs_place_shape(out_b, b, pose_b);
    }
    return status;
}

void fxs_turn_placed(placed_shape *all, const uint32_t *ids, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        placed_shape *s = all + ids[i];
        planar dir = fxs_direction_of(s->yaw);
        FXS_ASSERT(s->kind < KIND_COUNT);
        s->cos_q30 = (int32_t)dir.x;
        s->sin_q30 = (int32_t)dir.z;
        turn_extent(s);
    }
}

/* A sector reaches as far as its apex, the ends of its edges, and the ends of the axes that it
 * faces. */
static void sector_bounds(const placed_shape *s, aabb *out) {
    const edges e = edges_of(s);
    const int64_t radius = s->size[0];
    const int64_t ends[2][2] = {{e.e1.x, e.e2.x}, {e.e1.z, e.e2.z}};
    const int64_t centre[2] = {s->x, s->z};
    for (uint32_t i = 0; i < 2;
         i++) { /* x, z: towards yaw 0 and 16384, and half a turn from there */
        int64_t low = min64(0, min64(ends[i][0], ends[i][1]));
        int64_t high = max64(0, max64(ends[i][0], ends[i][1]));
        int32_t turn = fxs_yaw_between(s->yaw, 16384 * i);
        int32_t back = fxs_yaw_between(s->yaw, 16384 * i + 32768);
        high = abs64(turn) <= s->half_angle ? Q30_ONE : high;
        low = abs64(back) <= s->half_angle ? -Q30_ONE : low;
        out->min[2 * i] = centre[i] + round_q30(radius * low) - SECTOR_WIDER;
        out->max[2 * i] = centre[i] + round_q30(radius * high) + SECTOR_WIDER;
        FXS_ASSERT(out->min[2 * i] < centre[i] && out->max[2 * i] > centre[i]);
    }
}

void fxs_placed_bounds(const placed_shape *s, aabb *out) {
    *out = extents_of(s);
    if (is_sector(s)) {
        sector_bounds(s, out);
    }
}
