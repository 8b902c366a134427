"""The program `fixsync`. It is not in the package, because importing a module of a package imports
the package first: Ctrl-C would end that with a traceback."""

import signal

__all__ = ["main"]


def main() -> None:
    """Runs the command line. While its modules are imported, Ctrl-C ends the process at once."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # not if it is ignored, as in a shell's background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from fixsync.cli import main as run

    signal.signal(signal.SIGINT, usual)
    run()
