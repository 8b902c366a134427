/* The golden as a function, and what it needs of the program around it. */
#ifndef FIXSYNC_TESTS_GOLDEN_H
#define FIXSYNC_TESTS_GOLDEN_H

#include <stdint.h>

/* Writes text out: the only thing asked of a platform. */
void golden_print(const char *text, uint32_t size);

/* Runs every section up to the checkpoints of `level`: 0 (a second even where all is emulated), 1 (short), 2 (everything). Prints a
 * line "level section frame size digest" at each checkpoint; the lines of a level are among those of the next. With `trace` also every
 * call in between: "name arguments = answers". Returns 0, or 1 where a check that needs no other machine has failed. */
int golden_run(int level, int trace);

#endif
