#define CALL_REFERENCE
#include "calls.h"

uint64_t reference_commands(const uint8_t *bytes, uint64_t size, int trace);

uint64_t reference_commands(const uint8_t *bytes, uint64_t size, int trace) {
    tracing = trace;
    digest = words = 0;
    run_commands(bytes, size);
    return digest;
}
