"""An artifact that was pushed comes out as it went in, or not at all, whatever happens to the store meanwhile."""

import errno
import os
import resource
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from helpers.stored import WEIGHTS, entry_of, files_of, make_artifact

from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.store.backend import EntryRefused, StoreUnusable
from docmt.store.folder import FolderBackend
from docmt.store.store import HEAD, Store, file_key, open_store


def weights_of(store: Store, folder: Path) -> Path:
    return Path(store.address) / file_key(entry_of(folder).files[WEIGHTS].sha256)


def keys(store: Store, folder: str) -> list[str]:
    return [file.key for file in store.backend.listed(folder) if not file.name.startswith(".")]


def test_artifacts_come_out_as_they_went_in_and_are_pushed_once(store, folder, tmp_path):
    other = make_artifact(tmp_path / "other", seed=2)
    for place in (folder, other):
        entry = entry_of(place)
        assert store.entry(entry.identity) is None
        assert store.push(entry, place) and not store.push(entry, place)
        store.pull(store.entry(entry.identity), tmp_path / "pulled")
        assert files_of(tmp_path / "pulled") == files_of(place)
    assert len(keys(store, "entries")) == 2
    assert len([file for file in store.backend.listed("files") if file.bytes == len("a model\n")]) == 1


@pytest.mark.parametrize("damage", ["bytes", "missing"])
def test_a_damaged_file_is_refused_and_mended_by_the_next_push(store, folder, tmp_path, damage):
    entry, path = entry_of(folder), weights_of(store, folder)
    store.push(entry, folder)
    path.unlink()
    if damage == "bytes":
        path.write_text("a mode!\n", encoding="utf-8")
    with pytest.raises(EntryRefused, match="other bytes than its name says" if damage == "bytes" else "is missing"):
        store.pull(entry, tmp_path / "pulled")
    assert not (tmp_path / "pulled" / MANIFEST).exists()
    assert store.push(entry, folder, mend=damage == "bytes")
    store.pull(entry, tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(folder)


def test_a_file_that_differs_from_its_manifest_is_not_pushed(store, folder):
    (folder / WEIGHTS).write_text("changed\n", encoding="utf-8")
    with pytest.raises(UserError, match="differs from its manifest"):
        store.push(entry_of(folder), folder)
    assert keys(store, "entries") == [] and weights_of(store, folder).name not in files_of(Path(store.address))


def kill_self(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("step", range(4))
def test_a_pull_that_is_killed_anywhere_is_finished_by_the_next(store, folder, tmp_path, in_child, step):
    """It is killed after each file, in the middle of a file, and before the manifest gets its name."""
    pulled, count, download = tmp_path / "pulled", [0], store.backend.download
    store.push(entry_of(folder), folder)

    def killed(key, path, file):
        count[0] += 1
        if count[0] > step:
            path.write_bytes(b"half")
            kill_self()
        download(key, path, file)

    def pull():
        store.backend.download = killed
        Path.replace = kill_self
        store.pull(store.entry(entry_of(folder).identity), pulled)

    assert in_child(pull) == signal.SIGKILL and not (pulled / MANIFEST).exists()
    for path in pulled.glob(".*"):
        path.unlink()
    store.backend.download = download
    store.pull(store.entry(entry_of(folder).identity), pulled)
    assert files_of(pulled) == files_of(folder)


@pytest.mark.parametrize(("owner", "method"), [(FolderBackend, "_share"), (Path, "replace")])
@pytest.mark.parametrize("step", range(3))
def test_a_push_that_is_killed_anywhere_leaves_nothing_half(store, folder, tmp_path, in_child, owner, method, step):
    """It is killed in each file and in the entry: before the file is read-only, and before it gets its name."""
    count, usual = [0], getattr(owner, method)

    def killed(*arguments):
        count[0] += 1
        return usual(*arguments) if count[0] <= step else kill_self()

    def push():
        setattr(owner, method, killed)
        store.push(entry_of(folder), folder)

    assert in_child(push) == signal.SIGKILL
    assert keys(store, "entries") == [] and len(keys(store, "files")) <= step
    store.push(entry_of(folder), folder)
    store.pull(store.entry(entry_of(folder).identity), tmp_path / "pulled")
    assert files_of(tmp_path / "pulled") == files_of(folder)


def test_a_store_whose_first_user_was_killed_is_begun_by_the_next(tmp_path, in_child):
    (tmp_path / "store").mkdir()
    store = open_store(str(tmp_path / "store"))

    def begin():
        FolderBackend._share = kill_self  # before the folders are shared
        store.begin()

    assert in_child(begin) == signal.SIGKILL
    assert not store.check()
    store.begin()
    assert store.check()


def test_ten_writers_leave_one_whole_artifact(tmp_path, started):
    (tmp_path / "store").mkdir()

    def write(number: int) -> None:
        """Push other bytes for one identity, as another machine makes them."""
        folder = make_artifact(tmp_path / f"writer{number}", f"bytes of machine {number % 3}\n" * 20_000)
        store = open_store(str(tmp_path / "store"))
        store.begin()
        store.push(entry_of(folder), folder)

    children = [started(partial(write, number)) for number in range(10)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 10
    store = open_store(str(tmp_path / "store"))
    [stored] = store.backend.listed("entries")
    store.pull(store.entry(stored.name), tmp_path / "pulled")
    pulled = files_of(tmp_path / "pulled")
    assert any(files_of(tmp_path / f"writer{number}") == pulled for number in range(10))


@pytest.mark.parametrize(
    ("head", "what"),
    [
        ('{"format": "docmt-store-9"}', r"a store of another version(.|\n)*docmt-store-9"),
        ("{", "not the head of a store, or damaged"),
        ("[]", "not the head of a store, or damaged"),
        (None, "no store of docmt"),
    ],
)
def test_what_is_no_store_of_this_version_is_refused_and_stays(store, folder, head, what):
    store.push(entry_of(folder), folder)
    path = Path(store.address) / HEAD
    path.unlink()
    if head is not None:
        path.write_text(head)
    before = files_of(Path(store.address))
    with pytest.raises(StoreUnusable, match=what):
        store.begin()
    assert files_of(Path(store.address)) == before


@pytest.mark.parametrize("is_file", [False, True])
def test_a_store_that_goes_away_is_no_missing_entry(store, folder, tmp_path, is_file):
    entry = entry_of(folder)
    store.push(entry, folder)
    shutil.rmtree(store.address)
    if is_file:
        Path(store.address).write_text("mine")
    for use in (
        store.check,
        lambda: store.entry(entry.identity),
        lambda: store.pull(entry, tmp_path / "pulled"),
        lambda: store.push(entry, folder),
        lambda: keys(store, "entries"),
    ):
        with pytest.raises(StoreUnusable, match="a file, and no folder" if is_file else "folder of the store is not"):
            use()


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Let the system refuse larger files in the block, as a full disk does."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_store_is_one_message_and_a_full_disk_here_is_another(store, tmp_path):
    folder = make_artifact(tmp_path / "job", "x" * 200_000)
    with files_up_to(100_000), pytest.raises(StoreUnusable, match="would be too large"):
        store.push(entry_of(folder), folder)
    assert all(file.bytes < 100 for file in store.backend.listed("files"))  # the other file of the artifact fits
    assert keys(store, "entries") == [] and not [*Path(store.address).rglob("*.part")]
    store.push(entry_of(folder), folder)
    with files_up_to(100_000), pytest.raises(OSError) as problem:
        store.pull(entry_of(folder), tmp_path / "pulled")
    assert problem.value.filename == str(tmp_path / "pulled" / WEIGHTS)
    assert not (tmp_path / "pulled" / WEIGHTS).exists() and not (tmp_path / "pulled" / MANIFEST).exists()


@pytest.mark.parametrize(
    ("number", "what"),
    [
        (errno.ENOSPC, "the disk of the store is full"),
        (errno.EROFS, "no permission to use the store in this way"),
        (errno.ESTALE, "Stale file handle"),
    ],
)
def test_trouble_with_the_disk_is_one_message_and_leaves_nothing_half(
    store, folder, tmp_path, monkeypatch, number, what
):
    def refuse(*_: object) -> Iterator[bytes]:
        yield b"a mo"
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch, pytest.raises(StoreUnusable, match=what):
        patch.setattr("docmt.store.backend.parts_of", refuse)
        store.push(entry_of(folder), folder)
    assert [*files_of(Path(store.address))] == [HEAD]
    store.push(entry_of(folder), folder)
    monkeypatch.setattr("docmt.store.backend.parts_of", refuse)
    with pytest.raises(StoreUnusable, match=what):
        store.pull(entry_of(folder), tmp_path / "pulled")
    assert files_of(tmp_path / "pulled") == {}
