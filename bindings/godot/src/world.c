#include "classes.h"

#include <string.h>

#define SHAPE "shape: PackedInt64Array, position: Vector3i"
#define MASKS "yaw: int = 0, mask: int = 4294967295, exclude_owner: int = 0"

static gd_world *self(gd_call *call) { return call->self; }

/* ---- memory ---- */

static fxs_world *make(gd_call *call, const fxs_config *config) {
    uint64_t size = fxs_world_size(config);
    if (size == 0) {
        gd_is_ok(call, "config", FXS_E_CONFIG);
        return NULL;
    }
    fxs_world *memory = gd_alloc(call, size);
    if (memory != NULL && !gd_is_ok(call, "layers", fxs_world_init(memory, config))) {
        gd_free(memory);
        memory = NULL;
    }
    return memory;
}

gd_world *gd_world_make(gd_call *call, const fxs_config *config, gd_level_data *level) {
    fxs_world *memory = make(call, config);
    gd_world *world = memory == NULL ? NULL : gd_new(call, &GD_CLASS_WORLD);
    if (world == NULL) {
        gd_free(memory);
        return NULL;
    }
    world->world = memory;
    world->capacity = config->capacity;
    world->hit_capacity = config->hit_capacity;
    world->level = gd_hold(level);
    if (level != NULL)
        fxs_world_attach(memory, gd_level_in(level));
    return world;
}

static void free_world(void *object) {
    gd_world *world = object;
    if (gd_release(world->level))
        gd_free(world->level);
    gd_free(world->world);
    gd_free(world->events.at);
    gd_free(world->answers.at);
    gd_free(world->ends.at);
    gd_free(world->commands.at);
}

bool gd_world_grow(gd_call *call, gd_world *world, uint64_t hits) {
    fxs_config config;
    fxs_world_config(world->world, &config);
    uint64_t twice = 2 * world->hit_capacity;
    hits = hits > twice ? hits : twice;
    config.hit_capacity = hits < UINT32_MAX ? (uint32_t)hits : UINT32_MAX;
    fxs_world *memory = make(call, &config);
    if (memory == NULL)
        return false;
    if (!gd_is_ok(call, "world", fxs_world_copy(memory, world->world))) {
        gd_free(memory);
        return false;
    }
    gd_free(world->world);
    world->world = memory;
    world->hit_capacity = config.hit_capacity;
    return true;
}

/* ---- commands that it keeps ---- */

bool gd_world_expects(gd_call *call, gd_world *world, uint64_t n) {
    if (!world->keeps_commands)
        return true;
    return gd_grow(call, &world->commands, (world->command_count + n) * sizeof(fxs_command));
}

void gd_world_keeps(gd_world *world, const fxs_command *rows, uint64_t n) {
    if (!world->keeps_commands)
        return;
    fxs_command *kept = world->commands.at;
    for (uint64_t k = 0; k < n; k++)
        kept[world->command_count++] = rows[k];
}

fxs_command gd_move_command(uint32_t id, int32_t x, int32_t y, int32_t z) {
    fxs_command row;
    memset(&row, 0, sizeof row);
    row.type = FXS_COMMAND_MOVE;
    row.collider.id = id;
    row.collider.x = x;
    row.collider.y = y;
    row.collider.z = z;
    return row;
}

static void keep_commands(gd_call *call) {
    self(call)->keeps_commands = gd_bool(call, 0);
    self(call)->command_count = 0;
}

static void take_commands(gd_call *call) {
    gd_return_rows(call, self(call)->commands.at, self(call)->command_count, &GD_COMMAND);
    self(call)->command_count = 0;
}

static void drop_commands(gd_call *call) { self(call)->command_count = 0; }

static void command_count(gd_call *call) {
    gd_return_int(call, (int64_t)self(call)->command_count);
}

/* ---- errors ---- */

bool gd_world_takes_id(gd_call *call, const gd_world *world, int32_t status, uint32_t id) {
    switch (status) {
    case FXS_E_ID:
        return gd_in_range(call, "id", id, 0, (int64_t)world->capacity - 1);
    case FXS_E_ABSENT:
        gd_fail(call, "id %d is not in the world", (int64_t)id);
        return false;
    case FXS_E_TAKEN:
        gd_fail(call, "id %d is taken: remove it first, or choose another of 0..%d", (int64_t)id,
                (int64_t)world->capacity - 1);
        return false;
    default:
        if (status < 0)
            gd_fail(call, "id %d: %s", (int64_t)id, fxs_status_text(status));
        return status >= 0;
    }
}

bool gd_world_takes(gd_call *call, const gd_world *world, int32_t status,
                    const fxs_collider *collider) {
    fxs_shape shape = {collider->kind, collider->half_angle,
                       {collider->size[0], collider->size[1], collider->size[2]}};
    switch (status) {
    case FXS_E_KIND:
    case FXS_E_SIZE:
    case FXS_E_HALF_ANGLE:
        return !gd_shape_fails(call, "shape", &shape);
    case FXS_E_LAYER:
        return gd_in_range(call, "layer", collider->layer, 0, FXS_LAYER_COUNT - 1);
    case FXS_E_ACTIVE:
        return gd_in_range(call, "active", collider->active, 0, 1);
    default:
        return gd_world_takes_id(call, world, status, collider->id);
    }
}

/* ---- making ---- */

static void create(gd_call *call) {
    fxs_config config;
    memset(&config, 0, sizeof config);
    if (!gd_check(call, 0, 1, FXS_CAPACITY_MAX) ||
        !gd_check(call, 1, FXS_TOUCHING, FXS_OVERLAPPING) ||
        !gd_masks_of(call, 2, FXS_LAYER_COUNT, config.layers) || !gd_check(call, 4, 0, UINT32_MAX))
        return;
    gd_level *level = gd_is_null(call, 3) ? NULL : gd_object_of(call, 3, &GD_CLASS_LEVEL);
    if (level == NULL && !gd_is_null(call, 3))
        return;
    config.capacity = (uint32_t)gd_int(call, 0);
    config.hit_when = (uint32_t)gd_int(call, 1);
    config.hit_capacity = (uint32_t)gd_int(call, 4);
    gd_world *world = gd_world_make(call, &config, level == NULL ? NULL : level->data);
    if (world != NULL)
        gd_return_object(call, world);
}

static void copy(gd_call *call) {
    gd_world *from = self(call);
    fxs_config config;
    fxs_world_config(from->world, &config);
    config.hit_capacity = (uint32_t)from->hit_capacity;
    gd_world *world = gd_world_make(call, &config, from->level);
    if (world == NULL)
        return;
    if (gd_is_ok(call, "world", fxs_world_copy(world->world, from->world)))
        gd_return_object(call, world);
    else
        gd_drop(world);
}

/* ---- reading ---- */

static void capacity(gd_call *call) { gd_return_int(call, self(call)->capacity); }

static void hit_when(gd_call *call) {
    fxs_config config;
    fxs_world_config(self(call)->world, &config);
    gd_return_int(call, config.hit_when);
}

static void layer_masks(gd_call *call) {
    fxs_config config;
    fxs_world_config(self(call)->world, &config);
    gd_return_u32s(call, config.layers, FXS_LAYER_COUNT);
}

static void level(gd_call *call) {
    gd_level_data *data = self(call)->level;
    gd_level *level = data == NULL ? NULL : gd_new(call, &GD_CLASS_LEVEL);
    if (level == NULL)
        return;
    level->data = gd_hold(data);
    gd_return_object(call, level);
}

/* The collider of argument 0. */
static bool found(gd_call *call, fxs_collider *out) {
    if (!gd_check(call, 0, 0, (int64_t)self(call)->capacity - 1))
        return false;
    uint32_t id = (uint32_t)gd_int(call, 0);
    return gd_world_takes_id(call, self(call), fxs_world_get(self(call)->world, id, out), id);
}

static void has(gd_call *call) {
    fxs_collider collider;
    int64_t id = gd_int(call, 0);
    gd_return_bool(call, id >= 0 && id < (int64_t)self(call)->capacity &&
                             fxs_world_get(self(call)->world, (uint32_t)id, &collider) == FXS_OK);
}

static void collider(gd_call *call) {
    fxs_collider row;
    if (found(call, &row))
        gd_return_rows(call, &row, 1, &GD_COLLIDER);
}

static void position(gd_call *call) {
    fxs_collider row;
    if (found(call, &row))
        gd_return_vector(call, row.x, row.y, row.z);
}

static void offset(gd_call *call) {
    fxs_collider row;
    if (found(call, &row))
        gd_return_vector(call, row.ox, row.oy, row.oz);
}

static void yaw(gd_call *call) {
    fxs_collider row;
    if (found(call, &row))
        gd_return_int(call, row.yaw);
}

static void owner(gd_call *call) {
    fxs_collider row;
    if (found(call, &row))
        gd_return_int(call, row.owner);
}

static void layer(gd_call *call) {
    fxs_collider row;
    if (found(call, &row))
        gd_return_int(call, row.layer);
}

static void is_active(gd_call *call) {
    fxs_collider row;
    if (found(call, &row))
        gd_return_bool(call, row.active == 1);
}

static void shape(gd_call *call) {
    fxs_collider row;
    if (!found(call, &row))
        return;
    fxs_shape found_shape = {row.kind, row.half_angle, {row.size[0], row.size[1], row.size[2]}};
    gd_return_shape(call, &found_shape);
}

static void ids(gd_call *call) {
    gd_world *world = self(call);
    uint32_t n = fxs_world_count(world->world);
    if (!gd_grow(call, &world->answers, (uint64_t)n * sizeof(uint32_t)))
        return;
    if (n > 0)
        fxs_world_ids(world->world, world->answers.at);
    gd_return_u32s(call, world->answers.at, n);
}

static void colliders(gd_call *call) {
    gd_world *world = self(call);
    uint32_t n = fxs_world_count(world->world);
    if (!gd_grow(call, &world->answers, (uint64_t)n * sizeof(fxs_collider)))
        return;
    if (n > 0)
        fxs_world_colliders(world->world, world->answers.at);
    gd_return_rows(call, world->answers.at, n, &GD_COLLIDER);
}

static void hits(gd_call *call) {
    gd_world *world = self(call);
    uint64_t n = fxs_world_hit_count(world->world);
    if (!gd_grow(call, &world->answers, n * sizeof(fxs_hit)))
        return;
    if (n > 0)
        fxs_world_hits(world->world, world->answers.at);
    gd_return_rows(call, world->answers.at, n, &GD_HIT);
}

/* ---- changes ---- */

bool gd_world_command(gd_call *call, uint32_t type, fxs_command *row) {
    memset(row, 0, sizeof *row);
    row->type = type;
    row->collider.id = (uint32_t)gd_int(call, 0);
    return gd_check(call, 0, 0, (int64_t)self(call)->capacity - 1);
}

bool gd_command_shape(gd_call *call, int i, fxs_command *row) {
    fxs_shape shape;
    if (!gd_shape_of(call, i, &shape))
        return false;
    row->collider.kind = (uint8_t)shape.kind;
    row->collider.half_angle = (uint16_t)shape.half_angle;
    memcpy(row->collider.size, shape.size, sizeof shape.size);
    return true;
}

void gd_command_position(gd_call *call, int i, fxs_command *row) {
    row->collider.x = gd_vector(call, i)[0];
    row->collider.y = gd_vector(call, i)[1];
    row->collider.z = gd_vector(call, i)[2];
}

void gd_command_offset(gd_call *call, int i, fxs_command *row) {
    row->collider.ox = gd_vector(call, i)[0];
    row->collider.oy = gd_vector(call, i)[1];
    row->collider.oz = gd_vector(call, i)[2];
}

void gd_world_change(gd_call *call, const fxs_command *row) {
    gd_world *world = self(call);
    uint64_t bad;
    if (!gd_world_expects(call, world, 1))
        return;
    int32_t status = fxs_world_apply(world->world, row, 1, &bad);
    if (!gd_world_takes(call, world, status, &row->collider))
        return;
    gd_world_keeps(world, row, 1);
    gd_return_bool(call, true);
}

/* The call of every collider in every frame: without the path for many commands. */
static void move(gd_call *call) {
    gd_world *world = self(call);
    int64_t id = gd_int(call, 0);
    const int32_t *at = gd_vector(call, 1);
    if (!gd_check(call, 0, 0, (int64_t)world->capacity - 1) || !gd_world_expects(call, world, 1))
        return;
    int32_t status = fxs_world_move(world->world, (uint32_t)id, at[0], at[1], at[2]);
    if (!gd_world_takes_id(call, world, status, (uint32_t)id))
        return;
    if (world->keeps_commands) {
        fxs_command row = gd_move_command((uint32_t)id, at[0], at[1], at[2]);
        gd_world_keeps(world, &row, 1);
    }
    gd_return_bool(call, true);
}

static void set_layers(gd_call *call) {
    gd_world *world = self(call);
    uint32_t masks[FXS_LAYER_COUNT];
    if (!gd_masks_of(call, 0, FXS_LAYER_COUNT, masks) ||
        !gd_world_expects(call, world, FXS_LAYER_COUNT))
        return;
    if (fxs_world_set_layers(world->world, masks) < 0) {
        gd_fail(call, "masks must be symmetric: bit j of mask i is bit i of mask j");
        return;
    }
    for (uint8_t i = 0; i < FXS_LAYER_COUNT; i++) {
        fxs_command row;
        memset(&row, 0, sizeof row);
        row.type = FXS_COMMAND_LAYERS;
        row.mask = masks[i];
        row.collider.layer = i;
        gd_world_keeps(world, &row, 1);
    }
    gd_return_bool(call, true);
}

/* Several changes that the world took; or the error of one of them. */
static void changed_many(gd_call *call, int32_t status, const char *name, uint64_t bad,
                         const fxs_command *rows, uint64_t n) {
    gd_world *world = self(call);
    call->row_name = name;
    call->row = bad;
    bool is_good = status >= 0 || (status == FXS_E_COMMAND
                                       ? gd_in_range(call, "type", rows[bad].type,
                                                     FXS_COMMAND_ADD, FXS_COMMAND_LAYERS)
                                       : gd_world_takes(call, world, status, &rows[bad].collider));
    if (!is_good)
        return;
    gd_world_keeps(world, rows, n);
    gd_return_bool(call, true);
}

static void apply(gd_call *call) {
    uint64_t n, bad = 0;
    fxs_command *rows = gd_rows_of(call, 0, &GD_COMMAND, &n);
    if (rows != NULL && gd_world_expects(call, self(call), n)) {
        int32_t status = fxs_world_apply(self(call)->world, rows, n, &bad);
        changed_many(call, status, "commands", bad, rows, n);
    }
    gd_free(rows);
}

static void clear(gd_call *call) {
    gd_world *world = self(call);
    uint32_t n = fxs_world_count(world->world);
    uint32_t *all = gd_alloc(call, (uint64_t)n * sizeof *all);
    if (all != NULL && gd_world_expects(call, world, n)) {
        fxs_world_ids(world->world, all);
        for (uint32_t i = 0; i < n; i++) {
            fxs_command row;
            memset(&row, 0, sizeof row);
            row.type = FXS_COMMAND_REMOVE;
            row.collider.id = all[i];
            fxs_world_remove(world->world, all[i]);
            gd_world_keeps(world, &row, 1);
        }
        gd_return_bool(call, true);
    }
    gd_free(all);
}

static void add_many(gd_call *call) {
    uint64_t n, bad = 0;
    fxs_collider *colliders = gd_rows_of(call, 0, &GD_COLLIDER, &n);
    fxs_command *rows = colliders == NULL ? NULL : gd_alloc(call, n * sizeof *rows);
    if (rows != NULL && gd_world_expects(call, self(call), n)) {
        for (uint64_t k = 0; k < n; k++)
            rows[k] = (fxs_command){FXS_COMMAND_ADD, 0, colliders[k]};
        int32_t status = fxs_world_add_many(self(call)->world, colliders, n, &bad);
        changed_many(call, status, "rows", bad, rows, n);
    }
    gd_free(colliders);
    gd_free(rows);
}

/* The ids of argument 0 and, for each, `width` numbers of argument 1: x, y, z and perhaps a yaw.
 * Ids in `ends`, numbers in `answers` of the world. */
static bool many(gd_call *call, uint32_t width, uint64_t *n) {
    static const char *const NAMES[] = {"x", "y", "z", "yaw"};
    gd_world *world = self(call);
    gd_ints found_ids = gd_ints_of(call, 0), numbers = gd_ints_of(call, 1);
    *n = found_ids.count;
    if (numbers.count / width != *n || numbers.count % width != 0) {
        gd_fail(call, "size of %s must be %u times that of ids, not %u", gd_argument_name(call, 1),
                (uint64_t)width, numbers.count);
        return false;
    }
    if (!gd_grow(call, &world->ends, *n * sizeof(uint32_t)) ||
        !gd_grow(call, &world->answers, numbers.count * sizeof(int32_t)) ||
        !gd_world_expects(call, world, *n))
        return false;
    uint32_t *ids = world->ends.at;
    int32_t *to = world->answers.at;
    for (uint64_t k = 0; k < numbers.count; k++) {
        uint32_t i = (uint32_t)(k % width);
        to[k] = (int32_t)numbers.at[k];
        call->row_name = gd_argument_name(call, 1);
        call->row = k / width;
        if ((i == 3 || to[k] != numbers.at[k]) &&
            !gd_in_range(call, NAMES[i], numbers.at[k], i < 3 ? INT32_MIN : 0,
                         i < 3 ? INT32_MAX : FXS_TURN - 1))
            return false;
    }
    for (uint64_t k = 0; k < *n; k++) {
        call->row_name = "ids";
        call->row = k;
        ids[k] = (uint32_t)found_ids.at[k];
        if (ids[k] >= world->capacity || ids[k] != found_ids.at[k])
            return gd_in_range(call, "id", found_ids.at[k], 0, (int64_t)world->capacity - 1);
    }
    return true;
}

static void moved_many(gd_call *call, int32_t status, uint32_t type, uint32_t width, uint64_t n,
                       uint64_t bad) {
    gd_world *world = self(call);
    const uint32_t *ids = world->ends.at;
    const int32_t *to = world->answers.at;
    call->row = bad;
    if (status < 0) {
        gd_world_takes_id(call, world, status, ids[bad]);
        return;
    }
    for (uint64_t k = 0; k < n && world->keeps_commands; k++, to += width) {
        fxs_command row = gd_move_command(ids[k], to[0], to[1], to[2]);
        row.type = type;
        row.collider.yaw = width == 4 ? (uint16_t)to[3] : 0;
        gd_world_keeps(world, &row, 1);
    }
    gd_return_bool(call, true);
}

static void move_many(gd_call *call) {
    gd_world *world = self(call);
    uint64_t n, bad = 0;
    if (!many(call, 3, &n))
        return;
    int32_t status = fxs_world_move_many(world->world, world->ends.at, world->answers.at, n, &bad);
    moved_many(call, status, FXS_COMMAND_MOVE, 3, n, bad);
}

/* x, y, z, yaw is a pose. */
static void set_pose_many(gd_call *call) {
    gd_world *world = self(call);
    uint64_t n, bad = 0;
    if (!many(call, 4, &n))
        return;
    int32_t status =
        fxs_world_set_pose_many(world->world, world->ends.at, world->answers.at, n, &bad);
    moved_many(call, status, FXS_COMMAND_POSE, 4, n, bad);
}

static void separate(gd_call *call) {
    gd_world *world = self(call);
    uint32_t yields[FXS_LAYER_COUNT];
    if (!gd_masks_of(call, 0, FXS_LAYER_COUNT, yields) || !gd_check(call, 1, 0, UINT32_MAX))
        return;
    uint64_t room = fxs_world_count(world->world), n = 0;
    if (!gd_grow(call, &world->answers, room * sizeof(fxs_moved)) ||
        !gd_world_expects(call, world, room))
        return;
    int32_t status = fxs_world_separate(world->world, yields, (uint32_t)gd_int(call, 1),
                                        world->answers.at, room, &n);
    if (!gd_world_takes_id(call, world, status, (uint32_t)n))
        return;
    const fxs_moved *moved = world->answers.at;
    for (uint64_t k = 0; k < n; k++) {
        fxs_command row = gd_move_command(moved[k].id, moved[k].x, moved[k].y, moved[k].z);
        gd_world_keeps(world, &row, 1);
    }
    gd_return_rows(call, moved, n, &GD_MOVED);
}

/* ---- steps ---- */

static void step(gd_call *call) {
    gd_world *world = self(call);
    fxs_counts counts;
    for (;;) {
        uint64_t room = world->events.size / sizeof(fxs_event);
        int32_t status = fxs_world_step(world->world, world->events.at, room, &counts);
        if (status == FXS_OK)
            break;
        if (counts.hits > world->hit_capacity && !gd_world_grow(call, world, counts.hits))
            return;
        if (!gd_grow(call, &world->events, counts.events * sizeof(fxs_event)))
            return;
    }
    gd_return_rows(call, world->events.at, counts.events, &GD_EVENT);
}

/* ---- two colliders ---- */

bool gd_world_takes_pair(gd_call *call, int32_t status, uint32_t a, uint32_t b) {
    const gd_world *world = self(call);
    const fxs_level *in = gd_level_in(world->level);
    fxs_collider row;
    fxs_solid solid;
    bool has_a = a < FXS_LEVEL ? fxs_world_get(world->world, a, &row) == FXS_OK
                               : in != NULL && fxs_level_solid(in, a - FXS_LEVEL, &solid) == FXS_OK;
    if (status == FXS_E_UNDEFINED) {
        gd_fail(call, "ids %d and %d: %s", (int64_t)a, (int64_t)b, fxs_status_text(status));
        return false;
    }
    uint32_t id = has_a ? b : a;
    if (status == FXS_E_ID && id >= FXS_LEVEL) {
        gd_fail(call, "id %d is not a solid of the level", (int64_t)id);
        return false;
    }
    return gd_world_takes_id(call, world, status, id);
}

static void explain(gd_call *call) {
    uint32_t a, b;
    fxs_explanation out;
    if (gd_u32(call, 0, &a) && gd_u32(call, 1, &b) &&
        gd_world_takes_pair(call, fxs_world_explain(self(call)->world, a, b, &out), a, b))
        gd_return_rows(call, &out, 1, &GD_EXPLANATION);
}

static void outline(gd_call *call) {
    gd_world *world = self(call);
    uint32_t id;
    if (!gd_u32(call, 0, &id) || !gd_check(call, 1, 3, FXS_TURN))
        return;
    fxs_extent extent;
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        uint64_t room = world->answers.size / sizeof(fxs_vertex);
        status = fxs_world_outline(world->world, id, (uint32_t)gd_int(call, 1), world->answers.at,
                                   room, &extent);
        uint64_t n = (uint64_t)extent.outer + extent.hole;
        if (status == FXS_E_ROOM && !gd_grow(call, &world->answers, n * sizeof(fxs_vertex)))
            return;
    }
    if (gd_world_takes_id(call, world, status, id))
        gd_return_outline(call, &extent, world->answers.at);
}

/* ---- queries and casts ---- */

static bool gd_hit_when_of(gd_call *call, int i, uint32_t *out) {
    *out = (uint32_t)gd_int(call, i);
    return gd_check(call, i, 0, FXS_OVERLAPPING);
}

bool gd_query_of(gd_call *call, fxs_query *out) {
    return gd_shape_of(call, 0, &out->shape) && gd_pose_of(call, 1, 2, &out->pose) &&
           gd_u32(call, 3, &out->mask) && gd_u32(call, 4, &out->exclude_owner) &&
           gd_hit_when_of(call, 5, &out->hit_when);
}

static void query(gd_call *call) {
    gd_world *world = self(call);
    fxs_query query;
    uint64_t n;
    if (!gd_query_of(call, &query))
        return;
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_world_query(world->world, &query, world->answers.at,
                                 world->answers.size / sizeof(uint32_t), &n);
        if (status == FXS_E_ROOM && !gd_grow(call, &world->answers, n * sizeof(uint32_t)))
            return;
    }
    if (gd_is_ok(call, "query", status))
        gd_return_u32s(call, world->answers.at, n);
}

static void nearest(gd_call *call) {
    gd_world *world = self(call);
    fxs_query query;
    uint64_t n;
    if (!gd_shape_of(call, 0, &query.shape) || !gd_pose_of(call, 1, 2, &query.pose) ||
        !gd_check(call, 3, 0, INT64_MAX) || !gd_u32(call, 4, &query.mask) ||
        !gd_u32(call, 5, &query.exclude_owner) || !gd_hit_when_of(call, 6, &query.hit_when))
        return;
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_world_nearest(world->world, &query, (uint64_t)gd_int(call, 3),
                                   world->answers.at, world->answers.size / sizeof(uint32_t), &n);
        if (status == FXS_E_ROOM && !gd_grow(call, &world->answers, n * sizeof(uint32_t)))
            return;
    }
    if (gd_is_ok(call, "query", status))
        gd_return_u32s(call, world->answers.at, n);
}

/* The error of a row of many queries or casts. */
static bool takes_row(gd_call *call, int32_t status, uint64_t bad, const fxs_shape *shape) {
    call->row_name = gd_argument_name(call, 0);
    call->row = bad;
    if (status == FXS_E_KIND || status == FXS_E_SIZE || status == FXS_E_HALF_ANGLE)
        return !gd_shape_fails(call, "shape", shape);
    if (status < 0)
        gd_fail(call, "%s", fxs_status_text(status));
    return status >= 0;
}

/* The answers of many queries: the end of each in the result, then all answers. */
static int64_t *put_ends(gd_call *call, const uint64_t *ends, uint64_t n, uint64_t numbers,
                         uint64_t width) {
    int64_t *to = gd_return_ints(call, n + numbers * width);
    for (uint64_t k = 0; k < n && to != NULL; k++)
        to[k] = (int64_t)(n + ends[k] * width);
    return to;
}

static void query_rows(gd_call *call, bool is_nearest) {
    gd_world *world = self(call);
    uint64_t n, found_count = 0;
    fxs_query *queries = gd_rows_of(call, 0, &GD_QUERY, &n);
    if (queries == NULL || !gd_grow(call, &world->ends, n * sizeof(uint64_t))) {
        gd_free(queries);
        return;
    }
    int32_t status = FXS_E_ROOM;
    bool has_room = true;
    while (status == FXS_E_ROOM && has_room) {
        uint64_t room = world->answers.size / sizeof(uint32_t);
        status = is_nearest ? fxs_world_nearest_many(world->world, queries, n,
                                                     (uint64_t)gd_int(call, 1), world->ends.at,
                                                     world->answers.at, room, &found_count)
                            : fxs_world_query_many(world->world, queries, n, world->ends.at,
                                                   world->answers.at, room, &found_count);
        if (status == FXS_E_ROOM)
            has_room = gd_grow(call, &world->answers, found_count * sizeof(uint32_t));
    }
    if (has_room && (status >= 0 || takes_row(call, status, found_count,
                                              &queries[found_count].shape))) {
        int64_t *to = put_ends(call, world->ends.at, n, found_count, 1);
        for (uint64_t k = 0; k < found_count && to != NULL; k++)
            to[n + k] = ((const uint32_t *)world->answers.at)[k];
    }
    gd_free(queries);
}

static void query_many(gd_call *call) { query_rows(call, false); }

static void nearest_many(gd_call *call) {
    if (gd_check(call, 1, 0, INT64_MAX))
        query_rows(call, true);
}

bool gd_cast_of(gd_call *call, fxs_cast *out) {
    return gd_shape_of(call, 0, &out->shape) && gd_pose_of(call, 1, 3, &out->pose) &&
           gd_motion_of(call, 2, out->motion) && gd_u32(call, 4, &out->mask) &&
           gd_u32(call, 5, &out->exclude_owner) && gd_u32(call, 6, &out->limit) &&
           gd_hit_when_of(call, 7, &out->hit_when);
}

static void cast(gd_call *call) {
    gd_world *world = self(call);
    fxs_cast cast;
    uint64_t n;
    if (!gd_cast_of(call, &cast))
        return;
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_world_cast(world->world, &cast, world->answers.at,
                                world->answers.size / sizeof(fxs_cast_hit), &n);
        if (status == FXS_E_ROOM && !gd_grow(call, &world->answers, n * sizeof(fxs_cast_hit)))
            return;
    }
    if (gd_is_ok(call, "shape", status))
        gd_return_rows(call, world->answers.at, n, &GD_CAST_HIT);
}

static void cast_many(gd_call *call) {
    gd_world *world = self(call);
    uint64_t n, found_count = 0;
    fxs_cast *casts = gd_rows_of(call, 0, &GD_CAST, &n);
    bool has_room = casts != NULL && gd_grow(call, &world->ends, n * sizeof(uint64_t));
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM && has_room) {
        status = fxs_world_cast_many(world->world, casts, n, world->ends.at, world->answers.at,
                                     world->answers.size / sizeof(fxs_cast_hit), &found_count);
        if (status == FXS_E_ROOM)
            has_room = gd_grow(call, &world->answers, found_count * sizeof(fxs_cast_hit));
    }
    if (has_room &&
        (status >= 0 || takes_row(call, status, found_count, &casts[found_count].shape))) {
        int64_t *to = put_ends(call, world->ends.at, n, found_count, GD_CAST_HIT.count);
        if (to != NULL)
            gd_put_rows(world->answers.at, found_count, &GD_CAST_HIT, to + n);
    }
    gd_free(casts);
}

static void sweep(gd_call *call) {
    gd_world *world = self(call);
    int32_t motion[3];
    uint32_t limit;
    uint64_t n;
    if (!gd_check(call, 0, 0, (int64_t)world->capacity - 1) || !gd_motion_of(call, 1, motion) ||
        !gd_u32(call, 2, &limit) || !gd_check(call, 3, 0, FXS_OVERLAPPING))
        return;
    uint32_t id = (uint32_t)gd_int(call, 0);
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_world_sweep(world->world, id, motion, limit, (uint32_t)gd_int(call, 3),
                                 world->answers.at, world->answers.size / sizeof(fxs_cast_hit), &n);
        if (status == FXS_E_ROOM && !gd_grow(call, &world->answers, n * sizeof(fxs_cast_hit)))
            return;
    }
    if (gd_world_takes_id(call, world, status, id))
        gd_return_rows(call, world->answers.at, n, &GD_CAST_HIT);
}

static void sweep_pairs(gd_call *call) {
    gd_world *world = self(call);
    uint32_t limit;
    uint64_t n, count = 0;
    if (!gd_u32(call, 1, &limit) || !gd_check(call, 2, 0, FXS_OVERLAPPING))
        return;
    fxs_motion *rows = gd_rows_of(call, 0, &GD_MOTION, &n);
    int32_t status = FXS_E_ROOM;
    bool has_room = rows != NULL;
    while (status == FXS_E_ROOM && has_room) {
        status = fxs_world_sweep_pairs(world->world, rows, n, (uint32_t)gd_int(call, 2), limit,
                                       world->answers.at,
                                       world->answers.size / sizeof(fxs_pair_hit), &count);
        if (status == FXS_E_ROOM)
            has_room = gd_grow(call, &world->answers, count * sizeof(fxs_pair_hit));
    }
    if (has_room && gd_world_takes_id(call, world, status, status < 0 ? rows[count].id : 0))
        gd_return_rows(call, world->answers.at, count, &GD_PAIR_HIT);
    gd_free(rows);
}

static void explain_query(gd_call *call) {
    fxs_query query;
    uint32_t b;
    fxs_explanation out;
    if (!gd_shape_of(call, 0, &query.shape) || !gd_pose_of(call, 1, 3, &query.pose) ||
        !gd_u32(call, 2, &b) || !gd_u32(call, 4, &query.mask) ||
        !gd_u32(call, 5, &query.exclude_owner) || !gd_hit_when_of(call, 6, &query.hit_when))
        return;
    int32_t status = fxs_world_explain_query(self(call)->world, &query, b, &out);
    if (gd_world_takes_pair(call, status, b, b))
        gd_return_rows(call, &out, 1, &GD_EXPLANATION);
}

/* ---- motion ---- */

static void move_and_slide(gd_call *call) {
    gd_world *world = self(call);
    int32_t motion[3];
    uint32_t mask;
    if (!gd_check(call, 0, 0, (int64_t)world->capacity - 1) || !gd_motion_of(call, 1, motion) ||
        !gd_u32(call, 2, &mask) || !gd_check(call, 3, 1, FXS_PASSES_MAX) ||
        !gd_world_expects(call, world, 1))
        return;
    fxs_cast_hit found_hits[FXS_PASSES_MAX];
    uint64_t n = 0;
    uint32_t id = (uint32_t)gd_int(call, 0);
    int32_t status = fxs_move_and_slide(world->world, id, motion, mask, (uint32_t)gd_int(call, 3),
                                        found_hits, &n);
    if (!gd_world_takes_id(call, world, status, id))
        return;
    fxs_collider now;
    fxs_world_get(world->world, id, &now);
    fxs_command row = gd_move_command(id, now.x, now.y, now.z);
    gd_world_keeps(world, &row, 1);
    gd_return_rows(call, found_hits, n, &GD_CAST_HIT);
}

static void separate_movers(gd_call *call) {
    gd_world *world = self(call);
    uint32_t yields[FXS_LAYER_COUNT];
    uint64_t room = fxs_world_count(world->world), count, n = 0;
    if (!gd_masks_of(call, 0, FXS_LAYER_COUNT, yields) || !gd_check(call, 2, 0, UINT32_MAX))
        return;
    fxs_mover *movers = gd_rows_of(call, 1, &GD_MOVER, &count);
    if (movers != NULL && gd_grow(call, &world->answers, room * sizeof(fxs_separated)) &&
        gd_world_expects(call, world, room)) {
        fxs_separated *rows = world->answers.at;
        int32_t status = fxs_movers_separate(world->world, yields, (uint32_t)gd_int(call, 2),
                                             movers, count, rows, room, &n);
        if (status == FXS_E_CENTRE ? gd_world_takes_id(call, world, status, (uint32_t)n)
                                   : gd_is_ok(call, "movers", status)) {
            for (uint64_t k = 0; k < n; k++) {
                fxs_command row = gd_move_command(rows[k].id, rows[k].x, rows[k].y, rows[k].z);
                gd_world_keeps(world, &row, 1);
            }
            gd_return_rows(call, rows, n, &GD_SEPARATED);
        }
    }
    gd_free(movers);
}

static void carry(gd_call *call) {
    gd_world *world = self(call);
    int32_t motion[3];
    uint64_t n, count;
    if (!gd_motion_of(call, 1, motion))
        return;
    uint32_t *carried_ids = gd_u32s_of(call, 0, &n);
    fxs_mover *movers = carried_ids == NULL ? NULL : gd_rows_of(call, 2, &GD_MOVER, &count);
    if (movers != NULL && gd_grow(call, &world->answers, count * sizeof(fxs_carried)) &&
        gd_world_expects(call, world, n + count)) {
        fxs_carried *rows = world->answers.at;
        int32_t status = fxs_carry(world->world, carried_ids, n, motion, movers, count, rows);
        if (gd_is_ok(call, "ids and movers", status)) {
            for (uint64_t k = 0; k < n; k++) {
                fxs_collider now;
                fxs_world_get(world->world, carried_ids[k], &now);
                fxs_command row = gd_move_command(now.id, now.x, now.y, now.z);
                gd_world_keeps(world, &row, 1);
            }
            for (uint64_t k = 0; k < count; k++) {
                fxs_command row = gd_move_command(rows[k].id, rows[k].x, rows[k].y, rows[k].z);
                gd_world_keeps(world, &row, 1);
            }
            gd_return_rows(call, rows, count, &GD_CARRIED);
        }
    }
    gd_free(carried_ids);
    gd_free(movers);
}

/* ---- state ---- */

static void save(gd_call *call) {
    fxs_world *world = self(call)->world;
    uint8_t *to = gd_return_bytes(call, fxs_world_save_size(world));
    if (to != NULL)
        fxs_world_save(world, to);
}

static void load(gd_call *call) {
    gd_world *world = self(call);
    gd_bytes state = gd_bytes_of(call, 0);
    uint64_t at = 0;
    int32_t status = fxs_world_load(world->world, state.at, state.count, &at);
    if (status == FXS_E_ROOM && gd_world_grow(call, world, at))
        status = fxs_world_load(world->world, state.at, state.count, &at);
    if (status == FXS_E_STATE)
        gd_fail(call, "state is refused at byte %u of %u: %s", at, state.count,
                fxs_status_text(status));
    if (status < 0)
        return;
    world->command_count = 0;
    gd_return_bool(call, true);
}

/* ---- table ---- */

static const gd_method METHODS[] = {
    {"static create(capacity: int, hit_when: int = 1, layers: PackedInt64Array = [], "
     "level: FixsyncLevel = null, hit_capacity: int = 64) -> FixsyncWorld",
     create,
     "Makes an empty world. Ids are 0..capacity - 1. hit_when is the least contact that is a hit. "
     "layers has 32 masks: bit j of mask i lets layers i and j meet; without it all meet. level is "
     "the static geometry. hit_capacity is the room for hits to begin with; it grows."},
    {"copy() -> FixsyncWorld", copy, "Returns another world with the same state and level."},
    {"capacity() -> int", capacity, "Returns how many ids there are: 0..capacity - 1."},
    {"hit_when() -> int", hit_when, "Returns the least contact that is a hit."},
    {"layer_masks() -> PackedInt64Array", layer_masks,
     "Returns 32 masks: bit j of mask i lets layers i and j meet."},
    {"level() -> FixsyncLevel", level, "Returns its level, or null."},
    {"has(id: int) -> bool", has, "Returns whether a collider has this id."},
    {"collider(id: int) -> PackedInt64Array", collider,
     "Returns the row of a collider: id, kind, layer, active, yaw, half_angle, owner, x, y, z, "
     "ox, oy, oz and three sizes."},
    {"position(id: int) -> Vector3i", position, "Returns the position of a collider."},
    {"yaw(id: int) -> int", yaw, "Returns the yaw of a collider, 0..65535."},
    {"shape(id: int) -> PackedInt64Array", shape, "Returns the shape of a collider."},
    {"offset(id: int) -> Vector3i", offset,
     "Returns the offset of the centre of a collider from its position."},
    {"owner(id: int) -> int", owner, "Returns the owner of a collider; 0: no owner."},
    {"layer(id: int) -> int", layer, "Returns the layer of a collider, 0..31."},
    {"is_active(id: int) -> bool", is_active, "Returns whether a collider is active."},
    {"ids() -> PackedInt64Array", ids, "Returns the ids of all colliders, ascending."},
    {"colliders() -> PackedInt64Array", colliders,
     "Returns the rows of all colliders, by id, as collider does."},
    {"clear() -> bool", clear, "Removes all colliders; their hits end at the next step."},
    {"move(id: int, position: Vector3i) -> bool", move,
     "Changes the position of a collider; its yaw stays."},
    {"set_layers(masks: PackedInt64Array) -> bool", set_layers,
     "Replaces the layer matrix by 32 masks, which are symmetric; an empty array lets all layers "
     "meet."},
    {"add_many(rows: PackedInt64Array) -> bool", add_many,
     "Adds colliders, given as rows that collider returns: all of them or none."},
    {"move_many(ids: PackedInt64Array, positions: PackedInt64Array) -> bool", move_many,
     "Moves colliders, x, y and z for each id: all of them or none."},
    {"set_pose_many(ids: PackedInt64Array, poses: PackedInt64Array) -> bool", set_pose_many,
     "Moves and turns colliders, x, y, z and yaw for each id: all of them or none."},
    {"apply(commands: PackedInt64Array) -> bool", apply,
     "Makes changes in order, as rows of type, mask and a row of a collider: all of them or none. "
     "A type reads only some of the fields."},
    {"separate(yields: PackedInt64Array, passes: int = 1) -> PackedInt64Array", separate,
     "Pushes apart the overlapping pairs of the last step, into walls and through them too. Bit j of mask i of the 32 yields lets a "
     "body of layer i give way to one of layer j. Returns rows of id, x, y, z."},
    {"keep_commands(on: bool)", keep_commands,
     "Begins or ends keeping a command row for each change that the world takes, also of bodies, "
     "movers and platforms. Rows kept so far are dropped."},
    {"take_commands() -> PackedInt64Array", take_commands,
     "Returns the commands kept since the last time, for a recorder or a history."},
    {"drop_commands()", drop_commands, "Forgets the commands kept so far."},
    {"command_count() -> int", command_count, "Returns how many commands are kept."},
    {"step() -> PackedInt64Array", step,
     "Finds the hits of this frame and returns the events since the last step: rows of a, b, "
     "kind, contact, by (a, b)."},
    {"hits() -> PackedInt64Array", hits,
     "Returns the hits of the last step: rows of a, b, contact."},
    {"outline(id: int, segments: int = 32) -> PackedInt64Array", outline,
     "Returns the outline of a collider or a solid, for drawing: y_low, y_high, vertices of the "
     "outer polygon, vertices of the hole, then x and z of each vertex."},
    {"explain(a: int, b: int) -> PackedInt64Array", explain,
     "Returns why a pair is not a hit: why, grows, sector, contact, height, planar, gap, turn. why "
     "is 0 exactly if the next step finds the hit."},
    {"explain_query(" SHAPE ", b: int, " MASKS ", hit_when: int = 0) -> PackedInt64Array",
     explain_query,
     "Returns why a query does not find b, as explain does."},
    {"query(" SHAPE ", " MASKS ", hit_when: int = 0) -> PackedInt64Array", query,
     "Returns the ids of the active colliders and the solids that a shape meets, ascending, as the "
     "world is now. It looks at the layers of the mask. hit_when 0 is that of the world."},
    {"query_many(queries: PackedInt64Array) -> PackedInt64Array", query_many,
     "Makes many queries, rows of kind, half_angle, three sizes, x, y, z, yaw, mask, "
     "exclude_owner, hit_when. Returns for each the index in the result at which its answer ends, "
     "then the answers."},
    {"nearest(" SHAPE ", yaw: int = 0, limit: int = 0, mask: int = 4294967295, "
     "exclude_owner: int = 0, hit_when: int = 0) -> PackedInt64Array",
     nearest,
     "Returns the ids of the colliders that a shape meets, nearest first: at most limit, 0: all. "
     "Solids are left out."},
    {"nearest_many(queries: PackedInt64Array, limit: int = 0) -> PackedInt64Array", nearest_many,
     "Makes many queries as query_many does, with the answers of nearest."},
    {"cast(" SHAPE ", motion: Vector3i, " MASKS ", limit: int = 0, hit_when: int = 0) -> "
     "PackedInt64Array",
     cast,
     "Returns the hits of a shape that moves straight: rows of id, fraction, and the normal in "
     "Q2.30, by (fraction, distance, id). At most limit, 0: all. hit_when 0 is that of the world."},
    {"sweep_pairs(motions: PackedInt64Array, limit: int = 0, hit_when: int = 0) -> "
     "PackedInt64Array",
     sweep_pairs,
     "Returns the pairs that meet while colliders move at once, rows of id and motion, ascending by "
     "id; all others stand still. Rows of a, b, fraction, and the normal in Q2.30, by (fraction, "
     "distance, a, b). At most limit, 0: all. hit_when 0 is that of the world."},
    {"cast_many(casts: PackedInt64Array) -> PackedInt64Array", cast_many,
     "Makes many casts, rows of kind, half_angle, three sizes, x, y, z, yaw, motion, mask, "
     "exclude_owner, limit, hit_when. Returns for each the index in the result at which its answer "
     "ends, then the answers."},
    {"sweep(id: int, motion: Vector3i, limit: int = 0, hit_when: int = 0) -> PackedInt64Array",
     sweep,
     "Returns the hits of a collider that moves straight from its pose, as cast does; "
     "layers and owners count."},
    {"move_and_slide(id: int, motion: Vector3i, mask: int = 0, passes: int = 4) -> "
     "PackedInt64Array",
     move_and_slide,
     "Moves a collider straight and slides it along obstacles, which are the layers of the mask; "
     "0: those its own layer meets. Returns the obstacles as cast does."},
    {"carry(ids: PackedInt64Array, motion: Vector3i, movers: PackedInt64Array) -> "
     "PackedInt64Array",
     carry,
     "Moves a platform of several colliders, and takes along the movers, rows that "
     "FixsyncMover.row returns. Returns a row for each mover: id, x, y, z, its motion, flags, by."},
    {"separate_movers(yields: PackedInt64Array, movers: PackedInt64Array, passes: int = 1) -> "
     "PackedInt64Array",
     separate_movers,
     "Pushes apart as separate does, but the movers, rows that FixsyncMover.row returns, by "
     "ascending ids, go through no wall, and into none. Returns a row for each collider that is "
     "pushed to another place: id, x, y, z, and 1 if an obstacle kept it from that place."},
    {"save() -> PackedByteArray", save,
     "Returns the whole state, the same bytes on every platform."},
    {"load(state: PackedByteArray) -> bool", load,
     "Replaces everything but capacity and level by a saved state. The commands kept so far are "
     "dropped."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_WORLD = {
    "FixsyncWorld",
    "Colliders by id, and the hits between them. Its answers are a function of its state alone, "
    "the same on every machine. Each misuse is an error that names the value and its range, and "
    "changes nothing.",
    sizeof(gd_world),
    free_world,
    METHODS,
    GD_PASSED_WORLD,
    "RefCounted",
};
