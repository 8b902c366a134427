/* Rollback: one peer of a match, as requests to the game (docs/rollback.md). */
#include "rollback.h"
#include "../fixsync_kit.h"
#include "../memory.h"

/* Q16.16 frames ahead from which a peer runs slower, in how many ticks it loses one then, and ticks
 * after that until it looks again. */
enum { SLOW_LEAST = 5 << 12, SLOW_FRAMES = 5, SLOW_REST = 30 };

/* ---- the block: struct fxs_rollback, then its parts in the order of the offsets ---- */

static uint64_t bits_of(uint32_t count) {
    return count == 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

static uint32_t remotes_in(const fxs_rollback_settings *s) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->players; i++) {
        most = s->peers[i] > most ? s->peers[i] : most;
    }
    return most;
}

/* Numbers of peers without a gap from 0 on, and none after the last player. */
static int has_good_peers(const fxs_rollback_settings *s) {
    uint64_t seen = 0;
    for (uint32_t i = 0; i < FXS_ROLLBACK_PLAYERS_MAX; i++) {
        if (s->peers[i] > 63 || (i >= s->players && s->peers[i] != 0)) {
            return 0;
        }
        seen |= i < s->players ? (uint64_t)1 << s->peers[i] : 0;
    }
    return seen == bits_of(remotes_in(s) + 1);
}

static fxs_history_room room_of(const fxs_rollback_settings *s) {
    fxs_history_room room = {s->own_size, s->state_size, s->command_room, s->event_room,
                             0,           s->past};
    room.window = s->prediction_max + s->check + 2;
    return room;
}

/* Bytes of the own state that count: all, or those that the number before them says. They begin at
 * `*own`. UINT64_MAX: there is no room for that many. */
static uint64_t own_length(const fxs_rollback_settings *s, const uint8_t **own) {
    if (!s->own_has_length) {
        return s->own_size;
    }
    const uint64_t length = read64(*own);
    *own += LENGTH_SIZE;
    return length > s->own_size - LENGTH_SIZE ? UINT64_MAX : length;
}

/* An own state and a world's, each with its size before it. */
static uint64_t kept_size(const fxs_rollback_settings *s) {
    return 8 + align8(s->own_size) + align8(s->state_size);
}

/* Sets the offsets; returns the size of the block, or 0. */
static uint64_t place_parts(fxs_rollback *r, const fxs_rollback_settings *s) {
    const uint64_t most = FXS_MEMORY_MAX;
    if (s->players == 0 || s->players > FXS_ROLLBACK_PLAYERS_MAX || s->numbers == 0 ||
        s->numbers > FXS_INPUT_NUMBERS_MAX || s->prediction_max > FXS_PREDICTION_MAX ||
        s->input_delay > FXS_INPUT_DELAY_MAX || s->check > FXS_CHECK_MAX || s->guesses > 1 ||
        s->slows > 1 || s->zero != 0 || s->own_has_length > (s->own_size >= LENGTH_SIZE) ||
        !has_good_peers(s)) {
        return 0;
    }
    const fxs_history_room room = room_of(s);
    const uint64_t history = fxs_history_size(&room);
    if (history == 0) {
        return 0;
    }
    /* A peer is at most a prediction and a delay ahead of what it has of another, which is as far
     * ahead of it. Hashes may come later. */
    const uint32_t apart = s->prediction_max + FXS_INPUT_DELAY_MAX;
    r->window = 2 * apart + s->check + 16;
    r->ring = 3 * apart + 2 * s->check + 64;
    r->remote_count = remotes_in(s);
    const uint64_t values = (uint64_t)8 * s->players * s->numbers;
    r->remotes_at = align8(sizeof *r);
    r->frames_at = r->remotes_at + r->remote_count * sizeof(remote);
    r->hashes_at = r->frames_at + r->ring * sizeof(frame_parts);
    r->values_at = r->hashes_at + (uint64_t)r->remote_count * r->ring * sizeof(their_hash);
    r->scratch_at = r->values_at + values;
    r->inputs_at = r->scratch_at + values;
    r->kept_at = r->inputs_at + fxs_inputs_size(s->players * s->numbers, r->window);
    r->history_at = r->kept_at + 2 * kept_size(s);
    return r->history_at > most - history ? 0 : r->history_at + history;
}

uint64_t fxs_rollback_size(const fxs_rollback_settings *settings) {
    fxs_rollback head;
    return place_parts(&head, settings);
}

static int64_t *values_in(const fxs_rollback *r) {
    return (int64_t *)(void *)rollback_at(r, r->values_at);
}

static uint8_t *kept_slot(const fxs_rollback *r, uint32_t which) {
    return rollback_at(r, r->kept_at + kept_size(&r->settings) * which);
}

int32_t fxs_rollback_init(fxs_rollback *memory, const fxs_rollback_settings *settings,
                          const fxs_world *world, const uint8_t *own) {
    fxs_rollback *r = memory;
    if (fxs_rollback_size(settings) == 0 || (uintptr_t)memory % 8 != 0) {
        return FXS_E_CONFIG;
    }
    if (fxs_world_save_size(world) > settings->state_size) {
        return FXS_E_ROOM;
    }
    const uint8_t *bytes = own;
    if (own_length(settings, &bytes) == UINT64_MAX) {
        return FXS_E_RANGE;
    }
    const fxs_rollback_settings copy = *settings;
    fxs_rollback head;
    memset(&head, 0, sizeof head);
    (void)place_parts(&head, &copy);
    memset(memory, 0, (size_t)head.inputs_at);
    *r = head;
    r->settings = copy;
    r->start = fxs_world_frame(world);
    r->delay = copy.input_delay;
    r->guessed = UINT32_MAX;
    r->rest = SLOW_REST; /* at first each measures more than the other one did a while ago */
    memset(rollback_at(r, r->kept_at), 0, (size_t)(2 * kept_size(&copy)));
    for (uint32_t i = 0; i < copy.players; i++) {
        if (copy.peers[i] == 0) {
            r->local |= (uint64_t)1 << i;
        } else {
            remotes_of(r)[copy.peers[i] - 1].players |= (uint64_t)1 << i;
        }
    }
    (void)fxs_inputs_init(inputs_in(r), copy.players * copy.numbers, r->window, r->start);
    const fxs_history_room room = room_of(&copy);
    return fxs_history_init(history_in(r), &room, world, own);
}

int32_t fxs_rollback_grow(fxs_rollback *memory, const fxs_rollback_settings *settings,
                          const fxs_rollback *old) {
    fxs_rollback_settings wider = old->settings;
    fxs_rollback head;
    wider.state_size = settings->state_size;
    wider.command_room = settings->command_room;
    wider.event_room = settings->event_room;
    wider.past = settings->past;
    if (place_parts(&head, &wider) == 0 || (uintptr_t)memory % 8 != 0 ||
        wider.state_size < old->settings.state_size) {
        return FXS_E_CONFIG;
    }
    const fxs_history_room room = room_of(&wider);
    memcpy(memory, old, (size_t)old->kept_at);
    memory->history_at = head.history_at;
    memory->settings = wider;
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(kept_slot(memory, i), kept_slot(old, i), (size_t)kept_size(&old->settings));
    }
    return fxs_history_grow(history_in(memory), &room, history_in(old));
}

/* ---- frames ---- */

/* Frames whose inputs are all known, and that were not stepped on wrong ones. */
static uint32_t certain_of(const fxs_rollback *r) {
    const uint32_t redo = frames_between(r->start, fxs_inputs_redo(inputs_in(r)));
    const uint32_t known = frames_between(r->start, fxs_inputs_confirmed(inputs_in(r)));
    return redo < known ? redo : known;
}

static uint32_t less(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Makes the frames final that are certain, but not those that the sync test steps again. Returns
 * how many are certain, stepped or not. */
static uint32_t settle_frames(fxs_rollback *r) {
    const uint32_t certain = certain_of(r);
    uint32_t end = less(certain, head_of(r));
    if (r->settings.check) {
        end = less(end, r->target > r->settings.check + 1 ? r->target - r->settings.check - 1 : 0);
    }
    if (end > confirmed_of(r)) { /* else they are final, and this is refused */
        (void)fxs_history_settle(history_in(r), frame_after(r->start, end));
    }
    return certain;
}

static int can_step(const fxs_rollback *r) {
    const uint32_t head = head_of(r);
    const uint32_t known = frames_between(r->start, fxs_inputs_confirmed(inputs_in(r)));
    return (head < known || head - known < r->settings.prediction_max) &&
           fxs_history_free(history_in(r)) != 0;
}

static int is_connected(const fxs_rollback *r) {
    for (uint32_t i = 0; i < r->remote_count; i++) {
        if (!remotes_of(r)[i].is_verified) {
            return 0;
        }
    }
    return 1;
}

/* ---- local inputs ---- */

/* Puts the inputs of all local players for the frame `given`: those in `inputs`, or without them
 * the last ones again. */
static void put_inputs(fxs_rollback *r, const int64_t *inputs) {
    const uint32_t frame = frame_after(r->start, r->given), n = r->settings.numbers;
    for (uint32_t i = 0; i < r->settings.players; i++) {
        if (!has_player(r->local, i)) {
            continue;
        }
        const int64_t *from = inputs;
        if (inputs == NULL && r->given) {
            from = fxs_inputs_known(inputs_in(r), i * n, frame_after(frame, UINT32_MAX));
        }
        for (uint32_t k = 0; k < n; k++) {
            (void)fxs_inputs_put(inputs_in(r), i * n + k, frame, from == NULL ? 0 : from[k]);
        }
        inputs = inputs == NULL ? NULL : inputs + n;
    }
    r->given++;
}

/* How far this peer is ahead of a remote, in Q16.16: half of the difference between what the two
 * measure, in which the time on the way cancels. */
static int32_t ahead_of(const remote *it) { return (it->ahead - it->their_ahead) * 128; }

/* How far it is ahead of their average. */
static int32_t ahead_of_all(const fxs_rollback *r) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < r->remote_count; i++) {
        sum += ahead_of(&remotes_of(r)[i]);
    }
    return r->remote_count ? (int32_t)(sum / r->remote_count) : 0;
}

/* Decides, once a tick, whether this peer runs slower: until it is up to a fifth of a frame behind,
 * since a clock that is fast gets ahead again. Then it waits until that is measured: who goes on
 * gets behind, then the other one does, and both run slower all the time. */
static void keep_pace(fxs_rollback *r) {
    if (r->slow) {
        r->slow--;
    } else if (r->rest) {
        r->rest--;
    } else {
        const int32_t ahead = ahead_of_all(r);
        if (ahead >= SLOW_LEAST) {
            r->slow = ((uint32_t)ahead * SLOW_FRAMES >> 16) + 1;
            r->rest = SLOW_REST;
        }
    }
}

int32_t fxs_rollback_tick(fxs_rollback *rollback, const int64_t *inputs) {
    fxs_rollback *r = rollback;
    if (!is_connected(r)) {
        return FXS_E_ORDER;
    }
    r->is_dirty |= r->is_open;
    r->request = FXS_ROLLBACK_NONE;
    keep_pace(r);
    r->is_open = 1;
    r->is_wanted = r->settings.slows || r->slow % SLOW_FRAMES != 2;
    const uint32_t due = r->target + r->delay;
    while (r->given < due) {
        put_inputs(r, NULL);
    }
    if (r->given == due) {
        put_inputs(r, inputs);
    }
    return FXS_OK;
}

int32_t fxs_rollback_set_delay(fxs_rollback *rollback, uint32_t input_delay) {
    if (input_delay > FXS_INPUT_DELAY_MAX) {
        return FXS_E_RANGE;
    }
    rollback->delay = input_delay;
    return FXS_OK;
}

/* ---- requests ---- */

/* A world as if it were new, with the same state. */
static int32_t load_fresh(const fxs_rollback *r, fxs_world *world, uint8_t *own) {
    fxs_config config;
    uint64_t at;
    const fxs_level *level = world->level;
    const fxs_history *history = history_in(r);
    fxs_world_config(world, &config);
    int32_t status = fxs_world_init(world, &config);
    if (status == FXS_OK && level != NULL) {
        status = fxs_world_attach(world, level);
    }
    return status != FXS_OK ? status
                            : fxs_rewind_load(fxs_history_states(history),
                                              fxs_history_head(history), world, own, &at);
}

/* Goes back to a frame. */
static int32_t go_back(fxs_rollback *r, uint32_t to, fxs_world *world, uint8_t *own) {
    int32_t status = fxs_history_back(history_in(r), frame_after(r->start, to), world, own);
    if (status == FXS_OK && r->settings.check && r->loads++ % 2) {
        status = load_fresh(r, world, own);
    }
    if (status == FXS_OK) {
        r->is_dirty = r->is_back_due = r->is_guessed = 0;
        r->guessed = UINT32_MAX;
        r->is_comparing = r->settings.check != 0;
    }
    return status;
}

/* Asks for the next guess or the step of a frame. */
static void ask_step(fxs_rollback *r, uint32_t head, fxs_rollback_request *request,
                     int64_t *inputs) {
    const uint32_t n = r->settings.numbers, players = r->settings.players;
    const uint32_t frame = frame_after(r->start, head);
    int64_t *values = values_in(r);
    uint64_t predicted = r->is_guessed ? bits_of(players) : 0;
    if (r->request != FXS_ROLLBACK_GUESS && !r->is_guessed) {
        (void)fxs_inputs_take(inputs_in(r), frame, values);
        r->guess = 0;
    }
    for (uint32_t i = 0; i < r->remote_count; i++) {
        predicted |= remotes_of(r)[i].next <= head ? remotes_of(r)[i].players : 0;
    }
    for (; r->settings.guesses && !r->is_guessed && r->guess < players; r->guess++) {
        if (has_player(predicted, r->guess)) {
            const uint32_t next = remotes_of(r)[r->settings.peers[r->guess] - 1].next;
            request->type = r->request = FXS_ROLLBACK_GUESS;
            request->player = r->guess;
            request->age = head - next + 1;
            memcpy(inputs, values + r->guess * n, n * sizeof *inputs);
            r->guess++;
            return;
        }
    }
    request->type = r->request = FXS_ROLLBACK_STEP;
    request->predicted = predicted;
    request->is_again = head < r->top;
    memcpy(inputs, values, (size_t)players * n * sizeof *inputs);
}

int32_t fxs_rollback_guess(fxs_rollback *rollback, const int64_t *input) {
    fxs_rollback *r = rollback;
    if (r->request != FXS_ROLLBACK_GUESS) {
        return FXS_E_ORDER;
    }
    const uint32_t player = r->guess - 1, n = r->settings.numbers, head = head_of(r);
    if (remotes_of(r)[r->settings.peers[player] - 1].next <= head) { /* else it came just now */
        for (uint32_t k = 0; k < n; k++) {
            fxs_inputs_guess(inputs_in(r), player * n + k, frame_after(r->start, head), input[k]);
            values_in(r)[player * n + k] = input[k];
        }
    }
    return FXS_OK;
}

/* The hash of words of 4 or 8 bytes, little-endian. */
static uint64_t hash_of_words(const void *words, uint64_t n, uint32_t size) {
#if LITTLE_ENDIAN_WORDS
    return fxs_hash64(words, n * size, 0);
#else
    hasher h;
    fxs_hash_begin(&h, 0);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t v = size == 8 ? ((const uint64_t *)words)[i] : ((const uint32_t *)words)[i];
        uint8_t bytes[8];
        write32(bytes, (uint32_t)(v & UINT32_MAX));
        write32(bytes + 4, (uint32_t)(v >> 32));
        fxs_hash_add(&h, bytes, size);
    }
    return fxs_hash_end(&h);
#endif
}

/* The hashes of a frame, besides `shown`. */
static void hash_parts(const fxs_rollback *r, frame_parts *out, const int64_t *values,
                       uint64_t world, const uint8_t *own, const fxs_event *events, uint64_t n) {
    out->parts[FXS_PART_INPUTS] =
        hash_of_words(values, (uint64_t)r->settings.players * r->settings.numbers, sizeof *values);
    out->parts[FXS_PART_WORLD] = world;
    const uint64_t length = own_length(&r->settings, &own);
    out->parts[FXS_PART_OWN] = length ? fxs_hash64(own, length, 0) : 0;
    out->parts[FXS_PART_EVENTS] = hash_of_words(events, 4 * n, sizeof events->a);
}

uint64_t fxs_rollback_hash(fxs_rollback *r, uint32_t frame) {
    frame_parts *it = parts_at(r, frame);
    it->hash = it->hash ? it->hash : hash_of_words(it->parts, PARTS, sizeof it->parts[0]);
    return it->hash;
}

/* Whether the ring of hashes would lose one that a remote needs, or that is not compared. */
static int is_hash_room(const fxs_rollback *r, uint32_t confirmed) {
    const uint32_t most = r->ring - r->settings.prediction_max - r->settings.check - 5;
    for (uint32_t i = 0; i < r->remote_count; i++) {
        const remote *it = &remotes_of(r)[i];
        if (confirmed - less(it->hash_ack, it->compared) >= most) {
            return 0;
        }
    }
    return 1;
}

/* Gives the oldest final frame; 0 if there is none. */
static int give_confirmed(fxs_rollback *r, fxs_rollback_request *request, int64_t *inputs,
                          fxs_command *commands, fxs_event *events) {
    const uint32_t frame = confirmed_of(r);
    fxs_confirmed *now = &request->confirmed;
    const int is_given = fxs_history_has_hash(history_in(r));
    if (!is_hash_room(r, frame) ||
        fxs_history_confirm(history_in(r), now, commands, events) != FXS_OK) {
        return 0;
    }
    (void)fxs_inputs_take(inputs_in(r), now->frame, inputs);
    const fxs_rewind *states = fxs_history_states(history_in(r));
    frame_parts *hashes = parts_at(r, frame);
    const uint32_t after = frame_after(now->frame, 1);
    uint64_t hash = now->hash;
    if (is_given) { /* it is that before the reactions */
        uint64_t size = 0;
        const uint8_t *state = fxs_rewind_state(states, after, &size);
        hash = fxs_hash64(state, size, 0);
    }
    hash_parts(r, hashes, inputs, hash, fxs_rewind_own(states, after), events, now->events);
    hashes->hash = 0;
    hashes->tag = frame + 1;
    r->recorded =
        (fxs_recorded){hash, 0, now->events - now->game_events, now->game_events, 1, 1, 1, 1};
    r->step_hash = now->hash;
    r->has_recorded = 1;
    for (uint32_t i = 0; i < r->remote_count; i++) {
        fxs_rollback_compare(r, i);
    }
    request->type = r->request = FXS_ROLLBACK_CONFIRMED;
    request->frame = now->frame;
    return 1;
}

/* The frame to go back to: the head, the first wrong one, or one of the sync test. */
static uint32_t back_to(const fxs_rollback *r, uint32_t head) {
    const uint32_t n = r->settings.check + 1;
    const uint32_t redo = frames_between(r->start, fxs_inputs_redo(inputs_in(r)));
    const uint32_t to = redo < r->guessed || r->is_dirty ? less(redo, head) : head;
    return r->is_back_due ? less(to, r->target > n ? r->target - n : 0) : to;
}

int32_t fxs_rollback_next(fxs_rollback *rollback, fxs_world *world, uint8_t *own,
                          fxs_rollback_request *request, int64_t *inputs, fxs_command *commands,
                          fxs_event *events) {
    fxs_rollback *r = rollback;
    memset(request, 0, sizeof *request);
    r->is_dirty |= r->request == FXS_ROLLBACK_STEP;
    r->is_open = 1;
    for (;;) {
        const uint32_t head = head_of(r);
        if (r->request != FXS_ROLLBACK_GUESS || r->is_dirty) {
            const uint32_t to = back_to(r, head);
            if (to < head || r->is_dirty) {
                const int32_t status = go_back(r, to, world, own);
                request->type = r->request = status ? FXS_ROLLBACK_NONE : FXS_ROLLBACK_LOAD;
                request->frame = frame_after(r->start, to);
                return status;
            }
        }
        request->frame = frame_after(r->start, head);
        if (head < r->target) {
            ask_step(r, head, request, inputs);
            return FXS_OK;
        }
        if (confirmed_of(r) < settle_frames(r) &&
            give_confirmed(r, request, inputs, commands, events)) {
            return FXS_OK;
        }
        r->request = FXS_ROLLBACK_NONE;
        if (!r->is_wanted || !can_step(r)) {
            r->is_open = r->is_wanted = 0;
            return FXS_OK;
        }
        r->is_wanted = 0;
        r->target++;
        /* The sync test steps two frames on repeated inputs before it goes back, so that a reaction
         * to an event of the first one is in the state after the second. */
        r->is_guessed = r->settings.check != 0;
        r->is_back_due = r->settings.check == 1 || (r->is_guessed && r->target % 2 == 0);
    }
}

/* ---- what differs ---- */

static void keep_state(fxs_rollback *r, uint32_t which, const uint8_t *own, const uint8_t *state,
                       uint64_t size) {
    uint8_t *to = kept_slot(r, which);
    memcpy(to, &size, sizeof size);
    if (r->settings.own_size) {
        memcpy(to + 8, own, (size_t)r->settings.own_size);
    }
    if (size) {
        memcpy(to + 8 + align8(r->settings.own_size), state, (size_t)size);
    }
}

/* Keeps the state after a frame, of the ring. */
static void keep_from_ring(fxs_rollback *r, uint32_t which, uint32_t frame) {
    const fxs_rewind *states = fxs_history_states(history_in(r));
    const uint32_t after = frame_after(r->start, frame + 1);
    uint64_t size = 0;
    const uint8_t *state = fxs_rewind_state(states, after, &size);
    if (state != NULL) {
        keep_state(r, which, fxs_rewind_own(states, after), state, size);
        r->kept_tag = frame + 1;
    }
}

/* Sets the report, if a part differs and there is none yet. */
static void report_parts(fxs_rollback *r, uint32_t frame, const uint64_t *ours,
                         const uint64_t *theirs) {
    fxs_desync found;
    memset(&found, 0, sizeof found);
    for (uint32_t i = 0; i < PARTS; i++) {
        if (ours[i] != theirs[i]) {
            found.part = found.parts ? found.part : i;
            found.parts |= (uint32_t)1 << i;
        }
    }
    if (r->has_desync || !found.parts) {
        return;
    }
    memcpy(found.ours, ours, sizeof found.ours);
    memcpy(found.theirs, theirs, sizeof found.theirs);
    found.own_at = r->settings.own_size;
    found.frame = frame_after(r->start, frame);
    r->desync = found;
    r->has_desync = 1;
}

void fxs_rollback_compare(fxs_rollback *r, uint32_t of) {
    remote *it = &remotes_of(r)[of];
    const uint32_t end = less(it->hash_next, confirmed_of(r));
    for (; it->compared < end; it->compared++) {
        const frame_parts *ours = parts_at(r, it->compared);
        if (!it->differs &&
            fxs_rollback_hash(r, it->compared) != hash_at(r, of, it->compared)->hash) {
            it->differs = it->compared + 1;
            memcpy(it->parts, ours->parts, sizeof it->parts);
            if (!r->kept_tag) {
                keep_from_ring(r, 0, it->compared);
            }
        }
    }
}

void fxs_rollback_report(fxs_rollback *r, uint32_t of, const uint64_t *theirs) {
    const remote *it = &remotes_of(r)[of];
    if (!r->has_desync) {
        report_parts(r, it->differs - 1, it->parts, theirs);
        r->desync.players = it->players;
        r->desync.peer = of + 1;
    }
}

/* Compares a frame that was stepped again on the same inputs. */
static void check_step(fxs_rollback *r, uint32_t frame, const frame_parts *now,
                       const fxs_world *world, const uint8_t *own) {
    const frame_parts *before = parts_at(r, frame);
    r->is_comparing = r->is_comparing && before->tag == frame + 1 &&
                      before->parts[FXS_PART_INPUTS] == now->parts[FXS_PART_INPUTS];
    if (!r->is_comparing || r->has_desync) {
        return;
    }
    report_parts(r, frame, now->parts, before->parts);
    if (r->has_desync) {
        uint64_t size = 0;
        const uint8_t *was = NULL, *own_was = NULL;
        r->kept_tag = 0;
        keep_from_ring(r, 1, frame);
        if (!r->kept_tag) {
            was = fxs_rewind_dropped(fxs_history_states(history_in(r)), &size, &own_was);
        }
        if (was != NULL) {
            keep_state(r, 1, own_was, was, size);
            r->kept_tag = frame + 1;
        }
        size = fxs_world_save_size(world);
        keep_state(r, 0, own, NULL, 0);
        if (size <= r->settings.state_size) {
            uint8_t *to = kept_slot(r, 0);
            memcpy(to, &size, sizeof size);
            fxs_world_save(world, to + 8 + align8(r->settings.own_size));
        }
        const uint8_t *theirs = kept_slot(r, 1) + 8;
        const uint64_t ends[] = {own_length(&r->settings, &own), own_length(&r->settings, &theirs)};
        uint64_t at = 0;
        while (at < ends[0] && at < ends[1] && theirs[at] == own[at]) {
            at++;
        }
        r->desync.own_at = at < ends[0] || at < ends[1] ? at : r->settings.own_size;
    }
}

int32_t fxs_rollback_push(fxs_rollback *rollback, const fxs_world *world, const uint8_t *own,
                          const fxs_pushed *pushed, uint64_t shown, const fxs_command *commands,
                          const fxs_event *events, fxs_event *taken_back, fxs_event *predicted,
                          fxs_event_changes *changes) {
    fxs_rollback *r = rollback;
    if (r->request != FXS_ROLLBACK_STEP) {
        return FXS_E_ORDER;
    }
    const uint8_t *bytes = own;
    if (own_length(&r->settings, &bytes) == UINT64_MAX) {
        return FXS_E_RANGE;
    }
    const uint32_t frame = head_of(r);
    frame_parts now;
    fxs_pushed row = *pushed;
    row.is_final = frame < settle_frames(r) && !r->settings.check;
    const int is_checked = r->settings.check && pushed->event_count <= r->settings.event_room &&
                           fxs_world_frame(world) == frame_after(r->start, frame + 1);
    if (is_checked) {
        now = (frame_parts){{0}, 0, frame + 1, 0};
        now.parts[FXS_PART_SHOWN] = shown;
        hash_parts(r, &now, values_in(r), fxs_world_hash(world), own, events, pushed->event_count);
        check_step(r, frame, &now, world, own);
    }
    const int32_t status = fxs_history_push(history_in(r), world, own, &row, commands, events,
                                            taken_back, predicted, changes);
    if (status != FXS_OK) {
        return status;
    }
    frame_parts *at = parts_at(r, frame);
    at->parts[FXS_PART_SHOWN] = shown;
    if (is_checked) {
        *at = now;
        if (!r->is_comparing && parts_at(r, frame + 1)->tag == frame + 2) {
            parts_at(r, frame + 1)->tag = 0; /* it was stepped from another state */
        }
    }
    r->resteps += frame < r->top;
    r->top = frame < r->top ? r->top : frame + 1;
    if (r->is_guessed) {
        r->guessed = less(r->guessed, frame);
        r->is_guessed = 0;
    }
    r->request = FXS_ROLLBACK_NONE;
    return FXS_OK;
}

/* ---- questions ---- */

int32_t fxs_rollback_recorded(const fxs_rollback *rollback, uint32_t has_inputs,
                              fxs_recorded *out) {
    const fxs_rollback *r = rollback;
    const uint32_t after = fxs_history_first(history_in(r));
    const fxs_rewind *states = fxs_history_states(history_in(r));
    if (!r->has_recorded) {
        return FXS_E_ABSENT;
    }
    *out = r->recorded;
    if (!has_inputs) {
        out->hash = r->step_hash;
        out->has_state = 0;
        return FXS_OK;
    }
    uint64_t size = 0;
    const uint8_t *state = fxs_rewind_state(states, after, &size);
    const uint8_t *own = fxs_rewind_own(states, after);
    const uint64_t length = own_length(&r->settings, &own);
    hasher h;
    fxs_hash_begin(&h, 0);
    fxs_hash_add(&h, state, (size_t)size);
    fxs_hash_add(&h, own, (size_t)length);
    out->state = fxs_hash_end(&h);
    return FXS_OK;
}

int32_t fxs_rollback_player(const fxs_rollback *rollback, uint32_t player, fxs_player_pace *out) {
    const fxs_rollback *r = rollback;
    if (player >= r->settings.players) {
        return FXS_E_ID;
    }
    const uint32_t peer = r->settings.peers[player], head = head_of(r);
    const remote *it = peer ? &remotes_of(r)[peer - 1] : NULL;
    const uint32_t next = it == NULL ? r->given : it->next;
    *out = (fxs_player_pace){peer, frame_after(r->start, next), next < head ? head - next : 0,
                             it == NULL ? 0 : ahead_of(it)};
    return FXS_OK;
}

void fxs_rollback_pace(const fxs_rollback *rollback, fxs_pace *out) {
    const fxs_rollback *r = rollback;
    fxs_pace pace;
    memset(&pace, 0, sizeof pace);
    for (uint32_t i = 0; i < r->remote_count; i++) {
        const remote *it = &remotes_of(r)[i];
        const uint64_t most = (uint64_t)it->next + r->settings.prediction_max;
        pace.waiting |= most <= head_of(r) ? it->players : 0;
    }
    pace.ahead = ahead_of_all(r);
    pace.is_ahead = r->slow != 0;
    pace.resteps = r->resteps;
    pace.head = frame_after(r->start, head_of(r));
    pace.first = frame_after(r->start, confirmed_of(r));
    pace.is_connected = (uint32_t)is_connected(r);
    *out = pace;
}

int32_t fxs_rollback_desync(const fxs_rollback *rollback, fxs_desync *out) {
    if (!rollback->has_desync) {
        return FXS_E_ABSENT;
    }
    *out = rollback->desync;
    return FXS_OK;
}

const uint8_t *fxs_rollback_kept(const fxs_rollback *rollback, uint32_t which, uint32_t part,
                                 uint64_t *size) {
    const fxs_rollback *r = rollback;
    *size = 0;
    if (!r->has_desync || which > (r->desync.peer == 0) ||
        r->kept_tag != frames_between(r->start, r->desync.frame) + 1) {
        return NULL;
    }
    const uint8_t *slot = kept_slot(r, which), *own = slot + 8;
    if (part == FXS_PART_OWN) {
        *size = own_length(&r->settings, &own);
        return own;
    }
    if (part != FXS_PART_WORLD) {
        return NULL;
    }
    memcpy(size, slot, sizeof *size);
    return slot + 8 + align8(r->settings.own_size);
}
