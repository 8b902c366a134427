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

#ifdef __APPLE__
/* What the compiler makes of a memset with 0. */
void bzero(void *to, size_t size) { memset(to, 0, size); }
#endif

#ifdef _WIN32
#ifdef __aarch64__
/* Touches each page of a frame of 16 * x15 bytes, so that Windows grows the stack. */
__asm__(".globl __chkstk\n"
        "__chkstk:\n"
        "    sub x17, sp, x15, uxtx #4\n"
        "    mov x16, sp\n"
        "1:  sub x16, x16, #4096\n"
        "    cmp x16, x17\n"
        "    b.lo 2f\n"
        "    ldr xzr, [x16]\n"
        "    b 1b\n"
        "2:  ldr xzr, [x17]\n"
        "    ret\n");
#else
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
#endif

/* The entry of a DLL without a C runtime. */
int __stdcall DllMainCRTStartup(void *module, unsigned long reason, void *reserved)
{
    (void)module;
    (void)reason;
    (void)reserved;
    return 1;
}
#endif
