/* Recorder: a match log as text, line by line into the caller's buffer (docs/contract.md). */
#include "../command.h"
#include "../fixsync_kit.h"
#include "../memory.h"
#include "about.h"
#include "pen.h"
#include "sha256.h"

/* The contents of a line so far: nothing, commands or inputs, answers. */
enum { LINE_NONE, LINE_COMMANDS, LINE_ANSWERS };

/* ---- a call: a copy of the recorder that takes the place of the old one when all had room ---- */

typedef struct draft {
    fxs_recorder now;
    pen pen;
} draft;

static draft begin_draft(const fxs_recorder *recorder, char *text, uint64_t room) {
    draft d = {*recorder, {text, recorder->size, room}};
    return d;
}

/* Counts the new text, if it had room. */
static int32_t count_text(draft *d) {
    if (d->pen.next > d->pen.end) {
        return FXS_E_ROOM;
    }
    fxs_recorder *now = &d->now;
    uint64_t n = d->pen.next - now->size;
    sha256_add(now->sha, now->held, now->hashed_size, (const uint8_t *)d->pen.text + now->size, n);
    now->hashed_size += n;
    now->line_size += n;
    now->size += n;
    return FXS_OK;
}

static void end_line(fxs_recorder *now) {
    now->line_size = 0;
    memcpy(now->line_sha, now->sha, sizeof now->sha);
    memcpy(now->line_held, now->held, sizeof now->held);
}

static int32_t keep_draft(draft *d, fxs_recorder *recorder) {
    int32_t status = count_text(d);
    if (status == FXS_OK) {
        *recorder = d->now;
    }
    return status;
}

/* As keep_draft, where the text is the end of a frame's line. */
static int32_t keep_line(draft *d, fxs_recorder *recorder) {
    fxs_recorder *now = &d->now;
    now->frame = now->frame == UINT32_MAX ? 0 : now->frame + 1;
    now->frames++;
    now->line = LINE_NONE;
    now->commands = now->questions = now->answers = 0;
    int32_t status = count_text(d);
    if (status == FXS_OK) {
        end_line(now);
        *recorder = *now;
    }
    return status;
}

/* ---- commands ---- */

/* Begins the line of the frame, if that is still to be done. */
static void begin_line(draft *d) {
    if (d->now.line == LINE_NONE) {
        fxs_put_text(&d->pen, "{\"frame\":");
        fxs_put_number(&d->pen, d->now.frame);
        fxs_put_text(&d->pen, d->now.has_inputs ? ",\"inputs\":[" : ",\"commands\":[");
        d->now.line = LINE_COMMANDS;
    }
}

/* The text before a command or a question of the frame. */
static void begin_command(draft *d, const char *name) {
    begin_line(d);
    fxs_put_text(&d->pen, d->now.commands++ ? ",[\"" : "[\"");
    fxs_put_text(&d->pen, name);
    fxs_put_char(&d->pen, '"');
}

/* Whether commands and questions, or inputs, are allowed here. */
static int is_due(const draft *d, uint32_t is_input) {
    return d->now.line != LINE_ANSWERS && d->now.has_inputs == is_input;
}

#define COMMAND_NAME(code, name, function, fields) [code] = #name,
static const char *const COMMAND_NAMES[COMMAND_COUNT + 1] = {COMMANDS(COMMAND_NAME)};
#define COMMAND_FIELDS(code, name, function, fields) [code] = fields,
static const uint16_t FIELDS_OF_COMMANDS[COMMAND_COUNT + 1] = {COMMANDS(COMMAND_FIELDS)};

static void put_flag(pen *p, uint32_t flag) { fxs_put_text(p, flag ? ",true" : ",false"); }

static void put_command(draft *d, uint32_t type, const fxs_collider *c) {
    pen *p = &d->pen;
    const uint32_t has = FIELDS_OF_COMMANDS[type];
    begin_command(d, COMMAND_NAMES[type]);
    fxs_put_next(p, c->id);
    if (has & FIELD_SHAPE) {
        fxs_put_char(p, ',');
        fxs_put_shape(p, c->kind, c->half_angle, c->size);
    }
    if (has & FIELD_POSITION) {
        fxs_put_vector(p, c->x, c->y, c->z);
    }
    if (has & FIELD_YAW) {
        fxs_put_next(p, c->yaw);
    }
    if (has & FIELD_LAYER) {
        fxs_put_next(p, c->layer);
    }
    if (has & FIELD_OWNER) {
        fxs_put_next(p, c->owner);
    }
    if (has & FIELD_OFFSET) {
        fxs_put_vector(p, c->ox, c->oy, c->oz);
    }
    if (has & FIELD_ACTIVE) {
        put_flag(p, c->active);
    }
    fxs_put_char(p, ']');
}

/* Applies a row of FXS_COMMAND_LAYERS to the matrix. */
static void set_layer_row(uint32_t *masks, uint32_t layer, uint32_t mask) {
    for (uint32_t i = 0; i < FXS_LAYER_COUNT; i++) {
        masks[i] = (masks[i] & ~(1u << layer)) | (mask >> i & 1) << layer;
    }
    masks[layer] = mask;
}

int32_t fxs_recorder_commands(fxs_recorder *recorder, const fxs_command *commands, uint64_t n,
                              char *text, uint64_t room) {
    draft d = begin_draft(recorder, text, room);
    if (n && !is_due(&d, 0)) {
        return FXS_E_ORDER;
    }
    for (uint64_t i = 0; i < n; i++) {
        const fxs_command *row = commands + i;
        if (row->type < FXS_COMMAND_ADD || row->type > FXS_COMMAND_LAYERS) {
            return FXS_E_COMMAND;
        }
        if (row->type != FXS_COMMAND_LAYERS) {
            const int has_shape = row->type == FXS_COMMAND_ADD || row->type == FXS_COMMAND_SHAPE;
            if (has_shape && row->collider.kind >= KIND_COUNT) {
                return FXS_E_KIND;
            }
            put_command(&d, row->type, &row->collider);
            continue;
        }
        if (row->collider.layer >= FXS_LAYER_COUNT) {
            return FXS_E_LAYER;
        }
        set_layer_row(d.now.layers, row->collider.layer, row->mask);
        if (i + 1 == n || row[1].type != FXS_COMMAND_LAYERS) { /* a run of rows is one command */
            begin_command(&d, COMMAND_NAMES[FXS_COMMAND_LAYERS]);
            fxs_put_char(&d.pen, ',');
            fxs_put_layers(&d.pen, d.now.layers);
            fxs_put_char(&d.pen, ']');
        }
    }
    return keep_draft(&d, recorder);
}

/* ---- inputs ---- */

int32_t fxs_recorder_inputs(fxs_recorder *recorder, const int64_t *inputs, uint64_t n, char *text,
                            uint64_t room) {
    draft d = begin_draft(recorder, text, room);
    if (!is_due(&d, 1)) {
        return FXS_E_ORDER;
    }
    begin_line(&d);
    for (uint64_t i = 0; i < n; i++) {
        fxs_put_text(&d.pen, d.now.commands++ ? "," : "");
        fxs_put_signed(&d.pen, inputs[i]);
    }
    return keep_draft(&d, recorder);
}

int32_t fxs_recorder_input_list(fxs_recorder *recorder, const int64_t *input, uint64_t n,
                                char *text, uint64_t room) {
    draft d = begin_draft(recorder, text, room);
    if (!is_due(&d, 1)) {
        return FXS_E_ORDER;
    }
    begin_line(&d);
    fxs_put_text(&d.pen, d.now.commands++ ? ",[" : "[");
    for (uint64_t i = 0; i < n; i++) {
        fxs_put_text(&d.pen, i ? "," : "");
        fxs_put_signed(&d.pen, input[i]);
    }
    fxs_put_char(&d.pen, ']');
    return keep_draft(&d, recorder);
}

/* ---- questions and answers ---- */

/* Adds a query or, with a motion, a cast, which ends with n numbers. */
static int32_t put_question(fxs_recorder *recorder, const fxs_shape *shape, const fxs_pose *pose,
                            const int32_t *motion, const uint32_t *numbers, uint32_t n, char *text,
                            uint64_t room) {
    draft d = begin_draft(recorder, text, room);
    pen *p = &d.pen;
    if (!is_due(&d, 0)) {
        return FXS_E_ORDER;
    }
    if (shape->kind >= KIND_COUNT) {
        return FXS_E_KIND;
    }
    begin_command(&d, motion ? "cast" : "query");
    fxs_put_char(p, ',');
    fxs_put_shape(p, shape->kind, shape->half_angle, shape->size);
    fxs_put_vector(p, pose->x, pose->y, pose->z);
    fxs_put_next(p, pose->yaw);
    if (motion) {
        fxs_put_vector(p, motion[0], motion[1], motion[2]);
    }
    for (uint32_t i = 0; i < n; i++) {
        fxs_put_next(p, numbers[i]);
    }
    fxs_put_char(p, ']');
    d.now.questions++;
    return keep_draft(&d, recorder);
}

int32_t fxs_recorder_query(fxs_recorder *recorder, const fxs_query *query, char *text,
                           uint64_t room) {
    const uint32_t numbers[3] = {query->mask, query->exclude_owner, query->hit_when};
    uint32_t n = query->exclude_owner ? 2 : 1;
    if (query->hit_when) {
        n = 3;
    }
    return put_question(recorder, &query->shape, &query->pose, NULL, numbers, n, text, room);
}

int32_t fxs_recorder_cast(fxs_recorder *recorder, const fxs_cast *cast, char *text, uint64_t room) {
    const uint32_t numbers[4] = {cast->mask, cast->exclude_owner, cast->limit,
                                 cast->hit_when ? cast->hit_when : recorder->hit_when};
    return put_question(recorder, &cast->shape, &cast->pose, cast->motion, numbers, 4, text, room);
}

/* Ends the commands or inputs of the frame, if that is still to be done. */
static void end_commands(draft *d) {
    begin_line(d);
    if (d->now.line != LINE_ANSWERS) {
        fxs_put_text(&d->pen, d->now.has_inputs ? "]" : "],\"queries\":[");
        d->now.line = LINE_ANSWERS;
    }
}

static int32_t begin_answer(draft *d) {
    if (d->now.answers == d->now.questions) {
        return FXS_E_ORDER;
    }
    end_commands(d);
    fxs_put_text(&d->pen, d->now.answers++ ? ",[" : "[");
    return FXS_OK;
}

int32_t fxs_recorder_ids(fxs_recorder *recorder, const uint32_t *ids, uint64_t n, char *text,
                         uint64_t room) {
    draft d = begin_draft(recorder, text, room);
    if (begin_answer(&d) != FXS_OK) {
        return FXS_E_ORDER;
    }
    for (uint64_t i = 0; i < n; i++) {
        fxs_put_text(&d.pen, i ? "," : "");
        fxs_put_number(&d.pen, ids[i]);
    }
    fxs_put_char(&d.pen, ']');
    return keep_draft(&d, recorder);
}

int32_t fxs_recorder_hits(fxs_recorder *recorder, const fxs_cast_hit *hits, uint64_t n, char *text,
                          uint64_t room) {
    draft d = begin_draft(recorder, text, room);
    if (begin_answer(&d) != FXS_OK) {
        return FXS_E_ORDER;
    }
    for (uint64_t i = 0; i < n; i++) {
        fxs_put_text(&d.pen, i ? ",[" : "[");
        fxs_put_number(&d.pen, hits[i].id);
        fxs_put_next(&d.pen, hits[i].fraction);
        for (uint32_t k = 0; k < 3; k++) {
            fxs_put_char(&d.pen, ',');
            fxs_put_signed(&d.pen, hits[i].normal[k]);
        }
        fxs_put_char(&d.pen, ']');
    }
    fxs_put_char(&d.pen, ']');
    return keep_draft(&d, recorder);
}

/* ---- lines ---- */

static void put_about(pen *p, const about_parts *found, uint32_t key, const char *otherwise) {
    if (found->value[key]) {
        fxs_put_bytes(p, found->value[key], found->size[key]);
    } else {
        fxs_put_text(p, otherwise);
    }
}

/* The colliders of the world, as commands that add them. */
static void put_colliders(draft *d, const fxs_world *world) {
    uint32_t left = fxs_world_count(world);
    for (uint32_t id = 0; left; id++) {
        fxs_collider c;
        if (fxs_world_get(world, id, &c) == FXS_OK) {
            put_command(d, FXS_COMMAND_ADD, &c);
            left--;
        }
    }
}

/* A part that is left out where `about` has none. */
static void put_if_about(pen *p, const about_parts *found, uint32_t part, const char *key) {
    if (found->value[part] != NULL) {
        fxs_put_text(p, key);
        put_about(p, found, part, "");
    }
}

/* That of this kernel, unless `about` says whose results the log has, or null: unknown. */
static void put_semantics(pen *p, const about_parts *found) {
    const char *given = found->value[ABOUT_SEMANTICS];
    if (given == NULL) {
        fxs_put_text(p, ",\"semantics\":");
        fxs_put_number(p, FXS_SEMANTICS);
    } else if (*given != 'n') {
        put_if_about(p, found, ABOUT_SEMANTICS, ",\"semantics\":");
    }
}

/* Whether a log may begin with these bytes: a log of inputs that begins late needs the game's own
 * state, a log of commands takes none but the world's. */
static int is_first_state(const fxs_recorder *fresh, const fxs_world *world, const uint8_t *state,
                          uint64_t state_size) {
    if (fresh->has_inputs) {
        return fresh->frame == 0 || state_size != 0;
    }
    return state_size == 0 || fxs_hash64(state, state_size, 0) == fxs_world_hash(world);
}

int32_t fxs_recorder_begin(fxs_recorder *recorder, const fxs_world *world, const char *about,
                           uint64_t about_size, const uint8_t *state, uint64_t state_size,
                           char *text, uint64_t room, uint64_t *at) {
    static const char NOTHING[] = "{}";
    fxs_config config;
    fxs_recorder fresh;
    about_parts found;
    if (about_size == 0) {
        about = NOTHING;
        about_size = sizeof NOTHING - 1;
    }
    json in = {about, about + about_size};
    fxs_world_config(world, &config);
    uint32_t solids = world->level ? fxs_level_count(world->level) : 0;
    if (!fxs_about_read(&in, config.capacity, solids, &found)) {
        *at = (uint64_t)(in.at - about);
        return FXS_E_TEXT;
    }
    memset(&fresh, 0, sizeof fresh);
    fresh.has_inputs = found.value[ABOUT_SIM] && *found.value[ABOUT_SIM] == '"';
    fresh.frame = fxs_world_frame(world);
    fresh.hit_when = config.hit_when;
    memcpy(fresh.layers, config.layers, sizeof fresh.layers);
    sha256_begin(fresh.sha);
    if (!is_first_state(&fresh, world, state, state_size)) {
        return FXS_E_STATE;
    }
    int is_late = state_size || (!fresh.has_inputs && (fresh.frame || fxs_world_hit_count(world)));
    draft d = begin_draft(&fresh, text, room);
    pen *p = &d.pen;
    fxs_put_text(p, "{\"format\":\"fixsync-match\",\"version\":1,\"tick_rate\":");
    put_about(p, &found, ABOUT_TICK_RATE, "60");
    fxs_put_text(p, ",\"capacity\":");
    fxs_put_number(p, config.capacity);
    fxs_put_text(p, ",\"hit_when\":");
    fxs_put_number(p, config.hit_when);
    fxs_put_text(p, ",\"layers\":");
    fxs_put_layers(p, config.layers);
    fxs_put_text(p, ",\"sim\":");
    put_about(p, &found, ABOUT_SIM, "null");
    fxs_put_text(p, ",\"seed\":");
    put_about(p, &found, ABOUT_SEED, "0");
    fxs_put_text(p, ",\"meta\":");
    put_about(p, &found, ABOUT_META, "{}");
    put_if_about(p, &found, ABOUT_NAMES, ",\"names\":");
    put_if_about(p, &found, ABOUT_UNIT, ",\"unit_mm\":");
    put_if_about(p, &found, ABOUT_Z_DOWN, ",\"z_down\":");
    if (world->level != NULL) {
        fxs_put_level(p, world->level);
    }
    if (is_late) {
        fxs_put_text(p, ",\"from\":{\"frame\":");
        fxs_put_number(p, fresh.frame);
        fxs_put_text(p, ",\"state\":\"");
        fxs_put_state(p, world, state_size ? state : NULL, state_size);
        fxs_put_text(p, "\"}");
    }
    put_semantics(p, &found);
    put_if_about(p, &found, ABOUT_BUILD, ",\"build\":");
    put_if_about(p, &found, ABOUT_DATA, ",\"data\":");
    fxs_put_text(p, "}\n");
    if (count_text(&d) != FXS_OK) {
        return FXS_E_ROOM;
    }
    end_line(&d.now);
    if (!is_late && !fresh.has_inputs) {
        put_colliders(&d, world);
    }
    return keep_draft(&d, recorder);
}

/* ,"name":[[a,b,kind,contact],...], the last signed for events of the game. */
static void put_events(pen *p, const char *name, const fxs_event *events, uint64_t n) {
    fxs_put_text(p, name);
    for (uint64_t i = 0; i < n; i++) {
        const fxs_event *e = &events[i];
        int is_negative = e->kind >= FXS_GAME_EVENT && e->contact > (uint32_t)INT32_MAX;
        fxs_put_text(p, i ? ",[" : "[");
        fxs_put_number(p, e->a);
        fxs_put_next(p, e->b);
        fxs_put_next(p, e->kind);
        fxs_put_char(p, ',');
        fxs_put_signed(p, (int64_t)e->contact - (is_negative ? (int64_t)1 << 32 : 0));
        fxs_put_char(p, ']');
    }
    fxs_put_char(p, ']');
}

/* ,"name":"16 hexadecimal digits" */
static void put_hash(pen *p, const char *name, uint64_t hash) {
    fxs_put_text(p, name);
    fxs_put_hexadecimal(p, hash, 16);
    fxs_put_char(p, '"');
}

/* Whether all these rows are the game's own, or none is. */
static int are_of(int is_game, const fxs_event *events, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        if ((events[i].kind >= FXS_GAME_EVENT) != is_game) {
            return 0;
        }
    }
    return 1;
}

/* Whether the rows are of known lists, first those of the step, then the game's own. */
static int are_known(const fxs_recorded *recorded, const fxs_event *events) {
    const uint64_t n = recorded->event_count;
    const uint64_t game_count = recorded->game_count;
    if ((n && !recorded->has_events) || (game_count && !recorded->has_game)) {
        return 0;
    }
    return are_of(0, events, n) && are_of(1, n ? events + n : events, game_count);
}

int32_t fxs_recorder_step(fxs_recorder *recorder, const fxs_recorded *recorded,
                          const fxs_event *events, char *text, uint64_t room) {
    draft d = begin_draft(recorder, text, room);
    const uint64_t n = recorded->event_count;
    if (!are_known(recorded, events)) {
        return FXS_E_RANGE;
    }
    if (d.now.answers != d.now.questions || (recorded->has_state && !d.now.has_inputs)) {
        return FXS_E_ORDER;
    }
    end_commands(&d);
    fxs_put_text(&d.pen, d.now.has_inputs ? "" : "]");
    if (recorded->has_events) {
        put_events(&d.pen, ",\"events\":[", events, n);
    }
    if (recorded->has_game) {
        put_events(&d.pen, ",\"game\":[", n ? events + n : events, recorded->game_count);
    }
    if (recorded->has_hash) {
        put_hash(&d.pen, ",\"hash\":\"", recorded->hash);
    }
    if (recorded->has_state) {
        put_hash(&d.pen, ",\"state\":\"", recorded->state);
    }
    fxs_put_text(&d.pen, "}\n");
    return keep_line(&d, recorder);
}

int32_t fxs_recorder_line(fxs_recorder *recorder, const char *line, uint64_t size, char *text,
                          uint64_t room) {
    draft d = begin_draft(recorder, text, room);
    pen *p = &d.pen;
    if (d.now.line != LINE_NONE) {
        return FXS_E_ORDER;
    }
    char first[64];
    draft due = begin_draft(recorder, first, sizeof first);
    due.pen.next = 0;
    begin_line(&due);
    for (uint64_t i = 0; i < size; i++) {
        if ((uint8_t)line[i] < 0x20 || (i < due.pen.next && line[i] != first[i])) {
            return FXS_E_TEXT;
        }
        fxs_put_char(p, line[i]);
    }
    if (size <= due.pen.next || line[size - 1] != '}') {
        return FXS_E_TEXT;
    }
    fxs_put_char(p, '\n');
    return keep_line(&d, recorder);
}

int32_t fxs_recorder_end(fxs_recorder *recorder, char *text, uint64_t room) {
    draft d = begin_draft(recorder, text, room);
    fxs_recorder *now = &d.now;
    if (now->line_size > now->size) {
        return FXS_E_ORDER;
    }
    /* Back to the end of the last whole line. */
    now->size -= now->line_size;
    d.pen.next = now->size;
    now->hashed_size -= now->line_size;
    memcpy(now->sha, now->line_sha, sizeof now->sha);
    memcpy(now->held, now->line_held, sizeof now->held);
    now->line = LINE_NONE;
    now->commands = now->questions = now->answers = 0;
    uint32_t digest[8];
    sha256_end(now->sha, now->held, now->hashed_size, digest);
    fxs_put_text(&d.pen, "{\"frames\":");
    fxs_put_number(&d.pen, now->frames);
    fxs_put_text(&d.pen, ",\"sha256\":\"");
    for (uint32_t i = 0; i < 8; i++) {
        fxs_put_hexadecimal(&d.pen, digest[i], 8);
    }
    fxs_put_text(&d.pen, "\"}\n");
    int32_t status = count_text(&d);
    if (status == FXS_OK) {
        end_line(now);
        *recorder = *now;
    }
    return status;
}
