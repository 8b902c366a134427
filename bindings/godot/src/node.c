/* The classes FixsyncNode2D and FixsyncNode3D: nodes with a collider. Rules move many of them in each
 * frame, so the engine calls this without a function of GDScript between. */
#include "classes.h"

#include <string.h>

typedef struct gd_node {
    gd_object object;
    uint64_t world;                /* the engine's number of it; 0: none */
    uint32_t id, part_count;
    uint32_t *parts;               /* ids of the colliders that move with it */
} gd_node;

static gd_node *self(gd_call *call) { return call->self; }

static void free_node(void *object) { gd_free(((gd_node *)object)->parts); }

static void enter_match(gd_call *call) {
    gd_world *world = gd_world_of(call, 0);
    if (world == NULL || !gd_u32(call, 1, &self(call)->id))
        return;
    self(call)->world = gd_engine.object_get_instance_id(world->object.engine_object);
}

static void set_parts(gd_call *call) {
    uint64_t n;
    uint32_t *ids = gd_u32s_of(call, 0, &n);
    if (ids == NULL)
        return;
    gd_free(self(call)->parts);
    self(call)->parts = ids;
    self(call)->part_count = (uint32_t)n;
}

static void set_pose(gd_call *call) {
    gd_node *node = self(call);
    gd_world *world = gd_object_by_number(call, node->world, &GD_CLASS_WORLD);
    fxs_command row;
    uint64_t bad;
    if (world == NULL) {
        gd_fail(call, "it is in no match yet: the world's start, or spawn, lets it join");
        return;
    }
    if (!gd_check(call, 1, 0, FXS_TURN - 1) ||
        !gd_world_expects(call, world, 1 + (uint64_t)node->part_count))
        return;
    memset(&row, 0, sizeof row);
    row.type = FXS_COMMAND_POSE;
    gd_command_position(call, 0, &row);
    row.collider.yaw = (uint16_t)gd_int(call, 1);
    for (uint32_t i = 0; i <= node->part_count; i++) {
        row.collider.id = i == 0 ? node->id : node->parts[i - 1];
        int32_t status = fxs_world_apply(world->world, &row, 1, &bad);
        if (!gd_world_takes(call, world, status, &row.collider))
            return;
        gd_world_keeps(world, &row, 1);
    }
}

static const gd_method METHODS[] = {
    {"enter_match(world: FixsyncWorld, id: int)", enter_match,
     "Makes it the node of a collider of a world, as its match does."},
    {"set_parts(ids: PackedInt64Array)", set_parts, "The ids of the colliders that move with it."},
    {"set_pose(raw: Vector3i, yaw: int)", set_pose,
     "Puts its collider, and its parts, at a position. Call it only in _fixsync_tick and "
     "_fixsync_hit: it rolls back with the frame."},
    {NULL, NULL, NULL},
};

#define HELP "A node with a collider. FixsyncCollider2D and FixsyncCollider3D extend it."

const gd_class GD_CLASS_NODE_2D = {
    "FixsyncNode2D",
    HELP,
    sizeof(gd_node),
    free_node,
    METHODS,
    NULL,
    "Node2D",
};

const gd_class GD_CLASS_NODE_3D = {
    "FixsyncNode3D",
    HELP,
    sizeof(gd_node),
    free_node,
    METHODS,
    NULL,
    "Node3D",
};
