/* Normals of the hits of casts: a vector becomes one of length 2^30. */
#include "normal.h"

parting fxs_unit(int64_t x, int64_t y, int64_t z) {
    FXS_ASSERT(x != 0 || y != 0 || z != 0);
    const int64_t one = (int64_t)1 << 44;
    const i128 square = i128_add(i128_add(i128_square(x), i128_square(y)), i128_square(z));
    const int64_t s = isqrt128(i128_shl(square, 28)); /* below 2^61 */
    const parting p = {{towards_zero(i128_mul(x, one), s), towards_zero(i128_mul(y, one), s),
                        towards_zero(i128_mul(z, one), s)},
                       s};
    FXS_ASSERT(abs64(p.normal.x) <= Q30_ONE && abs64(p.normal.y) <= Q30_ONE &&
               abs64(p.normal.z) <= Q30_ONE);
    return p;
}
