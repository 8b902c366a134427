"""Writes the constants of angle.c, from integers alone: `python csrc/angle_table.py >
csrc/angle_table.h`.

Angles are counted in half steps, 131072 to a turn: the directions of the contract
(docs/contract.md, Numbers) lie on even ones, the borders of yaw_of on odd ones. Sine and cosine
come from their Taylor series in fixed point with 256 bits after the point, the arc tangent from its
own."""

BITS = 256
ONE = 1 << BITS


def arctan_inverse(n: int) -> int:
    """atan(1/n) with BITS bits after the point."""
    total, term, k = 0, ONE // n, 0
    while term:
        total += (-term if k & 1 else term) // (2 * k + 1)
        term //= n * n
        k += 1
    return total


PI = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))  # Machin's formula


def cos_sin(half_steps: int) -> tuple[int, int]:
    """(cos, sin) of 2*pi*half_steps/131072, with BITS bits after the point."""
    angle = 2 * PI * half_steps // 131072
    sums, term, k = [0, 0], ONE, 0
    while term:
        sums[k & 1] += -term if k & 2 else term
        k += 1
        term = term * angle // (ONE * k)
    return sums[0], sums[1]


def arctan_steps(numerator: int, denominator: int) -> int:
    """atan(numerator/denominator) in yaw steps times 2^16, rounded: by bisection on sine and
    cosine.
    """
    low, high = 0, 8192 << 17
    while low < high:
        middle = (low + high) // 2
        c, s = cos_sin_fraction(middle)
        if s * denominator < c * numerator:
            low = middle + 1
        else:
            high = middle
    return (low + 1) // 2


def cos_sin_fraction(steps_q17: int) -> tuple[int, int]:
    angle = 2 * PI * steps_q17 // (65536 << 17)
    sums, term, k = [0, 0], ONE, 0
    while term >> (BITS - 80):
        sums[k & 1] += -term if k & 2 else term
        k += 1
        term = term * angle // (ONE * k)
    return sums[0], sums[1]


def rounded(value: int, bits: int) -> int:
    return (value + (1 << (BITS - bits - 1))) >> (BITS - bits)


def rows(values: list[str], each: int) -> str:
    return ",\n".join("    " + ", ".join(values[i : i + each]) for i in range(0, len(values), each))


def pair(half_steps: int) -> str:
    c, s = cos_sin(half_steps)
    return f"{{0x{rounded(c, 63):016x}, 0x{rounded(s, 63):016x}}}"


def main() -> None:
    print("/* Made by angle_table.py: do not edit. */")
    print()
    print("#ifdef FXS_SMALL")
    print("/* (cos, sin) of i/32, i/256, i/2048, i/16384 and i/131072 turn, Q1.63. */")
    print("static const uint64_t DIGITS[5][8][2] = {")
    digits = [rows([pair(i << up) for i in range(8)], 2) for up in (12, 9, 6, 3, 0)]
    print("    {\n" + "\n    }, {\n".join(digits) + "\n    }")
    print("};")
    print("#else")
    print("/* (cos, sin) of i/512 turn, Q1.63. */")
    print("static const uint64_t COARSE[128][2] = {")
    print(rows([pair(256 * i) for i in range(128)], 2))
    print("};")
    print()
    print("/* (cos, sin) of i/131072 turn, Q1.63. */")
    print("static const uint64_t FINE[256][2] = {")
    print(rows([pair(i) for i in range(256)], 2))
    print("};")
    print("#endif")
    print()
    print(
        "/* atan(i/128) in yaw steps, times 2^16; one more so that the last interval has an end. */"
    )
    print("static const uint32_t ARCTAN[130] = {")
    print(rows([str(arctan_steps(i, 128)) for i in range(129)] + [str(8192 << 16)], 8))
    print("};")


if __name__ == "__main__":
    main()
