/* Contact of a sector, seen from above, with a box or a polygon. */
#ifndef FIXSYNC_WEDGE_H
#define FIXSYNC_WEDGE_H

#include "placed_shape.h"
#include "polygon.h"

/* d leads from the box's centre to the apex; below 2^31. */
FXS_INTERNAL int fxs_sector_box(const placed_shape *sector, const placed_shape *box, planar d);

/* The polygon is relative to the apex. */
FXS_INTERNAL int fxs_sector_polygon(const placed_shape *sector, const polygon *p);

#endif
