/* load of any bytes: the reference refuses the same ones at the same place; a refusal changes nothing; what is accepted saves to the
 * same bytes, and both go on alike. The first byte chooses the world that loads. */
#include "fuzz.h"
#include "reference.h"

#include <string.h>

enum { IDS = 40, HITS = 24, EVENTS = 2000 };

static void *filled(uint64_t size) {
    void *memory = malloc((size_t)size);
    REQUIRE(memory != NULL && size > 0);
    memset(memory, 0xA5, (size_t)size);
    return memory;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fxs_event events[2][EVENTS];
    if (size == 0) {
        return 0;
    }
    fxs_config config = {1 + bytes[0] % IDS, bytes[0] / IDS * HITS / 6, FXS_TOUCHING, {0}};
    memset(config.layers, 0xFF, sizeof config.layers);
    fxs_world *world = filled(fxs_world_size(&config));
    ref_world *ref = filled(ref_world_size(&config));
    REQUIRE(fxs_world_init(world, &config) == FXS_OK && ref_world_init(ref, &config) == FXS_OK);
    fxs_collider ball = {0, FXS_SPHERE, 3, 1, 0, 9, 0, 2, 1, 2, 3, 0, 0, 0, {65536, 0, 0}};
    REQUIRE(fxs_world_add(world, &ball) == FXS_OK && ref_world_add(ref, &ball) == FXS_OK);
    uint64_t before = fxs_world_hash(world), at = 0, ref_at = 0;

    /* A copy of its own, so that reading past it is seen. */
    uint8_t *state = malloc(size);
    REQUIRE(state != NULL);
    memcpy(state, bytes + 1, size - 1);
    state = realloc(state, size - 1 ? size - 1 : 1);
    int32_t status = fxs_world_load(world, state, size - 1, &at);
    REQUIRE(status == ref_world_load(ref, state, size - 1, &ref_at));
    if (status != FXS_OK) {
        REQUIRE(at == ref_at);
        REQUIRE(fxs_world_hash(world) == before);
    } else {
        uint8_t *saved = malloc(size);
        REQUIRE(saved != NULL && fxs_world_save_size(world) == size - 1);
        fxs_world_save(world, saved);
        REQUIRE(memcmp(saved, state, size - 1) == 0);
        free(saved);
    }
    fxs_counts counts, ref_counts;
    for (int frame = 0; frame < 2; frame++) {
        int32_t stepped = fxs_world_step(world, events[0], EVENTS, &counts);
        REQUIRE(stepped == ref_world_step(ref, events[1], EVENTS, &ref_counts));
        if (stepped == FXS_OK) {
            REQUIRE(counts.hits == ref_counts.hits && counts.events == ref_counts.events);
            REQUIRE(memcmp(events[0], events[1], (size_t)counts.events * sizeof events[0][0]) == 0);
        }
        REQUIRE(fxs_world_hash(world) == ref_world_hash(ref));
    }
    free(state);
    free(world);
    free(ref);
    return 0;
}
