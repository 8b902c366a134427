/* The centre of a collider at its pose, for every position, offset and direction: exact, and refused if it is outside int32. */
#include "any.h"

/* Parts of an offset are below 2^31 or, of a short one, at most 2^29 from 0. */
static int in_range(int64_t part, planar v) {
    int64_t most = abs64(v.x) <= SHORT && abs64(v.z) <= SHORT ? (int64_t)1 << 60 : (int64_t)1 << 62;
    return part >= -most && part <= most;
}

/*@ an offset is turned without overflow, each part at most 2^62, and 2^60 of a short one
    bounds    all offsets and directions
    in        planar.h
    change    {v.x * dir.x - v.z * dir.z, v.x
    to        {v.x * dir.x - v.z * dir.z * 8, v.x
    quick */
void offset_is_turned(void) {
    planar v = {nondet_int32(), nondet_int32()};
    planar at = turned(v, fxs_direction_of(0));
    __CPROVER_assert(in_range(at.x, v) && in_range(at.z, v), "a vector");
}

/* In the place of `turned`: any vector in that range, the same whenever it is asked for, but (0, 0) of (0, 0). The last one, for comparison. */
static planar vector, chosen;
static int is_chosen;
static planar any_turned(planar v, planar dir) {
    (void)dir;
    chosen.x = is_chosen ? chosen.x : nondet_int64();
    chosen.z = is_chosen ? chosen.z : nondet_int64();
    is_chosen = 1;
    vector.x = v.x || v.z ? chosen.x : 0;
    vector.z = v.x || v.z ? chosen.z : 0;
    __CPROVER_assume(in_range(vector.x, v) && in_range(vector.z, v));
    return vector;
}

#define turned any_turned
#include "derive.c"
#include "world.c"
#include "change.c"
#include "sort.c"
#include "step.c"
#include "state.c"

#ifndef MOST_HITS
#define MOST_HITS 1
#endif

typedef __CPROVER_bitvector[80] int80;

static int80 rounded(int80 v) {
    int80 m = ((v < 0 ? -v : v) + ((int80)1 << 29)) >> 30;
    return v < 0 ? -m : m;
}

/*@ a collider's centre is exact, and refused outside int32
    bounds    all positions, offsets, kinds, sizes and directions
    options   --unwind 5
    in        derive.h
    change    y < INT32_MIN || y > INT32_MAX
    to        y < INT32_MIN */
void centres_are_exact(void) {
    placed_shape s;
    s.kind = (uint8_t)any_in(0, KIND_COUNT - 1);
    s.yaw = nondet_uint16();
    for (uint32_t i = 0; i < 3; i++) {
        s.size[i] = any_in(0, FXS_SIZE_MAX);
    }
    anchor p = {nondet_int32(), nondet_int32(), nondet_int32(), nondet_int32(), nondet_int32(), nondet_int32()};
    int32_t status = derive_placed(&s, &p);
    int80 at[3] = {p.x, (int80)p.y + p.oy, p.z};
    if (p.ox != 0 || p.oz != 0) {
        at[0] += rounded(vector.x);
        at[2] += rounded(vector.z);
    }
    int fits = 1;
    for (uint32_t i = 0; i < 3; i++) {
        fits = fits && at[i] >= INT32_MIN && at[i] <= INT32_MAX;
    }
    __CPROVER_assert(status == (fits ? FXS_OK : FXS_E_CENTRE), "refused when outside");
    if (fits) {
        __CPROVER_assert(s.x == at[0] && s.y == at[1] && s.z == at[2], "the exact centre");
        /* The components of a direction sum to less than 1.5: for one that is a unit vector, sqrt(2) is the most. */
        int unit = abs64(s.cos_q30) + abs64(s.sin_q30) < 3 * (Q30_ONE / 2);
        __CPROVER_assert(s.extent_x >= 0 && s.extent_z >= 0 && (!unit || (s.extent_x <= 1 << 30 && s.extent_z <= 1 << 30)), "a reach");
    }
}

#ifdef FXS_NO_LITTLE_ENDIAN
/*@ load takes a collider if and only if its fields and its centre are in range
    bounds    all 52 bytes but the id, all directions
    options   -DFXS_NO_LITTLE_ENDIAN -DFXS_NO_BUILTINS --unwind 53
    in        shape.h
    change    #define SHORT (1 << 29)
    to        #define SHORT (1 << 30) */
/* Of all bytes: load takes those whose fields the contract allows, and whose centre is in range, though it works that out of few. */
void colliders_are_taken_iff_they_are_in_range(void) {
    uint8_t bytes[COLLIDER_SIZE];
    fxs_collider c;
    placed_shape s;
    anchor where;
    for (uint32_t i = 0; i < COLLIDER_SIZE; i++) {
        bytes[i] = (uint8_t)any_in(0, 255);
    }
    get_collider(bytes, &c);
    copy_saved(bytes, &s, &where);
    int is_good = collider_status(&c) == FXS_OK && derive_placed(&s, &where) == FXS_OK;
    __CPROVER_assert((is_collider(bytes) != 0) == is_good, "taken");
}
#endif

static uint32_t any_hits(packed_hit *out) {
    uint32_t n = (uint32_t)any_in(0, MOST_HITS);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = (uint32_t)any_in(0, 127), b = (uint32_t)any_in(0, 127);
        __CPROVER_assume(a < b);
        out[i] = hit_pack(a, b, (uint32_t)any_in(FXS_TOUCHING, FXS_OVERLAPPING));
        __CPROVER_assume(i == 0 || hit_pair(out[i - 1]) < hit_pair(out[i]));
    }
    return n;
}

static const packed_hit *hit_of(const packed_hit *all, uint32_t n, uint64_t pair) {
    for (uint32_t i = 0; i < n; i++) {
        if (hit_pair(all[i]) == pair) {
            return all + i;
        }
    }
    return NULL;
}

/*@ the events of a step are those of the contract, in order
    bounds    all sets of up to 2 hits before and 2 now, all changes
    options   -DMOST_HITS=2 --unwind 6
    in        step.c
    change    } else if (was < is) {
    to        } else if (was <= is + 1) { */
/*@ the events of a step are those of the contract, in order
    bounds    all sets of up to 3 hits before and 3 now, all changes
    options   -DMOST_HITS=3 --unwind 8
    in        step.c
    change    } else if (was < is) {
    to        } else if (was <= is + 1) {
    undecided */
/* The events of two steps with up to MOST_HITS hits each: each pair has those that the contract gives it, in order. */
void events_are_those_of_the_contract(void) {
    struct {
        fxs_world world;
        packed_hit old[MOST_HITS + 1];
        uint64_t changed[2];
    } memory;
    packed_hit now[MOST_HITS + 1];
    fxs_event events[4 * MOST_HITS];
    fxs_world *w = &memory.world;
    w->capacity = 128;
    w->hits_at = (uint64_t)((uint8_t *)memory.old - (uint8_t *)&memory);
    w->changed_at = (uint64_t)((uint8_t *)memory.changed - (uint8_t *)&memory);
    w->hit_count = any_hits(memory.old);
    uint32_t now_count = any_hits(now);
    memory.changed[0] = nondet_uint64();
    memory.changed[1] = nondet_uint64();
    w->changed_count = memory.changed[0] != 0 || memory.changed[1] != 0;
    memory.old[w->hit_count] = now[now_count] = NO_HIT;
    uint64_t count = compare_hits(w, now, events, 4 * MOST_HITS);
    __CPROVER_assert(count <= 2 * MOST_HITS, "at most two a pair");
    uint64_t expected = 0;
    for (uint32_t i = 0; i < MOST_HITS; i++) {
        if (i < w->hit_count) { /* EXIT of what is gone, or was replaced */
            uint64_t pair = hit_pair(memory.old[i]);
            int is_new = set_has(memory.changed, hit_a(memory.old[i])) || set_has(memory.changed, hit_b(memory.old[i]));
            expected += is_new || hit_of(now, now_count, pair) == NULL;
        }
    }
    expected += now_count; /* ENTER or STAY of each that is */
    __CPROVER_assert(count == expected, "as many as the contract says");
    for (uint32_t i = 0; i < 2 * MOST_HITS; i++) {
        if (i < count) {
            const fxs_event *e = events + i;
            uint64_t pair = (uint64_t)e->a << 32 | e->b;
            const packed_hit *was = hit_of(memory.old, w->hit_count, pair), *is = hit_of(now, now_count, pair);
            int is_new = set_has(memory.changed, e->a) || set_has(memory.changed, e->b);
            __CPROVER_assert(e->kind == FXS_EXIT ? was && (is_new || !is) && e->contact == FXS_APART
                             : e->kind == FXS_STAY ? was && is && !is_new && e->contact == hit_contact(*is)
                                                   : e->kind == FXS_ENTER && is && (is_new || !was) && e->contact == hit_contact(*is),
                             "ENTER, STAY or EXIT");
            if (i > 0) {
                uint64_t before = (uint64_t)events[i - 1].a << 32 | events[i - 1].b;
                __CPROVER_assert(before < pair || (before == pair && events[i - 1].kind == FXS_EXIT && e->kind == FXS_ENTER), "in order");
            }
        }
    }
}

/* In the place of grid.c. */
uint64_t fxs_grid_size(uint32_t capacity) { return (uint64_t)capacity * 64 + 65536; }

/*@ the parts of a world's memory do not overlap, and lie within its size
    bounds    all capacities
    options   --unwind 34
    in        world.c
    change    w->marks_at = room(&end, set);
    to        w->marks_at = room(&end, set / 2); */
/* Parts of a world's memory follow each other, whatever the capacities. */
void parts_of_a_world_do_not_overlap(void) {
    fxs_config c;
    fxs_world w;
    c.capacity = nondet_uint32();
    c.hit_capacity = nondet_uint32();
    c.hit_when = FXS_TOUCHING;
    __CPROVER_assume(c.capacity >= 1 && c.capacity <= FXS_CAPACITY_MAX);
    uint64_t size = lay_out(&w, &c), set = set_size(c.capacity), hit_room = 8 * ((uint64_t)c.hit_capacity + 1), counts = (uint64_t)4 << w.digit_bits;
    uint64_t rows = (uint64_t)c.capacity + BLOCK;
    uint64_t starts[15] = {0,          w.colliders_at, w.anchors_at, w.present_at,  w.changed_at, w.marks_at,    w.known_at, w.hits_at,
                           w.spare_at, w.other_at,  w.digits_at, w.broad_at, w.sorted_at,  w.rows_at, size};
    uint64_t sizes[14] = {sizeof w, 64 * rows, 24 * rows, set,    set,    set, set, hit_room, hit_room, hit_room,
                          counts,   fxs_grid_size(c.capacity), 64 * rows, 24 * rows};
    for (uint32_t i = 0; i < 14; i++) {
        __CPROVER_assert(starts[i] % 8 == 0 && sizes[i] <= size && starts[i] + sizes[i] <= starts[i + 1], "before the next");
    }
    __CPROVER_assert(size < (uint64_t)1 << 40, "no overflow");
}
