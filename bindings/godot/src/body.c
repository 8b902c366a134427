/* The classes FixsyncFrameData and FixsyncBody. */
#include "classes.h"

#include <string.h>

typedef struct gd_frame_data {
    gd_object object;
    gd_table *data;
} gd_frame_data;

static gd_frame_data *frame_data_of(gd_call *call) { return call->self; }

static gd_body *self(gd_call *call) { return call->self; }

/* ---- frame data ---- */

static uint32_t number(const gd_table *data, uint32_t at) {
    const uint8_t *from = data->bytes + at;
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint32_t parts(const gd_table *data) { return number(data, 4); }

static uint32_t attacks(const gd_table *data) { return number(data, 8); }

static void release(gd_table *data) {
    if (gd_release(data))
        gd_free(data);
}

static void free_frame_data(void *object) { release(((gd_frame_data *)object)->data); }

static void from_bytes(gd_call *call) {
    gd_bytes bytes = gd_bytes_of(call, 0);
    uint64_t at = 0;
    if (fxs_frame_data_check(bytes.at, bytes.count, &at) < 0) {
        gd_fail(call, "bytes are refused at byte %u of %u: %s", at, bytes.count,
                fxs_status_text(FXS_E_TABLE));
        return;
    }
    gd_table *data = gd_alloc(call, sizeof *data + bytes.count);
    gd_frame_data *frame_data = data == NULL ? NULL : gd_new(call, &GD_CLASS_FRAME_DATA);
    if (frame_data == NULL) {
        gd_free(data);
        return;
    }
    data->shared.holders = 1;
    data->size = bytes.count;
    memcpy(data->bytes, bytes.at, bytes.count);
    frame_data->data = data;
    gd_return_object(call, frame_data);
}

static void to_bytes(gd_call *call) {
    const gd_table *data = frame_data_of(call)->data;
    uint8_t *to = gd_return_bytes(call, data->size);
    if (to != NULL)
        memcpy(to, data->bytes, data->size);
}

static void part_count(gd_call *call) { gd_return_int(call, parts(frame_data_of(call)->data)); }

static void attack_count(gd_call *call) { gd_return_int(call, attacks(frame_data_of(call)->data)); }

/* ---- bodies ---- */

static void free_body(void *object) { release(((gd_body *)object)->data); }

static void create(gd_call *call) {
    gd_frame_data *frame_data = gd_object_of(call, 0, &GD_CLASS_FRAME_DATA);
    gd_body *body = frame_data == NULL ? NULL : gd_new(call, &GD_CLASS_BODY);
    if (body == NULL)
        return;
    body->data = gd_hold(frame_data->data);
    body->body.attack = FXS_NO_ATTACK;
    gd_return_object(call, body);
}

static bool is_added(gd_call *call) {
    if (!self(call)->is_added)
        gd_fail(call, "the body is not in a world: add it first");
    return self(call)->is_added;
}

/* The world of argument 0, for a body that is in one, with room for its commands. */
gd_world *gd_body_begin(gd_call *call) {
    if (!is_added(call))
        return NULL;
    gd_world *world = gd_world_of(call, 0);
    return world != NULL && gd_world_expects(call, world, FXS_BODY_ROWS) ? world : NULL;
}

/* A change of the body: the number of its commands, or a status. */
bool gd_body_takes(gd_call *call, gd_world *world, int32_t status, const fxs_command *rows) {
    if (status < 0)
        return gd_world_takes(call, world, status, &rows[0].collider);
    self(call)->row_count = (uint64_t)status;
    memcpy(self(call)->rows, rows, (uint64_t)status * sizeof *rows);
    gd_world_keeps(world, rows, (uint64_t)status);
    gd_return_bool(call, true);
    return true;
}

static void add(gd_call *call) {
    gd_body *body = self(call);
    fxs_pose pose;
    uint32_t owner;
    uint64_t n;
    if (body->is_added) {
        gd_fail(call, "the body is in a world already");
        return;
    }
    gd_world *world = gd_world_of(call, 0);
    if (world == NULL || !gd_check(call, 2, 1, UINT32_MAX) || !gd_u32(call, 2, &owner) ||
        !gd_pose_of(call, 3, 4, &pose) || !gd_world_expects(call, world, FXS_BODY_ROWS))
        return;
    uint32_t *ids = gd_u32s_of(call, 1, &n);
    if (ids != NULL && n != parts(body->data)) {
        gd_fail(call, "size of ids must be %u, one for each part, not %u",
                (uint64_t)parts(body->data), n);
    } else if (ids != NULL) {
        fxs_body fresh;
        fxs_command rows[FXS_BODY_ROWS];
        memset(rows, 0, sizeof rows[0]);
        int32_t status = fxs_body_add(&fresh, body->data->bytes, world->world, ids, owner, &pose,
                                      gd_bool(call, 5), rows);
        if (gd_body_takes(call, world, status, rows)) {
            body->body = fresh;
            body->is_added = true;
        }
    }
    gd_free(ids);
}

static void remove_body(gd_call *call) {
    gd_world *world = gd_body_begin(call);
    if (world == NULL)
        return;
    fxs_command rows[FXS_BODY_ROWS];
    int32_t status =
        fxs_body_remove(&self(call)->body, self(call)->data->bytes, world->world, rows);
    if (gd_body_takes(call, world, status, rows))
        self(call)->is_added = false;
}

static bool pose_of(gd_call *call, fxs_pose *out) {
    gd_world *world = gd_body_begin(call);
    if (world == NULL)
        return false;
    int32_t status = fxs_body_pose(&self(call)->body, self(call)->data->bytes, world->world, out);
    return gd_world_takes_id(call, world, status, self(call)->body.ids[0]);
}

static void position(gd_call *call) {
    fxs_pose pose;
    if (pose_of(call, &pose))
        gd_return_vector(call, pose.x, pose.y, pose.z);
}

static void yaw(gd_call *call) {
    fxs_pose pose;
    if (pose_of(call, &pose))
        gd_return_int(call, pose.yaw);
}

bool gd_body_attack(gd_call *call, int i, uint32_t *out) {
    *out = (uint32_t)gd_int(call, i);
    return gd_check(call, i, 0, (int64_t)attacks(self(call)->data) - 1);
}

static void strike(gd_call *call) {
    uint32_t victim;
    if (!gd_u32(call, 0, &victim))
        return;
    int32_t status = fxs_body_strike(&self(call)->body, victim);
    if (status == FXS_E_ROOM)
        gd_fail(call, "one hit remembers at most %d victims", (int64_t)FXS_VICTIMS_MAX);
    gd_return_bool(call, status == 1);
}

static void attack(gd_call *call) {
    uint32_t under_way = self(call)->body.attack;
    gd_return_int(call, under_way == FXS_NO_ATTACK ? -1 : (int64_t)under_way);
}

static void attack_frame(gd_call *call) { gd_return_int(call, self(call)->body.frame); }

static void is_mirrored(gd_call *call) { gd_return_bool(call, self(call)->body.is_mirrored == 1); }

static void has_hit(gd_call *call) { gd_return_bool(call, self(call)->body.has_hit == 1); }

static void ids(gd_call *call) {
    gd_return_u32s(call, self(call)->body.ids, self(call)->is_added ? parts(self(call)->data) : 0);
}

static void victims(gd_call *call) {
    gd_return_u32s(call, self(call)->body.victims, self(call)->body.victim_count);
}

static void rows(gd_call *call) {
    gd_return_rows(call, self(call)->rows, self(call)->row_count, &GD_COMMAND);
}

static void save(gd_call *call) {
    uint8_t *to = gd_return_bytes(call, fxs_body_save_size(&self(call)->body));
    if (to != NULL)
        fxs_body_save(&self(call)->body, to);
}

static void load(gd_call *call) {
    gd_bytes state = gd_bytes_of(call, 0);
    uint64_t at = 0;
    int32_t status =
        fxs_body_load(&self(call)->body, self(call)->data->bytes, state.at, state.count, &at);
    if (status < 0)
        gd_fail(call, "state is refused at byte %u of %u: %s", at, state.count,
                fxs_status_text(status));
    gd_return_bool(call, status == FXS_OK);
}

/* ---- tables ---- */

static const gd_method FRAMES_METHODS[] = {
    {"static from_bytes(bytes: PackedByteArray) -> FixsyncFrameData", from_bytes,
     "Reads a table of frame data, the file that fixsync frame-data writes."},
    {"to_bytes() -> PackedByteArray", to_bytes, "Returns the bytes of the table."},
    {"part_count() -> int", part_count, "Returns the number of parts of a body."},
    {"attack_count() -> int", attack_count, "Returns the number of attacks."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_FRAME_DATA = {
    "FixsyncFrameData",
    "A table of frame data: the parts and attacks of one kind of fighter. It never changes.",
    sizeof(gd_frame_data),
    free_frame_data,
    FRAMES_METHODS,
    NULL,
    "RefCounted",
};

static const gd_method BODY_METHODS[] = {
    {"static create(frame_data: FixsyncFrameData) -> FixsyncBody", create,
     "Makes a body of this kind, in no world yet."},
    {"add(world: FixsyncWorld, ids: PackedInt64Array, owner: int, position: Vector3i, "
     "yaw: int = 0, is_mirrored: bool = false) -> bool",
     add, "Adds its parts to a world: an id for each part, and an owner of all, not 0."},
    {"remove(world: FixsyncWorld) -> bool", remove_body,
     "Removes the parts from the world; their hits end at the next step."},
    {"position(world: FixsyncWorld) -> Vector3i", position, "Returns the position of the body."},
    {"yaw(world: FixsyncWorld) -> int", yaw, "Returns the yaw of the body."},
    {"strike(victim: int) -> bool", strike,
     "Returns whether the hit under way strikes a victim, any number, for the first time."},
    {"attack() -> int", attack, "Returns the attack under way, or -1."},
    {"attack_frame() -> int", attack_frame, "Returns the frame of the attack, from 0."},
    {"is_mirrored() -> bool", is_mirrored, "Returns whether the body is mirrored."},
    {"has_hit() -> bool", has_hit, "Returns whether the attack has met a victim."},
    {"ids() -> PackedInt64Array", ids, "Returns the ids of the parts."},
    {"victims() -> PackedInt64Array", victims,
     "Returns the victims that the hit under way remembers, ascending."},
    {"rows() -> PackedInt64Array", rows,
     "Returns the commands of the last change, for a recorder or a history."},
    {"save() -> PackedByteArray", save, "Returns its state, to save beside that of the world."},
    {"load(state: PackedByteArray) -> bool", load,
     "Replaces its state by a saved one; load that of the world with it."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_BODY = {
    "FixsyncBody",
    "A fighter: several colliders of one owner that move, turn, mirror and attack together. The "
    "colliders are in a world, so save both.",
    sizeof(gd_body),
    free_body,
    BODY_METHODS,
    GD_PASSED_BODY,
    "RefCounted",
};
