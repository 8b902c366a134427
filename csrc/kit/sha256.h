/* SHA-256 in pieces: eight words, the bytes of a block that is not full, and the size so far. */
#ifndef FIXSYNC_SHA256_H
#define FIXSYNC_SHA256_H

#include "../compiler.h"

static inline void sha256_begin(uint32_t *sha) {
    static const uint32_t FIRST[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sha, FIRST, sizeof FIRST);
}

static inline uint32_t sha256_turn(uint32_t v, uint32_t bits) {
    return v >> bits | v << (32 - bits);
}

static inline void sha256_block(uint32_t *sha, const uint8_t *block) {
    static const uint32_t CONSTANT[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    uint32_t w[64];
    for (uint32_t i = 0; i < 16; i++) {
        const uint8_t *p = block + 4 * i;
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    }
    for (uint32_t i = 16; i < 64; i++) {
        uint32_t u = w[i - 15];
        uint32_t v = w[i - 2];
        uint32_t low = sha256_turn(u, 7) ^ sha256_turn(u, 18) ^ u >> 3;
        uint32_t high = sha256_turn(v, 17) ^ sha256_turn(v, 19) ^ v >> 10;
        w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    uint32_t a = sha[0];
    uint32_t b = sha[1];
    uint32_t c = sha[2];
    uint32_t d = sha[3];
    uint32_t e = sha[4];
    uint32_t f = sha[5];
    uint32_t g = sha[6];
    uint32_t h = sha[7];
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t sum_e = sha256_turn(e, 6) ^ sha256_turn(e, 11) ^ sha256_turn(e, 25);
        uint32_t sum_a = sha256_turn(a, 2) ^ sha256_turn(a, 13) ^ sha256_turn(a, 22);
        uint32_t one = h + sum_e + ((e & f) ^ (~e & g)) + CONSTANT[i] + w[i];
        uint32_t two = sum_a + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const uint32_t s[8] = {a, b, c, d, e, f, g, h};
    for (uint32_t i = 0; i < 8; i++) {
        sha[i] += s[i];
    }
}

/* Adds n bytes; `held` keeps those that fill no block, and `size` is how many came before. */
static inline void sha256_add(uint32_t *sha, uint8_t *held, uint64_t size, const uint8_t *bytes,
                              uint64_t n) {
    uint32_t kept = (uint32_t)(size % 64);
    while (n) {
        uint64_t taken = n < 64 - kept ? n : 64 - kept;
        memcpy(held + kept, bytes, (size_t)taken);
        kept += (uint32_t)taken;
        bytes += taken;
        n -= taken;
        if (kept == 64) {
            sha256_block(sha, held);
            kept = 0;
        }
    }
}

/* The digest of `size` bytes; more may be added after it. */
static inline void sha256_end(const uint32_t *sha, const uint8_t *held, uint64_t size,
                              uint32_t digest[8]) {
    uint8_t last[128] = {0};
    uint32_t kept = (uint32_t)(size % 64);
    uint32_t end = kept < 56 ? 64 : 128;
    memcpy(last, held, kept);
    last[kept] = 128;
    for (uint32_t i = 0; i < 8; i++) {
        last[end - 1 - i] = (uint8_t)(size * 8 >> 8 * i);
    }
    memcpy(digest, sha, 8 * sizeof *sha);
    for (uint32_t at = 0; at < end; at += 64) {
        sha256_block(digest, last + at);
    }
}

#endif
