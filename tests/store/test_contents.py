"""What a store has, which of its bytes are wrong, and what of it goes; a writer never relies on a file that goes."""

import dataclasses
import getpass
import json
import os
import platform
import time
from pathlib import Path

import pytest
from helpers.command_line import invoke
from helpers.small_grid import small_project
from helpers.stored import WEIGHTS, entry_of, files_of, make_artifact

from docmt.base.errors import UserError
from docmt.store.contents import damages, facts_of, garbage_of, remove_garbage, rows_of_store, usage_of
from docmt.store.store import Store, entry_key, file_key, open_store

OLD_S = 3 * 86_400


@pytest.fixture
def store(store: Store, tmp_path: Path) -> Store:
    """A store with two artifacts that share their weights."""
    for seed, corpus in ((1, "toy"), (2, "ted")):
        folder = make_artifact(tmp_path / f"job{seed}", seed=seed)
        entry = dataclasses.replace(entry_of(folder), place=f"results/5_training/{corpus}/base/seed{seed}")
        store.push(entry, folder)
    return store


def identity_of(store: Store, corpus: str = "toy") -> str:
    return next(row.identity for row in rows_of_store(store) if corpus in row.place)


def rewrite(path: Path, text: str) -> None:
    path.chmod(0o644)
    path.write_text(text, encoding="utf-8")


def damaged(store: Store, *names: str) -> list[tuple[str, str]]:
    return [(identity, name) for identity, name, _ in damages(store, rows_of_store(store, names or None), print)]


def test_an_artifact_is_named_by_its_first_digits(store, tmp_path):
    identity = identity_of(store)
    assert [row.identity for row in rows_of_store(store, [identity[:8]])] == [identity]
    for name in ("0" * 64, "", identity[:3], "zzzz"):
        with pytest.raises(UserError, match="no identities in the store begin with these digits"):
            rows_of_store(store, [name])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="nobody has pushed anything"):
        rows_of_store(open_store(str(tmp_path / "empty")), [identity])


def test_facts_name_files_and_who_pushed(store):
    (row,) = rows_of_store(store, [identity_of(store)])
    facts = facts_of(store, row)
    assert facts["files"] == {name: file.bytes for name, file in row.entry.files.items()}
    assert facts["step"] == "train" and facts["seconds"] is not None
    assert (facts["settings"], facts["libraries"]) == (row.entry.asked["settings"], row.entry.asked["libraries"])


def test_nobody_is_named_in_an_entry(store):
    """The store knows the owner of a file, as the file system does; what is written has no name of user or machine."""
    (row, _), written = rows_of_store(store), store.backend.read(entry_key(identity_of(store)))
    assert row.maker == getpass.getuser()
    assert not [text for text in (getpass.getuser(), platform.node()) if f'"{text}"'.encode() in written]


def test_shared_files_are_counted_once(store):
    usage, entries = usage_of(store), [row.entry for row in rows_of_store(store)]
    every = [file for entry in entries for file in entry.files.values()]
    assert usage["bytes"] == sum({file.sha256: file.bytes for file in every}.values())
    assert usage["by_step"] == {"train": sum(file.bytes for file in every)} and usage["artifacts"] == 2
    assert usage["shared"] == usage["by_step"]["train"] - usage["bytes"] >= entries[0].files[WEIGHTS].bytes
    assert usage["unlisted"] == 0


@pytest.mark.parametrize("text", ["a mode!\n", "short", None])
def test_a_damaged_file_is_named_for_each_artifact_that_has_it(store, text):
    assert damaged(store) == []
    path = Path(store.address) / file_key(store.stored(identity_of(store)).files[WEIGHTS].sha256)
    path.unlink() if text is None else rewrite(path, text)
    assert sorted(damaged(store)) == sorted((row.identity, WEIGHTS) for row in rows_of_store(store))


def test_an_entry_of_another_identity_is_damaged_and_listed(store):
    first, second = (identity_of(store, corpus) for corpus in ("toy", "ted"))
    store.backend.remove(entry_key(first))
    store.backend.create(entry_key(first), store.backend.read(entry_key(second)))
    assert damaged(store) == [(first, "")] and damaged(store, second) == []
    assert [row.identity for row in rows_of_store(store) if row.problem] == [first]


def age(store: Store, key: str) -> None:
    os.utime(Path(store.address) / key, (time.time() - OLD_S,) * 2)


def remove(store: Store, older_than: float | None = None) -> int:
    rows, files = garbage_of(store, older_than)
    return remove_garbage(store, [*(row.file for row in rows), *files])


def test_old_artifacts_go_with_their_files_but_not_with_those_of_others(store, tmp_path):
    old, new = (store.stored(identity_of(store, corpus)) for corpus in ("toy", "ted"))
    for key in (entry_key(old.identity), *(file_key(file.sha256) for file in old.files.values())):
        age(store, key)
    before = files_of(Path(store.address))
    assert [row.identity for row in garbage_of(store, 1)[0]] == [old.identity]
    remove(store)  # without an age
    assert files_of(Path(store.address)) == before
    remove(store, 1)
    assert [row.identity for row in rows_of_store(store)] == [new.identity]
    left = {file.name for file in store.backend.listed("files")}
    assert left == {file.sha256 for file in new.files.values()}, "the weights, which both have, stay"
    store.pull(store.entry(new.identity), tmp_path / "pulled")


def test_damaged_artifacts_and_leftovers_of_killed_writers_go_after_a_day(store):
    identity, folder = identity_of(store), Path(store.address)
    rewrite(folder / entry_key(identity), "{}")
    for name in ("files/.aa.0.part", "files/.bb.0.part", "entries/.cc.0.part"):
        (folder / name).write_text("half", encoding="utf-8")
    for name in ("files/.aa.0.part", "entries/.cc.0.part"):
        age(store, name)
    remove(store)
    assert not (folder / "files/.aa.0.part").exists() and not (folder / "entries/.cc.0.part").exists()
    assert (folder / "files/.bb.0.part").exists() and len(rows_of_store(store)) == 2
    age(store, entry_key(identity))
    remove(store)
    assert identity not in {row.identity for row in rows_of_store(store)}


@pytest.mark.parametrize("method", ["listed", "facts"])
def test_the_files_of_somebody_who_is_pushing_stay(store, tmp_path, monkeypatch, method):
    """The old file of a push is written again while garbage is listed or removed, so that it is young."""
    folder, is_done = make_artifact(tmp_path / "job", "other\n", seed=3), []
    key = file_key(entry_of(folder).files[WEIGHTS].sha256)
    store.backend.upload(key, folder / WEIGHTS, key.split("/")[-1])
    age(store, key)
    usual = getattr(store.backend, method)

    def push_first(*arguments):
        if not is_done:
            is_done.append(True)
            store.push(entry_of(folder), folder)
        return usual(*arguments)

    monkeypatch.setattr(store.backend, method, push_first)
    remove(store)
    assert is_done and store.backend.facts(key) is not None
    store.pull(store.entry(entry_of(folder).identity), tmp_path / "pulled")


@pytest.fixture
def command(store, tmp_path):
    """Call a command on the store; returns what it prints."""
    small_project(tmp_path / "project")
    options = ("--root", tmp_path / "project", "--config", f"store={store.address}")

    def run(*words: str, status: int = 0) -> str:
        done = invoke("store", *words, *options)
        assert done.exit_code == status
        return done.stdout

    return run


def test_commands_list_show_count_and_verify(store, command):
    identity = identity_of(store)
    assert identity[:12] in command("ls", "5_training/toy") and "no artifact" in command("ls", "none")
    assert [row["identity"] for row in json.loads(command("ls", "toy", "--json"))] == [identity]
    assert json.loads(command("ls", "--maker", "nobody else", "--json")) == []
    assert f"{WEIGHTS}: 8" in command("show", identity[:6])
    assert json.loads(command("show", identity[:6], "--json"))["identity"] == identity
    assert "2 artifacts" in command("du") and json.loads(command("du", "--json"))["artifacts"] == 2
    assert "every byte is right" in command("verify", identity[:8])
    rewrite(Path(store.address) / file_key(store.stored(identity).files[WEIGHTS].sha256), "a mode!\n")
    assert WEIGHTS in command("verify", status=1)
    assert len(json.loads(command("verify", "--json", status=1))["damaged"]) == 2


def test_an_artifact_goes_only_where_the_user_says_so(command):
    assert "nothing was removed" in command("gc", "--older-than", "0")
    assert len(json.loads(command("gc", "--older-than", "0", "--yes", "--json"))["artifacts"]) == 2
    assert json.loads(command("ls", "--json")) == []
