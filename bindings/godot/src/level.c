/* The class FixsyncLevel, and solids as arrays: code, layer, vertex count, y_low, y_high, then the
 * numbers of the cylinder or the prism. */
#include "classes.h"

#include <string.h>

#define SHAPE "shape: PackedInt64Array, position: Vector3i"

enum { HEAD = 5 };

static const fxs_level *self(gd_call *call) {
    return gd_level_in(((gd_level *)call->self)->data);
}

static void free_level(void *object) {
    gd_level_data *data = ((gd_level *)object)->data;
    if (gd_release(data))
        gd_free(data);
}

/* ---- solids ---- */

static uint32_t number_count(const fxs_solid *solid) {
    return solid->code == FXS_CYLINDER ? 3 : 2 * solid->vertex_count;
}

static void return_solid(gd_call *call, const fxs_solid *solid) {
    int64_t *to = gd_return_ints(call, HEAD + number_count(solid));
    if (to == NULL)
        return;
    const int64_t head[HEAD] = {solid->code, solid->layer, solid->vertex_count, solid->y_low,
                                solid->y_high};
    memcpy(to, head, sizeof head);
    for (uint32_t k = 0; k < number_count(solid); k++)
        to[HEAD + k] = solid->numbers[k];
}

/* The solid that begins at given[at]: the index after it, or 0 after an error. */
static uint64_t read_solid(gd_call *call, gd_ints given, uint64_t at, fxs_solid *out) {
    memset(out, 0, sizeof *out);
    if (given.count - at < HEAD) {
        gd_fail(call, "a solid has at least %u numbers, not %u", (uint64_t)HEAD,
                given.count - at);
        return 0;
    }
    const int64_t *head = given.at + at;
    if (head[0] != FXS_CYLINDER && head[0] != FXS_PRISM) {
        gd_fail(call, "code must be %d (cylinder) or %d (prism), not %d", (int64_t)FXS_CYLINDER,
                (int64_t)FXS_PRISM, head[0]);
        return 0;
    }
    int64_t most = head[0] == FXS_PRISM ? FXS_VERTICES_MAX : 0;
    int64_t least = head[0] == FXS_PRISM ? 3 : 0;
    if (!gd_in_range(call, "layer", head[1], 0, FXS_LAYER_COUNT - 1) ||
        !gd_in_range(call, "vertex count", head[2], least, most) ||
        !gd_in_range(call, "y_low", head[3], INT32_MIN, INT32_MAX) ||
        !gd_in_range(call, "y_high", head[4], head[3] + 1, INT32_MAX))
        return 0;
    out->code = (uint8_t)head[0];
    out->layer = (uint8_t)head[1];
    out->vertex_count = (uint16_t)head[2];
    out->y_low = (int32_t)head[3];
    out->y_high = (int32_t)head[4];
    uint64_t n = number_count(out);
    if (given.count - at - HEAD < n) {
        gd_fail(call, "this solid has %u numbers, not %u", HEAD + n, given.count - at);
        return 0;
    }
    for (uint64_t k = 0; k < n; k++) {
        bool is_radius = out->code == FXS_CYLINDER && k == 2;
        if (!gd_in_range(call, is_radius ? "radius" : k % 2 == 0 ? "x" : "z", head[HEAD + k],
                         is_radius ? 1 : INT32_MIN, is_radius ? FXS_SIZE_MAX : INT32_MAX))
            return 0;
        out->numbers[k] = (int32_t)head[HEAD + k];
    }
    return at + HEAD + n;
}

static void prism(gd_call *call) {
    gd_ints vertices = gd_ints_of(call, 0);
    if (vertices.count % 2 != 0 || vertices.count < 6 ||
        vertices.count > 2 * FXS_VERTICES_MAX) {
        gd_fail(call, "vertices must be x and z of 3..%d vertices, not %u numbers",
                (int64_t)FXS_VERTICES_MAX, vertices.count);
        return;
    }
    int64_t numbers[HEAD + 2 * FXS_VERTICES_MAX] = {
        FXS_PRISM, gd_int(call, 3), (int64_t)vertices.count / 2, gd_int(call, 1), gd_int(call, 2)};
    memcpy(numbers + HEAD, vertices.at, vertices.count * sizeof *numbers);
    fxs_solid solid;
    gd_ints given = {numbers, HEAD + vertices.count};
    if (read_solid(call, given, 0, &solid) != 0)
        return_solid(call, &solid);
}

static void pillar(gd_call *call) {
    const int64_t numbers[HEAD + 3] = {FXS_CYLINDER,    gd_int(call, 5), 0,
                                       gd_int(call, 3), gd_int(call, 4), gd_int(call, 0),
                                       gd_int(call, 1), gd_int(call, 2)};
    fxs_solid solid;
    gd_ints given = {numbers, HEAD + 3};
    if (read_solid(call, given, 0, &solid) != 0)
        return_solid(call, &solid);
}

static void solid_of(gd_call *call) {
    fxs_shape shape;
    fxs_pose pose;
    fxs_solid solid;
    if (gd_shape_of(call, 0, &shape) && gd_pose_of(call, 1, 2, &pose) &&
        gd_check(call, 3, 0, FXS_LAYER_COUNT - 1) &&
        gd_is_ok(call, "shape",
                 fxs_solid_of(&shape, &pose, (uint32_t)gd_int(call, 3), &solid)))
        return_solid(call, &solid);
}

/* ---- making ---- */

static void make(gd_call *call, const uint8_t *bytes, uint64_t size, const fxs_solid *solids,
                 uint64_t count) {
    uint64_t need = fxs_level_size(bytes, size), at = 0;
    gd_level_data *data = gd_alloc(call, sizeof *data + need);
    if (data == NULL)
        return;
    data->shared.holders = 1;
    int32_t status = fxs_level_init((fxs_level *)data->memory, bytes, size, &at);
    gd_level *level = status < 0 ? NULL : gd_new(call, &GD_CLASS_LEVEL);
    if (level == NULL) {
        uint64_t solid = 0, end = 8;
        while (solid < count && end + 12 + 4 * number_count(&solids[solid]) <= at)
            end += 12 + 4 * number_count(&solids[solid++]);
        if (status < 0 && solids != NULL)
            gd_fail(call, "solid %u: the vertices must be strictly convex, counterclockwise as "
                          "yaw turns (+X to +Z), and span at most 2^30 - 2",
                    solid);
        else if (status < 0)
            gd_fail(call, "bytes are refused at byte %u of %u: %s", at, size,
                    fxs_status_text(status));
        gd_free(data);
        return;
    }
    level->data = data;
    gd_return_object(call, level);
}

static void create(gd_call *call) {
    gd_ints given = gd_ints_of(call, 0);
    gd_room solids = {NULL, 0}, bytes = {NULL, 0};
    uint64_t count = 0, at = 0, size = 0;
    bool is_good = gd_grow(call, &solids, sizeof(fxs_solid));
    while (is_good && at < given.count) {
        call->row_name = "solids";
        call->row = at;
        is_good = gd_grow(call, &solids, (count + 1) * sizeof(fxs_solid));
        at = is_good ? read_solid(call, given, at, (fxs_solid *)solids.at + count) : 0;
        is_good = at != 0;
        count++;
    }
    call->row_name = NULL;
    int32_t status = FXS_E_ROOM;
    while (is_good && status == FXS_E_ROOM) {
        status = fxs_level_write(solids.at, count, bytes.at, bytes.size, &size);
        if (status == FXS_E_ROOM)
            is_good = gd_grow(call, &bytes, size);
    }
    if (is_good)
        make(call, bytes.at, size, solids.at, count);
    gd_free(solids.at);
    gd_free(bytes.at);
}

static void from_bytes(gd_call *call) {
    gd_bytes bytes = gd_bytes_of(call, 0);
    make(call, bytes.at, bytes.count, NULL, 0);
}

/* ---- reading ---- */

static void to_bytes(gd_call *call) {
    uint8_t *to = gd_return_bytes(call, fxs_level_save_size(self(call)));
    if (to != NULL)
        fxs_level_save(self(call), to);
}

static void count(gd_call *call) { gd_return_int(call, fxs_level_count(self(call))); }

static void hash(gd_call *call) { gd_return_int(call, (int64_t)fxs_level_hash(self(call))); }

/* The index of argument 0. */
static bool index_of(gd_call *call, uint32_t *out) {
    *out = (uint32_t)gd_int(call, 0);
    return gd_check(call, 0, 0, (int64_t)fxs_level_count(self(call)) - 1);
}

static void solid(gd_call *call) {
    uint32_t index;
    fxs_solid found;
    if (index_of(call, &index) && fxs_level_solid(self(call), index, &found) == FXS_OK)
        return_solid(call, &found);
}

static void outline(gd_call *call) {
    uint32_t index;
    if (!index_of(call, &index) || !gd_check(call, 1, 3, FXS_TURN))
        return;
    gd_room room = {NULL, 0};
    fxs_extent extent = {0, 0, 0, 0};
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_level_outline(self(call), index, (uint32_t)gd_int(call, 1), room.at,
                                   room.size / sizeof(fxs_vertex), &extent);
        if (status == FXS_E_ROOM && !gd_grow(call, &room, extent.outer * sizeof(fxs_vertex)))
            break;
    }
    if (status == FXS_OK)
        gd_return_outline(call, &extent, room.at);
    gd_free(room.at);
}

static void contact(gd_call *call) {
    uint32_t index;
    fxs_shape shape;
    fxs_pose pose;
    gd_return_int(call, -1);
    if (index_of(call, &index) && gd_shape_of(call, 1, &shape) && gd_pose_of(call, 2, 3, &pose))
        gd_return_int(call, fxs_level_contact(self(call), index, &shape, &pose));
}

static void query(gd_call *call) {
    fxs_query query = {.exclude_owner = 0};
    if (!gd_shape_of(call, 0, &query.shape) || !gd_pose_of(call, 1, 2, &query.pose) ||
        !gd_u32(call, 3, &query.mask) || !gd_check(call, 4, FXS_TOUCHING, FXS_OVERLAPPING))
        return;
    gd_room room = {NULL, 0};
    uint64_t n = 0;
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_level_query(self(call), &query, (uint32_t)gd_int(call, 4), room.at,
                                 room.size / sizeof(uint32_t), &n);
        if (status == FXS_E_ROOM && !gd_grow(call, &room, n * sizeof(uint32_t)))
            break;
    }
    if (status == FXS_OK)
        gd_return_u32s(call, room.at, n);
    gd_free(room.at);
}

static void cast(gd_call *call) {
    fxs_cast cast = {.exclude_owner = 0};
    if (!gd_shape_of(call, 0, &cast.shape) || !gd_pose_of(call, 1, 3, &cast.pose) ||
        !gd_motion_of(call, 2, cast.motion) || !gd_u32(call, 4, &cast.mask) ||
        !gd_u32(call, 5, &cast.limit) || !gd_check(call, 6, FXS_TOUCHING, FXS_OVERLAPPING))
        return;
    cast.hit_when = (uint32_t)gd_int(call, 6);
    gd_room room = {NULL, 0};
    uint64_t n = 0;
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_level_cast(self(call), &cast, room.at, room.size / sizeof(fxs_cast_hit), &n);
        if (status == FXS_E_ROOM && !gd_grow(call, &room, n * sizeof(fxs_cast_hit)))
            break;
    }
    if (status != FXS_E_ROOM && gd_is_ok(call, "shape", status))
        gd_return_rows(call, room.at, n, &GD_CAST_HIT);
    gd_free(room.at);
}

/* ---- table ---- */

static const gd_method METHODS[] = {
    {"static create(solids: PackedInt64Array) -> FixsyncLevel", create,
     "Makes a level from solids, one after another. Their ids are Fixsync.LEVEL + index."},
    {"static from_bytes(bytes: PackedByteArray) -> FixsyncLevel", from_bytes,
     "Makes a level from its bytes, for instance the file that fixsync level writes."},
    {"static prism(vertices: PackedInt64Array, y_low: int, y_high: int, layer: int = 0) -> "
     "PackedInt64Array",
     prism,
     "Returns an upright prism as a solid: x and z of its vertices, strictly convex, "
     "counterclockwise as yaw turns, from +X to +Z."},
    {"static pillar(x: int, z: int, radius: int, y_low: int, y_high: int, layer: int = 0) -> "
     "PackedInt64Array",
     pillar, "Returns an upright cylinder as a solid."},
    {"static solid_of(" SHAPE ", yaw: int = 0, layer: int = 0) -> PackedInt64Array", solid_of,
     "Returns a box or a cylinder at a pose as a solid."},
    {"to_bytes() -> PackedByteArray", to_bytes,
     "Returns the bytes of the level, the same on every platform."},
    {"count() -> int", count, "Returns the number of solids."},
    {"hash() -> int", hash, "Returns the hash of the bytes of the level."},
    {"solid(index: int) -> PackedInt64Array", solid,
     "Returns a solid: code, layer, vertex count, y_low, y_high, then x, z, radius or x and z of "
     "each vertex."},
    {"outline(index: int, segments: int = 32) -> PackedInt64Array", outline,
     "Returns the outline of a solid, for drawing, as FixsyncWorld.outline does."},
    {"contact(index: int, " SHAPE ", yaw: int = 0) -> int", contact,
     "Returns the contact of a shape with a solid; -1 after an error."},
    {"query(" SHAPE ", yaw: int = 0, mask: int = 4294967295, hit_when: int = 1) -> "
     "PackedInt64Array",
     query, "Returns the ids of the solids that a shape meets, ascending."},
    {"cast(" SHAPE ", motion: Vector3i, yaw: int = 0, mask: int = 4294967295, limit: int = 0, "
     "hit_when: int = 1) -> PackedInt64Array",
     cast,
     "Returns the solids that a shape meets that moves straight: rows of id, fraction, and the "
     "normal in Q2.30."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_LEVEL = {
    "FixsyncLevel",
    "The static geometry of a map. It never changes, and any number of worlds may share it. A "
    "solid is an upright prism or cylinder.",
    sizeof(gd_level),
    free_level,
    METHODS,
    NULL,
    "RefCounted",
};
