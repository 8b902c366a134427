/* Contact of two shapes of kinds KIND_A and KIND_B: no overflow, no lost bits, no undefined behaviour, for every valid input, and up to
 * 2^15 raw units beyond the reach of the shapes, which the broad phase may ask for. */
#include "contact.c"

#include "any.h"

static int is_near(int64_t a, int64_t b, int64_t reach) { return abs64(b - a) <= reach + 32768; }

void contact_is_defined(void) {
    fxs_shape a = any_shape(KIND_A), b = any_shape(KIND_B);
    fxs_pose pa = any_pose(), pb = any_pose();
    solid sa, sb;
    fxs_solid_make(&sa, &a, &pa);
    fxs_solid_make(&sb, &b, &pb);
    __CPROVER_assume(is_near(sa.x, sb.x, (int64_t)sa.reach_x + sb.reach_x));
    __CPROVER_assume(is_near(sa.y, sb.y, (int64_t)sa.reach_y + sb.reach_y));
    __CPROVER_assume(is_near(sa.z, sb.z, (int64_t)sa.reach_z + sb.reach_z));
    int contact = contact_near(&sa, &sb, NULL);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}

/* Bounds of a query. */
#if KIND_A == KIND_B
/* In the place of angle.c, where it is proved. */
int32_t fxs_yaw_between(uint32_t from, uint32_t to) {
    (void)from;
    (void)to;
    return any_in(-32768, 32767);
}

void bounds_are_defined(void) {
    fxs_shape shape = any_shape(KIND_A);
    fxs_pose pose = any_pose();
    solid s;
    fxs_solid_make(&s, &shape, &pose);
    int64_t least[3], most[3];
    fxs_solid_bounds(&s, least, most);
    __CPROVER_assert(least[0] <= most[0] && least[1] <= most[1] && least[2] <= most[2], "bounds");
}
#endif
