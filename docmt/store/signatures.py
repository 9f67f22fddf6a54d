"""Signed lists: which bytes the artifact of an identity has, by the word of a person whose key a site allows.

An identity says what was asked of a job, and not which bytes came out. A list states the digest of all bytes of each
artifact, and an OpenSSH signature of its text says who states this (namespace `docmt-store`).
"""

import json
import subprocess
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from sshsig import InvalidSignature, PublicKey, check_signature
from sshsig.allowed_signers import AllowedSigner

from docmt.base.artifacts import read_lines
from docmt.base.digests import indented_json
from docmt.base.errors import UserError, printable
from docmt.base.foreign import reading
from docmt.base.machine import now
from docmt.base.manifest import DIGITS
from docmt.store.backend import Backend, EntryUntrusted
from docmt.store.entries import StoreEntry

SIGNATURES = "signatures"  # The folder of the signed lists in a store.
NAMESPACE = "docmt-store"  # The purpose of the signatures, so that a signature for another purpose is none of a list.
FORMAT = "docmt-store-list-1"
ALLOWED_SIGNERS = "a line as of ssh-keygen's ALLOWED SIGNERS: NAME ssh-ed25519 ..."
REMEDY = "docmt uses nothing of it; a person with an allowed key can sign it: docmt store sign --key FILE IDENTITY"
NO_KEY = "to make a key: ssh-keygen -t ed25519"


class AllowedKey(NamedTuple):
    """A key that a site allows, and the name of its owner."""

    name: str
    key: PublicKey


class SignedList(NamedTuple):
    """The digests of the contents of artifacts by their identities, and the key of whoever signed them."""

    contents: dict[str, str]
    signer: PublicKey | None  # None where the list was changed after it was signed.


class Signatures:
    """The signed lists of a store, and the keys that a site allows; the lists are read once."""

    def __init__(self, backend: Backend, keys: Sequence[AllowedKey] = ()) -> None:
        """Use the lists at a backend; without `keys`, they say who signed but nothing is accepted by them."""
        self.backend, self.keys = backend, keys

    def check(self, entry: StoreEntry, where: str) -> None:
        """Raise EntryUntrusted unless an allowed key has signed these bytes of an entry; `where`: its place."""
        problems = [self._problem_of(signed, entry) for signed in self._lists if entry.identity in signed.contents]
        if None in problems:
            return
        reasons = "; ".join({str(problem): None for problem in problems}) or "no signature"
        what = "nobody whose key store_keys allows has signed this artifact"
        raise EntryUntrusted(what, where=where, found=reasons, expected=entry.content[:DIGITS], remedy=REMEDY)

    def signers(self, entry: StoreEntry) -> list[str]:
        """Return who has signed these bytes of an entry: the name of an allowed key, else the fingerprint of a key."""
        lists = [signed for signed in self._lists if signed.contents.get(entry.identity) == entry.content]
        return sorted({self._signer_of(signed)[0] for signed in lists if signed.signer is not None})

    @cached_property
    def _lists(self) -> list[SignedList]:
        lists = []
        for file in self.backend.listed(SIGNATURES):
            try:
                lists.append(read_list(self.backend.read(file.key) or b"", file.key))
            except UserError:
                continue  # a damaged list says nothing of any entry
        return lists

    def _problem_of(self, signed: SignedList, entry: StoreEntry) -> str | None:
        name, problem = self._signer_of(signed)
        is_other = signed.contents[entry.identity] != entry.content
        return problem or (f"{name} has signed other bytes" if is_other else None)

    def _signer_of(self, signed: SignedList) -> tuple[str, str | None]:
        """Return who signed a list, and why the list is not accepted (None = it is accepted)."""
        signer = signed.signer
        if signer is None:
            return "nobody", "a list that was changed after it was signed"
        name = next((key.name for key in self.keys if key.key == signer), None)
        if name is None:
            return signer.sha256_str(), f"signed with {signer.sha256_str()}, which is no allowed key"
        return name, None


def read_keys(path: Path) -> list[AllowedKey]:
    """Read the allowed keys of a site: a file in the form ALLOWED SIGNERS of ssh-keygen, a key on each line.

    Raises UserError for a line that is no such key, and for a file without keys.
    """
    keys = []
    for number, line in enumerate(read_lines(path), 1):
        if line.strip() and not line.startswith("#"):
            with reading(f"{path}:{number}", "not an allowed key", ALLOWED_SIGNERS, "correct or remove the line"):
                # Keys for other purposes (`namespaces`) are left out.
                keys += _allowed_keys(AllowedSigner.parse(line))
    if not keys:
        raise UserError("no key is allowed to sign", where=str(path), expected=ALLOWED_SIGNERS)
    return keys


def _allowed_keys(signer: AllowedSigner) -> list[AllowedKey]:
    """Return the key of a line; none where it is for another purpose. Raises ValueError for another line."""
    options = signer.options or {}
    if others := options.keys() - {"namespaces"}:
        raise ValueError(f"not supported: {', '.join(sorted(others))}")
    if NAMESPACE not in options.get("namespaces", NAMESPACE).split(","):
        return []
    key = PublicKey.from_openssh_str(f"{signer.key_type} {signer.base64_key}")
    return [AllowedKey(printable(signer.principals, breaks=""), key)]


def read_list(data: bytes, where: str) -> SignedList:
    """Read the file of a list, and check its signature. Raises UserError where it is damaged."""
    with reading(where, "not a signed list, or damaged", FORMAT):
        value = json.loads(data)
        stated = json.loads(value["list"])
        contents = dict(stated["contents"]) if stated["format"] == FORMAT else {}
        try:
            return SignedList(contents, check_signature(value["list"], value["signature"], NAMESPACE))
        except (InvalidSignature, NotImplementedError, ValueError):
            return SignedList(contents, None)


def sign(backend: Backend, entries: Sequence[StoreEntry], key: Path) -> SignedList:
    """Write a signed list of entries into a store, and return it. Raises UserError without any, and for a wrong key."""
    if not entries:
        raise UserError("there is nothing to sign", where=backend.address)
    text = list_text(entries)
    data = list_json(text, signature_of(text, key))
    signed = read_list(data, SIGNATURES)
    if signed.signer is None:
        raise UserError("not an Ed25519 key", where=str(key), remedy=NO_KEY)
    backend.create(f"{SIGNATURES}/{sha256(data).hexdigest()}", data)
    return signed


def list_json(text: str, signature: str) -> bytes:
    """Return the content of the file of a list."""
    return indented_json({"list": text, "signature": signature}).encode()


def list_text(entries: Sequence[StoreEntry]) -> str:
    """Return the text of a list of entries, which a person signs."""
    contents = {entry.identity: entry.content for entry in entries}
    return indented_json({"format": FORMAT, "time": now(), "contents": contents})


def signature_of(text: str, key: Path) -> str:
    """Return the signature of a text by ssh-keygen. Raises UserError where it does not sign."""
    command = ["ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", str(key)]
    # The program asks for the passphrase of the key.
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as problem:
        said = getattr(problem, "stderr", None) or str(problem)
        what, last_line = "ssh-keygen does not sign with this key", said.strip().rpartition("\n")[2]
        raise UserError(what, where=str(key), found=last_line, remedy=NO_KEY) from None
