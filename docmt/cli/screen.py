"""Lines on standard error, where a screen that is gone ends nothing."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer


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
