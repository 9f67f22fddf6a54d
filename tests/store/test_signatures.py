"""With allowed keys, an entry is accepted where one of these keys has signed the very bytes of the artifact."""

import json
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from helpers.command_line import invoke, output
from helpers.small_grid import small_project
from helpers.stored import WEIGHTS, entry_of, make_artifact, new_store
from helpers.support import need

from docmt.base.digests import indented_json
from docmt.base.errors import UserError
from docmt.store.backend import EntryUntrusted
from docmt.store.entries import StoreEntry
from docmt.store.signatures import (
    NAMESPACE,
    Signatures,
    list_json,
    list_text,
    read_key,
    read_keys,
    read_list,
    sign,
    signature_of,
)
from docmt.store.store import Store, entry_key, open_store

KEY, OTHER = Ed25519PrivateKey.from_private_bytes(b"1" * 32), Ed25519PrivateKey.from_private_bytes(b"2" * 32)


def public_line(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def keys_file(tmp_path: Path, line: str) -> Path:
    (tmp_path / "keys").write_text(f"# of this site\n\n{line}\n", encoding="utf-8")
    return tmp_path / "keys"


@pytest.fixture
def entry(tmp_path: Path) -> StoreEntry:
    """The entry of an artifact that is in the store."""
    store = new_store(tmp_path / "store")
    folder = make_artifact(tmp_path / "job")
    store.push(entry_of(folder), folder)
    return store.stored(entry_of(folder).identity)


def opened(tmp_path: Path, line: str = f"alice {public_line(KEY)}") -> Store:
    return open_store(str(tmp_path / "store"), keys_file(tmp_path, line))


def test_a_signed_artifact_is_accepted(tmp_path, entry):
    sign(opened(tmp_path).backend, [entry], KEY)
    store = opened(tmp_path)
    assert store.entry(entry.identity) == entry
    assert store.trusted.signers(entry) == ["alice"]


def test_an_unsigned_artifact_is_refused_with_keys_alone(tmp_path, entry):
    with pytest.raises(EntryUntrusted, match=r"store_keys allows(.|\n)*no signature"):
        opened(tmp_path).entry(entry.identity)
    assert open_store(str(tmp_path / "store")).entry(entry.identity) == entry


def test_another_key_is_refused_by_its_fingerprint(tmp_path, entry):
    sign(opened(tmp_path).backend, [entry], OTHER)
    with pytest.raises(EntryUntrusted, match=r"signed with SHA256:\S+, which is no allowed key"):
        opened(tmp_path).entry(entry.identity)
    assert Signatures(opened(tmp_path).backend).signers(entry)[0].startswith("SHA256:")


def test_other_bytes_of_a_signed_identity_are_refused(tmp_path, entry):
    store = opened(tmp_path)
    sign(store.backend, [entry], KEY)
    other = make_artifact(tmp_path / "other", "other bytes\n")
    store.backend.remove(entry_key(entry.identity))
    store.push(entry_of(other), other)
    with pytest.raises(EntryUntrusted, match="alice has signed other bytes"):
        store.entry(entry.identity)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('alice valid-before="20200101" {key}', "signed by alice, whose key is not valid at this time"),
        ('alice valid-after="299901010000Z" {key}', "signed by alice, whose key is not valid at this time"),
        ('alice namespaces="git,docmt-store",valid-before="29990101" {key}', None),
    ],
)
def test_a_key_is_valid_at_its_time(tmp_path, entry, line, reason):
    store = opened(tmp_path, line.format(key=public_line(KEY)))
    sign(store.backend, [entry], KEY)
    if reason is None:
        assert store.entry(entry.identity) == entry
        return
    with pytest.raises(EntryUntrusted, match=reason):
        store.entry(entry.identity)


def test_a_changed_list_is_refused(tmp_path, entry):
    store = opened(tmp_path)
    signature = signature_of(list_text([]).encode(), KEY)
    store.backend.create("signatures/changed", list_json(list_text([entry]), signature))
    store.backend.create("signatures/damaged", b"{")
    store.backend.create("signatures/other", indented_json({"list": json.dumps([1]), "signature": ""}).encode())
    with pytest.raises(EntryUntrusted, match="a list that was changed after it was signed"):
        store.entry(entry.identity)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("alice ssh-ed25519 AAAA", "not an allowed key"),
        ("alice", "not an allowed key"),
        (f"alice cert-authority {public_line(KEY)}", "not an allowed key"),
        (f'alice valid-before="soon" {public_line(KEY)}', "not an allowed key"),
        (f'alice namespaces="git" {public_line(KEY)}', "no key is allowed to sign"),
        ("", "no key is allowed to sign"),
    ],
)
def test_a_wrong_file_of_keys_is_one_message(tmp_path, line, what):
    with pytest.raises(UserError, match=what):
        read_keys(keys_file(tmp_path, line))


def private_bytes(key: Ed25519PrivateKey, passphrase: bytes | None = None) -> bytes:
    encryption = BestAvailableEncryption(passphrase) if passphrase else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, encryption)


def test_a_key_with_a_passphrase_is_opened_by_it(tmp_path):
    (tmp_path / "id").write_bytes(private_bytes(KEY, b"open"))
    assert read_key(tmp_path / "id", lambda: "open").private_bytes_raw() == KEY.private_bytes_raw()
    with pytest.raises(UserError, match="the passphrase does not open the key"):
        read_key(tmp_path / "id", lambda: "wrong")
    (tmp_path / "id").write_text(public_line(KEY))
    with pytest.raises(UserError, match="not a private key of OpenSSH"):
        read_key(tmp_path / "id", lambda: "open")


def test_openssh_accepts_the_signature(tmp_path):
    need("ssh-keygen")
    (tmp_path / "signature").write_text(signature_of(b"a list\n", KEY))
    command = ["ssh-keygen", "-Y", "verify", "-f", str(keys_file(tmp_path, f"alice {public_line(KEY)}"))]
    command += ["-I", "alice", "-n", NAMESPACE, "-s", str(tmp_path / "signature")]
    assert subprocess.run(command, input=b"a list\n", capture_output=True).returncode == 0
    assert subprocess.run(command, input=b"another list\n", capture_output=True).returncode != 0


def test_what_openssh_signs_is_accepted(tmp_path, entry):
    need("ssh-keygen")
    (tmp_path / "id").write_bytes(private_bytes(KEY))
    (tmp_path / "id").chmod(0o600)
    command = ["ssh-keygen", "-Y", "sign", "-f", str(tmp_path / "id"), "-n", NAMESPACE]
    text = list_text([entry])
    signature = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    assert read_list(list_json(text, signature), "").signer.openssh_str().split()[1] == public_line(KEY).split()[1]


def test_a_list_names_bytes_and_no_paths(tmp_path, entry):
    assert json.loads(list_text([entry]))["contents"] == {entry.identity: entry.content}
    assert WEIGHTS not in list_text([entry])


@pytest.fixture
def command(tmp_path, entry):
    """Call `docmt store sign` on a store with two artifacts."""
    small_project(tmp_path / "project")
    folder = make_artifact(tmp_path / "other", seed=2)
    opened(tmp_path).push(entry_of(folder), folder)
    (tmp_path / "id").write_bytes(private_bytes(KEY))
    options = ("--key", tmp_path / "id", "--root", tmp_path / "project", "--config", f"store={tmp_path / 'store'}")
    return lambda *words, call=output: call("store", "sign", *words, *options)


def used(tmp_path: Path) -> int:
    """The number of artifacts that a run with `store_keys` uses."""
    count = 0
    for name in ("job", "other"):
        with suppress(EntryUntrusted):
            count += opened(tmp_path).entry(entry_of(tmp_path / name).identity) is not None
    return count


def test_what_a_person_names_is_signed_and_used(tmp_path, entry, command):
    assert used(tmp_path) == 0
    assert "1 artifact signed with SHA256:" in command(entry.identity[:8])
    assert used(tmp_path) == 1


@pytest.mark.parametrize("choice", ["--all", "--mine"])
def test_all_and_those_of_the_user_are_signed(tmp_path, command, choice):
    assert len(json.loads(command(choice, "--json"))["identities"]) == 2
    assert used(tmp_path) == 2


def test_a_choice_is_one(command):
    for words in ((), ("--all", "--mine")):
        with pytest.raises(UserError, match="not one choice of artifacts"):
            command(*words, call=invoke)
