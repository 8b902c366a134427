/* Two peers of a duel with GGPO-style callbacks: save, load, checksum, advance.
 *
 * Peer `there` always has the inputs of both players. Peer `here` gets the other's inputs late:
 * every frame it predicts them, advances up to eight frames, rolls back, and advances with the real
 * inputs. Both must agree after every frame.
 *
 *     cc -I csrc examples/ggpo_callbacks.c csrc/[a-z]*.c -o duel && ./duel
 */
#include "fixsync.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYERS = 2, FRAMES = 600, AHEAD_MAX = 8, CAPACITY = 8, HIT_ROOM = 32 };
enum { BODY, SWORD };                                               /* layers */
enum { LEFT = 1, RIGHT = 2, NEARER = 4, FURTHER = 8, STRIKE = 16 }; /* buttons */
enum { STEP = FXS_ONE / 8, ARENA = 3 * FXS_ONE / 2 }; /* distance per frame; half side */

/* The whole state: the world, and the game's own fields. */
typedef struct game {
    fxs_world *world;
    int32_t health[PLAYERS];
    uint32_t struck; /* hits so far */
} game;

static void require(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}
static void ok(int32_t status, const char *what) {
    if (status != FXS_OK) {
        fprintf(stderr, "%s: status %d\n", what, status);
        exit(1);
    }
}

static uint32_t body_of(uint32_t player) { return player; }
static uint32_t sword_of(uint32_t player) { return PLAYERS + player; }

/* ---- the game ---- */

static void begin_game(game *g) {
    fxs_config config = {CAPACITY, HIT_ROOM, FXS_TOUCHING, {0}};
    config.layers[BODY] = 1u << SWORD; /* swords hit bodies; no other layers meet */
    config.layers[SWORD] = 1u << BODY;
    memset(g, 0, sizeof *g);
    g->world = malloc((size_t)fxs_world_size(&config)); /* malloc aligns to 8 and more */
    require(g->world != NULL, "out of memory");
    ok(fxs_world_init(g->world, &config), "fxs_world_init");
    for (uint32_t player = 0; player < PLAYERS; player++) {
        fxs_collider body = {0}, sword = {0};
        body.id = body_of(player);
        body.kind = FXS_CAPSULE;
        body.layer = BODY;
        body.active = 1;
        body.owner = player + 1;
        body.x = player ? FXS_ONE : -FXS_ONE;
        body.yaw = player ? FXS_TURN / 2 : 0;
        body.size[0] = 3 * FXS_ONE / 8;
        body.size[1] = FXS_ONE / 2;
        ok(fxs_world_add(g->world, &body), "body");
        sword.id = sword_of(player);
        sword.kind = FXS_SECTOR;
        sword.layer = SWORD;
        sword.owner = player + 1;
        sword.x = body.x;
        sword.yaw = body.yaw;
        sword.half_angle = FXS_TURN / 8;
        sword.size[0] = 3 * FXS_ONE / 2;
        sword.size[1] = FXS_ONE / 2;
        ok(fxs_world_add(g->world, &sword), "sword");
        g->health[player] = 1000;
    }
}

static void advance_frame(game *g, const uint32_t inputs[PLAYERS]) {
    for (uint32_t player = 0; player < PLAYERS; player++) {
        fxs_collider body;
        ok(fxs_world_get(g->world, body_of(player), &body), "fxs_world_get");
        uint32_t pressed = inputs[player];
        fxs_pose pose = {body.x, body.y, body.z, body.yaw};
        pose.x += ((pressed & RIGHT) ? STEP : 0) - ((pressed & LEFT) ? STEP : 0);
        pose.z += ((pressed & FURTHER) ? STEP : 0) - ((pressed & NEARER) ? STEP : 0);
        pose.x = pose.x >= -ARENA && pose.x <= ARENA ? pose.x : body.x;
        pose.z = pose.z >= -ARENA && pose.z <= ARENA ? pose.z : body.z;
        ok(fxs_world_set_pose(g->world, body_of(player), &pose), "body");
        ok(fxs_world_set_pose(g->world, sword_of(player), &pose), "sword");
        ok(fxs_world_set_active(g->world, sword_of(player), (pressed & STRIKE) != 0), "sword");
    }
    fxs_event events[2 * HIT_ROOM];
    fxs_counts counts;
    ok(fxs_world_step(g->world, events, 2 * HIT_ROOM, &counts), "fxs_world_step");
    for (uint64_t i = 0; i < counts.events; i++) {
        if (events[i].kind == FXS_ENTER) { /* a < b, and bodies have the smaller ids */
            g->health[events[i].a] -= 10;
            g->struck++;
        }
    }
}

/* ---- the callbacks ---- */

/* One buffer: our own fields, then the world's bytes. GGPO returns the buffer to free_buffer. */
static void save_game_state(const game *g, unsigned char **buffer, size_t *len,
                            uint64_t *checksum) {
    size_t own = sizeof g->health + sizeof g->struck;
    *len = own + (size_t)fxs_world_save_size(g->world);
    *buffer = malloc(*len);
    require(*buffer != NULL, "out of memory");
    memcpy(*buffer, g->health, sizeof g->health);
    memcpy(*buffer + sizeof g->health, &g->struck, sizeof g->struck);
    fxs_world_save(g->world, *buffer + own);
    *checksum = fxs_hash64(*buffer, *len, 0);
}

static void load_game_state(game *g, const unsigned char *buffer, size_t len) {
    size_t own = sizeof g->health + sizeof g->struck;
    uint64_t at;
    require(len >= own, "the state is too short");
    ok(fxs_world_load(g->world, buffer + own, len - own, &at), "fxs_world_load");
    memcpy(g->health, buffer, sizeof g->health);
    memcpy(&g->struck, buffer + sizeof g->health, sizeof g->struck);
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
    if (a->checksum != b->checksum || a->size != b->size
        || memcmp(a->bytes, b->bytes, a->size) != 0) {
        fprintf(stderr, "frame %u: the peers differ\n", frame);
        exit(1);
    }
}

/* The buttons of a player in a frame: any function of both arguments. */
static uint32_t pressed(uint32_t player, uint32_t frame) {
    uint32_t key[2] = {player, frame / 5};
    uint8_t bytes[8];
    for (uint32_t i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(key[i / 4] >> (i % 4 * 8));
    }
    return (uint32_t)fxs_hash64(bytes, sizeof bytes, 0) & 31;
}

int main(void) {
    game here, there;
    begin_game(&here);
    begin_game(&there);
    uint32_t wrong = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        saved before = save(&here);
        /* The prediction: the other player's input stays the same. */
        for (uint32_t i = 0; i <= frame % AHEAD_MAX; i++) {
            uint32_t other = frame ? pressed(1, frame - 1) : 0;
            uint32_t predicted[PLAYERS] = {pressed(0, frame + i), other};
            advance_frame(&here, predicted);
            wrong += predicted[1] != pressed(1, frame + i);
        }
        load_game_state(&here, before.bytes, before.size);
        saved back = save(&here);
        require_equal(&before, &back, frame);

        uint32_t inputs[PLAYERS] = {pressed(0, frame), pressed(1, frame)};
        advance_frame(&here, inputs);
        advance_frame(&there, inputs);
        saved a = save(&here), b = save(&there);
        require_equal(&a, &b, frame + 1);
        require(fxs_world_hash(here.world) == fxs_world_hash(there.world),
                "the worlds' hashes differ");
        free_buffer(before.bytes);
        free_buffer(back.bytes);
        free_buffer(a.bytes);
        free_buffer(b.bytes);
    }
    printf("%u frames, each rolled back; %u inputs predicted wrong; %u hits; hash %016llx\n",
           fxs_world_frame(there.world), wrong, there.struck,
           (unsigned long long)fxs_world_hash(there.world));
    free(here.world);
    free(there.world);
    return 0;
}
