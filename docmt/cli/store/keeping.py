"""`docmt store gc`: what goes from a store."""

from contextlib import chdir
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.screen import print_json, show_table
from docmt.cli.options import AsJson, Config, Root
from docmt.cli.store.listing import COLUMNS, NUMBERS, cells, megabytes
from docmt.cli.store.opening import store_at_root

MOST_DAYS = 100_000


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

    These are files that no artifact has, unfinished files and damaged artifacts, all of them older than a day, so that
    others may push meanwhile. What only other users may remove stays.
    """
    from docmt.store.collecting import garbage_of, remove_garbage

    with chdir(root):
        garbage = (remove_garbage if yes else garbage_of)(store_at_root(Path(), config), older_than)
    facts = {"files": len(garbage.files), "bytes": garbage.bytes, "of_others": garbage.of_others}
    if as_json:
        identities = [row.identity for row in garbage.rows]
        print_json({"removed": yes, "artifacts": identities, **facts, "unfinished": garbage.leftovers})
        return
    if garbage.rows:
        show_table(COLUMNS, [*map(cells, garbage.rows)], NUMBERS)
    counts = f"{len(garbage.rows)} artifacts and {len(garbage.files)} files, {megabytes(garbage.bytes)} MB"
    typer.echo(f"{'removed' if yes else 'to remove'}: {counts}")
    if garbage.leftovers:
        typer.echo(f"removed: {garbage.leftovers} unfinished files")
    if garbage.of_others:
        typer.echo(f"only other users may remove: {garbage.of_others} artifacts and files")
    if not yes:
        typer.echo("nothing was removed; to remove this, add --yes")
