"""The values that make a simulation go on in another way than it should: those that `load` does not
bring back, those that `save` changes, and those that outlive a match.

A simulation is brought out of its place: it is stepped on, or made as at the start, and loads a
state; it saves; a match is played before. Every value that is then not as it was is a suspect. If
the next frames give another result than they did, each suspect alone is put back, and named if that
makes the most frames right. So a cache or a list that each step fills anew is not named.

A second name of an object is a suspect when `load` makes a new object and the name still stands for
the old one. A generator, or another iterator, cannot be put back: it is named if nothing else is,
and the frames after a load differ."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from fixsync._native.checks import shown
from fixsync._native.state import MAGICS
from fixsync.base.fields import difference_lines, differences, world_fields
from fixsync.match import sim
from fixsync.match.sim import Input
from fixsync.synctest.straight import Divergence, Straight, raised
from fixsync.synctest.walk import Place, Walk, delete_attribute, set_attribute

_HORIZON = 30
"""Frames in which a suspect must change something."""
_AHEAD = (8, 1, 20)
"""Frames that are stepped before the state is loaded, in turn."""
_LOOKS_MAX = 40
_FRESH_EVERY = 4
"""Of the looks, how many also load into a fresh simulation."""
_SUSPECTS_MAX = 24
"""Suspects that are put back at one look."""
_NAMED_MAX = 8
_DICT_MAX = 80
"""Of a dict with a longer repr only the entries that differ are shown."""
SECONDS = 8
"""Time to look for names."""
_GONE = object()
_LOAD = "load does not bring back"
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""The end of the repr of most objects, another one in each run."""


class Unsaved(NamedTuple):
    """A value that is not as it should be."""

    name: str
    """Its name: "self.combo", "self.bodies[0]", "my_game.count", "n of Game.step"."""
    frame: int
    """The state that was loaded is the one after this frame; -1 for the state at the start."""
    what: str
    """In words, with the value that it had and the one that it has after the load."""
    why: str = _LOAD

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


_Results = list[Any]
"""By frame, the events, the state and whether it is over; an error in the place of the last."""


class _Suspect(NamedTuple):
    name: str
    what: str
    repair: Callable[[], None]


class _Look(NamedTuple):
    """A way out of a place."""

    then: Walk
    disturb: Callable[[], object]
    go: Callable[[], _Results]
    walk: Callable[[], Walk]
    event: str
    """Its name."""
    is_strict: bool = False
    """Whether equal values that are other objects are suspects too."""


def unsaved(
    straight: Straight, found: Sequence[Divergence] = (), seconds: float = SECONDS
) -> list[Unsaved]:
    """The values that `load` of a simulation does not bring back, or that `save` changes, if they
    change a state or an event within 30 frames; at most 8.

    found: differences, which are looked at first."""
    made = straight.start()
    birth = Walk(made)
    named: dict[str, Unsaved] = {}
    runs = _Runs(straight, made, birth, time.monotonic() + seconds)
    with suppress(_Raised):  # the checks report it
        for one in found if not birth.iterators else ():
            for is_strict in (False, True):
                if one.loaded is not None and not named:
                    runs.at(one.loaded)
                    ahead = one.frame + 1 - one.loaded
                    runs.look_at(one.loaded, ahead, named, is_strict=is_strict)
        runs.at(0)
        every = max(1, -(-straight.frames // _LOOKS_MAX))
        for look, frame in enumerate(range(0, straight.frames, every)):
            fresh = look % _FRESH_EVERY == 1
            if made.save() != straight.states[frame]:
                break  # an iterator went on, which nothing puts back
            runs.look_at(frame, _AHEAD[look % len(_AHEAD)], named, is_fresh=fresh)
            if len(named) >= _NAMED_MAX or time.monotonic() > runs.end:
                break
            runs.skip(frame, every)
    if not named:
        with suppress(_Raised):
            named = {one.name: one for one in _iterators(straight)}
    birth.restore()  # globals outlive this
    return _shown([*named.values()])


def outlasting(
    simulation: sim.SimulationType, seed: int, players: int, inputs: Sequence[tuple[Input, ...]]
) -> list[Unsaved]:
    """The globals that a match changes, if another match then gives another result."""
    straight = Straight(simulation, seed, players, list(inputs), [], [], [])

    def play(given: Sequence[Any]) -> _Results:
        return _Runs(straight, straight.start()).run(0, len(given), given)

    then = Walk(straight.type)
    half = inputs[: len(inputs) // 2 + 1]
    for given in (inputs, inputs[::-1], half):  # half: the effect of a whole one may repeat
        way = functools.partial(play, given)
        look = _Look(then, way, lambda: play(inputs), lambda: Walk(straight.type), "a match")
        names = _named(look, ())
        then.restore()
        if names:
            why = "outlives a match"
            return _shown([Unsaved(one.name, -1, one.what, why) for one in names])
    return []


def _shown(found: Sequence[Unsaved]) -> list[Unsaved]:
    return [
        one._replace(name=_ADDRESS.sub("", one.name), what=_ADDRESS.sub("", one.what))
        for one in found[:_NAMED_MAX]
    ]


def _iterators(straight: Straight) -> list[Unsaved]:
    """The iterators that a simulation holds, if its frames after a load are not as they were."""
    made = straight.start()
    found, runs = Walk(made).iterators, _Runs(straight, made)
    if not found:
        return []
    runs.skip(0, straight.frames // 2)
    runs.load(0)
    if [row[1] for row in runs.run(0, straight.frames)] == straight.states[1:]:
        return []
    what = "cannot be saved, and goes on after a load from where it was"
    return [Unsaved(name, -1, f"a {kind}, which {what}") for name, kind in found.items()]


class _Raised(Exception):  # noqa: N818 - it never leaves this module
    """The simulation raised something where the straight run did not."""


class _Runs:
    """Steps a simulation along the straight run's inputs."""

    def __init__(
        self, straight: Straight, made: sim.Simulation, birth: Walk | None = None, end: float = 0
    ) -> None:
        self.straight, self.made, self._birth, self.end = straight, made, birth, end

    def run(self, frame: int, count: int, inputs: Sequence[Any] | None = None) -> _Results:
        """The results of some frames."""
        rows: _Results = []
        try:
            for values in (inputs or self.straight.inputs)[frame : frame + count]:
                step = sim.stepped(self.made, values)
                rows.append((step, self.made.save(), sim.is_over(self.made)))
        except Exception as error:
            rows.append(raised(error))
        return rows

    def skip(self, frame: int, count: int) -> None:
        """Steps some frames."""
        try:
            for values in self.straight.inputs[frame : frame + count]:
                sim.stepped(self.made, values)
        except Exception as error:
            raise _Raised from error

    def at(self, frame: int) -> None:
        """Brings the simulation to a frame from the start, as a fresh one."""
        if self._birth is not None:
            self._birth.restore()
        self.skip(0, frame)

    def load(self, frame: int) -> None:
        """Loads the state before a frame."""
        try:
            self.made.load(self.straight.states[frame])
        except Exception as error:
            raise _Raised from error

    def look_at(
        self,
        frame: int,
        ahead: int,
        named: dict[str, Unsaved],
        *,
        is_strict: bool | None = None,
        is_fresh: bool = True,
    ) -> None:
        """Looks from a frame, at which the simulation is, and is again afterwards. is_strict: also
        at `save`; True: and at equal values that are other objects."""
        then, made, birth = Walk(self.made), self.made, self._birth
        inputs, idle = self.straight.inputs, (sim.idle_input(made),) * self.straight.players

        def step_on() -> None:
            with suppress(Exception):
                for i, values in enumerate(inputs[frame : frame + ahead]):
                    if sim.is_over(made):
                        break
                    made.step(idle if ahead == 1 or i % 2 else values)
                    made.save()
            self.load(frame)

        def fresh() -> None:
            if birth is not None:
                birth.restore()
            self.load(frame)

        def save_late() -> _Results:
            self.skip(frame, ahead)
            return [made.save()]

        def go_on() -> _Results:
            return self.run(frame, _HORIZON)

        ways: list[tuple[Callable[[], object], Callable[[], _Results], str, str]] = [
            (step_on, go_on, _LOAD, "the load"),
            *[(fresh, go_on, _LOAD, "the load")] * is_fresh,
            *[(made.save, save_late, "save changes", "save")] * (is_strict is not None),
        ]
        try:
            for disturb, go, why, event in ways:
                look = _Look(then, disturb, go, lambda: Walk(made), event, bool(is_strict))
                for one in _named(look, [*named]):
                    named.setdefault(one.name, Unsaved(one.name, frame - 1, one.what, why))
        finally:
            then.restore()


def _named(look: _Look, known: Collection[str]) -> list[_Suspect]:
    """The suspects that alone make the most frames right; if none, those that all together need."""

    def disturbed(repaired: Collection[str]) -> dict[str, _Suspect]:
        look.then.restore()
        look.disturb()
        found = {suspect.name: suspect for suspect in _suspects(look)}
        for name in repaired:  # so that it does not hide another
            if name in found:
                found[name].repair()
        return found

    def tried(repaired: Collection[str]) -> int:
        disturbed(repaired)
        return _agreed(look.go(), expected)

    found = disturbed(known)
    names = [name for name in found if name not in known][:_SUSPECTS_MAX]
    if not names:
        return []
    stale = look.go()
    look.then.restore()
    expected = look.go()
    if stale == expected:
        return []
    disturbed(known)
    again = look.go()
    look.then.restore()
    if again != stale or look.go() != expected:
        return []  # not repeatable, or not all was put back
    least = _agreed(stale, expected)
    frames = {name: tried([*known, name]) for name in names}
    chosen = [name for name in names if frames[name] == max(frames.values()) > least]
    if not chosen and len(names) > 1 and (most := tried([*known, *names])) > least:
        chosen = [n for n in names if tried([*known, *(m for m in names if m != n)]) < most]
    return [found[name] for name in chosen]


def _agreed(found: _Results, expected: _Results) -> int:
    """The number of frames with the expected results."""
    pairs = enumerate(zip(found, expected, strict=False))
    return next((i for i, (one, other) in pairs if one != other), len(found))


# Suspects.


def _suspects(look: _Look) -> Iterator[_Suspect]:
    """What is not as it was: second names first, then values, the outermost, then caches."""
    then, back, event = look.then, look.walk(), look.event
    yielded: list[str] = []
    for suspect in _stale_names(then, back):
        yielded.append(suspect.name)
        yield suspect
    for name in then.places | back.places:
        place, now = then.places.get(name), back.places.get(name)
        if (
            name in then.aliases
            or name in back.aliases
            or any(name.startswith((f"{at}.", f"{at}[")) for at in yielded)
        ):
            continue
        what = f"not as before {event}"
        if place is None or now is None:
            repair = _repair_attribute(then, back, name)
            what = f"not there before {event}" if place is None else f"gone after {event}"
        elif _is_same(place.known, now.known):
            if not look.is_strict or place.value is now.value or place.known is None:
                continue
            repair = _repair(then, place, now)
            what = f"{shown(place.known)}, and an equal one that is another object after {event}"
        else:
            repair = _repair(then, place, now)
            if all(one.shown is not None or one.value is None for one in (place, now)):
                what = _both(place.shown, now.shown, event) or what
        if repair is not None:
            yielded.append(name)
            yield _Suspect(name, what, repair)
    for name, cache in back.caches.items():
        what = f"its cache holds results from before {event}"
        yield _Suspect(name, what, cache.cache_clear)


def _both(before: Any, after: Any, event: str) -> str:
    """Two values for a report; "" if they look alike, as two objects of a class do."""
    if isinstance(before, bytes) and isinstance(after, bytes) and before.startswith(MAGICS):
        found = list(differences(world_fields(before), world_fields(after)))
        return difference_lines(found)[0] if found else ""
    if isinstance(before, dict) and isinstance(after, dict) and len(repr(before)) > _DICT_MAX:
        keys = [
            key
            for key in before | after
            if not _is_same(before.get(key, _GONE), after.get(key, _GONE))
        ]
        if keys:
            before, after = ({k: one[k] for k in keys if k in one} for one in (before, after))
    one, other = (shown(_Sorted(v) if isinstance(v, set) else v) for v in (before, after))
    is_alike = _ADDRESS.sub("", one) == _ADDRESS.sub("", other)
    return "" if is_alike else f"{one} before, {other} after {event}"


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
    """A function that puts a value back, as it was, where the name leads to now."""
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
        if type(a) is float and type(b) is float:
            return repr(a) == repr(b)  # -0.0 is equal to 0.0
        return a is b or (type(a) is type(b) and bool(a == b))
    except Exception:
        return True
