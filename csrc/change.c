/* Changes of a world (docs/contract.md, World). A refused call changes nothing: most check before
 * they store; fxs_world_add_many and fxs_world_apply undo what they stored. */
#include "derive.h"
#include "moved.h"

static void mark_changed(fxs_world *w, uint32_t id) {
    FXS_ASSERT(id < w->capacity);
    w->changed_count += !set_has(changed_set(w), id);
    set_put(changed_set(w), id);
}

static int32_t addable(const fxs_world *w, const fxs_collider *c, placed_shape *s, anchor *p) {
    if (c->id >= w->capacity) {
        return FXS_E_ID;
    }
    if (set_has(present_set(w), c->id)) {
        return FXS_E_TAKEN;
    }
    int32_t status = collider_status(c);
    if (status == FXS_OK) {
        copy_fields((const uint8_t *)c, s, p);
        derive_unturned(w, s, p);
        status = derive_placed(s, p);
    }
    return status;
}

int32_t fxs_world_add_many(fxs_world *world, const fxs_collider *added, uint64_t n, uint64_t *bad) {
    placed_shape s;
    anchor p;
    for (uint64_t i = 0; i < n; i++) {
        int32_t status = addable(world, added + i, &s, &p);
        if (status != FXS_OK) {
            *bad = i;
            while (i--) {
                set_drop(present_set(world), added[i].id);
            }
            return status;
        }
        /* An absent id's slot holds nothing, so it may be filled before the whole is known to
         * succeed. */
        set_put(present_set(world), s.id);
        placed_shapes(world)[s.id] = s;
        anchors(world)[s.id] = p;
    }
    for (uint64_t i = 0; i < n; i++) {
        mark_changed(world, added[i].id);
        grid_moved(world, added[i].id);
    }
    world->count += (uint32_t)n; /* n new ids below the capacity: at most 2^31 */
    FXS_ASSERT(world->count <= world->capacity);
    return FXS_OK;
}

int32_t fxs_world_add(fxs_world *world, const fxs_collider *collider) {
    uint64_t bad;
    return fxs_world_add_many(world, collider, 1, &bad);
}

int32_t fxs_world_remove(fxs_world *world, uint32_t id) {
    int32_t status = find(world, id);
    if (status == FXS_OK) {
        set_drop(present_set(world), id);
        mark_changed(world, id);
        grid_moved(world, id);
        FXS_ASSERT(world->count > 0);
        world->count--;
    }
    return status;
}

/* Stores the changed copies of a collider if its centre is in range. */
static int32_t store(fxs_world *w, placed_shape *s, const anchor *p) {
    uint32_t id = s->id;
    int32_t status = derive_placed(s, p);
    if (status == FXS_OK) {
        placed_shapes(w)[id] = *s;
        anchors(w)[id] = *p;
        grid_moved(w, id);
    }
    return status;
}

/* The rows of a change of many: ids with positions or poses beside them, or else commands. */
typedef struct row_source {
    const uint32_t *ids;
    const int32_t *positions;
    const fxs_pose *poses;
    const fxs_command *commands;
} row_source;

SPECIALISED uint32_t row_id(const row_source *r, uint64_t i) {
    return r->commands ? r->commands[i].collider.id : r->ids[i];
}

/* x, y and z lie beside each other. */
SPECIALISED const int32_t *row_position(const row_source *r, uint64_t i) {
    return r->commands ? &r->commands[i].collider.x : r->positions + 3 * i;
}

/* The same of rows with a yaw. */
SPECIALISED const int32_t *row_pose(const row_source *r, uint64_t i) {
    return r->commands ? &r->commands[i].collider.x : &r->poses[i].x;
}

SPECIALISED uint32_t row_yaw(const row_source *r, uint64_t i) {
    return r->commands ? r->commands[i].collider.yaw : r->poses[i].yaw;
}

SPECIALISED int32_t move_rows(fxs_world *world, uint64_t n, row_source r, uint64_t *bad) {
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t id = row_id(&r, i);
        int32_t status = find(world, id);
        if (status == FXS_OK && has_offset(anchors(world) + id)) {
            anchor p = anchors(world)[id];
            memcpy(&p, row_position(&r, i), 12);
            placed_shape s = placed_shapes(world)[id];
            status = set_centre_and_direction(&s, &p);
        }
        if (status != FXS_OK) {
            *bad = i;
            return status;
        }
    }
    derive(world);
    const int is_kept = grid_keeps(world, n);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t id = row_id(&r, i);
        placed_shape *now = placed_shapes(world) + id;
        anchor *p = anchors(world) + id;
        memcpy(p, row_position(&r, i), 12); /* x, y, z */
        if (has_offset(p)) {
            set_centre_and_direction(now, p);
        } else {
            memcpy(now, row_position(&r, i), 12);
        }
    }
    for (uint64_t i = 0; is_kept && i < n; i++) {
        grid_moved(world, row_id(&r, i));
    }
    return FXS_OK;
}

int32_t fxs_world_move_many(fxs_world *world, const uint32_t *ids, const int32_t *positions,
                            uint64_t n, uint64_t *bad) {
    const row_source r = {ids, positions, NULL, NULL};
    return move_rows(world, n, r, bad);
}

int32_t fxs_world_move(fxs_world *world, uint32_t id, int32_t x, int32_t y, int32_t z) {
    int32_t position[3] = {x, y, z};
    uint64_t bad;
    return fxs_world_move_many(world, &id, position, 1, &bad);
}

/* FXS_OK if every row can be stored, else the status of the first that cannot. `any_offset`:
 * whether one of the colliders has an offset. */
SPECIALISED int32_t check_poses(const fxs_world *w, uint64_t n, const row_source *r,
                                uint32_t *any_offset, uint64_t *bad) {
    *any_offset = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t id = row_id(r, i);
        int32_t status = find(w, id);
        if (status == FXS_OK && row_yaw(r, i) >= FXS_TURN) {
            status = FXS_E_YAW;
        }
        if (status == FXS_OK && has_offset(anchors(w) + id)) {
            anchor p = anchors(w)[id];
            memcpy(&p, row_pose(r, i), 12);
            placed_shape s = placed_shapes(w)[id];
            *any_offset = 1;
            s.yaw = (uint16_t)row_yaw(r, i);
            status = set_centre_and_direction(&s, &p);
        }
        if (status != FXS_OK) {
            *bad = i;
            return status;
        }
    }
    return FXS_OK;
}

/* Stores checked rows, at most TURNING_MAX, then turns the colliders that turned. One that a load
 * left underived is derived here. */
SPECIALISED void place_batch(fxs_world *w, const row_source *r, uint64_t from, uint64_t end,
                             uint32_t any_offset) {
    uint32_t turned_ids[TURNING_MAX];
    uint32_t offset_ids[TURNING_MAX];
    uint32_t turned_count = 0;
    uint32_t offset_count = 0;
    for (uint64_t i = from; i < end; i++) {
        const uint32_t id = row_id(r, i);
        const uint32_t yaw = row_yaw(r, i);
        placed_shape *now = placed_shapes(w) + id;
        anchor *p = anchors(w) + id;
        int32_t position[3];
        memcpy(position, row_pose(r, i), 12);
        memcpy(p, position, 12); /* x, y, z */
        memcpy(now, position, 12);
        uint32_t turns = now->yaw != yaw; /* else direction and extents stay */
        if (w->underived && !is_derived(now)) {
            derive_unturned(w, now, p);
            w->underived--;
            turns = 1;
        }
        now->yaw = (uint16_t)yaw;
        turned_ids[turned_count] = id;
        if (any_offset) {
            turned_count += turns & is_turned(now, p);
            offset_ids[offset_count] = id;
            offset_count += has_offset(p);
        } else {
            turned_count += turns & fxs_kinds[now->kind].is_turned;
        }
    }
    fxs_turn_colliders(w, turned_ids, turned_count, offset_ids, offset_count);
}

SPECIALISED int32_t pose_rows(fxs_world *world, uint64_t n, row_source r, uint64_t *bad) {
    uint32_t any_offset;
    const int32_t status = check_poses(world, n, &r, &any_offset, bad);
    if (status != FXS_OK) {
        return status;
    }
    const int is_kept = grid_keeps(world, n);
    for (uint64_t i = 0; i < n; i += TURNING_MAX) {
        place_batch(world, &r, i, n - i < TURNING_MAX ? n : i + TURNING_MAX, any_offset);
    }
    for (uint64_t i = 0; is_kept && i < n; i++) {
        grid_moved(world, row_id(&r, i));
    }
    return FXS_OK;
}

int32_t fxs_world_set_pose_many(fxs_world *world, const uint32_t *ids, const fxs_pose *poses,
                                uint64_t n, uint64_t *bad) {
    const row_source r = {ids, NULL, poses, NULL};
    return pose_rows(world, n, r, bad);
}

int32_t fxs_world_set_pose(fxs_world *world, uint32_t id, const fxs_pose *pose) {
    uint64_t bad;
    return fxs_world_set_pose_many(world, &id, pose, 1, &bad);
}

int32_t fxs_world_turn(fxs_world *world, uint32_t id, uint32_t yaw) {
    int32_t status = find(world, id);
    if (status != FXS_OK) {
        return status;
    }
    const anchor *p = anchors(world) + id;
    fxs_pose pose = {p->x, p->y, p->z, yaw};
    return fxs_world_set_pose(world, id, &pose);
}

int32_t fxs_world_set_shape(fxs_world *world, uint32_t id, const fxs_shape *shape) {
    int32_t status = find(world, id);
    if (status == FXS_OK) {
        status = fxs_shape_check(shape);
    }
    if (status == FXS_OK) {
        derive(world);
        placed_shape s = placed_shapes(world)[id];
        s.kind = (uint8_t)shape->kind;
        s.half_angle = (uint16_t)shape->half_angle;
        memcpy(s.size, shape->size, sizeof s.size);
        status = store(world, &s, anchors(world) + id);
    }
    return status;
}

int32_t fxs_world_set_offset(fxs_world *world, uint32_t id, int32_t ox, int32_t oy, int32_t oz) {
    int32_t status = find(world, id);
    if (status == FXS_OK) {
        derive(world);
        placed_shape s = placed_shapes(world)[id];
        anchor p = anchors(world)[id];
        p.ox = ox;
        p.oy = oy;
        p.oz = oz;
        status = store(world, &s, &p);
    }
    return status;
}

int32_t fxs_world_set_owner(fxs_world *world, uint32_t id, uint32_t owner) {
    int32_t status = find(world, id);
    if (status == FXS_OK) {
        placed_shapes(world)[id].owner = owner;
    }
    return status;
}

int32_t fxs_world_set_layer(fxs_world *world, uint32_t id, uint32_t layer) {
    int32_t status = find(world, id);
    if (status == FXS_OK && layer >= FXS_LAYER_COUNT) {
        status = FXS_E_LAYER;
    }
    if (status == FXS_OK) {
        placed_shapes(world)[id].layer = (uint8_t)layer;
        placed_shapes(world)[id].meets = world->layers[layer];
    }
    return status;
}

int32_t fxs_world_set_active(fxs_world *world, uint32_t id, uint32_t active) {
    int32_t status = find(world, id);
    if (status == FXS_OK && active > 1) {
        status = FXS_E_ACTIVE;
    }
    if (status == FXS_OK) {
        placed_shapes(world)[id].active = (uint8_t)active;
        grid_moved(world, id);
    }
    return status;
}

/* The decisions of the masks are kept with each collider. */
static void refresh_meets(fxs_world *w) {
    const uint64_t *present = present_set(w);
    for (uint32_t id = set_next(present, 0, w->capacity); id < w->capacity;
         id = set_next(present, id + 1, w->capacity)) {
        placed_shape *s = placed_shapes(w) + id;
        s->meets = w->layers[s->layer];
    }
}

int32_t fxs_world_set_layers(fxs_world *world, const uint32_t masks[32]) {
    if (!is_symmetric(masks)) {
        return FXS_E_CONFIG;
    }
    memcpy(world->layers, masks, sizeof world->layers);
    refresh_meets(world);
    return FXS_OK;
}

/* ---- commands ---- */

/* Before a collider is changed for the first time, a copy of it goes to its row in the scratch
 * memory, and its id into the set of marks. The copy's `zero` holds flags that a collider does not
 * have. */
enum { WAS_PRESENT = 1, WAS_CHANGED = 2 };

static void keep_before(fxs_world *w, const fxs_command *commands, uint64_t n) {
    grid_stale(w);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t id = commands[i].collider.id;
        if (id >= w->capacity || set_has(mark_set(w), id)) {
            continue;
        }
        set_put(mark_set(w), id);
        const int is_present = set_has(present_set(w), id);
        if (is_present) {
            scratch_placed_shapes(w)[id] = placed_shapes(w)[id];
            scratch_anchors(w)[id] = anchors(w)[id];
        }
        scratch_placed_shapes(w)[id].zero =
            (uint8_t)(WAS_PRESENT * is_present + WAS_CHANGED * set_has(changed_set(w), id));
    }
}

static void assign(uint64_t *set, uint32_t id, int is_member) {
    set_drop(set, id);
    set[id >> 6] |= (uint64_t)is_member << (id & 63);
}

/* Removes the ids of n commands from the set of marks. With `undo`, puts the kept copies back. */
static void drop_kept(fxs_world *w, const fxs_command *commands, uint64_t n, int undo) {
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t id = commands[i].collider.id;
        if (id >= w->capacity || !set_has(mark_set(w), id)) {
            continue;
        }
        set_drop(mark_set(w), id);
        if (undo) {
            const uint8_t was = scratch_placed_shapes(w)[id].zero;
            FXS_ASSERT(was <= WAS_PRESENT + WAS_CHANGED);
            assign(changed_set(w), id, (was & WAS_CHANGED) != 0);
            assign(present_set(w), id, was & WAS_PRESENT);
            if (was & WAS_PRESENT) {
                placed_shapes(w)[id] = scratch_placed_shapes(w)[id];
                placed_shapes(w)[id].zero = 0;
                anchors(w)[id] = scratch_anchors(w)[id];
            }
        }
    }
}

static int32_t apply_one(fxs_world *w, const fxs_command *command) {
    const fxs_collider *c = &command->collider;
    switch (command->type) {
    case FXS_COMMAND_ADD: return fxs_world_add(w, c);
    case FXS_COMMAND_REMOVE: return fxs_world_remove(w, c->id);
    case FXS_COMMAND_TURN: return fxs_world_turn(w, c->id, c->yaw);
    case FXS_COMMAND_SHAPE: {
        const fxs_shape shape = {c->kind, c->half_angle, {c->size[0], c->size[1], c->size[2]}};
        return fxs_world_set_shape(w, c->id, &shape);
    }
    case FXS_COMMAND_OFFSET: return fxs_world_set_offset(w, c->id, c->ox, c->oy, c->oz);
    case FXS_COMMAND_OWNER: return fxs_world_set_owner(w, c->id, c->owner);
    case FXS_COMMAND_LAYER: return fxs_world_set_layer(w, c->id, c->layer);
    case FXS_COMMAND_ACTIVE: return fxs_world_set_active(w, c->id, c->active);
    default: return FXS_E_COMMAND;
    }
}

static int32_t apply_layers(fxs_world *w, const fxs_command *commands, uint64_t n, uint64_t *bad) {
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t layer = commands[i].collider.layer;
        const uint32_t mask = commands[i].mask;
        if (layer >= FXS_LAYER_COUNT) {
            *bad = i;
            return FXS_E_LAYER;
        }
        w->layers[layer] = mask;
        for (uint32_t other = 0; other < FXS_LAYER_COUNT; other++) {
            w->layers[other] = (w->layers[other] & ~((uint32_t)1 << layer)) | (mask >> other & 1)
                                                                                  << layer;
        }
    }
    refresh_meets(w);
    return FXS_OK;
}

/* Commands of one type. */
static int32_t apply_run(fxs_world *w, const fxs_command *commands, uint64_t n, uint64_t *bad) {
    const row_source r = {NULL, NULL, NULL, commands};
    switch (commands->type) {
    case FXS_COMMAND_MOVE: return move_rows(w, n, r, bad);
    case FXS_COMMAND_POSE: return pose_rows(w, n, r, bad);
    case FXS_COMMAND_LAYERS: return apply_layers(w, commands, n, bad);
    default:
        for (uint64_t i = 0; i < n; i++) {
            int32_t status = apply_one(w, commands + i);
            if (status != FXS_OK) {
                *bad = i;
                return status;
            }
        }
        return FXS_OK;
    }
}

/* Whether apply_run changes nothing where it refuses one of n commands. */
static int is_all_or_none(uint32_t type, uint64_t n) {
    return n == 1 || type == FXS_COMMAND_MOVE || type == FXS_COMMAND_POSE;
}

int32_t fxs_world_apply(fxs_world *world, const fxs_command *commands, uint64_t n, uint64_t *bad) {
    const fxs_world before = *world;
    uint64_t end = 0;
    uint64_t kept = 0;
    uint64_t at_run = 0;
    int32_t status = FXS_OK;
    for (uint64_t i = 0; i < n && status == FXS_OK; i = end) {
        const uint32_t type = commands[i].type;
        end = i + 1;
        while (end < n && commands[end].type == type) {
            end++;
        }
        if (i > 0 || end < n || !is_all_or_none(type, n)) {
            keep_before(world, commands + i, end - i);
            kept = end;
        }
        status = apply_run(world, commands + i, end - i, &at_run);
        at_run += i;
    }
    drop_kept(world, commands, kept, status != FXS_OK);
    if (status != FXS_OK) {
        if (kept) {
            *world = before;
            grid_stale(world);
            refresh_meets(world);
        }
        *bad = at_run;
    }
    return status;
}
