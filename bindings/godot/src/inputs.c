#include "classes.h"

#include <string.h>

static gd_inputs *self(gd_call *call) { return call->self; }

static void free_inputs(void *object) { gd_free(((gd_inputs *)object)->inputs); }

static void create(gd_call *call) {
    uint32_t frame;
    if (!gd_check(call, 0, 1, FXS_INPUT_PLAYERS_MAX) ||
        !gd_check(call, 1, 1, FXS_INPUT_FRAMES_MAX) || !gd_u32(call, 2, &frame))
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
    if (!gd_check(call, 0, 0, (int64_t)self(call)->players - 1) || !gd_u32(call, 1, &frame))
        return;
    int32_t status =
        fxs_inputs_put(self(call)->inputs, (uint32_t)gd_int(call, 0), frame, gd_int(call, 2));
    if (status == FXS_E_TAKEN)
        gd_fail(call, "player %d has another value for frame %u already, not %d", gd_int(call, 0),
                (uint64_t)frame, gd_int(call, 2));
    gd_return_bool(call, status == FXS_OK);
}

static void take(gd_call *call) {
    gd_inputs *inputs = self(call);
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

static const gd_method METHODS[] = {
    {"static create(players: int, window: int, frame: int = 0) -> FixsyncInputs", create,
     "Makes inputs of which none is known. window is how many frames there may be from the first "
     "with an unknown or wrongly predicted input. frame is the first that is stepped."},
    {"put(player: int, frame: int, value: int) -> bool", put,
     "Adds the input of a player for a frame, in any order. Returns false without an error for a "
     "frame after the window: it must come again later."},
    {"take(frame: int) -> PackedInt64Array", take,
     "Returns the inputs to step a frame with, one a player. One that is not known is predicted. "
     "Take each frame in order; an earlier one may be taken again."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_INPUTS = {
    "FixsyncInputs",
    "The inputs of all players of a game that rolls back. Those that came, and those that were "
    "predicted.",
    sizeof(gd_inputs),
    free_inputs,
    METHODS,
    GD_PASSED_INPUTS,
    "RefCounted",
};
