/* Push-out (docs/contract.md): the planar or vertical translation that ends an OVERLAPPING contact.
 *
 * Both searches end in fxs_placed_contact, so their results end the contact by the very test of
 * contact; only how short it is needs an argument. push_out first estimates the shortest real
 * translation, a length L along a unit vector u: - discs (a sphere or capsule at its height, a
 * cylinder): along the line of centres, L = reach - distance; - box and disc: through the face that
 * is nearest if the disc's centre is over the box or beside one face, else from the corner; -
 * boxes: along the separating axis of least depth. A translation gets two convex shapes apart by
 * crossing one edge of their Minkowski sum, and the edges of that sum have those axes for normals.
 * Then it looks at the integer translations near u * L, in rows of one minor component, for the
 * shortest that ends the contact.
 *
 * Length. Say ux >= uz >= 0. The half plane {t : t.u >= L} is outside the contact: the shapes are
 * convex, and u is the normal where u * L leaves them. It holds (ceil(L ux), ceil(L uz)), shorter
 * than L + sqrt(2). Each row is searched for its least x, so a row gives a t at least as short as
 * any point of it in the half plane; and that t.u < L + ux, since x - 1 is not in it. The estimates
 * of L err by at most 0.61 raw units and 2^-29 L (see root_q30 and way_along), so for L < 2^20 the
 * rows, from floor(L uz) - 1 to floor(L uz) + 2 of the estimate, are sure to hold the true floor(L
 * uz) and ceil(L uz). For a longer L they may be a row or two off, but a distance of w < 5 from the
 * line along u only adds w^2 / (2L): |t| < L + 1.01. So |t| < L + sqrt(2) always; over all u and L
 * the most ever seen is L + 1, but for an L < sqrt(1/2) along a diagonal, where t is (1, 1).
 * Quantised directions move the sides of turned boxes, and so L. Next to a disc: by |e - e'| * |p|
 * < 2^-30.5 * 2^30.3 < 0.86. Of two boxes with half sizes up to h: a limit by 2h * 2^-31 and |pa.x|
 * by 4h * 2^-31, together below 1.5, and below 1 for h < 5461 units. Where it is above 1, at the
 * corners of huge boxes, there are pairs without any integer translation that ends the contact and
 * is less than 2 longer than the ideal boxes ask.
 *
 * Signs. Every estimate is odd in p, the vector from b's centre to a's, and sees a and b alike; the
 * rows are searched on magnitudes. So push_out(b, a) = -push_out(a, b) whenever p != 0: ties of
 * length are decided by the direction alone, and the side of a p that is square to it by p's larger
 * component.
 *
 * Widths. Of an OVERLAPPING pair |p.x|, |p.z| <= 2^30.6, L < 2^29 (1 + sqrt(2)) + 2, and |p + t| <
 * 2^31 - 2^28: with b put at the origin, a stays in int32. |dy| is below two radii and two half
 * heights, at most 2^31 - 4. */
#include "wide256.h"
#include "world.h"

static int is_round(const placed *s) { return s->kind <= FXS_CAPSULE; }

/* A unit vector (Q2.30) and how far to go along it, in raw units * 2^30. */
typedef struct way {
    planar out;
    int64_t length;
} way;

/* sqrt(n) * 2^30, at most 2^-31 of itself too small; 1 <= n <= 2^60. */
static int64_t root_q30(int64_t n) {
    uint64_t m = (uint64_t)n;
    uint32_t doublings = 0;
    for (; m >> 62 == 0; m <<= 2) {
        doublings++;
    }
    return (int64_t)(((uint64_t)fxs_isqrt64(m) << 30) >> doublings);
}

/* The length of v != 0 in its own unit, and its direction; both within 2^-29 of themselves. |v.x|,
 * |v.z| < 2^62. */
static way way_along(planar v) {
    uint64_t x = magnitude(v.x), z = magnitude(v.z);
    uint32_t right = 0, left = 0;
    for (; (x | z) >> 31; x >>= 1, z >>= 1) {
        right++;
    }
    for (; (x | z) >> 30 == 0; x <<= 1, z <<= 1) {
        left++;
    }
    uint64_t m = fxs_isqrt64(x * x + z * z); /* 2^30 <= m < 2^31.5 */
    way w = {{(int64_t)((x << 30) / m), (int64_t)((z << 30) / m)}, (int64_t)((m << right) >> left)};
    w.out.x = v.x < 0 ? -w.out.x : w.out.x;
    w.out.z = v.z < 0 ? -w.out.z : w.out.z;
    return w;
}

/* The radius that s, a sphere, capsule or cylinder, shows a prism at a vertical gap of f <
 * radius. */
static int64_t disc_radius_q30(const placed *s, int64_t f) {
    int64_t r = s->size[0];
    return is_round(s) ? root_q30(r * r - f * f) : r * Q30_ONE;
}

static way way_of_discs(const placed *a, const placed *b, planar p, int64_t f) {
    int64_t sum = (int64_t)a->size[0] + b->size[0];
    int64_t reach = is_round(a) && is_round(b) ? root_q30(sum * sum - f * f)
                                               : disc_radius_q30(a, f) + disc_radius_q30(b, f);
    planar p_q30 = {p.x * Q30_ONE, p.z * Q30_ONE};
    way w = {{Q30_ONE, 0}, 0};
    if (p.x != 0 || p.z != 0) {
        w = way_along(p_q30);
    }
    w.length = reach - w.length;
    return w;
}

/* The sign of the larger component of v, of x if they are equal; 0 for (0, 0). */
static int heading(planar v) { return abs64(v.x) >= abs64(v.z) ? sign64(v.x) : sign64(v.z); }

/* The way to one of the two faces with normal +-n: out on p's side, which is the sign of `along`,
 * p's component along n. Square to n, the side is one that turns over with p; for p = (0, 0) the
 * one towards +X or +Z, whichever is nearer. */
static way way_through(planar n, int64_t along, int64_t limit, planar p) {
    int side = sign64(along);
    if (side == 0) {
        side = heading(n) * (heading(p) ? heading(p) : 1);
    }
    way w = {{side * n.x, side * n.z}, limit - abs64(along)};
    return w;
}

/* The shorter way, of equal ones the one nearer to the X axis, of those the one in the quadrants
 * where x and z have one sign. */
static way better(way a, way b) {
    int64_t ax = abs64(a.out.x), bx = abs64(b.out.x);
    if (a.length != b.length) {
        return a.length < b.length ? a : b;
    }
    if (ax != bx) {
        return ax > bx ? a : b;
    }
    return sign64(a.out.x) * sign64(a.out.z) >= sign64(b.out.x) * sign64(b.out.z) ? a : b;
}

/* Axes of a box: the directions of its local +X and +Z. */
static planar axis_x(const placed *box) {
    planar n = {box->cos_q30, box->sin_q30};
    return n;
}
static planar axis_z(const placed *box) {
    planar n = {-box->sin_q30, box->cos_q30};
    return n;
}

/* A box is symmetric about its centre, so p serves as the disc's place from the box whichever of
 * them is a. */
static way way_of_box_and_disc(const placed *box, const placed *disc, planar p, int64_t f) {
    int64_t radius = disc_radius_q30(disc, f), half_x = box->size[0] * Q30_ONE,
            half_z = box->size[2] * Q30_ONE;
    planar at = turned_back(p, axis_x(box));
    planar beyond = {abs64(at.x) - half_x, abs64(at.z) - half_z};
    if (beyond.x > 0 && beyond.z > 0) {
        way local = way_along(beyond);
        planar u = {sign64(at.x) * local.out.x, sign64(at.z) * local.out.z},
               world = turned(u, axis_x(box)); /* |world| < 2^61 */
        way w = {{world.x / Q30_ONE, world.z / Q30_ONE}, radius - local.length};
        return w;
    }
    way by_x = way_through(axis_x(box), at.x, half_x + radius, p),
        by_z = way_through(axis_z(box), at.z, half_z + radius, p);
    return beyond.x > 0 ? by_x : beyond.z > 0 ? by_z : better(by_x, by_z);
}

/* The limits are those of contact, below 2^61. */
static way way_of_boxes(const placed *a, const placed *b, planar p) {
    planar rel = fxs_direction_of((uint32_t)b->yaw - a->yaw);
    int64_t c = abs64(rel.x), s = abs64(rel.z), ax = a->size[0], az = a->size[2], bx = b->size[0],
            bz = b->size[2];
    planar pa = turned_back(p, axis_x(a)), pb = turned_back(p, axis_x(b));
    way on_a = better(way_through(axis_x(a), pa.x, ax * Q30_ONE + bx * c + bz * s, p),
                      way_through(axis_z(a), pa.z, az * Q30_ONE + bx * s + bz * c, p));
    way on_b = better(way_through(axis_x(b), pb.x, bx * Q30_ONE + ax * c + az * s, p),
                      way_through(axis_z(b), pb.z, bz * Q30_ONE + ax * s + az * c, p));
    return better(on_a, on_b);
}

/* What one direction needs to be searched: the pair with b at the origin, and the direction's
 * axes. b is a shape, or a solid of a level with its first vertex or its centre at the origin. */
typedef struct trial {
    placed a, b;
    const solid *against; /* NULL: b */
    vertex vertices[FXS_VERTICES_MAX];
    int64_t gap;  /* to the solid */
    int64_t x, z; /* a's centre */
    int x_is_major;
    int64_t sign_x, sign_z;
} trial;

static planar translation(const trial *s, int64_t major, int64_t minor) {
    planar t = {s->sign_x * (s->x_is_major ? major : minor),
                s->sign_z * (s->x_is_major ? minor : major)};
    return t;
}

static int ends_contact(trial *s, int64_t major, int64_t minor) {
    planar t = translation(s, major, minor);
    s->a.x = (int32_t)(s->x + t.x);
    s->a.z = (int32_t)(s->z + t.z);
    const solid *b = s->against;
    return (b == NULL ? fxs_placed_contact(&s->a, &s->b)
            : b->code == FXS_PRISM
                ? fxs_prism_contact(&s->a, b, s->vertices, s->gap)
                : fxs_pillar_contact(&s->a, 0, 0, b->radius, s->gap)) != FXS_OVERLAPPING;
}

/* floor of length (raw * 2^30) times u (Q2.30) in whole raw units, or 1 less; 0 <= length <
 * 2^61. */
static int64_t whole_part(int64_t length, int64_t u) {
    return ((length / Q30_ONE) * u + (length % Q30_ONE) * u / Q30_ONE) / Q30_ONE;
}

/* The shortest integer translation near w that ends the contact of the pair in s; of equal ones
 * that with the larger major component. Along a diagonal both components move: each t is then less
 * than half a right angle off its direction, so that a face is always left through itself. */
static planar settle(trial *s, way w) {
    int64_t ux = abs64(w.out.x), uz = abs64(w.out.z), major_u = max64(ux, uz),
            minor_u = min64(ux, uz);
    int64_t length = max64(0, w.length), middle = whole_part(length, minor_u),
            least = major_u == minor_u;
    int64_t last = minor_u ? middle + 2 : 0, best_sq = INT64_MAX;
    s->x_is_major = ux >= uz;
    s->sign_x = w.out.x < 0 ? -1 : 1;
    s->sign_z = w.out.z < 0 ? -1 : 1;
    planar best = {0, 0};
    int64_t major = max64(least, whole_part(length, major_u));
    for (int64_t minor = max64(least, middle - 1); minor <= last; minor++) {
        if (ends_contact(s, major, minor)) {
            while (major > least && ends_contact(s, major - 1, minor)) {
                major--;
            }
        } else {
            do {
                major++;
            } while (!ends_contact(s, major, minor));
        }
        int64_t length_sq = major * major + minor * minor;
        if (length_sq < best_sq) {
            best_sq = length_sq;
            best = translation(s, major, minor);
        }
    }
    return best;
}

/* push_out of two placed shapes that are no sectors. */
static planar push_of(const placed *a, const placed *b) {
    planar none = {0, 0};
    if (fxs_placed_contact(a, b) != FXS_OVERLAPPING) {
        return none;
    }
    trial s = {.a = *a, .b = *b, .x = (int64_t)a->x - b->x, .z = (int64_t)a->z - b->z};
    s.a.y = (int32_t)((int64_t)a->y - b->y);
    s.b.x = s.b.y = s.b.z = 0;
    planar p = {s.x, s.z};
    int64_t f = max64(0, abs64(s.a.y) - ((int64_t)a->size[1] + b->size[1]));
    if (a->kind == FXS_BOX && b->kind == FXS_BOX) {
        return settle(&s, way_of_boxes(a, b, p));
    }
    return settle(&s, b->kind == FXS_BOX   ? way_of_box_and_disc(b, a, p, f)
                      : a->kind == FXS_BOX ? way_of_box_and_disc(a, b, p, f)
                                           : way_of_discs(a, b, p, f));
}

/* lift of two placed shapes that are no sectors. The contact never grows with the vertical
 * distance, so bisection finds the least one that ends it: it is above the present one, and at most
 * the reaches' sum, where the vertical gap is the whole radius, or, between prisms, the half
 * heights' sum. */
static int32_t lift_of(const placed *a, const placed *b) {
    if (fxs_placed_contact(a, b) != FXS_OVERLAPPING) {
        return 0;
    }
    int64_t dy = (int64_t)a->y - b->y, held = abs64(dy), ended = (int64_t)a->reach_y + b->reach_y;
    placed moved = *a, still = *b;
    still.y = 0;
    while (ended - held > 1) {
        int64_t middle = held + (ended - held) / 2;
        moved.y = (int32_t)middle;
        if (fxs_placed_contact(&moved, &still) == FXS_OVERLAPPING) {
            held = middle;
        } else {
            ended = middle;
        }
    }
    return (int32_t)(dy < 0 ? -ended - dy : ended - dy);
}

static int32_t side_of(const placed *a, const placed *b) {
    planar t = push_of(a, b);
    if (t.x == 0 && t.z == 0) {
        return FXS_SIDE_NONE;
    }
    t = turned_back(t, axis_x(b));
    if (abs64(t.x) >= abs64(t.z)) {
        return t.x > 0 ? FXS_SIDE_POS_X : FXS_SIDE_NEG_X;
    }
    return t.z > 0 ? FXS_SIDE_POS_Z : FXS_SIDE_NEG_Z;
}

/* ---- out of a solid ---- */

/* v / |u| in Q30, for 0 <= v < 2^65 and |u| < 2^30.5. */
static int64_t over_length_q30(i128 v, planar u) {
    const int64_t length = isqrt128(i128_mul(dot64(u, u), Q60_ONE)); /* Q30, below 2^60.6 */
    return quotient(i128_shl(v, 60), length);
}

/* Out through the face of an edge u. */
static way way_over(planar u, int64_t length) {
    const planar n = {u.z, -u.x};
    way w = {way_along(n).out, length};
    return w;
}

/* Of a disc and a prism: m_j leads from the disc's centre to vertex j. Inside, the face to which it
 * is nearest; outside, away from the nearest place. */
static way way_of_disc_and_prism(const planar *m, const planar *u, uint32_t n, int64_t rho) {
    way best = {{Q30_ONE, 0}, INT64_MAX};
    uint32_t nearest = 0;
    int is_outside = 0;
    for (uint32_t j = 0; j < n; j++) {
        const int64_t s = cross64(m[j], u[j]), t = -dot64(u[j], m[j]);
        if (s >= 0) {
            const int64_t length = rho + over_length_q30(i128_of(s), u[j]);
            best = length < best.length ? way_over(u[j], length) : best;
        } else if (t > 0 && t < dot64(u[j], u[j])) {
            return way_over(u[j], rho - over_length_q30(i128_of(-s), u[j]));
        } else {
            is_outside = 1;
        }
        nearest = dot64(m[j], m[j]) < dot64(m[nearest], m[nearest]) ? j : nearest;
    }
    if (is_outside) {
        const planar out = {-m[nearest].x * Q30_ONE, -m[nearest].z * Q30_ONE};
        best = way_along(out);
        best.length = rho - best.length;
    }
    return best;
}

/* Of a box and a prism: along the axis of least depth, of the prism's edges and the box's own. */
static way way_of_box_and_prism(const placed *box, const planar *m, const planar *u, uint32_t n) {
    const planar x = axis_x(box), z = axis_z(box), minus_x = {-x.x, -x.z}, minus_z = {-z.x, -z.z};
    const int64_t half_x = box->size[0], half_z = box->size[2];
    planar least = {INT64_MAX, INT64_MAX}, most = {INT64_MIN, INT64_MIN};
    way best = {{0, 0}, INT64_MAX};
    for (uint32_t j = 0; j < n; j++) {
        const planar l = turned_back(m[j], x), U = turned_back(u[j], x);
        least.x = min64(least.x, l.x);
        least.z = min64(least.z, l.z);
        most.x = max64(most.x, l.x);
        most.z = max64(most.z, l.z);
        /* Below 2^92.5, in raw units squared times 2^30. */
        const i128 reach = i128_add(i128_mul(half_x, abs64(U.z)), i128_mul(half_z, abs64(U.x)));
        const i128 depth = i128_add(i128_mul(cross64(m[j], u[j]), Q30_ONE), reach);
        const int64_t norm = isqrt128(i128_mul(dot64(u[j], u[j]), Q60_ONE));
        const int64_t length = i128_sign(depth) > 0 ? quotient(i128_shl(depth, 30), norm) : 0;
        best = length < best.length ? way_over(u[j], length) : best;
    }
    const way own[4] = {{x, most.x + half_x * Q30_ONE},
                        {minus_x, half_x * Q30_ONE - least.x},
                        {z, most.z + half_z * Q30_ONE},
                        {minus_z, half_z * Q30_ONE - least.z}};
    for (int i = 0; i < 4; i++) {
        best = own[i].length < best.length ? own[i] : best;
    }
    return best;
}

/* push_out of a placed shape that is no sector. */
static planar push_of_solid(const placed *a, const fxs_level *l, uint32_t index) {
    const solid *b = solids(l) + index;
    const vertex *v = level_vertices(l, b);
    planar none = {0, 0}, m[FXS_VERTICES_MAX], u[FXS_VERTICES_MAX];
    if (fxs_solid_contact(a, l, index) != FXS_OVERLAPPING) {
        return none;
    }
    trial s = {.a = *a, .against = b, .x = (int64_t)a->x - v->x, .z = (int64_t)a->z - v->z};
    s.gap = solid_gap(a, b);
    const planar p = {s.x, s.z};
    const int64_t f = max64(0, s.gap);
    if (b->code == FXS_CYLINDER) {
        s.b.kind = FXS_CYLINDER;
        s.b.size[0] = b->radius;
        return settle(&s, a->kind == FXS_BOX ? way_of_box_and_disc(a, &s.b, p, f)
                                             : way_of_discs(a, &s.b, p, f));
    }
    const uint32_t n = b->vertex_count;
    for (uint32_t j = 0; j < n; j++) {
        s.vertices[j].x = (int32_t)((int64_t)v[j].x - v->x);
        s.vertices[j].z = (int32_t)((int64_t)v[j].z - v->z);
        m[j].x = s.vertices[j].x - s.x;
        m[j].z = s.vertices[j].z - s.z;
    }
    for (uint32_t j = 0; j < n; j++) {
        const planar next = m[j + 1 < n ? j + 1 : 0];
        u[j].x = next.x - m[j].x;
        u[j].z = next.z - m[j].z;
    }
    return settle(&s, a->kind == FXS_BOX ? way_of_box_and_prism(a, m, u, n)
                                         : way_of_disc_and_prism(m, u, n, disc_radius_q30(a, f)));
}

/* lift of a placed shape that is no sector: by bisection as above, of the rise. The contact never
 * grows with a rise once the centre is level with the solid's or above it. The rise that surely
 * ends the contact is below 2^32.4. */
static int64_t lift_of_solid(const placed *a, const fxs_level *l, uint32_t index) {
    const solid *b = solids(l) + index;
    if (fxs_solid_contact(a, l, index) != FXS_OVERLAPPING) {
        return 0;
    }
    const int is_up = 2 * (int64_t)a->y >= (int64_t)b->y_low + b->y_high;
    const int64_t half = a->size[1], radius = is_round(a) ? a->size[0] : 0;
    const int64_t depth_up = (int64_t)b->y_high - a->y + half,
                  depth_down = (int64_t)a->y - b->y_low + half;
    const int64_t depth = is_up ? depth_up : depth_down, beyond = is_up ? depth_down : depth_up;
    int64_t held = 0, ended = depth + radius;
    while (ended - held > 1) {
        const int64_t middle = held + (ended - held) / 2;
        /* beyond + rise is how deep the other end is in: it grows. */
        const int64_t gap = max64(middle - depth, -beyond - middle);
        if (fxs_solid_contact_near(a, l, index, gap) == FXS_OVERLAPPING) {
            held = middle;
        } else {
            ended = middle;
        }
    }
    return is_up ? ended : -ended;
}

/* The face of a prism that a is pushed out of, from 1 on; 0 for no push. |t| < 2^31.4, so the
 * products are below 2^124 and 2^61. */
static int32_t side_of_prism(const placed *a, const fxs_level *l, uint32_t index) {
    const solid *b = solids(l) + index;
    const vertex *v = level_vertices(l, b);
    const planar t = push_of_solid(a, l, index);
    int32_t side = FXS_SIDE_NONE;
    i128 best_square = i128_of(0), best_norm = i128_of(1);
    for (uint32_t j = 0; j < b->vertex_count; j++) {
        const vertex *next = v + (j + 1 < b->vertex_count ? j + 1 : 0);
        const planar n = {(int64_t)next->z - v[j].z, (int64_t)v[j].x - next->x};
        const int64_t along = dot64(t, n);
        if (along <= 0) {
            continue; /* of a push, one face at least is above 0 */
        }
        const i128 square = i128_square(along), norm = i128_of(dot64(n, n));
        const i256 less = i256_neg(i256_mul(best_square, norm));
        if (i256_sign(i256_add(i256_mul(square, best_norm), less)) > 0) {
            best_square = square;
            best_norm = norm;
            side = (int32_t)j + 1;
        }
    }
    return side;
}

static int32_t bodies_check(const placed *a, const placed *b) {
    return can_push(a->kind) && can_push(b->kind) ? FXS_OK : FXS_E_UNDEFINED;
}

static int32_t make_bodies(placed *out_a, placed *out_b, const fxs_shape *a, const fxs_pose *pose_a,
                           const fxs_shape *b, const fxs_pose *pose_b) {
    int32_t status = fxs_placed_check(a, pose_a);
    if (status == FXS_OK) {
        status = fxs_placed_check(b, pose_b);
    }
    if (status != FXS_OK) {
        return status;
    }
    fxs_placed_make(out_a, a, pose_a);
    fxs_placed_make(out_b, b, pose_b);
    return bodies_check(out_a, out_b);
}

int32_t fxs_push_out(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                     const fxs_pose *pose_b, int32_t *out_xz) {
    placed sa, sb;
    int32_t status = make_bodies(&sa, &sb, a, pose_a, b, pose_b);
    if (status == FXS_OK) {
        planar t = push_of(&sa, &sb);
        out_xz[0] = (int32_t)t.x;
        out_xz[1] = (int32_t)t.z;
    }
    return status;
}

int32_t fxs_lift(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                 const fxs_pose *pose_b, int32_t *out_y) {
    placed sa, sb;
    int32_t status = make_bodies(&sa, &sb, a, pose_a, b, pose_b);
    if (status == FXS_OK) {
        *out_y = lift_of(&sa, &sb);
    }
    return status;
}

int32_t fxs_side(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                 const fxs_pose *pose_b) {
    placed sa, sb;
    int32_t status = make_bodies(&sa, &sb, a, pose_a, b, pose_b);
    return status != FXS_OK ? status : sb.kind != FXS_BOX ? FXS_E_UNDEFINED : side_of(&sa, &sb);
}

/* ---- in a world ---- */

/* Two colliders that are bodies, derived, or such a collider and a solid. FXS_OK, or the fault
 * with one. */
typedef struct bodies {
    const placed *a, *b; /* b is NULL for a solid */
    uint32_t index;      /* of the solid */
    placed copies[2];
} bodies;

static int32_t find_bodies(const fxs_world *w, uint32_t a, uint32_t b, bodies *out) {
    if (is_solid(w, b)) {
        const int32_t status = find(w, a);
        if (status != FXS_OK) {
            return status;
        }
        out->a = fxs_derived(w, a, out->copies);
        out->b = NULL;
        out->index = b - FXS_LEVEL;
        return can_push(out->a->kind) ? FXS_OK : FXS_E_UNDEFINED;
    }
    int32_t status = find(w, a);
    if (status == FXS_OK) {
        status = find(w, b);
    }
    if (status != FXS_OK) {
        return status;
    }
    out->a = fxs_derived(w, a, out->copies);
    out->b = fxs_derived(w, b, out->copies + 1);
    return bodies_check(out->a, out->b);
}

int32_t fxs_world_push_out(const fxs_world *world, uint32_t a, uint32_t b, int32_t *out_xz) {
    bodies found;
    int32_t status = find_bodies(world, a, b, &found);
    if (status == FXS_OK) {
        const planar t =
            found.b ? push_of(found.a, found.b) : push_of_solid(found.a, world->level, found.index);
        out_xz[0] = (int32_t)t.x;
        out_xz[1] = (int32_t)t.z;
    }
    return status;
}

int32_t fxs_world_lift(const fxs_world *world, uint32_t a, uint32_t b, int32_t *out_y) {
    bodies found;
    int32_t status = find_bodies(world, a, b, &found);
    if (status == FXS_OK) {
        const int64_t dy =
            found.b ? lift_of(found.a, found.b) : lift_of_solid(found.a, world->level, found.index);
        if (dy < INT32_MIN || dy > INT32_MAX) {
            return FXS_E_CENTRE;
        }
        *out_y = (int32_t)dy;
    }
    return status;
}

int32_t fxs_world_side(const fxs_world *world, uint32_t a, uint32_t b) {
    bodies found;
    int32_t status = find_bodies(world, a, b, &found);
    if (status == FXS_OK && found.b == NULL) {
        return solids(world->level)[found.index].code == FXS_PRISM
                   ? side_of_prism(found.a, world->level, found.index)
                   : FXS_E_UNDEFINED;
    }
    return status != FXS_OK           ? status
           : found.b->kind != FXS_BOX ? FXS_E_UNDEFINED
                                      : side_of(found.a, found.b);
}

/* A separation under way. The first `moved_count` rows of `moved` are the colliders pushed so far,
 * in mark_set too, and where they stood before. */
typedef struct separation {
    fxs_world *world;
    const uint32_t *yields;
    fxs_moved *moved;
    uint64_t moved_count;
} separation;

static int gives_way(const separation *s, uint32_t id, uint32_t to) {
    return (int)(s->yields[colliders(s->world)[id].layer] >> colliders(s->world)[to].layer & 1);
}

/* Moves a collider and records where it was. FXS_OK or FXS_E_CENTRE. */
static int32_t push_collider(separation *s, uint32_t id, int64_t dx, int64_t dz) {
    const place *p = places(s->world) + id;
    int64_t x = p->x + dx, z = p->z + dz;
    if (x < INT32_MIN || x > INT32_MAX || z < INT32_MIN || z > INT32_MAX) {
        return FXS_E_CENTRE;
    }
    if (!set_has(mark_set(s->world), id)) {
        set_put(mark_set(s->world), id);
        fxs_moved from = {id, p->x, p->y, p->z};
        s->moved[s->moved_count++] = from;
    }
    return fxs_world_move(s->world, id, (int32_t)x, p->y, (int32_t)z);
}

/* v / 2, rounded away from zero. */
static int64_t half_up(int64_t v) { return (v + sign64(v)) / 2; }

/* Ends the contact of a pair by moving the one that gives way; or both, each by half of the push,
 * rounded away from zero: neither is favoured, and a crowd comes to rest, where an exact split lets
 * it go round in circles of one raw unit. What that adds to the push leads further out, so nothing
 * should be left for the last push; it ends the contact beyond doubt. `*stuck` is the id that
 * cannot be moved. */
static int32_t separate_pair(separation *s, uint32_t a, uint32_t b, int both, uint32_t *stuck) {
    uint32_t first = gives_way(s, a, b) ? a : b, second = first == a ? b : a;
    const placed *sf = colliders(s->world) + first, *ss = colliders(s->world) + second;
    int32_t status = FXS_OK;
    planar t = push_of(sf, ss);
    if (both) {
        *stuck = second;
        status = push_collider(s, second, -half_up(t.x), -half_up(t.z));
        if (status == FXS_OK) {
            *stuck = first;
            status = push_collider(s, first, half_up(t.x), half_up(t.z));
        }
        t = push_of(sf, ss);
    }
    if (status == FXS_OK) {
        *stuck = first;
        status = push_collider(s, first, t.x, t.z);
    }
    return status;
}

/* Are both there, active and allowed to meet, and bodies? */
static int is_separable(const fxs_world *w, uint32_t a, uint32_t b) {
    if (!set_has(present_set(w), a) || !set_has(present_set(w), b)) {
        return 0;
    }
    const placed *sa = colliders(w) + a, *sb = colliders(w) + b;
    return sa->active && sb->active && may_hit(sa, sb) && bodies_check(sa, sb) == FXS_OK;
}

/* Ends the contact of a collider and a solid, if it gives way to that layer: a solid never does.
 * `*stuck` is the id that cannot be moved. */
static int32_t push_off_solid(separation *s, uint32_t id, uint32_t index, int *any,
                              uint32_t *stuck) {
    const fxs_level *l = s->world->level;
    const placed *a = colliders(s->world) + id;
    const uint32_t layer = solids(l)[index].layer;
    if (!set_has(present_set(s->world), id) || !a->active || !can_push(a->kind) ||
        (a->meets >> layer & 1) == 0 || (s->yields[a->layer] >> layer & 1) == 0 ||
        fxs_solid_contact(a, l, index) != FXS_OVERLAPPING) {
        return FXS_OK;
    }
    const planar t = push_of_solid(a, l, index);
    *stuck = id;
    *any = 1;
    return push_collider(s, id, t.x, t.z);
}

/* One pass over the hits of the last step: over the pairs in which both give way, or over those in
 * which one does. */
static int32_t separate_hits(separation *s, int both, int *any, uint32_t *stuck) {
    const packed_hit *h = hits(s->world);
    for (uint32_t i = 0; i < s->world->hit_count; i++) {
        uint32_t a = hit_a(h[i]), b = hit_b(h[i]);
        if (b >= FXS_LEVEL) {
            const int32_t status = both ? FXS_OK : push_off_solid(s, a, b - FXS_LEVEL, any, stuck);
            if (status != FXS_OK) {
                return status;
            }
            continue;
        }
        if (!is_separable(s->world, a, b)) {
            continue;
        }
        int yielding = gives_way(s, a, b) + gives_way(s, b, a);
        if (yielding == (both ? 2 : 1) &&
            fxs_placed_contact(colliders(s->world) + a, colliders(s->world) + b) ==
                FXS_OVERLAPPING) {
            int32_t status = separate_pair(s, a, b, both, stuck);
            if (status != FXS_OK) {
                return status;
            }
            *any = 1;
        }
    }
    return FXS_OK;
}

int32_t fxs_world_separate(fxs_world *world, const uint32_t *yields, uint32_t passes,
                           fxs_moved *moved, uint64_t moved_capacity, uint64_t *count) {
    uint64_t room = (uint64_t)min64(world->count, 2 * (int64_t)world->hit_count);
    if (moved_capacity < room) {
        *count = room;
        return FXS_E_ROOM;
    }
    derive(world);
    separation s = {world, yields, moved, 0};
    int any = 1;
    for (uint32_t pass = 0; pass < passes && any; pass++) {
        uint32_t stuck = 0;
        any = 0;
        int32_t status = separate_hits(&s, 1, &any, &stuck);
        if (status == FXS_OK) {
            status = separate_hits(&s, 0, &any, &stuck);
        }
        if (status != FXS_OK) {
            for (uint64_t i = 0; i < s.moved_count; i++) {
                fxs_world_move(world, moved[i].id, moved[i].x, moved[i].y, moved[i].z);
                set_drop(mark_set(world), moved[i].id);
            }
            *count = stuck;
            return status;
        }
    }
    *count = s.moved_count;
    uint32_t id = 0;
    for (uint64_t i = 0; i < s.moved_count; i++, id++) {
        id = set_next(mark_set(world), id, world->capacity);
        set_drop(mark_set(world), id);
        const place *p = places(world) + id;
        fxs_moved to = {id, p->x, p->y, p->z};
        moved[i] = to;
    }
    return FXS_OK;
}
