"""The exchange of single artifacts between a job and a store: a job fetches its outputs, or gives those that it made."""

from collections.abc import Callable
from pathlib import Path

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError, in_line
from docmt.base.recipe import Recipe
from docmt.store.addresses import open_store
from docmt.store.entries import StoreEntry
from docmt.store.store import Store

REFUSED = "refused.json"
"""The file, in the folder of a job, that says why its entry in the store cannot be used: the next plan does without it."""


def store_of(address: str, keys: str | None) -> Store:
    """Return a store, of which only what the keys have signed is used. Raises as `open_store` does."""
    return open_store(address, None if keys is None else Path(keys))


def fetch(recipe: Recipe, can_write: Callable[[str], bool]) -> None:
    """Copy the outputs of a job from the store that its hints name, and check every byte.

    `can_write` says whether the step writes a file of a name. Raises UserError where the entry cannot be used, and
    notes this for the next plan.
    """
    hints = recipe.hints["fetch"]
    store = store_of(hints["store"], hints["keys"])
    try:
        entry = store.entry(recipe.identity)
        if entry is None:
            raise UserError(
                "the store has it no more", where=store.place(recipe.identity), remedy="run snakemake again"
            )
        for name in entry.files:
            if not can_write(name):
                raise UserError("a file that its step does not write", where=entry.place, found=in_line(name))
        store.pull(entry, recipe.folder)
    except UserError as problem:
        write_json(recipe.folder / REFUSED, {"problem": str(problem)})
        raise


def give(recipe: Recipe) -> None:
    """Copy the outputs of a job into the store that its hints name, unless they may not be passed on."""
    hints = recipe.hints["give"]
    store = store_of(hints["store"], hints["keys"])
    store.begin()
    store.push(StoreEntry.of_recipe(recipe), recipe.folder, mend=bool(recipe.again))
