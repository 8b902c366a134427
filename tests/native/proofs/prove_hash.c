/* XXH64: within its memory, and the same in pieces as in one. */
#define FXS_NO_LITTLE_ENDIAN
#include "hash.c"

#include "any.h"

#include <stdlib.h>

/*@ XXH64 stays within the bytes and within what it holds
    bounds    all pieces of up to 40 bytes, after any number of bytes
    options   -DMOST=40 --slice-formula --unwind 9
    in        hash.c
    change    memcpy(h->held + held, p, 32 - held);
    to        memcpy(h->held + held, p, 32);
    undecided */
void adding_stays_within_the_bytes(void) {
    hasher h;
    size_t size = (size_t)nondet_uint64();
    __CPROVER_assume(size <= MOST);
    uint8_t *bytes = malloc(size);
    __CPROVER_assume(bytes != NULL);
    fxs_hash_begin(&h, nondet_uint64());
    h.total = nondet_uint64();
    fxs_hash_add(&h, bytes, size);
    fxs_hash_end(&h);
}
