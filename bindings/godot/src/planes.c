/* The class FixsyncPlanes: hitboxes of a beat-'em-up, two colliders of a world each. */
#include "classes.h"

#include <string.h>

/* ---- two hitboxes ---- */

static bool is_hitbox(gd_call *call, const char *name, const fxs_hitbox *hitbox) {
    if (hitbox->kind != FXS_CYLINDER && hitbox->kind != FXS_BOX) {
        gd_fail(call, "%s: kind must be %d (circle) or %d (rectangle), not %d", name,
                (int64_t)FXS_CYLINDER, (int64_t)FXS_BOX, (int64_t)hitbox->kind);
        return false;
    }
    bool is_circle = hitbox->kind == FXS_CYLINDER;
    return gd_in_range(call, "ground0", hitbox->ground[0], 1, FXS_SIZE_MAX) &&
           gd_in_range(call, "ground1", hitbox->ground[1], is_circle ? 0 : 1,
                       is_circle ? 0 : FXS_SIZE_MAX) &&
           gd_in_range(call, "side0", hitbox->side[0], 1, FXS_SIZE_MAX) &&
           gd_in_range(call, "side1", hitbox->side[1], 1, FXS_SIZE_MAX);
}

static bool hitbox_of(gd_call *call, int i, fxs_hitbox *out) {
    return gd_row_of(call, i, &GD_HITBOX, out) && is_hitbox(call, gd_argument_name(call, i), out);
}

static void contact(gd_call *call) {
    fxs_hitbox a, b;
    gd_return_int(call, -1);
    if (hitbox_of(call, 0, &a) && hitbox_of(call, 1, &b))
        gd_return_int(call, fxs_hitbox_contact(&a, &b));
}

static void push_out(gd_call *call) {
    fxs_hitbox a, b;
    int32_t out[2];
    if (hitbox_of(call, 0, &a) && hitbox_of(call, 1, &b) &&
        gd_is_ok(call, "hitboxes", fxs_hitbox_push_out(&a, &b, out)))
        gd_return_vector(call, out[0], 0, out[1]);
}

static void lift(gd_call *call) {
    fxs_hitbox a, b;
    int32_t out;
    if (hitbox_of(call, 0, &a) && hitbox_of(call, 1, &b) &&
        gd_is_ok(call, "hitboxes", fxs_hitbox_lift(&a, &b, &out)))
        gd_return_int(call, out);
}

static void cast_pair(gd_call *call) {
    fxs_hitbox a, b;
    int32_t motion_a[3], motion_b[3], out[4];
    if (!hitbox_of(call, 0, &a) || !gd_motion_of(call, 1, motion_a) || !hitbox_of(call, 2, &b) ||
        !gd_motion_of(call, 3, motion_b) || !gd_check(call, 4, FXS_TOUCHING, FXS_OVERLAPPING))
        return;
    int32_t status = fxs_hitbox_cast_pair(&a, motion_a, &b, motion_b, (uint32_t)gd_int(call, 4),
                                          &out[0], &out[1]);
    int64_t *to =
        gd_is_ok(call, "hitboxes", status) && status == 1 ? gd_return_ints(call, 4) : NULL;
    for (int i = 0; i < 4 && to != NULL; i++)
        to[i] = out[i];
}

/* ---- worlds ---- */

static void create(gd_call *call) {
    fxs_config config;
    memset(&config, 0, sizeof config);
    if (!gd_check(call, 0, 1, FXS_CAPACITY_MAX / 2) ||
        !gd_check(call, 1, FXS_TOUCHING, FXS_OVERLAPPING) ||
        !gd_masks_of(call, 2, FXS_PLANES_LAYERS, config.layers) ||
        !gd_check(call, 3, 0, UINT32_MAX))
        return;
    config.capacity = (uint32_t)gd_int(call, 0);
    config.hit_when = (uint32_t)gd_int(call, 1);
    config.hit_capacity = (uint32_t)gd_int(call, 3);
    if (fxs_planes_config(&config, &config) < 0) {
        gd_fail(call, "layers must be symmetric: bit j of mask i is bit i of mask j");
        return;
    }
    gd_world *world = gd_world_make(call, &config, NULL);
    if (world != NULL)
        gd_return_object(call, world);
}

/* The error of a status about a hitbox. */
static bool takes(gd_call *call, const gd_world *world, int32_t status, const fxs_hitbox *hitbox) {
    switch (status) {
    case FXS_E_ID:
        return gd_in_range(call, "id", hitbox->id, 0, (int64_t)world->capacity / 2 - 1);
    case FXS_E_KIND:
    case FXS_E_SIZE:
        return is_hitbox(call, "hitbox", hitbox) && gd_is_ok(call, "hitbox", status);
    case FXS_E_LAYER:
        return gd_in_range(call, "layer", hitbox->layer, 0, FXS_PLANES_LAYERS - 1) &&
               gd_is_ok(call, "mask", status);
    case FXS_E_ACTIVE:
        return gd_in_range(call, "active", hitbox->active, 0, 1);
    default:
        return gd_world_takes_id(call, world, status, hitbox->id);
    }
}

static void apply(gd_call *call) {
    uint64_t n, bad = 0;
    gd_world *world = gd_world_of(call, 0);
    fxs_planes_command *commands =
        world == NULL ? NULL : gd_rows_of(call, 1, &GD_PLANES_COMMAND, &n);
    if (commands != NULL && gd_grow(call, &world->answers, 2 * n * sizeof(fxs_command)) &&
        gd_world_expects(call, world, 2 * n)) {
        int32_t status =
            fxs_planes_apply(world->world, commands, n, world->answers.at, &bad);
        call->row_name = "commands";
        call->row = bad;
        if (status == FXS_E_COMMAND)
            gd_fail(call, "type %u is not one of a hitbox", (uint64_t)commands[bad].type);
        else if (status >= 0 || takes(call, world, status, &commands[bad].hitbox)) {
            gd_world_keeps(world, world->answers.at, 2 * n);
            gd_return_bool(call, true);
        }
    }
    gd_free(commands);
}

static void hitbox(gd_call *call) {
    fxs_hitbox found;
    gd_world *world = gd_world_of(call, 0);
    if (world == NULL || !gd_check(call, 1, 0, (int64_t)world->capacity / 2 - 1))
        return;
    uint32_t id = (uint32_t)gd_int(call, 1);
    if (gd_world_takes_id(call, world, fxs_planes_get(world->world, id, &found), id))
        gd_return_rows(call, &found, 1, &GD_HITBOX);
}

static void events(gd_call *call) {
    uint64_t n, count = 0;
    gd_world *world = gd_world_of(call, 0);
    fxs_event *stepped = world == NULL ? NULL : gd_rows_of(call, 1, &GD_EVENT, &n);
    if (stepped != NULL && gd_grow(call, &world->answers, n * sizeof(fxs_event))) {
        int32_t status =
            fxs_planes_events(world->world, stepped, n, world->answers.at, &count);
        if (status < 0)
            gd_fail(call, "events must be the rows of one step, in their order");
        else
            gd_return_rows(call, world->answers.at, count, &GD_EVENT);
    }
    gd_free(stepped);
}

static void hits(gd_call *call) {
    gd_world *world = gd_world_of(call, 0);
    if (world == NULL ||
        !gd_grow(call, &world->answers, fxs_world_hit_count(world->world) * sizeof(fxs_hit)))
        return;
    uint64_t n = fxs_planes_hits(world->world, world->answers.at);
    gd_return_rows(call, world->answers.at, n, &GD_HIT);
}

static void query(gd_call *call) {
    fxs_hitbox hitbox;
    uint32_t owner;
    uint64_t n = 0;
    gd_world *world = gd_world_of(call, 0);
    if (world == NULL || !hitbox_of(call, 1, &hitbox) ||
        !gd_check(call, 2, 0, (1 << FXS_PLANES_LAYERS) - 1) || !gd_u32(call, 3, &owner))
        return;
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_planes_query(world->world, &hitbox, (uint32_t)gd_int(call, 2), owner,
                                  world->answers.at, world->answers.size / sizeof(uint32_t), &n);
        if (status == FXS_E_ROOM && !gd_grow(call, &world->answers, n * sizeof(uint32_t)))
            return;
    }
    if (gd_is_ok(call, "hitbox", status))
        gd_return_u32s(call, world->answers.at, n);
}

static void cast(gd_call *call) {
    fxs_hitbox_cast cast;
    uint64_t n = 0;
    gd_world *world = gd_world_of(call, 0);
    if (world == NULL || !hitbox_of(call, 1, &cast.hitbox) ||
        !gd_motion_of(call, 2, cast.motion) ||
        !gd_check(call, 3, 0, (1 << FXS_PLANES_LAYERS) - 1) ||
        !gd_u32(call, 4, &cast.exclude_owner) || !gd_u32(call, 5, &cast.limit) ||
        !gd_check(call, 6, 0, FXS_OVERLAPPING))
        return;
    cast.mask = (uint32_t)gd_int(call, 3);
    cast.hit_when = (uint32_t)gd_int(call, 6);
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status = fxs_planes_cast(world->world, &cast, world->answers.at,
                                 world->answers.size / sizeof(fxs_cast_hit), &n);
        if (status == FXS_E_ROOM && !gd_grow(call, &world->answers, n * sizeof(fxs_cast_hit)))
            return;
    }
    if (gd_is_ok(call, "hitbox", status))
        gd_return_rows(call, world->answers.at, n, &GD_CAST_HIT);
}

static void sweep(gd_call *call) {
    int32_t motion[3];
    uint32_t limit;
    uint64_t n = 0;
    gd_world *world = gd_world_of(call, 0);
    if (world == NULL || !gd_check(call, 1, 0, (int64_t)world->capacity / 2 - 1) ||
        !gd_motion_of(call, 2, motion) || !gd_u32(call, 3, &limit) ||
        !gd_check(call, 4, 0, FXS_OVERLAPPING))
        return;
    uint32_t id = (uint32_t)gd_int(call, 1);
    int32_t status = FXS_E_ROOM;
    while (status == FXS_E_ROOM) {
        status =
            fxs_planes_sweep(world->world, id, motion, limit, (uint32_t)gd_int(call, 4),
                             world->answers.at, world->answers.size / sizeof(fxs_cast_hit), &n);
        if (status == FXS_E_ROOM && !gd_grow(call, &world->answers, n * sizeof(fxs_cast_hit)))
            return;
    }
    if (gd_world_takes_id(call, world, status, id))
        gd_return_rows(call, world->answers.at, n, &GD_CAST_HIT);
}

/* ---- table ---- */

static const gd_method METHODS[] = {
    {"static create(capacity: int, hit_when: int = 1, layers: PackedInt64Array = [], "
     "hit_capacity: int = 64) -> FixsyncWorld",
     create,
     "Makes an empty world for hitboxes, whose ids are 0..capacity - 1. layers has 16 masks; "
     "without it all layers meet."},
    {"static apply(world: FixsyncWorld, commands: PackedInt64Array) -> bool", apply,
     "Makes changes of hitboxes in order, as rows of type, mask and a row of a hitbox: all of them "
     "or none. Types: add, move, shape, owner, layer, active, remove, layers."},
    {"static hitbox(world: FixsyncWorld, id: int) -> PackedInt64Array", hitbox,
     "Returns the row of a hitbox: id, kind, layer, active, owner, x, y, z, two sizes of the "
     "ground view, half_x and half_y of the side view."},
    {"static events(world: FixsyncWorld, events: PackedInt64Array) -> PackedInt64Array", events,
     "Returns the events of the hitboxes, from those that FixsyncWorld.step returned."},
    {"static hits(world: FixsyncWorld) -> PackedInt64Array", hits,
     "Returns the hits of the hitboxes at the last step: rows of a, b, contact."},
    {"static query(world: FixsyncWorld, hitbox: PackedInt64Array, mask: int = 65535, "
     "exclude_owner: int = 0) -> PackedInt64Array",
     query, "Returns the ids of the hitboxes that a hitbox meets, ascending."},
    {"static cast(world: FixsyncWorld, hitbox: PackedInt64Array, motion: Vector3i, "
     "mask: int = 65535, exclude_owner: int = 0, limit: int = 0, hit_when: int = 0) -> "
     "PackedInt64Array",
     cast, "Returns the hits of a hitbox that moves straight, as FixsyncWorld.cast does."},
    {"static sweep(world: FixsyncWorld, id: int, motion: Vector3i, limit: int = 0, "
     "hit_when: int = 0) -> PackedInt64Array",
     sweep, "Returns the hits of a hitbox of the world, as FixsyncWorld.sweep does."},
    {"static contact(a: PackedInt64Array, b: PackedInt64Array) -> int", contact,
     "Returns the contact of two hitboxes, rows as hitbox returns; -1 after an error."},
    {"static push_out(a: PackedInt64Array, b: PackedInt64Array) -> Vector3i", push_out,
     "Returns the shortest planar translation of a that ends an overlap."},
    {"static lift(a: PackedInt64Array, b: PackedInt64Array) -> int", lift,
     "Returns the shortest vertical translation of a that ends an overlap."},
    {"static cast_pair(a: PackedInt64Array, motion_a: Vector3i, b: PackedInt64Array, "
     "motion_b: Vector3i, hit_when: int = 1) -> PackedInt64Array",
     cast_pair,
     "Returns when two moving hitboxes first meet: fraction and the normal in Q2.30; empty if they "
     "do not."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_PLANES = {
    "FixsyncPlanes",
    "Hitboxes of a beat-'em-up, in an ordinary world. Each has a ground view, seen from above, and "
    "a side view; two meet where both views meet. Step, save and record the world as usual; change "
    "hitboxes here alone.",
    0,
    NULL,
    METHODS,
};
