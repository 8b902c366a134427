/* The classes FixsyncRewind and FixsyncInputs. */
#include "classes.h"

#include <string.h>

typedef struct gd_rewind {
    gd_object object;
    fxs_rewind *ring;
    uint64_t own_size;
    uint8_t *own;                  /* of the last load */
} gd_rewind;

typedef struct gd_inputs {
    gd_object object;
    fxs_inputs *inputs;
    uint32_t players;
} gd_inputs;

static gd_rewind *rewind_of(gd_call *call) { return call->self; }

static gd_inputs *inputs_of(gd_call *call) { return call->self; }

/* ---- rewind ---- */

static void free_rewind(void *object) {
    gd_free(((gd_rewind *)object)->ring);
    gd_free(((gd_rewind *)object)->own);
}

static void create_rewind(gd_call *call) {
    gd_world *world = gd_world_of(call, 0);
    if (world == NULL || !gd_check(call, 1, 1, UINT32_MAX) || !gd_check(call, 2, 0, INT64_MAX) ||
        !gd_check(call, 3, 0, INT64_MAX))
        return;
    uint32_t frames = (uint32_t)gd_int(call, 1);
    uint64_t own_size = (uint64_t)gd_int(call, 2), state_size = (uint64_t)gd_int(call, 3);
    if (state_size == 0)
        state_size = 160 + 56 * (uint64_t)world->capacity + 12 * world->hit_capacity;
    uint64_t size = fxs_rewind_size(frames, own_size, state_size);
    if (size == 0) {
        gd_fail(call, "%u frames of %u and %u bytes are more than 2^48 bytes", (uint64_t)frames,
                own_size, state_size);
        return;
    }
    fxs_rewind *ring = gd_alloc(call, size);
    uint8_t *own = ring == NULL ? NULL : gd_alloc(call, own_size);
    gd_rewind *rewind = own == NULL ? NULL : gd_new(call, &GD_CLASS_REWIND);
    if (rewind == NULL) {
        gd_free(ring);
        gd_free(own);
        return;
    }
    fxs_rewind_init(ring, frames, own_size, state_size);
    memset(own, 0, own_size);
    rewind->ring = ring;
    rewind->own = own;
    rewind->own_size = own_size;
    gd_return_object(call, rewind);
}

static void push(gd_call *call) {
    gd_rewind *rewind = rewind_of(call);
    gd_world *world = gd_world_of(call, 0);
    gd_bytes own = gd_bytes_of(call, 1);
    if (world == NULL)
        return;
    if (own.count != rewind->own_size) {
        gd_fail(call, "size of own must be %u, not %u", rewind->own_size, own.count);
        return;
    }
    int32_t status = fxs_rewind_push(rewind->ring, world->world, own.at);
    if (status == FXS_E_ROOM)
        gd_fail(call, "the state has %u bytes: make the ring with a larger state_size",
                fxs_world_save_size(world->world));
    else if (status == FXS_E_ORDER)
        gd_fail(call, "frame of the world must be one that is kept or the one after the newest, "
                      "not %u",
                (uint64_t)fxs_world_frame(world->world));
    gd_return_bool(call, status == FXS_OK);
}

static void load(gd_call *call) {
    gd_rewind *rewind = rewind_of(call);
    uint32_t frame;
    uint64_t at = 0;
    gd_world *world = gd_world_of(call, 1);
    if (world == NULL || !gd_u32(call, 0, &frame))
        return;
    int32_t status = fxs_rewind_load(rewind->ring, frame, world->world, rewind->own, &at);
    if (status == FXS_E_ROOM && gd_world_grow(call, world, at))
        status = fxs_rewind_load(rewind->ring, frame, world->world, rewind->own, &at);
    if (status == FXS_E_RANGE)
        gd_fail(call, "frame %u is not kept", (uint64_t)frame);
    else if (status < 0)
        gd_fail(call, "the world must be of the same capacity and level: byte %u", at);
    if (status == FXS_OK)
        world->command_count = 0;
    gd_return_bool(call, status == FXS_OK);
}

static void own(gd_call *call) {
    gd_rewind *rewind = rewind_of(call);
    uint8_t *to = gd_return_bytes(call, rewind->own_size);
    if (to != NULL)
        memcpy(to, rewind->own, rewind->own_size);
}

static void state(gd_call *call) {
    uint32_t frame;
    uint64_t size = 0;
    if (!gd_u32(call, 0, &frame))
        return;
    const uint8_t *bytes = fxs_rewind_state(rewind_of(call)->ring, frame, &size);
    uint8_t *to = bytes == NULL ? NULL : gd_return_bytes(call, size);
    if (to != NULL)
        memcpy(to, bytes, size);
    if (bytes == NULL)
        gd_fail(call, "frame %u is not kept", (uint64_t)frame);
}

static void count(gd_call *call) { gd_return_int(call, fxs_rewind_count(rewind_of(call)->ring)); }

static void oldest(gd_call *call) {
    const fxs_rewind *ring = rewind_of(call)->ring;
    gd_return_int(call, fxs_rewind_count(ring) == 0 ? -1 : (int64_t)fxs_rewind_oldest(ring));
}

/* ---- inputs ---- */

static void free_inputs(void *object) { gd_free(((gd_inputs *)object)->inputs); }

static void create_inputs(gd_call *call) {
    uint32_t frame;
    if (!gd_check(call, 0, 1, 65536) || !gd_check(call, 1, 1, 1 << 24) || !gd_u32(call, 2, &frame))
        return;
    uint32_t players = (uint32_t)gd_int(call, 0), window = (uint32_t)gd_int(call, 1);
    fxs_inputs *memory = gd_alloc(call, fxs_inputs_size(players, window));
    gd_inputs *inputs = memory == NULL ? NULL : gd_new(call, &GD_CLASS_INPUTS);
    if (inputs == NULL) {
        gd_free(memory);
        return;
    }
    fxs_inputs_init(memory, players, window, frame);
    inputs->inputs = memory;
    inputs->players = players;
    gd_return_object(call, inputs);
}

static void put(gd_call *call) {
    uint32_t frame;
    if (!gd_check(call, 0, 0, (int64_t)inputs_of(call)->players - 1) || !gd_u32(call, 1, &frame))
        return;
    int32_t status = fxs_inputs_put(inputs_of(call)->inputs, (uint32_t)gd_int(call, 0), frame,
                                    gd_int(call, 2));
    if (status == FXS_E_TAKEN)
        gd_fail(call, "player %d has another value for frame %u already, not %d", gd_int(call, 0),
                (uint64_t)frame, gd_int(call, 2));
    gd_return_bool(call, status == FXS_OK);
}

static void take(gd_call *call) {
    gd_inputs *inputs = inputs_of(call);
    uint32_t frame;
    if (!gd_u32(call, 0, &frame))
        return;
    int64_t *values = gd_alloc(call, (uint64_t)inputs->players * sizeof *values);
    if (values == NULL)
        return;
    if (fxs_inputs_take(inputs->inputs, frame, values) < 0) {
        gd_fail(call, "frame must be one of the window or the next one, not %u", (uint64_t)frame);
    } else {
        int64_t *to = gd_return_ints(call, inputs->players);
        if (to != NULL)
            memcpy(to, values, inputs->players * sizeof *to);
    }
    gd_free(values);
}

static void redo(gd_call *call) { gd_return_int(call, fxs_inputs_redo(inputs_of(call)->inputs)); }

static void confirmed(gd_call *call) {
    gd_return_int(call, fxs_inputs_confirmed(inputs_of(call)->inputs));
}

/* ---- tables ---- */

static const gd_method REWIND_METHODS[] = {
    {"static create(world: FixsyncWorld, frames: int, own_size: int = 0, state_size: int = 0) -> "
     "FixsyncRewind",
     create_rewind,
     "Makes an empty ring for a number of frames. own_size is that of the game's own bytes. "
     "state_size is that of the largest state; 0: enough for all colliders and the hits that the "
     "world has room for now."},
    {"push(world: FixsyncWorld, own: PackedByteArray = []) -> bool", push,
     "Keeps a world under its frame, and the game's own bytes. Later frames are dropped."},
    {"load(frame: int, world: FixsyncWorld) -> bool", load,
     "Loads the state of a frame into a world of the same capacity and level."},
    {"own() -> PackedByteArray", own, "Returns the game's own bytes of the last load."},
    {"state(frame: int) -> PackedByteArray", state, "Returns the kept state of a frame."},
    {"count() -> int", count, "Returns the number of frames that are kept."},
    {"oldest() -> int", oldest, "Returns the oldest frame that is kept, or -1."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_REWIND = {
    "FixsyncRewind",
    "The states of a world at its last frames. For rollback, and for a server that looks into the "
    "past. Push the first frame before any step, and one after each step.",
    sizeof(gd_rewind),
    free_rewind,
    REWIND_METHODS,
};

static const gd_method INPUTS_METHODS[] = {
    {"static create(players: int, window: int, frame: int = 0) -> FixsyncInputs", create_inputs,
     "Makes inputs of which none is known. window is how many frames there may be from the first "
     "with an unknown or wrongly predicted input. frame is the first that is stepped."},
    {"put(player: int, frame: int, value: int) -> bool", put,
     "Adds the input of a player for a frame, in any order. Returns false without an error for a "
     "frame after the window: it must come again later."},
    {"take(frame: int) -> PackedInt64Array", take,
     "Returns the inputs to step a frame with, one a player. One that is not known is predicted. "
     "Take each frame in order; an earlier one may be taken again."},
    {"redo() -> int", redo,
     "Returns the first frame that was stepped on a wrong prediction, or the next to take."},
    {"confirmed() -> int", confirmed,
     "Returns the first frame for which an input is not known: all before it are final."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_INPUTS = {
    "FixsyncInputs",
    "The inputs of all players of a game that rolls back. Those that came, and those that were "
    "predicted.",
    sizeof(gd_inputs),
    free_inputs,
    INPUTS_METHODS,
};
