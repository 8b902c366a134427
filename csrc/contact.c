/* Contact of two shapes (docs/contract.md, Contact), exact. fxs_solid_contact first rejects by bounds; what is left is near, which keeps every
 * intermediate in 64 bits, or in 128 where noted. Sizes are below 2^29, a reach below 2^29 * sqrt(2) + 5 < 2^29.6. */
#include "internal.h"
#include "wide.h"

int32_t fxs_shape_check(const fxs_shape *shape) { return shape_status(shape->kind, shape->half_angle, shape->size); }

int32_t fxs_placed_check(const fxs_shape *shape, const fxs_pose *pose) {
    int32_t status = fxs_shape_check(shape);
    return status != FXS_OK ? status : pose->yaw >= FXS_TURN ? FXS_E_YAW : FXS_OK;
}

void fxs_solid_make(solid *out, const fxs_shape *shape, const fxs_pose *pose) {
    out->kind = (uint8_t)shape->kind;
    out->half_angle = (uint16_t)shape->half_angle;
    out->yaw = (uint16_t)pose->yaw;
    memcpy(out->size, shape->size, sizeof out->size);
    out->x = pose->x;
    out->y = pose->y;
    out->z = pose->z;
    out->cos_q30 = (int32_t)Q30_ONE;
    out->sin_q30 = 0;
    if (shape->kind >= FXS_BOX) {
        fxs_direction(out->yaw, &out->cos_q30, &out->sin_q30);
    }
    set_reach(out);
}

static int64_t cross64(planar u, planar v) { return u.x * v.z - u.z * v.x; }
static int64_t dot64(planar u, planar v) { return u.x * v.x + u.z * v.z; }
static i128 cross_wide(planar u, planar v) { return i128_sub(i128_mul(u.x, v.z), i128_mul(u.z, v.x)); }
static i128 square_sum(planar v) { return i128_add(i128_square(v.x), i128_square(v.z)); }

static planar direction_of_solid(const solid *s) {
    planar p = {s->cos_q30, s->sin_q30};
    return p;
}

/* Contact as a slack: above 0 where two overlap, 0 where they touch, below where they are apart. The least slack decides. */
static inline int class_of(int64_t slack) { return (slack >= 0) + (slack > 0); }

/* The slack whose class is CLS(|v|^2, q * 2^60) for v in Q.46, |v|^2 < 2^123, -2^60 <= q <= 2^58. Whole raw units decide it but in a band about
 * one raw unit wide: with u = floor(|v| / 2^30) on each axis, u.x^2 + u.z^2 <= |v|^2 / 2^60 < (u.x + 1)^2 + (u.z + 1)^2. */
static inline int64_t slack_q46(planar v, int64_t q) {
    int64_t x = (int64_t)((uint64_t)abs64(v.x) >> 30), z = (int64_t)((uint64_t)abs64(v.z) >> 30);
    int64_t least = x * x + z * z, most = least + 2 * (x + z + 1);
    if ((uint64_t)(q - least) < (uint64_t)(most - least)) {
        return classify_wide(square_sum(v), i128_mul(q, Q60_ONE)) - 1;
    }
    return q - least; /* below 0, or most - least and more */
}

static inline int classify_q46(planar v, int64_t q) { return class_of(slack_q46(v, q)); }

/* NEAR for a disc of radius R: d below 2^30 on each axis, so D2 < 2^61. The exact comparison is L^2 with 4 R^2 q, below 2^123. */
static inline int near_disc(int64_t R, planar d, int64_t q) {
    int64_t beyond = dot64(d, d) - R * R;
    if (beyond <= 0) {
        return classify(0, q);
    }
    int64_t L = beyond - q;
    return L < 0 ? FXS_OVERLAPPING : classify_wide(i128_square(L), i128_mul(4 * R * R, q));
}

/* What of d is beyond a box, in its frame and Q.46; |d| < 2^31, so |v| < 2^61. */
static inline planar beyond_box(const solid *b, planar d) {
    planar v = turned_back(d, direction_of_solid(b));
    v.x = above_0(abs64(v.x) - b->size[0] * Q30_ONE);
    v.z = above_0(abs64(v.z) - b->size[2] * Q30_ONE);
    return v;
}

/* NEAR for a box. */
static inline int64_t slack_box(const solid *b, planar d, int64_t q) { return slack_q46(beyond_box(b, d), q); }

/* What NEAR measures from d to one edge e of a sector, for d outside the wedge: a vector in Q.46 as long. |d| < 2^31, |e| < 2^30 + 1. */
static inline planar from_edge(int64_t radius, planar e, planar d) {
    const int64_t t = dot64(d, e);
    const planar apex = {d.x * Q30_ONE, d.z * Q30_ONE}, end = {apex.x - radius * e.x, apex.z - radius * e.z};
    planar v = {cross64(e, d), 0};
    v = t >= radius * Q30_ONE ? end : v;
    return t <= 0 ? apex : v;
}

/* The directions of a sector's edges. */
typedef struct edges {
    planar e1, e2;
} edges;

static edges edges_of(const solid *s) {
    edges e = {fxs_direction_of((uint32_t)s->yaw + s->half_angle), fxs_direction_of((uint32_t)s->yaw - s->half_angle)};
    return e;
}

/* Whether d is in the closed wedge. */
static inline int in_wedge(const solid *s, const edges *e, planar d) {
    int64_t A = cross64(e->e2, d), B = cross64(d, e->e1);
    return s->half_angle == FXS_HALF_ANGLE_MAX || (s->half_angle <= 16384 ? min64(A, B) : max64(A, B)) >= 0;
}

static int near_sector(const solid *s, const edges *e, planar d, int64_t q) {
    if (in_wedge(s, e, d)) {
        return near_disc(s->size[0], d, q);
    }
    return class_of(max64(slack_q46(from_edge(s->size[0], e->e1, d), q), slack_q46(from_edge(s->size[0], e->e2, d), q)));
}

/* A sector reaches as far as its apex, the ends of its edges, and the ends of the axes that it faces. */
static void sector_bounds(const solid *s, int64_t least[3], int64_t most[3]) {
    const edges e = edges_of(s);
    const int64_t radius = s->size[0], ends[2][2] = {{e.e1.x, e.e2.x}, {e.e1.z, e.e2.z}}, centre[2] = {s->x, s->z};
    for (uint32_t i = 0; i < 2; i++) { /* x, z: towards yaw 0 and 16384, and half a turn from there */
        int64_t low = min64(0, min64(ends[i][0], ends[i][1])), high = max64(0, max64(ends[i][0], ends[i][1]));
        int32_t turn = fxs_yaw_between(s->yaw, 16384 * i), back = fxs_yaw_between(s->yaw, 16384 * i + 32768);
        high = abs64(turn) <= s->half_angle ? Q30_ONE : high;
        low = abs64(back) <= s->half_angle ? -Q30_ONE : low;
        least[2 * i] = centre[i] + round_q30(radius * low) - SECTOR_WIDER;
        most[2 * i] = centre[i] + round_q30(radius * high) + SECTOR_WIDER;
    }
}

void fxs_solid_bounds(const solid *s, int64_t least[3], int64_t most[3]) {
    least[0] = (int64_t)s->x - s->reach_x;
    least[1] = (int64_t)s->y - s->reach_y;
    least[2] = (int64_t)s->z - s->reach_z;
    most[0] = (int64_t)s->x + s->reach_x;
    most[1] = (int64_t)s->y + s->reach_y;
    most[2] = (int64_t)s->z + s->reach_z;
    if (s->kind == FXS_SECTOR) {
        sector_bounds(s, least, most);
    }
}

/* NEAR: the prism p against the axis at d from its centre, q the squared distance that touches; `known` are p's edges, if they are. */
static inline int near_prism(const solid *p, const edges *known, planar d, int64_t q) {
    if (p->kind != FXS_SECTOR) {
        return p->kind == FXS_CYLINDER ? near_disc(p->size[0], d, q) : class_of(slack_box(p, d, q));
    }
    edges e = known ? *known : edges_of(p);
    return near_sector(p, &e, d, q);
}

/* Separating axes of two boxes, all in 64 bits: |p| < 2^62, a limit below 2^61. pa and pb lead from one to the other in the frames of both,
 * c and s are the magnitudes of the direction of b's yaw in a's frame. */
static inline int64_t slack_on_axes(const solid *a, const solid *b, planar pa, planar pb, int64_t c, int64_t s) {
    int64_t ax = a->size[0], az = a->size[2], bx = b->size[0], bz = b->size[2];
    int64_t over_ax = ax * Q30_ONE + bx * c + bz * s - abs64(pa.x), over_az = az * Q30_ONE + bx * s + bz * c - abs64(pa.z);
    int64_t over_bx = bx * Q30_ONE + ax * c + az * s - abs64(pb.x), over_bz = bz * Q30_ONE + ax * s + az * c - abs64(pb.z);
    return min64(min64(over_ax, over_az), min64(over_bx, over_bz));
}

/* The product of two directions is nearly that of their yaws' difference: each part of a direction is off by 1/2 at most, so a part of the
 * product by sqrt(2), one more for what is cut off and 1/2 for what it stands for, which is below 3. It decides all but what is within
 * 3 times the sizes of touching; that, the exact direction decides. */
static inline int64_t slack_boxes(const solid *a, const solid *b, planar d) {
    planar of_a = direction_of_solid(a), of_b = direction_of_solid(b), pa = turned_back(d, of_a), pb = turned_back(d, of_b);
    planar rel = turned_back(of_b, of_a);
    int64_t off = 3 * ((int64_t)a->size[0] + a->size[2] + b->size[0] + b->size[2]);
    int64_t slack = slack_on_axes(a, b, pa, pb, (int64_t)((uint64_t)abs64(rel.x) >> 30), (int64_t)((uint64_t)abs64(rel.z) >> 30));
    if ((uint64_t)(slack + off) <= (uint64_t)(2 * off)) {
        rel = fxs_direction_of((uint32_t)b->yaw - a->yaw);
        slack = slack_on_axes(a, b, pa, pb, abs64(rel.x), abs64(rel.z));
    }
    return slack;
}

/* W of a sector's wedge for the vector v from the apex to the box point nearest to it; p is the apex in the box's frame. */
static int wedge_class(uint32_t half_angle, planar e1, planar e2, planar v, planar p) {
    int A = i128_sign(cross_wide(e2, v)), B = i128_sign(cross_wide(v, e1));
    if ((half_angle <= 16384 ? min_int(A, B) : max_int(A, B)) < 0) {
        return FXS_APART;
    }
    A = A != 0 ? A : -i128_sign(cross_wide(e2, p));
    B = B != 0 ? B : -i128_sign(cross_wide(p, e1));
    return (half_angle <= 16384 ? min_int(A, B) : max_int(A, B)) > 0 ? FXS_OVERLAPPING : FXS_TOUCHING;
}

/* The edge of a sector from its apex p along w against a box of half sizes H, all Q.46 in the box's frame: |p| < 2^61, |w|, H <= 2^59. */
static int edge_box(planar p, planar w, planar H) {
    int on_x = classify(abs64(2 * p.x + w.x), 2 * H.x + abs64(w.x)), on_z = classify(abs64(2 * p.z + w.z), 2 * H.z + abs64(w.z));
    if (on_x == FXS_APART || on_z == FXS_APART) {
        return FXS_APART;
    }
    int on_w = classify_wide(i128_abs(cross_wide(p, w)), i128_add(i128_mul(H.x, abs64(w.z)), i128_mul(H.z, abs64(w.x))));
    return min_int(min_int(on_x, on_z), on_w);
}

/* d is the sector's apex from the box's centre. */
static int sector_box(const solid *sector, const solid *box, planar d) {
    int64_t radius = sector->size[0];
    planar H = {box->size[0] * Q30_ONE, box->size[2] * Q30_ONE}, p = turned_back(d, direction_of_solid(box));
    planar v = {max64(-H.x, min64(p.x, H.x)) - p.x, max64(-H.z, min64(p.z, H.z)) - p.z};
    int64_t whole_x = (int64_t)((uint64_t)abs64(v.x) >> 30), whole_z = (int64_t)((uint64_t)abs64(v.z) >> 30);
    if (whole_x * whole_x + whole_z * whole_z > (radius + 2) * (radius + 2)) { /* an edge is longer than the radius by half a unit at most */
        return FXS_APART;
    }
    int nearest = classify_q46(v, radius * radius);
    if (sector->half_angle == FXS_HALF_ANGLE_MAX) {
        return nearest;
    }
    uint32_t facing = (uint32_t)sector->yaw - box->yaw;
    planar e1 = fxs_direction_of(facing + sector->half_angle), e2 = fxs_direction_of(facing - sector->half_angle);
    planar w1 = {radius * e1.x, radius * e1.z}, w2 = {radius * e2.x, radius * e2.z};
    int inside = min_int(wedge_class(sector->half_angle, e1, e2, v, p), nearest);
    return inside == FXS_OVERLAPPING ? inside : max_int(inside, max_int(edge_box(p, w1, H), edge_box(p, w2, H)));
}

/* Contact of solids of which it is known that on no axis they are more than 2^15 raw units further apart than they reach. `known` are the
 * edges of the one that is a sector, or NULL. */
static inline int contact_near(const solid *a, const solid *b, const edges *known) {
    if (a->kind > b->kind) {
        const solid *swap = a;
        a = b;
        b = swap;
    }
    /* size[1] is the half height of every kind (a sphere's is 0). */
    int64_t dx = (int64_t)b->x - a->x, dy = abs64((int64_t)b->y - a->y), dz = (int64_t)b->z - a->z;
    int64_t h = (int64_t)a->size[1] + b->size[1], r = a->size[0], both = r + b->size[0];
    planar d = {dx, dz}, minus_d = {-dx, -dz};
    if (a->kind <= FXS_CAPSULE) {
        int64_t f = max64(0, dy - h);
        if (b->kind <= FXS_CAPSULE) {
            return classify(dx * dx + dz * dz + f * f, both * both);
        }
        return f > r ? FXS_APART : near_prism(b, known, minus_d, r * r - f * f);
    }
    int flat;
    if (a->kind == FXS_CYLINDER) { /* of two discs L^2 and 4 R^2 q are squares: their roots compare alike, in 64 bits */
        flat = b->kind == FXS_CYLINDER ? classify(dx * dx + dz * dz, both * both) : near_prism(b, known, minus_d, r * r);
    } else if (a->kind == FXS_BOX) {
        flat = b->kind == FXS_BOX ? class_of(slack_boxes(a, b, d)) : sector_box(b, a, d);
    } else {
        flat = FXS_APART;
    }
    return min_int(classify(dy, h), flat);
}

int fxs_solid_contact(const solid *a, const solid *b) {
    if (abs64((int64_t)b->x - a->x) > (int64_t)a->reach_x + b->reach_x || abs64((int64_t)b->z - a->z) > (int64_t)a->reach_z + b->reach_z ||
        abs64((int64_t)b->y - a->y) > (int64_t)a->reach_y + b->reach_y) {
        return FXS_APART;
    }
    return contact_near(a, b, NULL);
}

/* Of two discs that touch where d is as long as their radii together. */
static inline int64_t slack_discs(const solid *a, const solid *b, planar d) {
    int64_t both = (int64_t)a->size[0] + b->size[0];
    return both * both - dot64(d, d);
}

/* Of a and b of these kinds, the lesser first. */
static inline int64_t slack_of_kinds(int kinds, const solid *a, const solid *b) {
    if (kinds == OTHER_KINDS) {
        return contact_near(a, b, NULL) - 1;
    }
    planar d = {(int64_t)a->x - b->x, (int64_t)a->z - b->z};
    int64_t r = a->size[0], upright = (int64_t)a->size[1] + b->size[1] - abs64((int64_t)b->y - a->y), gap = above_0(-upright);
    switch (kinds) {
    case TWO_ROUND:
        return slack_discs(a, b, d) - gap * gap;
    case ROUND_AND_CYLINDER: /* at one height, which is usual, what is round is a disc */
        return gap ? near_disc(b->size[0], d, r * r - gap * gap) - 1 : slack_discs(a, b, d);
    case ROUND_AND_BOX:
        return slack_box(b, d, r * r - gap * gap);
    case TWO_CYLINDERS:
        return min64(slack_discs(a, b, d), upright);
    case CYLINDER_AND_BOX:
        return min64(slack_box(b, d, r * r), upright);
    default:
        return min64(slack_boxes(a, b, d), upright);
    }
}

/* Each is written, and stays if it counts: no branch on what chance decides. */
static inline uint32_t hits_of_kinds(int kinds, const solid *all, const uint64_t *pairs, uint32_t n, int hit_when, uint64_t *hits) {
    uint32_t found = 0;
    const int64_t least = hit_when - FXS_TOUCHING;
    for (uint32_t i = 0; i < n; i++) {
        const solid *a = all + (pairs[i] >> 32), *b = all + (pairs[i] & UINT32_MAX);
        int64_t slack = slack_of_kinds(kinds, a, b);
        uint64_t first = a->id < b->id ? a->id : b->id, second = a->id < b->id ? b->id : a->id;
        hits[found] = (first << 33) + (second << 2) + FXS_TOUCHING + (uint64_t)(slack > 0);
        found += slack >= least;
    }
    return found;
}

uint32_t fxs_solid_hits(const solid *all, int kinds, const uint64_t *pairs, uint32_t n, int hit_when, uint64_t *hits) {
    switch (kinds) {
    case TWO_ROUND:
        return hits_of_kinds(TWO_ROUND, all, pairs, n, hit_when, hits);
    case ROUND_AND_CYLINDER:
        return hits_of_kinds(ROUND_AND_CYLINDER, all, pairs, n, hit_when, hits);
    case ROUND_AND_BOX:
        return hits_of_kinds(ROUND_AND_BOX, all, pairs, n, hit_when, hits);
    case TWO_CYLINDERS:
        return hits_of_kinds(TWO_CYLINDERS, all, pairs, n, hit_when, hits);
    case CYLINDER_AND_BOX:
        return hits_of_kinds(CYLINDER_AND_BOX, all, pairs, n, hit_when, hits);
    case TWO_BOXES:
        return hits_of_kinds(TWO_BOXES, all, pairs, n, hit_when, hits);
    default:
        return hits_of_kinds(OTHER_KINDS, all, pairs, n, hit_when, hits);
    }
}

/* |v|^2 for v in Q.46, each axis rounded down to raw units. */
static inline int64_t floor_square(planar v) {
    int64_t x = (int64_t)((uint64_t)abs64(v.x) >> 30), z = (int64_t)((uint64_t)abs64(v.z) >> 30);
    return x * x + z * z;
}

/* A part of a direction is off by 1/2, a direction by 2^-30 of its length: what a sector and a box are to each other in the world's frame, and
 * in the box's, where the exact test looks, differs by 2 raw units at most. floor_square cuts off 1.5. */
#define SPARE 8

/* A sector with a cylinder or a box, as slack_of_kinds has it. Nearly always the discs about its axis that the other contains and that contain
 * it tell, with SPARE raw units to spare, whether the two meet. The exact test is for what is left. */
static inline int64_t slack_sector(const solid *sector, const edges *e, const solid *s) {
    planar d = {(int64_t)s->x - sector->x, (int64_t)s->z - sector->z};
    int64_t radius = sector->size[0], from = 0, square, inner = s->size[0], outer = inner;
    if (in_wedge(sector, e, d)) {
        square = dot64(d, d);
        from = radius;
    } else {
        square = min64(floor_square(from_edge(radius, e->e1, d)), floor_square(from_edge(radius, e->e2, d)));
    }
    if (s->kind == FXS_BOX) { /* sqrt(a^2 + b^2) <= a + b/2 for a >= b */
        inner = min64(s->size[0], s->size[2]);
        outer = max64(s->size[0], s->size[2]) + inner / 2;
    }
    int64_t within = from + inner - SPARE, without = from + outer + SPARE;
    int64_t told = ((inner > SPARE) & (square < within * within)) - (square > without * without);
    return told ? min64(told, (int64_t)sector->size[1] + s->size[1] - abs64((int64_t)s->y - sector->y)) : contact_near(sector, s, e) - 1;
}

/* Keeps those of n ids that `area` meets, all of them of one kind. */
enum { SECTOR_AND_OTHER = OTHER_KINDS + 1 };
static inline uint64_t met_of_kinds(int kinds, int swap, const solid *area, const edges *known, const solid *all, const uint64_t *like, uint64_t n,
                                    int64_t least, uint64_t *ids) {
    uint64_t met = 0;
    for (uint64_t i = 0; i < n; i++) {
        const solid *s = all + like[i];
        int64_t slack = kinds == OTHER_KINDS        ? contact_near(area, s, known) - 1
                        : kinds == SECTOR_AND_OTHER ? slack_sector(area, known, s)
                                                    : slack_of_kinds(kinds, swap ? s : area, swap ? area : s);
        ids[met] = like[i];
        met += slack >= least;
    }
    return met;
}

uint64_t fxs_solid_met(const solid *area, const fxs_query *q, const solid *all, uint64_t *ids, uint64_t n, int hit_when) {
    enum { AT_ONCE = 64 };
    uint64_t met = 0;
    edges of_area = {{0, 0}, {0, 0}};
    if (area->kind == FXS_SECTOR) {
        of_area = edges_of(area);
    }
    const edges *known = area->kind == FXS_SECTOR ? &of_area : NULL;
    const int64_t least = hit_when - FXS_TOUCHING;
    for (uint64_t from = 0; from < n; from += AT_ONCE) { /* by kinds: what is alike is predicted well */
        uint64_t like[FXS_SECTOR + 1][AT_ONCE], count[FXS_SECTOR + 1] = {0}, end = from + AT_ONCE < n ? from + AT_ONCE : n;
        for (uint64_t i = from; i < end; i++) {
            const solid *s = all + ids[i];
            like[s->kind][count[s->kind]] = ids[i];
            count[s->kind] += (q->mask >> s->layer & 1) & (uint32_t)((q->exclude_owner == 0) | (s->owner != q->exclude_owner));
        }
        for (uint32_t kind = 0; kind <= FXS_SECTOR; kind++) {
            uint64_t *to = ids + met;
            if (known && (kind == FXS_CYLINDER || kind == FXS_BOX)) {
                met += met_of_kinds(SECTOR_AND_OTHER, 0, area, known, all, like[kind], count[kind], least, to);
                continue;
            }
            int swap = area->kind > kind;
            switch (kinds_of(area->kind, kind)) {
            case TWO_ROUND:
                met += met_of_kinds(TWO_ROUND, 0, area, NULL, all, like[kind], count[kind], least, to);
                break;
            case ROUND_AND_CYLINDER:
                met += met_of_kinds(ROUND_AND_CYLINDER, swap, area, NULL, all, like[kind], count[kind], least, to);
                break;
            case ROUND_AND_BOX:
                met += met_of_kinds(ROUND_AND_BOX, swap, area, NULL, all, like[kind], count[kind], least, to);
                break;
            case TWO_CYLINDERS:
                met += met_of_kinds(TWO_CYLINDERS, 0, area, NULL, all, like[kind], count[kind], least, to);
                break;
            case CYLINDER_AND_BOX:
                met += met_of_kinds(CYLINDER_AND_BOX, swap, area, NULL, all, like[kind], count[kind], least, to);
                break;
            case TWO_BOXES:
                met += met_of_kinds(TWO_BOXES, 0, area, NULL, all, like[kind], count[kind], least, to);
                break;
            default:
                met += met_of_kinds(OTHER_KINDS, 0, area, known, all, like[kind], count[kind], least, to);
            }
        }
    }
    return met;
}

int32_t fxs_overlap(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b) {
    int32_t status = fxs_placed_check(a, pose_a);
    if (status == FXS_OK) {
        status = fxs_placed_check(b, pose_b);
    }
    if (status != FXS_OK) {
        return status;
    }
    solid sa, sb;
    fxs_solid_make(&sa, a, pose_a);
    fxs_solid_make(&sb, b, pose_b);
    return fxs_solid_contact(&sa, &sb);
}

/* A shape of this kind where it stands, as far as slack_of_kinds asks; 0 if shape and pose are in order. */
static inline uint64_t stand(solid *s, uint32_t kind, const fxs_shape *shape, const fxs_pose *pose) {
    s->x = pose->x;
    s->y = pose->y;
    s->z = pose->z;
    s->yaw = (uint16_t)pose->yaw;
    s->size[0] = shape->size[0];
    s->size[1] = shape->size[1];
    s->size[2] = shape->size[2];
    s->cos_q30 = s->sin_q30 = 0; /* a box alone is asked for them */
    if (kind == FXS_BOX) {
        planar dir = fxs_direction_of(s->yaw);
        s->cos_q30 = (int32_t)dir.x;
        s->sin_q30 = (int32_t)dir.z;
    }
    return shape_faults(kind, shape->half_angle, shape->size) | pose->yaw >> 16;
}

/* The contact of two shapes; NOT_TOLD if they are not in order, or 2^30 or more apart, where products could overflow. */
enum { NOT_TOLD = -1 };

/* Whether two are so far apart on x or z. */
static inline uint64_t is_far(int64_t dx, int64_t dz) { return ((uint64_t)(dx + Q30_ONE) | (uint64_t)(dz + Q30_ONE)) >> 31; }

/* Of two cylinders, NOT_TOLD too if a size is above 2^28: both sizes are then checked at once, and added at once. */
static inline int overlap_of_cylinders(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b) {
    uint64_t sizes_a = PAIR((uint32_t)a->size[0], (uint32_t)a->size[1]), sizes_b = PAIR((uint32_t)b->size[0], (uint32_t)b->size[1]);
    uint64_t unfit = ((sizes_a - PAIR(1, 1)) | (sizes_b - PAIR(1, 1))) & PAIR(15u << 28, 15u << 28), sums = sizes_a + sizes_b;
    uint32_t unused = (uint32_t)a->size[2] | (uint32_t)b->size[2] | a->half_angle | b->half_angle | (pose_a->yaw | pose_b->yaw) >> 16;
    int64_t dx = (int64_t)pose_a->x - pose_b->x, dz = (int64_t)pose_a->z - pose_b->z, dy = abs64((int64_t)pose_a->y - pose_b->y);
    if (unfit | unused | is_far(dx, dz)) {
        return NOT_TOLD;
    }
    int64_t radius = (int64_t)(sums & UINT32_MAX), height = (int64_t)(sums >> 32);
    return class_of(min64(radius * radius - (dx * dx + dz * dz), height - dy));
}

static inline int overlap_of_kinds(int kinds, const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b) {
    solid sa, sb;
    uint64_t faults = stand(&sa, kinds == TWO_BOXES ? FXS_BOX : FXS_CYLINDER, a, pose_a) | stand(&sb, FXS_BOX, b, pose_b);
    faults |= is_far((int64_t)sa.x - sb.x, (int64_t)sa.z - sb.z);
    return faults == 0 ? class_of(slack_of_kinds(kinds, &sa, &sb)) : NOT_TOLD;
}

static inline int overlap_of_usual_kinds(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b) {
    if ((a->kind == FXS_CYLINDER) & (b->kind == FXS_CYLINDER)) {
        return overlap_of_cylinders(a, pose_a, b, pose_b);
    }
    if ((a->kind == FXS_BOX) & (b->kind == FXS_BOX)) {
        return overlap_of_kinds(TWO_BOXES, a, pose_a, b, pose_b);
    }
    if ((a->kind == FXS_CYLINDER) & (b->kind == FXS_BOX)) {
        return overlap_of_kinds(CYLINDER_AND_BOX, a, pose_a, b, pose_b);
    }
    if ((a->kind == FXS_BOX) & (b->kind == FXS_CYLINDER)) {
        return overlap_of_kinds(CYLINDER_AND_BOX, b, pose_b, a, pose_a);
    }
    return NOT_TOLD;
}

int32_t fxs_overlap_many(uint64_t n, const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b,
                         uint8_t *contacts, uint64_t *bad) {
    for (uint64_t i = 0; i < n; i++) {
        int32_t contact = overlap_of_usual_kinds(a + i, pose_a + i, b + i, pose_b + i);
        if (contact == NOT_TOLD) {
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
