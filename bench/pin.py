"""Writes fixsync/bench/golden.json anew: python bench/pin.py. Run it after a scene was changed or
added, never because a hash no longer matches."""

from __future__ import annotations

import json
from pathlib import Path

from fixsync.bench.frames import PINNED_COUNTS, final_hash
from fixsync.bench.scenes import SCENES, scene

if __name__ == "__main__":
    pinned = {
        name: {str(count): final_hash(scene(name, count)) for count in PINNED_COUNTS}
        for name in SCENES
    }
    text = json.dumps(pinned, indent=2)
    golden = Path(__file__).parent.parent / "fixsync" / "bench" / "golden.json"
    golden.write_text(text + "\n", encoding="ascii")
