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
 * ABI. As in fixsync.h. FXS_SEMANTICS counts changes to the answers of the kit too. The sizes in
 * bytes are 404 (fxs_body) and 272 (fxs_recorder). fxs_rewind is opaque, as fxs_world is.
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
#define FXS_E_TABLE (-65)          /* not a table of frame data */
#define FXS_E_ORDER (-66)          /* a call that does not come here */

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

/* ---- bodies ---------------------------------------------------------------------------------- */

#define FXS_PARTS_MAX 32           /* parts of a body: a set of parts is one word */
#define FXS_VICTIMS_MAX 64         /* victims that one hit of an attack remembers */
#define FXS_FRAMES_MAX 2147483647  /* 2^31 - 1: frames of an attack */
#define FXS_BODY_ROWS 96           /* commands that one call for a body makes, at most */
#define FXS_NO_ATTACK 4294967295   /* no attack is under way */

/* Phases of an attack. */
#define FXS_PHASE_NONE 0           /* no attack is under way */
#define FXS_PHASE_STARTUP 1        /* a part is still to be switched on */
#define FXS_PHASE_ACTIVE 2         /* a part is on */
#define FXS_PHASE_RECOVERY 3       /* after the last time */

/* A body: several colliders of one owner that move, turn, mirror and attack together. The colliders
 * are in a world; what is here goes into a snapshot beside the world's (fxs_body_save). Bit i of a
 * set of parts is part i of the table. */
typedef struct fxs_body {
    uint32_t ids[32];            /* the collider of each part; not saved */
    uint32_t is_mirrored;        /* 1: it faces its local -x */
    uint32_t attack;             /* under way: its index in the table, or FXS_NO_ATTACK */
    uint32_t frame;              /* of the attack, from 0 */
    uint32_t has_hit;            /* 1: the attack has met a victim */
    uint32_t victim_count;       /* of the hit under way */
    uint32_t victims[64];        /* ascending; beyond victim_count undefined */
} fxs_body;

/* A table of frame data ("FXF1", docs/contract.md) is the parts and attacks of one kind of fighter
 * as bytes. It is read as it is, on every platform. fxs_frames_check looks at all of it; the other
 * functions trust it.
 *
 * Functions that change the world apply fxs_command rows to it, all of them or none, and leave them
 * in `rows` (room for FXS_BODY_ROWS) for a recorder. They return how many. On a status nothing is
 * changed, and where a command was refused, it is rows[0]. */

/* Whether bytes are a table of frame data.
 * Returns FXS_OK, or FXS_E_TABLE with `*at` (else untouched) the offset of the first field at
 * fault. Cost: bytes. */
FXS_API int32_t fxs_frames_check(const uint8_t *table, uint64_t size, uint64_t *at);

/* Makes a body and adds its parts to the world.
 * ids: one for each part, in their order. owner: of all parts; not 0, or they hit each other. The
 * body may hold anything before. Returns the number of rows; FXS_E_ID, FXS_E_TAKEN, FXS_E_YAW,
 * FXS_E_RANGE for an
 * is_mirrored other than 0 and 1, or FXS_E_CENTRE. Cost: parts. */
FXS_API int32_t fxs_body_add(fxs_body *body, const uint8_t *table, fxs_world *world,
                             const uint32_t *ids, uint32_t owner, const fxs_pose *pose,
                             uint32_t is_mirrored, fxs_command *rows);

/* Removes the parts from the world; their hits end at the next step.
 * Returns the number of rows, or FXS_E_ABSENT. Cost: parts. */
FXS_API int32_t fxs_body_remove(const fxs_body *body, const uint8_t *table, fxs_world *world,
                                fxs_command *rows);

/* Where the body is: the pose of its first part, less the yaw of the part itself.
 * Returns FXS_OK or FXS_E_ABSENT. Cost: constant. */
FXS_API int32_t fxs_body_pose(const fxs_body *body, const uint8_t *table, const fxs_world *world,
                              fxs_pose *out);

/* Moves and turns all parts.
 * Returns the number of rows; FXS_E_ABSENT, FXS_E_YAW or FXS_E_CENTRE. Cost: parts. */
FXS_API int32_t fxs_body_set_pose(const fxs_body *body, const uint8_t *table, fxs_world *world,
                                  const fxs_pose *pose, fxs_command *rows);

/* Has the body face its local +x (0) or -x (1): for side views, which do not turn.
 * Each part is mirrored across the body's local z axis: an offset ox becomes -ox; a box that the
 * part turns by w is turned by -w, and a sector faces half a turn - w. Returns the number of rows;
 * FXS_E_ABSENT, FXS_E_CENTRE, or FXS_E_RANGE for other numbers. Cost: parts. */
FXS_API int32_t fxs_body_mirror(fxs_body *body, const uint8_t *table, fxs_world *world,
                                uint32_t is_mirrored, fxs_command *rows);

/* Begins an attack with its frame 0; one that is under way is cancelled first.
 * Whether the game's rules allow it is fxs_body_can_start. Returns the number of rows;
 * FXS_E_RANGE for an attack that the table does not have, or FXS_E_ABSENT. Cost: parts + windows
 * of the attack. */
FXS_API int32_t fxs_body_start(fxs_body *body, const uint8_t *table, fxs_world *world,
                               uint32_t attack, fxs_command *rows);

/* Once a frame, after the step: moves the attack under way to its next frame, or ends it.
 * Without one it does nothing. Parts that are on or off as they should be get no row. Returns the
 * number of rows, or FXS_E_ABSENT. Cost: parts + windows of the attack. */
FXS_API int32_t fxs_body_tick(fxs_body *body, const uint8_t *table, fxs_world *world,
                              fxs_command *rows);

/* Ends the attack under way, if there is one.
 * Returns the number of rows, or FXS_E_ABSENT. Cost: parts. */
FXS_API int32_t fxs_body_cancel(fxs_body *body, const uint8_t *table, fxs_world *world,
                                fxs_command *rows);

/* Whether an attack may begin now: none is under way, or that has a cancel into it.
 * Returns 1 or 0, or FXS_E_RANGE. Cost: cancels of the attack under way. */
FXS_API int32_t fxs_body_can_start(const fxs_body *body, const uint8_t *table, uint32_t attack);

/* The phase of the attack under way.
 * FXS_PHASE_NONE to FXS_PHASE_RECOVERY. Only parts that attacks switch on count. Cannot fail.
 * Cost: windows of the attack. */
FXS_API uint32_t fxs_body_phase(const fxs_body *body, const uint8_t *table);

/* Which hit of the attack is under way, from 0: it grows at each frame of its `rehits`.
 * Cannot fail. Cost: rehits of the attack. */
FXS_API uint32_t fxs_body_hit(const fxs_body *body, const uint8_t *table);

/* Whether the hit under way meets a victim, any number, for the first time.
 * It is remembered until the attack's next hit, or its end: one swing hurts once, however many
 * colliders it meets and however often. Returns 1 or 0 (without an attack 0), or FXS_E_ROOM for
 * more than FXS_VICTIMS_MAX. Cost: victims. */
FXS_API int32_t fxs_body_strike(fxs_body *body, uint32_t victim);

/* How many bytes fxs_body_save writes now: at most 280.
 * Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_body_save_size(const fxs_body *body);

/* Writes everything but the ids to out.
 * The bytes ("FXB1", little-endian) are the same on every platform. Cannot fail. Cost: victims. */
FXS_API void fxs_body_save(const fxs_body *body, uint8_t *out);

/* XXH64 (seed 0) of the bytes that fxs_body_save writes.
 * Cannot fail. Cost: victims. */
FXS_API uint64_t fxs_body_hash(const fxs_body *body);

/* Replaces everything but the ids by a saved state; load the world's with it.
 * Returns FXS_OK, or FXS_E_STATE for bytes that no body of this table has saved, with `*at` the
 * offset of the first field at fault. Cost: victims. */
FXS_API int32_t fxs_body_load(fxs_body *body, const uint8_t *table, const uint8_t *bytes,
                              uint64_t size, uint64_t *at);

/* ---- rewind ---------------------------------------------------------------------------------- */

/* The states of a world at its last frames, in the caller's memory, for rollback and for a server
 * that looks into the past. Beside each state stand some bytes of the game's own, always as many:
 * its structures as they are. Push a frame after each step, and the first before any. */
typedef struct fxs_rewind fxs_rewind;

/* Bytes of memory for so many frames; 0 if a number is 0 or too large (2^48 bytes at most).
 * own_size: bytes of the game's own, may be 0. state_size: the largest state, as
 * fxs_world_save_size. A world of a config never needs more than 160 + 56 * capacity + 12 *
 * hit_capacity. Each frame takes 8 bytes more than both. Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_rewind_size(uint32_t frames, uint64_t own_size, uint64_t state_size);

/* Makes an empty ring in `memory`: fxs_rewind_size bytes, aligned to 8.
 * The memory may hold anything before, and may later be moved as bytes. Returns FXS_OK, or
 * FXS_E_CONFIG for numbers that fxs_rewind_size refuses, or misaligned memory. Cost: constant. */
FXS_API int32_t fxs_rewind_init(fxs_rewind *memory, uint32_t frames, uint64_t own_size,
                                uint64_t state_size);

/* Keeps a world as it is, under its frame, and the game's own bytes.
 * In a full ring it takes the place of the oldest frame. A frame that is kept already is replaced,
 * and those after it are dropped: they belong to a history that was rolled back. Returns FXS_OK;
 * FXS_E_ORDER for a frame that is neither kept nor the one after the newest; FXS_E_ROOM for a state
 * larger than state_size. Cost: that of fxs_world_save. */
FXS_API int32_t fxs_rewind_push(fxs_rewind *rewind, const fxs_world *world, const void *own);

/* Loads the state of a frame into a world of the same capacity, and its own bytes into own.
 * The ring does not change, and the world may be another than that which was pushed: to learn what
 * a cast would have met at a frame, load it into a second world and cast there. Returns FXS_OK;
 * FXS_E_RANGE for a frame that is not kept; what fxs_world_load returns, with the same `*at`. Cost:
 * that of fxs_world_load. */
FXS_API int32_t fxs_rewind_load(const fxs_rewind *rewind, uint32_t frame, fxs_world *world,
                                void *own, uint64_t *at);

/* How many frames are kept.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_rewind_count(const fxs_rewind *rewind);

/* The oldest frame that is kept; undefined if none is.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_rewind_oldest(const fxs_rewind *rewind);

/* ---- recorder -------------------------------------------------------------------------------- */

/* A match log (docs/match-log.md) that is being written into the caller's buffer. Each call adds
 * text at `size` and moves it on. Write the text to a file whenever you like, and set size to 0.
 *
 * For each frame: the commands as the world took them, the questions, the answers in the order of
 * the questions, then fxs_recorder_step. Rows must be ones that the world or its functions have
 * accepted. FXS_E_ROOM: the text does not fit before `room`; nothing is changed, so write out what
 * is there, or take a larger buffer, and call again. FXS_E_ORDER: the call does not come here. */
typedef struct fxs_recorder {
    uint64_t size;               /* bytes of text in the buffer */
    uint64_t frames;             /* whole lines of frames so far */
    uint64_t hashed_size;        /* bytes of text since the beginning */
    uint32_t frame;              /* number of the frame that is written next */
    uint32_t hit_when;           /* of the world */
    uint32_t line;               /* what the line of the frame has so far */
    uint32_t commands;           /* in the line; so are questions and answers */
    uint32_t questions;
    uint32_t answers;
    uint32_t layers[32];         /* the layer matrix after the commands */
    uint32_t sha[8];             /* SHA-256 of the whole blocks so far */
    uint8_t held[64];            /* the bytes after them */
} fxs_recorder;

/* Begins a log: the first line, and a command for each collider of the world.
 * The log of a world that is not at frame 0, or has hits, begins with its state. tick_rate: frames
 * a second. Returns FXS_OK; FXS_E_CONFIG for a tick_rate of 0, or FXS_E_ROOM. Cost: capacity +
 * text. */
FXS_API int32_t fxs_recorder_begin(fxs_recorder *recorder, const fxs_world *world,
                                   uint32_t tick_rate, char *text, uint64_t room);

/* Adds commands of this frame, at most 200 bytes each (the layer matrix: 3500).
 * Returns FXS_OK; FXS_E_COMMAND, FXS_E_KIND or FXS_E_LAYER for a row that no world accepts;
 * FXS_E_ORDER after an answer, or FXS_E_ROOM. Cost: text. */
FXS_API int32_t fxs_recorder_commands(fxs_recorder *recorder, const fxs_command *commands,
                                      uint64_t n, char *text, uint64_t room);

/* Adds a query that is made right after the step of this frame.
 * Its answer is fxs_recorder_ids. Returns FXS_OK; FXS_E_KIND, FXS_E_ORDER or FXS_E_ROOM. Cost:
 * constant. */
FXS_API int32_t fxs_recorder_query(fxs_recorder *recorder, const fxs_query *query, char *text,
                                   uint64_t room);

/* Adds a cast that is made right after the step of this frame.
 * Its answer is fxs_recorder_hits. Returns FXS_OK; FXS_E_KIND, FXS_E_ORDER or FXS_E_ROOM. Cost:
 * constant. */
FXS_API int32_t fxs_recorder_cast(fxs_recorder *recorder, const fxs_cast *cast, char *text,
                                  uint64_t room);

/* Adds the answer to the next question, a query.
 * Returns FXS_OK, FXS_E_ORDER or FXS_E_ROOM. Cost: text. */
FXS_API int32_t fxs_recorder_ids(fxs_recorder *recorder, const uint32_t *ids, uint64_t n,
                                 char *text, uint64_t room);

/* Adds the answer to the next question, a cast.
 * Returns FXS_OK, FXS_E_ORDER or FXS_E_ROOM. Cost: text. */
FXS_API int32_t fxs_recorder_hits(fxs_recorder *recorder, const fxs_cast_hit *hits, uint64_t n,
                                  char *text, uint64_t room);

/* Ends the line of this frame with the events of its step, and fxs_world_hash after it.
 * Returns FXS_OK; FXS_E_ORDER while a question has no answer, or FXS_E_ROOM. Cost: text. */
FXS_API int32_t fxs_recorder_step(fxs_recorder *recorder, const fxs_event *events, uint64_t n,
                                  uint64_t hash, char *text, uint64_t room);

/* Ends the log with its last line: the number of frames, and the SHA-256 of all before it.
 * A log without it was cut short, and its whole frames are still good. Returns FXS_OK; FXS_E_ORDER
 * within a frame, or FXS_E_ROOM. Cost: text. */
FXS_API int32_t fxs_recorder_end(fxs_recorder *recorder, char *text, uint64_t room);

/* cdef: end */

#ifdef __cplusplus
}
#endif

#endif
