"""The store that config.yaml names: there, of this version, usable as `store_mode` says, and its keys."""

import os
from collections.abc import Iterator
from pathlib import Path

from docmt.base.errors import UserError
from docmt.grid.main_config import RunConfig
from docmt.preflight.finding import Area, RunFinding
from docmt.store.exchange import store_of
from docmt.store.folder import FolderBackend
from docmt.store.signatures import read_keys
from docmt.store.store import Store

AREA = Area("store")


def check_store(config: RunConfig) -> Iterator[RunFinding]:
    """Yield what is wrong with the store and with the file of its keys."""
    if config.store_keys is not None:
        try:
            yield AREA.fact(f"{len(read_keys(Path(config.store_keys)))} keys in {config.store_keys}")
        except UserError as problem:
            yield AREA.of(problem)
    if config.store is None or not (config.pulls or config.pushes):
        yield AREA.fact("no store is used")
        return
    try:
        store = store_of(config.store, None)
        is_begun = store.check()
    except UserError as problem:
        yield AREA.of(problem)
        return
    yield from _rights(config, store)
    state = "a store of this version" if is_begun else "an empty place, in which the first push begins a store"
    yield AREA.fact(f"{config.store} (store_mode: {config.store_mode}): {state}")


def _rights(config: RunConfig, store: Store) -> Iterator[RunFinding]:
    """Yield a finding where this user may not read or write the folder of a store as `store_mode` needs it."""
    if not isinstance(store.backend, FolderBackend):
        yield AREA.fact("whether this user may write to the bucket shows only when something is pushed")
        return
    folder = store.backend.folder
    if config.pulls and not os.access(folder, os.R_OK | os.X_OK):
        yield AREA.error("no right to read the store", where=str(folder), remedy="ask its owner, or store_mode: off")
    if config.pushes and not os.access(folder, os.W_OK | os.X_OK):
        yield AREA.warning(
            "no right to write to the store: what a run makes is not pushed",
            where=str(folder),
            found=f"store_mode: {config.store_mode}",
            remedy="ask the owner of the folder, or set store_mode: pull",
        )
