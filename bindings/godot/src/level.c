#include "classes.h"

static const gd_method METHODS[] = {{NULL, NULL, NULL}};
const gd_class GD_CLASS_LEVEL = {"FixsyncLevel", "A level.", sizeof(gd_level), NULL, METHODS};
