"""Why replaying a log may not give the results of its recorder, though no peer is at fault."""

from __future__ import annotations

import os

from fixsync.match import sim
from fixsync.synctest import process_check
from fixsync.synctest.checks import LOADS, run_check
from fixsync.synctest.player_process import folder_of, play
from fixsync.synctest.straight import log_case, run_straight


def cause(reference: str, log: str | os.PathLike[str], last: int | None) -> str:
    """A sentence that blames the simulation of a log, or "" if the inputs of the log give one
    result here, in new processes, and with states loaded and frames rolled back.

    reference: the simulation as `fixsync.match.sim.find` knows it. last: the last frame to play."""
    try:
        why = _why(reference, log, last)
    except (OSError, ValueError, process_check.ProcessError) as wrong:
        return f"{log} cannot be replayed in other ways, so no peer is blamed: {wrong}"
    return why and f"{why}. No peer is at fault. To find out why: fixsync synctest {reference}"


def not_found(reference: str) -> str:
    """The verdict where there is no cause, and no fault was planted."""
    return (
        "nobody is blamed: the simulation depends on something that was not found, or a machine or "
        f"build differs. To look on: fixsync synctest {reference}"
    )


def _why(reference: str, log: str | os.PathLike[str], last: int | None) -> str:
    simulation = sim.find(reference)
    case = log_case(log, reference, last)._replace(folder=folder_of(simulation))
    here, again = (play(case, lambda: simulation)[0] for _ in range(2))
    found = process_check.Search(case, here).search()
    why, row = "", here.differs(again)
    if found is not None:
        why, row = found.why, found.row
    elif row is not None:
        why = f"{reference} is not repeatable: {log}, replayed twice here, gives two results"
    if why:
        return f"{why} ({'at the start' if not row else f'from frame {row - 1} of the log on'})"
    if case.state is not None or not case.inputs:
        return ""
    straight = run_straight(simulation, case.seed, case.players, case.inputs)
    for check in LOADS:
        differs = run_check(check, straight)
        if differs is not None:
            how = f"{check} gives another result {differs.when}"
            return f"{reference} is not as before after `load`: {how}"
    return ""
