"""Match logs: recording, reading, writing, replaying and comparing them."""

from fixsync.log.diff import Diff, diff, diff_builds
from fixsync.log.files import is_log_name
from fixsync.log.info import Info, info
from fixsync.log.reader import Reader
from fixsync.log.recorder import Recorder, SimRecorder
from fixsync.log.replay import Replay, Verdict, exit_code, find_logs, replay
from fixsync.log.schema import Header, MatchLogError, SimFrame, Start, TraceFrame
from fixsync.names import Names

__all__ = [
    "Diff",
    "Header",
    "Info",
    "MatchLogError",
    "Names",
    "Reader",
    "Recorder",
    "Replay",
    "SimFrame",
    "SimRecorder",
    "Start",
    "TraceFrame",
    "Verdict",
    "diff",
    "diff_builds",
    "exit_code",
    "find_logs",
    "info",
    "is_log_name",
    "replay",
]
