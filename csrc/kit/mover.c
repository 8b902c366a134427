/* Colliders that move through a world and stop at obstacles. The world is changed at the end only:
 * before it, every cast is of the collider's shape at a trial position. */
#include "../derive.h"
#include "walk.h"

#define SEEN 4                /* hits that a search for the floor reads */
#define ROUNDING ((int64_t)4) /* raw units: error of a height computed from a normal */

/* Prepares the walk of a collider. FXS_OK, FXS_E_ID, FXS_E_ABSENT or FXS_E_UNDEFINED. */
static int32_t begin(walk *w, fxs_world *world, uint32_t id, uint32_t mask) {
    fxs_collider c;
    fxs_config config;
    int32_t status = fxs_world_get(world, id, &c);
    if (status != FXS_OK) {
        return status;
    }
    if (!can_cast(c.kind)) {
        return FXS_E_UNDEFINED;
    }
    fxs_world_config(world, &config);
    memset(w, 0, sizeof *w);
    w->world = world;
    w->cast.shape.kind = c.kind;
    w->cast.shape.half_angle = c.half_angle;
    memcpy(w->cast.shape.size, c.size, sizeof c.size);
    fxs_centre_of(world, id, &w->cast.pose);
    w->cast.mask = mask ? mask : config.layers[c.layer];
    w->cast.exclude_owner = c.owner;
    w->filter.own = id;
    const int32_t position[3] = {c.x, c.y, c.z};
    memcpy(w->position, position, sizeof position);
    memcpy(w->start, position, sizeof position);
    memcpy(w->stored, position, sizeof position);
    return FXS_OK;
}

static int32_t mover_status(const fxs_mover *m) {
    int is_right = m->passes >= 2 && m->passes <= FXS_PASSES_MAX && m->step_height >= 0 &&
                   m->step_height <= FXS_SIZE_MAX && m->snap >= 0 && m->snap <= FXS_SIZE_MAX &&
                   m->floor_y_q30 >= 1 && m->floor_y_q30 <= Q30_ONE &&
                   (m->one_way == 0 || (m->mask != 0 && (m->mask & m->one_way) == 0));
    return is_right ? FXS_OK : FXS_E_MOVER;
}

/* A sphere or capsule ends in a ball, whose centre is its radius above its lowest point. A floor is
 * touched at most step_height above that point: radius * (2^30 - y of the normal) <= step_height *
 * 2^30. Others have flat bottoms. */
static int32_t least_edge_y(const walk *w, int32_t step_height) {
    if (fxs_kinds[w->cast.shape.kind].has_flat_ends) {
        return 1;
    }
    const int64_t y = Q30_ONE - step_height * Q30_ONE / w->cast.shape.size[0];
    return y > 1 ? (int32_t)y : 1;
}

int32_t fxs_walk_begin(walk *w, fxs_world *world, const fxs_mover *mover, const int32_t *motion) {
    int32_t status = begin(w, world, mover->id, mover->mask);
    if (status == FXS_OK) {
        status = mover_status(mover);
    }
    if (status == FXS_OK && !is_motion(motion)) {
        status = FXS_E_MOTION;
    }
    if (status == FXS_OK) {
        w->cast.mask |= mover->one_way;
        w->filter.one_way = mover->one_way;
        w->filter.floor_y = mover->floor_y_q30;
        w->filter.edge_y = least_edge_y(w, mover->step_height);
    }
    return status;
}

static int is_zero(const int32_t *v) { return (v[0] | v[1] | v[2]) == 0; }

int32_t fxs_walk_hits(walk *w, const int32_t *motion, uint32_t limit, fxs_cast_hit *hits) {
    memcpy(w->cast.motion, motion, sizeof w->cast.motion);
    w->cast.limit = limit;
    return fxs_filtered_cast(w->world, &w->cast, &w->filter, hits);
}

static int32_t is_blocked(walk *w, const int32_t *motion) {
    fxs_cast_hit hit;
    return fxs_walk_hits(w, motion, 1, &hit);
}

int fxs_walk_overlaps(walk *w, uint32_t *id) {
    fxs_cast_hit hit;
    if (fxs_walk_hits(w, fxs_still, 1, &hit) == 0) {
        return 0;
    }
    *id = hit.id;
    w->filter.first = (uint64_t)hit.id + 1;
    return 1;
}

int32_t fxs_walk_shift(walk *w, const int32_t *by) {
    int32_t *const centre[3] = {&w->cast.pose.x, &w->cast.pose.y, &w->cast.pose.z};
    for (int i = 0; i < 3; i++) {
        int64_t position = (int64_t)w->position[i] + by[i];
        int64_t middle = (int64_t)*centre[i] + by[i];
        if (position < INT32_MIN || position > INT32_MAX || middle < INT32_MIN ||
            middle > INT32_MAX) {
            return FXS_E_CENTRE;
        }
    }
    for (int i = 0; i < 3; i++) {
        w->position[i] += by[i];
        *centre[i] += by[i];
    }
    return FXS_OK;
}

/* The part of a motion up to a hit, rounded so that nothing is overlapped. In a corner, rounding
 * away from one wall may lead into the other. */
static void free_part(walk *w, const int32_t *motion, const fxs_cast_hit *hit, int32_t *part) {
    int32_t longest = 0;
    for (int i = 0; i < 3; i++) {
        longest = longest > motion[i] ? longest : motion[i];
        longest = longest > -motion[i] ? longest : -motion[i];
    }
    uint32_t raw_unit = WHOLE / (uint32_t)longest + 1; /* a motion with a normal is not 0 */
    const uint32_t back[] = {0, 0, raw_unit, 2 * raw_unit, 4 * raw_unit};
    for (uint32_t i = 0; i < sizeof back / sizeof back[0]; i++) {
        uint32_t fraction = hit->fraction > back[i] ? hit->fraction - back[i] : 0;
        fxs_along(motion, fraction, i == 0 ? hit->normal : NULL, part);
        if (is_zero(part) || !is_blocked(w, part)) {
            return;
        }
    }
    memset(part, 0, 3 * sizeof *part);
}

static void subtract(int32_t *from, const int32_t *part) {
    for (int i = 0; i < 3; i++) {
        from[i] -= part[i];
    }
}

/* Moves the collider to `at`, which is in int32. */
static void put_in_world(walk *w, const int32_t *at) {
    if (at[0] != w->stored[0] || at[1] != w->stored[1] || at[2] != w->stored[2]) {
        fxs_world_move(w->world, w->filter.own, at[0], at[1], at[2]);
        memcpy(w->stored, at, sizeof w->stored);
    }
}

int32_t fxs_walk_slide(walk *w, const int32_t *motion, int is_planar, uint32_t passes,
                       fxs_cast_hit *hits) {
    int32_t rest[3], part[3];
    memcpy(rest, motion, sizeof rest);
    for (uint32_t met = 0;; met++) {
        fxs_cast_hit hit;
        const int32_t found = fxs_walk_hits(w, rest, 1, &hit);
        if (found < 0) {
            return found;
        }
        if (found == 0) {
            const int32_t status = fxs_walk_shift(w, rest);
            return status == FXS_OK ? (int32_t)met : status;
        }
        hits[met] = hit;
        if (is_zero(hit.normal)) {
            return (int32_t)met + 1;
        }
        free_part(w, rest, &hit, part);
        const int32_t status = fxs_walk_shift(w, part);
        if (status != FXS_OK || met + 1 == passes) {
            return status == FXS_OK ? (int32_t)passes : status;
        }
        subtract(rest, part);
        if (fxs_slide(rest, hit.normal, rest) != FXS_OK) {
            return FXS_E_MOTION;
        }
        if (is_planar) {
            rest[1] = 0;
        }
    }
}

int32_t fxs_move_and_slide(fxs_world *world, uint32_t id, const int32_t motion[3], uint32_t mask,
                           uint32_t passes, fxs_cast_hit *hits, uint64_t *count) {
    walk w;
    if (passes < 1 || passes > FXS_PASSES_MAX) {
        return FXS_E_RANGE;
    }
    int32_t found = begin(&w, world, id, mask);
    if (found == FXS_OK) {
        found = is_motion(motion) ? fxs_walk_slide(&w, motion, 0, passes, hits) : FXS_E_MOTION;
    }
    if (found < 0) {
        return found;
    }
    *count = (uint64_t)found;
    put_in_world(&w, w.position);
    return FXS_OK;
}

/* ---- characters ---- */

typedef struct character {
    walk w;
    const fxs_mover *mover;
    fxs_mover_result *result;
    fxs_cast_hit *hits;
    fxs_cast_hit floor; /* with FXS_ON_FLOOR */
    uint32_t passes;    /* left */
    uint32_t surface_count;
    int32_t surfaces[FXS_PASSES_MAX + 1][3]; /* normals of its hits */
} character;

static void add_hit(character *c, const fxs_cast_hit *hit) {
    c->hits[c->result->hit_count++] = *hit;
}

static int has_flat_top(const walk *w, uint32_t id) {
    fxs_collider other;
    return id >= FXS_LEVEL ||
           (fxs_world_get(w->world, id, &other) == FXS_OK && fxs_kinds[other.kind].has_flat_ends);
}

/* Height of the point that is touched with a normal of this y above the lowest point, in Q.46. A
 * sphere or capsule ends in a ball; others have flat bottoms. */
static int64_t height_touched(const character *c, int32_t up) {
    const fxs_shape *shape = &c->w.cast.shape;
    return fxs_kinds[shape->kind].has_flat_ends ? 0 : shape->size[0] * (Q30_ONE - up);
}

static int is_floor(const character *c, const fxs_cast_hit *hit) {
    const int32_t y = hit->normal[1];
    return is_floor_for(&c->w.filter, y, 0) ||
           (is_floor_for(&c->w.filter, y, 1) && has_flat_top(&c->w, hit->id));
}

static void stand_on(character *c, const fxs_cast_hit *hit) {
    c->floor = *hit;
    c->result->flags |= FXS_ON_FLOOR;
}

static int64_t dot(const int32_t *a, const int32_t *b) {
    return (int64_t)a[0] * b[0] + (int64_t)a[1] * b[1] + (int64_t)a[2] * b[2];
}

/* Whether v leads into a surface by more than the error of its rounding. */
static int leads_into(const int32_t *v, const int32_t *surface) {
    return dot(v, surface) < -ROUNDING * Q30_ONE;
}

/* The component of v along the line where two surfaces meet; 0 if they are parallel. */
static void keep_along(int32_t *v, const int32_t *a, const int32_t *b) {
    int64_t line[3]; /* Q2.30, as long as the sine of their angle */
    int64_t length_sq = 0;
    int64_t pace = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        line[i] = ((int64_t)a[j] * b[k] - (int64_t)a[k] * b[j]) / Q30_ONE;
        length_sq += line[i] * line[i];
        pace += v[i] * line[i];
    }
    for (int i = 0; i < 3; i++) {
        int64_t part =
            length_sq == 0 ? 0 : quotient(i128_mul(abs64(pace), abs64(line[i])), length_sq);
        v[i] = (int32_t)(sign64(pace) * sign64(line[i]) < 0 ? -part : part);
    }
}

/* Removes the component of v into the last surface. If the rest leads into an earlier surface, the
 * two are a corner, and only the component along both stays; if that leads into a third, 0. FXS_OK
 * or FXS_E_MOTION. */
static int32_t clip_motion(const character *c, int32_t *v) {
    const int32_t *last = c->surfaces[c->surface_count - 1];
    int is_cornered = 0;
    if (fxs_slide(v, last, v) != FXS_OK) {
        return FXS_E_MOTION;
    }
    for (uint32_t i = 0; !is_cornered && i + 1 < c->surface_count; i++) {
        if (leads_into(v, c->surfaces[i])) {
            keep_along(v, c->surfaces[i], last);
            is_cornered = 1;
        }
    }
    for (uint32_t i = 0; is_cornered && i < c->surface_count; i++) {
        if (leads_into(v, c->surfaces[i])) {
            memset(v, 0, 3 * sizeof *v);
        }
    }
    return FXS_OK;
}

/* Adds a surface, and clips the rest of the motion and the motion that is returned. */
static int32_t meet(character *c, int32_t x, int32_t y, int32_t z, int32_t *rest) {
    int32_t *surface = c->surfaces[c->surface_count++];
    surface[0] = x;
    surface[1] = y;
    surface[2] = z;
    int32_t status = clip_motion(c, rest);
    return status == FXS_OK ? clip_motion(c, c->result->motion) : status;
}

/* Moves the walk by `rest` up to the first hit. 1 for a hit, 0 without one, or a status. */
static int32_t advance(walk *w, int32_t *rest, fxs_cast_hit *hit) {
    const int32_t found = fxs_walk_hits(w, rest, 1, hit);
    if (found < 0) {
        return found;
    }
    int32_t part[3];
    memcpy(part, rest, sizeof part);
    if (found && is_zero(hit->normal)) {
        memset(part, 0, sizeof part);
    } else if (found) {
        free_part(w, rest, hit, part);
    }
    const int32_t status = fxs_walk_shift(w, part);
    subtract(rest, part);
    return status == FXS_OK ? found : status;
}

/* Moves the walk down onto the highest obstacle within a distance, to the raw unit. Returns the
 * number of hits, the highest first, or a status. Without a hit it stays. */
static int32_t lower(walk *w, int32_t distance, fxs_cast_hit *hits) {
    int32_t motion[3] = {0, -distance, 0};
    int32_t part[3] = {0, 0, 0};
    int32_t found = fxs_walk_hits(w, motion, SEEN, hits);
    if (found <= 0) {
        return found;
    }
    if (distance > WHOLE) {
        /* 1/65536 of it is more than a raw unit: near the hit, cast again. */
        free_part(w, motion, hits, part);
        if (fxs_walk_shift(w, part) != FXS_OK) {
            return FXS_E_CENTRE;
        }
        motion[1] = -(distance / WHOLE * 8 + 8);
        fxs_cast_hit near[SEEN];
        int32_t found_near = fxs_walk_hits(w, motion, SEEN, near);
        if (found_near <= 0) {
            return found_near < 0 ? found_near : found;
        }
        memcpy(hits, near, sizeof near);
        found = found_near;
    }
    /* A distance to a flat surface is whole, and the fraction of it rounded down. */
    uint64_t depth = (uint64_t)-(int64_t)motion[1] * hits[0].fraction;
    int32_t least = (int32_t)(depth / WHOLE);
    int32_t most = (int32_t)((depth + WHOLE - 1) / WHOLE);
    for (int32_t by = most; by > 0 && by >= least; by--) {
        part[1] = -by;
        if (!is_blocked(w, part)) {
            return fxs_walk_shift(w, part) == FXS_OK ? found : FXS_E_CENTRE;
        }
    }
    return found;
}

/* The first of n hits up to a fraction that is a floor, or NULL. */
static const fxs_cast_hit *floor_among(const character *c, const fxs_cast_hit *hits, int32_t n,
                                       uint32_t fraction) {
    for (int32_t i = 0; i < n && hits[i].fraction <= fraction; i++) {
        if (is_floor(c, hits + i)) {
            return hits + i;
        }
    }
    return NULL;
}

/* Whether it stands, `higher` than before, on a floor among n hits below it, and touches that floor
 * at a point that is not higher than a step. */
static int is_step(const character *c, const fxs_cast_hit *below, int32_t n, int64_t higher) {
    const fxs_cast_hit *floor = floor_among(c, below, n, below[0].fraction);
    if (floor == NULL) {
        return 0;
    }
    const int64_t touched = higher * Q30_ONE + height_touched(c, floor->normal[1]);
    return touched <= (c->mover->step_height + ROUNDING) * Q30_ONE;
}

/* Climbs a step: up, ahead, and down on it. Subtracts the motion ahead from `rest`. 1; 0, with
 * nothing changed, if there is no step that it can climb; or a status. */
static int32_t climb(character *c, int32_t *rest) {
    walk before = c->w;
    fxs_cast_hit hit, below[SEEN];
    int32_t up[3] = {0, c->mover->step_height, 0};
    int32_t ahead[3] = {rest[0], 0, rest[2]};
    int32_t status = advance(&c->w, up, &hit);
    const int32_t risen = c->mover->step_height - up[1];
    int is_climbed = 0;
    if (status >= 0 && risen > 0) {
        status = advance(&c->w, ahead, &hit);
        int is_ahead = ahead[0] != rest[0] || ahead[2] != rest[2];
        int is_free = status == 0;
        if (status >= 0 && is_ahead) {
            status = lower(&c->w, risen, below);
            if (status == 0 && is_free) { /* it moved down behind the step */
                const int32_t down[3] = {0, -risen, 0};
                status = fxs_walk_shift(&c->w, down);
                is_climbed = 1;
            } else if (status > 0) {
                int64_t higher = (int64_t)c->w.position[1] - before.position[1];
                is_climbed = (is_free || higher > 0) && is_step(c, below, status, higher);
            }
        }
    }
    if (status < 0 || !is_climbed) {
        c->w = before;
        return status < 0 && status != FXS_E_CENTRE ? status : 0;
    }
    rest[0] = ahead[0];
    rest[2] = ahead[2];
    return 1;
}

/* Moves a walker in the plane. FXS_OK or a status. */
static int32_t go_ahead(character *c, int32_t *rest) {
    while (!is_zero(rest)) {
        fxs_cast_hit hit;
        int32_t status = advance(&c->w, rest, &hit);
        if (status <= 0 || c->passes == 0) {
            return status < 0 ? status : FXS_OK;
        }
        c->passes--;
        if (c->mover->step_height > 0) {
            status = climb(c, rest);
            if (status < 0) {
                return status;
            }
            if (status > 0) {
                c->result->flags |= FXS_STEPPED;
                continue;
            }
        }
        if (hit.normal[1] >= c->mover->floor_y_q30) { /* over something round */
            status = fxs_slide(rest, hit.normal, rest) == FXS_OK ? FXS_OK : FXS_E_MOTION;
        } else {
            add_hit(c, &hit);
            c->result->flags |=
                hit.normal[1] <= -c->mover->floor_y_q30 ? FXS_ON_CEILING : FXS_ON_WALL;
            if (hit.normal[0] == 0 && hit.normal[2] == 0) {
                return FXS_OK;
            }
            status = meet(c, hit.normal[0], 0, hit.normal[2], rest);
        }
        if (status != FXS_OK) {
            return status;
        }
    }
    return FXS_OK;
}

/* Moves a flyer, or a walker that falls. FXS_OK or a status. */
static int32_t fly(character *c, int32_t *rest) {
    fxs_cast_hit support = {0, 0, {0, 0, 0}};
    while (!is_zero(rest)) {
        fxs_cast_hit hit;
        const int falls = rest[1] < 0;
        int32_t status = advance(&c->w, rest, &hit);
        if (status <= 0 || c->passes == 0) {
            return status < 0 ? status : FXS_OK;
        }
        c->passes--;
        int32_t y = hit.normal[1];
        if (is_floor(c, &hit)) {
            stand_on(c, &hit);
            if (y < c->mover->floor_y_q30) { /* on an edge: it does not slide off */
                status = meet(c, 0, (int32_t)Q30_ONE, 0, rest);
            } else {
                status = meet(c, hit.normal[0], y, hit.normal[2], rest);
            }
        } else {
            add_hit(c, &hit);
            c->result->flags |= y <= -c->mover->floor_y_q30 ? FXS_ON_CEILING : FXS_ON_WALL;
            status = meet(c, hit.normal[0], y, hit.normal[2], rest);
            if (y > support.normal[1]) {
                support = hit;
            }
            int is_standing = (c->result->flags & FXS_ON_FLOOR) != 0;
            if (falls && !is_standing && is_zero(rest) && support.normal[1] > 0) {
                stand_on(c, &support); /* held between surfaces */
            }
        }
        if (status != FXS_OK) {
            return status;
        }
    }
    return FXS_OK;
}

/* Moves a walker down to a floor, or lets it fall by `drop`. */
static int32_t come_down(character *c, int32_t drop) {
    walk before = c->w;
    fxs_cast_hit below[SEEN];
    int32_t reach = drop > c->mover->snap ? drop : c->mover->snap;
    /* A floor that it touches at the end of its reach counts: a raw unit more overlaps it. */
    int32_t found = lower(&c->w, reach + (reach < FXS_SIZE_MAX), below);
    if (found < 0) {
        return found;
    }
    const fxs_cast_hit *floor = found ? floor_among(c, below, found, below[0].fraction) : NULL;
    if (floor != NULL) {
        stand_on(c, floor);
        return FXS_OK;
    }
    int32_t fall[3] = {0, -drop, 0};
    c->w = before;
    return fly(c, fall);
}

/* The ways out of an obstacle that it overlaps: across, and up or down; the shorter one first.
 * Returns how many: a lift may be outside int32. */
static int ways_out(walk *w, uint32_t id, int32_t ways[2][3]) {
    int32_t xz[2], y = 0;
    put_in_world(w, w->position);
    fxs_world_push_out(w->world, w->filter.own, id, xz);
    const int is_lifted = fxs_world_lift(w->world, w->filter.own, id, &y) == FXS_OK;
    const int64_t across_sq = (int64_t)xz[0] * xz[0] + (int64_t)xz[1] * xz[1];
    const int is_across = !is_lifted || across_sq < (int64_t)y * y;
    const int32_t both[2][3] = {{xz[0], 0, xz[1]}, {0, y, 0}};
    memcpy(ways[0], both[!is_across], sizeof ways[0]);
    memcpy(ways[1], both[is_across], sizeof ways[1]);
    return is_lifted ? 2 : 1;
}

/* Whether a way is longer than the collider is wide. */
static int is_long(const walk *w, const int32_t *way) {
    const ground_reach r = reach_of(w->cast.shape.kind, w->cast.shape.size);
    const int64_t width = 2 * (r.radius + min64(r.half_x, r.half_z));
    /* A way is across or vertical, so this is below 2^63. */
    return dot(way, way) > width * width;
}

/* Goes a way if it is a motion and meets nothing but what is overlapped where it begins. Whether
 * it went. */
static int go_if_free(walk *w, const int32_t *way) {
    fxs_cast_hit hit;
    w->filter.skips_overlapped = 1;
    const int32_t found = fxs_walk_hits(w, way, 1, &hit);
    w->filter.skips_overlapped = 0;
    return found == 0 && fxs_walk_shift(w, way) == FXS_OK;
}

/* Whether its way from `before` leads back, against the shorter way out of something that it
 * overlapped there: then it went through that. */
static int went_through(walk *w, const walk *before) {
    walk at = *before;
    uint32_t id;
    int is_through = 0;
    memcpy(at.stored, w->stored, sizeof at.stored);
    while (!is_through && fxs_walk_overlaps(&at, &id)) {
        int32_t ways[2][3];
        i128 product = i128_of(0);
        ways_out(&at, id, ways);
        for (int i = 0; i < 3; i++) {
            const int64_t gone = (int64_t)w->position[i] - before->position[i];
            product = i128_add(product, i128_mul(gone, ways[0][i]));
        }
        is_through = i128_sign(product) < 0;
    }
    memcpy(w->stored, at.stored, sizeof at.stored);
    return is_through;
}

/* Takes a collider out of the obstacles that it overlaps, through none. Whether it is out. `first`
 * is the first obstacle that it overlapped. */
static int push_out(character *c, fxs_cast_hit *first) {
    walk *w = &c->w;
    const walk before = *w;
    for (uint32_t pass = 0;; pass++) {
        fxs_cast_hit hit;
        int32_t ways[2][3];
        if (fxs_walk_hits(w, fxs_still, 1, &hit) == 0) {
            return !went_through(w, &before);
        }
        if (pass == 0) {
            *first = hit;
        }
        if (pass == c->mover->passes) {
            return 0;
        }
        const int n = ways_out(w, hit.id, ways);
        if (!go_if_free(w, ways[0]) && (n < 2 || is_long(w, ways[1]) || !go_if_free(w, ways[1]))) {
            return 0;
        }
    }
}

/* Goes down onto a floor within a distance; stays where there is none. */
static void go_down_to_floor(character *c, int32_t distance) {
    const walk before = c->w;
    fxs_cast_hit below[SEEN];
    const int32_t found = lower(&c->w, distance, below);
    const fxs_cast_hit *floor = NULL;
    if (found > 0) {
        floor = floor_among(c, below, found, below[0].fraction);
    }
    if (floor != NULL) {
        c->floor = *floor;
    } else {
        c->w = before;
    }
}

/* Whether it overlaps something, of n hits within a raw unit below it. */
static int is_inside(walk *w, const fxs_cast_hit *below, int32_t n) {
    int is_found = 0;
    for (int32_t i = 0; i < n; i++) {
        is_found |= is_zero(below[i].normal);
    }
    if (n == SEEN) { /* there may be more */
        is_found |= is_blocked(w, fxs_still);
    }
    return is_found;
}

/* The result of a character that cannot be pushed out: it stays. */
static void stay(character *c, const fxs_cast_hit *hit) {
    memcpy(c->w.position, c->w.start, sizeof c->w.start);
    memset(c->result->motion, 0, sizeof c->result->motion);
    c->result->flags = FXS_STUCK;
    add_hit(c, hit);
}

static int32_t move(character *c, const int32_t *motion) {
    const int32_t probe[3] = {0, -1, 0};
    fxs_cast_hit below[SEEN];
    int32_t found = fxs_walk_hits(&c->w, probe, SEEN, below);
    if (is_inside(&c->w, below, found)) {
        fxs_cast_hit hit;
        if (!push_out(c, &hit)) {
            stay(c, &hit);
            return FXS_OK;
        }
        c->result->flags = FXS_PUSHED;
        found = fxs_walk_hits(&c->w, probe, SEEN, below);
    }
    int32_t rest[3] = {motion[0], motion[1], motion[2]};
    int32_t status;
    if (motion[1] <= 0 && floor_among(c, below, found, WHOLE) != NULL) {
        rest[1] = 0;
        c->result->motion[1] = 0;
        status = go_ahead(c, rest);
        c->result->motion[1] = motion[1];
        if (status == FXS_OK) {
            status = come_down(c, -motion[1]);
        }
    } else {
        status = fly(c, rest);
        if (status == FXS_OK && motion[1] < 0 && (c->result->flags & FXS_ON_FLOOR)) {
            go_down_to_floor(c, -motion[1] / WHOLE + 4);
        }
    }
    if (status == FXS_OK && (c->result->flags & FXS_ON_FLOOR)) {
        c->result->floor = c->floor.id;
        add_hit(c, &c->floor);
        if (c->result->motion[1] < 0) {
            c->result->motion[1] = 0;
        }
    }
    return status;
}

int32_t fxs_mover_move(fxs_world *world, const fxs_mover *mover, const int32_t motion[3],
                       fxs_mover_result *result, fxs_cast_hit *hits) {
    character c;
    fxs_mover_result made;
    int32_t status = fxs_walk_begin(&c.w, world, mover, motion);
    if (status != FXS_OK) {
        return status;
    }
    c.mover = mover;
    c.result = &made;
    c.hits = hits;
    c.passes = mover->passes;
    c.surface_count = 0;
    memset(&made, 0, sizeof made);
    memcpy(made.motion, motion, sizeof made.motion);
    status = move(&c, motion);
    put_in_world(&c.w, status == FXS_OK ? c.w.position : c.w.start);
    if (status == FXS_OK) {
        made.x = c.w.position[0];
        made.y = c.w.position[1];
        made.z = c.w.position[2];
        *result = made;
    }
    return status;
}
