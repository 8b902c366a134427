"""The parts of CI: what each proves, what it depends on, and faults that it must find.

    python .ci/parts.py                     lists the parts
    python .ci/parts.py --changed COMMIT    JSON: the parts that the changes since a commit concern
    python .ci/parts.py --faults [PART...]  plants each fault in a copy; fails if a part misses one

`.ci/run PART...` runs parts, `.ci/run` all of CI, with --release as each week. A fault is a file, a
text that it has once, and the text that replaces it; `--faults` runs `probe`, which is the part, or
the share of it that has to find the fault."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTEST = ".venv/bin/python -m pytest"
KERNEL_FILES = (
    "tests/test_blocks.py tests/test_fuzz.py tests/test_kernel_object.py tests/test_linking.py "
    "tests/test_proofs.py tests/test_sanitized.py tests/test_targets.py tests/test_threads.py "
    "tests/test_wide.py"
)
# A part depends on these only if it names them, and on everything else.
APART = ("bench/", "bindings/", "docs/", "examples/", "fixsync/", "tests/", "CHANGELOG.md")


@dataclass(frozen=True)
class Part:
    proves: str
    run: str
    depends: tuple[str, ...]
    faults: tuple[tuple[str, str, str], ...]
    probe: str = ""
    release: str = ""  # what `run` has at its end before a release


def package(
    language: str,
    proves: str,
    probe: str,
    *faults: tuple[str, str, str],
    fuzz: str = "",
) -> Part:
    folder = f"bindings/{language}/"
    shared = ("bindings/emit/", "bindings/generate.py", "bindings/names", "bindings/natives/")
    depends = (folder, f"docs/{language}.md", *shared, "examples/", "fixsync/", "tests/native/")
    return Part(proves, f"{fuzz}{folder}test", depends, faults, f"cd {folder} && {probe}", " --all")


PARTS = {
    "linters": Part(
        "format, line length, types and style of C, Python, scripts and pages",
        "[ ! -e .git ] && echo 'not run: no git repository' || "
        "PATH=$PWD/.venv/bin:$PATH pre-commit run --all-files --show-diff-on-failure",
        APART,
        (
            ("csrc/hit.h", "h >> HIT_B_BIT; }", "h>>HIT_B_BIT; }"),
            ("fixsync/world/draw.py", "from __future__", "import json\nfrom __future__"),
            ("docs/index.md", "\n\n", "\n\n" + "one more word " * 8 + "\n\n"),
        ),
    ),
    "python": Part(
        "every promise of the kernel, the kit, the package, the viewer and the pages",
        f"{PYTEST} --full" + "".join(f" --ignore={file}" for file in KERNEL_FILES.split()),
        APART,
        (
            ("csrc/hit.h", "#define HIT_A_BIT 33", "#define HIT_A_BIT 32"),
            (
                "fixsync/session/timeline.py",
                "< self.prediction_max or",
                "<= self.prediction_max or",
            ),
            ("csrc/integer.h", "(l < r) + (l <= r)", "(l <= r) + (l <= r)"),
        ),
        f"{PYTEST} -x tests/test_contact.py tests/test_session.py tests/test_vectors.py",
        " --release",
    ),
    "kernel": Part(
        "other compilers and machines, proofs, fuzzers, sanitizers, machine code",
        f"{PYTEST} --full {KERNEL_FILES}",
        ("tests/",),
        (
            ("csrc/wide.h", "- (a.low < b.low)", "- (a.low <= b.low)"),
            ("csrc/hash.h", "(uint8_t)(v >> (8 * i))", "(uint8_t)(v >> (24 - 8 * i))"),
            ("csrc/version.c", "uint32_t fxs_v", "uint32_t fxs_calls;\nuint32_t fxs_v"),
        ),
        f"{PYTEST} --full -x tests/test_wide.py tests/test_kernel_object.py && "
        ".venv/bin/python tests/native/targets.py --level 0 --only 'gcc -O2 portable'",
        " --release",
    ),
    "web": package(
        "web",
        "the npm package in Node, TypeScript, Vite and Chromium",
        "./test 'numbers are integers'",
        ("bindings/web/numbers.js", "(n % d < 0n ? 1n : 0n)", "(n % d < 0n ? 0n : 0n)"),
        (
            "bindings/web/checks.js",
            "integer(name, value, 0, 65535)",
            "integer(name, value, 0, 65536)",
        ),
        ("bindings/web/package.json", '"type": "module"', '"type": "commonjs"'),
    ),
    "csharp": package(
        "csharp",
        "the C# package in Mono and .NET, its libraries, Unity's part",
        "../../.venv/bin/python ../natives/build.py .test/probe linux-x64 && "
        "mcs -langversion:7.2 -unsafe -out:.test/probe/tests.exe Runtime/*.cs Tests/Harness.cs "
        "Tests/KitTests.cs && "
        "LD_LIBRARY_PATH=.test/probe/linux-x64 mono .test/probe/tests.exe KitTests",
        ("bindings/csharp/Runtime/Fix.cs", "(long)a.Raw + b.Raw,", "a.Raw + b.Raw,"),
        ("bindings/csharp/Runtime/Fix.cs", "(long)a.Raw - b.Raw,", "(long)b.Raw - a.Raw,"),
        ("bindings/csharp/Runtime/Yaw.cs", "a.steps + steps", "a.steps - steps"),
    ),
    "rust": package(
        "rust",
        "the crates, their packages, a browser, the address sanitizer, Bevy",
        "cargo test --all-features -p fixsync",
        ("bindings/rust/fixsync/src/q.rs", "units.checked_mul(ONE)", "units.checked_add(ONE)"),
        ("bindings/rust/fixsync/src/q.rs", "pub const fn checked_neg", "const fn checked_neg"),
        ("bindings/rust/fixsync/src/q.rs", "if self.0 < 0 { -self }", "if self.0 > 0 { -self }"),
    ),
    "godot": package(
        "godot",
        "the add-on in the engine and its editor, random calls under the address sanitizer",
        "./test extension",
        ("bindings/godot/src/random.c", "= (uint64_t)gd_int(call, 0); }", "= 0; }"),
        (
            "bindings/godot/src/random.c",
            "fxs_random_shuffle(state_of(call)",
            "(void)(state_of(call)",
        ),
        ("bindings/godot/src/random.c", "gd_return_object(call, random);", "(void)random;"),
        fuzz="bindings/godot/fuzz && ",
    ),
}


def changed_parts(files: Sequence[str]) -> list[str]:
    def concerns(part: Part, file: str) -> bool:
        return file.startswith(part.depends) or not file.startswith(APART)

    return [name for name, part in PARTS.items() if any(concerns(part, file) for file in files)]


def missed_faults(part: Part) -> list[tuple[str, str, str]]:
    """The faults with which the part succeeds, each in a copy of the repository."""
    missed = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def run(command: str) -> bool:
            done = subprocess.run(
                ["bash", "-c", command], cwd=folder, capture_output=True, text=True
            )
            print(*done.stdout.splitlines()[-3:], sep="\n", flush=True)
            return done.returncode == 0

        for file in subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT).split(b"\0")[:-1]:
            path = Path(os.fsdecode(file))
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, folder / path, follow_symlinks=False)
        install = ".venv/bin/python -m pip install -q -e"
        if not run(f"git init -q && git add -A && python3 -m venv .venv && {install} '.[dev]'"):
            raise SystemExit("the copy is not installed")
        probe = f"git add -A && {install} . && ({part.probe or part.run})"
        if not run(probe):
            raise SystemExit("the part fails without a fault")
        for fault in part.faults:
            file, old, new = folder / fault[0], *fault[1:]
            text = file.read_text(encoding="utf-8")
            if old not in text:
                raise SystemExit(f"{file.name} has no {old!r}")
            file.write_text(text.replace(old, new, 1), encoding="utf-8")
            is_found = not run(probe)
            print(f"{'found' if is_found else 'MISSED'}: {fault}", flush=True)
            missed += [] if is_found else [fault]
            file.write_text(text, encoding="utf-8")
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description="The parts of CI.")
    parser.add_argument("--changed", metavar="COMMIT", help="Parts that changes since it concern.")
    parser.add_argument("--faults", nargs="*", metavar="PART", help="Plant the faults of parts.")
    parser.add_argument("--command", metavar="PART", help="The command of a part.")
    parser.add_argument("--release", action="store_true", help="That before a release.")
    options = parser.parse_args()
    if options.command:
        part = PARTS[options.command]
        print(part.run + part.release * options.release)
    elif options.changed:
        command = ["git", "diff", "--name-only", options.changed, "HEAD"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        # A first push, or a rewritten branch, has no such commit: all parts.
        files = listed.stdout.splitlines() if listed.returncode == 0 else ["csrc/"]
        print(json.dumps(changed_parts(files)))
    elif options.faults is not None:
        missed = [missed_faults(PARTS[name]) for name in options.faults or PARTS]
        return 1 if any(missed) else 0
    else:
        for name, part in PARTS.items():
            print(f"{name}: {part.proves}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
