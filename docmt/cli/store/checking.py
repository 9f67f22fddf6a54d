"""`docmt store verify`: whether every byte of a store is right."""

from contextlib import chdir
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.screen import print_json, say
from docmt.cli.options import AsJson, Config, Root
from docmt.cli.store.opening import store_at_root

DAMAGED = 1
"""The exit status where something of the store is damaged."""


def verify(
    identities: Annotated[
        list[str] | None, typer.Argument(metavar="IDENTITY...", help="identities, or their first digits [default: all]")
    ] = None,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Read all bytes of artifacts of the store, and list what is damaged, missing or of another identity.

    The exit status is 1 where there is any. Each file is copied to the folder for temporary files, read and removed.
    """
    from docmt.store.chosen import all_entries, named_identities
    from docmt.store.verifying import damages

    with chdir(root):
        store = store_at_root(Path(), config)
        chosen = named_identities(store, identities) if identities else [*all_entries(store)]
        damaged = damages(store, chosen, say)
    if as_json:
        items = [{"identity": item.identity, "file": item.name, "problem": str(item.problem)} for item in damaged]
        print_json({"artifacts": len(chosen), "damaged": items})
    else:
        for item in damaged:
            typer.echo(f"{item.identity} {item.name}: {item.problem}")
        typer.echo(f"{len(chosen)} artifacts: {f'{len(damaged)} damaged files' if damaged else 'every byte is right'}")
    if damaged:
        raise typer.Exit(DAMAGED)
