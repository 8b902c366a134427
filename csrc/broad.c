/* Broad phase: which pairs are worth an exact test. Sweep along x over the colliders' bounds. */
#include "world.h"

typedef struct bounds {
    int32_t x0, x1, y0, y1, z0, z1;
    uint32_t id, layer;
} bounds;

uint64_t fxs_broad_size(uint32_t capacity) { return capacity * (uint64_t)(sizeof(bounds) + 2 * sizeof(uint64_t)); }

static int32_t clamped(int64_t v) { return v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : (int32_t)v; }

uint64_t fxs_broad_hits(const fxs_world *w, packed_hit *out) {
    uint64_t *keys = (uint64_t *)at(w, w->broad_at), *spare = keys + w->capacity, n = 0, found = 0;
    bounds *sorted = (bounds *)(spare + w->capacity);
    const uint64_t *present = present_set(w);
    for (uint32_t id = set_next(present, 0, w->capacity); id < w->capacity; id = set_next(present, id + 1, w->capacity)) {
        const solid *s = solids(w) + id;
        if (s->active && w->layers[s->layer]) {
            keys[n++] = ((uint64_t)((uint32_t)clamped((int64_t)s->x - s->reach_x) ^ 0x80000000u)) << 32 | id;
        }
    }
    fxs_sort(keys, spare, n, 32, 32);
    for (uint64_t i = 0; i < n; i++) {
        const solid *s = solids(w) + (uint32_t)keys[i];
        bounds *b = sorted + i;
        b->x0 = clamped((int64_t)s->x - s->reach_x);
        b->x1 = clamped((int64_t)s->x + s->reach_x);
        b->y0 = clamped((int64_t)s->y - s->reach_y);
        b->y1 = clamped((int64_t)s->y + s->reach_y);
        b->z0 = clamped((int64_t)s->z - s->reach_z);
        b->z1 = clamped((int64_t)s->z + s->reach_z);
        b->id = s->id;
        b->layer = s->layer;
    }
    for (uint64_t i = 0; i < n; i++) {
        const bounds *p = sorted + i;
        const solid *sp = solids(w) + p->id;
        for (const bounds *q = p + 1; q < sorted + n && q->x0 <= p->x1; q++) {
            if (q->z0 > p->z1 || p->z0 > q->z1 || q->y0 > p->y1 || p->y0 > q->y1 || !(w->layers[p->layer] >> q->layer & 1)) {
                continue;
            }
            const solid *sq = solids(w) + q->id;
            int contact = owners_meet(sp, sq) ? fxs_solid_contact(sp, sq) : FXS_APART;
            if (contact >= (int)w->hit_when) {
                if (found < w->hit_capacity) {
                    out[found] = p->id < q->id ? hit_pack(p->id, q->id, contact) : hit_pack(q->id, p->id, contact);
                }
                found++;
            }
        }
    }
    return found;
}
