"""An artifact that was pushed comes out as it went in, or not at all."""

import os
import signal
from pathlib import Path

import pytest
from helpers.stored import entry_of, files_of, make_artifact, new_store

from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, read_manifest
from docmt.store.addresses import open_store
from docmt.store.backend import EntryRefused, StoreUnusable
from docmt.store.store import Store, entry_key, file_key


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path / "store")


def test_an_artifact_comes_out_as_it_went_in(store: Store, tmp_path: Path) -> None:
    folder_of_job = make_artifact(tmp_path / "job")
    entry = entry_of(folder_of_job)
    assert store.entry(entry.identity) is None
    store.push(entry, folder_of_job)
    store.pull(store.entry(entry.identity), tmp_path / "pulled")
    assert files_of(tmp_path / "pulled") == files_of(folder_of_job)
    assert read_manifest(tmp_path / "pulled" / MANIFEST).identity == entry.identity


def test_an_artifact_is_pushed_once(store: Store, tmp_path: Path) -> None:
    folder_of_job = make_artifact(tmp_path / "job")
    assert store.push(entry_of(folder_of_job), folder_of_job)
    assert not store.push(entry_of(folder_of_job), folder_of_job)


def test_equal_files_are_stored_once(store: Store, tmp_path: Path) -> None:
    for seed in (1, 2):
        folder_of_job = make_artifact(tmp_path / f"job{seed}", seed=seed)
        store.push(entry_of(folder_of_job), folder_of_job)
    weights = [file for file in store.backend.listed("files") if file.bytes == len("a model\n")]
    assert len(weights) == 1
    assert len([*store.backend.listed("entries")]) == 2


def test_a_changed_byte_is_refused_and_mended_by_the_next_push(store: Store, tmp_path: Path) -> None:
    folder_of_job = make_artifact(tmp_path / "job")
    entry = entry_of(folder_of_job)
    store.push(entry, folder_of_job)
    path = Path(store.address) / file_key(entry.files["model/weights.txt"].sha256)
    path.chmod(0o644)
    path.write_text("a mode!\n", encoding="utf-8")
    with pytest.raises(EntryRefused, match="other bytes than its name says"):
        store.pull(entry, tmp_path / "pulled")
    assert not (tmp_path / "pulled" / MANIFEST).exists()
    store.push(entry, folder_of_job, mend=True)
    store.pull(entry, tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(folder_of_job)


def test_an_entry_under_a_wrong_identity_is_refused(store: Store, tmp_path: Path) -> None:
    folder_of_job, other = make_artifact(tmp_path / "job"), make_artifact(tmp_path / "other", seed=2)
    wrong = entry_of(other).identity
    store.backend.create(entry_key(wrong), entry_of(folder_of_job).to_json())
    with pytest.raises(EntryRefused, match="of another identity"):
        store.entry(wrong)


def test_a_file_that_differs_from_its_manifest_is_not_pushed(store: Store, tmp_path: Path) -> None:
    folder_of_job = make_artifact(tmp_path / "job")
    entry = entry_of(folder_of_job)
    (folder_of_job / "model" / "weights.txt").write_text("changed\n", encoding="utf-8")
    with pytest.raises(UserError, match="differs from its manifest"):
        store.push(entry, folder_of_job)
    assert store.entry(entry.identity) is None


def test_a_folder_that_is_gone_makes_the_store_unusable(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="the folder of the store is not there"):
        open_store(str(tmp_path / "store")).check()


@pytest.mark.parametrize("step", range(4))
def test_a_pull_that_is_killed_anywhere_is_finished_by_the_next(store: Store, tmp_path: Path, step: int) -> None:
    """It is killed after each file, in the middle of a file, and before the manifest gets its name."""
    folder, pulled = make_artifact(tmp_path / "job"), tmp_path / "pulled"
    store.push(entry_of(folder), folder)
    child = os.fork()
    if child == 0:
        count, download = [0], store.backend.download

        def killed(key, path, sha256):
            count[0] += 1
            if count[0] > step:
                path.write_bytes(b"half")
                os.kill(os.getpid(), signal.SIGKILL)
            download(key, path, sha256)

        store.backend.download = killed
        Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        store.pull(store.entry(entry_of(folder).identity), pulled)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert not (pulled / MANIFEST).exists()
    for path in pulled.glob(".*"):
        path.unlink()
    store.pull(store.entry(entry_of(folder).identity), pulled)
    assert files_of(pulled) == files_of(folder)
