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
from helpers.stored import entry_of, make_artifact
from helpers.support import need

from docmt.base.errors import UserError
from docmt.store.backend import EntryUntrusted
from docmt.store.entries import StoreEntry
from docmt.store.signatures import (
    NAMESPACE,
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
def entry(store: Store, folder: Path) -> StoreEntry:
    """The entry of an artifact that is in the store."""
    store.push(entry_of(folder), folder)
    return store.stored(entry_of(folder).identity)


def opened(tmp_path: Path, line: str = f"alice {public_line(KEY)}") -> Store:
    return open_store(str(tmp_path / "store"), keys_file(tmp_path, line))


NOT_NOW = "signed by alice, whose key is not valid at this time"


@pytest.mark.parametrize(
    ("options", "signer", "reason"),
    [
        ("", KEY, None),
        ("", None, r"store_keys allows(.|\n)*no signature"),
        ("", OTHER, r"signed with SHA256:\S+, which is no allowed key"),
        ('valid-before="20200101"', KEY, NOT_NOW),
        ('valid-after="299901010000Z"', KEY, NOT_NOW),
        ('namespaces="git,docmt-store",valid-before="29990101"', KEY, None),
    ],
)
def test_an_artifact_is_used_that_an_allowed_key_has_signed(tmp_path, entry, options, signer, reason):
    store = opened(tmp_path, f"alice {options} {public_line(KEY)}")
    if signer is not None:
        sign(store.backend, [entry], signer)
        assert store.trusted.signers(entry)[0].startswith("alice" if signer == KEY else "SHA256:")
    if reason is None:
        assert store.entry(entry.identity) == entry
    else:
        with pytest.raises(EntryUntrusted, match=reason):
            store.entry(entry.identity)
    assert open_store(str(tmp_path / "store")).entry(entry.identity) == entry, "without keys"


def test_other_bytes_of_a_signed_identity_are_refused(tmp_path, entry):
    store = opened(tmp_path)
    sign(store.backend, [entry], KEY)
    other = make_artifact(tmp_path / "other", "other bytes\n")
    store.backend.remove(entry_key(entry.identity))
    store.push(entry_of(other), other)
    with pytest.raises(EntryUntrusted, match="alice has signed other bytes"):
        store.entry(entry.identity)


def test_a_changed_list_is_refused(tmp_path, entry):
    store = opened(tmp_path)
    signature = signature_of(list_text([]).encode(), KEY)
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
        *(f"alice {text} {public_line(KEY)}" for text in ("cert-authority", 'valid-before="soon"', 'valid-before=""')),
        f'alice namespaces="git" {public_line(KEY)}',
        "",
    ],
)
def test_a_wrong_file_of_keys_is_one_message(tmp_path, line):
    with pytest.raises(UserError, match="no key is allowed to sign" if "git" in line or not line else "not an allowed"):
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


def test_openssh_accepts_the_signature_and_docmt_that_of_openssh(tmp_path):
    need("ssh-keygen")

    def keygen(*words: str, text: str) -> subprocess.CompletedProcess:
        command = ["ssh-keygen", "-Y", *words, "-n", NAMESPACE]
        return subprocess.run(command, input=text, capture_output=True, text=True)

    text = list_text([])
    (tmp_path / "signature").write_text(signature_of(text.encode(), KEY))
    verify = ["verify", "-f", str(keys_file(tmp_path, f"alice {public_line(KEY)}")), "-I", "alice"]
    verify += ["-s", str(tmp_path / "signature")]
    assert [keygen(*verify, text=of).returncode == 0 for of in (text, "another list\n")] == [True, False]
    (tmp_path / "id").write_bytes(private_bytes(KEY))
    (tmp_path / "id").chmod(0o600)
    signed = read_list(list_json(text, keygen("sign", "-f", str(tmp_path / "id"), text=text).stdout), "")
    assert signed.signer.openssh_str().split()[1] == public_line(KEY).split()[1]


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


@pytest.mark.parametrize("choice", ["IDENTITY", "--all", "--mine"])
def test_what_a_person_chooses_is_signed_and_used(tmp_path, entry, command, choice):
    assert used(tmp_path) == 0
    told = command(entry.identity[:8]) if choice == "IDENTITY" else command(choice, "--json")
    assert "1 artifact signed with SHA256:" in told or len(json.loads(told)["identities"]) == 2
    assert used(tmp_path) == (1 if choice == "IDENTITY" else 2)


def test_a_choice_is_one(command):
    for words in ((), ("--all", "--mine")):
        with pytest.raises(UserError, match="not one choice of artifacts"):
            command(*words, call=invoke)
