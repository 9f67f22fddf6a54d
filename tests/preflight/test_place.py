"""The folder of the results, on file systems that lack what docmt relies on."""

import fcntl
from pathlib import Path

import pytest

from docmt.preflight import place
from docmt.preflight.place import check_place


def told(results: Path) -> list[str]:
    return [finding.text for finding in check_place(results) if finding.level != "fact"]


def test_a_folder_that_can_be_written_is_left_as_it_was(tmp_path):
    assert told(tmp_path / "results") == [] and not [*tmp_path.iterdir()]
    (tmp_path / "results").mkdir()
    assert told(tmp_path / "results") == [] and not [*(tmp_path / "results").iterdir()]


def test_a_link_to_another_disk_is_right_and_one_to_nowhere_is_not(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "results").symlink_to(tmp_path / "disk")
    assert told(tmp_path / "results") == []
    (tmp_path / "disk").rmdir()
    (text,) = told(tmp_path / "results")
    assert "results: the folder of the results is a link to nowhere" in text and "mkdir -p" in text


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    def refused(**names):
        raise PermissionError(13, "Permission denied", str(names["dir"]))

    monkeypatch.setattr(place.tempfile, "mkdtemp", refused)
    (text,) = told(tmp_path)
    assert text.startswith(f"{tmp_path}: no permission") and "it needs other rights" in text


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "results").write_text("", encoding="utf-8")
    (text,) = told(tmp_path / "results")
    assert "a file, where a folder is needed" in text


def test_a_file_system_without_locks_is_a_warning(tmp_path, monkeypatch):
    def refused(handle, kind):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refused)
    (finding,) = [finding for finding in check_place(tmp_path) if finding.level != "fact"]
    assert finding.level == "warning"
    assert finding.text.startswith(f"{tmp_path}: the file system has no locks (flock)\n  found [Errno 38]")


def test_files_that_cannot_be_moved_are_an_error(tmp_path, monkeypatch):
    def refused(path, target):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(Path, "replace", refused)
    (text,) = told(tmp_path)
    assert "files and folders cannot be moved into their place\n  found [Errno 18]" in text


def test_a_file_that_stays_the_old_one_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "replace", lambda path, target: path)
    (text,) = told(tmp_path)
    assert "a file that replaces another one is not seen" in text


@pytest.mark.parametrize("skew", [-100, 100])
def test_another_time_is_a_warning(skew, tmp_path, monkeypatch):
    now = place.time.time
    monkeypatch.setattr(place.time, "time", lambda: now() + skew)
    (text,) = told(tmp_path)
    assert "the clock of the file system differs" in text and "expected at most 5 s" in text
    assert not [*tmp_path.iterdir()]
