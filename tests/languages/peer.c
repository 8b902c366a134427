/* A peer in C of the match of test_languages.py: PLAYER RANDOM LOG FRAMES. */
#include "fixsync_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYERS = 2, NUMBERS = 2, EVENTS = 64, TEXT = 1 << 22, STATE = 4096, SCORE = 16, PUNCH };
enum { JUMPS = 8, FIXED = 28 }; /* bytes of the own state without jumps */

static struct { /* as the others have it on a little-endian machine */
    uint64_t length, random;
    int32_t health[PLAYERS], score[PLAYERS], jump_count, jumps[JUMPS];
} own = {FIXED, 5, {100, 100}, {0, 0}, 0, {0}};
static fxs_world *world;
static fxs_event events[EVENTS], changed[2][EVENTS];
static fxs_command reactions[EVENTS], given[EVENTS];
static char text[TEXT], line[1 << 16];

static void must(int is_so) {
    if (!is_so) {
        abort();
    }
}

static int32_t dice(int32_t count) { return (int32_t)fxs_random_below(&own.random, count); }

static void jump(uint32_t id, fxs_pushed *pushed) {
    if (own.jump_count == JUMPS) {
        memmove(own.jumps, own.jumps + 1, sizeof *own.jumps * --own.jump_count);
    }
    const int32_t x = own.jumps[own.jump_count++] = dice(81) - 40;
    must(fxs_world_move(world, id, x, 0, 0) == FXS_OK);
    fxs_command *row = &reactions[pushed->reaction_count];
    row->type = FXS_COMMAND_MOVE;
    row->collider = (fxs_collider){.id = id, .x = x};
    pushed->command_count = ++pushed->reaction_count;
}

static fxs_pushed step(const int64_t *inputs) {
    fxs_collider body;
    fxs_counts counts;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        must(fxs_world_get(world, i, &body) == FXS_OK);
        const int32_t x = body.x + 2 * ((int32_t)(inputs[NUMBERS * i] & 3) - 1);
        must(fxs_world_move(world, i, x < -40 ? -40 : x > 40 ? 40 : x, 0, 0) == FXS_OK);
    }
    must(fxs_world_step(world, events, EVENTS - 8, &counts) == FXS_OK);
    uint64_t n = counts.events;
    fxs_pushed pushed = {.hash = fxs_world_hash(world), .has_hash = 1};
    for (uint64_t k = 0; k < counts.events; k++) {
        const uint32_t a = events[k].a, b = events[k].b;
        if (events[k].kind != FXS_ENTER || a >= PLAYERS) {
            continue;
        }
        if (b >= PLAYERS) {
            events[n++] = (fxs_event){a, b, SCORE, (uint32_t)++own.score[a]};
            jump(b, &pushed);
        }
        for (uint32_t i = 0; i < PLAYERS && b < PLAYERS; i++) {
            if (inputs[NUMBERS * i + 1] & 1) {
                own.health[1 - i] -= 1 + dice(3) + own.jump_count;
                own.jump_count -= own.jump_count > 0;
                events[n++] = (fxs_event){i, 1 - i, PUNCH, (uint32_t)own.health[1 - i]};
            }
        }
    }
    own.length = FIXED + sizeof *own.jumps * (uint64_t)own.jump_count;
    pushed.event_count = n;
    return pushed;
}

static void run(fxs_rollback *rollback, fxs_recorder *log, uint32_t frames) {
    fxs_rollback_request asked;
    fxs_recorded known;
    fxs_event_changes changes;
    int64_t inputs[PLAYERS * NUMBERS];
    do {
        must(fxs_rollback_next(rollback, world, (uint8_t *)&own, &asked, inputs, given, events) ==
             FXS_OK);
        if (asked.type == FXS_ROLLBACK_STEP) {
            const fxs_pushed pushed = step(inputs);
            const uint64_t shown = fxs_hash64((uint8_t *)own.health, sizeof own.health, 0);
            must(fxs_rollback_push(rollback, world, (uint8_t *)&own, &pushed, shown, reactions,
                                   events, changed[0], changed[1], &changes) == FXS_OK);
        } else if (asked.type == FXS_ROLLBACK_CONFIRMED && asked.frame < frames) {
            for (uint32_t i = 0; i < PLAYERS; i++) {
                must(fxs_recorder_input_list(log, inputs + NUMBERS * i, NUMBERS, text, TEXT) == 0);
            }
            must(fxs_rollback_recorded(rollback, log->has_inputs, &known) == FXS_OK);
            must(fxs_recorder_step(log, &known, events, text, TEXT) == FXS_OK);
        }
    } while (asked.type != FXS_ROLLBACK_NONE);
}

int main(int argc, char **argv) {
    const char about[] = "{\"tick_rate\":60,\"sim\":\"pit\",\"seed\":5,"
                         "\"names\":{\"game\":{\"16\":\"score\",\"17\":\"punch\"}}}";
    fxs_rollback_settings settings = {.match = 7,
                                      .data = 9,
                                      .own_size = sizeof own,
                                      .own_has_length = 1,
                                      .state_size = STATE,
                                      .command_room = EVENTS,
                                      .event_room = EVENTS,
                                      .past = 60,
                                      .players = PLAYERS,
                                      .numbers = NUMBERS,
                                      .prediction_max = 12};
    static fxs_recorder log;
    fxs_config config = {8, 16, FXS_TOUCHING, {0}};
    fxs_desync found;
    fxs_pace pace;
    uint64_t size;
    must(argc == 5);
    settings.peers[1 - atoi(argv[1])] = 1;
    memcpy(settings.random, argv[2], 16);
    memset(config.layers, 0xff, sizeof config.layers);
    world = malloc(fxs_world_size(&config));
    must(fxs_world_init(world, &config) == FXS_OK);
    for (uint32_t id = 0; id < 5; id++) {
        fxs_collider body = {.id = id, .x = id == 1 ? 20 : 10 * (int32_t)id, .active = 1};
        body.size[0] = 4;
        must(fxs_world_add(world, &body) == FXS_OK);
    }
    fxs_rollback *rollback = malloc(fxs_rollback_size(&settings));
    must(fxs_rollback_init(rollback, &settings, world, (uint8_t *)&own) == FXS_OK);
    must(fxs_recorder_begin(&log, world, about, sizeof about - 1, NULL, 0, text, TEXT, &size) == 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        int64_t input[NUMBERS];
        char *word = strtok(line, " \n");
        int is_tick = sscanf(word, "%lld,%lld", (long long *)&input[0], (long long *)&input[1]);
        while ((word = strtok(NULL, " \n")) != NULL) {
            uint8_t bytes[FXS_PACKET_SIZE];
            for (size = 0; word[2 * size] != 0; size++) {
                must(sscanf(word + 2 * size, "%2hhx", &bytes[size]) == 1);
            }
            must(fxs_rollback_receive(rollback, 1, bytes, size) == FXS_OK);
        }
        if (is_tick == NUMBERS && fxs_rollback_tick(rollback, input) == FXS_OK) {
            run(rollback, &log, (uint32_t)atoi(argv[4]));
        }
        uint8_t packet[FXS_PACKET_SIZE];
        must(fxs_rollback_packet(rollback, 1, packet, sizeof packet, &size) == FXS_OK);
        fxs_rollback_pace(rollback, &pace);
        printf("%u %u %u ", pace.head, pace.first,
               fxs_rollback_desync(rollback, &found) == FXS_OK);
        for (uint64_t i = 0; i < size; i++) {
            printf("%02x", packet[i]);
        }
        must(printf("\n") == 1 && fflush(stdout) == 0);
    }
    FILE *file = fopen(argv[3], "wb");
    must(fxs_recorder_end(&log, text, TEXT) == FXS_OK);
    must(fwrite(text, 1, log.size, file) == log.size && fclose(file) == 0);
    return 0;
}
