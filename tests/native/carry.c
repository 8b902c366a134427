/* fxs_carry against a stepper of one raw unit: `carry SEED CALLS SHAPES SCALE`. SHAPES 0: boxes at
 * quarter turns, cylinders, and solids like them, whose steps are decided here, by comparing
 * integers; 1: all shapes, a step being a cast of the kernel over one raw unit. SCALE multiplies
 * sizes, places and motions. Prints what happened with a hash of all results, which every processor
 * gives alike, or the first difference; exit code 1 for one. */
#include "fixsync_kit.h"
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY 10
#define SOLIDS_MAX 4
#define THINGS (CAPACITY + SOLIDS_MAX)
#define LEVEL_ID ((uint32_t)1 << 31)
#define Q30 ((int64_t)1 << 30)

static uint64_t state;
static int all_shapes;
static int32_t scale;

static int32_t below(int32_t n) { return (int32_t)fxs_random_below(&state, (uint64_t)n); }
static int32_t within(int32_t n) { return below(2 * n + 1) - n; }

/* A collider, or a solid as if it was one. */
typedef struct thing {
    fxs_collider c;
    int is_there, is_solid;
} thing;

static thing things[THINGS];
static uint32_t solid_count;
static fxs_mover movers[CAPACITY];
static uint32_t ids[CAPACITY], mover_count, id_count;
static int32_t motion[3];
static _Alignas(8) uint64_t level_memory[1 << 10], world_memory[1 << 12], twin_memory[1 << 12],
    pair_memory[1 << 12];
static fxs_level *const level = (fxs_level *)(void *)level_memory;
static fxs_world *const world = (fxs_world *)(void *)world_memory,
                 *const twin = (fxs_world *)(void *)twin_memory,
                 *const pair = (fxs_world *)(void *)pair_memory;

/* ---- the stepper ---- */

typedef struct hit {
    uint32_t id, fraction;
    int32_t up;       /* y of the normal */
    int64_t distance; /* of own steps, in 2^-30 raw units */
    int is_hit, overlaps;
} hit;

static int64_t absolute(int64_t v) { return v < 0 ? -v : v; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Whether two overlap, d from each other on each axis, in 1/65536 raw units. */
static int are_in(const fxs_collider *a, const fxs_collider *b, const int64_t *d) {
    if (absolute(d[1]) >= ((int64_t)a->size[1] + b->size[1]) * 65536) {
        return 0;
    }
    int64_t reach = 0, gap[2] = {absolute(d[0]), absolute(d[2])};
    const fxs_collider *both[2] = {a, b};
    int boxes = 0;
    for (int i = 0; i < 2; i++) {
        const fxs_collider *c = both[i];
        if (c->kind == FXS_CYLINDER) {
            reach += c->size[0];
        } else {
            const int turn = c->yaw / 16384 % 2;
            gap[0] -= (int64_t)c->size[turn ? 2 : 0] * 65536;
            gap[1] -= (int64_t)c->size[turn ? 0 : 2] * 65536;
            boxes++;
        }
    }
    if (boxes == 2) {
        return gap[0] < 0 && gap[1] < 0;
    }
    reach *= 65536; /* below 2^31.3: scales up to 2000 */
    if (gap[0] >= reach || gap[1] >= reach) {
        return 0;
    }
    const int64_t x = boxes ? most(gap[0], 0) : gap[0], z = boxes ? most(gap[1], 0) : gap[1];
    return (uint64_t)(x * x) + (uint64_t)(z * z) < (uint64_t)(reach * reach);
}

/* The same at some time of the first `part` / 65536 of a raw unit along an axis. */
static int come_in(const fxs_collider *a, const fxs_collider *b, const int64_t *d, int axis,
                   int sign, int64_t part) {
    int64_t at[3] = {d[0] * 65536, d[1] * 65536, d[2] * 65536};
    const int64_t end = at[axis] + sign * part;
    if ((at[axis] < 0) != (end < 0)) {
        at[axis] = 0;
    } else if (absolute(end) < absolute(at[axis])) {
        at[axis] = end;
    }
    return are_in(a, b, at);
}

/* The root of v * 2^28, rounded down, by digits. */
static int64_t root_of(uint64_t v) {
    uint64_t root = 0, rest = 0;
    for (int at = 62; at >= -28; at -= 2) {
        rest = rest << 2 | (at >= 0 ? v >> at & 3 : 0);
        root <<= 1;
        if (rest > 2 * root) {
            rest -= 2 * root + 1;
            root++;
        }
    }
    return (int64_t)root;
}

/* The gap between two that do not overlap, d from each other, in 1/65536 raw units: along y if they
 * are above one another, else on the ground. */
static int64_t gap_of(const fxs_collider *a, const fxs_collider *b, const int64_t *d) {
    const int64_t rise = absolute(d[1]) - ((int64_t)a->size[1] + b->size[1]) * 65536;
    if (rise >= 0) {
        return rise * 16384;
    }
    int64_t reach = 0, gap[2] = {absolute(d[0]), absolute(d[2])};
    const fxs_collider *both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const fxs_collider *c = both[i];
        if (c->kind == FXS_CYLINDER) {
            reach += c->size[0];
        } else {
            const int turn = c->yaw / 16384 % 2;
            gap[0] -= (int64_t)c->size[turn ? 2 : 0] * 65536;
            gap[1] -= (int64_t)c->size[turn ? 0 : 2] * 65536;
        }
    }
    if (reach == 0) {
        return most(most(gap[0], gap[1]), 0) * 16384;
    }
    const int64_t x = most(gap[0], 0), z = most(gap[1], 0);
    return most(root_of((uint64_t)(x * x) + (uint64_t)(z * z)) - reach * Q30, 0);
}

static hit own_step(const fxs_collider *a, const fxs_collider *b, int axis, int sign) {
    const int64_t d[3] = {(int64_t)a->x + a->ox - b->x - b->ox,
                          (int64_t)a->y + a->oy - b->y - b->oy,
                          (int64_t)a->z + a->oz - b->z - b->oz};
    hit h = {b->id, 0, 0, 0, come_in(a, b, d, axis, sign, 65536), come_in(a, b, d, axis, sign, 0)};
    if (h.is_hit && !h.overlaps) {
        uint32_t low = 0, high = 65535;
        while (low < high) {
            const uint32_t middle = (low + high) / 2;
            if (come_in(a, b, d, axis, sign, middle + 1)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        h.fraction = low;
        int64_t at[3] = {d[0] * 65536, d[1] * 65536, d[2] * 65536};
        at[axis] += sign * (int64_t)low;
        h.distance = gap_of(a, b, at);
        h.up = at[1] >= ((int64_t)a->size[1] + b->size[1]) * 65536 ? (int32_t)Q30 : 0;
    }
    return h;
}

static fxs_shape shape_of(const fxs_collider *c) {
    fxs_shape s = {c->kind, c->half_angle, {c->size[0], c->size[1], c->size[2]}};
    return s;
}
static fxs_pose centre_of(const fxs_collider *c) {
    fxs_pose p = {c->x + c->ox, c->y + c->oy, c->z + c->oz, c->yaw};
    return p;
}

/* A step of a by a raw unit, against b. */
static hit step_of(const thing *a, const thing *b, int axis, int sign) {
    if (!all_shapes) {
        return own_step(&a->c, &b->c, axis, sign);
    }
    hit h = {b->c.id, 0, 0, 0, 0, 0};
    const fxs_shape sa = shape_of(&a->c), sb = shape_of(&b->c);
    const fxs_pose pa = centre_of(&a->c), pb = centre_of(&b->c);
    int32_t by[3] = {0, 0, 0}, normal[3] = {0, 0, 0}, fraction = 0;
    const int32_t still[3] = {0, 0, 0};
    by[axis] = sign;
    if (b->is_solid) {
        fxs_cast cast = {sa, pa, {by[0], by[1], by[2]}, UINT32_MAX, 0, 0, FXS_OVERLAPPING};
        fxs_cast_hit hits[SOLIDS_MAX];
        uint64_t count = 0;
        fxs_level_cast(level, &cast, hits, SOLIDS_MAX, &count);
        for (uint64_t i = 0; i < count; i++) {
            if (hits[i].id == b->c.id) {
                h.is_hit = 1;
                fraction = (int32_t)hits[i].fraction;
                memcpy(normal, hits[i].normal, sizeof normal);
            }
        }
    } else {
        h.is_hit =
            fxs_cast_pair(&sa, &pa, by, &sb, &pb, still, FXS_OVERLAPPING, &fraction, normal) == 1;
    }
    h.fraction = (uint32_t)fraction;
    h.up = normal[1];
    h.overlaps = h.is_hit && !normal[0] && !normal[1] && !normal[2];
    return h;
}

/* Whether two colliders overlap. */
static int do_overlap(const fxs_collider *a, const fxs_collider *b) {
    if (all_shapes) {
        const fxs_shape sa = shape_of(a), sb = shape_of(b);
        const fxs_pose pa = centre_of(a), pb = centre_of(b);
        return fxs_overlap(&sa, &pa, &sb, &pb) == FXS_OVERLAPPING;
    }
    const int64_t d[3] = {((int64_t)a->x + a->ox - b->x - b->ox) * 65536,
                          ((int64_t)a->y + a->oy - b->y - b->oy) * 65536,
                          ((int64_t)a->z + a->oz - b->z - b->oz) * 65536};
    return are_in(a, b, d);
}

static int is_floor(const thing *a, const thing *b, const fxs_mover *m, int32_t up) {
    const int64_t touched = a->c.kind <= FXS_CAPSULE ? a->c.size[0] * (Q30 - up) : 0;
    return up >= m->floor_y_q30 ||
           (up > 0 && touched <= m->step_height * Q30 && (b->is_solid || b->c.kind > FXS_CAPSULE));
}

/* Whether b may block a mover at all. */
static int may_block(const fxs_mover *m, const thing *a, const thing *b) {
    const uint32_t mask = (m->mask ? m->mask : UINT32_MAX) | m->one_way;
    return b->is_there && a != b && b->c.active && is_body_kind(b->c.kind) &&
           (mask >> b->c.layer & 1) && (a->c.owner == 0 || a->c.owner != b->c.owner);
}

static int in_set(uint32_t id) {
    for (uint32_t i = 0; i < id_count; i++) {
        if (ids[i] == id) {
            return 1;
        }
    }
    return 0;
}
static int in_list(uint32_t id) {
    for (uint32_t i = 0; i < mover_count; i++) {
        if (movers[i].id == id) {
            return (int)i;
        }
    }
    return -1;
}

enum { OBSTACLES, PLATFORM, HARD_PLATFORM, FLOORS };

/* Whether h comes before `other`, by (fraction, distance, id). The kernel returns no
 * distance: where one decides, a cast in a world of these two does. */
static int is_before(const thing *a, const hit *h, const hit *other, int axis, int sign) {
    if (h->fraction != other->fraction) {
        return h->fraction < other->fraction;
    }
    if (!all_shapes) {
        return h->distance != other->distance ? h->distance < other->distance : h->id < other->id;
    }
    fxs_config config = {CAPACITY, 64, FXS_TOUCHING, {0}};
    fxs_world_init(pair, &config);
    fxs_world_attach(pair, level);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        if (i == h->id || i == other->id) {
            fxs_world_add(pair, &things[i].c);
        }
    }
    fxs_cast cast = {shape_of(&a->c), centre_of(&a->c), {0, 0, 0}, UINT32_MAX, 0, 0,
                     FXS_OVERLAPPING};
    fxs_cast_hit hits[SOLIDS_MAX + 2];
    uint64_t count = 0;
    cast.motion[axis] = sign;
    fxs_world_cast(pair, &cast, hits, SOLIDS_MAX + 2, &count);
    for (uint64_t i = 0; i < count; i++) {
        if (hits[i].id == h->id || hits[i].id == other->id) {
            return hits[i].id == h->id;
        }
    }
    abort(); /* both are hit */
}

/* The first hit of a step. */
static hit first_of(const fxs_mover *m, int what, int axis, int sign) {
    const thing *a = things + m->id;
    hit first = {0, 0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < THINGS; i++) {
        const thing *b = things + i;
        const int is_set = !b->is_solid && in_set(b->c.id),
                  is_other = is_set || (!b->is_solid && in_list(b->c.id) >= 0),
                  is_one_way = m->one_way >> b->c.layer & 1;
        if (!may_block(m, a, b) || (what == OBSTACLES && is_other) ||
            ((what == PLATFORM || what == HARD_PLATFORM) && !is_set) ||
            (what == HARD_PLATFORM && is_one_way)) {
            continue;
        }
        const hit h = step_of(a, b, axis, sign);
        if (!h.is_hit || h.overlaps ||
            ((what == FLOORS || is_one_way) &&
             (axis != 1 || sign > 0 || !is_floor(a, b, m, h.up)))) {
            continue;
        }
        if (!first.is_hit || is_before(a, &h, &first, axis, sign)) {
            first = h;
        }
    }
    return first;
}

typedef struct rider {
    int32_t floor;   /* of the list, or -1 */
    int is_decided, rides, rides_now, is_done; /* at all; on this axis; in this step */
    uint32_t floor_id;
    fxs_carried row;
    int32_t by[3];
} rider;

static rider riders[CAPACITY];

static void decide(uint32_t i) {
    rider *r = riders + i;
    if (r->is_decided) {
        return;
    }
    r->is_decided = 1;
    const hit floor = first_of(movers + i, FLOORS, 1, -1);
    if (floor.is_hit) {
        r->floor_id = floor.id;
        r->floor = floor.id < LEVEL_ID ? in_list(floor.id) : -1;
        if (r->floor >= 0) {
            decide((uint32_t)r->floor);
            r->rides = riders[r->floor].rides;
        } else {
            r->rides = floor.id < LEVEL_ID && in_set(floor.id);
        }
    }
    if (r->rides) {
        r->row.flags = FXS_RODE;
        r->row.by = r->floor_id;
    }
}

static void stopped(rider *r, uint32_t by) {
    r->row.flags |= FXS_HELD;
    r->row.by = by;
}

/* What one mover does in a step; where it goes is done later, for all. */
static void take(uint32_t i, int axis, int sign) {
    rider *r = riders + i;
    if (r->is_done) {
        return;
    }
    r->is_done = 1;
    memset(r->by, 0, sizeof r->by);
    const hit stop = first_of(movers + i, OBSTACLES, axis, sign);
    if (r->rides_now) {
        if (r->floor >= 0) {
            take((uint32_t)r->floor, axis, sign);
        }
        if (r->floor >= 0 && !riders[r->floor].rides_now) {
            r->rides_now = 0;
            stopped(r, r->floor_id);
        } else if (stop.is_hit) {
            r->rides_now = 0;
            stopped(r, stop.id);
        } else {
            r->by[axis] = sign;
            return;
        }
    }
    const hit shove = first_of(movers + i, PLATFORM, axis, -sign);
    if (!shove.is_hit) {
        return;
    }
    if (r->row.flags == 0) {
        r->row.by = shove.id;
    }
    r->row.flags |= FXS_SHOVED;
    if (!stop.is_hit) {
        r->by[axis] = sign;
        return;
    }
    stopped(r, stop.id);
    if (first_of(movers + i, HARD_PLATFORM, axis, -sign).is_hit) {
        r->row.flags |= FXS_CRUSHED;
    }
}

static void shift(thing *t, const int32_t *by) {
    t->c.x += by[0];
    t->c.y += by[1];
    t->c.z += by[2];
}

static void axis_steps(int axis, int32_t n) {
    const int sign = n < 0 ? -1 : 1;
    int32_t by[3] = {0, 0, 0};
    by[axis] = sign;
    for (uint32_t i = 0; i < mover_count; i++) {
        riders[i].rides_now = riders[i].rides;
    }
    for (int32_t step = 0; step < n * sign; step++) {
        for (uint32_t i = 0; i < mover_count; i++) {
            riders[i].is_done = 0;
        }
        for (uint32_t i = 0; i < mover_count; i++) {
            take(i, axis, sign);
        }
        for (uint32_t i = 0; i < id_count; i++) {
            shift(things + ids[i], by);
        }
        for (uint32_t i = 0; i < mover_count; i++) {
            shift(things + movers[i].id, riders[i].by);
            riders[i].row.motion[axis] += riders[i].by[axis];
        }
    }
}

/* Of every pair of movers, and of mover and platform, at its end. */
static void overlaps_of_the_end(const fxs_collider *first) {
    for (uint32_t i = 0; i < mover_count; i++) {
        fxs_mover hard = movers[i];
        const thing *a = things + hard.id;
        hard.mask = hard.mask ? hard.mask : UINT32_MAX;
        hard.one_way = 0;
        for (uint32_t id = 0; id < CAPACITY; id++) {
            const thing *b = things + id;
            const int j = in_list(id);
            if (!may_block(&hard, a, b) || !do_overlap(&a->c, &b->c)) {
                continue;
            }
            if (in_set(id)) {
                riders[i].row.flags |= FXS_CRUSHED;
            } else if (j >= 0 && a->c.active && !do_overlap(first + hard.id, first + id)) {
                riders[i].row.flags |= FXS_SQUEEZED;
                riders[j].row.flags |= FXS_SQUEEZED;
            }
        }
    }
}

static void step_all(void) {
    fxs_collider first[CAPACITY];
    for (uint32_t id = 0; id < CAPACITY; id++) {
        first[id] = things[id].c;
    }
    memset(riders, 0, sizeof riders);
    for (uint32_t i = 0; i < mover_count; i++) {
        riders[i].floor = -1;
        riders[i].row.id = movers[i].id;
    }
    for (uint32_t i = 0; i < mover_count; i++) {
        decide(i);
    }
    axis_steps(1, motion[1] > 0 ? motion[1] : 0);
    axis_steps(0, motion[0]);
    axis_steps(2, motion[2]);
    axis_steps(1, motion[1] < 0 ? motion[1] : 0);
    for (uint32_t i = 0; i < mover_count; i++) {
        const fxs_collider *c = &things[movers[i].id].c;
        riders[i].row.x = c->x;
        riders[i].row.y = c->y;
        riders[i].row.z = c->z;
    }
    overlaps_of_the_end(first);
}

/* ---- scenes ---- */

static void a_shape(fxs_collider *c) {
    c->kind = (uint8_t)(all_shapes ? below(12) < 11 ? body_kind((uint32_t)below(BODY_KIND_COUNT))
                                                : FXS_SECTOR
                                   : below(3) ? FXS_BOX : FXS_CYLINDER);
    c->yaw = (uint16_t)(all_shapes && below(2) ? below(65536) : below(4) * 16384);
    c->half_angle = (uint16_t)(c->kind == FXS_SECTOR ? 1 + below(32768) : 0);
    const int32_t flat = below(3) ? 1 : 3;
    c->size[0] = (1 + below(3 + flat)) * scale;
    c->size[1] = has_half_height(c->kind) ? (1 + below(3)) * scale : 0;
    c->size[2] = has_half_z(c->kind) ? (1 + below(3 + flat)) * scale : 0;
    for (int i = 0; i < 3; i++) {
        if (scale > 1 && c->size[i] && below(4) == 0) {
            c->size[i] -= below(scale);
        }
    }
    into_ranges(c->kind, c->size);
}

static int32_t height_of(const fxs_collider *c) {
    return c->size[1] + (c->kind <= FXS_CAPSULE ? c->size[0] : 0);
}

static void place(fxs_collider *c, uint32_t others) {
    c->x = within(8) * scale;
    c->y = within(6) * scale;
    c->z = within(8) * scale;
    if (others && below(4)) { /* on another one, or below it */
        const fxs_collider *o = &things[below((int32_t)others)].c;
        const int side = below(4) ? 1 : -1;
        c->x = o->x + o->ox + within(2) * scale;
        c->z = o->z + o->oz + within(2) * scale;
        c->y = o->y + o->oy + side * (height_of(o) + height_of(c)) + (below(6) ? 0 : within(2));
    }
    if (below(6) == 0 && c->yaw == 0) {
        c->ox = within(3);
        c->oy = within(3);
        c->oz = within(3);
        c->x -= c->ox;
        c->y -= c->oy;
        c->z -= c->oz;
    }
    if (scale > 1 && below(2)) {
        c->x += within(scale);
        c->z += within(scale);
    }
}

static uint8_t bytes[1 << 10];
static uint32_t byte_count;
static void put(uint32_t value, int count) {
    for (int i = 0; i < count; i++) {
        bytes[byte_count++] = (uint8_t)(value >> (8 * i));
    }
}

static void a_solid(uint32_t index) {
    thing *t = things + CAPACITY + index;
    fxs_collider *c = &t->c;
    c->kind = below(3) ? FXS_BOX : FXS_CYLINDER;
    c->layer = (uint8_t)below(3);
    c->active = 1;
    c->id = LEVEL_ID + index;
    for (int i = 0; i < 3; i++) {
        c->size[i] = (1 + below(5)) * scale;
    }
    c->x = within(8) * scale;
    c->y = within(8) * scale;
    c->z = within(8) * scale;
    t->is_there = t->is_solid = 1;
    put(c->kind == FXS_BOX ? 5 : 2, 1);
    put(c->layer, 1);
    put(c->kind == FXS_BOX ? 4 : 0, 2);
    put((uint32_t)(c->y - c->size[1]), 4);
    put((uint32_t)(c->y + c->size[1]), 4);
    if (c->kind == FXS_CYLINDER) {
        put((uint32_t)c->x, 4);
        put((uint32_t)c->z, 4);
        put((uint32_t)c->size[0], 4);
        return;
    }
    static const int32_t CORNERS[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < 4; i++) {
        put((uint32_t)(c->x + CORNERS[i][0] * c->size[0]), 4);
        put((uint32_t)(c->z + CORNERS[i][1] * c->size[2]), 4);
    }
}

static fxs_mover a_mover(uint32_t id) {
    static const uint32_t LAYERS[][2] = {{0, 0}, {7, 0}, {7, 0}, {3, 0}, {5, 2}, {3, 4}, {8, 7}};
    fxs_mover m = {id, 0, 4, 0, 0, 759250125, 0};
    const int which = below(7);
    m.mask = LAYERS[which][0];
    m.one_way = LAYERS[which][1];
    m.step_height = below(3) ? 0 : below(3 * scale);
    m.floor_y_q30 = below(4) ? 759250125 : below(2) ? (int32_t)Q30 : 1;
    return m;
}

static int make(void) {
    memset(things, 0, sizeof things);
    byte_count = mover_count = id_count = 0;
    solid_count = (uint32_t)below(SOLIDS_MAX + 1);
    put(0x314C5846, 4);
    put(solid_count, 4);
    for (uint32_t i = 0; i < solid_count; i++) {
        a_solid(i);
    }
    uint64_t bad;
    if (fxs_level_init(level, bytes, byte_count, &bad) != FXS_OK) {
        return 0;
    }
    fxs_config config = {CAPACITY, 64, FXS_TOUCHING, {0}};
    memset(config.layers, 255, sizeof config.layers);
    if (fxs_world_size(&config) > sizeof world_memory) {
        return 0;
    }
    fxs_world_init(world, &config);
    fxs_world_attach(world, level);
    fxs_world_init(twin, &config);
    fxs_world_attach(twin, level);
    const uint32_t count = 3 + (uint32_t)below(CAPACITY - 2);
    for (uint32_t id = 0; id < count; id++) {
        fxs_collider *c = &things[id].c;
        c->id = id;
        c->layer = (uint8_t)below(3);
        c->owner = below(3) ? 0 : 7 + (uint32_t)below(2);
        c->active = below(10) != 0;
        a_shape(c);
        place(c, id);
        things[id].is_there = 1;
        if (fxs_world_add(world, c) != FXS_OK) {
            return 0;
        }
        const int role = below(8);
        if (role < 2 && c->active && is_body_kind(c->kind)) {
            ids[id_count++] = id;
        } else if (role < 7 && is_body_kind(c->kind)) {
            movers[mover_count++] = a_mover(id);
        }
    }
    for (int i = 0; i < 3; i++) {
        motion[i] = below(3) ? within(9) * scale + (scale > 1 ? within(scale) : 0) : 0;
    }
    return 1;
}

/* ---- the comparison ---- */

int main(int argc, char **argv) {
    if (argc != 5) {
        return 2;
    }
    const long seed = atol(argv[1]), calls = atol(argv[2]);
    all_shapes = atoi(argv[3]);
    scale = atoi(argv[4]);
    long seen[32] = {0}, rows_seen = 0;
    uint64_t sum = 0;
    for (long call = 0; call < calls; call++) {
        state = (uint64_t)seed * 1000003u + (uint64_t)call;
        if (!make()) {
            printf("%ld: no scene\n", call);
            return 1;
        }
        fxs_world_copy(twin, world);
        fxs_carried rows[CAPACITY];
        const int32_t status =
            fxs_carry(world, ids, id_count, motion, movers, mover_count, rows);
        step_all();
        if (status != FXS_OK) {
            printf("call %ld: status %d\n", call, (int)status);
            return 1;
        }
        for (uint32_t i = 0; i < mover_count; i++) {
            const fxs_carried *e = &riders[i].row;
            rows_seen++;
            seen[e->flags]++;
            if (memcmp(e, rows + i, sizeof *e) != 0) {
                printf("call %ld, mover %u, motion %d %d %d: expected flags %u by %u at %d %d %d, "
                       "found %u by %u at %d %d %d\n",
                       call, (unsigned)e->id, (int)motion[0], (int)motion[1], (int)motion[2],
                       (unsigned)e->flags, (unsigned)e->by, (int)e->x, (int)e->y, (int)e->z,
                       (unsigned)rows[i].flags, (unsigned)rows[i].by, (int)rows[i].x,
                       (int)rows[i].y, (int)rows[i].z);
                return 1;
            }
        }
        for (uint32_t id = 0; id < CAPACITY; id++) {
            if (things[id].is_there) {
                fxs_world_move(twin, id, things[id].c.x, things[id].c.y, things[id].c.z);
            }
        }
        if (fxs_world_hash(twin) != fxs_world_hash(world)) {
            printf("call %ld: another world\n", call);
            return 1;
        }
        sum = (sum ^ fxs_world_hash(world)) * 0x9E3779B97F4A7C15u;
        for (uint32_t i = 0; i < mover_count; i++) {
            sum = (sum ^ rows[i].flags ^ (uint64_t)rows[i].by << 32) * 0x9E3779B97F4A7C15u;
        }
    }
    printf("%ld calls, %ld movers, by flags:", calls, rows_seen);
    for (int i = 0; i < 32; i++) {
        printf(" %ld", seen[i]);
    }
    printf(", hash %08lx%08lx\n", (unsigned long)(sum >> 32), (unsigned long)(sum & UINT32_MAX));
    return 0;
}
