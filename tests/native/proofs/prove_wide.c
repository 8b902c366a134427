/* Two-word and four-word integers (FXS_NO_INT128) against the checker's own of 128 and 256 bits, for every operand. */
#define FXS_NO_INT128
#include "any.h"
#include "wide256.h"

typedef unsigned __CPROVER_bitvector[128] uint128;
typedef unsigned __CPROVER_bitvector[256] uint256;

static i128 any_128(void) { return i128_join(nondet_uint64(), nondet_uint64()); }

/* In two's complement; `ordered` puts signed numbers in the order of unsigned ones. */
static uint128 value(i128 a) { return (uint128)a.high << 64 | a.low; }
static uint128 ordered(i128 a) { return value(a) ^ (uint128)1 << 127; }
static int is_negative(i128 a) { return (int)(value(a) >> 127); }

/*@ two-word sums, differences and negatives are exact
    bounds    all operands
    in        wide.h
    change    (low < a.low)
    to        (low <= a.low)
    quick */
void sums_are_exact(void) {
    i128 a = any_128(), b = any_128();
    __CPROVER_assert(value(i128_add(a, b)) == value(a) + value(b), "add");
    __CPROVER_assert(value(i128_sub(a, b)) == value(a) - value(b), "sub");
    __CPROVER_assert(value(i128_neg(a)) == 0 - value(a), "neg");
    int64_t v = nondet_int64();
    uint128 extended = v < 0 ? 0 - (uint128)magnitude(v) : (uint128)magnitude(v);
    __CPROVER_assert(value(i128_of(v)) == extended, "of");
}

/*@ two-word signs, order, magnitudes are exact
    bounds    all operands
    in        wide.h
    change    return ah < bh ? -1 : 1;
    to        return ah > bh ? -1 : 1;
    quick */
void signs_are_exact(void) {
    i128 a = any_128(), b = any_128();
    __CPROVER_assert(i128_sign(a) == (is_negative(a) ? -1 : value(a) != 0), "sign");
    __CPROVER_assert(i128_cmp(a, b) == (ordered(a) > ordered(b)) - (ordered(a) < ordered(b)), "cmp");
    __CPROVER_assert(value(i128_abs(a)) == (is_negative(a) ? 0 - value(a) : value(a)), "abs");
    int64_t v = nondet_int64();
    __CPROVER_assert(v < 0 ? magnitude(v) + (uint64_t)v == 0 && magnitude(v) != 0 : magnitude(v) == (uint64_t)v, "magnitude");
}

/*@ no sum within a two-word product wraps
    bounds    all operands
    options   --unsigned-overflow-check
    in        wide.h
    change    mid = a1 * b0 + (low >> 32)
    to        mid = a1 * b0 + low
    quick */
/* No sum in the schoolbook product wraps (with --unsigned-overflow-check); that the sums are then those of the product is arithmetic:
 * see lemmas.py. */
void products_never_wrap(void) {
    mul_high(nondet_uint64(), nondet_uint64());
}

/*@ the sign of a two-word product is exact, its magnitude being so
    bounds    all operands
    options   --z3
    in        wide.h
    change    (a < 0) != (b < 0) ? i128_neg(r) : r
    to        a < 0 ? i128_neg(r) : r
    quick */
/* With the sign: the product of the magnitudes being right. */
void signs_of_products_are_exact(void) {
    int64_t a = nondet_int64(), b = nondet_int64();
    i128 m = i128_umul(magnitude(a), magnitude(b));
    __CPROVER_assert(value(i128_mul(a, b)) == ((a < 0) != (b < 0) ? 0 - value(m) : value(m)), "mul");
    __CPROVER_assert(mul_high((uint64_t)a, (uint64_t)b) == i128_umul((uint64_t)a, (uint64_t)b).high, "mul_high");
}

/*@ two-word shifts and bit lengths are exact
    bounds    all operands
    in        wide256.h
    change    high << (64 - shift) | low >> shift
    to        high << (63 - shift) | low >> shift
    quick */
void shifts_are_exact(void) {
    i128 a = any_128();
    uint32_t shift = nondet_uint32(), bits = i128_bits(a);
    __CPROVER_assume(!is_negative(a) && shift < 128);
    __CPROVER_assert(value(i128_shr(a, shift)) == value(a) >> shift, "shr");
    __CPROVER_assert(bits == 0 ? value(a) == 0 : value(a) >> (bits - 1) == 1, "bits");
    if (shift < 64 && bits + shift <= 127) {
        __CPROVER_assert(value(i128_shl(a, shift)) == value(a) << shift, "shl");
    }
}

static uint256 value256(i256 a) {
    return (uint256)a.word[3] << 192 | (uint256)a.word[2] << 128 | (uint256)a.word[1] << 64 | (uint256)a.word[0];
}

/*@ four-word sums, negatives and signs are exact
    bounds    all operands
    options   --unwind 6
    in        wide256.h
    change    carry += a.word[i] < sum;
    to        carry = a.word[i] < sum;
    quick */
void sums_of_four_words_are_exact(void) {
    i256 a = {{nondet_uint64(), nondet_uint64(), nondet_uint64(), nondet_uint64()}};
    i256 b = {{nondet_uint64(), nondet_uint64(), nondet_uint64(), nondet_uint64()}};
    __CPROVER_assert(value256(i256_add(a, b)) == value256(a) + value256(b), "add");
    __CPROVER_assert(value256(i256_neg(a)) == 0 - value256(a), "neg");
    __CPROVER_assert(i256_sign(a) == (value256(a) >> 255 ? -1 : value256(a) != 0), "sign");
}
