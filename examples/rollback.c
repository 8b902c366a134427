/* A peer of a rollback game: copy this page, and put your game and your network into it.
 *
 * fxs_rollback asks for one thing at a time. Predicted events are shown at once, and stopped when
 * they are taken back; scores, sounds and the match log take confirmed frames.
 *
 *     cc -I csrc examples/rollback.c csrc/[a-z]*.c csrc/kit/[a-z]*.c -o rollback
 *     ./rollback match.jsonl && fixsync replay match.jsonl
 *     ./rollback --synctest
 */
#include "rollback_game.h"

enum { FRAMES = 600, TEXT = 1 << 16 };

typedef struct peer {
    game game;
    fxs_rollback *rollback;
    fxs_recorder log;
    uint32_t shown, stopped, hits; /* effects begun, effects taken back, ENTERs that are certain */
    char text[TEXT];
} peer;

static void begin_peer(peer *p, uint32_t me, uint32_t check) {
    fxs_rollback_settings settings = {
        .match = 1,
        .own_size = sizeof p->game.own,
        .state_size = STATE,
        .command_room = ROWS,
        .event_room = EVENTS,
        .past = 60,
        .players = PLAYERS,
        .numbers = 1,
        .prediction_max = 12,
        .check = check,
        .random = {(uint8_t)me}}; /* a match over a network: 16 bytes of the system's generator */
    uint64_t at;
    settings.peers[check ? 0 : 1 - me] = !check;
    memset(p, 0, sizeof *p);
    begin_game(&p->game);
    p->rollback = memory_of(fxs_rollback_size(&settings));
    must(fxs_rollback_init(p->rollback, &settings, p->game.world, (uint8_t *)&p->game.own));
    must(fxs_recorder_begin(&p->log, p->game.world, NULL, 0, NULL, 0, p->text, TEXT, &at));
}

static void play_frame(peer *p, const int64_t *inputs) {
    game *g = &p->game;
    fxs_event taken_back[EVENTS], predicted[EVENTS];
    fxs_event_changes changes;
    step(g, inputs);
    const fxs_pushed pushed = {g->hash, g->row_count, g->after_count, g->event_count, 0, 1};
    const uint64_t shown = fxs_hash64((uint8_t *)g->own.health, sizeof g->own.health, 0);
    must(fxs_rollback_push(p->rollback, g->world, (uint8_t *)&g->own, &pushed, shown, g->rows,
                           g->events, taken_back, predicted, &changes));
    p->stopped += (uint32_t)changes.taken_back; /* stop their effects, begin those of `predicted` */
    p->shown += (uint32_t)changes.predicted;
}

/* Does what is asked. What LOAD loads is all of the state of this game. */
static void run(peer *p) {
    fxs_rollback_request asked;
    int64_t inputs[PLAYERS];
    fxs_command rows[ROWS];
    fxs_event events[EVENTS];
    fxs_recorded known;
    do {
        must(fxs_rollback_next(p->rollback, p->game.world, (uint8_t *)&p->game.own, &asked, inputs,
                               rows, events));
        if (asked.type == FXS_ROLLBACK_STEP) {
            play_frame(p, inputs);
        } else if (asked.type == FXS_ROLLBACK_CONFIRMED) {
            for (uint64_t i = 0; i < asked.confirmed.events; i++) {
                p->hits += events[i].kind == FXS_ENTER;
            }
            must(fxs_recorder_commands(&p->log, rows, asked.confirmed.commands, p->text, TEXT));
            must(fxs_rollback_recorded(p->rollback, p->log.has_inputs, &known));
            must(fxs_recorder_step(&p->log, &known, events, p->text, TEXT));
        }
    } while (asked.type != FXS_ROLLBACK_NONE);
}

int main(int argc, char **argv) {
    static peer peers[PLAYERS];
    static line lines[PLAYERS]; /* to the other peer */
    const uint32_t check = argc > 1 && strcmp(argv[1], "--synctest") == 0 ? 8 : 0;
    const uint32_t count = check ? 1 : PLAYERS;
    FILE *file = argc > 1 && !check ? fopen(argv[1], "wb") : NULL;
    for (uint32_t i = 0; i < count; i++) {
        begin_peer(&peers[i], i, check);
        lines[i].random = i + 1;
    }
    for (uint32_t now = 0, done = 0; done < count; now++) {
        done = 0;
        for (uint32_t i = 0; i < count; i++) {
            peer *p = &peers[i];
            fxs_pace pace;
            receive(&lines[1 - i], now, p->rollback);
            fxs_rollback_pace(p->rollback, &pace);
            if (pace.is_connected && pace.head < FRAMES) {
                const int64_t keys[] = {pressed(i, pace.head), pressed(1 - i, pace.head)};
                must(fxs_rollback_tick(p->rollback, keys)); /* takes those of local players */
            }
            run(p);
            if (!is_same(p->rollback)) {
                return 1;
            }
            send(&lines[i], now, p->rollback);
            done += (check ? pace.head : pace.first) == FRAMES;
            write_log(file, p->text, &p->log, i);
        }
    }
    must(fxs_recorder_end(&peers[0].log, peers[0].text, TEXT));
    write_log(file, peers[0].text, &peers[0].log, 0);
    for (uint32_t i = 0; i < count && !check; i++) {
        peer *p = &peers[i];
        printf("peer %u: %u events shown, %u taken back, %u hits, %d and %d falls, hash %016llx\n",
               i, p->shown, p->stopped, p->hits, p->game.own.falls[0], p->game.own.falls[1],
               (unsigned long long)fxs_world_hash(p->game.world));
    }
    return check ? printf("%d frames, stepped again and again: the same\n", FRAMES) < 0 : 0;
}
