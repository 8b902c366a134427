"""The compiled extension: the only module that imports it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from fixsync._kernel import ffi as ffi
from fixsync._kernel import lib as lib

CData: TypeAlias = Any
"""What `ffi.new` returns."""

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
UINT32_MAX = 2**32 - 1
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
UINT64_MAX = 2**64 - 1
ONE: int = lib.FXS_ONE
TURN: int = lib.FXS_TURN
OUTLINE_SEGMENTS: int = lib.FXS_OUTLINE_SEGMENTS
YAW_MAX: int = TURN - 1
SIZE_MAX: int = lib.FXS_SIZE_MAX
HALF_ANGLE_MAX: int = lib.FXS_HALF_ANGLE_MAX
LAYER_COUNT: int = lib.FXS_LAYER_COUNT
CAPACITY_MAX: int = lib.FXS_CAPACITY_MAX

uninitialised = ffi.new_allocator(should_clear_after_alloc=False)


def constant(name: str) -> int:
    """The constant FXS_`name` of fixsync.h."""
    return getattr(lib, f"FXS_{name}")


def kernel_function(name: str) -> Callable[..., int]:
    """The function fxs_`name` of fixsync.h."""
    return getattr(lib, f"fxs_{name}")
