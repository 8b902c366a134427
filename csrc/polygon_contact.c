/* Contact of a shape with a polygon (docs/contract.md, Levels), exact.
 *
 * The caller has rejected by bounds: on x and z the shape's centre is at most its extent, below
 * 2^29.6, from the bounds of the vertices, which span at most 2^30. So a vertex is below 2^30.8
 * from the centre on each axis. */
#include "polygon_contact.h"
#include "wedge.h"

/* NEAR of the centre: 0 <= q < 2^58. */
static int near_polygon(const polygon *p, int64_t q) {
    const nearest_part part = nearest_part_of(p);
    return classify_part(&part, q);
}

/* Against a box, whose frame has the direction dir; all Q.46: l below 2^62, H at most 2^59. */
static int box_polygon(const polygon *p, const placed_shape *box) {
    const planar dir = direction_of(box);
    const planar H = {box->size[0] * Q30_ONE, box->size[2] * Q30_ONE};
    int64_t least_x = INT64_MAX;
    int64_t least_z = INT64_MAX;
    int64_t most_x = -INT64_MAX;
    int64_t most_z = -INT64_MAX;
    int found = FXS_OVERLAPPING;
    for (uint32_t j = 0; j < p->n; j++) {
        const planar l = turned_back(p->m[j], dir);
        const planar U = turned_back(p->u[j], dir);
        least_x = min64(least_x, l.x);
        least_z = min64(least_z, l.z);
        most_x = max64(most_x, l.x);
        most_z = max64(most_z, l.z);
        const i128 limit = i128_add(i128_mul(H.x, abs64(U.z)), i128_mul(H.z, abs64(U.x)));
        found = min_int(found, classify_wide(cross_wide(U, l), limit));
    }
    found = min_int(found, min_int(classify(least_x, H.x), classify(-most_x, H.x)));
    return min_int(found, min_int(classify(least_z, H.z), classify(-most_z, H.z)));
}

/* The least depth over the edges of both. */
static int contact_of_polygons(const polygon *p, const placed_shape *s) {
    const planar centre = {0, 0};
    polygon q;
    int found = FXS_OVERLAPPING;
    polygon_of_shape(&q, s, centre);
    for (uint32_t j = 0; j < p->n; j++) {
        found = min_int(found, classify(0, depth_beyond(p, j, &q)));
    }
    for (uint32_t j = 0; j < q.n; j++) {
        found = min_int(found, classify(0, depth_beyond(&q, j, p)));
    }
    return found;
}

int fxs_polygon_contact(const placed_shape *s, const polygon *p, int64_t gap) {
    const int64_t r = s->size[0];
    const int64_t f = max64(0, gap);
    if (f > (is_round(s) ? r : 0)) {
        return FXS_APART;
    }
    switch (shape_class_of(s->kind)) {
    case ROUND: return near_polygon(p, r * r - f * f);
    case CYLINDER: return min_int(classify(gap, 0), near_polygon(p, r * r));
    case BOX: return min_int(classify(gap, 0), box_polygon(p, s));
    case SECTOR: return min_int(classify(gap, 0), fxs_sector_polygon(s, p));
    case POLYGON: return POLYGON_KINDS ? min_int(classify(gap, 0), contact_of_polygons(p, s)) : 0;
    case SHAPE_CLASS_COUNT: break;
    }
    return FXS_APART; /* not reached */
}
