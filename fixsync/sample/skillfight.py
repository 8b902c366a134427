"""A complete small game: two to eight fighters, some monsters, and five skills, in integers only.

Fighters walk, dash, slash (a sector), fire a beam (a long box), set off a blast (a sphere) and
shoot. A fallen fighter comes back after a while. `SkillFight` is a `fixsync.sim.Simulation`:
`fixsync peers` plays it over a network. It is an example of a game's simulation. One frame is:
everybody acts, the world steps, the hits that began do their damage in the order of the events, and
bodies are pushed apart.

An input is one number: a heading in bits 0..5 (64 to the turn), and a bit each to walk, slash,
beam, blast, dash and shoot. 0 is to stand still."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from enum import IntEnum
from typing import ClassVar

from fixsync.fields import Key, StateFields, Value, world_fields
from fixsync.game.random import Random
from fixsync.names import Names
from fixsync.numbers import ONE, degrees, direction, length, q_near, yaw_of
from fixsync.records import Collider, Event
from fixsync.shapes import Box, Cylinder, EventKind, Pose, Sector, Shape, Sphere
from fixsync.sim import Input, hash_of
from fixsync.world import World

__all__ = ["Action", "Bot", "Button", "SkillFight"]

PLAYERS_MIN, PLAYERS_MAX = 2, 8
MONSTERS = 6
SHOTS = 3
"""How many shots of one fighter fly at a time."""

ARENA = 12 * ONE
"""From the middle to each wall."""
BODY = Cylinder(ONE // 2, ONE)
MONSTER_BODY = Cylinder(q_near("0.6"), q_near("0.8"))
SHOT = Sphere(ONE // 4)
BITE = Sphere(q_near("0.9"))
REACH = ARENA - BODY.radius
"""How far from the middle, on each axis, a body's centre can be."""

HEALTH = 100
MONSTER_HEALTH = 60
WALK = q_near("0.09")
DASH = q_near("0.3")
SHOT_SPEED = q_near("0.35")
"""Less than a shot and a body are wide: a shot cannot pass through."""
MONSTER_WALK = q_near("0.045")
MONSTER_SIGHT = 7 * ONE
BITE_REACH = q_near("1.5")
STROLL_FRAMES = 40
"""How long a monster that sees nobody goes on as it does, on the average."""
RESPAWN_FRAMES = 90
MONSTER_RESPAWN_FRAMES = 200
SHIELD_FRAMES = 45
"""After coming back, nothing hurts for so long."""

# Ids in the world. What is not in use of a range stays free.
_MONSTER_IDS = 8
_WALL_IDS = 16
_ATTACK_IDS = 24
_BITE_IDS = 32
_SHOT_IDS = 40
CAPACITY = _SHOT_IDS + PLAYERS_MAX * SHOTS


class Layer(IntEnum):
    """Layers of the world."""

    FIGHTER = 0
    MONSTER = 1
    WALL = 2
    ATTACK = 3
    BITE = 4
    SHOT = 5


_LAYERS = [
    (Layer.FIGHTER, Layer.FIGHTER),
    (Layer.FIGHTER, Layer.MONSTER),
    (Layer.FIGHTER, Layer.WALL),
    (Layer.FIGHTER, Layer.ATTACK),
    (Layer.FIGHTER, Layer.BITE),
    (Layer.FIGHTER, Layer.SHOT),
    (Layer.MONSTER, Layer.MONSTER),
    (Layer.MONSTER, Layer.WALL),
    (Layer.MONSTER, Layer.ATTACK),
    (Layer.MONSTER, Layer.SHOT),
    (Layer.WALL, Layer.SHOT),
]
_YIELDS = [
    (Layer.FIGHTER, Layer.FIGHTER),
    (Layer.FIGHTER, Layer.MONSTER),
    (Layer.MONSTER, Layer.FIGHTER),
    (Layer.MONSTER, Layer.MONSTER),
    (Layer.FIGHTER, Layer.WALL),
    (Layer.MONSTER, Layer.WALL),
]
_WALLS: list[tuple[Shape, Pose]] = [
    (Box(ARENA + ONE, 2 * ONE, ONE // 2), Pose(0, 0, ARENA + ONE // 2)),
    (Box(ARENA + ONE, 2 * ONE, ONE // 2), Pose(0, 0, -ARENA - ONE // 2)),
    (Box(ONE // 2, 2 * ONE, ARENA + ONE), Pose(ARENA + ONE // 2, 0, 0)),
    (Box(ONE // 2, 2 * ONE, ARENA + ONE), Pose(-ARENA - ONE // 2, 0, 0)),
    (Cylinder(ONE, 2 * ONE), Pose(5 * ONE, 0, 4 * ONE)),
    (Cylinder(ONE, 2 * ONE), Pose(-5 * ONE, 0, -4 * ONE)),
    (Box(2 * ONE, 2 * ONE, ONE // 2), Pose(-5 * ONE, 0, 5 * ONE, degrees(45))),
    (Box(2 * ONE, 2 * ONE, ONE // 2), Pose(5 * ONE, 0, -5 * ONE, degrees(45))),
]


class Button(IntEnum):
    """The bits of an input above the heading."""

    WALK = 1 << 6
    SLASH = 1 << 7
    BEAM = 1 << 8
    BLAST = 1 << 9
    DASH = 1 << 10
    SHOOT = 1 << 11


HEADINGS = 64
INPUT_MAX = (1 << 12) - 1


class Action(IntEnum):
    """The action of a fighter."""

    NONE = 0
    SLASH = 1
    BEAM = 2
    BLAST = 3
    DASH = 4


@dataclass(frozen=True)
class Skill:
    """A skill's frames, from its beginning: `windup`, then `active`, then `recovery`."""

    button: Button
    windup: int
    active: int
    recovery: int
    cooldown: int
    """From its beginning until it can be used again."""
    damage: int
    push: int
    """The speed with which a victim is thrown away."""
    shape: Shape | None
    offset: int = 0
    """How far before the fighter the shape's centre is."""

    @property
    def frames(self) -> int:
        return self.windup + self.active + self.recovery

    def is_active(self, frame: int) -> bool:
        return self.windup <= frame < self.windup + self.active


SKILLS = {
    Action.SLASH: Skill(
        Button.SLASH, 4, 4, 7, 20, 14, q_near("0.2"), Sector(q_near("2.2"), degrees(60), ONE)
    ),
    Action.BEAM: Skill(
        Button.BEAM,
        16,
        6,
        14,
        170,
        26,
        q_near("0.25"),
        Box(5 * ONE, ONE, q_near("0.35")),
        q_near("5.5"),
    ),
    Action.BLAST: Skill(Button.BLAST, 12, 3, 12, 220, 20, q_near("0.5"), Sphere(q_near("2.6"))),
    Action.DASH: Skill(Button.DASH, 0, 9, 3, 70, 0, 0, None),
}
_SKILL_ORDER = (Action.BLAST, Action.BEAM, Action.SLASH, Action.DASH)
SHOT_COOLDOWN = 25
SHOT_LIFE = 45
SHOT_DAMAGE = 8
SHOT_PUSH = q_near("0.1")
BITE_WINDUP, BITE_ACTIVE, BITE_FRAMES, BITE_DAMAGE, BITE_PUSH = 14, 3, 50, 9, q_near("0.25")


@dataclass
class Fighter:
    """A player's own state; where it stands and which way it looks is in the world."""

    health: int = HEALTH
    action: int = Action.NONE
    elapsed: int = 0
    """Frames of the action."""
    away: int = 0
    """Frames until it comes back."""
    shield: int = SHIELD_FRAMES
    push_x: int = 0
    push_z: int = 0
    slash_wait: int = 0
    beam_wait: int = 0
    blast_wait: int = 0
    dash_wait: int = 0
    shot_wait: int = 0
    kills: int = 0
    deaths: int = 0


@dataclass
class Monster:
    """A monster's own state."""

    health: int = MONSTER_HEALTH
    away: int = 0
    push_x: int = 0
    push_z: int = 0
    bite: int = 0
    """Frames of a bite; 0: it does not bite."""
    is_walking: int = 0


_WAITS = {
    Action.SLASH: "slash_wait",
    Action.BEAM: "beam_wait",
    Action.BLAST: "blast_wait",
    Action.DASH: "dash_wait",
}

# The largest value of each field; pushes may be of either sign.
_PUSH_MAX = 2 * ONE
_COUNT_MAX = 2**32 - 1
_FIGHTER_MAX = Fighter(
    HEALTH, max(Action), max(skill.frames for skill in SKILLS.values()), RESPAWN_FRAMES, SHIELD_FRAMES,
    _PUSH_MAX, _PUSH_MAX, SKILLS[Action.SLASH].cooldown, SKILLS[Action.BEAM].cooldown,
    SKILLS[Action.BLAST].cooldown, SKILLS[Action.DASH].cooldown, SHOT_COOLDOWN, _COUNT_MAX, _COUNT_MAX,
)  # fmt: skip
_MONSTER_MAX = Monster(MONSTER_HEALTH, MONSTER_RESPAWN_FRAMES, _PUSH_MAX, _PUSH_MAX, BITE_FRAMES, 1)

_MAGIC = b"SKF1"
_HEAD = struct.Struct("<4sIQ")
_FIGHTER = struct.Struct("<5I2i7I")
_MONSTER = struct.Struct("<2I2i2I")
_SHOT_LIFE = struct.Struct("<I")


class SkillFight:
    """The game. `players` 2..8; ValueError for other numbers."""

    name: ClassVar[str] = "skillfight"
    idle: ClassVar[int] = 0

    def __init__(self, seed: int, players: int) -> None:
        if not PLAYERS_MIN <= players <= PLAYERS_MAX:
            raise ValueError(f"players must be {PLAYERS_MIN}..{PLAYERS_MAX}, not {players}")
        self.players = players
        self.random = Random(seed)
        self.fighters = {player: Fighter() for player in range(players)}
        self.monsters = {monster: Monster() for monster in range(MONSTERS)}
        self.shots: dict[int, int] = {}
        """Frames left, by id."""
        self.phases: dict[int, tuple[str, str]] = {}
        """What each owner is in the middle of, for the viewer: nothing that happens looks at it."""
        self.world = World(CAPACITY, layers=_LAYERS)
        for i, (shape, pose) in enumerate(_WALLS):
            self.world.add(_WALL_IDS + i, shape, pose, layer=Layer.WALL)
        for player in range(players):
            yaw = 65536 * player // players
            x, z = _ahead(yaw, 8 * ONE)
            self.world.add(player, BODY, Pose(x, 0, z, (yaw + 32768) % 65536), owner=_owner(player))
        for monster in range(MONSTERS):
            pose = self._free_place()
            self.world.add(_MONSTER_IDS + monster, MONSTER_BODY, pose, layer=Layer.MONSTER)

    def check_input(self, _player: int, value: Input) -> None:
        """A number of 0..4095."""
        if not isinstance(value, int) or not 0 <= value <= INPUT_MAX:
            raise ValueError(f"must be an integer of 0..{INPUT_MAX}, not {value}")

    # One frame.

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        self.phases = {}
        for player in range(self.players):
            self._act(player, inputs[player])
        for monster in self._monsters_in_turn():
            self._roam(monster)
        for shot in sorted(self.shots):
            self._fly(shot)
        events = self.world.step()
        for event in events:
            if event.kind == EventKind.ENTER:
                self._meet(event.a, event.b)
        for id, x, _, z in self.world.separate(_YIELDS, passes=2):
            # A crowd may be pushed through a wall; nobody leaves the arena.
            self.world.move(id, _clamped(x), 0, _clamped(z))
        return events

    def _monsters_in_turn(self) -> Sequence[int]:
        """In which order monsters act. It matters: they draw from one generator."""
        return range(MONSTERS)

    def _way(self, yaw: int, distance: int) -> tuple[int, int]:
        """(dx, dz) of a body's way in a frame."""
        return _ahead(yaw, distance)

    def _act(self, player: int, value: Input) -> None:
        """A fighter's frame: time passes, then it follows its input as far as it can."""
        fighter = self.fighters[player]
        if fighter.away:
            fighter.away -= 1
            if not fighter.away:
                self._come_back(player)
            return
        fighter.shield -= fighter.shield > 0
        fighter.shot_wait -= fighter.shot_wait > 0
        for name in _WAITS.values():
            wait = getattr(fighter, name)
            setattr(fighter, name, wait - (wait > 0))
        pose = self.world[player].pose
        yaw = pose.yaw
        buttons = value if isinstance(value, int) else 0
        if fighter.action == Action.NONE:
            if buttons >= Button.WALK:
                yaw = buttons % HEADINGS * (65536 // HEADINGS)
            self._begin(fighter, buttons)
        speed = 0
        if fighter.action == Action.DASH:
            speed = DASH if SKILLS[Action.DASH].is_active(fighter.elapsed) else 0
        elif buttons & Button.WALK:
            speed = WALK if fighter.action == Action.NONE else WALK // 4
        dx, dz = self._way(yaw, speed)
        x, z = _clamped(pose.x + dx + fighter.push_x), _clamped(pose.z + dz + fighter.push_z)
        fighter.push_x, fighter.push_z = _slower(fighter.push_x), _slower(fighter.push_z)
        here = Pose(x, 0, z, yaw)
        self.world.set_pose(player, here)
        if fighter.action == Action.NONE and buttons & Button.SHOOT and not fighter.shot_wait:
            self._shoot(player, fighter, here)
        if fighter.action != Action.NONE:
            self._go_on(player, fighter, here)

    def _begin(self, fighter: Fighter, buttons: int) -> None:
        for action in _SKILL_ORDER:
            if buttons & SKILLS[action].button and not getattr(fighter, _WAITS[action]):
                fighter.action, fighter.elapsed = action, 0
                setattr(fighter, _WAITS[action], SKILLS[action].cooldown)
                return

    def _go_on(self, player: int, fighter: Fighter, here: Pose) -> None:
        """A frame of an action: its volume is in the world during the active frames, and follows
        the fighter."""
        skill = SKILLS[Action(fighter.action)]
        phase = "startup" if fighter.elapsed < skill.windup else "recovery"
        phase = "active" if skill.is_active(fighter.elapsed) else phase
        self.phases[_owner(player)] = Action(fighter.action).name.lower(), phase
        id = _ATTACK_IDS + player
        if skill.shape is not None:
            if fighter.elapsed == skill.windup:
                offset = (skill.offset, 0, 0)
                self.world.add(
                    id, skill.shape, here, layer=Layer.ATTACK, owner=_owner(player), offset=offset
                )
            elif skill.is_active(fighter.elapsed):
                self.world.set_pose(id, here)
            elif fighter.elapsed == skill.windup + skill.active:
                self.world.remove(id)
        fighter.elapsed += 1
        if fighter.elapsed >= skill.frames:
            fighter.action, fighter.elapsed = Action.NONE, 0

    def _shoot(self, player: int, fighter: Fighter, here: Pose) -> None:
        for id in range(_SHOT_IDS + SHOTS * player, _SHOT_IDS + SHOTS * (player + 1)):
            if id not in self.shots:
                dx, dz = _ahead(here.yaw, BODY.radius)
                pose = Pose(here.x + dx, 0, here.z + dz, here.yaw)
                self.world.add(id, SHOT, pose, layer=Layer.SHOT, owner=_owner(player))
                self.shots[id] = SHOT_LIFE
                fighter.shot_wait = SHOT_COOLDOWN
                return

    def _fly(self, shot: int) -> None:
        self.shots[shot] -= 1
        if not self.shots[shot]:
            self._end_shot(shot)
            return
        pose = self.world[shot].pose
        dx, dz = _ahead(pose.yaw, SHOT_SPEED)
        self.world.move(shot, pose.x + dx, 0, pose.z + dz)

    def _end_shot(self, shot: int) -> None:
        del self.shots[shot]
        self.world.remove(shot)

    def _roam(self, number: int) -> None:
        """A monster's frame: it goes for the nearest fighter in sight and bites, or strolls
        about.
        """
        monster, id = self.monsters[number], _MONSTER_IDS + number
        if monster.away:
            monster.away -= 1
            if not monster.away:
                monster.health = MONSTER_HEALTH
                self.world.set_pose(id, self._free_place())
                self.world.set_active(id, True)
            return
        pose = self.world[id].pose
        yaw, speed = pose.yaw, 0
        target = self._nearest(pose)
        if monster.bite:
            self._bite(number, monster, pose)
        elif target is not None:
            dx, dz = target[1].x - pose.x, target[1].z - pose.z
            yaw = yaw_of(dx, dz)
            if target[0] <= BITE_REACH:
                monster.bite = BITE_FRAMES
            else:
                speed = MONSTER_WALK
        else:
            if self.random.chance(1, STROLL_FRAMES):
                monster.is_walking = self.random.below(2)
                yaw = self.random.below(65536)
            speed = MONSTER_WALK // 2 * monster.is_walking
        dx, dz = _ahead(yaw, speed)
        x, z = _clamped(pose.x + dx + monster.push_x), _clamped(pose.z + dz + monster.push_z)
        monster.push_x, monster.push_z = _slower(monster.push_x), _slower(monster.push_z)
        self.world.set_pose(id, Pose(x, 0, z, yaw))

    def _bite(self, number: int, monster: Monster, pose: Pose) -> None:
        elapsed, id = BITE_FRAMES - monster.bite, _BITE_IDS + number
        if elapsed == BITE_WINDUP:
            self.world.add(id, BITE, pose, layer=Layer.BITE, offset=(ONE, 0, 0))
        elif elapsed == BITE_WINDUP + BITE_ACTIVE:
            self.world.remove(id)
        monster.bite -= 1

    def _nearest(self, pose: Pose) -> tuple[int, Pose] | None:
        """The distance and the pose of the nearest fighter in sight; of two equally near the lower
        number.
        """
        best = None
        for player in range(self.players):
            if self.fighters[player].away:
                continue
            there = self.world[player].pose
            distance = length(there.x - pose.x, 0, there.z - pose.z)
            if distance <= MONSTER_SIGHT and (best is None or distance < best[0]):
                best = distance, there
        return best

    # Hits.

    def _meet(self, a: int, b: int) -> None:
        """What a hit that begins does: bodies have lower ids than what hurts them, and walls stop
        shots.
        """
        if b >= _SHOT_IDS:
            if b in self.shots:
                player = (b - _SHOT_IDS) // SHOTS
                if a < _WALL_IDS:
                    self._hurt(a, SHOT_DAMAGE, SHOT_PUSH, self.world[b].pose.yaw, player)
                self._end_shot(b)
        elif b >= _BITE_IDS:
            yaw = self.world[_MONSTER_IDS + b - _BITE_IDS].pose.yaw
            self._hurt(a, BITE_DAMAGE, BITE_PUSH, yaw, None)
        elif b >= _ATTACK_IDS and a < _WALL_IDS and b in self.world:
            player = b - _ATTACK_IDS
            skill = SKILLS[Action(self.fighters[player].action)]
            here, there = self.world[player].pose, self.world[a].pose
            yaw = yaw_of(there.x - here.x, there.z - here.z)
            self._hurt(a, skill.damage, skill.push, yaw, player)

    def _hurt(self, id: int, damage: int, push: int, yaw: int, by: int | None) -> None:
        """Damage, a little more or less of it by chance, and a push. Whoever strikes the last blow
        scores.
        """
        is_fighter = id < _MONSTER_IDS
        body: Fighter | Monster = (
            self.fighters[id] if is_fighter else self.monsters[id - _MONSTER_IDS]
        )
        if body.away or (isinstance(body, Fighter) and (body.shield or self._is_dashing(body))):
            return
        body.health = max(0, body.health - damage - self.random.below(5))
        dx, dz = _ahead(yaw, push)
        body.push_x, body.push_z = _limited(body.push_x + dx), _limited(body.push_z + dz)
        if body.health:
            return
        self._fall(id)
        if by is not None:
            self.fighters[by].kills = min(
                self.fighters[by].kills + (3 if is_fighter else 1), _COUNT_MAX
            )

    def _is_dashing(self, fighter: Fighter) -> bool:
        return fighter.action == Action.DASH and SKILLS[Action.DASH].is_active(fighter.elapsed)

    def _fall(self, id: int) -> None:
        """Takes a body and its action out of the fight for a while."""
        self.world.set_active(id, False)
        if id < _MONSTER_IDS:
            fighter = self.fighters[id]
            if _ATTACK_IDS + id in self.world:
                self.world.remove(_ATTACK_IDS + id)
            deaths = min(fighter.deaths + 1, _COUNT_MAX)
            self.fighters[id] = Fighter(
                away=RESPAWN_FRAMES, kills=fighter.kills, deaths=deaths, shield=0
            )
        else:
            number = id - _MONSTER_IDS
            if _BITE_IDS + number in self.world:
                self.world.remove(_BITE_IDS + number)
            self.monsters[number] = Monster(health=0, away=MONSTER_RESPAWN_FRAMES)

    def _come_back(self, player: int) -> None:
        self.fighters[player].shield = SHIELD_FRAMES
        self.world.set_pose(player, self._free_place())
        self.world.set_active(player, True)

    def _free_place(self) -> Pose:
        """A random place away from the walls and from everybody; after some tries, any place."""
        for _ in range(16):
            pose = Pose(
                self.random.between(-REACH, REACH),
                0,
                self.random.between(-REACH, REACH),
                self.random.below(65536),
            )
            if not self.world.query(Cylinder(2 * ONE, ONE), pose):
                break
        return pose

    # State.

    def save(self) -> bytes:
        return b"".join(
            (
                _HEAD.pack(_MAGIC, self.players, self.random.state),
                *(_FIGHTER.pack(*astuple(self.fighters[player])) for player in range(self.players)),
                *(_MONSTER.pack(*astuple(self.monsters[monster])) for monster in range(MONSTERS)),
                *(_SHOT_LIFE.pack(self.shots.get(id, 0)) for id in self._shot_ids()),
                self.world.save(),
            )
        )

    def _shot_ids(self) -> range:
        return range(_SHOT_IDS, _SHOT_IDS + SHOTS * self.players)

    def load(self, data: bytes) -> None:
        """ValueError, with nothing changed, for bytes that no game with so many players could have
        saved.
        """
        players, random, fighters, monsters, lives, world_state = _parsed(bytes(data))
        if players != self.players:
            raise ValueError(f"a game of {players} players, where this has {self.players}")
        shots = {id: life for id, life in zip(self._shot_ids(), lives, strict=True) if life}
        world = World.from_bytes(world_state, CAPACITY)
        _check_world(world, fighters, monsters, shots)
        self.world.load(world_state)
        self.random.state = random
        self.fighters = dict(enumerate(fighters))
        self.monsters = dict(enumerate(monsters))
        self.shots = shots

    def hash(self) -> int:
        return hash_of(self.save())

    @staticmethod
    def state_fields(state: bytes) -> StateFields:
        _, random, fighters, monsters, lives, world_state = _parsed(bytes(state))
        told: dict[Key, dict[str, Value]] = dict(world_fields(world_state))
        told["random",] = {"state": random}
        told.update({("fighter", i): asdict(fighter) for i, fighter in enumerate(fighters)})
        told.update({("monster", i): asdict(monster) for i, monster in enumerate(monsters)})
        told["shots",] = {f"life[{_SHOT_IDS + i}]": life for i, life in enumerate(lives)}
        return told

    def shuffle(self, random: Random) -> None:
        """Puts fighters, monsters and shots into another order within their dicts."""
        for name in ("fighters", "monsters", "shots"):
            entries = list(getattr(self, name).items())
            random.shuffle(entries)
            setattr(self, name, dict(entries))

    @property
    def names(self) -> Names:
        """Names of layers and ids for viewers of a match."""
        ids = {_WALL_IDS + i: f"wall {i}" for i in range(len(_WALLS))}
        for player in range(self.players):
            ids[player] = f"player {player}"
            ids[_ATTACK_IDS + player] = f"skill of player {player}"
            for shot in range(SHOTS):
                ids[_SHOT_IDS + SHOTS * player + shot] = f"shot {shot} of player {player}"
        for monster in range(MONSTERS):
            ids[_MONSTER_IDS + monster] = f"monster {monster}"
            ids[_BITE_IDS + monster] = f"bite of monster {monster}"
        return Names({int(layer): layer.name.lower() for layer in Layer}, ids)

    @classmethod
    def bot(cls, player: int, seed: int) -> Bot:
        return Bot(player, seed)


def _owner(player: int) -> int:
    return player + 1


def _ahead(yaw: int, distance: int) -> tuple[int, int]:
    """(x, z) at a distance in the direction of a yaw, rounded toward zero, so that a mirrored fight
    mirrors.
    """
    if not distance:
        return 0, 0
    cos, sin = direction(yaw)
    return _shifted(cos * distance), _shifted(sin * distance)


def _shifted(value: int) -> int:
    return value >> 30 if value >= 0 else -(-value >> 30)


def _slower(speed: int) -> int:
    """Seven eighths of a speed, rounded toward zero."""
    return speed * 7 // 8 if speed >= 0 else -(-speed * 7 // 8)


def _clamped(value: int) -> int:
    return min(max(value, -REACH), REACH)


def _limited(push: int) -> int:
    return min(max(push, -_PUSH_MAX), _PUSH_MAX)


def _parsed(data: bytes) -> tuple[int, int, list[Fighter], list[Monster], list[int], bytes]:
    """The parts of a saved state, each number within its range. What they have to do with the world
    is not looked at."""
    try:
        magic, players, random = _HEAD.unpack_from(data)
        if magic != _MAGIC or not PLAYERS_MIN <= players <= PLAYERS_MAX:
            raise ValueError(f"no saved game: it begins with {data[:8]!r}")
        at = _HEAD.size
        bodies: list[list[tuple[int, ...]]] = []
        for layout, count in (
            (_FIGHTER, players),
            (_MONSTER, MONSTERS),
            (_SHOT_LIFE, SHOTS * players),
        ):
            bodies.append([layout.unpack_from(data, at + i * layout.size) for i in range(count)])
            at += count * layout.size
    except struct.error as error:
        raise ValueError(f"a saved game that ends early: {error}") from None
    fighters = [Fighter(*row) for row in bodies[0]]
    monsters = [Monster(*row) for row in bodies[1]]
    lives = [row[0] for row in bodies[2]]
    for i, fighter in enumerate(fighters):
        _check_ranges(f"fighter {i}", asdict(fighter), asdict(_FIGHTER_MAX))
    for i, monster in enumerate(monsters):
        _check_ranges(f"monster {i}", asdict(monster), asdict(_MONSTER_MAX))
    for i, life in enumerate(lives):
        if life > SHOT_LIFE:
            raise ValueError(f"shot {_SHOT_IDS + i}: life must be at most {SHOT_LIFE}, not {life}")
    return players, random, fighters, monsters, lives, data[at:]


def _check_ranges(name: str, values: dict[str, int], limits: dict[str, int]) -> None:
    for field, value in values.items():
        limit = limits[field]
        if not (-limit if field.startswith("push") else 0) <= value <= limit:
            raise ValueError(f"{name}: {field} must be at most {limit}, not {value}")


def _colliders(
    fighters: Sequence[Fighter], monsters: Sequence[Monster], shots: Sequence[int]
) -> Iterator[tuple[int, Shape, Layer, int, int, bool]]:
    """What the world must hold: id, shape, layer, owner, offset and active, beside the walls."""
    for player, fighter in enumerate(fighters):
        yield player, BODY, Layer.FIGHTER, _owner(player), 0, not fighter.away
        if fighter.action != Action.NONE:
            skill = SKILLS[Action(fighter.action)]
            # `elapsed` has been counted on since the volume was put there.
            if skill.shape is not None and skill.is_active(fighter.elapsed - 1):
                owner = _owner(player)
                yield _ATTACK_IDS + player, skill.shape, Layer.ATTACK, owner, skill.offset, True
    for number, monster in enumerate(monsters):
        yield _MONSTER_IDS + number, MONSTER_BODY, Layer.MONSTER, 0, 0, not monster.away
        if BITE_WINDUP < BITE_FRAMES - monster.bite <= BITE_WINDUP + BITE_ACTIVE and monster.bite:
            yield _BITE_IDS + number, BITE, Layer.BITE, 0, ONE, True
    for id in shots:
        yield id, SHOT, Layer.SHOT, _owner((id - _SHOT_IDS) // SHOTS), 0, True


def _check_world(
    world: World, fighters: Sequence[Fighter], monsters: Sequence[Monster], shots: dict[int, int]
) -> None:
    """ValueError unless a world is one in which such a game can go on."""
    if world.hit_when != 1 or world.layers != sorted((int(i), int(j)) for i, j in _LAYERS):
        raise ValueError("the world's hit_when or layers are not this game's")
    for player, fighter in enumerate(fighters):
        has_skill = fighter.action != Action.NONE
        if fighter.elapsed >= (SKILLS[Action(fighter.action)].frames if has_skill else 1):
            raise ValueError(
                f"fighter {player}: elapsed {fighter.elapsed} in action {fighter.action}"
            )
        if not fighter.health or (fighter.away and has_skill):
            raise ValueError(
                f"fighter {player}: health {fighter.health} in action {fighter.action}"
            )
    for number, monster in enumerate(monsters):
        if bool(monster.away) == bool(monster.health) or (monster.away and monster.bite):
            raise ValueError(f"monster {number}: health {monster.health}, away {monster.away}")
    found = {collider.id: collider for collider in world.colliders()}
    for i, (shape, pose) in enumerate(_WALLS):
        wall = Collider(_WALL_IDS + i, shape, pose, Layer.WALL, 0, (0, 0, 0), True)
        if found.pop(wall.id, None) != wall:
            raise ValueError(f"collider {wall.id} is not this game's wall")
    for id, shape, layer, owner, offset, active in _colliders(fighters, monsters, sorted(shots)):
        collider = found.pop(id, None)
        if collider is None:
            raise ValueError(f"collider {id} is missing")
        pose = collider.pose
        if collider != Collider(id, shape, pose, layer, owner, (offset, 0, 0), active):
            raise ValueError(f"collider {id} is not what the game put there")
        if pose.y != 0 or max(abs(pose.x), abs(pose.z)) > 2 * ARENA:
            raise ValueError(f"collider {id} is outside the arena, at {pose}")
    if found:
        raise ValueError(f"collider {min(found)} belongs to nothing in the game")


class Bot:
    """Plays a fighter: attacks who is near with a skill that reaches, and flees when badly hurt.

    It reads the simulation and has a generator of its own, so it is not part of the game's
    state."""

    def __init__(self, player: int, seed: int) -> None:
        self.player = player
        self._random = Random((seed * 0x9E3779B97F4A7C15 + player + 1) & (2**64 - 1))
        self._target = -1
        self._mood = 0
        self._turn = 0

    def decide(self, simulation: SkillFight) -> int:
        random, world = self._random, simulation.world
        if simulation.fighters[self.player].away:
            return 0
        me, fighter = world[self.player].pose, simulation.fighters[self.player]
        if self._mood <= 0 or not self._is_there(simulation, self._target):
            self._mood = random.between(30, 90)
            self._turn = random.choice((0, 0, 0, 4, -4, 8, -8))
            self._target = self._chosen(simulation, me)
        self._mood -= 1
        if self._target < 0:
            return self._heading(me, 0, 0, random.below(3)) | Button.WALK
        there = world[self._target].pose
        dx, dz = there.x - me.x, there.z - me.z
        distance = length(dx, 0, dz)
        aimed = self._heading(me, dx, dz, 0)
        if fighter.health < 35 and distance < 5 * ONE:
            away = self._heading(me, -dx, -dz, self._turn)
            return away | (
                Button.DASH if not fighter.dash_wait and random.chance(1, 6) else Button.WALK
            )
        close = sum(
            1
            for id in (*range(simulation.players), *range(_MONSTER_IDS, _MONSTER_IDS + MONSTERS))
            if id != self.player
            and self._is_there(simulation, id)
            and length(world[id].pose.x - me.x, 0, world[id].pose.z - me.z) < 2 * ONE
        )
        if close >= 2 and not fighter.blast_wait and random.chance(1, 3):
            return aimed | Button.BLAST
        if distance < 2 * ONE:
            return aimed | (Button.SLASH if random.chance(1, 2) else Button.WALK)
        if distance < 9 * ONE and not fighter.beam_wait and random.chance(1, 12):
            return aimed | Button.BEAM
        if distance < 9 * ONE and not fighter.shot_wait and random.chance(1, 4):
            return aimed | Button.SHOOT
        if distance > 6 * ONE and not fighter.dash_wait and random.chance(1, 20):
            return aimed | Button.DASH
        return self._heading(me, dx, dz, self._turn) | Button.WALK

    def _is_there(self, simulation: SkillFight, id: int) -> bool:
        if 0 <= id < _MONSTER_IDS:
            return not simulation.fighters[id].away
        return id >= _MONSTER_IDS and not simulation.monsters[id - _MONSTER_IDS].away

    def _chosen(self, simulation: SkillFight, me: Pose) -> int:
        """The nearest fighter, or, one time in three, the nearest monster; -1 if nobody is
        there.
        """
        monsters = range(_MONSTER_IDS, _MONSTER_IDS + MONSTERS)
        players = [id for id in range(simulation.players) if id != self.player]
        first: Sequence[int] = monsters if self._random.chance(1, 3) else players
        for ids in (first, players, monsters):
            there = [id for id in ids if self._is_there(simulation, id)]
            if there:
                poses = {id: simulation.world[id].pose for id in there}
                return min(
                    there, key=lambda id: (length(poses[id].x - me.x, 0, poses[id].z - me.z), id)
                )
        return -1

    def _heading(self, me: Pose, dx: int, dz: int, turn: int) -> int:
        yaw = yaw_of(dx, dz) if dx or dz else me.yaw
        return ((yaw + 512) // 1024 + turn) % HEADINGS
