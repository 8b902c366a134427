/* Two planes: a world of hitboxes with a ground view and a side view (docs/contract.md). */
#include "hitbox.h"

/* Ids of hitboxes are below it, and it is added to those of their side views. */
static uint32_t half_capacity(const fxs_world *world) {
    fxs_config config;
    fxs_world_config(world, &config);
    return config.capacity / 2;
}

int32_t fxs_planes_config(const fxs_config *config, fxs_config *out) {
    fxs_config made = *config;
    if (config->capacity > FXS_CAPACITY_MAX / 2) {
        return FXS_E_CONFIG;
    }
    made.capacity = 2 * config->capacity;
    for (uint32_t i = 0; i < FXS_PLANES_LAYERS; i++) {
        const uint32_t mask = config->layers[i];
        if (mask >> FXS_PLANES_LAYERS != 0 || config->layers[FXS_PLANES_LAYERS + i] != 0) {
            return FXS_E_CONFIG;
        }
        made.layers[FXS_PLANES_LAYERS + i] = mask << FXS_PLANES_LAYERS;
    }
    if (fxs_world_size(&made) == 0) {
        return FXS_E_CONFIG;
    }
    *out = made;
    return FXS_OK;
}

static int is_planes_command(uint32_t type) {
    return type >= FXS_COMMAND_ADD && type <= FXS_COMMAND_LAYERS && type != FXS_COMMAND_TURN &&
           type != FXS_COMMAND_POSE && type != FXS_COMMAND_OFFSET;
}

/* Whether a command reads the field that `changing`, a type, changes. */
static int reads(uint32_t type, uint32_t changing) {
    return type == FXS_COMMAND_ADD || type == changing;
}

/* The layer of a view and, of a row of the matrix, its mask. */
static void put_layer(fxs_command *row, const fxs_planes_command *c, uint32_t view, int is_matrix) {
    const uint32_t layer = c->hitbox.layer;
    const int is_mask = !is_matrix || c->mask >> FXS_PLANES_LAYERS == 0;
    if (layer >= FXS_PLANES_LAYERS || !is_mask) {
        row->collider.layer = UINT8_MAX;
        return;
    }
    row->collider.layer = (uint8_t)(layer + FXS_PLANES_LAYERS * view);
    row->mask = is_matrix ? c->mask << FXS_PLANES_LAYERS * view : 0;
}

/* The command of the world that makes a change in the ground view (0) or the side view (1): the
 * fields that its type reads, the others 0. A field out of range becomes one that the world refuses
 * with the same status. */
static fxs_command view_command(const fxs_planes_command *c, uint32_t view, uint32_t half) {
    const fxs_hitbox *h = &c->hitbox;
    const fxs_shape shape = view == 0 ? ground_view(h) : side_view(h);
    const fxs_pose pose = view == 0 ? ground_pose(h) : side_pose(h);
    const uint32_t type = c->type;
    const int is_matrix = type == FXS_COMMAND_LAYERS;
    fxs_command row = {0};
    fxs_collider *to = &row.collider;
    if (!is_planes_command(type)) {
        return row; /* 0: not a command */
    }
    row.type = type == FXS_COMMAND_MOVE ? FXS_COMMAND_POSE : type;
    if (!is_matrix) {
        to->id = h->id < half ? h->id + half * view : UINT32_MAX;
    }
    if (is_matrix || reads(type, FXS_COMMAND_LAYER)) {
        put_layer(&row, c, view, is_matrix);
    }
    if (reads(type, FXS_COMMAND_MOVE)) {
        to->x = pose.x;
        to->y = pose.y;
        to->z = pose.z;
    }
    if (reads(type, FXS_COMMAND_SHAPE)) {
        to->kind = is_ground_kind(h->kind) ? (uint8_t)shape.kind : UINT8_MAX;
        memcpy(to->size, shape.size, sizeof to->size);
    }
    if (reads(type, FXS_COMMAND_OWNER)) {
        to->owner = h->owner;
    }
    if (reads(type, FXS_COMMAND_ACTIVE)) {
        to->active = h->active;
    }
    to->zero = type == FXS_COMMAND_ADD ? h->zero : 0;
    return row;
}

int32_t fxs_planes_apply(fxs_world *world, const fxs_planes_command *commands, uint64_t n,
                         fxs_command *rows, uint64_t *bad) {
    const uint32_t half = half_capacity(world);
    uint64_t at = 0;
    for (uint64_t i = 0; i < n; i++) {
        rows[2 * i] = view_command(commands + i, 0, half);
        rows[2 * i + 1] = view_command(commands + i, 1, half);
    }
    const int32_t status = fxs_world_apply(world, rows, 2 * n, &at);
    if (status != FXS_OK) {
        *bad = at / 2;
    }
    return status;
}

/* fxs_planes_get with the half known. */
static int32_t get_hitbox(const fxs_world *world, uint32_t half, uint32_t id, fxs_hitbox *out) {
    fxs_collider ground, side;
    if (id >= half) {
        return FXS_E_ID;
    }
    if (fxs_world_get(world, id, &ground) != FXS_OK ||
        fxs_world_get(world, half + id, &side) != FXS_OK) {
        return FXS_E_ABSENT;
    }
    fxs_hitbox h = {0};
    h.id = id;
    h.kind = ground.kind;
    h.layer = ground.layer;
    h.active = ground.active;
    h.owner = ground.owner;
    h.x = ground.x;
    h.y = side.y;
    h.z = ground.z;
    h.ground[0] = ground.size[0];
    h.ground[1] = ground.size[2];
    h.side[0] = side.size[0];
    h.side[1] = side.size[1];
    if (fxs_hitbox_status(&h) != FXS_OK) { /* the world was changed otherwise */
        return FXS_E_ABSENT;
    }
    *out = h;
    return FXS_OK;
}

int32_t fxs_planes_get(const fxs_world *world, uint32_t id, fxs_hitbox *out) {
    return get_hitbox(world, half_capacity(world), id, out);
}

/* ---- events and hits ---- */

static uint64_t pair_key(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }

/* The events of a pair in one view, in a step. */
typedef struct report {
    int was_hit, is_hit, was_replaced;
    uint32_t contact;
} report;

/* The report of the pair at `*at`, which is moved on to the next pair. */
static report take_report(const fxs_event *events, uint64_t *at, uint64_t end) {
    const uint64_t key = pair_key(events[*at].a, events[*at].b);
    report r = {0, 0, 0, FXS_APART};
    for (; *at < end && pair_key(events[*at].a, events[*at].b) == key; ++*at) {
        const fxs_event *e = events + *at;
        r.was_replaced = r.was_hit;
        r.was_hit |= e->kind != FXS_ENTER;
        r.is_hit = e->kind != FXS_EXIT;
        r.contact = e->contact;
    }
    return r;
}

/* Whether a step may write e after `before` (NULL: first). */
static int is_in_order(const fxs_event *before, const fxs_event *e) {
    const uint64_t key = pair_key(e->a, e->b);
    if (e->a >= e->b || e->kind < FXS_ENTER || e->kind > FXS_EXIT || e->contact > FXS_OVERLAPPING) {
        return 0;
    }
    if (before == NULL || key > pair_key(before->a, before->b)) {
        return 1;
    }
    return key == pair_key(before->a, before->b) && before->kind == FXS_EXIT &&
           e->kind == FXS_ENTER;
}

/* How many events are of the ground view. 0 if they are not in the order of a step. */
static int count_ground_events(const fxs_event *events, uint64_t n, uint32_t half,
                               uint64_t *count) {
    *count = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (!is_in_order(i == 0 ? NULL : events + i - 1, events + i)) {
            return 0;
        }
        *count += events[i].a < half;
    }
    return 1;
}

int32_t fxs_planes_events(const fxs_world *world, const fxs_event *events, uint64_t n,
                          fxs_event *out, uint64_t *count) {
    const uint32_t half = half_capacity(world);
    uint64_t ground = 0;
    uint64_t grounds = 0;
    uint64_t found = 0;
    *count = 0;
    if (!count_ground_events(events, n, half, &grounds)) {
        return FXS_E_ORDER;
    }
    uint64_t side = grounds;
    while (ground < grounds && side < n) {
        const uint32_t a = events[ground].a;
        const uint32_t b = events[ground].b;
        const uint64_t ground_key = pair_key(a, b);
        const uint64_t side_key = pair_key(events[side].a - half, events[side].b - half);
        if (ground_key != side_key) {
            ground += ground_key < side_key;
            side += side_key < ground_key;
            continue;
        }
        const report g = take_report(events, &ground, grounds);
        const report s = take_report(events, &side, n);
        const int was_hit = g.was_hit && s.was_hit;
        const int is_hit = g.is_hit && s.is_hit;
        const int stays = was_hit && is_hit && !g.was_replaced && !s.was_replaced;
        if (was_hit && !stays) {
            const fxs_event e = {a, b, FXS_EXIT, FXS_APART};
            out[found++] = e;
        }
        if (is_hit) {
            const uint32_t contact = g.contact < s.contact ? g.contact : s.contact;
            const fxs_event e = {a, b, stays ? FXS_STAY : FXS_ENTER, contact};
            out[found++] = e;
        }
    }
    *count = found;
    return FXS_OK;
}

uint64_t fxs_planes_hits(const fxs_world *world, fxs_hit *out) {
    const uint32_t half = half_capacity(world);
    const uint64_t n = fxs_world_hit_count(world);
    uint64_t ground = 0;
    uint64_t side = 0;
    uint64_t found = 0;
    fxs_world_hits(world, out);
    while (side < n && out[side].a < half) {
        side++;
    }
    const uint64_t grounds = side;
    while (ground < grounds && side < n) {
        const fxs_hit g = out[ground];
        const fxs_hit s = out[side];
        const uint64_t ground_key = pair_key(g.a, g.b);
        const uint64_t side_key = pair_key(s.a - half, s.b - half);
        if (ground_key == side_key) { /* found <= ground: it was read */
            out[found] = g;
            out[found++].contact = g.contact < s.contact ? g.contact : s.contact;
        }
        ground += ground_key <= side_key;
        side += side_key <= ground_key;
    }
    return found;
}

/* ---- queries and casts ---- */

int32_t fxs_planes_query(fxs_world *world, const fxs_hitbox *hitbox, uint32_t mask,
                         uint32_t exclude_owner, uint32_t hit_when, uint32_t *ids,
                         uint64_t id_capacity, uint64_t *count) {
    *count = 0;
    int32_t status = fxs_hitbox_status(hitbox);
    if (status != FXS_OK) {
        return status;
    }
    if (mask >> FXS_PLANES_LAYERS != 0) {
        return FXS_E_RANGE;
    }
    const uint32_t half = half_capacity(world);
    const fxs_query queries[2] = {
        {ground_view(hitbox), ground_pose(hitbox), mask, exclude_owner, hit_when},
        {side_view(hitbox), side_pose(hitbox), mask << FXS_PLANES_LAYERS, exclude_owner, hit_when}};
    uint64_t ends[2];
    status = fxs_world_query_many(world, queries, 2, ends, ids, id_capacity, count);
    if (status != FXS_OK) {
        return status;
    }
    uint64_t found = 0;
    uint64_t side = ends[0];
    for (uint64_t i = 0; i < ends[0] && ids[i] < half; i++) {
        const uint32_t id = ids[i];
        while (side < ends[1] && ids[side] < half + id) {
            side++;
        }
        if (side < ends[1] && ids[side] == half + id) {
            ids[found++] = id;
        }
    }
    *count = found;
    return FXS_OK;
}

/* Of the hits of a hitbox's ground view, those in which the side view has a part, in order: how
 * many, at most `limit` if that is not 0. */
static uint64_t keep_joined(const fxs_world *world, const fxs_hitbox *own, const int32_t *motion,
                            uint32_t limit, uint32_t hit_when, fxs_cast_hit *hits, uint64_t n) {
    fxs_config config;
    fxs_hitbox other;
    fxs_world_config(world, &config);
    const uint32_t half = config.capacity / 2;
    const int when = (int)(hit_when ? hit_when : config.hit_when);
    uint64_t found = 0;
    for (uint64_t i = 0; i < n; i++) {
        fxs_cast_hit hit = {hits[i].id, 0, {0, 0, 0}};
        if (get_hitbox(world, half, hit.id, &other) != FXS_OK) {
            continue;
        }
        const int32_t fraction = fxs_hitbox_first(own, motion, &other, when);
        if (fraction != NONE) {
            hit.fraction = (uint32_t)fraction;
            put_distance(&hit, fxs_hitbox_normal(own, motion, &other, fraction, hit.normal));
            hits[found++] = hit;
        }
    }
    fxs_sort_cast_hits(hits, found);
    found = limit != 0 && found > limit ? limit : found;
    for (uint64_t i = 0; i < found; i++) {
        get_hitbox(world, half, hits[i].id, &other);
        fxs_hitbox_normal(own, motion, &other, (int32_t)hits[i].fraction, hits[i].normal);
    }
    return found;
}

int32_t fxs_planes_cast(fxs_world *world, const fxs_hitbox_cast *cast, fxs_cast_hit *hits,
                        uint64_t hit_capacity, uint64_t *count) {
    const fxs_hitbox *own = &cast->hitbox;
    *count = 0;
    int32_t status = fxs_hitbox_status(own);
    if (status != FXS_OK) {
        return status;
    }
    if (!is_motion(cast->motion)) {
        return FXS_E_MOTION;
    }
    if (cast->mask >> FXS_PLANES_LAYERS != 0) {
        return FXS_E_RANGE;
    }
    const fxs_cast ground = {
        ground_view(own), ground_pose(own),    {cast->motion[0], 0, cast->motion[2]},
        cast->mask,       cast->exclude_owner, 0,
        cast->hit_when};
    status = fxs_world_cast(world, &ground, hits, hit_capacity, count);
    if (status == FXS_OK) {
        *count = keep_joined(world, own, cast->motion, cast->limit, cast->hit_when, hits, *count);
    }
    return status;
}

int32_t fxs_planes_sweep(fxs_world *world, uint32_t id, const int32_t motion[3], uint32_t limit,
                         uint32_t hit_when, fxs_cast_hit *hits, uint64_t hit_capacity,
                         uint64_t *count) {
    fxs_hitbox own;
    *count = 0;
    int32_t status = fxs_planes_get(world, id, &own);
    if (status != FXS_OK) {
        return status;
    }
    if (!is_motion(motion)) {
        return FXS_E_MOTION;
    }
    const int32_t ground[3] = {motion[0], 0, motion[2]};
    status = fxs_world_sweep(world, id, ground, 0, hit_when, hits, hit_capacity, count);
    if (status == FXS_OK) {
        *count = keep_joined(world, &own, motion, limit, hit_when, hits, *count);
    }
    return status;
}
