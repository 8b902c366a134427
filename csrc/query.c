/* Questions about a world as it is now: contact, queries, nearest. */
#include "blocks.h"
#include "broad_query.h"
#include "derive.h"
#include "heap.h"
#include "wide.h"

int32_t fxs_world_contact(const fxs_world *world, uint32_t a, uint32_t b) {
    placed_shape copies[2];
    if (is_solid(world, a) || is_solid(world, b)) {
        const uint32_t own = is_solid(world, a) ? b : a;
        const uint32_t other = own == a ? b : a;
        const int32_t found = is_solid(world, own) ? FXS_E_UNDEFINED : find(world, own);
        return found != FXS_OK ? found
                               : fxs_solid_contact(fxs_derived(world, own, copies), world->level,
                                                   other - FXS_LEVEL);
    }
    int32_t status = find(world, a);
    if (status == FXS_OK) {
        status = find(world, b);
    }
    if (status != FXS_OK) {
        return status;
    }
    return fxs_placed_contact(fxs_derived(world, a, copies), fxs_derived(world, b, copies + 1));
}

/* Writes the active colliders that a query meets into scratch, in no order. Returns the count. */
static uint64_t met_by(fxs_world *w, const fxs_query *q, uint64_t **ids) {
    placed_shape area;
    fxs_place_shape(&area, &q->shape, &q->pose);
    aabb box;
    fxs_placed_bounds(&area, &box);
    uint64_t n, *near = fxs_broad_near(w, &box, &n);
    *ids = near;
    return fxs_placed_met(&area, q, placed_shapes(w), near, n, least_contact(w, q->hit_when));
}

/* Squared distance of a collider's centre from a pose: three components of 33 bits. */
static i128 distance_sq(const placed_shape *s, const fxs_pose *from) {
    return i128_add(
        i128_add(i128_square((int64_t)s->x - from->x), i128_square((int64_t)s->y - from->y)),
        i128_square((int64_t)s->z - from->z));
}

/* What ids are sorted by. */
typedef struct nearness {
    const fxs_world *w;
    const fxs_pose *from;
} nearness;

static int is_further(const nearness *by, const uint64_t *a, const uint64_t *b) {
    const placed_shape *all = placed_shapes(by->w);
    const int order = i128_cmp(distance_sq(all + *a, by->from), distance_sq(all + *b, by->from));
    return order > 0 || (order == 0 && *a > *b);
}

FXS_HEAP(far_heap, uint64_t, const nearness *, is_further)

/* The `limit` nearest of n ids to the front, nearest first. */
static void sort_nearest(const fxs_world *w, const fxs_pose *from, uint64_t *ids, uint64_t n,
                         uint64_t limit) {
    const nearness by = {w, from};
    FXS_ASSERT(limit <= n);
    far_heap_make(&by, ids, limit);
    for (uint64_t i = limit; i < n; i++) {
        if (is_further(&by, ids, ids + i)) {
            far_heap_sift(&by, ids, limit, 0, ids[i]);
        }
    }
    far_heap_sort(&by, ids, limit);
}

#define FEW_IDS 6 /* up to so many ids are sorted as keys */
#define SUMMARIES_MAX 64
#define RANKED_MAX (2 * LANES)

/* As members of a set, which is empty before and after: each sets a bit, of which a second set
 * holds the words with members. Only the branch at the end of a word depends on chance. */
static void sort_as_set(uint64_t *set, uint64_t *ids, uint64_t n, uint64_t summaries) {
    uint64_t summary[SUMMARIES_MAX];
    memset(summary, 0, (size_t)summaries * sizeof *summary);
    for (uint64_t i = 0; i < n; i++) {
        set[ids[i] >> 6] |= (uint64_t)1 << (ids[i] & 63);
        summary[ids[i] >> 12] |= (uint64_t)1 << (ids[i] >> 6 & 63);
    }
    for (uint64_t i = 0; i < summaries; i++) {
        for (uint64_t words = summary[i]; words; words &= words - 1) {
            uint64_t word = i * 64 + trailing_zeros(words);
            uint64_t bits = set[word];
            set[word] = 0;
            do {
                *ids++ = word * 64 + trailing_zeros(bits);
                bits &= bits - 1;
            } while (bits);
        }
    }
}

/* By how many are below each, without branches; n <= RANKED_MAX. */
static void sort_by_ranks(const uint64_t *ids, uint64_t n, uint32_t *out) {
    uint16_t number[RANKED_MAX] = {0}, rank[RANKED_MAX];
    FXS_ASSERT(n <= RANKED_MAX);
    for (uint64_t i = 0; i < n; i++) {
        number[i] = (uint16_t)ids[i];
    }
    for (uint64_t i = 0; i < n; i += LANES) {
        rank_lanes(number, n, number + i, rank + i);
    }
    for (uint64_t i = 0; i < n; i++) {
        out[rank[i]] = number[i];
    }
}

/* Writes n ids into `out`, ascending. */
static void sort_ids(fxs_world *w, uint64_t *ids, uint64_t n, uint32_t *out) {
    uint64_t summaries = (w->capacity + (uint64_t)4095) / 4096;
    if (n <= RANKED_MAX && w->capacity <= RANKS_END) {
        sort_by_ranks(ids, n, out);
        return;
    }
    if (n > FEW_IDS && summaries <= n && summaries <= SUMMARIES_MAX) {
        sort_as_set(mark_set(w), ids, n, summaries);
    } else {
        uint64_t *spare = (uint64_t *)at(w, w->sorted_at);
        fxs_sort(digits_of(w), ids, spare, n, 0, bit_length(w->capacity - 1));
    }
    for (uint64_t i = 0; i < n; i++) {
        out[i] = (uint32_t)ids[i];
    }
}

/* Queries in the order of ids, or nearest first and at most `limit` of each (0: all). */
static int32_t answer(fxs_world *w, const fxs_query *queries, uint64_t n, int nearest_first,
                      uint64_t limit, uint64_t *ends, uint32_t *ids, uint64_t id_capacity,
                      uint64_t *count) {
    for (uint64_t i = 0; i < n; i++) {
        int32_t status = fxs_query_check(queries + i);
        if (status != FXS_OK) {
            *count = i;
            return status;
        }
    }
    uint64_t found = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t *met;
        uint64_t met_count = met_by(w, queries + i, &met);
        uint64_t kept = limit && limit < met_count ? limit : met_count;
        if (kept <= id_capacity && found <= id_capacity - kept) {
            if (nearest_first) {
                sort_nearest(w, &queries[i].pose, met, met_count, kept);
                for (uint64_t j = 0; j < kept; j++) {
                    ids[found + j] = (uint32_t)met[j];
                }
            } else {
                sort_ids(w, met, met_count, ids + found);
            }
        }
        found += kept;
        if (w->level && !nearest_first) {
            const uint64_t room = found < id_capacity ? id_capacity - found : 0;
            placed_shape area;
            fxs_place_shape(&area, &queries[i].shape, &queries[i].pose);
            found += fxs_level_met(w->level, &area, queries[i].mask,
                                   least_contact(w, queries[i].hit_when), room ? ids + found : ids,
                                   room);
        }
        ends[i] = found;
    }
    *count = found;
    return found > id_capacity ? FXS_E_ROOM : FXS_OK;
}

int32_t fxs_world_query_many(fxs_world *world, const fxs_query *queries, uint64_t n, uint64_t *ends,
                             uint32_t *ids, uint64_t id_capacity, uint64_t *count) {
    return answer(world, queries, n, 0, 0, ends, ids, id_capacity, count);
}

int32_t fxs_world_query(fxs_world *world, const fxs_query *query, uint32_t *ids,
                        uint64_t id_capacity, uint64_t *count) {
    uint64_t end;
    return answer(world, query, 1, 0, 0, &end, ids, id_capacity, count);
}

int32_t fxs_world_nearest(fxs_world *world, const fxs_query *query, uint64_t limit, uint32_t *ids,
                          uint64_t id_capacity, uint64_t *count) {
    uint64_t end;
    return answer(world, query, 1, 1, limit, &end, ids, id_capacity, count);
}

int32_t fxs_world_nearest_many(fxs_world *world, const fxs_query *queries, uint64_t n,
                               uint64_t limit, uint64_t *ends, uint32_t *ids, uint64_t id_capacity,
                               uint64_t *count) {
    return answer(world, queries, n, 1, limit, ends, ids, id_capacity, count);
}
