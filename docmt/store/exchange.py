"""The exchange of single artifacts with a store: a job fetches its outputs, or gives those that it made."""

from collections.abc import Callable

from docmt.base.artifacts import write_json
from docmt.base.errors import in_line
from docmt.base.recipe import Recipe
from docmt.store.backend import EntryRefused, EntryUntrusted
from docmt.store.entries import StoreEntry
from docmt.store.store import Store, open_store

REFUSED = "refused.json"
"""The file, in a job's folder, that says why its entry in a store cannot be used; the next plan does without it."""


def fetch(recipe: Recipe, can_write: Callable[[str], bool], store: Store | None = None) -> None:
    """Copy the outputs of a job from a store, and check every byte.

    `can_write` says whether the step writes a file of a name. `store`: None = the one that the hints of the job name.
    Raises UserError where the entry cannot be used, and notes this for the next plan; StoreUnusable is not noted.
    """
    if store is None:
        store = open_store(recipe.hints["fetch"]["store"], recipe.hints["fetch"]["keys"])
    try:
        entry = store.entry(recipe.identity)
        if entry is None:
            what, remedy = "the store has it no more", "run snakemake again"
            raise EntryRefused(what, where=store.place(recipe.identity), remedy=remedy)
        for name in entry.files:
            if not can_write(name):
                raise EntryRefused("a file that its step does not write", where=entry.place, found=in_line(name))
        store.pull(entry, recipe.folder)
    except EntryRefused as problem:
        if not isinstance(problem, EntryUntrusted):  # which every plan sees for itself
            write_json(recipe.folder / REFUSED, {"problem": str(problem)})
        raise
    (recipe.folder / REFUSED).unlink(missing_ok=True)


def give(recipe: Recipe, store: Store | None = None, replace: bool = False) -> bool:
    """Copy the outputs of a job into a store, and return whether it did not have them.

    `store`: None = the one that the hints of the job name. With `replace`, an entry that is there is replaced; one that
    was refused here always is. Raises UserError where the outputs are damaged, and where the store's files belong to
    another user.
    """
    if store is None:
        store = open_store(recipe.hints["give"]["store"], recipe.hints["give"]["keys"])
        store.begin()
    note = recipe.folder / REFUSED
    is_given = store.push(StoreEntry.of_recipe(recipe), recipe.folder, mend=replace or note.exists())
    note.unlink(missing_ok=True)
    return is_given
