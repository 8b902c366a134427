/* The class Fixsync: numbers, shapes and states, without an object. */
#include "classes.h"
#include "kinds.h"

#include <string.h>

_Static_assert(FXS_OUTLINE_SEGMENTS == 32, "the signatures of outline have this default");

/* ---- library ---- */

static void take_error(gd_call *call) {
    char text[1024];
    uint64_t size = gd_take_error(text, sizeof text);
    gd_return_text(call, text, size);
}

static void semantics(gd_call *call) { gd_return_int(call, fxs_semantics()); }

static void status_text(gd_call *call) {
    int32_t status;
    if (!gd_i32(call, 0, &status))
        return;
    const char *text = fxs_status_text(status);
    uint64_t size = 0;
    while (text[size] != 0)
        size++;
    gd_return_text(call, text, size);
}

/* ---- texts ---- */

static void parse(gd_call *call, uint32_t is_nearest) {
    uint64_t size;
    char *text = gd_text_of(call, 0, &size);
    if (text == NULL)
        return;
    int32_t out = 0, status = fxs_parse_q(text, size, is_nearest, &out);
    if (size > 100)
        text[100] = 0;
    if (status == FXS_E_TEXT)
        gd_fail(call, "text must be a decimal such as \"-1.5\", not \"%s\"", text);
    else if (status == FXS_E_INEXACT)
        gd_fail(call, "text must be a multiple of 1/65536, not \"%s\": nearest rounds", text);
    else if (status == FXS_E_RANGE)
        gd_fail(call, "text must be within -32768..32767.99998, not \"%s\"", text);
    else
        gd_return_int(call, out);
    gd_free(text);
}

static void fixed(gd_call *call) { parse(call, 0); }

static void nearest(gd_call *call) { parse(call, 1); }

static void text(gd_call *call) {
    int32_t raw;
    char out[24];
    if (gd_i32(call, 0, &raw))
        gd_return_text(call, out, fxs_format_q(raw, out));
}

static void units(gd_call *call) {
    if (gd_check(call, 0, INT32_MIN / FXS_ONE, INT32_MAX / FXS_ONE))
        gd_return_int(call, gd_int(call, 0) * FXS_ONE);
}

static void hex(gd_call *call) {
    uint64_t value = (uint64_t)gd_int(call, 0);
    char digits[16];
    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    gd_return_text(call, digits, 16);
}

static void hash64(gd_call *call) {
    gd_bytes bytes = gd_bytes_of(call, 0);
    uint64_t seed = (uint64_t)gd_int(call, 1);
    gd_return_int(call, (int64_t)fxs_hash64(bytes.at, bytes.count, seed));
}

/* ---- arithmetic ---- */

static void vector_length(gd_call *call) {
    const int32_t *v = gd_vector(call, 0);
    int32_t out;
    if (gd_fits(call, fxs_hypot(v[0], v[1], v[2], &out)))
        gd_return_int(call, out);
}

/* ---- angles ---- */

static void degrees(gd_call *call) {
    int64_t turn = (gd_int(call, 0) % 360 + 360) % 360;
    /* turn * 65536 / 360 = turn * 8192 / 45, to the nearest: 45 is odd, so there is no tie. */
    gd_return_int(call, (turn * 16384 + 45) / 90 % FXS_TURN);
}

/* ---- motion ---- */

static void along(gd_call *call) {
    int32_t motion[3], out[3];
    const int32_t *normal = gd_vector(call, 2);
    if (!gd_motion_of(call, 0, motion) || !gd_check(call, 1, 0, FXS_ONE))
        return;
    bool has_normal = (normal[0] | normal[1] | normal[2]) != 0;
    int32_t status =
        fxs_along(motion, (uint32_t)gd_int(call, 1), has_normal ? normal : NULL, out);
    if (gd_is_ok(call, "normal", status))
        gd_return_vector(call, out[0], out[1], out[2]);
}

/* ---- shapes ---- */

/* The arguments are the sizes of a kind, in the order of match logs. */
static void make_shape(gd_call *call, uint32_t kind) {
    fxs_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.kind = kind;
    int next = 0;
    for (const gd_size *size = GD_SIZES; size->kind >= 0; size++) {
        if (size->kind != (int32_t)kind)
            continue;
        int64_t most = size->is_hole ? (int64_t)shape.size[0] - 1 : size->most;
        if (!gd_check(call, next, size->is_hole ? 0 : size->least, most))
            return;
        int64_t value = gd_int(call, next++);
        if (size->index < 0)
            shape.half_angle = (uint32_t)value;
        else
            shape.size[size->index] = (int32_t)value;
    }
    gd_return_shape(call, &shape);
}

#define MAKER(name, code, sizes, help) \
    static void name(gd_call *call) { make_shape(call, code); }
GD_SHAPES(MAKER)

typedef struct pair {
    fxs_shape a, b;
    fxs_pose pose_a, pose_b;
} pair;

/* Rows of a shape, its pose, a shape, its pose: each is the beginning of a row of a query. */
static void overlap_many(gd_call *call) {
    enum { WIDTH = 9 };
    static gd_layout half;
    half = (gd_layout){WIDTH, sizeof(fxs_query), GD_QUERY.numbers};
    uint64_t n, bad = 0;
    fxs_query *halves = gd_rows_of(call, 0, &half, &n);
    if (halves != NULL && n % 2 != 0)
        gd_fail(call, "size of rows must be a multiple of %u, not %u", (uint64_t)2 * WIDTH,
                n * WIDTH);
    uint8_t *to = halves == NULL || n % 2 != 0 ? NULL : gd_return_bytes(call, n / 2);
    for (uint64_t k = 0; to != NULL && k < n / 2; k++) {
        const fxs_query *a = &halves[2 * k], *b = a + 1;
        int32_t status =
            fxs_overlap_many(&a->shape, &a->pose, &b->shape, &b->pose, 1, to + k, &bad);
        call->row_name = "rows";
        call->row = k;
        if (!gd_is_ok(call, "shapes", status)) {
            gd_return_no_bytes(call);
            break;
        }
    }
    gd_free(halves);
}

static void cast_pair(gd_call *call) {
    pair of;
    int32_t motion_a[3], motion_b[3], out[4];
    if (!gd_shape_of(call, 0, &of.a) || !gd_pose_of(call, 1, 2, &of.pose_a) ||
        !gd_motion_of(call, 3, motion_a) || !gd_shape_of(call, 4, &of.b) ||
        !gd_pose_of(call, 5, 6, &of.pose_b) || !gd_motion_of(call, 7, motion_b) ||
        !gd_check(call, 8, FXS_TOUCHING, FXS_OVERLAPPING))
        return;
    int32_t status = fxs_cast_pair(&of.a, &of.pose_a, motion_a, &of.b, &of.pose_b, motion_b,
                                   (uint32_t)gd_int(call, 8), &out[0], &out[1]);
    int64_t *to = gd_is_ok(call, "shapes", status) && status == 1 ? gd_return_ints(call, 4) : NULL;
    for (int i = 0; i < 4 && to != NULL; i++)
        to[i] = out[i];
}

static void explain_shapes(gd_call *call) {
    pair of;
    fxs_explanation out;
    if (gd_shape_of(call, 0, &of.a) && gd_pose_of(call, 1, 2, &of.pose_a) &&
        gd_shape_of(call, 3, &of.b) && gd_pose_of(call, 4, 5, &of.pose_b) &&
        gd_check(call, 6, FXS_TOUCHING, FXS_OVERLAPPING) &&
        gd_is_ok(call, "shapes", fxs_explain_shapes(&of.a, &of.pose_a, &of.b, &of.pose_b,
                                                    (uint32_t)gd_int(call, 6), &out)))
        gd_return_rows(call, &out, 1, &GD_EXPLANATION);
}

static void outline(gd_call *call) {
    fxs_shape shape;
    fxs_pose pose;
    if (!gd_shape_of(call, 0, &shape) || !gd_pose_of(call, 1, 2, &pose) ||
        !gd_check(call, 3, 3, FXS_TURN))
        return;
    gd_room room = {NULL, 0};
    fxs_extent extent = {0, 0, 0, 0};
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_outline(&shape, &pose, (uint32_t)gd_int(call, 3), room.at,
                             room.size / sizeof(fxs_vertex), &extent);
        uint64_t n = (uint64_t)extent.outer + extent.hole;
        if (status == FXS_E_ROOM && !gd_grow(call, &room, n * sizeof(fxs_vertex)))
            break;
    }
    if (status == FXS_OK)
        gd_return_outline(call, &extent, room.at);
    gd_free(room.at);
}

/* ---- states ---- */

/* Of a text that may be NULL. */
static fxs_name name_of(uint32_t id, const char *text, uint64_t size) {
    fxs_name name;
    memset(&name, 0, sizeof name);
    name.id = id;
    if (text != NULL)
        memcpy(name.text, text, size < sizeof name.text ? size : sizeof name.text);
    return name;
}

/* The names of argument i + 1 for the ids of argument i. NULL after an error. */
static fxs_name *names_of(gd_call *call, int i, uint64_t *n) {
    uint32_t *ids = gd_u32s_of(call, i, n);
    fxs_name *names = NULL;
    if (ids != NULL && gd_string_count(call, i + 1) != *n)
        gd_fail(call, "size of names must be that of ids, %u, not %u", *n,
                gd_string_count(call, i + 1));
    else if (ids != NULL)
        names = gd_alloc(call, *n * sizeof *names);
    for (uint64_t k = 0; k < *n && names != NULL; k++) {
        uint64_t size;
        char *name = gd_string_at(call, i + 1, k, &size);
        names[k] = name_of(ids[k], name, size);
        gd_free(name);
    }
    gd_free(ids);
    return names;
}

typedef enum { OF_STATES, OF_STATE, OF_BODIES } difference_of;

static void differences(gd_call *call, difference_of of) {
    gd_bytes a = gd_bytes_of(call, 0), b = gd_bytes_of(call, of == OF_STATE ? 0 : 1);
    uint64_t n = 0, count = 0, at = 0, names_count = 0;
    fxs_name *names =
        of == OF_BODIES ? NULL : names_of(call, of == OF_STATE ? 1 : 2, &names_count);
    if (names == NULL && of != OF_BODIES)
        return;
    gd_room room = {NULL, 0};
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        uint64_t space = room.size / sizeof(fxs_difference);
        status = of == OF_STATE ? fxs_state_fields(a.at, a.count, room.at, space, &count, &at)
                 : of == OF_STATES
                     ? fxs_state_differences(a.at, a.count, b.at, b.count, room.at, space, &count,
                                             &at)
                     : fxs_body_differences(a.at, a.count, b.at, b.count, room.at, space, &count,
                                            &at);
        if (status == FXS_E_ROOM && !gd_grow(call, &room, count * sizeof(fxs_difference)))
            break;
    }
    if (status == FXS_E_STATE)
        gd_fail(call, "%s is refused at byte %u: %s", gd_argument_name(call, (int)count), at,
                fxs_status_text(status));
    n = status == FXS_OK && gd_return_strings(call, count) ? count : 0;
    for (uint64_t k = 0; k < n; k++) {
        char line[512];
        uint64_t size = 0;
        fxs_difference_text((const fxs_difference *)room.at + k, names, names_count, line,
                            sizeof line, &size);
        gd_return_string(call, k, line, size < sizeof line ? size : sizeof line);
    }
    gd_free(room.at);
    gd_free(names);
}

static void state_differences(gd_call *call) { differences(call, OF_STATES); }

static void state_fields(gd_call *call) { differences(call, OF_STATE); }

static void body_differences(gd_call *call) { differences(call, OF_BODIES); }

static void state_end(gd_call *call) {
    gd_bytes bytes = gd_bytes_of(call, 0);
    uint64_t end = 0;
    gd_return_int(call, -1);
    if (fxs_state_end(bytes.at, bytes.count, &end) == FXS_OK)
        gd_return_int(call, (int64_t)end);
    else
        gd_fail(call, "bytes are refused at byte %u: %s", end, fxs_status_text(FXS_E_STATE));
}

static void explanation_text(gd_call *call) {
    fxs_explanation found;
    uint64_t size_a = 0, size_b = 0, size = 0;
    if (!gd_row_of(call, 0, &GD_EXPLANATION, &found))
        return;
    char *a = gd_text_of(call, 1, &size_a);
    char *b = gd_text_of(call, 2, &size_b);
    const fxs_name name_a = name_of(0, a, size_a), name_b = name_of(0, b, size_b);
    char text[1024];
    if (a != NULL && b != NULL &&
        gd_is_ok(call, "row", fxs_explanation_text(&found, size_a ? &name_a : NULL,
                                                   size_b ? &name_b : NULL, text, sizeof text,
                                                   &size)))
        gd_return_text(call, text, size);
    gd_free(a);
    gd_free(b);
}

static void log_text(gd_call *call) {
    uint64_t size, count = 0;
    char *from = gd_text_of(call, 0, &size);
    gd_room room = {NULL, 0};
    int32_t status = from == NULL ? FXS_E_TEXT : FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_recorder_text(from, size, room.at, room.size, &count);
        if (status == FXS_E_ROOM && !gd_grow(call, &room, count))
            break;
    }
    if (status == FXS_OK)
        gd_return_text(call, room.at, count);
    gd_free(room.at);
    gd_free(from);
}

/* ---- table ---- */

#define MAKER_METHOD(name, code, sizes, help) \
    {"static " #name "(" sizes ") -> PackedInt64Array", name, help},

static const gd_method METHODS[] = {
    {"static take_error() -> String", take_error,
     "Returns the text of the last error of the add-on, once; an empty text if there was none."},
    {"static semantics() -> int", semantics,
     "Returns the version of the answers: peers with the same number answer alike, to the bit."},
    {"static status_text(status: int) -> String", status_text,
     "Returns the words for a status, a constant E_*."},
    {"static fixed(text: String) -> int", fixed,
     "Reads a decimal such as \"1.5\" as Q16.16, exactly. A number that is not a multiple of "
     "1/65536 is an error."},
    {"static nearest(text: String) -> int", nearest,
     "Reads a decimal as the nearest Q16.16 number, of two equally near ones the even one."},
    {"static text(raw: int) -> String", text, "Returns a Q16.16 number as its exact decimal."},
    {"static units(count: int) -> int", units, "Returns whole units as a Q16.16 number."},
    {"static hex(hash: int) -> String", hex,
     "Returns a hash as 16 hexadecimal digits, as match logs have it."},
    {"static hash64(bytes: PackedByteArray, seed: int = 0) -> int", hash64,
     "Returns the XXH64 of bytes."},
    {"static hypot(v: Vector3i) -> int", vector_length, "Returns the length of a vector, rounded."},
    {"static degrees(degrees: int) -> int", degrees,
     "Returns degrees as yaw steps, 0..65535, to the nearest: 90 is 16384."},
    {"static along(motion: Vector3i, fraction: int, normal: Vector3i = Vector3i()) -> Vector3i",
     along,
     "Returns the part of a motion up to a fraction, 0..65536. With the normal of the hit it ends "
     "outside the obstacle."},
    GD_SHAPES(MAKER_METHOD)
    {"static overlap_many(rows: PackedInt64Array) -> PackedByteArray", overlap_many,
     "Returns the contact of many pairs: rows of kind, half_angle, three sizes, x, y, z, yaw of a, "
     "then of b."},
    {"static cast_pair(a: PackedInt64Array, position_a: Vector3i, yaw_a: int, motion_a: Vector3i, "
     "b: PackedInt64Array, position_b: Vector3i, yaw_b: int, motion_b: Vector3i, "
     "hit_when: int = 1) -> PackedInt64Array",
     cast_pair,
     "Returns when two moving shapes first meet: fraction and the normal in Q2.30; empty if they "
     "do not."},
    {"static explain_shapes(a: PackedInt64Array, position_a: Vector3i, yaw_a: int, "
     "b: PackedInt64Array, position_b: Vector3i, yaw_b: int, hit_when: int = 1) -> "
     "PackedInt64Array",
     explain_shapes,
     "Returns why two shapes do not meet, as FixsyncWorld.explain does."},
    {"static explanation_text(row: PackedInt64Array, a: String, b: String) -> String",
     explanation_text,
     "Returns the row of an explanation as text, with names for a and b; '' for none."},
    {"static outline(shape: PackedInt64Array, position: Vector3i, yaw: int = 0, "
     "segments: int = 32) -> PackedInt64Array",
     outline, "Returns the outline of a shape, for drawing, as FixsyncWorld.outline does."},
    {"static state_differences(a: PackedByteArray, b: PackedByteArray, "
     "ids: PackedInt64Array = [], names: PackedStringArray = []) -> PackedStringArray",
     state_differences,
     "Returns a line for each field that differs between two saved states of worlds. names are "
     "those of ids."},
    {"static state_fields(state: PackedByteArray, ids: PackedInt64Array = [], "
     "names: PackedStringArray = []) -> PackedStringArray",
     state_fields, "Returns a line for each field of a saved state of a world."},
    {"static body_differences(a: PackedByteArray, b: PackedByteArray) -> PackedStringArray",
     body_differences,
     "Returns a line for each field that differs between two saved states of bodies."},
    {"static state_end(bytes: PackedByteArray) -> int", state_end,
     "Returns where the saved state at the beginning of bytes ends; -1 after an error."},
    {"static log_text(text: String) -> String", log_text,
     "Returns a text as the JSON string of a match log, with its quotes."},
    {NULL, NULL, NULL},
};

const gd_class GD_FIXSYNC = {
    "Fixsync",
    "Numbers, shapes and saved states. All functions are static. Lengths are Q16.16, so 65536 is "
    "one unit; a yaw is 0..65535. No function takes a float.",
    0,
    NULL,
    METHODS,
    GD_PASSED_FIXSYNC,
    "RefCounted",
};

const gd_class *const GD_CLASSES[] = {
    &GD_FIXSYNC,       &GD_CLASS_WORLD,   &GD_CLASS_LEVEL,  &GD_CLASS_MOVER,
    &GD_CLASS_FRAME_DATA,  &GD_CLASS_BODY,    &GD_CLASS_NODES,
    &GD_CLASS_HISTORY, &GD_CLASS_ROLLBACK, &GD_CLASS_RECORDER, &GD_CLASS_RANDOM,
    &GD_CLASS_NODE_2D, &GD_CLASS_NODE_3D,
    NULL,
};
