"""What a store has for the jobs of a plan: its entries, read once, and those that cannot be used."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from docmt.base.errors import UserError
from docmt.grid.main_config import RunConfig
from docmt.store.addresses import open_store
from docmt.store.backend import EntryRefused, EntryUntrusted
from docmt.store.entries import StoreEntry
from docmt.store.store import Store

AT_ONCE = 16
"""The number of entries that are read at the same time: an object store takes a tenth of a second for each."""


class Stored:
    """The entries of a store for the identities that a plan asks for; without a store there are none.

    `refused`: why entries cannot be used, by identity. `pulled`: the identities that were pulled. `problem`: why the
    store as a whole is not used any more.
    """

    def __init__(self, store: Store | None) -> None:
        """Use a store; nothing is read yet."""
        self.store = store
        self.refused: dict[str, UserError] = {}
        self.problem: UserError | None = None
        self.pulled: set[str | None] = set()
        self._entries: dict[str, StoreEntry | None] = {}
        self._is_checked, self._is_hidden = False, False

    def look_up(self, identities: Iterable[str]) -> None:
        """Read the entries of identities, each once. A store that cannot be used is given up."""
        if self.store is None or self.problem is not None:
            return
        try:
            if not self._is_checked and not self.store.check():
                self.store = None  # nobody has pushed anything yet
                return
            self._is_checked = True
            wanted = [identity for identity in dict.fromkeys(identities) if identity not in self._entries]
            with ThreadPoolExecutor(AT_ONCE) as pool:
                self._entries |= zip(wanted, pool.map(self._read, wanted), strict=True)
        except UserError as problem:
            self.give_up(problem)

    def entry(self, identity: str | None) -> StoreEntry | None:
        """Return the entry of an identity that was looked up; None where there is none, or none that can be used."""
        if identity is None or self._is_hidden or self.problem is not None or identity in self.refused:
            return None
        return self._entries.get(identity)

    @property
    def is_signed(self) -> bool:
        """Whether entries are accepted only where somebody whom the site trusts has signed them."""
        return self.store is not None and self.store.trusted is not None

    def refuse(self, identity: str, problem: UserError) -> None:
        """Use the entry of an identity no more, since a pull of it has failed."""
        self.refused[identity] = problem

    def forget(self, identity: str) -> None:
        """Use the entry of an identity no more, since the artifact was pulled."""
        self._entries[identity] = None
        self.pulled.add(identity)

    def give_up(self, problem: UserError) -> None:
        """Use the store no more."""
        self.problem = problem

    def is_damaged(self, identity: str | None) -> bool:
        """Return whether the entry of an identity was refused for what it has, and not for a missing signature."""
        problem = self.refused.get(identity or "")
        return problem is not None and not isinstance(problem, EntryUntrusted)

    def lines_of_refused(self) -> Iterator[str]:
        """Yield a line for each reason why entries cannot be used, about the first of these entries."""
        by_reason: dict[str, list[UserError]] = {}
        for problem in self.refused.values():
            by_reason.setdefault(problem.what, []).append(problem)
        for problems in by_reason.values():
            more = f"\n  so too {len(problems) - 1} more" if len(problems) > 1 else ""
            yield f"not used from the store: {problems[0]}{more}"

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Act in the block as if there were no store."""
        self._is_hidden = True
        try:
            yield
        finally:
            self._is_hidden = False

    def _read(self, identity: str) -> StoreEntry | None:
        assert self.store is not None
        try:
            return self.store.entry(identity)
        except EntryRefused as problem:
            self.refuse(identity, problem)
            return None


def stored_for(config: RunConfig) -> Stored:
    """Return what a run may pull. Raises UserError for an address that is none."""
    return Stored(store_at(config, config.store) if config.store is not None and config.pulls else None)


def store_at(config: RunConfig, address: str) -> Store:
    """Return a store, of which only what the keys of `store_keys` have signed is used. Raises as `open_store` does."""
    return open_store(address, None if config.store_keys is None else Path(config.store_keys))


def hours_of(entry: StoreEntry) -> float:
    """Return the hours that the job of an entry took: device-hours of a training, else hours on its machine."""
    return float(entry.record.get("device_hours") or (entry.record.get("seconds") or 0) / 3600)
