"""The game's state: its parts, their bytes, and the check of a saved one."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from fixsync.fields import GroupKey, StateFields, Value, world_fields
from fixsync.records import Collider
from fixsync.sample.skillfight import rules
from fixsync.sample.skillfight.rules import SKILLS, Action, Layer
from fixsync.shapes import Shape
from fixsync.world import World

COUNT_MAX = 2**32 - 1


def _up_to(limit: int, default: int = 0) -> Any:
    """A field of 0..limit; a push may be of either sign."""
    return field(default=default, metadata={"limit": limit})


@dataclass
class Fighter:
    """A player's own state; where it stands and which way it looks is in the world."""

    health: int = _up_to(rules.HEALTH, rules.HEALTH)
    action: int = _up_to(max(Action))
    elapsed: int = _up_to(max(skill.frames for skill in SKILLS.values()))
    """Frames of the action."""
    away: int = _up_to(rules.RESPAWN_FRAMES)
    """Frames until it comes back."""
    shield: int = _up_to(rules.SHIELD_FRAMES, rules.SHIELD_FRAMES)
    push_x: int = _up_to(rules.PUSH_MAX)
    push_z: int = _up_to(rules.PUSH_MAX)
    slash_wait: int = _up_to(SKILLS[Action.SLASH].cooldown)
    beam_wait: int = _up_to(SKILLS[Action.BEAM].cooldown)
    blast_wait: int = _up_to(SKILLS[Action.BLAST].cooldown)
    dash_wait: int = _up_to(SKILLS[Action.DASH].cooldown)
    shot_wait: int = _up_to(rules.SHOT_COOLDOWN)
    kills: int = _up_to(COUNT_MAX)
    deaths: int = _up_to(COUNT_MAX)

    @property
    def is_dashing(self) -> bool:
        return self.action == Action.DASH and SKILLS[Action.DASH].is_active(self.elapsed)


@dataclass
class Monster:
    """A monster's own state."""

    health: int = _up_to(rules.MONSTER_HEALTH, rules.MONSTER_HEALTH)
    away: int = _up_to(rules.MONSTER_RESPAWN_FRAMES)
    push_x: int = _up_to(rules.PUSH_MAX)
    push_z: int = _up_to(rules.PUSH_MAX)
    bite: int = _up_to(rules.BITE_FRAMES)
    """Frames of a bite; 0: it does not bite."""
    is_walking: int = _up_to(1)


_MAGIC = b"SKF1"
_HEAD = struct.Struct("<4sIQ")
_FIGHTER = struct.Struct("<5I2i7I")
_MONSTER = struct.Struct("<2I2i2I")
_SHOT_LIFE = struct.Struct("<I")


class State(NamedTuple):
    """The parts of a game's state."""

    random: int
    fighters: dict[int, Fighter]
    monsters: dict[int, Monster]
    shots: dict[int, int]
    """Frames left, by id."""
    world: bytes

    @property
    def shot_ids(self) -> range:
        return rules.SHOT_IDS[: rules.SHOTS * len(self.fighters)]

    def packed(self) -> bytes:
        players = len(self.fighters)
        return b"".join(
            (
                _HEAD.pack(_MAGIC, players, self.random),
                *(_FIGHTER.pack(*vars(self.fighters[i]).values()) for i in range(players)),
                *(_MONSTER.pack(*vars(self.monsters[i]).values()) for i in range(rules.MONSTERS)),
                *(_SHOT_LIFE.pack(self.shots.get(id, 0)) for id in self.shot_ids),
                self.world,
            )
        )

    @classmethod
    def parsed(cls, data: bytes) -> State:
        """ValueError unless each number is within its range. How the parts and the world fit is not
        looked at."""
        rows: list[list[tuple[int, ...]]] = []
        try:
            magic, players, random = _HEAD.unpack_from(data)
            if magic != _MAGIC or not rules.PLAYERS_MIN <= players <= rules.PLAYERS_MAX:
                raise ValueError(f"not a saved game: it begins with {data[:8]!r}")
            at = _HEAD.size
            counts = {
                _FIGHTER: players,
                _MONSTER: rules.MONSTERS,
                _SHOT_LIFE: rules.SHOTS * players,
            }
            for layout, count in counts.items():
                rows.append([layout.unpack_from(data, at + i * layout.size) for i in range(count)])
                at += count * layout.size
        except struct.error as error:
            raise ValueError(f"a saved game that ends early: {error}") from None
        fighters = {i: Fighter(*row) for i, row in enumerate(rows[0])}
        monsters = {i: Monster(*row) for i, row in enumerate(rows[1])}
        shots = {rules.SHOT_IDS[i]: life for i, (life,) in enumerate(rows[2]) if life}
        for i, fighter in fighters.items():
            _check_limits(f"fighter {i}", fighter)
        for i, monster in monsters.items():
            _check_limits(f"monster {i}", monster)
        for id, life in shots.items():
            if life > rules.SHOT_LIFE:
                raise ValueError(f"shot {id}: life must be at most {rules.SHOT_LIFE}, not {life}")
        return cls(random, fighters, monsters, shots, data[at:])

    def fields(self) -> StateFields:
        told: dict[GroupKey, Mapping[str, Value]] = dict(world_fields(self.world))
        told["random",] = {"state": self.random}
        told.update({("fighter", i): {**vars(it)} for i, it in self.fighters.items()})
        told.update({("monster", i): {**vars(it)} for i, it in self.monsters.items()})
        told["shots",] = {f"life[{id}]": self.shots.get(id, 0) for id in self.shot_ids}
        return told

    def check_world(self) -> None:
        """ValueError unless the world is one in which such a game can go on."""
        world = World.from_bytes(self.world, rules.CAPACITY)
        if world.hit_when != 1 or world.layers != sorted((int(i), int(j)) for i, j in rules.LAYERS):
            raise ValueError("the world's hit_when or layers are not this game's")
        for player, it in self.fighters.items():
            has_skill = it.action != Action.NONE
            if it.elapsed >= (SKILLS[Action(it.action)].frames if has_skill else 1):
                raise ValueError(f"fighter {player}: elapsed {it.elapsed} in action {it.action}")
            if not it.health or (it.away and has_skill):
                raise ValueError(f"fighter {player}: health {it.health} in action {it.action}")
        for number, monster in self.monsters.items():
            if bool(monster.away) == bool(monster.health) or (monster.away and monster.bite):
                raise ValueError(f"monster {number}: health {monster.health}, away {monster.away}")
        found = {collider.id: collider for collider in world.colliders()}
        for id, (shape, pose) in zip(rules.WALL_IDS, rules.WALLS, strict=True):
            if found.pop(id, None) != Collider(id, shape, pose, Layer.WALL, 0, (0, 0, 0), True):
                raise ValueError(f"collider {id} is not this game's wall")
        for id, shape, layer, owner, offset, active in self._colliders():
            collider = found.pop(id, None)
            if collider is None:
                raise ValueError(f"collider {id} is missing")
            pose = collider.pose
            if collider != Collider(id, shape, pose, layer, owner, (offset, 0, 0), active):
                raise ValueError(f"collider {id} is not what the game put there")
            if pose.y != 0 or max(abs(pose.x), abs(pose.z)) > 2 * rules.ARENA:
                raise ValueError(f"collider {id} is outside the arena, at {pose}")
        if found:
            raise ValueError(f"collider {min(found)} belongs to nothing in the game")

    def _colliders(self) -> Iterator[tuple[int, Shape, Layer, int, int, bool]]:
        """What the world must hold beside the walls: id, shape, layer, owner, offset, active."""
        for player, fighter in self.fighters.items():
            owner = rules.owner_of(player)
            yield player, rules.BODY, Layer.FIGHTER, owner, 0, not fighter.away
            skill = SKILLS.get(Action(fighter.action))
            # `elapsed` has been counted on since the volume was put there.
            if skill and skill.shape is not None and skill.is_active(fighter.elapsed - 1):
                yield rules.ATTACK_IDS[player], skill.shape, Layer.ATTACK, owner, skill.offset, True
        for number, monster in self.monsters.items():
            yield (
                rules.MONSTER_IDS[number],
                rules.MONSTER_BODY,
                Layer.MONSTER,
                0,
                0,
                not monster.away,
            )
            elapsed = rules.BITE_FRAMES - monster.bite
            if rules.BITE_WINDUP < elapsed <= rules.BITE_WINDUP + rules.BITE_ACTIVE:
                yield rules.BITE_IDS[number], rules.BITE, Layer.BITE, 0, rules.BITE_OFFSET, True
        for id in self.shots:
            yield (
                id,
                rules.SHOT,
                Layer.SHOT,
                rules.owner_of(rules.SHOT_IDS.index(id) // rules.SHOTS),
                0,
                True,
            )


def _check_limits(name: str, body: Fighter | Monster) -> None:
    for part in fields(body):
        limit, value = part.metadata["limit"], getattr(body, part.name)
        if not (-limit if part.name.startswith("push") else 0) <= value <= limit:
            raise ValueError(f"{name}: {part.name} must be at most {limit}, not {value}")
