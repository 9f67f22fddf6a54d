"""What a store has, how large it is, and which of its bytes are wrong."""

import dataclasses
import getpass
import platform
from pathlib import Path

import pytest
from helpers.stored import WEIGHTS, entry_of, make_artifact, new_store

from docmt.base.errors import UserError
from docmt.store.chosen import all_entries, named_identities
from docmt.store.entries import StoreEntry
from docmt.store.listing import facts_of, rows_of_store
from docmt.store.store import Store, entry_key, file_key
from docmt.store.usage import usage_of
from docmt.store.verifying import damages


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with two artifacts that share their weights."""
    result = new_store(tmp_path / "store")
    for seed, corpus in ((1, "toy"), (2, "ted")):
        folder, place = (
            make_artifact(tmp_path / f"job{seed}", seed=seed),
            f"results/5_training/{corpus}/base/seed{seed}",
        )
        result.push(dataclasses.replace(entry_of(folder), place=place), folder)
    return result


def identity_of(store: Store, corpus: str) -> str:
    return next(row.identity for row in rows_of_store(store) if corpus in row.place)


def damaged(store: Store, *identities: str) -> list[tuple[str, str]]:
    return [(item.identity, item.name) for item in damages(store, identities or [*all_entries(store)], print)]


def test_rows_are_chosen_by_their_facts(store):
    rows = rows_of_store(store)
    assert len(rows) == 2 and {row.step for row in rows} == {"train"}
    chosen = [row.identity for row in rows if row.fits("5_training/toy", rows[0].maker)]
    assert chosen == [identity_of(store, "toy")]
    assert not [row for row in rows if row.fits("other", None)]


def test_an_artifact_is_named_by_its_first_digits(store):
    identity = identity_of(store, "toy")
    assert named_identities(store, [identity[:8]]) == [identity]
    with pytest.raises(UserError, match="no artifact of the store begins so"):
        named_identities(store, ["zzzzzz"])


def test_facts_name_files_and_who_pushed(store):
    identity = identity_of(store, "toy")
    entry = store.stored(identity)
    facts = facts_of(store, entry, all_entries(store)[identity])
    assert {file["name"] for file in facts["files"]} == set(entry.files)
    assert all(file["is_there"] for file in facts["files"])
    assert facts["step"] == "train" and facts["seconds"] is not None
    assert (facts["settings"], facts["libraries"]) == (entry.asked["settings"], entry.asked["libraries"])


def test_nobody_is_named_who_does_not_ask_for_it(tmp_path, monkeypatch):
    """The store knows the owner of a file, as the file system does; what is written has no name of user or machine."""
    folder = make_artifact(tmp_path / "job")
    rows = {}
    for name in ("", "Ada"):
        monkeypatch.setenv("DOCMT_STORE_MAKER", name)
        store = new_store(tmp_path / f"store{name}")
        store.push(entry_of(folder), folder)
        (row,) = rows_of_store(store)
        rows[name] = dataclasses.replace(row, file=dataclasses.replace(row.file, owner=None))
        written = b"".join(path.read_bytes() for path in Path(store.address).glob("e*/**/*") if path.is_file())
        assert not [text for text in (getpass.getuser(), platform.node()) if f'"{text}"'.encode() in written]
    assert [row.maker for row in rows.values()] == ["-", "Ada"]
    assert [set(row.entry.maker) for row in rows.values()] == [{"time"}, {"user", "time"}]


def test_shared_files_are_counted_once(store):
    usage = usage_of(store)
    entries: list[StoreEntry] = [row.entry for row in rows_of_store(store)]
    listed = {file.sha256: file.bytes for entry in entries for file in entry.files.values()}
    assert usage.bytes == sum(listed.values())
    assert usage.of_artifacts - usage.shared == usage.bytes
    assert usage.shared >= entries[0].files[WEIGHTS].bytes
    assert usage.unlisted == 0
    assert sum(usage.by["step"].values()) == usage.bytes


def test_a_whole_store_has_no_damage(store):
    assert damaged(store) == []


@pytest.mark.parametrize("change", ["bytes", "size", "missing"])
def test_a_damaged_file_is_named_for_each_artifact_that_has_it(store, change):
    entry = store.stored(identity_of(store, "toy"))
    path = Path(store.address) / file_key(entry.files[WEIGHTS].sha256)
    path.chmod(0o644)
    if change == "missing":
        path.unlink()
    else:
        path.write_text("a mode!\n" if change == "bytes" else "short", encoding="utf-8")
    assert sorted(damaged(store)) == sorted((identity, WEIGHTS) for identity in all_entries(store))


def test_an_entry_of_another_identity_is_damaged_and_listed(store):
    first, second = (identity_of(store, corpus) for corpus in ("toy", "ted"))
    store.backend.remove(entry_key(first))
    store.backend.create(entry_key(first), store.backend.read(entry_key(second)))
    assert damaged(store) == [(first, "")] and damaged(store, second) == []
    assert [row.identity for row in rows_of_store(store) if row.problem] == [first]
