/* A sector and a box or a polygon (docs/contract.md, Contact and Levels): FULL and FAR, exact.
 *
 * Each rule is compiled for two kinds of numbers. A box is seen in its own frame and Q.46: vectors
 * are below 2^61.1, products take 128 bits. A polygon is seen in raw units: vectors are below
 * 2^32.4 and those of edges below 2^30 + 1, so that products fit in 64 bits. */
#include "wedge.h"
#include "depth.h"

/* Both, relative to the apex. */
typedef struct sector_view {
    const polygon *polygon; /* NULL: a box */
    planar half, apex;      /* of a box: half sizes up to 2^59, and the apex from its centre */
    planar towards;         /* the nearest point; (0, 0) inside */
    int nearest;            /* class of the nearest point against the radius */
    int64_t radius, inner;
} sector_view;

/* Sign of cross(u, v). */
SPECIALISED int turn_sign(int is_box, planar u, planar v) {
    return is_box ? i128_sign(cross_wide(u, v)) : sign64(cross64(u, v));
}

/* A point of the box or the polygon, relative to the apex. */
SPECIALISED planar within(int is_box, const sector_view *s) {
    if (is_box) {
        return opposite(s->apex);
    }
    const planar *m = s->polygon->m;
    const planar sum = {m[0].x + m[1].x + m[2].x, m[0].z + m[1].z + m[2].z}; /* the same side */
    return sum;
}

/* Vertex i from the apex. */
SPECIALISED planar vertex_at(int is_box, const sector_view *s, uint32_t i) {
    if (!is_box) {
        return s->polygon->m[i];
    }
    const planar c = {(i & 1 ? s->half.x : -s->half.x) - s->apex.x,
                      (i & 2 ? s->half.z : -s->half.z) - s->apex.z};
    return c;
}

/* The line along e through the apex. */
static int line_of_box(const sector_view *s, planar e) {
    const i128 limit = i128_add(i128_mul(s->half.x, abs64(e.z)), i128_mul(s->half.z, abs64(e.x)));
    return classify_wide(i128_abs(cross_wide(s->apex, e)), limit);
}

static int line_of_polygon(const sector_view *s, planar e) {
    int64_t least = INT64_MAX;
    int64_t most = -INT64_MAX;
    for (uint32_t j = 0; j < s->polygon->n; j++) {
        const int64_t side = cross64(e, s->polygon->m[j]);
        FXS_ASSERT(abs64(side) < (int64_t)5 << 60);
        least = min64(least, side);
        most = max64(most, side);
    }
    return min_int(classify(least, 0), classify(0, most));
}

/* The edge of the sector along e, from the apex to the radius. */
static int edge_of_box(const sector_view *s, planar e) {
    const planar w = {s->radius * e.x, s->radius * e.z};
    FXS_ASSERT(IS_WITHIN_BITS(e, 30) && s->radius < 1 << 29 && IS_WITHIN_BITS(s->apex, 62));
    const int on_x = classify(abs64(2 * s->apex.x + w.x), 2 * s->half.x + abs64(w.x));
    const int on_z = classify(abs64(2 * s->apex.z + w.z), 2 * s->half.z + abs64(w.z));
    const int found = min_int(on_x, on_z);
    return found == FXS_APART ? found : min_int(found, line_of_box(s, e));
}

static int edge_of_polygon(const sector_view *s, planar e) {
    const polygon *p = s->polygon;
    int found = line_of_polygon(s, e);
    for (uint32_t j = 0; j < p->n && found > FXS_APART; j++) {
        const i128 inside = i128_mul(Q30_ONE, cross64(p->u[j], p->m[j]));
        const int64_t turn = cross64(p->u[j], e);
        found = min_int(found, classify_wide(inside, i128_mul(s->radius, max64(0, turn))));
    }
    return found;
}

/* The same line, from the inner radius on. */
static int far_edge_of_box(const sector_view *s, planar e) {
    if (line_of_box(s, e) == FXS_APART) {
        return FXS_APART;
    }
    return min_int(classify(s->inner * abs64(e.x) + sign64(e.x) * s->apex.x, s->half.x),
                   classify(s->inner * abs64(e.z) + sign64(e.z) * s->apex.z, s->half.z));
}

static int far_edge_of_polygon(const sector_view *s, planar e) {
    const polygon *p = s->polygon;
    int found = line_of_polygon(s, e) == FXS_APART ? FXS_APART : FXS_OVERLAPPING;
    for (uint32_t j = 0; j < p->n && found > FXS_APART; j++) {
        const int64_t turn = cross64(p->u[j], e);
        if (turn < 0) {
            const i128 inside = i128_mul(Q30_ONE, cross64(p->u[j], p->m[j]));
            found = min_int(found, classify_wide(inside, i128_mul(s->inner, turn)));
        }
    }
    return found;
}

/* Of A and B: a narrow angle, up to half a turn, is on the inner side of both edges. */
static inline int in_angle(int is_narrow, int A, int B) {
    return is_narrow ? min_int(A, B) : max_int(A, B);
}

/* FULL of the contract: the angle from e[1] to e[0], without a hole. */
SPECIALISED int class_full(int is_box, const sector_view *s, const planar e[2], int is_narrow) {
    int A = turn_sign(is_box, e[1], s->towards);
    int B = turn_sign(is_box, s->towards, e[0]);
    int found = FXS_APART;
    if (in_angle(is_narrow, A, B) >= 0) {
        A = A != 0 ? A : turn_sign(is_box, e[1], within(is_box, s));
        B = B != 0 ? B : turn_sign(is_box, within(is_box, s), e[0]);
        found = in_angle(is_narrow, A, B) > 0 ? FXS_OVERLAPPING : FXS_TOUCHING;
        found = min_int(found, s->nearest);
    }
    for (int i = 0; i < 2 && found < FXS_OVERLAPPING; i++) {
        found = max_int(found, is_box ? edge_of_box(s, e[i]) : edge_of_polygon(s, e[i]));
    }
    return found;
}

/* FAR of the contract: how far from the apex the box or the polygon reaches within a narrow angle,
 * or within the whole turn. */
SPECIALISED int class_far(int is_box, const sector_view *s, const planar e[2], int is_whole) {
    const int64_t hole = s->inner * s->inner;
    const uint32_t n = is_box ? 4 : s->polygon->n;
    int found = FXS_APART;
    for (uint32_t i = 0; i < n && found < FXS_OVERLAPPING; i++) {
        const planar c = vertex_at(is_box, s, i);
        if (is_whole || (turn_sign(is_box, e[1], c) >= 0 && turn_sign(is_box, c, e[0]) >= 0)) {
            const int beyond = is_box ? FXS_OVERLAPPING - contact_of_depth(depth_q46(c, hole))
                                      : classify(hole, dot64(c, c));
            found = max_int(found, beyond);
        }
    }
    for (int i = 0; i < 2 && found < FXS_OVERLAPPING && !is_whole; i++) {
        found = max_int(found, is_box ? far_edge_of_box(s, e[i]) : far_edge_of_polygon(s, e[i]));
    }
    return found;
}

/* The contact of the angle from e[1] to e[0]: of a part of the sector, or of all of it. */
static int class_of_angle(int is_box, const sector_view *s, const planar e[2], int is_narrow,
                          int is_whole) {
    const int found = is_whole ? s->nearest : class_full(is_box, s, e, is_narrow);
    if (s->inner == 0 || found == FXS_APART) {
        return found;
    }
    return min_int(found, class_far(is_box, s, e, is_whole));
}

/* The planar contact; the sector faces a yaw of `facing` in the frame of the view. */
SPECIALISED int class_of_view(int is_box, const sector_view *s, uint32_t facing,
                              uint32_t half_angle) {
    const int is_whole = half_angle == FXS_HALF_ANGLE_MAX;
    const int is_narrow = half_angle <= 16384;
    planar e[3] = {fxs_direction_of(facing + half_angle), fxs_direction_of(facing - half_angle)};
    if (s->inner == 0 || is_narrow || is_whole) {
        return class_of_angle(is_box, s, e, is_narrow, is_whole);
    }
    e[2] = e[1]; /* FAR is for narrow angles: two halves */
    e[1] = fxs_direction_of(facing);
    return max_int(class_of_angle(is_box, s, e, 1, 0), class_of_angle(is_box, s, e + 1, 1, 0));
}

/* An edge is longer than the radius by half a raw unit at most, so no rule finds anything at 2 raw
 * units more. */
static int64_t beyond_edges(const placed_shape *sector) {
    const int64_t limit = (int64_t)sector->size[0] + 2;
    return limit * limit;
}

int fxs_sector_box(const placed_shape *sector, const placed_shape *box, planar d) {
    const planar half = {box->size[0] * Q30_ONE, box->size[2] * Q30_ONE};
    const planar apex = turned_back(d, direction_of(box));
    const planar towards = {max64(-half.x, min64(apex.x, half.x)) - apex.x,
                            max64(-half.z, min64(apex.z, half.z)) - apex.z};
    if (floor_square(towards) > beyond_edges(sector)) {
        return FXS_APART;
    }
    const int64_t radius = sector->size[0];
    const int nearest = contact_of_depth(depth_q46(towards, radius * radius));
    const sector_view s = {NULL, half, apex, towards, nearest, radius, sector->size[2]};
    FXS_ASSERT(IS_WITHIN_BITS(half, 59) && s.inner < radius && IS_WITHIN_BITS(d, 31));
    return class_of_view(1, &s, (uint32_t)sector->yaw - box->yaw, sector->half_angle);
}

int fxs_sector_polygon(const placed_shape *sector, const polygon *p) {
    const nearest_part part = nearest_part_of(p);
    if (classify_part(&part, beyond_edges(sector)) == FXS_APART) {
        return FXS_APART;
    }
    const int64_t radius = sector->size[0];
    const planar none = {0, 0};
    const int nearest = classify_part(&part, radius * radius);
    const sector_view s = {p, none, none, part.towards, nearest, radius, sector->size[2]};
    return class_of_view(0, &s, sector->yaw, sector->half_angle);
}
