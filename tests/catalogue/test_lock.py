"""The lock file of first downloads."""

import json

from docmt.catalogue.lock import locked_checksums, place_in_lock, record_first


def test_the_first_digest_stays(tmp_path):
    lock = tmp_path / "corpora/lock.json"
    record_first(lock, {})
    assert not lock.exists() and locked_checksums(lock) == {}
    record_first(lock, {"a/x": "1", "a/y": "2"})
    record_first(lock, {"a/x": "3", "b/z": "md5:4"})
    assert locked_checksums(lock) == json.loads(lock.read_text()) == {"a/x": "1", "a/y": "2", "b/z": "md5:4"}
    before = lock.stat().st_mtime_ns
    record_first(lock, {"a/x": "5"})
    assert lock.stat().st_mtime_ns == before, "nothing is written where nothing is new"


def test_the_line_of_a_digest(tmp_path):
    lock = tmp_path / "lock.json"
    record_first(lock, {"a/x": "1", "b/y": "2"})
    assert place_in_lock(lock, "b/y") == f"{lock}:3"
    assert place_in_lock(lock, "b/z") == place_in_lock(str(lock), "none") == str(lock)
    assert place_in_lock(tmp_path / "none", "b/y") == str(tmp_path / "none")
