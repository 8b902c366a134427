"""What the kit's history costs: instructions of a frame with `fxs_history_push`, with
`fxs_history_confirm` as well, and of going back eight frames, against the same frame by hand; and
of the ticks of an `fxs_rollback` whose other players are eight frames late, against the loop over
inputs and a history that a game would write. Both hash the world of each confirmed frame, once; the
loop hashes no inputs, own bytes and events, since it compares none.

    python bench/rollback.py

Counted by valgrind's callgrind in one run each. Both sides of a row must come to the same state,
whose hash stands in the row."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HISTORY, PEER = [(16, 2), (100, 2), (1_000, 2)], [(16, 2), (100, 2), (16, 4), (100, 4)]
ROWS = {
    "step, push / step, save": (1, 0, 1.25, HISTORY),
    "step, push, hash, confirm / step, save, hash": (3, 2, 1.2, HISTORY),
    "back 8 frames / rewind's": (5, 4, 1.35, HISTORY),
    "ticks of a peer / a loop by hand": (7, 6, 1.14, PEER),
}
"""By name, what is measured and against what, as numbers of rollback.c; the most allowed; colliders
and players."""


def counted(program: Path, what: int, colliders: int, players: int) -> tuple[int, str]:
    """Instructions, and the hash of the state at the end."""
    out = program.parent / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=measured"]
    command += [f"--callgrind-out-file={out}", *map(str, (program, what, colliders, players))]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    totals = re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.MULTILINE)
    if totals is None or not int(totals[1]):
        raise RuntimeError("callgrind counted nothing")
    return int(totals[1]), run.stdout.strip()


def main() -> int:
    if shutil.which("gcc") is None or shutil.which("valgrind") is None:
        print("gcc or valgrind is not installed", file=sys.stderr)
        return 2
    is_within = True
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "rollback"
        csrc = HERE.parent / "csrc"
        sources = [*map(str, csrc.rglob("*.c")), str(HERE / "rollback.c")]
        flags = ["-std=c11", "-O2", "-g0", f"-I{csrc}"]
        subprocess.run(["gcc", *flags, "-o", str(program), *sources], check=True)
        for name, (of, against, most, sizes) in ROWS.items():
            for colliders, players in sizes:
                found, state = counted(program, of, colliders, players)
                before, expected = counted(program, against, colliders, players)
                if state != expected:
                    raise RuntimeError(f"{name}: {state} is not {expected}")
                ratio = found / before
                is_within = is_within and ratio <= most
                size = f"{colliders:>6,} {players}"
                print(f"{name:<45} {size} {ratio:>7.3f} (at most {most}) {state}")
    return 0 if is_within else 1


if __name__ == "__main__":
    sys.exit(main())
