/* History: frames of a game that rolls back, until they are confirmed (docs/contract.md). */
#include "../fixsync_kit.h"
#include "../integer.h"
#include "rewind.h"

/* The block: this head, the ring of states, then window + 1 slots in a ring, the heads of the
 * chains, and the chains. Frames are counted from `first`, so that no slot depends on the number of
 * a frame: first + 0 .. first + window. */
struct fxs_history {
    fxs_history_room room;
    uint32_t first;   /* oldest frame that is not confirmed */
    uint32_t slot;    /* of `first` */
    uint32_t settled; /* how many frames are final; settled <= stepped <= pushed <= window */
    uint32_t stepped; /* how many frames the state of now is after `first` */
    uint32_t pushed;  /* how many frames have been pushed: those after `stepped` were taken back */
    uint32_t heads;   /* of chains: a power of two */
};

/* A frame. Its commands are first the `carried` ones, which the push of the frame before gave, then
 * its own. Its events follow the room for its commands. */
typedef struct kept_frame {
    uint64_t hash; /* if has_hash */
    uint64_t carried;
    uint64_t commands;
    uint32_t events;
    uint32_t has_hash;
} kept_frame;

enum { NO_ROW = -1 }; /* as uint32_t: ends a chain, and marks a row that was found again */

static uint64_t frame_size(const fxs_history_room *room) {
    return sizeof(kept_frame) + align8(room->command_room * sizeof(fxs_command)) +
           room->event_room * sizeof(fxs_event);
}

static uint32_t states_of(const fxs_history_room *room) { return room->window + room->past + 1; }

static uint32_t heads_of(const fxs_history_room *room) {
    uint32_t heads = 1;
    while (heads < room->event_room && heads < (uint32_t)1 << 31) {
        heads *= 2;
    }
    return heads;
}

static uint64_t ring_size(const fxs_history_room *room) {
    return fxs_rewind_size(states_of(room), room->own_size, room->state_size);
}

uint64_t fxs_history_size(const fxs_history_room *room) {
    const uint64_t most = FXS_MEMORY_MAX;
    const uint32_t count_most = FXS_HISTORY_FRAMES_MAX;
    if (room->window == 0 || room->window > count_most || room->past > count_most ||
        room->event_room >= UINT32_MAX || room->command_room > most) {
        return 0;
    }
    uint64_t ring = ring_size(room);
    uint64_t frames = room->window + (uint64_t)1;
    if (ring == 0 || frame_size(room) > most / frames) {
        return 0;
    }
    uint64_t chains = align8(4 * (heads_of(room) + room->event_room));
    uint64_t size = sizeof(fxs_history) + ring + frame_size(room) * frames + chains;
    return size > most ? 0 : size;
}

/* ---- places in the block ---- */

static uint8_t *block_of(const fxs_history *history) { return (uint8_t *)(uintptr_t)(history + 1); }

static fxs_rewind *ring_of(const fxs_history *history) {
    return (fxs_rewind *)(void *)block_of(history);
}

/* The frame so many after `first`. */
static kept_frame *frame_at(const fxs_history *history, uint32_t after) {
    const fxs_history_room *room = &history->room;
    FXS_ASSERT(after <= room->window && history->slot <= room->window);
    FXS_ASSERT(history->settled <= history->stepped && history->stepped <= history->pushed);
    FXS_ASSERT(history->pushed <= room->window);
    uint64_t at = ((uint64_t)history->slot + after) % ((uint64_t)room->window + 1);
    return (kept_frame *)(void *)(block_of(history) + ring_size(room) + frame_size(room) * at);
}

static fxs_command *commands_of(const kept_frame *of) { return (fxs_command *)(uintptr_t)(of + 1); }

static fxs_event *events_of(const fxs_history *history, const kept_frame *of) {
    uint64_t commands = align8(history->room.command_room * sizeof(fxs_command));
    return (fxs_event *)((uintptr_t)(of + 1) + (uintptr_t)commands);
}

/* heads of chains, then for each row the next of its chain. */
static uint32_t *chains_of(const fxs_history *history) {
    const fxs_history_room *room = &history->room;
    uint64_t frames = frame_size(room) * ((uint64_t)room->window + 1);
    return (uint32_t *)(void *)(block_of(history) + ring_size(room) + frames);
}

/* No rows may be NULL. */
static void copy_rows(void *to, const void *from, uint64_t size) {
    if (size) {
        memcpy(to, from, (size_t)size);
    }
}

/* ---- making one ---- */

static int32_t make_empty(fxs_history *memory, const fxs_history_room *room) {
    fxs_history_room copy = *room;
    if (fxs_history_size(room) == 0 || (uintptr_t)memory % 8 != 0) {
        return FXS_E_CONFIG;
    }
    memset(memory, 0, sizeof *memory);
    memory->room = copy;
    memory->heads = heads_of(&copy);
    return fxs_rewind_init(ring_of(memory), states_of(&copy), copy.own_size, copy.state_size);
}

int32_t fxs_history_init(fxs_history *memory, const fxs_history_room *room, const fxs_world *world,
                         const uint8_t *own) {
    if (fxs_history_size(room) != 0 && fxs_world_save_size(world) > room->state_size) {
        return FXS_E_ROOM;
    }
    int32_t status = make_empty(memory, room);
    if (status != FXS_OK) {
        return status;
    }
    memory->first = fxs_world_frame(world);
    memset(frame_at(memory, 0), 0, sizeof(kept_frame));
    return fxs_rewind_push(ring_of(memory), world, own);
}

int32_t fxs_history_grow(fxs_history *memory, const fxs_history_room *room,
                         const fxs_history *old) {
    const fxs_history_room *had = &old->room;
    if (room->own_size != had->own_size || room->state_size < had->state_size ||
        room->command_room < had->command_room || room->event_room < had->event_room ||
        room->window < had->window || room->past < had->past) {
        return FXS_E_CONFIG;
    }
    int32_t status = make_empty(memory, room);
    if (status != FXS_OK) {
        return status;
    }
    memory->first = old->first;
    memory->settled = old->settled;
    memory->stepped = old->stepped;
    memory->pushed = old->pushed;
    fxs_rewind_copy(ring_of(memory), ring_of(old));
    /* The one after the last that was pushed may hold commands that were given early. */
    for (uint32_t i = 0; i <= old->pushed; i++) {
        const kept_frame *from = frame_at(old, i);
        kept_frame *to = frame_at(memory, i);
        *to = *from;
        to->commands = i < old->pushed ? from->commands : 0;
        to->events = i < old->pushed ? from->events : 0;
        uint64_t commands = to->commands > to->carried ? to->commands : to->carried;
        copy_rows(commands_of(to), commands_of(from), commands * sizeof(fxs_command));
        copy_rows(events_of(memory, to), events_of(old, from), to->events * sizeof(fxs_event));
    }
    return FXS_OK;
}

/* ---- frames ---- */

uint32_t fxs_history_head(const fxs_history *history) {
    return frame_after(history->first, history->stepped);
}

uint32_t fxs_history_first(const fxs_history *history) { return history->first; }

uint32_t fxs_history_free(const fxs_history *history) {
    return history->room.window - history->stepped;
}

const fxs_rewind *fxs_history_states(const fxs_history *history) { return ring_of(history); }

int32_t fxs_history_settle(fxs_history *history, uint32_t frame) {
    uint32_t after = frames_between(history->first, frame);
    if (after < history->settled || after > history->stepped) {
        return FXS_E_RANGE;
    }
    history->settled = after;
    return FXS_OK;
}

int32_t fxs_history_back(fxs_history *history, uint32_t frame, fxs_world *world, uint8_t *own) {
    uint32_t after = frames_between(history->first, frame);
    uint64_t at;
    if (after < history->settled || after > history->stepped) {
        return FXS_E_RANGE;
    }
    int32_t status = fxs_rewind_load(ring_of(history), frame, world, own, &at);
    if (status == FXS_OK) {
        history->stepped = after;
    }
    return status;
}

int fxs_history_has_hash(const fxs_history *history) { return (int)frame_at(history, 0)->has_hash; }

/* ---- events ---- */

static int is_same(const fxs_event *a, const fxs_event *b) {
    return a->a == b->a && a->b == b->b && a->kind == b->kind && a->contact == b->contact;
}

static uint32_t mixed(uint32_t hash, uint32_t with) {
    uint64_t product = (uint64_t)(hash ^ with) * 2654435769u;
    return (uint32_t)(product >> 32) ^ (uint32_t)(product & UINT32_MAX);
}

static uint32_t hash_of_row(const fxs_event *row) {
    return mixed(mixed(mixed(mixed(0, row->contact), row->kind), row->b), row->a);
}

/* The world's rows, then those of the game. */
static int has_good_kinds(const fxs_event *events, uint64_t n) {
    int of_game = 0;
    for (uint64_t i = 0; i < n; i++) {
        int is_game = events[i].kind >= FXS_GAME_EVENT;
        if (events[i].kind == 0 || (!is_game && (of_game || events[i].kind > FXS_EXIT))) {
            return 0;
        }
        of_game = is_game;
    }
    return 1;
}

/* Takes the first row that is equal to `row` out of its chain; 0 if there is none. */
static int take_row(uint32_t *next, uint32_t *head, const fxs_event *old, const fxs_event *row) {
    uint32_t *link = head;
    while (*link != (uint32_t)NO_ROW && !is_same(&old[*link], row)) {
        link = &next[*link];
    }
    uint32_t found = *link;
    if (found == (uint32_t)NO_ROW) {
        return 0;
    }
    *link = next[found];
    next[found] = found; /* no row comes after itself: it was found again */
    return 1;
}

/* The rows of `old` that are not in `found`, and those of `found` that are not in `old`, each in
 * row order. Each chain holds the rows of one value and others in row order, so that of equal rows
 * the first ones match. */
static void compare(const fxs_history *history, const fxs_event *old, uint32_t old_count,
                    const fxs_event *found, uint32_t found_count, fxs_event *taken_back,
                    fxs_event *predicted, fxs_event_changes *counts) {
    uint32_t equal = 0; /* rows at the beginning of both: they match one another */
    while (equal < old_count && equal < found_count && is_same(&old[equal], &found[equal])) {
        equal++;
    }
    if (equal == old_count || equal == found_count) {
        counts->taken_back = old_count - equal;
        counts->predicted = found_count - equal;
        copy_rows(taken_back, old + equal, counts->taken_back * sizeof *taken_back);
        copy_rows(predicted, found + equal, counts->predicted * sizeof *predicted);
        return;
    }
    uint32_t *heads = chains_of(history);
    uint32_t *next = heads + history->heads;
    uint32_t last_head = 0;
    while (last_head < old_count - equal && last_head < history->heads - 1) {
        last_head = 2 * last_head + 1;
    }
    memset(heads, 0xFF, ((size_t)last_head + 1) * sizeof *heads);
    for (uint32_t i = old_count; i-- > equal;) {
        uint32_t *head = &heads[hash_of_row(&old[i]) & last_head];
        next[i] = *head;
        *head = i;
    }
    for (uint32_t i = equal; i < found_count; i++) {
        uint32_t *head = &heads[hash_of_row(&found[i]) & last_head];
        if (!take_row(next, head, old, &found[i])) {
            predicted[counts->predicted++] = found[i];
        }
    }
    for (uint32_t i = equal; i < old_count; i++) {
        if (next[i] != i) {
            taken_back[counts->taken_back++] = old[i];
        }
    }
}

/* ---- push and confirm ---- */

static int32_t check_push(const fxs_history *history, const fxs_world *world,
                          const fxs_pushed *pushed, const fxs_event *events) {
    const uint64_t commands = pushed->command_count;
    const uint64_t reactions = pushed->reaction_count;
    const fxs_history_room *room = &history->room;
    const uint64_t carried = frame_at(history, history->stepped)->carried;
    if (fxs_world_frame(world) != frame_after(history->first, history->stepped + 1) ||
        history->stepped == room->window ||
        (pushed->is_final && history->settled != history->stepped)) {
        return FXS_E_ORDER;
    }
    if (reactions > commands || (reactions && !pushed->has_hash) ||
        !has_good_kinds(events, pushed->event_count)) {
        return FXS_E_RANGE;
    }
    if (pushed->event_count > room->event_room || reactions > room->command_room ||
        commands - reactions > room->command_room - carried) {
        return FXS_E_ROOM;
    }
    return FXS_OK;
}

int32_t fxs_history_push(fxs_history *history, const fxs_world *world, const uint8_t *own,
                         const fxs_pushed *pushed, const fxs_command *commands,
                         const fxs_event *events, fxs_event *taken_back, fxs_event *predicted,
                         fxs_event_changes *changes) {
    int32_t status = check_push(history, world, pushed, events);
    if (status == FXS_OK) {
        status = fxs_rewind_push(ring_of(history), world, own);
    }
    if (status != FXS_OK) {
        return status;
    }

    fxs_event_changes counts = {0, 0};
    const uint64_t event_count = pushed->event_count;
    const uint64_t reactions = pushed->reaction_count;
    kept_frame *now = frame_at(history, history->stepped);
    fxs_event *stands = events_of(history, now);
    uint32_t standing = history->stepped < history->pushed ? now->events : 0;
    compare(history, stands, standing, events, (uint32_t)event_count, taken_back, predicted,
            &counts);
    if (pushed->is_final) {
        counts.predicted = 0;
    }
    *changes = counts;

    copy_rows(stands, events, event_count * sizeof *events);
    now->events = (uint32_t)event_count;
    now->has_hash = pushed->has_hash != 0;
    now->hash = pushed->has_hash ? pushed->hash : 0;
    uint64_t before = pushed->command_count - reactions;
    copy_rows(commands_of(now) + now->carried, commands, before * sizeof *commands);
    now->commands = now->carried + before;

    kept_frame *after = frame_at(history, history->stepped + 1);
    copy_rows(commands_of(after), reactions ? commands + before : NULL,
              reactions * sizeof *commands);
    after->carried = reactions;

    history->stepped++;
    if (history->pushed < history->stepped) {
        history->pushed = history->stepped;
    }
    history->settled += pushed->is_final != 0;
    return FXS_OK;
}

int32_t fxs_history_confirm(fxs_history *history, fxs_confirmed *out, fxs_command *commands,
                            fxs_event *events) {
    if (history->settled == 0) {
        return FXS_E_ABSENT;
    }
    const kept_frame *now = frame_at(history, 0);
    uint32_t after = frame_after(history->first, 1);
    fxs_confirmed confirmed = {now->hash, now->commands, now->events, history->first, 0};
    if (!now->has_hash) {
        uint64_t size = 0;
        const uint8_t *state = fxs_rewind_state(ring_of(history), after, &size);
        confirmed.hash = fxs_hash64(state, size, 0);
    }
    copy_rows(commands, commands_of(now), now->commands * sizeof *commands);
    copy_rows(events, events_of(history, now), now->events * sizeof *events);
    for (uint32_t i = now->events; i && events[i - 1].kind >= FXS_GAME_EVENT; i--) {
        confirmed.game_events++;
    }
    *out = confirmed;
    history->first = after;
    history->slot = history->slot == history->room.window ? 0 : history->slot + 1;
    history->settled--;
    history->stepped--;
    history->pushed--;
    return FXS_OK;
}
