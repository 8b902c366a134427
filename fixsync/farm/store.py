"""The results file: an SQLite database that the farm writes as verdicts come.

SQLite, because a verdict is safe as soon as it is written, a run that goes on can query what is
left to do, and every language can read the file while it is being written. The schema describes the
tables."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from fixsync.base.files import lock, resolved
from fixsync.farm.find import Found
from fixsync.farm.sandbox import Identity
from fixsync.farm.verdicts import CRASHED, EXIT_CODES, OUT_OF_MEMORY, TIMED_OUT, UNREADABLE, Outcome

APPLICATION_ID = 0x66785346
"""In the header of the file: "fxSF"."""
SCHEMA_VERSION = 2

_OUTCOME = {
    "verdict": ("TEXT NOT NULL", "as the command prints it"),
    "reason": ("TEXT", "of the verdict, in one line; NULL if identical"),
    "frames": ("INTEGER NOT NULL", "frames replayed"),
    "hits": ("INTEGER NOT NULL", "sum of the hits of all frames"),
    "hash": ("TEXT", "hash of the world after the last frame"),
    "compared_events": ("INTEGER NOT NULL", "frames whose events were compared"),
    "compared_queries": ("INTEGER NOT NULL", "answers that were compared"),
    "compared_hashes": ("INTEGER NOT NULL", "hashes that were compared"),
    "compared_states": ("INTEGER NOT NULL", "whole states that were compared"),
    "differing_frames": ("INTEGER NOT NULL", "frames that differ"),
    "frame": ("INTEGER", "first frame that differs"),
    "line": ("INTEGER", "line of the error in a log that is not valid, from 1"),
    "field": ("TEXT", "field of the error or of the first difference"),
    "difference": ("TEXT", "the first difference as JSON, up to 64 KiB"),
    "trace": ("TEXT", "of a crash: the end of standard error of the worker"),
    "digest": ("TEXT", "SHA-256 of everything computed, written as a log"),
    "seconds": ("REAL NOT NULL", "wall time, reading included"),
    "cpu_seconds": ("REAL NOT NULL", "processor time, reading included"),
}
"""The columns of an outcome, by the name of its member: type and meaning."""

_COLUMNS = "\n".join(f"    {name} {kind}, -- {about}" for name, (kind, about) in _OUTCOME.items())

# SQLite keeps the comments: `sqlite3 FILE .schema` prints them.
_SCHEMA = f"""
CREATE TABLE builds (
    build INTEGER PRIMARY KEY, -- a version of fixsync with the options that decide verdicts
    fixsync TEXT NOT NULL, -- its version
    semantics TEXT NOT NULL, -- fixsync.match.questions.kernel_id() in hexadecimal digits
    sources TEXT NOT NULL, -- digest of its modules
    kernel TEXT NOT NULL, -- digest of its kernel; empty on a cluster of several platforms
    options TEXT NOT NULL, -- JSON: simulations, whether digests are computed
    UNIQUE (fixsync, semantics, sources, kernel, options)
);
CREATE TABLE runs (
    run INTEGER PRIMARY KEY, -- counts up
    build INTEGER NOT NULL REFERENCES builds, -- the build that it used
    began TEXT NOT NULL, -- in UTC
    ended TEXT, -- in UTC; NULL for an interrupted run
    engine TEXT NOT NULL, -- local or dask
    workers INTEGER NOT NULL, -- number of workers
    sources TEXT NOT NULL, -- the folders, patterns and lists of the command line
    seconds REAL -- wall time; NULL for an interrupted run
);
CREATE TABLE logs (
    log INTEGER PRIMARY KEY, -- number of the log
    name NOT NULL UNIQUE, -- absolute path or address: text, or a blob if not UTF-8
    size INTEGER NOT NULL, -- bytes
    stamp TEXT NOT NULL, -- time of the last change in ns, or its equivalent
    run INTEGER NOT NULL REFERENCES runs -- the latest run that found it
);
CREATE TABLE verdicts (
    log INTEGER NOT NULL REFERENCES logs, -- one verdict for each log and build
    build INTEGER NOT NULL REFERENCES builds, -- see log
    run INTEGER NOT NULL REFERENCES runs, -- the run that gave it
    size INTEGER NOT NULL, -- of the file at that time
    stamp TEXT NOT NULL, -- of the file at that time
{_COLUMNS}
    PRIMARY KEY (log, build)
) WITHOUT ROWID;
CREATE VIEW results AS
    SELECT logs.name, logs.size, {", ".join(f"verdicts.{name}" for name in _OUTCOME)}, verdicts.run
    FROM logs
    LEFT JOIN verdicts ON verdicts.log = logs.log AND verdicts.size = logs.size
        AND verdicts.stamp = logs.stamp
        AND verdicts.build = (SELECT build FROM runs ORDER BY run DESC LIMIT 1)
    WHERE logs.run = (SELECT max(run) FROM runs);
"""  # noqa: S608 - the columns above

_RETRIED = (CRASHED, OUT_OF_MEMORY, TIMED_OUT)


class ResultsError(Exception):
    """A results file that cannot be read or written."""


class Todo(NamedTuple):
    """A log to verify."""

    log: int
    name: str
    size: int


class Store:
    """A results file, and the run that writes it. A context manager.

    ResultsError for a file that is something else, that another run writes, or that cannot be
    written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        try:
            file = resolved(self.path)  # so that all its names have the same lock
        except OSError as error:
            raise ResultsError(f"{self.path}: {error.strerror}") from None
        if not file.parent.is_dir():
            raise ResultsError(f"{self.path}: there is no folder {self.path.parent}")
        if file.exists() and not file.is_file():
            raise ResultsError(f"{self.path} is not a regular file")
        if file.suffix == ".py":  # SQLite would make a database of an empty module
            raise ResultsError(f"{self.path} is the name of a Python module, not of a results file")
        if file.exists() and file.stat().st_nlink > 1:
            raise ResultsError(f"{self.path} has several names (hard links): give a copy")
        self.run = 0
        self.build = 0
        self._lock = _Lock(file, self.path)
        with contextlib.ExitStack() as stack:
            stack.callback(self._lock.release)
            with self._errors("cannot be opened"):
                self._db = sqlite3.connect(file, isolation_level=None)
            stack.callback(self._db.close)
            self._check()
            stack.pop_all()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()
        self._lock.release()

    def _check(self) -> None:
        with self._errors("is not a results file of fixsync"):
            application, version, objects = (
                self._db.execute(query).fetchone()[0]
                for query in (
                    "PRAGMA application_id",
                    "PRAGMA user_version",
                    "SELECT count(*) FROM sqlite_master",
                )
            )
        if application == 0 and version == 0 and objects == 0:
            # With a write-ahead log, verdicts survive the end of this process without a wait for
            # the disk, and readers do not block the writer.
            with self._errors("cannot be written"):
                self._db.execute("PRAGMA journal_mode = WAL")
            with self._transaction():
                for statement in _SCHEMA.split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        elif application != APPLICATION_ID:
            raise ResultsError(f"{self.path} is a database, but not a results file of fixsync")
        elif version != SCHEMA_VERSION:
            raise ResultsError(
                f"{self.path} has results of version {version};"
                f" this fixsync writes version {SCHEMA_VERSION}"
            )
        with self._errors("is damaged"):
            self._check_content()
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA foreign_keys = OFF")

    def _check_content(self) -> None:
        """ResultsError for a damaged file: pages that SQLite cannot read, another schema, and
        values of another type or verdict than this module writes."""
        # It finds what quick_check does, and names that differ in table and index too.
        (found,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise ResultsError(f"{self.path} is damaged: {' '.join(found.split())}")
        with contextlib.closing(sqlite3.connect(":memory:")) as usual:
            for statement in _SCHEMA.split(";\n"):
                usual.execute(statement)
            if _objects(self._db) != _objects(usual):
                wanted = f"its schema is not that of version {SCHEMA_VERSION}"
                raise ResultsError(f"{self.path} is damaged: {wanted}")
            tables = [name for kind, name, _ in _objects(usual) if kind == "table"]
        for table in tables:
            wrong = " OR ".join(_wrong(self._db, table))
            # Of the schema alone.
            rows = self._db.execute(f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1")  # noqa: S608
            if rows.fetchone() is not None:
                raise ResultsError(f"{self.path} is damaged: a row of {table} has a wrong value")
            # Text that is not UTF-8 is an error when it is read.
            deque(self._db.execute(f"SELECT * FROM {table}"), 0)  # noqa: S608
        texts = self._db.execute("SELECT difference FROM verdicts WHERE difference != ''")
        try:
            deque((json.loads(text) for (text,) in texts), 0)
        except ValueError as error:
            raise ResultsError(f"{self.path} is damaged: a difference: {error}") from error

    @contextlib.contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """Errors of SQLite come as ResultsErrors that name the file and the cause."""
        try:
            yield
        except UnicodeDecodeError as error:  # in the text of SQLite's own message
            raise ResultsError(f"{self.path} {what}: {error}") from error
        except sqlite3.Error as error:
            # Of an input or output error the extended name says which; Python 3.10 has no name.
            name = getattr(error, "sqlite_errorname", "")
            raise ResultsError(
                f"{self.path} {what}: {error}{f' ({name})' if name else ''}"
            ) from error

    @contextlib.contextmanager
    def _transaction(self, what: str = "cannot be written") -> Iterator[None]:
        with self._errors(what):
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield
                self._db.execute("COMMIT")
            except BaseException:
                # SQLite may have rolled back by itself, as it does on a full disk.
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    # A run.

    def begin(
        self,
        identity: Identity,
        options: dict[str, Any],
        engine: str,
        workers: int,
        sources: Iterable[str],
        logs: Iterable[Found],
    ) -> None:
        """Starts a run over `logs`; a log that comes twice counts once.

        Verdicts of other runs count for it if build and options are the same. If the logs cannot
        all be found, there is no run."""
        build = (*identity.code, identity.kernel, json.dumps(options, sort_keys=True))
        named = [name.encode("utf-8", "backslashreplace").decode() for name in sources]
        with self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO builds (fixsync, semantics, sources, kernel, options)"
                " VALUES (?, ?, ?, ?, ?)",
                build,
            )
            (self.build,) = self._db.execute(
                "SELECT build FROM builds"
                " WHERE (fixsync, semantics, sources, kernel, options) = (?, ?, ?, ?, ?)",
                build,
            ).fetchone()
            row = self._db.execute(
                "INSERT INTO runs (build, began, engine, workers, sources) VALUES (?, ?, ?, ?, ?)",
                (self.build, _now(), engine, workers, json.dumps(named)),
            )
            self.run = row.lastrowid or 0
            for one in logs:
                self._found(one)

    def _found(self, one: Found) -> None:
        name = _stored(one.name)
        self._db.execute(
            "INSERT INTO logs (name, size, stamp, run) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET size = excluded.size, stamp = excluded.stamp,"
            " run = excluded.run",
            (name, one.size, one.stamp, self.run),
        )
        if one.problem:
            (log,) = self._db.execute("SELECT log FROM logs WHERE name = ?", (name,)).fetchone()
            self._write(log, Outcome(UNREADABLE, why=one.problem))

    def names(self, run: int) -> Iterator[str]:
        """The logs of a run. They may be given to another run meanwhile."""
        for (name,) in self._db.execute("SELECT name FROM logs WHERE run = ? ORDER BY log", (run,)):
            yield name_of(name)

    def plan(self, *, again: bool = False, retry: bool = False) -> tuple[int, int, int]:
        """Lists the logs to verify, the largest first.

        Returns how many, their bytes, and how many logs other runs have verified. `again`: all logs
        are listed. `retry`: also those that ended a worker.
        """
        undone = [UNREADABLE, *(_RETRIED if retry else ())]
        with self._transaction("or SQLite's temporary files cannot be written"):
            self._db.execute("DROP TABLE IF EXISTS temp.todo")
            self._db.execute(
                "CREATE TEMP TABLE todo (place INTEGER PRIMARY KEY, log INTEGER, name, size INTEGER)"
            )
            self._db.execute(
                "INSERT INTO temp.todo (log, name, size)"  # noqa: S608 - question marks alone
                " SELECT logs.log, logs.name, logs.size FROM logs LEFT JOIN verdicts"
                " ON verdicts.log = logs.log AND verdicts.build = ?"
                " WHERE logs.run = ? AND (verdicts.verdict IS NULL OR (verdicts.run < ? AND (?"
                " OR verdicts.size != logs.size OR verdicts.stamp != logs.stamp"
                f" OR verdicts.verdict IN ({', '.join('?' * len(undone))}))))"
                " ORDER BY logs.size DESC, logs.name",
                (self.build, self.run, self.run, again, *undone),
            )
        count, size, new, all_ = self._db.execute(
            "SELECT count(*), coalesce(sum(size), 0), (SELECT count(*) FROM verdicts WHERE run = ?),"
            " (SELECT count(*) FROM logs WHERE run = ?) FROM temp.todo",
            (self.run, self.run),
        ).fetchone()
        return count, size, all_ - count - new

    def todo(self) -> Iterator[Todo]:
        """The list that `plan` made. Verdicts may be written meanwhile."""
        for log, name, size in self._db.execute(
            "SELECT log, name, size FROM temp.todo ORDER BY place"
        ):
            yield Todo(log, name_of(name), size)

    def write(self, outcomes: Iterable[tuple[Todo, Outcome]]) -> None:
        """Writes verdicts, which are safe when this returns."""
        with self._transaction():
            for todo, outcome in outcomes:
                self._write(todo.log, outcome)

    def _write(self, log: int, outcome: Outcome) -> None:
        values = (self.build, self.run, *_row(outcome), log)
        self._db.execute(
            "INSERT OR REPLACE INTO verdicts SELECT log, ?, ?, size, stamp,"  # noqa: S608 - as above
            f" {', '.join('?' * len(_OUTCOME))} FROM logs WHERE log = ?",
            values,
        )

    def end(self, seconds: float) -> None:
        """Marks the run as complete."""
        with self._transaction():
            self._db.execute(
                "UPDATE runs SET ended = ?, seconds = ? WHERE run = ?", (_now(), seconds, self.run)
            )

    # Results.

    def counts(self) -> list[tuple[str, int, int]]:
        """Each verdict of the latest run, its logs and their frames."""
        return self.query(
            "SELECT verdict, count(*), sum(frames) FROM results WHERE verdict IS NOT NULL"
            " GROUP BY verdict"
        ).fetchall()

    def known(self, verdict: str, limit: int = -1) -> Iterator[dict[str, Any]]:
        """The rows of the view `results` with a verdict, by name; at most `limit`."""
        found = self.query(
            "SELECT * FROM results WHERE verdict = ? ORDER BY name LIMIT ?", (verdict, limit)
        )
        columns = [column for column, *_ in found.description]
        for values in found:
            row = dict(zip(columns, values, strict=True))
            row["name"] = name_of(row["name"])
            row["difference"] = json.loads(row["difference"] or "null")
            yield row

    def query(self, sql: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """Any query of the database."""
        return self._db.execute(sql, values)


def _row(outcome: Outcome) -> Iterator[Any]:
    """The columns of an outcome. A text without characters is NULL."""
    for name in _OUTCOME:
        value = getattr(outcome, name)
        yield json.dumps(value) if isinstance(value, dict) else None if value == "" else value


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _stored(name: str) -> str | bytes:
    """A name for the database: text, or the bytes of a name that is not UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name)
    return name


def name_of(name: str | bytes) -> str:
    """A name from the database."""
    return name if isinstance(name, str) else os.fsdecode(name)


def _objects(db: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """The tables and views of a database, with their statements, but without comments."""
    rows = db.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master ORDER BY rowid")
    return [
        (kind, name, " ".join(re.sub(r"--[^\n]*", "", sql).split())) for kind, name, sql in rows
    ]


def _wrong(db: sqlite3.Connection, table: str) -> Iterator[str]:
    """Conditions that hold for no row that this module writes."""
    for _, name, type, is_needed, _, is_key in db.execute(f"PRAGMA table_info({table})"):
        if not type:  # the name of a log, text or bytes
            yield f"typeof({name}) NOT IN ('text', 'blob')"
            continue
        allowed = [type.lower(), *(() if is_needed or is_key else ("null",))]
        yield f"typeof({name}) NOT IN ({', '.join(map(repr, allowed))})"
        if name == "verdict":
            yield f"verdict NOT IN ({', '.join(map(repr, EXIT_CODES))})"


class _Lock:
    """Held by the run that writes a results file, until it releases it or its process ends."""

    def __init__(self, file: Path, results: Path) -> None:
        self._path = file.with_name(f"{file.name}.lock")
        while True:
            try:
                self._file = self._path.open("a+b")
            except OSError as error:
                raise ResultsError(f"{results} cannot be written: {error}") from error
            try:
                is_held = lock(self._file.fileno())
            except OSError as error:
                self._file.close()
                raise ResultsError(f"{results} cannot be locked: {error}") from error
            if not is_held:
                self._file.close()
                raise ResultsError(f"{results} is being written by another run")
            if self._is_current():
                return
            self._file.close()

    def _is_current(self) -> bool:
        """False if the run that held it before has removed the file."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except OSError:
            return False

    def release(self) -> None:
        if not self._file.closed:
            with contextlib.suppress(OSError):
                self._path.unlink()
            self._file.close()
