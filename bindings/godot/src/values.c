#include "values.h"
#include "kinds.h"

#include <string.h>

/* ---- shapes and poses ---- */

#define NAME(name, code, sizes, help) #name,
static const char *const KINDS[] = {GD_SHAPES(NAME)};
enum { KIND_MOST = sizeof KINDS / sizeof *KINDS - 1 };

static int64_t size_of(const fxs_shape *shape, const gd_size *size) {
    if (size->index < 0)
        return shape->half_angle;
    return shape->size[size->index];
}

bool gd_shape_fails(gd_call *call, const char *name, const fxs_shape *shape) {
    if (!gd_in_range(call, "kind", shape->kind, 0, KIND_MOST))
        return true;
    for (const gd_size *size = GD_SIZES; size->kind >= 0; size++) {
        if (size->kind != (int32_t)shape->kind)
            continue;
        int64_t value = size_of(shape, size);
        int64_t most = size->is_hole ? (int64_t)shape->size[0] - 1 : size->most;
        if (!gd_in_range(call, size->name, value, size->is_hole ? 0 : size->least, most))
            return true;
    }
    int32_t status = fxs_shape_check(shape);
    return !gd_is_ok(call, name, status);
}

bool gd_shape_of(gd_call *call, int i, fxs_shape *out) {
    gd_ints given = gd_ints_of(call, i);
    const char *name = gd_argument_name(call, i);
    memset(out, 0, sizeof *out);
    if (given.count == 0) {
        gd_fail(call, "%s must be [kind, sizes...], not []", name);
        return false;
    }
    if (!gd_in_range(call, "kind", given.at[0], 0, KIND_MOST))
        return false;
    out->kind = (uint32_t)given.at[0];
    uint64_t next = 1, least = 1;
    for (const gd_size *size = GD_SIZES; size->kind >= 0; size++) {
        if (size->kind != (int32_t)out->kind)
            continue;
        least += !size->is_hole;
        if (next >= given.count)
            continue;
        int64_t value = given.at[next++];
        int64_t most = size->is_hole ? (int64_t)out->size[0] - 1 : size->most;
        if (!gd_in_range(call, size->name, value, size->is_hole ? 0 : size->least, most))
            return false;
        if (size->index < 0)
            out->half_angle = (uint32_t)value;
        else
            out->size[size->index] = (int32_t)value;
    }
    if (next == given.count && given.count >= least)
        return true;
    gd_fail(call, "%s must have %u sizes for a %s, not %u", name, least - 1, KINDS[out->kind],
            given.count - 1);
    return false;
}

bool gd_pose_of(gd_call *call, int position, int yaw, fxs_pose *out) {
    const int32_t *at = gd_vector(call, position);
    *out = (fxs_pose){at[0], at[1], at[2], (uint32_t)gd_int(call, yaw)};
    return gd_check(call, yaw, 0, FXS_TURN - 1);
}

bool gd_motion_of(gd_call *call, int i, int32_t out[3]) {
    static const char *const AXES[] = {"motion.x", "motion.y", "motion.z"};
    memcpy(out, gd_vector(call, i), 12);
    for (int axis = 0; axis < 3; axis++)
        if (!gd_in_range(call, AXES[axis], out[axis], -FXS_SIZE_MAX, FXS_SIZE_MAX))
            return false;
    return true;
}

/* ---- rows ---- */

/* 8 bytes have the range of int64_t. */
static bool put_number(gd_call *call, int i, uint64_t row, const gd_number *number, int64_t value,
                       uint8_t *structure) {
    int bits = number->size * 8;
    int64_t low = number->is_signed ? INT64_MIN >> (64 - bits) : 0;
    int64_t high = number->is_signed || bits == 64 ? INT64_MAX >> (64 - bits)
                                                   : (INT64_C(1) << bits) - 1;
    if (value < low || value > high) {
        gd_fail(call, "%s[%u]: %s must be %d..%d, not %d", gd_argument_name(call, i), row,
                number->name, low, high, value);
        return false;
    }
    uint8_t *to = structure + number->offset;
    if (number->size == 1)
        *to = (uint8_t)value;
    else if (number->size == 2)
        *(uint16_t *)(void *)to = (uint16_t)value;
    else if (number->size == 4)
        *(uint32_t *)(void *)to = (uint32_t)value;
    else
        *(int64_t *)(void *)to = value;
    return true;
}

/* The value of a game's own event is an int32_t, in the place of the contact. */
static bool is_of_game(const gd_layout *layout, const int64_t *row) {
    return layout == &GD_EVENT && row[2] >= FXS_GAME_EVENT;
}

static bool put_row(gd_call *call, int i, uint64_t row, const gd_layout *layout,
                    const int64_t *from, uint8_t *structure) {
    memset(structure, 0, layout->size);
    for (uint32_t k = 0; k < layout->count; k++) {
        gd_number number = layout->numbers[k];
        number.is_signed |= k == 3 && is_of_game(layout, from);
        if (!put_number(call, i, row, &number, from[k], structure))
            return false;
    }
    return true;
}

void *gd_rows_of(gd_call *call, int i, const gd_layout *layout, uint64_t *count) {
    gd_ints given = gd_ints_of(call, i);
    *count = given.count / layout->count;
    if (given.count % layout->count != 0) {
        gd_fail(call, "size of %s must be a multiple of %u, not %u", gd_argument_name(call, i),
                (uint64_t)layout->count, given.count);
        return NULL;
    }
    uint8_t *rows = gd_alloc(call, *count * layout->size);
    for (uint64_t row = 0; row < *count && rows != NULL; row++) {
        if (!put_row(call, i, row, layout, given.at + row * layout->count,
                     rows + row * layout->size)) {
            gd_free(rows);
            rows = NULL;
        }
    }
    return rows;
}

bool gd_row_of(gd_call *call, int i, const gd_layout *layout, void *out) {
    gd_ints given = gd_ints_of(call, i);
    if (given.count == layout->count)
        return put_row(call, i, 0, layout, given.at, out);
    gd_fail(call, "size of %s must be %u, not %u", gd_argument_name(call, i),
            (uint64_t)layout->count, given.count);
    return false;
}

uint32_t *gd_u32s_of(gd_call *call, int i, uint64_t *count) {
    gd_ints given = gd_ints_of(call, i);
    *count = given.count;
    uint32_t *values = gd_alloc(call, given.count * sizeof *values);
    for (uint64_t k = 0; k < given.count && values != NULL; k++) {
        values[k] = (uint32_t)given.at[k];
        if (given.at[k] < 0 || given.at[k] > UINT32_MAX) {
            gd_fail(call, "%s[%u] must be 0..4294967295, not %d", gd_argument_name(call, i), k,
                    given.at[k]);
            gd_free(values);
            values = NULL;
        }
    }
    return values;
}

bool gd_masks_of(gd_call *call, int i, uint32_t count, uint32_t *out) {
    gd_ints given = gd_ints_of(call, i);
    int64_t most = count < FXS_LAYER_COUNT ? (INT64_C(1) << count) - 1 : UINT32_MAX;
    if (given.count != 0 && given.count != count) {
        gd_fail(call, "size of %s must be 0 or %u, not %u", gd_argument_name(call, i),
                (uint64_t)count, given.count);
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        int64_t mask = given.count == 0 ? most : given.at[k];
        if (mask < 0 || mask > most) {
            gd_fail(call, "%s[%u] must be 0..%d, not %d", gd_argument_name(call, i), (uint64_t)k,
                    most, mask);
            return false;
        }
        out[k] = (uint32_t)mask;
    }
    return true;
}

/* ---- results ---- */

static int64_t number_at(const uint8_t *structure, const gd_number *number) {
    const void *from = structure + number->offset;
    switch (number->size) {
    case 1:
        return *(const uint8_t *)from;
    case 2:
        return *(const uint16_t *)from;
    case 4:
        return number->is_signed ? *(const int32_t *)from : (int64_t) * (const uint32_t *)from;
    default:
        return *(const int64_t *)from;
    }
}

void gd_put_rows(const void *rows, uint64_t count, const gd_layout *layout, int64_t *to) {
    /* Events and hits: nothing but uint32_t. */
    if (layout == &GD_EVENT || layout == &GD_HIT) {
        const uint32_t *from = rows;
        for (uint64_t k = 0; k < count * layout->count; k++)
            to[k] = from[k];
        for (uint64_t k = 0; k < count && layout == &GD_EVENT; k++)
            if (is_of_game(layout, to + 4 * k))
                to[4 * k + 3] = (int32_t)from[4 * k + 3];
        return;
    }
    const uint8_t *structure = rows;
    for (uint64_t row = 0; row < count; row++, structure += layout->size)
        for (uint32_t k = 0; k < layout->count; k++)
            *to++ = number_at(structure, &layout->numbers[k]);
}

void gd_return_rows(gd_call *call, const void *rows, uint64_t count, const gd_layout *layout) {
    int64_t *to = gd_return_ints(call, count * layout->count);
    if (to != NULL)
        gd_put_rows(rows, count, layout, to);
}

void gd_return_u32s(gd_call *call, const uint32_t *values, uint64_t count) {
    int64_t *to = gd_return_ints(call, count);
    for (uint64_t k = 0; k < count && to != NULL; k++)
        to[k] = values[k];
}

void gd_return_shape(gd_call *call, const fxs_shape *shape) {
    int64_t numbers[5] = {shape->kind};
    uint64_t count = 1;
    for (const gd_size *size = GD_SIZES; size->kind >= 0; size++) {
        if (size->kind != (int32_t)shape->kind)
            continue;
        int64_t value = size_of(shape, size);
        if (!size->is_hole || value != 0)
            numbers[count++] = value;
    }
    int64_t *to = gd_return_ints(call, count);
    if (to != NULL)
        memcpy(to, numbers, count * sizeof *to);
}

void gd_return_outline(gd_call *call, const fxs_extent *extent, const fxs_vertex *vertices) {
    uint64_t count = (uint64_t)extent->outer + extent->hole;
    int64_t *to = gd_return_ints(call, GD_EXTENT.count + count * GD_VERTEX.count);
    if (to == NULL)
        return;
    gd_put_rows(extent, 1, &GD_EXTENT, to);
    gd_put_rows(vertices, count, &GD_VERTEX, to + GD_EXTENT.count);
}

/* ---- errors and room ---- */

bool gd_is_ok(gd_call *call, const char *name, int32_t status) {
    if (status >= 0)
        return true;
    gd_fail(call, "%s: %s", name, fxs_status_text(status));
    return false;
}

bool gd_fits(gd_call *call, int32_t status) {
    if (status < 0)
        gd_fail(call, "the result must be within -2147483648..2147483647");
    return status >= 0;
}

bool gd_grow(gd_call *call, gd_room *room, uint64_t size) {
    if (size <= room->size)
        return true;
    uint64_t more = size + size / 2;
    void *memory =
        more > PTRDIFF_MAX ? NULL : gd_engine.mem_realloc(room->at, (size_t)more);
    if (memory == NULL) {
        gd_fail(call, "no memory for %u bytes", more);
        return false;
    }
    room->at = memory;
    room->size = more;
    return true;
}
