/* The frames of match logs in their three forms, and playing them. Not a part of the kernel: it is compiled beside it, uses its public
 * header alone, and no program but fixsync calls it.
 *
 * A frame is a line of canonical JSON (docs/match-logs.md), or the next numbers of the seven columns of a compact block
 * (docs/compact-logs.md), or what both are taken apart into: a tape, an array of int64_t:
 *
 *     FXL_TRACE or FXL_SIM, and FXL_HAS_* for what the frame tells
 *     the number of commands; each an operation and its fields in the order of the log, a shape as its kind and three sizes
 *       or the number of inputs; each -1 and a number, or the length of a list and its numbers
 *     if it tells queries: how many answers; each the number of its rows; each 0 and an id, or 1 and the five numbers of a cast's hit
 *     if it tells events: how many; each a, b, kind, contact
 *     if it tells a hash: the 64 bits
 *
 * What is here is the short way for frames without a fault. Whatever is not plainly right (text that is not canonical, a number out of
 * range, a command that the world refuses, an answer that differs) is left to the slow way, which knows how to tell of it. */
#ifndef FIXSYNC_MATCHLOG_H
#define FIXSYNC_MATCHLOG_H

#include "fixsync.h"

/* cdef: begin */

#define FXL_TRACE 0
#define FXL_SIM 1
#define FXL_HAS_QUERIES 2
#define FXL_HAS_EVENTS 4
#define FXL_HAS_HASH 8

#define FXL_TAPE_SPARE 32            /* words of a tape beyond what is said */

#define FXL_BLOCK_FRAME 9            /* bytes of a compact block beside its content */

/* Columns of a compact block. */
#define FXL_COLUMNS 7                /* 0 structure, 1 x, 2 y, 3 z, 4 yaw, 5 answers and events, 6 hashes */

/* What a function came to. */
#define FXL_END 0                    /* all that was given has been dealt with */
#define FXL_STOPPED 1                /* the frame that begins here, or the one on the tape, is for the slow way */
#define FXL_ROOM 2                   /* `needed` tells how much more is needed, and of what; then call again */
#define FXL_DAMAGED 3                /* a column does not hold what it should: `column`, `fault` and that column's `at` */

/* Faults of a column. */
#define FXL_TOO_SHORT 1
#define FXL_BAD_NUMBER 2             /* longer than it need be, or than 64 bits */
#define FXL_BAD_OPERATION 3
#define FXL_TOO_LONG 4               /* bytes after the last frame */

/* How far a frame has been played. */
#define FXL_NOT_BEGUN 0
#define FXL_COMMANDS 1               /* the commands before number `command` are done */
#define FXL_STEPPED 2                /* the step is done as well, but not all was compared */

typedef struct fxl_columns {
    const uint8_t *at[7], *end[7];
    uint64_t frames;                 /* still to be read */
    uint64_t waiting;                /* words of a frame that has been read, is on the tape and not dealt with; else 0 */
    uint32_t column, fault;          /* of FXL_DAMAGED */
    uint32_t kind;                   /* FXL_TRACE or FXL_SIM */
    /* What the next numbers are foretold from; lasts from block to block. */
    uint32_t last_id;
    uint32_t slots;                  /* at least 1 */
    uint32_t *rows;                  /* slots + 1 rows of eight: x, y, z, yaw, and what was last added to each */
} fxl_columns;

typedef struct fxl_player {
    fxs_world *world;
    int64_t *tape;
    uint64_t tape_room;
    fxs_event *events;
    uint64_t event_room;
    uint32_t *ids;
    uint64_t id_room;
    fxs_cast_hit *cast_hits;
    uint64_t cast_room;
    fxs_counts *counts;              /* of the last step */
    uint64_t frames;                 /* played to their end, as are those counted below */
    uint64_t hits, told_events, told_answers, told_hashes;
    uint32_t stage;                  /* of the frame on the tape, if it is not played to its end */
    uint32_t wants;                  /* of FXL_ROOM: 0 tape, 1 events or hits of a step, 2 ids, 3 hits of a cast */
    uint64_t command, needed;
} fxl_player;

/* Takes the line that begins at `line` apart if it is canonical but for spaces after commas and colons; its line feed, which must be
 * there, is at `end`. FXL_END with the number of words in `*words`, FXL_STOPPED for any other line. Tape: end - line + FXL_TAPE_SPARE words. */
int32_t fxl_scan(const uint8_t *line, const uint8_t *end, uint32_t kind, uint64_t frame, int64_t *tape, uint64_t *words);

/* The tape of a frame, in which every operation and kind is one, as a canonical line with its line feed: returns its length. Text:
 * 24 bytes a word, and 256. */
uint64_t fxl_print(const int64_t *tape, uint64_t frame, uint8_t *line);

/* Appends the tape of a frame, which fxl_scan has made, to columns: at `at`, of which each must have room for 10 bytes a word. Counts
 * `frames` up. */
void fxl_pack(const int64_t *tape, fxl_columns *to);

/* Reads the next of `frames`. FXL_END, or FXL_STOPPED if a number in it is out of range; FXL_DAMAGED. Tape: two words for each byte of
 * the columns, and FXL_TAPE_SPARE. */
int32_t fxl_unpack(fxl_columns *from, int64_t *tape, uint64_t *words);

/* Frames as lines, from number `*frame` on, which it counts up, as many as fit into `text`; `*size` is their length. FXL_END when all
 * are read; FXL_ROOM when the next has no room: 24 bytes for each of its `waiting` words, and 256, are enough; FXL_DAMAGED. Tape: as for
 * fxl_unpack, and the same at the next call. */
int32_t fxl_unpack_text(fxl_columns *from, uint64_t *frame, int64_t *tape, uint8_t *text, uint64_t room, uint64_t *size);

/* Plays the frames of a text of whole lines, the first of which has the number `frame`; `*done` is how many bytes of them are. Goes on,
 * after FXL_ROOM, in the frame where it was, if the text begins with it. */
int32_t fxl_play_text(fxl_player *player, const uint8_t *text, uint64_t size, uint64_t frame, uint64_t *done);

/* Plays the frames of a block likewise. After FXL_STOPPED the frame on the tape, which is `waiting`, was not played to its end. Tape: as
 * for fxl_unpack. */
int32_t fxl_play_columns(fxl_player *player, fxl_columns *from);

/* Plays the blocks of frames that are whole in `data`, the first of which should begin with number `frame`; `*done` is how many bytes of
 * blocks have been dealt with, the one that FXL_STOPPED or FXL_DAMAGED speaks of included. FXL_END where a block is not whole, of another
 * kind, or not as it should be. Goes on, after FXL_ROOM, in the block that `data` then begins with, `frame` being the next one. */
int32_t fxl_play_blocks(fxl_player *player, fxl_columns *from, const uint8_t *data, uint64_t size, uint64_t frame, uint64_t *done);

/* cdef: end */

#define FXL_TEXT_ROOM(words) (24 * (words) + 256)

#endif
