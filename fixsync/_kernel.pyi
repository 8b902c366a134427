"""The compiled extension: cffi's view of csrc/fixsync.h. Only fixsync._native imports it."""

from typing import Any

ffi: Any
lib: Any
