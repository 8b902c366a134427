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
