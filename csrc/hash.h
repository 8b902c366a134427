/* XXH64 in pieces, and little-endian words in bytes. */
#ifndef FIXSYNC_HASH_H
#define FIXSYNC_HASH_H

#include "compiler.h"

/* 1 where the machine is known to lay words out as the saved state does: bytes are then copied,
 * else put together one by one. Both forms give the same bytes; FXS_NO_LITTLE_ENDIAN selects the
 * second. */
#if !defined(FXS_NO_LITTLE_ENDIAN) &&                                          \
    ((defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) || \
     (defined(_MSC_VER) && !defined(_M_PPC)))
#define LITTLE_ENDIAN_WORDS 1
#else
#define LITTLE_ENDIAN_WORDS 0
#endif

static inline uint32_t read32(const uint8_t *p) {
#if LITTLE_ENDIAN_WORDS
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
#else
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
#endif
}

static inline int32_t read_signed(const uint8_t *p) {
    uint32_t v = read32(p);
    int32_t s;
    memcpy(&s, &v, sizeof s);
    return s;
}

static inline uint64_t read64(const uint8_t *p) {
#if LITTLE_ENDIAN_WORDS
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
#else
    return read32(p) | (uint64_t)read32(p + 4) << 32;
#endif
}

static inline void write32(uint8_t *p, uint32_t v) {
#if LITTLE_ENDIAN_WORDS
    memcpy(p, &v, sizeof v);
#else
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t)(v >> (8 * i));
    }
#endif
}

typedef struct hasher {
    uint64_t lane[4], seed, total;
    uint8_t held[32];
} hasher;

FXS_INTERNAL void fxs_hash_begin(hasher *h, uint64_t seed);
FXS_INTERNAL void fxs_hash_add(hasher *h, const uint8_t *p, size_t size);
FXS_INTERNAL uint64_t fxs_hash_end(const hasher *h);

#endif
