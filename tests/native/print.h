/* What both goldens print: a line "level section count size digest" at each checkpoint. */
#ifndef FIXSYNC_TESTS_PRINT_H
#define FIXSYNC_TESTS_PRINT_H

#include "golden.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Cases 0, 1, 2, ... of one function, with a checkpoint at each of counts[0] <= ... <= counts[2]
 * that the level asks for. */
typedef struct section {
    const char *name;
    void (*one)(uint32_t number);
    uint32_t counts[3];
} section;

static uint64_t digest, words; /* of the answers of the present section */

static void print_text(const char *text) {
    uint32_t size = 0;
    while (text[size]) {
        size++;
    }
    golden_print(text, size);
}

static void print_unsigned(uint64_t v) {
    char digits[20];
    uint32_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    golden_print(digits + at, (uint32_t)sizeof digits - at);
}

static void print_hex(uint64_t v, uint32_t digits) {
    for (; digits > 0; digits--) {
        golden_print(&"0123456789abcdef"[v >> (4 * digits - 4) & 15], 1);
    }
}

static void print_checkpoint(int level, const char *name, uint64_t count, uint64_t size) {
    print_unsigned((uint64_t)level);
    print_text(" ");
    print_text(name);
    print_text(" ");
    print_unsigned(count);
    print_text(" ");
    print_unsigned(size);
    print_text(" ");
    print_hex(digest, 16);
}

#endif
