/* Tables of frame data: read and checked (docs/contract.md). */
#include "frame_data.h"

enum { QUARTER = FXS_TURN / 4 };

attack_view fxs_attack_of(const uint8_t *table, uint32_t index) {
    const uint8_t *row = attack_row(table, index);
    attack_view a;
    a.frames = read32(row);
    a.active = read32(row + 4);
    a.inactive = read32(row + 8);
    a.window_count = read32(row + 12);
    a.rehit_count = read32(row + 16);
    a.cancel_count = read32(row + 20);
    a.key_count = is_keyed(table) ? read32(row + 28) : 0;
    a.windows = table + read32(row + 24);
    a.rehits = a.windows + (uint64_t)WINDOW_ROW * a.window_count;
    a.cancels = a.rehits + (uint64_t)REHIT_ROW * a.rehit_count;
    a.keys = a.cancels + (uint64_t)CANCEL_ROW * a.cancel_count;
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

/* Whether a key begins at this frame of its part or before, or is of an earlier part. */
static int key_is_not_after(const uint8_t *key, uint32_t part, uint32_t frame) {
    uint32_t key_part = read32(key + 8);
    return key_part != part ? key_part < part : read32(key) <= frame;
}

const uint8_t *fxs_row_in_frame(const uint8_t *table, const attack_view *a, uint32_t part,
                                uint32_t frame) {
    uint32_t low = 0;
    uint32_t high = a->key_count;
    while (low < high) { /* the keys below low are not after, those from high on are */
        uint32_t middle = low + (high - low) / 2;
        if (key_is_not_after(a->keys + (uint64_t)KEY_ROW * middle, part, frame)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const uint8_t *key = low > 0 ? a->keys + (uint64_t)KEY_ROW * (low - 1) : NULL;
    if (key != NULL && read32(key + 8) == part && in_span(key, frame)) {
        return key + KEY_HEAD;
    }
    return part_row(table, part);
}

fxs_collider fxs_collider_of_row(const uint8_t *row, uint32_t is_mirrored) {
    const int turns = row[3] != 0;
    fxs_collider c = {0};
    c.kind = row[0];
    c.layer = row[1];
    c.active = row[2];
    uint32_t angles = read32(row + 4);
    uint32_t yaw = angles & (FXS_TURN - 1);
    c.half_angle = (uint16_t)(angles >> 16);
    int32_t ox = read_signed(row + 8);
    int32_t oz = read_signed(row + 16);
    if (is_mirrored) { /* the offset that is negated is not -2^31 */
        const int has_front = fxs_kinds[c.kind].has_front;
        const uint32_t about = has_front ? FXS_TURN + FXS_TURN / 2 : FXS_TURN;
        yaw = (about - yaw) & (FXS_TURN - 1);
        if (turns && has_front) {
            oz = -oz; /* half a turn more takes ox to -ox, and oz to -oz */
        } else {
            ox = -ox;
        }
    }
    c.yaw = (uint16_t)yaw;
    /* The collider turns its offset by its own yaw. Where the offset does not turn with the row,
     * the row's yaw is taken back: off centre that is some quarters, so this is exact; |ox|, |oz| <
     * 2^31, so the negatives are in range. */
    uint32_t quarters = !turns && (ox | oz) != 0 ? yaw / QUARTER : 0;
    for (; quarters > 0; quarters--) {
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

/* The most that bytes 1 to 3 of a part row may be: layer, active, and whether its offset turns. */
static const uint8_t PART_MOST[4] = {0, FXS_LAYER_COUNT - 1, 1, 0};
static const uint8_t KEYED_PART_MOST[4] = {0, FXS_LAYER_COUNT - 1, 1, 1};
static const uint8_t KEY_MOST[4] = {0, 0, 0, 1};

/* That of an offset of INT32_MIN, which only a turning offset may have: a sector's on x, any
 * other's on z; or -1. */
static int least_offset_fault(int32_t ox, int32_t oz, int turns, int has_front) {
    if (ox == INT32_MIN && !(turns && has_front)) {
        return 8;
    }
    if (oz == INT32_MIN && !(turns && !has_front)) {
        return 16;
    }
    return -1;
}

/* The offset in its row of the first field of a part that is out of range, or -1. */
static int part_fault(const uint8_t *row, const uint8_t most[4]) {
    uint32_t angles = read32(row + 4);
    fxs_shape shape = {row[0], angles >> 16, {0}};
    for (int i = 0; i < 3; i++) {
        shape.size[i] = read_signed(row + 20 + 4 * i);
    }
    int32_t ox = read_signed(row + 8);
    int32_t oz = read_signed(row + 16);
    int turns = row[3] != 0;
    if (shape.kind >= KIND_COUNT) {
        return 0;
    }
    const struct kind *k = fxs_kinds + shape.kind;
    for (int i = 1; i < 4; i++) {
        if (row[i] > most[i]) {
            return i;
        }
    }
    if (!turns && (angles & (QUARTER - 1)) != 0 && (ox | oz) != 0) {
        return 4;
    }
    if (shape.half_angle < k->rest_least >> 32 || shape.half_angle > k->rest_most >> 32) {
        return 6;
    }
    const int fault = least_offset_fault(ox, oz, turns, k->has_front);
    if (fault >= 0) {
        return fault;
    }
    return fxs_shape_check(&shape) == FXS_OK ? -1 : 20;
}

int fxs_part_fault(const uint8_t *row) { return part_fault(row, KEYED_PART_MOST); }

/* Whether a row begins with a span of frames that is not empty and ends within the attack. */
static int is_within_attack(const uint8_t *row, uint32_t frames) {
    return read32(row) < read32(row + 4) && read32(row + 4) <= frames;
}

/* The first field of an attack's windows that is out of range, or NULL. */
static const uint8_t *windows_fault(const attack_view *a) {
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
    return NULL;
}

static const uint8_t *rehits_fault(const attack_view *a) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < a->rehit_count; i++) {
        const uint8_t *row = a->rehits + (uint64_t)REHIT_ROW * i;
        if (read32(row) <= last || read32(row) >= a->frames) {
            return row;
        }
        last = read32(row);
    }
    return NULL;
}

static const uint8_t *cancels_fault(const attack_view *a, uint32_t attacks) {
    for (uint32_t i = 0; i < a->cancel_count; i++) {
        const uint8_t *row = a->cancels + (uint64_t)CANCEL_ROW * i;
        if (!is_within_attack(row, a->frames)) {
            return row;
        }
        if (read32(row + 8) >= attacks) {
            return row + 8;
        }
        if (read32(row + 12) > 1) {
            return row + 12;
        }
    }
    return NULL;
}

/* Whether two keys ascend by part, and within a part without a frame in common. */
static int keys_ascend(const uint8_t *key, const uint8_t *next) {
    uint32_t part = read32(key + 8);
    uint32_t next_part = read32(next + 8);
    return part != next_part ? part < next_part : read32(key + 4) <= read32(next);
}

static const uint8_t *keys_fault(const attack_view *a, uint32_t count) {
    for (uint32_t i = 0; i < a->key_count; i++) {
        const uint8_t *row = a->keys + (uint64_t)KEY_ROW * i;
        if (!is_within_attack(row, a->frames) || (i > 0 && !keys_ascend(row - KEY_ROW, row))) {
            return row;
        }
        if (read32(row + 8) >= count) {
            return row + 8;
        }
        int fault = part_fault(row + KEY_HEAD, KEY_MOST);
        if (fault >= 0) {
            return row + KEY_HEAD + fault;
        }
    }
    return NULL;
}

/* The first field of the rows of an attack that is out of range, or NULL. */
static const uint8_t *rows_fault(const uint8_t *table, uint32_t attack) {
    const attack_view a = fxs_attack_of(table, attack);
    const uint8_t *fault = windows_fault(&a);
    fault = fault ? fault : rehits_fault(&a);
    fault = fault ? fault : cancels_fault(&a, attack_count(table));
    return fault ? fault : keys_fault(&a, part_count(table));
}

/* The first field of an attack's row that is out of range, or NULL; *end is where the rows of the
 * attacks before end, and takes its own. */
static const uint8_t *attack_fault(const uint8_t *table, uint64_t size, uint32_t index,
                                   uint64_t *end) {
    const uint8_t *row = attack_row(table, index);
    uint32_t active = read32(row + 4);
    uint32_t inactive = read32(row + 8);
    uint32_t all = UINT32_MAX >> (FXS_PARTS_MAX - part_count(table));
    if (read32(row) < 1 || read32(row) > FXS_ATTACK_FRAMES_MAX) {
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
    if (read32(row + 24) != begin) {
        return row + 24;
    }
    uint32_t keys = is_keyed(table) ? read32(row + 28) : 0;
    if ((size - *end) / KEY_ROW < keys) {
        return row + 28;
    }
    *end += (uint64_t)KEY_ROW * keys;
    return NULL;
}

/* Whether an attack of a good table has keys, or the offset of a part turns. Only such a table is
 * written as FXF2. */
static int needs_keyed_table(const uint8_t *table) {
    for (uint32_t i = 0; i < part_count(table); i++) {
        if (part_row(table, i)[3] != 0) {
            return 1;
        }
    }
    for (uint32_t i = 0; i < attack_count(table); i++) {
        if (fxs_attack_of(table, i).key_count > 0) {
            return 1;
        }
    }
    return 0;
}

/* The first field of a part that is out of range, or NULL. */
static const uint8_t *first_part_fault(const uint8_t *table) {
    const uint8_t *most = is_keyed(table) ? KEYED_PART_MOST : PART_MOST;
    for (uint32_t i = 0; i < part_count(table); i++) {
        const int fault = part_fault(part_row(table, i), most);
        if (fault >= 0) {
            return part_row(table, i) + fault;
        }
    }
    return NULL;
}

/* The first field of an attack that is wrong, in its row before the rows it names, or NULL. `*end`
 * goes from the end of the attacks to that of all rows. */
static const uint8_t *first_attack_fault(const uint8_t *table, uint64_t size, uint64_t *end) {
    const uint32_t attacks = attack_count(table);
    const uint8_t *fault = NULL;
    for (uint32_t i = 0; i < attacks && fault == NULL; i++) {
        fault = attack_fault(table, size, i, end);
    }
    for (uint32_t i = 0; i < attacks && fault == NULL; i++) {
        fault = rows_fault(table, i);
    }
    return fault;
}

static uint64_t table_fault(const uint8_t *table, uint64_t size, int *is_good) {
    *is_good = 0;
    if (size < TABLE_HEAD || (read32(table) != TABLE_MAGIC && !is_keyed(table))) {
        return 0;
    }
    uint32_t n = part_count(table);
    uint32_t attacks = attack_count(table);
    if (n < 1 || n > FXS_PARTS_MAX || size < TABLE_HEAD + (uint64_t)PART_ROW * n) {
        return 4;
    }
    uint64_t end = TABLE_HEAD + (uint64_t)PART_ROW * n;
    if ((size - end) / attack_row_size(table) < attacks || size > UINT32_MAX) {
        return 8;
    }
    end += (uint64_t)attack_row_size(table) * attacks;
    const uint8_t *fault = first_part_fault(table);
    if (fault == NULL) {
        fault = first_attack_fault(table, size, &end);
    }
    if (fault != NULL) {
        return (uint64_t)(fault - table);
    }
    if (end == size && is_keyed(table) && !needs_keyed_table(table)) {
        return 0;
    }
    *is_good = end == size;
    return end;
}

int32_t fxs_frame_data_check(const uint8_t *table, uint64_t size, uint64_t *at) {
    int is_good;
    uint64_t fault = table_fault(table, size, &is_good);
    if (!is_good) {
        *at = fault;
    }
    return is_good ? FXS_OK : FXS_E_TABLE;
}
