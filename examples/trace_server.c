/* A server that reads a trace from standard input, one command a line, and prints the results.
 *
 *     cc -I csrc examples/trace_server.c csrc/[a-z]*.c -o server && ./server <trace.txt
 *
 * Commands. All numbers are integers: coordinates and sizes in 1/65536 unit, yaws in 1/65536 turn,
 * kinds and contacts as in fixsync.h.
 *
 *     world CAPACITY HIT_WHEN        the first command: an empty world; all layers meet
 *     meet LAYER MASK                before the first add: the layers that LAYER meets
 *     add ID KIND LAYER ACTIVE OWNER YAW HALF_ANGLE X Y Z OX OY OZ SIZE SIZE SIZE
 *     remove ID   |   move ID X Y Z   |   turn ID YAW   |   active ID 0|1   |   layer ID LAYER
 *     query KIND HALF_ANGLE SIZE SIZE SIZE X Y Z YAW MASK
 *                                    prints "query:" and ids
 *     cast KIND HALF_ANGLE SIZE SIZE SIZE X Y Z YAW MX MY MZ MASK
 *                                    prints "cast:" and id@fraction
 *     step                           prints "FRAME A B ENTER|STAY|EXIT CONTACT" for every event
 *     hash                           prints "hash FRAME HASH"
 *
 * Empty lines and lines that begin with # are skipped. At the first wrong line the program prints
 * its number, its text and the reason, and exits with 1. If a step has more hits than the world has
 * room for, the program makes a larger world and steps again.
 */
#include "fixsync.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MAX = 16, LINE_SIZE = 512 };

typedef struct server {
    fxs_world *world;
    fxs_config config;
    fxs_event *events;
    uint64_t event_room;
    uint32_t *ids;          /* room for all colliders; so has cast_hits */
    fxs_cast_hit *cast_hits;
    unsigned long line;
    const char *text;
} server;

static void refuse(const server *s, const char *why, int32_t status) {
    fprintf(stderr, "line %lu: %s: ", s->line, s->text);
    status ? fprintf(stderr, "%s (status %d)\n", why, status) : fprintf(stderr, "%s\n", why);
    exit(1);
}
static void check(const server *s, int32_t status) {
    if (status < 0) {
        refuse(s, "refused", status);
    }
}
static void *room(const server *s, uint64_t size) {
    void *memory = size == (size_t)size ? malloc((size_t)size) : NULL;
    if (memory == NULL) {
        refuse(s, "out of memory", 0);
    }
    return memory;
}

/* Makes a world with this config. Copies and frees the old world, if there is one. */
static void make_world(server *s, const fxs_config *config) {
    uint64_t size = fxs_world_size(config);
    if (size == 0) {
        refuse(s, "the config is out of range", FXS_E_CONFIG);
    }
    fxs_world *world = (fxs_world *)room(s, size);
    check(s, fxs_world_init(world, config));
    if (s->world) {
        check(s, fxs_world_copy(world, s->world));
        free(s->world);
    }
    s->world = world;
    s->config = *config;
}

static void step(server *s) {
    static const char *const KINDS[] = {"", "ENTER", "STAY", "EXIT"};
    fxs_counts counts;
    /* On FXS_E_ROOM the world is unchanged. */
    while (fxs_world_step(s->world, s->events, s->event_room, &counts) == FXS_E_ROOM) {
        if (counts.hits > UINT32_MAX) {
            refuse(s, "more hits than a world can have", FXS_E_ROOM);
        }
        if (counts.hits > s->config.hit_capacity) {
            fxs_config larger = s->config;
            larger.hit_capacity = (uint32_t)counts.hits;
            make_world(s, &larger);
        }
        free(s->events);
        s->event_room = counts.events;
        s->events = (fxs_event *)room(s, counts.events * sizeof *s->events + 1);
    }
    for (uint64_t i = 0; i < counts.events; i++) {
        const fxs_event *e = s->events + i;
        printf("%u %u %u %s %u\n", fxs_world_frame(s->world), e->a, e->b, KINDS[e->kind],
               e->contact);
    }
}

/* ---- commands: each checks the range of its numbers ---- */

static uint32_t u32(const server *s, int64_t v, uint32_t most) {
    if (v < 0 || v > most) {
        refuse(s, "a number is out of range", 0);
    }
    return (uint32_t)v;
}
static int32_t i32(const server *s, int64_t v) {
    if (v < INT32_MIN || v > INT32_MAX) {
        refuse(s, "a number is out of range", 0);
    }
    return (int32_t)v;
}
static fxs_shape shape_of(const server *s, const int64_t *n) {
    fxs_shape shape = {u32(s, n[0], UINT32_MAX),
                       u32(s, n[1], UINT32_MAX),
                       {i32(s, n[2]), i32(s, n[3]), i32(s, n[4])}};
    return shape;
}
static fxs_pose pose_of(const server *s, const int64_t *n) {
    fxs_pose pose = {i32(s, n[0]), i32(s, n[1]), i32(s, n[2]), u32(s, n[3], UINT32_MAX)};
    return pose;
}

static void do_world(server *s, const int64_t *n) {
    fxs_config config = {u32(s, n[0], FXS_CAPACITY_MAX), 16, u32(s, n[1], UINT32_MAX), {0}};
    if (s->world) {
        refuse(s, "the world exists already", 0);
    }
    memset(config.layers, 255, sizeof config.layers);
    make_world(s, &config);
    s->ids = (uint32_t *)room(s, (uint64_t)config.capacity * sizeof *s->ids);
    s->cast_hits = (fxs_cast_hit *)room(s, (uint64_t)config.capacity * sizeof *s->cast_hits);
}
static void do_meet(server *s, const int64_t *n) {
    uint32_t layer = u32(s, n[0], FXS_LAYER_COUNT - 1), mask = u32(s, n[1], UINT32_MAX);
    fxs_config config = s->config;
    if (fxs_world_count(s->world) || fxs_world_frame(s->world)) {
        refuse(s, "the world has colliders or frames already", 0);
    }
    for (uint32_t other = 0; other < FXS_LAYER_COUNT; other++) {
        uint32_t others = config.layers[other] & ~(1u << layer);
        config.layers[other] = others | (mask >> other & 1) << layer;
    }
    config.layers[layer] = mask;
    free(s->world);
    s->world = NULL;
    make_world(s, &config);
}
static void do_add(server *s, const int64_t *n) {
    fxs_collider c = {0};
    c.id = u32(s, n[0], UINT32_MAX);
    c.kind = (uint8_t)u32(s, n[1], UINT8_MAX);
    c.layer = (uint8_t)u32(s, n[2], UINT8_MAX);
    c.active = (uint8_t)u32(s, n[3], UINT8_MAX);
    c.owner = u32(s, n[4], UINT32_MAX);
    c.yaw = (uint16_t)u32(s, n[5], UINT16_MAX);
    c.half_angle = (uint16_t)u32(s, n[6], UINT16_MAX);
    c.x = i32(s, n[7]);
    c.y = i32(s, n[8]);
    c.z = i32(s, n[9]);
    c.ox = i32(s, n[10]);
    c.oy = i32(s, n[11]);
    c.oz = i32(s, n[12]);
    for (int i = 0; i < 3; i++) {
        c.size[i] = i32(s, n[13 + i]);
    }
    check(s, fxs_world_add(s->world, &c));
}
static void do_remove(server *s, const int64_t *n) {
    check(s, fxs_world_remove(s->world, u32(s, n[0], UINT32_MAX)));
}
static void do_move(server *s, const int64_t *n) {
    uint32_t id = u32(s, n[0], UINT32_MAX);
    check(s, fxs_world_move(s->world, id, i32(s, n[1]), i32(s, n[2]), i32(s, n[3])));
}
static void do_turn(server *s, const int64_t *n) {
    check(s, fxs_world_turn(s->world, u32(s, n[0], UINT32_MAX), u32(s, n[1], UINT32_MAX)));
}
static void do_active(server *s, const int64_t *n) {
    check(s, fxs_world_set_active(s->world, u32(s, n[0], UINT32_MAX), u32(s, n[1], UINT32_MAX)));
}
static void do_layer(server *s, const int64_t *n) {
    check(s, fxs_world_set_layer(s->world, u32(s, n[0], UINT32_MAX), u32(s, n[1], UINT32_MAX)));
}
static void do_query(server *s, const int64_t *n) {
    fxs_query query = {shape_of(s, n), pose_of(s, n + 5), u32(s, n[9], UINT32_MAX), 0, 0};
    uint64_t count;
    check(s, fxs_world_query(s->world, &query, s->ids, s->config.capacity, &count));
    printf("query:");
    for (uint64_t i = 0; i < count; i++) {
        printf(" %u", s->ids[i]);
    }
    printf("\n");
}
static void do_cast(server *s, const int64_t *n) {
    fxs_cast cast = {shape_of(s, n),
                     pose_of(s, n + 5),
                     {i32(s, n[9]), i32(s, n[10]), i32(s, n[11])},
                     u32(s, n[12], UINT32_MAX),
                     0,
                     0,
                     0};
    uint64_t count;
    check(s, fxs_world_cast(s->world, &cast, s->cast_hits, s->config.capacity, &count));
    printf("cast:");
    for (uint64_t i = 0; i < count; i++) {
        printf(" %u@%u", s->cast_hits[i].id, s->cast_hits[i].fraction);
    }
    printf("\n");
}
static void do_step(server *s, const int64_t *n) {
    (void)n;
    step(s);
}
static void do_hash(server *s, const int64_t *n) {
    (void)n;
    printf("hash %u %016llx\n", fxs_world_frame(s->world),
           (unsigned long long)fxs_world_hash(s->world));
}

static const struct command {
    const char *name;
    int numbers;
    void (*run)(server *s, const int64_t *n);
} COMMANDS[] = {
    {"world", 2, do_world}, {"meet", 2, do_meet},     {"add", 16, do_add},
    {"remove", 1, do_remove}, {"move", 4, do_move},   {"turn", 2, do_turn},
    {"active", 2, do_active}, {"layer", 2, do_layer}, {"query", 10, do_query},
    {"cast", 13, do_cast},  {"step", 0, do_step},     {"hash", 0, do_hash},
};

static void run(server *s, char *line) {
    int64_t numbers[NUMBERS_MAX];
    int count = 0;
    char *word = strtok(line, " \t");
    if (word == NULL || word[0] == '#') {
        return;
    }
    const struct command *command = NULL;
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        if (strcmp(word, COMMANDS[i].name) == 0) {
            command = COMMANDS + i;
        }
    }
    if (command == NULL) {
        refuse(s, "no such command", 0);
        return;
    }
    while ((word = strtok(NULL, " \t")) != NULL) {
        char *end;
        errno = 0;
        long long value = strtoll(word, &end, 10);
        if (*end != '\0' || errno == ERANGE) {
            refuse(s, "not an integer", 0);
        }
        if (count == command->numbers) {
            refuse(s, "too many numbers", 0);
        }
        numbers[count++] = value;
    }
    if (count < command->numbers) {
        refuse(s, "too few numbers", 0);
    }
    if (s->world == NULL && command->run != do_world) {
        refuse(s, "no world yet", 0);
    }
    command->run(s, numbers);
}

int main(void) {
    server s = {0};
    char line[LINE_SIZE], copy[LINE_SIZE];
    while (fgets(line, sizeof line, stdin)) {
        s.line++;
        size_t size = strcspn(line, "\r\n");
        s.text = copy;
        memcpy(copy, line, size);
        copy[size] = '\0';
        if (line[size] == '\0' && size == sizeof line - 1) {
            refuse(&s, "the line is too long", 0);
        }
        line[size] = '\0';
        run(&s, line);
    }
    free(s.world);
    free(s.events);
    free(s.ids);
    free(s.cast_hits);
    return ferror(stdin) || fflush(stdout) != 0;
}
