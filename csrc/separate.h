/* Separation, for rows of any length. */
#ifndef FIXSYNC_SEPARATE_H
#define FIXSYNC_SEPARATE_H

#include "memory.h"

/* A separation under way. The first `moved_count` rows are the colliders pushed so far, in mark_set
 * too: the id, and x, y and z where it stood before. */
typedef struct separation {
    fxs_world *world;
    const uint32_t *yields;
    uint64_t moved_count;
    int32_t *rows;
    uint64_t stride; /* of a row, in numbers */
} separation;

/* Pushes as fxs_world_separate does, whose status it returns. With FXS_OK the rows stay, in the
 * order of the pushes, and so does mark_set. */
FXS_INTERNAL int32_t fxs_separate(separation *s, uint32_t passes, uint64_t capacity,
                                  uint64_t *count);

#endif
