/* Two peers of a match that rolls back, and packets of any kind. The bytes say who plays a frame,
 * which packets arrive, cut, changed or joined, and what a liar with the keys sends to a peer of
 * its own. The two never differ, and what one confirms is what the other does. */
#include "fixsync_kit.h"
#include "fuzz_read.h"

#include <string.h>

enum { IDS = 2, ROWS = 4, EVENTS = 8, STATE = 1024, PACKETS = 16, FRAMES_KEPT = 1024 };

typedef struct peer {
    fxs_world *world;
    fxs_rollback *rollback;
    int64_t own;
    uint64_t hashes[FRAMES_KEPT];
    uint32_t confirmed;
} peer;

typedef struct packet {
    uint8_t bytes[FXS_PACKET_SIZE];
    uint64_t size;
} packet;

static void *memory_of(uint64_t size) {
    void *memory = malloc((size_t)size);
    REQUIRE(memory != NULL);
    return memory;
}

static void begin(peer *it, uint32_t me, uint32_t life, uint32_t check, uint32_t delay) {
    fxs_config config = {IDS, 1, FXS_TOUCHING, {0}};
    memset(config.layers, 0xFF, sizeof config.layers);
    it->world = memory_of(fxs_world_size(&config));
    REQUIRE(fxs_world_init(it->world, &config) == FXS_OK);
    for (uint32_t id = 0; id < IDS; id++) {
        fxs_collider ball = {.id = id, .kind = FXS_SPHERE, .active = 1, .size = {65536, 0, 0}};
        REQUIRE(fxs_world_add(it->world, &ball) == FXS_OK);
    }
    it->own = 0;
    it->confirmed = 0;
    fxs_rollback_settings settings = {
        .random = {(uint8_t)me, (uint8_t)life},
        .own_size = sizeof it->own,
        .state_size = STATE,
        .command_room = ROWS,
        .event_room = EVENTS,
        .past = 4,
        .players = 2,
        .numbers = 1,
        .prediction_max = 6,
        .input_delay = delay,
        .check = check,
    };
    settings.peers[1 - me] = 1;
    it->rollback = memory_of(fxs_rollback_size(&settings));
    REQUIRE(fxs_rollback_init(it->rollback, &settings, it->world, (const uint8_t *)&it->own) ==
            FXS_OK);
}

static void end(peer *it) {
    free(it->world);
    free(it->rollback);
}

/* Answers requests until there are no more. */
static void play(peer *it) {
    fxs_rollback_request request;
    do {
        int64_t inputs[2];
        fxs_command commands[ROWS];
        fxs_event events[EVENTS], taken_back[EVENTS], predicted[EVENTS];
        fxs_event_changes changes;
        REQUIRE(fxs_rollback_next(it->rollback, it->world, (uint8_t *)&it->own, &request, inputs,
                                  commands, events) == FXS_OK);
        if (request.type == FXS_ROLLBACK_STEP) {
            fxs_counts counts;
            for (uint32_t id = 0; id < IDS; id++) {
                fxs_pose pose = {(int32_t)(inputs[id] % 65536), 0, 0, 0};
                REQUIRE(fxs_world_set_pose(it->world, id, &pose) == FXS_OK);
            }
            REQUIRE(fxs_world_step(it->world, events, EVENTS, &counts) == FXS_OK);
            it->own ^= inputs[0] + 7 * inputs[1] + request.frame;
            fxs_pushed pushed = {
                .hash = fxs_world_hash(it->world), .event_count = counts.events, .has_hash = 1};
            REQUIRE(fxs_rollback_push(it->rollback, it->world, (const uint8_t *)&it->own, &pushed,
                                      (uint64_t)it->own, commands, events, taken_back, predicted,
                                      &changes) == FXS_OK);
        } else if (request.type == FXS_ROLLBACK_CONFIRMED) {
            REQUIRE(request.frame == it->confirmed);
            it->hashes[it->confirmed++ % FRAMES_KEPT] = request.confirmed.hash;
        }
    } while (request.type != FXS_ROLLBACK_NONE);
}

/* One frame of a peer, and its packet. */
static void tick(peer *it, int64_t value, packet *to) {
    const int64_t small = value % 1000000;
    int32_t status = fxs_rollback_tick(it->rollback, &small);
    REQUIRE(status == FXS_OK || status == FXS_E_ORDER);
    if (status == FXS_OK) {
        play(it);
    }
    REQUIRE(fxs_rollback_packet(it->rollback, 1, to->bytes, sizeof to->bytes, &to->size) == FXS_OK);
    REQUIRE(to->size <= sizeof to->bytes);
}

/* From memory of its own, so that reading past it is seen. */
static void receive(peer *it, const uint8_t *bytes, uint64_t size) {
    uint8_t *copy = memory_of(size + 1);
    memcpy(copy + 1, bytes, (size_t)size); /* not aligned */
    (void)fxs_rollback_receive(it->rollback, 1, copy + 1, size);
    free(copy);
}

/* What a liar makes of a packet: a tag that fits is all that it needs to be taken. */
static void lie(peer *it, packet *p, input *in, const packet *hello) {
    uint8_t randoms[32];
    memcpy(randoms, hello->bytes + 9, 16);
    memcpy(randoms + 16, hello->bytes + 25, 16);
    uint64_t tag = fxs_hash64(p->bytes + 8, p->size - 8, fxs_hash64(randoms, 32, 0));
    for (int i = 0; i < 8; i++) {
        p->bytes[i] = (uint8_t)(tag >> 8 * i);
    }
    receive(it, p->bytes, p->size);
    tick(it, take_int32(in), p);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    input in = {bytes, bytes + size};
    const uint32_t settings = (uint32_t)take(&in, 1);
    peer peers[2], deceived;
    static packet packets[PACKETS];
    packet hello = {{0}, 0};
    memset(packets, 0, sizeof packets);
    for (uint32_t i = 0; i < 2; i++) {
        begin(&peers[i], i, settings, settings % 4, settings / 4 % 4);
    }
    begin(&deceived, 0, settings, 0, 0);
    for (uint32_t n = 0; in.next < in.end && n < 300; n++) {
        uint32_t op = (uint32_t)take(&in, 1);
        packet *p = &packets[op / 16];
        uint64_t at = p->size ? take(&in, 1) * 5 % p->size : 0;
        switch (op % 8) {
        case 0:
        case 1:
            tick(&peers[op % 2], take_int32(&in), p);
            receive(&peers[1 - op % 2], p->bytes, p->size);
            hello = op % 2 && p->size > 8 && p->bytes[8] == 16 ? *p : hello;
            break;
        case 2:
        case 3: tick(&peers[op % 2], take_int32(&in), p); break;
        case 4: receive(&peers[at % 2], p->bytes, p->size); break;
        case 5: receive(&peers[at % 2], p->bytes, at); break;
        case 6:
            if (p->size > 0) {
                packet changed = *p;
                changed.bytes[at] ^= (uint8_t)take(&in, 1);
                receive(&peers[at % 2], changed.bytes, changed.size);
            }
            break;
        default:
            if (p->size > 9 && hello.size > 41) {
                packet changed = *p;
                changed.bytes[8 + at % (p->size - 8)] ^= (uint8_t)take(&in, 1);
                receive(&deceived, hello.bytes, hello.size);
                lie(&deceived, &changed, &in, &hello);
            }
        }
    }
    uint32_t both = peers[0].confirmed < peers[1].confirmed ? peers[0].confirmed : peers[1].confirmed;
    for (uint32_t frame = 0; frame < both; frame++) {
        REQUIRE(peers[0].hashes[frame] == peers[1].hashes[frame]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        fxs_desync found;
        REQUIRE(fxs_rollback_desync(peers[i].rollback, &found) == FXS_E_ABSENT);
        end(&peers[i]);
    }
    end(&deceived);
    return 0;
}
