"""The simulation: the frame of fighters, monsters and shots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from fixsync.base.names import Names
from fixsync.base.numbers import ONE, direction, length, yaw_of
from fixsync.game.random import Random
from fixsync.match import Stated
from fixsync.match.sim import Input
from fixsync.sample.skillfight import rules
from fixsync.sample.skillfight.bot import Bot
from fixsync.sample.skillfight.rules import SKILLS, Action, Button, Layer
from fixsync.sample.skillfight.state import COUNT_MAX, Fight, Fighter, Monster
from fixsync.world.records import Event
from fixsync.world.shapes import Cylinder, EventKind, Pose
from fixsync.world.world import World


class SkillFight(Stated):
    """The game. `players` 2..8; ValueError for other numbers."""

    state: Fight
    held = ("random",)
    name: ClassVar[str] = "skillfight"
    idle: ClassVar[int] = 0

    def __init__(self, seed: int, players: int) -> None:
        if not rules.PLAYERS_MIN <= players <= rules.PLAYERS_MAX:
            raise ValueError(
                f"players must be {rules.PLAYERS_MIN}..{rules.PLAYERS_MAX}, not {players}"
            )
        self.players = players
        self.random = Random(seed)
        self.state = Fight(
            [Fighter() for _ in range(players)],
            [Monster() for _ in range(rules.MONSTERS)],
            [0] * (rules.SHOTS * players),
        )
        self.phases: dict[int, tuple[str, str]] = {}
        """The action of each owner, for the viewer only: no rule reads it."""
        self.world = World(rules.CAPACITY, layers=rules.LAYERS)
        for id, (shape, pose) in zip(rules.WALL_IDS, rules.WALLS, strict=True):
            self.world.add(id, shape, pose, layer=Layer.WALL)
        for player in range(players):
            yaw = 65536 * player // players
            x, z = _ahead(yaw, 8 * ONE)
            pose = Pose(x, 0, z, (yaw + 32768) % 65536)
            self.world.add(player, rules.BODY, pose, owner=rules.owner_of(player))
        for id in rules.MONSTER_IDS:
            self.world.add(id, rules.MONSTER_BODY, self._free_place(), layer=Layer.MONSTER)

    def check_input(self, _player: int, value: Input) -> None:
        """A number of 0..4095."""
        if not isinstance(value, int) or not 0 <= value <= rules.INPUT_MAX:
            raise ValueError(f"must be an integer of 0..{rules.INPUT_MAX}, not {value}")

    # One frame.

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        self.phases = {}
        for player in range(self.players):
            self._act(player, inputs[player])
        for monster in self._monsters_in_turn():
            self._roam(monster)
        for shot, life in enumerate(self.state.shots):
            if life:
                self._fly(shot)
        events = self.world.step()
        for event in events:
            if event.kind == EventKind.ENTER:
                self._meet(event.a, event.b)
        for id, x, _, z in self.world.separate(rules.YIELDS, passes=2):
            # A crowd may be pushed through a wall; nobody leaves the arena.
            self.world.move(id, _limited(x, rules.REACH), 0, _limited(z, rules.REACH))
        return events

    def _monsters_in_turn(self) -> Sequence[int]:
        """In which order monsters act. It matters: they draw from one generator."""
        return range(rules.MONSTERS)

    def _motion(self, yaw: int, distance: int) -> tuple[int, int]:
        """(dx, dz) that a fighter moves in a frame."""
        return _ahead(yaw, distance)

    def _act(self, player: int, value: Input) -> None:
        """A fighter's frame: time passes, then it follows its input as far as it can."""
        fighter = self.state.fighters[player]
        if fighter.away:
            fighter.away -= 1
            if not fighter.away:
                fighter.shield = rules.SHIELD_FRAMES
                self._come_back(player)
            return
        for name in ("shield", "shot_wait", *rules.WAITS.values()):
            setattr(fighter, name, max(0, getattr(fighter, name) - 1))
        yaw = self.world[player].pose.yaw
        buttons = value if isinstance(value, int) else 0
        if fighter.action == Action.NONE:
            if buttons >= Button.WALK:
                yaw = buttons % rules.HEADINGS * (65536 // rules.HEADINGS)
            self._begin(fighter, buttons)
        speed = 0
        if fighter.action == Action.DASH:
            speed = rules.DASH * fighter.is_dashing
        elif buttons & Button.WALK:
            speed = rules.WALK if fighter.action == Action.NONE else rules.WALK // 4
        here = self._move(player, fighter, yaw, self._motion(yaw, speed))
        if fighter.action != Action.NONE:
            self._go_on(player, fighter, here)
        elif buttons & Button.SHOOT and not fighter.shot_wait:
            self._shoot(player, fighter, here)

    def _move(self, id: int, body: Fighter | Monster, yaw: int, motion: tuple[int, int]) -> Pose:
        """Moves a body by its motion and the push of a blow, within the arena. Returns its pose."""
        pose = self.world[id].pose
        x, z = pose.x + motion[0] + body.push_x, pose.z + motion[1] + body.push_z
        here = Pose(_limited(x, rules.REACH), 0, _limited(z, rules.REACH), yaw)
        body.push_x, body.push_z = _divided(7 * body.push_x, 8), _divided(7 * body.push_z, 8)
        self.world.set_pose(id, here)
        return here

    def _begin(self, fighter: Fighter, buttons: int) -> None:
        for action, skill in SKILLS.items():
            if buttons & skill.button and not getattr(fighter, rules.WAITS[action]):
                fighter.action, fighter.elapsed = action, 0
                setattr(fighter, rules.WAITS[action], skill.cooldown)
                return

    def _go_on(self, player: int, fighter: Fighter, here: Pose) -> None:
        """A frame of an action: its volume is in the world during the active frames, and follows
        the fighter."""
        action, elapsed, owner = fighter.action, fighter.elapsed, rules.owner_of(player)
        skill, id = SKILLS[action], rules.ATTACK_IDS[player]
        phase = "startup" if elapsed < skill.windup else "recovery"
        self.phases[owner] = action.name.lower(), "active" if skill.is_active(elapsed) else phase
        if skill.shape is not None:
            if elapsed == skill.windup:
                offset = (skill.offset, 0, 0)
                self.world.add(
                    id, skill.shape, here, layer=Layer.ATTACK, owner=owner, offset=offset
                )
            elif skill.is_active(elapsed):
                self.world.set_pose(id, here)
            elif elapsed == skill.windup + skill.active:
                self.world.remove(id)
        fighter.elapsed += 1
        if fighter.elapsed >= skill.frames:
            fighter.action, fighter.elapsed = Action.NONE, 0

    def _shoot(self, player: int, fighter: Fighter, here: Pose) -> None:
        for id in rules.shot_ids(player):
            if id not in self.world:
                dx, dz = _ahead(here.yaw, rules.BODY.radius)
                pose = Pose(here.x + dx, 0, here.z + dz, here.yaw)
                self.world.add(id, rules.SHOT, pose, layer=Layer.SHOT, owner=rules.owner_of(player))
                self.state.shots[id - rules.SHOT_IDS[0]] = rules.SHOT_LIFE
                fighter.shot_wait = rules.SHOT_COOLDOWN
                return

    def _fly(self, shot: int) -> None:
        id = rules.SHOT_IDS[shot]
        self.state.shots[shot] -= 1
        if not self.state.shots[shot]:
            self.world.remove(id)
            return
        pose = self.world[id].pose
        dx, dz = _ahead(pose.yaw, rules.SHOT_SPEED)
        self.world.move(id, pose.x + dx, 0, pose.z + dz)

    def _roam(self, number: int) -> None:
        """A monster's frame: it goes for the nearest fighter in sight and bites, or strolls."""
        monster, id = self.state.monsters[number], rules.MONSTER_IDS[number]
        if monster.away:
            monster.away -= 1
            if not monster.away:
                monster.health = rules.MONSTER_HEALTH
                self._come_back(id)
            return
        pose = self.world[id].pose
        yaw, speed = pose.yaw, 0
        target = self._nearest(pose)
        if monster.bite:
            self._bite(rules.BITE_IDS[number], monster, pose)
        elif target is not None:
            distance, there = target
            yaw = yaw_of(there.x - pose.x, there.z - pose.z)
            if distance <= rules.BITE_REACH:
                monster.bite = rules.BITE_FRAMES
            else:
                speed = rules.MONSTER_WALK
        else:
            if self.random.chance(1, rules.STROLL_FRAMES):
                monster.is_walking = self.random.below(2) == 1
                yaw = self.random.below(65536)
            speed = rules.MONSTER_WALK // 2 * monster.is_walking
        self._move(id, monster, yaw, _ahead(yaw, speed))

    def _bite(self, id: int, monster: Monster, pose: Pose) -> None:
        elapsed = rules.BITE_FRAMES - monster.bite
        if elapsed == rules.BITE_WINDUP:
            self.world.add(id, rules.BITE, pose, layer=Layer.BITE, offset=(rules.BITE_OFFSET, 0, 0))
        elif elapsed == rules.BITE_WINDUP + rules.BITE_ACTIVE:
            self.world.remove(id)
        monster.bite -= 1

    def _nearest(self, pose: Pose) -> tuple[int, Pose] | None:
        """The distance and the pose of the nearest fighter in sight; of two equally near the lower
        number."""
        best = None
        for player in range(self.players):
            there = self.world[player].pose
            distance = length(there.x - pose.x, 0, there.z - pose.z)
            is_nearer = distance <= rules.MONSTER_SIGHT if best is None else distance < best[0]
            if is_nearer and not self.state.fighters[player].away:
                best = distance, there
        return best

    # Hits.

    def _meet(self, a: int, b: int) -> None:
        """Applies a hit that begins: the attack has the higher id, and walls stop shots."""
        if b in rules.SHOT_IDS:
            if b in self.world:
                shot, yaw = b - rules.SHOT_IDS[0], self.world[b].pose.yaw
                if a not in rules.WALL_IDS:
                    self._hurt(a, rules.SHOT_DAMAGE, rules.SHOT_PUSH, yaw, shot // rules.SHOTS)
                self.state.shots[shot] = 0
                self.world.remove(b)
        elif b in rules.BITE_IDS:
            yaw = self.world[rules.MONSTER_IDS[rules.BITE_IDS.index(b)]].pose.yaw
            self._hurt(a, rules.BITE_DAMAGE, rules.BITE_PUSH, yaw, None)
        elif b in rules.ATTACK_IDS and b in self.world:
            player = rules.ATTACK_IDS.index(b)
            skill = SKILLS[self.state.fighters[player].action]
            here, there = self.world[player].pose, self.world[a].pose
            yaw = yaw_of(there.x - here.x, there.z - here.z)
            self._hurt(a, skill.damage, skill.push, yaw, player)

    def _hurt(self, id: int, damage: int, push: int, yaw: int, by: int | None) -> None:
        """Damage, a little more or less of it by chance, and a push. Whoever strikes the last blow
        scores."""
        body = (
            self.state.monsters[rules.MONSTER_IDS.index(id)]
            if id in rules.MONSTER_IDS
            else self.state.fighters[id]
        )
        if body.away or (isinstance(body, Fighter) and (body.shield or body.is_dashing)):
            return
        body.health = max(0, body.health - damage - self.random.below(5))
        dx, dz = _ahead(yaw, push)
        body.push_x = _limited(body.push_x + dx, rules.PUSH_MAX)
        body.push_z = _limited(body.push_z + dz, rules.PUSH_MAX)
        if body.health:
            return
        self._fall(id)
        if by is not None:
            winner, score = self.state.fighters[by], 3 if isinstance(body, Fighter) else 1
            winner.kills = min(winner.kills + score, COUNT_MAX)

    def _fall(self, id: int) -> None:
        """Takes a body and its action out of the fight for a while."""
        self.world.set_active(id, False)
        if id in rules.MONSTER_IDS:
            number = rules.MONSTER_IDS.index(id)
            volume = rules.BITE_IDS[number]
            self.state.monsters[number] = Monster(health=0, away=rules.MONSTER_RESPAWN_FRAMES)
        else:
            volume, old = rules.ATTACK_IDS[id], self.state.fighters[id]
            deaths = min(old.deaths + 1, COUNT_MAX)
            self.state.fighters[id] = Fighter(
                away=rules.RESPAWN_FRAMES, shield=0, kills=old.kills, deaths=deaths
            )
        if volume in self.world:
            self.world.remove(volume)

    def _come_back(self, id: int) -> None:
        self.world.set_pose(id, self._free_place())
        self.world.set_active(id, True)

    def _free_place(self) -> Pose:
        """A random place away from the walls and from everybody; after some tries, any place."""
        for _ in range(16):
            x, z = (
                self.random.between(-rules.REACH, rules.REACH),
                self.random.between(-rules.REACH, rules.REACH),
            )
            pose = Pose(x, 0, z, self.random.below(65536))
            if not self.world.query(Cylinder(2 * ONE, ONE), pose):
                break
        return pose

    # State.

    def check(self) -> None:
        self.state.check(self.world, self.players)

    @property
    def names(self) -> Names:
        """Names of layers and ids for viewers of a match."""
        ids = {id: f"wall {i}" for i, id in enumerate(rules.WALL_IDS)}
        for player in range(self.players):
            ids[player] = f"player {player}"
            ids[rules.ATTACK_IDS[player]] = f"skill of player {player}"
            for shot, id in enumerate(rules.shot_ids(player)):
                ids[id] = f"shot {shot} of player {player}"
        for monster in range(rules.MONSTERS):
            ids[rules.MONSTER_IDS[monster]] = f"monster {monster}"
            ids[rules.BITE_IDS[monster]] = f"bite of monster {monster}"
        layers = {int(layer): layer.name.lower() for layer in Layer}
        owners = {rules.owner_of(player): f"player {player}" for player in range(self.players)}
        return Names({**layers, int(Layer.BITE): "bite attack"}, ids, owners=owners)

    @classmethod
    def bot(cls, player: int, seed: int) -> Bot:
        return Bot(player, seed)


def _ahead(yaw: int, distance: int) -> tuple[int, int]:
    """(x, z) at a distance in the direction of a yaw."""
    cos, sin = direction(yaw)
    return _divided(cos * distance, 1 << 30), _divided(sin * distance, 1 << 30)


def _divided(value: int, by: int) -> int:
    """Rounded toward zero, so that a mirrored fight mirrors."""
    return value // by if value >= 0 else -(-value // by)


def _limited(value: int, limit: int) -> int:
    return min(max(value, -limit), limit)
