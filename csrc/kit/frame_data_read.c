/* Frame data of a JSON file becomes a table (docs/frames.md). The text is first copied in canonical
 * form and read whole, so that everything behind that walks through JSON which is known to be good.
 */
#include "frame_data.h"
#include "json.h"
#include "pen.h"

enum { PATH_MAX = 8, MESSAGE_MAX = FXS_FRAME_DATA_MESSAGE_MAX, EXCERPT_MAX = 40 };

/* A step from a value to one in it: a member's key, as text or as JSON, or with NULL an index. */
typedef struct step {
    const char *key;
    uint64_t index;
} step;

typedef struct frames_reader {
    const char *end; /* of the canonical text */
    const char *parts, *attacks;
    uint8_t *table;
    uint64_t size; /* of the table so far */
    step path[PATH_MAX];
    uint32_t depth;
    pen message;
    uint64_t path_size; /* bytes of the path, which the message begins with */
} reader;

/* ---- the canonical form ---- */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Whether a character stands for itself between values, so that blanks beside it mean nothing. */
static int is_mark(char c) {
    for (const char *mark = "{}[],:\""; *mark; mark++) {
        if (*mark == c) {
            return 1;
        }
    }
    return 0;
}

/* The value of four hexadecimal digits, or -1. */
static int64_t hexadecimal_at(const char *from, const char *end) {
    int64_t v = 0;
    for (int i = 0; i < 4; i++, from++) {
        const char c = from < end ? *from : 0;
        const char lower = (char)(c | 0x20);
        if (c >= '0' && c <= '9') {
            v = 16 * v + (c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            v = 16 * v + (lower - 'a' + 10);
        } else {
            return -1;
        }
    }
    return v;
}

/* A character behind an escape: itself, but for those which JSON has escaped. */
static void put_character(pen *p, uint32_t c) {
    static const char LETTERS[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (const char *pair = LETTERS; *pair; pair += 2) {
        if (c == (uint8_t)pair[0]) {
            fxs_put_char(p, '\\');
            fxs_put_char(p, pair[1]);
            return;
        }
    }
    if (c < 0x20) {
        fxs_put_text(p, "\\u");
        fxs_put_hexadecimal(p, c, 4);
    } else if (c < 0x80) {
        fxs_put_char(p, (char)c);
    } else {
        const uint32_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; /* bytes behind the first */
        fxs_put_char(p, (char)(0xff << (7 - more) | c >> 6 * more));
        for (uint32_t i = more; i > 0; i--) {
            fxs_put_char(p, (char)(0x80 | (c >> (6 * i - 6) & 63)));
        }
    }
}

/* The code that an escape \\uXXXX at `at` has, or -1. */
static int64_t code_at(const char *at, const char *end) {
    return end - at >= 2 && at[0] == '\\' && at[1] == 'u' ? hexadecimal_at(at + 2, end) : -1;
}

/* Copies an escape that begins at `at`. Returns where it ends. One that means no character is
 * copied so that the reader of the canonical form refuses it. */
static const char *copy_escape(pen *p, const char *at, const char *end) {
    int64_t c = code_at(at, end);
    if (c < 0) {
        const uint64_t n = end - at >= 2 ? 2 : 1;
        const uint64_t is_slash = n == 2 && at[1] == '/';
        fxs_put_bytes(p, at + is_slash, n - is_slash);
        return at + n;
    }
    at += 6;
    if (c >= 0xd800 && c < 0xdc00) {
        const int64_t low = code_at(at, end);
        const int is_pair = low >= 0xdc00 && low < 0xe000;
        c = is_pair ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : c;
        at += is_pair ? 6 : 0;
    }
    put_character(p, (uint32_t)c); /* a surrogate alone becomes bytes that are refused */
    return at;
}

/* Copies a text without blanks and with the shortest form of each character, which is never longer.
 * Stops before `size_max` bytes are exceeded. Returns where it stopped in the text. */
static const char *canonical(pen *p, const char *at, const char *end, uint64_t size_max) {
    int is_string = 0;
    char last = ',';
    while (at < end && p->next < size_max) {
        if (is_string && *at == '\\') {
            at = copy_escape(p, at, end);
            continue;
        }
        const char *from = at;
        while (!is_string && at < end && is_blank(*at)) {
            at++;
        }
        if (at == end) {
            break;
        }
        if (at != from && !is_mark(last) && !is_mark(*at)) {
            fxs_put_char(p, ' '); /* 1 2 is not 12 */
        }
        last = *at;
        is_string ^= last == '"';
        fxs_put_char(p, last);
        at++;
    }
    return at;
}

/* ---- messages ---- */

/* Writes the characters of a text, or of a string of JSON without its quotes. */
static void put_key(pen *p, const char *key) {
    const int is_json = *key == '"';
    for (key += is_json; *key != 0 && !(is_json && *key == '"'); key++) {
        if (*key == '\\') {
            fxs_put_char(p, *key++);
        }
        fxs_put_char(p, *key);
    }
}

static void put_path(reader *r) {
    pen *p = &r->message;
    for (uint32_t i = 0; i < r->depth; i++) {
        if (r->path[i].key == NULL) {
            fxs_put_char(p, '[');
            fxs_put_number(p, r->path[i].index);
            fxs_put_char(p, ']');
        } else {
            fxs_put_text(p, i ? "." : "");
            put_key(p, r->path[i].key);
        }
    }
    r->path_size = p->next;
    fxs_put_text(p, r->depth ? "" : "frame data");
}

/* The first characters of a text; `?` for a byte that is none. */
static void put_excerpt(pen *p, const char *from, const char *end) {
    json j = {from, end};
    while (j.at < end && j.at - from < EXCERPT_MAX) {
        const char *at = j.at;
        const int is_good = (uint8_t)*at < 0x80 ? *j.at++ >= 0x20 : fxs_json_read_wide(&j);
        if (is_good) {
            fxs_put_bytes(p, at, (uint64_t)(j.at - at));
        } else {
            fxs_put_char(p, '?');
            j.at = at + 1;
        }
    }
    fxs_put_text(p, j.at < end ? "..." : "");
}

/* Where a value ends, or a key. */
static const char *end_of(const reader *r, const char *value) {
    json j = {value, r->end};
    if (!fxs_json_read_string(&j)) {
        fxs_json_skip(&j);
    }
    return j.at;
}

static void put_not(reader *r, const char *value) {
    fxs_put_text(&r->message, ", not ");
    put_excerpt(&r->message, value, end_of(r, value));
}

/* Those that refuse write the message and return 0. */
static int refuse(reader *r, const char *allowed, const char *value) {
    put_path(r);
    fxs_put_text(&r->message, " must be ");
    fxs_put_text(&r->message, allowed);
    put_not(r, value);
    return 0;
}

static int refuse_range(reader *r, int64_t least, int64_t most, const char *value) {
    put_path(r);
    fxs_put_text(&r->message, " must be ");
    fxs_put_signed(&r->message, least);
    fxs_put_text(&r->message, "..");
    fxs_put_signed(&r->message, most);
    put_not(r, value);
    return 0;
}

/* ---- walking ---- */

static void enter(reader *r, const char *key) {
    const step next = {key, 0};
    r->path[r->depth++] = next;
}

static void enter_item(reader *r, uint64_t index) {
    const step next = {NULL, index};
    r->path[r->depth++] = next;
}

static int leave(reader *r, int ok) {
    r->depth -= ok ? 1 : 0;
    return ok;
}

/* The first item of a list, or the first key of an object; NULL: none. */
static const char *first_in(const char *value) {
    return value[1] == ']' || value[1] == '}' ? NULL : value + 1;
}

/* What follows a value in its list or object; NULL: nothing. */
static const char *next_of(const reader *r, const char *value) {
    const char *end = end_of(r, value);
    return *end == ',' ? end + 1 : NULL;
}

static const char *value_of(const reader *r, const char *key) {
    json j = {key, r->end};
    fxs_json_read_string(&j);
    return j.at + 1; /* the colon */
}

/* Whether a key is a word without escapes. */
static int is_word(const char *key, const char *word) {
    for (key++; *word && *key == *word; key++, word++) {
    }
    return *word == 0 && *key == '"';
}

/* How many members an object has. */
static uint32_t member_count(const reader *r, const char *object) {
    uint32_t n = 0;
    for (const char *key = first_in(object); key; key = next_of(r, value_of(r, key))) {
        n++;
    }
    return n;
}

/* The place of a key among those of an object, or -1. */
static int64_t member_index(const reader *r, const char *object, const char *string) {
    const char *end = end_of(r, string);
    int64_t index = 0;
    for (const char *key = first_in(object); key; key = next_of(r, value_of(r, key))) {
        uint64_t i = 0;
        while (string + i < end && key[i] == string[i]) {
            i++;
        }
        if (string + i == end) {
            return index;
        }
        index++;
    }
    return -1;
}

static int64_t known_index(reader *r, const char *object, const char *string) {
    if (*string != '"') {
        return refuse(r, "a name", string) - 1;
    }
    const int64_t index = member_index(r, object, string);
    if (index < 0) {
        put_path(r);
        fxs_put_text(&r->message, ": must be one of ");
        uint32_t i = 0;
        for (const char *key = first_in(object); key; key = next_of(r, value_of(r, key))) {
            fxs_put_text(&r->message, i++ ? ", " : "");
            put_key(&r->message, key);
        }
        put_not(r, string);
    }
    return index;
}

/* Finds the values of an object that may have these keys alone; NULL for one that it has not. */
static int read_members(reader *r, const char *object, const char *const *words,
                        const char **values, uint32_t n) {
    if (*object != '{') {
        return refuse(r, "an object", object);
    }
    for (uint32_t i = 0; i < n; i++) {
        values[i] = NULL;
    }
    for (const char *key = first_in(object); key; key = next_of(r, values[n])) {
        uint32_t i = 0;
        while (i < n && !is_word(key, words[i])) {
            i++;
        }
        if (i == n) {
            put_path(r);
            fxs_put_text(&r->message, " has ");
            for (i = 0; i < n; i++) {
                fxs_put_text(&r->message, i ? ", " : "");
                fxs_put_text(&r->message, words[i]);
            }
            put_not(r, key);
            return 0;
        }
        values[i] = values[n] = value_of(r, key); /* values has room for one more */
    }
    return 1;
}

static int refuse_missing(reader *r, const char *word) {
    enter(r, word);
    put_path(r);
    fxs_put_text(&r->message, " is missing");
    return 0;
}

/* ---- values ---- */

static int read_integer(reader *r, const char *at, int64_t least, int64_t most, int64_t *out) {
    const int negative = *at == '-';
    json j = {at + negative, r->end};
    uint64_t v;
    /* The magnitudes of least and most are below 2^32. */
    if (!fxs_json_read_number(&j, 0, UINT32_MAX, &v)) {
        return refuse_range(r, least, most, at);
    }
    *out = negative ? -(int64_t)v : (int64_t)v;
    return *out < least || *out > most ? refuse_range(r, least, most, at) : 1;
}

/* Whether a string is an integer or a decimal with digits on both sides of its point. */
static int is_decimal(const char *text, uint64_t size) {
    uint64_t digits = 0;
    int has_point = 0;
    for (uint64_t i = size > 0 && text[0] == '-'; i < size; i++) {
        if (text[i] == '.' && digits > 0 && !has_point) {
            has_point = 1;
            digits = 0;
        } else if (text[i] < '0' || text[i] > '9') {
            return 0;
        } else {
            digits++;
        }
    }
    return digits > 0;
}

/* The yaw nearest to a decimal of degrees, of two equally near ones the even one. A yaw and a half
 * are a multiple of 45 / 2^14 degrees, so 14 digits behind the point and whether there are more
 * decide. */
static uint32_t yaw_of_degrees(const char *text, uint64_t size) {
    uint64_t v = 0; /* in units of 10^-14, below 360 * 10^14 < 2^55 */
    uint64_t i = text[0] == '-';
    for (; i < size && text[i] != '.'; i++) {
        v = (10 * v + (uint64_t)(text[i] - '0')) % 360;
    }
    i++;
    for (uint32_t digit = 0; digit < 14; digit++, i++) {
        v = 10 * v + (i < size ? (uint64_t)(text[i] - '0') : 0);
    }
    int has_rest = 0;
    for (; i < size; i++) {
        has_rest |= text[i] != '0';
    }
    const uint64_t half = (uint64_t)274658203125; /* 45 * 5^14 */
    uint64_t yaw = v / (2 * half);                /* v * 2^16 / (360 * 10^14) */
    const uint64_t rest = v % (2 * half);
    yaw += rest > half || (rest == half && (has_rest || yaw % 2 != 0));
    return (uint32_t)(text[0] == '-' ? FXS_TURN - yaw : yaw) & (FXS_TURN - 1);
}

/* The multiple of 1/65536 nearest to a decimal may be any int32, or beyond. */
static int refuse_inexact(reader *r, const char *at, const char *text, uint64_t size) {
    int32_t nearest;
    char decimal[24];
    if (fxs_parse_q(text, size, 1, &nearest) != FXS_OK) {
        return refuse_range(r, INT32_MIN, INT32_MAX, at);
    }
    fxs_format_q(nearest, decimal);
    put_path(r);
    fxs_put_text(&r->message, " must be a multiple of 1/65536, such as \"");
    fxs_put_text(&r->message, decimal);
    fxs_put_text(&r->message, "\" (raw ");
    fxs_put_signed(&r->message, nearest);
    fxs_put_char(&r->message, ')');
    put_not(r, at);
    return 0;
}

/* A number, raw or as a decimal of units or degrees. */
static int read_number(reader *r, const char *at, int is_angle, int64_t least, int64_t most,
                       int64_t *out) {
    if (*at != '"') {
        return read_integer(r, at, least, most, out);
    }
    const char *text = at + 1;
    const uint64_t size = (uint64_t)(end_of(r, at) - text - 1);
    if (!is_decimal(text, size)) {
        return refuse(r, "an integer or a decimal like \"1.5\"", at);
    }
    int32_t length = 0;
    int32_t status = FXS_OK;
    if (is_angle) {
        *out = (int64_t)yaw_of_degrees(text, size);
    } else {
        status = fxs_parse_q(text, size, 0, &length);
        *out = length;
    }
    if (status == FXS_E_INEXACT) {
        return refuse_inexact(r, at, text, size);
    }
    return status != FXS_OK || *out < least || *out > most ? refuse_range(r, least, most, at) : 1;
}

static int read_flag(reader *r, const char *at, uint8_t *out) {
    if (*at != 't' && *at != 'f') {
        return refuse(r, "true or false", at);
    }
    *out = *at == 't';
    return 1;
}

static int is_good_meta(reader *r, const char *meta) {
    enter(r, "meta");
    return leave(r, meta == NULL || *meta == '{' || refuse(r, "an object", meta));
}

/* [first, last]; *end is the one after the last. */
static int read_span(reader *r, const char *at, uint32_t frames, uint32_t *first, uint32_t *end) {
    const char *item = *at == '[' ? first_in(at) : NULL;
    const char *last_item = item ? next_of(r, item) : NULL;
    if (last_item == NULL || next_of(r, last_item) != NULL) {
        return refuse(r, "[first frame, last frame]", at);
    }
    int64_t low;
    int64_t high;
    enter_item(r, 0);
    if (!leave(r, read_integer(r, item, 0, (int64_t)frames - 1, &low))) {
        return 0;
    }
    enter_item(r, 1);
    if (!leave(r, read_integer(r, last_item, low, (int64_t)frames - 1, &high))) {
        return 0;
    }
    *first = (uint32_t)low;
    *end = (uint32_t)high + 1;
    return 1;
}

/* ---- parts and keys ---- */

static void write16(uint8_t *to, uint32_t v) {
    to[0] = (uint8_t)v;
    to[1] = (uint8_t)(v >> 8);
}

static int read_kind(reader *r, const char *at, uint8_t *out) {
    for (uint8_t code = 0; code < KIND_COUNT; code++) {
        if (*at == '"' && is_word(at, fxs_kinds[code].name)) {
            *out = code;
            return 1;
        }
    }
    put_path(r);
    fxs_put_text(&r->message, " must be one of ");
    for (uint8_t code = 0; code < KIND_COUNT; code++) {
        fxs_put_text(&r->message, code ? ", " : "");
        fxs_put_text(&r->message, fxs_kinds[code].name);
    }
    put_not(r, at);
    return 0;
}

/* The words of a range in a kind's row: of size[0] and size[1] side by side, and so on. */
static int64_t word_of(uint64_t two, uint32_t index) {
    return (int64_t)(two >> 32 * index & UINT32_MAX);
}

static uint32_t item_count(const reader *r, const char *item) {
    uint32_t n = 0;
    for (; item; item = next_of(r, item)) {
        n++;
    }
    return n;
}

static int refuse_count(reader *r, const struct kind *k, uint32_t least, const char *list) {
    put_path(r);
    fxs_put_text(&r->message, ": a ");
    fxs_put_text(&r->message, k->name);
    fxs_put_text(&r->message, " has ");
    fxs_put_number(&r->message, least);
    fxs_put_text(&r->message, k->has_hole ? " or one more" : "");
    fxs_put_text(&r->message, least == 1 && !k->has_hole ? " number" : " numbers");
    put_not(r, list);
    return 0;
}

/* The sizes of a shape: size[0], the half angle where there is one, the other sizes, a hole. */
static int read_sizes(reader *r, const char *list, uint8_t *row) {
    const struct kind *k = fxs_kinds + row[0];
    const uint32_t has_angle = k->rest_most >> 32 != 0;
    const uint32_t least = k->size_count + has_angle;
    const char *item = next_of(r, first_in(list));
    const uint32_t count = item_count(r, item);
    if (count < least || count > least + k->has_hole) {
        return refuse_count(r, k, least, list);
    }
    const int64_t lows[4] = {word_of(k->least[OF_SIZES], 0), word_of(k->least[OF_SIZES], 1),
                             word_of(k->rest_least, 0), word_of(k->rest_least, 1)};
    const int64_t highs[4] = {word_of(k->most[OF_SIZES], 0), word_of(k->most[OF_SIZES], 1),
                              word_of(k->rest_most, 0), word_of(k->rest_most, 1)};
    memset(row + 20, 0, 12);
    write16(row + 6, 0);
    for (uint32_t i = 0; i < count; i++, item = next_of(r, item)) {
        const int is_angle = has_angle && i == 1;
        const uint32_t size = i - (has_angle && i > 1);
        const uint32_t range = is_angle ? 3 : size;
        const int64_t most = i == least ? (int64_t)read_signed(row + 20) - 1 : highs[range];
        int64_t v;
        enter_item(r, i + 1);
        if (!leave(r, read_number(r, item, is_angle, lows[range], most, &v))) {
            return 0;
        }
        if (is_angle) {
            write16(row + 6, (uint32_t)v);
        } else {
            write32(row + 20 + 4 * (uint64_t)size, (uint32_t)v);
        }
    }
    return 1;
}

static int read_shape(reader *r, const char *at, uint8_t *row) {
    if (*at != '[' || first_in(at) == NULL) {
        return refuse(r, "a list: a kind, then its sizes", at);
    }
    enter_item(r, 0);
    return leave(r, read_kind(r, first_in(at), row)) && read_sizes(r, at, row);
}

static int read_offset(reader *r, const char *at, uint8_t *row) {
    const char *item = *at == '[' ? first_in(at) : NULL;
    if (item_count(r, item) != 3) {
        return refuse(r, "[x, y, z]", at);
    }
    for (uint32_t i = 0; i < 3; i++, item = next_of(r, item)) {
        int64_t v;
        enter_item(r, i);
        if (!leave(r, read_number(r, item, 0, INT32_MIN, INT32_MAX, &v))) {
            return 0;
        }
        write32(row + 8 + 4 * (uint64_t)i, (uint32_t)v);
    }
    return 1;
}

enum { SHAPE, OFFSET, YAW, TURNS, META, PLACE_COUNT };

/* Puts what a part or a key says of its place into a row that has the rest. */
static int read_place(reader *r, const char *const *found, uint8_t *row) {
    int64_t yaw;
    if (found[SHAPE]) {
        enter(r, "shape");
        if (!leave(r, read_shape(r, found[SHAPE], row))) {
            return 0;
        }
    }
    if (found[OFFSET]) {
        enter(r, "offset");
        if (!leave(r, read_offset(r, found[OFFSET], row))) {
            return 0;
        }
    }
    if (found[YAW]) {
        enter(r, "yaw");
        if (!leave(r, read_number(r, found[YAW], 1, 0, FXS_TURN - 1, &yaw))) {
            return 0;
        }
        write16(row + 4, (uint32_t)yaw);
    }
    if (found[TURNS]) {
        enter(r, "turns");
        if (!leave(r, read_flag(r, found[TURNS], row + 3))) {
            return 0;
        }
    }
    if (!is_good_meta(r, found[META])) {
        return 0;
    }
    const int fault = fxs_part_fault(row);
    if (fault < 0) {
        return 1;
    }
    enter(r, fault == 4 ? "yaw" : "offset");
    put_path(r);
    fxs_put_text(&r->message,
                 fault == 4
                     ? " must be 0, 16384, 32768 or 49152 off the centre, or have turns, not "
                     : " must not have -2147483648 here");
    if (fault == 4) {
        fxs_put_number(&r->message, read32(row + 4) & (FXS_TURN - 1));
    }
    return 0;
}

static int read_part(reader *r, const char *at, uint8_t *row) {
    enum { LAYER = PLACE_COUNT, ACTIVE, COUNT };
    static const char *const WORDS[COUNT] = {"shape", "offset", "yaw",   "turns",
                                             "meta",  "layer",  "active"};
    const char *found[COUNT + 1];
    int64_t layer = 0;
    if (!read_members(r, at, WORDS, found, COUNT)) {
        return 0;
    }
    if (found[SHAPE] == NULL) {
        return refuse_missing(r, WORDS[SHAPE]);
    }
    memset(row, 0, PART_ROW);
    row[2] = 1;
    if (found[LAYER]) {
        enter(r, WORDS[LAYER]);
        if (!leave(r, read_integer(r, found[LAYER], 0, FXS_LAYER_COUNT - 1, &layer))) {
            return 0;
        }
        row[1] = (uint8_t)layer;
    }
    if (found[ACTIVE]) {
        enter(r, WORDS[ACTIVE]);
        if (!leave(r, read_flag(r, found[ACTIVE], row + 2))) {
            return 0;
        }
    }
    return read_place(r, found, row);
}

/* ---- attacks ---- */

/* Makes room for a row at an offset of the table. */
static uint8_t *insert_row(reader *r, uint64_t at, uint32_t row_size) {
    memmove(r->table + at + row_size, r->table + at, (size_t)(r->size - at));
    r->size += row_size;
    return r->table + at;
}

/* Adds a part to the window of a span; windows ascend by first frame and end. */
static void add_window(reader *r, uint64_t begin, uint32_t first, uint32_t end, uint32_t bit) {
    uint64_t at = begin;
    uint8_t *row = r->table + at;
    while (at < r->size &&
           (read32(row) < first || (read32(row) == first && read32(row + 4) < end))) {
        at += WINDOW_ROW;
        row = r->table + at;
    }
    if (at == r->size || read32(row) != first || read32(row + 4) != end) {
        row = insert_row(r, at, WINDOW_ROW);
        write32(row, first);
        write32(row + 4, end);
        write32(row + 8, 0);
    }
    write32(row + 8, read32(row + 8) | bit);
}

/* The windows of `active` or `inactive`, and the set of its parts. */
static int read_windows(reader *r, const char *object, uint32_t frames, uint64_t begin,
                        uint32_t *set) {
    if (*object != '{') {
        return refuse(r, "an object", object);
    }
    const char *spans;
    for (const char *key = first_in(object); key; key = next_of(r, spans)) {
        spans = value_of(r, key);
        enter(r, key);
        const int64_t part = known_index(r, r->parts, key);
        if (part < 0) {
            return 0;
        }
        if (*spans != '[') {
            return refuse(r, "a list of [first frame, last frame]", spans);
        }
        *set |= 1u << part;
        uint64_t i = 0;
        for (const char *pair = first_in(spans); pair; pair = next_of(r, pair)) {
            uint32_t first;
            uint32_t end;
            enter_item(r, i++);
            if (!leave(r, read_span(r, pair, frames, &first, &end))) {
                return 0;
            }
            add_window(r, begin, first, end, 1u << part);
        }
        leave(r, 1);
    }
    return 1;
}

static int read_rehits(reader *r, const char *list, uint32_t frames) {
    if (*list != '[') {
        return refuse(r, "a list of frames", list);
    }
    int64_t last = 0;
    uint64_t i = 0;
    for (const char *item = first_in(list); item; item = next_of(r, item)) {
        enter_item(r, i++);
        if (!leave(r, read_integer(r, item, last + 1, (int64_t)frames - 1, &last))) {
            return 0;
        }
        write32(insert_row(r, r->size, REHIT_ROW), (uint32_t)last);
    }
    return 1;
}

static int read_cancel(reader *r, const char *at, uint32_t frames) {
    enum { INTO, FRAMES, ON_HIT, COUNT };
    static const char *const WORDS[COUNT] = {"into", "frames", "on_hit"};
    const char *found[COUNT + 1];
    if (!read_members(r, at, WORDS, found, COUNT)) {
        return 0;
    }
    for (uint32_t i = INTO; i <= FRAMES; i++) {
        if (found[i] == NULL) {
            return refuse_missing(r, WORDS[i]);
        }
    }
    enter(r, WORDS[INTO]);
    const int64_t into = known_index(r, r->attacks, found[INTO]);
    if (!leave(r, into >= 0)) {
        return 0;
    }
    uint32_t first;
    uint32_t end;
    enter(r, WORDS[FRAMES]);
    if (!leave(r, read_span(r, found[FRAMES], frames, &first, &end))) {
        return 0;
    }
    uint8_t on_hit = 0;
    if (found[ON_HIT]) {
        enter(r, WORDS[ON_HIT]);
        if (!leave(r, read_flag(r, found[ON_HIT], &on_hit))) {
            return 0;
        }
    }
    uint8_t *row = insert_row(r, r->size, CANCEL_ROW);
    write32(row, first);
    write32(row + 4, end);
    write32(row + 8, (uint32_t)into);
    write32(row + 12, on_hit);
    return 1;
}

static int read_cancels(reader *r, const char *list, uint32_t frames) {
    if (*list != '[') {
        return refuse(r, "a list of cancels", list);
    }
    uint64_t i = 0;
    for (const char *item = first_in(list); item; item = next_of(r, item)) {
        enter_item(r, i++);
        if (!leave(r, read_cancel(r, item, frames))) {
            return 0;
        }
    }
    return 1;
}

/* Where a key of a part goes among those of its attack; UINT64_MAX: its frames are another's. */
static uint64_t key_place(const reader *r, uint64_t begin, uint32_t part, uint32_t first,
                          uint32_t end) {
    uint64_t to = begin;
    for (uint64_t at = begin; at < r->size; at += KEY_ROW) {
        const uint8_t *other = r->table + at;
        const uint32_t of = read32(other + 8);
        if (of == part && read32(other) < end && first < read32(other + 4)) {
            return UINT64_MAX;
        }
        to += of < part || (of == part && read32(other) < first) ? KEY_ROW : 0;
    }
    return to;
}

/* A key of a part, put among those of the attack, which ascend by part and first frame. */
static int read_key(reader *r, const char *at, uint32_t frames, uint64_t begin, uint32_t part) {
    enum { FRAMES = PLACE_COUNT, COUNT };
    static const char *const WORDS[COUNT] = {"shape", "offset", "yaw", "turns", "meta", "frames"};
    const char *found[COUNT + 1];
    uint8_t row[KEY_ROW];
    if (!read_members(r, at, WORDS, found, COUNT)) {
        return 0;
    }
    if (found[FRAMES] == NULL) {
        return refuse_missing(r, WORDS[FRAMES]);
    }
    uint32_t first;
    uint32_t end;
    enter(r, WORDS[FRAMES]);
    if (!leave(r, read_span(r, found[FRAMES], frames, &first, &end))) {
        return 0;
    }
    write32(row, first);
    write32(row + 4, end);
    write32(row + 8, part);
    memcpy(row + KEY_HEAD, part_row(r->table, part), PART_ROW);
    memset(row + KEY_HEAD + 1, 0, 3);
    if (!read_place(r, found, row + KEY_HEAD)) {
        return 0;
    }
    const uint64_t to = key_place(r, begin, part, first, end);
    if (to == UINT64_MAX) {
        enter(r, WORDS[FRAMES]);
        return refuse(r, "frames of no other key of the part", found[FRAMES]);
    }
    memcpy(insert_row(r, to, KEY_ROW), row, KEY_ROW);
    return 1;
}

static int read_keys(reader *r, const char *object, uint32_t frames) {
    if (*object != '{') {
        return refuse(r, "an object", object);
    }
    const uint64_t begin = r->size;
    const char *list;
    for (const char *key = first_in(object); key; key = next_of(r, list)) {
        list = value_of(r, key);
        enter(r, key);
        const int64_t part = known_index(r, r->parts, key);
        if (part < 0) {
            return 0;
        }
        if (*list != '[') {
            return refuse(r, "a list of keys", list);
        }
        uint64_t i = 0;
        for (const char *item = first_in(list); item; item = next_of(r, item)) {
            enter_item(r, i++);
            if (!leave(r, read_key(r, item, frames, begin, (uint32_t)part))) {
                return 0;
            }
        }
        leave(r, 1);
    }
    return 1;
}

enum { FRAMES, ACTIVE, INACTIVE, REHITS, CANCELS, KEYS, ATTACK_META, ATTACK_COUNT };
static const char *const ATTACK_WORDS[ATTACK_COUNT] = {"frames",  "active", "inactive", "rehits",
                                                       "cancels", "keys",   "meta"};

/* The lists of an attack behind each other, and how many rows each has. */
static int read_lists(reader *r, const char *const *found, uint32_t frames, uint32_t *sets,
                      uint32_t *counts) {
    static const uint32_t ROWS[ATTACK_COUNT] = {
        [INACTIVE] = WINDOW_ROW, [REHITS] = REHIT_ROW, [CANCELS] = CANCEL_ROW, [KEYS] = KEY_ROW};
    uint64_t begin = r->size;
    for (uint32_t i = ACTIVE; i <= KEYS; i++) {
        int ok = 1;
        enter(r, ATTACK_WORDS[i]);
        if (found[i] && i <= INACTIVE) {
            ok = read_windows(r, found[i], frames, begin, sets + (i - ACTIVE));
        } else if (found[i] && i == REHITS) {
            ok = read_rehits(r, found[i], frames);
        } else if (found[i] && i == CANCELS) {
            ok = read_cancels(r, found[i], frames);
        } else if (found[i]) {
            ok = read_keys(r, found[i], frames);
        }
        if (!leave(r, ok)) {
            return 0;
        }
        if (i != ACTIVE) {
            counts[i] = (uint32_t)((r->size - begin) / ROWS[i]);
            begin = r->size;
        }
    }
    return 1;
}

static int read_attack(reader *r, const char *at, uint32_t index) {
    const char *found[ATTACK_COUNT + 1];
    int64_t frames;
    if (!read_members(r, at, ATTACK_WORDS, found, ATTACK_COUNT)) {
        return 0;
    }
    if (found[FRAMES] == NULL) {
        return refuse_missing(r, ATTACK_WORDS[FRAMES]);
    }
    enter(r, ATTACK_WORDS[FRAMES]);
    if (!leave(r, read_integer(r, found[FRAMES], 1, FXS_ATTACK_FRAMES_MAX, &frames))) {
        return 0;
    }
    const uint64_t begin = r->size;
    uint32_t sets[2] = {0, 0};
    uint32_t counts[ATTACK_COUNT];
    if (!is_good_meta(r, found[ATTACK_META]) ||
        !read_lists(r, found, (uint32_t)frames, sets, counts)) {
        return 0;
    }
    if (sets[0] & sets[1]) {
        put_path(r);
        fxs_put_text(&r->message, ": a part must be in active or inactive, not in both");
        return 0;
    }
    uint8_t *row = r->table + (attack_row(r->table, index) - r->table);
    write32(row, (uint32_t)frames);
    write32(row + 4, sets[0]);
    write32(row + 8, sets[1]);
    write32(row + 12, counts[INACTIVE]);
    write32(row + 16, counts[REHITS]);
    write32(row + 20, counts[CANCELS]);
    write32(row + 24, (uint32_t)begin);
    if (is_keyed(r->table)) {
        write32(row + 28, counts[KEYS]);
    }
    return 1;
}

/* ---- the whole ---- */

/* Checks that the object `where` has members, whose names have characters. */
static int read_names(reader *r, const char *where, const char *object, uint32_t most) {
    enter(r, where);
    if (*object != '{') {
        return refuse(r, "an object", object);
    }
    const uint32_t n = member_count(r, object);
    if (n > most || (most == FXS_PARTS_MAX && n == 0)) {
        put_path(r);
        fxs_put_text(&r->message, " must be 1..32, not ");
        fxs_put_number(&r->message, n);
        return 0;
    }
    for (const char *key = first_in(object); key; key = next_of(r, value_of(r, key))) {
        const char *end = end_of(r, key);
        int is_good = key[1] != '"';
        for (json j = {key, end}; j.at < end; j.at++) {
            is_good &= !fxs_json_take(&j, "\\u0000");
        }
        if (!is_good) {
            return refuse(r, "of names with a character, none of them 0", key);
        }
    }
    return leave(r, 1);
}

/* Whether a member of these objects, or of the lists in them, makes the table one with keys. */
static int is_keyed_text(const reader *r) {
    for (const char *key = first_in(r->parts); key; key = next_of(r, value_of(r, key))) {
        const char *part = value_of(r, key);
        for (const char *k = *part == '{' ? first_in(part) : NULL; k;
             k = next_of(r, value_of(r, k))) {
            if (is_word(k, "turns") && *value_of(r, k) == 't') {
                return 1;
            }
        }
    }
    for (const char *key = first_in(r->attacks); key; key = next_of(r, value_of(r, key))) {
        const char *attack = value_of(r, key);
        for (const char *k = *attack == '{' ? first_in(attack) : NULL; k;
             k = next_of(r, value_of(r, k))) {
            const char *keys = is_word(k, "keys") ? value_of(r, k) : "";
            for (const char *part = *keys == '{' ? first_in(keys) : NULL; part;
                 part = next_of(r, value_of(r, part))) {
                if (*value_of(r, part) == '[' && first_in(value_of(r, part)) != NULL) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* Writes the names of an object's members, each with a 0 behind it. */
static void put_member_names(const reader *r, const char *object, pen *names) {
    static const char LETTERS[] = "b\bf\fn\nr\rt\t";
    for (const char *key = first_in(object); key; key = next_of(r, value_of(r, key))) {
        const char *end = end_of(r, key) - 1;
        for (const char *at = key + 1; at < end; at++) {
            char c = *at;
            if (c == '\\' && *++at == 'u') {
                c = (char)hexadecimal_at(at + 1, end); /* below 32 */
                at += 4;
            } else if (c == '\\') {
                c = *at;
                for (const char *pair = LETTERS; *pair; pair += 2) {
                    c = *at == *pair ? pair[1] : c;
                }
            }
            fxs_put_char(names, c);
        }
        fxs_put_char(names, 0);
    }
}

static int read_document(reader *r, const char *document) {
    enum { PARTS, ATTACKS, META_OF_ALL, COUNT };
    static const char *const WORDS[COUNT] = {"parts", "attacks", "meta"};
    const char *found[COUNT + 1];
    if (!read_members(r, document, WORDS, found, COUNT)) {
        return 0;
    }
    if (found[PARTS] == NULL) {
        return refuse_missing(r, WORDS[PARTS]);
    }
    r->parts = found[PARTS];
    r->attacks = found[ATTACKS] ? found[ATTACKS] : "{}";
    if (!is_good_meta(r, found[META_OF_ALL]) ||
        !read_names(r, WORDS[PARTS], r->parts, FXS_PARTS_MAX) ||
        !read_names(r, WORDS[ATTACKS], r->attacks, UINT32_MAX)) {
        return 0;
    }
    const uint32_t part_total = member_count(r, r->parts);
    const uint32_t attack_total = member_count(r, r->attacks);
    write32(r->table, is_keyed_text(r) ? KEYED_TABLE_MAGIC : TABLE_MAGIC);
    write32(r->table + 4, part_total);
    write32(r->table + 8, attack_total);
    r->size = TABLE_HEAD + (uint64_t)PART_ROW * part_total;
    r->size += (uint64_t)attack_row_size(r->table) * attack_total;
    uint32_t i = 0;
    enter(r, WORDS[PARTS]);
    for (const char *key = first_in(r->parts); key; key = next_of(r, value_of(r, key))) {
        uint8_t *row = r->table + TABLE_HEAD + (uint64_t)PART_ROW * i++;
        enter(r, key);
        if (!leave(r, read_part(r, value_of(r, key), row))) {
            return 0;
        }
    }
    leave(r, 1);
    i = 0;
    enter(r, WORDS[ATTACKS]);
    for (const char *key = first_in(r->attacks); key; key = next_of(r, value_of(r, key))) {
        enter(r, key);
        if (!leave(r, read_attack(r, value_of(r, key), i++))) {
            return 0;
        }
    }
    return leave(r, 1);
}

static const char BEFORE_KEY[] = "";

/* Follows a character outside strings into an object or list, out of it, or to its next value.
 * beyond: how many are entered that the path has no room for. */
static void follow(reader *r, char c, uint32_t *beyond) {
    step *last = r->depth > 0 && *beyond == 0 ? r->path + r->depth - 1 : NULL;
    if (c == '{' || c == '[') {
        if (r->depth == PATH_MAX) {
            ++*beyond;
        } else {
            enter(r, c == '{' ? BEFORE_KEY : NULL);
        }
    } else if (c == '}' || c == ']') {
        *beyond -= *beyond > 0;
        r->depth -= last != NULL;
    } else if (c == ',' && last && last->key) {
        last->key = BEFORE_KEY;
    } else if (c == ',' && last) {
        last->index++;
    }
}

/* Enters the objects and lists that a text is in where it stops, up to PATH_MAX. Returns the key
 * that stands there for a second time, or NULL. */
static const char *enter_all(reader *r, const char *text, const char *stop) {
    json j = {text, stop};
    uint32_t beyond = 0;
    while (j.at < stop) {
        const char *at = j.at;
        if (*at != '"') {
            follow(r, *at, &beyond);
            j.at++;
            continue;
        }
        fxs_json_read_string(&j);
        if (r->depth > 0 && beyond == 0 && j.at < stop && *j.at == ':') {
            r->path[r->depth - 1].key = at;
        }
    }
    if (r->depth == 0 || r->path[r->depth - 1].key != BEFORE_KEY) {
        return NULL;
    }
    r->depth--;
    json key = {stop, r->end};
    return fxs_json_read_string(&key) && fxs_json_take(&key, ":") ? stop : NULL;
}

/* The message for a text that is not JSON: where, in the text and in its canonical form, it stops
 * to be. */
static void refuse_syntax(reader *r, const char *text, uint64_t size, const char *canon,
                          const char *stop) {
    while (stop > canon && (stop[-1] == '-' || (stop[-1] >= '0' && stop[-1] <= '9'))) {
        stop--; /* the whole number */
    }
    pen nowhere = {NULL, 0, 0};
    const char *end = text + size;
    const char *at = canonical(&nowhere, text, end, (uint64_t)(stop - canon));
    while (at < end && is_blank(*at)) {
        at++;
    }
    uint64_t line = 1;
    for (const char *c = text; c < at; c++) {
        line += *c == '\n';
    }
    const char *line_end = at;
    while (line_end < end && *line_end != '\n' && *line_end != '\r') {
        line_end++;
    }
    /* As UTF-8, a half begins with ED, and goes on with A0 or more. */
    const int is_half = stop > canon && (uint8_t)stop[-1] == 0xed && (uint8_t)*stop >= 0xa0;
    const char *key = enter_all(r, canon, stop);
    put_path(r);
    fxs_put_text(&r->message, ", line ");
    fxs_put_number(&r->message, line);
    if (key) {
        fxs_put_text(&r->message, ", has a key twice: ");
        put_excerpt(&r->message, key, end_of(r, key));
    } else if (is_half) {
        fxs_put_text(&r->message, ", has half of a surrogate pair");
    } else {
        fxs_put_text(&r->message, ", must be JSON of strings, integers, true, false, lists and "
                                  "objects, not: ");
        put_excerpt(&r->message, at, line_end);
    }
}

int32_t fxs_frame_data_read(const char *text, uint64_t size, uint8_t *out, uint64_t room,
                            uint64_t *table_size, uint64_t *names_size) {
    *table_size = *names_size = 0;
    if (size > FXS_FRAME_DATA_TEXT_MAX || room < 4 * size + MESSAGE_MAX) {
        return FXS_E_ROOM;
    }
    /* The canonical text stands at the end of the room. The rows and names that come from it take
     * less than 3 bytes for each of its own: a key, `{"frames":[0,0]},`, has 17 and becomes 44; a
     * span, `[0,0],`, 6 and 12; a rehit, `1,`, 2 and 4; an attack `"a":{"frames":1},`, 17 and 34.
     */
    pen copy = {(char *)out + (room - size), 0, size};
    canonical(&copy, text, text + size, UINT64_MAX);
    json whole = {copy.text, copy.text + copy.next};
    reader r = {0};
    r.end = whole.end;
    r.table = out;
    r.message.text = (char *)out;
    r.message.end = MESSAGE_MAX;
    int ok = fxs_json_read_object(&whole) && whole.at == whole.end;
    if (!ok) {
        refuse_syntax(&r, text, size, copy.text, whole.at);
    }
    ok = ok && read_document(&r, copy.text);
    if (!ok) {
        *table_size = r.message.next < MESSAGE_MAX ? r.message.next : MESSAGE_MAX;
        *names_size = r.path_size < MESSAGE_MAX ? r.path_size : MESSAGE_MAX;
        return FXS_E_TEXT;
    }
    pen names = {(char *)out + r.size, 0, room - r.size};
    put_member_names(&r, r.parts, &names);
    put_member_names(&r, r.attacks, &names);
    *table_size = r.size;
    *names_size = names.next;
    return FXS_OK;
}
