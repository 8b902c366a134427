/* All of string.h that the kernel knows, for a target without a C library. */
#ifndef FIXSYNC_TESTS_WASM_STRING_H
#define FIXSYNC_TESTS_WASM_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

#endif
