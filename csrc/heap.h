/* A binary heap in an array (Williams, Heapsort, 1964): the last in order is on top, and none is
 * before its children. */
#ifndef FIXSYNC_HEAP_H
#define FIXSYNC_HEAP_H

#include <stdint.h>

/* Defines, for items of `type` in the order of is_later(context, a, b), which takes pointers:
 *   NAME_sift puts `item` where it belongs below the empty slot `at` of a heap of n;
 *   NAME_make makes a heap of n items in any order;
 *   NAME_sort sorts a heap of n. */
#define FXS_HEAP(name, type, context_type, is_later)                                     \
    static void name##_sift(context_type context, type *heap, uint64_t n, uint64_t at,   \
                            type item) {                                                 \
        for (uint64_t child; (child = 2 * at + 1) < n; at = child) {                     \
            child += child + 1 < n && is_later(context, heap + child + 1, heap + child); \
            if (!is_later(context, heap + child, &item)) {                               \
                break;                                                                   \
            }                                                                            \
            heap[at] = heap[child];                                                      \
        }                                                                                \
        heap[at] = item;                                                                 \
    }                                                                                    \
    static void name##_make(context_type context, type *heap, uint64_t n) {              \
        for (uint64_t i = n / 2; i > 0; i--) {                                           \
            name##_sift(context, heap, n, i - 1, heap[i - 1]);                           \
        }                                                                                \
    }                                                                                    \
    static void name##_sort(context_type context, type *heap, uint64_t n) {              \
        while (n > 1) {                                                                  \
            const type last = heap[--n];                                                 \
            heap[n] = heap[0];                                                           \
            name##_sift(context, heap, n, 0, last);                                      \
        }                                                                                \
    }

#endif
