#include "classes.h"

static const gd_method METHODS[] = {{NULL, NULL, NULL}};
const gd_class GD_FIXSYNC = {"Fixsync", "Numbers.", 0, NULL, METHODS};
const gd_class *const GD_CLASSES[] = {&GD_FIXSYNC, &GD_CLASS_WORLD, &GD_CLASS_LEVEL, NULL};
