"""Cuts a part out of a match log: a log of its own that begins with the state before it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack

from fixsync.base.files import check_output
from fixsync.log.lines import check_ids, format_frame
from fixsync.log.player import Player
from fixsync.log.reader import Reader
from fixsync.log.schema import SimFrame
from fixsync.log.writer import Writer
from fixsync.match import sim


def cut(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    first: int,
    last: int,
    *,
    simulations: Mapping[str, sim.SimulationType] | None = None,
) -> int:
    """Writes the frames first..last of a log, both included, and returns their number.

    The log is replayed up to `last`, so it needs its simulation if it has one. The part begins
    with the computed state before `first`; its frames are the log's own. ValueError if the log does
    not have these frames, or is the output; MatchLogError if it is not valid; OSError for files
    that cannot be read or written."""
    check_output(output, [path])
    if first > last:
        raise ValueError(f"frames must be FIRST..LAST, not {first}..{last}")
    with Reader(path) as reader, ExitStack() as stack:
        header = reader.header
        if first < header.first_frame:
            raise ValueError(f"the log begins at frame {header.first_frame}, after {first}")
        player = Player(header, simulations)
        writer: Writer | None = None
        for frame in reader:
            check_ids(frame, header)
            if frame.frame == first:
                if isinstance(frame, SimFrame) and player.simulation is None:
                    # A simulation is made with the first inputs.
                    state = None if header.start is None else header.start.state
                else:
                    state = (player.simulation or player.world).save()
                part = Writer(output, header, player.world, state=state, is_whole=True)
                writer = stack.enter_context(part)
            player.play(frame)
            if writer is not None:
                writer.write(format_frame(frame))
            if frame.frame == last:
                return last - first + 1
        raise ValueError(f"the log has no frame {first if writer is None else last}")
