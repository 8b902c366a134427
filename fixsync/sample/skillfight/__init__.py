"""A complete small game: two to eight fighters, some monsters, and five skills, in integers only.

Fighters walk, dash, slash (a sector), fire a beam (a long box), set off a blast (a sphere) and
shoot. A fallen fighter comes back after a while. `SkillFight` is a `fixsync.match.sim.Simulation`:
`fixsync peers` plays it over a network. It is an example of a game's simulation: its numbers are in
`rules.py`, a frame in `game.py`, its declared state in `state.py`. One frame is: everybody
acts, the world steps, the hits that began do their damage in the order of the events, and bodies
are pushed apart.

An input is one number: a heading in bits 0..5 (64 to the turn), and a bit each to walk, slash,
beam, blast, dash and shoot. 0 is to stand still."""

from fixsync.sample.skillfight.bot import Bot
from fixsync.sample.skillfight.game import SkillFight
from fixsync.sample.skillfight.rules import INPUT_MAX, Action, Button

__all__ = ["INPUT_MAX", "Action", "Bot", "Button", "SkillFight"]
