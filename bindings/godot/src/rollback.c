/* The class FixsyncRollback: one peer of a match that rolls back. */
#include "classes.h"

#include <string.h>

enum { PAST = 60 }; /* frames whose states it keeps, for a desync */

typedef struct gd_rollback {
    gd_object object;
    fxs_rollback *rollback;
    fxs_rollback_settings settings;
    fxs_rollback_request request;
    uint8_t *own;
    int64_t *inputs;
    fxs_command *commands; /* of the last confirmed frame, as events */
    fxs_event *events;
    fxs_event *taken_back, *predicted; /* of the last push */
    fxs_event_changes changes;
} gd_rollback;

static gd_rollback *self(gd_call *call) { return call->self; }

static void free_rollback(void *object) {
    gd_rollback *from = object;
    gd_free(from->rollback);
    gd_free(from->own);
    gd_free(from->inputs);
    gd_free(from->commands);
    gd_free(from->events);
    gd_free(from->taken_back);
    gd_free(from->predicted);
}

/* Memory for the settings: that of the peer, and of the rows that it writes. */
static bool make(gd_call *call, const fxs_rollback_settings *settings, gd_rollback *out) {
    uint64_t size = fxs_rollback_size(settings);
    memset(out, 0, sizeof *out);
    out->settings = *settings;
    if (size == 0) {
        gd_fail(call, "the settings need more than 2^48 bytes, or peers are not 0, 1, 2 and so on "
                      "with one player or more each");
        return false;
    }
    out->rollback = gd_alloc(call, size);
    out->own = gd_alloc(call, settings->own_size);
    out->inputs = gd_alloc(call, 8 * (uint64_t)settings->players * settings->numbers);
    out->commands = gd_alloc(call, settings->command_room * sizeof(fxs_command));
    out->events = gd_alloc(call, settings->event_room * sizeof(fxs_event));
    out->taken_back = gd_alloc(call, settings->event_room * sizeof(fxs_event));
    out->predicted = gd_alloc(call, settings->event_room * sizeof(fxs_event));
    if (out->rollback != NULL && out->own != NULL && out->inputs != NULL && out->commands != NULL &&
        out->events != NULL && out->taken_back != NULL && out->predicted != NULL)
        return true;
    free_rollback(out);
    return false;
}

/* Puts the memory of `from` in the place of that of `to`, whose object stays. */
static void take_over(gd_rollback *to, const gd_rollback *from) {
    gd_object object = to->object;
    *to = *from;
    to->object = object;
}

static void create(gd_call *call) {
    gd_world *world = gd_world_of(call, 0);
    gd_bytes random = gd_bytes_of(call, 1), own = gd_bytes_of(call, 5);
    gd_ints peers = gd_ints_of(call, 4);
    fxs_rollback_settings settings;
    memset(&settings, 0, sizeof settings);
    if (world == NULL || !gd_check(call, 6, 0, FXS_PREDICTION_MAX) ||
        !gd_check(call, 7, 0, FXS_INPUT_DELAY_MAX) || !gd_check(call, 8, 0, FXS_CHECK_MAX) ||
        !gd_check(call, 9, 1, FXS_INPUT_NUMBERS_MAX))
        return;
    if (random.count != sizeof settings.random) {
        gd_fail(call, "size of random must be %u, not %u", (uint64_t)sizeof settings.random,
                random.count);
        return;
    }
    if (!gd_in_range(call, "size of peers", (int64_t)peers.count, 1, FXS_ROLLBACK_PLAYERS_MAX))
        return;
    for (uint64_t i = 0; i < peers.count; i++) {
        if (!gd_in_range(call, "peers", peers.at[i], 0, FXS_ROLLBACK_PLAYERS_MAX - 1))
            return;
        settings.peers[i] = (uint8_t)peers.at[i];
    }
    memcpy(settings.random, random.at, sizeof settings.random);
    settings.match = (uint64_t)gd_int(call, 2);
    settings.data = (uint64_t)gd_int(call, 3);
    settings.own_size = own.count;
    settings.state_size = 2 * fxs_world_save_size(world->world);
    settings.command_room = settings.event_room = 64;
    settings.past = PAST;
    settings.players = (uint32_t)peers.count;
    settings.numbers = (uint32_t)gd_int(call, 9);
    settings.prediction_max = (uint32_t)gd_int(call, 6);
    settings.input_delay = (uint32_t)gd_int(call, 7);
    settings.check = (uint32_t)gd_int(call, 8);
    gd_rollback made;
    if (!make(call, &settings, &made))
        return;
    int32_t status = fxs_rollback_init(made.rollback, &settings, world->world, own.at);
    gd_rollback *rollback =
        gd_is_ok(call, "world", status) ? gd_new(call, &GD_CLASS_ROLLBACK) : NULL;
    if (rollback == NULL) {
        free_rollback(&made);
        return;
    }
    take_over(rollback, &made);
    gd_return_object(call, rollback);
}

static uint64_t larger(uint64_t room, uint64_t need) { return room >= need ? room : 2 * need; }

static bool grow(gd_call *call, uint64_t state, uint64_t commands, uint64_t events) {
    gd_rollback *old = self(call);
    fxs_rollback_settings settings = old->settings;
    settings.state_size = larger(settings.state_size, state);
    settings.command_room += commands; /* those carried over have room already */
    settings.event_room = larger(settings.event_room, events);
    gd_rollback made;
    if (!make(call, &settings, &made))
        return false;
    if (!gd_is_ok(call, "rollback", fxs_rollback_grow(made.rollback, &settings, old->rollback))) {
        free_rollback(&made);
        return false;
    }
    made.request = old->request;
    memcpy(made.own, old->own, settings.own_size);
    memcpy(made.inputs, old->inputs, 8 * (uint64_t)settings.players * settings.numbers);
    free_rollback(old);
    take_over(old, &made);
    return true;
}

/* ---- a frame ---- */

static uint64_t local_count(const fxs_rollback_settings *settings) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < settings->players; i++)
        count += settings->peers[i] == 0;
    return count * settings->numbers;
}

static void tick(gd_call *call) {
    gd_ints inputs = gd_ints_of(call, 0);
    uint64_t count = local_count(&self(call)->settings);
    if (inputs.count != count)
        gd_fail(call, "size of inputs must be %u, those of the local players, not %u", count,
                inputs.count);
    else
        gd_return_bool(call, fxs_rollback_tick(self(call)->rollback, inputs.at) == FXS_OK);
}

static void next(gd_call *call) {
    gd_rollback *of = self(call);
    gd_world *world = gd_world_of(call, 0);
    gd_return_int(call, FXS_ROLLBACK_NONE);
    if (world == NULL)
        return;
    int32_t status = fxs_rollback_next(of->rollback, world->world, of->own, &of->request,
                                       of->inputs, of->commands, of->events);
    if (status < 0)
        gd_fail(call, "the world must be of the same capacity and level");
    if (of->request.type == FXS_ROLLBACK_LOAD)
        world->command_count = 0;
    gd_return_int(call, of->request.type);
}

static void push(gd_call *call) {
    gd_rollback *of = self(call);
    gd_world *world = gd_world_of(call, 0);
    gd_bytes own = gd_bytes_of(call, 2);
    uint64_t n;
    if (world == NULL)
        return;
    if (own.count != of->settings.own_size) {
        gd_fail(call, "size of own must be %u, not %u", of->settings.own_size, own.count);
        return;
    }
    fxs_event *events = gd_rows_of(call, 1, &GD_EVENT, &n);
    int32_t status = FXS_E_ROOM;
    if (events != NULL && gd_check(call, 4, 0, (int64_t)world->command_count)) {
        const fxs_pushed pushed = {
            (uint64_t)gd_int(call, 5), world->command_count, (uint64_t)gd_int(call, 4), n, 0,
            gd_int(call, 4) > 0};
        for (int tries = 0; status == FXS_E_ROOM && tries < 2; tries++) {
            if (tries > 0 &&
                !grow(call, fxs_world_save_size(world->world), pushed.command_count, n))
                break;
            status = fxs_rollback_push(of->rollback, world->world, own.at, &pushed,
                                       (uint64_t)gd_int(call, 3), world->commands.at, events,
                                       of->taken_back, of->predicted, &of->changes);
        }
        if (status == FXS_E_ORDER)
            gd_fail(call, "the last request must be to step, and the world one frame after it");
        else if (status == FXS_E_RANGE)
            gd_fail(call, "events must be those of the world, of kind 1..3, then the game's own, "
                          "of kind 16 and above");
        else if (status != FXS_E_ROOM && gd_is_ok(call, "push", status)) {
            world->command_count = 0;
            gd_return_bool(call, true);
        }
    }
    if (status < 0)
        of->changes = (fxs_event_changes){0, 0};
    gd_free(events);
}

static void taken_back(gd_call *call) {
    gd_return_rows(call, self(call)->taken_back, self(call)->changes.taken_back, &GD_EVENT);
}

static void predicted(gd_call *call) {
    gd_return_rows(call, self(call)->predicted, self(call)->changes.predicted, &GD_EVENT);
}

/* ---- the last request ---- */

static void frame(gd_call *call) { gd_return_int(call, self(call)->request.frame); }

static void inputs(gd_call *call) {
    const gd_rollback *of = self(call);
    uint64_t n = (uint64_t)of->settings.players * of->settings.numbers;
    int64_t *to = gd_return_ints(call, n);
    if (to != NULL)
        memcpy(to, of->inputs, n * sizeof *to);
}

static void own(gd_call *call) {
    const gd_rollback *of = self(call);
    uint8_t *to = gd_return_bytes(call, of->settings.own_size);
    if (to != NULL)
        memcpy(to, of->own, of->settings.own_size);
}

static void hash(gd_call *call) {
    gd_return_int(call, (int64_t)self(call)->request.confirmed.hash);
}

static void recorded(gd_call *call) {
    fxs_recorded found;
    if (fxs_rollback_recorded(self(call)->rollback, 1, &found) < 0)
        return;
    int64_t *to = gd_return_ints(call, 2);
    if (to != NULL) {
        to[0] = (int64_t)found.hash;
        to[1] = (int64_t)found.state;
    }
}

static void commands(gd_call *call) {
    const gd_rollback *of = self(call);
    gd_return_rows(call, of->commands, of->request.confirmed.commands, &GD_COMMAND);
}

static void events(gd_call *call) {
    const gd_rollback *of = self(call);
    if (gd_check(call, 0, 0, 15))
        gd_return_events(call, of->events, of->request.confirmed.events, gd_int(call, 0));
}

/* ---- others ---- */

static bool is_peer(gd_call *call) {
    int64_t most = 0;
    const fxs_rollback_settings *settings = &self(call)->settings;
    for (uint32_t i = 0; i < settings->players; i++)
        most = settings->peers[i] > most ? settings->peers[i] : most;
    return gd_check(call, 0, 1, most);
}

static void packet(gd_call *call) {
    uint64_t size = 0, room = FXS_PACKET_SIZE + 10 * local_count(&self(call)->settings);
    if (!is_peer(call))
        return;
    uint8_t *bytes = gd_alloc(call, room);
    int32_t status = bytes == NULL
                         ? FXS_E_ROOM
                         : fxs_rollback_packet(self(call)->rollback, (uint32_t)gd_int(call, 0),
                                               bytes, room, &size);
    uint8_t *to = gd_is_ok(call, "packet", status) ? gd_return_bytes(call, size) : NULL;
    if (to != NULL)
        memcpy(to, bytes, size);
    gd_free(bytes);
}

static void receive(gd_call *call) {
    gd_bytes bytes = gd_bytes_of(call, 1);
    gd_return_int(call, FXS_E_ID);
    if (is_peer(call))
        gd_return_int(call, fxs_rollback_receive(self(call)->rollback, (uint32_t)gd_int(call, 0),
                                                 bytes.at, bytes.count));
}

static void refusal(gd_call *call) {
    fxs_refusal found;
    if (!is_peer(call))
        return;
    fxs_rollback_refusal(self(call)->rollback, (uint32_t)gd_int(call, 0), &found);
    int64_t *to = gd_return_ints(call, 6);
    if (to == NULL)
        return;
    const int64_t row[] = {found.status, found.field,  found.ours,
                           found.theirs, found.player, found.frame};
    memcpy(to, row, sizeof row);
}

static void set_delay(gd_call *call) {
    if (gd_check(call, 0, 0, FXS_INPUT_DELAY_MAX))
        fxs_rollback_set_delay(self(call)->rollback, (uint32_t)gd_int(call, 0));
}

static void pace(gd_call *call) {
    fxs_pace found;
    fxs_rollback_pace(self(call)->rollback, &found);
    int64_t *to = gd_return_ints(call, 7);
    if (to == NULL)
        return;
    const int64_t row[] = {(int64_t)found.waiting,
                           (int64_t)found.resteps,
                           found.ahead,
                           found.is_ahead,
                           found.head,
                           found.first,
                           found.is_connected};
    memcpy(to, row, sizeof row);
}

static void player(gd_call *call) {
    fxs_player_pace found;
    if (!gd_check(call, 0, 0, (int64_t)self(call)->settings.players - 1))
        return;
    fxs_rollback_player(self(call)->rollback, (uint32_t)gd_int(call, 0), &found);
    int64_t *to = gd_return_ints(call, 4);
    if (to == NULL)
        return;
    const int64_t row[] = {found.peer, found.next, found.late, found.ahead};
    memcpy(to, row, sizeof row);
}

static void desync(gd_call *call) {
    fxs_desync found;
    if (fxs_rollback_desync(self(call)->rollback, &found) < 0)
        return;
    int64_t *to = gd_return_ints(call, 5);
    if (to == NULL)
        return;
    const int64_t row[] = {found.frame, found.peer, (int64_t)found.players, found.part,
                           found.parts};
    memcpy(to, row, sizeof row);
}

static void kept(gd_call *call) {
    uint64_t size;
    if (!gd_check(call, 0, 0, 1) || !gd_check(call, 1, FXS_PART_INPUTS, FXS_PART_SHOWN))
        return;
    const uint8_t *from = fxs_rollback_kept(self(call)->rollback, (uint32_t)gd_int(call, 0),
                                            (uint32_t)gd_int(call, 1), &size);
    uint8_t *to = from == NULL ? NULL : gd_return_bytes(call, size);
    if (to != NULL)
        memcpy(to, from, size);
}

static const gd_method METHODS[] = {
    {"static create(world: FixsyncWorld, random: PackedByteArray, match_hash: int, data: int, "
     "peers: PackedInt64Array, own: PackedByteArray, prediction_max: int = 12, "
     "input_delay: int = 0, check: int = 0, numbers: int = 1) -> FixsyncRollback",
     create,
     "Makes a peer of a match, at the frame of the world. random: 16 secure random bytes. "
     "match_hash and data: Fixsync.hash64 of what the match is, and of what it plays with. peers: "
     "by player the number of the machine that plays it, 0 for this one. own: the game's own "
     "state as bytes, always of this size. check: how many frames the sync test goes back; 0: "
     "none. numbers: how many an input has."},
    {"tick(inputs: PackedInt64Array) -> bool", tick,
     "Begins a frame with the inputs of the local players. False until all peers are connected."},
    {"next(world: FixsyncWorld) -> int", next,
     "Returns what the game must do next, Fixsync.ROLLBACK_NONE to ROLLBACK_CONFIRMED. After "
     "ROLLBACK_STEP it steps with inputs, and calls push."},
    {"push(world: FixsyncWorld, events: PackedInt64Array, own: PackedByteArray, shown: int = 0, "
     "after: int = 0, hash: int = 0) -> bool",
     push,
     "Keeps the frame that was stepped, as FixsyncHistory.push does. shown: a hash of what players "
     "see, which peers compare, or 0."},
    {"taken_back() -> PackedInt64Array", taken_back,
     "Returns the events of the last pushed frame that were predicted and are taken back."},
    {"predicted() -> PackedInt64Array", predicted,
     "Returns the events of the last pushed frame that are predicted now."},
    {"frame() -> int", frame, "Returns the frame of the last request."},
    {"inputs() -> PackedInt64Array", inputs, "Returns the inputs of all players for that frame."},
    {"own() -> PackedByteArray", own, "Returns the game's own bytes of the last load."},
    {"hash() -> int", hash, "Returns the hash of the world right after the confirmed frame."},
    {"recorded() -> PackedInt64Array", recorded,
     "Returns the hash of the world after the reactions of the confirmed frame, and that of world "
     "and own bytes then, for FixsyncRecorder.step in a log with a simulation; empty before the "
     "first one."},
    {"commands() -> PackedInt64Array", commands, "Returns the commands of the confirmed frame."},
    {"events(kinds: int = 0) -> PackedInt64Array", events,
     "Returns the events of the confirmed frame, as FixsyncHistory.events does."},
    {"packet(peer: int) -> PackedByteArray", packet,
     "Returns the next packet for a peer: send one each frame."},
    {"receive(peer: int, bytes: PackedByteArray) -> int", receive,
     "Takes a packet of a peer. Returns a status: Fixsync.OK, or why it was refused."},
    {"refusal(peer: int) -> PackedInt64Array", refusal,
     "Returns why the last refused packet of a peer was refused: the status, the field, "
     "Fixsync.PACKET_BYTES to PACKET_AHEAD, its value or limit here, its value there; of E_INPUT "
     "player and frame."},
    {"set_delay(input_delay: int)", set_delay, "Sets the input delay for the ticks to come."},
    {"pace() -> PackedInt64Array", pace,
     "Returns how the peers run: bits of the players that are waited for, frames stepped again, "
     "frames ahead of the others in Q16.16, whether it runs slower, the frame that is stepped "
     "next, the first that is not confirmed, whether all are connected."},
    {"player(player: int) -> PackedInt64Array", player,
     "Returns how the inputs of a player come: its peer, its first frame that is not known, frames "
     "stepped without its input, frames ahead of it in Q16.16."},
    {"desync() -> PackedInt64Array", desync,
     "Returns the first frame that differs, its peer (0: the sync test), bits of its players, the "
     "first part, Fixsync.PART_INPUTS to PART_SHOWN, and a bit for each part; empty: nothing "
     "differs."},
    {"kept(which: int, part: int) -> PackedByteArray", kept,
     "Returns the bytes after the frame of desync, of PART_WORLD or PART_OWN. which, 0: here; 1: "
     "in "
     "the sync test those of the step before."},
    {NULL, NULL, NULL},
};

const gd_class GD_CLASS_ROLLBACK = {
    "FixsyncRollback",
    "One peer of a match that rolls back, with packets, time sync, desync detection and a sync "
    "test. It asks the game for one thing at a time. FixsyncWorld2D and FixsyncWorld3D use it.",
    sizeof(gd_rollback),
    free_rollback,
    METHODS,
    NULL,
    "RefCounted",
};
