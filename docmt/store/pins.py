"""Pins: the word of a person that an artifact is to stay in a store, which no removal of old artifacts ignores.

A pin is a file of its own, so that it belongs to the person who set it, as an entry belongs to its maker.
Its key has a digest of the login name, so that persons who state no name have pins of their own all the same.
"""

import hashlib
import json
import os
from collections import defaultdict
from dataclasses import dataclass

from docmt.base.digests import indented_json
from docmt.base.errors import UserError, printable
from docmt.store.backend import Backend
from docmt.store.entries import maker
from docmt.store.file_system import user_of

PINS = "pins"
"""The folder of the pins in a store."""
FORMAT = "docmt-store-pin-1"
DIGITS_OF_USER = 16
UNKNOWN = "?"


@dataclass(frozen=True)
class Pin:
    """A pin of an artifact. `user`, `time`, `why`: who set it, when and why, for people; `?` where it is damaged.

    `user` is `?` too where the store does not know it, and the person has stated no name.
    """

    identity: str
    user: str
    time: str
    why: str


def pins_of_store(backend: Backend) -> dict[str, list[Pin]]:
    """Return the pins of each identity that has one. A damaged pin counts too, since its name says what it keeps."""
    result = defaultdict(list)
    for file in backend.listed(PINS):
        identity = file.key.removeprefix(f"{PINS}/").partition(".")[0]
        result[identity].append(_read(backend, file.key, identity, file.owner))
    return dict(result)


def set_pin(backend: Backend, identity: str, why: str) -> None:
    """Pin an artifact as the present user, in the place of this user's earlier pin."""
    value = {"format": FORMAT, "identity": identity, "user": UNKNOWN, **maker(), "why": why}
    backend.replace(_key(identity), indented_json(value).encode())


def remove_pin(backend: Backend, identity: str) -> None:
    """Remove the pin that the present user has set. Raises UserError where there is none."""
    key = _key(identity)
    if backend.size(key) is None:
        others = [pin.user for pin in pins_of_store(backend).get(identity, [])]
        what = "this artifact has no pin of yours"
        remedy = f"ask {others[0]} to remove the pin" if others else "docmt store ls lists what is pinned"
        raise UserError(what, where=identity, found=f"pinned by {', '.join(others) or 'nobody'}", remedy=remedy)
    backend.remove(key)


def _key(identity: str) -> str:
    """Return the key of the present user's pin."""
    user = user_of(os.geteuid())
    return f"{PINS}/{identity}.{hashlib.sha256(user.encode()).hexdigest()[:DIGITS_OF_USER]}"


def _read(backend: Backend, key: str, identity: str, owner: str | None) -> Pin:
    """Read a pin. Where files have owners, the owner of the file is who set it."""
    texts = {}
    try:
        value = json.loads(backend.read(key) or b"")
        texts = {name: printable(str(value[name]), breaks="") for name in ("user", "time", "why")}
    except (UserError, ValueError, TypeError, KeyError, RecursionError):
        texts = dict.fromkeys(("user", "time", "why"), UNKNOWN)
    return Pin(identity, owner or texts["user"], texts["time"], texts["why"])
