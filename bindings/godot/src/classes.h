/* The objects behind the classes, for the classes that take each other. */
#ifndef FIXSYNC_GODOT_CLASSES_H
#define FIXSYNC_GODOT_CLASSES_H

#include "values.h"

extern const gd_class GD_FIXSYNC, GD_CLASS_WORLD, GD_CLASS_LEVEL, GD_CLASS_MOVER,
    GD_CLASS_FRAME_DATA, GD_CLASS_BODY, GD_CLASS_NODES, GD_CLASS_HISTORY, GD_CLASS_ROLLBACK,
    GD_CLASS_RECORDER, GD_CLASS_RANDOM, GD_CLASS_NODE_2D, GD_CLASS_NODE_3D;

extern const gd_method GD_PASSED_FIXSYNC[], GD_PASSED_WORLD[], GD_PASSED_RANDOM[],
    GD_PASSED_HISTORY[], GD_PASSED_BODY[];

/* A level, held by its own object and by the worlds that were made with it. */
typedef struct gd_level_data {
    gd_shared shared;
    uint32_t zero;
    uint64_t memory[]; /* the fxs_level */
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
    uint64_t command_count; /* rows of the commands that it keeps */
    gd_room commands;
} gd_world;

/* The world of an argument. */
static inline gd_world *gd_world_of(gd_call *call, int i) {
    return gd_object_of(call, i, &GD_CLASS_WORLD);
}

typedef struct gd_random {
    gd_object object;
    uint64_t state;
} gd_random;

typedef struct gd_history {
    gd_object object;
    fxs_history *history;
    fxs_history_room room;
    fxs_event *taken_back, *predicted; /* of the last push */
    fxs_event_changes changes;
    fxs_command *commands; /* of the last confirm */
    fxs_event *events;
    fxs_confirmed confirmed;
} gd_history;

/* A table of frame data, held by its own object and by its bodies. */
typedef struct gd_table {
    gd_shared shared;
    uint32_t zero;
    uint64_t size;
    uint8_t bytes[];
} gd_table;

typedef struct gd_body {
    gd_object object;
    gd_table *data;
    bool is_added;
    fxs_body body;
    uint64_t row_count;
    fxs_command rows[FXS_BODY_ROWS];
} gd_body;

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

/* The same for a status about the pair of two ids, each of a collider or a solid. */
bool gd_world_takes_pair(gd_call *call, int32_t status, uint32_t a, uint32_t b);

/* A command of a type for the id of argument 0; the arguments that it takes; making the change. */
bool gd_world_command(gd_call *call, uint32_t type, fxs_command *row);
bool gd_command_shape(gd_call *call, int i, fxs_command *row);
void gd_command_position(gd_call *call, int i, fxs_command *row);
void gd_command_offset(gd_call *call, int i, fxs_command *row);
void gd_world_change(gd_call *call, const fxs_command *row);

/* The world of argument 0, for a body that is in one, with room for its commands. */
gd_world *gd_body_begin(gd_call *call);

/* A change of the body: the number of its commands, or a status. */
bool gd_body_takes(gd_call *call, gd_world *world, int32_t status, const fxs_command *rows);

/* An attack of the table of a body. */
bool gd_body_attack(gd_call *call, int i, uint32_t *out);

/* Query and cast of the arguments of FixsyncWorld.query and .cast, which others have too. */
bool gd_query_of(gd_call *call, fxs_query *out);
bool gd_cast_of(gd_call *call, fxs_cast *out);

/* Returns events of some kinds. Bit k of kinds: those of kind k; bit 0: the game's own. 0: all. */
void gd_return_events(gd_call *call, const fxs_event *events, uint64_t n, int64_t kinds);

#endif
