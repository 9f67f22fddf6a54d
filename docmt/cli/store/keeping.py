"""`docmt store pin` and `docmt store gc`: what stays in a store, and what goes."""

from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.base.screen import print_json, show_table
from docmt.cli.options import AsJson, Config, Root
from docmt.cli.store.listing import COLUMNS, NUMBERS, cells, megabytes
from docmt.cli.store.opening import Identities, store_at_root

if TYPE_CHECKING:
    from docmt.store.collecting import Garbage

MOST_DAYS = 100_000


def pin(
    identities: Identities,
    remove: Annotated[bool, typer.Option("--remove", help="remove your pin")] = False,
    why: Annotated[str, typer.Option(metavar="TEXT", help="why the artifact is to stay, for others")] = "",
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Pin artifacts of the store: `docmt store gc` never removes them.

    A pin says who set it and why. It keeps the artifact alone, and not what this was made from.
    """
    from docmt.store.chosen import named_identities
    from docmt.store.pins import remove_pin, set_pin

    with chdir(root):
        store = store_at_root(Path(), config)
        chosen = named_identities(store, identities)
        for identity in chosen:
            if remove:
                remove_pin(store.backend, identity)
            else:
                set_pin(store.backend, identity, why)
    if as_json:
        print_json({"pinned": not remove, "identities": chosen})
    else:
        typer.echo("\n".join(f"{identity}: {'the pin is removed' if remove else 'pinned'}" for identity in chosen))


def gc(
    older_than: Annotated[
        float | None,
        typer.Option(min=0, max=MOST_DAYS, metavar="DAYS", help="also artifacts that were pushed longer ago"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="remove what is listed; without it, nothing is removed")] = False,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List what nobody needs in the store, and remove it with --yes.

    These are files that no artifact has, unfinished files and damaged artifacts, all of them older than a day. What is
    pinned stays, and so does what only other users may remove.
    """
    from docmt.store.collecting import garbage_of, remove_garbage

    with chdir(root):
        store = store_at_root(Path(), config)
        if yes:
            removed = remove_garbage(store, older_than)
            garbage, leftovers = removed.garbage, removed.leftovers
        else:
            garbage, leftovers = garbage_of(store, older_than), 0
    if as_json:
        print_json({"removed": yes, **facts(garbage), "unfinished": leftovers})
    else:
        show_garbage(garbage, leftovers, yes)


def facts(garbage: "Garbage") -> dict[str, Any]:
    """Return what can be removed, for programs."""
    return {
        "artifacts": [row.identity for row in garbage.rows],
        "files": len(garbage.files),
        "bytes": garbage.bytes,
        "of_others": garbage.of_others,
    }


def show_garbage(garbage: "Garbage", leftovers: int, is_removed: bool) -> None:
    """Print what can be removed, or was removed."""
    if garbage.rows:
        show_table(COLUMNS, [*map(cells, garbage.rows)], NUMBERS)
    counts = f"{len(garbage.rows)} artifacts and {len(garbage.files)} files, {megabytes(garbage.bytes)} MB"
    typer.echo(f"{'removed' if is_removed else 'to remove'}: {counts}")
    if leftovers:
        typer.echo(f"removed: {leftovers} unfinished files")
    if garbage.of_others:
        typer.echo(f"only other users may remove: {garbage.of_others} artifacts and files")
    if not is_removed:
        typer.echo("nothing was removed; to remove this, add --yes")
