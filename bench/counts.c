/* Runs a scene that counts.py wrote, for counting instructions: counts SCENE WHAT. Only
 * instructions within measured() are counted. Prints the hash of the state at the end. */
#include "fixsync.h"

#include <stdio.h>
#include <stdlib.h>

/* The C library picks its own by the processor, so counts would differ between machines. */
typedef uint64_t word __attribute__((may_alias, aligned(1)));

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    uint8_t *t = to;
    const uint8_t *f = from;
    for (; size >= 8; size -= 8, t += 8, f += 8) {
        *(volatile word *)t = *(const word *)f;
    }
    while (size--) {
        *(volatile uint8_t *)t++ = *f++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    uint8_t *t = to;
    const uint8_t *f = from;
    if (t <= f) {
        return memcpy(to, from, size);
    }
    while (size--) {
        *(volatile uint8_t *)(t + size) = f[size];
    }
    return to;
}

void *memset(void *to, int value, size_t size) {
    uint8_t *t = to;
    uint64_t eight = (uint8_t)value * UINT64_C(0x0101010101010101);
    for (; size >= 8; size -= 8, t += 8) {
        *(volatile word *)t = eight;
    }
    while (size--) {
        *(volatile uint8_t *)t++ = (uint8_t)value;
    }
    return to;
}

typedef struct task {
    fxs_world *world;
    fxs_event *events;
    uint64_t event_room;
    uint32_t *ids;
    fxs_pose *poses;
    uint32_t moving;
    fxs_query *queries;
    uint64_t *ends;
    uint32_t *found;
    uint64_t query_count, found_room;
    uint8_t *state;
    uint64_t state_size, hash;
} task;

enum { FRAME, QUERIES, SAVE, LOAD, HASH };

static void check(int32_t status) {
    if (status != FXS_OK) {
        fprintf(stderr, "status %d\n", (int)status);
        exit(1);
    }
}

/* Counting is switched on where this begins and off where it ends. */
__attribute__((noinline)) void measured(task *t, int what) {
    uint64_t count;
    fxs_counts counts;
    switch (what) {
    case FRAME:
        check(fxs_world_set_pose_many(t->world, t->moving, t->ids, t->poses, &count));
        check(fxs_world_step(t->world, t->events, t->event_room, &counts));
        break;
    case QUERIES:
        check(fxs_world_query_many(t->world, t->query_count, t->queries, t->ends, t->found,
                                   t->found_room, &count));
        break;
    case SAVE:
        fxs_world_save(t->world, t->state);
        break;
    case LOAD:
        check(fxs_world_load(t->world, t->state, t->state_size, &count));
        break;
    default:
        t->hash = fxs_world_hash(t->world);
    }
}

static void *get(FILE *file, uint64_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory || fread(memory, 1, size, file) != size) {
        fprintf(stderr, "the scene ends early\n");
        exit(1);
    }
    return memory;
}

static uint32_t number(FILE *file) {
    uint32_t *read = get(file, 4), value = *read;
    free(read);
    return value;
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "counts SCENE WHAT\n");
        return 2;
    }
    int what = atoi(argv[2]);
    task t = {0};
    fxs_config *config = get(file, sizeof *config);
    uint64_t bad, size = fxs_world_size(config);
    t.world = malloc(size);
    t.event_room = 2 * (uint64_t)config->hit_capacity;
    t.events = malloc(t.event_room * sizeof *t.events);
    t.found_room = 64 * (uint64_t)config->capacity;
    t.found = malloc(t.found_room * sizeof *t.found);
    if (!t.world || !t.events || !t.found) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    check(fxs_world_init(t.world, config));
    uint32_t count = number(file);
    fxs_collider *colliders = get(file, sizeof *colliders * (uint64_t)count);
    check(fxs_world_add_many(t.world, count, colliders, &bad));
    t.query_count = number(file);
    t.queries = get(file, sizeof *t.queries * t.query_count);
    t.ends = malloc(8 * (t.query_count + 1));
    uint32_t frames = number(file);
    t.moving = number(file);
    t.ids = get(file, 4 * (uint64_t)t.moving);
    for (uint32_t frame = 0; frame < frames; frame++) {
        t.poses = get(file, sizeof *t.poses * (uint64_t)t.moving);
        if (what == FRAME) {
            measured(&t, FRAME);
        } else {
            fxs_counts counts;
            check(fxs_world_set_pose_many(t.world, t.moving, t.ids, t.poses, &bad));
            check(fxs_world_step(t.world, t.events, t.event_room, &counts));
        }
        free(t.poses);
    }
    t.state_size = fxs_world_save_size(t.world);
    t.state = malloc(t.state_size);
    fxs_world_save(t.world, t.state);
    if (what != FRAME) {
        measured(&t, what);
    }
    printf("%016llx\n", (unsigned long long)fxs_world_hash(t.world));
    return 0;
}
