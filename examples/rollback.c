/* A peer of a rollback game: copy this page, and put your game and your network into it.
 *
 * The peer steps at once. Inputs that it does not have are predicted, and where a prediction was
 * wrong it goes back and steps again. Predicted events are shown at once, and stopped when they are
 * taken back; scores, sounds and the match log take confirmed frames.
 *
 *     cc -I csrc examples/rollback.c csrc/[a-z]*.c csrc/kit/[a-z]*.c -o rollback
 *     ./rollback match.jsonl && fixsync replay match.jsonl
 *     ./rollback --synctest
 */
#include "rollback_game.h"

enum { WINDOW = 12, FRAMES = 600, TEXT = 1 << 16 };

typedef struct peer {
    game game;
    fxs_inputs *inputs;
    fxs_history *history;
    fxs_recorder log;
    uint32_t shown, stopped, hits; /* effects begun, effects taken back, ENTERs that are certain */
    char text[TEXT];
} peer;

static void begin_peer(peer *p) {
    const fxs_history_room room = {sizeof p->game.own, STATE, ROWS, EVENTS, WINDOW, 0};
    memset(p, 0, sizeof *p);
    begin_game(&p->game);
    p->inputs = memory_of(fxs_inputs_size(PLAYERS, 2 * WINDOW));
    must(fxs_inputs_init(p->inputs, PLAYERS, 2 * WINDOW, fxs_world_frame(p->game.world)));
    p->history = memory_of(fxs_history_size(&room));
    must(fxs_history_init(p->history, &room, p->game.world, (uint8_t *)&p->game.own));
    uint64_t at;
    must(fxs_recorder_begin(&p->log, p->game.world, NULL, 0, NULL, 0, p->text, TEXT, &at));
}

static void advance(peer *p, const int64_t inputs[PLAYERS], uint32_t is_final) {
    game *g = &p->game;
    fxs_event taken_back[EVENTS], predicted[EVENTS];
    fxs_event_changes changes;
    step(g, inputs);
    const fxs_pushed pushed = {g->hash, g->row_count, g->after_count, g->event_count, is_final, 1};
    must(fxs_history_push(p->history, g->world, (uint8_t *)&g->own, &pushed, g->rows, g->events,
                          taken_back, predicted, &changes));
    p->stopped += (uint32_t)changes.taken_back; /* stop their effects, begin those of `predicted` */
    p->shown += (uint32_t)changes.predicted;
}

static void confirm(peer *p) {
    fxs_command rows[ROWS];
    fxs_event events[EVENTS];
    fxs_confirmed f;
    while (fxs_history_confirm(p->history, &f, rows, events) == FXS_OK) {
        for (uint64_t i = 0; i < f.events; i++) {
            p->hits += events[i].kind == FXS_ENTER;
        }
        must(fxs_recorder_commands(&p->log, rows, f.commands, p->text, TEXT));
        const fxs_recorded known = {f.hash, 0, f.events - f.game_events, f.game_events, 1, 1, 1, 0};
        must(fxs_recorder_step(&p->log, &known, events, p->text, TEXT));
    }
}

/* Once a frame, when the inputs that came are put: steps up to the frame `now`. */
static void tick(peer *p, uint32_t now) {
    uint32_t first = fxs_inputs_redo(p->inputs), known = fxs_inputs_confirmed(p->inputs);
    int64_t inputs[PLAYERS];
    must(fxs_history_settle(p->history, first < known ? first : known));
    if (first != fxs_history_head(p->history)) {
        must(fxs_history_back(p->history, first, p->game.world, (uint8_t *)&p->game.own));
    }
    for (uint32_t f = first; f <= now && fxs_history_free(p->history); f++) {
        must(fxs_inputs_take(p->inputs, f, inputs));
        advance(p, inputs, f < known);
    }
    confirm(p);
}

/* ---- the sync test ---- */

/* Whether a frame that is stepped twice leads to the same state; prints a field that differs. */
static int is_same(peer *p, const int64_t inputs[PLAYERS]) {
    static uint8_t first[STATE], again[STATE];
    fxs_difference row;
    char text[512];
    uint64_t count, at, length;
    game *g = &p->game;
    const uint32_t frame = fxs_world_frame(g->world);
    advance(p, inputs, 0);
    const uint64_t size = fxs_world_save_size(g->world);
    fxs_world_save(g->world, first);
    const own_state own = g->own;
    must(fxs_history_back(p->history, frame, g->world, (uint8_t *)&g->own));
    advance(p, inputs, 0);
    fxs_world_save(g->world, again);
    fxs_state_differences(first, size, again, fxs_world_save_size(g->world), &row, 1, &count, &at);
    if (count) {
        must(fxs_difference_text(&row, NULL, 0, text, sizeof text, &length));
        printf("frame %u: %.*s\n", frame, (int)length, text);
        return 0;
    }
    must(fxs_history_settle(p->history, frame + 1));
    confirm(p);
    return is_same_own(&own, &g->own, frame);
}

/* ---- the network: packets between two peers in this process, many of them late or lost ---- */

enum { CARRIED = 2 * WINDOW + 1, DELAY_MAX = 7, FLIGHT = DELAY_MAX + 1 };

/* The last inputs of a peer: a packet that is lost is made good by the next. */
typedef struct packet {
    uint32_t is_there, first, count;
    int64_t values[CARRIED];
} packet;

typedef struct line {
    packet flight[FLIGHT]; /* by the frame in which they arrive, modulo FLIGHT */
    uint64_t random;
} line;

/* The keys of a player: any function of player and frame. */
static int64_t pressed(uint32_t player, uint32_t frame) {
    uint64_t random = frame / 6 * 2 + player;
    int64_t towards = player ? LEFT : RIGHT;
    uint64_t dice = fxs_random_next(&random);
    return (dice & 3 ? towards : LEFT + RIGHT - towards) | (dice & 24 ? 0 : PUNCH);
}

static void send(line *l, uint32_t player, uint32_t end, uint32_t now) {
    if (fxs_random_chance(&l->random, 1, 3)) {
        return; /* lost */
    }
    uint32_t delay = (uint32_t)fxs_random_below(&l->random, DELAY_MAX) + 1;
    packet *sent = &l->flight[(now + delay) % FLIGHT];
    *sent = (packet){.is_there = 1, .count = end < CARRIED ? end : CARRIED};
    sent->first = end - sent->count;
    for (uint32_t i = 0; i < sent->count; i++) {
        sent->values[i] = pressed(player, sent->first + i);
    }
}

static void receive(line *l, peer *to, uint32_t player, uint32_t now) {
    packet *came = &l->flight[now % FLIGHT];
    for (uint32_t i = 0; came->is_there && i < came->count; i++) {
        int32_t status = fxs_inputs_put(to->inputs, player, came->first + i, came->values[i]);
        must(status == FXS_E_RANGE ? FXS_OK : status); /* too early: it comes again */
    }
    came->is_there = 0;
}

static int synctest(peer *p) {
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        const int64_t inputs[PLAYERS] = {pressed(0, frame), pressed(1, frame)};
        if (!is_same(p, inputs)) {
            return 1;
        }
        p->log.size = 0;
    }
    printf("%d frames, each stepped twice: the same\n", FRAMES);
    return 0;
}

static void write_out(peer *p, FILE *file) {
    if (file != NULL && fwrite(p->text, 1, (size_t)p->log.size, file) != p->log.size) {
        fprintf(stderr, "cannot write the log\n");
        exit(1);
    }
    p->log.size = 0;
}

int main(int argc, char **argv) {
    static peer peers[PLAYERS];
    static line lines[PLAYERS];
    for (uint32_t i = 0; i < PLAYERS; i++) {
        begin_peer(&peers[i]);
        lines[i].random = i + 1;
    }
    if (argc > 1 && strcmp(argv[1], "--synctest") == 0) {
        return synctest(&peers[0]);
    }
    FILE *file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    uint32_t done = 0, now = 0;
    for (; done < FRAMES; now++) {
        done = FRAMES;
        for (uint32_t i = 0; i < PLAYERS; i++) {
            peer *p = &peers[i];
            receive(&lines[1 - i], p, 1 - i, now);
            uint32_t next = fxs_history_head(p->history);
            uint32_t end = next < FRAMES && fxs_history_free(p->history) ? next + 1 : next;
            if (end > next) {
                must(fxs_inputs_put(p->inputs, i, next, pressed(i, next)));
            }
            tick(p, end - 1);
            send(&lines[i], i, end, now);
            done = fxs_history_first(p->history) < done ? fxs_history_first(p->history) : done;
            write_out(p, i == 0 ? file : NULL);
        }
    }
    must(fxs_recorder_end(&peers[0].log, peers[0].text, TEXT));
    write_out(&peers[0], file);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        peer *p = &peers[i];
        printf("peer %u: %u events shown, %u taken back, %u hits, %d and %d falls, hash %016llx\n",
               i, p->shown, p->stopped, p->hits, p->game.own.falls[0], p->game.own.falls[1],
               (unsigned long long)fxs_world_hash(p->game.world));
    }
    return file != NULL && fclose(file) != 0;
}
