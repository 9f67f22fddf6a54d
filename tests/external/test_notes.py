"""What is noted of translations that look other than the study states."""

import re
from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.external.lines import ExpectedText, notes, refuse_denied
from docmt.settings.external import FileTranslations
from docmt.text.signs import signs_of

REFERENCES = ("He came, and sat.", "It's well-known!", "She went away.", "Who?")
SOURCES = ("a", "b", "c", "d")
TEST = ExpectedText(("x", "x", "y", "y"), SOURCES, REFERENCES)
PLAIN = ["He came and sat.", "It is well-known!", "She goes away.", "Who?"]


TOKENS = ["He came and sat .", "It &apos;s well-known !", "She isn &apos;t away .", "Who ?"]


def noted(texts: list[str], **stated: object) -> list[str]:
    return list(notes(texts, FileTranslations("f", **stated), TEST, signs_of))


def refused(texts: list[str], test: ExpectedText = TEST, **stated: object) -> str:
    """Return the message by which lines are refused; empty where they are not."""
    try:
        refuse_denied(Path("theirs.txt"), texts, FileTranslations("f", **stated), test, signs_of)
    except UserError as error:
        return str(error)
    return ""


def test_plain_text_has_no_notes():
    assert noted(PLAIN) == [] and refused(PLAIN) == ""


NOTED = {
    "no capitals": (
        [line.lower() for line in PLAIN],
        "4 of 4 lines have no capital letter, first: 'he came and sat.',",
    ),
    "truecased": ([line[0].lower() + line[1:] for line in PLAIN[:2]] + ["Anna"], "2 of 3 lines begin with a small"),
    "blank": ([*PLAIN[:3], " "], "1 of 4 lines are blank"),
    "the reference": (list(REFERENCES), "the translations are the reference itself"),
    "the source": (list(SOURCES), "the translations are the source itself"),
}


@pytest.mark.parametrize("what", NOTED)
def test_each_sign_is_noted(what):
    lines, note = NOTED[what]
    assert [text for text in noted(lines) if text.startswith(note)], noted(lines)


DENIED = {
    "BPE": ([f"be@@ {line}" for line in PLAIN], {}, "end words in @@", "whole words", "sed -E 's/@@( |$)//g'"),
    "BPE of tokens": ([f"be@@ {line}" for line in TOKENS], {"tokenised": True}, "@@", "whole words", "BPE"),
    "SentencePiece": ([f"▁{line}" for line in PLAIN], {}, "begin words with ▁", "whole words", "SentencePiece"),
    "WordPiece": ([f"a ##b {line}" for line in PLAIN], {}, "begin words with ##", "whole words", "WordPiece"),
    "joined": ([f"{line} _eos Yes." for line in PLAIN], {}, "symbols of a model", "whole words", "a line of its own"),
    "tokens": (TOKENS, {}, "&apos;s", "lines with `tokenised: false`", "state `tokenised: true`"),
    "plain": (PLAIN, {"tokenised": True}, "end in a", "lines with `tokenised: true`", "state `tokenised: false`"),
    "lower": ([line.lower() for line in PLAIN], {}, "no capital", "lines with `case: cased`", "state `case: lower`"),
    "cased": (PLAIN, {"case": "lower"}, "capital letters", "lines with `case: lower`", "state `case: cased`"),
}


@pytest.mark.parametrize("what", DENIED)
def test_what_cannot_be_true_is_refused_and_the_remedy_is_right(what):
    lines, stated, sign, expected, remedy = DENIED[what]
    message = refused(lines, **stated)
    assert message.startswith("theirs.txt: the lines are not what the study states")
    assert sign in message and re.search(r"[24] of 4 lines .*, first: ", message)
    assert f"expected {expected}" in message and remedy in message


@pytest.mark.parametrize("what", ["tokens", "plain", "lower", "cased"])
def test_the_setting_of_the_remedy_is_not_refused(what):
    lines, stated, *_, remedy = DENIED[what]
    name, _, value = re.search("`(.*)`", remedy)[1].partition(": ")
    assert refused(lines, **stated) and refused(lines, **{name: {"true": True, "false": False}.get(value, value)}) == ""


@pytest.mark.parametrize("what", ["BPE", "tokens", "lower"])
def test_lines_are_not_refused_for_a_sign_that_the_references_have_too(what):
    lines, stated, *_ = DENIED[what]
    assert refused(lines, ExpectedText(TEST.documents, SOURCES, tuple(lines)), **stated) == ""


def test_what_is_stated_is_not_refused():
    lower = [line.lower() for line in PLAIN]
    assert refused(lower, case="lower") == refused(TOKENS, tokenised=True) == ""
    assert noted(NOTED["truecased"][0], case="truecased") == [] and refused(lower, case="truecased")


def test_documents_are_compared_with_documents():
    joined = ["He came, and sat. It's well-known!", "She went away. Who?"]
    assert noted(joined, lines="documents") == ["the translations are the reference itself, line by line"]
