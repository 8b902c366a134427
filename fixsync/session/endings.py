"""How a match ended, and what a desync has to show for itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice
from pathlib import Path

from fixsync.fields import SIZES, Difference, StateFields, Value, differences
from fixsync.session.blobs import Evidence
from fixsync.shapes import Contact, Pose, shape_from_tuple
from fixsync.sim import fields_of, hash_of, names_of
from fixsync.world import World

__all__ = ["Desync", "End", "Reason"]

DIFFERENCES_TOLD_MAX = 12


class Reason(IntEnum):
    """Why a match ended."""

    COMPLETED = 1
    """Every frame was confirmed, and every hash was the same on all peers."""
    LEFT = 2
    """A player left."""
    SILENT = 3
    """Nothing valid came from a player for too long."""
    STALLED = 4
    """A player was heard, but an input of theirs that all wait for did not come."""
    REFUSED = 5
    """The peers' settings, kernels or protocols are not the same."""
    DESYNC = 6
    """The states of two peers differ after the same frame."""
    JOIN_FAILED = 7
    """A peer that was to join could not: its snapshot did not load, or it fell too far behind."""


@dataclass(frozen=True)
class Desync:
    """Two or more states where there should be one."""

    frame: int
    """The first frame after which hashes were not the same."""
    evidence: Mapping[int, Evidence]
    """By peer, as far as it arrived."""
    simulation: object = None
    """What names the fields of a state; see `fixsync.sim.fields_of`."""

    @property
    def hashes(self) -> dict[int, int]:
        """By peer, the hash of its state after the frame."""
        return {
            peer: hash_of(shown.after)
            for peer, shown in sorted(self.evidence.items())
            if shown.after
        }

    @property
    def sides(self) -> list[list[int]]:
        """The peers in groups of those that agree, the largest group first."""
        groups: dict[int, list[int]] = {}
        for peer, value in self.hashes.items():
            groups.setdefault(value, []).append(peer)
        return sorted(groups.values(), key=lambda peers: (-len(peers), peers))

    @property
    def same_inputs(self) -> bool:
        """Whether the peers stepped on the same inputs up to and with the frame: then the
        simulation is at fault."""
        return len({shown.inputs_digest for shown in self.evidence.values() if shown.after}) < 2

    @property
    def same_before(self) -> bool:
        """Whether the peers' states before the frame were the same."""
        return len({shown.before for shown in self.evidence.values() if shown.before}) < 2

    @property
    def differences(self) -> list[Difference]:
        """What differs between the first two sides' states, field by field, in the order of the
        fields.
        """
        sides = self.sides
        if len(sides) < 2:
            return []
        first, second = (self._fields(side[0]) for side in sides[:2])
        return list(differences(first, second))

    def _fields(self, peer: int) -> StateFields:
        return fields_of(self.simulation, self.evidence[peer].after)

    def explain(self) -> str:
        """The whole story in words: the frame, the sides, the fields, and the pairs whose contact
        differs.
        """
        lines = [f"desync after frame {self.frame}"]
        for peer in sorted(self.evidence):
            value = self.hashes.get(peer)
            shown = "its state is not kept any more" if value is None else f"state {value:016x}"
            lines.append(f"  peer {peer}: {shown}")
        sides = self.sides
        if len(sides) < 2:
            lines.append("  whoever differs from them has not shown its state")
            return "\n".join(lines)
        names = [" and ".join(map(str, side)) for side in sides]
        lines.append(f"  values of peer {names[0]}, then of peer {names[1]}:")
        found = self.differences
        ids = names_of(self.simulation).ids
        lines += [f"    {difference.told(ids)}" for difference in found[:DIFFERENCES_TOLD_MAX]]
        if len(found) > DIFFERENCES_TOLD_MAX:
            lines.append(f"    and {len(found) - DIFFERENCES_TOLD_MAX} more")
        lines += [f"    {line}" for line in self._geometry(sides[0][0], sides[1][0], found)]
        if not self.same_inputs:
            lines.append(
                "  the peers did not step on the same inputs: look at what delivers inputs"
            )
            for peer in (sides[0][0], sides[1][0]):
                lines.append(
                    f"    peer {peer}, frame {self.frame}: {list(self.evidence[peer].inputs)}"
                )
        elif not self.same_before:
            lines.append(
                "  the states before that frame differ already, though their hashes were the same"
            )
        else:
            inputs = list(self.evidence[sides[0][0]].inputs)
            lines.append(
                f"  same state before it, same inputs {inputs}: one step of the simulation differs"
            )
        return "\n".join(lines)

    def _geometry(self, first: int, second: int, found: Iterable[Difference]) -> list[str]:
        """The pairs whose hit is not the same: where both stood, and the contact computed here from
        that.
        """
        a, b = self._fields(first), self._fields(second)
        lines: list[str] = []
        for key in islice((d.key for d in found if d.key[0] == "hit"), 3):
            lines.append(f"pair {key[1]}, {key[2]}:")
            for peer, fields in ((first, a), (second, b)):
                lines.append(f"  on peer {peer}: {pair_told(fields, int(key[1]), int(key[2]))}")
        return lines

    def write(self, directory: Path) -> list[Path]:
        """Writes the report, and every peer's states before and after the frame, into a directory
        that it makes."""
        directory.mkdir(parents=True, exist_ok=True)
        written = {"report.txt": (self.explain() + "\n").encode()}
        told = {
            "frame": self.frame,
            "same_inputs": self.same_inputs,
            "sides": self.sides,
            "hashes": {str(peer): f"{value:016x}" for peer, value in self.hashes.items()},
            "inputs": {str(peer): shown.inputs for peer, shown in sorted(self.evidence.items())},
            "differences": [
                {"owner": d.owner, "field": d.field, "values": list(d.values)}
                for d in self.differences
            ],
        }
        written["report.json"] = (json.dumps(told, indent=1) + "\n").encode()
        for peer, shown in sorted(self.evidence.items()):
            for name, state in (("before", shown.before), ("after", shown.after)):
                if state:
                    written[f"peer{peer}.{name}.state"] = state
        paths = []
        for name, data in written.items():
            path = directory / name
            path.write_bytes(data)
            paths.append(path)
        return paths


def pair_told(fields: StateFields, a: int, b: int) -> str:
    """Two colliders of a state and their contact: what the state says, and what it is as they
    stand.
    """
    hit = int(fields.get(("hit", a, b), {}).get("contact", 0))
    told = f"hit with contact {Contact(hit).name}" if hit else "no hit"
    gone = [id for id in (a, b) if ("collider", id) not in fields]
    if gone:
        # The hits are those of the step; what the game removed after it is in them and not in the
        # world.
        when = "removed after the step" if hit else "not in the world"
        return f"{told}; collider {' and '.join(map(str, gone))} {when}"
    world = World(2)
    for place, id in enumerate((a, b)):
        _add(world, place, fields["collider", id])
    words = [f"{world[i].shape} at {world[i].pose}" for i in range(2)]
    return f"{told}; {words[0]} and {words[1]}, whose contact is {world.contact(0, 1).name}"


def _add(world: World, id: int, values: Mapping[str, Value]) -> None:
    """Adds the collider of a state's fields, as far as a contact is a matter of it."""
    kind = str(values["kind"])
    shape = shape_from_tuple((kind, *(values[name] for name in SIZES[kind])))
    x, y, z, yaw, *offset = (int(values[name]) for name in ("x", "y", "z", "yaw", "ox", "oy", "oz"))
    world.add(id, shape, Pose(x, y, z, yaw), offset=(offset[0], offset[1], offset[2]))


@dataclass(frozen=True)
class End:
    """How a match ended for one peer."""

    reason: Reason
    frame: int
    """Of a desync, the frame; otherwise, how many frames were confirmed."""
    peer: int
    """Whom the reason speaks of: who left, fell silent, was refused; who noticed, for a desync."""
    text: str
    """For people."""
    desync: Desync | None = field(default=None, repr=False)
