/* The `about` of a match log's first line: a JSON object in canonical form. */
#ifndef FIXSYNC_ABOUT_H
#define FIXSYNC_ABOUT_H

#include "json.h"

enum {
    ABOUT_TICK_RATE,
    ABOUT_SIM,
    ABOUT_SEED,
    ABOUT_META,
    ABOUT_NAMES,
    ABOUT_UNIT,
    ABOUT_Z_DOWN,
    ABOUT_SEMANTICS,
    ABOUT_BUILD,
    ABOUT_DATA,
    ABOUT_COUNT
};

/* The values as text, NULL for those that are left out. */
typedef struct about_parts {
    const char *value[ABOUT_COUNT];
    uint64_t size[ABOUT_COUNT];
} about_parts;

/* Reads all of the text. The ids that it names are below `capacity`, or of one of the `solids`. */
FXS_INTERNAL int fxs_about_read(json *j, uint64_t capacity, uint64_t solids, about_parts *found);

#endif
