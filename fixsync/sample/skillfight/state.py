"""The game's state, declared; and the check of a loaded one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, TypeAlias

from fixsync.match import State, count, up_to, within
from fixsync.sample.skillfight import rules
from fixsync.sample.skillfight.rules import SKILLS, Action, Layer
from fixsync.world.records import Collider
from fixsync.world.shapes import Shape
from fixsync.world.world import World

COUNT_MAX = 2**32 - 1

Push: TypeAlias = Annotated[int, within(-rules.PUSH_MAX, rules.PUSH_MAX)]
Wait: TypeAlias = Annotated[int, within(0, max(skill.cooldown for skill in SKILLS.values()))]
Count: TypeAlias = Annotated[int, within(0, COUNT_MAX)]


class Fighter(State):
    """A player's own state; where it stands and which way it looks is in the world."""

    health: Annotated[int, within(0, rules.HEALTH)] = rules.HEALTH
    action: Action = Action.NONE
    elapsed: Annotated[int, within(0, max(skill.frames for skill in SKILLS.values()))] = 0
    """Frames of the action."""
    away: Annotated[int, within(0, rules.RESPAWN_FRAMES)] = 0
    """Frames until it comes back."""
    shield: Annotated[int, within(0, rules.SHIELD_FRAMES)] = rules.SHIELD_FRAMES
    push_x: Push = 0
    push_z: Push = 0
    slash_wait: Wait = 0
    beam_wait: Wait = 0
    blast_wait: Wait = 0
    dash_wait: Wait = 0
    shot_wait: Annotated[int, within(0, rules.SHOT_COOLDOWN)] = 0
    kills: Count = 0
    deaths: Count = 0

    @property
    def is_dashing(self) -> bool:
        return self.action == Action.DASH and SKILLS[Action.DASH].is_active(self.elapsed)


class Monster(State):
    """A monster's own state."""

    health: Annotated[int, within(0, rules.MONSTER_HEALTH)] = rules.MONSTER_HEALTH
    away: Annotated[int, within(0, rules.MONSTER_RESPAWN_FRAMES)] = 0
    push_x: Push = 0
    push_z: Push = 0
    bite: Annotated[int, within(0, rules.BITE_FRAMES)] = 0
    """Frames of a bite; 0: it does not bite."""
    is_walking: bool = False


class Fight(State):
    """The whole state, beside the generator and the world."""

    fighters: Annotated[list[Fighter], up_to(rules.PLAYERS_MAX)]
    monsters: Annotated[list[Monster], count(rules.MONSTERS)]
    shots: Annotated[list[Annotated[int, within(0, rules.SHOT_LIFE)]], up_to(len(rules.SHOT_IDS))]
    """Frames left, by place in `rules.SHOT_IDS`; 0: it does not fly."""

    def check(self, world: World, players: int) -> None:
        """ValueError unless a game of so many players can go on with this world."""
        if len(self.fighters) != players:
            raise ValueError(f"a game of {len(self.fighters)} players, where this has {players}")
        if len(self.shots) != rules.SHOTS * players:
            raise ValueError(f"{len(self.shots)} shots of {players} players")
        if world.hit_when != 1 or world.layers != sorted((int(i), int(j)) for i, j in rules.LAYERS):
            raise ValueError("the world's hit_when or layers are not this game's")
        for player, it in enumerate(self.fighters):
            has_skill = it.action != Action.NONE
            if it.elapsed >= (SKILLS[it.action].frames if has_skill else 1):
                raise ValueError(f"fighter {player}: elapsed {it.elapsed} in action {it.action}")
            if not it.health or (it.away and has_skill):
                raise ValueError(f"fighter {player}: health {it.health} in action {it.action}")
        for number, monster in enumerate(self.monsters):
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
                raise ValueError(f"collider {id} is not as the game made it")
            if pose.y != 0 or max(abs(pose.x), abs(pose.z)) > 2 * rules.ARENA:
                raise ValueError(f"collider {id} is outside the arena, at {pose}")
        if found:
            raise ValueError(f"collider {min(found)} belongs to nothing in the game")

    def _colliders(self) -> Iterator[tuple[int, Shape, Layer, int, int, bool]]:
        """The colliders that the world must have beside the walls: id, shape, layer, owner, offset,
        active."""
        for player, fighter in enumerate(self.fighters):
            owner = rules.owner_of(player)
            yield player, rules.BODY, Layer.FIGHTER, owner, 0, not fighter.away
            skill = SKILLS.get(fighter.action)
            # `elapsed` has been counted on since the volume was put there.
            if skill and skill.shape is not None and skill.is_active(fighter.elapsed - 1):
                yield rules.ATTACK_IDS[player], skill.shape, Layer.ATTACK, owner, skill.offset, True
        for number, monster in enumerate(self.monsters):
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
        for shot, life in enumerate(self.shots):
            if life:
                owner = rules.owner_of(shot // rules.SHOTS)
                yield rules.SHOT_IDS[shot], rules.SHOT, Layer.SHOT, owner, 0, True
