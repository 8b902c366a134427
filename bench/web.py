"""What a step costs in the web package beside the native library: spheres that all move.

    python bench/web.py               prints microseconds a frame of both, and their ratio
    python bench/web.py MODULE        with another module than bindings/web/fixsync.wasm

Both sides play the same frames, in turns, and must end with the same hash. The least of many short
rounds counts, so that other programs disturb little. It needs cc and Node."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))

import build_ffi  # noqa: E402

ROUNDS = {16: (100, 4_000), 100: (20, 2_000), 1_000: (4, 400), 10_000: (1, 60)}
"""Frames of a round, and rounds, by the number of colliders."""
TURNS = 5


def measured(command: list[str]) -> tuple[float, str]:
    """Microseconds of a frame, and the hash."""
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    nanoseconds, digest = run.stdout.split()
    return int(nanoseconds) / 1000, digest.removesuffix("n")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        native = f"{folder}/web"
        files = [str(ROOT / name) for name in build_ffi.files(".c")]
        flags = ["-O3", "-w", f"-I{ROOT / 'csrc'}"]
        subprocess.run(["cc", *flags, str(HERE / "web.c"), *files, "-o", native], check=True)
        print("colliders  native us  web us  ratio")
        for count, (frames, rounds) in ROUNDS.items():
            numbers = list(map(str, (count, frames, rounds)))
            least = [float("inf")] * 2
            for _ in range(TURNS):
                sides = ([native], ["node", str(HERE / "web.mjs")])
                found = [measured([*side, *numbers, *sys.argv[1:]]) for side in sides]
                if len({digest for _, digest in found}) != 1:
                    sys.exit(f"{count} colliders: the hashes differ")
                least = [min(pair) for pair in zip(least, (us for us, _ in found), strict=True)]
            ratio = least[1] / least[0]
            print(f"{count:9} {least[0]:10.2f} {least[1]:7.2f} {ratio:6.2f}")


if __name__ == "__main__":
    main()
