"""The folder of the results, and the room on its disk."""

from pathlib import Path
from types import SimpleNamespace

from helpers.preflights import facts, run_of, said

from docmt.preflight import place
from docmt.preflight.finding import in_area
from docmt.preflight.place import check_disk, check_place, estimated_room


def told(results: Path) -> list[tuple[str, str]]:
    return said(in_area("place", check_place(results)))


def test_a_folder_that_can_be_written_is_left_as_it_was_and_others_are_named(tmp_path):
    results, disk = tmp_path / "results", tmp_path / "disk"
    assert told(results) == [] and not [*tmp_path.iterdir()]
    disk.mkdir()
    results.symlink_to(disk)
    assert told(results) == [] and not [*disk.iterdir()]
    disk.rmdir()
    ((_, text),) = told(results)
    assert "results: the folder of the results is a link to nowhere" in text and "mkdir -p" in text
    results.unlink()
    results.write_text("", encoding="utf-8")
    ((_, text),) = told(results)
    assert "a file, where a folder is needed" in text


def test_the_disk_against_the_estimate_of_the_jobs(small, monkeypatch):
    monkeypatch.chdir(small.root)
    run = run_of()
    total = sum(estimated_room(run).values())
    for free, level in ((10 * total, None), (1.1 * total, "warning"), (total / 2, "error")):
        monkeypatch.setattr(place.shutil, "disk_usage", lambda path, free=free: SimpleNamespace(free=free))
        findings = [*check_disk(run)]
        assert [stated for stated, _ in said(findings)] == [level] * bool(level)
        assert "an estimate of " in facts(findings) and "quotas are not seen" in facts(findings)
