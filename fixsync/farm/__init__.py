"""Verifies match logs by the million: on the processors of a machine, or on a cluster; and tells
what another version of fixsync makes of the same logs.

`run.farm` is the whole of it. `find` finds logs, `sandbox` is a worker process, `worker` the
program in it, `engines` have many of those, and `store` is the results file."""
