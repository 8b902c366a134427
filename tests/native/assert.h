/* FXS_ASSERT of the builds of the tests, included before every file: it names the assertion, and ends
 * the program. */
#ifndef FIXSYNC_TESTS_ASSERT_H
#define FIXSYNC_TESTS_ASSERT_H

#include <stdio.h>
#include <stdlib.h>

#define FXS_ASSERT(condition)                                                                       \
    ((condition) ? (void)0                                                                         \
                 : (fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition), \
                    abort()))

#endif
