/* The class FixsyncNodes: nodes of Godot that stand where colliders are. */
#include "classes.h"

#include <string.h>

enum { VIEW_3D, VIEW_ABOVE, VIEW_SIDE };

/* A node, by the engine's number of it; 0: none. */
typedef struct shown {
    uint64_t node;
    int32_t x, y, z;
    uint32_t yaw;
    bool is_known;                 /* the pose is where the node was put last */
} shown;

typedef struct gd_nodes {
    gd_object object;
    uint64_t host;
    uint32_t view;
    float units;                   /* the length of a raw unit in the node's own */
    uint32_t count;
    shown *rows;
} gd_nodes;

/* Transforms as the engine has them: rows of a basis and an origin, or two axes and an origin. */
typedef struct transform_3d { float basis[3][3], origin[3]; } transform_3d;
typedef struct transform_2d { float x[2], y[2], origin[2]; } transform_2d;

/* Methods of the engine's nodes, found when they are needed first. */
static struct {
    gd_method_bind is_class, parent, set_2d, set_3d, set_global_2d, set_global_3d, global_2d,
        global_3d;
} engine;

static gd_nodes *self(gd_call *call) { return call->self; }

static void free_nodes(void *object) { gd_free(((gd_nodes *)object)->rows); }

static bool find_methods(gd_call *call) {
    if (engine.is_class != NULL)
        return true;
    engine.parent = gd_method_of("Node", "get_parent", 3160264692);
    engine.set_2d = gd_method_of("Node2D", "set_transform", 2761652528);
    engine.set_3d = gd_method_of("Node3D", "set_transform", 2952846383);
    engine.set_global_2d = gd_method_of("Node2D", "set_global_transform", 2761652528);
    engine.set_global_3d = gd_method_of("Node3D", "set_global_transform", 2952846383);
    engine.global_2d = gd_method_of("CanvasItem", "get_global_transform", 3814499831);
    engine.global_3d = gd_method_of("Node3D", "get_global_transform", 3229777777);
    gd_method_bind is_class = gd_method_of("Object", "is_class", 3927539163);
    if (engine.parent == NULL || engine.set_2d == NULL || engine.set_3d == NULL ||
        engine.set_global_2d == NULL || engine.set_global_3d == NULL || engine.global_2d == NULL ||
        engine.global_3d == NULL || is_class == NULL) {
        gd_fail(call, "this version of Godot has other nodes: it must be 4.4 or newer");
        return false;
    }
    engine.is_class = is_class;
    return true;
}

/* The number of the node of argument i, which has a place in the view; 0 after an error. */
static uint64_t node_of(gd_call *call, int i, uint32_t view) {
    gd_engine_object *node = *(gd_engine_object *const *)call->arguments[i];
    const char *must = view == VIEW_3D ? "Node3D" : "Node2D";
    uint8_t is_one = 0;
    if (node != NULL) {
        gd_string text = gd_string_of(must);
        const void *arguments[] = {&text};
        gd_engine.object_method_bind_ptrcall(engine.is_class, node, arguments, &is_one);
        gd_free_string(&text);
    }
    if (is_one)
        return gd_engine.object_get_instance_id(node);
    gd_fail(call, "%s must be a %s", gd_argument_name(call, i), must);
    return 0;
}

static void create(gd_call *call) {
    if (!find_methods(call) || !gd_check(call, 1, 1, FXS_CAPACITY_MAX) ||
        !gd_check(call, 2, VIEW_3D, VIEW_SIDE) || !gd_check(call, 3, 1, UINT32_MAX))
        return;
    uint64_t host = node_of(call, 0, (uint32_t)gd_int(call, 2));
    gd_nodes *nodes = host == 0 ? NULL : gd_new(call, &GD_CLASS_NODES);
    if (nodes == NULL)
        return;
    nodes->host = host;
    nodes->view = (uint32_t)gd_int(call, 2);
    nodes->units = (float)gd_int(call, 3) / 65536.0f / 65536.0f;
    nodes->count = (uint32_t)gd_int(call, 1);
    nodes->rows = gd_alloc(call, nodes->count * sizeof *nodes->rows);
    if (nodes->rows == NULL) {
        gd_drop(nodes);
        return;
    }
    memset(nodes->rows, 0, nodes->count * sizeof *nodes->rows);
    gd_return_object(call, nodes);
}

static void put(gd_call *call) {
    gd_nodes *nodes = self(call);
    if (!gd_check(call, 0, 0, (int64_t)nodes->count - 1))
        return;
    uint64_t node = node_of(call, 1, nodes->view);
    if (node == 0)
        return;
    nodes->rows[gd_int(call, 0)] = (shown){node, 0, 0, 0, 0, false};
    gd_return_bool(call, true);
}

static void drop(gd_call *call) {
    if (gd_check(call, 0, 0, (int64_t)self(call)->count - 1))
        self(call)->rows[gd_int(call, 0)].node = 0;
}

/* ---- transforms ---- */

static void put_2d(const gd_nodes *nodes, const fxs_collider *row, transform_2d *to) {
    int32_t cos_q30, sin_q30;
    fxs_direction(row->yaw, &cos_q30, &sin_q30);
    float c = (float)cos_q30 / 1073741824.0f, s = (float)sin_q30 / 1073741824.0f;
    if (nodes->view == VIEW_SIDE)
        *to = (transform_2d){{c < 0 ? -1.0f : 1.0f, 0}, {0, 1}, {0, 0}};
    else
        *to = (transform_2d){{c, s}, {-s, c}, {0, 0}};
    to->origin[0] = (float)row->x * nodes->units;
    to->origin[1] = (float)(nodes->view == VIEW_SIDE ? -(double)row->y : row->z) * nodes->units;
}

static void put_3d(const gd_nodes *nodes, const fxs_collider *row, transform_3d *to) {
    int32_t cos_q30, sin_q30;
    fxs_direction(row->yaw, &cos_q30, &sin_q30);
    float c = (float)cos_q30 / 1073741824.0f, s = (float)sin_q30 / 1073741824.0f;
    *to = (transform_3d){
        {{c, 0, -s}, {0, 1, 0}, {s, 0, c}},
        {(float)row->x * nodes->units, (float)row->y * nodes->units, (float)row->z * nodes->units}};
}

static transform_2d times_2d(const transform_2d *a, const transform_2d *b) {
    transform_2d out;
    for (int k = 0; k < 2; k++) {
        out.x[k] = a->x[k] * b->x[0] + a->y[k] * b->x[1];
        out.y[k] = a->x[k] * b->y[0] + a->y[k] * b->y[1];
        out.origin[k] = a->x[k] * b->origin[0] + a->y[k] * b->origin[1] + a->origin[k];
    }
    return out;
}

static transform_3d times_3d(const transform_3d *a, const transform_3d *b) {
    transform_3d out;
    for (int i = 0; i < 3; i++) {
        out.origin[i] = a->origin[i];
        for (int k = 0; k < 3; k++) {
            out.origin[i] += a->basis[i][k] * b->origin[k];
            out.basis[i][k] = 0;
            for (int m = 0; m < 3; m++)
                out.basis[i][k] += a->basis[i][m] * b->basis[m][k];
        }
    }
    return out;
}

/* Puts a node where its collider is: relative to the host, wherever it is in the tree. */
static void set_place(const gd_nodes *nodes, gd_engine_object *host, gd_engine_object *node,
                      bool is_child, const fxs_collider *row) {
    union {
        transform_2d flat;
        transform_3d deep;
    } place, of_host;
    bool is_deep = nodes->view == VIEW_3D;
    if (is_deep)
        put_3d(nodes, row, &place.deep);
    else
        put_2d(nodes, row, &place.flat);
    if (!is_child) {
        gd_engine.object_method_bind_ptrcall(is_deep ? engine.global_3d : engine.global_2d, host,
                                             NULL, &of_host);
        if (is_deep)
            place.deep = times_3d(&of_host.deep, &place.deep);
        else
            place.flat = times_2d(&of_host.flat, &place.flat);
    }
    const void *arguments[] = {&place};
    gd_engine.object_method_bind_ptrcall(is_child ? is_deep ? engine.set_3d : engine.set_2d
                                         : is_deep ? engine.set_global_3d
                                                   : engine.set_global_2d,
                                         node, arguments, NULL);
}

static void show(gd_call *call) {
    gd_nodes *nodes = self(call);
    gd_world *world = gd_world_of(call, 0);
    gd_engine_object *host = gd_engine.object_get_instance_from_id(nodes->host);
    if (world == NULL || host == NULL)
        return;
    uint32_t n = fxs_world_count(world->world);
    if (!gd_grow(call, &world->answers, (uint64_t)n * sizeof(fxs_collider)))
        return;
    const fxs_collider *row = world->answers.at;
    if (n > 0)
        fxs_world_colliders(world->world, world->answers.at);
    int64_t moved = 0;
    for (uint32_t k = 0; k < n; k++, row++) {
        shown *to = row->id < nodes->count ? &nodes->rows[row->id] : NULL;
        if (to == NULL || to->node == 0)
            continue;
        gd_engine_object *node = gd_engine.object_get_instance_from_id(to->node);
        if (node == NULL) {
            to->node = 0;
            continue;
        }
        gd_engine_object *parent = NULL;
        gd_engine.object_method_bind_ptrcall(engine.parent, node, NULL, &parent);
        bool is_same = to->x == row->x && to->y == row->y && to->z == row->z &&
                       to->yaw == row->yaw && to->is_known && parent == host;
        if (is_same || parent == NULL)
            continue;
        set_place(nodes, host, node, parent == host, row);
        *to = (shown){to->node, row->x, row->y, row->z, row->yaw, true};
        moved++;
    }
    gd_return_int(call, moved);
}

static const gd_method METHODS[] = {
    {"static create(host: Node, capacity: int, view: int, pixels: int) -> FixsyncNodes", create,
     "Makes an empty set of nodes, whose places are relative to a host. view: 0 for Node3D, 1 for "
     "Node2D seen from above, 2 for Node2D seen from the side. pixels is the length of a unit, in "
     "multiples of 1/65536."},
    {"put(id: int, node: Node) -> bool", put, "Lets a node stand where a collider is."},
    {"drop(id: int)", drop, "Leaves the node of a collider where it is."},
    {"show(world: FixsyncWorld) -> int", show,
     "Puts all nodes where their colliders are, and returns how many moved. A child of the host "
     "whose collider stayed is left alone."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_NODES = {
    "FixsyncNodes",
    "Nodes that stand where colliders are. One call reads all poses and writes all nodes. Freed "
    "nodes are left out.",
    sizeof(gd_nodes),
    free_nodes,
    METHODS,
    NULL,
    "RefCounted",
};
