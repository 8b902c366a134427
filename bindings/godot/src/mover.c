#include "classes.h"

#include <string.h>

typedef struct gd_mover {
    gd_object object;
    fxs_mover settings;
    fxs_mover_result result;
    fxs_cast_hit hits[FXS_PASSES_MAX + 1];
} gd_mover;

static gd_mover *self(gd_call *call) { return call->self; }

/* The settings of the arguments from `first` on, in the order of configure. */
static bool settings_of(gd_call *call, int first, fxs_mover *out) {
    if (!gd_u32(call, first, &out->mask) || !gd_check(call, first + 1, 2, FXS_PASSES_MAX) ||
        !gd_check(call, first + 2, 0, FXS_SIZE_MAX) ||
        !gd_check(call, first + 3, 0, FXS_SIZE_MAX) || !gd_check(call, first + 4, 1, 1 << 30) ||
        !gd_u32(call, first + 5, &out->one_way))
        return false;
    if (out->one_way != 0 && (out->mask == 0 || (out->mask & out->one_way) != 0)) {
        gd_fail(call, "mask must not be 0 and must share no layer with one_way, %d, not %d",
                (int64_t)out->one_way, (int64_t)out->mask);
        return false;
    }
    out->passes = (uint32_t)gd_int(call, first + 1);
    out->step_height = (int32_t)gd_int(call, first + 2);
    out->snap = (int32_t)gd_int(call, first + 3);
    out->floor_y_q30 = (int32_t)gd_int(call, first + 4);
    return true;
}

static void create(gd_call *call) {
    fxs_mover settings;
    if (!gd_u32(call, 0, &settings.id) || !settings_of(call, 1, &settings))
        return;
    gd_mover *mover = gd_new(call, &GD_CLASS_MOVER);
    if (mover == NULL)
        return;
    mover->settings = settings;
    gd_return_object(call, mover);
}

static void configure(gd_call *call) {
    fxs_mover settings = self(call)->settings;
    if (!settings_of(call, 0, &settings))
        return;
    self(call)->settings = settings;
    gd_return_bool(call, true);
}

static void row(gd_call *call) { gd_return_rows(call, &self(call)->settings, 1, &GD_MOVER); }

static void id(gd_call *call) { gd_return_int(call, self(call)->settings.id); }

static void move(gd_call *call) {
    gd_mover *mover = self(call);
    int32_t motion[3];
    gd_world *world = gd_world_of(call, 0);
    if (world == NULL || !gd_motion_of(call, 1, motion) || !gd_world_expects(call, world, 1))
        return;
    fxs_mover_result result;
    fxs_cast_hit hits[FXS_PASSES_MAX + 1];
    int32_t status = fxs_mover_move(world->world, &mover->settings, motion, &result, hits);
    if (!gd_world_takes_id(call, world, status, mover->settings.id))
        return;
    mover->result = result;
    for (uint32_t k = 0; k < result.hit_count; k++)
        mover->hits[k] = hits[k];
    fxs_command command = gd_move_command(mover->settings.id, result.x, result.y, result.z);
    gd_world_keeps(world, &command, 1);
    gd_return_bool(call, true);
}

/* ---- the last move as bytes: numbers of 4, little-endian ---- */

enum { RESULT_NUMBERS = sizeof(fxs_mover_result) / 4, HIT_NUMBERS = sizeof(fxs_cast_hit) / 4 };

static void put_numbers(uint8_t *to, const void *from, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) {
        uint32_t value;
        memcpy(&value, (const uint8_t *)from + 4 * k, 4);
        for (uint32_t i = 0; i < 4; i++)
            to[4 * k + i] = (uint8_t)(value >> 8 * i);
    }
}

static void take_numbers(void *to, const uint8_t *from, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) {
        uint32_t value = 0;
        for (uint32_t i = 0; i < 4; i++)
            value |= (uint32_t)from[4 * k + i] << 8 * i;
        memcpy((uint8_t *)to + 4 * k, &value, 4);
    }
}

static void save(gd_call *call) {
    const gd_mover *mover = self(call);
    uint32_t hit_numbers = mover->result.hit_count * HIT_NUMBERS;
    uint8_t *to = gd_return_bytes(call, 4 * (uint64_t)(RESULT_NUMBERS + hit_numbers));
    if (to == NULL)
        return;
    put_numbers(to, &mover->result, RESULT_NUMBERS);
    put_numbers(to + 4 * RESULT_NUMBERS, mover->hits, hit_numbers);
}

static void load(gd_call *call) {
    gd_mover *mover = self(call);
    gd_bytes state = gd_bytes_of(call, 0);
    fxs_mover_result result;
    int64_t at = gd_int(call, 1);
    gd_return_int(call, -1);
    if (!gd_check(call, 1, 0, INT32_MAX))
        return;
    uint64_t left = (uint64_t)at < state.count ? state.count - (uint64_t)at : 0;
    if (left >= 4 * RESULT_NUMBERS)
        take_numbers(&result, state.at + at, RESULT_NUMBERS);
    if (left < 4 * RESULT_NUMBERS || result.hit_count > FXS_PASSES_MAX + 1 ||
        left < 4 * (uint64_t)(RESULT_NUMBERS + result.hit_count * HIT_NUMBERS)) {
        gd_fail(call, "state is no saved move at byte %u of %u", (uint64_t)at, state.count);
        return;
    }
    mover->result = result;
    take_numbers(mover->hits, state.at + at + 4 * RESULT_NUMBERS, result.hit_count * HIT_NUMBERS);
    gd_return_int(call, at + 4 * (int64_t)(RESULT_NUMBERS + result.hit_count * HIT_NUMBERS));
}

static void position(gd_call *call) {
    const fxs_mover_result *result = &self(call)->result;
    gd_return_vector(call, result->x, result->y, result->z);
}

static void motion(gd_call *call) {
    const int32_t *left = self(call)->result.motion;
    gd_return_vector(call, left[0], left[1], left[2]);
}

static void flags(gd_call *call) { gd_return_int(call, self(call)->result.flags); }

static void floor_id(gd_call *call) { gd_return_int(call, self(call)->result.floor); }

static void hits(gd_call *call) {
    gd_return_rows(call, self(call)->hits, self(call)->result.hit_count, &GD_CAST_HIT);
}

static void has_flag(gd_call *call, uint32_t flag) {
    gd_return_bool(call, (self(call)->result.flags & flag) != 0);
}

static void is_on_floor(gd_call *call) { has_flag(call, FXS_ON_FLOOR); }

static void is_on_wall(gd_call *call) { has_flag(call, FXS_ON_WALL); }

static void is_on_ceiling(gd_call *call) { has_flag(call, FXS_ON_CEILING); }

static void is_stuck(gd_call *call) { has_flag(call, FXS_STUCK); }

static const gd_method METHODS[] = {
    {"static create(id: int, mask: int = 0, passes: int = 4, step_height: int = 0, snap: int = 0, "
     "floor_y_q30: int = 759250125, one_way: int = 0) -> FixsyncMover",
     create,
     "Makes a mover of a collider. mask has the layers that block it; 0: those its own layer "
     "meets. It climbs steps up to step_height and reaches down by snap for a floor. floor_y_q30 "
     "is the least y of the normal of a floor; 759250125 is 45 degrees. Layers of one_way are "
     "floors from above."},
    {"configure(mask: int, passes: int, step_height: int, snap: int, floor_y_q30: int, "
     "one_way: int) -> bool",
     configure, "Replaces the settings."},
    {"row() -> PackedInt64Array", row, "Returns the settings as FixsyncWorld.carry takes them."},
    {"id() -> int", id, "Returns the id of its collider."},
    {"move(world: FixsyncWorld, motion: Vector3i) -> bool", move,
     "Moves the character by a motion: along walls, up steps, down to the floor. The other methods "
     "return the result of the last move."},
    {"save() -> PackedByteArray", save,
     "Returns the result of the last move, to save beside the state of the world."},
    {"load(state: PackedByteArray, at: int = 0) -> int", load,
     "Replaces the result of the last move by a saved one, which begins at a byte of a state. "
     "Returns where it ends; -1 after an error."},
    {"position() -> Vector3i", position, "Returns the position after the move."},
    {"motion() -> Vector3i", motion,
     "Returns the motion without components into walls, floor and ceiling."},
    {"flags() -> int", flags, "Returns the flags of the move, Fixsync.ON_FLOOR to STUCK."},
    {"floor() -> int", floor_id, "Returns the id that it stands on; 0 if it is not on a floor."},
    {"hits() -> PackedInt64Array", hits,
     "Returns walls and ceilings that it hit, in order, then the floor, as FixsyncWorld.cast "
     "does."},
    {"is_on_floor() -> bool", is_on_floor, "Returns whether it stands on a floor."},
    {"is_on_wall() -> bool", is_on_wall, "Returns whether it hit a wall."},
    {"is_on_ceiling() -> bool", is_on_ceiling, "Returns whether it hit a ceiling."},
    {"is_stuck() -> bool", is_stuck,
     "Returns whether it overlaps something and could not be pushed out."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_MOVER = {
    "FixsyncMover",
    "A character that walks. It moves a collider along walls, up steps and down to floors. It has "
    "settings and the result of the last move, which save returns; the rest is in the world.",
    sizeof(gd_mover),
    NULL,
    METHODS,
    NULL,
    "RefCounted",
};
