"""A line of 256 MB without an end, in files and on standard input: one message in time, and nothing is written."""

import gzip
import os
import sys
from pathlib import Path

import pytest
from helpers.damage import content_of, told

from docmt.cli.main import main

BYTES = 256 * 2**20
WHERE = "HUGE:1: a line is too long\n  found more than 16,777,216 bytes without a line feed"
LINES: dict[str, tuple[str, str]] = {
    "translate": ("translate --model . --source HUGE", WHERE),
    "documents": ("score --hypotheses text --reference text --documents HUGE", WHERE),
    "baseline": ("compare --baseline HUGE --hypotheses text --reference text", WHERE),
    "links": ("score-links --gold HUGE --links text", WHERE),
    "vectors": ("score-coherence --hypotheses text --documents text --vectors HUGE", WHERE),
    "sheet": (
        "draw-sheet --source text --reference text --baseline text --hypotheses HUGE --output out/s --key out/k",
        WHERE,
    ),
    "words": (
        "score-consistency --source text --hypotheses text --documents text --source-stop-list HUGE",
        WHERE,
    ),
    "a device": ("score --hypotheses /dev/zero --reference text", WHERE.replace("HUGE", "/dev/zero")),
    "input of translate": ("translate --model .", WHERE.replace("HUGE", "standard input")),
    "input of align": ("align --source text --target -", WHERE.replace("HUGE", "standard input")),
}
"""A command line and the message."""


@pytest.fixture(scope="module")
def huge(tmp_path_factory) -> Path:
    """A file that takes no room on the disk."""
    path = tmp_path_factory.mktemp("huge") / "lines"
    with path.open("wb") as stream:
        stream.truncate(BYTES)
    return path


@pytest.fixture(autouse=True)
def work(tmp_path, monkeypatch) -> None:
    """The present folder; standard input never ends."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("text").write_text("0-0\n")
    monkeypatch.setattr(sys, "stdin", os.fdopen(os.open("/dev/zero", os.O_RDONLY)))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", LINES)
def test_a_line_without_an_end(name, huge, tmp_path, capsys, monkeypatch):
    words, message = (text.replace("HUGE", str(huge)) for text in LINES[name])
    before = content_of(tmp_path)
    assert told(capsys, monkeypatch, words.split()).startswith(f"docmt: {message}")
    assert content_of(tmp_path) == before


@pytest.mark.parametrize("name", ["lines.tsv", "lines.tsv.gz"])
def test_a_table_of_a_corpus(name, capsys, monkeypatch):
    with (gzip.open if name.endswith("gz") else open)(name, "wb") as stream:
        stream.write(bytes(2**24 + 1))
    monkeypatch.setattr(sys, "argv", ["docmt", "check-corpus", name])
    with pytest.raises(SystemExit) as end:
        main()
    printed = capsys.readouterr()
    assert end.value.code == 2 and printed.err == ""
    assert f"{name}:1: found more than 16,777,216 bytes without a line feed" in printed.out
