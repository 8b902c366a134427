"""The sync test and other tests of games: `pip install '.[testing]'` in a clone. docs/testing.md
shows how.

`assert_peers_agree` runs a simulation in every way that peers run it. `strategies` draws shapes,
pairs near contact, worlds and command sequences for Hypothesis. pytest finds `pytest_plugin` by
itself and loads it always, so nothing is imported here before it is used."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fixsync.synctest.agreement import assert_peers_agree, assert_same_state

__all__ = ["assert_peers_agree", "assert_same_state"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fixsync.synctest import agreement

    return getattr(agreement, name)
