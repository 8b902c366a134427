/* Bodies: the colliders of one fighter, and the attacks that switch them (docs/contract.md). */
#include "frame_data.h"

#define BODY_MAGIC 0x31425846u /* "FXB1", little-endian */

enum { BODY_HEAD = 24 }; /* of a saved body: all but its victims */

/* ---- a body in time ---- */

/* A frame of an attack. Without an attack there are no keys, and every part has its own row. */
typedef struct attack_frame {
    attack_view attack;
    uint32_t frame;
} attack_frame;

static attack_frame no_attack(void) {
    attack_frame at;
    memset(&at, 0, sizeof at);
    return at;
}

static attack_frame frame_of(const uint8_t *table, uint32_t attack, uint32_t frame) {
    attack_frame at;
    at.attack = fxs_attack_of(table, attack);
    at.frame = frame;
    return at;
}

static attack_frame frame_under_way(const fxs_body *body, const uint8_t *table) {
    return body->attack == FXS_NO_ATTACK ? no_attack() : frame_of(table, body->attack, body->frame);
}

/* The collider at the origin that a part is in a frame of an attack. */
static fxs_collider part_at(const uint8_t *table, const attack_frame *at, uint32_t part,
                            uint32_t is_mirrored) {
    return fxs_collider_of_row(fxs_row_in_frame(table, &at->attack, part, at->frame), is_mirrored);
}

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
        *c = fxs_collider_of_row(part_row(table, i), is_mirrored);
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
        memset(body->ids, 0xFF, sizeof body->ids);
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
        attack_frame now = frame_under_way(body, table);
        uint32_t turn = part_at(table, &now, 0, body->is_mirrored).yaw;
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
    attack_frame now = frame_under_way(body, table);
    for (uint32_t i = 0; i < n; i++) {
        fxs_collider *c = &put(rows + i, FXS_COMMAND_POSE, body->ids[i])->collider;
        uint32_t turn = part_at(table, &now, i, body->is_mirrored).yaw;
        c->yaw = (uint16_t)((pose->yaw + turn) & (FXS_TURN - 1));
        c->x = pose->x;
        c->y = pose->y;
        c->z = pose->z;
    }
    return apply_rows(world, rows, n);
}

/* Turns and shifts a collider that is `now` in the world by the difference of two part rows, with
 * rows of FXS_COMMAND_TURN or FXS_COMMAND_POSE, and FXS_COMMAND_OFFSET: where the rows end. */
static fxs_command *put_place(fxs_command *next, uint32_t turn_type, const fxs_collider *now,
                              const fxs_collider *before, const fxs_collider *after) {
    int turns = before->yaw != after->yaw;
    int shifts = before->ox != after->ox || before->oy != after->oy || before->oz != after->oz;
    if (turns && shifts) { /* on its pose, no centre leaves int32 between here and there */
        put(next++, FXS_COMMAND_OFFSET, now->id);
    }
    if (turns) {
        fxs_collider *c = &put(next++, turn_type, now->id)->collider;
        uint32_t yaw = (uint32_t)now->yaw + FXS_TURN - before->yaw + after->yaw;
        c->yaw = (uint16_t)(yaw & (FXS_TURN - 1));
        if (turn_type == FXS_COMMAND_POSE) {
            c->x = now->x;
            c->y = now->y;
            c->z = now->z;
        }
    }
    if (shifts) {
        fxs_collider *c = &put(next++, FXS_COMMAND_OFFSET, now->id)->collider;
        c->ox = after->ox;
        c->oy = after->oy;
        c->oz = after->oz;
    }
    return next;
}

int32_t fxs_body_mirror(fxs_body *body, const uint8_t *table, fxs_world *world,
                        uint32_t is_mirrored, fxs_command *rows) {
    if (is_mirrored > 1) {
        return FXS_E_RANGE;
    }
    attack_frame at = frame_under_way(body, table);
    fxs_command *next = rows;
    uint32_t end = is_mirrored == body->is_mirrored ? 0 : part_count(table);
    for (uint32_t i = 0; i < end; i++) {
        fxs_collider before = part_at(table, &at, i, body->is_mirrored);
        fxs_collider after = part_at(table, &at, i, is_mirrored);
        fxs_collider now;
        int32_t status = find_part(body, world, i, &now, rows);
        if (status != FXS_OK) {
            return status;
        }
        next = put_place(next, FXS_COMMAND_POSE, &now, &before, &after);
    }
    uint32_t n = (uint32_t)(next - rows);
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

static int has_shape_of(const fxs_collider *a, const fxs_collider *b) {
    return a->kind == b->kind && a->half_angle == b->half_angle && a->size[0] == b->size[0] &&
           a->size[1] == b->size[1] && a->size[2] == b->size[2];
}

/* Brings a collider that is `now` in the world from one part row to another: where the rows end. */
static fxs_command *put_change(fxs_command *next, const fxs_collider *now,
                               const fxs_collider *before, const fxs_collider *after) {
    if (!has_shape_of(before, after)) {
        fxs_collider *c = &put(next++, FXS_COMMAND_SHAPE, now->id)->collider;
        c->kind = after->kind;
        c->half_angle = after->half_angle;
        memcpy(c->size, after->size, sizeof c->size);
    }
    return put_place(next, FXS_COMMAND_TURN, now, before, after);
}

/* Brings the parts from the frame under way to another, or to no attack, and switches those that
 * are not so already. All parts must be there, changed or not. */
static int32_t change_parts(const fxs_body *body, const uint8_t *table, fxs_world *world,
                            const attack_frame *to, switches s, fxs_command *rows) {
    attack_frame from = frame_under_way(body, table);
    int has_keys = (from.attack.key_count | to->attack.key_count) != 0;
    fxs_command *next = rows;
    for (uint32_t i = 0; i < part_count(table); i++) {
        fxs_collider now;
        int32_t status = find_part(body, world, i, &now, rows);
        if (status != FXS_OK) {
            return status;
        }
        if (has_keys) {
            fxs_collider before = part_at(table, &from, i, body->is_mirrored);
            fxs_collider after = part_at(table, to, i, body->is_mirrored);
            next = put_change(next, &now, &before, &after);
        }
        uint32_t on = s.on >> i & 1;
        if ((s.parts >> i & 1) && now.active != on) {
            put(next++, FXS_COMMAND_ACTIVE, now.id)->collider.active = (uint8_t)on;
        }
    }
    return apply_rows(world, rows, (uint32_t)(next - rows));
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
    attack_frame first = frame_of(table, attack, 0);
    switches old = switches_after(body, table);
    switches now = switches_at(&first.attack, 0);
    switches s = {old.parts | now.parts, (old.on & ~now.parts) | now.on};
    int32_t status = change_parts(body, table, world, &first, s, rows);
    if (status >= 0) {
        begin_attack(body, attack);
    }
    return status;
}

int32_t fxs_body_cancel(fxs_body *body, const uint8_t *table, fxs_world *world, fxs_command *rows) {
    if (body->attack == FXS_NO_ATTACK) {
        return 0;
    }
    attack_frame none = no_attack();
    int32_t status = change_parts(body, table, world, &none, switches_after(body, table), rows);
    if (status >= 0) {
        begin_attack(body, FXS_NO_ATTACK);
    }
    return status;
}

int32_t fxs_body_tick(fxs_body *body, const uint8_t *table, fxs_world *world, fxs_command *rows) {
    if (body->attack == FXS_NO_ATTACK) {
        return 0;
    }
    attack_frame next = frame_of(table, body->attack, body->frame + 1);
    const attack_view *a = &next.attack;
    if (next.frame == a->frames) {
        return fxs_body_cancel(body, table, world, rows);
    }
    int32_t status = change_parts(body, table, world, &next, switches_at(a, next.frame), rows);
    if (status < 0) {
        return status;
    }
    body->frame = next.frame;
    for (uint32_t i = 0; i < a->rehit_count; i++) {
        if (read32(a->rehits + (uint64_t)REHIT_ROW * i) == next.frame) {
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

int fxs_has_victim(const fxs_body *body, uint32_t victim) {
    uint32_t i = 0;
    while (i < body->victim_count && body->victims[i] != victim) {
        i++;
    }
    return i < body->victim_count;
}

int32_t fxs_body_strike(fxs_body *body, uint32_t victim) {
    uint32_t n = body->victim_count;
    uint32_t i = n;
    if (body->attack == FXS_NO_ATTACK || fxs_has_victim(body, victim)) {
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
    uint32_t attack = read32(bytes + 8);
    uint32_t has_hit = read32(bytes + 16);
    uint32_t n = read32(bytes + 20);
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
