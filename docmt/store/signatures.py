"""Signed lists: which bytes the artifact of an identity has, by the word of a person whose key a site allows.

An identity says what was asked of a job, and not which bytes came out. A list states the digest of all bytes of each
artifact, and an OpenSSH signature of its text says who states this (namespace `docmt-store`).
"""

import json
from base64 import b64decode
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256, sha512
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_ssh_private_key
from sshsig import InvalidSignature, PublicKey, check_signature
from sshsig.allowed_signers import AllowedSigner
from sshsig.sshsig import ssh_enarmor_sshsig

from docmt.base.artifacts import read_lines
from docmt.base.digests import indented_json
from docmt.base.errors import UserError, printable
from docmt.base.foreign import reading
from docmt.base.machine import now
from docmt.base.manifest import DIGITS
from docmt.store.backend import Backend, EntryUntrusted
from docmt.store.entries import StoreEntry

SIGNATURES = "signatures"
"""The folder of the signed lists in a store."""
NAMESPACE = "docmt-store"
"""The purpose of the signatures, so that a signature for another purpose is none of a list."""
FORMAT = "docmt-store-list-1"
ALLOWED_SIGNERS = "a line as of ssh-keygen's ALLOWED SIGNERS: NAME ssh-ed25519 ..."
REMEDY = "docmt uses nothing of it; a person with an allowed key can sign it: docmt store sign --key FILE IDENTITY"
NO_KEY = "to make a key: ssh-keygen -t ed25519"
DATES = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
"""The forms of the dates of `valid-after` and `valid-before`, by their numbers of digits."""


class AllowedKey(NamedTuple):
    """A key that a site allows, and whether it is valid at this time."""

    name: str
    key: PublicKey
    is_valid: bool = True


class SignedList(NamedTuple):
    """The digests of the contents of artifacts by their identities, and the key of whoever signed them.

    `signer`: None where the list was changed after it was signed.
    """

    contents: dict[str, str]
    signer: PublicKey | None


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
        """All lists that can be read."""
        lists = []
        for file in self.backend.listed(SIGNATURES):
            try:
                lists.append(read_list(self.backend.read(file.key) or b"", file.key))
            except UserError:
                continue  # a damaged list says nothing of any entry
        return lists

    def _problem_of(self, signed: SignedList, entry: StoreEntry) -> str | None:
        """Return why a list does not make an entry accepted; None where it does."""
        name, problem = self._signer_of(signed)
        is_other = signed.contents[entry.identity] != entry.content
        return problem or (f"{name} has signed other bytes" if is_other else None)

    def _signer_of(self, signed: SignedList) -> tuple[str, str | None]:
        """Return who signed a list, and why the list is not accepted (None = it is accepted)."""
        signer = signed.signer
        if signer is None:
            return "nobody", "a list that was changed after it was signed"
        same = [key for key in self.keys if key.key == signer]
        if not same:
            return signer.sha256_str(), f"signed with {signer.sha256_str()}, which is no allowed key"
        is_valid = any(key.is_valid for key in same)
        return same[0].name, None if is_valid else f"signed by {same[0].name}, whose key is not valid at this time"


def read_keys(path: Path) -> list[AllowedKey]:
    """Read the allowed keys of a site: a file in the form ALLOWED SIGNERS of ssh-keygen, a key on each line.

    Keys for other purposes (`namespaces`) are left out. Raises UserError for a line that is no such key, and for a file
    without keys.
    """
    keys = []
    for number, line in enumerate(read_lines(path), 1):
        if line.strip() and not line.startswith("#"):
            with reading(f"{path}:{number}", "not an allowed key", ALLOWED_SIGNERS, "correct or remove the line"):
                keys += _allowed_keys(AllowedSigner.parse(line))
    if not keys:
        raise UserError("no key is allowed to sign", where=str(path), expected=ALLOWED_SIGNERS)
    return keys


def _allowed_keys(signer: AllowedSigner) -> list[AllowedKey]:
    """Return the key of a line; none where it is for another purpose. Raises ValueError for another line."""
    options = signer.options or {}
    if "cert-authority" in options:
        raise ValueError("keys of certificate authorities are not supported")
    if NAMESPACE not in options.get("namespaces", NAMESPACE).split(","):
        return []
    key = PublicKey.from_openssh_str(f"{signer.key_type} {signer.base64_key}")
    present = datetime.now(UTC)
    after, before = (_date(options.get(name)) for name in ("valid-after", "valid-before"))
    is_valid = (after or present) <= present and (before is None or present < before)
    return [AllowedKey(printable(signer.principals, breaks=""), key, is_valid)]


def _date(text: str | None) -> datetime | None:
    """Return the time that a date of ssh-keygen means: in UTC where it ends with Z, else in local time."""
    if text is None:
        return None
    digits = text.removesuffix("Z")
    time = datetime.strptime(digits, DATES[len(digits)])
    return time.replace(tzinfo=UTC) if text.endswith("Z") else time.astimezone()


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


def sign(backend: Backend, entries: Sequence[StoreEntry], key: Ed25519PrivateKey) -> SignedList:
    """Write a list of entries with the signature of a key into a store, and return it.

    Raises UserError where there are none.
    """
    if not entries:
        raise UserError("there is nothing to sign", where=backend.address)
    text = list_text(entries)
    data = list_json(text, signature_of(text.encode(), key))
    backend.create(f"{SIGNATURES}/{sha256(data).hexdigest()}", data)
    return read_list(data, SIGNATURES)


def list_json(text: str, signature: str) -> bytes:
    """Return the content of the file of a list."""
    return indented_json({"list": text, "signature": signature}).encode()


def list_text(entries: Sequence[StoreEntry]) -> str:
    """Return the text of a list of entries, which a person signs."""
    contents = {entry.identity: entry.content for entry in entries}
    return indented_json({"format": FORMAT, "time": now(), "contents": contents})


def read_key(path: Path, ask: Callable[[], str]) -> Ed25519PrivateKey:
    """Read a private key of OpenSSH; `ask` returns its passphrase, and is called where it has one.

    Raises UserError for a file that is no Ed25519 key, and for a wrong passphrase.
    """
    key: object = None
    with reading(path, "not a private key of OpenSSH, or damaged", "an Ed25519 key", NO_KEY):
        data = path.read_bytes()
        with suppress(TypeError):  # it has a passphrase
            key = load_ssh_private_key(data, None)
    if key is None:
        passphrase = ask().encode()
        with reading(path, "the passphrase does not open the key", remedy="give the passphrase of this key"):
            key = load_ssh_private_key(data, passphrase)
    if not isinstance(key, Ed25519PrivateKey):
        raise UserError("not an Ed25519 key", where=str(path), found=type(key).__name__, remedy=NO_KEY)
    return key


def signature_of(data: bytes, key: Ed25519PrivateKey) -> str:
    """Return the signature of some bytes, as `ssh-keygen -Y sign -n docmt-store` writes it."""
    public = b64decode(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).split()[1])
    purpose = _strings(NAMESPACE.encode(), b"", b"sha512")
    signature = key.sign(b"SSHSIG" + purpose + _strings(sha512(data).digest()))
    of_key = _strings(_strings(b"ssh-ed25519", signature))
    return ssh_enarmor_sshsig(b"SSHSIG" + (1).to_bytes(4, "big") + _strings(public) + purpose + of_key)


def _strings(*parts: bytes) -> bytes:
    """Return texts as OpenSSH writes them one after another, each with its length before it."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)
