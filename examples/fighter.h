/* The fighter of fixsync's sample game, written with the kit: it walks along walls, dashes,
 * slashes, fires a beam and sets off a blast.
 *
 * fighter_frames.h is fighter.json as C: `fixsync frame-data fighter.json -o fighter_frames.h`.
 *
 * Each frame: fighter_act for every fighter, the world's step, fighter_meet for every event, then
 * fighter_rest for every fighter. Each returns the number of commands that it made and left in
 * `rows`, which has room for FIGHTER_ROWS. */
#include "fighter_frames.h"
#include "fixsync_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYER_BODY, LAYER_WALL, LAYER_SKILL };
enum { WALK = 64, SLASH = 128, BEAM = 256, BLAST = 512, DASH = 1024 }; /* above the heading */
enum { FIGHTER_ROWS = 2 * FXS_BODY_ROWS, HEALTH = 50, DASH_FRAMES = 9 };

typedef struct fighter {
    uint32_t player;
    fxs_body body;
    struct fighter_own {
        int32_t health, falls;
        int32_t push_x, push_z;               /* knockback, per frame */
        uint32_t waits[FIGHTER_ATTACK_COUNT]; /* frames until a skill can be used again */
    } own;
} fighter;

enum { FIGHTER_STATE_MAX = sizeof(struct fighter_own) + 4 + 24 + 4 * FXS_VICTIMS_MAX };

static const struct skill {
    uint32_t button, cooldown;
    int32_t damage, push;
} SKILLS[FIGHTER_ATTACK_COUNT] = {
    [FIGHTER_ATTACK_SLASH] = {SLASH, 20, 14, FXS_Q_NEAR(2, 10)},
    [FIGHTER_ATTACK_BEAM] = {BEAM, 170, 13, FXS_Q_NEAR(25, 100)},
    [FIGHTER_ATTACK_BLAST] = {BLAST, 220, 20, FXS_Q_NEAR(5, 10)},
    [FIGHTER_ATTACK_DASH] = {DASH, 70, 0, 0},
};

/* The answer of a call that must not fail. */
static uint32_t must(int32_t answer) {
    if (answer < 0) {
        fprintf(stderr, "a call returned status %d\n", answer);
        exit(1);
    }
    return (uint32_t)answer;
}

static uint32_t fighter_begin(fighter *f, uint32_t player, fxs_world *world, const fxs_pose *pose,
                              fxs_command *rows) {
    uint32_t ids[FIGHTER_PART_COUNT];
    memset(f, 0, sizeof *f);
    f->player = player;
    f->own.health = HEALTH;
    for (uint32_t part = 0; part < FIGHTER_PART_COUNT; part++) {
        ids[part] = FIGHTER_PART_COUNT * player + part;
    }
    return must(fxs_body_add(&f->body, FIGHTER_FRAMES, world, ids, player + 1, pose, 0, rows));
}

/* A frame of a fighter: it follows its input as far as it can. */
static uint32_t fighter_act(fighter *f, uint32_t input, fxs_world *world, fxs_command *rows) {
    uint32_t n = 0;
    fxs_pose pose;
    must(fxs_body_pose(&f->body, FIGHTER_FRAMES, world, &pose));
    if (f->body.attack == FXS_NO_ATTACK && input >= WALK) {
        pose.yaw = input % WALK * (FXS_TURN / WALK);
    }
    uint32_t is_free = 1; /* one skill begins in a frame: the first that can, as in the table */
    for (uint32_t skill = 0; skill < FIGHTER_ATTACK_COUNT; skill++) {
        f->own.waits[skill] -= f->own.waits[skill] > 0;
        if (is_free && (input & SKILLS[skill].button) && f->own.waits[skill] == 0 &&
            must(fxs_body_can_start(&f->body, FIGHTER_FRAMES, skill))) {
            n += must(fxs_body_start(&f->body, FIGHTER_FRAMES, world, skill, rows + n));
            f->own.waits[skill] = SKILLS[skill].cooldown;
            is_free = 0;
        }
    }
    int32_t speed = input & WALK ? FXS_Q_NEAR(9, 100) : 0;
    if (f->body.attack == FIGHTER_ATTACK_DASH) {
        speed = f->body.frame < DASH_FRAMES ? FXS_Q_NEAR(3, 10) : 0;
    } else if (f->body.attack != FXS_NO_ATTACK) {
        speed /= 4;
    }
    fxs_mover mover = {f->body.ids[FIGHTER_PART_BODY], 1u << LAYER_BODY | 1u << LAYER_WALL, 4, 0,
                       0, 759250125, 0};
    fxs_mover_result moved;
    fxs_cast_hit met[6];
    int32_t motion[3] = {0, 0, 0};
    must(fxs_forward(pose.yaw, speed, &motion[0], &motion[2]));
    motion[0] += f->own.push_x;
    motion[2] += f->own.push_z;
    must(fxs_mover_move(world, &mover, motion, &moved, met));
    f->own.push_x = f->own.push_x * 7 / 8;
    f->own.push_z = f->own.push_z * 7 / 8;
    fxs_pose to = {moved.x, moved.y, moved.z, pose.yaw};
    return n + must(fxs_body_set_pose(&f->body, FIGHTER_FRAMES, world, &to, rows + n));
}

/* Applies an event of the step: a skill hurts a body once for each of its hits. Walls have higher
 * ids than fighters. */
static uint32_t fighter_meet(fighter *fighters, uint32_t count, const fxs_event *event,
                             fxs_world *world, fxs_command *rows) {
    uint32_t a_is_body = event->a % FIGHTER_PART_COUNT == FIGHTER_PART_BODY;
    uint32_t weapon = a_is_body ? event->b : event->a, body = a_is_body ? event->a : event->b;
    if (event->kind == FXS_EXIT || weapon >= FIGHTER_PART_COUNT * count ||
        weapon % FIGHTER_PART_COUNT == FIGHTER_PART_BODY) {
        return 0;
    }
    fighter *by = fighters + weapon / FIGHTER_PART_COUNT;
    fighter *victim = fighters + body / FIGHTER_PART_COUNT;
    if (!must(fxs_body_strike(&by->body, victim->player))) {
        return 0;
    }
    const struct skill *skill = &SKILLS[by->body.attack];
    fxs_pose here, there;
    must(fxs_body_pose(&by->body, FIGHTER_FRAMES, world, &here));
    must(fxs_body_pose(&victim->body, FIGHTER_FRAMES, world, &there));
    uint32_t yaw = must(fxs_yaw_of((int64_t)there.x - here.x, (int64_t)there.z - here.z));
    must(fxs_forward(yaw, skill->push, &victim->own.push_x, &victim->own.push_z));
    victim->own.health -= skill->damage;
    if (victim->own.health > 0) {
        return 0;
    }
    victim->own.health = HEALTH;
    victim->own.falls++;
    return must(fxs_body_cancel(&victim->body, FIGHTER_FRAMES, world, rows));
}

static uint32_t fighter_rest(fighter *f, fxs_world *world, fxs_command *rows) {
    return must(fxs_body_tick(&f->body, FIGHTER_FRAMES, world, rows));
}

/* The state that a rollback restores beside the world's, FIGHTER_STATE_MAX bytes. */
static void fighter_save(const fighter *f, uint8_t *out) {
    memset(out, 0, FIGHTER_STATE_MAX);
    memcpy(out, &f->own, sizeof f->own);
    out[sizeof f->own] = (uint8_t)(fxs_body_save_size(&f->body) / 4);
    fxs_body_save(&f->body, out + sizeof f->own + 4);
}

static void fighter_load(fighter *f, const uint8_t *bytes) {
    uint64_t at, size = 4 * (uint64_t)bytes[sizeof f->own];
    memcpy(&f->own, bytes, sizeof f->own);
    must(fxs_body_load(&f->body, FIGHTER_FRAMES, bytes + sizeof f->own + 4, size, &at));
}
