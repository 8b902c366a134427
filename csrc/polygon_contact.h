/* Contact of a placed shape with a polygon. */
#ifndef FIXSYNC_POLYGON_CONTACT_H
#define FIXSYNC_POLYGON_CONTACT_H

#include "polygon.h"

/* Contact of a shape with a polygon about its centre. gap: how far the shape is above or below,
 * negative if it is neither. */
FXS_INTERNAL int fxs_polygon_contact(const placed_shape *s, const polygon *p, int64_t gap);

#endif
