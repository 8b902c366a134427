"""The one room that touches the compiled kernel. Nothing else in the package uses `ffi` or `lib`.

- `raw`: the extension and its constants.
- `checks`: arguments to plain ints, or an error that names what is wrong.
- `rows`: the kernel's structures as bytes, and buffers of them.
- `kinds`: the table of shape kinds.
- `status`: what the kernel refused, as an exception.
- `kernel`: the functions that need no world, the kit's too.
- `changes`: the table of commands, as tuples and as rows.
- `memory`: a world's memory and its lock.
- `world`: everything that is done in that memory, `step` included.
- `level`, `body`, `planes`, `recorder`, `rollback`: the other objects of C.
"""
