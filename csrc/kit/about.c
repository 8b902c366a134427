/* The `about` of a match log's first line. */
#include "about.h"
#include "../fixsync_kit.h"

/* {"7":"boss"}: names by numbers, which ascend from `least`, below `count` or of a solid. */
static int json_read_table(json *j, uint64_t least, uint64_t count, uint64_t solids) {
    uint64_t number;
    if (!fxs_json_take(j, "{")) {
        return 0;
    }
    do {
        const char *key = j->at;
        if (!fxs_json_take(j, "\"") || !fxs_json_read_number(j, least, UINT32_MAX, &number)) {
            return 0;
        }
        if (number >= count && (number < FXS_LEVEL || number - FXS_LEVEL >= solids)) {
            j->at = key;
            return 0;
        }
        if (!fxs_json_take(j, "\":") || !fxs_json_read_string(j)) {
            return 0;
        }
        least = number + 1;
    } while (fxs_json_take(j, ","));
    return fxs_json_take(j, "}");
}

/* {"layers":{...},"ids":{...},"game":{...}}, of which one or two may be left out. */
static int json_read_names(json *j, uint64_t capacity, uint64_t solids) {
    static const char *const KEYS[3] = {"\"layers\":", "\"ids\":", "\"game\":"};
    const uint64_t least[3] = {0, 0, FXS_GAME_EVENT};
    const uint64_t count[3] = {FXS_LAYER_COUNT, capacity, UINT32_MAX + (uint64_t)1};
    const char *first = j->at;
    int found = 0;
    if (!fxs_json_take(j, "{")) {
        return 0;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const char *before = j->at;
        if ((found && !fxs_json_take(j, ",")) || !fxs_json_take(j, KEYS[i])) {
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
    return fxs_json_take(j, "}");
}

/* A digest: 16 hexadecimal digits in lower case, in quotes. */
static int json_read_digest(json *j) {
    if (!fxs_json_take(j, "\"")) {
        return 0;
    }
    for (uint32_t i = 0; i < 16; i++, j->at++) {
        int is_digit = j->at < j->end &&
                       ((*j->at >= '0' && *j->at <= '9') || (*j->at >= 'a' && *j->at <= 'f'));
        if (!is_digit) {
            return 0;
        }
    }
    return fxs_json_take(j, "\"");
}

static int json_read_tick_rate(json *j) {
    uint64_t number;
    if (!fxs_json_take(j, "[")) {
        return fxs_json_read_number(j, 1, UINT32_MAX, &number);
    }
    return fxs_json_read_number(j, 1, UINT32_MAX, &number) && fxs_json_take(j, ",") &&
           fxs_json_read_number(j, 1, UINT32_MAX, &number) && fxs_json_take(j, "]");
}

static int about_read_value(json *j, uint32_t key, uint64_t capacity, uint64_t solids) {
    uint64_t number;
    switch (key) {
    case ABOUT_TICK_RATE: return json_read_tick_rate(j);
    case ABOUT_SIM: return fxs_json_take(j, "null") || fxs_json_read_string(j);
    case ABOUT_SEED: return fxs_json_read_number(j, 0, UINT64_MAX, &number);
    case ABOUT_META: return fxs_json_read_object(j);
    case ABOUT_NAMES: return json_read_names(j, capacity, solids);
    case ABOUT_Z_DOWN: return fxs_json_take(j, "true");
    case ABOUT_SEMANTICS:
        return fxs_json_take(j, "null") || fxs_json_read_number(j, 1, UINT32_MAX, &number);
    case ABOUT_BUILD: return fxs_json_read_string(j);
    case ABOUT_DATA: return json_read_digest(j);
    default: return fxs_json_read_number(j, 1, UINT32_MAX, &number);
    }
}

int fxs_about_read(json *j, uint64_t capacity, uint64_t solids, about_parts *found) {
    static const char *const KEYS[ABOUT_COUNT] = {
        "\"tick_rate\":", "\"sim\":",    "\"seed\":",      "\"meta\":",  "\"names\":",
        "\"unit_mm\":",   "\"z_down\":", "\"semantics\":", "\"build\":", "\"data\":"};
    const char *before = "{";
    for (uint32_t key = 0; key < ABOUT_COUNT; key++) {
        json next = *j;
        found->value[key] = NULL;
        if (fxs_json_take(&next, before) && fxs_json_take(&next, KEYS[key])) {
            *j = next;
            found->value[key] = j->at;
            if (!about_read_value(j, key, capacity, solids)) {
                return 0;
            }
            found->size[key] = (uint64_t)(j->at - found->value[key]);
            before = ",";
        }
    }
    return (*before == ',' || fxs_json_take(j, "{")) && fxs_json_take(j, "}") && j->at == j->end;
}
