/* Derived data of colliders (docs/contract.md, World). */
#include "derive.h"

void fxs_collider_of(const placed_shape *s, const anchor *p, fxs_collider *out) {
    uint8_t *bytes = (uint8_t *)out;
    memcpy(bytes, (const uint8_t *)s + offsetof(placed_shape, id), TRAITS_SIZE);
    memcpy(bytes + TRAITS_SIZE, p, sizeof *p);
    memcpy(bytes + TRAITS_SIZE + sizeof *p, s->size, sizeof s->size);
}

void fxs_turn_colliders(fxs_world *w, const uint32_t *turned_ids, uint32_t turned_count,
                        const uint32_t *offset_ids, uint32_t offset_count) {
    FXS_ASSERT(offset_count <= TURNING_MAX && turned_count <= TURNING_MAX);
    fxs_turn_placed(placed_shapes(w), turned_ids, turned_count);
    for (uint32_t i = 0; i < offset_count; i++) {
        set_centre(placed_shapes(w) + offset_ids[i], anchors(w) + offset_ids[i]);
    }
}

/* Turning is done at once for many: see fxs_turn_colliders. */
void fxs_derive(fxs_world *w) {
    const uint64_t *present = present_set(w);
    const uint64_t words = set_words(w->capacity);
    for (uint64_t word = 0; word < words; word++) {
        uint32_t turned_ids[TURNING_MAX];
        uint32_t offset_ids[TURNING_MAX];
        uint32_t turned_count = 0;
        uint32_t offset_count = 0;
        for (uint64_t bits = present[word]; bits; bits &= bits - 1) {
            uint32_t id = (uint32_t)(word * 64) + trailing_zeros(bits);
            placed_shape *s = placed_shapes(w) + id;
            const anchor *p = anchors(w) + id;
            if (!is_derived(s)) {
                derive_unturned(w, s, p);
                turned_ids[turned_count] = offset_ids[offset_count] = id;
                turned_count += is_turned(s, p);
                offset_count += has_offset(p);
            }
        }
        fxs_turn_colliders(w, turned_ids, turned_count, offset_ids, offset_count);
    }
    w->underived = 0;
}

const placed_shape *fxs_derived(const fxs_world *w, uint32_t id, placed_shape *copy) {
    const placed_shape *s = placed_shapes(w) + id;
    if (w->underived == 0 || is_derived(s)) {
        return s;
    }
    *copy = *s;
    FXS_ASSERT(s->id == id);
    derive_placed(copy, anchors(w) + id);
    return copy;
}

void fxs_centre_of(const fxs_world *w, uint32_t id, fxs_pose *out) {
    placed_shape copy;
    const placed_shape *s = fxs_derived(w, id, &copy);
    const fxs_pose centre = {s->x, s->y, s->z, s->yaw};
    *out = centre;
}
