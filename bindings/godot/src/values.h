/* Shapes, poses, rows and errors: what the methods of all classes share. */
#ifndef FIXSYNC_GODOT_VALUES_H
#define FIXSYNC_GODOT_VALUES_H

#include "fixsync_kit.h"
#include "gd.h"

/* A number of a row: where it stands in the structure. */
typedef struct gd_number {
    char name[14];
    uint16_t offset;
    uint8_t size, is_signed;
} gd_number;

/* A row of numbers, and the structure that it stands for. */
typedef struct gd_layout {
    uint32_t count;
    uint32_t size;                 /* bytes of the structure */
    const gd_number *numbers;
} gd_layout;

extern const gd_layout GD_EVENT, GD_HIT, GD_COLLIDER, GD_COMMAND, GD_CAST_HIT, GD_MOVED, GD_QUERY,
    GD_CAST, GD_MOVER, GD_CARRIED, GD_SEPARATED, GD_EXPLANATION, GD_EXTENT, GD_VERTEX, GD_MOTION, GD_PAIR_HIT;

/* A size of a kind of shape; kinds follow each other, ended by a kind of -1. */
typedef struct gd_size {
    int32_t kind, index;           /* of fxs_shape.size; -1: the half angle */
    int32_t is_hole;
    const char *name;
    int64_t least, most;
} gd_size;
extern const gd_size GD_SIZES[];

/* ---- arguments ---- */

/* The shape of an array [kind, sizes...]. */
bool gd_shape_of(gd_call *call, int i, fxs_shape *out);

/* The pose of a position and a yaw. */
bool gd_pose_of(gd_call *call, int position, int yaw, fxs_pose *out);
bool gd_motion_of(gd_call *call, int i, int32_t out[3]);

/* The rows of an array as structures; gd_free them. NULL after an error. */
void *gd_rows_of(gd_call *call, int i, const gd_layout *layout, uint64_t *count);

/* The one row of an array. */
bool gd_row_of(gd_call *call, int i, const gd_layout *layout, void *out);

/* The numbers of an array as uint32_t; gd_free them. NULL after an error. */
uint32_t *gd_u32s_of(gd_call *call, int i, uint64_t *count);

/* Masks: `count` of them, or all bits for an empty array. */
bool gd_masks_of(gd_call *call, int i, uint32_t count, uint32_t *out);

/* ---- results ---- */

void gd_return_rows(gd_call *call, const void *rows, uint64_t count, const gd_layout *layout);
void gd_put_rows(const void *rows, uint64_t count, const gd_layout *layout, int64_t *to);
void gd_return_shape(gd_call *call, const fxs_shape *shape);
void gd_return_u32s(gd_call *call, const uint32_t *values, uint64_t count);
void gd_return_outline(gd_call *call, const fxs_extent *extent, const fxs_vertex *vertices);

/* ---- errors ---- */

/* "name: a layer outside 0..31" for a status that is an error. */
bool gd_is_ok(gd_call *call, const char *name, int32_t status);

/* The error of a shape, which names the size. False if there is none. */
bool gd_shape_fails(gd_call *call, const char *name, const fxs_shape *shape);

/* "the result must be within int32" for a status that is an error. */
bool gd_fits(gd_call *call, int32_t status);

/* Room for rows that is kept between calls. */
typedef struct gd_room {
    void *at;
    uint64_t size;                 /* bytes */
} gd_room;
bool gd_grow(gd_call *call, gd_room *room, uint64_t size);

#endif
