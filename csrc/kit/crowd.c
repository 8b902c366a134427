/* Characters that give way to one another, and pass through no wall. */
#include "../derive.h"
#include "../heap.h"
#include "../separate.h"
#include "walk.h"

static int is_behind(const void *unused, const fxs_separated *a, const fxs_separated *b) {
    (void)unused;
    return a->id > b->id;
}

FXS_HEAP(row_heap, fxs_separated, const void *, is_behind)

/* Takes a mover from where it is towards the place of a row, which becomes where it then is. */
static void go_towards(fxs_world *world, const uint32_t *yields, const fxs_mover *mover,
                       fxs_separated *row) {
    walk w;
    fxs_collider c;
    placed_shape from;
    fxs_cast_hit hits[FXS_PASSES_MAX];
    int32_t motion[3];
    int is_short = 1;
    fxs_walk_begin(&w, world, mover, fxs_still);
    fxs_world_get(world, mover->id, &c);
    fxs_place_shape(&from, &w.cast.shape, &w.cast.pose);
    w.filter.without = mark_set(world);
    w.filter.from = &from;
    w.filter.yields = yields[c.layer];
    const int32_t target[3] = {row->x, row->y, row->z};
    for (int i = 0; i < 3; i++) {
        const int64_t by = (int64_t)target[i] - w.position[i];
        is_short &= abs64(by) <= FXS_SIZE_MAX;
        motion[i] = is_short ? (int32_t)by : 0;
    }
    if (is_short && fxs_walk_slide(&w, motion, 1, mover->passes, hits) >= 0) {
        memcpy(w.start, w.position, sizeof w.start);
        fxs_world_move(world, mover->id, w.start[0], w.start[1], w.start[2]);
    }
    row->x = w.start[0];
    row->y = w.start[1];
    row->z = w.start[2];
    row->is_held = !are_same(target, w.start);
}

/* Of n colliders with where they stood before a separation, leaves the rows of those that stand
 * elsewhere now, which is then their place, by id. Movers go back. Returns how many. */
static uint64_t keep_moved(fxs_world *world, const fxs_mover *movers, uint64_t count,
                           fxs_separated *rows, uint64_t n) {
    uint64_t kept = 0;
    row_heap_make(NULL, rows, n);
    row_heap_sort(NULL, rows, n);
    for (uint64_t i = 0; i < n; i++) {
        const fxs_separated was = rows[i];
        fxs_collider c;
        fxs_world_get(world, was.id, &c);
        if (c.x == was.x && c.y == was.y && c.z == was.z) {
            continue;
        }
        if (place_among(was.id, movers, count) < count) {
            fxs_world_move(world, was.id, was.x, was.y, was.z);
        }
        const fxs_separated stands = {was.id, c.x, c.y, c.z, 0};
        rows[kept++] = stands;
    }
    return kept;
}

int32_t fxs_movers_separate(fxs_world *world, const uint32_t yields[32], uint32_t passes,
                            const fxs_mover *movers, uint64_t count, fxs_separated *rows,
                            uint64_t capacity, uint64_t *rows_count) {
    separation s = {world, yields, 0, (int32_t *)(void *)rows, sizeof *rows / 4};
    uint64_t *marks = mark_set(world);
    int32_t status = FXS_OK;
    for (uint64_t i = 0; i < count; i++) {
        walk w;
        *rows_count = i;
        status = i > 0 && movers[i].id <= movers[i - 1].id
                     ? FXS_E_ORDER
                     : fxs_walk_begin(&w, world, movers + i, fxs_still);
        if (status != FXS_OK) {
            return status;
        }
    }
    status = fxs_separate(&s, passes, capacity, rows_count);
    if (status != FXS_OK) {
        return status;
    }
    for (uint64_t i = 0; i < s.moved_count; i++) {
        set_drop(marks, rows[i].id);
    }
    *rows_count = keep_moved(world, movers, count, rows, s.moved_count);
    for (uint64_t i = 0; i < count; i++) {
        set_put(marks, movers[i].id);
    }
    for (uint64_t i = 0; i < *rows_count; i++) {
        const uint64_t place = place_among(rows[i].id, movers, count);
        if (place < count) {
            go_towards(world, yields, movers + place, rows + i);
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        set_drop(marks, movers[i].id);
    }
    return FXS_OK;
}
