/* The contract once more, slowly: the functions of fixsync.h under the prefix ref_ (push-out and casts aside), with 384-bit integers, every pair against every
 * pair, no early out and no table of constants. It shares with the kernel fixsync.h's types and statuses, and of kinds of polygons
 * corners and ranges. */
#ifndef FIXSYNC_TESTS_REFERENCE_H
#define FIXSYNC_TESTS_REFERENCE_H

#include "fixsync.h"

typedef struct ref_world ref_world;

uint32_t ref_version(void);
uint32_t ref_semantics(void);

void ref_direction(uint16_t yaw, int32_t *cos_q30, int32_t *sin_q30);
int32_t ref_yaw_of(int64_t dx, int64_t dz);
int64_t ref_length(int64_t dx, int64_t dy, int64_t dz);
int32_t ref_yaw_between(uint32_t from, uint32_t to);
int32_t ref_faces(uint32_t yaw, uint32_t half_angle, int64_t dx, int64_t dz);
int32_t ref_forward(uint32_t yaw, int32_t length, int32_t *x, int32_t *z);

int32_t ref_shape_check(const fxs_shape *shape);
int32_t ref_overlap(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b);
int32_t ref_overlap_many(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b, uint64_t n,
                         uint8_t *contacts, uint64_t *bad);

int32_t ref_lift(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b, const fxs_pose *pose_b, int32_t *out_y);

/* Of casts the reference only checks what they claim: the contact at n / 2^bits of the way, and the normal of a known fraction, with
 * the distance that orders hits of equal fraction. */
int32_t ref_cast_contact(const fxs_shape *a, const fxs_pose *pose_a, const int32_t *motion_a, const fxs_shape *b, const fxs_pose *pose_b,
                         const int32_t *motion_b, int64_t n, int bits);
int64_t ref_cast_normal(const fxs_shape *a, const fxs_pose *pose_a, const int32_t *motion_a, const fxs_shape *b, const fxs_pose *pose_b,
                        const int32_t *motion_b, int32_t fraction, int32_t *normal);
/* The same of a solid that the shape does not overlap at the start; `solid` are its bytes in a level, of this size. */
uint64_t ref_solid_size(const uint8_t *solid);
int64_t ref_solid_cast_normal(const fxs_shape *shape, const fxs_pose *pose, const int32_t *motion, const uint8_t *solid, int32_t fraction,
                              int32_t *normal);

uint64_t ref_world_size(const fxs_config *config);
int32_t ref_world_init(ref_world *memory, const fxs_config *config);
int32_t ref_world_copy(ref_world *dst, const ref_world *src);
uint32_t ref_world_frame(const ref_world *world);
uint32_t ref_world_count(const ref_world *world);
void ref_world_config(const ref_world *world, fxs_config *out);
int32_t ref_world_add(ref_world *world, const fxs_collider *collider);
int32_t ref_world_remove(ref_world *world, uint32_t id);
int32_t ref_world_get(const ref_world *world, uint32_t id, fxs_collider *out);
int32_t ref_world_move(ref_world *world, uint32_t id, int32_t x, int32_t y, int32_t z);
int32_t ref_world_turn(ref_world *world, uint32_t id, uint32_t yaw);
int32_t ref_world_set_pose(ref_world *world, uint32_t id, const fxs_pose *pose);
int32_t ref_world_set_shape(ref_world *world, uint32_t id, const fxs_shape *shape);
int32_t ref_world_set_offset(ref_world *world, uint32_t id, int32_t ox, int32_t oy, int32_t oz);
int32_t ref_world_set_owner(ref_world *world, uint32_t id, uint32_t owner);
int32_t ref_world_set_layer(ref_world *world, uint32_t id, uint32_t layer);
int32_t ref_world_set_active(ref_world *world, uint32_t id, uint32_t active);
int32_t ref_world_add_many(ref_world *world, const fxs_collider *colliders, uint64_t n, uint64_t *bad);
int32_t ref_world_move_many(ref_world *world, const uint32_t *ids, const int32_t *positions, uint64_t n, uint64_t *bad);
int32_t ref_world_set_pose_many(ref_world *world, const uint32_t *ids, const fxs_pose *poses, uint64_t n, uint64_t *bad);
void ref_world_ids(const ref_world *world, uint32_t *ids);
void ref_world_colliders(const ref_world *world, fxs_collider *out);
int32_t ref_world_step(ref_world *world, fxs_event *events, uint64_t event_capacity, fxs_counts *counts);
uint64_t ref_world_hit_count(const ref_world *world);
void ref_world_hits(const ref_world *world, fxs_hit *out);
int32_t ref_world_contact(const ref_world *world, uint32_t a, uint32_t b);
int32_t ref_world_query(ref_world *world, const fxs_query *query, uint32_t *ids, uint64_t id_capacity, uint64_t *count);
int32_t ref_world_query_many(ref_world *world, const fxs_query *queries, uint64_t n, uint64_t *ends, uint32_t *ids,
                             uint64_t id_capacity, uint64_t *count);
int32_t ref_world_nearest_many(ref_world *world, const fxs_query *queries, uint64_t n, uint64_t limit, uint64_t *ends, uint32_t *ids,
                               uint64_t id_capacity, uint64_t *count);
uint64_t ref_world_save_size(const ref_world *world);
void ref_world_save(const ref_world *world, uint8_t *out);
uint64_t ref_world_hash(const ref_world *world);
int32_t ref_world_load(ref_world *world, const uint8_t *bytes, uint64_t size, uint64_t *at);
uint64_t ref_hash64(const uint8_t *bytes, uint64_t size, uint64_t seed);

#endif
