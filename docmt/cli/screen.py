"""What commands print: results as tables or JSON; lines on standard error, where a screen that is gone ends nothing.

Tables are ruled on a terminal, and plain columns in a file or a pipe.
"""

import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table


def say(text: str) -> None:
    """One write, since processes share the screen: `print` may write a line's end by itself."""
    with unfailing():
        typer.echo(text, err=True)


@contextmanager
def unfailing() -> Iterator[None]:
    """Where writing fails (a closed pipe, a terminal that is gone, a full disk), all that follows goes nowhere."""
    try:
        yield
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stderr.fileno())
        os.close(nowhere)


def print_json(value: Any) -> None:
    """In the order of its keys, as sacreBLEU does."""
    import json

    typer.echo(json.dumps(value, indent=1, ensure_ascii=False))


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str] = ()) -> None:
    """Columns named in `numbers` are set flush right."""
    if not sys.stdout.isatty():
        typer.echo(aligned([columns, *rows], numbers=numbers))
        return
    from rich.console import Console

    Console().print(ruled(columns, rows, numbers))


def ruled(
    columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str] = (), styles: Sequence[str] = ()
) -> "Table":
    """`styles`: of each row, if they differ."""
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE)
    for name in columns:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    for row, style in zip(rows, styles or [""] * len(rows), strict=True):
        table.add_row(*row, style=style)
    return table


def aligned(rows: Sequence[Sequence[str]], indent: str = "", numbers: Collection[str] = ()) -> str:
    """Columns side by side, the first row being their names: two blanks between, each as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    flush = [str.rjust if name in numbers else str.ljust for name in rows[0]]
    texts = ("  ".join(f(cell, width) for f, cell, width in zip(flush, row, widths, strict=True)) for row in rows)
    return "\n".join(f"{indent}{text}".rstrip() for text in texts)
