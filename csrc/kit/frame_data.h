/* A table of frame data: the parts and the attacks of a fighter, as bytes. The functions that read
 * it take tables that fxs_frame_data_check has accepted. */
#ifndef FIXSYNC_FRAMES_H
#define FIXSYNC_FRAMES_H

#include "../fixsync_kit.h"
#include "../hash.h"
#include "../shape.h"

/* Sizes in a table, in bytes. */
enum {
    TABLE_HEAD = 12,
    PART_ROW = 32,
    ATTACK_ROW = 28,       /* of "FXF1" */
    KEYED_ATTACK_ROW = 32, /* of "FXF2" */
    WINDOW_ROW = 12,
    REHIT_ROW = 4,
    CANCEL_ROW = 16,
    KEY_HEAD = 12, /* of a key, before its part row */
    KEY_ROW = KEY_HEAD + PART_ROW,
};

#define TABLE_MAGIC 0x31465846u       /* "FXF1", little-endian */
#define KEYED_TABLE_MAGIC 0x32465846u /* "FXF2" */

static inline uint32_t part_count(const uint8_t *table) { return read32(table + 4); }
static inline uint32_t attack_count(const uint8_t *table) { return read32(table + 8); }

static inline int is_keyed(const uint8_t *table) { return read32(table) == KEYED_TABLE_MAGIC; }

static inline const uint8_t *part_row(const uint8_t *table, uint32_t part) {
    return table + TABLE_HEAD + (uint64_t)PART_ROW * part;
}

static inline uint32_t attack_row_size(const uint8_t *table) {
    return is_keyed(table) ? KEYED_ATTACK_ROW : ATTACK_ROW;
}

static inline const uint8_t *attack_row(const uint8_t *table, uint32_t attack) {
    return part_row(table, part_count(table)) + (uint64_t)attack_row_size(table) * attack;
}

/* An attack: how many frames, which parts it switches, and where its rows are. One of zeros stands
 * for no attack. */
typedef struct attack_view {
    uint32_t frames;
    uint32_t active;   /* parts that are off outside their windows */
    uint32_t inactive; /* parts that are on outside their windows */
    uint32_t window_count, rehit_count, cancel_count, key_count;
    const uint8_t *windows, *rehits, *cancels, *keys;
} attack_view;

FXS_INTERNAL attack_view fxs_attack_of(const uint8_t *table, uint32_t index);

/* Whether a frame is in the span that begins a row: first frame, and the one after the last. */
static inline int in_span(const uint8_t *row, uint32_t frame) {
    return read32(row) <= frame && frame < read32(row + 4);
}

/* The parts whose windows a frame is in. */
FXS_INTERNAL uint32_t fxs_parts_in_window(const attack_view *a, uint32_t frame);

/* The row of a part in a frame of an attack: that of its key, or its own. */
FXS_INTERNAL const uint8_t *fxs_row_in_frame(const uint8_t *table, const attack_view *a,
                                             uint32_t part, uint32_t frame);

/* The collider at the origin that a part row makes, with the offset and yaw that it has in a
 * mirrored body. */
FXS_INTERNAL fxs_collider fxs_collider_of_row(const uint8_t *row, uint32_t is_mirrored);

/* The offset in its row of the first field of a part that is out of range, or -1. */
FXS_INTERNAL int fxs_part_fault(const uint8_t *row);

/* Whether the hit under way has struck a victim. */
FXS_INTERNAL int fxs_has_victim(const fxs_body *body, uint32_t victim);

#endif
