"""A store that cannot be used is one message, and what was there before is there after it."""

import errno
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.stored import WEIGHTS, entry_of, files_of, make_artifact, new_store
from helpers.support import ROOT, need

from docmt.base.manifest import MANIFEST
from docmt.store.addresses import open_store
from docmt.store.backend import EntryRefused, StoreUnusable
from docmt.store.store import file_key


def test_another_version_is_refused(tmp_path):
    store = new_store(tmp_path / "store")
    head = tmp_path / "store" / "docmt-store.json"
    head.chmod(0o644)
    head.write_text('{"format": "docmt-store-9"}')
    with pytest.raises(StoreUnusable, match=r"a store of another version(.|\n)*docmt-store-9"):
        store.begin()


def test_a_damaged_head_is_refused(tmp_path):
    store = new_store(tmp_path / "store")
    head = tmp_path / "store" / "docmt-store.json"
    head.chmod(0o644)
    head.write_text("{")
    with pytest.raises(StoreUnusable, match="not the head of a store, or damaged"):
        store.check()


def test_a_store_without_its_head_is_refused(tmp_path):
    store = new_store(tmp_path / "store")
    folder = make_artifact(tmp_path / "job")
    store.push(entry_of(folder), folder)
    (tmp_path / "store" / "docmt-store.json").unlink()
    with pytest.raises(StoreUnusable, match="no store of docmt"):
        store.begin()


def test_a_folder_with_other_files_is_refused_and_stays(tmp_path):
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(StoreUnusable, match="no store of docmt"):
        open_store(str(tmp_path)).begin()
    assert files_of(tmp_path) == {"notes": b"mine"}


def test_a_file_is_no_store(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreUnusable, match="a file, and no folder of a store"):
        open_store(str(tmp_path / "file")).check()


def test_a_store_that_goes_away_is_no_missing_entry(tmp_path):
    store = new_store(tmp_path / "store")
    folder = make_artifact(tmp_path / "job")
    entry = entry_of(folder)
    store.push(entry, folder)
    shutil.rmtree(tmp_path / "store")
    for use in (
        lambda: store.entry(entry.identity),
        lambda: store.pull(entry, tmp_path / "pulled"),
        lambda: store.push(entry, folder),
        lambda: [*store.backend.listed("entries")],
    ):
        with pytest.raises(StoreUnusable, match="the folder of the store is not there"):
            use()


def test_a_missing_file_is_mended_by_the_next_push(tmp_path):
    store = new_store(tmp_path / "store")
    folder = make_artifact(tmp_path / "job")
    entry = entry_of(folder)
    store.push(entry, folder)
    missing = Path(store.address) / file_key(next(iter(entry.files.values())).sha256)
    missing.unlink()
    with pytest.raises(EntryRefused, match="a file of an entry is missing"):
        store.pull(entry, tmp_path / "pulled")
    assert store.push(entry, folder)
    assert store.is_whole(entry)


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Let the system refuse larger files in the block."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_store_is_one_message_and_nothing_half(tmp_path):
    """A limit of the size of files stands for a full disk: the same call of the system fails."""
    store = new_store(tmp_path / "store")
    folder = make_artifact(tmp_path / "job", "x" * 200_000)
    with files_up_to(100_000), pytest.raises(StoreUnusable, match="would be too large"):
        store.push(entry_of(folder), folder)
    assert all(file.bytes < 100 for file in store.backend.listed("files"))  # the other file of the artifact fits
    assert [*store.backend.listed("entries")] == [] and not [*Path(store.address).rglob("*.part")]
    store.push(entry_of(folder), folder)
    assert store.is_whole(entry_of(folder))


def test_a_full_disk_here_is_no_trouble_of_the_store(tmp_path):
    store = new_store(tmp_path / "store")
    folder = make_artifact(tmp_path / "job", "x" * 200_000)
    store.push(entry_of(folder), folder)
    with files_up_to(100_000), pytest.raises(OSError) as problem:
        store.pull(entry_of(folder), tmp_path / "pulled")
    assert problem.value.filename == str(tmp_path / "pulled" / WEIGHTS)
    assert not (tmp_path / "pulled" / WEIGHTS).exists() and not (tmp_path / "pulled" / MANIFEST).exists()


def test_a_store_that_breaks_off_in_a_file_leaves_nothing_of_it(tmp_path, monkeypatch):
    store = new_store(tmp_path / "store")
    folder = make_artifact(tmp_path / "job")
    store.push(entry_of(folder), folder)

    def break_off(source, target):
        target.write(b"a mo")
        raise OSError(errno.ESTALE, "Stale file handle")

    monkeypatch.setattr("docmt.store.folder.copy", break_off)
    with pytest.raises(StoreUnusable, match="Stale file handle"):
        store.pull(entry_of(folder), tmp_path / "pulled")
    assert files_of(tmp_path / "pulled") == {}


@pytest.mark.parametrize(
    ("options", "what"), [("size=1200k", "the disk of the store is full"), ("ro", "no permission")]
)
def test_a_disk_of_its_own_that_is_full_or_read_only(tmp_path, options, what):
    need("unshare")
    need("mount")
    script = f"""
import subprocess, sys
from pathlib import Path
from helpers.stored import WEIGHTS, entry_of, make_artifact, new_store
from docmt.store.addresses import open_store
disk, ro = Path({str(tmp_path)!r}) / "disk", {options == "ro"}
disk.mkdir()
subprocess.run(["mount", "-t", "tmpfs", "-o", "{"size=9m" if options == "ro" else options}", "none", disk], check=True)
store = new_store(disk / "store")
if ro:
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
folder = make_artifact(disk.parent / "job", "x" * 2_000_000)
try:
    store.push(entry_of(folder), folder)
except Exception as problem:
    print(type(problem).__name__, problem.what)
print(len([*store.backend.listed("files")]), len([*Path(store.address).rglob("*.part")]))
"""
    command = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-c", script]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT}/tests", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode and "unshare" in done.stderr:
        pytest.skip("this machine gives no user namespace")
    assert what in done.stdout and done.stdout.startswith("StoreUnusable"), done.stderr
    assert done.stdout.splitlines()[-1].endswith(" 0")
