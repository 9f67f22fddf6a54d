"""The store that the commands on it use."""

from contextlib import chdir
from pathlib import Path

from docmt.base.screen import say
from docmt.cli.options import overrides
from docmt.store.chosen import all_entries
from docmt.store.store import UNSIGNED, Store


def store_at_root(root: Path, config: list[str] | None) -> Store:
    """Return the store of config.yaml in the folder `root`. Raises UserError where none is named, or none is there."""
    from docmt.plan.run import grid_of_run
    from docmt.plan.stored import named_store

    with chdir(root):
        store = named_store(grid_of_run(Path(), overrides(config)))
    all_entries(store)
    if store.trusted is None:
        say(UNSIGNED)
    return store
