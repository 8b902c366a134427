/* Tables of frame data: read and checked (docs/contract.md). */
#include "frames.h"

#define TABLE_MAGIC 0x31465846u /* "FXF1", little-endian */

enum { QUARTER = FXS_TURN / 4 };

attack_view fxs_attack_of(const uint8_t *table, uint32_t index) {
    const uint8_t *row = part_row(table, part_count(table)) + (uint64_t)ATTACK_ROW * index;
    attack_view a;
    a.frames = read32(row);
    a.active = read32(row + 4);
    a.inactive = read32(row + 8);
    a.window_count = read32(row + 12);
    a.rehit_count = read32(row + 16);
    a.cancel_count = read32(row + 20);
    a.windows = table + read32(row + 24);
    a.rehits = a.windows + (uint64_t)WINDOW_ROW * a.window_count;
    a.cancels = a.rehits + (uint64_t)REHIT_ROW * a.rehit_count;
    return a;
}

uint32_t fxs_parts_in_window(const attack_view *a, uint32_t frame) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < a->window_count; i++) {
        const uint8_t *row = a->windows + (uint64_t)WINDOW_ROW * i;
        set |= in_span(row, frame) ? read32(row + 8) : 0;
    }
    return set;
}

fxs_collider fxs_part_of(const uint8_t *table, uint32_t part, uint32_t is_mirrored) {
    const uint8_t *row = part_row(table, part);
    fxs_collider c = {0};
    c.kind = row[0];
    c.layer = row[1];
    c.active = row[2];
    uint32_t angles = read32(row + 4), yaw = angles & (FXS_TURN - 1);
    c.half_angle = (uint16_t)(angles >> 16);
    int32_t ox = read_signed(row + 8), oz = read_signed(row + 16);
    if (is_mirrored) {
        uint32_t about = c.kind == FXS_SECTOR ? FXS_TURN + FXS_TURN / 2 : FXS_TURN;
        ox = -ox;
        yaw = (about - yaw) & (FXS_TURN - 1);
    }
    c.yaw = (uint16_t)yaw;
    /* The collider turns its offset by its own yaw, so the part's yaw is taken back. Off centre
     * that is some quarters, so this is exact; |ox|, |oz| < 2^31, so the negatives are in range. */
    for (uint32_t turns = ox | oz ? yaw / QUARTER : 0; turns; turns--) {
        int32_t was = ox;
        ox = oz;
        oz = -was;
    }
    c.ox = ox;
    c.oy = read_signed(row + 12);
    c.oz = oz;
    for (int i = 0; i < 3; i++) {
        c.size[i] = read_signed(row + 20 + 4 * i);
    }
    return c;
}

/* ---- checking ---- */

/* The offset in its row of the first field of a part that is out of range, or -1. */
static int part_fault(const uint8_t *row) {
    uint32_t angles = read32(row + 4);
    fxs_shape shape = {row[0], angles >> 16, {0}};
    for (int i = 0; i < 3; i++) {
        shape.size[i] = read_signed(row + 20 + 4 * i);
    }
    int32_t ox = read_signed(row + 8), oz = read_signed(row + 16);
    uint32_t is_sector = shape.kind == FXS_SECTOR;
    if (shape.kind > FXS_SECTOR) {
        return 0;
    }
    if (row[1] >= FXS_LAYER_COUNT) {
        return 1;
    }
    if (row[2] > 1) {
        return 2;
    }
    if (row[3] != 0) {
        return 3;
    }
    if ((angles & (QUARTER - 1)) != 0 && (ox | oz) != 0) {
        return 4;
    }
    if (shape.half_angle < is_sector || shape.half_angle > is_sector * FXS_HALF_ANGLE_MAX) {
        return 6;
    }
    if (ox == INT32_MIN) {
        return 8;
    }
    if (oz == INT32_MIN) {
        return 16;
    }
    return fxs_shape_check(&shape) == FXS_OK ? -1 : 20;
}

/* Whether a row begins with a span of frames that is not empty and ends within the attack. */
static int is_within_attack(const uint8_t *row, uint32_t frames) {
    return read32(row) < read32(row + 4) && read32(row + 4) <= frames;
}

/* The first field of the rows of an attack that is out of range, or NULL. */
static const uint8_t *rows_fault(const attack_view *a, uint32_t count) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < a->window_count; i++) {
        const uint8_t *row = a->windows + (uint64_t)WINDOW_ROW * i;
        uint32_t set = read32(row + 8);
        if (!is_within_attack(row, a->frames)) {
            return row;
        }
        if (set == 0 || (set & ~(a->active | a->inactive)) != 0) {
            return row + 8;
        }
    }
    for (uint32_t i = 0; i < a->rehit_count; i++) {
        const uint8_t *row = a->rehits + (uint64_t)REHIT_ROW * i;
        if (read32(row) <= last || read32(row) >= a->frames) {
            return row;
        }
        last = read32(row);
    }
    for (uint32_t i = 0; i < a->cancel_count; i++) {
        const uint8_t *row = a->cancels + (uint64_t)CANCEL_ROW * i;
        if (!is_within_attack(row, a->frames)) {
            return row;
        }
        if (read32(row + 8) >= count) {
            return row + 8;
        }
        if (read32(row + 12) > 1) {
            return row + 12;
        }
    }
    return NULL;
}

/* The first field of an attack's row that is out of range, or NULL; *end is where the rows of the
 * attacks before end, and takes its own. */
static const uint8_t *attack_fault(const uint8_t *table, uint64_t size, uint32_t index,
                                   uint64_t *end) {
    const uint8_t *row = part_row(table, part_count(table)) + (uint64_t)ATTACK_ROW * index;
    uint32_t active = read32(row + 4), inactive = read32(row + 8);
    uint32_t all = UINT32_MAX >> (FXS_PARTS_MAX - part_count(table));
    if (read32(row) < 1 || read32(row) > FXS_FRAMES_MAX) {
        return row;
    }
    if ((active & ~all) != 0) {
        return row + 4;
    }
    if ((inactive & ~all) != 0 || (active & inactive) != 0) {
        return row + 8;
    }
    static const uint32_t ROWS[3] = {WINDOW_ROW, REHIT_ROW, CANCEL_ROW};
    uint64_t begin = *end;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t n = read32(row + 12 + 4 * i);
        if ((size - *end) / ROWS[i] < n) {
            return row + 12 + 4 * i;
        }
        *end += (uint64_t)ROWS[i] * n;
    }
    return read32(row + 24) == begin ? NULL : row + 24;
}

static uint64_t table_fault(const uint8_t *table, uint64_t size, int *is_good) {
    *is_good = 0;
    if (size < TABLE_HEAD || read32(table) != TABLE_MAGIC) {
        return 0;
    }
    uint32_t n = part_count(table), attacks = attack_count(table);
    if (n < 1 || n > FXS_PARTS_MAX || size < TABLE_HEAD + (uint64_t)PART_ROW * n) {
        return 4;
    }
    uint64_t end = TABLE_HEAD + (uint64_t)PART_ROW * n;
    if ((size - end) / ATTACK_ROW < attacks || size > UINT32_MAX) {
        return 8;
    }
    for (uint32_t i = 0; i < n; i++) {
        int fault = part_fault(part_row(table, i));
        if (fault >= 0) {
            return (uint64_t)(part_row(table, i) - table) + (uint32_t)fault;
        }
    }
    end += (uint64_t)ATTACK_ROW * attacks;
    const uint8_t *fault = NULL;
    for (uint32_t i = 0; i < attacks && fault == NULL; i++) {
        fault = attack_fault(table, size, i, &end);
    }
    for (uint32_t i = 0; i < attacks && fault == NULL; i++) {
        attack_view a = fxs_attack_of(table, i);
        fault = rows_fault(&a, attacks);
    }
    *is_good = fault == NULL && end == size;
    return fault ? (uint64_t)(fault - table) : end;
}

int32_t fxs_frames_check(const uint8_t *table, uint64_t size, uint64_t *at) {
    int is_good;
    uint64_t fault = table_fault(table, size, &is_good);
    if (!is_good) {
        *at = fault;
    }
    return is_good ? FXS_OK : FXS_E_TABLE;
}
