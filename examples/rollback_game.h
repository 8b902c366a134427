/* The game of rollback.c: two fighters on a line who walk and punch; and a bad network.
 *
 * A step is a function of the state and the inputs. It leaves its commands, its events and the hash
 * of the world; commands that answer its events, the reactions, come last. */
#include "fixsync_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYERS = 2, ROWS = 8, EVENTS = 16, HIT_ROOM = 4, STATE = 1024 };
enum { LEFT = 1, RIGHT = 2, PUNCH = 4, KO = FXS_GAME_EVENT, HEALTH = 30 };

/* The game's own state, beside the world's. */
typedef struct own_state {
    int32_t health[PLAYERS], falls[PLAYERS];
} own_state;

static const char *const OWN_FIELDS[] = {"health", "falls"};

typedef struct game {
    fxs_world *world;
    own_state own;
    fxs_command rows[ROWS];   /* commands of the last step, the reactions last */
    fxs_event events[EVENTS]; /* of the world, then of the game */
    uint64_t row_count, after_count, event_count, hash;
} game;

static void must(int32_t status) {
    if (status != FXS_OK) {
        fprintf(stderr, "status %d\n", (int)status);
        exit(1);
    }
}

/* malloc aligns to 8 and more. */
static void *memory_of(uint64_t size) {
    void *memory = size ? calloc(1, (size_t)size) : NULL;
    if (memory == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return memory;
}

/* Whether two states are the same; prints the first field that differs. */
static int is_same_own(const own_state *a, const own_state *b, uint32_t frame) {
    for (uint32_t i = 0; i < 2 * PLAYERS; i++) {
        const int32_t *of_a = i < PLAYERS ? a->health : a->falls;
        const int32_t *of_b = i < PLAYERS ? b->health : b->falls;
        if (of_a[i % PLAYERS] != of_b[i % PLAYERS]) {
            printf("frame %u: %s of player %u: %d and %d\n", frame, OWN_FIELDS[i / PLAYERS],
                   i % PLAYERS, of_a[i % PLAYERS], of_b[i % PLAYERS]);
            return 0;
        }
    }
    return 1;
}

static void begin_game(game *g) {
    fxs_config config = {PLAYERS, HIT_ROOM, FXS_TOUCHING, {1}};
    uint64_t bad;
    memset(g, 0, sizeof *g);
    g->world = memory_of(fxs_world_size(&config));
    must(fxs_world_init(g->world, &config));
    for (uint32_t i = 0; i < PLAYERS; i++) {
        fxs_command row = {.type = FXS_COMMAND_ADD,
                           .collider = {.id = i, .x = i ? FXS_Q(2) : FXS_Q(-2), .active = 1}};
        row.collider.size[0] = FXS_Q_NEAR(1, 2);
        must(fxs_world_apply(g->world, &row, 1, &bad));
        g->own.health[i] = HEALTH;
    }
}

static void move(game *g, uint32_t player, int32_t x) {
    fxs_command *row = &g->rows[g->row_count++];
    uint64_t bad;
    *row = (fxs_command){.type = FXS_COMMAND_MOVE, .collider = {.id = player, .x = x}};
    must(fxs_world_apply(g->world, row, 1, &bad));
}

static void step(game *g, const int64_t inputs[PLAYERS]) {
    fxs_collider body;
    fxs_counts counts;
    g->row_count = 0;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        must(fxs_world_get(g->world, i, &body));
        int32_t way = !!(inputs[i] & RIGHT) - !!(inputs[i] & LEFT);
        move(g, i, body.x + way * FXS_Q_NEAR(1, 10));
    }
    must(fxs_world_step(g->world, g->events, EVENTS - PLAYERS, &counts));
    g->hash = fxs_world_hash(g->world);
    g->event_count = counts.events;
    uint64_t before = g->row_count;
    for (uint32_t i = 0; i < PLAYERS && counts.hits; i++) { /* those who meet can punch */
        uint32_t other = 1 - i;
        if ((inputs[i] & PUNCH) && (g->own.health[other] -= 10) <= 0) {
            g->own.health[other] = HEALTH;
            g->own.falls[other]++;
            g->events[g->event_count++] = (fxs_event){i, other, KO, (uint32_t)g->own.falls[other]};
            move(g, other, other ? FXS_Q(2) : FXS_Q(-2));
        }
    }
    g->after_count = g->row_count - before;
}

/* Whether all is the same as on the other peer, or when a frame is stepped again; prints it. */
static int is_same(const fxs_rollback *rollback) {
    fxs_desync found;
    fxs_difference row;
    uint64_t sizes[2] = {0, 0}, count = 0, at, length = 0;
    char text[512];
    if (fxs_rollback_desync(rollback, &found) == FXS_E_ABSENT) {
        return 1;
    }
    const uint8_t *a = fxs_rollback_kept(rollback, 1, FXS_PART_WORLD, &sizes[0]);
    const uint8_t *b = fxs_rollback_kept(rollback, 0, FXS_PART_WORLD, &sizes[1]);
    if (a == NULL) {
        printf("frame %u: part %u of peer %u differs\n", found.frame, found.part, found.peer);
        return 0;
    }
    fxs_state_differences(a, sizes[0], b, sizes[1], &row, 1, &count, &at);
    if (count == 0) { /* else the first field */
        const void *now = fxs_rollback_kept(rollback, 0, FXS_PART_OWN, &at);
        const void *before = fxs_rollback_kept(rollback, 1, FXS_PART_OWN, &at);
        return is_same_own(before, now, found.frame);
    }
    must(fxs_difference_text(&row, NULL, 0, text, sizeof text, &length));
    printf("frame %u: %.*s\n", found.frame, (int)length, text);
    return 0;
}

/* The keys of a player: any function of player and frame. */
static int64_t pressed(uint32_t player, uint32_t frame) {
    uint64_t random = frame / 6 * 2 + player;
    int64_t towards = player ? LEFT : RIGHT;
    uint64_t dice = fxs_random_next(&random);
    return (dice & 3 ? towards : LEFT + RIGHT - towards) | (dice & 24 ? 0 : PUNCH);
}

/* ---- the network: packets between two peers in this process, many of them late or lost ---- */

enum { DELAY_MAX = 7, FLIGHT = DELAY_MAX + 1 };

typedef struct packet {
    uint64_t size; /* 0: none */
    uint8_t bytes[FXS_PACKET_SIZE];
} packet;

typedef struct line {
    packet flight[FLIGHT]; /* by the frame in which they arrive, modulo FLIGHT */
    uint64_t random;
} line;

static void send(line *l, uint32_t now, fxs_rollback *from) {
    uint32_t delay = (uint32_t)fxs_random_below(&l->random, DELAY_MAX) + 1;
    packet *sent = &l->flight[(now + delay) % FLIGHT];
    if (fxs_rollback_packet(from, 1, sent->bytes, sizeof sent->bytes, &sent->size) == FXS_E_ID ||
        fxs_random_chance(&l->random, 1, 3)) {
        sent->size = 0; /* no other peer, or lost */
    }
}

static void receive(line *l, uint32_t now, fxs_rollback *to) {
    packet *came = &l->flight[now % FLIGHT];
    if (came->size) {
        must(fxs_rollback_receive(to, 1, came->bytes, came->size)); /* a real one may be refused */
        came->size = 0;
    }
}

/* Writes what the log of the first peer has, and drops that of others. */
static void write_log(FILE *file, const char *text, fxs_recorder *log, uint32_t peer) {
    if (file != NULL && peer == 0 && fwrite(text, 1, (size_t)log->size, file) != log->size) {
        fprintf(stderr, "cannot write the log\n");
        exit(1);
    }
    log->size = 0;
}
