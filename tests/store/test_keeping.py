"""What a person pinned stays, what nobody needs goes, and a writer never relies on a file that is removed."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.stored import WEIGHTS, entry_of, files_of, make_artifact, new_store

from docmt.base.errors import TRY_AGAIN, UserError
from docmt.store.backend import StoreUnusable
from docmt.store.collecting import garbage_of, remove_garbage
from docmt.store.folder import FolderBackend
from docmt.store.pins import pins_of_store, remove_pin, set_pin
from docmt.store.store import Store, entry_key, file_key

OLD_S = 3 * 86_400


class WithoutLocks(FolderBackend):
    """A store without locks, as object stores are."""

    @contextmanager
    def lock(self, alone: bool = False) -> Iterator[bool]:
        yield False


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path / "store")


@pytest.fixture(params=["locks", "marks"])
def any_store(store: Store, request) -> Store:
    return store if request.param == "locks" else Store(WithoutLocks(store.address))


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
    assert not removed.garbage.rows and not removed.garbage.files
    store.pull(store.entry(entry_of(folder).identity), tmp_path / "pulled")


def test_old_artifacts_go_with_their_files_but_not_with_those_of_others(any_store, tmp_path):
    old = entry_of(pushed(any_store, tmp_path / "old"))
    new = make_artifact(tmp_path / "new", seed=2)  # with the same weights
    any_store.push(entry_of(new), new)
    remove_garbage(any_store, 1)
    assert entries(any_store) == {entry_of(new).identity}
    assert any_store.entry(old.identity) is None
    any_store.pull(any_store.entry(entry_of(new).identity), tmp_path / "pulled")
    assert files_of(tmp_path / "pulled") == files_of(new)


def test_a_list_removes_nothing(store, tmp_path):
    pushed(store, tmp_path / "job")
    before = files_of(Path(store.address))
    assert len(garbage_of(store, 1).rows) == 1
    assert files_of(Path(store.address)) == before


def test_what_is_pinned_stays_until_the_pin_goes(store, tmp_path):
    identity = entry_of(pushed(store, tmp_path / "job")).identity
    set_pin(store.backend, identity, "table 2")
    assert [pin.why for pin in pins_of_store(store.backend)[identity]] == ["table 2"]
    remove_garbage(store, 0)
    assert entries(store) == {identity}
    remove_pin(store.backend, identity)
    with pytest.raises(UserError, match="no pin of yours"):
        remove_pin(store.backend, identity)
    remove_garbage(store, 0)
    assert entries(store) == set()


def test_a_damaged_pin_keeps_its_artifact(store, tmp_path):
    identity = entry_of(pushed(store, tmp_path / "job")).identity
    store.backend.create(f"pins/{identity}.0", b"{")
    remove_garbage(store, 0)
    assert entries(store) == {identity}


def test_a_pinned_artifact_that_is_damaged_stops_the_removal(store, tmp_path):
    identity = entry_of(pushed(store, tmp_path / "job")).identity
    set_pin(store.backend, identity, "")
    store.backend.replace(entry_key(identity), b"{}")
    with pytest.raises(UserError, match="a pinned artifact is damaged"):
        remove_garbage(store, 0)


def test_leftovers_of_killed_writers_go_after_a_day(any_store, tmp_path):
    pushed(any_store, tmp_path / "job")
    folder = Path(any_store.address)
    for name in ("files/.aa.0.part", "files/.bb.0.part", "turns/writer-0"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("half", encoding="utf-8")
    age(any_store, "files/.aa.0.part")
    age(any_store, "turns/writer-0")
    assert remove_garbage(any_store, None).leftovers == 1
    assert (folder / "files/.bb.0.part").exists()
    assert not (folder / "turns/writer-0").exists()


def unlisted_file(store: Store, folder: Path) -> str:
    """The key of an old file of no entry that an artifact in a folder has too."""
    key = file_key(entry_of(folder).files[WEIGHTS].sha256)
    store.backend.upload(key, folder / WEIGHTS, key.split("/")[-1])
    age(store, key)
    return key


def test_a_removal_gives_way_to_a_writer(any_store, tmp_path, monkeypatch):
    folder = make_artifact(tmp_path / "job")
    key, write = unlisted_file(any_store, folder), Store._write_entry
    refusals = []

    def remove_first(self, entry):
        with pytest.raises(UserError, match="another process writes to the store") as problem:
            remove_garbage(any_store, None)
        refusals.append(problem.value.status)
        return write(self, entry)

    monkeypatch.setattr(Store, "_write_entry", remove_first)
    any_store.push(entry_of(folder), folder)
    assert refusals == [TRY_AGAIN] and any_store.backend.size(key) is not None
    any_store.pull(any_store.entry(entry_of(folder).identity), tmp_path / "pulled")


def test_a_writer_waits_for_a_removal(store, tmp_path, monkeypatch):
    folder = make_artifact(tmp_path / "job")
    key, remove = unlisted_file(store, folder), FolderBackend.remove
    writers = [threading.Thread(target=lambda: store.push(entry_of(folder), folder))]

    def push_first(self, name):
        if name == key and not writers[0].ident:
            writers[0].start()
            writers[0].join(0.1)
            assert writers[0].is_alive()
        remove(self, name)

    monkeypatch.setattr(FolderBackend, "remove", push_first)
    remove_garbage(store, None)
    writers[0].join()
    store.pull(store.entry(entry_of(folder).identity), tmp_path / "pulled")


def test_a_writer_without_locks_leaves_a_removal_alone_and_comes_later(store, tmp_path, monkeypatch):
    store = Store(WithoutLocks(store.address))
    folder = make_artifact(tmp_path / "job")
    key, remove = unlisted_file(store, folder), FolderBackend.remove

    def push_first(self, name):
        if name == key:
            with pytest.raises(StoreUnusable, match="files are being removed"):
                store.push(entry_of(folder), folder)
        remove(self, name)

    monkeypatch.setattr(FolderBackend, "remove", push_first)
    remove_garbage(store, None)
    assert store.backend.size(key) is None
    store.push(entry_of(folder), folder)
    store.pull(store.entry(entry_of(folder).identity), tmp_path / "pulled")


def test_a_file_that_vanishes_before_the_entry_is_written_again(store, tmp_path, monkeypatch):
    folder = make_artifact(tmp_path / "job")
    key, write = unlisted_file(store, folder), Store._write_entry

    def remove_first(self, entry):
        store.backend.remove(key)
        return write(self, entry)

    monkeypatch.setattr(Store, "_write_entry", remove_first)
    store.push(entry_of(folder), folder)
    store.pull(store.entry(entry_of(folder).identity), tmp_path / "pulled")
