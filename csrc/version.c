/* Version and semantics of this kernel. */
#include "fixsync.h"

uint32_t fxs_version(void) { return FXS_VERSION; }
uint32_t fxs_semantics(void) { return FXS_SEMANTICS; }
