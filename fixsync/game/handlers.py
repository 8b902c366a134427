"""Functions for events: enter, stay and exit, in the order of the events.

    handlers = Handlers(world)

    @handlers.on(EventKind.ENTER, layers=(SWORD, MONSTER))
    def struck(sword: int, monster: int, contact: Contact) -> None:
        world.remove(monster)

    handlers.step()   # world.step(), then the functions

The functions may change the world: the events are fixed by then, so a change takes effect as if it
were made after the step, and a recorder writes it at the head of the next frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias, TypeVar

from fixsync._native.checks import integer, integers, shown
from fixsync._native.raw import LAYER_COUNT, UINT32_MAX
from fixsync._native.rows import COLLIDER, LAYER_AT
from fixsync.world.records import Events
from fixsync.world.shapes import CONTACTS, Contact, EventKind
from fixsync.world.world import World

__all__ = ["Handler", "Handlers"]

Handler: TypeAlias = Callable[[int, int, Contact], object]
"""Called with the id of the first layer (or the id that was asked for), the other id, and the
contact.
"""

_F = TypeVar("_F", bound=Handler)
_LAYER_MAX = LAYER_COUNT - 1


class _Route(NamedTuple):
    kind: EventKind
    layers: tuple[int, int] | None
    id: int | None
    function: Handler


class Handlers:
    """Functions for a world's events.

    For every event, in order, the functions registered for its kind are called in the order in
    which they were registered, each with the ids in the order of its layers (of two equal layers:
    the lower id first), or with its own id first.

    ENTER and STAY use the layers of the ids after the step, EXIT those of the last hit. So the
    function that got a hit also gets its end, even if the ids were changed or removed since.

    A function may change the world. The other events of the step are delivered nevertheless, so an
    earlier function may have removed an id. A function that is registered or removed during a
    delivery counts from the next delivery on.

    Handlers remembers only the layers of the last step's hits. A game that rolls back saves
    `state()` beside `world.save()`, and passes it to `restore()` after `world.load()`."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._routes: list[_Route] = []
        self._is_delivering = False
        self._hit_layers = self._of_hits(self._layers_now())

    def on(
        self, kind: int, *, layers: tuple[int, int] | None = None, id: int | None = None
    ) -> Callable[[_F], _F]:
        """Registers the decorated function for one kind of event: of a pair of layers, of one id,
        or, with neither, of all pairs."""
        kind = EventKind(integer("kind", kind, EventKind.ENTER, EventKind.EXIT))
        if layers is not None and id is not None:
            raise ValueError("give layers or id, not both")
        if layers is not None:
            first, second = integers("layers", ("first", "second"), layers, 0, _LAYER_MAX)
            layers = first, second
        if id is not None:
            id = integer("id", id, 0, self._world.capacity - 1)

        def register(function: _F) -> _F:
            if not callable(function):
                raise TypeError(f"a handler must be callable, not {shown(function)}")
            self._routes.append(_Route(kind, layers, id, function))
            return function

        return register

    def off(self, function: Handler) -> None:
        """Ends every registration of a function. ValueError if it has no registration."""
        kept = [route for route in self._routes if route.function != function]
        if len(kept) == len(self._routes):
            raise ValueError(f"function must be one that is registered, not {shown(function)}")
        self._routes = kept

    def step(self) -> Events:
        """Steps the world, calls the functions, and returns the events.

        An exception of a function ends the delivery and is raised; the step and the changes of
        earlier functions stay. RuntimeError for a function that steps or
        loads the world."""
        if self._is_delivering:
            raise RuntimeError("a handler cannot step the world whose events it receives")
        events = self._world.step()
        self.deliver(events)
        return events

    def deliver(self, events: Iterable[tuple[int, int, int, int]]) -> None:
        """Calls the functions for the events of a step that `world.step()` made. Call it once a
        step, before any other change of the world."""
        if self._is_delivering:
            raise RuntimeError("a handler cannot deliver events")
        before, now = self._hit_layers, self._layers_now()
        self._hit_layers = self._of_hits(now)
        world, frame = self._world, self._world.frame
        routes = {
            int(kind): [route for route in self._routes if route.kind == kind] for kind in EventKind
        }
        self._is_delivering = True
        try:
            for a, b, kind, contact in events:
                layers = before if kind == EventKind.EXIT else now
                for route in routes[kind]:
                    order = _order(route, a, b, layers)
                    if order is not None:
                        route.function(*order, CONTACTS[contact])
                        if world.frame != frame:
                            raise RuntimeError(
                                f"{shown(route.function)} stepped or loaded the world"
                            )
        finally:
            self._is_delivering = False

    def _layers_now(self) -> dict[int, int]:
        rows = self._world.colliders().buffer
        ids = rows.cast("I")[:: COLLIDER.size // 4]
        return dict(zip(ids, rows[LAYER_AT :: COLLIDER.size], strict=True))

    def _of_hits(self, layers: dict[int, int]) -> dict[int, int]:
        """The layers of the ids in the last step's hits that are still there."""
        hits = self._world.hits().buffer
        ids = {*hits[::3], *hits[1::3]} & layers.keys()
        return {id: layers[id] for id in ids}

    def state(self) -> tuple[tuple[int, int], ...]:
        """The state to save for a rollback: (id, layer) of the colliders that were in a hit at the
        last step, ascending.
        """
        return tuple(sorted(self._hit_layers.items()))

    def restore(self, state: Iterable[tuple[int, int]]) -> None:
        """Restores a state that `state()` returned."""
        found: dict[int, int] = {}
        for n, entry in enumerate(state):
            id, layer = integers(f"state[{n}]", ("id", "layer"), entry, 0, UINT32_MAX)
            found[id] = integer(f"state[{n}]: layer", layer, 0, _LAYER_MAX)
        self._hit_layers = found


def _order(route: _Route, a: int, b: int, layers: dict[int, int]) -> tuple[int, int] | None:
    """The ids in the order of the route's function, or None if the pair is not of this route."""
    if route.id is not None:
        return (a, b) if route.id == a else (b, a) if route.id == b else None
    if route.layers is None:
        return a, b
    pair = layers.get(a), layers.get(b)
    if pair == route.layers:
        return a, b
    return (b, a) if pair == route.layers[::-1] else None
