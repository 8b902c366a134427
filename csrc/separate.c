/* Separation: pushes the colliders apart that the last step found in OVERLAPPING contact. */
#include "separate.h"
#include "derive.h"
#include "moved.h"
#include "push.h"

static int gives_way(const separation *s, uint32_t id, uint32_t to) {
    return (int)(s->yields[placed_shapes(s->world)[id].layer] >> placed_shapes(s->world)[to].layer &
                 1);
}

/* Moves a collider and records where it was. FXS_OK or FXS_E_CENTRE. */
static int32_t push_collider(separation *s, uint32_t id, int64_t dx, int64_t dz) {
    const anchor *p = anchors(s->world) + id;
    int64_t x = p->x + dx;
    int64_t z = p->z + dz;
    if (x < INT32_MIN || x > INT32_MAX || z < INT32_MIN || z > INT32_MAX) {
        return FXS_E_CENTRE;
    }
    if (!set_has(mark_set(s->world), id)) {
        FXS_ASSERT(s->moved_count < s->world->count);
        set_put(mark_set(s->world), id);
        int32_t *row = s->rows + s->stride * s->moved_count++;
        row[0] = (int32_t)id;
        memcpy(row + 1, p, 12); /* x, y, z */
    }
    return fxs_world_move(s->world, id, (int32_t)x, p->y, (int32_t)z);
}

/* v / 2, rounded away from zero. */
static int64_t half_up(int64_t v) { return (v + sign64(v)) / 2; }

/* Ends the contact of a pair by moving the one that gives way; or both, each by half of the push,
 * rounded away from zero: neither is favoured, and a crowd comes to rest, while with an exact split
 * it would move in circles of one raw unit. The rounding of the push leads further out, so the last
 * push should have nothing to do; it makes sure that the contact ends. `*stuck` is the id that
 * cannot be moved. */
static int32_t separate_pair(separation *s, uint32_t a, uint32_t b, int both, uint32_t *stuck) {
    uint32_t first = gives_way(s, a, b) ? a : b;
    uint32_t second = first == a ? b : a;
    const placed_shape *sf = placed_shapes(s->world) + first;
    const placed_shape *ss = placed_shapes(s->world) + second;
    int32_t status = FXS_OK;
    planar t = fxs_push_of(sf, ss);
    if (both) {
        *stuck = second;
        status = push_collider(s, second, -half_up(t.x), -half_up(t.z));
        if (status == FXS_OK) {
            *stuck = first;
            status = push_collider(s, first, half_up(t.x), half_up(t.z));
        }
        t = fxs_push_of(sf, ss);
    }
    if (status == FXS_OK) {
        *stuck = first;
        status = push_collider(s, first, t.x, t.z);
    }
    return status;
}

/* Are both there, active and allowed to meet, and bodies? */
static int is_separable(const fxs_world *w, uint32_t a, uint32_t b) {
    if (!set_has(present_set(w), a) || !set_has(present_set(w), b)) {
        return 0;
    }
    const placed_shape *sa = placed_shapes(w) + a;
    const placed_shape *sb = placed_shapes(w) + b;
    return sa->active && sb->active && may_hit(sa, sb) && can_push(sa->kind) && can_push(sb->kind);
}

/* Ends the contact of a collider and a solid, if it gives way to that layer: a solid never does.
 * `*stuck` is the id that cannot be moved. */
static int32_t push_off_solid(separation *s, uint32_t id, uint32_t index, int *any,
                              uint32_t *stuck) {
    const fxs_level *l = s->world->level;
    const placed_shape *a = placed_shapes(s->world) + id;
    const uint32_t layer = solids(l)[index].layer;
    if (!set_has(present_set(s->world), id) || !a->active || !can_push(a->kind) ||
        (a->meets >> layer & 1) == 0 || (s->yields[a->layer] >> layer & 1) == 0 ||
        fxs_solid_contact(a, l, index) != FXS_OVERLAPPING) {
        return FXS_OK;
    }
    const planar t = fxs_push_of_solid(a, l, index);
    *stuck = id;
    *any = 1;
    return push_collider(s, id, t.x, t.z);
}

/* One pass over the hits of the last step: over the pairs in which both give way, or over those in
 * which one does. */
static int32_t separate_hits(separation *s, int both, int *any, uint32_t *stuck) {
    const packed_hit *h = hits(s->world);
    for (uint32_t i = 0; i < s->world->hit_count; i++) {
        uint32_t a = hit_a(h[i]);
        uint32_t b = hit_b(h[i]);
        if (b >= FXS_LEVEL) {
            const int32_t status = both ? FXS_OK : push_off_solid(s, a, b - FXS_LEVEL, any, stuck);
            if (status != FXS_OK) {
                return status;
            }
            continue;
        }
        if (!is_separable(s->world, a, b)) {
            continue;
        }
        int yielding = gives_way(s, a, b) + gives_way(s, b, a);
        if (yielding == (both ? 2 : 1) &&
            fxs_placed_contact(placed_shapes(s->world) + a, placed_shapes(s->world) + b) ==
                FXS_OVERLAPPING) {
            int32_t status = separate_pair(s, a, b, both, stuck);
            if (status != FXS_OK) {
                return status;
            }
            *any = 1;
        }
    }
    return FXS_OK;
}

int32_t fxs_separate(separation *s, uint32_t passes, uint64_t capacity, uint64_t *count) {
    fxs_world *w = s->world;
    const uint64_t room = (uint64_t)min64(w->count, 2 * (int64_t)w->hit_count);
    if (capacity < room) {
        *count = room;
        return FXS_E_ROOM;
    }
    derive(w);
    int any = 1;
    for (uint32_t pass = 0; pass < passes && any; pass++) {
        uint32_t stuck = 0;
        any = 0;
        int32_t status = separate_hits(s, 1, &any, &stuck);
        if (status == FXS_OK) {
            status = separate_hits(s, 0, &any, &stuck);
        }
        if (status != FXS_OK) {
            for (uint64_t i = 0; i < s->moved_count; i++) {
                const int32_t *row = s->rows + s->stride * i;
                fxs_world_move(w, (uint32_t)row[0], row[1], row[2], row[3]);
                set_drop(mark_set(w), (uint32_t)row[0]);
            }
            *count = stuck;
            return status;
        }
    }
    *count = s->moved_count;
    return FXS_OK;
}

int32_t fxs_world_separate(fxs_world *world, const uint32_t yields[32], uint32_t passes,
                           fxs_moved *moved, uint64_t moved_capacity, uint64_t *count) {
    separation s = {world, yields, 0, (int32_t *)(void *)moved, sizeof *moved / 4};
    const int32_t status = fxs_separate(&s, passes, moved_capacity, count);
    uint32_t id = 0;
    for (uint64_t i = 0; status == FXS_OK && i < s.moved_count; i++, id++) {
        id = set_next(mark_set(world), id, world->capacity);
        set_drop(mark_set(world), id);
        const anchor *p = anchors(world) + id;
        fxs_moved to = {id, p->x, p->y, p->z};
        moved[i] = to;
    }
    return status;
}
