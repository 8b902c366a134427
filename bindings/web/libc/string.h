/* What the kernel calls of libc, for a target that has none: WebAssembly's bulk memory instructions. */
#ifndef FIXSYNC_WEB_STRING_H
#define FIXSYNC_WEB_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);

#endif
