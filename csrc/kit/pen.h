/* Writing text: match logs, differences, explanations. */
#ifndef FIXSYNC_PEN_H
#define FIXSYNC_PEN_H

#include "../compiler.h"
#include "../fixsync_kit.h"

/* Where text goes. It writes what fits before `end`; `next` goes on, to find out. */
typedef struct pen {
    char *text;
    uint64_t next, end;
} pen;

FXS_INTERNAL void fxs_put_bytes(pen *p, const char *from, uint64_t n);
FXS_INTERNAL void fxs_put_char(pen *p, char c);
FXS_INTERNAL void fxs_put_text(pen *p, const char *text);
FXS_INTERNAL void fxs_put_number(pen *p, uint64_t v);
FXS_INTERNAL void fxs_put_signed(pen *p, int64_t v);
/* v * scale / 65536 rounded to nearest, halves away from zero, to so many digits after the point,
 * without zeros at the end. |v| * scale < 2^41, digits <= 5. */
FXS_INTERNAL void fxs_put_decimal(pen *p, int64_t v, uint32_t scale, uint32_t digits);
/* The text of a name. */
FXS_INTERNAL void fxs_put_name(pen *p, const fxs_name *name);
/* [a,b,c] of n numbers. */
FXS_INTERNAL void fxs_put_list(pen *p, const int32_t *values, uint32_t n);
/* ,[x,y,z] */
FXS_INTERNAL void fxs_put_vector(pen *p, int32_t x, int32_t y, int32_t z);
FXS_INTERNAL void fxs_put_next(pen *p, uint64_t v);
/* `digits` hexadecimal digits of v, the highest first. */
FXS_INTERNAL void fxs_put_hexadecimal(pen *p, uint64_t v, uint32_t digits);
/* null, or the pairs of layers that meet. */
FXS_INTERNAL void fxs_put_layers(pen *p, const uint32_t *masks);
/* ["box",half_x,half_y,half_z]; the kind is one of the table. */
FXS_INTERNAL void fxs_put_shape(pen *p, uint32_t code, uint32_t half_angle, const int32_t *size);
/* ,"level":{"solids":[...]} */
FXS_INTERNAL void fxs_put_level(pen *p, const fxs_level *geometry);
/* A state in base64, if there is room: `state`, or if that is NULL the state of a world. */
FXS_INTERNAL void fxs_put_state(pen *p, const fxs_world *world, const uint8_t *state,
                                uint64_t state_size);

#endif
