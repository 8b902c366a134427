/* Contact of two shapes of kinds KIND_A and KIND_B: no overflow, no lost bits, no undefined behaviour, for every valid input. */
#include "contact.c"

#include "any.h"

void contact_is_defined(void) {
    fxs_shape a = any_shape(KIND_A), b = any_shape(KIND_B);
    fxs_pose pa = any_pose(), pb = any_pose();
    int32_t contact = fxs_overlap(&a, &pa, &b, &pb);
    __CPROVER_assert(contact >= FXS_APART && contact <= FXS_OVERLAPPING, "a contact");
}
