"""Verifies match logs by the million, on the processors of a machine or on a cluster, and compares
two versions of fixsync on the same logs.

`run.farm` is the main function. `find` finds logs, `sandbox` is a worker process, `worker` the
program in it, `engines` have many of those, and `store` is the results file."""
