/* Strikes: whom the attacks of bodies hit in a step, each once (docs/contract.md). */
#include "frame_data.h"

typedef struct scene {
    const fxs_world *world;
    const fxs_body *bodies;
    uint64_t count;
    uint32_t mask;
} scene;

/* The body that has a part of this id, and the part; `count` if none has. */
static uint64_t body_of(const scene *s, uint32_t id, uint32_t *part) {
    for (uint64_t i = 0; i < s->count; i++) {
        const uint32_t *ids = s->bodies[i].ids;
        for (*part = 0; *part < FXS_PARTS_MAX && ids[*part] != FXS_NO_PART; ++*part) {
            if (ids[*part] == id) {
                return i;
            }
        }
    }
    return s->count;
}

/* Whether a collider makes a new strike against another one, and the row of it. */
static int is_strike(const scene *s, uint32_t hit, uint32_t hurt, fxs_strike *out) {
    fxs_collider from;
    fxs_collider to;
    uint32_t struck;
    if (fxs_world_get(s->world, hit, &from) != FXS_OK || (s->mask >> from.layer & 1) ||
        fxs_world_get(s->world, hurt, &to) != FXS_OK || !(s->mask >> to.layer & 1)) {
        return 0;
    }
    uint64_t attacker = body_of(s, hit, &out->part);
    uint64_t victim = body_of(s, hurt, &struck);
    out->attacker = (uint32_t)attacker;
    out->victim = (uint32_t)victim;
    out->owner = to.owner;
    return attacker < s->count && victim < s->count && attacker != victim &&
           s->bodies[attacker].attack != FXS_NO_ATTACK &&
           !fxs_has_victim(&s->bodies[attacker], to.owner);
}

static uint64_t strike_pair(const fxs_strike *row) {
    return (uint64_t)row->attacker << 32 | row->victim;
}

/* Adds a row to n that are in order: how many there are. Of one pair the better part stays. */
static uint64_t put_strike(fxs_strike *rows, uint64_t n, fxs_strike row) {
    uint64_t pair = strike_pair(&row);
    uint64_t i = n;
    while (i > 0 && strike_pair(&rows[i - 1]) > pair) {
        i--;
    }
    if (i > 0 && strike_pair(&rows[i - 1]) == pair) {
        rows[i - 1].part = row.part < rows[i - 1].part ? row.part : rows[i - 1].part;
        return n;
    }
    memmove(rows + i + 1, rows + i, (size_t)(n - i) * sizeof row);
    rows[i] = row;
    return n + 1;
}

int32_t fxs_strikes(const fxs_world *world, const fxs_event *events, uint64_t n, uint32_t mask,
                    fxs_body *fighters, uint64_t count, fxs_strike *out) {
    const scene s = {world, fighters, count, mask};
    uint64_t found = 0;
    if (n > (uint64_t)INT32_MAX) {
        return FXS_E_RANGE;
    }
    for (uint64_t i = 0; i < 2 * n; i++) { /* each event in both directions */
        const fxs_event *e = &events[i / 2];
        fxs_strike row;
        if ((e->kind == FXS_ENTER || e->kind == FXS_STAY) &&
            is_strike(&s, i % 2 ? e->b : e->a, i % 2 ? e->a : e->b, &row)) {
            found = put_strike(out, found, row);
        }
    }
    uint64_t first = 0; /* row of an attacker */
    for (uint64_t i = 0; i < found; i++) {
        first = out[i].attacker == out[first].attacker ? first : i;
        if (fighters[out[i].attacker].victim_count + (i - first) >= FXS_VICTIMS_MAX) {
            return FXS_E_ROOM;
        }
    }
    for (uint64_t i = 0; i < found; i++) {
        (void)fxs_body_strike(&fighters[out[i].attacker], out[i].owner);
    }
    return (int32_t)found;
}
