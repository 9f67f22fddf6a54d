"""A program is asked for translations document by document, and no answer that was given is asked for again."""

import sys
from pathlib import Path

import pytest
from helpers.support import ROOT

from docmt.base.errors import UserError
from docmt.base.programs import Program
from docmt.external.ask import NAME, Journal, ask, requests_of
from docmt.external.lines import ExpectedText

TEST = ExpectedText(("x", "x", "y", "z", "x"), ("a", "b", "c", "d\u2028e", "a"), ("",) * 5)
LINES = ["A", "B", "C", "D\u2028E", "A"]
LANGUAGES = ("zh", "en")


def asked(folder: Path, way: str = "well", number: str = "2", **limits: float) -> list[str]:
    command = [sys.executable, "-S", str(ROOT / "tests/helpers/answering.py"), str(folder / "notes"), way, number]
    program = Program(command, "system", **{"timeout_seconds": 20, "retries": 0, **limits})
    return ask(program, TEST, LANGUAGES, Journal(folder / "state"))


def notes(folder: Path) -> list[str]:
    return (folder / "notes").read_text(encoding="utf-8").splitlines()


def test_a_request_has_a_document_with_its_languages():
    first, *others = requests_of(TEST, LANGUAGES)
    assert first.content == {
        "document": "x", "source_language": "zh", "target_language": "en", "sentences": ["a", "b"]
    }  # fmt: skip
    assert [(request.id, request.count) for request in (first, *others)] == [("1", 2), ("2", 1), ("3", 1), ("4", 1)]


@pytest.mark.parametrize("at_once", [1, 4])
def test_lines_are_in_the_order_of_the_test_set(tmp_path, at_once):
    assert asked(tmp_path, at_once=at_once) == LINES
    assert notes(tmp_path) == ["start", "1", "2", "3", "4", "end"]


@pytest.mark.parametrize("way", ["crash", "kill", "short", "error", "garbage"])
def test_an_attempt_that_failed_is_continued_where_it_was(tmp_path, capfd, way):
    with pytest.raises(UserError, match=r"^system: "):
        asked(tmp_path, way)
    assert asked(tmp_path, way) == LINES
    assert [name for name in notes(tmp_path) if name.isdigit()] == ["1", "2", "2", "3", "4"]
    assert "system: 1 of 4 documents were translated before" in capfd.readouterr().err


def test_an_answer_that_was_cut_is_asked_for_again_and_no_other(tmp_path):
    asked(tmp_path)
    path = tmp_path / "state" / NAME
    path.write_bytes(path.read_bytes()[:-2])
    assert asked(tmp_path) == LINES
    assert [name for name in notes(tmp_path) if name.isdigit()] == ["1", "2", "3", "4", "4"]


def test_without_open_documents_no_program_is_started(tmp_path):
    asked(tmp_path)
    assert asked(tmp_path) == LINES
    assert notes(tmp_path).count("start") == 1
