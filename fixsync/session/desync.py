"""A desync: the states of peers after one frame, compared field by field, and reported."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from struct import Struct
from typing import NamedTuple

from fixsync.base.fields import SIZES, Difference, StateFields, Value, byte_fields, differences
from fixsync.base.names import Names
from fixsync.match.sim import fields_of, hash_of, names_of
from fixsync.session.blobs import Evidence
from fixsync.world.level import LEVEL, Level
from fixsync.world.shapes import Contact, Pose, shape_from_tuple
from fixsync.world.world import World

DIFFERENCES_SHOWN_MAX = 12
GAME_SHOWN_MAX = 6
_GAME_EVENT = Struct("<3Ii")
INPUT_DELAY = 0  # The kind of a row beside the events: `value` is a new input delay of player a.


def compared_hash(state_hash: int, game: Iterable[Sequence[int]], over: bool = False) -> int:
    """The values of a frame that peers compare: the hash of the state after it, the game's own
    events, new input delays, and whether the match is over. The state need not have these."""
    rows = b"".join(_GAME_EVENT.pack(*event) for event in game) + b"\1" * over
    return hash_of(state_hash.to_bytes(8, "little") + rows) if rows else state_hash


class _Compared(NamedTuple):
    """The states of two peers as fields."""

    peers: tuple[int, int]
    fields: list[StateFields]
    differences: list[Difference]
    faults: list[str]
    """Why fields are bytes only."""


@dataclass(frozen=True)
class Desync:
    """The evidence of two or more states after one frame."""

    frame: int
    """The first frame after which hashes were not the same."""
    evidence: dict[int, Evidence]
    """By peer, as far as it arrived."""
    simulation: object = None
    """The simulation that names the fields of a state; see `fixsync.match.sim.fields_of`."""
    damaged: dict[int, tuple[bytes, str]] = field(default_factory=dict)
    """By peer, evidence that does not decode, and why."""
    sent: Mapping[int, int | None] = field(default_factory=dict)
    """By peer that was asked for evidence, the hash of the frame that it sent; None if that is
    the one of this peer, or none came."""

    @property
    def hashes(self) -> dict[int, int]:
        """By peer, the hash of its state after the frame: `state_hash` of a Confirmed."""
        return {peer: hash_of(it.after) for peer, it in sorted(self.evidence.items()) if it.after}

    def _compared_hash(self, peer: int) -> int:
        held = self.evidence[peer]
        return compared_hash(hash_of(held.after), held.game, held.is_over)

    @property
    def sides(self) -> list[list[int]]:
        """The peers in groups of those that agree, the largest group first: in the state, the
        game's own events, and whether the match is over."""
        groups: dict[int, list[int]] = {}
        for peer in self.hashes:
            groups.setdefault(self._compared_hash(peer), []).append(peer)
        return sorted(groups.values(), key=lambda peers: (-len(peers), peers))

    @property
    def same_inputs(self) -> bool:
        """Whether the peers stepped on the same inputs up to and including the frame: then the
        simulation is at fault."""
        return len({held.inputs_digest for held in self.evidence.values() if held.after}) < 2

    @property
    def same_before(self) -> bool:
        """Whether the peers' states before the frame were the same."""
        return len({held.before for held in self.evidence.values() if held.before}) < 2

    @property
    def differences(self) -> list[Difference]:
        """The fields in which the first two sides' states differ, in the order of the fields.

        States that do not decode are compared as bytes."""
        compared = self._compared()
        return [] if compared is None else compared.differences

    def _compared(self) -> _Compared | None:
        sides = self.sides
        if len(sides) < 2:
            return None
        peers = sides[0][0], sides[1][0]
        states = [self.evidence[peer].after for peer in peers]
        fields, faults = [], []
        for peer, state in zip(peers, states, strict=True):
            try:
                fields.append(fields_of(self.simulation, state))
            except Exception as wrong:  # noqa: PERF203 - a game's decoder, given a faulty state
                faults.append(f"the state of peer {peer} does not decode: {_why(wrong)}")
        if not faults:
            try:
                return _Compared(peers, fields, list(differences(*fields)), faults)
            except Exception as wrong:  # fields of a game's decoder
                faults.append(f"the fields of the states cannot be compared: {_why(wrong)}")
        fields = [byte_fields(state) for state in states]
        return _Compared(peers, fields, list(differences(*fields)), faults)

    def explain(self) -> str:
        """The frame, the sides, the fields that differ, and the pairs whose contact differs."""
        lines = [f"desync after frame {self.frame}"]
        for peer in sorted(self.evidence):
            value = self.hashes.get(peer)
            none = "no state: the frame is not confirmed there yet, or not kept any more"
            lines.append(f"  peer {peer}: {none if value is None else f'state {value:016x}'}")
        for peer, (data, why) in sorted(self.damaged.items()):
            lines.append(f"  peer {peer}: {len(data)} bytes of evidence that do not decode: {why}")
        for peer, sent in sorted(self.sent.items()):
            if peer in self.hashes and sent not in (None, self._compared_hash(peer)):
                why = "is not that of its state and events"
                lines.append(f"  the hash that peer {peer} sent {why}")
        compared = self._compared()
        if compared is None:
            missing = sorted({*self.sent} - {*self.evidence})
            lines += [f"  peer {peer} has not sent its state" for peer in missing]
            if not missing and len(self.hashes) > 1:
                lines.append("  the states and events that came are the same")
            return "\n".join(lines)
        names = [" and ".join(map(str, side)) for side in self.sides]
        lines += [f"  {fault}" for fault in compared.faults]
        lines.append(f"  values of peer {names[0]}, then of peer {names[1]}:")
        found = compared.differences
        try:
            called = names_of(self.simulation)
        except Exception as wrong:  # a game's own, which raises
            called = Names()
            lines.append(f"  the simulation has no names: {_why(wrong)}")
        lines += [
            f"    {difference.text(called.ids)}" for difference in found[:DIFFERENCES_SHOWN_MAX]
        ]
        if len(found) > DIFFERENCES_SHOWN_MAX:
            lines.append(f"    and {len(found) - DIFFERENCES_SHOWN_MAX} more")
        lines += [f"    {line}" for line in _geometry(compared, self.simulation)]
        games = [self.evidence[peer].game for peer in compared.peers]
        if games[0] != games[1]:
            kinds = {INPUT_DELAY: "input delay", **called.game}
            for peer, game in zip(compared.peers, games, strict=True):
                lines.append(f"  game events of peer {peer}: {_game_text(game, kinds)}")
        over = [self.evidence[peer].is_over for peer in compared.peers]
        if over[0] != over[1]:
            words = (f"{it} on peer {at}" for it, at in zip(over, compared.peers, strict=True))
            lines.append(f"  is_over is {', '.join(words)}")
        if not found:
            what = "the events depend" if games[0] != games[1] else "is_over depends"
            lines.append(f"  the states are the same: {what} on something that is not saved")
        inputs = [list(self.evidence[peer].inputs) for peer in compared.peers]
        if not self.same_inputs:
            lines.append(
                "  the peers did not step on the same inputs: look at the code that delivers inputs"
            )
            for peer, given in zip(compared.peers, inputs, strict=True):
                lines.append(f"    peer {peer}, frame {self.frame}: {given}")
        elif not self.same_before:
            lines.append(
                "  the states before that frame differ already, though their hashes were the same"
            )
        else:
            same = f"same state before it, same inputs {inputs[0]}"
            lines.append(f"  {same}: one step of the simulation differs,")
            lines.append(
                "  or depends on something that is not saved (fixsync synctest finds that)"
            )
        return "\n".join(lines)

    def write(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Writes every peer's states before and after the frame, then the report, into a directory
        that it makes. OSError if that cannot be done."""
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        paths = []

        def save(name: str, data: bytes) -> None:
            paths.append(folder / name)
            paths[-1].write_bytes(data)

        for peer, held in sorted(self.evidence.items()):
            for name, state in (("before", held.before), ("after", held.after)):
                if state:
                    save(f"peer{peer}.{name}.state", state)
        for peer, (data, _) in sorted(self.damaged.items()):
            save(f"peer{peer}.evidence", data)
        save("report.txt", (self.explain() + "\n").encode())
        report = {
            "frame": self.frame,
            "same_inputs": self.same_inputs,
            "sides": self.sides,
            "hashes": {str(peer): f"{value:016x}" for peer, value in self.hashes.items()},
            "inputs": {str(peer): held.inputs for peer, held in sorted(self.evidence.items())},
            "is_over": {str(p): held.is_over for p, held in sorted(self.evidence.items())},
            "game": {str(peer): held.game for peer, held in sorted(self.evidence.items())},
            "differences": [
                {"owner": d.owner, "field": d.field, "values": d.values} for d in self.differences
            ],
        }
        save("report.json", (json.dumps(report, indent=1, default=str) + "\n").encode())
        return paths


def _game_text(game: Sequence[Sequence[int]], kinds: Mapping[int, str]) -> str:
    words = [f"{kinds.get(kind, kind)}({a}, {b}, {value})" for a, b, kind, value in game]
    more = f" and {len(words) - GAME_SHOWN_MAX} more" if len(words) > GAME_SHOWN_MAX else ""
    return (", ".join(words[:GAME_SHOWN_MAX]) or "none") + more


def _why(wrong: Exception) -> str:
    return str(wrong) if type(wrong) is ValueError else f"{type(wrong).__name__}: {wrong}"


def _geometry(compared: _Compared, simulation: object) -> list[str]:
    """The pairs whose hit is not the same: where both stood, and the contact computed from that."""
    lines: list[str] = []
    level = getattr(getattr(simulation, "world", None), "level", None)
    for key in islice((d.key for d in compared.differences if d.key[0] == "hit"), 3):
        lines.append(f"pair {key[1]}, {key[2]}:")
        for peer, fields in zip(compared.peers, compared.fields, strict=True):
            try:
                pair = pair_text(fields, int(key[1]), int(key[2]), level)
            except Exception as wrong:  # fields of a faulty peer
                pair = f"cannot be computed: {_why(wrong)}"
            lines.append(f"  on peer {peer}: {pair}")
    return lines


def pair_text(fields: StateFields, a: int, b: int, level: Level | None = None) -> str:
    """Two colliders of a state, or a collider and a solid of the level, and their contact: the one
    in the state, and the one at their present poses."""
    hit = int(fields.get(("hit", a, b), {}).get("contact", 0))
    found = f"hit with contact {Contact(hit).name}" if hit else "no hit"
    colliders = [id for id in (a, b) if id < LEVEL]
    gone = [id for id in colliders if ("collider", id) not in fields]
    if gone:
        # The hits are those of the step; what the game removed after it is in them and not in the
        # world.
        when = "removed after the step" if hit else "not in the world"
        return f"{found}; collider {' and '.join(map(str, gone))} {when}"
    world = World(2, level=level)
    for place, id in enumerate(colliders):
        _add(world, place, fields["collider", id])
    words = [f"{world[i].shape} at {world[i].pose}" for i in range(len(colliders))]
    if b >= LEVEL:
        if level is None or b - LEVEL >= len(level):
            return f"{found}; {words[0]} and a solid that the level does not have"
        words.append(str(level[b - LEVEL]))
    contact = world.contact(0, b if b >= LEVEL else 1)
    return f"{found}; {words[0]} and {words[1]}, whose contact is {contact.name}"


def _add(world: World, id: int, values: Mapping[str, Value]) -> None:
    """Adds the collider of a state's fields, as far as a contact is a matter of it."""
    kind = str(values["kind"])
    shape = shape_from_tuple((kind, *(values[name] for name in SIZES[kind])))
    x, y, z, yaw, *offset = (int(values[name]) for name in ("x", "y", "z", "yaw", "ox", "oy", "oz"))
    world.add(id, shape, Pose(x, y, z, yaw), offset=(offset[0], offset[1], offset[2]))
