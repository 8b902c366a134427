/* What every fuzz target needs. */
#ifndef FIXSYNC_TESTS_FUZZ_H
#define FIXSYNC_TESTS_FUZZ_H

#include "fixsync.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Fails loudly: the fuzzer keeps the input. */
#define REQUIRE(holds)                                                                    \
    do {                                                                                  \
        if (!(holds)) {                                                                   \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds);    \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

#endif
