"""Two looks at pages in a real browser; test_page.py has the rest."""

import gzip
from pathlib import Path

from fixsync.log.reader import Reader

FIGHT = Path(__file__).resolve().parents[2] / "replay_logs" / "skill_fight.jsonl.gz"


def test_a_log_opens_and_is_found_identical_in_this_browser(opened):
    page = opened(FIGHT)
    assert page.inner_text("#badge") == "Identical"
    with Reader(FIGHT) as reader:
        last = list(reader)[-1].hash
    assert page.inner_text("#checks strong") == f"Identical: 600 frames, hash {last}"
    reported = page.inner_text("#checks")
    assert "600 hashes, 600 lists of events" in reported
    assert "The native kernel gave the same 600 hashes" in reported
    assert page.title() == "skill_fight.jsonl.gz"
    assert page.is_hidden("#to-difference")


def test_a_link_to_a_frame_of_two_logs_shows_what_differs_there(opened, tmp_path):
    text = gzip.decompress(FIGHT.read_bytes())
    text = text[: text.rindex(b'{"frames"')]  # its SHA-256 would be wrong
    other = tmp_path / "other.jsonl"
    other.write_bytes(text.replace(b'["pose",0,[-3862,', b'["pose",0,[-3861,', 1))
    page = opened(FIGHT, other, fragment="#frame=1&id=0", checked=False)
    page.wait_for_selector("#differences >> text=≠ x")
    assert "-3862" in page.inner_text("#collider")
    assert "-3861" in page.inner_text("#collider")
