"""The attributes that a simulation forgets to save: `load` does not bring them back, and they
matter.

Every few frames the simulation is stepped on, and loads the state from before. Every value that is
then not as before is a suspect: an attribute, a slot, an entry of a container, a variable of a
closure, a global of the modules of its classes. If the next 30 frames give another result than they
did, each suspect alone is put back, and named if that changes them. So a cache or a list that each
step fills anew is not named.

A second name of an object is a suspect when `load` makes a new object and the name still stands for
the old one.

If nothing is named, caches of `functools` and iterators are looked at. A cache is named if the
frames after a load are right with what it holds, and differ without. A generator, or another
iterator, cannot be put back: it is named if the frames after a load differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from fixsync._native.checks import shown
from fixsync.match import sim
from fixsync.match.sim import Stepped
from fixsync.synctest.straight import Straight
from fixsync.synctest.walk import Place, Walk, delete_attribute, set_attribute

__all__ = ["Unsaved", "unsaved", "unsaved_lines"]

_HORIZON = 30
"""Frames in which a suspect must change something."""
_AHEAD = (8, 1, 20)
"""Frames that are stepped before the state is loaded, in turn."""
_LOOKS_MAX = 40
_SUSPECTS_MAX = 24
"""Suspects that are put back at one look."""
_NAMED_MAX = 8
_DICT_MAX = 80
"""Of a dict with a longer repr only the entries that differ are shown."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""The end of the repr of most objects, another one in each run."""


class Unsaved(NamedTuple):
    """Something that `load` does not bring back."""

    name: str
    """Its name: "self.combo", "self.bodies[0]", "my_game.count", "n of Game.step"."""
    frame: int
    """The state that was loaded is the one after this frame; -1 for the state at the start."""
    what: str
    """In words, with the value that it had and the one that it has after the load."""

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


_Results = list[tuple[Stepped, bytes]]


class _Suspect(NamedTuple):
    name: str
    what: str
    repair: Callable[[], None]


def unsaved(straight: Straight) -> list[Unsaved]:
    """The attributes that `load` of a simulation does not bring back, if they change a state or an
    event within 30 frames; at most 8. A simulation that raises is looked at up to there."""
    made = straight.start()
    before = Walk(made)
    named: dict[str, Unsaved] = {}
    try:
        _look_on(_Runs(straight, made), named)
        if not named:
            named = {one.name: one for one in (*_caches(straight), *_iterators(straight))}
    except _Raised:
        pass  # the checks report it
    finally:
        before.restore()  # globals outlive this
    return [
        Unsaved(_ADDRESS.sub("", one.name), one.frame, _ADDRESS.sub("", one.what))
        for one in [*named.values()][:_NAMED_MAX]
    ]


def unsaved_lines(found: Sequence[Unsaved]) -> list[str]:
    """The findings as text, a line each, below a headline; empty without findings."""
    return ["load does not bring back:", *(f"  {one}" for one in found)] if found else []


def _caches(straight: Straight) -> list[Unsaved]:
    """The caches of functools whose results change the frames after a load."""
    caches = Walk(straight.start()).caches

    def agrees(frame: int, first: int, emptied: Sequence[str]) -> bool:
        """Whether the frame after a load is right in a game that ran from `first` to it."""
        for cache in caches.values():
            cache.cache_clear()
        runs = _Runs(straight, straight.start())
        runs.load(straight.states[first])
        runs.skip(first, frame - first)
        for name in emptied:
            caches[name].cache_clear()
        runs.load(straight.states[frame])
        return runs.run(frame, 1)[0][1] == straight.states[frame + 1]

    for frame in range(straight.frames) if caches else ():
        if not agrees(frame, frame, ()):
            if not agrees(frame, 0, ()):
                return []  # there is another cause
            what = "its cache holds results of a state before the one that is loaded"
            return [
                Unsaved(name, frame - 1, what) for name in caches if not agrees(frame, 0, [name])
            ]
    return []


def _iterators(straight: Straight) -> list[Unsaved]:
    """The iterators that a simulation holds, if its frames after a load are not as they were."""
    made = straight.start()
    found = Walk(made).iterators
    if not found:
        return []
    runs = _Runs(straight, made)
    runs.skip(0, _AHEAD[0])
    runs.load(straight.states[0])
    frames = runs.run(0, straight.frames)
    if [state for _, state in frames] == straight.states[1:]:
        return []
    what = "cannot be saved, and goes on after a load from where it was"
    return [Unsaved(name, -1, f"a {kind}, which {what}") for name, kind in found.items()]


class _Raised(Exception):  # noqa: N818 - it never leaves this module
    """The simulation raised something."""


class _Runs:
    """Steps a simulation along the straight run's inputs."""

    def __init__(self, straight: Straight, made: sim.Simulation) -> None:
        self.made, self.inputs = made, straight.inputs

    def run(self, frame: int, count: int) -> _Results:
        """The events and states of some frames."""
        inputs = self.inputs[frame : frame + count]
        with _stops():
            return [(sim.stepped(self.made, values), self.made.save()) for values in inputs]

    def skip(self, frame: int, count: int) -> None:
        """Steps some frames."""
        with _stops():
            for values in self.inputs[frame : frame + count]:
                sim.stepped(self.made, values)

    def load(self, state: bytes) -> None:
        with _stops():
            self.made.load(state)


@contextmanager
def _stops() -> Iterator[None]:
    """An error of the simulation within becomes a _Raised."""
    try:
        yield
    except Exception as error:
        raise _Raised from error


def _look_on(runs: _Runs, named: dict[str, Unsaved]) -> None:
    frames = len(runs.inputs)
    every = max(1, -(-frames // _LOOKS_MAX))
    for look, frame in enumerate(range(0, frames, every)):
        for found in _look(runs, frame, _AHEAD[look % len(_AHEAD)], {*named}):
            named.setdefault(found.name, found)
        if len(named) >= _NAMED_MAX:
            return
        runs.skip(frame, every)


def _look(runs: _Runs, frame: int, ahead: int, known: set[str]) -> list[Unsaved]:
    """The findings at a frame. The simulation is at that frame afterwards, as before."""
    made = runs.made
    state = made.save()
    then = Walk(made)
    try:
        runs.skip(frame, ahead)
        runs.load(state)
        back = Walk(made)
        suspects = [*_suspects(then, back)][:_SUSPECTS_MAX]
        for suspect in suspects:
            if suspect.name in known:  # so that it does not hide another
                suspect.repair()
        suspects = [suspect for suspect in suspects if suspect.name not in known]
        if not suspects:
            return []
        back = Walk(made)
        stale = runs.run(frame, _HORIZON)
        then.restore()
        expected = runs.run(frame, _HORIZON)
        back.restore()
        if stale == expected or runs.run(frame, _HORIZON) != stale:
            return []
        results = []
        for suspect in suspects:
            back.restore()
            suspect.repair()
            try:
                results.append((suspect, runs.run(frame, _HORIZON)))
            except Exception:
                results.append((suspect, []))
        chosen = _chosen(results, expected, stale)
        return [Unsaved(suspect.name, frame - 1, suspect.what) for suspect in chosen]
    finally:
        then.restore()


def _chosen(
    results: list[tuple[_Suspect, _Results]], expected: _Results, stale: _Results
) -> list[_Suspect]:
    """Those that alone make the most frames right; if none helps, those that change a frame."""
    frames = [_agreed(found, expected) for _, found in results]
    most = max(frames)
    if most > _agreed(stale, expected):
        both = zip(results, frames, strict=True)
        return [suspect for (suspect, _), right in both if right == most]
    return [suspect for suspect, found in results if found and found != stale]


def _agreed(found: _Results, expected: _Results) -> int:
    """The number of frames with the expected results."""
    pairs = enumerate(zip(found, expected, strict=False))
    return next((i for i, (one, other) in pairs if one != other), len(found))


# Suspects.


def _suspects(then: Walk, back: Walk) -> Iterator[_Suspect]:
    """The values that a load has not brought back: second names first, then values, the outermost
    of them."""
    yielded: list[str] = []
    for suspect in _stale_names(then, back):
        yielded.append(suspect.name)
        yield suspect
    for name in then.places | back.places:
        place, now = then.places.get(name), back.places.get(name)
        if name in then.aliases or name in back.aliases or any(_is_in(name, at) for at in yielded):
            continue
        what = "not as before the load"
        if place is None or now is None:
            repair = _repair_attribute(then, back, name)
            what = "not there before the load" if place is None else "gone after the load"
        elif _is_same(place.known, now.known):
            continue
        else:
            repair = _repair(then, place, now)
            if place.shown is not None or now.shown is not None:
                what = _both(place.shown, now.shown) or what
        if repair is not None:
            yielded.append(name)
            yield _Suspect(name, what, repair)


def _both(before: Any, after: Any) -> str:
    """Two values for a report; "" if they look alike, as two objects of a class do."""
    if isinstance(before, dict) and isinstance(after, dict) and len(repr(before)) > _DICT_MAX:
        keys = [key for key in before | after if not _is_entry_same(before, after, key)]
        if keys:
            before, after = ({k: one[k] for k in keys if k in one} for one in (before, after))
    one, other = (shown(_Sorted(v) if isinstance(v, set) else v) for v in (before, after))
    is_alike = _ADDRESS.sub("", one) == _ADDRESS.sub("", other)
    return "" if is_alike else f"{one} before, {other} after the load"


def _is_entry_same(before: dict[Any, Any], after: dict[Any, Any], key: Any) -> bool:
    return key in before and key in after and _is_same(before[key], after[key])


class _Sorted:
    """A set whose repr does not depend on addresses and hashes."""

    def __init__(self, members: set[Any]) -> None:
        self._members = members

    def __repr__(self) -> str:
        found = sorted(map(repr, self._members), key=lambda text: _ADDRESS.sub("", text))
        return f"{{{', '.join(found)}}}" if found else "set()"


def _stale_names(then: Walk, back: Walk) -> Iterator[_Suspect]:
    groups: dict[str, list[str]] = {}
    for alias, name in then.aliases.items():
        groups.setdefault(name, [name]).append(alias)
    for names in groups.values():
        places = {name: back.places[name] for name in names if name in back.places}
        old = then.places[names[0]].value
        new = [name for name, place in places.items() if place.value is not old]
        if not new:
            continue
        # A name of the old object is stale; where all are new, the names were one object.
        for name in [name for name in places if name not in new] or new[1:]:
            put, other = places[name].put, places[new[0]].value
            if put is None or places[name].value is other:
                continue
            what = f"still the object from before the load, which made a new {new[0]}"
            if name in new:
                what = f"one object with {new[0]} before the load, and another after it"
            yield _Suspect(name, what, lambda put=put, other=other: put(other))  # type: ignore[misc]


def _repair(then: Walk, place: Place, now: Place) -> Callable[[], None] | None:
    """A function that puts a value back, as it was then, at the place that the name leads to
    now."""
    put = now.put

    def repair() -> None:
        if put is not None:
            put(place.value)
        then.restore_below(place.value)

    can_be_restored = now.value is place.value and not isinstance(place.value, (int, str, bytes))
    return repair if put is not None or can_be_restored else None


def _repair_attribute(then: Walk, back: Walk, name: str) -> Callable[[], None] | None:
    """A function that sets an attribute that is gone, or deletes one that was not there."""
    owner, _, attribute = name.rpartition(".")
    now = back.places.get(owner)
    if owner not in then.places or now is None or not now.has_attributes:
        return None
    if name not in then.places:
        return lambda: delete_attribute(now.value, attribute)
    value = then.places[name].value

    def repair() -> None:
        set_attribute(now.value, attribute, value)
        then.restore_below(value)

    return repair


def _is_same(a: Any, b: Any) -> bool:
    try:
        return a is b or (type(a) is type(b) and bool(a == b))
    except Exception:
        return True


def _is_in(name: str, outer: str) -> bool:
    return name.startswith((f"{outer}.", f"{outer}["))
