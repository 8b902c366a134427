/* Platforms that move, with the characters on them and in their way.
 *
 * The rules are of steps of one raw unit; each mover is solved by casts. Obstacles stand still, and
 * so does a mover that one of them blocks: on this axis it never moves again. A mover that the set
 * pushes keeps its place beside it, so it is pushed in each later step too. So on an axis a mover
 * rides, stands, is pushed and stands again, each at most once. A floor's centre is lower than its
 * rider's, so no floor stands on its own rider, and floors are solved first.
 *
 * While this works, a row holds in x the index that the mover rides on, in y the number of steps of
 * the axis that it rides, and in z the next mover in order. */
#include "../derive.h"
#include "walk.h"

enum { ON_SET = -1, ON_NOTHING = -2 }; /* in x, where no index of a mover is */
enum { UNLISTED = -2, LAST = -1 };     /* in z */

typedef struct carriage {
    fxs_world *world;
    id_set set; /* its shift is that of the axes that are done */
    const fxs_mover *movers;
    fxs_carried *rows;
    uint64_t count;
    int32_t first; /* mover in order, or LAST */
    int axis, sign;
    int32_t steps;
} carriage;

/* A cast along an axis for what may stop or push a mover: obstacles of its motion, or the set,
 * which moves. */
typedef struct course {
    const carriage *c;
    walk *w;
    int is_of_set;
    int32_t from; /* steps that the set has made on this axis */
} course;

/* Prepares the walk of a mover from where it is now; obstacles are all but the set and the list. */
static int32_t walk_of(const carriage *c, uint64_t i, walk *w) {
    int32_t status = fxs_walk_begin(w, c->world, c->movers + i, fxs_still);
    if (status == FXS_OK) {
        w->filter.skips_overlapped = 1;
        w->filter.without = mark_set(c->world);
        status = fxs_walk_shift(w, c->rows[i].motion);
    }
    return status;
}

static void set_along(const carriage *c, int32_t by, int32_t *v) {
    v[0] = v[1] = v[2] = 0;
    v[c->axis] = c->sign * by;
}

/* Whether something is met in `n` steps after the first `done` ones. 1, 0, or a status. */
static int32_t meets(const course *k, int32_t done, int32_t n, const cast_filter *filter,
                     fxs_cast_hit *hit) {
    const carriage *c = k->c;
    walk w = *k->w;
    int32_t by[3];
    set_along(c, n, w.cast.motion);
    w.cast.limit = 1;
    if (!k->is_of_set) {
        set_along(c, done, by);
        const int32_t status = fxs_walk_shift(&w, by);
        return status == FXS_OK ? fxs_filtered_cast(c->world, &w.cast, filter, hit) : status;
    }
    id_set set = c->set;
    cast_filter of_set = *filter;
    of_set.without = NULL;
    set.shift[c->axis] += c->sign * (k->from + done);
    w.cast.motion[c->axis] *= -1;
    return fxs_cast_at_set(c->world, &w.cast, &of_set, &set, hit);
}

/* The first of n steps in which something is met as in a cast of this step alone, and that hit; n
 * if there is none; or a status. A one-way layer counts by the normal in that step, so the longer
 * casts that search for it take any normal. */
static int32_t first_step(const course *k, int32_t n, fxs_cast_hit *hit) {
    cast_filter any = k->w->filter;
    any.floor_y = INT32_MIN;
    for (int32_t done = 0; done < n;) {
        int32_t from = done;
        int32_t wide = n - done;
        int32_t is_met = meets(k, from, wide, &any, hit);
        if (is_met <= 0) {
            return is_met < 0 ? is_met : n;
        }
        while (is_met > 0 && wide > 1) {
            /* The hit is at a time from fraction / 65536 on, before (fraction + 1) / 65536. */
            const int64_t low = (int64_t)wide * hit->fraction / WHOLE;
            const int64_t end = ((int64_t)wide * (hit->fraction + 1) + WHOLE - 1) / WHOLE;
            const int32_t skipped = (int32_t)min64(low, wide - 1);
            wide = (int32_t)min64(end, wide) - skipped;
            from += skipped;
            is_met = meets(k, from, wide, &any, hit);
        }
        if (is_met > 0 && any.one_way) {
            is_met = meets(k, from, 1, &k->w->filter, hit);
        }
        if (is_met != 0) {
            return is_met < 0 ? is_met : from;
        }
        done = from + wide;
    }
    return n;
}

static int32_t go(const carriage *c, walk *w, int32_t steps, fxs_carried *row) {
    int32_t by[3];
    set_along(c, steps, by);
    row->motion[c->axis] += by[c->axis];
    return fxs_walk_shift(w, by);
}

static void hold(fxs_carried *row, uint32_t by) {
    row->flags |= FXS_HELD;
    row->by = by;
}

/* Pushes a mover from step k->from on, until an obstacle blocks it. The step in which it is
 * blocked, `steps` if there is none, or a status. */
static int32_t push(course *k, fxs_carried *row) {
    const carriage *c = k->c;
    fxs_cast_hit hit;
    k->is_of_set = 1;
    const int32_t waits = first_step(k, c->steps - k->from, &hit);
    k->from += waits;
    if (waits < 0 || k->from == c->steps) {
        return waits < 0 ? waits : c->steps;
    }
    if (row->flags == 0) {
        row->by = hit.id;
    }
    row->flags |= FXS_SHOVED;
    k->is_of_set = 0;
    const int32_t pushed = first_step(k, c->steps - k->from, &hit);
    const int32_t status = pushed < 0 ? pushed : go(c, k->w, pushed, row);
    if (status != FXS_OK) {
        return status;
    }
    if (k->from + pushed < c->steps) {
        hold(row, hit.id);
    }
    return k->from + pushed;
}

/* Sets the flags of a mover that does not move from step k->from on, while the set passes. FXS_OK
 * or a status. */
static int32_t run_over(course *k, fxs_carried *row) {
    const int32_t left = k->c->steps - k->from;
    fxs_cast_hit hit;
    walk solid_only = *k->w;
    const course other = {k->c, &solid_only, 1, k->from};
    solid_only.cast.mask &= ~solid_only.filter.one_way;
    int32_t is_met = meets(&other, 0, left, &solid_only.filter, &hit);
    if (is_met > 0) {
        row->flags |= FXS_SHOVED | FXS_CRUSHED;
    } else if (is_met == 0 && k->w->filter.one_way) {
        k->is_of_set = 1;
        is_met = first_step(k, left, &hit);
        row->flags |= is_met >= 0 && is_met < left ? FXS_SHOVED : 0;
    }
    return is_met < 0 ? is_met : FXS_OK;
}

/* Takes a mover along an axis. Its floor is solved. FXS_OK or a status. */
static int32_t solve(const carriage *c, int32_t i) {
    fxs_carried *row = c->rows + i;
    walk w;
    course k = {c, &w, 0, 0};
    fxs_cast_hit hit;
    int32_t status = walk_of(c, (uint64_t)i, &w);
    int32_t rides = 0;
    if (status != FXS_OK) {
        return status;
    }
    row->y = 0;
    if (row->flags & FXS_RODE) {
        rides = row->x == ON_SET ? c->steps : c->rows[row->x].y;
        const int32_t went = first_step(&k, rides, &hit);
        status = went < 0 ? went : go(c, &w, went, row);
        if (status != FXS_OK || went == c->steps) {
            row->y = went;
            return status;
        }
        row->y = k.from = went;
        hold(row, went < rides ? hit.id : c->movers[row->x].id);
    }
    if (row->y == rides) { /* nothing blocks it yet */
        const int32_t blocked = push(&k, row);
        if (blocked < 0 || blocked == c->steps) {
            return blocked < 0 ? blocked : FXS_OK;
        }
        k.from = blocked;
    }
    return run_over(&k, row);
}

/* Takes set and movers along an axis. FXS_OK or a status. */
static int32_t take_along(carriage *c, int on, int32_t by) {
    c->axis = on;
    c->sign = by < 0 ? -1 : 1;
    c->steps = by < 0 ? -by : by;
    for (int32_t i = c->first; by != 0 && i != LAST; i = c->rows[i].z) {
        const int32_t status = solve(c, i);
        if (status != FXS_OK) {
            return status;
        }
    }
    c->set.shift[on] += by;
    return FXS_OK;
}

/* Checks a mover and prepares its row: its floor, if that is in the set or the list. FXS_OK or a
 * status. */
static int32_t find_floor(const carriage *c, uint64_t i) {
    static const int32_t DOWN[3] = {0, -1, 0};
    fxs_carried *row = c->rows + i;
    const uint32_t id = c->movers[i].id;
    walk w;
    fxs_cast_hit hit;
    if (i > 0 && id <= c->movers[i - 1].id) {
        return FXS_E_ORDER;
    }
    if (place_in(id, c->set.ids, 1, c->set.n) < c->set.n) {
        return FXS_E_TAKEN;
    }
    memset(row, 0, sizeof *row);
    row->id = id;
    row->x = ON_NOTHING;
    row->z = UNLISTED;
    const int32_t status = walk_of(c, i, &w);
    if (status != FXS_OK) {
        return status;
    }
    w.filter.without = NULL;
    w.filter.one_way = UINT32_MAX; /* only floors count */
    const int32_t is_met = fxs_walk_hits(&w, DOWN, 1, &hit);
    if (is_met <= 0) {
        return is_met;
    }
    const uint64_t index = place_among(hit.id, c->movers, c->count);
    if (index < c->count) {
        row->x = (int32_t)index;
    } else if (place_in(hit.id, c->set.ids, 1, c->set.n) < c->set.n) {
        row->x = ON_SET;
    }
    row->by = hit.id;
    return FXS_OK;
}

/* Lists the movers, each after its floor, and decides which of them ride. */
static void put_in_order(carriage *c) {
    fxs_carried *rows = c->rows;
    int32_t last = LAST;
    c->first = LAST;
    for (uint64_t i = 0; i < c->count; i++) {
        int32_t top = LAST, next; /* of a stack of those whose floors come first, linked by z */
        for (int32_t j = (int32_t)i; j >= 0 && rows[j].z == UNLISTED; j = rows[j].x) {
            rows[j].z = top;
            top = j;
        }
        for (; top != LAST; top = next) {
            next = rows[top].z;
            rows[top].z = LAST;
            *(last == LAST ? &c->first : &rows[last].z) = top;
            last = top;
            const int32_t floor = rows[top].x;
            if (floor == ON_SET || (floor >= 0 && (rows[floor].flags & FXS_RODE))) {
                rows[top].flags = FXS_RODE;
            } else {
                rows[top].by = 0;
            }
        }
    }
}

static int32_t check_set(const carriage *c, const int32_t *motion) {
    int32_t status = FXS_OK;
    for (uint64_t i = 0; i < c->set.n && status == FXS_OK; i++) {
        const uint32_t id = c->set.ids[i];
        const fxs_mover any = {id, 0, 2, 0, 0, 1, 0};
        fxs_collider collider;
        walk w;
        if (i > 0 && id <= c->set.ids[i - 1]) {
            return FXS_E_ORDER;
        }
        status = fxs_walk_begin(&w, c->world, &any, motion);
        if (status == FXS_OK) {
            fxs_world_get(c->world, id, &collider);
            status = collider.active ? fxs_walk_shift(&w, motion) : FXS_E_ACTIVE;
        }
    }
    return status;
}

/* Up, then x, then z, then down. FXS_OK or a status. */
static int32_t solve_all(carriage *c, const int32_t *motion) {
    const int32_t y = motion[1];
    const int32_t ways[4][2] = {
        {1, y > 0 ? y : 0}, {0, motion[0]}, {2, motion[2]}, {1, y < 0 ? y : 0}};
    int32_t status = FXS_OK;
    put_in_order(c);
    for (int i = 0; i < 4 && status == FXS_OK; i++) {
        status = take_along(c, ways[i][0], ways[i][1]);
    }
    return status;
}

/* Sets the flag of the movers that a collider of the set overlaps, all at their places of the end.
 * FXS_OK or a status. */
static int32_t find_crushed(const carriage *c) {
    int32_t is_met = 0;
    for (uint64_t i = 0; i < c->count && is_met >= 0; i++) {
        walk w;
        fxs_cast_hit hit;
        is_met = walk_of(c, i, &w);
        if (is_met == FXS_OK) {
            w.filter.skips_overlapped = 0;
            w.filter.without = NULL;
            is_met = fxs_cast_at_set(c->world, &w.cast, &w.filter, &c->set, &hit);
            c->rows[i].flags |= is_met > 0 ? FXS_CRUSHED : 0;
        }
    }
    return is_met < 0 ? is_met : FXS_OK;
}

/* Prepares the walk of a mover from where it was at first, after all have moved. */
static void walk_before(const carriage *c, uint64_t i, walk *w) {
    const int32_t *by = c->rows[i].motion;
    const int32_t back[3] = {-by[0], -by[1], -by[2]};
    fxs_walk_begin(w, c->world, c->movers + i, fxs_still);
    fxs_walk_shift(w, back);
}

/* Sets the flag of two movers that overlap and did not at first, of which `id` blocks the one of
 * row i. All have moved. */
static void squeeze(const carriage *c, uint64_t i, uint32_t id) {
    const uint64_t other = place_among(id, c->movers, c->count);
    walk a, b;
    if (other == c->count) {
        return;
    }
    walk_before(c, i, &a);
    walk_before(c, other, &b);
    if (fxs_overlap(&a.cast.shape, &a.cast.pose, &b.cast.shape, &b.cast.pose) != FXS_OVERLAPPING) {
        c->rows[i].flags |= FXS_SQUEEZED;
        c->rows[other].flags |= FXS_SQUEEZED;
    }
}

/* Sets the flags of movers that came to overlap one another; none does if all moved alike. */
static void find_squeezed(const carriage *c) {
    int is_alike = 1;
    for (uint64_t i = 1; i < c->count; i++) {
        is_alike &= are_same(c->rows[i].motion, c->rows[0].motion);
    }
    for (uint64_t i = 0; i < c->count && !is_alike; i++) {
        fxs_collider mover;
        uint32_t id;
        walk w;
        fxs_world_get(c->world, c->movers[i].id, &mover);
        fxs_walk_begin(&w, c->world, c->movers + i, fxs_still);
        while (mover.active && fxs_walk_overlaps(&w, &id)) {
            squeeze(c, i, id);
        }
    }
}

/* Moves a collider that stays in range; its position then. */
static void move_by(fxs_world *world, uint32_t id, const int32_t *by, int32_t *at) {
    fxs_collider c;
    fxs_world_get(world, id, &c);
    at[0] = c.x + by[0];
    at[1] = c.y + by[1];
    at[2] = c.z + by[2];
    if (by[0] | by[1] | by[2]) {
        fxs_world_move(world, id, at[0], at[1], at[2]);
    }
}

int32_t fxs_carry(fxs_world *world, const uint32_t *ids, uint64_t n, const int32_t motion[3],
                  const fxs_mover *movers, uint64_t count, fxs_carried *rows) {
    carriage c = {world, {ids, n, {0, 0, 0}}, movers, rows, count, LAST, 0, 0, 0};
    uint64_t *marks = mark_set(world);
    int32_t at[3], status = is_motion(motion) ? check_set(&c, motion) : FXS_E_MOTION;
    for (uint64_t i = 0; i < count && status == FXS_OK; i++) {
        status = find_floor(&c, i);
    }
    if (status != FXS_OK) {
        return status;
    }
    for (uint64_t i = 0; i < n; i++) {
        set_put(marks, ids[i]);
    }
    for (uint64_t i = 0; i < count; i++) {
        set_put(marks, movers[i].id);
    }
    status = solve_all(&c, motion);
    if (status == FXS_OK) {
        status = find_crushed(&c);
    }
    for (uint64_t i = 0; i < n; i++) {
        set_drop(marks, ids[i]);
        if (status == FXS_OK) {
            move_by(world, ids[i], motion, at);
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        set_drop(marks, movers[i].id);
        if (status == FXS_OK) {
            move_by(world, movers[i].id, rows[i].motion, at);
            rows[i].x = at[0];
            rows[i].y = at[1];
            rows[i].z = at[2];
        }
    }
    if (status == FXS_OK) {
        find_squeezed(&c);
    }
    return status;
}
