/* What the first line of a match log says beside the world: a JSON object in canonical form. */
#ifndef FIXSYNC_ABOUT_H
#define FIXSYNC_ABOUT_H

#include "../fixsync_kit.h"
#include "../internal.h"

enum { DEPTH_MAX = 64, DIGITS_MAX = 600 }; /* of lists and objects in meta; of its integers */

/* Text that is read. Functions that read return 1 and move `at` behind what they read, or return 0
 * and leave it near what is wrong. */
typedef struct json {
    const char *at, *end;
} json;

/* Reads a word, or nothing. */
static int json_take(json *j, const char *word) {
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

/* A character above 127: valid UTF-8, in its shortest form, and no surrogate. */
static int json_read_wide(json *j) {
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

/* What comes after a backslash: of several ways to write a character, the one that is canonical. */
static int json_read_escape(json *j) {
    static const char PLAIN[] = "\"\\bfnrt";
    for (const char *c = PLAIN; *c; c++) {
        if (json_take_in(j, (uint8_t)*c, (uint8_t)*c)) {
            return 1;
        }
    }
    if (json_take(j, "u001")) {
        return json_take_in(j, '0', '9') || json_take_in(j, 'a', 'f');
    }
    return json_take(j, "u000") && (json_take_in(j, '0', '7') || json_take(j, "b") ||
                                    json_take_in(j, 'e', 'f'));
}

static int json_read_string(json *j) {
    if (!json_take(j, "\"")) {
        return 0;
    }
    while (!json_take(j, "\"")) {
        int ok = json_take(j, "\\") ? json_read_escape(j)
                                    : json_take_in(j, 0x20, 0x7f) || json_read_wide(j);
        if (!ok) {
            return 0;
        }
    }
    return 1;
}

/* An integer of any size, without -0 and zeros in front. */
static int json_read_integer(json *j) {
    if (json_take(j, "0")) {
        return 1;
    }
    json_take(j, "-");
    if (!json_take_in(j, '1', '9')) {
        return 0;
    }
    uint32_t digits = 1;
    while (json_take_in(j, '0', '9')) {
        digits++;
    }
    return digits <= DIGITS_MAX;
}

/* An integer in low..high, which goes to *out. */
static int json_read_number(json *j, uint64_t low, uint64_t high, uint64_t *out) {
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

/* Moves behind a value that has been read before. */
static void json_skip(json *j) {
    uint32_t depth = 0;
    do {
        if (*j->at == '"') {
            json_read_string(j);
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
        json_read_string(&j);
        uint64_t i = 0;
        while (key + i < j.at && from + i < to && key[i] == from[i]) {
            i++;
        }
        if (key + i == j.at && from + i == to) {
            return 1;
        }
        j.at++; /* the colon */
        json_skip(&j);
    }
    return 0;
}

static int json_read_plain(json *j, uint32_t depth);

/* The members of an object, behind its brace, or the items of a list. */
static int json_read_items(json *j, int is_object, uint32_t depth) {
    const char *first = j->at, *close = is_object ? "}" : "]";
    if (json_take(j, close)) {
        return 1;
    }
    do {
        const char *key = j->at;
        if (is_object) {
            if (!json_read_string(j)) {
                return 0;
            }
            if (json_has_key(first, key, j->at)) {
                j->at = key;
                return 0;
            }
            if (!json_take(j, ":")) {
                return 0;
            }
        }
        if (!json_read_plain(j, depth)) {
            return 0;
        }
    } while (json_take(j, ","));
    return json_take(j, close);
}

/* A string, an integer, a boolean, or a list or an object of these; `depth` lists and objects are
 * around it. */
static int json_read_plain(json *j, uint32_t depth) {
    if (depth > DEPTH_MAX) {
        return 0;
    }
    if (j->at < j->end && *j->at == '"') {
        return json_read_string(j);
    }
    if (json_take(j, "true") || json_take(j, "false")) {
        return 1;
    }
    if (json_take(j, "[")) {
        return json_read_items(j, 0, depth + 1);
    }
    if (json_take(j, "{")) {
        return json_read_items(j, 1, depth + 1);
    }
    return json_read_integer(j);
}

/* {"7":"boss"}: names by numbers, which ascend from `least`, below `count` or of a solid. */
static int json_read_table(json *j, uint64_t least, uint64_t count, uint64_t solids) {
    uint64_t number;
    if (!json_take(j, "{")) {
        return 0;
    }
    do {
        const char *key = j->at;
        if (!json_take(j, "\"") || !json_read_number(j, least, UINT32_MAX, &number)) {
            return 0;
        }
        if (number >= count && (number < FXS_LEVEL || number - FXS_LEVEL >= solids)) {
            j->at = key;
            return 0;
        }
        if (!json_take(j, "\":") || !json_read_string(j)) {
            return 0;
        }
        least = number + 1;
    } while (json_take(j, ","));
    return json_take(j, "}");
}

/* {"layers":{...},"ids":{...},"game":{...}}, of which one or two may be left out. */
static int json_read_names(json *j, uint64_t capacity, uint64_t solids) {
    static const char *const KEYS[3] = {"\"layers\":", "\"ids\":", "\"game\":"};
    const uint64_t least[3] = {0, 0, FXS_GAME_EVENT};
    const uint64_t count[3] = {FXS_LAYER_COUNT, capacity, UINT32_MAX + (uint64_t)1};
    const char *first = j->at;
    int found = 0;
    if (!json_take(j, "{")) {
        return 0;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const char *before = j->at;
        if ((found && !json_take(j, ",")) || !json_take(j, KEYS[i])) {
            j->at = before;
        } else if (json_read_table(j, least[i], count[i], i == 1 ? solids : 0)) {
            found = 1;
        } else {
            return 0;
        }
    }
    if (!found) {
        j->at = first;
        return 0;
    }
    return json_take(j, "}");
}

enum { ABOUT_TICK_RATE, ABOUT_SIM, ABOUT_SEED, ABOUT_META, ABOUT_NAMES, ABOUT_UNIT, ABOUT_COUNT };

/* The values as text, NULL for those that are left out. */
typedef struct about_parts {
    const char *value[ABOUT_COUNT];
    uint64_t size[ABOUT_COUNT];
} about_parts;

static int about_read_value(json *j, uint32_t key, uint64_t capacity, uint64_t solids) {
    uint64_t number;
    switch (key) {
    case ABOUT_TICK_RATE:
        if (!json_take(j, "[")) {
            return json_read_number(j, 1, UINT32_MAX, &number);
        }
        return json_read_number(j, 1, UINT32_MAX, &number) && json_take(j, ",") &&
               json_read_number(j, 1, UINT32_MAX, &number) && json_take(j, "]");
    case ABOUT_SIM: return json_take(j, "null") || json_read_string(j);
    case ABOUT_SEED: return json_read_number(j, 0, UINT64_MAX, &number);
    case ABOUT_META: return json_take(j, "{") && json_read_items(j, 1, 1);
    case ABOUT_NAMES:
        return json_read_names(j, capacity, solids);
    default: return json_read_number(j, 1, UINT32_MAX, &number);
    }
}

/* Reads all of the text. */
static int about_read(json *j, uint64_t capacity, uint64_t solids, about_parts *found) {
    static const char *const KEYS[ABOUT_COUNT] = {"\"tick_rate\":", "\"sim\":",   "\"seed\":",
                                                  "\"meta\":",      "\"names\":", "\"unit_mm\":"};
    const char *before = "{";
    for (uint32_t key = 0; key < ABOUT_COUNT; key++) {
        json next = *j;
        found->value[key] = NULL;
        if (json_take(&next, before) && json_take(&next, KEYS[key])) {
            *j = next;
            found->value[key] = j->at;
            if (!about_read_value(j, key, capacity, solids)) {
                return 0;
            }
            found->size[key] = (uint64_t)(j->at - found->value[key]);
            before = ",";
        }
    }
    return (*before == ',' || json_take(j, "{")) && json_take(j, "}") && j->at == j->end;
}

#endif
