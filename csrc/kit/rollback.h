/* The memory of a peer that rolls back, for its requests (rollback.c) and packets (packet.c). */
#ifndef FIXSYNC_ROLLBACK_H
#define FIXSYNC_ROLLBACK_H

#include "../hash.h"
#include "inputs.h"
#include "rewind.h"

#define PARTS 5
#define RANDOM_SIZE 16
#define LENGTH_SIZE 8 /* of the number before own bytes of any length */

/* Another peer. Frames here and in packets are counted from the first of the match. */
typedef struct remote {
    uint64_t players;      /* bit i: it plays player i */
    uint64_t keys[2];      /* seeds of the tags of packets from it, and to it */
    uint64_t parts[PARTS]; /* of the frame that differs, here */
    fxs_refusal refusal;
    uint8_t random[RANDOM_SIZE];
    uint32_t is_heard;    /* `random` is known */
    uint32_t is_verified; /* it has returned the random bytes of this peer */
    uint32_t next;        /* frames of its inputs that are known */
    uint32_t ack;         /* frames of inputs of this peer that it has */
    uint32_t head;        /* frames that it has stepped */
    uint32_t hash_ack;    /* frames of hashes of this peer that it has */
    uint32_t hash_sent;   /* frames of hashes that were sent once */
    uint32_t hash_again;  /* the next of them that is sent again */
    uint32_t hash_next;   /* frames of its hashes that are known */
    uint32_t compared;    /* frames whose hashes were compared */
    uint32_t differs;     /* 1 + the first frame that differs; 0: none */
    int32_t ahead;        /* 1/256 frames from its newest head that came to this one's, smoothed */
    int32_t their_ahead;  /* the same, as it measures it */
    uint32_t has_ahead;
} remote;

/* A frame: its hashes by part. Of one that is not confirmed only `shown`, or with a check all. */
typedef struct frame_parts {
    uint64_t parts[PARTS];
    uint64_t hash; /* of the parts; 0: not computed yet */
    uint32_t tag;  /* 1 + the frame; 0: none */
    uint32_t zero;
} frame_parts;

/* A hash that came. */
typedef struct their_hash {
    uint64_t hash;
    uint32_t tag; /* 1 + the frame; 0: none */
    uint32_t zero;
} their_hash;

struct fxs_rollback {
    fxs_rollback_settings settings;
    fxs_desync desync;
    fxs_recorded recorded; /* of the frame that was confirmed last, after its reactions */
    uint64_t step_hash;    /* of its world before them */
    /* Offsets from the start of this struct. */
    uint64_t remotes_at;
    uint64_t frames_at;  /* a ring of `ring` frame_parts */
    uint64_t hashes_at;  /* of each remote, a ring of `ring` their_hash */
    uint64_t values_at;  /* inputs of the step under way */
    uint64_t scratch_at; /* inputs of a packet */
    uint64_t inputs_at;
    uint64_t kept_at; /* two kept states: see kept_slot */
    uint64_t history_at;
    uint64_t local; /* bit i: player i is local */
    uint64_t resteps;
    uint32_t start; /* number of the first frame */
    uint32_t remote_count;
    uint32_t window; /* of the inputs */
    uint32_t ring;
    uint32_t delay;
    uint32_t given;       /* frames that have local inputs */
    uint32_t target;      /* frames that are stepped when the requests are done */
    uint32_t top;         /* frames that were ever stepped */
    uint32_t request;     /* type of the last one */
    uint32_t guess;       /* players that were asked for, in the step under way */
    uint32_t loads;       /* with a check: of them, the odd ones are into a fresh world */
    uint32_t kept_tag;    /* 1 + the frame of the kept states; 0: none */
    uint32_t is_open;     /* requests are not done */
    uint32_t is_wanted;   /* a new frame is */
    uint32_t is_dirty;    /* the world is not the one before the head */
    uint32_t is_guessed;  /* with a check: the step under way is on repeated inputs */
    uint32_t guessed;     /* the first frame that was, since the last load; else the largest */
    uint32_t is_back_due; /* with a check: frames are to be stepped again */
    uint32_t is_comparing;
    uint32_t has_desync;
    uint32_t has_recorded;
    uint32_t slow; /* ticks for which this peer still runs slower */
    uint32_t rest; /* after those, ticks until it may run slower again */
};

static inline uint8_t *rollback_at(const fxs_rollback *r, uint64_t offset) {
    return (uint8_t *)(uintptr_t)r + offset;
}
static inline remote *remotes_of(const fxs_rollback *r) {
    return (remote *)(void *)rollback_at(r, r->remotes_at);
}
static inline frame_parts *parts_at(const fxs_rollback *r, uint32_t frame) {
    frame_parts *frames = (frame_parts *)(void *)rollback_at(r, r->frames_at);
    return &frames[frame % r->ring];
}
static inline their_hash *hash_at(const fxs_rollback *r, uint32_t of, uint32_t frame) {
    their_hash *hashes = (their_hash *)(void *)rollback_at(r, r->hashes_at);
    return &hashes[(uint64_t)of * r->ring + frame % r->ring];
}
static inline fxs_inputs *inputs_in(const fxs_rollback *r) {
    return (fxs_inputs *)(void *)rollback_at(r, r->inputs_at);
}
static inline fxs_history *history_in(const fxs_rollback *r) {
    return (fxs_history *)(void *)rollback_at(r, r->history_at);
}

/* Frames of the match that the history has stepped, and has confirmed. */
static inline uint32_t head_of(const fxs_rollback *r) {
    return frames_between(r->start, fxs_history_head(history_in(r)));
}
static inline uint32_t confirmed_of(const fxs_rollback *r) {
    return frames_between(r->start, fxs_history_first(history_in(r)));
}

static inline int has_player(uint64_t players, uint32_t player) {
    return (int)(players >> player & 1);
}

/* The hash of the parts of a confirmed frame, which packets carry. */
FXS_INTERNAL uint64_t fxs_rollback_hash(fxs_rollback *r, uint32_t frame);
/* Compares the hashes of a remote with those of this peer, as far as both are known. */
FXS_INTERNAL void fxs_rollback_compare(fxs_rollback *r, uint32_t of);
/* Takes the parts of the frame that differs, as the remote has them. */
FXS_INTERNAL void fxs_rollback_report(fxs_rollback *r, uint32_t of, const uint64_t *theirs);

#endif
