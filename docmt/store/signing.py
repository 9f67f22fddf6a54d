"""The signing of a list with a person's OpenSSH key."""

import io
from base64 import b64decode
from collections.abc import Callable, Sequence
from hashlib import sha512
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_ssh_private_key
from sshsig.binary_io import SshWriter
from sshsig.sshsig import SshsigSignature, SshsigWrapper, ssh_enarmor_sshsig

from docmt.base.errors import UserError
from docmt.base.foreign import first_line, reading
from docmt.store.backend import Backend
from docmt.store.entries import StoreEntry
from docmt.store.signatures import NAMESPACE, SignedList, list_text

HASH = b"sha512"
REMEDY = "to make a key: ssh-keygen -t ed25519"


def sign(backend: Backend, entries: Sequence[StoreEntry], key: Ed25519PrivateKey) -> SignedList:
    """Write a list of entries with the signature of a key into a store, and return it."""
    text = list_text(entries)
    signed = SignedList(text, signature_of(text.encode(), key))
    backend.create(signed.key, signed.to_json())
    return signed


def read_key(path: Path, ask: Callable[[], str]) -> Ed25519PrivateKey:
    """Read a private key of OpenSSH; `ask` returns its passphrase, and is called where it has one.

    Raises UserError for a file that is no Ed25519 key, and for a wrong passphrase.
    """
    with reading(path, "cannot be read"):
        data = path.read_bytes()
    with reading(path, "not a private key of OpenSSH, or damaged", "an Ed25519 key", REMEDY):
        key = _key_without_passphrase(data)
    if key is None:
        try:
            key = load_ssh_private_key(data, ask().encode())
        except ValueError as problem:
            what, remedy = "the passphrase does not open the key", "give the passphrase of this key"
            raise UserError(what, where=str(path), found=first_line(problem), remedy=remedy) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UserError("not an Ed25519 key", where=str(path), found=type(key).__name__, remedy=REMEDY)
    return key


def _key_without_passphrase(data: bytes) -> object | None:
    """Return a private key; None where it has a passphrase."""
    try:
        return load_ssh_private_key(data, None)
    except TypeError:
        return None


def signature_of(data: bytes, key: Ed25519PrivateKey) -> str:
    """Return the signature of some bytes, as `ssh-keygen -Y sign -n docmt-store` writes it."""
    line = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    content = SshsigWrapper(namespace=NAMESPACE.encode(), hash_algo=HASH, hash=sha512(data).digest()).to_bytes()
    packet = SshWriter(io.BytesIO())
    packet.write(b"SSHSIG")
    packet.write_uint32(SshsigSignature.VERSION)
    of_key = ssh_strings(b"ssh-ed25519", key.sign(content))
    for part in (b64decode(line.split()[1]), NAMESPACE.encode(), b"", HASH, of_key):
        packet.write_string(part)
    return ssh_enarmor_sshsig(packet.output_fh.getvalue())


def ssh_strings(*parts: bytes) -> bytes:
    """Return texts as OpenSSH writes them one after another, each with its length before it."""
    packet = SshWriter(io.BytesIO())
    for part in parts:
        packet.write_string(part)
    return packet.output_fh.getvalue()
