/* Packets between the peers of a match that rolls back (docs/rollback.md has every byte). */
#include "../fixsync_kit.h"
#include "rollback.h"

/* A packet: the tag, which is the XXH64 of all after it, then the kind. */
enum { TAG_SIZE = 8, HELLO = 0x10, PLAY = 0x11 };
/* What follows the kind in a HELLO. */
enum {
    RANDOM_AT = TAG_SIZE + 1,
    ECHO_AT = RANDOM_AT + RANDOM_SIZE,
    SEMANTICS_AT = ECHO_AT + RANDOM_SIZE,
    MATCH_AT = SEMANTICS_AT + 4,
    DATA_AT = MATCH_AT + 8,
    PLAYERS_AT = DATA_AT + 8,
    NUMBERS_AT = PLAYERS_AT + 1,
    PREDICTION_AT = NUMBERS_AT + 1,
    START_AT = PREDICTION_AT + 2,
    LOCAL_AT = START_AT + 4,
    HELLO_SIZE = LOCAL_AT + 8
};
enum { HASHES_NEW = 7, HASHES_MAX = 2 * HASHES_NEW + 1, AHEAD_MAX = 1 << 16, NUMBER_SIZE_MAX = 10 };
/* The most bytes after the inputs: their end, the hashes, and the parts of a frame. */
enum { REST_MAX = 2 + HASHES_MAX * (3 + 8) + 5 + 8 * PARTS };
enum { HEAD_MAX = TAG_SIZE + 1 + 6 * 5 };

/* ---- bytes ---- */

typedef struct packet_writer {
    uint8_t *bytes;
    uint64_t size;
} packet_writer;

static void put_varint(packet_writer *w, uint64_t v) {
    for (; v >= 128; v >>= 7) {
        w->bytes[w->size++] = (uint8_t)(v & 127) | 128;
    }
    w->bytes[w->size++] = (uint8_t)v;
}

/* Signed numbers: 0, -1, 1, -2, 2, ... are 0, 1, 2, 3, 4, ... */
static void put_signed(packet_writer *w, uint64_t v) {
    put_varint(w, v >> 63 ? ~(v << 1) : v << 1);
}

static void write64(uint8_t *p, uint64_t v) {
    write32(p, (uint32_t)(v & UINT32_MAX));
    write32(p + 4, (uint32_t)(v >> 32));
}

static void put_u64(packet_writer *w, uint64_t v) {
    write64(w->bytes + w->size, v);
    w->size += 8;
}

typedef struct packet_reader {
    const uint8_t *bytes;
    uint64_t size, at;
    int is_bad;
} packet_reader;

static uint64_t take_varint(packet_reader *from) {
    uint64_t v = 0;
    for (uint32_t shift = 0; from->at < from->size && shift < 70; shift += 7) {
        const uint8_t byte = from->bytes[from->at++];
        if (shift == 63 && byte > 1) {
            break;
        }
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return v;
        }
    }
    from->is_bad = 1;
    return 0;
}

static uint64_t take_signed(packet_reader *from) {
    const uint64_t v = take_varint(from);
    return v & 1 ? ~(v >> 1) : v >> 1;
}

static uint64_t take_u64(packet_reader *from) {
    if (from->size - from->at < 8) {
        from->is_bad = 1;
        return 0;
    }
    from->at += 8;
    return read64(from->bytes + from->at - 8);
}

/* ---- lives ---- */

static uint64_t tag_seed(const uint8_t *from, const uint8_t *to) {
    uint8_t both[2 * RANDOM_SIZE];
    memcpy(both, from, RANDOM_SIZE);
    memcpy(both + RANDOM_SIZE, to, RANDOM_SIZE);
    return fxs_hash64(both, sizeof both, 0);
}

static int32_t refuse_packet(remote *it, int32_t status, uint32_t field, int64_t ours,
                             int64_t theirs) {
    it->refusal = (fxs_refusal){ours, theirs, status, field, 0, 0};
    return status;
}

/* The numbers of a HELLO after the random bytes, and what differs if one does. */
typedef struct greeting_field {
    uint32_t at, size;
    int32_t status;
    uint32_t field;
    uint64_t ours;
} greeting_field;

enum { GREETING_FIELDS = 8 };

static void greeting_of(const fxs_rollback *r, uint64_t local,
                        greeting_field rows[GREETING_FIELDS]) {
    const fxs_rollback_settings *s = &r->settings;
    const greeting_field all[GREETING_FIELDS] = {
        {MATCH_AT, 8, FXS_E_MATCH, FXS_PACKET_MATCH, s->match},
        {SEMANTICS_AT, 4, FXS_E_SEMANTICS, FXS_PACKET_SEMANTICS, FXS_SEMANTICS},
        {PLAYERS_AT, 1, FXS_E_SETTINGS, FXS_PACKET_PLAYERS, s->players},
        {NUMBERS_AT, 1, FXS_E_SETTINGS, FXS_PACKET_NUMBERS, s->numbers},
        {PREDICTION_AT, 2, FXS_E_SETTINGS, FXS_PACKET_PREDICTION_MAX, s->prediction_max},
        {START_AT, 4, FXS_E_SETTINGS, FXS_PACKET_FRAME, r->start},
        {LOCAL_AT, 8, FXS_E_SETTINGS, FXS_PACKET_LOCAL, local},
        {DATA_AT, 8, FXS_E_DATA, FXS_PACKET_DATA, s->data},
    };
    memcpy(rows, all, sizeof all);
}

static uint64_t write_hello(const fxs_rollback *r, const remote *to, uint8_t *bytes) {
    greeting_field rows[GREETING_FIELDS];
    memset(bytes, 0, HELLO_SIZE);
    bytes[TAG_SIZE] = HELLO;
    memcpy(bytes + RANDOM_AT, r->settings.random, RANDOM_SIZE);
    memcpy(bytes + ECHO_AT, to->random, RANDOM_SIZE);
    greeting_of(r, r->local, rows);
    for (uint32_t i = 0; i < GREETING_FIELDS; i++) {
        for (uint32_t k = 0; k < rows[i].size; k++) {
            bytes[rows[i].at + k] = (uint8_t)(rows[i].ours >> (8 * k) & 255);
        }
    }
    write64(bytes, fxs_hash64(bytes + TAG_SIZE, HELLO_SIZE - TAG_SIZE, 0));
    return HELLO_SIZE;
}

static int is_equal_random(const uint8_t *a, const uint8_t *b) {
    uint32_t differs = 0;
    for (uint32_t i = 0; i < RANDOM_SIZE; i++) {
        differs |= (uint32_t)(a[i] ^ b[i]);
    }
    return differs == 0;
}

static int32_t take_hello(fxs_rollback *r, remote *it, const uint8_t *bytes, uint64_t size) {
    const uint8_t *ours = r->settings.random, *theirs = bytes + RANDOM_AT;
    greeting_field rows[GREETING_FIELDS];
    if (size != HELLO_SIZE) {
        return refuse_packet(it, FXS_E_PACKET, FXS_PACKET_BYTES, HELLO_SIZE, (int64_t)size);
    }
    if (read64(bytes) != fxs_hash64(bytes + TAG_SIZE, HELLO_SIZE - TAG_SIZE, 0)) {
        return refuse_packet(it, FXS_E_PACKET, FXS_PACKET_BYTES, 0, 0);
    }
    greeting_of(r, it->players, rows);
    for (uint32_t i = 0; i < GREETING_FIELDS; i++) {
        uint64_t value = 0;
        for (uint32_t k = 0; k < rows[i].size; k++) {
            value |= (uint64_t)bytes[rows[i].at + k] << (8 * k);
        }
        if (value != rows[i].ours) {
            return refuse_packet(it, rows[i].status, rows[i].field, (int64_t)rows[i].ours,
                                 (int64_t)value);
        }
    }
    if (is_equal_random(theirs, ours) ||
        (it->is_verified && !is_equal_random(theirs, it->random))) {
        return refuse_packet(it, FXS_E_LIFE, FXS_PACKET_LIFE, 0, 0);
    }
    memcpy(it->random, theirs, RANDOM_SIZE);
    it->keys[0] = tag_seed(theirs, ours);
    it->keys[1] = tag_seed(ours, theirs);
    it->is_heard = 1;
    it->is_verified |= (uint32_t)is_equal_random(bytes + ECHO_AT, ours);
    return FXS_OK;
}

/* ---- writing ---- */

static uint64_t count_of_players(uint64_t players) {
    uint64_t n = 0;
    for (; players; players &= players - 1) {
        n++;
    }
    return n;
}

/* The input of a player for a frame of the match, if it is kept. */
static const int64_t *input_for(const fxs_rollback *r, uint32_t player, uint32_t frame) {
    return fxs_inputs_known(inputs_in(r), player * r->settings.numbers,
                            frame_after(r->start, frame));
}

/* Whether the local inputs of two frames are kept, and equal. */
static int is_same_input(const fxs_rollback *r, uint32_t frame, uint32_t other) {
    for (uint32_t i = 0; i < r->settings.players; i++) {
        if (has_player(r->local, i)) {
            const int64_t *a = input_for(r, i, frame), *b = input_for(r, i, other);
            for (uint32_t k = 0; k < r->settings.numbers; k++) {
                if (a == NULL || b == NULL || a[k] != b[k]) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

/* Writes the local inputs that a remote lacks, or as many as have room. Runs of equal inputs: how
 * many frames, then each number less that of the run before; and a 0. */
static void put_runs(const fxs_rollback *r, const remote *to, packet_writer *w, uint64_t room) {
    const uint64_t run_max = 5 + NUMBER_SIZE_MAX * count_of_players(r->local) * r->settings.numbers;
    uint32_t frame = to->ack;
    while (frame < r->given && is_same_input(r, frame, frame) && w->size + run_max <= room) {
        uint32_t run = 1;
        while (frame + run < r->given && is_same_input(r, frame, frame + run)) {
            run++;
        }
        put_varint(w, run);
        for (uint32_t i = 0; i < r->settings.players; i++) {
            if (!has_player(r->local, i)) {
                continue;
            }
            const int64_t *now = input_for(r, i, frame);
            const int64_t *last = frame == to->ack ? NULL : input_for(r, i, frame - 1);
            for (uint32_t k = 0; k < r->settings.numbers; k++) {
                put_signed(w, (uint64_t)now[k] - (uint64_t)(last == NULL ? 0 : last[k]));
            }
        }
        frame += run;
    }
    put_varint(w, 0);
}

static void write_hash(fxs_rollback *r, packet_writer *w, uint32_t frame) {
    put_varint(w, confirmed_of(r) - frame);
    put_u64(w, fxs_rollback_hash(r, frame));
}

/* Writes hashes of confirmed frames: those that were never sent, then in turn others that the
 * remote lacks. Each is how many frames it is before the first that is not confirmed, and the
 * hash; and a 0. One more is sent again than is new: so hashes that were lost do not hold up a game
 * that sends a packet only every few frames. */
static void put_hashes(fxs_rollback *r, remote *to, packet_writer *w) {
    const uint32_t old = to->hash_sent;
    while (to->hash_sent < confirmed_of(r) && to->hash_sent - old < HASHES_NEW) {
        write_hash(r, w, to->hash_sent++);
    }
    uint32_t room = to->hash_sent == old ? 3 : to->hash_sent - old + 1;
    for (uint32_t again = old - to->hash_ack; room && again; room--, again--) {
        if (to->hash_again < to->hash_ack || to->hash_again >= old) {
            to->hash_again = to->hash_ack;
        }
        write_hash(r, w, to->hash_again++);
    }
    put_varint(w, 0);
}

int32_t fxs_rollback_packet(fxs_rollback *rollback, uint32_t peer, uint8_t *bytes, uint64_t room,
                            uint64_t *size) {
    fxs_rollback *r = rollback;
    if (peer == 0 || peer > r->remote_count) {
        return FXS_E_ID;
    }
    const uint64_t numbers = count_of_players(r->local) * r->settings.numbers;
    const uint64_t least = HEAD_MAX + 5 + NUMBER_SIZE_MAX * numbers + REST_MAX;
    if (room < least) {
        *size = least;
        return FXS_E_ROOM;
    }
    remote *to = &remotes_of(r)[peer - 1];
    if (!to->is_verified) {
        *size = write_hello(r, to, bytes);
        return FXS_OK;
    }
    packet_writer w = {bytes, TAG_SIZE};
    const uint64_t head = head_of(r);
    w.bytes[w.size++] = PLAY;
    put_varint(&w, head);
    put_signed(&w, to->next - head);
    put_varint(&w, head - confirmed_of(r));
    put_signed(&w, to->hash_next - head);
    put_signed(&w, (uint64_t)(int64_t)to->ahead);
    put_signed(&w, to->ack - head);
    put_runs(r, to, &w, room - REST_MAX);
    put_hashes(r, to, &w);
    put_varint(&w, to->differs);
    for (uint32_t i = 0; to->differs && i < PARTS; i++) {
        put_u64(&w, to->parts[i]);
    }
    write64(bytes, fxs_hash64(bytes + TAG_SIZE, w.size - TAG_SIZE, to->keys[1]));
    *size = w.size;
    return FXS_OK;
}

/* ---- reading ---- */

/* What a PLAY says. Its inputs begin at the byte runs_at, and end before the frame `end`. */
typedef struct play {
    int64_t head, ack, confirmed, hash_ack, ahead, first, end;
    uint64_t runs_at, differs, parts[PARTS];
    int is_old; /* its inputs begin with frames that are forgotten here: it has nothing new */
} play;

/* Refuses what no peer can have. */
static int32_t check_play(const fxs_rollback *r, remote *it, const play *said) {
    const int64_t apart = r->settings.prediction_max;
    const struct {
        uint32_t field;
        int64_t least, most, value;
    } bounds[] = {
        {FXS_PACKET_ACK, 0, r->given, said->ack},
        {FXS_PACKET_CONFIRMED, 0, said->ack, said->confirmed},
        {FXS_PACKET_HEAD, said->confirmed, said->ack + apart, said->head},
        {FXS_PACKET_HASH_ACK, 0, it->hash_sent, said->hash_ack},
        {FXS_PACKET_INPUT_END, 0, it->next, said->first},
        {FXS_PACKET_AHEAD, -AHEAD_MAX, AHEAD_MAX, said->ahead},
    };
    for (uint32_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const int64_t value = bounds[i].value;
        if (value < bounds[i].least || value > bounds[i].most) {
            return refuse_packet(it, FXS_E_RANGE, bounds[i].field,
                                 value < bounds[i].least ? bounds[i].least : bounds[i].most, value);
        }
    }
    return FXS_OK;
}

/* Puts the input of a player for a frame, or compares it. */
static int32_t take_input(fxs_rollback *r, remote *it, uint32_t player, uint32_t frame,
                          const int64_t *now, int is_put) {
    const uint32_t n = r->settings.numbers;
    const int64_t *known = is_put ? NULL : input_for(r, player, frame);
    for (uint32_t k = 0; k < n; k++) {
        if (is_put) {
            const int32_t status =
                fxs_inputs_put(inputs_in(r), player * n + k, frame_after(r->start, frame), now[k]);
            FXS_ASSERT(status == FXS_OK);
            (void)status;
        } else if (known != NULL && known[k] != now[k]) {
            (void)refuse_packet(it, FXS_E_INPUT, FXS_PACKET_INPUT, known[k], now[k]);
            it->refusal.player = player;
            it->refusal.frame = frame_after(r->start, frame);
            return FXS_E_INPUT;
        }
    }
    return FXS_OK;
}

/* Reads the inputs from `first` on; with is_put takes the new ones, else compares the others. Sets
 * `end`. */
static int32_t take_runs(fxs_rollback *r, remote *it, packet_reader *from, play *said, int is_put) {
    int64_t *last = (int64_t *)(void *)rollback_at(r, r->scratch_at);
    const uint64_t count = count_of_players(it->players) * r->settings.numbers;
    const int64_t ahead = (int64_t)r->settings.prediction_max + FXS_INPUT_DELAY_MAX + 1;
    const int64_t most = said->ack + ahead;
    uint32_t frame = (uint32_t)said->first;
    memset(last, 0, (size_t)(count * sizeof *last));
    for (;;) {
        const uint64_t run = take_varint(from);
        if (run == 0) {
            break;
        }
        if (run > UINT32_MAX || frame + (int64_t)run > most) {
            const int64_t far = run > UINT32_MAX ? INT64_MAX : frame + (int64_t)run;
            return refuse_packet(it, FXS_E_RANGE, FXS_PACKET_INPUT_END, most, far);
        }
        for (uint64_t i = 0; i < count; i++) {
            last[i] = (int64_t)((uint64_t)last[i] + take_signed(from));
        }
        if (from->is_bad) {
            break;
        }
        for (uint32_t k = 0; k < run; k++, frame++) {
            const int64_t *now = last;
            if ((frame >= it->next) != is_put) {
                continue;
            }
            for (uint32_t i = 0; i < r->settings.players; i++) {
                if (has_player(it->players, i)) {
                    const int32_t status = take_input(r, it, i, frame, now, is_put);
                    if (status != FXS_OK) {
                        return status;
                    }
                    now += r->settings.numbers;
                }
            }
        }
    }
    said->end = frame;
    return FXS_OK;
}

/* Reads the hashes; with is_put takes them. */
static int32_t take_hashes(fxs_rollback *r, remote *it, packet_reader *from, const play *said,
                           int is_put) {
    const uint32_t of = (uint32_t)(it - remotes_of(r));
    for (;;) {
        const uint64_t before = take_varint(from);
        if (before == 0) {
            return FXS_OK;
        }
        const uint64_t hash = take_u64(from);
        if (before > (uint64_t)said->confirmed) {
            return refuse_packet(it, FXS_E_RANGE, FXS_PACKET_HASH, said->confirmed,
                                 (int64_t)(before & INT64_MAX));
        }
        const uint32_t frame = (uint32_t)((uint64_t)said->confirmed - before);
        const uint32_t confirmed = confirmed_of(r);
        const uint32_t oldest = it->hash_next < confirmed ? it->hash_next : confirmed;
        if (is_put && frame >= it->hash_next && frame - oldest < r->ring) {
            their_hash *to = hash_at(r, of, frame);
            if (to->tag != frame + 1) { /* the first one counts */
                *to = (their_hash){hash, frame + 1, 0};
            }
        }
    }
}

static void measure_ahead(const fxs_rollback *r, remote *it, const play *said) {
    if (said->head >= it->head) {
        int64_t now = ((int64_t)head_of(r) - said->head) * 256;
        now = now < -AHEAD_MAX ? -AHEAD_MAX : now > AHEAD_MAX ? AHEAD_MAX : now;
        it->ahead = it->has_ahead ? it->ahead + ((int32_t)now - it->ahead) / 8 : (int32_t)now;
        it->their_ahead = (int32_t)said->ahead;
        it->has_ahead = 1;
    }
}

static uint32_t more(uint32_t a, int64_t b) { return b > (int64_t)a ? (uint32_t)b : a; }

/* Reads all of a PLAY after its kind, and changes nothing but `said` and `it->refusal`. */
static int32_t read_play(fxs_rollback *r, remote *it, packet_reader *from, play *said) {
    const uint64_t head = take_varint(from);
    said->head = (int64_t)head;
    said->ack = (int64_t)(head + take_signed(from));
    said->confirmed = (int64_t)(head - take_varint(from));
    said->hash_ack = (int64_t)(head + take_signed(from));
    said->ahead = (int64_t)take_signed(from);
    said->first = (int64_t)(head + take_signed(from));
    said->runs_at = from->at;
    int32_t status = from->is_bad ? FXS_OK : check_play(r, it, said);
    said->is_old = said->first < (int64_t)it->next - r->window;
    if (status == FXS_OK && !from->is_bad && said->is_old) {
        return FXS_OK;
    }
    if (status == FXS_OK && !from->is_bad) {
        status = take_runs(r, it, from, said, 0);
    }
    if (status == FXS_OK && !from->is_bad) {
        status = take_hashes(r, it, from, said, 0);
    }
    if (status != FXS_OK) {
        return status;
    }
    said->differs = take_varint(from);
    for (uint32_t i = 0; said->differs && i < PARTS; i++) {
        said->parts[i] = take_u64(from);
    }
    if (from->is_bad || from->at != from->size) {
        const int64_t at = (int64_t)from->at, size = (int64_t)from->size;
        return refuse_packet(it, FXS_E_PACKET, FXS_PACKET_BYTES, at, size);
    }
    return FXS_OK;
}

static int32_t take_play(fxs_rollback *r, remote *it, const uint8_t *bytes, uint64_t size) {
    packet_reader from = {bytes, size, TAG_SIZE + 1, 0};
    play said;
    const uint32_t of = (uint32_t)(it - remotes_of(r));
    if (!it->is_heard ||
        read64(bytes) != fxs_hash64(bytes + TAG_SIZE, size - TAG_SIZE, it->keys[0])) {
        return refuse_packet(it, FXS_E_LIFE, FXS_PACKET_LIFE, 0, 0);
    }
    const int32_t status = read_play(r, it, &from, &said);
    if (status != FXS_OK || said.is_old) {
        return status;
    }
    it->is_verified = 1;
    measure_ahead(r, it, &said);
    it->ack = more(it->ack, said.ack);
    it->head = more(it->head, said.head);
    it->hash_ack = more(it->hash_ack, said.hash_ack);
    from.at = said.runs_at;
    (void)take_runs(r, it, &from, &said, 1);
    it->next = more(it->next, said.end);
    (void)take_hashes(r, it, &from, &said, 1);
    while (hash_at(r, of, it->hash_next)->tag == it->hash_next + 1) {
        it->hash_next++;
    }
    fxs_rollback_compare(r, of);
    if (said.differs && said.differs == it->differs) {
        fxs_rollback_report(r, of, said.parts);
    }
    return FXS_OK;
}

int32_t fxs_rollback_receive(fxs_rollback *rollback, uint32_t peer, const uint8_t *bytes,
                             uint64_t size) {
    fxs_rollback *r = rollback;
    if (peer == 0 || peer > r->remote_count) {
        return FXS_E_ID;
    }
    remote *it = &remotes_of(r)[peer - 1];
    if (size > TAG_SIZE && bytes[TAG_SIZE] == HELLO) {
        return take_hello(r, it, bytes, size);
    }
    if (size > TAG_SIZE && bytes[TAG_SIZE] == PLAY) {
        return take_play(r, it, bytes, size);
    }
    return refuse_packet(it, FXS_E_PACKET, FXS_PACKET_BYTES, TAG_SIZE + 1, (int64_t)size);
}

int32_t fxs_rollback_refusal(const fxs_rollback *rollback, uint32_t peer, fxs_refusal *out) {
    if (peer == 0 || peer > rollback->remote_count) {
        return FXS_E_ID;
    }
    *out = remotes_of(rollback)[peer - 1].refusal;
    return FXS_OK;
}
