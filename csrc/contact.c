/* Contact of two shapes (docs/contract.md, Contact), exact. fxs_placed_contact first rejects by
 * bounds; the others are near, which keeps every intermediate in 64 bits, or in 128 where noted.
 * Sizes are below 2^29, an extent below 2^29 * sqrt(2) + 5 < 2^29.6. */
#include "contact.h"
#include "depth.h"
#include "hit.h"
#include "polygon_contact.h"
#include "wedge.h"

/* NEAR for a disc of radius R: L^2 is compared with 4 R^2 q, both below 2^124. */
static inline int near_disc(int64_t R, planar d, int64_t q) {
    FXS_ASSERT(dot64(d, d) < (int64_t)1 << 62 && R < 1 << 29 && q < (int64_t)1 << 58);
    int64_t beyond = dot64(d, d) - R * R;
    if (beyond <= 0) {
        return classify(0, q);
    }
    int64_t L = beyond - q;
    return L < 0 ? FXS_OVERLAPPING : classify_wide(i128_square(L), i128_mul(4 * R * R, q));
}

/* NEAR for a box: v is the part of d outside it, in its frame and Q.46. */
static inline int64_t depth_box(const placed_shape *b, planar d, int64_t q) {
    planar v = turned_back(d, direction_of(b));
    v.x = above_0(abs64(v.x) - b->size[0] * Q30_ONE);
    v.z = above_0(abs64(v.z) - b->size[2] * Q30_ONE);
    FXS_ASSERT(IS_WITHIN_BITS(d, 31) && IS_WITHIN_BITS(v, 61));
    return depth_q46(v, q);
}

/* For d outside the wedge of a sector: a vector in Q.46 as long as the distance from d to the edge
 * e, which NEAR compares. The edge leads from inner to outer raw units along e. */
static inline planar from_edge(int64_t inner, int64_t outer, planar e, planar d) {
    FXS_ASSERT(IS_WITHIN_BITS(d, 31) && IS_WITHIN_BITS(e, 30));
    const int64_t t = dot64(d, e);
    const planar apex = {d.x * Q30_ONE, d.z * Q30_ONE};
    const planar start = {apex.x - inner * e.x, apex.z - inner * e.z};
    const planar end = {apex.x - outer * e.x, apex.z - outer * e.z};
    planar v = {cross64(e, d), 0};
    v = t >= outer * Q30_ONE ? end : v;
    return t <= inner * Q30_ONE ? start : v;
}

/* Whether d is in the closed wedge. */
static inline int in_wedge(const placed_shape *s, const edges *e, planar d) {
    int64_t A = cross64(e->e2, d);
    int64_t B = cross64(d, e->e1);
    return s->half_angle == FXS_HALF_ANGLE_MAX ||
           (s->half_angle <= 16384 ? min64(A, B) : max64(A, B)) >= 0;
}

/* NEAR of d in the hole of a ring, D2 = |d|^2: L^2 and 4 inner^2 D2 are below 2^118. */
static int near_hole(int64_t inner, int64_t D2, int64_t q) {
    FXS_ASSERT(inner < 1 << 29 && D2 < inner * inner && q >= 0);
    const int64_t L = inner * inner + D2 - q;
    return L < 0 ? FXS_OVERLAPPING : classify_wide(i128_square(L), i128_mul(4 * inner * inner, D2));
}

/* NEAR for a sector; inner is its inner_radius. q >= 0. */
SPECIALISED int near_ring(const placed_shape *s, int64_t inner, const edges *e, planar d,
                          int64_t q) {
    if (in_wedge(s, e, d)) {
        const int64_t D2 = dot64(d, d);
        return D2 < inner * inner ? near_hole(inner, D2, q) : near_disc(s->size[0], d, q);
    }
    const int64_t depth_e1 = depth_q46(from_edge(inner, s->size[0], e->e1, d), q);
    const int64_t depth_e2 = depth_q46(from_edge(inner, s->size[0], e->e2, d), q);
    return contact_of_depth(max64(depth_e1, depth_e2));
}

static int near_sector(const placed_shape *s, const edges *e, planar d, int64_t q) {
    return s->size[2] ? near_ring(s, s->size[2], e, d, q) : near_ring(s, 0, e, d, q);
}

/* A sector without a hole of half a turn at most, or a half of a wider one: convex. */
typedef struct wedge {
    edges e;
    int64_t radius;
} wedge;

/* NEAR for a wedge. */
static inline int near_wedge(const wedge *s, planar d, int64_t q) {
    if (min64(cross64(s->e.e2, d), cross64(d, s->e.e1)) >= 0) {
        return near_disc(s->radius, d, q);
    }
    const int64_t depth_e1 = depth_q46(from_edge(0, s->radius, s->e.e1, d), q);
    const int64_t depth_e2 = depth_q46(from_edge(0, s->radius, s->e.e2, d), q);
    return contact_of_depth(max64(depth_e1, depth_e2));
}

/* CLS of 0 and the support of a wedge along n (how far it reaches), its apex at p: |n| and each e
 * below 2^30 + 1. In units of 2^-30 raw units the reach is that of whole parts of the products, or
 * up to a radius more: it decides unless the sum is within a radius of 0. */
SPECIALISED int contact_beyond(const wedge *s, planar p, planar n) {
    const int64_t of_apex = dot64(n, p);
    FXS_ASSERT(IS_WITHIN_BITS(n, 30) && abs64(of_apex) < (int64_t)1 << 62);
    const int64_t along = max64(0, max64(dot64(n, s->e.e1), dot64(n, s->e.e2)));
    const int64_t least = of_apex + s->radius * (int64_t)((uint64_t)along >> 30);
    if (least > 0 || least + s->radius < 0) {
        return least > 0 ? FXS_OVERLAPPING : FXS_APART;
    }
    const i128 reach = i128_mul(s->radius, along);
    return i128_sign(i128_add(i128_mul(Q30_ONE, of_apex), reach)) + 1;
}

/* The edges of b that can part the two: how a, its apex at p, reaches the inside of each. */
SPECIALISED int contact_beyond_edges(const wedge *a, const wedge *b, planar p) {
    const planar n1 = {b->e.e1.z, -b->e.e1.x};
    const planar n2 = {-b->e.e2.z, b->e.e2.x};
    int found = FXS_OVERLAPPING;
    if (min64(cross64(a->e.e2, n1), cross64(n1, a->e.e1)) < 0) {
        found = contact_beyond(a, p, n1);
    }
    if (found > FXS_APART && min64(cross64(a->e.e2, n2), cross64(n2, a->e.e1)) < 0) {
        found = min_int(found, contact_beyond(a, p, n2));
    }
    return found;
}

static inline int is_wide(const placed_shape *s) { return s->half_angle > 16384; }

/* Its convex parts: how many. A wide one is cut along `facing`. */
static uint32_t wedges_of(const placed_shape *s, const edges *e, planar facing, wedge parts[2]) {
    parts[0].e = *e;
    parts[0].radius = parts[1].radius = s->size[0];
    if (!is_wide(s)) {
        return 1;
    }
    parts[1].e.e1 = e->e1;
    parts[1].e.e2 = parts[0].e.e1 = facing;
    return 2;
}

/* Whether a disc of 16 raw units about d, seen from the apex, lies in the sector: then that
 * overlaps a wide one with its apex at d, which has a disc of 7 raw units in common with it. */
SPECIALISED int is_well_in(const placed_shape *s, const edges *e, planar d) {
    const int64_t A = cross64(e->e2, d);
    const int64_t B = cross64(d, e->e1);
    const int64_t within = (int64_t)s->size[0] - 16;
    return within > 0 && dot64(d, d) < within * within &&
           (is_wide(s) ? max64(A, B) : min64(A, B)) > 16 * Q30_ONE;
}

/* Whether the discs overlap, by 8 raw units or more, that wide sectors hold: half as large, before
 * their apexes. d leads from b's apex to a's. */
SPECIALISED int are_well_met(const placed_shape *a, const placed_shape *b, planar d,
                             planar facing_a, planar facing_b) {
    const int64_t r = a->size[0];
    const int64_t R = b->size[0];
    const int64_t both = r + R - 16;
    const planar apart = {2 * Q30_ONE * d.x + r * facing_a.x - R * facing_b.x,
                          2 * Q30_ONE * d.z + r * facing_a.z - R * facing_b.z};
    FXS_ASSERT(IS_WITHIN_BITS(apart, 62));
    const int64_t furthest = max64(abs64(apart.x), abs64(apart.z));
    /* The square is that of numbers below 2^30. */
    return furthest < both * Q30_ONE && floor_square(apart) < both * both;
}

/* Separating axes of two boxes. pa and pb lead from one to the other in the frames of both. */
static inline int64_t depth_on_axes(const placed_shape *a, const placed_shape *b, planar pa,
                                    planar pb, planar turn) {
    const planar on_a = touching_boxes(a, b, turn);
    const planar on_b = touching_boxes(b, a, turn);
    FXS_ASSERT(IS_WITHIN_BITS(pa, 62) && IS_WITHIN_BITS(pb, 62));
    const int64_t depth_a = min64(on_a.x - abs64(pa.x), on_a.z - abs64(pa.z));
    const int64_t depth_b = min64(on_b.x - abs64(pb.x), on_b.z - abs64(pb.z));
    return min64(depth_a, depth_b);
}

/* The product of two directions is nearly that of their yaws' difference: each part of a direction
 * is off by 1/2 at most, so a part of the product is off by sqrt(2). Rounding down adds 1, and the
 * direction that it stands for is itself off by 1/2: below 3 in all. So it decides every depth that
 * is further from 0 than 3 times the sizes. The exact direction decides the others. */
static inline int64_t depth_boxes(const placed_shape *a, const placed_shape *b, planar d) {
    const planar of_a = direction_of(a);
    const planar of_b = direction_of(b);
    const planar pa = turned_back(d, of_a);
    const planar pb = turned_back(d, of_b);
    const planar rel = turned_back(of_b, of_a);
    const planar nearly = {(int64_t)((uint64_t)abs64(rel.x) >> 30),
                           (int64_t)((uint64_t)abs64(rel.z) >> 30)};
    const int64_t sizes = (int64_t)a->size[0] + a->size[2] + b->size[0] + b->size[2];
    const int64_t off = 3 * sizes; /* below 2^32.6 */
    int64_t depth = depth_on_axes(a, b, pa, pb, nearly);
    if ((uint64_t)(depth + off) <= (uint64_t)(2 * off)) {
        depth = depth_on_axes(a, b, pa, pb, turn_between(a, b));
    }
    return depth;
}

/* The depth of two discs, which touch if d is as long as the sum of their radii. */
static inline int64_t depth_discs(const placed_shape *a, const placed_shape *b, planar d) {
    int64_t both = (int64_t)a->size[0] + b->size[0];
    return both * both - dot64(d, d);
}

/* Two shapes that are near, the lesser class first. */
typedef struct near_pair {
    const placed_shape *a, *b;
    planar d;           /* a's centre from b's */
    int64_t overlap_y;  /* of their heights; negative: a gap */
    int64_t gap;        /* above_0(-overlap_y) */
    const edges *known; /* of b, a sector, if they are known, else NULL */
} near_pair;

/* The exact test of a sector and a box works in the box's frame, depth_by_discs in the world's.
 * Each part of a direction is rounded by up to 1/2, so a distance in the two frames differs by at
 * most 2 raw units. floor_square rounds down by at most 1.5 more. */
#define SPARE 8

/* The depth of a sector without a hole and a cylinder or a box, decided by two discs about the axis
 * of the cylinder or box: one inside it, and one around it. UNKNOWN if they do not decide it with a
 * margin of SPARE raw units, which is rare, or if the edges are not known. */
#define UNKNOWN INT64_MIN
SPECIALISED int64_t depth_by_discs(const near_pair *m) {
    const placed_shape *s = m->a;
    const placed_shape *sector = m->b;
    const int64_t radius = sector->size[0];
    int64_t from = 0;
    int64_t square;
    int64_t inner = s->size[0];
    int64_t outer = inner;
    if (!m->known || sector->size[2] != 0) {
        return UNKNOWN;
    }
    if (in_wedge(sector, m->known, m->d)) {
        square = dot64(m->d, m->d);
        from = radius;
    } else {
        const int64_t from_e1 = floor_square(from_edge(0, radius, m->known->e1, m->d));
        const int64_t from_e2 = floor_square(from_edge(0, radius, m->known->e2, m->d));
        square = min64(from_e1, from_e2);
    }
    if (shape_class_of(s->kind) == BOX) { /* sqrt(a^2 + b^2) <= a + b/2 for a >= b */
        inner = min64(s->size[0], s->size[2]);
        outer = max64(s->size[0], s->size[2]) + inner / 2;
    }
    const int64_t within = from + inner - SPARE;
    const int64_t without = from + outer + SPARE;
    FXS_ASSERT(without < (int64_t)3 << 29);
    const int is_within = (inner > SPARE) & (square < within * within);
    const int is_without = square > without * without;
    const int64_t decided = is_within - is_without;
    return decided ? min64(decided, m->overlap_y) : UNKNOWN;
}

/* The depth of each pair of classes. */

SPECIALISED int64_t depth_ROUND_ROUND(const near_pair *m) {
    return depth_discs(m->a, m->b, m->d) - m->gap * m->gap;
}

/* At equal heights, which is usual, a round shape is a disc. */
SPECIALISED int64_t depth_ROUND_CYLINDER(const near_pair *m) {
    const int64_t r = m->a->size[0];
    const int64_t q = r * r - m->gap * m->gap;
    return m->gap ? near_disc(m->b->size[0], m->d, q) - 1 : depth_discs(m->a, m->b, m->d);
}

SPECIALISED int64_t depth_ROUND_BOX(const near_pair *m) {
    const int64_t r = m->a->size[0];
    return depth_box(m->b, m->d, r * r - m->gap * m->gap);
}

/* L^2 and 4 R^2 q are squares: their roots compare alike, in 64 bits. */
SPECIALISED int64_t depth_CYLINDER_CYLINDER(const near_pair *m) {
    return min64(depth_discs(m->a, m->b, m->d), m->overlap_y);
}

SPECIALISED int64_t depth_CYLINDER_BOX(const near_pair *m) {
    const int64_t r = m->a->size[0];
    return min64(depth_box(m->b, m->d, r * r), m->overlap_y);
}

SPECIALISED int64_t depth_BOX_BOX(const near_pair *m) {
    return min64(depth_boxes(m->a, m->b, opposite(m->d)), m->overlap_y);
}

SPECIALISED edges edges_of_b(const near_pair *m) { return m->known ? *m->known : edges_of(m->b); }

SPECIALISED int64_t depth_ROUND_SECTOR(const near_pair *m) {
    const edges e = edges_of_b(m);
    const int64_t r = m->a->size[0];
    return m->gap > r ? -1 : near_sector(m->b, &e, m->d, r * r - m->gap * m->gap) - 1;
}

SPECIALISED int64_t depth_CYLINDER_SECTOR(const near_pair *m) {
    const int64_t depth = depth_by_discs(m);
    const int64_t r = m->a->size[0];
    if (depth != UNKNOWN) {
        return depth;
    }
    const edges e = edges_of_b(m);
    return min64(near_sector(m->b, &e, m->d, r * r) - 1, m->overlap_y);
}

SPECIALISED int64_t depth_BOX_SECTOR(const near_pair *m) {
    const int64_t depth = depth_by_discs(m);
    return depth != UNKNOWN ? depth
                            : min64(fxs_sector_box(m->b, m->a, opposite(m->d)) - 1, m->overlap_y);
}

/* The greatest of near_wedge over n parts, each into `near`. */
SPECIALISED int near_wedges(const wedge *parts, uint32_t n, planar d, int64_t r, int *near) {
    int found = FXS_APART;
    for (uint32_t i = 0; i < n; i++) {
        near[i] = near_wedge(parts + i, d, r * r);
        found = max_int(found, near[i]);
    }
    return found;
}

/* The greatest contact of two convex parts of different sectors. */
static int contact_of_parts(const wedge *a, uint32_t n_a, const wedge *b, uint32_t n_b, planar d) {
    int near_a[2], near_b[2];
    const planar minus_d = opposite(d);
    if (near_wedges(b, n_b, d, a->radius, near_b) == FXS_APART ||
        near_wedges(a, n_a, minus_d, b->radius, near_a) == FXS_APART) {
        return FXS_APART;
    }
    int found = FXS_APART;
    for (uint32_t k = 0; k < n_a * n_b && found < FXS_OVERLAPPING; k++) {
        const uint32_t i = k % n_a;
        const uint32_t j = k / n_a;
        int part = min_int(near_a[i], near_b[j]);
        if (part > found) {
            part = min_int(part, contact_beyond_edges(a + i, b + j, d));
        }
        if (part > found) {
            part = min_int(part, contact_beyond_edges(b + j, a + i, minus_d));
        }
        found = max_int(found, part);
    }
    return found;
}

/* Whether two sectors of less than a whole turn meet. */
SPECIALISED int contact_of_sectors(const near_pair *m) {
    const placed_shape *a = m->a;
    const placed_shape *b = m->b;
    const planar none = {0, 0};
    const planar facing_a = is_wide(a) ? fxs_direction_of(a->yaw) : none;
    const planar facing_b = is_wide(b) ? fxs_direction_of(b->yaw) : none;
    if (is_wide(a) && is_wide(b) && are_well_met(a, b, m->d, facing_a, facing_b)) {
        return FXS_OVERLAPPING;
    }
    const edges of_b = edges_of_b(m);
    if (is_wide(a) && is_well_in(b, &of_b, m->d)) {
        return FXS_OVERLAPPING;
    }
    const edges of_a = edges_of(a);
    if (is_wide(b) && is_well_in(a, &of_a, opposite(m->d))) {
        return FXS_OVERLAPPING;
    }
    wedge parts_a[2], parts_b[2];
    const uint32_t n_a = wedges_of(a, &of_a, facing_a, parts_a);
    const uint32_t n_b = wedges_of(b, &of_b, facing_b, parts_b);
    return contact_of_parts(parts_a, n_a, parts_b, n_b, m->d);
}

/* The contact of a sector with a whole disc, d from the sector. */
SPECIALISED int contact_with_whole(const placed_shape *sector, const placed_shape *whole,
                                   planar d) {
    const edges e = edges_of(sector);
    return near_sector(sector, &e, d, (int64_t)whole->size[0] * whole->size[0]);
}

/* An edge is longer than the radius by half a raw unit at most, so sectors whose discs have a
 * gap above 2 raw units are APART. */
SPECIALISED int64_t depth_SECTOR_SECTOR(const near_pair *m) {
    const placed_shape *a = m->a;
    const placed_shape *b = m->b;
    const int64_t reach = (int64_t)a->size[0] + b->size[0] + 2;
    if (a->size[2] != 0 || b->size[2] != 0 || m->gap > 0 || dot64(m->d, m->d) > reach * reach) {
        return -1;
    }
    int found;
    if (a->half_angle == FXS_HALF_ANGLE_MAX) {
        found = contact_with_whole(b, a, m->d);
    } else if (b->half_angle == FXS_HALF_ANGLE_MAX) {
        found = contact_with_whole(a, b, opposite(m->d));
    } else {
        found = contact_of_sectors(m);
    }
    return min64(found - 1, m->overlap_y);
}

/* Any shape and a polygon. */
SPECIALISED int64_t depth_ANY_POLYGON(const near_pair *m) {
    polygon p;
    polygon_of_shape(&p, m->b, opposite(m->d));
    return fxs_polygon_contact(m->a, &p, -m->overlap_y) - 1;
}

SPECIALISED int64_t depth_at(class_pair of, const placed_shape *a, const placed_shape *b,
                             const edges *known, int64_t overlap_y) {
    const planar d = {(int64_t)a->x - b->x, (int64_t)a->z - b->z};
    const near_pair m = {a, b, d, overlap_y, above_0(-overlap_y), known};
    FXS_ASSERT((int)of < (int)PAIRS_END);
    if ((int)of >= (int)PAIRS_END) {
        return INT64_MIN; /* not reached, and not compiled */
    }
    switch (of) {
#define DEPTH_OF_PAIR(a, b) \
    case a##_##b: return depth_##a##_##b(&m);
        CLASS_PAIRS(DEPTH_OF_PAIR)
    case PAIR_COUNT: break;
    }
    return INT64_MIN; /* not reached: no kinds have another pair */
}

/* size[1] is the half height of every kind (a sphere's is 0). */
static inline int64_t overlap_y_of(const placed_shape *a, const placed_shape *b) {
    return (int64_t)a->size[1] + b->size[1] - abs64((int64_t)b->y - a->y);
}

SPECIALISED int64_t depth_of_pair(class_pair of, const placed_shape *a, const placed_shape *b,
                                  const edges *known) {
    return depth_at(of, a, b, known, overlap_y_of(a, b));
}

/* Each is written, and stays if it counts: no branch that a predictor could miss. */
SPECIALISED uint32_t hits_of_pair(class_pair of, const placed_shape *all, const uint64_t *pairs,
                                  uint32_t n, int64_t least, uint64_t *hits) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        const placed_shape *a = all + (pairs[i] >> 32);
        const placed_shape *b = all + (pairs[i] & UINT32_MAX);
        FXS_ASSERT(extents_are_within(a, b, NEAR_GAP));
        int64_t depth = depth_of_pair(of, a, b, NULL);
        const uint32_t first = a->id < b->id ? a->id : b->id;
        const uint32_t second = a->id < b->id ? b->id : a->id;
        hits[found] = hit_pack(first, second, FXS_TOUCHING + (uint32_t)(depth > 0));
        found += depth >= least;
    }
    return found;
}

/* An area to be compared with placed shapes of one kind. */
typedef struct query_area {
    const placed_shape *area, *all;
    const edges *known; /* of a sector, else NULL */
    int64_t least;      /* the depth that counts */
} query_area;

/* Keeps those of n ids that the area meets. `is_swapped`: the area is the second of the pair. */
SPECIALISED uint64_t met_of_pair(class_pair of, uint32_t is_swapped, const query_area *q,
                                 const uint64_t *like, uint64_t n, uint64_t *ids) {
    uint64_t met = 0;
    for (uint64_t i = 0; i < n; i++) {
        const placed_shape *s = q->all + like[i];
        const placed_shape *a = is_swapped ? s : q->area;
        const placed_shape *b = is_swapped ? q->area : s;
        FXS_ASSERT(extents_are_within(a, b, NEAR_GAP));
        const int64_t depth = depth_of_pair(of, a, b, q->known);
        ids[met] = like[i];
        met += depth >= q->least;
    }
    return met;
}

/* A shape where it stands, as far as depth_of_pair reads it; 0 if shape and pose are in range. */
SPECIALISED uint64_t stand(placed_shape *s, shape_class f, const fxs_shape *shape,
                           const fxs_pose *pose) {
    s->x = pose->x;
    s->y = pose->y;
    s->z = pose->z;
    s->yaw = (uint16_t)pose->yaw;
    s->half_angle = (uint16_t)shape->half_angle;
    s->kind = (uint8_t)shape->kind;
    s->size[0] = shape->size[0];
    s->size[1] = shape->size[1];
    s->size[2] = shape->size[2];
    s->cos_q30 = s->sin_q30 = 0;
    if (CORNERED_CLASSES >> f & 1) { /* a sector uses its yaw */
        planar dir = fxs_direction_of(s->yaw);
        s->cos_q30 = (int32_t)dir.x;
        s->sin_q30 = (int32_t)dir.z;
    }
    return shape_faults(shape->kind, shape->half_angle, shape->size) | pose->yaw >> 16;
}

/* The contact of two shapes; UNDECIDED if a value is out of range, or if they are 2^30 or more
 * apart on an axis, where products could overflow. */
enum { UNDECIDED = -1 };
SPECIALISED int overlap_of_pair(class_pair of, const fxs_shape *a, const fxs_pose *pose_a,
                                const fxs_shape *b, const fxs_pose *pose_b) {
    placed_shape sa, sb;
    uint64_t faults = stand(&sa, lesser_of(of), a, pose_a);
    faults |= stand(&sb, greater_of(of), b, pose_b);
    /* Each is 0 .. 2^31 - 1 for a difference of -2^30 .. 2^30 - 1. */
    const uint64_t x = (uint64_t)((int64_t)sa.x - sb.x + Q30_ONE);
    const uint64_t y = (uint64_t)((int64_t)sa.y - sb.y + Q30_ONE);
    const uint64_t z = (uint64_t)((int64_t)sa.z - sb.z + Q30_ONE);
    faults |= (x | y | z) >> 31;
    return faults == 0 ? contact_of_depth(depth_of_pair(of, &sa, &sb, NULL)) : UNDECIDED;
}

SPECIALISED int contact_of_pair(class_pair of, const placed_shape *a, const placed_shape *b,
                                int64_t overlap_y) {
    return contact_of_depth(depth_at(of, a, b, NULL, overlap_y));
}

/* CALL(contact, pair, ...) is contact_of_pair(pair, ...); so are overlap, hits and met. Each is
 * compiled once for each pair, or with FXS_SMALL once. */
#ifdef FXS_SMALL
#define CALL(function, pair, ...) function##_of_pair(pair, __VA_ARGS__)
#else
#define CALL(function, pair, ...) PAIRS[pair].function(__VA_ARGS__)

#define FUNCTIONS_OF_PAIR(A, B)                                                                   \
    static int contact_##A##_##B(const placed_shape *a, const placed_shape *b,                    \
                                 int64_t overlap_y) {                                             \
        return contact_of_pair(A##_##B, a, b, overlap_y);                                         \
    }                                                                                             \
    static int overlap_##A##_##B(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,  \
                                 const fxs_pose *pose_b) {                                        \
        return overlap_of_pair(A##_##B, a, pose_a, b, pose_b);                                    \
    }                                                                                             \
    static uint32_t hits_##A##_##B(const placed_shape *all, const uint64_t *pairs, uint32_t n,    \
                                   int64_t least, uint64_t *hits) {                               \
        return hits_of_pair(A##_##B, all, pairs, n, least, hits);                                 \
    }                                                                                             \
    static uint64_t met_##A##_##B(uint32_t is_swapped, const query_area *q, const uint64_t *like, \
                                  uint64_t n, uint64_t *ids) {                                    \
        return met_of_pair(A##_##B, is_swapped, q, like, n, ids);                                 \
    }
CLASS_PAIRS(FUNCTIONS_OF_PAIR)

#define OF_KINDS(function, pair) ((int)(pair) < (int)PAIRS_END ? function##pair : NULL)
#define ROW_OF_PAIR(A, B)                                                                \
    {OF_KINDS(contact_, A##_##B), OF_KINDS(overlap_, A##_##B), OF_KINDS(hits_, A##_##B), \
     OF_KINDS(met_, A##_##B)},
static const struct pair_functions {
    int (*contact)(const placed_shape *, const placed_shape *, int64_t);
    int (*overlap)(const fxs_shape *, const fxs_pose *, const fxs_shape *, const fxs_pose *);
    uint32_t (*hits)(const placed_shape *, const uint64_t *, uint32_t, int64_t, uint64_t *);
    uint64_t (*met)(uint32_t, const query_area *, const uint64_t *, uint64_t, uint64_t *);
} PAIRS[PAIR_COUNT] = {CLASS_PAIRS(ROW_OF_PAIR)};
#endif

int fxs_near_contact(const placed_shape *a, const placed_shape *b) {
    const int64_t overlap_y = overlap_y_of(a, b);
    FXS_ASSERT(extents_are_within(a, b, NEAR_GAP));
    const ordered o = ordered_pair(a, b);
    return CALL(contact, o.pair, o.first, o.second, overlap_y);
}

int fxs_cylinder_solid_contact(const placed_shape *s, int32_t x, int32_t z, int32_t radius,
                               int64_t gap) {
    const placed_shape disc = {.kind = FXS_CYLINDER, .x = x, .z = z, .size = {radius, 0, 0}};
    const ordered o = ordered_pair(s, &disc);
    return CALL(contact, o.pair, o.first, o.second, -gap);
}

int fxs_placed_contact(const placed_shape *a, const placed_shape *b) {
    return extents_overlap(a, b) ? fxs_near_contact(a, b) : FXS_APART;
}

uint32_t fxs_placed_hits(const placed_shape *all, class_pair of, const uint64_t *pairs, uint32_t n,
                         int hit_when, uint64_t *hits) {
    return CALL(hits, of, all, pairs, n, hit_when - FXS_TOUCHING, hits);
}

uint64_t fxs_placed_met(const placed_shape *area, const fxs_query *q, const placed_shape *all,
                        uint64_t *ids, uint64_t n, int hit_when) {
    enum { AT_ONCE = 64 };
    uint64_t met = 0;
    edges of_area;
    query_area asked = {area, all, NULL, hit_when - FXS_TOUCHING};
    if (is_sector(area)) {
        of_area = edges_of(area);
        asked.known = &of_area;
    }
    /* By kinds: runs of like pairs are predicted well. */
    for (uint64_t from = 0; from < n; from += AT_ONCE) {
        uint64_t like[KIND_COUNT][AT_ONCE];
        uint64_t count[KIND_COUNT] = {0};
        uint64_t end = from + AT_ONCE < n ? from + AT_ONCE : n;
        for (uint64_t i = from; i < end; i++) {
            const placed_shape *s = all + ids[i];
            like[s->kind][count[s->kind]] = ids[i];
            const uint32_t is_in_mask = q->mask >> s->layer & 1;
            const uint32_t is_kept =
                (uint32_t)((q->exclude_owner == 0) | (s->owner != q->exclude_owner));
            count[s->kind] += is_in_mask & is_kept;
        }
        for (uint32_t kind = 0; kind < KIND_COUNT; kind++) {
            if (count[kind]) {
                const pair_order order = order_of_kinds(area->kind, kind);
                /* What is known is of b. */
                const uint32_t swap = order.is_swapped | (uint32_t)(order.pair == SECTOR_SECTOR);
                met += CALL(met, order.pair, swap, &asked, like[kind], count[kind], ids + met);
            }
        }
    }
    return met;
}

int32_t fxs_overlap(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                    const fxs_pose *pose_b) {
    placed_shape sa, sb;
    int32_t status = fxs_pair_make(&sa, &sb, a, pose_a, b, pose_b);
    return status != FXS_OK ? status : fxs_placed_contact(&sa, &sb);
}

static inline int overlap_of_kinds(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                                   const fxs_pose *pose_b) {
    if ((a->kind >= KIND_COUNT) | (b->kind >= KIND_COUNT)) {
        return UNDECIDED;
    }
    const pair_order order = order_of_kinds(a->kind, b->kind);
    return order.is_swapped ? CALL(overlap, order.pair, b, pose_b, a, pose_a)
                            : CALL(overlap, order.pair, a, pose_a, b, pose_b);
}

int32_t fxs_overlap_many(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                         const fxs_pose *pose_b, uint64_t n, uint8_t *contacts, uint64_t *bad) {
    for (uint64_t i = 0; i < n; i++) {
        int32_t contact = overlap_of_kinds(a + i, pose_a + i, b + i, pose_b + i);
        if (contact == UNDECIDED) {
            contact = fxs_overlap(a + i, pose_a + i, b + i, pose_b + i);
            if (contact < 0) {
                *bad = i;
                return contact;
            }
        }
        contacts[i] = (uint8_t)contact;
    }
    return FXS_OK;
}
