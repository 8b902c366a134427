/* The golden as a command: `golden [0|1|2] [trace]`. */
#include "golden.h"

#include <stdio.h>

void golden_print(const char *text, uint32_t size) { fwrite(text, 1, size, stdout); }

int main(int argc, char **argv) {
    int level = argc > 1 ? argv[1][0] - '0' : 2;
    int bad = golden_run(level < 0 || level > 2 ? 2 : level, argc > 2);
    return fflush(stdout) != 0 || bad;
}
