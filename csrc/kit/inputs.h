/* Single inputs of fxs_inputs, for the parts of the kit that are built on it. */
#ifndef FIXSYNC_INPUTS_H
#define FIXSYNC_INPUTS_H

#include "../compiler.h"
#include "../fixsync_kit.h"

/* The input of a player for a frame, if it is known and still kept; else NULL. Those of the players
 * after it follow. */
FXS_INTERNAL const int64_t *fxs_inputs_known(const fxs_inputs *inputs, uint32_t player,
                                             uint32_t frame);
/* Changes the input that a player, who has none for it, was given for the frame taken last. */
FXS_INTERNAL void fxs_inputs_guess(fxs_inputs *inputs, uint32_t player, uint32_t frame,
                                   int64_t value);

#endif
