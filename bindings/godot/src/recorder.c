#include "classes.h"

#include <string.h>

typedef struct gd_recorder {
    gd_object object;
    fxs_recorder recorder;
    gd_room text;
} gd_recorder;

static gd_recorder *self(gd_call *call) { return call->self; }

static void free_recorder(void *object) { gd_free(((gd_recorder *)object)->text.at); }

/* After a call of the kit: whether it must be called again, with more room for the text. */
static bool grows(gd_call *call, gd_recorder *to, int32_t *status) {
    if (*status != FXS_E_ROOM)
        return false;
    if (gd_grow(call, &to->text, to->text.size + 4096))
        return true;
    *status = FXS_E_CONFIG; /* the error was printed */
    return false;
}

static void create(gd_call *call) {
    gd_world *world = gd_world_of(call, 0);
    uint64_t size, at = 0;
    char *about = world == NULL ? NULL : gd_text_of(call, 1, &size);
    gd_bytes state = gd_bytes_of(call, 2);
    gd_recorder *made = about == NULL ? NULL : gd_new(call, &GD_CLASS_RECORDER);
    if (made == NULL) {
        gd_free(about);
        return;
    }
    int32_t status;
    do
        status = fxs_recorder_begin(&made->recorder, world->world, about, size,
                                          state.count == 0 ? NULL : state.at, state.count,
                                          made->text.at, made->text.size, &at);
    while (grows(call, made, &status));
    gd_free(about);
    if (status == FXS_OK) {
        gd_return_object(call, made);
        return;
    }
    if (status == FXS_E_TEXT)
        gd_fail(call, "about is refused at byte %u of %u: %s", at, size, fxs_status_text(status));
    else if (status == FXS_E_STATE)
        gd_fail(call, "state is missing, or is not that of the world");
    gd_drop(made);
}

/* The end of each method that writes. */
static void ends(gd_call *call, int32_t status) {
    if (status == FXS_E_ORDER)
        gd_fail(call, "the call is not allowed at this point: frame %u",
                (uint64_t)self(call)->recorder.frame);
    else if (status != FXS_E_CONFIG && status < 0)
        gd_fail(call, "frame %u: %s", (uint64_t)self(call)->recorder.frame,
                fxs_status_text(status));
    gd_return_bool(call, status == FXS_OK);
}

/* Calls a function of the kit until the text has room. */
#define WRITE(function, ...)                                                                       \
    do {                                                                                           \
        gd_recorder *to = self(call);                                                              \
        int32_t status;                                                                            \
        do                                                                                         \
            status = function(__VA_ARGS__, to->text.at, to->text.size);                            \
        while (grows(call, to, &status));                                                          \
        ends(call, status);                                                                        \
    } while (0)

static void commands(gd_call *call) {
    uint64_t n;
    fxs_command *rows = gd_rows_of(call, 0, &GD_COMMAND, &n);
    if (rows != NULL)
        WRITE(fxs_recorder_commands, &to->recorder, rows, n);
    gd_free(rows);
}

static void inputs(gd_call *call) {
    gd_ints values = gd_ints_of(call, 0);
    WRITE(fxs_recorder_inputs, &to->recorder, values.at, values.count);
}

static void input_list(gd_call *call) {
    gd_ints values = gd_ints_of(call, 0);
    WRITE(fxs_recorder_input_list, &to->recorder, values.at, values.count);
}

static void query(gd_call *call) {
    fxs_query query;
    if (gd_query_of(call, &query))
        WRITE(fxs_recorder_query, &to->recorder, &query);
}

static void cast(gd_call *call) {
    fxs_cast cast;
    if (gd_cast_of(call, &cast))
        WRITE(fxs_recorder_cast, &to->recorder, &cast);
}

static void ids(gd_call *call) {
    uint64_t n;
    uint32_t *values = gd_u32s_of(call, 0, &n);
    if (values != NULL)
        WRITE(fxs_recorder_ids, &to->recorder, values, n);
    gd_free(values);
}

static void hits(gd_call *call) {
    uint64_t n;
    fxs_cast_hit *rows = gd_rows_of(call, 0, &GD_CAST_HIT, &n);
    if (rows != NULL)
        WRITE(fxs_recorder_hits, &to->recorder, rows, n);
    gd_free(rows);
}

static void step(gd_call *call) {
    uint64_t n;
    fxs_event *rows = gd_rows_of(call, 0, &GD_EVENT, &n);
    fxs_recorded recorded = {.hash = (uint64_t)gd_int(call, 1),
                             .has_game = gd_bool(call, 2),
                             .has_events = 1,
                             .has_hash = 1};
    for (uint64_t k = 0; rows != NULL && k < n; k++)
        recorded.game_count += rows[k].kind >= FXS_GAME_EVENT;
    recorded.event_count = n - recorded.game_count;
    gd_ints state = gd_ints_of(call, 3);
    if (state.count > 0) {
        recorded.state = (uint64_t)state.at[0];
        recorded.has_state = 1;
    }
    if (rows != NULL)
        WRITE(fxs_recorder_step, &to->recorder, &recorded, rows);
    gd_free(rows);
}

static void end_frame(gd_call *call) {
    static const fxs_recorded NOTHING = {0};
    WRITE(fxs_recorder_step, &to->recorder, &NOTHING, NULL);
}

static void line(gd_call *call) {
    uint64_t size;
    char *text = gd_text_of(call, 0, &size);
    if (text != NULL)
        WRITE(fxs_recorder_line, &to->recorder, text, size);
    gd_free(text);
}

static void finish(gd_call *call) { WRITE(fxs_recorder_end, &to->recorder); }

static void take_text(gd_call *call) {
    gd_recorder *from = self(call);
    gd_return_text(call, from->text.at, from->recorder.size);
    from->recorder.size = 0;
}

static void frames(gd_call *call) { gd_return_int(call, self(call)->recorder.frames); }

#define SHAPE "shape: PackedInt64Array, position: Vector3i"
#define MASKS "yaw: int = 0, mask: int = 4294967295, exclude_owner: int = 0"

static const gd_method METHODS[] = {
    {"static create(world: FixsyncWorld, about: String, state: PackedByteArray = []) -> "
     "FixsyncRecorder",
     create,
     "Begins a log with level, colliders and state of a world as it is. about: other keys of its "
     "first line, or empty, as canonical JSON: "
     "{\"tick_rate\":60,\"meta\":{\"arena\":\"pit\"},\"build\":\"1.4\",\"data\":\"0123456789abcdef\"}. "
     "data is Fixsync.hex(Fixsync.hash64(bytes)) of what the game plays with. state is that of a "
     "simulation that begins later."},
    {"commands(rows: PackedInt64Array) -> bool", commands,
     "Adds commands of this frame, which the world has accepted."},
    {"inputs(values: PackedInt64Array) -> bool", inputs,
     "Adds the inputs of the next players of this frame, in a log with a simulation."},
    {"input_list(values: PackedInt64Array) -> bool", input_list,
     "Adds the input of the next player of this frame, a list of numbers."},
    {"query(" SHAPE ", " MASKS ", hit_when: int = 0) -> bool", query,
     "Adds a query that is made right after the step of this frame."},
    {"cast(" SHAPE ", motion: Vector3i, " MASKS ", limit: int = 0, hit_when: int = 0) -> bool",
     cast, "Adds a cast that is made right after the step of this frame."},
    {"ids(ids: PackedInt64Array) -> bool", ids, "Adds the answer to the next question, a query."},
    {"hits(hits: PackedInt64Array) -> bool", hits, "Adds the answer to the next question, a cast."},
    {"step(events: PackedInt64Array, hash: int, has_game: bool = false, state: PackedInt64Array = "
     "[]) -> bool",
     step,
     "Ends this frame with the events of its step, and the hash of the world right after it. "
     "has_game: whether the game's own events, if any, follow them; the same in all frames. state: "
     "empty, or in a log with a simulation Fixsync.hash64 of all that it saves."},
    {"end_frame() -> bool", end_frame,
     "Ends this frame without events and hash: replaying the log computes them."},
    {"line(text: String) -> bool", line, "Adds a frame as a line of another log."},
    {"finish() -> bool", finish, "Writes the last line."},
    {"take_text() -> String", take_text,
     "Returns the text written since the last time, to append to a file."},
    {"frames() -> int", frames, "Returns the number of frames so far."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_RECORDER = {
    "FixsyncRecorder",
    "Writes a match log, which fixsync replay verifies. For each frame: the commands as the world "
    "took them, questions, answers in their order, then step.",
    sizeof(gd_recorder),
    free_recorder,
    METHODS,
    NULL,
    "RefCounted",
};
