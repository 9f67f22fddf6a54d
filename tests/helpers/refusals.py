"""Command lines that end with status 2, one message, and nothing changed."""

import io
import re
import sys
from pathlib import Path

import pytest
from helpers.damage import content_of, once

from docmt.cli.main import main

LOG = re.compile(r"(^|/)log\.\d+\.txt$")


def contents(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder but logs of jobs, by name; nothing for folders."""
    return {name: content for name, content in content_of(folder).items() if not LOG.search(name)}


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
    told = once(printed.err)
    assert_single_message(told)
    return told


def assert_single_message(text: str) -> None:
    """Ours, of one to three lines, or typer's."""
    assert "Traceback" not in text
    ours, theirs = text.count("docmt: "), text.count("Error: ")
    assert ours + theirs == 1, text
