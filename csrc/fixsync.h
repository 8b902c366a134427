/* fixsync: exact, order-stable hit detection in Q16.16 integers.
 *
 * One header for C and C++, freestanding C11 sources beside it: compile every .c file of this folder, there is nothing to configure.
 * The kernel uses no floating point, allocates nothing, has no mutable globals and calls nothing of libc but memcpy, memmove and
 * memset. The caller owns all memory.
 *
 * Numbers
 *   coordinate, size    int32_t   Q16.16: FXS_ONE = 65536 = one unit. A position may be any int32; a size is 1..FXS_SIZE_MAX.
 *   yaw                 0..65535  65536 steps are one turn; a turn about Y takes +X towards +Z. Y is up.
 *   half_angle          1..32768  of a sector; 32768 is the whole disc.
 *   direction, normal   int32_t   Q2.30: 2^30 = 1.
 *   id, owner, frame    uint32_t  an id is below the world's capacity; owner 0 is "none".
 *   layer 0..31         mask bit `1u << layer`.
 *
 * Answers and statuses. A function that returns int32_t gives FXS_OK or its answer (never negative), or one of the negative
 * FXS_E_* statuses below. A call that returns a negative status has changed nothing: not the world, and of the outputs only those
 * its comment names. Pointers must be valid and not overlap unless a comment says otherwise; they are not checked.
 *
 * Threads. The kernel has no hidden state: different worlds may be used on different threads at once. One world may not.
 *
 * Cost. Each comment ends with what the time of a call grows with, at most and up to a constant factor. "constant" is so whatever the
 * world holds; "near" are the colliders that a search along sorted rows of the world finds close by; "capacity / 64" is one look at each
 * word of a set of ids. A query or a cast after a change of the world may look at all colliders, or sort them anew. No call takes memory
 * but the world's and some kilobytes of stack.
 *
 * ABI. All functions are plain C calls with integers and pointers; enumerations are macros, flags are whole integers, and no structure
 * is passed by value. Every structure here consists of fixed-width integers without padding, so that its layout is the same on every
 * platform and in every language: sizes are 20 (fxs_shape), 16 (fxs_pose), 52 (fxs_collider), 60 (fxs_command), 16 (fxs_event), 12 (fxs_hit), 44
 * (fxs_query), 16 (fxs_moved), 140 (fxs_config), 16 (fxs_counts), 64 (fxs_cast) and 20 (fxs_cast_hit) bytes. fxs_world is opaque: its
 * size is what fxs_world_size tells, and may differ from one version to another, as may the bytes within it; only saved states last.
 * Versions with one FXS_VERSION_MAJOR (while it is 0: one FXS_VERSION_MINOR) are compatible: functions, constants and structures may
 * be added, none changes. FXS_SEMANTICS is a separate number, of the answers.
 *
 * Example. One step of a world with a body and a hit ball that touch:
 *
 *     static uint64_t memory[4096];
 *     fxs_config config = {8, 16, FXS_TOUCHING, {0}};
 *     config.layers[0] = 1;
 *     assert(fxs_world_size(&config) <= sizeof memory);
 *     fxs_world *world = (fxs_world *)memory;
 *     assert(fxs_world_init(world, &config) == FXS_OK);
 *
 *     fxs_collider body = {0};
 *     body.id = 1;
 *     body.kind = FXS_CAPSULE;
 *     body.active = 1;
 *     body.size[0] = FXS_ONE / 2;
 *     body.size[1] = FXS_ONE;
 *     assert(fxs_world_add(world, &body) == FXS_OK);
 *
 *     fxs_collider ball = {0};
 *     ball.id = 2;
 *     ball.kind = FXS_SPHERE;
 *     ball.active = 1;
 *     ball.x = FXS_ONE;
 *     ball.size[0] = FXS_ONE / 2;
 *     assert(fxs_world_add(world, &ball) == FXS_OK);
 *
 *     fxs_event events[16];
 *     fxs_counts counts;
 *     assert(fxs_world_step(world, events, 16, &counts) == FXS_OK);
 *     assert(counts.events == 1 && events[0].a == 1 && events[0].b == 2);
 *     assert(events[0].kind == FXS_ENTER && events[0].contact == FXS_TOUCHING);
 */
#ifndef FIXSYNC_H
#define FIXSYNC_H

#include <stdint.h>

/* What stands before every public function. Nothing, where the sources are compiled into a program. With FXS_SHARED they are, or come
 * from, a shared library: define it for both, and FXS_BUILD as well where the library itself is compiled. The convention of calls is
 * the platform's usual one for C. Define FXS_API to choose otherwise. */
#ifndef FXS_API
#if defined(FXS_SHARED) && defined(_WIN32) && defined(FXS_BUILD)
#define FXS_API __declspec(dllexport)
#elif defined(FXS_SHARED) && defined(_WIN32)
#define FXS_API __declspec(dllimport)
#elif defined(FXS_SHARED) && defined(__GNUC__)
#define FXS_API __attribute__((visibility("default")))
#else
#define FXS_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* cdef: begin (build_ffi.py hands everything up to the matching end to cffi, without the word FXS_API) */

/* ---- constants ---------------------------------------------------------------------------------------------------------- */

#define FXS_VERSION_MAJOR 0          /* of the header; FXS_VERSION puts the three together, fxs_version is that of the library */
#define FXS_VERSION_MINOR 1
#define FXS_VERSION_PATCH 0
#define FXS_SEMANTICS 1              /* of the answers: kernels with the same number answer alike, to the bit; see fxs_semantics */

#define FXS_ONE 65536                /* one unit in Q16.16 */
#define FXS_TURN 65536               /* yaw steps in one turn */
#define FXS_SIZE_MAX 536870911       /* 2^29 - 1: the largest size */
#define FXS_HALF_ANGLE_MAX 32768     /* a sector that is the whole disc */
#define FXS_LAYER_COUNT 32           /* layers are 0..31 */
#define FXS_CAPACITY_MAX 2147483648  /* 2^31: ids fit 31 bits, so that a pair and its contact fit one 64-bit word */

/* Shape kinds. */
#define FXS_SPHERE 0                 /* size: radius, 0, 0 */
#define FXS_CAPSULE 1                /* size: radius, half_height (0 is allowed), 0; a ball swept along a vertical segment */
#define FXS_CYLINDER 2               /* size: radius, half_height, 0; vertical */
#define FXS_BOX 3                    /* size: half_x, half_y, half_z; turned about Y by the pose's yaw */
#define FXS_SECTOR 4                 /* size: radius, half_height, 0, and half_angle; a vertical prism over a fan: apex at the pose */

/* Contact of two shapes. */
#define FXS_APART 0
#define FXS_TOUCHING 1               /* the boundaries meet, the insides do not */
#define FXS_OVERLAPPING 2

/* Kinds of event. */
#define FXS_ENTER 1                  /* a hit now that was none at the last step */
#define FXS_STAY 2                   /* a hit now and at the last step */
#define FXS_EXIT 3                   /* a hit at the last step that is none now; its contact is FXS_APART */

/* Types of command (fxs_command). */
#define FXS_COMMAND_ADD 1            /* fxs_world_add: reads the whole collider */
#define FXS_COMMAND_MOVE 2           /* fxs_world_move: id, x, y, z */
#define FXS_COMMAND_TURN 3           /* fxs_world_turn: id, yaw */
#define FXS_COMMAND_POSE 4           /* fxs_world_set_pose: id, x, y, z, yaw */
#define FXS_COMMAND_SHAPE 5          /* fxs_world_set_shape: id, kind, half_angle, size */
#define FXS_COMMAND_OFFSET 6         /* fxs_world_set_offset: id, ox, oy, oz */
#define FXS_COMMAND_OWNER 7          /* fxs_world_set_owner: id, owner */
#define FXS_COMMAND_LAYER 8          /* fxs_world_set_layer: id, layer */
#define FXS_COMMAND_ACTIVE 9         /* fxs_world_set_active: id, active */
#define FXS_COMMAND_REMOVE 10        /* fxs_world_remove: id */
#define FXS_COMMAND_LAYERS 11        /* one row of the layer matrix: layer, mask; the layer meets exactly the layers of the mask */

/* Statuses. */
#define FXS_OK 0
#define FXS_E_KIND (-1)              /* a shape kind that is none of 0..4 */
#define FXS_E_SIZE (-2)              /* a size outside 1..FXS_SIZE_MAX (a capsule's half height: 0..), or an unused one that is not 0 */
#define FXS_E_HALF_ANGLE (-3)        /* a sector's half_angle outside 1..32768, or another kind's that is not 0 */
#define FXS_E_YAW (-4)               /* a yaw outside 0..65535 */
#define FXS_E_CENTRE (-5)            /* a centre (position and turned offset) outside int32 */
#define FXS_E_ID (-6)                /* an id not below the world's capacity */
#define FXS_E_TAKEN (-7)             /* an id that is in the world already */
#define FXS_E_ABSENT (-8)            /* an id that is not in the world */
#define FXS_E_LAYER (-9)             /* a layer outside 0..31 */
#define FXS_E_ACTIVE (-10)           /* an active flag that is neither 0 nor 1 */
#define FXS_E_ROOM (-11)             /* the room given is too little; the room needed is told */
#define FXS_E_CONFIG (-12)           /* a config out of range (capacity, hit_when), a layer matrix not symmetric, or memory misaligned */
#define FXS_E_DISTANCE (-13)         /* a component that is no difference of two positions: outside -(2^32 - 1)..2^32 - 1 */
#define FXS_E_STATE (-14)            /* bytes that are no saved state of fixsync, or not one that this world can hold */
#define FXS_E_UNDEFINED (-15)        /* not defined for these shapes (push_out, lift, cast: a sector; side: b is no box) */
#define FXS_E_MOTION (-16)           /* a component of a motion outside -FXS_SIZE_MAX..FXS_SIZE_MAX */
#define FXS_E_HIT_WHEN (-17)         /* a hit_when that is neither FXS_TOUCHING nor FXS_OVERLAPPING */
#define FXS_E_COMMAND (-18)          /* a command type outside 1..11 */

/* ---- values ------------------------------------------------------------------------------------------------------------- */

/* A shape. `size` is laid out as told at the kinds above; what a kind does not use must be 0. */
typedef struct fxs_shape {
    uint32_t kind;
    uint32_t half_angle;             /* yaw steps to either side; a sector's only */
    int32_t size[3];
} fxs_shape;

/* Where a shape is: Q16.16 coordinates and a yaw of 0..65535. */
typedef struct fxs_pose {
    int32_t x, y, z;
    uint32_t yaw;
} fxs_pose;

/* A collider, exactly as a saved state lays it out (52 bytes, no padding; saved little-endian, here in the machine's order). */
typedef struct fxs_collider {
    uint32_t id;
    uint8_t kind, layer, active, zero;
    uint16_t yaw, half_angle;
    uint32_t owner;
    int32_t x, y, z;                 /* pose */
    int32_t ox, oy, oz;              /* offset of the centre from the pose, turned with it */
    int32_t size[3];
} fxs_collider;

/* What a step reports of a pair a < b. */
typedef struct fxs_event {
    uint32_t a, b;
    uint32_t kind;                   /* FXS_ENTER, FXS_STAY or FXS_EXIT */
    uint32_t contact;
} fxs_event;

/* A pair a < b that was a hit at the last step. */
typedef struct fxs_hit {
    uint32_t a, b;
    uint32_t contact;                /* FXS_TOUCHING or FXS_OVERLAPPING */
} fxs_hit;

/* A change of a world as one row, for fxs_world_apply. Each type reads the fields named beside it above; all others are ignored. */
typedef struct fxs_command {
    uint32_t type;                   /* FXS_COMMAND_ADD to FXS_COMMAND_LAYERS */
    uint32_t mask;                   /* of FXS_COMMAND_LAYERS: bit i for layer i */
    fxs_collider collider;
} fxs_command;

/* A query: which active colliders of the layers in `mask`, not owned by `exclude_owner` (0: nobody is left out), does this meet? */
typedef struct fxs_query {
    fxs_shape shape;
    fxs_pose pose;
    uint32_t mask;
    uint32_t exclude_owner;
} fxs_query;

/* A collider that was pushed, and where it is now. */
typedef struct fxs_moved {
    uint32_t id;
    int32_t x, y, z;
} fxs_moved;

/* What a world is made of. Bit j of layers[i] lets layer i meet layer j; the matrix must be symmetric. */
typedef struct fxs_config {
    uint32_t capacity;               /* ids are 0..capacity - 1; at most FXS_CAPACITY_MAX */
    uint32_t hit_capacity;           /* hits that one step is sure to have room for */
    uint32_t hit_when;               /* the least contact that is a hit: FXS_TOUCHING or FXS_OVERLAPPING */
    uint32_t layers[32];
} fxs_config;

/* How much a step found, or would have needed. */
typedef struct fxs_counts {
    uint64_t hits;
    uint64_t events;
} fxs_counts;

typedef struct fxs_world fxs_world;

/* ---- version ------------------------------------------------------------------------------------------------------------ */

/* The version of the library as compiled: major << 16 | minor << 8 | patch. Compare it with FXS_VERSION, the header's, where the two
 * may differ: in a program that loads a shared library. Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_version(void);

/* FXS_SEMANTICS of the library as compiled. It is raised by every change to what is computed: to contacts, events and their order,
 * queries, pushes, casts, saved bytes or hashes. Peers of one match, and a recorded match and its replay, must have the same.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_semantics(void);

/* ---- angles and lengths ------------------------------------------------------------------------------------------------- */

/* The direction that a yaw faces, as (x, z): cos and sin of 2*pi*yaw/65536, times 2^30, each rounded to nearest. Cannot fail.
 * Cost: constant. */
FXS_API void fxs_direction(uint16_t yaw, int32_t *cos_q30, int32_t *sin_q30);

/* The yaw whose sector of one step (half a step to either side) holds (dx, dz); 0 for (0, 0). Each component must be a difference of
 * two positions, -(2^32 - 1)..2^32 - 1. Returns the yaw, 0..65535, or FXS_E_DISTANCE. Cost: constant. */
FXS_API int32_t fxs_yaw_of(int64_t dx, int64_t dz);

/* The length of a vector, rounded down: floor(sqrt(dx^2 + dy^2 + dz^2)), components as for fxs_yaw_of. Returns it (below 2^33), or
 * FXS_E_DISTANCE. Cost: constant. */
FXS_API int64_t fxs_length(int64_t dx, int64_t dy, int64_t dz);

/* The turn that takes yaw `from` to yaw `to` the shorter way: -32768..32767 steps (half a turn is -32768). Yaws are taken modulo 65536.
 * Cannot fail: a negative number is a turn, no status. Cost: constant. */
FXS_API int32_t fxs_yaw_between(uint32_t from, uint32_t to);

/* Whether (dx, dz) lies within half_angle steps of where `yaw` faces, borders included: the closed wedge of a sector, whose
 * edges are the directions of yaw +- half_angle. (0, 0) does. Components as for fxs_yaw_of. Returns 1 or 0; FXS_E_YAW,
 * FXS_E_HALF_ANGLE or FXS_E_DISTANCE. Cost: constant. */
FXS_API int32_t fxs_faces(uint32_t yaw, uint32_t half_angle, int64_t dx, int64_t dz);

/* The vector of a length that a yaw (taken modulo 65536) faces: length times its direction, each component rounded to nearest, halves
 * away from zero. Returns FXS_OK, or FXS_E_DISTANCE for a length of -2^31, whose opposite is no int32. Cost: constant. */
FXS_API int32_t fxs_forward(uint32_t yaw, int32_t length, int32_t *x, int32_t *z);

/* ---- two shapes --------------------------------------------------------------------------------------------------------- */

/* Whether this is a shape. Returns FXS_OK, or why it is none: FXS_E_KIND, FXS_E_SIZE or FXS_E_HALF_ANGLE. Cost: constant. */
FXS_API int32_t fxs_shape_check(const fxs_shape *shape);

/* The contact of a at pose_a with b at pose_b, exactly, for all valid inputs. a and b may be the same memory, and so may the poses.
 * Returns FXS_APART, FXS_TOUCHING or FXS_OVERLAPPING; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE or FXS_E_YAW. Cost: constant. */
FXS_API int32_t fxs_overlap(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b);

/* fxs_overlap of n pairs, the i-th of each array with one another, one byte each into contacts. Returns FXS_OK, or at the first bad
 * pair FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE or FXS_E_YAW: `*bad` (else untouched) is then its index, and the contacts before it
 * are written. Cost: n. */
FXS_API int32_t fxs_overlap_many(uint64_t n, const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b,
                                 uint8_t *contacts, uint64_t *bad);

/* ---- push-out ----------------------------------------------------------------------------------------------------------- */

/* Sides of a box, in its own frame: which face a body is pushed out of. */
#define FXS_SIDE_NONE 0
#define FXS_SIDE_POS_X 1
#define FXS_SIDE_NEG_X 2
#define FXS_SIDE_POS_Z 3
#define FXS_SIDE_NEG_Z 4

/* The shortest way out of an overlap, for spheres, capsules, cylinders and boxes. A contact that is not FXS_OVERLAPPING has nothing
 * to end: (0, 0), 0, FXS_SIDE_NONE. */

/* The planar translation of a, (x, z) in raw Q16.16, that ends the contact; y stays. The pair moved by it is not
 * FXS_OVERLAPPING, exactly. It is less than sqrt(2) raw units longer than the shortest real translation of round shapes and
 * cylinders, and less than 2 longer with a box (2.5 of two boxes, one with a half size above 5000 units). The push of (b, a) is the
 * negative of that of (a, b) wherever the centres differ in x or z. Where they do not, either order pushes its first shape the same
 * way (without a box: along +X), so apply it to one of the two. Each component is within +-2^30.3; adding it to a
 * position may leave int32. Returns FXS_OK; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW, or FXS_E_UNDEFINED for a sector.
 * Cost: constant. */
FXS_API int32_t fxs_push_out(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b, int32_t *out_xz);

/* The vertical counterpart: the dy of a that ends the contact and is the least in size, up where both centres are level. A body
 * on a floor wants this one. -(2^31 - 4)..2^31 - 4; adding it to a position may leave int32. Returns FXS_OK; FXS_E_KIND,
 * FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW, or FXS_E_UNDEFINED for a sector. Cost: constant. */
FXS_API int32_t fxs_lift(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b, int32_t *out_y);

/* The face of the box b that fxs_push_out moves a out of: where the translation, turned by minus b's yaw, mostly points (X on
 * a tie). Returns FXS_SIDE_NONE or another of the sides; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW, or FXS_E_UNDEFINED for a
 * sector and for a b that is no box. Cost: constant. */
FXS_API int32_t fxs_side(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b);

/* ---- world -------------------------------------------------------------------------------------------------------------- */

/* Bytes of memory that a world of this config needs, or 0 for a config out of range. Cost: constant. */
FXS_API uint64_t fxs_world_size(const fxs_config *config);

/* Lays an empty world out in `memory`: fxs_world_size(config) bytes, aligned to 8, anything in them. The memory may later be moved
 * or copied as bytes, to any other place aligned to 8; it holds no pointer. Returns FXS_OK, or FXS_E_CONFIG for a config out of range
 * or memory misaligned. Cost: capacity / 64. */
FXS_API int32_t fxs_world_init(fxs_world *memory, const fxs_config *config);

/* Makes dst (initialised, of the same capacity) the same state as src. Returns FXS_OK; FXS_E_CONFIG if the capacities differ;
 * FXS_E_ROOM if src has more hits than dst has room for. Cost: colliders + hits + capacity / 64. */
FXS_API int32_t fxs_world_copy(fxs_world *dst, const fxs_world *src);

/* Steps taken, modulo 2^32. Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_world_frame(const fxs_world *world);

/* How many colliders are in the world. Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_world_count(const fxs_world *world);

/* The config as it is now, into out: a load may have changed hit_when and layers. Cannot fail. Cost: constant. */
FXS_API void fxs_world_config(const fxs_world *world, fxs_config *out);

/* Adds a collider under collider->id, which must be free. Returns FXS_OK; FXS_E_ID, FXS_E_TAKEN, FXS_E_KIND (also for a `zero` that is
 * not 0), FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_LAYER, FXS_E_ACTIVE or FXS_E_CENTRE. Cost: constant. */
FXS_API int32_t fxs_world_add(fxs_world *world, const fxs_collider *collider);

/* Takes a collider out; its hits end at the next step. Returns FXS_OK; FXS_E_ID or FXS_E_ABSENT. Cost: constant. */
FXS_API int32_t fxs_world_remove(fxs_world *world, uint32_t id);

/* The collider of an id as it is now, into out, which a status leaves untouched. Returns FXS_OK; FXS_E_ID or FXS_E_ABSENT.
 * Cost: constant. */
FXS_API int32_t fxs_world_get(const fxs_world *world, uint32_t id, fxs_collider *out);

/* Changes the position of one collider; its yaw stays. As the seven below, it keeps the id's hit history. Returns FXS_OK; FXS_E_ID,
 * FXS_E_ABSENT or FXS_E_CENTRE. Cost: constant. */
FXS_API int32_t fxs_world_move(fxs_world *world, uint32_t id, int32_t x, int32_t y, int32_t z);

/* Changes its yaw, and with it where its offset points. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, FXS_E_YAW or FXS_E_CENTRE.
 * Cost: constant. */
FXS_API int32_t fxs_world_turn(fxs_world *world, uint32_t id, uint32_t yaw);

/* Changes position and yaw at once. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, FXS_E_YAW or FXS_E_CENTRE. Cost: constant. */
FXS_API int32_t fxs_world_set_pose(fxs_world *world, uint32_t id, const fxs_pose *pose);

/* Changes its shape. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, FXS_E_KIND, FXS_E_SIZE or FXS_E_HALF_ANGLE. Cost: constant. */
FXS_API int32_t fxs_world_set_shape(fxs_world *world, uint32_t id, const fxs_shape *shape);

/* Changes the offset of its centre from its pose. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT or FXS_E_CENTRE. Cost: constant. */
FXS_API int32_t fxs_world_set_offset(fxs_world *world, uint32_t id, int32_t ox, int32_t oy, int32_t oz);

/* Changes its owner: any number, 0 for none. Returns FXS_OK; FXS_E_ID or FXS_E_ABSENT. Cost: constant. */
FXS_API int32_t fxs_world_set_owner(fxs_world *world, uint32_t id, uint32_t owner);

/* Changes its layer. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT or FXS_E_LAYER. Cost: constant. */
FXS_API int32_t fxs_world_set_layer(fxs_world *world, uint32_t id, uint32_t layer);

/* Makes it take part in steps and queries (1) or not (0). Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT or FXS_E_ACTIVE. Cost: constant. */
FXS_API int32_t fxs_world_set_active(fxs_world *world, uint32_t id, uint32_t active);

/* fxs_world_add of n colliders at once: all of them, or, at the first that is refused, none; `*bad` (else untouched) is then its index.
 * An id that comes twice is FXS_E_TAKEN. Returns FXS_OK; FXS_E_ID, FXS_E_TAKEN, FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_LAYER,
 * FXS_E_ACTIVE or FXS_E_CENTRE. Cost: n. */
FXS_API int32_t fxs_world_add_many(fxs_world *world, uint64_t n, const fxs_collider *colliders, uint64_t *bad);
/* fxs_world_move of n colliders, all or none, `*bad` as above. positions: n rows of x, y, z. Of an id that comes more than once the last
 * row counts. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT or FXS_E_CENTRE. Cost: n. */
FXS_API int32_t fxs_world_move_many(fxs_world *world, uint64_t n, const uint32_t *ids, const int32_t *positions, uint64_t *bad);
/* fxs_world_set_pose of n colliders, all or none, `*bad` as above. Of an id that comes more than once the last pose counts. Returns
 * FXS_OK; FXS_E_ID, FXS_E_ABSENT, FXS_E_YAW or FXS_E_CENTRE. Cost: n. */
FXS_API int32_t fxs_world_set_pose_many(fxs_world *world, uint64_t n, const uint32_t *ids, const fxs_pose *poses, uint64_t *bad);

/* Replaces the layer matrix: 32 masks, as fxs_config.layers. Keeps the hit history: a hit that it no longer allows is an EXIT at the
 * next step. Returns FXS_OK, or FXS_E_CONFIG for masks that are not symmetric. Cost: colliders + capacity / 64. */
FXS_API int32_t fxs_world_set_layers(fxs_world *world, const uint32_t *masks);

/* Makes n changes in order: all of them, or, at the first that is refused, none; `*bad` (else untouched) is then its index. Each does
 * what the function named beside its type does, with the same statuses; an id may come any number of times, and n may be above the
 * capacity. FXS_COMMAND_LAYERS sets one row and the same column of the layer matrix, so 32 rows in order set any symmetric matrix.
 * After a refusal the world answers and saves as before. Uses only the world's scratch memory. Returns FXS_OK; FXS_E_COMMAND, FXS_E_ID,
 * FXS_E_TAKEN, FXS_E_ABSENT, FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_LAYER, FXS_E_ACTIVE or FXS_E_CENTRE. Cost: n; with
 * FXS_COMMAND_LAYERS, or refused, also that of fxs_world_set_layers for each run of such rows. */
FXS_API int32_t fxs_world_apply(fxs_world *world, const fxs_command *commands, uint64_t n, uint64_t *bad);

/* Ids in the world, ascending, into ids (room for fxs_world_count). Cannot fail. Cost: colliders + capacity / 64. */
FXS_API void fxs_world_ids(const fxs_world *world, uint32_t *ids);

/* Colliders in the world, ascending by id, into out (room for fxs_world_count). Cannot fail. Cost: colliders + capacity / 64. */
FXS_API void fxs_world_colliders(const fxs_world *world, fxs_collider *out);

/* Finds this frame's hits and reports what changed since the last step: events sorted by (a, b), EXIT before ENTER where an id was
 * replaced. `*counts` is what was found. Room for hits: the config's hit_capacity. Room for events: event_capacity; hits of the last
 * step + hits of this one always suffices. Returns FXS_OK, or FXS_E_ROOM with the world as it was, `*counts` the room that is enough,
 * and events undefined. Cost: colliders + pairs near each other + hits of this step and the last + capacity / 64. */
FXS_API int32_t fxs_world_step(fxs_world *world, fxs_event *events, uint64_t event_capacity, fxs_counts *counts);

/* How many hits the last step found. Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_world_hit_count(const fxs_world *world);

/* The hits of the last step, ascending by (a, b), into out (room for fxs_world_hit_count). Cannot fail. Cost: hits. */
FXS_API void fxs_world_hits(const fxs_world *world, fxs_hit *out);

/* The contact of two colliders as they are now, whatever their layers, owners and activity. Returns FXS_APART, FXS_TOUCHING or
 * FXS_OVERLAPPING; FXS_E_ID or FXS_E_ABSENT. Cost: constant. */
FXS_API int32_t fxs_world_contact(const fxs_world *world, uint32_t a, uint32_t b);

/* fxs_push_out of two colliders as they are now, whatever their layers, owners and activity: what is told is for a's pose, its offset
 * and all. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, or FXS_E_UNDEFINED for a sector. Cost: constant. */
FXS_API int32_t fxs_world_push_out(const fxs_world *world, uint32_t a, uint32_t b, int32_t *out_xz);
/* fxs_lift of two colliders as they are now; else as fxs_world_push_out. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, or FXS_E_UNDEFINED for
 * a sector. Cost: constant. */
FXS_API int32_t fxs_world_lift(const fxs_world *world, uint32_t a, uint32_t b, int32_t *out_y);
/* fxs_side of two colliders as they are now; else as fxs_world_push_out. Returns FXS_SIDE_NONE or another of the sides; FXS_E_ID,
 * FXS_E_ABSENT, or FXS_E_UNDEFINED for a sector and for a b that is no box. Cost: constant. */
FXS_API int32_t fxs_world_side(const fxs_world *world, uint32_t a, uint32_t b);

/* Pushes bodies that overlap apart, as characters in a crowd and against walls. yields: 32 masks; bit j of yields[i] lets a body of
 * layer i give way to one of layer j. Where only one of a pair gives way, it takes all of fxs_push_out; where both do, each takes
 * half, rounded away from zero; where neither does, the pair is left alone.
 *   The pairs are those of the last step's hits that are still there, active, allowed to meet and no sectors; each is pushed if it is
 * FXS_OVERLAPPING when its turn comes, so it sees what earlier pushes did. A pass takes first the pairs in which both give way, then
 * those in which one does, each by (a, b): what does not yield has the last word. Pushing one pair apart may push another together;
 * further passes, over the same pairs, end early when nothing was left to push. All of it is a function of the state and the
 * arguments.
 *   `moved`: the colliders that were pushed, ascending by id, `*count` of them. Hits and frame stay as they are; the next step sees the
 * new poses. Returns FXS_OK; FXS_E_ROOM if moved_capacity is below both the number of colliders and twice that of the last step's hits,
 * with `*count` the room that is enough; FXS_E_CENTRE if a push would leave int32, with `*count` the id that it would have moved. On
 * either status no collider is moved, and `moved` is undefined. Cost: passes * hits + capacity / 64. */
FXS_API int32_t fxs_world_separate(fxs_world *world, const uint32_t *yields, uint32_t passes, fxs_moved *moved,
                                   uint64_t moved_capacity, uint64_t *count);

/* The ids that a query meets (contact >= the world's hit_when) as the world is now, stepped or not, ascending, into ids. A
 * sector never meets a sector. `*count` is how many. The world's state is not changed; its scratch memory may be. Returns FXS_OK;
 * FXS_E_ROOM with `*count` what is needed and ids undefined; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE or FXS_E_YAW with `*count` 0.
 * Cost: colliders near it; or all, after a change. */
FXS_API int32_t fxs_world_query(fxs_world *world, const fxs_query *query, uint32_t *ids, uint64_t id_capacity, uint64_t *count);

/* Answers n queries: the answers one after another into ids, ends[i] the end of the i-th. `*count` is how many in all. Returns FXS_OK;
 * FXS_E_ROOM with `*count` what is needed, ids and ends undefined; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE or FXS_E_YAW with `*count`
 * the index of the first bad query. Cost: n times that of fxs_world_query. */
FXS_API int32_t fxs_world_query_many(fxs_world *world, uint64_t n, const fxs_query *queries, uint64_t *ends, uint32_t *ids,
                                     uint64_t id_capacity, uint64_t *count);

/* The ids that a query meets, nearest first: by the exact squared distance of a collider's centre from the query's pose, then by id; the
 * first `limit` (0: all). Else as fxs_world_query. Returns FXS_OK; FXS_E_ROOM; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE or FXS_E_YAW.
 * Cost: that of fxs_world_query, and to sort what it meets. */
FXS_API int32_t fxs_world_nearest(fxs_world *world, const fxs_query *query, uint64_t limit, uint32_t *ids, uint64_t id_capacity,
                                  uint64_t *count);

/* Answers n queries nearest first: by the exact squared distance of a collider's centre from the query's pose, then by id; of each the
 * first `limit` (0: all). Else as fxs_world_query_many. Returns FXS_OK; FXS_E_ROOM; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE or
 * FXS_E_YAW. Cost: n times that of fxs_world_query, and to sort what each meets. */
FXS_API int32_t fxs_world_nearest_many(fxs_world *world, uint64_t n, const fxs_query *queries, uint64_t limit, uint64_t *ends,
                                       uint32_t *ids, uint64_t id_capacity, uint64_t *count);

/* ---- casts -------------------------------------------------------------------------------------------------------------- */

/* When a, moving by motion_a (x, y, z, each -FXS_SIZE_MAX..FXS_SIZE_MAX; its end may lie outside int32), first meets b, moving by
 * motion_b in the same time, exactly: the first contact >= hit_when, FXS_TOUCHING or FXS_OVERLAPPING. Yaws do not change on the way.
 * The motions and the poses may be the same memory. Returns 1 for a hit, with `*fraction` = floor(65536 * its time), 0..65536, and its
 * normal (x, y, z in Q2.30, from b towards a; all 0 for shapes that overlap where they start); 0 for none, outputs untouched;
 * FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW, FXS_E_UNDEFINED for a sector, FXS_E_MOTION or FXS_E_HIT_WHEN.
 * Cost: constant. */
FXS_API int32_t fxs_cast_pair(const fxs_shape *a, const fxs_pose *pose_a, const int32_t *motion_a, const fxs_shape *b,
                              const fxs_pose *pose_b, const int32_t *motion_b, uint32_t hit_when, int32_t *fraction, int32_t *normal);

/* A cast into a world: which active colliders of the layers in `mask`, not owned by `exclude_owner` (0: nobody is left out), does this
 * shape meet on its way? Each stands still at its centre. No sector meets a cast, and none can be cast. */
typedef struct fxs_cast {
    fxs_shape shape;
    fxs_pose pose;
    int32_t motion[3];               /* x, y, z; as for fxs_cast_pair */
    uint32_t mask;
    uint32_t exclude_owner;
    uint32_t limit;                  /* at most so many, the first ones; 0: all */
    uint32_t hit_when;               /* FXS_TOUCHING or FXS_OVERLAPPING; 0: the world's */
} fxs_cast;

/* What a cast meets, and when and how: as fxs_cast_pair tells it, the cast shape as a, the collider as b. */
typedef struct fxs_cast_hit {
    uint32_t id;
    uint32_t fraction;               /* 0..65536 */
    int32_t normal[3];
} fxs_cast_hit;

/* The colliders that a cast meets as the world is now, stepped or not, ascending by (fraction, id), into hits. `*count` is how many.
 * The world's state is not changed; its scratch memory may be. Returns FXS_OK; FXS_E_ROOM with `*count` what is needed and hits
 * undefined; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW, FXS_E_UNDEFINED for a sector, FXS_E_MOTION or FXS_E_HIT_WHEN with
 * `*count` 0. Cost: colliders near its way; or all, after a change. */
FXS_API int32_t fxs_world_cast(fxs_world *world, const fxs_cast *cast, fxs_cast_hit *hits, uint64_t hit_capacity, uint64_t *count);

/* Answers n casts: the answers one after another into hits, ends[i] the end of the i-th. `*count` is how many in all. Returns FXS_OK;
 * FXS_E_ROOM with `*count` what is needed, hits and ends undefined; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW,
 * FXS_E_UNDEFINED, FXS_E_MOTION or FXS_E_HIT_WHEN with `*count` the index of the first bad cast. Cost: n times that of
 * fxs_world_cast. */
FXS_API int32_t fxs_world_cast_many(fxs_world *world, uint64_t n, const fxs_cast *casts, uint64_t *ends, fxs_cast_hit *hits,
                                    uint64_t hit_capacity, uint64_t *count);

/* fxs_world_cast of a collider's own shape from where it is: of the other active colliders, those that layers and owners let it hit, whether
 * it is active itself or not. motion, limit and hit_when as in fxs_cast. Returns FXS_OK; FXS_E_ROOM with `*count` what is needed and hits
 * undefined; FXS_E_ID, FXS_E_ABSENT, FXS_E_UNDEFINED for a sector, FXS_E_MOTION or FXS_E_HIT_WHEN. Cost: that of fxs_world_cast. */
FXS_API int32_t fxs_world_sweep(fxs_world *world, uint32_t id, const int32_t *motion, uint32_t limit, uint32_t hit_when,
                                fxs_cast_hit *hits, uint64_t hit_capacity, uint64_t *count);

/* ---- state -------------------------------------------------------------------------------------------------------------- */

/* How many bytes fxs_world_save writes now. Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_world_save_size(const fxs_world *world);

/* The whole state as bytes, the same on every platform ("FXS1", little-endian), into out (room for fxs_world_save_size). Cannot fail.
 * Cost: bytes + capacity / 64. */
FXS_API void fxs_world_save(const fxs_world *world, uint8_t *out);

/* XXH64 (seed 0) of the bytes that fxs_world_save would write. Cannot fail. Cost: bytes + capacity / 64. */
FXS_API uint64_t fxs_world_hash(const fxs_world *world);

/* Replaces everything but the capacity by a saved state. An accepted state saves to the same bytes. Returns FXS_OK; FXS_E_STATE for
 * bytes that break a rule of the format, with `*at` the offset of the field that breaks it; FXS_E_ROOM if it has more hits than this
 * world has room for, with `*at` how many. Cost: bytes + capacity / 64; what asks for directions and bounds first works them out, once. */
FXS_API int32_t fxs_world_load(fxs_world *world, const uint8_t *bytes, uint64_t size, uint64_t *at);

/* XXH64 of any bytes. Cannot fail. Cost: bytes. */
FXS_API uint64_t fxs_hash64(const void *bytes, uint64_t size, uint64_t seed);

/* cdef: end */

/* The version of the header, to compare in #if and with fxs_version. */
#define FXS_VERSION (FXS_VERSION_MAJOR * 65536 + FXS_VERSION_MINOR * 256 + FXS_VERSION_PATCH)

#ifdef __cplusplus
}
#endif

#endif
