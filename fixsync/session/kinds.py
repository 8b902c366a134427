"""The kinds of session: lockstep and rollback for players, and one for spectators."""

from __future__ import annotations

from fixsync.session.match import Match
from fixsync.session.session import Session


class LockstepSession(Session):
    """A player that steps a frame only when all its inputs have arrived: it never rolls back.

    ValueError unless the match's prediction_max is 0 and `me` is a player.
    """

    @staticmethod
    def _check(match: Match, me: int) -> None:
        if match.prediction_max != 0:
            raise ValueError(f"a lockstep match has prediction_max 0, not {match.prediction_max}")
        _check_player(match, me)


class RollbackSession(Session):
    """A player that steps on guessed inputs, and rolls back after a wrong guess.

    ValueError if the match's prediction_max is 0, or `me` is not a player.
    """

    @staticmethod
    def _check(match: Match, me: int) -> None:
        if match.prediction_max == 0:
            raise ValueError("a rollback match has a prediction_max of 1 or more, not 0")
        _check_player(match, me)


class SpectatorSession(Session):
    """A peer that watches: it joins by a snapshot, and steps the frames whose inputs the host has.

    ValueError unless `me` is one of the match's spectators.
    """

    @staticmethod
    def _check(match: Match, me: int) -> None:
        if match.is_player(me):
            raise ValueError(
                f"a spectator of this match is numbered from {match.players} on, not {me}"
            )


def kind_of(match: Match, me: int) -> type[Session]:
    """The kind of session that a peer of a match needs."""
    if not match.is_player(me):
        return SpectatorSession
    return RollbackSession if match.prediction_max else LockstepSession


def _check_player(match: Match, me: int) -> None:
    if not match.is_player(me):
        raise ValueError(f"a player of this match is numbered 0..{match.players - 1}, not {me}")
