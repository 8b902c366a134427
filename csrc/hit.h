/* A hit in one word. */
#ifndef FIXSYNC_HIT_H
#define FIXSYNC_HIT_H

#include "compiler.h"
#include "fixsync.h"

/* A pair and its contact in one word that sorts by (a, b): a << 33 | b << 1 | contact - 1. a is an
 * id below 2^31, b any 32 bits. */
typedef uint64_t packed_hit;
#define HIT_A_BIT 33
#define HIT_B_BIT 1
#define NO_HIT UINT64_MAX /* above every other */

static inline packed_hit hit_pack(uint32_t a, uint32_t b, uint32_t contact) {
    FXS_ASSERT(a < b && a < (uint32_t)1 << 31);
    FXS_ASSERT(contact <= FXS_OVERLAPPING); /* APART is not counted: the next hit replaces it */
    return ((uint64_t)a << HIT_A_BIT) + ((uint64_t)b << HIT_B_BIT) + contact - FXS_TOUCHING;
}
static inline uint32_t hit_a(packed_hit h) { return (uint32_t)(h >> HIT_A_BIT); }
static inline uint32_t hit_b(packed_hit h) { return (uint32_t)(h >> HIT_B_BIT); }
static inline uint32_t hit_contact(packed_hit h) { return FXS_TOUCHING + (uint32_t)(h & 1); }
/* The pair alone, whatever the contact. */
static inline uint64_t hit_pair(packed_hit h) { return h >> HIT_B_BIT; }

#endif
