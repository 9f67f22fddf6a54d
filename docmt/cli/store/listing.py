"""`docmt store ls`, `docmt store show` and `docmt store du`: what a store has."""

import dataclasses
import textwrap
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import yaml

from docmt.base.errors import printable
from docmt.base.manifest import DIGITS
from docmt.base.paths import TRAINING
from docmt.base.screen import aligned, print_json, show_table
from docmt.cli.options import AsJson, Config, Root
from docmt.cli.store.opening import store_at_root

if TYPE_CHECKING:
    from docmt.store.listing import StoreRow
    from docmt.store.usage import Usage

COLUMNS = ("identity", "place", "MB", "maker", "days", "signed by")
NUMBERS = ("MB", "days")


def ls(
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT", help=f"only artifacts with this in their place, such as {TRAINING.stage}/toy_zh-en"
        ),
    ] = None,
    maker: Annotated[str | None, typer.Option(help="only artifacts of this maker")] = None,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List the artifacts of the store, the newest first.

    place: the folder below results/ without the id. days: since the artifact was pushed.
    """
    from docmt.store.listing import rows_of_store

    with chdir(root):
        rows = [row for row in rows_of_store(store_at_root(Path(), config)) if row.fits(text, maker)]
    if as_json:
        print_json([row.to_json() for row in rows])
    elif rows:
        show_table(COLUMNS, [*map(cells, rows)], NUMBERS)
    else:
        typer.echo("no artifact")


def cells(row: "StoreRow") -> tuple[str, ...]:
    """Return the cell of each column; `-` stands for nobody."""
    return (
        row.identity[:DIGITS],
        row.place,
        megabytes(row.entry.bytes if row.entry else row.file.bytes),
        row.maker,
        f"{row.days:,.1f}",
        ", ".join(row.signers) or "-",
    )


def show(
    identity: Annotated[str, typer.Argument(help="the identity of an artifact, or its first digits")],
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show an artifact of the store: how and from what it was made, its files, and who signed it."""
    from docmt.store.chosen import all_entries, entries_of, named_identities
    from docmt.store.listing import facts_of

    with chdir(root):
        store = store_at_root(Path(), config)
        named = named_identities(store, [identity])
        facts = [facts_of(store, entry, all_entries(store)[entry.identity]) for entry in entries_of(store, named)]
    for fact in facts:
        print_json(fact) if as_json else typer.echo(printable("\n".join(lines_of(fact))))


def lines_of(facts: dict[str, Any]) -> list[str]:
    """Return the facts about an artifact as lines: one for each fact, setting, file and input."""
    lines = []
    for name, value in facts.items():
        label = name.replace("_", " ")
        if name == "settings":
            text = yaml.safe_dump(value, allow_unicode=True, width=1000)
            lines += [f"{label}:", textwrap.indent(text.rstrip(), "  ")]
            continue
        if name == "inputs":
            value = [{"role": role, "identity": identity} for role, identity in value.items()]
        if isinstance(value, dict):
            value = ", ".join(f"{key} {item}" for key, item in value.items())
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = [[*map(str, value[0])], *([*map(str, item.values())] for item in value)]
            lines += [f"{label}:", aligned(rows, "  ", ("bytes",))]
        elif value not in (None, "", []):
            lines.append(f"{label}: {', '.join(map(str, value)) if isinstance(value, list) else value}")
    return lines


def du(root: Root = Path(), config: Config = None, as_json: AsJson = False) -> None:
    """Print how many bytes the store has, by step and maker.

    Each file is counted once, however many artifacts have it; one that two makers share counts for both.
    """
    from docmt.store.usage import usage_of

    with chdir(root):
        usage = usage_of(store_at_root(Path(), config))
    if as_json:
        print_json(dataclasses.asdict(usage))
        return
    show_usage(usage)


def show_usage(usage: "Usage") -> None:
    """Print the bytes of a store as tables."""
    typer.echo(f"{usage.artifacts} artifacts, {megabytes(usage.bytes)} MB of files")
    typer.echo(f"{megabytes(usage.shared)} MB saved, since files that several artifacts have are there once")
    typer.echo(f"{megabytes(usage.unlisted)} MB of files that no artifact has (docmt store gc)")
    for kind, sizes in usage.by.items():
        typer.echo()
        show_table((kind, "MB"), [(name, megabytes(size)) for name, size in sizes.items()], ("MB",))


def megabytes(size: int) -> str:
    """Return a number of bytes in MB."""
    return f"{size / 1e6:,.1f}"
