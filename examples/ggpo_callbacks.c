/* Two peers of a duel with GGPO-style callbacks: save, load, checksum, advance. The game is
 * fighter.h: a mover, a table of attacks, bodies.
 *
 * Peer `there` always has the inputs of both players, and records the match. Peer `here` gets the
 * other's inputs late: every frame it predicts them, advances up to eight frames, rolls back, and
 * advances with the real inputs. Both must agree after every frame.
 *
 *     cc -I csrc examples/ggpo_callbacks.c csrc/[a-z]*.c csrc/kit/[a-z]*.c -o duel && ./duel LOG
 *     fixsync replay LOG
 */
#include "fighter.h"

enum { PLAYERS = 2, FRAMES = 600, AHEAD_MAX = 8, HIT_ROOM = 64, EVENT_ROOM = 2 * HIT_ROOM };
enum { FIRST_WALL = PLAYERS * FIGHTER_PART_COUNT, CAPACITY = FIRST_WALL + 4 };
enum { ROW_ROOM = PLAYERS * 2 * FIGHTER_ROWS, TEXT_ROOM = 1 << 16 };

/* The whole state: the world and the fighters. The rest is scratch memory. */
typedef struct game {
    fxs_world *world;
    fighter fighters[PLAYERS];
    fxs_command rows[ROW_ROOM]; /* commands since the last step; 4 walls and 2 fighters at first */
    uint32_t row_count;
    fxs_event events[EVENT_ROOM];
    fxs_counts counts;
} game;

static void require(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

/* ---- the game ---- */

static void begin_game(game *g) {
    fxs_config config = {CAPACITY, HIT_ROOM, FXS_OVERLAPPING, {0}};
    config.layers[LAYER_BODY] = 1u << LAYER_BODY | 1u << LAYER_WALL | 1u << LAYER_SKILL;
    config.layers[LAYER_WALL] = config.layers[LAYER_SKILL] = 1u << LAYER_BODY;
    memset(g, 0, sizeof *g);
    g->world = malloc((size_t)fxs_world_size(&config)); /* malloc aligns to 8 and more */
    require(g->world != NULL, "out of memory");
    must(fxs_world_init(g->world, &config));
    for (uint32_t wall = 0; wall < 4; wall++) {
        fxs_command *row = &g->rows[g->row_count++];
        row->type = FXS_COMMAND_ADD;
        row->collider = (fxs_collider){.id = FIRST_WALL + wall,
                                       .kind = FXS_BOX,
                                       .layer = LAYER_WALL,
                                       .active = 1,
                                       .yaw = (uint16_t)(wall * (FXS_TURN / 4)),
                                       .ox = FXS_Q(3),
                                       .size = {FXS_Q(1), FXS_Q(2), FXS_Q(6)}};
    }
    uint64_t bad;
    must(fxs_world_apply(g->world, g->rows, g->row_count, &bad));
    for (uint32_t player = 0; player < PLAYERS; player++) {
        fxs_pose pose = {player ? FXS_Q(1) : FXS_Q(-1), 0, 0, player ? FXS_TURN / 2 : 0};
        g->row_count += fighter_begin(&g->fighters[player], player, g->world, &pose,
                                      g->rows + g->row_count);
    }
}

/* The commands of a step are those since the step before. */
static void advance_frame(game *g, const uint32_t inputs[PLAYERS], fxs_recorder *log, char *text) {
    for (uint32_t player = 0; player < PLAYERS; player++) {
        g->row_count += fighter_act(&g->fighters[player], inputs[player], g->world,
                                    g->rows + g->row_count);
    }
    must(fxs_world_step(g->world, g->events, EVENT_ROOM, &g->counts));
    if (log != NULL) {
        must(fxs_recorder_commands(log, g->rows, g->row_count, text, TEXT_ROOM));
        const fxs_recorded recorded = {.event_count = g->counts.events,
                                       .has_events = 1,
                                       .hash = fxs_world_hash(g->world),
                                       .has_hash = 1};
        must(fxs_recorder_step(log, &recorded, g->events, text, TEXT_ROOM));
    }
    g->row_count = 0;
    for (uint64_t i = 0; i < g->counts.events; i++) {
        g->row_count += fighter_meet(g->fighters, PLAYERS, &g->events[i], g->world,
                                     g->rows + g->row_count);
    }
    for (uint32_t player = 0; player < PLAYERS; player++) {
        g->row_count += fighter_rest(&g->fighters[player], g->world, g->rows + g->row_count);
    }
}

/* ---- the callbacks ---- */

/* One buffer: each fighter's bytes, then the world's. GGPO returns the buffer to free_buffer. */
static void save_game_state(const game *g, unsigned char **buffer, size_t *len,
                            uint64_t *checksum) {
    *buffer = calloc(1, PLAYERS * FIGHTER_STATE_MAX + (size_t)fxs_world_save_size(g->world));
    require(*buffer != NULL, "out of memory");
    unsigned char *next = *buffer;
    for (uint32_t player = 0; player < PLAYERS; player++) {
        fighter_save(&g->fighters[player], next);
        next += FIGHTER_STATE_MAX;
    }
    fxs_world_save(g->world, next);
    *len = (size_t)(next - *buffer) + (size_t)fxs_world_save_size(g->world);
    *checksum = fxs_hash64(*buffer, *len, 0);
}

static void load_game_state(game *g, const unsigned char *buffer, size_t len) {
    uint64_t at;
    size_t own = PLAYERS * FIGHTER_STATE_MAX;
    require(len >= own, "the state is too short");
    must(fxs_world_load(g->world, buffer + own, len - own, &at));
    for (uint32_t player = 0; player < PLAYERS; player++) {
        fighter_load(&g->fighters[player], buffer + player * FIGHTER_STATE_MAX);
    }
    g->row_count = 0;
}

static void free_buffer(void *buffer) { free(buffer); }

/* ---- the match ---- */

typedef struct saved {
    unsigned char *bytes;
    size_t size;
    uint64_t checksum;
} saved;

static saved save(const game *g) {
    saved s;
    save_game_state(g, &s.bytes, &s.size, &s.checksum);
    return s;
}

static void require_equal(const saved *a, const saved *b, uint32_t frame) {
    if (a->checksum != b->checksum || a->size != b->size ||
        memcmp(a->bytes, b->bytes, a->size) != 0) {
        fprintf(stderr, "frame %u: the peers differ\n", frame);
        exit(1);
    }
}

/* The input of a player in a frame: any function of both arguments. */
static uint32_t pressed(uint32_t player, uint32_t frame) {
    uint32_t key[2] = {player, frame / 5};
    uint8_t bytes[8];
    for (uint32_t i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(key[i / 4] >> (i % 4 * 8));
    }
    uint64_t hash = fxs_hash64(bytes, sizeof bytes, 0);
    /* Player 0 mostly faces +X, and player 1 -X: towards the other. */
    uint32_t heading = hash >> 20 & 3 ? player * 32 : (uint32_t)hash & 63;
    return heading | ((uint32_t)(hash >> 6) & (DASH | BLAST | BEAM | SLASH | WALK));
}

static void write_out(fxs_recorder *log, const char *text, FILE *file) {
    if (file != NULL) {
        require(fwrite(text, 1, (size_t)log->size, file) == log->size, "cannot write the log");
    }
    log->size = 0;
}

int main(int argc, char **argv) {
    static game here, there;
    static char text[TEXT_ROOM];
    FILE *file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    fxs_recorder log;
    require(argc < 2 || file != NULL, "cannot open the log");
    begin_game(&here);
    begin_game(&there);
    there.row_count = 0; /* the log begins with the colliders that are there */
    uint64_t at;
    must(fxs_recorder_begin(&log, there.world, NULL, 0, NULL, 0, text, TEXT_ROOM, &at));
    uint32_t wrong = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        saved before = save(&here);
        /* The prediction: the other player's input stays the same. */
        for (uint32_t i = 0; i <= frame % AHEAD_MAX; i++) {
            uint32_t other = frame ? pressed(1, frame - 1) : 0;
            uint32_t predicted[PLAYERS] = {pressed(0, frame + i), other};
            advance_frame(&here, predicted, NULL, NULL);
            wrong += predicted[1] != pressed(1, frame + i);
        }
        load_game_state(&here, before.bytes, before.size);
        saved back = save(&here);
        require_equal(&before, &back, frame);

        uint32_t inputs[PLAYERS] = {pressed(0, frame), pressed(1, frame)};
        advance_frame(&here, inputs, NULL, NULL);
        advance_frame(&there, inputs, &log, text);
        write_out(&log, text, file);
        saved a = save(&here), b = save(&there);
        require_equal(&a, &b, frame + 1);
        require(fxs_world_hash(here.world) == fxs_world_hash(there.world),
                "the worlds' hashes differ");
        free_buffer(before.bytes);
        free_buffer(back.bytes);
        free_buffer(a.bytes);
        free_buffer(b.bytes);
    }
    must(fxs_recorder_end(&log, text, TEXT_ROOM));
    write_out(&log, text, file);
    require(file == NULL || fclose(file) == 0, "cannot write the log");
    printf("%u frames, each rolled back; %u inputs predicted wrong; %d falls; hash %016llx\n",
           fxs_world_frame(there.world), wrong,
           there.fighters[0].own.falls + there.fighters[1].own.falls,
           (unsigned long long)fxs_world_hash(there.world));
    free(here.world);
    free(there.world);
    return 0;
}
