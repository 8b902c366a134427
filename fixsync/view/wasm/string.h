/* What the kernel asks of libc, for a target that has none. Each becomes WebAssembly's own bulk memory instruction. */
#ifndef FIXSYNC_WASM_STRING_H
#define FIXSYNC_WASM_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);

#endif
