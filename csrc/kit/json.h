/* Reading JSON in canonical form. */
#ifndef FIXSYNC_JSON_H
#define FIXSYNC_JSON_H

#include "../compiler.h"

/* Text that is read. Functions that read return 1 and move `at` behind the text that they read, or
 * return 0 and leave it near the fault. */
typedef struct json {
    const char *at, *end;
} json;

/* Reads a word, or nothing. */
FXS_INTERNAL int fxs_json_take(json *j, const char *word);

/* A character above 127: valid UTF-8, in its shortest form, and no surrogate. */
FXS_INTERNAL int fxs_json_read_wide(json *j);

FXS_INTERNAL int fxs_json_read_string(json *j);

/* An integer in low..high, which goes to *out. */
FXS_INTERNAL int fxs_json_read_number(json *j, uint64_t low, uint64_t high, uint64_t *out);

/* An object of strings, integers, booleans, lists and objects. */
FXS_INTERNAL int fxs_json_read_object(json *j);

/* Moves behind a value of a list or an object that has been read before. */
FXS_INTERNAL void fxs_json_skip(json *j);

#endif
