"""The entries of a store that a person names on the command line."""

import os
from collections.abc import Iterable

from docmt.base.errors import UserError
from docmt.base.untrusted import is_sha256
from docmt.store.backend import StoredFile, StoreUnusable
from docmt.store.entries import StoreEntry
from docmt.store.file_system import user_of
from docmt.store.store import ENTRIES, Store

FEWEST_DIGITS = 4
"""The smallest number of digits by which an artifact is named."""


def all_entries(store: Store) -> dict[str, StoredFile]:
    """Return the files of all entries by their identities.

    Raises StoreUnusable where nobody has begun the store yet.
    """
    if not store.check():
        raise StoreUnusable("nobody has pushed anything to this store yet", where=store.address)
    files = {file.key.rsplit("/", 1)[-1]: file for file in store.backend.listed(ENTRIES)}
    return {identity: file for identity, file in files.items() if is_sha256(identity)}


def named_identities(store: Store, names: Iterable[str]) -> list[str]:
    """Return the identities that begin with some digits. Raises UserError unless each name is that of one artifact."""
    known, result = all_entries(store), []
    for name in names:
        fits = [identity for identity in known if identity.startswith(name)] if len(name) >= FEWEST_DIGITS else []
        if len(fits) != 1:
            expected = f"the first digits of one identity, at least {FEWEST_DIGITS}"
            what = "several artifacts of the store begin so" if fits else "no artifact of the store begins so"
            raise UserError(what, where="IDENTITY", found=name, expected=expected)
        result += fits
    return result


def identities_of_user(store: Store) -> list[str]:
    """Return the identities of the entries whose files belong to this user.

    Raises UserError for a store whose files have no owners, as an object store is.
    """
    entries, user = all_entries(store), user_of(os.geteuid())
    if any(file.owner is None for file in entries.values()):
        remedy = "name identities, or take --all"
        raise UserError("the files of this store have no owners", where=store.address, remedy=remedy)
    return [identity for identity, file in entries.items() if file.owner == user]


def entries_of(store: Store, identities: Iterable[str]) -> list[StoreEntry]:
    """Return the entries of identities, whoever has signed them. Raises EntryRefused for a damaged one."""
    return [entry for identity in identities if (entry := store.stored(identity)) is not None]
