/* Contact of two shapes (docs/contract.md, Contact), exact. fxs_posed_contact first rejects by
 * bounds; the others are near, which keeps every intermediate in 64 bits, or in 128 where noted.
 * Sizes are below 2^29, a reach below 2^29 * sqrt(2) + 5 < 2^29.6. */
#include "contact.h"
#include "wide.h"

static i128 square_sum(planar v) { return i128_add(i128_square(v.x), i128_square(v.z)); }

/* Contact as a depth: above 0 where two overlap, 0 where they touch, below where they are apart.
 * The least depth decides. */
static inline int class_of(int64_t depth) { return (depth >= 0) + (depth > 0); }

/* The depth whose class is CLS(|v|^2, q * 2^60) for v in Q.46, |v|^2 < 2^123, -2^60 <= q <= 2^58.
 * Whole raw units decide it but in a band about one raw unit wide: with u = floor(|v| / 2^30) on
 * each axis, u.x^2 + u.z^2 <= |v|^2 / 2^60 < (u.x + 1)^2 + (u.z + 1)^2. */
static inline int64_t depth_q46(planar v, int64_t q) {
    int64_t x = (int64_t)((uint64_t)abs64(v.x) >> 30), z = (int64_t)((uint64_t)abs64(v.z) >> 30);
    int64_t least = x * x + z * z, most = least + 2 * (x + z + 1);
    if ((uint64_t)(q - least) < (uint64_t)(most - least)) {
        return classify_wide(square_sum(v), i128_mul(q, Q60_ONE)) - 1;
    }
    return q - least; /* below 0, or most - least and more */
}

/* |v|^2 for v in Q.46, each axis rounded down to raw units. */
static inline int64_t floor_square(planar v) {
    int64_t x = (int64_t)((uint64_t)abs64(v.x) >> 30), z = (int64_t)((uint64_t)abs64(v.z) >> 30);
    return x * x + z * z;
}

static inline int classify_q46(planar v, int64_t q) { return class_of(depth_q46(v, q)); }

/* NEAR for a disc of radius R: d below 2^30 on each axis, so D2 < 2^61. The exact comparison is L^2
 * with 4 R^2 q, below 2^123. */
static inline int near_disc(int64_t R, planar d, int64_t q) {
    int64_t beyond = dot64(d, d) - R * R;
    if (beyond <= 0) {
        return classify(0, q);
    }
    int64_t L = beyond - q;
    return L < 0 ? FXS_OVERLAPPING : classify_wide(i128_square(L), i128_mul(4 * R * R, q));
}

/* The part of d outside a box, in its frame and Q.46; |d| < 2^31, so |v| < 2^61. */
static inline planar beyond_box(const posed *b, planar d) {
    planar v = turned_back(d, direction_of_posed(b));
    v.x = above_0(abs64(v.x) - b->size[0] * Q30_ONE);
    v.z = above_0(abs64(v.z) - b->size[2] * Q30_ONE);
    return v;
}

/* NEAR for a box. */
static inline int64_t depth_box(const posed *b, planar d, int64_t q) {
    return depth_q46(beyond_box(b, d), q);
}

/* For d outside the wedge of a sector: a vector in Q.46 as long as the distance from d to the edge
 * e, which NEAR compares. The edge leads from inner to outer raw units along e. |d| < 2^31, |e| <
 * 2^30 + 1. */
static inline planar from_edge(int64_t inner, int64_t outer, planar e, planar d) {
    const int64_t t = dot64(d, e);
    const planar apex = {d.x * Q30_ONE, d.z * Q30_ONE},
                 start = {apex.x - inner * e.x, apex.z - inner * e.z},
                 end = {apex.x - outer * e.x, apex.z - outer * e.z};
    planar v = {cross64(e, d), 0};
    v = t >= outer * Q30_ONE ? end : v;
    return t <= inner * Q30_ONE ? start : v;
}

/* Whether d is in the closed wedge. */
static inline int in_wedge(const posed *s, const edges *e, planar d) {
    int64_t A = cross64(e->e2, d), B = cross64(d, e->e1);
    return s->half_angle == FXS_HALF_ANGLE_MAX ||
           (s->half_angle <= 16384 ? min64(A, B) : max64(A, B)) >= 0;
}

/* NEAR of d in the hole of a ring, D2 = |d|^2 < inner^2 < 2^58: L^2 and 4 inner^2 D2 are below
 * 2^118. q >= 0. */
static int near_hole(int64_t inner, int64_t D2, int64_t q) {
    const int64_t L = inner * inner + D2 - q;
    return L < 0 ? FXS_OVERLAPPING
                 : classify_wide(i128_square(L), i128_mul(4 * inner * inner, D2));
}

/* NEAR for a sector; inner is its inner_radius. q >= 0. */
SPECIALISED int near_ring(const posed *s, int64_t inner, const edges *e, planar d, int64_t q) {
    if (in_wedge(s, e, d)) {
        const int64_t D2 = dot64(d, d);
        return D2 < inner * inner ? near_hole(inner, D2, q) : near_disc(s->size[0], d, q);
    }
    return class_of(max64(depth_q46(from_edge(inner, s->size[0], e->e1, d), q),
                          depth_q46(from_edge(inner, s->size[0], e->e2, d), q)));
}

static int near_sector(const posed *s, const edges *e, planar d, int64_t q) {
    return s->size[2] ? near_ring(s, s->size[2], e, d, q) : near_ring(s, 0, e, d, q);
}

/* Separating axes of two boxes, all in 64 bits: |p| < 2^62. pa and pb lead from one to the other in
 * the frames of both. */
static inline int64_t depth_on_axes(const posed *a, const posed *b, planar pa, planar pb,
                                    planar turn) {
    const planar on_a = touching_boxes(a, b, turn), on_b = touching_boxes(b, a, turn);
    return min64(min64(on_a.x - abs64(pa.x), on_a.z - abs64(pa.z)),
                 min64(on_b.x - abs64(pb.x), on_b.z - abs64(pb.z)));
}

/* The product of two directions is nearly that of their yaws' difference: each part of a direction
 * is off by 1/2 at most, so a part of the product is off by sqrt(2). Rounding down adds 1, and the
 * direction that it stands for is itself off by 1/2: below 3 in all. So it decides every depth that
 * is further from 0 than 3 times the sizes. The exact direction decides the others. */
static inline int64_t depth_boxes(const posed *a, const posed *b, planar d) {
    planar of_a = direction_of_posed(a), of_b = direction_of_posed(b), pa = turned_back(d, of_a),
           pb = turned_back(d, of_b);
    const planar rel = turned_back(of_b, of_a);
    const planar nearly = {(int64_t)((uint64_t)abs64(rel.x) >> 30),
                           (int64_t)((uint64_t)abs64(rel.z) >> 30)};
    int64_t off = 3 * ((int64_t)a->size[0] + a->size[2] + b->size[0] + b->size[2]);
    int64_t depth = depth_on_axes(a, b, pa, pb, nearly);
    if ((uint64_t)(depth + off) <= (uint64_t)(2 * off)) {
        depth = depth_on_axes(a, b, pa, pb, turn_between(a, b));
    }
    return depth;
}

/* A sector and a box as their contact sees them, Q.46 in the box's frame: H half sizes, p the
 * apex, v from there to the box's nearest point. |p| < 2^61, H <= 2^59. */
typedef struct sector_in_box {
    planar H, p, v;
    int64_t radius, inner;
    int nearest; /* class of |v| against radius */
} sector_in_box;

/* A wedge is narrow up to half a turn: its points are on the inner side of both edges. */
static int wedge_of(int is_narrow, int A, int B) {
    return is_narrow ? min_int(A, B) : max_int(A, B);
}

/* W of the wedge from e2 to e1. */
static int wedge_class(const sector_in_box *s, planar e1, planar e2, int is_narrow) {
    int A = i128_sign(cross_wide(e2, s->v)), B = i128_sign(cross_wide(s->v, e1));
    if (wedge_of(is_narrow, A, B) < 0) {
        return FXS_APART;
    }
    A = A != 0 ? A : -i128_sign(cross_wide(e2, s->p));
    B = B != 0 ? B : -i128_sign(cross_wide(s->p, e1));
    return wedge_of(is_narrow, A, B) > 0 ? FXS_OVERLAPPING : FXS_TOUCHING;
}

/* The limit of |cross(p, w)| where the line from p along w meets a box of half sizes H. */
static i128 line_limit(planar H, planar w) {
    return i128_add(i128_mul(H.x, abs64(w.z)), i128_mul(H.z, abs64(w.x)));
}

/* The edge of a sector from its apex along e; |w| < 2^59 + 1. */
static int edge_box(const sector_in_box *s, planar e) {
    const planar p = s->p, H = s->H, w = {s->radius * e.x, s->radius * e.z};
    int on_x = classify(abs64(2 * p.x + w.x), 2 * H.x + abs64(w.x)),
        on_z = classify(abs64(2 * p.z + w.z), 2 * H.z + abs64(w.z));
    if (on_x == FXS_APART || on_z == FXS_APART) {
        return FXS_APART;
    }
    int on_w = classify_wide(i128_abs(cross_wide(p, w)), line_limit(H, w));
    return min_int(min_int(on_x, on_z), on_w);
}

/* FULL of the contract: the wedge from e2 to e1, without a hole. */
static int full(const sector_in_box *s, planar e1, planar e2, int is_narrow) {
    int inside = min_int(wedge_class(s, e1, e2, is_narrow), s->nearest);
    return inside == FXS_OVERLAPPING
               ? inside
               : max_int(inside, max_int(edge_box(s, e1), edge_box(s, e2)));
}

/* Class of a point at c from the apex: beyond the hole, on its border, or in it. After the
 * rejections |c| < 2^61.1. */
static int beyond_hole(const sector_in_box *s, planar c) {
    return FXS_OVERLAPPING - classify_q46(c, s->inner * s->inner);
}

/* FAR's class of an edge: the far end of the box along e. */
static int far_edge(const sector_in_box *s, planar e) {
    const planar p = s->p, H = s->H;
    if (i128_cmp(i128_abs(cross_wide(p, e)), line_limit(H, e)) > 0) {
        return FXS_APART;
    }
    return min_int(classify(s->inner * abs64(e.x) + sign64(e.x) * p.x, H.x),
                   classify(s->inner * abs64(e.z) + sign64(e.z) * p.z, H.z));
}

/* FAR of the contract: how far from the apex the box reaches within a narrow wedge. */
static int far_box(const sector_in_box *s, planar e1, planar e2) {
    int found = max_int(far_edge(s, e1), far_edge(s, e2));
    for (uint32_t i = 0; i < 4 && found < FXS_OVERLAPPING; i++) {
        const planar c = {(i & 1 ? s->H.x : -s->H.x) - s->p.x, (i & 2 ? s->H.z : -s->H.z) - s->p.z};
        if (i128_sign(cross_wide(e2, c)) >= 0 && i128_sign(cross_wide(c, e1)) >= 0) {
            found = max_int(found, beyond_hole(s, c));
        }
    }
    return found;
}

static int narrow_ring_box(const sector_in_box *s, planar e1, planar e2) {
    const int found = full(s, e1, e2, 1);
    return found == FXS_APART ? found : min_int(found, far_box(s, e1, e2));
}

/* d is the sector's apex from the box's centre. */
static int sector_box(const posed *sector, const posed *box, planar d) {
    const int64_t radius = sector->size[0];
    const planar H = {box->size[0] * Q30_ONE, box->size[2] * Q30_ONE},
                 p = turned_back(d, direction_of_posed(box)),
                 v = {max64(-H.x, min64(p.x, H.x)) - p.x, max64(-H.z, min64(p.z, H.z)) - p.z};
    if (floor_square(v) > (radius + 2) * (radius + 2)) { /* an edge is longer than the radius by
                                                            half a unit at most */
        return FXS_APART;
    }
    const sector_in_box s = {H, p, v, radius, sector->size[2], classify_q46(v, radius * radius)};
    const planar farthest = {abs64(p.x) + H.x, abs64(p.z) + H.z};
    const int is_narrow = sector->half_angle <= 16384;
    if (sector->half_angle == FXS_HALF_ANGLE_MAX) {
        return s.inner ? min_int(s.nearest, beyond_hole(&s, farthest)) : s.nearest;
    }
    const uint32_t facing = (uint32_t)sector->yaw - box->yaw;
    const planar e1 = fxs_direction_of(facing + sector->half_angle),
                 e2 = fxs_direction_of(facing - sector->half_angle);
    if (s.inner == 0) {
        return full(&s, e1, e2, is_narrow);
    }
    if (is_narrow) {
        return narrow_ring_box(&s, e1, e2);
    }
    const planar e0 = fxs_direction_of(facing);
    return max_int(narrow_ring_box(&s, e0, e2), narrow_ring_box(&s, e1, e0));
}

/* Of two discs that touch where d is as long as their radii together. */
static inline int64_t depth_discs(const posed *a, const posed *b, planar d) {
    int64_t both = (int64_t)a->size[0] + b->size[0];
    return both * both - dot64(d, d);
}

/* The exact test of a sector and a box works in the box's frame, depth_by_discs in the world's.
 * Each part of a direction is rounded by up to 1/2, so a distance in the two frames differs by at
 * most 2 raw units. floor_square rounds down by at most 1.5 more. */
#define SPARE 8

/* The depth of a sector without a hole and s, a cylinder or a box, decided by two discs about the
 * axis of s: one that s contains, and one that contains s. UNKNOWN if they do not decide it with
 * SPARE raw units to spare; they nearly always do. */
#define UNKNOWN INT64_MIN
static inline int64_t depth_by_discs(const posed *sector, const edges *e, const posed *s) {
    planar d = {(int64_t)s->x - sector->x, (int64_t)s->z - sector->z};
    int64_t radius = sector->size[0], from = 0, square, inner = s->size[0], outer = inner;
    if (in_wedge(sector, e, d)) {
        square = dot64(d, d);
        from = radius;
    } else {
        square = min64(floor_square(from_edge(0, radius, e->e1, d)),
                       floor_square(from_edge(0, radius, e->e2, d)));
    }
    if (figure_of(s->kind) == BOX) { /* sqrt(a^2 + b^2) <= a + b/2 for a >= b */
        inner = min64(s->size[0], s->size[2]);
        outer = max64(s->size[0], s->size[2]) + inner / 2;
    }
    int64_t within = from + inner - SPARE, without = from + outer + SPARE;
    int64_t decided = ((inner > SPARE) & (square < within * within)) - (square > without * without);
    return decided ? min64(decided,
                           (int64_t)sector->size[1] + s->size[1] - abs64((int64_t)s->y - sector->y))
                   : UNKNOWN;
}

/* Two shapes that are near, the lesser figure first. */
typedef struct meeting {
    const posed *a, *b;
    planar d;           /* a's centre from b's */
    int64_t upright;    /* how far the two overlap in height, negative for a gap */
    int64_t gap;        /* above_0(-upright) */
    const edges *known; /* of b, a sector, if they are known, else NULL */
} meeting;

/* The depth of each pair of figures. */

SPECIALISED int64_t depth_ROUND_ROUND(const meeting *m) {
    return depth_discs(m->a, m->b, m->d) - m->gap * m->gap;
}

/* At equal heights, which is usual, a round shape is a disc. */
SPECIALISED int64_t depth_ROUND_CYLINDER(const meeting *m) {
    const int64_t r = m->a->size[0], q = r * r - m->gap * m->gap;
    return m->gap ? near_disc(m->b->size[0], m->d, q) - 1 : depth_discs(m->a, m->b, m->d);
}

SPECIALISED int64_t depth_ROUND_BOX(const meeting *m) {
    const int64_t r = m->a->size[0];
    return depth_box(m->b, m->d, r * r - m->gap * m->gap);
}

/* L^2 and 4 R^2 q are squares: their roots compare alike, in 64 bits. */
SPECIALISED int64_t depth_CYLINDER_CYLINDER(const meeting *m) {
    return min64(depth_discs(m->a, m->b, m->d), m->upright);
}

SPECIALISED int64_t depth_CYLINDER_BOX(const meeting *m) {
    const int64_t r = m->a->size[0];
    return min64(depth_box(m->b, m->d, r * r), m->upright);
}

static inline planar opposite(planar v) {
    const planar minus_v = {-v.x, -v.z};
    return minus_v;
}

SPECIALISED int64_t depth_BOX_BOX(const meeting *m) {
    return min64(depth_boxes(m->a, m->b, opposite(m->d)), m->upright);
}

SPECIALISED int64_t depth_ROUND_SECTOR(const meeting *m) {
    const edges e = m->known ? *m->known : edges_of(m->b);
    const int64_t r = m->a->size[0];
    return m->gap > r ? -1 : near_sector(m->b, &e, m->d, r * r - m->gap * m->gap) - 1;
}

SPECIALISED int64_t depth_CYLINDER_SECTOR(const meeting *m) {
    const edges e = m->known ? *m->known : edges_of(m->b);
    const int64_t r = m->a->size[0];
    if (m->known && m->b->size[2] == 0) {
        const int64_t depth = depth_by_discs(m->b, m->known, m->a);
        if (depth != UNKNOWN) {
            return depth;
        }
    }
    return min64(near_sector(m->b, &e, m->d, r * r) - 1, m->upright);
}

SPECIALISED int64_t depth_BOX_SECTOR(const meeting *m) {
    if (m->known && m->b->size[2] == 0) {
        const int64_t depth = depth_by_discs(m->b, m->known, m->a);
        if (depth != UNKNOWN) {
            return depth;
        }
    }
    return min64(sector_box(m->b, m->a, opposite(m->d)) - 1, m->upright);
}

/* Attack areas do not hit each other. */
SPECIALISED int64_t depth_SECTOR_SECTOR(const meeting *m) {
    (void)m;
    return -1;
}

SPECIALISED int64_t depth_at(figure_pair of, const posed *a, const posed *b, const edges *known,
                             int64_t upright) {
    const planar d = {(int64_t)a->x - b->x, (int64_t)a->z - b->z};
    const meeting m = {a, b, d, upright, above_0(-upright), known};
    switch (of) {
#define DEPTH_OF_SAME(f) case f##_##f: return depth_##f##_##f(&m);
#define DEPTH_OF_PAIR(a, b) case a##_##b: return depth_##a##_##b(&m);
        FIGURE_PAIRS(DEPTH_OF_SAME, DEPTH_OF_PAIR)
    case PAIR_COUNT:
        break;
    }
    return INT64_MIN; /* not reached: pair_of gives no other */
}

SPECIALISED int64_t depth_of_pair(figure_pair of, const posed *a, const posed *b,
                                  const edges *known) {
    /* size[1] is the half height of every kind (a sphere's is 0). */
    return depth_at(of, a, b, known,
                    (int64_t)a->size[1] + b->size[1] - abs64((int64_t)b->y - a->y));
}

/* A cylinder of a level, of which only centre and radius are read. */
int fxs_cylinder_solid_contact(const posed *s, int32_t x, int32_t z, int32_t radius, int64_t gap) {
    posed disc = {0};
    disc.x = x;
    disc.z = z;
    disc.size[0] = radius;
    switch (figure_of(s->kind)) {
    case ROUND:
        return class_of(depth_at(ROUND_CYLINDER, s, &disc, NULL, -gap));
    case CYLINDER:
        return class_of(depth_at(CYLINDER_CYLINDER, s, &disc, NULL, -gap));
    case BOX:
        return class_of(depth_at(CYLINDER_BOX, &disc, s, NULL, -gap));
    case SECTOR:
        return class_of(depth_at(CYLINDER_SECTOR, &disc, s, NULL, -gap));
    case FIGURE_COUNT:
        break;
    }
    return FXS_APART; /* not reached */
}

/* Each is written, and stays if it counts: no branch depends on chance. */
SPECIALISED uint32_t hits_of_pair(figure_pair of, const posed *all, const uint64_t *pairs,
                                  uint32_t n, int64_t least, uint64_t *hits) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        const posed *a = all + (pairs[i] >> 32), *b = all + (pairs[i] & UINT32_MAX);
        int64_t depth = depth_of_pair(of, a, b, NULL);
        uint64_t first = a->id < b->id ? a->id : b->id, second = a->id < b->id ? b->id : a->id;
        hits[found] = (first << 33) + (second << 1) + (uint64_t)(depth > 0);
        found += depth >= least;
    }
    return found;
}

/* An area to be compared with posed shapes of one kind. */
typedef struct query_area {
    const posed *area;
    const edges *known; /* of a sector, else NULL */
    int64_t least; /* the depth that counts */
} query_area;

/* Keeps those of n ids that the area meets. `swap`: the area is of the greater kind. */
SPECIALISED uint64_t met_of_pair(figure_pair of, int swap, const query_area *q, const posed *all,
                                 const uint64_t *like, uint64_t n, uint64_t *ids) {
    uint64_t met = 0;
    for (uint64_t i = 0; i < n; i++) {
        const posed *s = all + like[i];
        int64_t depth =
            depth_of_pair(of, swap ? s : q->area, swap ? q->area : s, swap ? q->known : NULL);
        ids[met] = like[i];
        met += depth >= q->least;
    }
    return met;
}

/* A shape where it stands, as far as depth_of_pair reads it; 0 if shape and pose are in range. */
SPECIALISED uint64_t stand(posed *s, int is_box, const fxs_shape *shape, const fxs_pose *pose) {
    s->x = pose->x;
    s->y = pose->y;
    s->z = pose->z;
    s->yaw = (uint16_t)pose->yaw;
    s->half_angle = (uint16_t)shape->half_angle;
    s->kind = (uint8_t)shape->kind;
    s->size[0] = shape->size[0];
    s->size[1] = shape->size[1];
    s->size[2] = shape->size[2];
    s->cos_q30 = s->sin_q30 = 0; /* only boxes use these */
    if (is_box) {
        planar dir = fxs_direction_of(s->yaw);
        s->cos_q30 = (int32_t)dir.x;
        s->sin_q30 = (int32_t)dir.z;
    }
    return shape_faults(shape->kind, shape->half_angle, shape->size) | pose->yaw >> 16;
}

/* The contact of two shapes; UNDECIDED if a value is out of range, or if they are 2^30 or more
 * apart on an axis, where products could overflow. */
enum { UNDECIDED = -1 };
SPECIALISED int overlap_of_pair(figure_pair of, const fxs_shape *a, const fxs_pose *pose_a,
                                const fxs_shape *b, const fxs_pose *pose_b) {
    posed sa, sb;
    uint64_t faults = stand(&sa, of == BOX_BOX || of == BOX_SECTOR, a, pose_a);
    faults |= stand(&sb, of == ROUND_BOX || of == CYLINDER_BOX || of == BOX_BOX, b, pose_b);
    int64_t dx = (int64_t)sa.x - sb.x, dy = (int64_t)sa.y - sb.y, dz = (int64_t)sa.z - sb.z;
    faults |=
        ((uint64_t)(dx + Q30_ONE) | (uint64_t)(dy + Q30_ONE) | (uint64_t)(dz + Q30_ONE)) >> 31;
    return faults == 0 ? class_of(depth_of_pair(of, &sa, &sb, NULL)) : UNDECIDED;
}

SPECIALISED int contact_of_pair(figure_pair of, const posed *a, const posed *b) {
    return class_of(depth_of_pair(of, a, b, NULL));
}

/* CALL(contact, pair, ...) is contact_of_pair(pair, ...); so are overlap, hits and met. */
#ifdef FXS_SMALL
#define CALL(function, pair, ...) function##_of_pair(pair, __VA_ARGS__)
#else
/* Compiled once for each pair of kinds. */
#define CALL(function, pair, ...) PAIRS[pair].function(__VA_ARGS__)

#define PAIR_FUNCTIONS(pair)                                                                  \
    static int contact_##pair(const posed *a, const posed *b) {                               \
        return contact_of_pair(pair, a, b);                                                   \
    }                                                                                         \
    static int overlap_##pair(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, \
                              const fxs_pose *pose_b) {                                       \
        return overlap_of_pair(pair, a, pose_a, b, pose_b);                                   \
    }                                                                                         \
    static uint32_t hits_##pair(const posed *all, const uint64_t *pairs, uint32_t n,          \
                                int64_t least, uint64_t *hits) {                              \
        return hits_of_pair(pair, all, pairs, n, least, hits);                                \
    }                                                                                         \
    static uint64_t met_##pair(int swap, const query_area *q, const posed *all,               \
                               const uint64_t *like, uint64_t n, uint64_t *ids) {             \
        return met_of_pair(pair, swap, q, all, like, n, ids);                                 \
    }
#define FUNCTIONS_OF_SAME(f) PAIR_FUNCTIONS(f##_##f)
#define FUNCTIONS_OF_PAIR(a, b) PAIR_FUNCTIONS(a##_##b)
FIGURE_PAIRS(FUNCTIONS_OF_SAME, FUNCTIONS_OF_PAIR)

#define PAIR_ROW(pair) {contact_##pair, overlap_##pair, hits_##pair, met_##pair},
#define ROW_OF_SAME(f) PAIR_ROW(f##_##f)
#define ROW_OF_PAIR(a, b) PAIR_ROW(a##_##b)
static const struct {
    int (*contact)(const posed *, const posed *);
    int (*overlap)(const fxs_shape *, const fxs_pose *, const fxs_shape *, const fxs_pose *);
    uint32_t (*hits)(const posed *, const uint64_t *, uint32_t, int64_t, uint64_t *);
    uint64_t (*met)(int, const query_area *, const posed *, const uint64_t *, uint64_t,
                    uint64_t *);
} PAIRS[PAIR_COUNT] = {FIGURE_PAIRS(ROW_OF_SAME, ROW_OF_PAIR)};
#endif

static int is_far(int64_t a, int64_t b, int64_t reach_a, int64_t reach_b) {
    return abs64(b - a) > reach_a + reach_b;
}

int fxs_near_contact(const posed *a, const posed *b) {
    const uint32_t of = pair_of(a->kind, b->kind), swap = of & SWAPPED;
    return CALL(contact, of % SWAPPED, swap ? b : a, swap ? a : b);
}

int fxs_posed_contact(const posed *a, const posed *b) {
    return is_far(a->x, b->x, a->reach_x, b->reach_x) ||
                   is_far(a->z, b->z, a->reach_z, b->reach_z) ||
                   is_far(a->y, b->y, a->reach_y, b->reach_y)
               ? FXS_APART
               : fxs_near_contact(a, b);
}

uint32_t fxs_posed_hits(const posed *all, figure_pair of, const uint64_t *pairs, uint32_t n,
                        int hit_when, uint64_t *hits) {
    return CALL(hits, of, all, pairs, n, hit_when - FXS_TOUCHING, hits);
}

uint64_t fxs_posed_met(const posed *area, const fxs_query *q, const posed *all, uint64_t *ids,
                       uint64_t n, int hit_when) {
    enum { AT_ONCE = 64 };
    uint64_t met = 0;
    edges of_area = {{0, 0}, {0, 0}};
    query_area asked = {area, NULL, hit_when - FXS_TOUCHING};
    if (figure_of(area->kind) == SECTOR) {
        of_area = edges_of(area);
        asked.known = &of_area;
    }
    for (uint64_t from = 0; from < n;
         from += AT_ONCE) { /* by kinds: runs of like pairs are predicted well */
        uint64_t like[KIND_COUNT][AT_ONCE], count[KIND_COUNT] = {0},
                                            end = from + AT_ONCE < n ? from + AT_ONCE : n;
        for (uint64_t i = from; i < end; i++) {
            const posed *s = all + ids[i];
            like[s->kind][count[s->kind]] = ids[i];
            count[s->kind] += (q->mask >> s->layer & 1) &
                              (uint32_t)((q->exclude_owner == 0) | (s->owner != q->exclude_owner));
        }
        for (uint32_t kind = 0; kind < KIND_COUNT; kind++) {
            if (count[kind]) {
                const uint32_t of = pair_of(area->kind, kind);
                met += CALL(met, of % SWAPPED, (of & SWAPPED) != 0, &asked, all, like[kind],
                            count[kind], ids + met);
            }
        }
    }
    return met;
}

int32_t fxs_overlap(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                    const fxs_pose *pose_b) {
    posed sa, sb;
    int32_t status = fxs_pair_make(&sa, &sb, a, pose_a, b, pose_b);
    return status != FXS_OK ? status : fxs_posed_contact(&sa, &sb);
}

static inline int overlap_of_kinds(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                                   const fxs_pose *pose_b) {
    if ((a->kind >= KIND_COUNT) | (b->kind >= KIND_COUNT)) {
        return UNDECIDED;
    }
    const uint32_t of = pair_of(a->kind, b->kind), swap = of & SWAPPED;
    return CALL(overlap, of % SWAPPED, swap ? b : a, swap ? pose_b : pose_a,
                swap ? a : b, swap ? pose_a : pose_b);
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
