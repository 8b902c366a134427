/* Contact of a sector, seen from above, with a box or a polygon. */
#ifndef FIXSYNC_WEDGE_H
#define FIXSYNC_WEDGE_H

#include "figure.h"
#include "posed.h"

/* d leads from the box's centre to the apex; below 2^31. */
FXS_INTERNAL int fxs_sector_box(const posed *sector, const posed *box, planar d);

/* The polygon is as the apex sees it. */
FXS_INTERNAL int fxs_sector_polygon(const posed *sector, const polygon *p);

#endif
