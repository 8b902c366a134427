/* Push-out (docs/contract.md): the planar or vertical translation that ends an OVERLAPPING contact.
 *
 * Both searches end in the test of contact, so their results end the contact by it; only how short
 * they are needs an argument. push_out starts from an estimate of the shortest real translation, a
 * length L along a unit vector u (push_estimate.c). Then it looks at the integer translations near
 * u * L, in rows of one minor component, for the shortest that ends the contact.
 *
 * Length. Say ux >= uz >= 0. The half plane {t : t.u >= L} is outside the contact: the shapes are
 * convex, and u is the normal where u * L leaves them. It holds (ceil(L ux), ceil(L uz)), shorter
 * than L + sqrt(2). Each row is searched for its least x, so a row gives a t at least as short as
 * any point of it in the half plane; and that t.u < L + ux, since x - 1 is not in it. The estimates
 * of L err by at most 0.61 raw units and 2^-29 L, so for L < 2^20 the rows, from floor(L uz) - 1 to
 * floor(L uz) + 2 of the estimate, are sure to hold the true floor(L uz) and ceil(L uz). For a
 * longer L they may be a row or two off, but a distance of w < 5 from the line along u only adds
 * w^2 / (2L): |t| < L + 1.01. So |t| < L + sqrt(2) always; over all u and L the most ever seen is
 * L + 1, but for an L < sqrt(1/2) along a diagonal, where t is (1, 1).
 *
 * Quantised directions move the sides of turned boxes, and so L. Next to a disc: by |e - e'| * |p|
 * < 2^-30.5 * 2^30.3 < 0.86. Of two boxes with half sizes up to h: a limit by 2h * 2^-31 and |pa.x|
 * by 4h * 2^-31, together below 1.5, and below 1 for h < 5461 units. Where it is above 1, at the
 * corners of huge boxes, there are pairs without any integer translation that ends the contact and
 * is less than 2 longer than the ideal boxes ask.
 *
 * Signs. The estimates are odd in p, the vector from b's centre to a's; the rows are searched on
 * magnitudes. So push_out(b, a) = -push_out(a, b) whenever p != 0: ties of length are decided by
 * the direction alone, and the side of a p that is square to it by p's larger component.
 *
 * Widths. Of an OVERLAPPING pair |p.x|, |p.z| <= 2^30.6, L < 2^29 (1 + sqrt(2)) + 2, and |p + t| <
 * 2^31 - 2^28: with b put at the origin, a stays in int32. |dy| is below two radii and two half
 * heights, at most 2^31 - 4. */
#include "push.h"
#include "derive.h"
#include "push_estimate.h"
#include "wide256.h"

/* A direction to be searched: the pair with b at the origin, and the direction's axes. b is a
 * shape, or a solid of a level with its first vertex or its centre at the origin. */
typedef struct trial {
    placed_shape a, b;
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
    FXS_ASSERT(major >= 0 && minor >= 0);
    FXS_ASSERT(abs64(s->x + t.x) <= INT32_MAX && abs64(s->z + t.z) <= INT32_MAX);
    s->a.x = (int32_t)(s->x + t.x);
    s->a.z = (int32_t)(s->z + t.z);
    const solid *b = s->against;
    if (b == NULL) {
        return fxs_placed_contact(&s->a, &s->b) != FXS_OVERLAPPING;
    }
    if (b->code == FXS_PRISM) {
        return fxs_prism_contact(&s->a, b, s->vertices, s->gap) != FXS_OVERLAPPING;
    }
    return fxs_cylinder_solid_contact(&s->a, 0, 0, b->radius, s->gap) != FXS_OVERLAPPING;
}

/* floor of length (raw * 2^30) times u (Q2.30) in whole raw units, or 1 less; 0 <= length <
 * 2^61. */
static int64_t whole_part(int64_t length, int64_t u) {
    FXS_ASSERT(length >= 0 && length < (int64_t)1 << 61 && u >= 0);
    return ((length / Q30_ONE) * u + (length % Q30_ONE) * u / Q30_ONE) / Q30_ONE;
}

/* The shortest integer translation near w that ends the contact of the pair in s; of equal ones
 * that with the larger major component. Along a diagonal both components move: each t is then less
 * than half a right angle off its direction, so that a face is always left through itself. */
static planar shortest_near(trial *s, push_estimate w) {
    int64_t ux = abs64(w.out.x);
    int64_t uz = abs64(w.out.z);
    int64_t major_u = max64(ux, uz);
    int64_t minor_u = min64(ux, uz);
    FXS_ASSERT(major_u > 0 && major_u <= Q30_ONE + 1);
    int64_t length = max64(0, w.length);
    int64_t middle = whole_part(length, minor_u);
    int64_t least = major_u == minor_u;
    int64_t last = minor_u ? middle + 2 : 0;
    int64_t best_sq = INT64_MAX;
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

/* push_out of two placed shapes that are not sectors. */
planar fxs_push_of(const placed_shape *a, const placed_shape *b) {
    planar none = {0, 0};
    if (fxs_placed_contact(a, b) != FXS_OVERLAPPING) {
        return none;
    }
    trial s = {.a = *a, .b = *b, .x = (int64_t)a->x - b->x, .z = (int64_t)a->z - b->z};
    s.a.y = (int32_t)((int64_t)a->y - b->y);
    s.b.x = s.b.y = s.b.z = 0;
    planar p = {s.x, s.z};
    int64_t f = max64(0, abs64(s.a.y) - ((int64_t)a->size[1] + b->size[1]));
    return shortest_near(&s, fxs_push_estimate(a, b, p, f));
}

/* lift of two placed shapes that are not sectors. The contact never grows with the vertical
 * distance, so bisection finds the least one that ends it: it is above the present one, and at most
 * the extents' sum, where the vertical gap is the whole radius, or, between prisms, the half
 * heights' sum. */
static int32_t lift_of(const placed_shape *a, const placed_shape *b) {
    if (fxs_placed_contact(a, b) != FXS_OVERLAPPING) {
        return 0;
    }
    int64_t dy = (int64_t)a->y - b->y;
    int64_t held = abs64(dy);
    int64_t ended = (int64_t)a->extent_y + b->extent_y;
    placed_shape moved = *a;
    placed_shape still = *b;
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
    FXS_ASSERT(ended > abs64(dy));
    return (int32_t)(dy < 0 ? -ended - dy : ended - dy);
}

static int32_t side_of(const placed_shape *a, const placed_shape *b) {
    planar t = fxs_push_of(a, b);
    if (t.x == 0 && t.z == 0) {
        return FXS_SIDE_NONE;
    }
    t = turned_back(t, direction_of(b));
    if (abs64(t.x) >= abs64(t.z)) {
        return t.x > 0 ? FXS_SIDE_POS_X : FXS_SIDE_NEG_X;
    }
    return t.z > 0 ? FXS_SIDE_POS_Z : FXS_SIDE_NEG_Z;
}
/* push_out of a placed shape that is not a sector. */
planar fxs_push_of_solid(const placed_shape *a, const fxs_level *l, uint32_t index) {
    const solid *b = solids(l) + index;
    const vertex *v = level_vertices(l, b);
    planar none = {0, 0};
    if (fxs_solid_contact(a, l, index) != FXS_OVERLAPPING) {
        return none;
    }
    trial s = {.a = *a, .against = b, .x = (int64_t)a->x - v->x, .z = (int64_t)a->z - v->z};
    s.gap = solid_gap(a, b);
    const int64_t f = max64(0, s.gap);
    if (b->code == FXS_CYLINDER) {
        const placed_shape disc = disc_of(b);
        const planar p = {s.x, s.z};
        return shortest_near(&s, fxs_push_estimate(a, &disc, p, f));
    }
    for (uint32_t j = 0; j < b->vertex_count; j++) {
        s.vertices[j].x = (int32_t)((int64_t)v[j].x - v->x);
        s.vertices[j].z = (int32_t)((int64_t)v[j].z - v->z);
    }
    polygon seen;
    fxs_polygon_of(&seen, b, v, a->x, a->z);
    return shortest_near(&s, fxs_push_estimate_polygon(a, &seen, f));
}

/* lift of a placed shape that is not a sector: by bisection as above, of the rise. The contact
 * never grows with a rise once the centre is level with the solid's or above it. The rise that
 * surely ends the contact is below 2^32.4. */
static int64_t lift_of_solid(const placed_shape *a, const fxs_level *l, uint32_t index) {
    const solid *b = solids(l) + index;
    if (fxs_solid_contact(a, l, index) != FXS_OVERLAPPING) {
        return 0;
    }
    const int is_up = 2 * (int64_t)a->y >= (int64_t)b->y_low + b->y_high;
    const int64_t half = a->size[1];
    const int64_t radius = is_round(a) ? a->size[0] : 0;
    const int64_t depth_up = (int64_t)b->y_high - a->y + half;
    const int64_t depth_down = (int64_t)a->y - b->y_low + half;
    const int64_t depth = is_up ? depth_up : depth_down;
    const int64_t beyond = is_up ? depth_down : depth_up;
    int64_t held = 0;
    int64_t ended = depth + radius;
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
static int32_t side_of_prism(const placed_shape *a, const fxs_level *l, uint32_t index) {
    const solid *b = solids(l) + index;
    polygon p;
    fxs_polygon_of(&p, b, level_vertices(l, b), a->x, a->z);
    const planar t = fxs_push_of_solid(a, l, index);
    int32_t side = FXS_SIDE_NONE;
    i128 best_square = i128_of(0);
    i128 best_norm = i128_of(1);
    for (uint32_t j = 0; j < p.n; j++) {
        const planar n = {p.u[j].z, -p.u[j].x};
        const int64_t along = dot64(t, n);
        if (along <= 0) {
            continue; /* of a push, one face at least is above 0 */
        }
        const i128 square = i128_square(along);
        const i128 norm = i128_of(dot64(n, n));
        const i256 less = i256_neg(i256_mul(best_square, norm));
        if (i256_sign(i256_add(i256_mul(square, best_norm), less)) > 0) {
            best_square = square;
            best_norm = norm;
            side = (int32_t)j + 1;
        }
    }
    return side;
}

static int32_t bodies_check(const placed_shape *a, const placed_shape *b) {
    return can_push(a->kind) && can_push(b->kind) ? FXS_OK : FXS_E_UNDEFINED;
}

static int32_t make_bodies(placed_shape *out_a, placed_shape *out_b, const fxs_shape *a,
                           const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b) {
    const int32_t status = fxs_pair_make(out_a, out_b, a, pose_a, b, pose_b);
    return status != FXS_OK ? status : bodies_check(out_a, out_b);
}

/* FXS_E_UNDEFINED if b's kind has no sides. */
static int32_t named_side(const placed_shape *a, const placed_shape *b) {
    return fxs_kinds[b->kind].has_sides ? side_of(a, b) : FXS_E_UNDEFINED;
}

int32_t fxs_push_out(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                     const fxs_pose *pose_b, int32_t out_xz[2]) {
    placed_shape sa, sb;
    int32_t status = make_bodies(&sa, &sb, a, pose_a, b, pose_b);
    if (status == FXS_OK) {
        planar t = fxs_push_of(&sa, &sb);
        out_xz[0] = (int32_t)t.x;
        out_xz[1] = (int32_t)t.z;
    }
    return status;
}

int32_t fxs_lift(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                 const fxs_pose *pose_b, int32_t *out_y) {
    placed_shape sa, sb;
    int32_t status = make_bodies(&sa, &sb, a, pose_a, b, pose_b);
    if (status == FXS_OK) {
        *out_y = lift_of(&sa, &sb);
    }
    return status;
}

int32_t fxs_side(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                 const fxs_pose *pose_b) {
    placed_shape sa, sb;
    int32_t status = make_bodies(&sa, &sb, a, pose_a, b, pose_b);
    return status != FXS_OK ? status : named_side(&sa, &sb);
}

/* ---- in a world ---- */

/* Two colliders that are bodies, derived, or such a collider and a solid. FXS_OK, or the fault
 * with one. */
typedef struct bodies {
    const placed_shape *a, *b; /* b is NULL for a solid */
    uint32_t index;            /* of the solid */
    placed_shape copies[2];
} bodies;

static int32_t find_bodies(const fxs_world *w, uint32_t a, uint32_t b, bodies *out) {
    int32_t status = find(w, a);
    if (status == FXS_OK && !is_solid(w, b)) {
        status = find(w, b);
    }
    if (status != FXS_OK) {
        return status;
    }
    out->a = fxs_derived(w, a, out->copies);
    out->b = is_solid(w, b) ? NULL : fxs_derived(w, b, out->copies + 1);
    out->index = out->b ? 0 : (uint32_t)(b - FXS_LEVEL);
    return bodies_check(out->a, out->b ? out->b : out->a);
}

int32_t fxs_world_push_out(const fxs_world *world, uint32_t a, uint32_t b, int32_t out_xz[2]) {
    bodies found;
    int32_t status = find_bodies(world, a, b, &found);
    if (status == FXS_OK) {
        const planar t = found.b ? fxs_push_of(found.a, found.b)
                                 : fxs_push_of_solid(found.a, world->level, found.index);
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
    return status != FXS_OK ? status : named_side(found.a, found.b);
}
