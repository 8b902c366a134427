/* The memory of a world (docs/contract.md, World): its layout, reading it, and derived data. */
#include "derive.h"
#include "grid.h"

/* ---- layout ---- */

static int config_good(const fxs_config *c) {
    return c->capacity > 0 && c->capacity <= FXS_CAPACITY_MAX &&
           (c->hit_when == FXS_TOUCHING || c->hit_when == FXS_OVERLAPPING) &&
           is_symmetric(c->layers);
}

/* Takes `size` bytes, rounded up to 8, at the end of the layout. */
static uint64_t room(uint64_t *end, uint64_t size) {
    uint64_t start = *end;
    *end += align8(size);
    return start;
}

static uint64_t lay_out(fxs_world *w, const fxs_config *c) {
    uint64_t end = 0;
    uint64_t set = set_size(c->capacity);
    uint64_t hit_room = ((uint64_t)c->hit_capacity + 1) * sizeof(packed_hit);
    uint64_t rows = (uint64_t)c->capacity + BLOCK;
    room(&end, sizeof *w);
    w->colliders_at = room(&end, rows * sizeof(placed_shape));
    w->anchors_at = room(&end, rows * sizeof(anchor));
    w->present_at = room(&end, set);
    w->changed_at = room(&end, set);
    w->marks_at = room(&end, set);
    w->known_at = room(&end, set);
    w->hits_at = room(&end, hit_room);
    w->spare_at = room(&end, hit_room);
    w->other_at = room(&end, hit_room);
    /* As many digits as there may be keys to sort, so that counting costs no more than moving: but
     * no more than a near cache holds. */
    w->digit_bits = (uint32_t)max64(6, min64(bit_length(c->capacity), 14));
    w->digits_at = room(&end, (uint64_t)4 << w->digit_bits);
    w->broad_at = room(&end, fxs_grid_size(c->capacity));
    w->sorted_at = room(&end, rows * sizeof(placed_shape));
    w->rows_at = room(&end, rows * sizeof(anchor));
    return end;
}

uint64_t fxs_world_size(const fxs_config *config) {
    fxs_world w;
    return config_good(config) ? lay_out(&w, config) : 0;
}

int32_t fxs_world_init(fxs_world *memory, const fxs_config *config) {
    if (!config_good(config) || (uintptr_t)memory % 8) {
        return FXS_E_CONFIG;
    }
    memset(memory, 0, sizeof *memory);
    lay_out(memory, config);
    memory->capacity = config->capacity;
    memory->hit_capacity = config->hit_capacity;
    memory->hit_when = config->hit_when;
    memcpy(memory->layers, config->layers, sizeof memory->layers);
    memset(present_set(memory), 0, set_size(config->capacity));
    memset(changed_set(memory), 0, set_size(config->capacity));
    memset(mark_set(memory), 0, set_size(config->capacity));
    return FXS_OK;
}

int32_t fxs_world_attach(fxs_world *world, const fxs_level *l) {
    const uint32_t used = world->count | world->hit_count | world->changed_count | world->frame;
    /* A pair of the last id and the last solid that can be would pack to NO_HIT. */
    if (used || (world->capacity == FXS_CAPACITY_MAX && l && l->count == FXS_LEVEL)) {
        return FXS_E_CONFIG;
    }
    world->level = l;
    return FXS_OK;
}

int32_t fxs_world_copy(fxs_world *dst, const fxs_world *src) {
    if (dst->capacity != src->capacity) {
        return FXS_E_CONFIG;
    }
    if (dst->hit_capacity < src->hit_count) {
        return FXS_E_ROOM;
    }
    grid_stale(dst);
    dst->level = src->level;
    dst->hit_when = src->hit_when;
    dst->frame = src->frame;
    dst->count = src->count;
    dst->changed_count = src->changed_count;
    dst->hit_count = src->hit_count;
    dst->underived = src->underived;
    memcpy(dst->layers, src->layers, sizeof dst->layers);
    memcpy(present_set(dst), present_set(src), set_size(src->capacity));
    memcpy(changed_set(dst), changed_set(src), set_size(src->capacity));
    memcpy(hits(dst), hits(src), src->hit_count * sizeof(packed_hit));
    const uint64_t *present = present_set(src);
    for (uint32_t id = set_next(present, 0, src->capacity); id < src->capacity;
         id = set_next(present, id + 1, src->capacity)) {
        placed_shapes(dst)[id] = placed_shapes(src)[id];
        anchors(dst)[id] = anchors(src)[id];
    }
    return FXS_OK;
}

/* ---- reading ---- */

uint32_t fxs_world_frame(const fxs_world *world) { return world->frame; }
uint32_t fxs_world_count(const fxs_world *world) { return world->count; }

void fxs_world_config(const fxs_world *world, fxs_config *out) {
    out->capacity = world->capacity;
    out->hit_capacity = world->hit_capacity;
    out->hit_when = world->hit_when;
    memcpy(out->layers, world->layers, sizeof out->layers);
}

int32_t fxs_world_get(const fxs_world *world, uint32_t id, fxs_collider *out) {
    int32_t status = find(world, id);
    if (status == FXS_OK) {
        fxs_collider_of(placed_shapes(world) + id, anchors(world) + id, out);
    }
    return status;
}

void fxs_world_ids(const fxs_world *world, uint32_t *ids) {
    const uint64_t *present = present_set(world);
    for (uint32_t id = set_next(present, 0, world->capacity); id < world->capacity;
         id = set_next(present, id + 1, world->capacity)) {
        *ids++ = id;
    }
}

void fxs_world_colliders(const fxs_world *world, fxs_collider *out) {
    const uint64_t *present = present_set(world);
    for (uint32_t id = set_next(present, 0, world->capacity); id < world->capacity;
         id = set_next(present, id + 1, world->capacity)) {
        fxs_collider_of(placed_shapes(world) + id, anchors(world) + id, out++);
    }
}

uint64_t fxs_world_hit_count(const fxs_world *world) { return world->hit_count; }

void fxs_world_hits(const fxs_world *world, fxs_hit *out) {
    const packed_hit *h = hits(world);
    for (uint32_t i = 0; i < world->hit_count; i++) {
        out[i].a = hit_a(h[i]);
        out[i].b = hit_b(h[i]);
        out[i].contact = hit_contact(h[i]);
    }
}
