/* Estimates of push-outs. */
#ifndef FIXSYNC_PUSH_ESTIMATE_H
#define FIXSYNC_PUSH_ESTIMATE_H

#include "level.h"

/* A unit vector (Q2.30) and how far to go along it, in raw units * 2^30. */
typedef struct push_estimate {
    planar out;
    int64_t length;
} push_estimate;

/* About the shortest real translation that ends the contact of a and b, which can be pushed and
 * overlap: p leads from b's centre to a's, f is their vertical gap, at least 0. */
FXS_INTERNAL push_estimate fxs_push_estimate(const placed_shape *a, const placed_shape *b, planar p,
                                             int64_t f);

/* The same of a and a polygon, which is relative to a's centre. */
FXS_INTERNAL push_estimate fxs_push_estimate_polygon(const placed_shape *a, const polygon *p,
                                                     int64_t f);

#endif
