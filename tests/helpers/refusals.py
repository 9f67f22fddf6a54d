"""Command lines that end with status 2, one message, and nothing changed."""

import io
import sys
from pathlib import Path

import pytest

from docmt.cli.main import main


def contents(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def refused(arguments: list[str], monkeypatch, capsys, given: bytes = b"") -> str:
    """The one message of a call that is refused, which `given` is the standard input of."""
    before = contents(Path())
    monkeypatch.setattr(sys, "argv", ["docmt", *arguments])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code == 2, printed
    assert printed.out == "", "a refusal prints no result"
    assert contents(Path()) == before, "nothing is left behind, nothing is changed"
    assert_single_message(printed.err)
    return printed.err


def assert_single_message(text: str) -> None:
    """Ours, of one to three lines, or typer's."""
    assert "Traceback" not in text
    ours, theirs = text.count("docmt: "), text.count("Error: ")
    assert ours + theirs == 1, text
