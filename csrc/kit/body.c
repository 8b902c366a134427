/* Bodies: the colliders of one fighter, and the attacks that switch them (docs/contract.md). */
#include "frames.h"

#define BODY_MAGIC 0x31425846u /* "FXB1", little-endian */

enum { BODY_HEAD = 24 }; /* of a saved body: all but its victims */

/* ---- colliders of a body ---- */

static fxs_command *put(fxs_command *next, uint32_t type, uint32_t id) {
    memset(next, 0, sizeof *next);
    next->type = type;
    next->collider.id = id;
    return next;
}

/* Applies n rows: their number, or a status with the refused row as the first. */
static int32_t apply_rows(fxs_world *world, fxs_command *rows, uint32_t n) {
    uint64_t bad = 0;
    int32_t status = fxs_world_apply(world, rows, n, &bad);
    if (status != FXS_OK) {
        rows[0] = rows[bad];
        return status;
    }
    return (int32_t)n;
}

/* The collider of a part; a status, with a row of its id, if it is not in the world. */
static int32_t find_part(const fxs_body *body, const fxs_world *world, uint32_t part,
                         fxs_collider *out, fxs_command *rows) {
    int32_t status = fxs_world_get(world, body->ids[part], out);
    if (status != FXS_OK) {
        put(rows, FXS_COMMAND_ACTIVE, body->ids[part]);
    }
    return status;
}

int32_t fxs_body_add(fxs_body *body, const uint8_t *table, fxs_world *world, const uint32_t *ids,
                     uint32_t owner, const fxs_pose *pose, uint32_t is_mirrored,
                     fxs_command *rows) {
    if (is_mirrored > 1) {
        return FXS_E_RANGE;
    }
    if (pose->yaw >= FXS_TURN) {
        return FXS_E_YAW;
    }
    uint32_t n = part_count(table);
    for (uint32_t i = 0; i < n; i++) {
        fxs_collider *c = &put(rows + i, FXS_COMMAND_ADD, ids[i])->collider;
        *c = fxs_part_of(table, i, is_mirrored);
        c->id = ids[i];
        c->owner = owner;
        c->yaw = (uint16_t)((c->yaw + pose->yaw) & (FXS_TURN - 1));
        c->x = pose->x;
        c->y = pose->y;
        c->z = pose->z;
    }
    int32_t status = apply_rows(world, rows, n);
    if (status >= 0) {
        memset(body, 0, sizeof *body);
        memcpy(body->ids, ids, n * sizeof *ids);
        body->is_mirrored = is_mirrored;
        body->attack = FXS_NO_ATTACK;
    }
    return status;
}

int32_t fxs_body_remove(const fxs_body *body, const uint8_t *table, fxs_world *world,
                        fxs_command *rows) {
    uint32_t n = part_count(table);
    for (uint32_t i = 0; i < n; i++) {
        put(rows + i, FXS_COMMAND_REMOVE, body->ids[i]);
    }
    return apply_rows(world, rows, n);
}

int32_t fxs_body_pose(const fxs_body *body, const uint8_t *table, const fxs_world *world,
                      fxs_pose *out) {
    fxs_collider c;
    int32_t status = fxs_world_get(world, body->ids[0], &c);
    if (status == FXS_OK) {
        uint32_t turn = fxs_part_of(table, 0, body->is_mirrored).yaw;
        fxs_pose pose = {c.x, c.y, c.z, (c.yaw + FXS_TURN - turn) & (FXS_TURN - 1)};
        *out = pose;
    }
    return status;
}

int32_t fxs_body_set_pose(const fxs_body *body, const uint8_t *table, fxs_world *world,
                          const fxs_pose *pose, fxs_command *rows) {
    if (pose->yaw >= FXS_TURN) {
        return FXS_E_YAW;
    }
    uint32_t n = part_count(table);
    for (uint32_t i = 0; i < n; i++) {
        fxs_collider *c = &put(rows + i, FXS_COMMAND_POSE, body->ids[i])->collider;
        uint32_t turn = fxs_part_of(table, i, body->is_mirrored).yaw;
        c->yaw = (uint16_t)((pose->yaw + turn) & (FXS_TURN - 1));
        c->x = pose->x;
        c->y = pose->y;
        c->z = pose->z;
    }
    return apply_rows(world, rows, n);
}

int32_t fxs_body_mirror(fxs_body *body, const uint8_t *table, fxs_world *world,
                        uint32_t is_mirrored, fxs_command *rows) {
    if (is_mirrored > 1) {
        return FXS_E_RANGE;
    }
    uint32_t n = 0, end = is_mirrored == body->is_mirrored ? 0 : part_count(table);
    for (uint32_t i = 0; i < end; i++) {
        fxs_collider before = fxs_part_of(table, i, body->is_mirrored),
                     after = fxs_part_of(table, i, is_mirrored), now;
        int32_t status = find_part(body, world, i, &now, rows);
        if (status != FXS_OK) {
            return status;
        }
        int turns = before.yaw != after.yaw;
        int shifts = before.ox != after.ox || before.oz != after.oz;
        if (turns && shifts) { /* on its pose, no centre leaves int32 between here and there */
            put(rows + n++, FXS_COMMAND_OFFSET, now.id);
        }
        if (turns) {
            fxs_collider *c = &put(rows + n++, FXS_COMMAND_POSE, now.id)->collider;
            uint32_t yaw = (uint32_t)now.yaw + FXS_TURN - before.yaw + after.yaw;
            c->yaw = (uint16_t)(yaw & (FXS_TURN - 1));
            c->x = now.x;
            c->y = now.y;
            c->z = now.z;
        }
        if (shifts) {
            fxs_collider *c = &put(rows + n++, FXS_COMMAND_OFFSET, now.id)->collider;
            c->ox = after.ox;
            c->oy = after.oy;
            c->oz = after.oz;
        }
    }
    int32_t status = apply_rows(world, rows, n);
    body->is_mirrored = status >= 0 ? is_mirrored : body->is_mirrored;
    return status;
}

/* ---- attacks ---- */

/* Which parts an attack switches, and which of them are on. */
typedef struct switches {
    uint32_t parts, on;
} switches;

static switches switches_at(const attack_view *a, uint32_t frame) {
    switches s = {a->active | a->inactive, a->inactive ^ fxs_parts_in_window(a, frame)};
    return s;
}

/* As they are outside of every window: when the attack is over. */
static switches switches_after(const fxs_body *body, const uint8_t *table) {
    switches s = {0, 0};
    if (body->attack != FXS_NO_ATTACK) {
        attack_view a = fxs_attack_of(table, body->attack);
        s.parts = a.active | a.inactive;
        s.on = a.inactive;
    }
    return s;
}

/* Switches those parts that are not so already. All parts must be there, switched or not. */
static int32_t switch_parts(const fxs_body *body, const uint8_t *table, fxs_world *world,
                            switches s, fxs_command *rows) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < part_count(table); i++) {
        fxs_collider c;
        int32_t status = find_part(body, world, i, &c, rows);
        if (status != FXS_OK) {
            return status;
        }
        uint32_t on = s.on >> i & 1;
        if ((s.parts >> i & 1) && c.active != on) {
            put(rows + n++, FXS_COMMAND_ACTIVE, c.id)->collider.active = (uint8_t)on;
        }
    }
    return apply_rows(world, rows, n);
}

static void begin_attack(fxs_body *body, uint32_t attack) {
    body->attack = attack;
    body->frame = 0;
    body->has_hit = 0;
    body->victim_count = 0;
}

int32_t fxs_body_start(fxs_body *body, const uint8_t *table, fxs_world *world, uint32_t attack,
                       fxs_command *rows) {
    if (attack >= attack_count(table)) {
        return FXS_E_RANGE;
    }
    attack_view next = fxs_attack_of(table, attack);
    switches old = switches_after(body, table), now = switches_at(&next, 0);
    switches s = {old.parts | now.parts, (old.on & ~now.parts) | now.on};
    int32_t status = switch_parts(body, table, world, s, rows);
    if (status >= 0) {
        begin_attack(body, attack);
    }
    return status;
}

int32_t fxs_body_cancel(fxs_body *body, const uint8_t *table, fxs_world *world,
                        fxs_command *rows) {
    if (body->attack == FXS_NO_ATTACK) {
        return 0;
    }
    int32_t status = switch_parts(body, table, world, switches_after(body, table), rows);
    if (status >= 0) {
        begin_attack(body, FXS_NO_ATTACK);
    }
    return status;
}

int32_t fxs_body_tick(fxs_body *body, const uint8_t *table, fxs_world *world, fxs_command *rows) {
    if (body->attack == FXS_NO_ATTACK) {
        return 0;
    }
    attack_view a = fxs_attack_of(table, body->attack);
    uint32_t frame = body->frame + 1;
    if (frame == a.frames) {
        return fxs_body_cancel(body, table, world, rows);
    }
    int32_t status = switch_parts(body, table, world, switches_at(&a, frame), rows);
    if (status < 0) {
        return status;
    }
    body->frame = frame;
    for (uint32_t i = 0; i < a.rehit_count; i++) {
        if (read32(a.rehits + (uint64_t)REHIT_ROW * i) == frame) {
            body->victim_count = 0;
        }
    }
    return status;
}

uint32_t fxs_body_phase(const fxs_body *body, const uint8_t *table) {
    if (body->attack == FXS_NO_ATTACK) {
        return FXS_PHASE_NONE;
    }
    attack_view a = fxs_attack_of(table, body->attack);
    uint32_t phase = FXS_PHASE_RECOVERY;
    for (uint32_t i = 0; i < a.window_count; i++) {
        const uint8_t *row = a.windows + (uint64_t)WINDOW_ROW * i;
        if ((read32(row + 8) & a.active) == 0) {
            continue;
        }
        if (in_span(row, body->frame)) {
            return FXS_PHASE_ACTIVE;
        }
        phase = body->frame < read32(row) ? FXS_PHASE_STARTUP : phase;
    }
    return phase;
}

uint32_t fxs_body_hit(const fxs_body *body, const uint8_t *table) {
    if (body->attack == FXS_NO_ATTACK) {
        return 0;
    }
    attack_view a = fxs_attack_of(table, body->attack);
    uint32_t hit = 0;
    for (uint32_t i = 0; i < a.rehit_count; i++) {
        hit += read32(a.rehits + (uint64_t)REHIT_ROW * i) <= body->frame;
    }
    return hit;
}

int32_t fxs_body_can_start(const fxs_body *body, const uint8_t *table, uint32_t attack) {
    if (attack >= attack_count(table)) {
        return FXS_E_RANGE;
    }
    if (body->attack == FXS_NO_ATTACK) {
        return 1;
    }
    attack_view a = fxs_attack_of(table, body->attack);
    for (uint32_t i = 0; i < a.cancel_count; i++) {
        const uint8_t *row = a.cancels + (uint64_t)CANCEL_ROW * i;
        if (read32(row + 8) == attack && in_span(row, body->frame) &&
            body->has_hit >= read32(row + 12)) {
            return 1;
        }
    }
    return 0;
}

int32_t fxs_body_strike(fxs_body *body, uint32_t victim) {
    uint32_t n = body->victim_count, i = n;
    for (uint32_t k = 0; k < n; k++) {
        if (body->victims[k] == victim) {
            return 0;
        }
    }
    if (body->attack == FXS_NO_ATTACK) {
        return 0;
    }
    if (n == FXS_VICTIMS_MAX) {
        return FXS_E_ROOM;
    }
    for (; i > 0 && body->victims[i - 1] > victim; i--) {
        body->victims[i] = body->victims[i - 1];
    }
    body->victims[i] = victim;
    body->victim_count = n + 1;
    body->has_hit = 1;
    return 1;
}

/* ---- state ---- */

uint64_t fxs_body_save_size(const fxs_body *body) {
    return BODY_HEAD + 4 * (uint64_t)body->victim_count;
}

void fxs_body_save(const fxs_body *body, uint8_t *out) {
    const uint32_t head[BODY_HEAD / 4] = {BODY_MAGIC,  body->is_mirrored, body->attack,
                                          body->frame, body->has_hit,     body->victim_count};
    for (uint32_t i = 0; i < BODY_HEAD / 4; i++) {
        write32(out + 4 * i, head[i]);
    }
    for (uint32_t i = 0; i < body->victim_count; i++) {
        write32(out + BODY_HEAD + 4 * i, body->victims[i]);
    }
}

uint64_t fxs_body_hash(const fxs_body *body) {
    uint8_t bytes[BODY_HEAD + 4 * FXS_VICTIMS_MAX];
    fxs_body_save(body, bytes);
    return fxs_hash64(bytes, fxs_body_save_size(body), 0);
}

/* The offset of the first field that no body of this table could have saved; the size if none. */
static uint64_t body_fault(const uint8_t *table, const uint8_t *bytes, uint64_t size) {
    if (size < BODY_HEAD || read32(bytes) != BODY_MAGIC) {
        return 0;
    }
    uint32_t attack = read32(bytes + 8), has_hit = read32(bytes + 16), n = read32(bytes + 20);
    uint32_t is_under_way = attack != FXS_NO_ATTACK;
    if (read32(bytes + 4) > 1) {
        return 4;
    }
    if (is_under_way && attack >= attack_count(table)) {
        return 8;
    }
    if (read32(bytes + 12) >= (is_under_way ? fxs_attack_of(table, attack).frames : 1)) {
        return 12;
    }
    if (has_hit > is_under_way) {
        return 16;
    }
    if (n > has_hit * FXS_VICTIMS_MAX || (size - BODY_HEAD) / 4 < n) {
        return 20;
    }
    for (uint32_t i = 1; i < n; i++) {
        if (read32(bytes + BODY_HEAD + 4 * i) <= read32(bytes + BODY_HEAD + 4 * i - 4)) {
            return BODY_HEAD + 4 * i;
        }
    }
    return BODY_HEAD + 4 * (uint64_t)n;
}

int32_t fxs_body_load(fxs_body *body, const uint8_t *table, const uint8_t *bytes, uint64_t size,
                      uint64_t *at) {
    uint64_t fault = body_fault(table, bytes, size);
    if (fault < BODY_HEAD || fault != size) {
        *at = fault;
        return FXS_E_STATE;
    }
    body->is_mirrored = read32(bytes + 4);
    body->attack = read32(bytes + 8);
    body->frame = read32(bytes + 12);
    body->has_hit = read32(bytes + 16);
    body->victim_count = read32(bytes + 20);
    for (uint32_t i = 0; i < body->victim_count; i++) {
        body->victims[i] = read32(bytes + BODY_HEAD + 4 * i);
    }
    return FXS_OK;
}
