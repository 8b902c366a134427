/* The words of statuses: those of the headers. */
#include "../fixsync_kit.h"

const char *fxs_status_text(int32_t status) {
    switch (status) { /* #lizard forgives: a case for each status */
    case FXS_OK: return "success";
    case FXS_E_KIND: return "not the kind of a shape";
    case FXS_E_SIZE: return "a size out of range, or an unused one that is not 0";
    case FXS_E_HALF_ANGLE: return "a sector's outside 1..32768, or another kind's not 0";
    case FXS_E_YAW: return "a yaw outside 0..65535";
    case FXS_E_CENTRE: return "a centre (position and turned offset) or lift outside int32";
    case FXS_E_ID: return "an id not below the capacity, or of no solid of the level";
    case FXS_E_TAKEN: return "an id that is already in the world";
    case FXS_E_ABSENT: return "an id that is not in the world";
    case FXS_E_LAYER: return "a layer outside 0..31";
    case FXS_E_ACTIVE: return "an active flag other than 0 and 1";
    case FXS_E_ROOM: return "too little room; the room needed is returned";
    case FXS_E_CONFIG: return "a config out of range, or misaligned memory";
    case FXS_E_DISTANCE: return "outside -(2^32 - 1)..2^32 - 1, beyond any two positions";
    case FXS_E_STATE: return "not a saved state, or one that this world cannot hold";
    case FXS_E_UNDEFINED: return "not defined for these shapes";
    case FXS_E_MOTION: return "a component outside -FXS_SIZE_MAX..FXS_SIZE_MAX";
    case FXS_E_HIT_WHEN: return "not FXS_TOUCHING or FXS_OVERLAPPING";
    case FXS_E_COMMAND: return "a command type outside 1..11";
    case FXS_E_SEGMENTS: return "segments of an outline outside 3..FXS_TURN";
    case FXS_E_LEVEL: return "bytes that are not a level";
    case FXS_E_RANGE: return "an argument or a result out of range";
    case FXS_E_TABLE: return "not a table of frame data";
    case FXS_E_ORDER: return "a call that is not allowed at this point";
    case FXS_E_NORMAL: return "a normal of (0, 0, 0), or with a component out of range";
    case FXS_E_MOVER: return "a field of a mover out of range";
    case FXS_E_TEXT: return "text that no match log may hold, or not a decimal";
    case FXS_E_INEXACT: return "a decimal that is not a multiple of 1/65536";
    case FXS_E_PACKET: return "a packet that is cut, damaged or malformed";
    case FXS_E_LIFE: return "a packet of an earlier match or start of a peer, or damaged";
    case FXS_E_MATCH: return "a packet of another match";
    case FXS_E_SEMANTICS: return "a packet of a kernel with other semantics";
    case FXS_E_SETTINGS: return "a packet of a peer with other settings";
    case FXS_E_DATA: return "a packet of a peer with other data";
    case FXS_E_INPUT: return "another input than before for the same player and frame";
    default: return "not a status of fixsync";
    }
}
