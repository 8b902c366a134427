"""Proofs about the kernel's C, by a model checker (CBMC) and a solver (Z3).

    python tests/native/proofs.py              every proof
    python tests/native/proofs.py --quick      those that take seconds: what the tests run
    python tests/native/proofs.py --only cast
    python tests/native/proofs.py --undecided  those that no run has finished yet
    python tests/native/proofs.py --list       only print the claims

Each claim stands above its function, in the comments `/*@` of proofs/*.c; what is arithmetic alone
is a lemma here. A proof holds for all values of its arguments within the bounds it names. It counts
only if the same proof, of a copy of the kernel with a fault planted in it, fails. Overflow, shifts,
divisions, conversions that could lose something, every access to memory and the assertions of the
sources are checked; a conversion to an unsigned type is defined by C, and meant.

CBMC is found as `cbmc`, or started by .ci/cbmc; Z3 is the package z3-solver. Where `cadical` is
installed it takes the place of CBMC's own solver, and is several times as fast. Exit code 0: all
hold; 1: one does not; 2: the tools are not there."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from targets import CSRC, HERE, ROOT

PROOFS = HERE / "proofs"


@dataclass(frozen=True)
class Fault:
    """A change of one place of the kernel that a proof must notice."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Proof:
    claim: str
    file: str
    function: str
    fault: Fault
    options: tuple[str, ...] = ()
    bounds: str = "all"
    quick: bool = False
    undecided: bool = False  # not seen to end: no part of a full run, nor of the table

    @property
    def name(self) -> str:
        return self.function + "".join(
            f" {o[2:]}" for o in self.options if o.startswith(("-DKIND", "-DSIZE"))
        )


@dataclass(frozen=True)
class Lemma:
    """Arithmetic over unbounded integers: where nothing overflows, a statement about the code."""

    claim: str
    name: str
    state: Callable[[Any, bool], Any]  # (z3, with a fault) -> what must have no model
    bounds: str = "all integers in the ranges the code has"


LEMMAS: list[Lemma] = []


def lemma(claim: str) -> Callable[[Callable[[Any, bool], Any]], Callable[[Any, bool], Any]]:
    """Adds what is decorated to the lemmas."""

    def added(state: Callable[[Any, bool], Any]) -> Callable[[Any, bool], Any]:
        LEMMAS.append(Lemma(claim, state.__name__, state))
        return state

    return added


# By code, as the table of shapes names them.
KINDS = re.findall(r"\bKIND\(FXS_\w+, (\w+),", (CSRC / "shape.h").read_text(encoding="ascii"))
CLAIM = re.compile(r"/\*@ (.*?) \*/|^void (\w+)\(void\)", re.DOTALL | re.MULTILINE)


def proofs_of(file: str) -> Iterator[Proof]:
    """What the comments `/*@` of a file claim, each of the next function.

    A comment has the claim, and under it the `bounds` that it holds within, the `options` of the
    checker, and the fault to plant: `in` which file, what to `change`, and `to` what. `of` names
    pairs of kinds, each of which is a proof of its own. A proof is `quick` if it takes seconds, and
    `undecided` if no run has finished it yet, either for all pairs or for those that are named."""
    claims: list[str] = []
    for comment, function in CLAIM.findall((PROOFS / file).read_text(encoding="ascii")):
        if comment:
            claims.append(comment)
            continue
        if not claims:
            raise ValueError(f"{file}: {function} has no claim")
        for lines in map(str.splitlines, claims):
            fields = {
                key: value.strip() for key, _, value in (x[4:].partition(" ") for x in lines[1:])
            }
            fault = Fault(fields["in"], fields["change"], fields["to"])
            options = tuple(fields.get("options", "").split())
            for kinds in fields.get("of", "-").split():
                claim, of = lines[0], ()
                if kinds != "-":
                    a, b = map(int, kinds)
                    claim = claim.format(a=KINDS[a], b=KINDS[b])
                    of = (f"-DKIND_A={a}", f"-DKIND_B={b}")
                marks = {
                    key: key in fields and (not fields[key] or kinds in fields[key].split())
                    for key in ("quick", "undecided")
                }
                bounds = fields.get("bounds", "all")
                yield Proof(claim, file, function, fault, (*of, *options), bounds, **marks)
        claims = []


def cls(z3: Any, left: Any, right: Any) -> Any:
    return z3.If(left < right, 2, z3.If(left == right, 1, 0))


@lemma("two discs: comparing squared distances is NEAR's comparison of L^2")
def two_discs(z3: Any, fault: bool) -> Any:
    """NEAR of a cylinder with q = r^2, against a comparison of D2 with the squared sum of the
    radii.
    """
    distance_sq, big, small = z3.Ints("distance_sq R r")
    beyond = distance_sq - big * big
    left = beyond - small * small
    near = z3.If(
        beyond <= 0,
        cls(z3, 0, small * small),
        z3.If(left < 0, 2, cls(z3, left * left, 4 * big * big * small * small)),
    )
    both = big + small + int(fault)
    return z3.And(distance_sq >= 0, big >= 1, small >= 1, near != cls(z3, distance_sq, both * both))


@lemma("depth_q46: whole raw units decide outside a band, and decide rightly")
def whole_units(z3: Any, fault: bool) -> Any:
    """depth_q46: u = floor(v / 2^30) decides |v|^2 against q * 2^60 outside a band."""
    q, ux, uz, rest_x, rest_z = z3.Ints("q ux uz rest_x rest_z")
    one = 2**30
    x, z = ux * one + rest_x, uz * one + rest_z
    ranges = [
        ux >= 0,
        uz >= 0,
        q >= 0,
        *(z3.And(rest >= 0, rest < one) for rest in (rest_x, rest_z)),
    ]
    least = ux * ux + uz * uz
    most = least + 2 * (ux + uz + (0 if fault else 1))
    apart = z3.And(least > q, x * x + z * z <= q * one * one)
    overlapping = z3.And(most <= q, x * x + z * z >= q * one * one)
    return z3.And(*ranges, z3.Or(apart, overlapping))


@lemma("contact_beyond: whole parts of the products decide outside a radius")
def reach_of_wedge(z3: Any, fault: bool) -> Any:
    """contact_beyond: 2^30 a + r (2^30 whole + part), the reach of a wedge, against 0."""
    of_apex, radius, whole, part = z3.Ints("of_apex radius whole part")
    one = 2**30
    reach = one * of_apex + radius * (one * whole + part)
    least = of_apex + radius * whole
    above = z3.And(least > (-1 if fault else 0), reach <= 0)
    below = z3.And(least + radius < 0, reach >= 0)
    return z3.And(radius >= 1, whole >= 0, part >= 0, part < one, z3.Or(above, below))


@lemma("is_well_in: a half disc about an inner point has a disc in the sector")
def well_in(z3: Any, fault: bool) -> Any:
    """is_well_in: a point of a disc of 16 about d is inside an edge e, |e| <= 2^30 + 1, of which d
    is further than 16 * 2^30 by the cross product, up to the rounding of e.
    """
    ex, ez, dx, dz, vx, vz = z3.Reals("ex ez dx dz vx vz")
    one = 2**30
    reach = 17 if fault else 15
    inside = ex * dz - ez * dx > 16 * one
    e = z3.And(ex * ex + ez * ez <= (one + 1) * (one + 1))
    v = vx * vx + vz * vz <= reach * reach
    return z3.And(inside, e, v, ex * (dz + vz) - ez * (dx + vx) <= 0)


@lemma("the words of a two-word product are the product")
def umul(z3: Any, fault: bool) -> Any:
    """The sums in mul_high, for any four products of 32-bit halves."""
    word = 2**32
    p00, p10, p01, p11 = z3.Ints("p00 p10 p01 p11")
    ranges = [z3.And(p >= 0, p <= (word - 1) ** 2) for p in (p00, p10, p01, p11)]
    mid = p10 + (p00 if fault else p00 / word)
    cross = p01 + mid % word
    high = p11 + mid / word + cross / word
    low = (cross % word) * word + p00 % word
    wraps = [v >= word * word for v in (mid, cross, high, low)]
    wrong = high * word * word + low != p00 + (p10 + p01) * word + p11 * word * word
    return z3.And(*ranges, z3.Or(*wraps, wrong))


@lemma("the words of a four-word product are the product")
def mul256(z3: Any, fault: bool) -> Any:
    """The sums in i256_mul, for any four products of the 64-bit halves of two numbers below
    2^127.
    """
    word = 2**64
    p00, p10, p01, p11 = z3.Ints("p00 p10 p01 p11")
    most = {p00: (word - 1) ** 2, p10: (word - 1) * (word // 2 - 1), p11: (word // 2 - 1) ** 2}
    most[p01] = most[p10]
    ranges = [z3.And(p >= 0, p <= limit) for p, limit in most.items()]
    mid = p01 + p00 / word
    cross = p10 + mid % word
    high = p11 + mid / word + (0 if fault else cross / word)
    wraps = [v >= word * word // 2 for v in (mid, cross, high)]
    wrong = (
        high * word * word + (cross % word) * word + p00 % word
        != p00 + (p10 + p01) * word + p11 * word * word
    )
    return z3.And(*ranges, z3.Or(*wraps, wrong))


def root_stage(bits: int, shift: int, cut: int) -> Callable[[Any, bool], Any]:
    """A line of isqrt64: from r, (r - 1)^2 < hi < (r + 1)^2, to (r << shift) + (m >> cut) / r of
    m.
    """

    def state(z3: Any, fault: bool) -> Any:
        m, r, hi, low, dividend, dropped, quotient, rest = z3.Ints(
            "m r hi low dividend dropped quotient rest"
        )
        under = 2 ** (2 * (shift + 1))
        ranges = [
            z3.And(m == hi * under + low, low >= 0, low < under),
            z3.And(hi >= 2 ** (2 * (bits - shift - 1) - 2), hi < 2 ** (2 * (bits - shift - 1))),
            z3.And(r >= 1, (r - 1) * (r - 1) < hi, hi < (r + 1) * (r + 1)),
            z3.And(m == dividend * 2**cut + dropped, dropped >= 0, dropped < 2**cut),
            z3.And(dividend == quotient * r + rest, rest >= 0, rest < r),
        ]
        root = r * 2**shift + quotient - int(fault)
        return z3.And(*ranges, z3.Or((root - 1) * (root - 1) >= m, m >= (root + 1) * (root + 1)))

    return state


for bits, shift, cut in ((8, 3, 5), (16, 7, 9), (32, 15, 17)):
    name, stage = f"root_stage_{bits}", root_stage(bits, shift, cut)
    LEMMAS.append(Lemma(f"isqrt64: {bits // 2} bits to {bits}", name, stage))


@lemma("isqrt64: the first estimate is off by less than one")
def root_start(z3: Any, fault: bool) -> Any:
    """The first two lines of isqrt64, of the leading 8 bits."""
    top = z3.Int("top")
    start = 1 + top / 64
    root = 2 * start + (top / 8) / start - int(fault)
    return z3.And(
        top >= 64, top < 256, z3.Or((root - 1) * (root - 1) >= top, top >= (root + 1) * (root + 1))
    )


@lemma("isqrt64: shifted back and corrected, it is the floor of the root")
def root_end(z3: Any, fault: bool) -> Any:
    """The last lines of isqrt64: a root of n << 2s, at most one off, shifted back and corrected by
    one.
    """
    n, r, g, rest = z3.Ints("n r g rest")
    cases = []
    for shift in range(32):
        scale = 2**shift
        m = n * scale * scale
        found = g - z3.If(g * g > n, 0 if fault else 1, 0)
        cases.append(
            z3.And(
                (r - 1) * (r - 1) < m,
                m < (r + 1) * (r + 1),
                r == g * scale + rest,
                rest >= 0,
                rest < scale,
                z3.Or(found * found > n, (found + 1) * (found + 1) <= n),
            )
        )
    return z3.And(n >= 1, r >= 1, z3.Or(*cases))


@lemma("length: from the root of a quarter to the root")
def last_digit(z3: Any, fault: bool) -> Any:
    """The last lines of length: of the root s of n / 4, rounded down, to that of n."""
    n, quarter, low, s = z3.Ints("n quarter low s")
    found = z3.If((2 * s + 1) * (2 * s + 1) <= n, 2 * s + 1, 2 * s + int(fault))
    return z3.And(
        *(n == 4 * quarter + low, low >= 0, low < 4),
        *(s >= 0, s * s <= quarter, quarter < (s + 1) * (s + 1)),
        z3.Or(found * found > n, (found + 1) * (found + 1) <= n),
    )


@lemma("fraction_of: each digit is one of floor(65536 t)")
def fraction_digit(z3: Any, fault: bool) -> Any:
    """A digit of fraction_of: from k d + t = p n, 0 <= t < d, to the same with 2 p."""
    n, d, k, t, p = z3.Ints("n d k t p")
    over = 2 * t > d if fault else 2 * t >= d
    next_t, next_k = z3.If(over, 2 * t - d, 2 * t), 2 * k + z3.If(over, 1, 0)
    is_kept = z3.And(next_k * d + next_t == 2 * p * n, next_t >= 0, next_t < d)
    return z3.And(t >= 0, t < d, k * d + t == p * n, z3.Not(is_kept))


@lemma("quotient: a digit is right but for a last subtraction")
def quotient_digit(z3: Any, fault: bool) -> Any:
    """digit_of: the guess from the leading bits of rest < 2^31 d leaves 0 <= rest < 2 d."""
    rest, d, high, low, d_high, d_low, guess, over = z3.Ints(
        "rest d high low d_high d_low guess over"
    )
    half = 2**31
    left = rest - guess * d
    return z3.And(
        *(d >= half * half, d < 2 * half * half, rest >= 0, rest < half * d),
        *(
            rest == high * half + low,
            low >= 0,
            low < half,
            d == d_high * half + d_low,
            d_low >= 0,
            d_low < half,
        ),
        *(high == guess * (d_high + 1) + over, over >= 0, over <= d_high),
        z3.Or(left < 0, left >= (2 - int(fault)) * d),
    )


@lemma("push_out, the direction of a vector: no component above 1")
def unit_vector(z3: Any, fault: bool) -> Any:
    """way_along: x of a vector by its length, rounded down, in Q30; z_sq is the square of its other
    part.
    """
    x, z_sq, length, quotient = z3.Ints("x z_sq length quotient")
    end = length + 1 + int(fault)
    longer = z3.And(x * x + z_sq < end * end, x > length)
    above = z3.And(x <= length, quotient * length <= x * 2**30, quotient > 2**30)
    return z3.And(x >= 0, z_sq >= 0, length >= 1, z3.Or(longer, above))


@lemma("yaw_of: the ratio is at most 1, and so within its table")
def yaw_ratio(z3: Any, fault: bool) -> Any:
    """yaw_of: the lesser part by the greater, in Q31, which the table of arc tangents is read
    at.
    """
    least, most, ratio = z3.Ints("least most ratio")
    ranges = [least >= 0, least <= most, most >= 1, ratio * most <= least * 2**31]
    return z3.And(*ranges, ratio > 2**31 - int(fault))


@lemma("isqrt128: a step of Newton's is at most 2 too large, and never too small")
def newton(z3: Any, fault: bool) -> Any:
    """isqrt128: from r, off by less than unit <= r / 2^30, to r + (n - r^2) / 2 / r, at most 2 too
    large.
    """
    n, r, unit, half, odd, step, rest = z3.Ints("n r unit half odd step rest")
    least = r + step - (0 if fault else 2)
    return z3.And(
        *(unit >= 1, unit <= 2**32, r >= unit * 2**30, r * r <= n, n < (r + unit) * (r + unit)),
        *(
            n - r * r == 2 * half + odd,
            odd >= 0,
            odd < 2,
            half == step * r + rest,
            rest >= 0,
            rest < r,
        ),
        z3.Or((r + step + 1) * (r + step + 1) <= n, least * least > n),
    )


@lemma("lift: its interval is halved each time")
def halving(z3: Any, fault: bool) -> Any:
    """lift: the middle is within, so that what is left, at most 2^31 at first, is halved each
    time.
    """
    held, ended = z3.Ints("held ended")
    middle = held + (ended - held) / 2 + int(fault)
    larger = z3.If(middle - held > ended - middle, middle - held, ended - middle)
    within = z3.And(middle > held, middle < ended, 2 * larger <= ended - held + 1)
    return z3.And(held >= 0, ended - held > 1, z3.Not(within))


def all_proofs() -> list[Proof]:
    parts = (
        "numbers",
        "wide",
        "angle",
        "contact",
        "level",
        "push",
        "cast",
        "world",
        "state",
        "hash",
    )
    return [proof for part in parts for proof in proofs_of(f"prove_{part}.c")]


def everything() -> list[Proof | Lemma]:
    """What is proved."""
    return [*LEMMAS, *(p for p in all_proofs() if not p.undecided)]


def cbmc() -> list[str]:
    """The command that starts CBMC, or nothing."""
    if shutil.which("cbmc"):
        return ["cbmc"]
    wrapper = ROOT / ".ci" / "cbmc"
    if (
        wrapper.exists()
        and subprocess.run([wrapper, "--version"], capture_output=True, check=False).returncode == 0
    ):
        return [str(wrapper)]
    return []


# Checks of a conversion to an unsigned type: C defines it, and it is meant wherever it is written.
MEANT = "to unsigned type conversion"
# Assertions that no proof here decides: what roots leave behind is the lemmas' part, and an extent
# above 0 needs a real direction, where the proofs take any numbers.
NOT_HERE = re.compile(r"(fxs_isqrt64|isqrt128|set_extent)\.assertion\.").match


UNDECLARED = re.compile(r"function '\w+' is not declared").search


def run_cbmc(command: list[str], arguments: list[str], seconds: float) -> str:
    # The solver that `--z3` starts is a program of the z3-solver package.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    with (
        tempfile.TemporaryDirectory(prefix="fixsync-formula-") as scratch,
        subprocess.Popen(
            [*command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PATH": path, "TMPDIR": scratch},
            start_new_session=True,
        ) as process,
    ):
        try:
            return process.communicate(timeout=seconds)[0]
        except BaseException:
            # The solver is a process of its own, which would go on when the time is over.
            os.killpg(process.pid, signal.SIGKILL)
            raise


def solver(proof: Proof) -> list[str]:
    """The options that choose what decides a formula."""
    if "--z3" not in proof.options and shutil.which("cadical"):
        return ["--external-sat-solver", "cadical"]
    return []


def deciders(proof: Proof) -> str:
    return "CBMC, Z3" if "--z3" in proof.options else "CBMC, CaDiCaL" if solver(proof) else "CBMC"


def check(command: list[str], proof: Proof, csrc: Path, seconds: float) -> tuple[bool, str]:
    """Whether everything the proof is about holds, and what does not."""
    arguments = [
        str(PROOFS / proof.file),
        "-I",
        str(csrc),
        "-I",
        str(PROOFS),
        "--function",
        proof.function,
    ]
    arguments += [
        "--conversion-check",
        "--no-malloc-may-fail",
        "--drop-unused-functions",
        '-DFXS_ASSERT(condition)=__CPROVER_assert((condition), "an assertion")',
        *proof.options,
    ]
    try:
        said = run_cbmc(command, [*arguments, "--show-properties", "--json-ui"], seconds)
        try:
            parts = json.loads(said)
        except json.JSONDecodeError:
            return False, f"the checker could not run: {said.strip()[-200:]}"
        undeclared = [found for part in parts if (found := UNDECLARED(part.get("messageText", "")))]
        if undeclared:  # it would return anything
            return False, undeclared[0][0]
        properties = [p for part in parts if "properties" in part for p in part["properties"]]
        if not properties:
            return False, f"the checker could not run: {parts[-1]}"
        chosen = [
            word
            for p in properties
            if MEANT not in p["description"] and not NOT_HERE(p["name"])
            for word in ("--property", p["name"])
        ]
        said = run_cbmc(command, [*arguments, *chosen, *solver(proof), "--stop-on-fail"], seconds)
    except subprocess.TimeoutExpired:
        return False, f"not decided in {seconds:.0f} s"
    if "VERIFICATION SUCCESSFUL" in said:
        return True, ""
    if "VERIFICATION FAILED" in said:
        return False, " ".join(said.partition("Violated property:")[2].split()[:40])
    return False, f"the checker could not run: {said.strip()[-200:]}"


def planted(fault: Fault, directory: Path) -> Path:
    """A copy of the kernel with the fault in it."""
    copy = Path(tempfile.mkdtemp(dir=directory)) / "csrc"
    shutil.copytree(CSRC, copy)
    text = (copy / fault.file).read_text(encoding="utf-8")
    if fault.old not in text:
        raise ValueError(f"{fault.file} has no {fault.old!r} any more: plant another fault")
    (copy / fault.file).write_text(text.replace(fault.old, fault.new, 1), encoding="utf-8")
    return copy


@dataclass(frozen=True)
class Outcome:
    name: str
    claim: str
    bounds: str
    by: str
    held: bool
    seconds: float
    detail: str


def processor_seconds() -> float:
    """Of this process and of those that it started and that ended."""
    return sum(os.times()[:4])


def try_proof(command: list[str], proof: Proof, directory: Path, seconds: float) -> Outcome:
    started = processor_seconds()
    held, detail = check(command, proof, CSRC, seconds)
    taken = processor_seconds() - started
    if held:
        fault_held, fault_detail = check(command, proof, planted(proof.fault, directory), seconds)
        if fault_held or "not decided" in fault_detail or "could not run" in fault_detail:
            held, detail = False, f"the planted fault is not seen: {fault_detail}"
    return Outcome(proof.name, proof.claim, proof.bounds, deciders(proof), held, taken, detail)


def try_lemma(z3: Any, lemma: Lemma, seconds: float) -> Outcome:
    def models(fault: bool) -> Any:
        solver = z3.Solver()
        solver.set("timeout", int(seconds * 1000))
        solver.add(lemma.state(z3, fault))
        return solver.check()

    started = processor_seconds()
    verdict = models(False)
    taken = processor_seconds() - started
    held = verdict == z3.unsat and models(True) == z3.sat
    detail = (
        ""
        if held
        else f"the solver says {verdict}"
        if verdict != z3.unsat
        else "the planted fault is not seen"
    )
    return Outcome(lemma.name, lemma.claim, lemma.bounds, "Z3", held, taken, detail)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="those that take seconds")
    parser.add_argument(
        "--undecided", action="store_true", help="those that were not seen to end, instead"
    )
    parser.add_argument(
        "--only", metavar="WORD", help="those with this word in their name or claim"
    )
    parser.add_argument("--seconds", type=float, default=1800, help="the longest that one may take")
    parser.add_argument("--list", action="store_true", help="only print the claims")
    args = parser.parse_args()
    proofs = [p for p in everything() if not args.quick or isinstance(p, Lemma) or p.quick]
    if args.undecided:
        proofs = [p for p in all_proofs() if p.undecided]
    if args.only:
        proofs = [p for p in proofs if args.only in p.name or args.only in p.claim]
    if args.list:
        for proof in proofs:
            print(f"{proof.claim} ({proof.bounds})")
        return 0
    command = cbmc()
    try:
        import z3  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        z3 = None
    missing = [name for name, there in (("CBMC", command), ("z3-solver", z3)) if not there]
    if missing:
        print(f"not here: {', '.join(missing)}", file=sys.stderr)
        return 2
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="fixsync-proofs-") as name:
        for proof in proofs:
            if isinstance(proof, Lemma):
                outcome = try_lemma(z3, proof, args.seconds)
            else:
                outcome = try_proof(command, proof, Path(name), args.seconds)
            outcomes.append(outcome)
            said = "proved" if outcome.held else f"NOT PROVED: {outcome.detail}"
            print(
                f"{outcome.seconds:7.1f} s  {outcome.claim} ({outcome.bounds}): {said}", flush=True
            )
    held = sum(o.held for o in outcomes)
    print(f"{held} of {len(outcomes)} proved, each of them broken by its planted fault")
    return int(held != len(outcomes))


if __name__ == "__main__":
    sys.exit(main())
