/* Compiled with -fno-builtin, or the loops would become calls of themselves. */
#include "string.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    for (size_t i = 0; i < size; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size_t i = 0; i < size; i++) {
        size_t at = t < f ? i : size - 1 - i;
        t[at] = f[at];
    }
    return to;
}

void *memset(void *to, int value, size_t size) {
    for (size_t i = 0; i < size; i++) {
        ((unsigned char *)to)[i] = (unsigned char)value;
    }
    return to;
}
