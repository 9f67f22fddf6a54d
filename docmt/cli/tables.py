"""What commands print: tables for people (ruled on a terminal, plain columns in a file or a pipe), or JSON."""

import json
import sys
from collections.abc import Collection, Sequence
from typing import Any

import typer


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str] = ()) -> None:
    """Columns named in `numbers` are set flush right."""
    if not sys.stdout.isatty():
        typer.echo(plain_table(columns, rows, numbers))
        return
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE)
    for name in columns:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def plain_table(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str] = ()) -> str:
    """Two blanks between columns, each as wide as its widest cell."""
    lines = [columns, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    flush = [str.rjust if name in numbers else str.ljust for name in columns]
    texts = ("  ".join(f(cell, width) for f, cell, width in zip(flush, line, widths, strict=True)) for line in lines)
    return "\n".join(text.rstrip() for text in texts)


def print_json(value: Any) -> None:
    """In the order of its keys, as sacreBLEU does."""
    typer.echo(json.dumps(value, indent=1, ensure_ascii=False))
