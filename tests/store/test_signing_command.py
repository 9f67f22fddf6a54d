"""`docmt store sign` signs what a person chooses, and a run with `store_keys` uses that alone."""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from helpers.small_grid import small_project
from helpers.stored import entry_of, make_artifact, new_store

from docmt.base.errors import UserError
from docmt.cli.store.signing import sign
from docmt.store.addresses import open_store
from docmt.store.backend import EntryUntrusted
from docmt.store.chosen import named_identities
from docmt.store.exchange import store_of

KEY = Ed25519PrivateKey.from_private_bytes(b"3" * 32)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project, a store with two artifacts, and a key."""
    small_project(tmp_path / "project")
    store = new_store(tmp_path / "store")
    for seed in (1, 2):
        folder = make_artifact(tmp_path / f"job{seed}", seed=seed)
        store.push(entry_of(folder), folder)
    (tmp_path / "id").write_bytes(KEY.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    return tmp_path


def call(place: Path, *identities: str, **options: bool) -> None:
    config = [f"store={place / 'store'}"]
    sign(place / "id", [*identities], root=place / "project", config=config, **options)


def used(place: Path) -> list[bool]:
    """Whether a run with `store_keys` uses each of the artifacts."""
    line = KEY.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    (place / "keys").write_text(f"alice {line}\n", encoding="utf-8")
    store = store_of(str(place / "store"), str(place / "keys"))
    result = []
    for seed in (1, 2):
        try:
            result.append(store.entry(entry_of(place / f"job{seed}").identity) is not None)
        except EntryUntrusted:
            result.append(False)
    return result


def test_what_a_person_names_is_signed_and_used(place, capsys):
    assert used(place) == [False, False]
    call(place, entry_of(place / "job2").identity[:8])
    assert "1 artifact signed with SHA256:" in capsys.readouterr().out
    assert used(place) == [False, True]


@pytest.mark.parametrize("choice", ["every", "mine"])
def test_all_and_those_of_the_user_are_signed(place, capsys, choice):
    call(place, **{choice: True}, as_json=True)
    assert len(json.loads(capsys.readouterr().out)["identities"]) == 2
    assert used(place) == [True, True]


def test_a_name_is_that_of_one_artifact(place):
    for name in ("0" * 64, "", "zzzz"):
        with pytest.raises(UserError, match="no artifact of the store begins so"):
            call(place, name, "x")


def test_an_empty_store_has_nothing_to_name(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="nobody has pushed anything"):
        named_identities(open_store(str(tmp_path / "empty")), ["abcd"])
