"""What is noted of translations that look other than the study states."""

import pytest

from docmt.external.lines import ExpectedText
from docmt.external.notes import notes
from docmt.settings.external import FileTranslations

REFERENCES = ("He came, and sat.", "It's well-known!", "She went away.", "Who?")
SOURCES = ("a", "b", "c", "d")
TEST = ExpectedText(("x", "x", "y", "y"), SOURCES, REFERENCES)
PLAIN = ["He came and sat.", "It is well-known!", "She goes away.", "Who?"]


def noted(texts: list[str], **stated: object) -> list[str]:
    return list(notes(texts, FileTranslations("f", **stated), TEST))


def test_plain_text_has_no_notes():
    assert noted(PLAIN) == []


NOTED = {
    "no capitals": ([line.lower() for line in PLAIN], "no line has a capital letter, and `case: cased`"),
    "blank": ([*PLAIN[:3], " "], "1 of 4 lines are blank"),
    "the reference": (list(REFERENCES), "the translations are the reference itself"),
    "the source": (list(SOURCES), "the translations are the source itself"),
}


@pytest.mark.parametrize("what", NOTED)
def test_each_sign_is_noted(what):
    lines, note = NOTED[what]
    assert [text for text in noted(lines) if text.startswith(note)], noted(lines)


def test_what_is_stated_is_not_noted():
    assert noted(NOTED["no capitals"][0], case="lower") == []
    assert noted(PLAIN, case="lower") == ["4 of 4 lines have capital letters, and `case: lower` is stated"]


def test_documents_are_compared_with_documents():
    joined = ["He came, and sat. It's well-known!", "She went away. Who?"]
    assert noted(joined, lines="documents") == ["the translations are the reference itself, line by line"]
