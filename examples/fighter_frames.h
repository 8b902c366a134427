/* Frame data of fighter, written by `fixsync frame-data`. */
#include <stdint.h>

enum {
    FIGHTER_PART_BODY,
    FIGHTER_PART_SLASH,
    FIGHTER_PART_BEAM,
    FIGHTER_PART_BLAST,
    FIGHTER_PART_COUNT
};

enum {
    FIGHTER_ATTACK_BLAST,
    FIGHTER_ATTACK_BEAM,
    FIGHTER_ATTACK_SLASH,
    FIGHTER_ATTACK_DASH,
    FIGHTER_ATTACK_COUNT
};

/* Room for the commands of one call of fxs_body_add, _set_pose, _mirror, _start, ... */
enum { FIGHTER_ROWS_MAX = 4 };

static const uint8_t FIGHTER_FRAMES[320] = {
    70, 88, 70, 49, 4, 0, 0, 0, 4, 0, 0, 0, 2, 0, 1, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 128, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4, 2, 0, 0,
    0, 0, 171, 42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 64, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 2, 0, 0,
    0, 0, 0, 0, 0, 128, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 5, 0, 0, 0, 1, 0, 0, 88, 0, 0, 0, 2, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 152, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 27, 0, 0, 0,
    8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 252, 0, 0, 0, 36, 0, 0, 0, 4, 0, 0, 0,
    0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    8, 1, 0, 0, 15, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
    1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 24, 1, 0, 0,
    12, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 52, 1, 0, 0, 12, 0, 0, 0,
    15, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0, 0, 22, 0, 0, 0,
    4, 0, 0, 0, 19, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0,
    2, 0, 0, 0, 8, 0, 0, 0, 15, 0, 0, 0, 3, 0, 0, 0,
    1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0,
};
