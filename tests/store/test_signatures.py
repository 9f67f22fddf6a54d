"""With allowed keys, an entry is accepted where one of these keys has signed the very bytes of the artifact."""

import json
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.command_line import invoke, output
from helpers.small_grid import small_project
from helpers.stored import entry_of, make_artifact, write_key
from helpers.support import need

from docmt.base.errors import UserError
from docmt.store.backend import EntryUntrusted
from docmt.store.entries import StoreEntry
from docmt.store.signatures import (
    list_json,
    list_text,
    read_keys,
    sign,
    signature_of,
)
from docmt.store.store import Store, entry_key, open_store

KEY, OTHER = 1, 2
"""The numbers of two keys (`write_key`)."""


@pytest.fixture(autouse=True)
def ids(tmp_path: Path) -> dict[int, Path]:
    """The files of the two keys."""
    need("ssh-keygen")
    files = {number: tmp_path / f"id{number}" for number in (KEY, OTHER)}
    for number, path in files.items():
        PUBLIC[number] = write_key(path, number)
    return files


PUBLIC: dict[int, str] = {}
"""The lines of the public keys."""


def keys_file(tmp_path: Path, line: str) -> Path:
    (tmp_path / "keys").write_text(f"# of this site\n\n{line}\n", encoding="utf-8")
    return tmp_path / "keys"


@pytest.fixture
def entry(store: Store, folder: Path) -> StoreEntry:
    """The entry of an artifact that is in the store."""
    store.push(entry_of(folder), folder)
    return store.stored(entry_of(folder).identity)


def opened(tmp_path: Path, options: str = "") -> Store:
    return open_store(str(tmp_path / "store"), keys_file(tmp_path, f"alice {options} {PUBLIC[KEY]}"))


@pytest.mark.parametrize(
    ("options", "signer", "reason"),
    [
        ("", KEY, None),
        ("", None, r"store_keys allows(.|\n)*no signature"),
        ("", OTHER, r"signed with SHA256:\S+, which is no allowed key"),
        ('namespaces="git,docmt-store"', KEY, None),
    ],
)
def test_an_artifact_is_used_that_an_allowed_key_has_signed(tmp_path, ids, entry, options, signer, reason):
    store = opened(tmp_path, options)
    if signer is not None:
        sign(store.backend, [entry], ids[signer])
        assert store.trusted.signers(entry)[0].startswith("alice" if signer == KEY else "SHA256:")
    if reason is None:
        assert store.entry(entry.identity) == entry
    else:
        with pytest.raises(EntryUntrusted, match=reason):
            store.entry(entry.identity)
    assert open_store(str(tmp_path / "store")).entry(entry.identity) == entry, "without keys"


def test_other_bytes_of_a_signed_identity_are_refused(tmp_path, ids, entry):
    store = opened(tmp_path)
    sign(store.backend, [entry], ids[KEY])
    other = make_artifact(tmp_path / "other", "other bytes\n")
    store.backend.remove(entry_key(entry.identity))
    store.push(entry_of(other), other)
    with pytest.raises(EntryUntrusted, match="alice has signed other bytes"):
        store.entry(entry.identity)


def test_a_changed_list_is_refused(tmp_path, ids, entry):
    store = opened(tmp_path)
    signature = signature_of(list_text([]), ids[KEY])
    store.backend.create("signatures/changed", list_json(list_text([entry]), signature))
    store.backend.create("signatures/damaged", b"{")
    store.backend.create("signatures/other", list_json("[1]", ""))
    with pytest.raises(EntryUntrusted, match="a list that was changed after it was signed"):
        store.entry(entry.identity)


@pytest.mark.parametrize(
    "line",
    [
        "alice ssh-ed25519 AAAA",
        "alice",
        *(f"alice {text} PUBLIC" for text in ("cert-authority", 'valid-before="20270101"')),
        'alice namespaces="git" PUBLIC',
        "",
    ],
)
def test_a_wrong_file_of_keys_is_one_message(tmp_path, line):
    with pytest.raises(UserError, match="no key is allowed to sign" if "git" in line or not line else "not an allowed"):
        read_keys(keys_file(tmp_path, line.replace("PUBLIC", PUBLIC[KEY])))


def test_a_key_with_a_passphrase_is_opened_by_it(tmp_path, monkeypatch):
    for name, value in (("SSH_ASKPASS", str(tmp_path / "ask")), ("SSH_ASKPASS_REQUIRE", "force")):
        monkeypatch.setenv(name, value)
    write_key(tmp_path / "id", KEY, b"open")
    ask = tmp_path / "ask"
    ask.write_text("#!/bin/sh\necho open\n")
    ask.chmod(0o755)
    assert signature_of("", tmp_path / "id").startswith("-----BEGIN SSH SIGNATURE-----")
    ask.write_text("#!/bin/sh\necho wrong\n")
    with pytest.raises(UserError, match="ssh-keygen does not sign with this key"):
        signature_of("", tmp_path / "id")


def test_a_key_that_is_none_or_of_another_kind_is_one_message(tmp_path, store, entry):
    (tmp_path / "id").write_text("no key\n")
    with pytest.raises(UserError, match="ssh-keygen does not sign with this key"):
        sign(store.backend, [entry], tmp_path / "id")
    subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", str(tmp_path / "ecdsa")], check=True)
    with pytest.raises(UserError, match="not an Ed25519 key"):
        sign(store.backend, [entry], tmp_path / "ecdsa")


@pytest.fixture
def command(tmp_path, entry):
    """Call `docmt store sign` on a store with two artifacts."""
    small_project(tmp_path / "project")
    folder = make_artifact(tmp_path / "other", seed=2)
    opened(tmp_path).push(entry_of(folder), folder)
    options = (
        "--key",
        tmp_path / f"id{KEY}",
        "--root",
        tmp_path / "project",
        "--config",
        f"store={tmp_path / 'store'}",
    )
    return lambda *words, call=output: call("store", "sign", *words, *options)


def used(tmp_path: Path) -> int:
    """The number of artifacts that a run with `store_keys` uses."""
    count = 0
    for name in ("job", "other"):
        with suppress(EntryUntrusted):
            count += opened(tmp_path).entry(entry_of(tmp_path / name).identity) is not None
    return count


@pytest.mark.parametrize("choice", ["IDENTITY", "--all", "--mine"])
def test_what_a_person_chooses_is_signed_and_used(tmp_path, entry, command, choice):
    assert used(tmp_path) == 0
    told = command(entry.identity[:8]) if choice == "IDENTITY" else command(choice, "--json")
    assert "1 artifact signed with SHA256:" in told or len(json.loads(told)["identities"]) == 2
    assert used(tmp_path) == (1 if choice == "IDENTITY" else 2)


def test_a_choice_is_one(command):
    for words in ((), ("--all", "--mine")):
        with pytest.raises(UserError, match="it is not clear which artifacts are meant"):
            command(*words, call=invoke)
