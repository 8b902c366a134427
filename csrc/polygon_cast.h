/* Casts of one shape against a polygon. */
#ifndef FIXSYNC_POLYGON_CAST_H
#define FIXSYNC_POLYGON_CAST_H

#include "normal.h"
#include "toi.h"

/* The fraction at which a, moving by M, first makes a contact >= when with a polygon about its
 * centre, whose bounds meet those of its motion. NONE if it makes none, or, perhaps, if the
 * fraction is above `max_fraction`. `way`: from where to where a's rise meets its heights. */
FXS_INTERNAL int32_t fxs_polygon_cast(const placed_shape *a, const polygon *p, heights way,
                                      const int64_t *M, int when, int32_t max_fraction);

/* Where a shape beside a polygon parts from it: P leads from where the polygon is relative to, to
 * a's centre, in 1/65536 raw units. F is the vertical gap with its sign: 0 if a is not round. */
FXS_INTERNAL parting fxs_polygon_parting(const placed_shape *a, const polygon *p, planar P,
                                         int64_t F);

#endif
