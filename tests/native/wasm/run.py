"""Runs the golden of a WebAssembly module under wasmtime: python run.py golden.wasm LEVEL"""

from __future__ import annotations

import sys

import wasmtime


def main() -> None:
    store = wasmtime.Store()
    module = wasmtime.Module.from_file(store.engine, sys.argv[1])
    text: list[bytes] = []

    def golden_print(at: int, size: int) -> None:
        text.append(bytes(memory.read(store, at, at + size)))

    i32 = wasmtime.ValType.i32()
    printer = wasmtime.Func(store, wasmtime.FuncType([i32, i32], []), golden_print)
    exports = wasmtime.Instance(store, module, [printer]).exports(store)
    memory = exports["memory"]
    assert isinstance(memory, wasmtime.Memory)
    run = exports["golden_run"]
    assert isinstance(run, wasmtime.Func)
    bad = run(store, int(sys.argv[2]), 0)
    sys.stdout.write(b"".join(text).decode("ascii"))
    sys.exit(bad)


if __name__ == "__main__":
    main()
