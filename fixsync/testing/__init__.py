"""For the tests of games on fixsync: `pip install '.[testing]'` in a clone. docs/testing.md shows
how.

`assert_peers_agree` runs a simulation in every way that peers run it. `fixsync.testing.strategies`
draws shapes, pairs near contact, worlds and command sequences for Hypothesis. The pytest plugin is
found by pytest itself."""

from fixsync.testing.agreement import assert_peers_agree, assert_same_state

__all__ = ["assert_peers_agree", "assert_same_state"]
