"""A folder that users share: each may add to it, and nobody changes what another has added."""

import os
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.stored import WEIGHTS, entry_of, files_of, make_artifact

from docmt.store.folder import user_of
from docmt.store.store import entry_key, open_store

FIRST, SECOND, STRANGER, GROUP = 12345, 12346, 12347, 23456

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become other users")


def run_as(uid: int, action: Callable[[], object], groups: tuple[int, ...] = (), umask: int = 0o077) -> str:
    """Run an action in a child process as another user; return the last line of its error, or nothing."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups(groups)
            os.setgid(uid)
            os.setuid(uid)
            os.umask(umask)
            action()
        except BaseException as problem:
            os.write(writer, (str(problem) or traceback.format_exc()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        told = stream.read()
    os.waitpid(child, 0)
    return told


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that all users can reach, which those of pytest are not, with an artifact of each user."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        for uid in (FIRST, SECOND, STRANGER):
            home = Path(folder) / str(uid)
            make_artifact(home / "job", f"bytes of {uid}\n" if uid == SECOND else "a model\n")
            for path in (home, *home.rglob("*")):
                os.chown(path, uid, uid)
        yield Path(folder)


def begin(place: Path, mode: int, groups: tuple[int, ...] = ()) -> Path:
    store = place / "store"
    store.mkdir()
    os.chown(store, FIRST, GROUP)
    store.chmod(mode)
    told = run_as(FIRST, lambda: (open_store(str(store)).begin(), push(place, FIRST)), groups)
    assert told == ""
    return store


def push(place: Path, uid: int, mend: bool = False) -> None:
    folder = place / str(uid) / "job"
    open_store(str(place / "store")).push(entry_of(folder), folder, mend)


def pull(place: Path, uid: int, name: str = "pulled") -> None:
    store = open_store(str(place / "store"))
    store.pull(store.entry(entry_of(place / str(uid) / "job").identity), place / str(uid) / name)


@pytest.mark.parametrize(
    ("mode", "groups", "umask"), [(0o1777, (), 0o000), (0o2770, (GROUP,), 0o077), (0o770, (GROUP,), 0o022)]
)
def test_the_second_user_reads_what_the_first_made(place, mode, groups, umask):
    store = begin(place, mode, groups)
    assert run_as(SECOND, lambda: pull(place, SECOND), groups, umask) == ""
    assert files_of(place / str(SECOND) / "pulled") == files_of(place / str(FIRST) / "job")
    for path in store.rglob("*"):
        assert path.stat().st_uid == FIRST and (not groups or path.stat().st_gid == GROUP)
        assert path.is_dir() or path.stat().st_mode & 0o777 == mode & 0o444
    assert ("no permission" in run_as(STRANGER, lambda: pull(place, STRANGER))) == (mode & 0o007 == 0)


@pytest.mark.slow
def test_the_second_user_changes_nothing_of_the_first(place):
    store = begin(place, 0o1777)
    before = files_of(store)
    filled = {parent for name in before for parent in (store / name).parents} - {store, *store.parents}
    for path in sorted([*filled, *(store / name for name in before)]):
        if path.is_dir():
            assert "not permitted" in run_as(SECOND, lambda path=path: path.rename(store / "mine"))
            continue
        for action in (
            path.unlink,
            lambda path=path: path.rename(store / "mine"),
            lambda path=path: (place / str(SECOND) / "job" / WEIGHTS).replace(path),
            lambda path=path: path.write_bytes(b"poison"),
            lambda path=path: path.chmod(0o666),
            lambda path=path: os.utime(path, (1, 1)),
        ):
            assert "ermi" in run_as(SECOND, action)
    assert files_of(store) == before


def test_the_second_user_adds_beside_the_first_and_keeps_it(place):
    store = begin(place, 0o1777)
    make_artifact(place / str(SECOND) / "job", "more\n", seed=2)
    assert run_as(SECOND, lambda: push(place, SECOND)) == ""
    theirs = store / entry_key(entry_of(place / str(SECOND) / "job").identity)
    assert theirs.stat().st_uid == SECOND
    assert run_as(STRANGER, theirs.unlink) != ""
    assert run_as(SECOND, theirs.unlink) == ""


def test_a_file_of_another_user_is_mended_by_its_owner_or_the_keeper(place):
    begin(place, 0o1777)
    told = run_as(SECOND, lambda: push(place, SECOND, mend=True))
    assert "a file of another user, which you may not remove or replace" in told
    assert f"it belongs to {user_of(FIRST)}" in told and f"ask {user_of(FIRST)} or the keeper of the store" in told
    assert run_as(FIRST, lambda: push(place, FIRST, mend=True)) == ""


def test_a_shared_folder_that_is_not_sticky_is_refused_to_all_but_its_owner(place):
    store = place / "store"
    store.mkdir()
    store.chmod(0o777)
    told = run_as(FIRST, lambda: open_store(str(store)).begin())
    assert "could rename and remove what others made" in told and "chmod +t" in told
    assert [*store.iterdir()] == []
    open_store(str(store)).begin()
    assert store.stat().st_mode & 0o7777 == 0o1777


def test_who_may_not_write_reads_alone(place):
    begin(place, 0o755)
    assert run_as(SECOND, lambda: pull(place, SECOND)) == ""
    make_artifact(place / str(SECOND) / "job", "more\n", seed=2)
    assert "no permission to use the store in this way" in run_as(SECOND, lambda: push(place, SECOND))
