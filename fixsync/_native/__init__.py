"""The one room that touches the compiled kernel. Nothing else in the package uses `ffi` or `lib`.

- `raw`: the extension and its constants.
- `checks`: arguments to plain ints, or an error that names what is wrong.
- `rows`: the kernel's structures as bytes, and buffers of them.
- `kinds`: the table of shape kinds.
- `status`: what the kernel refused, as an exception.
- `kernel`: the functions that need no world.
- `kit`: the kit's functions that need no world.
- `memory`: a world's memory and its lock.
- `world`: everything that is done in that memory.
"""

from fixsync._native.checks import (
    boolean,
    coordinate,
    counted,
    index,
    integer,
    integers,
    layer_masks,
    layer_pairs,
    refuse,
    shown,
    uint32,
)
from fixsync._native.raw import (
    CAPACITY_MAX,
    HALF_ANGLE_MAX,
    INT32_MAX,
    INT32_MIN,
    INT64_MAX,
    INT64_MIN,
    LAYER_COUNT,
    ONE,
    SIZE_MAX,
    TURN,
    UINT32_MAX,
    UINT64_MAX,
    YAW_MAX,
)
from fixsync._native.rows import Buffer, bytes_of, is_buffer, rows_of

__all__ = [
    "CAPACITY_MAX",
    "HALF_ANGLE_MAX",
    "INT32_MAX",
    "INT32_MIN",
    "INT64_MAX",
    "INT64_MIN",
    "LAYER_COUNT",
    "ONE",
    "SIZE_MAX",
    "TURN",
    "UINT32_MAX",
    "UINT64_MAX",
    "YAW_MAX",
    "Buffer",
    "boolean",
    "bytes_of",
    "coordinate",
    "counted",
    "index",
    "integer",
    "integers",
    "is_buffer",
    "layer_masks",
    "layer_pairs",
    "refuse",
    "rows_of",
    "shown",
    "uint32",
]
