/* fixsync: exact, order-stable hit detection in Q16.16 integers.
 *
 * One header for C and C++. The freestanding C11 sources are beside it: compile every .c file of
 * this folder as C; there is nothing to configure. The kernel uses no floating point, allocates
 * nothing, has no mutable globals, and calls only memcpy, memmove and memset of libc. The caller
 * owns all memory.
 *
 * Numbers
 *   coordinate         int32_t   Q16.16: FXS_ONE = 65536 = one unit; any int32.
 *   size               int32_t   Q16.16: 1..FXS_SIZE_MAX.
 *   yaw                0..65535  65536 steps are one turn, which takes +X towards +Z; Y is up.
 *   half_angle         1..32768  of a sector; 32768 is the whole disc, or with a hole the ring.
 *   direction, normal  int32_t   Q2.30: 2^30 = 1.
 *   id                 uint32_t  below the capacity of the world.
 *   owner              uint32_t  0: no owner.
 *   frame              uint32_t  steps taken, modulo 2^32.
 *   layer              0..31     bit `1u << layer` of a mask.
 *
 * Answers and statuses. A function that returns int32_t returns FXS_OK or its answer (never
 * negative), or one of the negative FXS_E_* statuses below. A call that returns a status leaves the
 * world as it was, and writes only those outputs that its comment names. Pointers are not checked:
 * they must be valid, so not NULL, and must not overlap, unless a comment allows it.
 *
 * Threads. The kernel has no hidden state: different worlds may be used on different threads at the
 * same time. One world may not.
 *
 * Cost. Each comment ends with the cost of a call: the most that its time grows with, up to a
 * constant factor. "constant" does not depend on the contents of the world. A collider is "near" a
 * shape if their coarse bounds, which the search compares first, are close to each other. "capacity
 * / 64" is a pass over the words of a set of ids. A query or a cast after a change of the world may
 * read all colliders, or sort them again. A call uses the memory of the world and some kilobytes of
 * stack.
 *
 * ABI. All functions are plain C calls with integers and pointers. Enumerations are macros, flags
 * are whole integers, and no structure is passed by value. Every structure consists of fixed-width
 * integers without padding, so its layout is the same on every platform and in every language. The
 * sizes in bytes are 20 (fxs_shape), 16 (fxs_pose), 52 (fxs_collider), 60 (fxs_command), 16
 * (fxs_event), 12 (fxs_hit), 48 (fxs_query), 16 (fxs_moved), 16 (fxs_vertex), 24 (fxs_extent), 140
 * (fxs_config), 16 (fxs_counts), 64 (fxs_cast), 20 (fxs_cast_hit), 16 (fxs_motion), 24
 * (fxs_pair_hit) and 268 (fxs_solid). fxs_world and fxs_level are opaque: fxs_world_size and
 * fxs_level_size return their sizes. The size and the bytes within may differ between versions;
 * only saved states and the bytes of a level last.
 * Versions with the same FXS_VERSION_MAJOR (while it is 0: the same FXS_VERSION_MINOR) are
 * compatible: functions, constants and structures may be added, none changes. FXS_SEMANTICS is the
 * version of the answers.
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

/* Stands before every public function. It is empty where the sources are compiled into a program.
 * For a shared library define FXS_SHARED in the library and in the program, and FXS_BUILD as well
 * where the library itself is compiled. The calling convention is the platform's usual one for C.
 * Define FXS_API to choose otherwise. */
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

/* cdef: begin (build_ffi.py gives everything up to the matching end to cffi, without FXS_API) */

/* ---- constants ------------------------------------------------------------------------------- */

/* Version. */
#define FXS_VERSION_MAJOR 0        /* of this header; FXS_VERSION joins the three */
#define FXS_VERSION_MINOR 9        /* fxs_version returns that of the library */
#define FXS_VERSION_PATCH 0        /* raised by changes that add nothing */
#define FXS_SEMANTICS 5            /* kernels with the same number answer alike, to the bit; 2 added
                                      rings and levels, 3 changed movers, 4 lets sectors meet and
                                      orders casts by distance, 5 changed movers and platforms: no
                                      other answer */

/* Numbers and limits. */
#define FXS_ONE 65536              /* one unit in Q16.16 */
#define FXS_TURN 65536             /* yaw steps in one turn */
#define FXS_SIZE_MAX 536870911     /* 2^29 - 1: the largest size */
#define FXS_HALF_ANGLE_MAX 32768   /* a sector that is the whole disc */
#define FXS_LAYER_COUNT 32         /* layers are 0..31 */
#define FXS_CAPACITY_MAX 2147483648U /* 2^31: a pair of ids and its contact fit one 64-bit word */
#define FXS_VERTICES_MAX 32        /* vertices of a prism */
#define FXS_LEVEL 2147483648U      /* 2^31: the id of a level's first solid */
#define FXS_OUTLINE_SEGMENTS 32    /* usual pieces of a whole circle in an outline */

/* Kinds of shape (enum Kind). */
#define FXS_SPHERE 0               /* size: radius, 0, 0. A ball. */
#define FXS_CAPSULE 1              /* size: radius, half_height, 0. A ball swept along a vertical
                                      segment of +-half_height, which may be 0. Its top is
                                      half_height + radius above its centre. */
#define FXS_CYLINDER 2             /* size: radius, half_height, 0. A vertical cylinder. */
#define FXS_BOX 3                  /* size: half_x, half_y, half_z. A box, turned about Y by the
                                      yaw; with yaw 0 an AABB. */
#define FXS_SECTOR 4               /* size: radius, half_height, inner_radius; half_angle. A
                                      vertical prism over a circular sector. Its apex is at the
                                      pose; it faces the yaw, with half_angle to either side. A
                                      half_angle of 32768 is the whole disc. inner_radius, below the
                                      radius, is that of a hole around the apex; 0: no hole. A body
                                      wholly in the hole is APART, one that reaches out of it is
                                      not. Two sectors without holes meet; one with a hole
                                      meets no sector. */

/* Kinds of solid (enum SolidKind): FXS_CYLINDER, and */
#define FXS_PRISM 5                /* a convex polygon of 3..32 vertices, upright */

/* Contact of two shapes (enum Contact). */
#define FXS_APART 0                /* they have no point in common */
#define FXS_TOUCHING 1             /* only the boundaries meet */
#define FXS_OVERLAPPING 2          /* the insides meet */

/* Kinds of event (enum EventKind). */
#define FXS_ENTER 1                /* a hit now, not at the last step */
#define FXS_STAY 2                 /* a hit now and at the last step */
#define FXS_EXIT 3                 /* a hit at the last step, not now; its contact is FXS_APART */

/* Types of fxs_command (enum CommandType): the function that it calls, the fields that it reads. */
#define FXS_COMMAND_ADD 1          /* fxs_world_add: the whole collider */
#define FXS_COMMAND_MOVE 2         /* fxs_world_move: id, x, y, z */
#define FXS_COMMAND_TURN 3         /* fxs_world_turn: id, yaw */
#define FXS_COMMAND_POSE 4         /* fxs_world_set_pose: id, x, y, z, yaw */
#define FXS_COMMAND_SHAPE 5        /* fxs_world_set_shape: id, kind, half_angle, size */
#define FXS_COMMAND_OFFSET 6       /* fxs_world_set_offset: id, ox, oy, oz */
#define FXS_COMMAND_OWNER 7        /* fxs_world_set_owner: id, owner */
#define FXS_COMMAND_LAYER 8        /* fxs_world_set_layer: id, layer */
#define FXS_COMMAND_ACTIVE 9       /* fxs_world_set_active: id, active */
#define FXS_COMMAND_REMOVE 10      /* fxs_world_remove: id */
#define FXS_COMMAND_LAYERS 11      /* layer, mask: the layer meets exactly the layers of the mask */

/* Statuses (enum Status). */
#define FXS_OK 0                   /* success */
#define FXS_E_KIND (-1)            /* not the kind of a shape */
#define FXS_E_SIZE (-2)            /* a size out of range, or an unused one that is not 0 */
#define FXS_E_HALF_ANGLE (-3)      /* a sector's outside 1..32768, or another kind's not 0 */
#define FXS_E_YAW (-4)             /* a yaw outside 0..65535 */
#define FXS_E_CENTRE (-5)          /* a centre (position and turned offset) or lift outside int32 */
#define FXS_E_ID (-6)              /* an id not below the capacity, or of no solid of the level */
#define FXS_E_TAKEN (-7)           /* an id that is already in the world */
#define FXS_E_ABSENT (-8)          /* an id that is not in the world */
#define FXS_E_LAYER (-9)           /* a layer outside 0..31 */
#define FXS_E_ACTIVE (-10)         /* an active flag other than 0 and 1 */
#define FXS_E_ROOM (-11)           /* too little room; the room needed is returned */
#define FXS_E_CONFIG (-12)         /* a config out of range, or misaligned memory */
#define FXS_E_DISTANCE (-13)       /* outside -(2^32 - 1)..2^32 - 1, beyond any two positions */
#define FXS_E_STATE (-14)          /* not a saved state, or one that this world cannot hold */
#define FXS_E_UNDEFINED (-15)      /* not defined for these shapes */
#define FXS_E_MOTION (-16)         /* a component outside -FXS_SIZE_MAX..FXS_SIZE_MAX */
#define FXS_E_HIT_WHEN (-17)       /* not FXS_TOUCHING or FXS_OVERLAPPING */
#define FXS_E_COMMAND (-18)        /* a command type outside 1..11 */
#define FXS_E_SEGMENTS (-19)       /* segments of an outline outside 3..FXS_TURN */
#define FXS_E_LEVEL (-20)          /* bytes that are not a level */
#define FXS_E_ORDER (-66)          /* a call that is not allowed at this point */

/* ---- values ---------------------------------------------------------------------------------- */

/* A shape. An unused size, and an unused half_angle, must be 0. */
typedef struct fxs_shape {
    uint32_t kind;               /* of a shape: FXS_SPHERE, ... */
    uint32_t half_angle;         /* of a sector: yaw steps to either side */
    int32_t size[3];             /* Q16.16, laid out as listed at the shape kinds */
} fxs_shape;

/* Where a shape is. */
typedef struct fxs_pose {
    int32_t x, y, z;             /* Q16.16 */
    uint32_t yaw;                /* 0..65535 */
} fxs_pose;

/* A collider, laid out as in a saved state (a saved state is little-endian, this is not always). */
typedef struct fxs_collider {
    uint32_t id;                 /* below the capacity */
    uint8_t kind;                /* of a shape: FXS_SPHERE, ... */
    uint8_t layer;               /* 0..31 */
    uint8_t active;              /* 1, or 0: it is in no hit and no answer */
    uint8_t zero;                /* must be 0 */
    uint16_t yaw;                /* of the pose */
    uint16_t half_angle;         /* of a sector, else 0 */
    uint32_t owner;              /* colliders of one owner do not hit each other; 0: no owner */
    int32_t x, y, z;             /* position of the pose */
    int32_t ox, oy, oz;          /* offset of the centre from the position, turned by the yaw */
    int32_t size[3];             /* as in fxs_shape */
} fxs_collider;

/* One change of a pair a < b, found by a step. */
typedef struct fxs_event {
    uint32_t a, b;               /* ids */
    uint32_t kind;               /* FXS_ENTER, FXS_STAY or FXS_EXIT */
    uint32_t contact;            /* the present one; FXS_APART for FXS_EXIT */
} fxs_event;

/* A pair a < b that was a hit at the last step. */
typedef struct fxs_hit {
    uint32_t a, b;               /* ids */
    uint32_t contact;            /* FXS_TOUCHING or FXS_OVERLAPPING */
} fxs_hit;

/* One change of a world, for fxs_world_apply. Fields that its type does not read are ignored. */
typedef struct fxs_command {
    uint32_t type;               /* FXS_COMMAND_ADD to FXS_COMMAND_LAYERS */
    uint32_t mask;               /* of FXS_COMMAND_LAYERS: bit i for layer i */
    fxs_collider collider;       /* id and the fields that the type reads */
} fxs_command;

/* A query: a shape at a pose, and the colliders that it looks at. */
typedef struct fxs_query {
    fxs_shape shape;             /* any kind */
    fxs_pose pose;               /* where the shape is */
    uint32_t mask;               /* bit i: look at colliders of layer i */
    uint32_t exclude_owner;      /* leave out colliders of this owner; 0: leave out none */
    uint32_t hit_when;           /* FXS_TOUCHING or FXS_OVERLAPPING; 0: the world's */
} fxs_query;

/* A collider that fxs_world_separate moved. */
typedef struct fxs_moved {
    uint32_t id;                 /* of the collider */
    int32_t x, y, z;             /* its position now */
} fxs_moved;

/* A vertex of an outline, seen from above. It may lie outside int32. */
typedef struct fxs_vertex {
    int64_t x, z;                /* Q16.16 */
} fxs_vertex;

/* Heights of an outline, and its number of vertices. */
typedef struct fxs_extent {
    int64_t y_low, y_high;       /* Q16.16; they may lie outside int32 */
    uint32_t outer;              /* vertices of the outer polygon */
    uint32_t hole;               /* vertices of the hole, which follow them; 0: no hole */
} fxs_extent;

/* The settings of a new world. */
typedef struct fxs_config {
    uint32_t capacity;           /* ids are 0..capacity - 1; at most FXS_CAPACITY_MAX */
    uint32_t hit_capacity;       /* hits that a step has room for in any case */
    uint32_t hit_when;           /* least contact that is a hit: FXS_TOUCHING, FXS_OVERLAPPING */
    uint32_t layers[32];         /* bit j of layers[i]: layer i meets layer j; symmetric */
} fxs_config;

/* A solid: one part of a level, upright from y_low to y_high. It is never moved. */
typedef struct fxs_solid {
    uint8_t code;                /* FXS_CYLINDER or FXS_PRISM */
    uint8_t layer;               /* 0..31 */
    uint16_t vertex_count;       /* of a prism: 3..32; of a cylinder: 0 */
    int32_t y_low, y_high;       /* y_low < y_high */
    int32_t numbers[64];         /* of a prism: x, z of each vertex, counterclockwise; of a */
                                 /* cylinder: x, z, radius; the others are 0 */
} fxs_solid;

/* The number of hits and events of a step, or the room that it needs. */
typedef struct fxs_counts {
    uint64_t hits;               /* hits of this step */
    uint64_t events;             /* events of this step */
} fxs_counts;

/* A world. fxs_world_size returns its size; its memory is the caller's. */
typedef struct fxs_world fxs_world;

/* A level: the static geometry of a map. fxs_level_size returns its size; its memory is the
 * caller's. */
typedef struct fxs_level fxs_level;

/* ---- version --------------------------------------------------------------------------------- */

/* The version of the library as compiled: major << 16 | minor << 8 | patch.
 * A program that loads a shared library compares it with FXS_VERSION, the version of its header.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_version(void);

/* FXS_SEMANTICS of the library as compiled.
 * Every change to an answer raises it: contacts, events and their order, queries, pushes, casts,
 * saved bytes, hashes. The peers of a match, and a recorded match and its replay, must have the
 * same number. Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_semantics(void);

/* ---- angles and lengths ---------------------------------------------------------------------- */

/* The direction of a yaw as (x, z), in Q2.30.
 * cos and sin of 2*pi*yaw/65536, times 2^30, each rounded to nearest. Cannot fail. Cost:
 * constant. */
FXS_API void fxs_direction(uint16_t yaw, int32_t *cos_q30, int32_t *sin_q30);

/* The yaw that faces (dx, dz), to the nearest step; 0 for (0, 0).
 * Each component must be the difference of two positions: -(2^32 - 1)..2^32 - 1. Returns the yaw,
 * 0..65535, or FXS_E_DISTANCE. Cost: constant. */
FXS_API int32_t fxs_yaw_of(int64_t dx, int64_t dz);

/* The length of a vector, rounded down: floor(sqrt(dx^2 + dy^2 + dz^2)).
 * Each component must be the difference of two positions: -(2^32 - 1)..2^32 - 1. Returns the
 * length, below 2^33, or FXS_E_DISTANCE. Cost: constant. */
FXS_API int64_t fxs_length(int64_t dx, int64_t dy, int64_t dz);

/* The shorter turn from one yaw to another: -32768..32767 steps.
 * Half a turn is -32768. Yaws are taken modulo 65536. A negative number is a turn, not a status.
 * Cannot fail. Cost: constant. */
FXS_API int32_t fxs_yaw_between(uint32_t from, uint32_t to);

/* Whether (dx, dz) lies within half_angle steps of a yaw, borders included.
 * This is the closed wedge of a sector, whose edges are the directions of yaw +- half_angle. (0, 0)
 * lies within. Each component must be the difference of two positions. Returns 1 or 0; FXS_E_YAW,
 * FXS_E_HALF_ANGLE or FXS_E_DISTANCE. Cost: constant. */
FXS_API int32_t fxs_faces(uint32_t yaw, uint32_t half_angle, int64_t dx, int64_t dz);

/* The vector of a length in the direction of a yaw.
 * Length times direction, each component rounded to nearest, halves away from zero. The yaw is
 * taken modulo 65536. Returns FXS_OK, or FXS_E_DISTANCE for a length of -2^31. Cost: constant. */
FXS_API int32_t fxs_forward(uint32_t yaw, int32_t length, int32_t *x, int32_t *z);

/* ---- two shapes ------------------------------------------------------------------------------ */

/* Whether kind, sizes and half_angle of a shape are in range.
 * Returns FXS_OK, FXS_E_KIND, FXS_E_SIZE or FXS_E_HALF_ANGLE. Cost: constant. */
FXS_API int32_t fxs_shape_check(const fxs_shape *shape);

/* The contact of two shapes, exact for all valid inputs.
 * a and b may be the same memory, and so may the poses. Returns FXS_APART, FXS_TOUCHING or
 * FXS_OVERLAPPING; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE or FXS_E_YAW. Cost: constant. */
FXS_API int32_t fxs_overlap(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                            const fxs_pose *pose_b);

/* fxs_overlap of n pairs: row i of each array, one byte each into contacts.
 * Returns FXS_OK, or at the first bad pair FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE or FXS_E_YAW:
 * `*bad` (else untouched) is then its index, and the contacts before it are written. Cost: n. */
FXS_API int32_t fxs_overlap_many(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                                 const fxs_pose *pose_b, uint64_t n, uint8_t *contacts,
                                 uint64_t *bad);

/* The outline of a shape, for drawing: its vertices seen from above, and its heights.
 * segments: how many pieces draw a whole circle, 3..FXS_TURN; an arc takes its share, rounded up.
 * The outer polygon is counterclockwise as yaw turns, from +X to +Z. A circle begins where the pose
 * faces; a box with its (+half_x, +half_z) corner; a sector with the end of its arc at yaw -
 * half_angle, and ends with its apex. A vertex is a corner, or a point of the circle, turned by a
 * yaw: each component is rounded to nearest, halves away from zero. A sphere and a capsule have
 * this outline at half their height. Writes `*extent`, then the vertices of outer polygon and hole.
 * Returns FXS_OK; FXS_E_ROOM with `*extent` written, whose outer + hole is the room needed;
 * FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW or FXS_E_SEGMENTS. Cost: segments. */
FXS_API int32_t fxs_outline(const fxs_shape *shape, const fxs_pose *pose, uint32_t segments,
                            fxs_vertex *vertices, uint64_t vertex_capacity, fxs_extent *extent);

/* ---- push-out -------------------------------------------------------------------------------- */

/* Sides of a box (enum Side), in its own frame: the face that a body is pushed out of. */
#define FXS_SIDE_NONE 0            /* not pushed */
#define FXS_SIDE_POS_X 1           /* along +X */
#define FXS_SIDE_NEG_X 2           /* along -X */
#define FXS_SIDE_POS_Z 3           /* along +Z */
#define FXS_SIDE_NEG_Z 4           /* along -Z */

/* The shortest way out of an overlap, for all shapes but sectors. For a contact that is not
 * FXS_OVERLAPPING the answers are (0, 0), 0 and FXS_SIDE_NONE. */

/* The planar translation of a, (x, z) in raw Q16.16, that ends an overlap; y stays.
 * After it the pair is not FXS_OVERLAPPING, exactly. It is less than sqrt(2) raw units longer than
 * the shortest real translation of round shapes and cylinders, and less than 2 longer with a box
 * (2.5 of two boxes, one with a half size above 5000 units). The push of (b, a) is the negative of
 * that of (a, b) wherever the centres differ in x or z. Where they do not, either order pushes its
 * first shape the same way (without a box: along +X), so apply it to one of the two. Each component
 * is within +-2^30.3; adding it to a position may leave int32. Returns FXS_OK; FXS_E_KIND,
 * FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW, or FXS_E_UNDEFINED for a sector. Cost: constant. */
FXS_API int32_t fxs_push_out(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                             const fxs_pose *pose_b, int32_t out_xz[2]);

/* The shortest dy of a that ends an overlap, for example with a floor.
 * Upwards if both centres have the same y. Within -(2^31 - 4)..2^31 - 4; adding it to a position
 * may leave int32. Returns FXS_OK; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW, or
 * FXS_E_UNDEFINED for a sector. Cost: constant. */
FXS_API int32_t fxs_lift(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                         const fxs_pose *pose_b, int32_t *out_y);

/* The face of the box b that fxs_push_out moves a out of.
 * It is where the translation, turned by minus b's yaw, mostly points; X on a tie. Returns a side,
 * FXS_SIDE_NONE to FXS_SIDE_NEG_Z; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW, or
 * FXS_E_UNDEFINED for a sector and for a b that is not a box. Cost: constant. */
FXS_API int32_t fxs_side(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                         const fxs_pose *pose_b);

/* ---- world ----------------------------------------------------------------------------------- */

/* Bytes of memory that a world of this config needs; 0 for a config out of range.
 * Cost: constant. */
FXS_API uint64_t fxs_world_size(const fxs_config *config);

/* Makes an empty world in `memory`: fxs_world_size(config) bytes, aligned to 8.
 * The memory may hold anything before. Later it may be moved or copied as bytes to another place
 * aligned to 8; it holds no pointer but that to its level. Returns FXS_OK, or FXS_E_CONFIG for a
 * config out of range or misaligned memory. Cost: capacity / 64. */
FXS_API int32_t fxs_world_init(fxs_world *memory, const fxs_config *config);

/* Gives dst, an initialised world of the same capacity, the state and the level of src.
 * Returns FXS_OK; FXS_E_CONFIG if the capacities differ; FXS_E_ROOM if src has more hits than dst
 * has room for. Cost: colliders + hits + capacity / 64. */
FXS_API int32_t fxs_world_copy(fxs_world *dst, const fxs_world *src);

/* Steps taken, modulo 2^32.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_world_frame(const fxs_world *world);

/* How many colliders are in the world.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_world_count(const fxs_world *world);

/* Writes the present config to out.
 * A load may have changed hit_when and layers, fxs_world_set_layers the layers. Cannot fail. Cost:
 * constant. */
FXS_API void fxs_world_config(const fxs_world *world, fxs_config *out);

/* Adds a collider under collider->id, which must be free.
 * The old hits of the id end at the next step. Returns FXS_OK; FXS_E_ID, FXS_E_TAKEN, FXS_E_KIND
 * (also for a `zero` that is not 0), FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_LAYER, FXS_E_ACTIVE or
 * FXS_E_CENTRE. Cost: constant. */
FXS_API int32_t fxs_world_add(fxs_world *world, const fxs_collider *collider);

/* Removes a collider; its hits end at the next step.
 * Returns FXS_OK; FXS_E_ID or FXS_E_ABSENT. Cost: constant. */
FXS_API int32_t fxs_world_remove(fxs_world *world, uint32_t id);

/* Writes a collider as it is now to out.
 * A status leaves out untouched. Returns FXS_OK; FXS_E_ID or FXS_E_ABSENT. Cost: constant. */
FXS_API int32_t fxs_world_get(const fxs_world *world, uint32_t id, fxs_collider *out);

/* Changes the position of a collider; its yaw stays.
 * Keeps the hit history of the id. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT or FXS_E_CENTRE. Cost:
 * constant. */
FXS_API int32_t fxs_world_move(fxs_world *world, uint32_t id, int32_t x, int32_t y, int32_t z);

/* Changes the yaw of a collider, which also turns its offset.
 * Keeps the hit history of the id. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, FXS_E_YAW or
 * FXS_E_CENTRE. Cost: constant. */
FXS_API int32_t fxs_world_turn(fxs_world *world, uint32_t id, uint32_t yaw);

/* Changes position and yaw of a collider at once.
 * Keeps the hit history of the id. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, FXS_E_YAW or
 * FXS_E_CENTRE. Cost: constant. */
FXS_API int32_t fxs_world_set_pose(fxs_world *world, uint32_t id, const fxs_pose *pose);

/* Changes the shape of a collider.
 * Keeps the hit history of the id. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT, FXS_E_KIND, FXS_E_SIZE
 * or FXS_E_HALF_ANGLE. Cost: constant. */
FXS_API int32_t fxs_world_set_shape(fxs_world *world, uint32_t id, const fxs_shape *shape);

/* Changes the offset of a collider's centre from its pose.
 * Keeps the hit history of the id. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT or FXS_E_CENTRE. Cost:
 * constant. */
FXS_API int32_t fxs_world_set_offset(fxs_world *world, uint32_t id, int32_t ox, int32_t oy,
                                     int32_t oz);

/* Changes the owner of a collider: any number, 0 for no owner.
 * Keeps the hit history of the id. Returns FXS_OK; FXS_E_ID or FXS_E_ABSENT. Cost: constant. */
FXS_API int32_t fxs_world_set_owner(fxs_world *world, uint32_t id, uint32_t owner);

/* Changes the layer of a collider.
 * Keeps the hit history of the id. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT or FXS_E_LAYER. Cost:
 * constant. */
FXS_API int32_t fxs_world_set_layer(fxs_world *world, uint32_t id, uint32_t layer);

/* Makes a collider active (1) or not (0); an inactive one neither hits nor is found.
 * Keeps the hit history of the id. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT or FXS_E_ACTIVE. Cost:
 * constant. */
FXS_API int32_t fxs_world_set_active(fxs_world *world, uint32_t id, uint32_t active);

/* fxs_world_add of n colliders.
 * All of them or, at the first that is refused, none; `*bad` (else untouched) is then its index. An
 * id that comes twice is FXS_E_TAKEN. Returns FXS_OK; FXS_E_ID, FXS_E_TAKEN, FXS_E_KIND,
 * FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_LAYER, FXS_E_ACTIVE or FXS_E_CENTRE. Cost: n. */
FXS_API int32_t fxs_world_add_many(fxs_world *world, const fxs_collider *colliders, uint64_t n,
                                   uint64_t *bad);

/* fxs_world_move of n colliders.
 * All of them or, at the first that is refused, none; `*bad` (else untouched) is then its index.
 * positions: n rows of x, y, z. If an id comes more than once, its last row counts. Returns FXS_OK;
 * FXS_E_ID, FXS_E_ABSENT or FXS_E_CENTRE. Cost: n. */
FXS_API int32_t fxs_world_move_many(fxs_world *world, const uint32_t *ids, const int32_t *positions,
                                    uint64_t n, uint64_t *bad);

/* fxs_world_set_pose of n colliders.
 * All of them or, at the first that is refused, none; `*bad` (else untouched) is then its index. If
 * an id comes more than once, its last pose counts. Returns FXS_OK; FXS_E_ID, FXS_E_ABSENT,
 * FXS_E_YAW or FXS_E_CENTRE. Cost: n. */
FXS_API int32_t fxs_world_set_pose_many(fxs_world *world, const uint32_t *ids,
                                        const fxs_pose *poses, uint64_t n, uint64_t *bad);

/* Replaces the layer matrix by 32 masks, laid out as fxs_config.layers.
 * Keeps the hit history: a hit that the matrix no longer allows is an FXS_EXIT at the next step.
 * Returns FXS_OK, or FXS_E_CONFIG for masks that are not symmetric. Cost: colliders + capacity /
 * 64. */
FXS_API int32_t fxs_world_set_layers(fxs_world *world, const uint32_t masks[32]);

/* Makes n changes in order: the commands of a frame in one call.
 * All of them or, at the first that is refused, none; `*bad` (else untouched) is then its index.
 * Each command does what the function named at its type does, with the same statuses. An id may
 * come any number of times, and n may be above the capacity. FXS_COMMAND_LAYERS sets one row and
 * the same column of the layer matrix, so 32 of them in order set any symmetric matrix. After a
 * refusal the world saves and answers as before. Returns FXS_OK; FXS_E_COMMAND, FXS_E_ID,
 * FXS_E_TAKEN, FXS_E_ABSENT, FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_LAYER, FXS_E_ACTIVE or
 * FXS_E_CENTRE. Cost: n; a run of FXS_COMMAND_LAYERS, and a refusal, cost colliders + capacity / 64
 * more. */
FXS_API int32_t fxs_world_apply(fxs_world *world, const fxs_command *commands, uint64_t n,
                                uint64_t *bad);

/* Writes the ids in the world, ascending, to ids (room for fxs_world_count).
 * Cannot fail. Cost: colliders + capacity / 64. */
FXS_API void fxs_world_ids(const fxs_world *world, uint32_t *ids);

/* Writes the colliders, ascending by id, to out (room for fxs_world_count).
 * Cannot fail. Cost: colliders + capacity / 64. */
FXS_API void fxs_world_colliders(const fxs_world *world, fxs_collider *out);

/* Finds this frame's hits and writes what changed since the last step.
 * Events are sorted by (a, b), FXS_EXIT before FXS_ENTER where an id was replaced. `*counts` is how
 * many hits and events were found. Room for hits: the config's hit_capacity. Room for events:
 * event_capacity; the hits of the last step + those of this one always suffice. Returns FXS_OK, or
 * FXS_E_ROOM with the world unchanged, `*counts` the room that is enough, and events undefined.
 * Cost: colliders + pairs near each other + hits of this step and the last + capacity / 64. */
FXS_API int32_t fxs_world_step(fxs_world *world, fxs_event *events, uint64_t event_capacity,
                               fxs_counts *counts);

/* How many hits the last step found.
 * Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_world_hit_count(const fxs_world *world);

/* Writes the hits of the last step, by (a, b), to out (room for fxs_world_hit_count).
 * Cannot fail. Cost: hits. */
FXS_API void fxs_world_hits(const fxs_world *world, fxs_hit *out);

/* The contact of two colliders, or of a collider and a solid, as they are now.
 * Layers, owners and activity do not matter. Returns FXS_APART, FXS_TOUCHING or FXS_OVERLAPPING;
 * FXS_E_ID, FXS_E_ABSENT, or FXS_E_UNDEFINED for two solids. Cost: constant. */
FXS_API int32_t fxs_world_contact(const fxs_world *world, uint32_t a, uint32_t b);

/* fxs_push_out of two colliders as they are now; b may be a solid.
 * Layers, owners and activity do not matter. The result applies to a's pose. Out of a solid it is
 * less than 2 raw units longer than the shortest real translation; of a box and a prism with a
 * vertex more than 4096 units from the box's centre in x or z, less than 3. Returns FXS_OK;
 * FXS_E_ID, FXS_E_ABSENT, or FXS_E_UNDEFINED for a sector. Cost: constant. */
FXS_API int32_t fxs_world_push_out(const fxs_world *world, uint32_t a, uint32_t b,
                                   int32_t out_xz[2]);

/* fxs_lift of two colliders as they are now; b may be a solid.
 * Layers, owners and activity do not matter. The result applies to a's pose. Returns FXS_OK;
 * FXS_E_ID, FXS_E_ABSENT, FXS_E_UNDEFINED for a sector, or FXS_E_CENTRE for a dy outside int32,
 * possible with a solid that is more than 16384 units high. Cost: constant. */
FXS_API int32_t fxs_world_lift(const fxs_world *world, uint32_t a, uint32_t b, int32_t *out_y);

/* fxs_side of two colliders as they are now; b may be a prism.
 * Layers, owners and activity do not matter. Returns a side, FXS_SIDE_NONE to FXS_SIDE_NEG_Z, or of
 * a prism 0 for no push, else 1 + the first edge whose outward normal is nearest to the push;
 * FXS_E_ID, FXS_E_ABSENT, or FXS_E_UNDEFINED for a sector and for a b that is not a box or a prism.
 * Cost: constant. */
FXS_API int32_t fxs_world_side(const fxs_world *world, uint32_t a, uint32_t b);

/* fxs_outline of a collider as it is now, around its centre, active or not; or of a solid.
 * A solid's is that of fxs_level_outline. Returns FXS_OK; FXS_E_ROOM with `*extent` written, whose
 * outer + hole is the room needed; FXS_E_ID, FXS_E_ABSENT or FXS_E_SEGMENTS. Cost: segments. */
FXS_API int32_t fxs_world_outline(const fxs_world *world, uint32_t id, uint32_t segments,
                                  fxs_vertex *vertices, uint64_t vertex_capacity,
                                  fxs_extent *extent);

/* Pushes bodies that overlap apart, as characters in a crowd. It looks at pairs alone: it pushes a
 * body into a wall, and through it. Characters beside walls: fxs_movers_separate.
 * yields: 32 masks; bit j of yields[i] lets a body of layer i give way to one of layer j. Where
 * only one of a pair gives way, it takes all of fxs_push_out. Where both do, each takes half,
 * rounded away from zero. Where neither does, the pair stays as it is. A solid never gives way.
 *
 * The pairs are those hits of the last step whose colliders are still there, active, allowed to
 * meet and not sectors. A pair is pushed if it is FXS_OVERLAPPING when its turn comes, so it sees
 * earlier pushes. A pass takes first the pairs in which both give way, then those in which one
 * does, each by (a, b): pushes by bodies that do not yield come last. Pushing one pair apart may
 * push another together. Further passes go over the same pairs, and end early when nothing was left
 * to push.
 *
 * `moved`: the colliders that were pushed, ascending by id; `*count` is how many. Hits and frame
 * stay; the next step sees the new poses. Returns FXS_OK; FXS_E_ROOM if moved_capacity is below
 * both the number of colliders and twice the hits of the last step, with `*count` the room that is
 * enough; FXS_E_CENTRE if a push would leave int32, with `*count` the id that it would have moved.
 * On either status no collider is moved, and `moved` is undefined. Cost: passes * hits + capacity /
 * 64. */
FXS_API int32_t fxs_world_separate(fxs_world *world, const uint32_t yields[32], uint32_t passes,
                                   fxs_moved *moved, uint64_t moved_capacity, uint64_t *count);

/* Writes the ids that a query meets, ascending, to ids; `*count` is how many.
 * They are the active colliders and the solids whose contact is at least hit_when, as the world is
 * now, stepped or not; exclude_owner leaves out no solid. The state of the world does not change;
 * its scratch memory may. Returns FXS_OK; FXS_E_ROOM with `*count` the room needed and ids
 * undefined; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW or FXS_E_HIT_WHEN with `*count` 0.
 * Cost: colliders and solids near it; or all colliders, after many changes. */
FXS_API int32_t fxs_world_query(fxs_world *world, const fxs_query *query, uint32_t *ids,
                                uint64_t id_capacity, uint64_t *count);

/* fxs_world_query of n queries.
 * The answers stand one after another in ids, ends[i] is the end of the i-th, and `*count` the
 * number of all. Returns FXS_OK; FXS_E_ROOM with `*count` the room needed, ids and ends undefined;
 * FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW or FXS_E_HIT_WHEN with `*count` the index of
 * the first bad query. Cost: n times that of fxs_world_query. */
FXS_API int32_t fxs_world_query_many(fxs_world *world, const fxs_query *queries, uint64_t n,
                                     uint64_t *ends, uint32_t *ids, uint64_t id_capacity,
                                     uint64_t *count);

/* Writes the ids of the colliders that a query meets, nearest first: the first `limit` (0: all).
 * Solids are left out. Nearest by the exact squared distance of a collider's centre from the
 * query's pose, then by id. Otherwise as fxs_world_query. Returns FXS_OK; FXS_E_ROOM with `*count`
 * the room needed and ids undefined; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW or
 * FXS_E_HIT_WHEN with `*count` 0. Cost: that of fxs_world_query, and sorting the answer. */
FXS_API int32_t fxs_world_nearest(fxs_world *world, const fxs_query *query, uint64_t limit,
                                  uint32_t *ids, uint64_t id_capacity, uint64_t *count);

/* fxs_world_nearest of n queries, with one limit for each of them.
 * The answers stand one after another in ids, ends[i] is the end of the i-th, and `*count` the
 * number of all. Returns FXS_OK; FXS_E_ROOM with `*count` the room needed, ids and ends undefined;
 * FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW or FXS_E_HIT_WHEN with `*count` the index of
 * the first bad query. Cost: n times that of fxs_world_nearest. */
FXS_API int32_t fxs_world_nearest_many(fxs_world *world, const fxs_query *queries, uint64_t n,
                                       uint64_t limit, uint64_t *ends, uint32_t *ids,
                                       uint64_t id_capacity, uint64_t *count);

/* ---- casts ----------------------------------------------------------------------------------- */

/* When two moving shapes first meet, exact: the first contact >= hit_when.
 * Each moves straight by its motion (x, y, z, each -FXS_SIZE_MAX..FXS_SIZE_MAX) in the same time; a
 * motion may end outside int32. Yaws stay. hit_when: FXS_TOUCHING or FXS_OVERLAPPING. The motions
 * and the poses may be the same memory. Returns 1 for a hit, with `*fraction` = floor(65536 * its
 * time), 0..65536, and its normal (x, y, z in Q2.30, from b towards a; all 0 for shapes that
 * overlap at the start); 0 for no hit, outputs untouched; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE,
 * FXS_E_YAW, FXS_E_UNDEFINED for a sector, FXS_E_MOTION or FXS_E_HIT_WHEN. Cost: constant. */
FXS_API int32_t fxs_cast_pair(const fxs_shape *a, const fxs_pose *pose_a, const int32_t motion_a[3],
                              const fxs_shape *b, const fxs_pose *pose_b, const int32_t motion_b[3],
                              uint32_t hit_when, int32_t *fraction, int32_t normal[3]);

/* A cast into a world: a shape that moves straight, and the colliders and solids that it looks at.
 * Those stand still. A sector cannot be cast and meets no cast. */
typedef struct fxs_cast {
    fxs_shape shape;             /* not a sector */
    fxs_pose pose;               /* where the shape starts */
    int32_t motion[3];           /* x, y, z; as for fxs_cast_pair */
    uint32_t mask;               /* bit i: look at colliders of layer i */
    uint32_t exclude_owner;      /* leave out colliders of this owner; 0: leave out none */
    uint32_t limit;              /* number of hits to keep, the first ones; 0: all */
    uint32_t hit_when;           /* FXS_TOUCHING or FXS_OVERLAPPING; 0: the world's */
} fxs_cast;

/* A hit of a cast: fxs_cast_pair with the cast shape as a, the collider or solid as b. */
typedef struct fxs_cast_hit {
    uint32_t id;                 /* of the collider or solid */
    uint32_t fraction;           /* 0..65536 */
    int32_t normal[3];           /* Q2.30, from it towards the cast shape */
} fxs_cast_hit;

/* Writes the hits of a cast, by (fraction, distance, id), to hits; `*count` is how many.
 * The distance is the gap at that fraction: of equal fractions the nearest is first.
 * exclude_owner leaves out no solid. The world is as it is now, stepped or not. The state of the
 * world does not change; its scratch memory may. Returns FXS_OK; FXS_E_ROOM with `*count` the room
 * needed and hits undefined; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW, FXS_E_UNDEFINED
 * for a sector, FXS_E_MOTION or FXS_E_HIT_WHEN with `*count` 0. Cost: colliders near its path; or
 * all, after many changes. */
FXS_API int32_t fxs_world_cast(fxs_world *world, const fxs_cast *cast, fxs_cast_hit *hits,
                               uint64_t hit_capacity, uint64_t *count);

/* fxs_world_cast of n casts.
 * The answers stand one after another in hits, ends[i] is the end of the i-th, and `*count` the
 * number of all. Returns FXS_OK; FXS_E_ROOM with `*count` the room needed, hits and ends undefined;
 * FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW, FXS_E_UNDEFINED for a sector, FXS_E_MOTION
 * or FXS_E_HIT_WHEN with `*count` the index of the first bad cast. Cost: n times that of
 * fxs_world_cast. */
FXS_API int32_t fxs_world_cast_many(fxs_world *world, const fxs_cast *casts, uint64_t n,
                                    uint64_t *ends, fxs_cast_hit *hits, uint64_t hit_capacity,
                                    uint64_t *count);

/* fxs_world_cast of a collider's own shape from where it is.
 * It looks at the other active colliders, and the solids, that layers and owners let it hit.
 * Whether it is active itself does not matter. motion, limit and hit_when are as in fxs_cast.
 * Returns FXS_OK; FXS_E_ROOM with `*count` the room needed and hits undefined; FXS_E_ID,
 * FXS_E_ABSENT, FXS_E_UNDEFINED for a sector, FXS_E_MOTION or FXS_E_HIT_WHEN. Cost: that of
 * fxs_world_cast. */
FXS_API int32_t fxs_world_sweep(fxs_world *world, uint32_t id, const int32_t motion[3],
                                uint32_t limit, uint32_t hit_when, fxs_cast_hit *hits,
                                uint64_t hit_capacity, uint64_t *count);

/* A collider and how it moves in a frame. */
typedef struct fxs_motion {
    uint32_t id;
    int32_t motion[3];           /* x, y, z; as for fxs_cast_pair */
} fxs_motion;

/* Two that meet while they move: fxs_cast_pair with a and b, each along its own motion. */
typedef struct fxs_pair_hit {
    uint32_t a, b;               /* a < b; b may be a solid */
    uint32_t fraction;           /* 0..65536 */
    int32_t normal[3];           /* Q2.30, from b towards a */
} fxs_pair_hit;

/* Writes the pairs that meet while n colliders move at once, by (fraction, distance, a, b).
 * Colliders without a row stand still, as solids do. The pairs are those that fxs_world_step tests,
 * and of which one at least has a row; sectors are never met. limit: number of hits to keep, the
 * first ones; 0: all. hit_when: FXS_TOUCHING, FXS_OVERLAPPING or 0, the world's. The state of the
 * world does not change; its scratch memory may. Returns FXS_OK with `*count` the number of hits;
 * FXS_E_ROOM with `*count` the room needed and hits undefined; FXS_E_HIT_WHEN with `*count` 0;
 * FXS_E_ORDER for ids that do not ascend, FXS_E_ID, FXS_E_ABSENT, FXS_E_UNDEFINED for a sector, or
 * FXS_E_MOTION, with `*count` the first bad row. Cost: pairs near each other's paths. */
FXS_API int32_t fxs_world_sweep_pairs(fxs_world *world, const fxs_motion *rows, uint64_t n,
                                      uint32_t hit_when, uint32_t limit, fxs_pair_hit *hits,
                                      uint64_t hit_capacity, uint64_t *count);

/* ---- levels ---------------------------------------------------------------------------------- */

/* A level is made once from its bytes, and never changes. Any number of worlds, on any number of
 * threads, may share one. The solids' ids are FXS_LEVEL + index, so they are above the ids of all
 * colliders. A solid is always active and has no owner. The bytes ("FXL1", little-endian) are:
 * the four letters, uint32 number of solids, then for each solid uint8 code, uint8 layer, uint16
 * number of vertices (0 for a cylinder), int32 y_low, int32 y_high, then int32 x, z, radius of a
 * cylinder or int32 x, z of each vertex of a prism. The vertices are strictly convex and
 * counterclockwise as yaw turns (+X to +Z); they span at most 2^30 - 2 on x and on z. */

/* Bytes of memory that fxs_level_init needs for these bytes of a level.
 * Bytes that are not a level have a size too; fxs_level_init then refuses them. Cannot fail. Cost:
 * constant. */
FXS_API uint64_t fxs_level_size(const uint8_t *bytes, uint64_t size);

/* Makes a level in `memory`: fxs_level_size(bytes, size) bytes, aligned to 8.
 * The memory may hold anything before. Later it may be moved or copied as bytes to another place
 * aligned to 8; it holds no pointer, and does not need `bytes` any more. Returns FXS_OK;
 * FXS_E_CONFIG for misaligned memory; FXS_E_LEVEL for bytes that break a rule, with `*at` the
 * offset of the first field at fault. On a status there is no level in the memory. Cost: bytes. */
FXS_API int32_t fxs_level_init(fxs_level *memory, const uint8_t *bytes, uint64_t size,
                               uint64_t *at);

/* How many solids a level has.
 * Cannot fail. Cost: constant. */
FXS_API uint32_t fxs_level_count(const fxs_level *level);

/* XXH64 (seed 0) of the bytes of a level.
 * Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_level_hash(const fxs_level *level);

/* How many bytes fxs_level_save writes.
 * Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_level_save_size(const fxs_level *level);

/* Writes the bytes that the level was made from to out (room for fxs_level_save_size).
 * Cannot fail. Cost: bytes. */
FXS_API void fxs_level_save(const fxs_level *level, uint8_t *out);

/* Writes the solid of an index, 0 to the number of solids - 1, to out.
 * A status leaves out untouched. Returns FXS_OK or FXS_E_ID. Cost: constant. */
FXS_API int32_t fxs_level_solid(const fxs_level *level, uint32_t index, fxs_solid *out);

/* The outline of the solid of an index, for drawing: its vertices seen from above, and its heights.
 * A prism has its own vertices; a cylinder has `segments` (3..FXS_TURN) vertices from +X on, each
 * rounded as those of fxs_outline. Returns FXS_OK; FXS_E_ROOM with `*extent` written, whose outer
 * is the room needed; FXS_E_ID or FXS_E_SEGMENTS. Cost: segments. */
FXS_API int32_t fxs_level_outline(const fxs_level *level, uint32_t index, uint32_t segments,
                                  fxs_vertex *vertices, uint64_t vertex_capacity,
                                  fxs_extent *extent);

/* Makes the solid of a box or a cylinder at a pose, for fxs_level_write.
 * A box becomes a prism of four vertices, from its (-half_x, -half_z) corner on. At quarter turns
 * it is exact; at other yaws each coordinate of a corner is rounded to nearest, halves away from
 * zero, so a box of a few raw units may not be convex any more, and fxs_level_init refuses it. A
 * status leaves out untouched. Returns FXS_OK; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW,
 * FXS_E_LAYER, FXS_E_UNDEFINED for other kinds, or FXS_E_CENTRE for a corner or a height outside
 * int32. Cost: constant. */
FXS_API int32_t fxs_solid_of(const fxs_shape *shape, const fxs_pose *pose, uint32_t layer,
                             fxs_solid *out);

/* Writes the bytes of a level of n solids, for fxs_level_init, which checks them.
 * Returns FXS_OK with `*size` the number of bytes; FXS_E_ROOM with `*size` the room needed;
 * FXS_E_LEVEL with `*size` the index of the first solid that is neither FXS_CYLINDER without
 * vertices nor FXS_PRISM of at most FXS_VERTICES_MAX. Cost: bytes. */
FXS_API int32_t fxs_level_write(const fxs_solid *solids, uint64_t n, uint8_t *out,
                                uint64_t capacity, uint64_t *size);

/* The contact of a shape with the solid of an index, exact for all valid inputs.
 * Returns FXS_APART, FXS_TOUCHING or FXS_OVERLAPPING; FXS_E_ID, FXS_E_KIND, FXS_E_SIZE,
 * FXS_E_HALF_ANGLE or FXS_E_YAW. Cost: constant. */
FXS_API int32_t fxs_level_contact(const fxs_level *level, uint32_t index, const fxs_shape *shape,
                                  const fxs_pose *pose);

/* Writes the ids of the solids that a query meets, ascending, to ids; `*count` is how many.
 * They are the solids of the layers in the mask whose contact is at least the argument hit_when;
 * that of the query is not read, and exclude_owner leaves out none. Returns FXS_OK; FXS_E_ROOM with
 * `*count` the room needed and ids undefined; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW
 * or FXS_E_HIT_WHEN with `*count` 0. Cost: solids near it. */
FXS_API int32_t fxs_level_query(const fxs_level *level, const fxs_query *query, uint32_t hit_when,
                                uint32_t *ids, uint64_t id_capacity, uint64_t *count);

/* Writes the solids that a cast meets, by (fraction, distance, id), to hits; `*count` is how many.
 * exclude_owner leaves out none. A hit_when of 0 is FXS_TOUCHING. Returns FXS_OK; FXS_E_ROOM with
 * `*count` the room needed and hits undefined; FXS_E_KIND, FXS_E_SIZE, FXS_E_HALF_ANGLE, FXS_E_YAW,
 * FXS_E_UNDEFINED for a sector, FXS_E_MOTION or FXS_E_HIT_WHEN with `*count` 0. Cost: solids near
 * its path. */
FXS_API int32_t fxs_level_cast(const fxs_level *level, const fxs_cast *cast, fxs_cast_hit *hits,
                               uint64_t hit_capacity, uint64_t *count);

/* Gives an empty world, as fxs_world_init left it, a level.
 * The world keeps the address of the level, which must stay where it is as long as the world is
 * used; level may be NULL for none. From then on the world's hits, queries, casts and pushes
 * include solids, and its saved states have the level's hash. Returns FXS_OK, or FXS_E_CONFIG for a
 * world that is not empty. Cost: constant. */
FXS_API int32_t fxs_world_attach(fxs_world *world, const fxs_level *level);

/* ---- state ----------------------------------------------------------------------------------- */

/* How many bytes fxs_world_save writes now.
 * Cannot fail. Cost: constant. */
FXS_API uint64_t fxs_world_save_size(const fxs_world *world);

/* Writes the whole state to out (room for fxs_world_save_size).
 * The bytes ("FXS1", with a level "FXS2", little-endian) are the same on every platform. Cannot
 * fail. Cost: bytes + capacity / 64. */
FXS_API void fxs_world_save(const fxs_world *world, uint8_t *out);

/* XXH64 (seed 0) of the bytes that fxs_world_save writes.
 * Cannot fail. Cost: bytes + capacity / 64. */
FXS_API uint64_t fxs_world_hash(const fxs_world *world);

/* Replaces everything but the capacity by a saved state.
 * An accepted state saves to the same bytes. Directions and bounds are derived by the first call
 * that needs them, in time that grows with the colliders. Returns FXS_OK; FXS_E_STATE for bytes
 * that break a rule of the format or are of a world without this level, with `*at` the offset of
 * the field at fault; FXS_E_ROOM if the state has more hits than this world has room for, with
 * `*at` how many. Cost: bytes + capacity / 64. */
FXS_API int32_t fxs_world_load(fxs_world *world, const uint8_t *bytes, uint64_t size, uint64_t *at);

/* XXH64 of any bytes.
 * Cannot fail. Cost: bytes. */
FXS_API uint64_t fxs_hash64(const uint8_t *bytes, uint64_t size, uint64_t seed);

/* cdef: end */

/* The version of this header, for #if and to compare with fxs_version. */
#define FXS_VERSION (FXS_VERSION_MAJOR * 65536 + FXS_VERSION_MINOR * 256 + FXS_VERSION_PATCH)

/* Q16.16 constants, exact and without floating point: integer constant expressions of type int32_t.
 * FXS_Q(3) is three units. FXS_Q_RATIO(-5, 2) is -2.5; it does not compile if the ratio is not a
 * multiple of 1/65536. FXS_Q_NEAR(1, 10) is the nearest number to 0.1, of two equally near ones the
 * even one. All take integer constants, the divisor 1..2^31, the dividend within -2^47..2^47. They
 * do not compile with a floating-point number, or if the result is outside int32. */
#define FXS_Q(units) FXS_Q_RATIO(units, 1)
#define FXS_Q_RATIO(a, b) FXS_Q_IF(FXS_Q_RAW(a, b) * FXS_Q_INT(b) == FXS_Q_INT(a) * 65536, a, b, 0)
#define FXS_Q_NEAR(a, b) FXS_Q_IF(1, a, b, FXS_Q_UP(a, b))

/* Parts of the above. FXS_Q_RAW rounds down. FXS_Q_UP: 1 if the rest is above half, or half and the
 * number odd. An array of negative size stops the compiler. */
#ifdef __cplusplus
#define FXS_Q_CAST(type, a) static_cast<type>(a)
#else
#define FXS_Q_CAST(type, a) ((type)(a))
#endif
#define FXS_Q_INT(a) (INT64_C(0) | (a))
#define FXS_Q_BY(b) (FXS_Q_INT(b) > 0 ? FXS_Q_INT(b) : 1)
#define FXS_Q_RAW(a, b)                                                                            \
    (FXS_Q_INT(a) * 65536 / FXS_Q_BY(b) - (FXS_Q_INT(a) * 65536 % FXS_Q_BY(b) < 0))
#define FXS_Q_REST(a, b) (FXS_Q_INT(a) * 65536 - FXS_Q_RAW(a, b) * FXS_Q_INT(b))
#define FXS_Q_UP(a, b) (2 * FXS_Q_REST(a, b) + (FXS_Q_RAW(a, b) % 2 != 0) > FXS_Q_INT(b))
#define FXS_Q_IF(is_valid, a, b, more)                                                             \
    FXS_Q_CAST(int32_t, (FXS_Q_RAW(a, b) + (more)) *                                               \
                            FXS_Q_CAST(int, sizeof(char[FXS_Q_INT(b) > 0 && (is_valid) &&          \
                                                                FXS_Q_RAW(a, b) + (more) <=        \
                                                                    INT32_MAX &&                   \
                                                                FXS_Q_RAW(a, b) + (more) >=        \
                                                                    INT32_MIN                      \
                                                            ? 1                                    \
                                                            : -1])))

#ifdef __cplusplus
}
#endif

#endif
