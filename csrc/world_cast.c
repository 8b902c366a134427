/* Casts into a world or a level: which colliders and solids a moving shape meets, in order. */
#include "broad_query.h"
#include "cast.h"
#include "derive.h"
#include "heap.h"
#include "polygon_cast.h"

enum { KNOWN = 8 };

/* The candidates of a cast: those of a query, or, for a collider's own sweep, those that it may
 * hit. */
typedef struct job {
    placed_shape own;
    int64_t M[3];
    int64_t length;       /* of M in the plane, rounded up: below 2^29.6 */
    motion_extent extent; /* of `own` */
    int is_sweep;
    uint32_t mask, exclude_owner;
    uint32_t limit;
    int when;
    const cast_filter *filter; /* NULL: every hit counts */
    const fxs_world *world;    /* that is searched, or NULL */
    const fxs_level *level;    /* or NULL */
    const uint64_t *moving;    /* of a sweep: a set of ids that are left out, or NULL */
    hit_sink take;             /* takes the hits, or NULL */
    void *context;
    fxs_cast_hit known[KNOWN]; /* hits with their normals, as far as they were asked for */
} job;

static int is_wanted(const job *j, const placed_shape *s) {
    if (!can_cast(s->kind)) {
        return 0;
    }
    if (j->is_sweep) {
        return s->id != j->own.id && may_hit(&j->own, s) &&
               !(j->moving && set_has(j->moving, s->id));
    }
    const int is_excluded = j->exclude_owner != 0 && s->owner == j->exclude_owner;
    return (j->mask >> s->layer & 1) && !is_excluded;
}

int64_t fxs_solid_hit_normal(const placed_shape *a, const fxs_level *l, uint32_t index,
                             const int64_t *M, int32_t k, int32_t *out) {
    const solid *b = solids(l) + index;
    if (k == 0 && fxs_solid_contact(a, l, index) == FXS_OVERLAPPING) {
        out[0] = out[1] = out[2] = 0;
        return 0;
    }
    return fxs_solid_cast_normal(a, b, level_vertices(l, b), M, k, out);
}

/* The normal of a hit, and its distance. */
static int64_t normal_of_hit(const job *j, fxs_cast_hit *hit) {
    const int32_t k = (int32_t)hit->fraction;
    if (hit->id < FXS_LEVEL) {
        const placed_shape *s = placed_shapes(j->world) + hit->id;
        return fxs_placed_cast_normal(&j->own, s, j->M, k, hit->normal);
    }
    const uint32_t index = hit->id - FXS_LEVEL;
    return fxs_solid_hit_normal(&j->own, j->level, index, j->M, k, hit->normal);
}

/* While hits are sought, the third number of a normal is HAS_DISTANCE if the distance stands in the
 * first two, or else 0. A hit needs it where another one has the same fraction: rarely. */
enum { HAS_DISTANCE = 1 };

static void know_distance(job *j, fxs_cast_hit *hit) {
    fxs_cast_hit *known = j->known + hit->id % KNOWN;
    if (hit->normal[2] != HAS_DISTANCE) {
        *known = *hit;
        put_distance(hit, normal_of_hit(j, known));
        hit->normal[2] = HAS_DISTANCE;
    }
}

/* The normal of a hit that is no longer sought. */
static void put_normal(const job *j, fxs_cast_hit *hit) {
    const fxs_cast_hit *known = j->known + hit->id % KNOWN;
    if (hit->normal[2] == HAS_DISTANCE && known->id == hit->id) {
        *hit = *known;
    } else {
        normal_of_hit(j, hit);
    }
}

/* Hits in order of (fraction, distance, id); their distances are known if j is NULL. As a heap,
 * none is before its children. */
static inline int is_later(job *j, fxs_cast_hit *a, fxs_cast_hit *b) {
    if (a->fraction != b->fraction) {
        return a->fraction > b->fraction;
    }
    if (j) {
        know_distance(j, a);
        know_distance(j, b);
    }
    const int64_t of_a = distance_of(a);
    const int64_t of_b = distance_of(b);
    return of_a != of_b ? of_a > of_b : a->id > b->id;
}

FXS_HEAP(hit_heap, fxs_cast_hit, job *, is_later)

static void sort_hits(job *j, fxs_cast_hit *hits, uint64_t n) {
    hit_heap_make(j, hits, n);
    hit_heap_sort(j, hits, n);
}

void fxs_sort_cast_hits(fxs_cast_hit *hits, uint64_t n) { sort_hits(NULL, hits, n); }

typedef struct kept_hits {
    fxs_cast_hit *hits;
    uint64_t room;
    uint64_t count; /* of those in `hits` */
    uint64_t met;   /* how many there were, as far as they matter */
    uint32_t limit;
} kept_hits;

/* Bounds of the moving shape between two fractions, rounded down: other bounds are whole. |M *
 * fraction| <= 2^45. */
static void sweep_bounds(const job *j, int32_t from, int32_t to, aabb *out) {
    const int64_t centre[3] = {j->own.x, j->own.y, j->own.z};
    const int64_t extent[3] = {j->own.extent_x, j->own.extent_y, j->own.extent_z};
    const int64_t lift = (int64_t)1 << 30; /* divides numbers above 0 */
    for (int i = 0; i < 3; i++) {
        const int is_back = j->M[i] < 0;
        const int32_t before = is_back ? to : from;
        const int32_t after = is_back ? from : to;
        out->min[i] = centre[i] - extent[i] + (j->M[i] * before + lift * WHOLE) / WHOLE - lift;
        out->max[i] = centre[i] + extent[i] + (j->M[i] * after + lift * WHOLE) / WHOLE - lift;
    }
}

/* Keeps a hit; returns the fraction after which others do not matter. The kept hits become a heap
 * when they are full. */
static int32_t keep(job *j, kept_hits *k, fxs_cast_hit hit) {
    if (j->take) {
        return j->take(j->context, hit.id, (int32_t)hit.fraction, 0);
    }
    int is_full = k->limit != 0 && k->count == k->limit;
    FXS_ASSERT(hit.fraction <= WHOLE && k->count <= k->room);
    k->met++;
    if (is_full && is_later(j, k->hits, &hit)) {
        hit_heap_sift(j, k->hits, k->count, 0, hit);
    } else if (!is_full && k->count < k->room) {
        k->hits[k->count++] = hit;
        is_full = k->limit != 0 && k->count == k->limit;
        if (is_full) {
            hit_heap_make(j, k->hits, k->count);
        }
    }
    return is_full ? (int32_t)k->hits[0].fraction : WHOLE;
}

static int32_t cast_solid(const job *j, const fxs_level *l, uint32_t index, int32_t max_fraction) {
    const solid *b = solids(l) + index;
    const vertex *v = level_vertices(l, b);
    if (b->code == FXS_CYLINDER) {
        return fxs_cylinder_solid_cast(&j->own, b, v, j->M, j->when, max_fraction);
    }
    const int64_t half = j->own.size[1];
    const heights way = {(int64_t)b->y_low - j->own.y - half, (int64_t)b->y_high - j->own.y + half};
    polygon p;
    fxs_polygon_of(&p, b, v, j->own.x, j->own.z);
    return fxs_polygon_cast(&j->own, &p, way, j->M, j->when, max_fraction);
}

/* Whether a hit is a floor for a filter: met downwards. */
static int is_met_as_floor(const job *j, const placed_shape *s, fxs_cast_hit hit) {
    if (j->M[1] >= 0) {
        return 0;
    }
    if (s) { /* perhaps not where the world has it */
        fxs_placed_cast_normal(&j->own, s, j->M, (int32_t)hit.fraction, hit.normal);
    } else {
        normal_of_hit(j, &hit);
    }
    const int has_flat_top = s == NULL || fxs_kinds[s->kind].has_flat_ends;
    return is_floor_for(j->filter, hit.normal[1], has_flat_top);
}

/* Whether a filter leaves out a collider. */
static int is_left_out(const cast_filter *f, const placed_shape *s) {
    if (f->without && set_has(f->without, s->id)) {
        return 1;
    }
    return f->from && (f->yields >> s->layer & 1) &&
           fxs_placed_contact(f->from, s) == FXS_OVERLAPPING;
}

/* Whether a hit with a collider, or with a solid of the level where s is NULL, counts for a filter.
 * A shape that is overlapped at the start is met with fraction 0. */
static int is_counted(const job *j, const placed_shape *s, fxs_cast_hit hit) {
    const cast_filter *f = j->filter;
    if (hit.id == f->own || hit.id < f->first || (s && is_left_out(f, s))) {
        return 0;
    }
    const uint32_t index = s ? 0 : hit.id - FXS_LEVEL; /* of a solid */
    const uint32_t layer = s ? s->layer : solids(j->level)[index].layer;
    const int is_one_way = f->one_way >> layer & 1;
    if (hit.fraction == 0 && (is_one_way || f->skips_overlapped)) {
        const int contact =
            s ? fxs_placed_contact(&j->own, s) : fxs_solid_contact(&j->own, j->level, index);
        if (contact == FXS_OVERLAPPING) {
            return 0;
        }
    }
    return !is_one_way || is_met_as_floor(j, s, hit);
}

/* The hits with solids. `max_fraction`: the fraction after which they do not matter. */
static void cast_at_level(const fxs_level *l, job *j, kept_hits *k, int32_t max_fraction) {
    aabb box;
    level_walk walk;
    sweep_bounds(j, 0, min_int(max_fraction + 1, WHOLE), &box);
    fxs_level_walk(&walk, l, &box, j->is_sweep ? j->own.meets : j->mask);
    walk.x = j->own.x;
    walk.z = j->own.z;
    walk.mx = j->M[0];
    walk.mz = j->M[2];
    walk.across = j->extent.across + 8 * j->length;
    for (uint32_t i; (i = fxs_level_next(&walk)) != NO_SOLID;) {
        const int32_t fraction = cast_solid(j, l, i, max_fraction);
        if (fraction == NONE) {
            continue;
        }
        const fxs_cast_hit hit = {FXS_LEVEL + i, (uint32_t)fraction, {0, 0, 0}};
        if (!j->filter || is_counted(j, NULL, hit)) {
            max_fraction = keep(j, k, hit);
        }
    }
}

/* A slice of the time of a motion, with the bounds of the moving shape in it, and those in the
 * slice before it. */
typedef struct slice {
    int32_t from, to;
    aabb box, box_before;
} slice;

/* A motion along no axis has bounds much larger than the volume that the shape sweeps. Where they
 * hold many colliders, the motion is cut into slices. */
static int32_t slice_length(const fxs_world *w, const job *j, const slice *whole) {
    const uint64_t guess = fxs_broad_guess(w, &whole->box);
    const int32_t slices = 1 + (int32_t)fxs_isqrt64(guess / (j->limit ? 2 : 8));
    return (WHOLE + slices - 1) / slices;
}

static void next_slice(slice *t, const job *j, int32_t length) {
    t->box_before = t->box;
    t->from = t->to;
    t->to = min_int(t->from + length, WHOLE);
    sweep_bounds(j, t->from, t->to, &t->box);
}

/* Whether no slice before this one looked at a candidate of this one. */
static int is_new_in(const slice *t, const placed_shape *s) {
    return extents_meet_aabb(s, &t->box) && (t->from == 0 || !extents_meet_aabb(s, &t->box_before));
}

/* The hits with the colliders of a slice, as cast_at_colliders. */
static int32_t cast_in_slice(fxs_world *w, job *j, kept_hits *k, const slice *t,
                             int32_t max_fraction) {
    uint64_t near_count;
    const uint64_t *near = fxs_broad_near(w, &t->box, &near_count);
    const int is_whole = t->from == 0 && t->to == WHOLE;
    for (uint64_t i = 0; i < near_count; i++) {
        const placed_shape *s = placed_shapes(w) + near[i];
        const int is_new = is_whole || is_new_in(t, s);
        if (!is_new || !is_wanted(j, s) ||
            passes_by(&j->own, &j->extent, s, j->M, j->length, max_fraction)) {
            continue;
        }
        if (j->take && fxs_placed_contact(&j->own, s) == FXS_OVERLAPPING) {
            max_fraction = j->take(j->context, s->id, 0, 1);
            continue;
        }
        const int32_t fraction = fxs_placed_cast(&j->own, s, j->M, j->when, max_fraction);
        if (fraction == NONE) {
            continue;
        }
        const fxs_cast_hit hit = {s->id, (uint32_t)fraction, {0, 0, 0}};
        if (!j->filter || is_counted(j, s, hit)) {
            max_fraction = keep(j, k, hit);
        }
    }
    return max_fraction;
}

/* The hits with colliders that matter up to `max_fraction`; returns the fraction after which others
 * do not matter. Slices that begin after it are not searched. */
static int32_t cast_at_colliders(fxs_world *w, job *j, kept_hits *k, int32_t max_fraction) {
    slice t = {.from = 0, .to = WHOLE};
    sweep_bounds(j, 0, WHOLE, &t.box);
    const int32_t length = slice_length(w, j, &t);
    if (length == WHOLE) {
        return cast_in_slice(w, j, k, &t, max_fraction);
    }
    t.to = 0;
    while (t.to < WHOLE && t.to <= max_fraction) {
        next_slice(&t, j, length);
        max_fraction = cast_in_slice(w, j, k, &t, max_fraction);
    }
    return max_fraction;
}

/* Runs a job in a world, a level or both: its hits in order into `hits`, if there is room. Returns
 * the count. */
static uint64_t run(fxs_world *w, const fxs_level *l, job *j, fxs_cast_hit *hits, uint64_t room) {
    kept_hits k = {hits, room, 0, 0, j->limit};
    int32_t max_fraction = WHOLE;
    j->length = planar_length(j->M);
    j->extent = motion_extent_of(&j->own, j->M, j->length);
    j->world = w;
    j->level = l;
    if (w) {
        max_fraction = cast_at_colliders(w, j, &k, max_fraction);
    }
    if (l) {
        cast_at_level(l, j, &k, max_fraction);
    }
    uint64_t met = k.limit != 0 && k.met > k.limit ? k.limit : k.met;
    if (met <= room) {
        sort_hits(j, hits, k.count);
        for (uint64_t i = 0; i < k.count; i++) {
            put_normal(j, hits + i);
        }
    }
    return met;
}

void fxs_sweep_still(fxs_world *w, uint32_t id, const int32_t *motion, int when, uint32_t limit,
                     const uint64_t *moving, int32_t max_fraction, hit_sink take, void *context) {
    job j;
    memset(&j, 0, sizeof j);
    j.own = placed_shapes(w)[id];
    j.is_sweep = 1;
    for (int i = 0; i < 3; i++) {
        j.M[i] = motion[i];
    }
    j.limit = limit;
    j.when = when;
    j.moving = moving;
    j.take = take;
    j.context = context;
    j.length = planar_length(j.M);
    j.extent = motion_extent_of(&j.own, j.M, j.length);
    j.level = w->level;
    if (moving) {
        max_fraction = cast_at_colliders(w, &j, NULL, max_fraction);
    }
    if (w->level) {
        cast_at_level(w->level, &j, NULL, max_fraction);
    }
}

/* FXS_OK, and the job with its motion, limit and hit_when set, of which 0 is `when`; or
 * FXS_E_UNDEFINED, _MOTION, _HIT_WHEN. */
static int32_t set_job(job *j, int when, uint32_t kind, const int32_t *motion, uint32_t limit,
                       uint32_t hit_when) {
    if (!can_cast(kind)) {
        return FXS_E_UNDEFINED;
    }
    if (!is_motion(motion)) {
        return FXS_E_MOTION;
    }
    if (hit_when > FXS_OVERLAPPING) {
        return FXS_E_HIT_WHEN;
    }
    for (int i = 0; i < 3; i++) {
        j->M[i] = motion[i];
    }
    j->limit = limit;
    j->when = hit_when ? (int)hit_when : when;
    return FXS_OK;
}

static int32_t job_of_cast(int when, const fxs_cast *c, job *j) {
    int32_t status = fxs_placed_check(&c->shape, &c->pose);
    if (status == FXS_OK) {
        status = set_job(j, when, c->shape.kind, c->motion, c->limit, c->hit_when);
    }
    return status;
}

int32_t fxs_world_cast_many(fxs_world *world, const fxs_cast *casts, uint64_t n, uint64_t *ends,
                            fxs_cast_hit *hits, uint64_t hit_capacity, uint64_t *count) {
    job j;
    memset(&j, 0, sizeof j);
    for (uint64_t i = 0; i < n; i++) {
        int32_t status = job_of_cast((int)world->hit_when, casts + i, &j);
        if (status != FXS_OK) {
            *count = i;
            return status;
        }
    }
    uint64_t found = 0;
    for (uint64_t i = 0; i < n; i++) {
        job_of_cast((int)world->hit_when, casts + i, &j);
        fxs_place_shape(&j.own, &casts[i].shape, &casts[i].pose);
        j.mask = casts[i].mask;
        j.exclude_owner = casts[i].exclude_owner;
        uint64_t room = found < hit_capacity ? hit_capacity - found : 0;
        found += run(world, world->level, &j, room ? hits + found : hits, room);
        ends[i] = found;
    }
    *count = found;
    return found > hit_capacity ? FXS_E_ROOM : FXS_OK;
}

int32_t fxs_world_cast(fxs_world *world, const fxs_cast *cast, fxs_cast_hit *hits,
                       uint64_t hit_capacity, uint64_t *count) {
    uint64_t end;
    return fxs_world_cast_many(world, cast, 1, &end, hits, hit_capacity, count);
}

/* FXS_OK or FXS_E_MOTION. */
static int32_t filtered_job(job *j, const fxs_cast *cast, const cast_filter *filter) {
    memset(j, 0, sizeof *j);
    fxs_place_shape(&j->own, &cast->shape, &cast->pose);
    j->mask = cast->mask;
    j->exclude_owner = cast->exclude_owner;
    j->filter = filter;
    return set_job(j, FXS_OVERLAPPING, cast->shape.kind, cast->motion, cast->limit, 0);
}

int32_t fxs_filtered_cast(fxs_world *world, const fxs_cast *cast, const cast_filter *filter,
                          fxs_cast_hit *hits) {
    job j;
    const int32_t status = filtered_job(&j, cast, filter);
    return status != FXS_OK ? status : (int32_t)run(world, world->level, &j, hits, cast->limit);
}

int32_t fxs_cast_at_set(fxs_world *world, const fxs_cast *cast, const cast_filter *filter,
                        const id_set *set, fxs_cast_hit *first) {
    job j;
    int32_t max_fraction = WHOLE;
    int64_t nearest = 0;
    int32_t is_met = 0;
    const int32_t status = filtered_job(&j, cast, filter);
    if (status != FXS_OK) {
        return status;
    }
    derive(world);
    for (uint64_t i = 0; i < set->n; i++) {
        placed_shape s = placed_shapes(world)[set->ids[i]];
        s.x += set->shift[0];
        s.y += set->shift[1];
        s.z += set->shift[2];
        const int32_t fraction =
            is_wanted(&j, &s) ? fxs_placed_cast(&j.own, &s, j.M, j.when, max_fraction) : NONE;
        if (fraction == NONE || (is_met && fraction > max_fraction)) {
            continue;
        }
        fxs_cast_hit hit = {s.id, (uint32_t)fraction, {0, 0, 0}};
        if (!is_counted(&j, &s, hit)) {
            continue;
        }
        const int64_t distance = fxs_placed_cast_normal(&j.own, &s, j.M, fraction, hit.normal);
        if (!is_met || fraction < max_fraction || distance < nearest) {
            *first = hit;
            max_fraction = fraction;
            nearest = distance;
            is_met = 1;
        }
    }
    return is_met;
}

int32_t fxs_world_sweep(fxs_world *world, uint32_t id, const int32_t motion[3], uint32_t limit,
                        uint32_t hit_when, fxs_cast_hit *hits, uint64_t hit_capacity,
                        uint64_t *count) {
    if (id >= world->capacity) {
        return FXS_E_ID;
    }
    if (!set_has(present_set(world), id)) {
        return FXS_E_ABSENT;
    }
    job j;
    memset(&j, 0, sizeof j);
    derive(world);
    j.own = placed_shapes(world)[id];
    j.is_sweep = 1;
    int32_t status = set_job(&j, (int)world->hit_when, j.own.kind, motion, limit, hit_when);
    if (status != FXS_OK) {
        return status;
    }
    *count = run(world, world->level, &j, hits, hit_capacity);
    return *count > hit_capacity ? FXS_E_ROOM : FXS_OK;
}

int32_t fxs_level_cast(const fxs_level *l, const fxs_cast *cast, fxs_cast_hit *hits,
                       uint64_t hit_capacity, uint64_t *count) {
    job j;
    memset(&j, 0, sizeof j);
    *count = 0;
    int32_t status = job_of_cast(FXS_TOUCHING, cast, &j);
    if (status != FXS_OK) {
        return status;
    }
    fxs_place_shape(&j.own, &cast->shape, &cast->pose);
    j.mask = cast->mask;
    *count = run(NULL, l, &j, hits, hit_capacity);
    return *count > hit_capacity ? FXS_E_ROOM : FXS_OK;
}
