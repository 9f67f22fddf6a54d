"""What nobody needs goes, and a writer never relies on a file that is removed."""

import os
import time
from pathlib import Path

import pytest
from helpers.stored import WEIGHTS, entry_of, files_of, make_artifact, new_store

from docmt.store.backend import EntryRefused
from docmt.store.collecting import garbage_of, remove_garbage
from docmt.store.store import Store, entry_key, file_key

OLD_S = 3 * 86_400


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path / "store")


def age(store: Store, key: str) -> None:
    os.utime(Path(store.address) / key, (time.time() - OLD_S,) * 2)


def pushed(store: Store, folder: Path, **facts) -> Path:
    """The folder of an artifact that was pushed three days ago."""
    make_artifact(folder, **facts)
    store.push(entry := entry_of(folder), folder)
    for key in (entry_key(entry.identity), *(file_key(file.sha256) for file in entry.files.values())):
        age(store, key)
    return folder


def entries(store: Store) -> set[str]:
    return {file.key.split("/")[-1] for file in store.backend.listed("entries")}


def test_nothing_goes_without_an_age(store, tmp_path):
    folder = pushed(store, tmp_path / "job")
    removed = remove_garbage(store, None)
    assert not removed.rows and not removed.files
    store.pull(store.entry(entry_of(folder).identity), tmp_path / "pulled")


def test_old_artifacts_go_with_their_files_but_not_with_those_of_others(store, tmp_path):
    old = entry_of(pushed(store, tmp_path / "old"))
    new = make_artifact(tmp_path / "new", seed=2)  # with the same weights
    store.push(entry_of(new), new)
    remove_garbage(store, 1)
    assert entries(store) == {entry_of(new).identity}
    assert store.entry(old.identity) is None
    store.pull(store.entry(entry_of(new).identity), tmp_path / "pulled")
    assert files_of(tmp_path / "pulled") == files_of(new)


def test_a_list_removes_nothing(store, tmp_path):
    pushed(store, tmp_path / "job")
    before = files_of(Path(store.address))
    assert len(garbage_of(store, 1).rows) == 1
    assert files_of(Path(store.address)) == before


def test_damaged_artifacts_and_leftovers_of_killed_writers_go_after_a_day(store, tmp_path):
    identity = entry_of(pushed(store, tmp_path / "job")).identity
    folder = Path(store.address)
    (folder / entry_key(identity)).chmod(0o644)
    (folder / entry_key(identity)).write_text("{}")
    for name in ("files/.aa.0.part", "files/.bb.0.part"):
        (folder / name).write_text("half", encoding="utf-8")
    age(store, "files/.aa.0.part")
    assert remove_garbage(store, None).leftovers == 1
    assert (folder / "files/.bb.0.part").exists() and entries(store) == {identity}
    age(store, entry_key(identity))
    remove_garbage(store, None)
    assert entries(store) == set()


def unlisted_file(store: Store, folder: Path) -> str:
    """The key of an old file of no entry that an artifact in a folder has too."""
    key = file_key(entry_of(folder).files[WEIGHTS].sha256)
    store.backend.upload(key, folder / WEIGHTS, key.split("/")[-1])
    age(store, key)
    return key


@pytest.mark.parametrize("moment", ["while it is listed", "before it is removed"])
def test_the_files_of_somebody_who_is_pushing_stay(store, tmp_path, monkeypatch, moment):
    """The old file of a push is written again, so that it is young."""
    folder, is_done = make_artifact(tmp_path / "job"), []
    key = unlisted_file(store, folder)
    name = "listed" if moment == "while it is listed" else "remove"
    method = getattr(type(store.backend), name)

    def push_first(self, *arguments, **options):
        if not is_done:
            is_done.append(True)
            store.push(entry_of(folder), folder)
        return method(self, *arguments, **options)

    monkeypatch.setattr(type(store.backend), name, push_first)
    remove_garbage(store, None)
    assert is_done and store.backend.size(key) is not None
    store.pull(store.entry(entry_of(folder).identity), tmp_path / "pulled")


def test_an_entry_that_lost_a_file_is_refused_and_mended_by_the_next_push(store, tmp_path):
    folder = pushed(store, tmp_path / "job")
    entry = entry_of(folder)
    store.backend.remove(file_key(entry.files[WEIGHTS].sha256))
    with pytest.raises(EntryRefused, match="missing"):
        store.pull(entry, tmp_path / "pulled")
    assert store.push(entry, folder) and not store.push(entry, folder)
    store.pull(store.entry(entry.identity), tmp_path / "pulled")
    assert files_of(tmp_path / "pulled") == files_of(folder)
