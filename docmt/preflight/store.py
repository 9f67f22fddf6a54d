"""The store that config.yaml names: there, of this version, usable as `store_mode` says, and its keys."""

import os
from collections.abc import Iterator
from pathlib import Path

from docmt.base.errors import UserError
from docmt.grid.main_config import RunConfig
from docmt.preflight.finding import RunFinding, told
from docmt.store.signatures import read_keys
from docmt.store.store import open_store


def check_store(config: RunConfig) -> Iterator[RunFinding]:
    """Yield what is wrong with the store and with the file of its keys."""
    if config.store_keys is not None:
        try:
            yield told("fact", f"{len(read_keys(Path(config.store_keys)))} keys in {config.store_keys}")
        except UserError as problem:
            yield RunFinding("error", problem)
    if config.store is None or not (config.pulls or config.pushes):
        yield told("fact", "no store is used")
        return
    is_begun, address = open_store(config.store, None).check(), config.store
    if "://" in address:
        yield told("fact", "whether this user may write to the bucket shows only when something is pushed")
    elif config.pulls and not os.access(address, os.R_OK | os.X_OK):
        yield told("error", "no right to read the store", where=address, remedy="ask its owner, or store_mode: off")
    elif config.pushes and not os.access(address, os.W_OK | os.X_OK):
        what, remedy = "no right to write to the store: what a run makes is not pushed", "ask its owner, or"
        yield told("warning", what, where=address, remedy=f"{remedy} store_mode: pull")
    state = "a store of this version" if is_begun else "an empty place, in which the first push begins a store"
    yield told("fact", f"{address} (store_mode: {config.store_mode}): {state}")
