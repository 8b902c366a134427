/* Any bytes as a sequence of calls, on kernel and reference: the same answers. calls.h is compiled a second time, in
 * fuzz_commands_reference.c, for the reference. FIXSYNC_TRACE set prints every call. */
#include "calls.h"
#include "fuzz.h"

uint64_t reference_commands(const uint8_t *bytes, uint64_t size, int trace);

void golden_print(const char *text, uint32_t size) { fwrite(text, 1, size, stdout); }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    tracing = getenv("FIXSYNC_TRACE") != NULL;
    digest = words = 0;
    run_commands(bytes, size);
    uint64_t expected = reference_commands(bytes, size, tracing);
    REQUIRE(!failed);
    REQUIRE(digest == expected);
    return 0;
}
