/* The ring of fxs_rewind, for the parts of the kit that are built on it. */
#ifndef FIXSYNC_REWIND_H
#define FIXSYNC_REWIND_H

#include "../fixsync_kit.h"
#include "../integer.h"

/* b - a of frame numbers, modulo 2^32. */
static inline uint32_t frames_between(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)b + ((uint64_t)1 << 32) - a);
}

/* The frame n after a frame, modulo 2^32. */
static inline uint32_t frame_after(uint32_t frame, uint32_t n) {
    return (uint32_t)((uint64_t)frame + n);
}

/* Copies all frames of a ring into an empty one with the same own_size, and room for as many
 * states at least as large. */
FXS_INTERNAL void fxs_rewind_copy(fxs_rewind *to, const fxs_rewind *from);

/* The game's own bytes of a frame that is kept; else NULL. */
FXS_INTERNAL const uint8_t *fxs_rewind_own(const fxs_rewind *rewind, uint32_t frame);

/* The state that the frame after the newest had before an earlier one was pushed again, and its own
 * bytes; NULL if there was none. */
FXS_INTERNAL const uint8_t *fxs_rewind_dropped(const fxs_rewind *rewind, uint64_t *size,
                                               const uint8_t **own);

/* Whether the hash of the oldest frame that is not confirmed came with it: then it may be from
 * before reactions. */
FXS_INTERNAL int fxs_history_has_hash(const fxs_history *history);

#endif
