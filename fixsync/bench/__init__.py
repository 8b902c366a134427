"""Named, seeded scenes in integers; what their frames cost, beside what other libraries and plain
memory work cost in the same run; and a check of their answers. The command is `fixsync bench`."""
