#include "classes.h"

#include <string.h>

static gd_history *self(gd_call *call) { return call->self; }

static void free_history(void *object) {
    gd_history *history = object;
    gd_free(history->history);
    gd_free(history->taken_back);
    gd_free(history->predicted);
    gd_free(history->commands);
    gd_free(history->events);
}

/* Memory for a room: that of the history, and of the rows that it writes. */
static bool make(gd_call *call, const fxs_history_room *room, gd_history *out) {
    uint64_t size = fxs_history_size(room);
    if (size == 0) {
        gd_fail(call, "window of %u frames needs more than 2^48 bytes",
                (uint64_t)room->window);
        return false;
    }
    memset(out, 0, sizeof *out);
    out->room = *room;
    out->history = gd_alloc(call, size);
    if (out->history == NULL)
        return false;
    out->taken_back = gd_alloc(call, room->event_room * sizeof(fxs_event));
    out->predicted = gd_alloc(call, room->event_room * sizeof(fxs_event));
    out->commands = gd_alloc(call, room->command_room * sizeof(fxs_command));
    out->events = gd_alloc(call, room->event_room * sizeof(fxs_event));
    if (out->taken_back != NULL && out->predicted != NULL && out->commands != NULL &&
        out->events != NULL)
        return true;
    free_history(out);
    return false;
}

/* Puts the memory of `from` in the place of that of `to`, whose object stays. */
static void take_over(gd_history *to, const gd_history *from) {
    gd_object object = to->object;
    *to = *from;
    to->object = object;
}

static void create(gd_call *call) {
    gd_world *world = gd_world_of(call, 0);
    if (world == NULL || !gd_check(call, 1, 1, INT32_MAX))
        return;
    fxs_history_room room = {
        0, 2 * fxs_world_save_size(world->world), 64, 64, (uint32_t)gd_int(call, 1), 0};
    gd_history made;
    if (!make(call, &room, &made))
        return;
    int32_t status = fxs_history_init(made.history, &room, world->world, NULL);
    gd_history *history =
        gd_is_ok(call, "world", status) ? gd_new(call, &GD_CLASS_HISTORY) : NULL;
    if (history == NULL) {
        free_history(&made);
        return;
    }
    take_over(history, &made);
    gd_return_object(call, history);
}

static uint64_t larger(uint64_t room, uint64_t need) { return room >= need ? room : 2 * need; }

static bool grow(gd_call *call, uint64_t state, uint64_t commands, uint64_t events) {
    gd_history *history = self(call);
    fxs_history_room room = history->room;
    room.state_size = larger(room.state_size, state);
    room.command_room += commands; /* those carried over from the last frame have room already */
    room.event_room = larger(room.event_room, events);
    gd_history made;
    if (!make(call, &room, &made))
        return false;
    if (!gd_is_ok(call, "window", fxs_history_grow(made.history, &room, history->history))) {
        free_history(&made);
        return false;
    }
    memcpy(made.commands, history->commands, history->confirmed.commands * sizeof(fxs_command));
    memcpy(made.events, history->events, history->confirmed.events * sizeof(fxs_event));
    made.confirmed = history->confirmed;
    free_history(history);
    take_over(history, &made);
    return true;
}

static void put(gd_call *call, gd_world *world, const fxs_event *events, uint64_t event_count) {
    gd_history *history = self(call);
    const uint64_t reactions = (uint64_t)gd_int(call, 3);
    const fxs_pushed pushed = {(uint64_t)gd_int(call, 4), world->command_count, reactions,
                               event_count,               gd_bool(call, 1),     reactions > 0};
    int32_t status = FXS_E_ROOM;
    for (int tries = 0; status == FXS_E_ROOM && tries < 2; tries++) {
        if (tries > 0 && !grow(call, fxs_world_save_size(world->world),
                               pushed.command_count, event_count))
            return;
        status = fxs_history_push(history->history, world->world, NULL, &pushed,
                                  world->commands.at, events, history->taken_back,
                                  history->predicted, &history->changes);
    }
    if (status == FXS_E_ORDER)
        gd_fail(call,
                "frame of the world must be %u, not %u, with room in the window (%u), and no final "
                "frame after one that is not",
                (uint64_t)fxs_history_head(history->history) + 1,
                (uint64_t)fxs_world_frame(world->world),
                (uint64_t)fxs_history_free(history->history));
    else if (status == FXS_E_RANGE)
        gd_fail(call, "events must be those of the world, of kind 1..3, then the game's own, of "
                      "kind 16 and above");
    else if (gd_is_ok(call, "push", status)) {
        world->command_count = 0;
        gd_return_bool(call, true);
    }
    if (status < 0)
        history->changes = (fxs_event_changes){0, 0};
}

static void push(gd_call *call) {
    gd_world *world = gd_world_of(call, 0);
    uint64_t m;
    if (world == NULL)
        return;
    fxs_event *events = gd_rows_of(call, 2, &GD_EVENT, &m);
    if (events != NULL && gd_check(call, 3, 0, (int64_t)world->command_count))
        put(call, world, events, m);
    gd_free(events);
}

static void taken_back(gd_call *call) {
    gd_return_rows(call, self(call)->taken_back, self(call)->changes.taken_back, &GD_EVENT);
}

static void predicted(gd_call *call) {
    gd_return_rows(call, self(call)->predicted, self(call)->changes.predicted, &GD_EVENT);
}

static void out_of_window(gd_call *call, uint32_t frame) {
    gd_fail(call, "frame must be %u..%u, and not a final one, not %u",
            (uint64_t)fxs_history_first(self(call)->history),
            (uint64_t)fxs_history_head(self(call)->history), (uint64_t)frame);
}

static void settle(gd_call *call) {
    uint32_t frame;
    if (!gd_u32(call, 0, &frame))
        return;
    if (fxs_history_settle(self(call)->history, frame) < 0)
        out_of_window(call, frame);
    else
        gd_return_bool(call, true);
}

static void back(gd_call *call) {
    gd_history *history = self(call);
    uint32_t frame;
    gd_world *world = gd_world_of(call, 1);
    if (world == NULL || !gd_u32(call, 0, &frame))
        return;
    int32_t status = fxs_history_back(history->history, frame, world->world, NULL);
    if (status == FXS_E_ROOM || status == FXS_E_STATE) {
        /* Another world may have less room for hits than the one that was pushed. */
        uint64_t size = 0, at = 0;
        const fxs_rewind *states = fxs_history_states(history->history);
        const uint8_t *state = fxs_rewind_state(states, frame, &size);
        if (state != NULL && fxs_world_load(world->world, state, size, &at) == FXS_E_ROOM &&
            gd_world_grow(call, world, at))
            status = fxs_history_back(history->history, frame, world->world, NULL);
    }
    if (status == FXS_E_RANGE)
        out_of_window(call, frame);
    else if (status < 0)
        gd_fail(call, "the world must be of the same capacity and level");
    if (status == FXS_OK)
        world->command_count = 0;
    gd_return_bool(call, status == FXS_OK);
}

static void confirm(gd_call *call) {
    gd_history *history = self(call);
    fxs_confirmed found;
    if (fxs_history_confirm(history->history, &found, history->commands, history->events) < 0)
        return;
    history->confirmed = found;
    gd_return_bool(call, true);
}

static void frame(gd_call *call) { gd_return_int(call, self(call)->confirmed.frame); }

static void hash(gd_call *call) { gd_return_int(call, (int64_t)self(call)->confirmed.hash); }

static void commands(gd_call *call) {
    gd_return_rows(call, self(call)->commands, self(call)->confirmed.commands, &GD_COMMAND);
}

void gd_return_events(gd_call *call, const fxs_event *events, uint64_t n, int64_t kinds) {
    uint64_t kept = 0;
    if (kinds == 0) {
        gd_return_rows(call, events, n, &GD_EVENT);
        return;
    }
    gd_room room = {NULL, 0};
    if (!gd_grow(call, &room, n * sizeof(fxs_event)))
        return;
    fxs_event *found = room.at;
    for (uint64_t k = 0; k < n; k++) {
        uint32_t kind = events[k].kind;
        if (kinds >> (kind <= FXS_EXIT ? kind : 0) & 1)
            found[kept++] = events[k];
    }
    gd_return_rows(call, found, kept, &GD_EVENT);
    gd_free(room.at);
}

static void events(gd_call *call) {
    if (gd_check(call, 0, 0, 15))
        gd_return_events(call, self(call)->events, self(call)->confirmed.events, gd_int(call, 0));
}

static void state(gd_call *call) {
    uint32_t frame;
    uint64_t size = 0;
    if (!gd_u32(call, 0, &frame))
        return;
    const fxs_rewind *states = fxs_history_states(self(call)->history);
    const uint8_t *bytes = fxs_rewind_state(states, frame, &size);
    uint8_t *to = bytes == NULL ? NULL : gd_return_bytes(call, size);
    if (to != NULL)
        memcpy(to, bytes, size);
    if (bytes == NULL)
        gd_fail(call, "the state before frame %u is not kept: they are %u..%u", (uint64_t)frame,
                (uint64_t)fxs_rewind_oldest(states),
                (uint64_t)fxs_history_head(self(call)->history));
}

static const gd_method METHODS[] = {
    {"static create(world: FixsyncWorld, window: int) -> FixsyncHistory", create,
     "Begins before the next frame of a world. window is how many frames may be unconfirmed."},
    {"push(world: FixsyncWorld, is_final: bool, events: PackedInt64Array, "
     "after: int = 0, hash: int = 0) -> bool",
     push,
     "Keeps the frame that was just stepped, with the state after it, and takes the commands that "
     "the world kept since the last push. is_final: all inputs of this frame are known. events: "
     "those of the step, then the game's own. after: how many of the last commands came after the "
     "step, as reactions; then hash is that of the world right after the step."},
    {"taken_back() -> PackedInt64Array", taken_back,
     "Returns the events of the last pushed frame that were predicted and are taken back."},
    {"predicted() -> PackedInt64Array", predicted,
     "Returns the events of the last pushed frame that are predicted now."},
    {"settle(frame: int) -> bool", settle,
     "Makes all frames before a frame final: they were stepped on the real inputs."},
    {"back(frame: int, world: FixsyncWorld) -> bool", back,
     "Loads the state before a frame into the world. Step again from there."},
    {"confirm() -> bool", confirm,
     "Takes the oldest final frame, once; false if there is none. frame, hash, commands and events "
     "return what it had."},
    {"frame() -> int", frame, "Returns the number of the confirmed frame."},
    {"hash() -> int", hash, "Returns the hash of the world right after the confirmed frame."},
    {"commands() -> PackedInt64Array", commands, "Returns the commands of the confirmed frame."},
    {"events(kinds: int = 0) -> PackedInt64Array", events,
     "Returns the events of the confirmed frame, the game's own last. Bits 1, 2, 3 of kinds: those "
     "that entered, stayed, exited; bit 0: the game's own; 0: all."},
    {"state(frame: int) -> PackedByteArray", state, "Returns the kept state before a frame."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_HISTORY = {
    "FixsyncHistory",
    "The frames that are not confirmed: their states, commands and events. It returns which events "
    "a prediction made and which it took back, and each frame once when it is final.",
    sizeof(gd_history),
    free_history,
    METHODS,
    GD_PASSED_HISTORY,
    "RefCounted",
};
