/* Inputs: one of each player for each frame, known or predicted. */
#include "inputs.h"
#include "../fixsync_kit.h"
#include "../integer.h"
#include "rewind.h"

/* The block: this head, then in a ring of 2 * window frames the values that came, the values that
 * were given, and which came. Frames are counted from `oldest`: `window` from there, and `behind`
 * before it. */
struct fxs_inputs {
    uint32_t players;
    uint32_t window;
    uint32_t oldest;    /* the first frame that is not confirmed, or has yet to be stepped right */
    uint32_t slot;      /* of `oldest` */
    uint32_t behind;    /* frames before it whose inputs are kept; at most window */
    uint32_t confirmed; /* how many frames from there on have all inputs */
    uint32_t taken;     /* how many were taken */
    uint32_t right;     /* how many were taken before the first wrong one; else as `taken` */
};

#define NO_INPUT UINT64_MAX

uint64_t fxs_inputs_size(uint32_t players, uint32_t frames) {
    if (players == 0 || players > FXS_INPUT_PLAYERS_MAX || frames == 0 ||
        frames > FXS_INPUT_FRAMES_MAX) {
        return 0;
    }
    return sizeof(fxs_inputs) + align8((uint64_t)2 * frames * players * 17);
}

static uint64_t input_cells(const fxs_inputs *inputs) {
    return (uint64_t)2 * inputs->window * inputs->players;
}

/* The first cell of a frame; `after` is counted from `oldest`, `before` back from it. */
static uint64_t cell_after(const fxs_inputs *inputs, uint32_t after) {
    FXS_ASSERT(inputs->slot < 2 * inputs->window && after <= 2 * inputs->window);
    FXS_ASSERT(inputs->behind <= inputs->window && inputs->right <= inputs->taken);
    FXS_ASSERT(inputs->confirmed <= inputs->window && inputs->taken <= inputs->window);
    return ((uint64_t)inputs->slot + after) % (2 * inputs->window) * inputs->players;
}

static uint64_t cell_before(const fxs_inputs *inputs, uint32_t before) {
    return cell_after(inputs, 2 * inputs->window - before);
}

static int64_t *values_of(const fxs_inputs *inputs) { return (int64_t *)(uintptr_t)(inputs + 1); }

static int64_t *given_of(const fxs_inputs *inputs) {
    return values_of(inputs) + input_cells(inputs);
}

static uint8_t *known_of(const fxs_inputs *inputs) {
    return (uint8_t *)(given_of(inputs) + input_cells(inputs));
}

int32_t fxs_inputs_init(fxs_inputs *memory, uint32_t players, uint32_t frames, uint32_t frame) {
    uint64_t size = fxs_inputs_size(players, frames);
    if (size == 0 || (uintptr_t)memory % 8 != 0) {
        return FXS_E_CONFIG;
    }
    memset(memory, 0, (size_t)size);
    memory->players = players;
    memory->window = frames;
    memory->oldest = frame;
    return FXS_OK;
}

uint32_t fxs_inputs_redo(const fxs_inputs *inputs) {
    return frame_after(inputs->oldest, inputs->right);
}

uint32_t fxs_inputs_confirmed(const fxs_inputs *inputs) {
    return frame_after(inputs->oldest, inputs->confirmed);
}

static int has_all(const fxs_inputs *inputs, uint32_t after) {
    const uint8_t *known = known_of(inputs) + cell_after(inputs, after);
    for (uint32_t player = 0; player < inputs->players; player++) {
        if (!known[player]) {
            return 0;
        }
    }
    return 1;
}

/* Lets go of frames that are confirmed and were stepped right, and counts the new ones. */
static void slide(fxs_inputs *inputs) {
    while (inputs->confirmed && inputs->right) {
        inputs->slot = inputs->slot + 1 == 2 * inputs->window ? 0 : inputs->slot + 1;
        inputs->oldest = frame_after(inputs->oldest, 1);
        inputs->behind += inputs->behind < inputs->window;
        inputs->confirmed--;
        inputs->taken--;
        inputs->right--;
        memset(known_of(inputs) + cell_after(inputs, inputs->window - 1), 0, inputs->players);
    }
}

/* The first cell of a frame; NO_INPUT if it is not kept. */
static uint64_t input_cell(const fxs_inputs *inputs, uint32_t frame) {
    uint32_t after = frames_between(inputs->oldest, frame);
    uint32_t before = frames_between(frame, inputs->oldest);
    if (after < inputs->window) {
        return cell_after(inputs, after);
    }
    return before <= inputs->behind ? cell_before(inputs, before) : NO_INPUT;
}

const int64_t *fxs_inputs_known(const fxs_inputs *inputs, uint32_t player, uint32_t frame) {
    uint64_t cell = input_cell(inputs, frame);
    return cell != NO_INPUT && known_of(inputs)[cell + player] ? values_of(inputs) + cell + player
                                                               : NULL;
}

void fxs_inputs_guess(fxs_inputs *inputs, uint32_t player, uint32_t frame, int64_t value) {
    FXS_ASSERT(frames_between(inputs->oldest, frame) < inputs->taken);
    given_of(inputs)[input_cell(inputs, frame) + player] = value;
}

int32_t fxs_inputs_put(fxs_inputs *inputs, uint32_t player, uint32_t frame, int64_t value) {
    if (player >= inputs->players) {
        return FXS_E_ID;
    }
    uint32_t after = frames_between(inputs->oldest, frame);
    uint64_t cell = input_cell(inputs, frame);
    if (cell == NO_INPUT) {
        return after <= (uint32_t)INT32_MAX ? FXS_E_RANGE : FXS_OK;
    }
    cell += player;
    if (known_of(inputs)[cell]) {
        return values_of(inputs)[cell] == value ? FXS_OK : FXS_E_TAKEN;
    }
    values_of(inputs)[cell] = value;
    known_of(inputs)[cell] = 1;
    if (after < inputs->right && given_of(inputs)[cell] != value) {
        inputs->right = after;
    }
    while (inputs->confirmed < inputs->window && has_all(inputs, inputs->confirmed)) {
        inputs->confirmed++;
    }
    slide(inputs);
    return FXS_OK;
}

/* The input of a player for a frame: the known one, the last known before it, or 0. */
static int64_t input_of(const fxs_inputs *inputs, uint32_t player, uint32_t after) {
    for (uint32_t i = 0; i <= after; i++) {
        uint64_t cell = cell_after(inputs, after - i) + player;
        if (known_of(inputs)[cell]) {
            return values_of(inputs)[cell];
        }
    }
    /* All inputs of the frame before `oldest` are known. */
    return inputs->behind ? values_of(inputs)[cell_before(inputs, 1) + player] : 0;
}

int32_t fxs_inputs_take(fxs_inputs *inputs, uint32_t frame, int64_t *values) {
    uint32_t after = frames_between(inputs->oldest, frame);
    uint32_t before = frames_between(frame, inputs->oldest);
    if (before != 0 && before <= inputs->behind) {
        const int64_t *real = values_of(inputs) + cell_before(inputs, before);
        memcpy(values, real, inputs->players * sizeof *values);
        return FXS_OK;
    }
    if (after > inputs->taken || after >= inputs->window) {
        return FXS_E_RANGE;
    }
    int64_t *given = given_of(inputs) + cell_after(inputs, after);
    for (uint32_t player = 0; player < inputs->players; player++) {
        given[player] = input_of(inputs, player, after);
        values[player] = given[player];
    }
    inputs->taken = after + 1;
    if (inputs->right >= after) {
        inputs->right = inputs->taken;
    }
    slide(inputs);
    return FXS_OK;
}
