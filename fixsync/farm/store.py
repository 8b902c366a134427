"""The results file: an SQLite database that the farm writes as verdicts come, and that anything may
query.

SQLite because a verdict must be safe as soon as it is there, one at a time, however the run ends;
because a run that goes on asks which logs are still to do; and because every language can query it,
while it is being written too. (A Parquet file is written in large pieces and read when it is
whole.) docs/scale.md describes the tables."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import msgspec

from fixsync.farm.find import Found
from fixsync.farm.sandbox import Identity
from fixsync.farm.verdicts import CRASHED, OUT_OF_MEMORY, TIMED_OUT, UNREADABLE, Outcome

__all__ = ["SCHEMA_VERSION", "Known", "ResultsError", "Store", "Todo", "name_of"]

APPLICATION_ID = 0x66785346
"""What the file says it is, in its header: "fxSF"."""
SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE builds (
    build INTEGER PRIMARY KEY,
    fixsync TEXT NOT NULL,
    semantics TEXT NOT NULL,
    sources TEXT NOT NULL,
    kernel TEXT NOT NULL,
    options TEXT NOT NULL,
    UNIQUE (fixsync, semantics, sources, kernel, options)
);
CREATE TABLE runs (
    run INTEGER PRIMARY KEY,
    build INTEGER NOT NULL REFERENCES builds,
    began TEXT NOT NULL,
    ended TEXT,
    engine TEXT NOT NULL,
    workers INTEGER NOT NULL,
    sources TEXT NOT NULL,
    seconds REAL
);
CREATE TABLE logs (
    log INTEGER PRIMARY KEY,
    name NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs
);
CREATE TABLE verdicts (
    log INTEGER NOT NULL REFERENCES logs,
    build INTEGER NOT NULL REFERENCES builds,
    run INTEGER NOT NULL REFERENCES runs,
    size INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT,
    frames INTEGER NOT NULL,
    hits INTEGER NOT NULL,
    hash TEXT,
    compared_events INTEGER NOT NULL,
    compared_queries INTEGER NOT NULL,
    compared_hashes INTEGER NOT NULL,
    differing_frames INTEGER NOT NULL,
    frame INTEGER,
    line INTEGER,
    field TEXT,
    difference TEXT,
    trace TEXT,
    digest TEXT,
    seconds REAL NOT NULL,
    cpu_seconds REAL NOT NULL,
    PRIMARY KEY (log, build)
) WITHOUT ROWID;
CREATE VIEW results AS
    SELECT logs.name, logs.size, verdicts.verdict, verdicts.reason, verdicts.frames, verdicts.hits,
        verdicts.hash, verdicts.compared_events, verdicts.compared_queries, verdicts.compared_hashes,
        verdicts.differing_frames, verdicts.frame, verdicts.line, verdicts.field, verdicts.difference,
        verdicts.trace, verdicts.digest, verdicts.seconds, verdicts.cpu_seconds, verdicts.run
    FROM logs
    LEFT JOIN verdicts ON verdicts.log = logs.log AND verdicts.size = logs.size
        AND verdicts.stamp = logs.stamp
        AND verdicts.build = (SELECT build FROM runs ORDER BY run DESC LIMIT 1)
    WHERE logs.run = (SELECT max(run) FROM runs);
"""

_PAGE = 4096
_RETRIED = (CRASHED, OUT_OF_MEMORY, TIMED_OUT)


class ResultsError(Exception):
    """A results file that cannot be used."""


class Todo(NamedTuple):
    """A log that is to be verified."""

    log: int
    name: str
    size: int


class Known(NamedTuple):
    """What the results file tells of a log of the latest run."""

    name: str
    outcome: Outcome
    reason: str


class Store:
    """One results file and one run that writes it. A context manager.

    ResultsError for a file that is something else, or that another run is writing.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise ResultsError(f"{self.path}: there is no folder {self.path.parent}")
        self._lock = _Lock(self.path)
        try:
            self._db = self._opened()
        except BaseException:
            self._lock.release()
            raise
        self.run = 0
        self._build = 0

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()
        self._lock.release()

    def _opened(self) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(self.path, isolation_level=None)
        except sqlite3.Error as error:
            raise ResultsError(f"{self.path}: {error}") from error
        try:
            self._check(db)
        except sqlite3.Error as error:
            db.close()
            raise ResultsError(f"{self.path} is no results file of fixsync: {error}") from error
        except BaseException:
            db.close()
            raise
        return db

    def _check(self, db: sqlite3.Connection) -> None:
        application, version, objects = (
            db.execute(query).fetchone()[0]
            for query in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_master",
            )
        )
        if application == 0 and version == 0 and objects == 0:
            # A write-ahead log: verdicts are safe from the end of this process without waiting for
            # the disk, and readers do not stand in the way.
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA.split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            db.execute("COMMIT")
        elif application != APPLICATION_ID:
            raise ResultsError(f"{self.path} is a database, but no results file of fixsync")
        elif version != SCHEMA_VERSION:
            raise ResultsError(
                f"{self.path} has results of version {version}; this fixsync writes version {SCHEMA_VERSION}"
            )
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA foreign_keys = OFF")

    # A run.

    def begin(
        self,
        identity: Identity,
        options: dict[str, Any],
        engine: str,
        workers: int,
        sources: Iterable[str],
    ) -> None:
        """Starts a run. Verdicts of others count for it if build and options are the same."""
        build = (*identity.code, identity.kernel, json.dumps(options, sort_keys=True))
        named = [name.encode("utf-8", "backslashreplace").decode() for name in sources]
        with self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO builds (fixsync, semantics, sources, kernel, options)"
                " VALUES (?, ?, ?, ?, ?)",
                build,
            )
            (self._build,) = self._db.execute(
                "SELECT build FROM builds"
                " WHERE (fixsync, semantics, sources, kernel, options) = (?, ?, ?, ?, ?)",
                build,
            ).fetchone()
            row = self._db.execute(
                "INSERT INTO runs (build, began, engine, workers, sources) VALUES (?, ?, ?, ?, ?)",
                (self._build, _now(), engine, workers, json.dumps(named)),
            )
            self.run = row.lastrowid or 0

    def found(self, logs: Iterable[Found]) -> None:
        """The logs that the run is about; one that comes twice is one."""
        with self._transaction():
            for one in logs:
                name = _stored(one.name)
                self._db.execute(
                    "INSERT INTO logs (name, size, stamp, run) VALUES (?, ?, ?, ?)"
                    " ON CONFLICT (name) DO UPDATE SET size = excluded.size, stamp = excluded.stamp,"
                    " run = excluded.run",
                    (name, one.size, one.stamp, self.run),
                )
                if one.problem:
                    (log,) = self._db.execute(
                        "SELECT log FROM logs WHERE name = ?", (name,)
                    ).fetchone()
                    self._write(log, Outcome(UNREADABLE, why=one.problem))

    def plan(self, *, again: bool = False, retry: bool = False) -> tuple[int, int, int]:
        """Makes the list of what is to be done, the largest first: how many logs, of how many
        bytes; and how many were done by other runs.

        `again`: all are to be done. `retry`: also those that ended a worker.
        """
        undone = [UNREADABLE, *(_RETRIED if retry else ())]
        self._db.execute("DROP TABLE IF EXISTS temp.todo")
        with self._transaction():
            self._db.execute(
                "CREATE TEMP TABLE todo (place INTEGER PRIMARY KEY, log INTEGER, name, size INTEGER)"
            )
            self._db.execute(
                "INSERT INTO temp.todo (log, name, size)"  # noqa: S608 - question marks alone
                " SELECT logs.log, logs.name, logs.size FROM logs LEFT JOIN verdicts"
                " ON verdicts.log = logs.log AND verdicts.build = ?"
                " WHERE logs.run = ? AND (verdicts.verdict IS NULL"
                " OR (verdicts.run < ? AND (? OR verdicts.size != logs.size OR verdicts.stamp != logs.stamp"
                f" OR verdicts.verdict IN ({', '.join('?' * len(undone))}))))"
                " ORDER BY logs.size DESC, logs.name",
                (self._build, self.run, self.run, again, *undone),
            )
        count, size = self._db.execute(
            "SELECT count(*), coalesce(sum(size), 0) FROM temp.todo"
        ).fetchone()
        (new,) = self._db.execute(
            "SELECT count(*) FROM verdicts WHERE run = ?", (self.run,)
        ).fetchone()
        (all_,) = self._db.execute(
            "SELECT count(*) FROM logs WHERE run = ?", (self.run,)
        ).fetchone()
        return count, size, all_ - count - new

    def todo(self) -> Iterator[Todo]:
        """What `plan` found to be done. Verdicts may be written meanwhile."""
        last = 0
        while True:
            rows = self._db.execute(
                "SELECT place, log, name, size FROM temp.todo WHERE place > ? ORDER BY place LIMIT ?",
                (last, _PAGE),
            ).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            for _, log, name, size in rows:
                yield Todo(log, name_of(name), size)

    def write(self, outcomes: Iterable[tuple[int, Outcome]]) -> None:
        """Verdicts, which are safe when this returns."""
        with self._transaction():
            for log, outcome in outcomes:
                self._write(log, outcome)

    def _write(self, log: int, o: Outcome) -> None:
        values = (
            o.verdict,
            o.reason or None,
            o.frames,
            o.hits,
            o.hash or None,
            o.events,
            o.queries,
            o.hashes,
            o.differing_frames,
            None if o.difference is None else o.difference["frame"],
            o.line or None,
            o.field or None,
            None if o.difference is None else json.dumps(o.difference),
            o.trace or None,
            o.digest or None,
            o.seconds,
            o.cpu_seconds,
        )
        self._db.execute(
            "INSERT OR REPLACE INTO verdicts SELECT log, ?, ?, size, stamp,"  # noqa: S608 - question marks
            f" {', '.join('?' * len(values))} FROM logs WHERE log = ?",
            (self._build, self.run, *values, log),
        )

    def end(self, seconds: float) -> None:
        """The run has come to its end."""
        self._db.execute(
            "UPDATE runs SET ended = ?, seconds = ? WHERE run = ?", (_now(), seconds, self.run)
        )

    def abandon(self) -> None:
        """The run has not found its logs, and counts as none."""
        self._db.execute("DELETE FROM runs WHERE run = ?", (self.run,))

    # What came of it.

    def counts(self) -> list[tuple[str, int, int, float]]:
        """Of the run's logs: each verdict, how many have it, their frames and their processor
        time.
        """
        return self._db.execute(
            "SELECT coalesce(verdict, ''), count(*), coalesce(sum(frames), 0), coalesce(sum(cpu_seconds), 0)"
            " FROM results GROUP BY verdict"
        ).fetchall()

    def known(self, verdict: str, limit: int = -1) -> Iterator[Known]:
        """The run's logs with a verdict, by name; at most so many."""
        rows = self._db.execute(
            "SELECT name, reason, frames, hits, hash, compared_events, compared_queries, compared_hashes,"
            " differing_frames, line, field, difference, trace, seconds, cpu_seconds FROM results"
            " WHERE verdict = ? ORDER BY name LIMIT ?",
            (verdict, limit),
        )
        for (
            name,
            reason,
            frames,
            hits,
            hash,
            events,
            queries,
            hashes,
            differing,
            line,
            field,
            *rest,
        ) in rows:
            difference, trace, seconds, cpu_seconds = rest
            outcome = Outcome(
                verdict,
                frames=frames,
                hits=hits,
                hash=hash or "",
                events=events,
                queries=queries,
                hashes=hashes,
                differing_frames=differing,
                line=line or 0,
                field=field or "",
                difference=msgspec.json.decode(difference) if difference else None,
                trace=trace or "",
                seconds=seconds,
                cpu_seconds=cpu_seconds,
            )
            yield Known(name_of(name), outcome, reason or "")

    @property
    def build(self) -> int:
        """The number of the run's build."""
        return self._build

    def query(self, sql: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """Any question to the database."""
        return self._db.execute(sql, values)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _stored(name: str) -> str | bytes:
    """A name as the database holds it: text, or the bytes of one that is no text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name)
    return name


def name_of(name: str | bytes) -> str:
    """The name that the database holds."""
    return name if isinstance(name, str) else os.fsdecode(name)


class _Lock:
    """Held by the run that writes a results file; the system lets go of it when the process
    ends.
    """

    def __init__(self, results: Path) -> None:
        self._path = results.with_name(f"{results.name}.lock")
        while True:
            try:
                self._file = self._path.open("a+b")
            except OSError as error:
                raise ResultsError(f"{results} cannot be written: {error}") from error
            try:
                _take(self._file.fileno())
            except OSError:
                self._file.close()
                raise ResultsError(f"{results} is being written by another run") from None
            if self._is_current():
                return
            self._file.close()

    def _is_current(self) -> bool:
        """Whether the file is still there: whoever held it before has removed it."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except OSError:
            return False

    def release(self) -> None:
        if not self._file.closed:
            with contextlib.suppress(OSError):
                self._path.unlink()
            self._file.close()


if sys.platform == "win32":
    import msvcrt

    def _take(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
