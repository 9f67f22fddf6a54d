"""Signed lists: which bytes the artifact of an identity has, by the word of a person whose key a site allows.

An identity says what was asked of a job, and not which bytes came out. A list states the digest of all bytes of each
artifact, and an OpenSSH signature of its text says who states this (namespace `docmt-store`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from sshsig import InvalidSignature, PublicKey, check_signature
from sshsig.allowed_signers import AllowedSigner

from docmt.base.artifacts import as_object, read_lines
from docmt.base.digests import indented_json
from docmt.base.errors import UserError, printable
from docmt.base.foreign import reading
from docmt.base.machine import now
from docmt.base.manifest import DIGITS
from docmt.base.untrusted import is_sha256
from docmt.store.backend import Backend, EntryRefused, EntryUntrusted
from docmt.store.entries import StoreEntry

SIGNATURES = "signatures"
"""The folder of the signed lists in a store."""
NAMESPACE = "docmt-store"
"""The purpose of the signatures, so that a signature for another purpose is none of a list."""
FORMAT = "docmt-store-list-1"
ALLOWED_SIGNERS = "a line as of ssh-keygen's ALLOWED SIGNERS: NAME ssh-ed25519 ..."
REMEDY = "docmt uses nothing of it; a person with an allowed key can sign it: docmt store sign --key FILE IDENTITY"
DATES = ("%Y%m%d", "%Y%m%d%H%M", "%Y%m%d%H%M%S")
"""The forms of the dates of `valid-after` and `valid-before`."""


@dataclass(frozen=True)
class AllowedKey:
    """A key that a site allows. `after`, `before`: the times between which it is valid (None = no limit)."""

    name: str
    key: PublicKey
    after: datetime | None = None
    before: datetime | None = None

    @property
    def is_valid_now(self) -> bool:
        """Whether the present time is one at which the key is valid."""
        present = datetime.now(UTC)
        return (self.after is None or self.after <= present) and (self.before is None or present < self.before)


@dataclass(frozen=True)
class SignedList:
    """A list of the digests of the contents of artifacts by their identities, with the signature of its text."""

    text: str
    signature: str

    @classmethod
    def from_json(cls, data: bytes, where: str) -> "SignedList":
        """Read a list. Raises UserError where it is damaged; its signature is not checked."""
        with reading(where, "not a signed list, or damaged", FORMAT):
            value = as_object(json.loads(data), where, ("list", "signature"))
            result = cls(str(value["list"]), str(value["signature"]))
            if not all(is_sha256(digest) for pair in result.contents.items() for digest in pair):
                raise UserError("a list of other values than digests", where=where, expected=FORMAT)
        return result

    @cached_property
    def contents(self) -> dict[str, str]:
        """The digests of the contents of artifacts, by their identities."""
        value: dict[str, Any] = json.loads(self.text)
        return value["contents"] if value["format"] == FORMAT else {}

    @property
    def key(self) -> str:
        """The key of the list in a store."""
        return f"{SIGNATURES}/{sha256(self.to_json()).hexdigest()}"

    def to_json(self) -> bytes:
        """Return the content of the list's file."""
        return indented_json({"list": self.text, "signature": self.signature}).encode()

    def signer(self) -> PublicKey | None:
        """Return the key of the signature; None where the list was changed after it was signed."""
        return self._signer

    @cached_property
    def _signer(self) -> PublicKey | None:
        """The key of `signer`; a list is checked once, however many entries ask for it."""
        try:
            return check_signature(self.text, self.signature, NAMESPACE)
        except (InvalidSignature, NotImplementedError, ValueError):
            return None


class Signatures:
    """The signed lists of a store, and the keys that a site allows; the lists are read once."""

    def __init__(self, backend: Backend, keys: Sequence[AllowedKey] = ()) -> None:
        """Use the lists at a backend; without `keys`, they say who signed but nothing is accepted by them."""
        self.backend, self.keys = backend, keys

    def check(self, entry: StoreEntry, where: str) -> None:
        """Raise EntryUntrusted unless an allowed key has signed these bytes of an entry; `where`: its place."""
        problems: list[str] = []
        for signed, reason in self._lists:
            stated = signed.contents.get(entry.identity)
            if reason is None and stated == entry.content:
                return
            if stated is not None:
                problems.append(reason or f"{self._name_of(signed)} has signed other bytes")
        reasons = "; ".join(dict.fromkeys(problems)) or "no signature"
        what = "nobody whose key store_keys allows has signed this artifact"
        raise EntryUntrusted(what, where=where, found=reasons, expected=entry.content[:DIGITS], remedy=REMEDY)

    def signers(self, entry: StoreEntry) -> list[str]:
        """Return who has signed these bytes of an entry: the name of an allowed key, else the fingerprint of a key."""
        lists = [signed for signed, _ in self._lists if signed.contents.get(entry.identity) == entry.content]
        return sorted({self._name_of(signed) for signed in lists if signed.signer() is not None})

    @cached_property
    def _lists(self) -> list[tuple[SignedList, str | None]]:
        """All lists that can be read, each with the reason why it is not accepted (None = it is accepted)."""
        lists = []
        for file in self.backend.listed(SIGNATURES):
            try:
                signed = SignedList.from_json(self.backend.read(file.key) or b"", file.key)
            except (UserError, EntryRefused):
                continue  # a damaged list says nothing of any entry
            lists.append((signed, self._reason(signed)))
        return lists

    def _reason(self, signed: SignedList) -> str | None:
        """Return why a list is not accepted; None where it is accepted."""
        signer = signed.signer()
        if signer is None:
            return "a list that was changed after it was signed"
        same = [key for key in self.keys if key.key == signer]
        if not same:
            return f"signed with {signer.sha256_str()}, which is no allowed key"
        if not any(key.is_valid_now for key in same):
            return f"signed by {same[0].name}, whose key is not valid at this time"
        return None

    def _name_of(self, signed: SignedList) -> str:
        """Return the name of the key that signed a list, or its fingerprint."""
        signer = signed.signer()
        names = [key.name for key in self.keys if key.key == signer]
        return names[0] if names else signer.sha256_str() if signer else "a changed list"


def read_keys(path: Path) -> list[AllowedKey]:
    """Read the allowed keys of a site: a file in the form ALLOWED SIGNERS of ssh-keygen, a key on each line.

    Keys for other purposes (`namespaces`) are left out. Raises UserError for a line that is no such key, and for a file
    without keys.
    """
    keys = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        with reading(f"{path}:{number}", "not an allowed key", ALLOWED_SIGNERS, "correct or remove the line"):
            keys += [key] if (key := _allowed_key(line)) else []
    if not keys:
        raise UserError("no key is allowed to sign", where=str(path), expected=ALLOWED_SIGNERS)
    return keys


def _allowed_key(line: str) -> AllowedKey | None:
    """Return the key of a line; None where it is for another purpose. Raises ValueError for another line."""
    signer = AllowedSigner.parse(line)
    options: Mapping[str, str] = signer.options or {}
    if "cert-authority" in options:
        raise ValueError("keys of certificate authorities are not supported")
    if NAMESPACE not in options.get("namespaces", NAMESPACE).split(","):
        return None
    key = PublicKey.from_openssh_str(f"{signer.key_type} {signer.base64_key}")
    times = [_date(options[name]) if name in options else None for name in ("valid-after", "valid-before")]
    return AllowedKey(printable(signer.principals, breaks=""), key, *times)


def _date(text: str) -> datetime:
    """Return the time that a date of ssh-keygen means: in UTC where it ends with Z, else in local time."""
    digits = text.removesuffix("Z")
    form = next((form for form in DATES if len(datetime.now(UTC).strftime(form)) == len(digits)), DATES[0])
    time = datetime.strptime(digits, form)
    return time.replace(tzinfo=UTC) if text.endswith("Z") else time.astimezone()


def list_text(entries: Sequence[StoreEntry]) -> str:
    """Return the text of a list of entries, which a person signs."""
    contents = {entry.identity: entry.content for entry in entries}
    return indented_json({"format": FORMAT, "time": now(), "contents": contents})
