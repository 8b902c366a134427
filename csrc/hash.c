/* XXH64, from its published description (Yann Collet, xxHash specification). */
#include "hash.h"

#include "fixsync.h"

#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

static uint64_t rotate(uint64_t v, int by) { return v << by | v >> (64 - by); }
static uint64_t one_round(uint64_t lane, uint64_t word) {
    return rotate(lane + word * P2, 31) * P1;
}
static uint64_t merged(uint64_t hash, uint64_t lane) {
    return (hash ^ one_round(0, lane)) * P1 + P4;
}

/* Written out, so that compilers keep the lanes in registers. */
static void stripe(uint64_t lane[4], const uint8_t *p) {
    lane[0] = one_round(lane[0], read64(p));
    lane[1] = one_round(lane[1], read64(p + 8));
    lane[2] = one_round(lane[2], read64(p + 16));
    lane[3] = one_round(lane[3], read64(p + 24));
}

void fxs_hash_begin(hasher *h, uint64_t seed) {
    h->seed = seed;
    h->total = 0;
    h->lane[0] = seed + P1 + P2;
    h->lane[1] = seed + P2;
    h->lane[2] = seed;
    h->lane[3] = seed - P1;
}

void fxs_hash_add(hasher *h, const uint8_t *p, size_t size) {
    size_t held = (size_t)(h->total & 31);
    h->total += size;
    if (held + size < 32) {
        memcpy(h->held + held, p, size);
        return;
    }
    uint64_t lane[4] = {h->lane[0], h->lane[1], h->lane[2], h->lane[3]};
    if (held) {
        memcpy(h->held + held, p, 32 - held);
        stripe(lane, h->held);
        p += 32 - held;
        size -= 32 - held;
    }
    for (; size >= 32; p += 32, size -= 32) {
        stripe(lane, p);
    }
    memcpy(h->lane, lane, sizeof lane);
    memcpy(h->held, p, size);
}

/* The hash, from the lanes and the bytes after the last stripe. */
static uint64_t ended(const uint64_t lane[4], uint64_t seed, uint64_t total, const uint8_t *p) {
    size_t size = (size_t)(total & 31);
    uint64_t hash = seed + P5;
    if (total >= 32) {
        hash = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
        for (int i = 0; i < 4; i++) {
            hash = merged(hash, lane[i]);
        }
    }
    hash += total;
    for (; size >= 8; p += 8, size -= 8) {
        hash = rotate(hash ^ one_round(0, read64(p)), 27) * P1 + P4;
    }
    if (size >= 4) {
        hash = rotate(hash ^ read32(p) * P1, 23) * P2 + P3;
        p += 4;
        size -= 4;
    }
    for (; size; p++, size--) {
        hash = rotate(hash ^ *p * P5, 11) * P1;
    }
    hash = (hash ^ hash >> 33) * P2;
    hash = (hash ^ hash >> 29) * P3;
    return hash ^ hash >> 32;
}

uint64_t fxs_hash_end(const hasher *h) { return ended(h->lane, h->seed, h->total, h->held); }

uint64_t fxs_hash64(const uint8_t *bytes, uint64_t size, uint64_t seed) {
    hasher h;
    fxs_hash_begin(&h, seed);
    for (uint64_t rest = size; rest >= 32; rest -= 32, bytes += 32) {
        stripe(h.lane, bytes);
    }
    return ended(h.lane, seed, size, bytes);
}
