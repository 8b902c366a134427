#include "reference.h"

#include "big.h"
#include "kinds.h"

#include <stddef.h>
#include <string.h>

/* Of a kind of the class POLYGON the kernel's table gives the corners, the number of sizes and the least ones, which the model
 * gives once more. Nothing else is read from it. All rules take a kind that they do not know for another one. */
#define NO_POLYGON(code, name, sizes, shape_class, corners, front, ranges) +(shape_class != POLYGON)
_Static_assert(0 SHAPE_KINDS(NO_POLYGON) == 5,
               "a new class needs its rules in ref_shape_check, near, contact_of, parting_beside and parting_of_polygon");
static int is_polygon_kind(uint32_t kind) { return kind < KIND_COUNT && (POLYGON_KINDS >> kind & 1); }

/* ---- angles: sines and cosines by their series, 128 bits after the point ---- */

/* The contract's number, and the header's; neither is read from where the kernel reads it. */
uint32_t ref_semantics(void) { return FXS_SEMANTICS; }
uint32_t ref_version(void) { return (uint32_t)FXS_VERSION_MAJOR << 16 | (uint32_t)FXS_VERSION_MINOR << 8 | (uint32_t)FXS_VERSION_PATCH; }

#define FINE 128

typedef struct vec {
    big x, z;
} vec;

static int32_t octant_cos[16385], octant_sin[16385]; /* of k/131072 turn, 0 <= k <= 16384: an eighth of a turn */
static int octant_ready;

/* arctan(1/n). */
static big arctan_inverse(uint32_t n) {
    big power = big_div_small(big_shl(big_of(1), FINE + 32), n), sum = big_of(0);
    for (uint32_t k = 1; big_sign(power) > 0; k += 2) {
        big term = big_div_small(power, k);
        sum = k % 4 == 1 ? big_add(sum, term) : big_sub(sum, term);
        power = big_div_small(big_div_small(power, n), n);
    }
    return sum;
}

static int32_t rounded_q30(big v) { return (int32_t)big_int64(big_shr(big_add(v, big_shl(big_of(1), FINE - 31)), FINE - 30)); }

static void make_octant(void) {
    big two_pi = big_shr(big_mul(big_of(8), big_sub(big_mul(big_of(4), arctan_inverse(5)), arctan_inverse(239))), 32);
    for (int32_t k = 0; k <= 16384; k++) {
        big angle = big_shr(big_mul(two_pi, big_of(k)), 17), term = big_shl(big_of(1), FINE), c = big_of(0), s = big_of(0);
        for (uint32_t n = 1; big_sign(term) > 0; n++) {
            big *sum = n % 2 ? &c : &s;
            *sum = (n - 1) % 4 < 2 ? big_add(*sum, term) : big_sub(*sum, term);
            term = big_div_small(big_shr(big_mul(term, angle), FINE), n);
        }
        octant_cos[k] = rounded_q30(c);
        octant_sin[k] = rounded_q30(s);
    }
    octant_ready = 1;
}

typedef struct direction {
    int32_t x, z;
} direction;

/* The direction at `half` half steps, 131072 to a turn, any integer. */
static direction half_step(int64_t half) {
    if (!octant_ready) {
        make_octant();
    }
    int64_t at = ((half % 131072) + 131072) % 131072, in_quarter = at % 32768;
    direction d;
    if (in_quarter <= 16384) {
        d.x = octant_cos[in_quarter];
        d.z = octant_sin[in_quarter];
    } else {
        d.x = octant_sin[32768 - in_quarter];
        d.z = octant_cos[32768 - in_quarter];
    }
    for (int64_t quarter = at / 32768; quarter > 0; quarter--) {
        int32_t x = d.x;
        d.x = -d.z;
        d.z = x;
    }
    return d;
}

void ref_direction(uint16_t yaw, int32_t *cos_q30, int32_t *sin_q30) {
    direction d = half_step(2 * (int64_t)yaw);
    *cos_q30 = d.x;
    *sin_q30 = d.z;
}

static vec vec_of(int64_t x, int64_t z) {
    vec v = {big_of(x), big_of(z)};
    return v;
}

static vec yaw_vec(int64_t yaw) {
    direction d = half_step(2 * yaw);
    return vec_of(d.x, d.z);
}

static big cross(vec u, vec v) { return big_sub(big_mul(u.x, v.z), big_mul(u.z, v.x)); }
static big dot(vec u, vec v) { return big_add(big_mul(u.x, v.x), big_mul(u.z, v.z)); }
static vec negated(vec v) {
    vec r = {big_neg(v.x), big_neg(v.z)};
    return r;
}

static int is_difference(int64_t v) { return v >= -(int64_t)UINT32_MAX && v <= (int64_t)UINT32_MAX; }

static vec border(int64_t k) {
    direction d = half_step(2 * k - 1);
    return vec_of(d.x, d.z);
}

int32_t ref_yaw_of(int64_t dx, int64_t dz) {
    if (!is_difference(dx) || !is_difference(dz)) {
        return FXS_E_DISTANCE;
    }
    if (dx == 0 && dz == 0) {
        return 0;
    }
    vec d = vec_of(dx, dz);
    /* Borders `first` to `first` + 32767 lie within half a turn: d is on their left up to the one sought. */
    vec h = border(0);
    int side = big_sign(cross(h, d));
    int64_t first = side > 0 || (side == 0 && big_sign(dot(h, d)) > 0) ? 0 : 32768, low = first, high = first + 32768;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (big_sign(cross(border(middle), d)) >= 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (int32_t)(low % 65536);
}

int64_t ref_length(int64_t dx, int64_t dy, int64_t dz) {
    if (!is_difference(dx) || !is_difference(dy) || !is_difference(dz)) {
        return FXS_E_DISTANCE;
    }
    big x = big_of(dx), y = big_of(dy), z = big_of(dz);
    return big_int64(big_sqrt(big_add(big_add(big_mul(x, x), big_mul(y, y)), big_mul(z, z))));
}

int32_t ref_yaw_between(uint32_t from, uint32_t to) {
    int64_t turn = ((int64_t)to - from) % 65536; /* of the sign of the difference */
    return (int32_t)(turn >= 32768 ? turn - 65536 : turn < -32768 ? turn + 65536 : turn);
}

/* ---- contact of two shapes ---- */

int32_t ref_shape_check(const fxs_shape *shape) {
    int used = 0, least_second = 1;
    const struct kind *polygon = is_polygon_kind(shape->kind) ? fxs_kinds + shape->kind : NULL;
    switch (shape->kind) {
    case FXS_SPHERE: used = 1; break;
    case FXS_CAPSULE: used = 2; least_second = 0; break;
    case FXS_CYLINDER: used = 2; break;
    case FXS_BOX: used = 3; break;
    case FXS_SECTOR: used = 3; break;
    default:
        if (polygon == NULL) {
            return FXS_E_KIND;
        }
        used = polygon->size_count;
    }
    for (int i = 0; i < 3; i++) {
        int32_t v = shape->size[i];
        int is_hole = i == 2 && shape->kind == FXS_SECTOR;
        int32_t smallest = is_hole ? 0 : i == 1 ? least_second : 1, largest = is_hole ? shape->size[0] - 1 : FXS_SIZE_MAX;
        if (polygon != NULL && i < used) {
            const uint64_t of_size[3] = {polygon->least[OF_SIZES], polygon->least[OF_SIZES] >> 32, polygon->rest_least};
            const uint64_t up_to[3] = {polygon->most[OF_SIZES], polygon->most[OF_SIZES] >> 32, polygon->rest_most};
            smallest = (int32_t)(uint32_t)of_size[i];
            largest = (int32_t)(uint32_t)up_to[i];
        }
        if (i >= used ? v != 0 : v > largest || v < smallest) {
            return FXS_E_SIZE;
        }
    }
    if (shape->kind == FXS_SECTOR) {
        return shape->half_angle >= 1 && shape->half_angle <= 32768 ? FXS_OK : FXS_E_HALF_ANGLE;
    }
    return shape->half_angle == 0 ? FXS_OK : FXS_E_HALF_ANGLE;
}

/* A shape whose sizes and centre may be in any unit, the same for both of a pair. */
typedef struct body {
    uint32_t kind;
    int64_t yaw, half_angle;
    big radius, half_x, half_z, half_height; /* of a round shape: of the segment that its ball is swept along;
                                                half_z of a sector: its inner radius */
    big x, y, z;
    int n; /* corners of a polygon, else 0 */
    vec corner[FXS_VERTICES_MAX]; /* from the centre, turned and rounded */
} body;

static int64_t R(big v);

static body body_of(const fxs_shape *s, int64_t yaw, int64_t x, int64_t y, int64_t z) {
    body b = {.kind = s->kind, .yaw = yaw, .half_angle = s->half_angle};
    b.radius = b.half_x = big_of(s->size[0]);
    b.half_height = big_of(s->size[1]);
    b.half_z = big_of(s->size[2]);
    b.x = big_of(x);
    b.y = big_of(y);
    b.z = big_of(z);
    if (is_polygon_kind(s->kind)) {
        planar corner[FXS_VERTICES_MAX];
        vec e = yaw_vec(yaw);
        b.n = (int)corners_of(s->kind, s->size, corner);
        for (int j = 0; j < b.n; j++) {
            vec v = vec_of(corner[j].x, corner[j].z);
            b.corner[j].x = big_of(R(big_sub(big_mul(v.x, e.x), big_mul(v.z, e.z))));
            b.corner[j].z = big_of(R(big_add(big_mul(v.x, e.z), big_mul(v.z, e.x))));
        }
    }
    return b;
}

static int is_round(const body *b) { return b->kind == FXS_SPHERE || b->kind == FXS_CAPSULE; }

static int cls(big left, big right) { return 1 - big_cmp(left, right); }
static big square(big v) { return big_mul(v, v); }
static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

static vec unturned(vec v, int64_t yaw) {
    vec d = yaw_vec(yaw), r;
    r.x = dot(v, d);
    r.z = cross(d, v);
    return r;
}

static int near_cylinder(big radius, vec d, big q) {
    if (big_sign(q) < 0) {
        return FXS_APART;
    }
    big beyond = big_sub(dot(d, d), square(radius));
    if (big_sign(beyond) <= 0) {
        return cls(big_of(0), q);
    }
    big left = big_sub(beyond, q);
    return big_sign(left) < 0 ? FXS_OVERLAPPING : cls(square(left), big_mul(big_shl(square(radius), 2), q));
}

static int near_box(const body *box, vec d, big q) {
    if (big_sign(q) < 0) {
        return FXS_APART;
    }
    vec l = unturned(d, box->yaw);
    big ex = big_max(big_of(0), big_sub(big_abs(l.x), big_shl(box->half_x, 30)));
    big ez = big_max(big_of(0), big_sub(big_abs(l.z), big_shl(box->half_z, 30)));
    return cls(big_add(square(ex), square(ez)), big_shl(q, 60));
}

/* Whether a vector with these cross products is in the wedge: > 0 in its interior, 0 on its border. */
static int wedge_sign(int64_t half_angle, big A, big B) {
    return half_angle <= 16384 ? least(big_sign(A), big_sign(B)) : most(big_sign(A), big_sign(B));
}

int32_t ref_faces(uint32_t yaw, uint32_t half_angle, int64_t dx, int64_t dz) {
    if (yaw > 65535) {
        return FXS_E_YAW;
    }
    if (half_angle < 1 || half_angle > 32768) {
        return FXS_E_HALF_ANGLE;
    }
    if (!is_difference(dx) || !is_difference(dz)) {
        return FXS_E_DISTANCE;
    }
    vec v = vec_of(dx, dz), e1 = yaw_vec((int64_t)yaw + half_angle), e2 = yaw_vec((int64_t)yaw - half_angle);
    return half_angle == 32768 || (dx == 0 && dz == 0) || wedge_sign(half_angle, cross(e2, v), cross(v, e1)) >= 0;
}

/* From the point that is `far` along e. */
static int near_point(big far, vec e, vec d, big q) {
    vec w = {big_sub(big_shl(d.x, 30), big_mul(far, e.x)), big_sub(big_shl(d.z, 30), big_mul(far, e.z))};
    return cls(dot(w, w), big_shl(q, 60));
}

static int near_edge(const body *s, vec e, vec d, big q) {
    big t = dot(d, e), inner = s->half_z;
    if (big_cmp(t, big_shl(inner, 30)) <= 0) {
        return near_point(inner, e, d, q);
    }
    if (big_cmp(t, big_shl(s->radius, 30)) >= 0) {
        return near_point(s->radius, e, d, q);
    }
    return cls(square(cross(e, d)), big_shl(q, 60));
}

static int near_sector(const body *s, vec d, big q) {
    if (big_sign(q) < 0) {
        return FXS_APART;
    }
    vec e1 = yaw_vec(s->yaw + s->half_angle), e2 = yaw_vec(s->yaw - s->half_angle);
    if (s->half_angle == 32768 || (big_sign(d.x) == 0 && big_sign(d.z) == 0) ||
        wedge_sign(s->half_angle, cross(e2, d), cross(d, e1)) >= 0) {
        big inner = square(s->half_z), D2 = dot(d, d), left = big_sub(big_add(inner, D2), q);
        if (big_cmp(D2, inner) >= 0) {
            return near_cylinder(s->radius, d, q);
        }
        return big_sign(left) < 0 ? FXS_OVERLAPPING : cls(square(left), big_mul(big_shl(inner, 2), D2));
    }
    return most(near_edge(s, e1, d, q), near_edge(s, e2, d, q));
}

/* A sector of half a turn at most, or a half of a wider one: its edges, and its apex from that of the other sector. */
typedef struct part {
    vec e1, e2, apex;
    big radius;
} part;

static int is_in_part(const part *p, vec v) {
    return big_sign(cross(p->e2, v)) >= 0 && big_sign(cross(v, p->e1)) >= 0;
}

static int near_part_edge(const part *p, vec e, vec d, big q) {
    big t = dot(d, e);
    if (big_sign(t) <= 0) {
        return near_point(big_of(0), e, d, q);
    }
    if (big_cmp(t, big_shl(p->radius, 30)) >= 0) {
        return near_point(p->radius, e, d, q);
    }
    return cls(square(cross(e, d)), big_shl(q, 60));
}

static int near_part(const part *p, const part *other) {
    vec d = {big_sub(other->apex.x, p->apex.x), big_sub(other->apex.z, p->apex.z)};
    big q = square(other->radius);
    return is_in_part(p, d) ? near_cylinder(p->radius, d, q) : most(near_part_edge(p, p->e1, d, q), near_part_edge(p, p->e2, d, q));
}

/* P against the lines of Q's edges. */
static int beyond_edges(const part *P, const part *Q) {
    vec p = {big_sub(P->apex.x, Q->apex.x), big_sub(P->apex.z, Q->apex.z)};
    vec n[2] = {{Q->e1.z, big_sub(big_of(0), Q->e1.x)}, {big_sub(big_of(0), Q->e2.z), Q->e2.x}};
    int found = FXS_OVERLAPPING;
    for (int i = 0; i < 2; i++) {
        big reach = big_of(0), of_e1 = big_mul(P->radius, dot(n[i], P->e1)), of_e2 = big_mul(P->radius, dot(n[i], P->e2));
        reach = big_cmp(of_e1, reach) > 0 ? of_e1 : reach;
        reach = big_cmp(of_e2, reach) > 0 ? of_e2 : reach;
        if (!is_in_part(P, n[i])) {
            found = least(found, cls(big_of(0), big_add(big_shl(dot(n[i], p), 30), reach)));
        }
    }
    return found;
}

static int parts_of(const body *s, vec apex, part parts[2]) {
    part first = {yaw_vec(s->yaw + s->half_angle), yaw_vec(s->yaw - s->half_angle), apex, s->radius};
    parts[0] = parts[1] = first;
    if (s->half_angle > 16384) {
        parts[0].e1 = parts[1].e2 = yaw_vec(s->yaw);
    }
    return s->half_angle > 16384 ? 2 : 1;
}

/* d: b's apex from a's. */
static int sector_sector(const body *a, const body *b, vec d) {
    if (big_sign(a->half_z) != 0 || big_sign(b->half_z) != 0) {
        return FXS_APART;
    }
    if (a->half_angle == 32768 || b->half_angle == 32768) {
        const body *disc = a->half_angle == 32768 ? a : b;
        vec back = {big_sub(big_of(0), d.x), big_sub(big_of(0), d.z)};
        return near_sector(disc == a ? b : a, disc == a ? back : d, square(disc->radius));
    }
    part of_a[2], of_b[2];
    vec here = {big_of(0), big_of(0)};
    int n = parts_of(a, here, of_a), m = parts_of(b, d, of_b), found = FXS_APART;
    for (int i = 0; i < n * m; i++) {
        const part *p = of_a + i % n, *q = of_b + i / n;
        int met = least(least(near_part(p, q), near_part(q, p)), least(beyond_edges(p, q), beyond_edges(q, p)));
        found = most(found, met);
    }
    return found;
}

static vec from_to(vec a, vec b) {
    vec r = {big_sub(b.x, a.x), big_sub(b.z, a.z)};
    return r;
}

static vec edge_of(const body *polygon, int j) { return from_to(polygon->corner[j], polygon->corner[(j + 1) % polygon->n]); }

static int near_polygon(const body *p, vec d, big q) {
    int found = FXS_APART, is_outside = 0;
    if (big_sign(q) < 0) {
        return FXS_APART;
    }
    for (int j = 0; j < p->n; j++) {
        vec u = edge_of(p, j), w = from_to(p->corner[j], d), end = from_to(u, w);
        big s = cross(u, w), t = dot(u, w), uu = dot(u, u);
        if (big_sign(s) < 0) {
            is_outside = 1;
            found = most(found, big_sign(t) <= 0        ? cls(dot(w, w), q)
                                : big_cmp(t, uu) >= 0 ? cls(dot(end, end), q)
                                                      : cls(square(s), big_mul(q, uu)));
        }
    }
    return is_outside ? found : cls(big_of(0), q);
}

static int near(const body *prism, vec d, big q) {
    return prism->kind == FXS_CYLINDER ? near_cylinder(prism->radius, d, q)
           : prism->n > 0              ? near_polygon(prism, d, q)
           : prism->kind == FXS_BOX    ? near_box(prism, d, q)
                                       : near_sector(prism, d, q);
}

static int boxes_on_axes_of(const body *a, const body *b, vec d) {
    vec rel = yaw_vec(b->yaw - a->yaw), p = unturned(d, a->yaw);
    big c = big_abs(rel.x), s = big_abs(rel.z);
    big limit_x = big_add(big_shl(a->half_x, 30), big_add(big_mul(b->half_x, c), big_mul(b->half_z, s)));
    big limit_z = big_add(big_shl(a->half_z, 30), big_add(big_mul(b->half_x, s), big_mul(b->half_z, c)));
    return least(cls(big_abs(p.x), limit_x), cls(big_abs(p.z), limit_z));
}

static int edge_and_box(big radius, vec e, vec p, vec H) {
    vec w = {big_mul(radius, e.x), big_mul(radius, e.z)};
    int on_x = cls(big_abs(big_add(big_shl(p.x, 1), w.x)), big_add(big_shl(H.x, 1), big_abs(w.x)));
    int on_z = cls(big_abs(big_add(big_shl(p.z, 1), w.z)), big_add(big_shl(H.z, 1), big_abs(w.z)));
    int across = cls(big_abs(cross(p, w)), big_add(big_mul(H.x, big_abs(w.z)), big_mul(H.z, big_abs(w.x))));
    return least(least(on_x, on_z), across);
}

/* The sector whose wedge is from e2 to e1, without its hole, and a box. p: the apex in the box's frame. */
static int full(const body *sector, int64_t half_angle, vec e1, vec e2, vec p, vec H) {
    vec v;
    v.x = big_sub(big_max(big_neg(H.x), big_min(H.x, p.x)), p.x);
    v.z = big_sub(big_max(big_neg(H.z), big_min(H.z, p.z)), p.z);
    int disc = cls(dot(v, v), big_shl(square(sector->radius), 60)), W = FXS_APART;
    if (half_angle == 32768) {
        return disc;
    }
    big A = cross(e2, v), B = cross(v, e1);
    if (wedge_sign(half_angle, A, B) >= 0) {
        A = big_sign(A) ? A : cross(e2, negated(p));
        B = big_sign(B) ? B : cross(negated(p), e1);
        W = wedge_sign(half_angle, A, B) > 0 ? FXS_OVERLAPPING : FXS_TOUCHING;
    }
    return most(least(W, disc), most(edge_and_box(sector->radius, e1, p, H), edge_and_box(sector->radius, e2, p, H)));
}

static int far_edge(big inner, vec e, vec p, vec H) {
    if (big_cmp(big_abs(cross(p, e)), big_add(big_mul(H.x, big_abs(e.z)), big_mul(H.z, big_abs(e.x)))) > 0) {
        return FXS_APART;
    }
    big px = big_sign(e.x) > 0 ? p.x : big_sign(e.x) < 0 ? big_neg(p.x) : big_of(0);
    big pz = big_sign(e.z) > 0 ? p.z : big_sign(e.z) < 0 ? big_neg(p.z) : big_of(0);
    return least(cls(big_add(big_mul(inner, big_abs(e.x)), px), H.x), cls(big_add(big_mul(inner, big_abs(e.z)), pz), H.z));
}

/* A ring of at most half a turn: the lesser of FULL and FAR. */
static int half_ring(const body *sector, vec e1, vec e2, vec p, vec H) {
    int far = most(far_edge(sector->half_z, e1, p, H), far_edge(sector->half_z, e2, p, H));
    for (int i = 0; i < 4; i++) {
        vec c = {big_sub(i % 2 ? H.x : big_neg(H.x), p.x), big_sub(i / 2 ? H.z : big_neg(H.z), p.z)};
        if (wedge_sign(1, cross(e2, c), cross(c, e1)) >= 0) {
            far = most(far, cls(big_shl(square(sector->half_z), 60), dot(c, c)));
        }
    }
    return least(full(sector, 1, e1, e2, p, H), far);
}

/* apex: the sector's, from the box's centre. */
static int sector_box(const body *sector, const body *box, vec apex) {
    vec p = unturned(apex, box->yaw), H = {big_shl(box->half_x, 30), big_shl(box->half_z, 30)};
    int64_t turn = sector->yaw - box->yaw, half_angle = sector->half_angle;
    vec e1 = yaw_vec(turn + half_angle), e2 = yaw_vec(turn - half_angle), e0 = yaw_vec(turn);
    if (big_sign(sector->half_z) == 0) {
        return full(sector, half_angle, e1, e2, p, H);
    }
    if (half_angle == 32768) {
        vec farthest = {big_add(big_abs(p.x), H.x), big_add(big_abs(p.z), H.z)};
        int hole = cls(big_shl(square(sector->half_z), 60), dot(farthest, farthest));
        return least(full(sector, half_angle, e1, e2, p, H), hole);
    }
    if (half_angle <= 16384) {
        return half_ring(sector, e1, e2, p, H);
    }
    return most(half_ring(sector, e0, e2, p, H), half_ring(sector, e1, e0, p, H));
}

/* ---- polygons: m_j is a corner from the other one's centre, the polygon's own being at `at` from there ---- */

static vec corner_from(const body *p, vec at, int j) {
    vec m = {big_add(at.x, p->corner[j % p->n].x), big_add(at.z, p->corner[j % p->n].z)};
    return m;
}

static int polygon_box(const body *p, vec at, const body *box) {
    vec H = {big_shl(box->half_x, 30), big_shl(box->half_z, 30)}, low = unturned(corner_from(p, at, 0), box->yaw), high = low;
    int found = FXS_OVERLAPPING;
    for (int j = 0; j < p->n; j++) {
        vec l = unturned(corner_from(p, at, j), box->yaw), U = unturned(edge_of(p, j), box->yaw);
        low.x = big_min(low.x, l.x);
        low.z = big_min(low.z, l.z);
        high.x = big_max(high.x, l.x);
        high.z = big_max(high.z, l.z);
        found = least(found, cls(cross(U, l), big_add(big_mul(H.x, big_abs(U.z)), big_mul(H.z, big_abs(U.x)))));
    }
    found = least(found, least(cls(low.x, H.x), cls(big_neg(high.x), H.x)));
    return least(found, least(cls(low.z, H.z), cls(big_neg(high.z), H.z)));
}

/* q, whose centre is at `at`, against the edges of p. */
static int beyond_polygon(const body *p, const body *q, vec at) {
    int found = FXS_OVERLAPPING;
    for (int j = 0; j < p->n; j++) {
        vec u = edge_of(p, j);
        big inside = cross(u, from_to(p->corner[j], corner_from(q, at, 0)));
        for (int k = 1; k < q->n; k++) {
            inside = big_max(inside, cross(u, from_to(p->corner[j], corner_from(q, at, k))));
        }
        found = least(found, cls(big_of(0), inside));
    }
    return found;
}

/* An edge e of the sector, whose apex is where `at` starts. */
static int edge_and_polygon(const body *p, vec at, vec e, big radius) {
    big low = cross(e, corner_from(p, at, 0)), high = low;
    int found = FXS_OVERLAPPING;
    for (int j = 0; j < p->n; j++) {
        vec m = corner_from(p, at, j), u = edge_of(p, j);
        low = big_min(low, cross(e, m));
        high = big_max(high, cross(e, m));
        found = least(found, cls(big_shl(cross(u, m), 30), big_max(big_of(0), big_mul(radius, cross(u, e)))));
    }
    return least(found, least(cls(low, big_of(0)), cls(big_of(0), high)));
}

static int full_polygon(const body *sector, int64_t half_angle, vec e1, vec e2, const body *p, vec at) {
    int nearest = 0, is_outside = 0, is_beside = 0, W = FXS_APART;
    vec v = vec_of(0, 0), inside = v;
    for (int j = 0; j < p->n; j++) {
        vec m = corner_from(p, at, j), best = corner_from(p, at, nearest), u = edge_of(p, j);
        big s = cross(m, u), t = big_neg(dot(u, m));
        is_outside |= big_sign(s) < 0;
        nearest = big_cmp(dot(m, m), dot(best, best)) < 0 ? j : nearest;
        if (big_sign(s) < 0 && big_sign(t) > 0 && big_cmp(t, dot(u, u)) < 0 && !is_beside) {
            is_beside = 1;
            v.x = big_neg(u.z);
            v.z = u.x;
        }
        if (j < 3) {
            inside.x = big_add(inside.x, m.x);
            inside.z = big_add(inside.z, m.z);
        }
    }
    if (is_outside && !is_beside) {
        v = corner_from(p, at, nearest);
    }
    big A = cross(e2, v), B = cross(v, e1);
    if (wedge_sign(half_angle, A, B) >= 0) {
        A = big_sign(A) ? A : cross(e2, inside);
        B = big_sign(B) ? B : cross(inside, e1);
        W = wedge_sign(half_angle, A, B) > 0 ? FXS_OVERLAPPING : FXS_TOUCHING;
    }
    return most(least(W, near_polygon(p, negated(at), square(sector->radius))),
                most(edge_and_polygon(p, at, e1, sector->radius), edge_and_polygon(p, at, e2, sector->radius)));
}

static int far_edge_of_polygon(const body *p, vec at, vec e, big inner) {
    big low = cross(e, corner_from(p, at, 0)), high = low;
    int found = FXS_OVERLAPPING;
    for (int j = 0; j < p->n; j++) {
        vec m = corner_from(p, at, j), u = edge_of(p, j);
        low = big_min(low, cross(e, m));
        high = big_max(high, cross(e, m));
        if (big_sign(cross(u, e)) < 0) {
            found = least(found, cls(big_shl(cross(u, m), 30), big_mul(inner, cross(u, e))));
        }
    }
    return big_sign(low) <= 0 && big_sign(high) >= 0 ? found : FXS_APART;
}

static int half_ring_polygon(const body *sector, vec e1, vec e2, const body *p, vec at) {
    int far = most(far_edge_of_polygon(p, at, e1, sector->half_z), far_edge_of_polygon(p, at, e2, sector->half_z));
    for (int j = 0; j < p->n; j++) {
        vec m = corner_from(p, at, j);
        if (wedge_sign(1, cross(e2, m), cross(m, e1)) >= 0) {
            far = most(far, cls(square(sector->half_z), dot(m, m)));
        }
    }
    return least(full_polygon(sector, 1, e1, e2, p, at), far);
}

/* at: the polygon's centre from the apex. */
static int sector_polygon(const body *sector, const body *p, vec at) {
    int64_t half_angle = sector->half_angle;
    vec e1 = yaw_vec(sector->yaw + half_angle), e2 = yaw_vec(sector->yaw - half_angle), e0 = yaw_vec(sector->yaw);
    if (half_angle == 32768) {
        int found = near_polygon(p, negated(at), square(sector->radius));
        big farthest = big_of(0);
        for (int j = 0; j < p->n; j++) {
            vec m = corner_from(p, at, j);
            farthest = big_max(farthest, dot(m, m));
        }
        return big_sign(sector->half_z) == 0 ? found : least(found, cls(square(sector->half_z), farthest));
    }
    if (big_sign(sector->half_z) == 0) {
        return full_polygon(sector, half_angle, e1, e2, p, at);
    }
    if (half_angle <= 16384) {
        return half_ring_polygon(sector, e1, e2, p, at);
    }
    return most(half_ring_polygon(sector, e0, e2, p, at), half_ring_polygon(sector, e1, e0, p, at));
}

static int contact_of(const body *a, const body *b) {
    vec d = {big_sub(b->x, a->x), big_sub(b->z, a->z)};
    big dy = big_abs(big_sub(b->y, a->y)), h = big_add(a->half_height, b->half_height);
    big f = big_max(big_of(0), big_sub(dy, h));
    if (is_round(a) && is_round(b)) {
        return cls(big_add(dot(d, d), square(f)), square(big_add(a->radius, b->radius)));
    }
    if (is_round(a)) {
        return near(b, negated(d), big_sub(square(a->radius), square(f)));
    }
    if (is_round(b)) {
        return contact_of(b, a);
    }
    int vertical = cls(dy, h), planar;
    if (a->kind == FXS_CYLINDER) {
        planar = near(b, negated(d), square(a->radius));
    } else if (b->kind == FXS_CYLINDER || (b->n > 0 && a->n == 0)) {
        return contact_of(b, a);
    } else if (b->n > 0) {
        planar = least(beyond_polygon(a, b, d), beyond_polygon(b, a, negated(d)));
    } else if (a->n > 0) {
        planar = b->kind == FXS_BOX ? polygon_box(a, negated(d), b) : sector_polygon(b, a, negated(d));
    } else if (a->kind == FXS_BOX && b->kind == FXS_BOX) {
        planar = least(boxes_on_axes_of(a, b, d), boxes_on_axes_of(b, a, negated(d)));
    } else if (a->kind == FXS_BOX) {
        planar = sector_box(b, a, d);
    } else if (b->kind == FXS_BOX) {
        return contact_of(b, a);
    } else {
        planar = sector_sector(a, b, d);
    }
    return least(vertical, planar);
}

int32_t ref_overlap(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b) {
    const fxs_shape *shapes[2] = {a, b};
    const fxs_pose *poses[2] = {pose_a, pose_b};
    body bodies[2];
    for (int i = 0; i < 2; i++) {
        int32_t status = ref_shape_check(shapes[i]);
        if (status != FXS_OK) {
            return status;
        }
        if (poses[i]->yaw > 65535) {
            return FXS_E_YAW;
        }
        bodies[i] = body_of(shapes[i], poses[i]->yaw, poses[i]->x, poses[i]->y, poses[i]->z);
    }
    return contact_of(&bodies[0], &bodies[1]);
}

int32_t ref_overlap_many(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b, uint64_t n,
                         uint8_t *contacts, uint64_t *bad) {
    for (uint64_t i = 0; i < n; i++) {
        int32_t status = ref_overlap(&a[i], &pose_a[i], &b[i], &pose_b[i]);
        if (status < 0) {
            *bad = i;
            return status;
        }
        contacts[i] = (uint8_t)status;
    }
    return FXS_OK;
}

/* A sector has none. The vertical distance never makes a contact grow, so the least dy that ends it is found by bisection, upwards where
 * the centres are level; the reaches bound it. */
int32_t ref_lift(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b, int32_t *out_y) {
    int32_t contact = ref_overlap(a, pose_a, b, pose_b);
    if (contact < 0) {
        return contact;
    }
    if (a->kind == FXS_SECTOR || b->kind == FXS_SECTOR) {
        return FXS_E_UNDEFINED;
    }
    body moved = body_of(a, pose_a->yaw, pose_a->x, pose_a->y, pose_a->z);
    body still = body_of(b, pose_b->yaw, pose_b->x, pose_b->y, pose_b->z);
    int64_t dy = (int64_t)pose_a->y - pose_b->y, way = dy < 0 ? -1 : 1, held = -1, ended = (int64_t)1 << 33;
    if (contact != FXS_OVERLAPPING) {
        ended = 0;
    }
    while (ended - held > 1) {
        int64_t middle = (held + ended) / 2;
        moved.y = big_of(pose_a->y + way * middle);
        if (contact_of(&moved, &still) == FXS_OVERLAPPING) {
            held = middle;
        } else {
            ended = middle;
        }
    }
    *out_y = (int32_t)(way * ended);
    return FXS_OK;
}

/* ---- casts: what they claim, at one moment ---- */

static big quotient(big v, big by) { return big_is_negative(v) ? big_neg(big_div(big_neg(v), by)) : big_div(v, by); }

/* The contact at n / 2^bits of the way, every length times 2^bits. */
int32_t ref_cast_contact(const fxs_shape *a, const fxs_pose *pose_a, const int32_t *motion_a, const fxs_shape *b, const fxs_pose *pose_b,
                         const int32_t *motion_b, int64_t n, int bits) {
    const fxs_shape *shapes[2] = {a, b};
    const fxs_pose *poses[2] = {pose_a, pose_b};
    const int32_t *motions[2] = {motion_a, motion_b};
    body bodies[2];
    for (int i = 0; i < 2; i++) {
        bodies[i] = body_of(shapes[i], poses[i]->yaw, poses[i]->x, poses[i]->y, poses[i]->z);
        big *lengths[7] = {&bodies[i].x, &bodies[i].y, &bodies[i].z, &bodies[i].radius, &bodies[i].half_x, &bodies[i].half_z,
                           &bodies[i].half_height};
        for (int j = 0; j < 7; j++) {
            *lengths[j] = big_shl(*lengths[j], bits);
            if (j < 3) {
                *lengths[j] = big_add(*lengths[j], big_mul(big_of(motions[i][j]), big_of(n)));
            }
        }
        for (int j = 0; j < bodies[i].n; j++) {
            bodies[i].corner[j].x = big_shl(bodies[i].corner[j].x, bits);
            bodies[i].corner[j].z = big_shl(bodies[i].corner[j].z, bits);
        }
    }
    return contact_of(&bodies[0], &bodies[1]);
}

typedef struct vec3 {
    big x, y, z;
} vec3;

/* A normal, and the gap that it measures, in 2^-30 raw units. */
typedef struct parting {
    vec3 normal;
    big gap;
} parting;

static parting unit(big x, big y, big z) {
    big length = big_sqrt(big_shl(big_add(big_add(square(x), square(y)), square(z)), 28));
    parting p = {{x, y, z}, length};
    if (big_sign(length) != 0) {
        p.normal.x = quotient(big_shl(x, 44), length);
        p.normal.y = quotient(big_shl(y, 44), length);
        p.normal.z = quotient(big_shl(z, 44), length);
    }
    return p;
}

static parting without(parting p, big radius) {
    p.gap = big_sub(p.gap, big_shl(radius, 30));
    return p;
}

static vec3 turned_to_world(vec3 n, int64_t yaw) {
    vec e = yaw_vec(yaw);
    vec3 r = {big_of(R(big_sub(big_mul(n.x, e.x), big_mul(n.z, e.z)))), n.y, big_of(R(big_add(big_mul(n.x, e.z), big_mul(n.z, e.x))))};
    return r;
}

static big with_sign_of(big v, big m) { return big_sign(v) < 0 ? big_neg(m) : big_sign(v) > 0 ? m : big_of(0); }
static big beyond(big v, big limit) { return with_sign_of(v, big_max(big_of(0), big_sub(big_abs(v), limit))); }

/* Along an axis of a box, in the direction of a number's sign. */
static vec3 box_axis(int is_z, big sign, int64_t yaw) {
    big one = with_sign_of(sign, big_of((int64_t)1 << 30)), zero = big_of(0);
    vec3 n = {is_z ? zero : one, zero, is_z ? one : zero};
    return turned_to_world(n, yaw);
}

static parting parting_of_boxes(const body *a, const body *b, vec P) {
    const body *boxes[2] = {b, a};
    vec rel = yaw_vec(b->yaw - a->yaw);
    big c = big_abs(rel.x), s = big_abs(rel.z), greatest = big_of(0);
    parting best = {{greatest, greatest, greatest}, greatest};
    for (int i = 0; i < 4; i++) {
        const body *own = boxes[i / 2], *other = boxes[1 - i / 2];
        vec p = unturned(P, own->yaw);
        big along = i % 2 ? p.z : p.x, half = i % 2 ? own->half_z : own->half_x;
        big limit = big_add(big_shl(half, 30), big_add(big_mul(other->half_x, i % 2 ? s : c), big_mul(other->half_z, i % 2 ? c : s)));
        big depth = big_sub(big_abs(along), big_shl(limit, 16));
        if (i == 0 || big_cmp(depth, greatest) > 0) {
            greatest = depth;
            best.normal = box_axis(i % 2, along, own->yaw);
        }
    }
    best.gap = big_shr(big_max(big_of(0), greatest), 16);
    return best;
}

static parting parting_of_polygon(const body *a, const vec *u, const vec *w, int n, big F);

/* Of a body and a polygon; P and F as below. */
static parting parting_beside_polygon(const body *a, const body *b, vec P, big F) {
    vec u[FXS_VERTICES_MAX], w[FXS_VERTICES_MAX];
    for (int j = 0; j < b->n; j++) {
        u[j] = edge_of(b, j);
        w[j].x = big_sub(P.x, big_shl(b->corner[j].x, 16));
        w[j].z = big_sub(P.z, big_shl(b->corner[j].z, 16));
    }
    return parting_of_polygon(a, u, w, b->n, F);
}

/* P is 65536 times a's centre less b's, F the vertical gap with its sign, or 0 if neither is round. */
static parting parting_beside(const body *a, const body *b, vec P, big F) {
    int swap = (is_round(b) && !is_round(a)) || (b->kind == FXS_CYLINDER && a->kind == FXS_BOX) || (a->n > 0 && b->n == 0);
    if (swap) {
        parting p = parting_beside(b, a, negated(P), big_neg(F));
        vec3 n = {big_neg(p.normal.x), big_neg(p.normal.y), big_neg(p.normal.z)};
        p.normal = n;
        return p;
    }
    if (b->n > 0) {
        return parting_beside_polygon(a, b, P, F);
    }
    big zero = big_of(0);
    if ((is_round(a) && is_round(b)) || (a->kind == FXS_CYLINDER && b->kind == FXS_CYLINDER)) {
        return without(unit(P.x, F, P.z), big_add(a->radius, b->radius));
    }
    if (b->kind == FXS_CYLINDER) {
        big rho = big_sqrt(dot(P, P)), E = big_max(zero, big_sub(rho, big_shl(b->radius, 16)));
        return without(big_sign(E) == 0 ? unit(zero, F, zero) : unit(quotient(big_mul(P.x, E), rho), F, quotient(big_mul(P.z, E), rho)),
                       a->radius);
    }
    if (a->kind != FXS_BOX) {
        vec l = unturned(P, b->yaw);
        big ex = quotient(beyond(l.x, big_shl(b->half_x, 46)), big_shl(big_of(1), 30));
        big ez = quotient(beyond(l.z, big_shl(b->half_z, 46)), big_shl(big_of(1), 30));
        parting p = without(unit(ex, F, ez), a->radius);
        p.normal = turned_to_world(p.normal, b->yaw);
        return p;
    }
    return parting_of_boxes(a, b, P);
}

static parting vertical(big sign, big gap) {
    parting p = {{big_of(0), with_sign_of(sign, big_of((int64_t)1 << 30)), big_of(0)}, big_shl(gap, 14)};
    return p;
}

/* Writes the normal, and returns the distance. */
static int64_t put_parting(parting p, int32_t *normal) {
    normal[0] = (int32_t)big_int64(p.normal.x);
    normal[1] = (int32_t)big_int64(p.normal.y);
    normal[2] = (int32_t)big_int64(p.normal.z);
    return big_int64(big_max(big_of(0), p.gap));
}

int64_t ref_cast_normal(const fxs_shape *a, const fxs_pose *pose_a, const int32_t *motion_a, const fxs_shape *b, const fxs_pose *pose_b,
                        const int32_t *motion_b, int32_t fraction, int32_t *normal) {
    body body_a = body_of(a, pose_a->yaw, pose_a->x, pose_a->y, pose_a->z), body_b = body_of(b, pose_b->yaw, pose_b->x, pose_b->y, pose_b->z);
    if (contact_of(&body_a, &body_b) == FXS_OVERLAPPING) {
        normal[0] = normal[1] = normal[2] = 0;
        return 0;
    }
    vec P = vec_of(65536 * ((int64_t)pose_a->x - pose_b->x) + fraction * ((int64_t)motion_a[0] - motion_b[0]),
                   65536 * ((int64_t)pose_a->z - pose_b->z) + fraction * ((int64_t)motion_a[2] - motion_b[2]));
    big y = big_of(65536 * ((int64_t)pose_a->y - pose_b->y) + fraction * ((int64_t)motion_a[1] - motion_b[1]));
    big h = big_shl(big_add(body_a.half_height, body_b.half_height), 16), gap = big_sub(big_abs(y), h);
    if (is_round(&body_a) || is_round(&body_b)) {
        return put_parting(parting_beside(&body_a, &body_b, P, beyond(y, h)), normal);
    }
    return put_parting(big_sign(gap) >= 0 ? vertical(y, gap) : parting_beside(&body_a, &body_b, P, big_of(0)), normal);
}

/* ---- of a solid, from the bytes of a level ---- */

static uint64_t get(const uint8_t *p, int size);
static int32_t get_signed(const uint8_t *p);

uint64_t ref_solid_size(const uint8_t *solid) { return 12 + (solid[0] == FXS_CYLINDER ? 12 : 8 * get(solid + 2, 2)); }

/* Of a box: of the edges u and the box's own axes, the first with the greatest gap; w as below. */
static parting parting_of_box_and_prism(const body *a, const vec *u, const vec *w, int n) {
    parting best = {{big_of(0), big_of(0), big_of(0)}, big_neg(big_shl(big_of(1), 200))};
    vec low = negated(unturned(w[0], a->yaw)), high = low;
    for (int j = 0; j < n; j++) {
        vec l = negated(unturned(w[j], a->yaw)), U = unturned(u[j], a->yaw);
        low.x = big_min(low.x, l.x);
        low.z = big_min(low.z, l.z);
        high.x = big_max(high.x, l.x);
        high.z = big_max(high.z, l.z);
        big width = big_add(big_mul(a->half_x, big_abs(U.z)), big_mul(a->half_z, big_abs(U.x)));
        big over = big_sub(big_shl(cross(u[j], negated(w[j])), 30), big_shl(width, 16));
        parting p = unit(big_shl(u[j].z, 16), big_of(0), big_shl(big_neg(u[j].x), 16));
        p.gap = quotient(big_shl(over, 14), p.gap);
        best = big_cmp(p.gap, best.gap) > 0 ? p : best;
    }
    for (int i = 0; i < 4; i++) {
        big half = big_shl(i < 2 ? a->half_x : a->half_z, 46);
        big side = i % 2 ? (i < 2 ? low.x : low.z) : big_neg(i < 2 ? high.x : high.z);
        parting p = {box_axis(i / 2, big_of(i % 2 ? -1 : 1), a->yaw), quotient(big_sub(side, half), big_of(65536))};
        best = big_cmp(p.gap, best.gap) > 0 ? p : best;
    }
    return best;
}

/* Of a polygon: of the edges u and its own, the first with the greatest gap. */
static parting parting_of_polygons(const body *a, const vec *u, const vec *w, int n) {
    parting best = {{big_of(0), big_of(0), big_of(0)}, big_neg(big_shl(big_of(1), 200))};
    for (int i = 0; i < n + a->n; i++) {
        int own = i - n;
        vec edge = own < 0 ? u[i] : edge_of(a, own), n_out = own < 0 ? edge : negated(edge);
        big inside = big_neg(big_shl(big_of(1), 200));
        for (int k = 0; k < (own < 0 ? a->n : n); k++) {
            vec grown = vec_of(0, 0), corner = a->corner[own < 0 ? k : own];
            grown.x = big_shl(corner.x, 16);
            grown.z = big_shl(corner.z, 16);
            /* A point of the other one from the start of the edge. */
            vec from = own < 0 ? w[i] : negated(w[k]);
            from.x = own < 0 ? big_add(from.x, grown.x) : big_sub(from.x, grown.x);
            from.z = own < 0 ? big_add(from.z, grown.z) : big_sub(from.z, grown.z);
            inside = big_max(inside, cross(edge, from));
        }
        parting p = unit(big_shl(n_out.z, 16), big_of(0), big_shl(big_neg(n_out.x), 16));
        p.gap = quotient(big_shl(big_neg(inside), 44), p.gap);
        best = big_cmp(p.gap, best.gap) > 0 ? p : best;
    }
    return best;
}

static parting parting_of_prism(const body *a, const uint8_t *solid, vec D, big F) {
    vec u[FXS_VERTICES_MAX], w[FXS_VERTICES_MAX];
    int n = (int)get(solid + 2, 2);
    for (int j = 0; j < n; j++) {
        const uint8_t *v = solid + 12 + 8 * j, *next = solid + 12 + 8 * ((j + 1) % n);
        u[j] = vec_of((int64_t)get_signed(next) - get_signed(v), (int64_t)get_signed(next + 4) - get_signed(v + 4));
        w[j].x = big_sub(D.x, big_shl(big_of(get_signed(v)), 16));
        w[j].z = big_sub(D.z, big_shl(big_of(get_signed(v + 4)), 16));
    }
    return parting_of_polygon(a, u, w, n, F);
}

/* u: the edges; w: a's centre from the start of each. */
static parting parting_of_polygon(const body *a, const vec *u, const vec *w, int n, big F) {
    int is_outside = 0, nearest = 0;
    if (a->kind == FXS_BOX) {
        return parting_of_box_and_prism(a, u, w, n);
    }
    if (a->n > 0) {
        return parting_of_polygons(a, u, w, n);
    }
    for (int j = 0; j < n; j++) {
        big s = cross(u[j], w[j]), t = dot(u[j], w[j]), uu = dot(u[j], u[j]), away = big_abs(s);
        if (big_sign(s) < 0 && big_sign(t) > 0 && big_cmp(t, big_shl(uu, 16)) < 0) {
            if (big_sign(F) != 0) {
                return without(unit(quotient(big_mul(u[j].z, away), uu), F, quotient(big_mul(big_neg(u[j].x), away), uu)), a->radius);
            }
            parting p = unit(big_shl(u[j].z, 16), F, big_shl(big_neg(u[j].x), 16));
            p.gap = quotient(big_shl(away, 44), big_sqrt(big_shl(uu, 60)));
            return without(p, a->radius);
        }
        is_outside |= big_sign(s) < 0;
        nearest = big_cmp(dot(w[j], w[j]), dot(w[nearest], w[nearest])) < 0 ? j : nearest;
    }
    return without(is_outside ? unit(w[nearest].x, F, w[nearest].z) : unit(big_of(0), F, big_of(0)), a->radius);
}

int64_t ref_solid_cast_normal(const fxs_shape *shape, const fxs_pose *pose, const int32_t *motion, const uint8_t *solid, int32_t fraction,
                              int32_t *normal) {
    body a = body_of(shape, pose->yaw, pose->x, pose->y, pose->z);
    vec D = vec_of(65536 * (int64_t)pose->x + fraction * (int64_t)motion[0], 65536 * (int64_t)pose->z + fraction * (int64_t)motion[2]);
    big y = big_of(65536 * (int64_t)pose->y + fraction * (int64_t)motion[1]), hh = big_shl(a.half_height, 16), zero = big_of(0);
    big over = big_sub(big_sub(y, hh), big_shl(big_of(get_signed(solid + 8)), 16));
    big under = big_sub(big_sub(big_shl(big_of(get_signed(solid + 4)), 16), y), hh);
    big F = big_sub(big_max(zero, over), big_max(zero, under));
    if (!is_round(&a) && big_sign(over) >= 0) {
        return put_parting(vertical(big_of(1), over), normal);
    }
    if (!is_round(&a) && big_sign(under) >= 0) {
        return put_parting(vertical(big_of(-1), under), normal);
    }
    if (solid[0] != FXS_CYLINDER) {
        return put_parting(parting_of_prism(&a, solid, D, F), normal);
    }
    fxs_shape disc = {FXS_CYLINDER, 0, {get_signed(solid + 20), 0, 0}};
    body b = body_of(&disc, 0, get_signed(solid + 12), 0, get_signed(solid + 16));
    vec P = {big_sub(D.x, big_shl(b.x, 16)), big_sub(D.z, big_shl(b.z, 16))};
    return put_parting(parting_beside(&a, &b, P, F), normal);
}

/* ---- worlds: an array of colliders by id, a list of hits, a flag for each changed id ---- */

typedef struct slot {
    fxs_collider c;
    uint32_t present, changed;
    int64_t centre[3];
} slot;

struct ref_world {
    fxs_config config;
    uint32_t frame;
    uint64_t hit_count;
};

/* Behind the struct, one after another: a slot for every id, the hits of the last step, those that a step finds. */
static slot *slots(const ref_world *w) { return (slot *)(uintptr_t)(w + 1); }
static fxs_hit *hits(const ref_world *w) { return (fxs_hit *)(slots(w) + w->config.capacity); }
static fxs_hit *found_hits(const ref_world *w) { return hits(w) + w->config.hit_capacity; }

static int config_good(const fxs_config *c) {
    int good = c->capacity >= 1 && c->capacity <= FXS_CAPACITY_MAX && (c->hit_when == 1 || c->hit_when == 2);
    for (int i = 0; i < 32; i++) {
        for (int j = 0; j < 32; j++) {
            good = good && (c->layers[i] >> j) % 2 == (c->layers[j] >> i) % 2;
        }
    }
    return good;
}

uint64_t ref_world_size(const fxs_config *c) {
    return config_good(c) ? sizeof(ref_world) + c->capacity * (uint64_t)sizeof(slot) + 2 * (uint64_t)c->hit_capacity * sizeof(fxs_hit) : 0;
}

int32_t ref_world_init(ref_world *w, const fxs_config *c) {
    if (!config_good(c) || (uintptr_t)w % 8) {
        return FXS_E_CONFIG;
    }
    memset(w, 0, (size_t)ref_world_size(c));
    w->config = *c;
    return FXS_OK;
}

int32_t ref_world_copy(ref_world *dst, const ref_world *src) {
    if (dst->config.capacity != src->config.capacity) {
        return FXS_E_CONFIG;
    }
    if (dst->config.hit_capacity < src->hit_count) {
        return FXS_E_ROOM;
    }
    uint32_t hit_capacity = dst->config.hit_capacity;
    dst->config = src->config;
    dst->config.hit_capacity = hit_capacity;
    dst->frame = src->frame;
    dst->hit_count = src->hit_count;
    memcpy(slots(dst), slots(src), src->config.capacity * sizeof(slot));
    memcpy(hits(dst), hits(src), (size_t)src->hit_count * sizeof(fxs_hit));
    return FXS_OK;
}

uint32_t ref_world_frame(const ref_world *w) { return w->frame; }
void ref_world_config(const ref_world *w, fxs_config *out) { *out = w->config; }
uint64_t ref_world_hit_count(const ref_world *w) { return w->hit_count; }
void ref_world_hits(const ref_world *w, fxs_hit *out) { memcpy(out, hits(w), (size_t)w->hit_count * sizeof *out); }

void ref_world_colliders(const ref_world *w, fxs_collider *out) {
    for (uint32_t id = 0; id < w->config.capacity; id++) {
        if (slots(w)[id].present) {
            *out++ = slots(w)[id].c;
        }
    }
}

void ref_world_ids(const ref_world *w, uint32_t *ids) {
    for (uint32_t id = 0; id < w->config.capacity; id++) {
        if (slots(w)[id].present) {
            *ids++ = id;
        }
    }
}

uint32_t ref_world_count(const ref_world *w) {
    uint32_t n = 0;
    for (uint32_t id = 0; id < w->config.capacity; id++) {
        n += slots(w)[id].present;
    }
    return n;
}

static int32_t find(const ref_world *w, uint32_t id) {
    return id >= w->config.capacity ? FXS_E_ID : slots(w)[id].present ? FXS_OK : FXS_E_ABSENT;
}

int32_t ref_world_get(const ref_world *w, uint32_t id, fxs_collider *out) {
    int32_t status = find(w, id);
    if (status == FXS_OK) {
        *out = slots(w)[id].c;
    }
    return status;
}

/* v / 2^30 rounded to nearest, halves away from zero. */
static int64_t R(big v) {
    int64_t m = big_int64(big_shr(big_add(big_abs(v), big_of((int64_t)1 << 29)), 30));
    return big_is_negative(v) ? -m : m;
}

int32_t ref_forward(uint32_t yaw, int32_t length, int32_t *x, int32_t *z) {
    if (length == INT32_MIN) {
        return FXS_E_DISTANCE;
    }
    vec e = yaw_vec(yaw);
    *x = (int32_t)R(big_mul(big_of(length), e.x));
    *z = (int32_t)R(big_mul(big_of(length), e.z));
    return FXS_OK;
}

/* The centre of a collider; 0 if it is outside int32. */
static int centre_of(const fxs_collider *c, int64_t at[3]) {
    vec o = vec_of(c->ox, c->oz), e = yaw_vec(c->yaw);
    at[0] = c->x + R(big_sub(big_mul(o.x, e.x), big_mul(o.z, e.z)));
    at[1] = (int64_t)c->y + c->oy;
    at[2] = c->z + R(big_add(big_mul(o.x, e.z), big_mul(o.z, e.x)));
    for (int i = 0; i < 3; i++) {
        if (at[i] < INT32_MIN || at[i] > INT32_MAX) {
            return 0;
        }
    }
    return 1;
}

static fxs_shape shape_of(const fxs_collider *c) {
    fxs_shape s = {c->kind, c->half_angle, {c->size[0], c->size[1], c->size[2]}};
    return s;
}

static body body_of_slot(const slot *s) {
    fxs_shape shape = shape_of(&s->c);
    return body_of(&shape, s->c.yaw, s->centre[0], s->centre[1], s->centre[2]);
}

static int32_t collider_check(const fxs_collider *c) {
    int64_t at[3];
    fxs_shape shape = shape_of(c);
    int32_t status = c->zero ? FXS_E_KIND : ref_shape_check(&shape);
    return status         ? status
           : c->layer > 31 ? FXS_E_LAYER
           : c->active > 1 ? FXS_E_ACTIVE
                           : centre_of(c, at) ? FXS_OK : FXS_E_CENTRE;
}

static slot slot_of(const fxs_collider *c) {
    slot s = {*c, 1, 0, {0, 0, 0}};
    centre_of(c, s.centre);
    return s;
}

int32_t ref_world_add(ref_world *w, const fxs_collider *c) {
    int32_t status = c->id >= w->config.capacity ? FXS_E_ID : slots(w)[c->id].present ? FXS_E_TAKEN : collider_check(c);
    if (status == FXS_OK) {
        slots(w)[c->id] = slot_of(c);
        slots(w)[c->id].changed = 1;
    }
    return status;
}

int32_t ref_world_remove(ref_world *w, uint32_t id) {
    int32_t status = find(w, id);
    if (status == FXS_OK) {
        slots(w)[id].present = 0;
        slots(w)[id].changed = 1;
    }
    return status;
}

/* Stores a changed copy of a collider unless something about it is refused. */
static int32_t store(ref_world *w, const fxs_collider *c) {
    int32_t status = collider_check(c);
    if (status == FXS_OK) {
        uint32_t changed = slots(w)[c->id].changed;
        slots(w)[c->id] = slot_of(c);
        slots(w)[c->id].changed = changed;
    }
    return status;
}

int32_t ref_world_set_pose(ref_world *w, uint32_t id, const fxs_pose *pose) {
    int32_t status = find(w, id);
    if (status != FXS_OK || pose->yaw > 65535) {
        return status != FXS_OK ? status : FXS_E_YAW;
    }
    fxs_collider c = slots(w)[id].c;
    c.x = pose->x;
    c.y = pose->y;
    c.z = pose->z;
    c.yaw = (uint16_t)pose->yaw;
    return store(w, &c);
}

int32_t ref_world_move(ref_world *w, uint32_t id, int32_t x, int32_t y, int32_t z) {
    int32_t status = find(w, id);
    fxs_pose pose = {x, y, z, status == FXS_OK ? slots(w)[id].c.yaw : 0};
    return status == FXS_OK ? ref_world_set_pose(w, id, &pose) : status;
}

int32_t ref_world_turn(ref_world *w, uint32_t id, uint32_t yaw) {
    int32_t status = find(w, id);
    if (status != FXS_OK) {
        return status;
    }
    fxs_pose pose = {slots(w)[id].c.x, slots(w)[id].c.y, slots(w)[id].c.z, yaw};
    return ref_world_set_pose(w, id, &pose);
}

int32_t ref_world_set_shape(ref_world *w, uint32_t id, const fxs_shape *shape) {
    int32_t status = find(w, id);
    status = status == FXS_OK ? ref_shape_check(shape) : status;
    if (status != FXS_OK) {
        return status;
    }
    fxs_collider c = slots(w)[id].c;
    c.kind = (uint8_t)shape->kind;
    c.half_angle = (uint16_t)shape->half_angle;
    memcpy(c.size, shape->size, sizeof c.size);
    return store(w, &c);
}

int32_t ref_world_set_offset(ref_world *w, uint32_t id, int32_t ox, int32_t oy, int32_t oz) {
    int32_t status = find(w, id);
    if (status != FXS_OK) {
        return status;
    }
    fxs_collider c = slots(w)[id].c;
    c.ox = ox;
    c.oy = oy;
    c.oz = oz;
    return store(w, &c);
}

int32_t ref_world_set_owner(ref_world *w, uint32_t id, uint32_t owner) {
    int32_t status = find(w, id);
    if (status == FXS_OK) {
        slots(w)[id].c.owner = owner;
    }
    return status;
}

int32_t ref_world_set_layer(ref_world *w, uint32_t id, uint32_t layer) {
    int32_t status = find(w, id);
    if (status != FXS_OK || layer > 31) {
        return status != FXS_OK ? status : FXS_E_LAYER;
    }
    slots(w)[id].c.layer = (uint8_t)layer;
    return FXS_OK;
}

int32_t ref_world_set_active(ref_world *w, uint32_t id, uint32_t active) {
    int32_t status = find(w, id);
    if (status != FXS_OK || active > 1) {
        return status != FXS_OK ? status : FXS_E_ACTIVE;
    }
    slots(w)[id].c.active = (uint8_t)active;
    return FXS_OK;
}

int32_t ref_world_add_many(ref_world *w, const fxs_collider *colliders, uint64_t n, uint64_t *bad) {
    for (uint64_t i = 0; i < n; i++) {
        uint32_t was_changed = colliders[i].id < w->config.capacity ? slots(w)[colliders[i].id].changed : 0;
        int32_t status = ref_world_add(w, &colliders[i]);
        if (status != FXS_OK) {
            *bad = i;
            while (i-- > 0) {
                slot *s = &slots(w)[colliders[i].id];
                s->present = 0;
                s->changed = s->changed == 2;
            }
            return status;
        }
        slots(w)[colliders[i].id].changed = was_changed ? 2 : 1; /* 2: to be kept if a later one is refused */
    }
    for (uint64_t i = 0; i < n; i++) {
        slots(w)[colliders[i].id].changed = 1;
    }
    return FXS_OK;
}

int32_t ref_world_set_pose_many(ref_world *w, const uint32_t *ids, const fxs_pose *poses, uint64_t n, uint64_t *bad) {
    for (int dry = 1; dry >= 0; dry--) {
        for (uint64_t i = 0; i < n; i++) {
            int32_t status = find(w, ids[i]);
            slot before = slots(w)[status == FXS_OK ? ids[i] : 0];
            status = ref_world_set_pose(w, ids[i], &poses[i]);
            if (status != FXS_OK) {
                *bad = i;
                return status;
            }
            if (dry) {
                slots(w)[ids[i]] = before;
            }
        }
    }
    return FXS_OK;
}

int32_t ref_world_move_many(ref_world *w, const uint32_t *ids, const int32_t *positions, uint64_t n, uint64_t *bad) {
    for (int dry = 1; dry >= 0; dry--) {
        for (uint64_t i = 0; i < n; i++) {
            const int32_t *p = positions + 3 * i;
            int32_t status = find(w, ids[i]);
            slot before = slots(w)[status == FXS_OK ? ids[i] : 0];
            status = ref_world_move(w, ids[i], p[0], p[1], p[2]);
            if (status != FXS_OK) {
                *bad = i;
                return status;
            }
            if (dry) {
                slots(w)[ids[i]] = before;
            }
        }
    }
    return FXS_OK;
}

static uint32_t contact_of_slots(const slot *a, const slot *b) {
    body body_a = body_of_slot(a), body_b = body_of_slot(b);
    return (uint32_t)contact_of(&body_a, &body_b);
}

/* Sizes and centres that leave a gap whatever the shapes are: saves time on large worlds, and nothing else. */
static int far(const slot *a, const slot *b) {
    int64_t reach = 8;
    for (int i = 0; i < 3; i++) {
        reach += (int64_t)a->c.size[i] + b->c.size[i];
    }
    for (int i = 0; i < 3; i++) {
        int64_t d = a->centre[i] - b->centre[i];
        if (d > reach || -d > reach) {
            return 1;
        }
    }
    return 0;
}

static int tested(const ref_world *w, const slot *a, const slot *b) {
    return a->present && b->present && a->c.active && b->c.active && (a->c.owner != b->c.owner || a->c.owner == 0) &&
           w->config.layers[a->c.layer] >> b->c.layer & 1;
}

static int same_pair(const fxs_hit *a, const fxs_hit *b) { return a->a == b->a && a->b == b->b; }
static int before(const fxs_hit *a, const fxs_hit *b) { return a->a < b->a || (a->a == b->a && a->b < b->b); }

int32_t ref_world_step(ref_world *w, fxs_event *events, uint64_t event_capacity, fxs_counts *counts) {
    uint64_t found = 0, reported = 0, i = 0, j = 0;
    for (uint32_t a = 0; a < w->config.capacity; a++) {
        for (uint32_t b = a + 1; b < w->config.capacity; b++) {
            const slot *one = &slots(w)[a], *other = &slots(w)[b];
            if (!tested(w, one, other) || far(one, other)) {
                continue;
            }
            uint32_t contact = contact_of_slots(one, other);
            if (contact >= w->config.hit_when) {
                if (found < w->config.hit_capacity) {
                    fxs_hit hit = {a, b, contact};
                    found_hits(w)[found] = hit;
                }
                found++;
            }
        }
    }
    counts->hits = found;
    counts->events = w->hit_count + found;
    if (found > w->config.hit_capacity) {
        return FXS_E_ROOM;
    }
    while (i < w->hit_count || j < found) {
        const fxs_hit *old = i < w->hit_count ? &hits(w)[i] : NULL, *now = j < found ? &found_hits(w)[j] : NULL;
        fxs_event out[2];
        uint32_t n = 0;
        if (old && now && same_pair(old, now)) {
            if (slots(w)[old->a].changed || slots(w)[old->b].changed) {
                fxs_event end = {old->a, old->b, FXS_EXIT, FXS_APART}, start = {now->a, now->b, FXS_ENTER, now->contact};
                out[n++] = end;
                out[n++] = start;
            } else {
                fxs_event stay = {now->a, now->b, FXS_STAY, now->contact};
                out[n++] = stay;
            }
            i++;
            j++;
        } else if (!now || (old && before(old, now))) {
            fxs_event end = {old->a, old->b, FXS_EXIT, FXS_APART};
            out[n++] = end;
            i++;
        } else {
            fxs_event start = {now->a, now->b, FXS_ENTER, now->contact};
            out[n++] = start;
            j++;
        }
        for (uint32_t k = 0; k < n; k++, reported++) {
            if (reported < event_capacity) {
                events[reported] = out[k];
            }
        }
    }
    counts->events = reported;
    if (reported > event_capacity) {
        return FXS_E_ROOM;
    }
    memcpy(hits(w), found_hits(w), (size_t)found * sizeof(fxs_hit));
    w->hit_count = found;
    for (uint32_t id = 0; id < w->config.capacity; id++) {
        slots(w)[id].changed = 0;
    }
    w->frame++;
    return FXS_OK;
}

int32_t ref_world_contact(const ref_world *w, uint32_t a, uint32_t b) {
    int32_t status = find(w, a);
    status = status == FXS_OK ? find(w, b) : status;
    return status == FXS_OK ? (int32_t)contact_of_slots(&slots(w)[a], &slots(w)[b]) : status;
}

int32_t ref_world_query_many(ref_world *w, const fxs_query *queries, uint64_t n, uint64_t *ends, uint32_t *ids, uint64_t id_capacity,
                             uint64_t *count) {
    for (uint64_t i = 0; i < n; i++) {
        int32_t status = ref_shape_check(&queries[i].shape);
        status = status == FXS_OK && queries[i].pose.yaw > 65535 ? FXS_E_YAW : status;
        status = status == FXS_OK && queries[i].hit_when > FXS_OVERLAPPING ? FXS_E_HIT_WHEN : status;
        if (status != FXS_OK) {
            *count = i;
            return status;
        }
    }
    *count = 0;
    for (uint64_t i = 0; i < n; i++) {
        const fxs_query *q = &queries[i];
        const uint32_t when = q->hit_when ? q->hit_when : w->config.hit_when;
        fxs_collider seen = {0, (uint8_t)q->shape.kind, 0, 1, 0, (uint16_t)q->pose.yaw, (uint16_t)q->shape.half_angle, 0,
                             q->pose.x, q->pose.y, q->pose.z, 0, 0, 0, {q->shape.size[0], q->shape.size[1], q->shape.size[2]}};
        slot area = slot_of(&seen);
        for (uint32_t id = 0; id < w->config.capacity; id++) {
            const slot *s = &slots(w)[id];
            const fxs_collider *c = &s->c;
            if (s->present && c->active && q->mask >> c->layer & 1 &&
                !(q->exclude_owner != 0 && c->owner == q->exclude_owner) && !far(&area, s) &&
                contact_of_slots(&area, s) >= when) {
                if (*count < id_capacity) {
                    ids[*count] = id;
                }
                ++*count;
            }
        }
        ends[i] = *count;
    }
    return *count > id_capacity ? FXS_E_ROOM : FXS_OK;
}

int32_t ref_world_query(ref_world *w, const fxs_query *query, uint32_t *ids, uint64_t id_capacity, uint64_t *count) {
    uint64_t end;
    return ref_world_query_many(w, query, 1, &end, ids, id_capacity, count);
}

static big squared_distance(const fxs_pose *from, const slot *to) {
    big x = big_of(to->centre[0] - from->x), y = big_of(to->centre[1] - from->y), z = big_of(to->centre[2] - from->z);
    return big_add(big_add(square(x), square(y)), square(z));
}

/* Each query's answer, ascending by id, is sorted by insertion: what is equally far stays in that order. */
int32_t ref_world_nearest_many(ref_world *w, const fxs_query *queries, uint64_t n, uint64_t limit, uint64_t *ends, uint32_t *ids,
                               uint64_t id_capacity, uint64_t *count) {
    static uint32_t met[4096];
    uint64_t total = 0, found, end;
    for (uint64_t i = 0; i < n; i++) {
        int32_t status = ref_world_query_many(w, &queries[i], 1, &end, met, sizeof met / sizeof *met, &found);
        if (status != FXS_OK) {
            *count = i;
            return status;
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        ref_world_query_many(w, &queries[i], 1, &end, met, sizeof met / sizeof *met, &found);
        for (uint64_t j = 1; j < found; j++) {
            uint32_t id = met[j];
            big distance = squared_distance(&queries[i].pose, &slots(w)[id]);
            uint64_t at = j;
            for (; at > 0 && big_cmp(squared_distance(&queries[i].pose, &slots(w)[met[at - 1]]), distance) > 0; at--) {
                met[at] = met[at - 1];
            }
            met[at] = id;
        }
        for (uint64_t j = 0; j < found && (limit == 0 || j < limit); j++, total++) {
            if (total < id_capacity) {
                ids[total] = met[j];
            }
        }
        ends[i] = total;
    }
    *count = total;
    return total > id_capacity ? FXS_E_ROOM : FXS_OK;
}

/* ---- saved state: every field written and read byte by byte ---- */

typedef struct cursor {
    uint8_t *bytes;
    uint64_t at;
} cursor;

static void put(cursor *c, uint64_t v, int size) {
    for (int i = 0; i < size; i++) {
        if (c->bytes) {
            c->bytes[c->at] = (uint8_t)(v >> 8 * i);
        }
        c->at++;
    }
}

static uint64_t write_state(const ref_world *w, uint8_t *out) {
    cursor c = {out, 0};
    uint32_t changed = 0;
    put(&c, 'F', 1);
    put(&c, 'X', 1);
    put(&c, 'S', 1);
    put(&c, '1', 1);
    put(&c, w->frame, 4);
    put(&c, w->config.hit_when, 4);
    for (int i = 0; i < 32; i++) {
        put(&c, w->config.layers[i], 4);
    }
    put(&c, ref_world_count(w), 4);
    for (uint32_t id = 0; id < w->config.capacity; id++) {
        const fxs_collider *s = &slots(w)[id].c;
        changed += slots(w)[id].changed != 0;
        if (!slots(w)[id].present) {
            continue;
        }
        const int32_t words[9] = {s->x, s->y, s->z, s->ox, s->oy, s->oz, s->size[0], s->size[1], s->size[2]};
        put(&c, id, 4);
        put(&c, s->kind, 1);
        put(&c, s->layer, 1);
        put(&c, s->active, 1);
        put(&c, 0, 1);
        put(&c, s->yaw, 2);
        put(&c, s->half_angle, 2);
        put(&c, s->owner, 4);
        for (int i = 0; i < 9; i++) {
            put(&c, (uint32_t)words[i], 4);
        }
    }
    put(&c, w->hit_count, 4);
    for (uint64_t i = 0; i < w->hit_count; i++) {
        put(&c, hits(w)[i].a, 4);
        put(&c, hits(w)[i].b, 4);
        put(&c, hits(w)[i].contact, 4);
    }
    put(&c, changed, 4);
    for (uint32_t id = 0; id < w->config.capacity; id++) {
        if (slots(w)[id].changed) {
            put(&c, id, 4);
        }
    }
    return c.at;
}

uint64_t ref_world_save_size(const ref_world *w) { return write_state(w, NULL); }
void ref_world_save(const ref_world *w, uint8_t *out) { write_state(w, out); }

static uint64_t get(const uint8_t *p, int size) {
    uint64_t v = 0;
    for (int i = size - 1; i >= 0; i--) {
        v = v << 8 | p[i];
    }
    return v;
}

static uint32_t get32(const uint8_t *p) { return (uint32_t)get(p, 4); }
static int32_t get_signed(const uint8_t *p) {
    int64_t v = (int64_t)get(p, 4);
    return (int32_t)(v > INT32_MAX ? v - ((int64_t)1 << 32) : v);
}

static fxs_collider get_collider(const uint8_t *p) {
    fxs_collider c = {get32(p), p[4], p[5], p[6], p[7], (uint16_t)get(p + 8, 2), (uint16_t)get(p + 10, 2), get32(p + 12),
                      0, 0, 0, 0, 0, 0, {0, 0, 0}};
    int32_t *fields[9] = {&c.x, &c.y, &c.z, &c.ox, &c.oy, &c.oz, &c.size[0], &c.size[1], &c.size[2]};
    for (int i = 0; i < 9; i++) {
        *fields[i] = get_signed(p + 16 + 4 * i);
    }
    return c;
}

static int has_id(const uint8_t *list, uint32_t n, uint32_t stride, uint32_t id) {
    for (uint32_t i = 0; i < n; i++) {
        if (get32(list + (uint64_t)stride * i) == id) {
            return 1;
        }
    }
    return 0;
}

int32_t ref_world_load(ref_world *w, const uint8_t *bytes, uint64_t size, uint64_t *at) {
    static const uint32_t STRIDE[3] = {52, 12, 4};
    const uint8_t *list[3];
    uint32_t n[3];
    *at = 0;
    if (size < 140 || memcmp(bytes, "FXS1", 4) != 0) {
        return FXS_E_STATE;
    }
    *at = 8;
    uint32_t hit_when = get32(bytes + 8), layers[32];
    if (hit_when < 1 || hit_when > 2) {
        return FXS_E_STATE;
    }
    for (uint32_t i = 0; i < 32; i++) {
        layers[i] = get32(bytes + 12 + 4 * i);
        *at = 12 + 4 * i;
        for (uint32_t j = 0; j < i; j++) {
            if ((layers[i] >> j) % 2 != (layers[j] >> i) % 2) {
                return FXS_E_STATE;
            }
        }
    }
    *at = 140;
    for (int i = 0; i < 3; i++) {
        if (*at + 4 > size) {
            return FXS_E_STATE;
        }
        n[i] = get32(bytes + *at);
        list[i] = bytes + *at + 4;
        if (*at + 4 + (uint64_t)n[i] * STRIDE[i] > size) {
            return FXS_E_STATE;
        }
        *at += 4 + (uint64_t)n[i] * STRIDE[i];
    }
    if (*at != size) {
        return FXS_E_STATE;
    }
    uint32_t capacity = w->config.capacity;
    for (uint32_t i = 0; i < n[0]; i++) {
        const uint8_t *p = list[0] + (uint64_t)52 * i;
        fxs_collider c = get_collider(p);
        *at = (uint64_t)(p - bytes);
        if (c.id >= capacity || collider_check(&c) != FXS_OK || (i > 0 && get32(p - 52) >= c.id)) {
            return FXS_E_STATE;
        }
    }
    for (uint32_t i = 0; i < n[2]; i++) {
        const uint8_t *p = list[2] + (uint64_t)4 * i;
        *at = (uint64_t)(p - bytes);
        if (get32(p) >= capacity || (i > 0 && get32(p - 4) >= get32(p))) {
            return FXS_E_STATE;
        }
    }
    for (uint32_t i = 0; i < n[1]; i++) {
        const uint8_t *p = list[1] + (uint64_t)12 * i;
        fxs_hit hit = {get32(p), get32(p + 4), get32(p + 8)}, last = {0, 0, 0};
        if (i > 0) {
            last.a = get32(p - 12);
            last.b = get32(p - 8);
        }
        *at = (uint64_t)(p - bytes);
        if (hit.a >= hit.b || hit.b >= capacity || hit.contact < hit_when || hit.contact > 2 || (i > 0 && !before(&last, &hit)) ||
            !(has_id(list[0], n[0], 52, hit.a) || has_id(list[2], n[2], 4, hit.a)) ||
            !(has_id(list[0], n[0], 52, hit.b) || has_id(list[2], n[2], 4, hit.b))) {
            return FXS_E_STATE;
        }
    }
    if (n[1] > w->config.hit_capacity) {
        *at = n[1];
        return FXS_E_ROOM;
    }
    w->config.hit_when = hit_when;
    memcpy(w->config.layers, layers, sizeof layers);
    w->frame = get32(bytes + 4);
    memset(slots(w), 0, capacity * sizeof(slot));
    for (uint32_t i = 0; i < n[0]; i++) {
        fxs_collider c = get_collider(list[0] + (uint64_t)52 * i);
        slots(w)[c.id] = slot_of(&c);
    }
    w->hit_count = n[1];
    for (uint32_t i = 0; i < n[1]; i++) {
        const uint8_t *p = list[1] + (uint64_t)12 * i;
        fxs_hit hit = {get32(p), get32(p + 4), get32(p + 8)};
        hits(w)[i] = hit;
    }
    for (uint32_t i = 0; i < n[2]; i++) {
        slots(w)[get32(list[2] + (uint64_t)4 * i)].changed = 1;
    }
    return FXS_OK;
}

/* ---- XXH64, from its specification ---- */

static const uint64_t PRIME[6] = {0, 11400714785074694791u, 14029467366897019727u, 1609587929392839161u, 9650029242287828579u, 2870177450012600261u};

static uint64_t rotated(uint64_t v, int by) { return (v << by) | (v >> (64 - by)); }
static uint64_t lane_round(uint64_t lane, uint64_t input) { return rotated(lane + input * PRIME[2], 31) * PRIME[1]; }

uint64_t ref_hash64(const uint8_t *bytes, uint64_t size, uint64_t seed) {
    const uint8_t *p = bytes;
    uint64_t left = size, hash = seed + PRIME[5];
    if (size >= 32) {
        uint64_t lane[4] = {seed + PRIME[1] + PRIME[2], seed + PRIME[2], seed, seed - PRIME[1]};
        static const int TURN[4] = {1, 7, 12, 18};
        hash = 0;
        for (; left >= 32; left -= 32) {
            for (int i = 0; i < 4; i++, p += 8) {
                lane[i] = lane_round(lane[i], get(p, 8));
            }
        }
        for (int i = 0; i < 4; i++) {
            hash += rotated(lane[i], TURN[i]);
        }
        for (int i = 0; i < 4; i++) {
            hash = (hash ^ lane_round(0, lane[i])) * PRIME[1] + PRIME[4];
        }
    }
    hash += size;
    for (; left >= 8; left -= 8, p += 8) {
        hash = rotated(hash ^ lane_round(0, get(p, 8)), 27) * PRIME[1] + PRIME[4];
    }
    for (; left >= 4; left -= 4, p += 4) {
        hash = rotated(hash ^ get(p, 4) * PRIME[1], 23) * PRIME[2] + PRIME[3];
    }
    for (; left > 0; left--, p++) {
        hash = rotated(hash ^ *p * PRIME[5], 11) * PRIME[1];
    }
    hash = (hash ^ hash >> 33) * PRIME[2];
    hash = (hash ^ hash >> 29) * PRIME[3];
    return hash ^ hash >> 32;
}

static uint8_t save_room[1 << 20];

uint64_t ref_world_hash(const ref_world *w) {
    uint64_t size = ref_world_save_size(w);
    if (size > sizeof save_room) {
        return 0;
    }
    ref_world_save(w, save_room);
    return ref_hash64(save_room, size, 0);
}
