/* fixsync_kit: what games build on hits, in the same integers as the kernel.
 *
 * The kit is beside the kernel: its sources are in kit/, and the kernel does not know it. The rules
 * of fixsync.h hold here too: one header for C and C++, no floating point, no allocation, no
 * globals, the caller owns all memory. A program that does not need the kit leaves kit/ out.
 *
 * Rounding. Where a comment says "rounded", a number is rounded to nearest, halves away from zero,
 * as the offsets of colliders are. A result outside its type is a status, never a wrapped number.
 *
 * Statuses. As in fixsync.h: a call that returns a status changes nothing. The kit returns those of
 * the kernel and its own, which are -64 and below.
 *
 * ABI. As in fixsync.h. FXS_SEMANTICS counts changes to the answers of the kit too.
 *
 * Example. A die, then the ten cards of a deck in random order:
 *
 *     uint64_t random = 2024;
 *     uint64_t die = 1 + fxs_random_below(&random, 6);
 *     assert(die >= 1 && die <= 6);
 *
 *     uint8_t deck[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
 *     fxs_random_shuffle(&random, deck, 10, sizeof deck[0]);
 */
#ifndef FIXSYNC_KIT_H
#define FIXSYNC_KIT_H

#include "fixsync.h"

#ifdef __cplusplus
extern "C" {
#endif

/* cdef: begin (build_ffi.py gives everything up to the matching end to cffi, without FXS_API) */

/* ---- statuses of the kit --------------------------------------------------------------------- */

#define FXS_E_RANGE (-64)          /* an argument or a result out of range */

/* ---- random numbers -------------------------------------------------------------------------- */

/* The generator SplitMix64. Its whole state is one number, which a game saves with its own state;
 * a seed is a first state. One output is enough to compute all that follow: it is not for
 * secrets. */

/* The next number, 0..2^64 - 1, each equally likely.
 * Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_random_next(uint64_t *state);

/* A number of 0..count - 1, each equally likely; a count of 0 means 2^64.
 * It takes numbers until one is below the largest multiple of the count. Cannot fail. Cost:
 * constant; on average less than two numbers. */
FXS_API uint64_t fxs_random_below(uint64_t *state, uint64_t count);

/* A number of low..high, both included, each equally likely.
 * Returns FXS_OK, or FXS_E_RANGE for a low above high. Cost: that of fxs_random_below. */
FXS_API int32_t fxs_random_between(uint64_t *state, int64_t low, int64_t high, int64_t *out);

/* Whether an event happens that has a chance of numerator in denominator.
 * It is fxs_random_below(state, denominator) < numerator. Returns 1 or 0, or FXS_E_RANGE for a
 * denominator of 0. Cost: that of fxs_random_below. */
FXS_API int32_t fxs_random_chance(uint64_t *state, uint64_t numerator, uint64_t denominator);

/* Puts `count` items of `item_size` bytes into a random order, each order equally likely.
 * Fisher and Yates: for last = count - 1 down to 1, the item at `last` and the one at
 * fxs_random_below(state, last + 1) change places. Cannot fail. Cost: bytes. */
FXS_API void fxs_random_shuffle(uint64_t *state, void *items, uint64_t count, uint64_t item_size);

/* cdef: end */

#ifdef __cplusplus
}
#endif

#endif
