"""`docmt list-results --verify`: whether every byte below `results/` is the one that a job wrote."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir
from pathlib import Path

import typer

from docmt.base.errors import UserError, printable
from docmt.base.foreign import MEGABYTE
from docmt.base.paths import PAGE, RESULTS
from docmt.base.screen import answer, say
from docmt.provenance.verifying import Verified, verify

DAMAGED = 1
"""The exit status where a file is damaged or missing."""
NAMED = 5
"""The largest number of files without a stated digest that are named."""


def show_verified(root: Path, places: Iterable[str], as_json: bool) -> None:
    """Read the files of a project, print what is damaged with the command that removes it, and what was read.

    Raises UserError for a place that is not below `results/`, or where there is nothing.
    """
    with chdir(root):
        chosen = [place_of(place) for place in places]
        verified = verify(Path(), chosen, progress())
    answer(as_json, verified, "\n".join(map(printable, lines_about(verified, root))))
    if verified.damaged:
        raise typer.Exit(DAMAGED)


def lines_about(verified: Verified, root: Path) -> Iterator[str]:
    """Yield what is damaged with the command that removes it, what was read, and what could not be checked."""
    damaged, unlisted = len(verified.damaged), verified.unlisted
    yield from (f"{file.path}: {file.problem}\n  {file.mend}" for file in verified.damaged)
    state = f"{damaged:,} damaged" if damaged else "every byte is right"
    yield f"read {verified.files:,} files, {verified.bytes / MEGABYTE:,.1f} MB: {state}"
    if unlisted:
        named = ", ".join([*unlisted[:NAMED], *(["..."] if len(unlisted) > NAMED else [])])
        yield f"not checked, since nothing states their digest: {len(unlisted):,} ({named})"
    if damaged:
        place = "" if root == Path() else f" The commands are for the folder {root}."
        yield f"A run of snakemake makes again what it needs; a target that is named is made in any case.{place}"


def place_of(place: str) -> str:
    """Return a path relative to the present folder. Raises UserError where it is not below `results/`, or missing."""
    path = Path(os.path.relpath(place)).as_posix()
    if f"{path}/".startswith(f"{RESULTS}/") and Path(path).exists():
        return path
    raise UserError("no file or folder below results/", where=place, expected=f"{RESULTS}/{PAGE.stage}, for example")


def progress() -> Callable[[int, int], None]:
    """Return the function that prints a line about the bytes that were read."""
    start = time.monotonic()

    def show(done: int, total: int) -> None:
        rate = done / MEGABYTE / (time.monotonic() - start)
        say(f"docmt: read {done / max(total, 1):.0%} of {total / MEGABYTE:,.1f} MB, {rate:,.0f} MB/s")

    return show
