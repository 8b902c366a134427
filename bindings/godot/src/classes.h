/* The objects behind the classes, for the classes that take each other. */
#ifndef FIXSYNC_GODOT_CLASSES_H
#define FIXSYNC_GODOT_CLASSES_H

#include "values.h"

extern const gd_class GD_FIXSYNC, GD_CLASS_WORLD, GD_CLASS_LEVEL, GD_CLASS_MOVER, GD_CLASS_FRAMES,
    GD_CLASS_BODY, GD_CLASS_NODES, GD_CLASS_INPUTS, GD_CLASS_HISTORY, GD_CLASS_RECORDER,
    GD_CLASS_RANDOM;

/* A level, held by its own object and by the worlds that were made with it. */
typedef struct gd_level_data {
    gd_shared shared;
    uint32_t zero;
    uint64_t memory[];             /* the fxs_level */
} gd_level_data;

typedef struct gd_level {
    gd_object object;
    gd_level_data *data;
} gd_level;

/* NULL, or the level in it. */
static inline const fxs_level *gd_level_in(const gd_level_data *data) {
    return data == NULL ? NULL : (const fxs_level *)data->memory;
}

typedef struct gd_world {
    gd_object object;
    fxs_world *world;
    gd_level_data *level;
    uint32_t capacity;
    uint64_t hit_capacity;
    gd_room events, answers, ends;
    bool keeps_commands;
    uint64_t command_count;        /* rows of the commands that it keeps */
    gd_room commands;
} gd_world;

/* The world of an argument. */
static inline gd_world *gd_world_of(gd_call *call, int i) {
    return gd_object_of(call, i, &GD_CLASS_WORLD);
}

/* A new world; NULL after an error. */
gd_world *gd_world_make(gd_call *call, const fxs_config *config, gd_level_data *level);

/* More room for the hits of a world: at least `hits`. */
bool gd_world_grow(gd_call *call, gd_world *world, uint64_t hits);

/* Before a change: room to keep n commands. After it: keeps them. */
bool gd_world_expects(gd_call *call, gd_world *world, uint64_t n);
void gd_world_keeps(gd_world *world, const fxs_command *rows, uint64_t n);

/* A command that puts a collider at a position. */
fxs_command gd_move_command(uint32_t id, int32_t x, int32_t y, int32_t z);

/* The error of a status about a collider of the world. True if there is none. */
bool gd_world_takes(gd_call *call, const gd_world *world, int32_t status,
                    const fxs_collider *collider);
bool gd_world_takes_id(gd_call *call, const gd_world *world, int32_t status, uint32_t id);

/* Query and cast of the arguments of FixsyncWorld.query and .cast, which others have too. */
bool gd_query_of(gd_call *call, fxs_query *out);
bool gd_cast_of(gd_call *call, fxs_cast *out);

#endif
