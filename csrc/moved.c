/* Colliders that moved since the grid was built: kept beside it, so that a query needs no new
 * grid. */
#include "moved.h"
#include "grid.h"

int fxs_grid_keeps(fxs_world *w, uint64_t n) {
    if (w->moved_count + n > arrays_of(w).g->moved_max) {
        grid_stale(w);
    }
    return (int)w->grid_fresh;
}

void fxs_grid_moved(fxs_world *w, uint32_t id) {
    if (!fxs_grid_keeps(w, 1)) {
        return;
    }
    const moved_rows m = moved_of(w);
    uint64_t *known = known_set(w);
    if (w->moved_count == 0) {
        memset(known, 0, set_size(w->capacity));
    }
    if (!set_has(known, id)) {
        const uint32_t lane = w->moved_count++;
        FXS_ASSERT(lane < MOVED_MAX(w->capacity));
        set_put(known, id);
        m.lane_of[id] = lane;
        m.ids[lane] = id;
        for (uint32_t i = lane; lane % BLOCK == 0 && i < lane + BLOCK; i++) {
            clear_lane(m.bounds + i, m.stride);
        }
    }
    const placed_shape *s = placed_shapes(w) + id;
    FXS_ASSERT(m.lane_of[id] < w->moved_count && m.ids[m.lane_of[id]] == id);
    int32_t *lane = m.bounds + m.lane_of[id];
    if (set_has(present_set(w), id) && s->active) {
        put_lane(lane, m.stride, s);
    } else {
        clear_lane(lane, m.stride);
    }
}

uint64_t fxs_with_moved(const fxs_world *w, const aabb *box, uint64_t *found, uint64_t n) {
    const uint64_t *known = known_set(w);
    const moved_rows m = moved_of(w);
    int32_t own[LANE_BOUNDS];
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++) {
        found[kept] = found[i];
        kept += !set_has(known, (uint32_t)found[i]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        own[i] = lane_bound(box->min[i]);
        own[i + 3] = lane_bound(box->max[i]);
    }
    const lane_box lanes = lane_box_of(own, 1);
    uint64_t *last = found + kept;
    for (uint64_t i = 0; i < w->moved_count; i += BLOCK) {
        const uint32_t met = met_of_lanes(m.bounds + i, m.stride, lanes);
        if (met) { /* hardly ever */
            last = keep_of_block(last, i, met);
        }
    }
    for (uint64_t *id = found + kept; id < last; id++) {
        *id = m.ids[*id];
    }
    return (uint64_t)(last - found);
}
