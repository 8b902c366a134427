/* Reading JSON in canonical form. */
#include "json.h"

enum { DEPTH_MAX = 64, DIGITS_MAX = 600 }; /* of lists and objects in meta; of its integers */

int fxs_json_take(json *j, const char *word) {
    const char *at = j->at;
    for (; *word; word++, at++) {
        if (at == j->end || *at != *word) {
            return 0;
        }
    }
    j->at = at;
    return 1;
}

/* Reads one byte in low..high, or nothing. */
static int json_take_in(json *j, uint8_t low, uint8_t high) {
    if (j->at == j->end || (uint8_t)*j->at < low || (uint8_t)*j->at > high) {
        return 0;
    }
    j->at++;
    return 1;
}

int fxs_json_read_wide(json *j) {
    static const uint8_t LEADS[9][5] = {
        /* first byte low..high, second byte low..high, bytes after that */
        {0xc2, 0xdf, 0x80, 0xbf, 0}, {0xe0, 0xe0, 0xa0, 0xbf, 1}, {0xe1, 0xec, 0x80, 0xbf, 1},
        {0xed, 0xed, 0x80, 0x9f, 1}, {0xee, 0xef, 0x80, 0xbf, 1}, {0xf0, 0xf0, 0x90, 0xbf, 2},
        {0xf1, 0xf3, 0x80, 0xbf, 2}, {0xf4, 0xf4, 0x80, 0x8f, 2}, {0, 0, 0, 0, 0}};
    for (const uint8_t *lead = LEADS[0]; lead[0]; lead += 5) {
        if (json_take_in(j, lead[0], lead[1])) {
            int ok = json_take_in(j, lead[2], lead[3]);
            for (uint8_t i = 0; ok && i < lead[4]; i++) {
                ok = json_take_in(j, 0x80, 0xbf);
            }
            return ok;
        }
    }
    return 0;
}

/* The characters after a backslash: only the canonical escape of a character is taken. */
static int json_read_escape(json *j) {
    static const char PLAIN[] = "\"\\bfnrt";
    for (const char *c = PLAIN; *c; c++) {
        if (json_take_in(j, (uint8_t)*c, (uint8_t)*c)) {
            return 1;
        }
    }
    if (fxs_json_take(j, "u001")) {
        return json_take_in(j, '0', '9') || json_take_in(j, 'a', 'f');
    }
    return fxs_json_take(j, "u000") &&
           (json_take_in(j, '0', '7') || fxs_json_take(j, "b") || json_take_in(j, 'e', 'f'));
}

int fxs_json_read_string(json *j) {
    if (!fxs_json_take(j, "\"")) {
        return 0;
    }
    while (!fxs_json_take(j, "\"")) {
        int ok = fxs_json_take(j, "\\") ? json_read_escape(j)
                                        : json_take_in(j, 0x20, 0x7f) || fxs_json_read_wide(j);
        if (!ok) {
            return 0;
        }
    }
    return 1;
}

/* An integer of any size, without -0 and zeros in front. */
static int json_read_integer(json *j) {
    if (fxs_json_take(j, "0")) {
        return 1;
    }
    fxs_json_take(j, "-");
    if (!json_take_in(j, '1', '9')) {
        return 0;
    }
    uint32_t digits = 1;
    while (json_take_in(j, '0', '9')) {
        digits++;
    }
    return digits <= DIGITS_MAX;
}

int fxs_json_read_number(json *j, uint64_t low, uint64_t high, uint64_t *out) {
    json digits = *j;
    uint64_t v = 0;
    if (!json_read_integer(&digits) || *j->at == '-') {
        return 0;
    }
    for (const char *at = j->at; at < digits.at; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (v > (high - digit) / 10) {
            return 0;
        }
        v = v * 10 + digit;
    }
    if (v < low) {
        return 0;
    }
    *j = digits;
    *out = v;
    return 1;
}

void fxs_json_skip(json *j) {
    uint32_t depth = 0;
    do {
        if (*j->at == '"') {
            fxs_json_read_string(j);
            continue;
        }
        depth += *j->at == '[' || *j->at == '{';
        depth -= *j->at == ']' || *j->at == '}';
        j->at++;
    } while (depth || (*j->at != ',' && *j->at != ']' && *j->at != '}'));
}

/* Whether the key from..to is among those of its object, which begins at `first`, before it. */
static int json_has_key(const char *first, const char *from, const char *to) {
    for (json j = {first, from}; j.at < from; j.at++) { /* the comma */
        const char *key = j.at;
        fxs_json_read_string(&j);
        uint64_t i = 0;
        while (key + i < j.at && from + i < to && key[i] == from[i]) {
            i++;
        }
        if (key + i == j.at && from + i == to) {
            return 1;
        }
        j.at++; /* the colon */
        fxs_json_skip(&j);
    }
    return 0;
}

static int json_read_plain(json *j, uint32_t depth);

/* The members of an object, behind its brace, or the items of a list. */
static int json_read_items(json *j, int is_object, uint32_t depth) {
    const char *first = j->at;
    const char *close = is_object ? "}" : "]";
    if (fxs_json_take(j, close)) {
        return 1;
    }
    do {
        const char *key = j->at;
        if (is_object) {
            if (!fxs_json_read_string(j)) {
                return 0;
            }
            if (json_has_key(first, key, j->at)) {
                j->at = key;
                return 0;
            }
            if (!fxs_json_take(j, ":")) {
                return 0;
            }
        }
        if (!json_read_plain(j, depth)) {
            return 0;
        }
    } while (fxs_json_take(j, ","));
    return fxs_json_take(j, close);
}

/* A string, an integer, a boolean, or a list or an object of these; `depth` lists and objects are
 * around it. */
static int json_read_plain(json *j, uint32_t depth) {
    if (depth > DEPTH_MAX) {
        return 0;
    }
    if (j->at < j->end && *j->at == '"') {
        return fxs_json_read_string(j);
    }
    if (fxs_json_take(j, "true") || fxs_json_take(j, "false")) {
        return 1;
    }
    if (fxs_json_take(j, "[")) {
        return json_read_items(j, 0, depth + 1);
    }
    if (fxs_json_take(j, "{")) {
        return json_read_items(j, 1, depth + 1);
    }
    return json_read_integer(j);
}

int fxs_json_read_object(json *j) { return fxs_json_take(j, "{") && json_read_items(j, 1, 1); }
