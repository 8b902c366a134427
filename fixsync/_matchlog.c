/* The frames of match logs: text, columns and tapes; see _matchlog.h. */
#include "_matchlog.h"

#include <string.h>

/* ---- what a frame is made of ---- */

/* Kinds of number, as letters:
 *   i id, c coordinate, y yaw, l layer, w any 32 bits, b true or false, h hit_when, m part of a motion, r size, g half height that
 *   may be 0, a half angle, f fraction, e kind of event, t contact, v any 64 bits
 * and of what is made of them: P position (three c), O offset (three c), M motion (three m), s shape. */
static int fits(char kind, int64_t v) {
    switch (kind) {
    case 'i': return v >= 0 && v <= INT32_MAX;
    case 'c': return v >= INT32_MIN && v <= INT32_MAX;
    case 'y': return v >= 0 && v < FXS_TURN;
    case 'l': return v >= 0 && v < FXS_LAYER_COUNT;
    case 'w': return v >= 0 && v <= UINT32_MAX;
    case 'b': return v >= 0 && v <= 1;
    case 'h': return v >= FXS_TOUCHING && v <= FXS_OVERLAPPING;
    case 'm': return v >= -FXS_SIZE_MAX && v <= FXS_SIZE_MAX;
    case 'r': return v >= 1 && v <= FXS_SIZE_MAX;
    case 'g': return v >= 0 && v <= FXS_SIZE_MAX;
    case 'a': return v >= 1 && v <= FXS_HALF_ANGLE_MAX;
    case 'f': return v >= 0 && v <= FXS_ONE;
    case 'e': return v >= FXS_ENTER && v <= FXS_EXIT;
    case 't': return v >= FXS_APART && v <= FXS_OVERLAPPING;
    default: return 1;
    }
}

/* The numbers of operations are those of the compact form. */
enum { MOVE, POSE, TURN, ADD, REMOVE, SHAPE, OFFSET, OWNER, LAYER, ACTIVE, QUERY, CAST, OPERATIONS };

typedef struct form {
    char name[10];
    char fields[10];
} form;

static const form commands[OPERATIONS] = {
    {"move", "iP"}, {"pose", "iPy"}, {"turn", "iy"}, {"add", "isPylwOb"}, {"remove", "i"}, {"shape", "is"}, {"offset", "iO"},
    {"owner", "iw"}, {"layer", "il"}, {"active", "ib"}, {"query", "sPyw"}, {"cast", "sPyMwwwh"},
};

/* By kind; the numbers of shapes are the kernel's. */
#define SHAPES 5
static const form shapes[SHAPES] = {{"sphere", "r"}, {"capsule", "rg"}, {"cylinder", "rr"}, {"box", "rrr"}, {"sector", "rar"}};

static const char cast_hit_fields[] = "ifccc";
static const char event_fields[] = "iiet";

/* What a field that is three numbers is made of; 0 for any other. */
static char triple(char field) { return field == 'P' || field == 'O' ? 'c' : field == 'M' ? 'm' : 0; }

/* ---- text to tape ---- */

/* Each of these gives where it ended, or null for a text that is not as it should be. None goes past a line feed, since nothing that
 * they look for holds one. */
static const uint8_t *literal(const uint8_t *p, const char *text) {
    while (*text) {
        if (!p || *p++ != (uint8_t)*text++) {
            return 0;
        }
    }
    return p;
}

/* Spaces after commas and colons are what many JSON libraries write. */
static const uint8_t *spaces(const uint8_t *p) {
    while (p && *p == ' ') {
        p++;
    }
    return p;
}

static const uint8_t *comma(const uint8_t *p) { return spaces(literal(p, ",")); }

/* A key and its colon, after a brace or a comma. */
static const uint8_t *key(const uint8_t *p, const char *before, const char *name) {
    return spaces(literal(literal(literal(spaces(literal(p, before)), "\""), name), "\":"));
}

static const uint8_t *integer(const uint8_t *p, int64_t *out) {
    if (!p) {
        return 0;
    }
    uint64_t v = 0;
    uint32_t negative = *p == '-', digit;
    p += negative;
    const uint8_t *first = p;
    while ((digit = (uint32_t)*p - '0') <= 9) {
        v = v * 10 + digit;
        p++;
    }
    /* Nineteen digits are less than 2^64. */
    int64_t count = p - first;
    if (count == 0 || count > 19 || (*first == '0' && (count > 1 || negative)) || v > (uint64_t)INT64_MAX + negative) {
        return 0;
    }
    *out = !negative ? (int64_t)v : -(int64_t)(v - 1) - 1;
    return p;
}

static const uint8_t *number(const uint8_t *p, char kind, int64_t *out) {
    p = integer(p, out);
    return p && fits(kind, *out) ? p : 0;
}

static const uint8_t *scan_name(const uint8_t *p, const form *forms, int64_t count, int64_t *index) {
    for (*index = 0; p && *index < count; ++*index) {
        const uint8_t *after = literal(p, forms[*index].name);
        if (after && *after == '"') {
            return after + 1;
        }
    }
    return 0;
}

static const uint8_t *scan_shape(const uint8_t *p, int64_t **tape) {
    int64_t *to = *tape;
    p = scan_name(literal(p, "[\""), shapes, SHAPES, to);
    if (!p) {
        return 0;
    }
    to[1] = to[2] = to[3] = 0;
    int32_t i = 1;
    for (const char *field = shapes[to[0]].fields; *field && p; field++) {
        p = number(comma(p), *field, to + i++);
    }
    *tape += 4;
    return literal(p, "]");
}

static const uint8_t *scan_boolean(const uint8_t *p, int64_t *out) {
    const uint8_t *after = literal(p, "true");
    *out = after != 0;
    return after ? after : literal(p, "false");
}

static const uint8_t *scan_command(const uint8_t *p, int64_t **tape) {
    int64_t *to = *tape;
    p = scan_name(literal(p, "[\""), commands, OPERATIONS, to);
    if (!p) {
        return 0;
    }
    const char *field = commands[*to++].fields;
    for (; *field && p; field++) {
        p = comma(p);
        char part = triple(*field);
        if (part) {
            p = number(literal(p, "["), part, to);
            p = number(comma(p), part, to + 1);
            p = literal(number(comma(p), part, to + 2), "]");
            to += 3;
        } else if (*field == 's') {
            p = scan_shape(p, &to);
        } else if (*field == 'b') {
            p = scan_boolean(p, to++);
        } else {
            p = number(p, *field, to++);
        }
    }
    *tape = to;
    return literal(p, "]");
}

static const uint8_t *scan_row(const uint8_t *p, const char *fields, int64_t **tape) {
    p = number(literal(p, "["), *fields++, (*tape)++);
    for (; *fields && p; fields++) {
        p = number(comma(p), *fields, (*tape)++);
    }
    return literal(p, "]");
}

static const uint8_t *scan_input(const uint8_t *p, int64_t **tape);

static const uint8_t *scan_answer_row(const uint8_t *p, int64_t **tape) {
    int64_t *is_row = (*tape)++;
    *is_row = p && *p == '[';
    return *is_row ? scan_row(p, cast_hit_fields, tape) : number(p, 'i', (*tape)++);
}

static const uint8_t *scan_event(const uint8_t *p, int64_t **tape) { return scan_row(p, event_fields, tape); }
static const uint8_t *scan_value(const uint8_t *p, int64_t **tape) { return number(p, 'v', (*tape)++); }

typedef const uint8_t *scan_item(const uint8_t *p, int64_t **tape);

/* A list with its length before it. */
static const uint8_t *scan_list(const uint8_t *p, scan_item *item, int64_t **tape) {
    int64_t *count = (*tape)++;
    *count = 0;
    p = literal(p, "[");
    if (p && *p == ']') {
        return p + 1;
    }
    for (;;) {
        p = item(p, tape);
        if (!p) {
            return 0;
        }
        ++*count;
        if (*p != ',') {
            return literal(p, "]");
        }
        p = spaces(p + 1);
    }
}

static const uint8_t *scan_input(const uint8_t *p, int64_t **tape) {
    if (p && *p == '[') {
        return scan_list(p, scan_value, tape);
    }
    *(*tape)++ = -1;
    return scan_value(p, tape);
}

static const uint8_t *scan_answer(const uint8_t *p, int64_t **tape) { return scan_list(p, scan_answer_row, tape); }

static const uint8_t *scan_hash(const uint8_t *p, int64_t **tape) {
    uint64_t v = 0;
    for (int32_t i = 0; i < 16; i++) {
        uint32_t c = p[i], digit = c - '0' <= 9 ? c - '0' : c - 'a' <= 5 ? c - 'a' + 10 : 16;
        if (digit == 16) {
            return 0;
        }
        v = v << 4 | digit;
    }
    memcpy((*tape)++, &v, sizeof v);
    return literal(p + 16, "\"");
}

int32_t fxl_scan(const uint8_t *line, const uint8_t *end, uint32_t kind, uint64_t frame, int64_t *tape, uint64_t *words) {
    int64_t found, *to = tape + 1;
    tape[0] = kind;
    const uint8_t *more, *p = number(key(line, "{", "frame"), 'w', &found);
    if (!p || (uint64_t)found != frame) {
        return FXL_STOPPED;
    }
    p = kind == FXL_SIM ? scan_list(key(p, ",", "inputs"), scan_input, &to) : scan_list(key(p, ",", "commands"), scan_command, &to);
    if ((more = key(p, ",", "queries"))) {
        tape[0] |= FXL_HAS_QUERIES;
        p = scan_list(more, scan_answer, &to);
    }
    if ((more = key(p, ",", "events"))) {
        tape[0] |= FXL_HAS_EVENTS;
        p = scan_list(more, scan_event, &to);
    }
    if ((more = literal(key(p, ",", "hash"), "\""))) {
        tape[0] |= FXL_HAS_HASH;
        p = scan_hash(more, &to);
    }
    *words = (uint64_t)(to - tape);
    return literal(p, "}") == end ? FXL_END : FXL_STOPPED;
}

/* ---- tape to text ---- */

static uint8_t *put_text(uint8_t *p, const char *text) {
    while (*text) {
        *p++ = (uint8_t)*text++;
    }
    return p;
}

static uint8_t *put_integer(uint8_t *p, int64_t v) {
    uint8_t digits[20];
    uint32_t count = 0;
    uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do {
        digits[count++] = (uint8_t)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (v < 0) {
        *p++ = '-';
    }
    while (count) {
        *p++ = digits[--count];
    }
    return p;
}

static uint8_t *put_row(uint8_t *p, const int64_t *from, uint64_t count) {
    *p++ = '[';
    for (uint64_t i = 0; i < count; i++) {
        if (i) {
            *p++ = ',';
        }
        p = put_integer(p, from[i]);
    }
    *p++ = ']';
    return p;
}

static uint8_t *put_name(uint8_t *p, const char *name) {
    p = put_text(put_text(p, "[\""), name);
    *p++ = '"';
    return p;
}

static uint8_t *print_command(uint8_t *p, const int64_t **tape) {
    const int64_t *from = *tape;
    const form *command = commands + *from++;
    p = put_name(p, command->name);
    for (const char *field = command->fields; *field; field++) {
        *p++ = ',';
        if (triple(*field)) {
            p = put_row(p, from, 3);
            from += 3;
        } else if (*field == 's') {
            const form *shape = shapes + from[0];
            p = put_name(p, shape->name);
            for (uint32_t i = 0; shape->fields[i]; i++) {
                *p++ = ',';
                p = put_integer(p, from[1 + i]);
            }
            *p++ = ']';
            from += 4;
        } else if (*field == 'b') {
            p = put_text(p, *from++ ? "true" : "false");
        } else {
            p = put_integer(p, *from++);
        }
    }
    *p++ = ']';
    *tape = from;
    return p;
}

static uint8_t *print_input(uint8_t *p, const int64_t **tape) {
    int64_t count = *(*tape)++;
    if (count < 0) {
        return put_integer(p, *(*tape)++);
    }
    p = put_row(p, *tape, (uint64_t)count);
    *tape += count;
    return p;
}

static uint8_t *print_event(uint8_t *p, const int64_t **tape) {
    p = put_row(p, *tape, 4);
    *tape += 4;
    return p;
}

static uint8_t *print_answer_row(uint8_t *p, const int64_t **tape) {
    if (!*(*tape)++) {
        return put_integer(p, *(*tape)++);
    }
    p = put_row(p, *tape, 5);
    *tape += 5;
    return p;
}

typedef uint8_t *print_item(uint8_t *p, const int64_t **tape);

static uint8_t *print_list(uint8_t *p, print_item *item, const int64_t **tape) {
    int64_t count = *(*tape)++;
    *p++ = '[';
    for (int64_t i = 0; i < count; i++) {
        if (i) {
            *p++ = ',';
        }
        p = item(p, tape);
    }
    *p++ = ']';
    return p;
}

static uint8_t *print_answer(uint8_t *p, const int64_t **tape) { return print_list(p, print_answer_row, tape); }

uint64_t fxl_print(const int64_t *tape, uint64_t frame, uint8_t *line) {
    const int64_t *from = tape + 1;
    uint8_t *p = put_integer(put_text(line, "{\"frame\":"), (int64_t)frame);
    if (tape[0] & FXL_SIM) {
        p = print_list(put_text(p, ",\"inputs\":"), print_input, &from);
    } else {
        p = print_list(put_text(p, ",\"commands\":"), print_command, &from);
    }
    if (tape[0] & FXL_HAS_QUERIES) {
        p = print_list(put_text(p, ",\"queries\":"), print_answer, &from);
    }
    if (tape[0] & FXL_HAS_EVENTS) {
        p = print_list(put_text(p, ",\"events\":"), print_event, &from);
    }
    if (tape[0] & FXL_HAS_HASH) {
        uint64_t hash;
        memcpy(&hash, from, sizeof hash);
        p = put_text(p, ",\"hash\":\"");
        for (uint32_t shift = 64; shift > 0; shift -= 4) {
            *p++ = (uint8_t)"0123456789abcdef"[hash >> (shift - 4) & 15];
        }
        *p++ = '"';
    }
    p = put_text(p, "}\n");
    return (uint64_t)(p - line);
}

/* ---- foretelling: what is written of a position or a yaw is how far it is from where the last change would lead on ---- */

enum { IN_STRUCTURE, IN_X, IN_Y, IN_Z, IN_YAW, IN_FOUND, IN_HASHES };

/* Row of the command: that of its id, and one more for the questions, which have none. */
static uint32_t *row_of(const fxl_columns *c, uint32_t operation, int64_t id) {
    uint32_t slot = operation >= QUERY ? c->slots : (uint32_t)id % c->slots;
    return c->rows + (uint64_t)slot * 8;
}

static uint32_t foretold(const uint32_t *row, uint32_t part) { return row[part] + row[4 + part]; }

static void remember(uint32_t *row, uint32_t part, uint32_t value, uint32_t operation) {
    row[4 + part] = operation == ADD ? 0 : value - row[part];
    row[part] = value;
}

/* ---- tape to columns ---- */

/* Zigzag: 0, -1, 1, -2 are 0, 1, 2, 3, and so on. */
static uint64_t zigzag(int64_t v) { return v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1; }

static uint64_t zigzag_bits(uint32_t v, uint32_t bits) {
    uint32_t sign = v >> (bits - 1) & 1, mask = UINT32_MAX >> (32 - bits);
    return sign ? ((uint64_t)(~v & mask) << 1) + 1 : (uint64_t)(v & mask) << 1;
}

static void put(fxl_columns *c, uint32_t column, uint64_t v) {
    uint8_t *p = (uint8_t *)(uintptr_t)c->at[column];
    for (; v > 127; v >>= 7) {
        *p++ = (uint8_t)(v | 128);
    }
    *p++ = (uint8_t)v;
    c->at[column] = p;
}

static void pack_shape(fxl_columns *to, const int64_t *from) {
    put(to, IN_STRUCTURE, (uint64_t)from[0]);
    for (uint32_t i = 0; shapes[from[0]].fields[i]; i++) {
        put(to, IN_STRUCTURE, (uint64_t)from[1 + i]);
    }
}

static const int64_t *pack_command(fxl_columns *to, const int64_t *from) {
    uint32_t operation = (uint32_t)*from++;
    put(to, IN_STRUCTURE, operation);
    uint32_t *row = row_of(to, operation, from[0]);
    for (const char *field = commands[operation].fields; *field; field++) {
        switch (*field) {
        case 'i': {
            uint32_t id = (uint32_t)*from++;
            put(to, IN_STRUCTURE, zigzag_bits(id - to->last_id - 1, 32));
            to->last_id = id;
            break;
        }
        case 's':
            pack_shape(to, from);
            from += 4;
            break;
        case 'P':
            for (uint32_t part = 0; part < 3; part++) {
                uint32_t v = (uint32_t)*from++;
                put(to, IN_X + part, zigzag_bits(v - foretold(row, part), 32));
                remember(row, part, v, operation);
            }
            break;
        case 'y': {
            uint32_t yaw = (uint32_t)*from++;
            put(to, IN_YAW, zigzag_bits(yaw - foretold(row, 3), 16));
            remember(row, 3, yaw, operation);
            break;
        }
        case 'O':
        case 'M':
            for (uint32_t part = 0; part < 3; part++) {
                put(to, IN_STRUCTURE, zigzag(*from++));
            }
            break;
        default:
            put(to, IN_STRUCTURE, (uint64_t)*from++);
        }
    }
    return from;
}

static const int64_t *pack_input(fxl_columns *to, const int64_t *from) {
    int64_t count = *from++;
    put(to, IN_STRUCTURE, (uint64_t)(count + 1));
    for (int64_t i = count < 0 ? -1 : 0; i < (count < 0 ? 0 : count); i++) {
        put(to, IN_STRUCTURE, zigzag(*from++));
    }
    return from;
}

static const int64_t *pack_answer(fxl_columns *to, const int64_t *from) {
    int64_t count = *from++, last = -1;
    put(to, IN_FOUND, (uint64_t)count);
    for (; count; count--) {
        int64_t is_row = *from++, id = *from++;
        put(to, IN_FOUND, zigzag(id - last - 1) << 1 | (uint64_t)is_row);
        last = id;
        if (is_row) {
            put(to, IN_FOUND, (uint64_t)*from++);
            for (uint32_t i = 0; i < 3; i++) {
                put(to, IN_FOUND, zigzag(*from++));
            }
        }
    }
    return from;
}

void fxl_pack(const int64_t *tape, fxl_columns *to) {
    const int64_t *from = tape + 1;
    put(to, IN_STRUCTURE, (uint64_t)(tape[0] >> 1));
    int64_t count = *from++;
    put(to, IN_STRUCTURE, (uint64_t)count);
    for (; count; count--) {
        from = tape[0] & FXL_SIM ? pack_input(to, from) : pack_command(to, from);
    }
    if (tape[0] & FXL_HAS_QUERIES) {
        count = *from++;
        put(to, IN_FOUND, (uint64_t)count);
        for (; count; count--) {
            from = pack_answer(to, from);
        }
    }
    if (tape[0] & FXL_HAS_EVENTS) {
        int64_t last = 0;
        count = *from++;
        put(to, IN_FOUND, (uint64_t)count);
        for (; count; count--, from += 4) {
            put(to, IN_FOUND, zigzag(from[0] - last));
            put(to, IN_FOUND, zigzag(from[1] - from[0]));
            put(to, IN_FOUND, (uint64_t)(from[2] << 2 | from[3]));
            last = from[0];
        }
    }
    if (tape[0] & FXL_HAS_HASH) {
        uint64_t hash;
        memcpy(&hash, from, sizeof hash);
        uint8_t *p = (uint8_t *)(uintptr_t)to->at[IN_HASHES];
        for (uint32_t shift = 0; shift < 64; shift += 8) {
            *p++ = (uint8_t)(hash >> shift);
        }
        to->at[IN_HASHES] = p;
    }
    to->frames++;
}

/* ---- columns to tape ---- */

/* A fault stops everything: what is read after one is 0. */
static uint64_t fail(fxl_columns *c, uint32_t column, uint32_t fault) {
    if (!c->fault) {
        c->column = column;
        c->fault = fault;
    }
    return 0;
}

static uint64_t get(fxl_columns *c, uint32_t column) {
    const uint8_t *p = c->at[column], *end = c->end[column];
    uint64_t v = 0;
    if (p < end && *p < 128) {
        c->at[column] = p + 1;
        return *p;
    }
    for (uint32_t shift = 0; p < end; shift += 7) {
        uint64_t byte = *p++;
        if (shift == 63 && byte > 1) {
            return fail(c, column, FXL_BAD_NUMBER);
        }
        v |= (byte & 127) << shift;
        if (byte < 128) {
            if (byte == 0) {
                return fail(c, column, FXL_BAD_NUMBER);
            }
            c->at[column] = p;
            return v;
        }
    }
    return fail(c, column, FXL_TOO_SHORT);
}

/* A number that a tape can hold. */
static int64_t get_count(fxl_columns *c, uint32_t column) {
    const uint8_t *before = c->at[column];
    uint64_t v = get(c, column);
    if (v > INT64_MAX) {
        c->at[column] = before;
        return (int64_t)fail(c, column, FXL_BAD_NUMBER);
    }
    return (int64_t)v;
}

static int64_t unzigzag(uint64_t v) { return v & 1 ? -(int64_t)(v >> 1) - 1 : (int64_t)(v >> 1); }

static int64_t get_signed(fxl_columns *c, uint32_t column) { return unzigzag(get(c, column)); }

/* A difference of so many bits. */
static uint32_t get_bits(fxl_columns *c, uint32_t column, uint32_t bits) {
    const uint8_t *before = c->at[column];
    uint64_t v = get(c, column);
    if (v >> bits) {
        c->at[column] = before;
        return (uint32_t)fail(c, column, FXL_BAD_NUMBER);
    }
    return v & 1 ? ~(uint32_t)(v >> 1) : (uint32_t)(v >> 1);
}

/* The sum of two ids or parts of ids, which no damaged log can make overflow: out of range it stays. */
static int64_t led_on(int64_t from, int64_t by) {
    return by < -(int64_t)UINT32_MAX ? -1 : by > (int64_t)UINT32_MAX ? (int64_t)UINT32_MAX : from + by;
}

static int32_t as_int32(uint32_t v) { return v <= INT32_MAX ? (int32_t)v : -(int32_t)(UINT32_MAX - v) - 1; }

/* Each gives the end of what it wrote; `*good` is cleared by a number out of range. */
static int64_t *unpack_shape(fxl_columns *from, int64_t *to, int *good) {
    const uint8_t *before = from->at[IN_STRUCTURE];
    uint64_t kind = get(from, IN_STRUCTURE);
    if (kind >= SHAPES) {
        from->at[IN_STRUCTURE] = before;
        kind = fail(from, IN_STRUCTURE, FXL_BAD_OPERATION);
    }
    to[0] = (int64_t)kind;
    to[1] = to[2] = to[3] = 0;
    for (uint32_t i = 0; shapes[kind].fields[i]; i++) {
        to[1 + i] = get_count(from, IN_STRUCTURE);
        *good &= fits(shapes[kind].fields[i], to[1 + i]);
    }
    return to + 4;
}

static int64_t *unpack_command(fxl_columns *from, int64_t *to, int *good) {
    const uint8_t *before = from->at[IN_STRUCTURE];
    uint64_t read = get(from, IN_STRUCTURE);
    if (read >= OPERATIONS) {
        from->at[IN_STRUCTURE] = before;
        read = fail(from, IN_STRUCTURE, FXL_BAD_OPERATION);
    }
    uint32_t operation = (uint32_t)read, *row = row_of(from, operation, 0);
    *to++ = operation;
    for (const char *field = commands[operation].fields; *field; field++) {
        switch (*field) {
        case 'i':
            from->last_id += 1 + get_bits(from, IN_STRUCTURE, 32);
            row = row_of(from, operation, from->last_id);
            *good &= fits('i', *to++ = from->last_id);
            break;
        case 's':
            to = unpack_shape(from, to, good);
            break;
        case 'P':
            for (uint32_t part = 0; part < 3; part++) {
                uint32_t v = foretold(row, part) + get_bits(from, IN_X + part, 32);
                remember(row, part, v, operation);
                *to++ = as_int32(v);
            }
            break;
        case 'y': {
            uint32_t yaw = (foretold(row, 3) + get_bits(from, IN_YAW, 16)) % FXS_TURN;
            remember(row, 3, yaw, operation);
            *to++ = yaw;
            break;
        }
        case 'O':
        case 'M':
            for (uint32_t part = 0; part < 3; part++) {
                *good &= fits(triple(*field), *to++ = get_signed(from, IN_STRUCTURE));
            }
            break;
        case 'b': {
            const uint8_t *flag = from->at[IN_STRUCTURE];
            *to = (int64_t)get(from, IN_STRUCTURE);
            if (!fits('b', *to)) {
                from->at[IN_STRUCTURE] = flag;
                *to = (int64_t)fail(from, IN_STRUCTURE, FXL_BAD_NUMBER);
            }
            to++;
            break;
        }
        default:
            *good &= fits(*field, *to++ = get_count(from, IN_STRUCTURE));
        }
    }
    return to;
}

static int64_t *unpack_input(fxl_columns *from, int64_t *to, int *good) {
    (void)good;
    int64_t count = get_count(from, IN_STRUCTURE) - 1;
    *to++ = count;
    for (int64_t i = count < 0 ? -1 : 0; i < (count < 0 ? 0 : count) && !from->fault; i++) {
        *to++ = get_signed(from, IN_STRUCTURE);
    }
    return to;
}

static int64_t *unpack_answer(fxl_columns *from, int64_t *to, int *good) {
    int64_t count = get_count(from, IN_FOUND), last = -1;
    *to++ = count;
    for (; count && !from->fault; count--) {
        uint64_t head = get(from, IN_FOUND);
        *to++ = (int64_t)(head & 1);
        *good &= fits('i', *to = led_on(last + 1, unzigzag(head >> 1)));
        last = *to++;
        if (head & 1) {
            *good &= fits('f', *to++ = get_count(from, IN_FOUND));
            for (uint32_t i = 0; i < 3; i++) {
                *good &= fits('c', *to++ = get_signed(from, IN_FOUND));
            }
        }
    }
    return to;
}

static int64_t *unpack_event(fxl_columns *from, int64_t *to, int64_t last, int *good) {
    to[0] = led_on(last, get_signed(from, IN_FOUND));
    to[1] = led_on(to[0], get_signed(from, IN_FOUND));
    int64_t what = get_count(from, IN_FOUND);
    to[2] = what / 4;
    to[3] = what % 4;
    for (uint32_t i = 0; i < 4; i++) {
        *good &= fits(event_fields[i], to[i]);
    }
    return to + 4;
}

int32_t fxl_unpack(fxl_columns *from, int64_t *tape, uint64_t *words) {
    int good = 1;
    if (from->fault) {
        return FXL_DAMAGED;
    }
    const uint8_t *before = from->at[IN_STRUCTURE];
    uint64_t flags = get(from, IN_STRUCTURE);
    if (flags > 7) {
        from->at[IN_STRUCTURE] = before;
        flags = fail(from, IN_STRUCTURE, FXL_BAD_OPERATION);
    }
    tape[0] = (int64_t)(from->kind | flags << 1);
    int64_t *to = tape + 1, count = get_count(from, IN_STRUCTURE);
    *to++ = count;
    for (; count && !from->fault; count--) {
        to = from->kind == FXL_SIM ? unpack_input(from, to, &good) : unpack_command(from, to, &good);
    }
    if (tape[0] & FXL_HAS_QUERIES && !from->fault) {
        *to++ = count = get_count(from, IN_FOUND);
        for (; count && !from->fault; count--) {
            to = unpack_answer(from, to, &good);
        }
    }
    if (tape[0] & FXL_HAS_EVENTS && !from->fault) {
        int64_t last = 0;
        *to++ = count = get_count(from, IN_FOUND);
        for (; count && !from->fault; count--) {
            to = unpack_event(from, to, last, &good);
            last = to[-4];
        }
    }
    if (tape[0] & FXL_HAS_HASH && !from->fault) {
        uint64_t hash = 0;
        if (from->end[IN_HASHES] - from->at[IN_HASHES] < 8) {
            fail(from, IN_HASHES, FXL_TOO_SHORT);
        } else {
            for (uint32_t i = 0; i < 8; i++) {
                hash |= (uint64_t)*from->at[IN_HASHES]++ << 8 * i;
            }
        }
        memcpy(to++, &hash, sizeof hash);
    }
    if (from->fault) {
        return FXL_DAMAGED;
    }
    if (--from->frames == 0) {
        for (uint32_t column = 0; column < FXL_COLUMNS; column++) {
            if (from->at[column] != from->end[column]) {
                fail(from, column, FXL_TOO_LONG);
                return FXL_DAMAGED;
            }
        }
    }
    *words = (uint64_t)(to - tape);
    return good ? FXL_END : FXL_STOPPED;
}

int32_t fxl_unpack_text(fxl_columns *from, uint64_t *frame, int64_t *tape, uint8_t *text, uint64_t room, uint64_t *size) {
    *size = 0;
    if (from->fault) {
        return FXL_DAMAGED;
    }
    while (from->waiting || from->frames) {
        if (!from->waiting && fxl_unpack(from, tape, &from->waiting) == FXL_DAMAGED) {
            from->waiting = 0;
            return FXL_DAMAGED;
        }
        if (room - *size < FXL_TEXT_ROOM(from->waiting)) {
            return FXL_ROOM;
        }
        *size += fxl_print(tape, (*frame)++, text + *size);
        from->waiting = 0;
    }
    return FXL_END;
}

/* ---- playing ---- */

static fxs_shape shape_of(const int64_t *v) {
    fxs_shape s = {(uint32_t)v[0], 0, {(int32_t)v[1], (int32_t)v[2], (int32_t)v[3]}};
    if (v[0] == FXS_SECTOR) {
        /* The log says radius, half_angle, half_height. */
        s.half_angle = (uint32_t)v[2];
        s.size[1] = (int32_t)v[3];
        s.size[2] = 0;
    }
    return s;
}

static fxs_pose pose_of(const int64_t *v) {
    fxs_pose pose = {(int32_t)v[0], (int32_t)v[1], (int32_t)v[2], (uint32_t)v[3]};
    return pose;
}

/* Fields: id, shape (4), position (3), yaw, layer, owner, offset (3), active. */
static int32_t add(fxs_world *world, const int64_t *v) {
    fxs_shape s = shape_of(v + 1);
    fxs_collider c = {0};
    c.id = (uint32_t)v[0];
    c.kind = (uint8_t)s.kind;
    c.half_angle = (uint16_t)s.half_angle;
    memcpy(c.size, s.size, sizeof c.size);
    c.x = (int32_t)v[5];
    c.y = (int32_t)v[6];
    c.z = (int32_t)v[7];
    c.yaw = (uint16_t)v[8];
    c.layer = (uint8_t)v[9];
    c.owner = (uint32_t)v[10];
    c.ox = (int32_t)v[11];
    c.oy = (int32_t)v[12];
    c.oz = (int32_t)v[13];
    c.active = (uint8_t)v[14];
    return fxs_world_add(world, &c);
}

/* How many words a command's fields take. */
static const uint8_t lengths[OPERATIONS] = {4, 5, 2, 15, 1, 5, 4, 2, 2, 2, 9, 15};

static int32_t change(fxs_world *world, int64_t operation, const int64_t *v) {
    uint32_t id = (uint32_t)v[0];
    switch (operation) {
    case MOVE: return fxs_world_move(world, id, (int32_t)v[1], (int32_t)v[2], (int32_t)v[3]);
    case POSE: {
        fxs_pose pose = pose_of(v + 1);
        return fxs_world_set_pose(world, id, &pose);
    }
    case TURN: return fxs_world_turn(world, id, (uint32_t)v[1]);
    case ADD: return add(world, v);
    case REMOVE: return fxs_world_remove(world, id);
    case SHAPE: {
        fxs_shape shape = shape_of(v + 1);
        return fxs_world_set_shape(world, id, &shape);
    }
    case OFFSET: return fxs_world_set_offset(world, id, (int32_t)v[1], (int32_t)v[2], (int32_t)v[3]);
    case OWNER: return fxs_world_set_owner(world, id, (uint32_t)v[1]);
    case LAYER: return fxs_world_set_layer(world, id, (uint32_t)v[1]);
    case ACTIVE: return fxs_world_set_active(world, id, (uint32_t)v[1]);
    default: return FXS_OK; /* questions come after the step */
    }
}

static int32_t want(fxl_player *player, uint32_t what, uint64_t needed) {
    player->wants = what;
    player->needed = needed;
    return FXL_ROOM;
}

/* Asks a question and compares what is found with the answer at `said`, if that is not null; gives where the next answer is in `*next`.
 * Fields of a query: shape (4), position (3), yaw, mask; of a cast: the same with the motion (3) before the mask, then exclude_owner,
 * limit, hit_when. */
static int32_t ask(fxl_player *player, int64_t operation, const int64_t *v, const int64_t *said, const int64_t **next) {
    uint64_t count = 0;
    int32_t status;
    if (operation == QUERY) {
        fxs_query query = {shape_of(v), pose_of(v + 4), (uint32_t)v[8], 0};
        status = fxs_world_query(player->world, &query, player->ids, player->id_room, &count);
    } else {
        fxs_cast cast = {shape_of(v), pose_of(v + 4), {(int32_t)v[8], (int32_t)v[9], (int32_t)v[10]}, (uint32_t)v[11],
                         (uint32_t)v[12], (uint32_t)v[13], (uint32_t)v[14]};
        status = fxs_world_cast(player->world, &cast, player->cast_hits, player->cast_room, &count);
    }
    if (status != FXS_OK) {
        return status == FXS_E_ROOM ? want(player, operation == QUERY ? 2 : 3, count) : FXL_STOPPED;
    }
    if (!said) {
        return FXL_END;
    }
    if ((uint64_t)*said++ != count) {
        return FXL_STOPPED;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (*said++ != (operation == CAST)) {
            return FXL_STOPPED;
        }
        if (operation == QUERY) {
            if (*said++ != player->ids[i]) {
                return FXL_STOPPED;
            }
        } else {
            const fxs_cast_hit *hit = player->cast_hits + i;
            if (said[0] != hit->id || said[1] != hit->fraction || said[2] != hit->normal[0] || said[3] != hit->normal[1] ||
                said[4] != hit->normal[2]) {
                return FXL_STOPPED;
            }
            said += 5;
        }
    }
    *next = said;
    return FXL_END;
}

/* Plays what is left of the frame on the tape. */
static int32_t play(fxl_player *player) {
    const int64_t *tape = player->tape, *commands_at = tape + 2, *from = commands_at;
    uint64_t count = (uint64_t)tape[1], questions = 0, compared = 0;
    for (uint64_t i = 0; i < count; i++) {
        int64_t operation = *from++;
        questions += operation >= QUERY;
        if (player->stage != FXL_STEPPED && i >= player->command && change(player->world, operation, from) != FXS_OK) {
            player->stage = FXL_COMMANDS;
            player->command = i;
            return FXL_STOPPED;
        }
        from += lengths[operation];
    }
    if (player->stage != FXL_STEPPED) {
        player->stage = FXL_COMMANDS;
        player->command = count;
        int32_t status = fxs_world_step(player->world, player->events, player->event_room, player->counts);
        if (status != FXS_OK) {
            return status == FXS_E_ROOM ? want(player, 1, player->counts->events) : FXL_STOPPED;
        }
        player->stage = FXL_STEPPED;
    }
    const int64_t *said = 0;
    if (tape[0] & FXL_HAS_QUERIES) {
        if ((uint64_t)*from++ != questions) {
            return FXL_STOPPED;
        }
        said = from;
    }
    for (const int64_t *at = commands_at; compared < questions; at += 1 + lengths[*at]) {
        if (*at >= QUERY) {
            int32_t outcome = ask(player, *at, at + 1, said, &said);
            if (outcome != FXL_END) {
                return outcome;
            }
            compared++;
        }
    }
    from = said ? said : from;
    uint64_t events = player->counts->events;
    if (tape[0] & FXL_HAS_EVENTS) {
        if ((uint64_t)*from++ != events) {
            return FXL_STOPPED;
        }
        for (uint64_t i = 0; i < events; i++, from += 4) {
            const fxs_event *e = player->events + i;
            if (from[0] != e->a || from[1] != e->b || from[2] != e->kind || from[3] != e->contact) {
                return FXL_STOPPED;
            }
        }
    }
    if (tape[0] & FXL_HAS_HASH) {
        uint64_t hash = fxs_world_hash(player->world);
        if (memcmp(&hash, from, sizeof hash) != 0) {
            return FXL_STOPPED;
        }
    }
    player->frames++;
    player->hits += player->counts->hits;
    player->told_events += (tape[0] & FXL_HAS_EVENTS) != 0;
    player->told_answers += tape[0] & FXL_HAS_QUERIES ? questions : 0;
    player->told_hashes += (tape[0] & FXL_HAS_HASH) != 0;
    player->stage = FXL_NOT_BEGUN;
    player->command = 0;
    return FXL_END;
}

int32_t fxl_play_text(fxl_player *player, const uint8_t *text, uint64_t size, uint64_t frame, uint64_t *done) {
    *done = 0;
    while (*done < size) {
        const uint8_t *line = text + *done, *end = memchr(line, '\n', (size_t)(size - *done));
        if (!end) {
            return FXL_STOPPED;
        }
        uint64_t words = (uint64_t)(end - line) + FXL_TAPE_SPARE;
        if (player->tape_room < words) {
            return want(player, 0, words);
        }
        if (player->stage == FXL_NOT_BEGUN && fxl_scan(line, end, FXL_TRACE, frame, player->tape, &words) != FXL_END) {
            return FXL_STOPPED;
        }
        int32_t outcome = play(player);
        if (outcome != FXL_END) {
            return outcome;
        }
        frame++;
        *done += (uint64_t)(end - line) + 1;
    }
    return FXL_END;
}

int32_t fxl_play_columns(fxl_player *player, fxl_columns *from) {
    while (from->waiting || from->frames) {
        if (!from->waiting) {
            int32_t outcome = fxl_unpack(from, player->tape, &from->waiting);
            if (outcome != FXL_END) {
                from->waiting = outcome == FXL_DAMAGED ? 0 : from->waiting;
                return outcome;
            }
        }
        int32_t outcome = play(player);
        if (outcome != FXL_END) {
            return outcome;
        }
        from->waiting = 0;
    }
    return FXL_END;
}

/* ---- blocks ---- */

static uint32_t crc32_of(const uint8_t *p, uint64_t size) {
    static const uint32_t of_four_bits[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                              0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                              0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = UINT32_MAX;
    for (uint64_t i = 0; i < size; i++) {
        crc ^= p[i];
        crc = of_four_bits[crc & 15] ^ crc >> 4;
        crc = of_four_bits[crc & 15] ^ crc >> 4;
    }
    return ~crc;
}

static uint32_t uint32_at(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24; }

/* Whether a block of `size` bytes of content holds frames from `frame` on; then `to` is set to read them. */
static int open_block(const uint8_t *block, uint64_t size, uint64_t frame, fxl_columns *to) {
    fxl_columns head = {0};
    head.at[0] = block + 5;
    head.end[0] = block + 5 + size;
    if (crc32_of(block, size + 5) != uint32_at(head.end[0])) {
        return 0;
    }
    uint64_t first = get(&head, 0), frames = get(&head, 0), sizes[FXL_COLUMNS];
    for (uint32_t i = 0; i < FXL_COLUMNS; i++) {
        sizes[i] = get(&head, 0);
    }
    const uint8_t *at = head.at[0], *starts[FXL_COLUMNS];
    for (uint32_t i = 0; i < FXL_COLUMNS; i++) {
        if (sizes[i] > (uint64_t)(head.end[0] - at)) {
            return 0;
        }
        starts[i] = at;
        at += sizes[i];
    }
    if (head.fault || first != frame || frames == 0 || frames > INT64_MAX || at != head.end[0]) {
        return 0;
    }
    for (uint32_t i = 0; i < FXL_COLUMNS; i++) {
        to->at[i] = starts[i];
        to->end[i] = starts[i] + sizes[i];
    }
    to->frames = frames;
    return 1;
}

int32_t fxl_play_blocks(fxl_player *player, fxl_columns *from, const uint8_t *data, uint64_t size, uint64_t frame, uint64_t *done) {
    *done = 0;
    while (size - *done >= FXL_BLOCK_FRAME && data[*done] == 'F') {
        const uint8_t *block = data + *done;
        uint64_t content = uint32_at(block + 1);
        if (content > size - *done - FXL_BLOCK_FRAME) {
            return FXL_END;
        }
        if (!from->waiting && !from->frames) {
            uint64_t words = 2 * content + FXL_TAPE_SPARE;
            if (player->tape_room < words) {
                return want(player, 0, words);
            }
            if (!open_block(block, content, frame, from)) {
                return FXL_END;
            }
        }
        uint64_t before = player->frames;
        int32_t outcome = fxl_play_columns(player, from);
        frame += player->frames - before;
        if (outcome == FXL_ROOM) {
            return outcome;
        }
        *done += content + FXL_BLOCK_FRAME;
        if (outcome != FXL_END) {
            return outcome;
        }
    }
    return FXL_END;
}
