/* Differences of two saved states, field by field, and their words. */
#include "../fixsync_kit.h"
#include "../hash.h"
#include "../shape.h"
#include "pen.h"

#include <string.h>

/* ---- a saved state ---- */

enum { STATE_HEAD = 140, COLLIDER_BYTES = 52, HIT_BYTES = 12, CHANGED_BYTES = 4 };
#define STATE_MAGIC 0x31535846u       /* "FXS1" */
#define STATE_MAGIC_LEVEL 0x32535846u /* "FXS2" */

enum { LIST_COLLIDERS, LIST_HITS, LIST_CHANGED, LIST_COUNT };
static const uint32_t ROW_BYTES[LIST_COUNT] = {COLLIDER_BYTES, HIT_BYTES, CHANGED_BYTES};

typedef struct saved_state {
    const uint8_t *head;
    int has_level;
    const uint8_t *rows[LIST_COUNT];
    uint32_t count[LIST_COUNT];
} saved_state;

/* The key that orders the rows of a list. */
static uint64_t key_of(uint32_t list, const uint8_t *row) {
    const uint64_t a = read32(row);
    return list == LIST_HITS ? a << 32 | read32(row + 4) : a;
}

/* Reads the state that begins at `bytes`, and sets *end to where it ends. Else FXS_E_STATE, and
 * *end is the offset of the fault. */
static int32_t open_state(saved_state *out, const uint8_t *bytes, uint64_t size, uint64_t *end) {
    *end = 0;
    if (size < STATE_HEAD) {
        return FXS_E_STATE;
    }
    const uint32_t magic = read32(bytes);
    if (magic != STATE_MAGIC && magic != STATE_MAGIC_LEVEL) {
        return FXS_E_STATE;
    }
    out->head = bytes;
    out->has_level = magic == STATE_MAGIC_LEVEL;
    uint64_t offset = STATE_HEAD;
    if (out->has_level) {
        *end = offset;
        offset += 8;
        if (size < offset) {
            return FXS_E_STATE;
        }
    }
    for (uint32_t list = 0; list < LIST_COUNT; list++) {
        *end = offset;
        if (size < offset + 4) {
            return FXS_E_STATE;
        }
        const uint32_t n = read32(bytes + offset);
        offset += 4;
        if ((size - offset) / ROW_BYTES[list] < n) {
            return FXS_E_STATE;
        }
        out->rows[list] = bytes + offset;
        out->count[list] = n;
        uint64_t before = 0;
        for (uint32_t i = 0; i < n; i++, offset += ROW_BYTES[list]) {
            const uint64_t key = key_of(list, bytes + offset);
            *end = offset;
            if (i != 0 && key <= before) {
                return FXS_E_STATE;
            }
            if (list == LIST_COLLIDERS && bytes[offset + 4] >= KIND_COUNT) {
                *end = offset + 4;
                return FXS_E_STATE;
            }
            before = key;
        }
    }
    *end = offset;
    return FXS_OK;
}

static int32_t open_whole(saved_state *out, const uint8_t *bytes, uint64_t size, uint64_t *at) {
    const int32_t status = open_state(out, bytes, size, at);
    return status == FXS_OK && *at != size ? FXS_E_STATE : status;
}

int32_t fxs_state_end(const uint8_t *bytes, uint64_t size, uint64_t *end) {
    saved_state state;
    return open_state(&state, bytes, size, end);
}

/* ---- rows ---- */

/* Where rows go: as many as there is room for, and how many there are. */
typedef struct row_list {
    fxs_difference *rows;
    uint64_t capacity, count;
} row_list;

/* The owner of the next rows. */
typedef struct row_owner {
    uint32_t of, a, b;
} row_owner;

enum { IN_A = 1, IN_B = 2, IN_BOTH = 3 };

static void put_difference(row_list *list, const row_owner *owner, uint32_t field, int64_t in_a,
                           int64_t in_b, uint32_t has) {
    if (list->count < list->capacity) {
        const fxs_difference row = {owner->of, owner->a,     owner->b,
                                    field,     {in_a, in_b}, {!(has & IN_A), !(has & IN_B)}};
        list->rows[list->count] = row;
    }
    list->count++;
}

/* The fields of one object: bit i of `has` is field i. */
enum { FIELDS_MAX = 64 };
typedef struct fields {
    uint64_t has;
    int64_t values[FIELDS_MAX];
} fields;

static void set_field(fields *f, uint32_t field, int64_t value) {
    f->has |= (uint64_t)1 << field;
    f->values[field] = value;
}

/* A row for each field that differs; with b NULL one for each field of a. */
static void put_fields(row_list *list, const row_owner *owner, const fields *a, const fields *b) {
    const uint64_t in_b = b ? b->has : 0;
    for (uint32_t i = 0; i < FIELDS_MAX; i++) {
        const uint32_t has = (uint32_t)(a->has >> i & 1) + 2 * (uint32_t)(in_b >> i & 1);
        const int64_t of_a = has & IN_A ? a->values[i] : 0;
        const int64_t of_b = has & IN_B ? b->values[i] : 0;
        if (has != 0 && (has != IN_BOTH || of_a != of_b)) {
            put_difference(list, owner, i, of_a, of_b, has);
        }
    }
}

/* The field of each size, by its name in the table of shapes. All are lengths. */
#define FIELDS_OF_SIZES(FIELD)      \
    FIELD(half_x, HALF_X)           \
    FIELD(half_y, HALF_Y)           \
    FIELD(half_z, HALF_Z)           \
    FIELD(radius, RADIUS)           \
    FIELD(half_height, HALF_HEIGHT) \
    FIELD(inner_radius, INNER_RADIUS)
#define FIELD_OF_SIZE(name, field) FIELD_OF_##name = FXS_FIELD_##field,
enum { FIELD_OF_unused = 0, FIELDS_OF_SIZES(FIELD_OF_SIZE) };
#define RANGES(n0, l0, m0, n1, l1, m1, n2, l2, m2, la, ma) \
    {FIELD_OF_##n0, FIELD_OF_##n1, FIELD_OF_##n2, (ma) > 0},
#define SIZE_FIELDS(code, name, sizes, shape_class, corners, front, ranges) ranges
static const uint32_t SIZES_OF[KIND_COUNT][4] = {SHAPE_KINDS(SIZE_FIELDS)};
#undef RANGES

static void collider_fields(fields *f, const uint8_t *row) {
    const uint32_t kind = row[4];
    const uint32_t half_angle = read32(row + 8) >> 16;
    f->has = 0;
    set_field(f, FXS_FIELD_KIND, kind);
    for (uint32_t i = 0; i < 3; i++) {
        const int32_t size = read_signed(row + 40 + 4 * i);
        const uint32_t field = SIZES_OF[kind][i];
        if (field != 0 || size != 0) { /* a size that must be 0 is a field if it is not 0 */
            set_field(f, field != 0 ? field : FXS_FIELD_SIZE + i, size);
        }
    }
    if (SIZES_OF[kind][3] != 0 || half_angle != 0) {
        set_field(f, FXS_FIELD_HALF_ANGLE, half_angle);
    }
    for (uint32_t i = 0; i < 3; i++) {
        set_field(f, FXS_FIELD_X + i, read_signed(row + 16 + 4 * i));
        set_field(f, FXS_FIELD_OX + i, read_signed(row + 28 + 4 * i));
    }
    set_field(f, FXS_FIELD_YAW, read32(row + 8) & 0xFFFF);
    set_field(f, FXS_FIELD_LAYER, row[5]);
    set_field(f, FXS_FIELD_OWNER, read32(row + 12));
    set_field(f, FXS_FIELD_ACTIVE, row[6]);
    if (row[7] != 0) {
        set_field(f, FXS_FIELD_ZERO, row[7]);
    }
}

static void row_fields(fields *f, uint32_t list, const uint8_t *row) {
    f->has = 0;
    if (list == LIST_COLLIDERS) {
        collider_fields(f, row);
    } else if (list == LIST_HITS) {
        set_field(f, FXS_FIELD_CONTACT, read32(row + 8));
    } else {
        set_field(f, FXS_FIELD_SINCE_LAST_STEP, 1);
    }
}

static row_owner owner_of(uint32_t list, const uint8_t *row) {
    const row_owner owner = {FXS_OF_COLLIDER + list, read32(row),
                             list == LIST_HITS ? read32(row + 4) : 0};
    return owner;
}

static int64_t level_of(const saved_state *s) {
    return s->has_level ? (int64_t)read64(s->head + STATE_HEAD) : 0;
}

/* The field of the i-th number of a world. */
static uint32_t head_field(uint32_t i) {
    if (i < 2) {
        return i == 0 ? FXS_FIELD_FRAME : FXS_FIELD_HIT_WHEN;
    }
    return FXS_FIELD_LAYERS + i - 2;
}

/* The rows of the world itself; with b NULL all that a has. */
static void put_world(row_list *out, const saved_state *a, const saved_state *b) {
    const row_owner world = {FXS_OF_WORLD, 0, 0};
    const uint32_t both = b ? IN_BOTH : IN_A;
    for (uint32_t i = 0; i < 34; i++) {
        const uint32_t of_a = read32(a->head + 4 + 4 * i);
        const uint32_t of_b = b ? read32(b->head + 4 + 4 * i) : 0;
        if (b == NULL || of_a != of_b) {
            put_difference(out, &world, head_field(i), of_a, of_b, both);
        }
    }
    const uint32_t in_a = a->has_level ? IN_A : 0;
    const uint32_t in_b = b && b->has_level ? IN_B : 0;
    const uint32_t has = in_a + in_b;
    const int64_t of_a = level_of(a);
    const int64_t of_b = b ? level_of(b) : 0;
    if (has != 0 && (has != IN_BOTH || of_a != of_b)) {
        put_difference(out, &world, FXS_FIELD_LEVEL, of_a, of_b, has);
    }
}

static int words_differ(const uint8_t *p, const uint8_t *q, uint32_t n) {
    uint32_t differ = 0;
    for (uint32_t i = 0; i < n; i++) {
        differ |= read32(p + 4 * i) ^ read32(q + 4 * i);
    }
    return differ != 0;
}

static void put_objects(row_list *out, uint32_t list, const saved_state *a, const saved_state *b) {
    const uint32_t size = ROW_BYTES[list];
    const uint8_t *p = a->rows[list];
    const uint8_t *p_end = p + (uint64_t)size * a->count[list];
    const uint8_t *q = b->rows[list];
    const uint8_t *q_end = q + (uint64_t)size * b->count[list];
    while (p < p_end || q < q_end) {
        const uint64_t of_p = p < p_end ? key_of(list, p) : UINT64_MAX;
        const uint64_t of_q = q < q_end ? key_of(list, q) : UINT64_MAX;
        const int in_a = p < p_end && of_p <= of_q;
        const int in_b = q < q_end && of_q <= of_p;
        const row_owner owner = owner_of(list, in_a ? p : q);
        if (!in_a || !in_b) {
            put_difference(out, &owner, FXS_FIELD_PRESENT, in_a, in_b, in_a ? IN_A : IN_B);
        } else if (words_differ(p, q, size / 4)) {
            fields of_a, of_b;
            row_fields(&of_a, list, p);
            row_fields(&of_b, list, q);
            put_fields(out, &owner, &of_a, &of_b);
        }
        p += in_a ? size : 0;
        q += in_b ? size : 0;
    }
}

static int32_t room_status(const row_list *out, uint64_t *count) {
    *count = out->count;
    return out->count > out->capacity ? FXS_E_ROOM : FXS_OK;
}

int32_t fxs_state_differences(const uint8_t *a, uint64_t a_size, const uint8_t *b, uint64_t b_size,
                              fxs_difference *out, uint64_t capacity, uint64_t *count,
                              uint64_t *at) {
    saved_state of_a, of_b;
    row_list list = {out, capacity, 0};
    *count = 0;
    int32_t status = open_whole(&of_a, a, a_size, at);
    if (status == FXS_OK) {
        *count = 1;
        status = open_whole(&of_b, b, b_size, at);
    }
    if (status != FXS_OK) {
        return status;
    }
    put_world(&list, &of_a, &of_b);
    for (uint32_t i = 0; i < LIST_COUNT; i++) {
        put_objects(&list, i, &of_a, &of_b);
    }
    return room_status(&list, count);
}

int32_t fxs_state_fields(const uint8_t *state, uint64_t size, fxs_difference *out,
                         uint64_t capacity, uint64_t *count, uint64_t *at) {
    saved_state s;
    row_list list = {out, capacity, 0};
    *count = 0;
    const int32_t status = open_whole(&s, state, size, at);
    if (status != FXS_OK) {
        return status;
    }
    put_world(&list, &s, NULL);
    for (uint32_t i = 0; i < LIST_COUNT; i++) {
        for (uint32_t j = 0; j < s.count[i]; j++) {
            const uint8_t *row = s.rows[i] + (uint64_t)ROW_BYTES[i] * j;
            const row_owner owner = owner_of(i, row);
            fields f;
            row_fields(&f, i, row);
            put_fields(&list, &owner, &f, NULL);
        }
    }
    return room_status(&list, count);
}

/* ---- bodies ---- */

enum { SAVED_BODY_HEAD = 24 };
#define SAVED_BODY_MAGIC 0x31425846u /* "FXB1" */

/* Whether bytes can be a saved body's; *at is the offset of the fault. */
static int32_t open_body(const uint8_t *bytes, uint64_t size, uint64_t *at) {
    *at = 0;
    if (size < SAVED_BODY_HEAD || read32(bytes) != SAVED_BODY_MAGIC) {
        return FXS_E_STATE;
    }
    const uint32_t n = read32(bytes + 20);
    *at = 20;
    if (n > FXS_VICTIMS_MAX || size != SAVED_BODY_HEAD + 4 * (uint64_t)n) {
        return FXS_E_STATE;
    }
    for (uint32_t i = 1; i < n; i++) {
        *at = SAVED_BODY_HEAD + 4 * i;
        if (read32(bytes + *at) <= read32(bytes + *at - 4)) {
            return FXS_E_STATE;
        }
    }
    return FXS_OK;
}

int32_t fxs_body_differences(const uint8_t *a, uint64_t a_size, const uint8_t *b, uint64_t b_size,
                             fxs_difference *out, uint64_t capacity, uint64_t *count,
                             uint64_t *at) {
    static const uint32_t OF_HEAD[4] = {FXS_FIELD_MIRRORED, FXS_FIELD_ATTACK, FXS_FIELD_FRAME,
                                        FXS_FIELD_HAS_HIT};
    row_list list = {out, capacity, 0};
    *count = 0;
    int32_t status = open_body(a, a_size, at);
    if (status == FXS_OK) {
        *count = 1;
        status = open_body(b, b_size, at);
    }
    if (status != FXS_OK) {
        return status;
    }
    const row_owner body = {FXS_OF_BODY, 0, 0};
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t of_a = read32(a + 4 + 4 * i);
        const uint32_t of_b = read32(b + 4 + 4 * i);
        if (of_a != of_b) {
            put_difference(&list, &body, OF_HEAD[i], of_a, of_b, IN_BOTH);
        }
    }
    const uint8_t *p = a + SAVED_BODY_HEAD;
    const uint8_t *q = b + SAVED_BODY_HEAD;
    while (p < a + a_size || q < b + b_size) {
        const uint64_t of_p = p < a + a_size ? read32(p) : UINT64_MAX;
        const uint64_t of_q = q < b + b_size ? read32(q) : UINT64_MAX;
        const row_owner victim = {FXS_OF_VICTIM, (uint32_t)(of_p < of_q ? of_p : of_q), 0};
        if (of_p != of_q) {
            put_difference(&list, &victim, FXS_FIELD_PRESENT, of_p < of_q, of_q < of_p,
                           of_p < of_q ? IN_A : IN_B);
        }
        p += of_p <= of_q ? 4 : 0;
        q += of_q <= of_p ? 4 : 0;
    }
    return room_status(&list, count);
}

/* ---- words ---- */

static const char *const OWNERS[] = {"world", "collider", "hit", "changed", "body", "victim"};
enum { OWNER_COUNT = sizeof OWNERS / sizeof *OWNERS };
#define FIELD_NAME(field, name) [FXS_FIELD_##field] = name
#define NAME_OF_SIZE(name, field) FIELD_NAME(field, #name),
static const char *const FIELD_NAMES[FXS_FIELD_LAYERS] = {
    FIELDS_OF_SIZES(NAME_OF_SIZE) FIELD_NAME(PRESENT, "is there"),
    FIELD_NAME(KIND, "kind"),
    FIELD_NAME(HALF_ANGLE, "half_angle"),
    FIELD_NAME(X, "x"),
    FIELD_NAME(Y, "y"),
    FIELD_NAME(Z, "z"),
    FIELD_NAME(YAW, "yaw"),
    FIELD_NAME(OX, "ox"),
    FIELD_NAME(OY, "oy"),
    FIELD_NAME(OZ, "oz"),
    FIELD_NAME(LAYER, "layer"),
    FIELD_NAME(OWNER, "owner"),
    FIELD_NAME(ACTIVE, "active"),
    FIELD_NAME(SIZE, "size[0]"),
    FIELD_NAME(SIZE + 1, "size[1]"),
    FIELD_NAME(SIZE + 2, "size[2]"),
    FIELD_NAME(ZERO, "zero"),
    FIELD_NAME(FRAME, "frame"),
    FIELD_NAME(HIT_WHEN, "hit_when"),
    FIELD_NAME(LEVEL, "level"),
    FIELD_NAME(CONTACT, "contact"),
    FIELD_NAME(SINCE_LAST_STEP, "since_last_step"),
    FIELD_NAME(MIRRORED, "is_mirrored"),
    FIELD_NAME(ATTACK, "attack"),
    FIELD_NAME(HAS_HIT, "has_hit")};

static int is_length(uint32_t field) {
#define BIT_OF_SIZE(name, field) | (uint64_t)1 << FXS_FIELD_##field
    const uint64_t sizes = 0 FIELDS_OF_SIZES(BIT_OF_SIZE);
    const uint64_t places = (uint64_t)7 << FXS_FIELD_X | (uint64_t)7 << FXS_FIELD_OX;
    return field < FXS_FIELD_LAYERS && (sizes | places) >> field & 1;
}

static int is_angle(uint32_t field) {
    return field == FXS_FIELD_YAW || field == FXS_FIELD_HALF_ANGLE;
}

static int is_truth(uint32_t field, int64_t v) {
    return field == FXS_FIELD_SINCE_LAST_STEP || (field == FXS_FIELD_ACTIVE && v >> 1 == 0);
}

static void put_value(pen *p, const fxs_difference *d, uint32_t side) {
    const int64_t v = d->values[side];
    if (d->field == FXS_FIELD_PRESENT || d->absent[side]) {
        fxs_put_text(p, d->absent[side] ? "absent" : "present");
    } else if (d->field == FXS_FIELD_KIND && v >= 0 && v < KIND_COUNT) {
        fxs_put_text(p, fxs_kinds[v].name);
    } else if (d->field == FXS_FIELD_LEVEL) {
        fxs_put_hexadecimal(p, (uint64_t)v, 16);
    } else if (d->field >= FXS_FIELD_LAYERS) {
        fxs_put_text(p, "0x");
        fxs_put_hexadecimal(p, (uint64_t)v, v >> 32 ? 16 : 8);
    } else if (is_truth(d->field, v)) {
        fxs_put_text(p, v ? "True" : "False");
    } else if (d->field == FXS_FIELD_ATTACK && v == FXS_NO_ATTACK) {
        fxs_put_text(p, "none");
    } else {
        fxs_put_signed(p, v);
    }
}

/* The names of the ids, as far as they have one. */
static void put_names(pen *p, const fxs_difference *d, const fxs_name *names, uint64_t n) {
    const uint32_t ids[2] = {d->a, d->b};
    int has_one = 0;
    for (uint32_t i = 0; i < (d->of == FXS_OF_HIT ? 2u : 1u); i++) {
        for (uint64_t j = 0; j < n; j++) {
            if (names[j].id == ids[i]) {
                fxs_put_text(p, has_one ? ", " : " (");
                fxs_put_name(p, names + j);
                has_one = 1;
                break;
            }
        }
    }
    if (has_one) {
        fxs_put_char(p, ')');
    }
}

/* Both values in units or degrees, of a field that is a length or an angle. */
static void put_in_units(pen *p, const fxs_difference *d) {
    if (d->absent[0] || d->absent[1]) {
        return;
    }
    if (is_length(d->field)) {
        fxs_put_text(p, " (");
        fxs_put_decimal(p, d->values[0], 1, 5);
        fxs_put_text(p, " and ");
        fxs_put_decimal(p, d->values[1], 1, 5);
        fxs_put_text(p, " units)");
    } else if (is_angle(d->field)) {
        fxs_put_text(p, " (");
        fxs_put_decimal(p, d->values[0], 360, 3);
        fxs_put_text(p, "\xC2\xB0 and ");
        fxs_put_decimal(p, d->values[1], 360, 3);
        fxs_put_text(p, "\xC2\xB0)");
    }
}

int32_t fxs_difference_text(const fxs_difference *difference, const fxs_name *names, uint64_t n,
                            char *text, uint64_t room, uint64_t *size) {
    const fxs_difference *d = difference;
    pen p = {text, 0, room};
    *size = 0;
    if (d->of >= OWNER_COUNT || d->field >= FXS_FIELD_LAYERS + FXS_LAYER_COUNT ||
        (d->field < FXS_FIELD_LAYERS && FIELD_NAMES[d->field] == NULL)) {
        return FXS_E_RANGE;
    }
    fxs_put_text(&p, OWNERS[d->of]);
    if (d->of != FXS_OF_WORLD && d->of != FXS_OF_BODY) {
        fxs_put_char(&p, ' ');
        fxs_put_number(&p, d->a);
        if (d->of == FXS_OF_HIT) {
            fxs_put_text(&p, ", ");
            fxs_put_number(&p, d->b);
        }
        put_names(&p, d, names, n);
    }
    fxs_put_text(&p, ", ");
    if (d->field >= FXS_FIELD_LAYERS) {
        fxs_put_text(&p, "layers[");
        fxs_put_number(&p, d->field - FXS_FIELD_LAYERS);
        fxs_put_char(&p, ']');
    } else {
        fxs_put_text(&p, FIELD_NAMES[d->field]);
    }
    fxs_put_text(&p, ": ");
    put_value(&p, d, 0);
    fxs_put_text(&p, " and ");
    put_value(&p, d, 1);
    put_in_units(&p, d);
    *size = p.next;
    return p.next > room ? FXS_E_ROOM : FXS_OK;
}
