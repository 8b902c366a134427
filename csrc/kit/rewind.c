/* Rewind: a ring of the last frames, in the caller's memory. */
#include "rewind.h"
#include "../fixsync_kit.h"
#include "../integer.h"

/* The ring: this head, then `frames` slots. A slot is the size of the state, the game's own bytes
 * and the state, both filled up to a multiple of 8. */
struct fxs_rewind {
    uint32_t frames;     /* slots */
    uint32_t count;      /* slots in use */
    uint32_t newest;     /* frame of the newest; with a count of 0 unused */
    uint32_t slot;       /* of the newest */
    uint64_t own_size;   /* of the game's own bytes */
    uint64_t state_size; /* room for a state */
};

static uint64_t slot_size(uint64_t own_size, uint64_t state_size) {
    return 8 + align8(own_size) + align8(state_size);
}

static uint8_t *slot_at(const fxs_rewind *rewind, uint32_t slot) {
    FXS_ASSERT(slot < rewind->frames && rewind->count <= rewind->frames);
    uint64_t size = slot_size(rewind->own_size, rewind->state_size);
    return (uint8_t *)(uintptr_t)(rewind + 1) + size * slot;
}

uint64_t fxs_rewind_size(uint32_t frames, uint64_t own_size, uint64_t state_size) {
    const uint64_t most = FXS_MEMORY_MAX;
    if (frames == 0 || own_size > most || state_size > most ||
        slot_size(own_size, state_size) > (most - sizeof(fxs_rewind)) / frames) {
        return 0;
    }
    return sizeof(fxs_rewind) + slot_size(own_size, state_size) * frames;
}

int32_t fxs_rewind_init(fxs_rewind *memory, uint32_t frames, uint64_t own_size,
                        uint64_t state_size) {
    if (fxs_rewind_size(frames, own_size, state_size) == 0 || (uintptr_t)memory % 8 != 0) {
        return FXS_E_CONFIG;
    }
    memset(memory, 0, sizeof *memory);
    memory->frames = frames;
    memory->own_size = own_size;
    memory->state_size = state_size;
    return FXS_OK;
}

uint32_t fxs_rewind_count(const fxs_rewind *rewind) { return rewind->count; }

/* How many frames before the newest a frame is, modulo 2^32. */
static uint32_t age_of(const fxs_rewind *rewind, uint32_t frame) {
    return frames_between(frame, rewind->newest);
}

uint32_t fxs_rewind_oldest(const fxs_rewind *rewind) {
    return (uint32_t)((uint64_t)rewind->newest + ((uint64_t)1 << 32) + 1 - rewind->count);
}

int32_t fxs_rewind_push(fxs_rewind *rewind, const fxs_world *world, const uint8_t *own) {
    uint64_t size = fxs_world_save_size(world);
    uint32_t frame = fxs_world_frame(world);
    uint32_t kept = rewind->count;
    uint32_t slot = rewind->slot;
    if (kept) {
        uint32_t age = age_of(rewind, frame);
        if (age == UINT32_MAX) { /* the frame after the newest */
            slot = slot + 1 == rewind->frames ? 0 : slot + 1;
        } else if (age < kept) { /* again: frames from here on are of a history that is gone */
            kept -= age + 1;
            slot = (uint32_t)(((uint64_t)slot + rewind->frames - age) % rewind->frames);
        } else {
            return FXS_E_ORDER;
        }
    }
    if (size > rewind->state_size) {
        return FXS_E_ROOM;
    }
    uint8_t *to = slot_at(rewind, slot);
    memcpy(to, &size, sizeof size);
    if (rewind->own_size) {
        memcpy(to + 8, own, (size_t)rewind->own_size);
    }
    fxs_world_save(world, to + 8 + align8(rewind->own_size));
    rewind->slot = slot;
    rewind->newest = frame;
    rewind->count = kept < rewind->frames ? kept + 1 : kept;
    return FXS_OK;
}

/* The slot of the frame so many before the newest, which is kept. */
static uint8_t *slot_before(const fxs_rewind *rewind, uint32_t age) {
    FXS_ASSERT(age < rewind->count);
    uint64_t slot = ((uint64_t)rewind->slot + rewind->frames - age) % rewind->frames;
    return slot_at(rewind, (uint32_t)slot);
}

const uint8_t *fxs_rewind_state(const fxs_rewind *rewind, uint32_t frame, uint64_t *size) {
    uint32_t age = age_of(rewind, frame);
    if (age >= rewind->count) {
        return NULL;
    }
    const uint8_t *from = slot_before(rewind, age);
    memcpy(size, from, sizeof *size);
    return from + 8 + align8(rewind->own_size);
}

const uint8_t *fxs_rewind_own(const fxs_rewind *rewind, uint32_t frame) {
    uint32_t age = age_of(rewind, frame);
    return age < rewind->count ? slot_before(rewind, age) + 8 : NULL;
}

const uint8_t *fxs_rewind_dropped(const fxs_rewind *rewind, uint64_t *size, const uint8_t **own) {
    if (rewind->count == rewind->frames) {
        return NULL;
    }
    const uint8_t *from = slot_at(rewind, (rewind->slot + 1) % rewind->frames);
    memcpy(size, from, sizeof *size);
    *own = from + 8;
    return *size ? from + 8 + align8(rewind->own_size) : NULL;
}

int32_t fxs_rewind_load(const fxs_rewind *rewind, uint32_t frame, fxs_world *world, uint8_t *own,
                        uint64_t *at) {
    uint32_t age = age_of(rewind, frame);
    if (age >= rewind->count) {
        return FXS_E_RANGE;
    }
    const uint8_t *from = slot_before(rewind, age);
    uint64_t size;
    memcpy(&size, from, sizeof size);
    int32_t status = fxs_world_load(world, from + 8 + align8(rewind->own_size), size, at);
    if (status == FXS_OK && rewind->own_size) {
        memcpy(own, from + 8, (size_t)rewind->own_size);
    }
    return status;
}

void fxs_rewind_copy(fxs_rewind *to, const fxs_rewind *from) {
    uint64_t head_size = 8 + align8(from->own_size);
    for (uint32_t i = 0; i < from->count; i++) {
        const uint8_t *source = slot_before(from, from->count - 1 - i);
        uint64_t size;
        memcpy(&size, source, sizeof size);
        memcpy(slot_at(to, i), source, (size_t)(head_size + size));
    }
    for (uint32_t i = from->count; i < to->frames; i++) {
        memset(slot_at(to, i), 0, sizeof(uint64_t)); /* no frame was dropped */
    }
    to->count = from->count;
    to->newest = from->newest;
    to->slot = from->count ? from->count - 1 : 0;
}
