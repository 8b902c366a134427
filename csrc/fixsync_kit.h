/* fixsync_kit: numbers, motion, characters, bodies, snapshots and logs for games on the kernel.
 *
 * The sources are in kit/; the kernel does not use them. The rules of fixsync.h hold here too: one
 * header for C and C++, no floating point, no allocation, no globals, the caller owns all memory. A
 * program that does not need the kit leaves kit/ out.
 *
 * Rounding. Where a comment says "rounded", a number is rounded to nearest, halves away from zero,
 * as the offsets of colliders are. A result outside its type is a status, never a wrapped number.
 *
 * Statuses. As in fixsync.h: a call that returns a status changes nothing. The kit returns those of
 * the kernel and its own, which are -64 and below.
 *
 * ABI. As in fixsync.h. FXS_SEMANTICS counts changes to the answers of the kit too. The sizes in
 * bytes are 28 (fxs_mover), 36 (fxs_mover_result), 36 (fxs_carried), 20 (fxs_separated), 404
 * (fxs_body), 16 (fxs_strike), 40 (fxs_hitbox), 48 (fxs_planes_command), 68 (fxs_hitbox_cast), 40
 * (fxs_difference), 64 (fxs_name), 48 (fxs_explanation), 40 (fxs_history_room), 40 (fxs_pushed), 16
 * (fxs_event_changes), 32 (fxs_confirmed), 48 (fxs_recorded), 376 (fxs_recorder), 168
 * (fxs_rollback_settings), 64 (fxs_rollback_request), 112 (fxs_desync), 32 (fxs_refusal), 40
 * (fxs_pace) and 16 (fxs_player_pace). fxs_rewind, fxs_inputs, fxs_history and fxs_rollback are
 * opaque, as fxs_world is.
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

/* Statuses (enum Status). */
#define FXS_E_RANGE (-64)     /* an argument or a result out of range */
#define FXS_E_TABLE (-65)     /* not a table of frame data */
#define FXS_E_NORMAL (-67)    /* a normal of (0, 0, 0), or with a component out of range */
#define FXS_E_MOVER (-68)     /* a field of a mover out of range */
#define FXS_E_TEXT (-69)      /* text that no match log may hold, or not a decimal */
#define FXS_E_INEXACT (-70)   /* a decimal that is not a multiple of 1/65536 */
#define FXS_E_PACKET (-71)    /* a packet that is cut, damaged or malformed */
#define FXS_E_LIFE (-72)      /* a packet of an earlier match or start of a peer, or damaged */
#define FXS_E_MATCH (-73)     /* a packet of another match */
#define FXS_E_SEMANTICS (-74) /* a packet of a kernel with other semantics */
#define FXS_E_SETTINGS (-75)  /* a packet of a peer with other settings */
#define FXS_E_DATA (-76)      /* a packet of a peer with other data */
#define FXS_E_INPUT (-77)     /* another input than before for the same player and frame */

/* The words of this header and of fixsync.h for a status: "a layer outside 0..31".
 * Another number gives "not a status of fixsync". The text is constant, ASCII, and ends with a 0.
 * Cannot fail. Cost: constant. */
FXS_API const char *fxs_status_text(int32_t status);

/* ---- events of a game ------------------------------------------------------------------------ */

/* The least kind of a game's own events, such as a KO. They are rows of fxs_event after those of
 * the world; their contact holds the bits of an int32_t. No event has a kind in 4..15. */
#define FXS_GAME_EVENT 16

/* ---- numbers --------------------------------------------------------------------------------- */

/* Arithmetic in Q16.16. Every result is the exact one, rounded, or FXS_E_RANGE with the output
 * untouched where that is outside int32. An output may be the same memory as an input. */

/* The product a * b, rounded.
 * Returns FXS_OK or FXS_E_RANGE. Cost: constant. */
FXS_API int32_t fxs_mul(int32_t a, int32_t b, int32_t *out);

/* The quotient a / b, rounded.
 * Returns FXS_OK, or FXS_E_RANGE, also for a b of 0. Cost: constant. */
FXS_API int32_t fxs_div(int32_t a, int32_t b, int32_t *out);

/* The number a * b / c of plain integers, rounded once: 30 percent of a damage.
 * Returns FXS_OK, or FXS_E_RANGE, also for a c of 0. Cost: constant. */
FXS_API int32_t fxs_mul_div(int32_t a, int32_t b, int32_t c, int32_t *out);

/* The square root of a, rounded.
 * Returns FXS_OK, or FXS_E_RANGE for a negative a. Cost: constant. */
FXS_API int32_t fxs_sqrt(int32_t a, int32_t *out);

/* The number at a fraction (0..65536) of the way from a to b.
 * a + (b - a) * fraction / 65536, the quotient rounded; it is never beyond a or b. Returns FXS_OK,
 * or FXS_E_RANGE for a fraction above 65536. Cost: constant. */
FXS_API int32_t fxs_lerp(int32_t a, int32_t b, uint32_t fraction, int32_t *out);

/* The number of low..high that is nearest to v.
 * Returns FXS_OK, or FXS_E_RANGE for a low above high. Cost: constant. */
FXS_API int32_t fxs_clamp(int32_t v, int32_t low, int32_t high, int32_t *out);

/* The number v moved towards a target by `most` at most.
 * Returns FXS_OK, or FXS_E_RANGE for a negative `most`. Cost: constant. */
FXS_API int32_t fxs_approach(int32_t v, int32_t target, int32_t most, int32_t *out);

/* A yaw turned towards another the shorter way, by `most` (0..65536) steps at most.
 * Half a turn goes towards smaller yaws. Returns the yaw, 0..65535; FXS_E_YAW, or FXS_E_RANGE for
 * a `most` above 65536. Cost: constant. */
FXS_API int32_t fxs_turn_towards(uint32_t yaw, uint32_t end, uint32_t most);

/* The length of a vector, sqrt(x^2 + y^2 + z^2), rounded; 0 for a component that is not needed.
 * Returns FXS_OK or FXS_E_RANGE. Cost: constant. */
FXS_API int32_t fxs_hypot(int32_t x, int32_t y, int32_t z, int32_t *out);

/* Reads a decimal such as "-1.5": digits, perhaps a minus sign before them, perhaps a point and
 * digits behind them. It may have any number of digits.
 * nearest: 0 takes only multiples of 1/65536; 1 rounds to the nearest, of two equally near ones to
 * the even one, as FXS_Q_NEAR does. A status leaves out untouched. Returns FXS_OK; FXS_E_TEXT for
 * other text; FXS_E_INEXACT; FXS_E_RANGE for another `nearest`, or a number outside int32. Cost:
 * size. */
FXS_API int32_t fxs_parse_q(const char *text, uint64_t size, uint32_t nearest, int32_t *out);

/* Writes a number as the exact decimal, with as few digits as it takes, and a 0 at its end.
 * At most 23 characters. fxs_parse_q reads it back. Returns the number of characters. Cannot fail.
 * Cost: constant. */
FXS_API uint32_t fxs_format_q(int32_t value, char out[24]);

/* The dot product of two vectors (x, y, z), rounded once.
 * Returns FXS_OK or FXS_E_RANGE. Cost: constant. */
FXS_API int32_t fxs_dot(const int32_t a[3], const int32_t b[3], int32_t *out);

/* A vector (x, y, z) times a factor, each component rounded.
 * Returns FXS_OK or FXS_E_RANGE. Cost: constant. */
FXS_API int32_t fxs_scale(const int32_t v[3], int32_t factor, int32_t out[3]);

/* A vector (x, y, z) brought to a length of 0..2^31 - 1: a speed in the direction of a target.
 * Each component times length / sqrt(x^2 + y^2 + z^2), rounded. Returns FXS_OK, or FXS_E_RANGE for
 * (0, 0, 0) and for a negative length. Cost: constant. */
FXS_API int32_t fxs_with_length(const int32_t v[3], int32_t length, int32_t out[3]);

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

/* Shuffles `count` items of `item_size` bytes; each order is equally likely.
 * Fisher and Yates: for last = count - 1 down to 1, the item at `last` and the one at
 * fxs_random_below(state, last + 1) change places. Cannot fail. Cost: bytes. */
FXS_API void fxs_random_shuffle(uint64_t *state, uint8_t *items, uint64_t count,
                                uint64_t item_size);

/* ---- motion ---------------------------------------------------------------------------------- */

/* Motion after a cast: how far to go, slide, bounce. A motion is (x, y, z) in Q16.16; fraction and
 * normal are those of a cast. */

/* Limits. */
#define FXS_NORMAL_MAX 1610612736 /* 1.5 in Q2.30: the largest component of a normal */

/* The part of a motion up to a fraction (0..65536).
 * With the normal of the hit it is rounded in the direction of the normal, so that it ends outside
 * the obstacle, less than a raw unit off on each axis. Where a component of the normal is 0, and
 * without a normal (NULL), it is rounded toward zero. motion: as for fxs_cast_pair; it may be
 * `out`. Returns FXS_OK; FXS_E_MOTION, FXS_E_NORMAL, or FXS_E_RANGE for a fraction above 65536.
 * Cost: constant. */
FXS_API int32_t fxs_along(const int32_t motion[3], uint32_t fraction, const int32_t normal[3],
                          int32_t out[3]);

/* Reflects a motion at a surface. kept, 0..65536: share of the speed into it that it keeps.
 * motion - (1 + kept) * dot(motion, normal) * normal, each component rounded in the direction of
 * the normal. A motion along the surface or away from it does not change. motion: any; it may be
 * `out`. The result never leads into the surface. Returns FXS_OK; FXS_E_NORMAL, also for (0, 0, 0),
 * where the shapes overlap and fxs_push_out is needed; FXS_E_RANGE for a kept above 65536 and for a
 * result outside int32. Cost: constant. */
FXS_API int32_t fxs_bounce(const int32_t motion[3], const int32_t normal[3], uint32_t kept,
                           int32_t out[3]);

/* Removes the component of a motion into a surface: fxs_bounce with kept 0.
 * Returns FXS_OK; FXS_E_NORMAL, or FXS_E_RANGE for a result outside int32. Cost: constant. */
FXS_API int32_t fxs_slide(const int32_t motion[3], const int32_t normal[3], int32_t out[3]);

/* Moves a collider straight and slides it along obstacles: a dash.
 * Obstacles are the active colliders and the solids whose layer is in `mask`, but no sectors and
 * none of its owner. A mask of 0 stands for the row of its layer in the layer matrix; otherwise the
 * matrix does not count. It stops before each of them and slides on with the rest of the motion,
 * until nothing is left or it hit `passes` (1..FXS_PASSES_MAX) of them. It passes through none, and
 * overlaps none afterwards. A collider that overlaps an obstacle at the start stays there; the only
 * hit, with fraction 0 and normal (0, 0, 0), is an obstacle to push it out of. `hits`, with room
 * for `passes`: the obstacles that it hit, in order, with the fraction of the motion that was left
 * then; `*count` is their number.
 * Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, FXS_E_UNDEFINED for a sector, FXS_E_RANGE for other
 * passes, FXS_E_MOTION, also if a component leaves the range by sliding, or FXS_E_CENTRE for a path
 * that leads outside int32. Cost: at most 6 * passes times that of fxs_world_cast. */
FXS_API int32_t fxs_move_and_slide(fxs_world *world, uint32_t id, const int32_t motion[3],
                                   uint32_t mask, uint32_t passes, fxs_cast_hit *hits,
                                   uint64_t *count);

/* ---- mover ----------------------------------------------------------------------------------- */

/* Limits. */
#define FXS_PASSES_MAX 64 /* the most slides of one move */

/* Flags of fxs_mover_result (flags MoverFlags). */
#define FXS_ON_FLOOR 1   /* it stands on `floor` */
#define FXS_ON_WALL 2    /* it hit a wall */
#define FXS_ON_CEILING 4 /* it hit a ceiling */
#define FXS_STEPPED 8    /* it climbed a step */
#define FXS_PUSHED 16    /* it overlapped something at the start, and was pushed out */
#define FXS_STUCK 32     /* it overlapped something, has no free way out, and stays */

/* The settings of a character that walks. */
typedef struct fxs_mover {
    uint32_t id;         /* of the collider that moves; not a sector */
    uint32_t mask;       /* bit i: layer i blocks it; 0: its row of the matrix */
    uint32_t passes;     /* 2..FXS_PASSES_MAX: slides in one move; 4 is usual */
    int32_t step_height; /* 0..FXS_SIZE_MAX: the highest step that it climbs; 0: none */
    int32_t snap;        /* 0..FXS_SIZE_MAX: how far down a walker reaches for a floor */
    int32_t floor_y_q30; /* 1..2^30: least y of the normal of a floor */
    uint32_t one_way;    /* bit i: layer i is a floor from above, and blocks no other way;
                                    if it is not 0, mask is not 0 and shares no bit with it */
} fxs_mover;

/* The result of a move. */
typedef struct fxs_mover_result {
    int32_t x, y, z;    /* position of the collider now */
    int32_t motion[3];  /* the motion without components into walls, floor, ceiling */
    uint32_t flags;     /* FXS_ON_FLOOR to FXS_STUCK */
    uint32_t floor;     /* id that it stands on; 0 without FXS_ON_FLOOR */
    uint32_t hit_count; /* rows of hits */
} fxs_mover_result;

/* Moves a character by a motion: along walls, up steps, down to the floor.
 * Obstacles are those of fxs_move_and_slide. It walks if it stands on a floor and motion[1] is not
 * above 0; otherwise it flies. A walker moves in the plane and climbs steps of at most step_height.
 * Then it moves down by -motion[1] or, if there is a floor within `snap`, to that floor. A flyer
 * moves straight and slides along obstacles. It passes through none, and overlaps none afterwards.
 *
 * A surface is a floor if the y of its normal is at least floor_y_q30, and a ceiling if that is at
 * most -floor_y_q30; 759250125 is 45 degrees. For a sphere or capsule the edge of a flat top is a
 * floor too, if its lowest point is at most step_height below that edge.
 *
 * A character that overlaps something at the start is pushed out, and through nothing. It takes the
 * first obstacle, and of the ways sideways (fxs_world_push_out) and up or down (fxs_world_lift) the
 * shorter one that is free; the longer one only if it is at most the character's width. A way is
 * free if a cast along it meets nothing that it does not overlap where the way begins. So up to
 * `passes` times, until it overlaps nothing. It stays where it was, with FXS_STUCK, if no way is
 * free, if it still overlaps something, or if it came out against the shorter way out of something
 * that it overlapped at the start: behind that.
 *
 * An obstacle on a layer of `one_way` blocks it only on a motion down, as a floor, and only if the
 * two do not overlap at the start of that motion: it jumps up through a platform and stands on it.
 * It is not pushed out of such an obstacle. To drop through, leave the layer out for a frame, with
 * motion[1] below 0.
 *
 * `hits`, with room for passes + 1: walls and ceilings that it hit, in order, then the floor. Their
 * fractions are of the motion that was left then. With FXS_STUCK: one that it overlaps. `mover` and
 * `result` must not overlap. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, FXS_E_UNDEFINED for a sector,
 * FXS_E_MOVER, FXS_E_MOTION, also if a component leaves the range by sliding, or FXS_E_CENTRE for a
 * path that leads outside int32; a push that does is not free. Cost: at most 12 * passes + 12 times
 * that of fxs_world_cast, and one for each obstacle that it overlaps at the start; usually 4
 * times. */
FXS_API int32_t fxs_mover_move(fxs_world *world, const fxs_mover *mover, const int32_t motion[3],
                               fxs_mover_result *result, fxs_cast_hit *hits);

/* ---- platforms ------------------------------------------------------------------------------- */

/* Flags of fxs_carried (flags CarryFlags). */
#define FXS_RODE 1      /* it rides, also if it was held */
#define FXS_SHOVED 2    /* the platform came against it while it did not ride */
#define FXS_HELD 4      /* an obstacle blocked it, or its floor stopped riding */
#define FXS_CRUSHED 8   /* the platform overlaps it, or came to on its way */
#define FXS_SQUEEZED 16 /* it came to overlap another mover of the list */

/* The effect of a platform on a mover. */
typedef struct fxs_carried {
    uint32_t id;       /* of the mover */
    int32_t x, y, z;   /* position of the collider now */
    int32_t motion[3]; /* the motion that it made */
    uint32_t flags;    /* FXS_RODE to FXS_SQUEEZED */
    uint32_t by;       /* with FXS_HELD the id that stopped it last; else with FXS_RODE
                                    its floor; else the collider that first shoved it; else 0 */
} fxs_carried;

/* Moves a platform, with the movers that ride on it, and pushes those in its way.
 * `ids`: the n colliders of the platform, a cabin's floor and walls together, ascending. `movers`:
 * those that it may take along, by ascending ids. They do not block each other meanwhile.
 *
 * A mover rides if it stands on a collider of the platform or on a mover that rides: its floor is
 * met one raw unit down, by the rule of fxs_mover_move. The motion is made in this order: upwards,
 * along x, along z, downwards. Along each, a rider moves with the platform until an obstacle blocks
 * it, or its floor stops; any other mover that a collider of the platform comes against is pushed
 * ahead of it until an obstacle blocks it. Obstacles are those of fxs_mover_move, without the
 * platform and the movers. A collider or solid that a mover overlaps at first does not block or
 * push it. The platform itself always makes its whole motion, through a mover that cannot give way.
 * That one has FXS_CRUSHED, then and in each later call after which a collider of the platform that
 * blocks it overlaps it. A platform on a layer of the mover's one_way carries it, pushes it only
 * up, and never crushes it. Two active movers that overlap now and did not before have
 * FXS_SQUEEZED, if one blocks the other by mask and owner. It does not change `by`.
 *
 * `rows`, with room for `count`: a row for each mover, in order. After an error their content is
 * undefined. Returns FXS_OK; FXS_E_MOTION as fxs_mover_move; FXS_E_ORDER for ids that do not
 * ascend, FXS_E_TAKEN for one in both lists, FXS_E_ID, FXS_E_ABSENT, FXS_E_UNDEFINED for a sector,
 * FXS_E_ACTIVE for an inactive one of the platform, FXS_E_MOVER, or FXS_E_CENTRE if any would leave
 * int32. Cost: for each mover one cast and n pairs, and on each axis about one cast for a free
 * rider, two for one that stands beside, at most eight for one that is pushed and blocked, and four
 * for each one-way obstacle that it passes; unless all movers moved alike, squeezed pairs by a cast
 * for each mover, and one more for each obstacle that it overlaps. */
FXS_API int32_t fxs_carry(fxs_world *world, const uint32_t *ids, uint64_t n,
                          const int32_t motion[3], const fxs_mover *movers, uint64_t count,
                          fxs_carried *rows);

/* ---- crowds ---------------------------------------------------------------------------------- */

/* A collider that fxs_movers_separate moved, or would have. */
typedef struct fxs_separated {
    uint32_t id;
    int32_t x, y, z;  /* its position now */
    uint32_t is_held; /* 1 if an obstacle kept it from the place that it was pushed to */
} fxs_separated;

/* fxs_world_separate for characters: none is pushed through a wall, or into one.
 * `yields` and `passes` are those of fxs_world_separate, which says where each collider is pushed
 * to. A collider that is not a mover of the list goes there. Then each mover goes there, by
 * ascending ids, from where it was, as with fxs_move_and_slide, with its own mask and passes, in x
 * and z alone: y stays. Obstacles are those of fxs_move_and_slide, without the movers of the list,
 * and without the colliders that it gives way to (by yields) and overlaps where it was. Layers of
 * its one_way do not block it. A mover stays if it overlaps an obstacle where it was, if the push
 * is longer than FXS_SIZE_MAX on an axis, or if fxs_move_and_slide would return a status.
 *
 * Walls: put them in the masks of the movers, and, if they are colliders, not in `yields`.
 *
 * `movers`: by ascending ids. `rows`: the colliders that are pushed to another place, ascending by
 * id; `*rows_count` is how many. Hits and frame stay; the next step sees the new poses. Returns
 * FXS_OK; FXS_E_ORDER for ids that do not ascend, FXS_E_ID, FXS_E_ABSENT, FXS_E_UNDEFINED for a
 * sector or FXS_E_MOVER, with `*rows_count` the index of the first bad mover; FXS_E_ROOM if
 * `capacity` is below both the number of colliders and twice the hits of the last step, with
 * `*rows_count` the room that is enough; FXS_E_CENTRE as fxs_world_separate, with `*rows_count` the
 * id. On any of these no collider is moved, and `rows` is undefined. Cost: that of
 * fxs_world_separate, sorting the rows, and for each mover that is pushed that of
 * fxs_move_and_slide. */
FXS_API int32_t fxs_movers_separate(fxs_world *world, const uint32_t yields[32], uint32_t passes,
                                    const fxs_mover *movers, uint64_t count, fxs_separated *rows,
                                    uint64_t capacity, uint64_t *rows_count);

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Numbers and limits. */
#define FXS_PARTS_MAX 32                 /* parts of a body: a set of parts is one word */
#define FXS_VICTIMS_MAX 64               /* victims that one hit of an attack remembers */
#define FXS_ATTACK_FRAMES_MAX 2147483647 /* 2^31 - 1: frames of an attack */
#define FXS_BODY_ROWS 160                /* commands that one call for a body makes, at most */
#define FXS_NO_ATTACK 4294967295U        /* no attack is under way */
#define FXS_NO_PART 4294967295U          /* in ids, after the last part */

/* Phases of an attack (enum Phase). */
#define FXS_PHASE_NONE 0     /* no attack is under way */
#define FXS_PHASE_STARTUP 1  /* a part is still to be switched on */
#define FXS_PHASE_ACTIVE 2   /* a part is on */
#define FXS_PHASE_RECOVERY 3 /* after the last time */

/* A body: several colliders of one owner that move, turn, mirror and attack together. The colliders
 * are in a world; save this beside the world's snapshot (fxs_body_save). Bit i of a set of parts is
 * part i of the table. */
typedef struct fxs_body {
    uint32_t ids[32];      /* the collider of each part, then FXS_NO_PART; not saved */
    uint32_t is_mirrored;  /* 1: it faces its local -x */
    uint32_t attack;       /* index of the attack under way, or FXS_NO_ATTACK */
    uint32_t frame;        /* of the attack, from 0 */
    uint32_t has_hit;      /* 1: the attack has met a victim */
    uint32_t victim_count; /* of the hit under way */
    uint32_t victims[64];  /* ascending; beyond victim_count undefined */
} fxs_body;

/* A table of frame data ("FXF1", with keys "FXF2", docs/contract.md) is the parts and attacks of
 * one kind of fighter as bytes, the same on every platform. fxs_frame_data_check checks all of it;
 * the other functions trust it. An attack may have keys: frames in which a part has another shape,
 * offset and yaw than its own.
 *
 * Functions that change the world apply fxs_command rows to it, all of them or none, and leave them
 * in `rows` (room for FXS_BODY_ROWS) for a recorder. They return how many. On a status nothing is
 * changed, and where a command was refused, it is rows[0]. */

/* Whether bytes are a table of frame data.
 * Returns FXS_OK, or FXS_E_TABLE with `*at` (else untouched) the offset of the first field at
 * fault. Cost: bytes. */
FXS_API int32_t fxs_frame_data_check(const uint8_t *table, uint64_t size, uint64_t *at);

#define FXS_FRAME_DATA_MESSAGE_MAX 512     /* bytes of the reason why a file is refused */
#define FXS_FRAME_DATA_TEXT_MAX 1073741823 /* 2^30 - 1: bytes of a JSON file */

/* Reads a JSON file of frame data (docs/frames.md).
 * `out` gets the table, and behind it the names: first those of the parts, then those of the
 * attacks, in UTF-8, each with a 0 behind it. room: 4 * size + FXS_FRAME_DATA_MESSAGE_MAX or more.
 * Returns FXS_OK; FXS_E_TEXT with the reason in `out`, `*table_size` bytes of text such as
 * `attacks.jab.frames must be 1..2147483647, not 0`, whose first `*names_size` are the path;
 * FXS_E_ROOM for too little room or more than FXS_FRAME_DATA_TEXT_MAX bytes. Cost: bytes, and the
 * square of the members of an object. */
FXS_API int32_t fxs_frame_data_read(const char *text, uint64_t size, uint8_t *out, uint64_t room,
                                    uint64_t *table_size, uint64_t *names_size);

/* Makes a body and adds its parts to the world.
 * ids: one for each part, in their order. owner: of all parts; not 0, or they hit each other. The
 * body may hold anything before. Returns the number of rows; FXS_E_ID, FXS_E_TAKEN, FXS_E_YAW,
 * FXS_E_RANGE for an is_mirrored other than 0 and 1, or FXS_E_CENTRE. Cost: parts. */
FXS_API int32_t fxs_body_add(fxs_body *body, const uint8_t *table, fxs_world *world,
                             const uint32_t *ids, uint32_t owner, const fxs_pose *pose,
                             uint32_t is_mirrored, fxs_command *rows);

/* Removes the parts from the world; their hits end at the next step.
 * Returns the number of rows, or FXS_E_ABSENT. Cost: parts. */
FXS_API int32_t fxs_body_remove(const fxs_body *body, const uint8_t *table, fxs_world *world,
                                fxs_command *rows);

/* The pose of the body: that of its first part, less the yaw of the part itself.
 * Returns FXS_OK or FXS_E_ABSENT. Cost: constant. */
FXS_API int32_t fxs_body_pose(const fxs_body *body, const uint8_t *table, const fxs_world *world,
                              fxs_pose *out);

/* Moves and turns all parts.
 * Returns the number of rows; FXS_E_ABSENT, FXS_E_YAW or FXS_E_CENTRE. Cost: parts. */
FXS_API int32_t fxs_body_set_pose(const fxs_body *body, const uint8_t *table, fxs_world *world,
                                  const fxs_pose *pose, fxs_command *rows);

/* Turns the body to its local +x (0) or -x (1) by mirroring: for side views.
 * Each part is mirrored across the body's local z axis: an offset ox becomes -ox; a box that the
 * part turns by w is turned by -w, and a sector faces half a turn - w. Returns the number of rows;
 * FXS_E_ABSENT, FXS_E_CENTRE, or FXS_E_RANGE for other numbers. Cost: parts. */
FXS_API int32_t fxs_body_mirror(fxs_body *body, const uint8_t *table, fxs_world *world,
                                uint32_t is_mirrored, fxs_command *rows);

/* Begins an attack with its frame 0; one that is under way is cancelled first.
 * Whether the game's rules allow it is fxs_body_can_start. Returns the number of rows;
 * FXS_E_RANGE for an attack that the table does not have, FXS_E_ABSENT, or FXS_E_CENTRE for a key
 * that puts a centre outside int32. Cost: parts + windows of the attack; with keys also parts *
 * log(keys). */
FXS_API int32_t fxs_body_start(fxs_body *body, const uint8_t *table, fxs_world *world,
                               uint32_t attack, fxs_command *rows);

/* Moves the attack under way to its next frame, or ends it: once a frame, after the step.
 * Without an attack it does nothing. A part gets rows only for its differences: FXS_COMMAND_SHAPE,
 * _OFFSET and _TURN from key to key, _ACTIVE if it is not on or off as it should be. Returns the
 * number of rows, FXS_E_ABSENT, or FXS_E_CENTRE for a key that puts a centre outside int32. Cost:
 * parts + windows of the attack; with keys also parts * log(keys). */
FXS_API int32_t fxs_body_tick(fxs_body *body, const uint8_t *table, fxs_world *world,
                              fxs_command *rows);

/* Ends the attack under way, if there is one; parts with a key get their own shape and place back.
 * Returns the number of rows, FXS_E_ABSENT, or FXS_E_CENTRE for a part whose own place is outside
 * int32. Cost: parts; with keys also parts * log(keys). */
FXS_API int32_t fxs_body_cancel(fxs_body *body, const uint8_t *table, fxs_world *world,
                                fxs_command *rows);

/* Whether an attack may begin now: none is under way, or the one under way has a cancel into it.
 * Returns 1 or 0, or FXS_E_RANGE. Cost: cancels of the attack under way. */
FXS_API int32_t fxs_body_can_start(const fxs_body *body, const uint8_t *table, uint32_t attack);

/* The phase of the attack under way.
 * FXS_PHASE_NONE to FXS_PHASE_RECOVERY. Only parts that attacks switch on count. Cannot fail.
 * Cost: windows of the attack. */
FXS_API uint32_t fxs_body_phase(const fxs_body *body, const uint8_t *table);

/* Which hit of the attack is under way, from 0: it grows at each frame of its `rehits`.
 * Cannot fail. Cost: rehits of the attack. */
FXS_API uint32_t fxs_body_hit(const fxs_body *body, const uint8_t *table);

/* Whether the hit under way strikes a victim, any number, for the first time.
 * The victim is remembered until the attack's next hit, or its end: one swing hurts once, however
 * many colliders it meets and however often. Returns 1 or 0 (without an attack 0), or FXS_E_ROOM
 * for more than FXS_VICTIMS_MAX. Cost: victims. */
FXS_API int32_t fxs_body_strike(fxs_body *body, uint32_t victim);

/* A strike of fxs_strikes. */
typedef struct fxs_strike {
    uint32_t attacker; /* index of the body whose attack it is */
    uint32_t victim;   /* index of the body that is struck */
    uint32_t part;     /* of the attacker: the first one in order that meets the victim */
    uint32_t owner;    /* of the victim, as the attack remembers it */
} fxs_strike;

/* The new strikes of a frame: whom the attacks under way hit for the first time.
 * events: the n of the last step. One that is not an EXIT is a strike if it is of parts of two
 * bodies, the attacker's on no layer of `mask`, the victim's on one. bodies: all that may attack or
 * be struck, none twice. out: room for n rows. It gets one row for each attacker and victim, in
 * order of their indices, and is else the same for bodies in any order.
 *
 * Each attack then remembers the owner of its victim, as fxs_body_strike does: of several bodies
 * of one owner it strikes those that it meets in the first frame. Returns the number of rows, or,
 * with no body changed, FXS_E_ROOM for a body whose victims and new strikes are more than
 * FXS_VICTIMS_MAX, FXS_E_RANGE for an n above 2^31 - 1. Cost: events * parts of all bodies +
 * strikes^2. */
FXS_API int32_t fxs_strikes(const fxs_world *world, const fxs_event *events, uint64_t n,
                            uint32_t mask, fxs_body *bodies, uint64_t count, fxs_strike *out);

/* Number of bytes that fxs_body_save writes now: at most 280.
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

/* ---- two planes ------------------------------------------------------------------------------ */

/* The hitboxes of a beat-'em-up. Each has a ground view, seen from above (plane XZ), and a side
 * view (plane XY). Two hitboxes meet where both views meet: their contact is the lesser of the
 * contacts of both views. No view is turned. */

/* Limits. */
#define FXS_PLANES_LAYERS 16 /* layers of hitboxes are 0..15 */

/* A hitbox. Only a world reads id, layer, active and owner. */
typedef struct fxs_hitbox {
    uint32_t id;       /* below half of the capacity of the world */
    uint8_t kind;      /* ground view: FXS_CYLINDER, a circle, or FXS_BOX, a rectangle */
    uint8_t layer;     /* 0..15 */
    uint8_t active;    /* 1, or 0: it is in no hit and no answer */
    uint8_t zero;      /* must be 0 */
    uint32_t owner;    /* hitboxes of one owner do not hit each other; 0: no owner */
    int32_t x, y, z;   /* position of the centre of both views */
    int32_t ground[2]; /* of a circle: radius, 0; of a rectangle: half_x, half_z */
    int32_t side[2];   /* half_x, half_y */
} fxs_hitbox;

/* The contact of two hitboxes, exact for all valid inputs.
 * a and b may be the same memory. Returns FXS_APART, FXS_TOUCHING or FXS_OVERLAPPING; FXS_E_KIND or
 * FXS_E_SIZE. Cost: constant. */
FXS_API int32_t fxs_hitbox_contact(const fxs_hitbox *a, const fxs_hitbox *b);

/* The planar translation of a, (x, z), that ends an overlap: it takes one of the views apart.
 * The shorter of two: fxs_push_out of the ground views; and, if the side views are narrower on x
 * than the ground views, the translation along x that ends their overlap, which is exact. If both
 * are equally long it is that of the ground views. (0, 0) for a contact that is not
 * FXS_OVERLAPPING. Otherwise as fxs_push_out. Returns FXS_OK, FXS_E_KIND or FXS_E_SIZE. Cost:
 * constant. */
FXS_API int32_t fxs_hitbox_push_out(const fxs_hitbox *a, const fxs_hitbox *b, int32_t out_xz[2]);

/* The shortest dy of a that ends an overlap, exact: it takes the side views apart.
 * Upwards if both centres have the same y; 0 for a contact that is not FXS_OVERLAPPING. Within
 * -(2^30 - 2)..2^30 - 2; adding it to a position may leave int32. Returns FXS_OK, FXS_E_KIND or
 * FXS_E_SIZE. Cost: constant. */
FXS_API int32_t fxs_hitbox_lift(const fxs_hitbox *a, const fxs_hitbox *b, int32_t *out_y);

/* When two moving hitboxes first meet, exact: the first contact >= hit_when.
 * As fxs_cast_pair. The normal is that of the view that meets last: along y for the heights of the
 * side views, else that of the ground views or, for the widths of the side views, along x. Returns
 * 1 for a hit, 0 for no hit; FXS_E_KIND, FXS_E_SIZE, FXS_E_MOTION or FXS_E_HIT_WHEN. Cost:
 * constant. */
FXS_API int32_t fxs_hitbox_cast_pair(const fxs_hitbox *a, const int32_t motion_a[3],
                                     const fxs_hitbox *b, const int32_t motion_b[3],
                                     uint32_t hit_when, int32_t *fraction, int32_t normal[3]);

/* A world of hitboxes is an ordinary world. Each hitbox is two colliders of it: the ground view
 * under its own id and layer, at y = 0; the side view under id + half of the capacity, on layer +
 * 16, at z = 0. The functions below read that world alone: step, save, load, hash, rewind and
 * record it as usual. Change hitboxes only with fxs_planes_apply, and attach no level. */

/* The config of a world for hitboxes: twice the capacity, and layers for both views.
 * config: capacity at most 2^30, layers of the first 16 masks and bits; the other masks are 0. Its
 * hit_capacity is not changed, and must hold the hits of both views. `config` and `out` may be
 * the same memory. Returns FXS_OK, or FXS_E_CONFIG with `out` untouched. Cost: constant. */
FXS_API int32_t fxs_planes_config(const fxs_config *config, fxs_config *out);

/* One change of a world of hitboxes, for fxs_planes_apply. Fields that its type does not read are
 * ignored. Types and fields: FXS_COMMAND_ADD: the whole hitbox; _MOVE: id, x, y, z; _SHAPE: id,
 * kind, ground, side; _OWNER: id, owner; _LAYER: id, layer; _ACTIVE: id, active; _REMOVE: id;
 * _LAYERS: layer, and the 16 bits of `mask`. */
typedef struct fxs_planes_command {
    uint32_t type;     /* one of the eight above */
    uint32_t mask;     /* of FXS_COMMAND_LAYERS */
    fxs_hitbox hitbox; /* id and the fields that the type reads */
} fxs_planes_command;

/* Makes n changes of hitboxes in order, each in both views.
 * All of them or, at the first that is refused, none; `*bad` (else untouched) is then its index.
 * The commands that the world took are left in `rows` (room for 2 * n) for a recorder; on a status
 * `rows` is undefined. Returns FXS_OK; FXS_E_COMMAND, FXS_E_ID, FXS_E_TAKEN, FXS_E_ABSENT,
 * FXS_E_KIND, FXS_E_SIZE, FXS_E_ACTIVE, or FXS_E_LAYER, also for a mask of more than 16 bits. Cost:
 * that of fxs_world_apply of 2 * n commands. */
FXS_API int32_t fxs_planes_apply(fxs_world *world, const fxs_planes_command *commands, uint64_t n,
                                 fxs_command *rows, uint64_t *bad);

/* Writes a hitbox as it is now to out.
 * A status leaves out untouched. Returns FXS_OK; FXS_E_ID, or FXS_E_ABSENT for an id without two
 * views. Cost: constant. */
FXS_API int32_t fxs_planes_get(const fxs_world *world, uint32_t id, fxs_hitbox *out);

/* Writes the events of the hitboxes, by (a, b), to out; `*count` is how many.
 * events: the n rows of one fxs_world_step. A hit is a pair that meets in both views: FXS_ENTER if
 * it did not at the last step, FXS_STAY if it did, FXS_EXIT if it does not any more; an id that was
 * replaced gives FXS_EXIT, then FXS_ENTER. out has room for n and is other memory than `events`.
 * Returns FXS_OK, or FXS_E_ORDER for rows that no step writes in this order, with `*count` 0 and
 * out undefined. Cost: n. */
FXS_API int32_t fxs_planes_events(const fxs_world *world, const fxs_event *events, uint64_t n,
                                  fxs_event *out, uint64_t *count);

/* Writes the hits of the hitboxes at the last step, by (a, b), to out; returns how many.
 * out has room for fxs_world_hit_count, and is undefined after the hits. Cannot fail. Cost: hits of
 * both views. */
FXS_API uint64_t fxs_planes_hits(const fxs_world *world, fxs_hit *out);

/* Writes the ids of the hitboxes that a query meets, ascending, to ids; `*count` is how many.
 * hitbox: kind, position and sizes. mask: bit i (0..15) looks at layer i. hit_when: the least
 * contact; 0 is the world's. Otherwise as fxs_world_query. Returns FXS_OK; FXS_E_ROOM with `*count`
 * the room needed, which is that of both views, and ids undefined; FXS_E_KIND, FXS_E_SIZE,
 * FXS_E_HIT_WHEN, or FXS_E_RANGE for a mask of more than 16 bits, with `*count` 0. Cost: that of
 * two fxs_world_query. */
FXS_API int32_t fxs_planes_query(fxs_world *world, const fxs_hitbox *hitbox, uint32_t mask,
                                 uint32_t exclude_owner, uint32_t hit_when, uint32_t *ids,
                                 uint64_t id_capacity, uint64_t *count);

/* A cast into a world of hitboxes: a hitbox that moves straight, and those that it looks at, which
 * stand still. */
typedef struct fxs_hitbox_cast {
    fxs_hitbox hitbox;      /* kind, position and sizes are read */
    int32_t motion[3];      /* x, y, z; as for fxs_cast_pair */
    uint32_t mask;          /* bit i (0..15): look at hitboxes of layer i */
    uint32_t exclude_owner; /* leave out hitboxes of this owner; 0: leave out none */
    uint32_t limit;         /* number of hits to keep, the first ones; 0: all */
    uint32_t hit_when;      /* FXS_TOUCHING or FXS_OVERLAPPING; 0: the world's */
} fxs_hitbox_cast;

/* Writes the hits of a cast, by (fraction, distance, id), to hits; `*count` is how many.
 * fxs_hitbox_cast_pair with the cast hitbox as a, the other as b. Returns FXS_OK; FXS_E_ROOM with
 * `*count` the room needed, which is that of the ground view, and hits undefined; FXS_E_KIND,
 * FXS_E_SIZE, FXS_E_MOTION, FXS_E_HIT_WHEN, or FXS_E_RANGE for a mask of more than 16 bits, with
 * `*count` 0. Cost: that of fxs_world_cast of the ground view, and sorting the answer. */
FXS_API int32_t fxs_planes_cast(fxs_world *world, const fxs_hitbox_cast *cast, fxs_cast_hit *hits,
                                uint64_t hit_capacity, uint64_t *count);

/* fxs_planes_cast of a hitbox of the world from where it is: a dash, a thrown knife.
 * It looks at the other active hitboxes that layers and owners let it hit. Whether it is active
 * itself does not matter. Returns FXS_OK; FXS_E_ROOM with `*count` the room needed and hits
 * undefined; FXS_E_ID, FXS_E_ABSENT, FXS_E_MOTION or FXS_E_HIT_WHEN with `*count` 0. Cost: that of
 * fxs_planes_cast. */
FXS_API int32_t fxs_planes_sweep(fxs_world *world, uint32_t id, const int32_t motion[3],
                                 uint32_t limit, uint32_t hit_when, fxs_cast_hit *hits,
                                 uint64_t hit_capacity, uint64_t *count);

/* ---- rewind ---------------------------------------------------------------------------------- */

/* The states of a world at its last frames, in the caller's memory, for rollback and for a server
 * that looks into the past. Each state has own_size bytes of the game beside it, such as its
 * structures. Push the first frame before any step, and one after each step. */
typedef struct fxs_rewind fxs_rewind;

#define FXS_MEMORY_MAX 281474976710656 /* 2^48: bytes of states, or of a history */

/* Bytes of memory for a number of frames; 0 if a number is 0, or too large for FXS_MEMORY_MAX.
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
FXS_API int32_t fxs_rewind_push(fxs_rewind *rewind, const fxs_world *world, const uint8_t *own);

/* Loads the state of a frame into a world of the same capacity, and its own bytes into own.
 * The ring does not change. The world may be another one than the pushed one: to learn what a cast
 * would have met at a frame, load it into a second world and cast there. Returns FXS_OK;
 * FXS_E_RANGE for a frame that is not kept; the statuses of fxs_world_load, with the same `*at`.
 * Cost: that of fxs_world_load. */
FXS_API int32_t fxs_rewind_load(const fxs_rewind *rewind, uint32_t frame, fxs_world *world,
                                uint8_t *own, uint64_t *at);

/* The bytes of the kept state of a frame, and their number in `*size`.
 * NULL, with `*size` untouched, for a frame that is not kept. They are those of fxs_world_save, and
 * stay until the next call that changes the ring. Cannot fail. Cost: constant. */
FXS_API const uint8_t *fxs_rewind_state(const fxs_rewind *rewind, uint32_t frame, uint64_t *size);

/* Number of frames that are kept.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_rewind_count(const fxs_rewind *rewind);

/* The oldest frame that is kept; undefined in an empty ring.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_rewind_oldest(const fxs_rewind *rewind);

/* ---- differences ----------------------------------------------------------------------------- */

/* The differences of two saved states: collider, field and both values. Peers whose hashes differ
 * send each other their bytes and print it. */

/* The object that a field belongs to. */
#define FXS_OF_WORLD 0    /* the world itself */
#define FXS_OF_COLLIDER 1 /* the collider a */
#define FXS_OF_HIT 2      /* the hit of a and b, of the last step */
#define FXS_OF_CHANGED 3  /* a, added or removed since the last step */
#define FXS_OF_BODY 4     /* a body */
#define FXS_OF_VICTIM 5   /* a, which the hit of a body's attack remembers */

/* Fields, in the order of the rows of one object. Lengths are Q16.16. */
#define FXS_FIELD_PRESENT 0 /* one state does not have the object: values 1 and 0 */
#define FXS_FIELD_KIND 1    /* of a collider, as all down to FXS_FIELD_ZERO */
#define FXS_FIELD_HALF_X 2  /* a size, if the kind has it; so are those down to 8 */
#define FXS_FIELD_HALF_Y 3
#define FXS_FIELD_HALF_Z 4
#define FXS_FIELD_RADIUS 5
#define FXS_FIELD_HALF_ANGLE 6 /* yaw steps */
#define FXS_FIELD_HALF_HEIGHT 7
#define FXS_FIELD_INNER_RADIUS 8
#define FXS_FIELD_X 9 /* position */
#define FXS_FIELD_Y 10
#define FXS_FIELD_Z 11
#define FXS_FIELD_YAW 12 /* yaw steps */
#define FXS_FIELD_OX 13  /* offset */
#define FXS_FIELD_OY 14
#define FXS_FIELD_OZ 15
#define FXS_FIELD_LAYER 16
#define FXS_FIELD_OWNER 17
#define FXS_FIELD_ACTIVE 18
#define FXS_FIELD_SIZE 19            /* + i: size[i] of a kind that does not use it, if not 0 */
#define FXS_FIELD_ZERO 22            /* the byte that must be 0, if it is not */
#define FXS_FIELD_FRAME 23           /* of the world, or of a body's attack */
#define FXS_FIELD_HIT_WHEN 24        /* of the world */
#define FXS_FIELD_LEVEL 25           /* of the world: the bits of the hash of its level */
#define FXS_FIELD_CONTACT 26         /* of a hit */
#define FXS_FIELD_SINCE_LAST_STEP 27 /* of a changed id; 1 */
#define FXS_FIELD_MIRRORED 28        /* of a body, as the next two */
#define FXS_FIELD_ATTACK 29          /* or FXS_NO_ATTACK */
#define FXS_FIELD_HAS_HIT 30
#define FXS_FIELD_LAYERS 64 /* + i: the mask of layer i; of the world, before its level */

/* A field that is not the same in two states. */
typedef struct fxs_difference {
    uint32_t of;        /* FXS_OF_WORLD to FXS_OF_VICTIM */
    uint32_t a, b;      /* ids; 0 where `of` has none */
    uint32_t field;     /* FXS_FIELD_PRESENT to FXS_FIELD_LAYERS + 31 */
    int64_t values[2];  /* in the first state and in the second */
    uint32_t absent[2]; /* 1: that state does not have the field; its value is 0 */
} fxs_difference;

/* A name for an id. */
typedef struct fxs_name {
    uint32_t id;      /* of a collider or solid */
    uint8_t text[60]; /* UTF-8, ended by a 0 if it is shorter */
} fxs_name;

/* Finds where the saved state that begins at `bytes` ends: a game's own state may follow it.
 * Checks what reading needs: counts, known kinds, ids that ascend. Returns FXS_OK with `*end` the
 * size of the state, at most `size`; FXS_E_STATE with `*end` the offset of the fault. Cost:
 * bytes. */
FXS_API int32_t fxs_state_end(const uint8_t *bytes, uint64_t size, uint64_t *end);

/* Writes a row for each field that differs between two saved states; `*count` is how many.
 * In this order: the world (frame, hit_when, layers, level), colliders by id, hits by (a, b),
 * changed ids; of one object by field. An object that one state does not have is one row. Returns
 * FXS_OK; FXS_E_ROOM with `*count` the room needed and the first rows written; FXS_E_STATE for
 * bytes that fxs_state_end refuses or that go on after it, with `*at` the offset of the fault and
 * `*count` 0 for a, 1 for b. Cost: bytes. */
FXS_API int32_t fxs_state_differences(const uint8_t *a, uint64_t a_size, const uint8_t *b,
                                      uint64_t b_size, fxs_difference *out, uint64_t capacity,
                                      uint64_t *count, uint64_t *at);

/* Writes a row for each field of a saved state, as if another had the same objects without fields.
 * The order is that of fxs_state_differences; absent[1] is 1. Returns FXS_OK; FXS_E_ROOM with
 * `*count` the room needed and the first rows written; FXS_E_STATE with `*at` the offset of the
 * fault and `*count` 0. Cost: bytes. */
FXS_API int32_t fxs_state_fields(const uint8_t *state, uint64_t size, fxs_difference *out,
                                 uint64_t capacity, uint64_t *count, uint64_t *at);

/* fxs_state_differences of two saved bodies: is_mirrored, attack, frame, has_hit, then victims.
 * Returns FXS_OK; FXS_E_ROOM with `*count` the room needed and the first rows written; FXS_E_STATE
 * for bytes that no body has saved, with `*at` the offset of the fault and `*count` 0 for a,
 * 1 for b. Cost: victims. */
FXS_API int32_t fxs_body_differences(const uint8_t *a, uint64_t a_size, const uint8_t *b,
                                     uint64_t b_size, fxs_difference *out, uint64_t capacity,
                                     uint64_t *count, uint64_t *at);

/* Writes a difference as text: "collider 7 (boss), x: 0 and 1 (0 and 0.00002 units)".
 * names: n names of ids, in any order; an id without one is a number. The text is UTF-8 without a 0
 * at its end, and `*size` is its bytes. 512 bytes are always enough. Returns FXS_OK; FXS_E_ROOM
 * with `*size` the room needed and the first bytes written; FXS_E_RANGE for an `of` or a field that
 * does not exist, with `*size` 0. Cost: names. */
FXS_API int32_t fxs_difference_text(const fxs_difference *difference, const fxs_name *names,
                                    uint64_t n, char *text, uint64_t room, uint64_t *size);

/* ---- inputs ---------------------------------------------------------------------------------- */

/* The inputs of all players of a game that rolls back, in the caller's memory: those that came,
 * and those that were predicted. Frame f is the step from frame f to f + 1 of the world; frame
 * numbers are modulo 2^32. For each frame:
 *
 *     fxs_inputs_put(inputs, player, frame, value);   each input that came, and the own one
 *     first = fxs_inputs_redo(inputs);                go back before this frame
 *     fxs_inputs_take(inputs, frame, values);         step with these, from `first` up to now */
typedef struct fxs_inputs fxs_inputs;

/* What a session of fixsync.session takes, the protocol of Python's peers. */
#define FXS_SESSION_PLAYERS_MAX 8
#define FXS_SESSION_SPECTATORS_MAX 32
#define FXS_SESSION_PREDICTION_MAX 32  /* frames */
#define FXS_SESSION_INPUT_DELAY_MAX 16 /* frames */

/* The most players and frames of inputs. */
#define FXS_INPUT_PLAYERS_MAX 65536
#define FXS_INPUT_FRAMES_MAX 16777216 /* 2^24 */

/* Bytes of memory for a number of players; 0 if a number is out of range.
 * frames: 1..FXS_INPUT_FRAMES_MAX, the window: how many there may be from the first one with an
 * unknown or wrongly predicted input. Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_inputs_size(uint32_t players, uint32_t frames);

/* Makes inputs of which none is known, in `memory`: fxs_inputs_size bytes, aligned to 8.
 * frame: the first that is stepped. The memory may later be moved as bytes. Returns FXS_OK, or
 * FXS_E_CONFIG for numbers that fxs_inputs_size refuses, or misaligned memory. Cost: players *
 * frames. */
FXS_API int32_t fxs_inputs_init(fxs_inputs *memory, uint32_t players, uint32_t frames,
                                uint32_t frame);

/* Adds the input of a player for a frame, in any order.
 * The same input may come again; one that is a window or more behind the frames of the window is
 * ignored. Returns FXS_OK; FXS_E_ID for a player that is not there; FXS_E_TAKEN for another value
 * than before; FXS_E_RANGE for a frame after the window: it must come again later. Cost:
 * players for each frame that becomes known. */
FXS_API int32_t fxs_inputs_put(fxs_inputs *inputs, uint32_t player, uint32_t frame, int64_t value);

/* Writes the inputs to step a frame with, one a player, to `values`, and remembers them.
 * An input that is not known is predicted: the player's last known one before it, 0 if there is
 * none. Take each frame in order; taking an earlier one again forgets what was given for those
 * after it. Those before fxs_inputs_redo and fxs_inputs_confirmed are final: taking one, at most a
 * window before these, gives its real inputs and forgets nothing. Returns FXS_OK, or FXS_E_RANGE
 * for a frame after the next, or outside the window. Cost: players, and for each predicted
 * input the frames since the last known one. */
FXS_API int32_t fxs_inputs_take(fxs_inputs *inputs, uint32_t frame, int64_t *values);

/* The first frame that was stepped on a wrong prediction; without one, the next to take.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_inputs_redo(const fxs_inputs *inputs);

/* The first frame for which an input is not known: all before it are final.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_inputs_confirmed(const fxs_inputs *inputs);

/* ---- history --------------------------------------------------------------------------------- */

/* The history of a game that rolls back, in the caller's memory: the state before each frame that
 * may be stepped again, and the commands and events of the frames that are not confirmed. It lists
 * the events that are new and those that were wrong, and gives each frame once when it is final.
 * Frame f is the step from frame f to f + 1 of the world; frame numbers are modulo 2^32.
 *
 *     fxs_history_settle(history, first);              frames before it were predicted right
 *     fxs_history_back(history, first, world, &game);  then step again, up to now:
 *     fxs_history_push(history, world, &game, ...);    after each step; plays and stops effects
 *     while (fxs_history_confirm(history, ...) == FXS_OK)   scores, sounds, the match log
 *
 * An event is the same one if frame, a, b, kind and contact are equal; equal rows each count. */
typedef struct fxs_history fxs_history;

#define FXS_HISTORY_FRAMES_MAX 2147483647 /* 2^31 - 1: of its window, and before it */

/* The room of a history. */
typedef struct fxs_history_room {
    uint64_t own_size;     /* bytes of the game's own state, may be 0 */
    uint64_t state_size;   /* the largest state of the world, as for fxs_rewind_size */
    uint64_t command_room; /* commands of one frame, the reactions of the last included */
    uint64_t event_room;   /* events of one frame; below 2^32 - 1 */
    uint32_t window;       /* at least 1: frames that may be unconfirmed */
    uint32_t past;         /* states to keep of frames before those */
} fxs_history_room;

/* A frame that was just stepped. */
typedef struct fxs_pushed {
    uint64_t hash;           /* of the world right after the step, if has_hash */
    uint64_t command_count;  /* commands since the last push */
    uint64_t reaction_count; /* of them, the last: given after the step */
    uint64_t event_count;    /* events of the step and of the game */
    uint32_t is_final;       /* 1: all inputs of this frame are known */
    uint32_t has_hash;       /* 0: the world has not changed since the step */
} fxs_pushed;

/* How many rows fxs_history_push wrote. */
typedef struct fxs_event_changes {
    uint64_t taken_back; /* events that are taken back */
    uint64_t predicted;  /* events that are predicted */
} fxs_event_changes;

/* A confirmed frame. */
typedef struct fxs_confirmed {
    uint64_t hash;        /* of the world right after the step */
    uint64_t commands;    /* rows of commands */
    uint64_t events;      /* rows of events */
    uint32_t frame;       /* its number */
    uint32_t game_events; /* how many rows of events, the last, are the game's own */
} fxs_confirmed;

/* Bytes of memory for a room; 0 if a number is out of range, or the sum is above FXS_MEMORY_MAX.
 * Each of window + past + 1 states takes 8 bytes, own_size and state_size; each of window + 1
 * frames 32, and its commands and events. Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_history_size(const fxs_history_room *room);

/* Makes a history in `memory`: fxs_history_size bytes, aligned to 8.
 * It keeps the world and the game's own bytes as they are before the first frame. The memory may
 * hold anything before, and may later be moved as bytes. Returns FXS_OK; FXS_E_CONFIG for a room
 * that fxs_history_size refuses, or misaligned memory; FXS_E_ROOM for a state larger than
 * state_size. Cost: that of fxs_world_save. */
FXS_API int32_t fxs_history_init(fxs_history *memory, const fxs_history_room *room,
                                 const fxs_world *world, const uint8_t *own);

/* Keeps the frame that was just stepped, fxs_history_head, with the state after it.
 * commands: those since the last push; reactions to the events of the step come last, and belong to
 * the next frame. events: those of fxs_world_step, then the game's own, of kind FXS_GAME_EVENT and
 * above.
 *
 * taken_back, predicted: each with room for event_room rows. An event that was predicted for this
 * frame and is not found is written to `taken_back`, in row order. An event that was not predicted
 * is written to `predicted`, if the frame is not final: it is heard when the frame is confirmed. Of
 * equal rows the first ones match.
 *
 * Returns FXS_OK; FXS_E_ORDER for a world at another frame, a frame beyond the window (see
 * fxs_history_free), a final frame after one that is not; FXS_E_RANGE for an event of kind 0 or
 * 4..15, or one of the game's before one of the world's, for a reaction_count above command_count,
 * or above 0 without a hash;
 * FXS_E_ROOM for a state, commands or events beyond the room: make a larger history with
 * fxs_history_grow, and push again. Cost: that of fxs_world_save, and rows. */
FXS_API int32_t fxs_history_push(fxs_history *history, const fxs_world *world, const uint8_t *own,
                                 const fxs_pushed *pushed, const fxs_command *commands,
                                 const fxs_event *events, fxs_event *taken_back,
                                 fxs_event *predicted, fxs_event_changes *changes);

/* Makes all frames before a frame final: they were stepped on the real inputs.
 * A frame that is final is not stepped again. Returns FXS_OK, or FXS_E_RANGE for a frame after
 * fxs_history_head or before the last final one. Cost: constant. */
FXS_API int32_t fxs_history_settle(fxs_history *history, uint32_t frame);

/* Loads the state before a frame into the world, and the game's own bytes into own.
 * Step again from there; as few frames as are needed. Events that were predicted for them stay so
 * until their frame is pushed again. Returns FXS_OK; FXS_E_RANGE for a frame after
 * fxs_history_head or one that is final; FXS_E_STATE for a world of another capacity or level.
 * Cost: that of fxs_world_load. */
FXS_API int32_t fxs_history_back(fxs_history *history, uint32_t frame, fxs_world *world,
                                 uint8_t *own);

/* Gives the oldest final frame, once: its commands, events and the hash of the world.
 * commands: room for command_room rows; events: for event_room rows, the game's own last. They are
 * the frame's part of a match log. Returns FXS_OK, or FXS_E_ABSENT if there is no final frame that
 * it has not given. Cost: rows; without a hash at the push, that of fxs_hash64 of the state. */
FXS_API int32_t fxs_history_confirm(fxs_history *history, fxs_confirmed *out, fxs_command *commands,
                                    fxs_event *events);

/* Makes a copy of a history with more room in other memory: fxs_history_size bytes of the room,
 * aligned to 8.
 * Returns FXS_OK, or FXS_E_CONFIG for a room that fxs_history_size refuses, has less than the old
 * one or another own_size, or misaligned memory. Cost: bytes. */
FXS_API int32_t fxs_history_grow(fxs_history *memory, const fxs_history_room *room,
                                 const fxs_history *old);

/* The frame that is stepped next.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_history_head(const fxs_history *history);

/* The oldest frame that fxs_history_confirm has not given.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_history_first(const fxs_history *history);

/* How many frames can be pushed before one must be confirmed; 0: the window is full.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_history_free(const fxs_history *history);

/* The kept states, to read: those of frames fxs_history_first - past to fxs_history_head.
 * Cannot fail. Cost: constant. */
FXS_API const fxs_rewind *fxs_history_states(const fxs_history *history);

/* ---- explain --------------------------------------------------------------------------------- */

/* Why a pair is not a hit, and by how much it misses. */

#define FXS_NEVER 9223372036854775807 /* 2^63 - 1: no growth, or no turn, makes them meet */

/* Causes: bits of fxs_explanation.why. */
#define FXS_WHY_SAME 1       /* a and b are the same id; nothing else is then set */
#define FXS_WHY_A_INACTIVE 2 /* a is not active */
#define FXS_WHY_B_INACTIVE 4 /* b is not active */
#define FXS_WHY_OWNER 8      /* they have one owner */
#define FXS_WHY_LAYERS 16    /* the layer matrix keeps them apart */
#define FXS_WHY_MASK 32      /* the layer of b is not in the mask of the query */
#define FXS_WHY_EXCLUDED 64  /* the query leaves out the owner of b */
#define FXS_WHY_SECTORS 128  /* both are sectors, and one has a hole */
#define FXS_WHY_HEIGHT 256   /* one is above the other */
#define FXS_WHY_BESIDE 512   /* they would not meet at one height either */
#define FXS_WHY_CORNER 1024  /* neither, but a rounded edge misses */
#define FXS_WHY_GRAZES 2048  /* they touch, and only overlapping counts */

/* How the other shape misses a sector, with FXS_WHY_BESIDE. */
#define FXS_SECTOR_BEYOND 1  /* it is beyond the radius */
#define FXS_SECTOR_OUTSIDE 2 /* it is within the radius, but not in the wedge */
#define FXS_SECTOR_HOLE 3    /* it is in the hole */

/* Why two shapes do not meet. A growth k adds k raw units to the radius, or half_x and half_z, of
 * one of the two: the one of the lesser kind, a if they have one kind, the collider if the other is
 * a solid. It is found by halving (docs/contract.md). A growth of 0 or less means that they meet;
 * it is not a depth. */
typedef struct fxs_explanation {
    uint32_t why;     /* FXS_WHY_SAME to FXS_WHY_GRAZES; 0: a hit */
    uint32_t grows;   /* the shape that grows, 0: a, 1: b */
    uint32_t sector;  /* FXS_SECTOR_BEYOND to FXS_SECTOR_HOLE; 0: none is missed */
    uint32_t contact; /* of the two shapes: FXS_APART, FXS_TOUCHING, FXS_OVERLAPPING */
    int64_t height;   /* vertical distance in raw units, exact; negative: they share */
                      /* heights */
    int64_t planar;   /* the growth that they need at one height; or FXS_NEVER */
    int64_t gap;      /* the growth that they need where they are; or FXS_NEVER */
    int64_t turn;     /* yaw steps that half_angle must grow by; or FXS_NEVER */
} fxs_explanation;

/* Writes why the pair of two colliders, or of a collider and a solid, is not a hit.
 * As the world is now: why is 0 exactly if fxs_world_step would find the hit. Nothing changes.
 * Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, or FXS_E_UNDEFINED for two solids. Cost: that of some 100
 * contacts. */
FXS_API int32_t fxs_world_explain(const fxs_world *world, uint32_t a, uint32_t b,
                                  fxs_explanation *out);

/* Writes why a query, as a, does not meet a collider or a solid b.
 * why is 0 exactly if fxs_world_query finds b. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, FXS_E_KIND,
 * FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW or FXS_E_HIT_WHEN. Cost: that of some 100 contacts. */
FXS_API int32_t fxs_world_explain_query(const fxs_world *world, const fxs_query *query, uint32_t b,
                                        fxs_explanation *out);

/* Writes why the contact of two shapes is less than hit_when (FXS_TOUCHING, FXS_OVERLAPPING).
 * Returns FXS_OK; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW or FXS_E_HIT_WHEN. Cost: that
 * of some 100 contacts. */
FXS_API int32_t fxs_explain_shapes(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                                   const fxs_pose *pose_b, uint32_t hit_when, fxs_explanation *out);

/* Writes an explanation as text: "beside: they would meet if boss were 0.25 units thicker".
 * One clause for each cause, "; " between them; "they meet" without one. a, b: the two by name, or
 * by id if the text of the name is empty; NULL: "a", "b". The text is UTF-8 without a 0 at its end,
 * and `*size` is its bytes. 1024 bytes are always enough. Returns FXS_OK; FXS_E_ROOM with `*size`
 * the room needed and the first bytes written; FXS_E_RANGE for a field that no explanation has,
 * with `*size` 0. Cost: constant. */
FXS_API int32_t fxs_explanation_text(const fxs_explanation *explanation, const fxs_name *a,
                                     const fxs_name *b, char *text, uint64_t room, uint64_t *size);

/* ---- recorder -------------------------------------------------------------------------------- */

/* A match log (docs/match-logs.md), written into the caller's buffer. Each call appends text at
 * `size` and advances it. Write the text to a file at any time, and set size to 0.
 *
 * For each frame: the commands as the world took them, the questions, the answers in the order of
 * the questions, then fxs_recorder_step. The world must have accepted all rows. FXS_E_ROOM: the
 * text does not fit before `room` and nothing is changed: write the text out, or take a larger
 * buffer, and call again. FXS_E_ORDER: the call is not allowed at this place. */
typedef struct fxs_recorder {
    uint64_t size;        /* bytes of text in the buffer */
    uint64_t line_size;   /* bytes since the last whole line */
    uint64_t hashed_size; /* bytes of text since the beginning */
    uint32_t frames;      /* whole lines of frames so far */
    uint32_t has_inputs;  /* 1: frames have inputs, 0: commands */
    uint32_t frame;       /* number of the frame that is written next */
    uint32_t hit_when;    /* of the world */
    uint32_t line;        /* last part of the frame's line so far */
    uint32_t commands;    /* or inputs in the line; so are questions and answers */
    uint32_t questions;
    uint32_t answers;
    uint32_t layers[32];   /* the layer matrix after the commands */
    uint32_t sha[8];       /* SHA-256 of the whole blocks so far */
    uint32_t line_sha[8];  /* the same, up to the last whole line */
    uint8_t held[64];      /* the bytes after the whole blocks */
    uint8_t line_held[64]; /* the same, up to the last whole line */
} fxs_recorder;

/* What a log has of a frame. */
typedef struct fxs_recorded {
    uint64_t hash;        /* fxs_world_hash after the step, if has_hash */
    uint64_t state;       /* fxs_hash64, seed 0, of all that the simulation saves then */
    uint64_t event_count; /* rows of the step */
    uint64_t game_count;  /* rows of the game's own events */
    uint32_t has_events;  /* each of these: 0 if it is not known */
    uint32_t has_game;
    uint32_t has_hash;
    uint32_t has_state;
} fxs_recorded;

/* Begins a log: the first line with the level, and a command for each collider of the world.
 * The log of a world that is not at frame 0, or has hits, begins with its state. about: the other
 * keys of the first line, or nothing: about_size 0. It is an object with the optional members
 * tick_rate, sim, seed, meta, names, unit_mm, z_down, semantics, build and data in UTF-8. It must
 * be canonical: in this order, without spaces, the ids of names ascending, z_down true, and only
 * `"`, `\` and control characters with a backslash:
 * {"tick_rate":[60000,1001],"meta":{"arena":"pit"},"names":{"ids":{"7":"boss"}}}. With a sim, the
 * frames have inputs, no commands. semantics: FXS_SEMANTICS of the kernel that computed the
 * results, by default this one's; null, for a copy of a log without it, leaves it out. build: a
 * text that names the game's build. data: fxs_hash64, seed 0, of what the game plays with, as 16
 * hexadecimal digits in lower case. state: for a log with a sim that does not begin at frame 0, the
 * bytes of the simulation's save; else NULL, or the bytes of fxs_world_save, to begin with them.
 * Returns FXS_OK; FXS_E_TEXT, with `*at` the offset of the fault in `about`; FXS_E_STATE for a
 * state that is missing or is not the world's; FXS_E_ROOM. Cost: capacity + text + the square of
 * the number of keys of an object. */
FXS_API int32_t fxs_recorder_begin(fxs_recorder *recorder, const fxs_world *world,
                                   const char *about, uint64_t about_size, const uint8_t *state,
                                   uint64_t state_size, char *text, uint64_t room, uint64_t *at);

/* Writes UTF-8 as the JSON string of a match log, with its quotes: a name or a text of `about`.
 * It escapes what must be escaped. `text` and `out` must not overlap. Returns FXS_OK with `*count`
 * the number of bytes; FXS_E_ROOM with `*count` the room needed; FXS_E_TEXT with `*count` the
 * offset of the first byte that is not UTF-8. On a status out is undefined. Cost: size. */
FXS_API int32_t fxs_recorder_text(const char *text, uint64_t size, char *out, uint64_t capacity,
                                  uint64_t *count);

/* Adds the inputs of the next n players of this frame, a number each.
 * Returns FXS_OK; FXS_E_ORDER in a log without a sim, or FXS_E_ROOM. Cost: text. */
FXS_API int32_t fxs_recorder_inputs(fxs_recorder *recorder, const int64_t *inputs, uint64_t n,
                                    char *text, uint64_t room);

/* Adds the input of the next player of this frame, a list of n numbers.
 * Returns FXS_OK; FXS_E_ORDER in a log without a sim, or FXS_E_ROOM. Cost: text. */
FXS_API int32_t fxs_recorder_input_list(fxs_recorder *recorder, const int64_t *input, uint64_t n,
                                        char *text, uint64_t room);

/* Adds commands of this frame, at most 200 bytes each (the layer matrix: 3500).
 * Returns FXS_OK; FXS_E_COMMAND, FXS_E_KIND or FXS_E_LAYER for a row that no world accepts;
 * FXS_E_ORDER after an answer or in a log with a sim; FXS_E_ROOM. Cost: text. */
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

/* Ends the line of this frame.
 * events: event_count rows of its step, then game_count of the game's own, as fxs_history_confirm
 * gives them. Unknown parts are left out. With `state`, replaying names the first frame in which
 * anything differs. Returns FXS_OK; FXS_E_RANGE for a row of the other kind, or of events that are
 * not known; FXS_E_ORDER while a question has no answer, or for a state in a log without a sim;
 * FXS_E_ROOM. Cost: text. */
FXS_API int32_t fxs_recorder_step(fxs_recorder *recorder, const fxs_recorded *recorded,
                                  const fxs_event *events, char *text, uint64_t room);

/* Adds a frame as text: a line of another log, without its line feed.
 * The line must be canonical. Returns FXS_OK; FXS_E_ORDER within a frame; FXS_E_TEXT for a line
 * that does not begin or end as the line of this frame; FXS_E_ROOM. Cost: text. */
FXS_API int32_t fxs_recorder_line(fxs_recorder *recorder, const char *line, uint64_t size,
                                  char *text, uint64_t room);

/* Ends the log with its last line: the number of frames, and the SHA-256 of all before it.
 * A log without it was cut short, and its whole frames are still good. A frame that was not stepped
 * is removed. Returns FXS_OK; FXS_E_ORDER if a part of that frame is not in the buffer any more;
 * FXS_E_ROOM. Cost: text. */
FXS_API int32_t fxs_recorder_end(fxs_recorder *recorder, char *text, uint64_t room);

/* ---- rollback -------------------------------------------------------------------------------- */

/* One peer of one match that rolls back, in the caller's memory: it is fxs_inputs and fxs_history
 * with packets, time sync, desync detection and a sync test. It asks the game for one thing at a
 * time. A peer is a machine: it plays one player or more. Each frame:
 *
 *     receive every packet that came        fxs_rollback_receive(rollback, peer, bytes, size)
 *     fxs_rollback_tick(rollback, inputs)   begins a frame with the local inputs
 *     until FXS_ROLLBACK_NONE               fxs_rollback_next(rollback, world, own, &request, ...)
 *         FXS_ROLLBACK_LOAD                 world and own hold the frame: read the game's state
 *         FXS_ROLLBACK_GUESS                perhaps fxs_rollback_guess
 *         FXS_ROLLBACK_STEP                 step with these inputs, then fxs_rollback_push
 *         FXS_ROLLBACK_CONFIRMED            scores, sounds, the match log
 *     send one packet to each other peer    fxs_rollback_packet(rollback, peer, bytes, room, &size)
 *
 * A game that stops in the middle, by an exception, loses nothing: the next tick loads the frame
 * again and goes on from there. A game must take every input of its number of numbers: an input
 * comes from another machine.
 *
 * The transport does the rest: addresses, encryption, joining a running match, snapshots. Packets
 * may be lost, repeated or come in any order. They are not signed: without a transport that
 * authenticates, whoever can read or guess packets can forge them. rollback.c in examples/ is a
 * complete peer; docs/rollback.md has the bytes of a packet. */
typedef struct fxs_rollback fxs_rollback;

/* Limits. */
#define FXS_ROLLBACK_PLAYERS_MAX 64
#define FXS_INPUT_NUMBERS_MAX 16 /* numbers in one input */
#define FXS_PREDICTION_MAX 256   /* frames */
#define FXS_INPUT_DELAY_MAX 64   /* frames */
#define FXS_CHECK_MAX 64         /* frames that the sync test goes back */
#define FXS_PACKET_SIZE 1200     /* room for a packet that no usual network splits */

/* The settings of a peer. */
typedef struct fxs_rollback_settings {
    uint8_t random[16]; /* secure random bytes, new for each match and each start */
    uint64_t match;     /* fxs_hash64 of what the match is: its id, the game, the seed */
    uint64_t data;      /* fxs_hash64 of what the game plays with: frame data, level */
    uint64_t own_size;  /* as in fxs_history_room, and the next three */
    uint64_t state_size;
    uint64_t command_room;
    uint64_t event_room;
    uint32_t past;           /* states to keep of confirmed frames, for a desync: 60 is usual */
    uint32_t players;        /* 1..FXS_ROLLBACK_PLAYERS_MAX, the same on all peers */
    uint32_t numbers;        /* 1..FXS_INPUT_NUMBERS_MAX in an input, the same on all peers */
    uint32_t prediction_max; /* 0..FXS_PREDICTION_MAX frames ahead of the last certain one, the
                                    same on all peers; 0: lockstep, nothing is predicted */
    uint32_t input_delay;    /* 0..FXS_INPUT_DELAY_MAX: frames from an input to its frame */
    uint32_t check;          /* 0..FXS_CHECK_MAX: frames that the sync test goes back; 0: off */
    uint32_t guesses;        /* 1: FXS_ROLLBACK_GUESS for each unknown input; 0: the last one */
    uint32_t slows;          /* 1: the game's clock runs a fifth slower while is_ahead of fxs_pace
                                    is 1; 0: one tick in five steps no frame then */
    uint32_t own_has_length; /* 1: the own state has any length: the own bytes begin with it, a
                                    little-endian integer of 8 bytes, and may go on after it */
    uint32_t zero;           /* 0 */
    uint8_t peers[64];       /* by player, the peer that plays it: 0 is this one, with a player
                                    or more; others are 1, 2, ..., as this machine numbers them;
                                    0 after the last player */
} fxs_rollback_settings;

/* Types of requests. */
#define FXS_ROLLBACK_NONE 0      /* nothing until the next tick */
#define FXS_ROLLBACK_LOAD 1      /* world and own now hold the state before `frame` */
#define FXS_ROLLBACK_GUESS 2     /* the input of `player` for `frame` is not known */
#define FXS_ROLLBACK_STEP 3      /* step `frame` */
#define FXS_ROLLBACK_CONFIRMED 4 /* `frame` is final; each frame once, in order */

/* What the game must do next. */
typedef struct fxs_rollback_request {
    uint32_t type;           /* FXS_ROLLBACK_NONE to FXS_ROLLBACK_CONFIRMED */
    uint32_t frame;          /* number of the frame; of NONE the one that is stepped next */
    uint32_t player;         /* of GUESS */
    uint32_t age;            /* of GUESS: frames since the player's last known input */
    uint64_t predicted;      /* of STEP: bit i: the input of player i is not the real one */
    uint32_t is_again;       /* of STEP: 1: this frame was stepped before */
    uint32_t zero;           /* 0 */
    fxs_confirmed confirmed; /* of CONFIRMED: counts of rows, and the hash */
} fxs_rollback_request;

/* Parts of a frame that peers compare, each by a hash. */
#define FXS_PART_INPUTS 0 /* inputs of all players: a peer sent different ones */
#define FXS_PART_WORLD 1  /* the world after the frame, reactions included */
#define FXS_PART_OWN 2    /* the game's own state: its bytes, without a length */
#define FXS_PART_EVENTS 3 /* events of the step and of the game */
#define FXS_PART_SHOWN 4  /* the number that the game gave */

/* The first frame that differs: on another peer, or when it was stepped again here. */
typedef struct fxs_desync {
    uint64_t players;   /* bit i: player i is of the other peer; 0: the sync test */
    uint64_t ours[5];   /* by part, the hash here; of the sync test, of the last step */
    uint64_t theirs[5]; /* by part, the hash there; of the sync test, of the step before */
    uint64_t own_at;    /* of the sync test: first byte of the own state that differs, after a
                               length; own_size: none */
    uint32_t frame;     /* number of the frame */
    uint32_t peer;      /* number of the peer; 0: the sync test */
    uint32_t part;      /* first part that differs, FXS_PART_INPUTS to FXS_PART_SHOWN */
    uint32_t parts;     /* bit i: part i differs */
} fxs_desync;

/* Why the last packet of a peer was refused. */
typedef struct fxs_refusal {
    int64_t ours;    /* the value here, or the limit */
    int64_t theirs;  /* the value in the packet */
    int32_t status;  /* what fxs_rollback_receive returned; FXS_OK: none was refused */
    uint32_t field;  /* FXS_PACKET_BYTES to FXS_PACKET_AHEAD */
    uint32_t player; /* of FXS_E_INPUT */
    uint32_t frame;  /* of FXS_E_INPUT: number of the frame */
} fxs_refusal;

/* Fields of packets. */
#define FXS_PACKET_BYTES 0 /* the packet itself */
#define FXS_PACKET_LIFE 1  /* the random bytes */
#define FXS_PACKET_SEMANTICS 2
#define FXS_PACKET_MATCH 3
#define FXS_PACKET_DATA 4
#define FXS_PACKET_PLAYERS 5
#define FXS_PACKET_NUMBERS 6
#define FXS_PACKET_PREDICTION_MAX 7
#define FXS_PACKET_FRAME 8      /* of the first frame of the match */
#define FXS_PACKET_LOCAL 9      /* bits of the players of the peer */
#define FXS_PACKET_ACK 10       /* frames of inputs of this peer that it has */
#define FXS_PACKET_HEAD 11      /* frames that it has stepped */
#define FXS_PACKET_CONFIRMED 12 /* frames that it has confirmed */
#define FXS_PACKET_HASH_ACK 13  /* frames of hashes of this peer that it has */
#define FXS_PACKET_HASH 14      /* frame of a hash */
#define FXS_PACKET_INPUT_END 15 /* frames of its inputs, from the first one or to the last */
#define FXS_PACKET_INPUT 16     /* a number of an input */
#define FXS_PACKET_AHEAD 17     /* frames that it is ahead */

/* How this peer and the others run. */
typedef struct fxs_pace {
    uint64_t waiting;      /* bit i: no frame can be stepped before an input of player i */
    uint64_t resteps;      /* frames that were stepped again since the start */
    int32_t ahead;         /* Q16.16 frames that this peer is ahead of the others' average */
    uint32_t is_ahead;     /* 1: it runs a fifth slower, until the others are as far */
    uint32_t head;         /* frame that is stepped next */
    uint32_t first;        /* oldest frame that is not confirmed */
    uint32_t is_connected; /* 1: every other peer has returned the random bytes */
    uint32_t zero;         /* 0 */
} fxs_pace;

/* How the inputs of a player come. */
typedef struct fxs_player_pace {
    uint32_t peer; /* that plays it; 0: this one */
    uint32_t next; /* first frame whose input is not known here */
    uint32_t late; /* frames that are stepped here without its input */
    int32_t ahead; /* Q16.16 frames that this peer is ahead of it, smoothed */
} fxs_player_pace;

/* Bytes of memory for a peer; 0 if a setting is out of range or the sum is above FXS_MEMORY_MAX.
 * Cannot fail. Cost: players. */
FXS_API uint64_t fxs_rollback_size(const fxs_rollback_settings *settings);

/* Makes a peer in `memory`: fxs_rollback_size bytes, aligned to 8.
 * The match begins at the frame of the world, with the world and the own bytes as they are: they
 * must be the same on all peers. The memory may later be moved as bytes. Returns FXS_OK;
 * FXS_E_CONFIG for settings that fxs_rollback_size refuses, or misaligned memory; FXS_E_ROOM for a
 * state larger than state_size; FXS_E_RANGE for a length of the own state that has no room. Cost:
 * bytes of memory. */
FXS_API int32_t fxs_rollback_init(fxs_rollback *memory, const fxs_rollback_settings *settings,
                                  const fxs_world *world, const uint8_t *own);

/* Makes a copy of a peer with more room in other memory: after FXS_E_ROOM of fxs_rollback_push.
 * settings: those of the old one, but state_size, command_room, event_room and past may be larger;
 * no others are read. Returns FXS_OK, or FXS_E_CONFIG for a smaller one, a sum that is out of
 * range, or misaligned memory. Cost: bytes of memory. */
FXS_API int32_t fxs_rollback_grow(fxs_rollback *memory, const fxs_rollback_settings *settings,
                                  const fxs_rollback *old);

/* Begins a frame with the local inputs.
 * inputs: `numbers` numbers for each local player, by player. They are for the frame input_delay
 * after the one that this tick steps. It steps none if inputs of others are missing, or this peer
 * is ahead of them and `slows` is 0; the first inputs that were given for a frame count. A tick
 * before FXS_ROLLBACK_NONE means that the game stopped in the middle: the frame is loaded and
 * stepped again. Returns FXS_OK, or FXS_E_ORDER before every other peer has returned the random
 * bytes (fxs_pace.is_connected), with nothing changed. Cost: players. */
FXS_API int32_t fxs_rollback_tick(fxs_rollback *rollback, const int64_t *inputs);

/* Writes what the game must do next.
 * LOAD: world and own are loaded. STEP: `inputs` has `numbers` numbers for each player. GUESS:
 * `inputs` has the player's last known input, or zeros. CONFIRMED: `inputs` has the inputs of all
 * players, `commands` (room for command_room rows) and `events` (for event_room) what the frame
 * has, as fxs_history_confirm gives it. A STEP that was not pushed is asked again, after a LOAD.
 * Returns FXS_OK, or FXS_E_STATE for a world of another capacity or level. Cost: that of
 * fxs_world_load for LOAD; rows and own bytes for CONFIRMED; players else. */
FXS_API int32_t fxs_rollback_next(fxs_rollback *rollback, fxs_world *world, uint8_t *own,
                                  fxs_rollback_request *request, int64_t *inputs,
                                  fxs_command *commands, fxs_event *events);

/* Answers FXS_ROLLBACK_GUESS with the `numbers` numbers of an input.
 * Without it the last input is repeated. A wrong guess is taken back. Returns FXS_OK, or
 * FXS_E_ORDER if the last request was another one. Cost: constant. */
FXS_API int32_t fxs_rollback_guess(fxs_rollback *rollback, const int64_t *input);

/* Answers FXS_ROLLBACK_STEP, right after the step: what the game did in the frame.
 * The same as fxs_history_push, but is_final of `pushed` is not read. shown: a hash of what players
 * see (health, scores), or 0: peers compare it, so it finds a value that nobody saves. Returns what
 * fxs_history_push returns: FXS_OK; FXS_E_ORDER, also if the last request was another one;
 * FXS_E_RANGE, also for a length of the own state that has no room; FXS_E_ROOM: grow with
 * fxs_rollback_grow, and push again. Cost: that of fxs_history_push; with a check that of
 * fxs_hash64 of own bytes and events too. */
FXS_API int32_t fxs_rollback_push(fxs_rollback *rollback, const fxs_world *world,
                                  const uint8_t *own, const fxs_pushed *pushed, uint64_t shown,
                                  const fxs_command *commands, const fxs_event *events,
                                  fxs_event *taken_back, fxs_event *predicted,
                                  fxs_event_changes *changes);

/* Writes what a match log has of the frame that FXS_ROLLBACK_CONFIRMED gave last.
 * For fxs_recorder_step. has_inputs: that of the recorder. 0: the hash is that before the
 * reactions, which are commands of the next frame. 1: hash and state are those after them; state is
 * that of a simulation that saves the world, then its own state, without a length. Returns FXS_OK,
 * or FXS_E_ABSENT before the first frame. Cost: with inputs, that of fxs_hash64 of the state. */
FXS_API int32_t fxs_rollback_recorded(const fxs_rollback *rollback, uint32_t has_inputs,
                                      fxs_recorded *out);

/* Sets the input delay for the ticks to come, 0..FXS_INPUT_DELAY_MAX frames.
 * With a longer one the last input is repeated; with a shorter one inputs are left out. Each peer
 * has its own. Returns FXS_OK or FXS_E_RANGE. Cost: constant. */
FXS_API int32_t fxs_rollback_set_delay(fxs_rollback *rollback, uint32_t input_delay);

/* Writes the next packet for a peer: to be sent once a frame, also while nothing is stepped.
 * room: at least FXS_PACKET_SIZE for an input of up to 64 numbers; else 320 + 10 * numbers * local
 * players are enough. Returns FXS_OK with `*size`; FXS_E_ID for a peer that is not there;
 * FXS_E_ROOM for less room than that, with `*size` the room. Cost: inputs that the peer lacks. */
FXS_API int32_t fxs_rollback_packet(fxs_rollback *rollback, uint32_t peer, uint8_t *bytes,
                                    uint64_t room, uint64_t *size);

/* Takes a packet of a peer. Bytes of any kind do no harm.
 * Returns FXS_OK; FXS_E_ID for a peer that is not there; FXS_E_PACKET, FXS_E_LIFE, FXS_E_MATCH,
 * FXS_E_SEMANTICS, FXS_E_SETTINGS, FXS_E_DATA; FXS_E_INPUT; FXS_E_RANGE for a number that no peer
 * can have: each with nothing changed but fxs_rollback_refusal. Cost: bytes, and the inputs in
 * it. */
FXS_API int32_t fxs_rollback_receive(fxs_rollback *rollback, uint32_t peer, const uint8_t *bytes,
                                     uint64_t size);

/* Writes why the last refused packet of a peer was refused.
 * Returns FXS_OK, or FXS_E_ID for a peer that is not there. Cost: constant. */
FXS_API int32_t fxs_rollback_refusal(const fxs_rollback *rollback, uint32_t peer, fxs_refusal *out);

/* Writes how this peer and the others run. Cannot fail. Cost: players. */
FXS_API void fxs_rollback_pace(const fxs_rollback *rollback, fxs_pace *out);

/* Writes how the inputs of a player come.
 * Returns FXS_OK, or FXS_E_ID for a player that is not there. Cost: constant. */
FXS_API int32_t fxs_rollback_player(const fxs_rollback *rollback, uint32_t player,
                                    fxs_player_pace *out);

/* Writes the first frame that differs, of another peer or in the sync test.
 * It stays the same from then on. Returns FXS_OK, or FXS_E_ABSENT while nothing differs. Cost:
 * constant. */
FXS_API int32_t fxs_rollback_desync(const fxs_rollback *rollback, fxs_desync *out);

/* The bytes after the frame of fxs_rollback_desync, to be compared by fxs_state_differences.
 * which, 0: here, or in the sync test the last step; 1: in the sync test the step before. part:
 * FXS_PART_WORLD, or FXS_PART_OWN: the own state without a length. For the bytes of another peer,
 * the game sends its own over its transport. Returns NULL with a size of 0 for others, without a
 * desync, and if the frame was older than `past` when it was found. Cannot fail. Cost: constant. */
FXS_API const uint8_t *fxs_rollback_kept(const fxs_rollback *rollback, uint32_t which,
                                         uint32_t part, uint64_t *size);

/* cdef: end */

#ifdef __cplusplus
}
#endif

#endif
