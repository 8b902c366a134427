"""Match logs: recording, reading, writing, replaying and comparing them."""

from fixsync.base.files import is_log_name
from fixsync.base.names import Names
from fixsync.log.diff import Diff, diff, diff_builds
from fixsync.log.info import Info, info
from fixsync.log.reader import Reader
from fixsync.log.recorder import Recorder, SimRecorder
from fixsync.log.replay import Replay, Verdict, exit_code, find_logs, replay
from fixsync.log.schema import Header, MatchLogError, SimFrame, Start, TraceFrame

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
