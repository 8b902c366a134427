/* The functions of libc that the kernel calls, so that a library imports nothing. Compiled with
 * -fno-builtin, or memcpy would become a call of itself. */
#include <string.h>

void *memcpy(void *to, const void *from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    for (size_t i = 0; i < size; i++)
        out[i] = in[i];
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    if ((size_t)(out - in) >= size)
        return memcpy(to, from, size);
    while (size-- > 0)
        out[size] = in[size];
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    unsigned char *out = to;
    for (size_t i = 0; i < size; i++)
        out[i] = (unsigned char)byte;
    return to;
}

size_t strlen(const char *text)
{
    size_t size = 0;
    while (text[size] != 0)
        size++;
    return size;
}

#ifdef _WIN32
/* Touches each page of a frame of rax bytes, so that Windows grows the stack. It changes nothing. */
__asm__(".globl ___chkstk_ms\n"
        "___chkstk_ms:\n"
        "    push %rcx\n"
        "    push %rax\n"
        "    lea 24(%rsp), %rcx\n"
        "1:  cmp $4096, %rax\n"
        "    jb 2f\n"
        "    sub $4096, %rcx\n"
        "    test %rcx, (%rcx)\n"
        "    sub $4096, %rax\n"
        "    jmp 1b\n"
        "2:  sub %rax, %rcx\n"
        "    test %rcx, (%rcx)\n"
        "    pop %rax\n"
        "    pop %rcx\n"
        "    ret\n");

/* The entry of a DLL without a C runtime. */
int __stdcall DllMainCRTStartup(void *module, unsigned long reason, void *reserved)
{
    (void)module;
    (void)reason;
    (void)reserved;
    return 1;
}
#endif
