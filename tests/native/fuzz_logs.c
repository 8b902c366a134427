/* The C of match logs, fixsync/_matchlog.c: any text, columns and blocks. It stays in its memory; what it takes for a line prints as that
 * line without its spaces, and goes through columns unchanged; what it reads out of columns prints as a line that it takes; both ways of
 * playing come to the same state. The first byte chooses what the rest is. */
#include "_matchlog.h"
#include "fuzz.h"

#include <string.h>

enum { CAPACITY = 12, SLOTS = 5, EVENTS = 400, IDS = 20, CAST_HITS = 20, STEPS = 64 };

static void *filled(size_t size) {
    void *memory = malloc(size ? size : 1);
    REQUIRE(memory != NULL);
    memset(memory, 0xA5, size);
    return memory;
}

/* Memory of exactly this size, so that going beyond it is seen. */
static uint8_t *copied(const uint8_t *bytes, size_t size) {
    uint8_t *memory = filled(size);
    memcpy(memory, bytes, size);
    return memory;
}

static fxs_world *new_world(void) {
    fxs_config config = {CAPACITY, 100, FXS_TOUCHING, {0}};
    memset(config.layers, 0xFF, sizeof config.layers);
    fxs_world *world = filled((size_t)fxs_world_size(&config));
    REQUIRE(fxs_world_init(world, &config) == FXS_OK);
    return world;
}

typedef struct stage {
    fxs_event events[EVENTS];
    uint32_t ids[IDS];
    fxs_cast_hit cast_hits[CAST_HITS];
    fxs_counts counts;
} stage;

static fxl_player player_of(fxs_world *world, stage *room, int64_t *tape, uint64_t words) {
    fxl_player player = {0};
    player.world = world;
    player.tape = tape;
    player.tape_room = words;
    player.events = room->events;
    player.event_room = EVENTS;
    player.ids = room->ids;
    player.id_room = IDS;
    player.cast_hits = room->cast_hits;
    player.cast_room = CAST_HITS;
    player.counts = &room->counts;
    return player;
}

static uint32_t rows[2][(SLOTS + 1) * 8];

static fxl_columns columns_of(uint32_t kind, int side) {
    fxl_columns c = {0};
    memset(rows[side], 0, sizeof rows[side]);
    c.kind = kind;
    c.slots = SLOTS;
    c.rows = rows[side];
    return c;
}

/* The tape of a canonical line, through columns and back. */
static void there_and_back(const int64_t *tape, uint64_t words, uint32_t kind) {
    fxl_columns to = columns_of(kind, 0), from = columns_of(kind, 1);
    uint8_t *columns[FXL_COLUMNS];
    uint64_t size = 0, read = 0;
    for (int i = 0; i < FXL_COLUMNS; i++) {
        to.at[i] = columns[i] = filled((size_t)words * 10);
    }
    fxl_pack(tape, &to);
    from.frames = to.frames;
    for (int i = 0; i < FXL_COLUMNS; i++) {
        size_t used = (size_t)(to.at[i] - columns[i]);
        uint8_t *exact = copied(columns[i], used);
        free(columns[i]);
        columns[i] = exact;
        from.at[i] = exact;
        from.end[i] = exact + used;
        size += used;
    }
    int64_t *again = filled((size_t)(2 * size + FXL_TAPE_SPARE) * 8);
    REQUIRE(fxl_unpack(&from, again, &read) == FXL_END);
    REQUIRE(read == words && memcmp(again, tape, (size_t)words * 8) == 0);
    for (int i = 0; i < FXL_COLUMNS; i++) {
        free(columns[i]);
    }
    free(again);
}

static void any_text(const uint8_t *bytes, size_t size, uint32_t kind) {
    uint8_t *text = filled(size + 1);
    memcpy(text, bytes, size);
    text[size] = '\n';
    /* Line by line, each in memory of its own. */
    uint64_t frame = 0, words = 0;
    for (size_t start = 0, end; start <= size; start = end + 1) {
        end = start + (size_t)((uint8_t *)memchr(text + start, '\n', size + 1 - start) - (text + start));
        size_t length = end - start;
        uint8_t *line = copied(text + start, length + 1);
        int64_t *tape = filled((length + FXL_TAPE_SPARE) * 8);
        if (fxl_scan(line, line + length, kind, frame, tape, &words) == FXL_END) {
            REQUIRE(words <= length + FXL_TAPE_SPARE);
            uint8_t *printed = filled((size_t)words * 24 + 256);
            uint64_t size = fxl_print(tape, frame, printed), at = 0;
            for (size_t i = 0; i <= length; i++) {
                REQUIRE(line[i] == ' ' || (at < size && line[i] == printed[at++]));
            }
            REQUIRE(at == size);
            free(printed);
            there_and_back(tape, words, kind);
            frame++;
        }
        free(line);
        free(tape);
    }
    if (kind == FXL_TRACE) {
        static stage room;
        fxs_world *world = new_world();
        int64_t *tape = filled((size + 1 + FXL_TAPE_SPARE) * 8);
        fxl_player player = player_of(world, &room, tape, size + 1 + FXL_TAPE_SPARE);
        uint64_t done = 0;
        fxl_play_text(&player, text, size + 1, 0, &done);
        REQUIRE(done <= size + 1 && fxs_world_frame(world) >= player.frames && fxs_world_frame(world) <= player.frames + 1);
        free(tape);
        free(world);
    }
    free(text);
}

/* Two bytes of frames, two of the length of each column but the last, which has the rest. */
static void any_columns(const uint8_t *bytes, size_t size, uint32_t kind) {
    if (size < 14) {
        return;
    }
    static stage room;
    fxl_columns read = columns_of(kind, 0), played = columns_of(kind, 1);
    uint8_t *columns[FXL_COLUMNS];
    const uint8_t *at = bytes + 14, *end = bytes + size;
    uint64_t total = size - 14;
    for (int i = 0; i < FXL_COLUMNS; i++) {
        size_t left = (size_t)(end - at), length = bytes[2 + 2 * (i % 6)] + 256u * bytes[3 + 2 * (i % 6)];
        length = i == FXL_COLUMNS - 1 || length > left ? left : length;
        columns[i] = copied(at, length);
        read.at[i] = played.at[i] = columns[i];
        read.end[i] = played.end[i] = columns[i] + length;
        at += length;
    }
    read.frames = played.frames = 1 + bytes[0] + 256u * bytes[1];
    int64_t *tape = filled((size_t)(2 * total + FXL_TAPE_SPARE) * 8), *again = NULL;
    fxs_world *by_lines = new_world(), *by_columns = new_world();
    fxl_player player = player_of(by_columns, &room, tape, 2 * total + FXL_TAPE_SPARE);
    int32_t outcome = kind == FXL_TRACE ? fxl_play_columns(&player, &played) : FXL_STOPPED;
    uint64_t frame = 0, words = 0, other = 0;
    int32_t status = FXL_END;
    while (read.frames && status != FXL_DAMAGED) {
        status = fxl_unpack(&read, tape, &words);
        if (status == FXL_DAMAGED) {
            REQUIRE(read.fault && read.at[read.column] <= read.end[read.column]);
            break;
        }
        REQUIRE(words <= 2 * total + FXL_TAPE_SPARE);
        uint8_t *line = filled((size_t)words * 24 + 256);
        uint64_t length = fxl_print(tape, frame, line);
        REQUIRE(length <= words * 24 + 256);
        again = filled((size_t)(length - 1 + FXL_TAPE_SPARE) * 8);
        int32_t scanned = fxl_scan(line, line + length - 1, kind, frame, again, &other);
        REQUIRE(scanned == status);
        if (scanned == FXL_END) {
            REQUIRE(other == words && memcmp(again, tape, (size_t)words * 8) == 0);
        }
        if (kind == FXL_TRACE && frame < player.frames) {
            fxl_player lines = player_of(by_lines, &room, again, length - 1 + FXL_TAPE_SPARE);
            uint64_t done;
            REQUIRE(fxl_play_text(&lines, line, length, frame, &done) == FXL_END && done == length);
        }
        free(line);
        free(again);
        frame++;
    }
    REQUIRE(player.frames <= frame);
    if (kind == FXL_TRACE && outcome == FXL_END) {
        REQUIRE(fxs_world_hash(by_lines) == fxs_world_hash(by_columns));
    }
    for (int i = 0; i < FXL_COLUMNS; i++) {
        free(columns[i]);
    }
    free(tape);
    free(by_lines);
    free(by_columns);
}

static uint32_t crc32_of(const uint8_t *p, size_t size) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
        }
    }
    return ~crc;
}

static void put_uint32(uint8_t *to, uint32_t v) {
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(v >> 8 * i);
    }
}

/* Blocks with right checksums: each takes a byte of its length, and as many more. Frame numbers are made right half of the time. */
static void any_blocks(const uint8_t *bytes, size_t size) {
    static stage room;
    size_t length = 0, starts = 0;
    uint8_t *data = filled(size * 10 + 1);
    for (size_t at = 0; at < size; starts++) {
        size_t content = bytes[at++];
        content = content > size - at ? size - at : content;
        uint8_t *block = data + length;
        block[0] = 'F';
        put_uint32(block + 1, (uint32_t)content);
        memcpy(block + 5, bytes + at, content);
        if (content && starts < 100 && bytes[at - 1] % 2) {
            block[5] = (uint8_t)starts;
        }
        put_uint32(block + 5 + content, crc32_of(block, content + 5));
        length += content + FXL_BLOCK_FRAME;
        at += content;
    }
    uint8_t *exact = copied(data, length);
    fxs_world *world = new_world();
    fxl_columns from = columns_of(FXL_TRACE, 0);
    int64_t *tape = filled((2 * 256 + FXL_TAPE_SPARE) * 8);
    fxl_player player = player_of(world, &room, tape, 2 * 256 + FXL_TAPE_SPARE);
    uint64_t done = 0;
    int32_t outcome = fxl_play_blocks(&player, &from, exact, length, 0, &done);
    REQUIRE(done <= length && fxs_world_frame(world) >= player.frames && fxs_world_frame(world) <= player.frames + 1);
    REQUIRE(outcome != FXL_END || (!from.frames && !from.waiting));
    free(tape);
    free(world);
    free(exact);
    free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size == 0) {
        return 0;
    }
    if (bytes[0] & 4) {
        any_blocks(bytes + 1, size - 1);
        return 0;
    }
    uint32_t kind = bytes[0] >> 1 & 1 ? FXL_SIM : FXL_TRACE;
    if (bytes[0] & 1) {
        any_columns(bytes + 1, size - 1, kind);
    } else {
        any_text(bytes + 1, size - 1, kind);
    }
    return 0;
}
