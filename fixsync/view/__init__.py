"""Pages that play a match log and check it in the browser. docs/viewer.md shows how to use them."""

from fixsync.view.export import Exported, export, page, write, write_arena

__all__ = ["Exported", "export", "page", "write", "write_arena"]
