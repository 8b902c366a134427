#include "classes.h"

#include <string.h>

static uint64_t *state_of(gd_call *call) { return &((gd_random *)call->self)->state; }

static void create(gd_call *call) {
    gd_random *random = gd_new(call, &GD_CLASS_RANDOM);
    if (random == NULL)
        return;
    random->state = (uint64_t)gd_int(call, 0);
    gd_return_object(call, random);
}

static void state(gd_call *call) { gd_return_int(call, (int64_t)*state_of(call)); }

static void set_state(gd_call *call) { *state_of(call) = (uint64_t)gd_int(call, 0); }

static void shuffle(gd_call *call) {
    gd_ints items = gd_ints_of(call, 0);
    int64_t *to = gd_return_ints(call, items.count);
    if (to == NULL || items.count == 0)
        return;
    memcpy(to, items.at, items.count * sizeof *to);
    fxs_random_shuffle(state_of(call), (uint8_t *)to, items.count, sizeof *to);
}

static const gd_method METHODS[] = {
    {"static create(seed: int) -> FixsyncRandom", create, "Makes a generator; a seed is a state."},
    {"state() -> int", state, "Returns the whole state, to save with the game's own."},
    {"set_state(state: int)", set_state, "Replaces the state."},
    {"shuffle(items: PackedInt64Array) -> PackedInt64Array", shuffle,
     "Returns the items in random order; each order is equally likely."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_RANDOM = {
    "FixsyncRandom",
    "Random numbers that are the same on every machine. The state is one number, so it rolls back "
    "with the game. Not for secrets.",
    sizeof(gd_random),
    NULL,
    METHODS,
    GD_PASSED_RANDOM,
    "RefCounted",
};
