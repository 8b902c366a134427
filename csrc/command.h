/* The table of commands. */
#ifndef FIXSYNC_COMMAND_H
#define FIXSYNC_COMMAND_H

#include "fixsync.h"

/* Fields of a command, in the order in which match logs write them. */
enum {
    FIELD_ID = 1,
    FIELD_SHAPE = 2,    /* kind, half_angle, size */
    FIELD_POSITION = 4, /* x, y, z */
    FIELD_YAW = 8,
    FIELD_LAYER = 16,
    FIELD_OWNER = 32,
    FIELD_OFFSET = 64, /* ox, oy, oz */
    FIELD_ACTIVE = 128,
    FIELD_LAYERS = 256 /* the layer matrix: one command, a row for each layer */
};

/* One row for each type, in the order of the codes: the code, the name in match logs, the function
 * that it calls, its fields. */
#define COMMANDS(COMMAND)                                                                      \
    COMMAND(FXS_COMMAND_ADD, add, fxs_world_add,                                               \
            FIELD_ID | FIELD_SHAPE | FIELD_POSITION | FIELD_YAW | FIELD_LAYER | FIELD_OWNER |  \
                FIELD_OFFSET | FIELD_ACTIVE)                                                   \
    COMMAND(FXS_COMMAND_MOVE, move, fxs_world_move, FIELD_ID | FIELD_POSITION)                 \
    COMMAND(FXS_COMMAND_TURN, turn, fxs_world_turn, FIELD_ID | FIELD_YAW)                      \
    COMMAND(FXS_COMMAND_POSE, pose, fxs_world_set_pose, FIELD_ID | FIELD_POSITION | FIELD_YAW) \
    COMMAND(FXS_COMMAND_SHAPE, shape, fxs_world_set_shape, FIELD_ID | FIELD_SHAPE)             \
    COMMAND(FXS_COMMAND_OFFSET, offset, fxs_world_set_offset, FIELD_ID | FIELD_OFFSET)         \
    COMMAND(FXS_COMMAND_OWNER, owner, fxs_world_set_owner, FIELD_ID | FIELD_OWNER)             \
    COMMAND(FXS_COMMAND_LAYER, layer, fxs_world_set_layer, FIELD_ID | FIELD_LAYER)             \
    COMMAND(FXS_COMMAND_ACTIVE, active, fxs_world_set_active, FIELD_ID | FIELD_ACTIVE)         \
    COMMAND(FXS_COMMAND_REMOVE, remove, fxs_world_remove, FIELD_ID)                            \
    COMMAND(FXS_COMMAND_LAYERS, layers, fxs_world_set_layers, FIELD_LAYERS)

#define COMMAND_ONE(code, name, function, fields) +1
enum { COMMAND_COUNT = 0 COMMANDS(COMMAND_ONE) };
_Static_assert(COMMAND_COUNT == FXS_COMMAND_LAYERS, "a row for each code");

#endif
