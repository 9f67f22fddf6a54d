"""Plain files of a user: their lines and documents."""

from collections.abc import Sequence

import pytest
from helpers.command_line import invoke

from docmt.base.errors import UserError
from docmt.scoring.plain_files import read_plain_files, text_lines


@pytest.mark.parametrize(
    "data, lines",
    [
        (b"", []),
        (b"a\nb\n", ["a", "b"]),
        (b"a\n\nb", ["a", "", "b"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        ("我\u2028们\n".encode(), ["我\u2028们"]),
    ],
)
def test_lines_end_at_line_feeds_only(tmp_path, data, lines):
    path = tmp_path / "file"
    path.write_bytes(data)
    assert text_lines(path) == tuple(lines)


def test_what_is_not_utf8_is_refused_with_its_line(tmp_path):
    (tmp_path / "file").write_bytes(b"good\n\xff\xfe\n")
    with pytest.raises(UserError, match=r"file:2: not valid UTF-8"):
        text_lines(tmp_path / "file")


def test_with_named_documents_a_blank_line_is_a_sentence(tmp_path):
    (tmp_path / "text").write_text("one\ntwo\n\nthree\nfour\n")
    (tmp_path / "names").write_text("a\na\nb\nb\nb\n")
    files = read_plain_files([tmp_path / "text"], tmp_path / "names")
    assert files.references.raw[0] == ("one", "two", "", "three", "four")
    assert files.references.documents == tuple("aabbb")


REFUSAL = """documents.txt:3: 'a' comes back after others
  found 'a', as on line 1, and 'b' before it; expected all lines of a document together"""


@pytest.mark.parametrize("command", ["score", "score-consistency"])
def test_a_document_that_comes_back_is_refused_as_in_a_corpus(tmp_path, command):
    """Else it would count as two documents, of which one is empty."""
    lines = {"documents.txt": "a\nb\na\nb\n", "text.txt": "a cat sat\na dog ran\nthe cat\nthe dog\n"}
    for name, text in lines.items():
        (tmp_path / name).write_text(text)
    text, documents = tmp_path / "text.txt", tmp_path / "documents.txt"
    other = "--source" if command == "score-consistency" else "--reference"
    with pytest.raises(UserError) as refused:
        invoke(command, "--hypotheses", text, other, text, "--documents", documents)
    assert REFUSAL in str(refused.value)


SENTENCES = ("One.", "Two.", "Three.", "Four.", "Five.")
NAMES = "aabcc"


def bordered(lines: Sequence[str]) -> str:
    return "\n".join([*lines[:2], "", lines[2], "", *lines[3:], ""])


@pytest.mark.parametrize("references", ["named", "blank"])
@pytest.mark.parametrize("translations", ["plain", "blank", "blank at the end too", "with an empty translation"])
def test_translations_may_have_blank_lines_between_documents_or_none(tmp_path, references, translations):
    lines = ("One.", "", *SENTENCES[2:]) if "empty" in translations else SENTENCES
    content = "\n".join(lines) + "\n" if translations == "plain" else bordered(lines)
    (tmp_path / "theirs").write_text(content + ("\n" if "end" in translations else ""))
    (tmp_path / "names").write_text("\n".join(NAMES) + "\n")
    (tmp_path / "text").write_text(bordered(SENTENCES) if references == "blank" else "\n".join(SENTENCES) + "\n")
    files = read_plain_files([tmp_path / "text"], tmp_path / "names" if references == "named" else None)
    assert files.translations(tmp_path / "theirs").raw == lines


A_LINE_EACH = "\n".join(SENTENCES) + "\n"
CAUSES = {
    "between documents": ("One.\n\nTwo.\n\nThree.\nFour.\n\nFive.\n", "blank lines between documents"),
    "at the end": (A_LINE_EACH + "\n\n\n", "blank lines at the end"),
    "one more": ("One.\n\n" + "\n".join(SENTENCES[1:]), "a blank line too many"),
    "lone carriage returns": (
        "\r".join(SENTENCES) + "\r",
        "the character U+000D, at which another program ends a line",
    ),
    "other ends": ("\u2028".join(SENTENCES), "the character U+2028, at which another program ends a line"),
    "joined": ("One. Two.\nThree.\nFour.\nFive.\n", "several sentences on a line"),
    "joined by _eos": ("One _eos Two\nThree\nFour _eos Five\n", "several sentences on a line"),
    "documents": ("One. Two.\nThree.\n", "it has a line for each of the documents"),
    "one is missing": ("One.\nTwo.\nThree.\nFour.\n", None),
}


@pytest.mark.parametrize("what", CAUSES)
def test_a_wrong_number_of_lines_names_the_cause_that_fits(tmp_path, what):
    content, cause = CAUSES[what]
    (tmp_path / "theirs").write_bytes(content.encode())
    (tmp_path / "text").write_text(A_LINE_EACH)
    (tmp_path / "names").write_text("a\na\na\na\nb\n")
    files = read_plain_files([tmp_path / "text"], tmp_path / "names")
    with pytest.raises(UserError, match=r"theirs(:\d)?: a different number of lines\n  found \d+; expected 5") as wrong:
        files.translations(tmp_path / "theirs")
    assert wrong.value.remedy == (cause and f"likely cause: {cause}")


def test_windows_line_ends_a_byte_order_mark_and_other_ends_inside_change_nothing(tmp_path):
    """A file from Windows, with U+2028 and U+0085 inside lines, has the lines of the same text elsewhere."""
    lines = ["One two.", "Five six\u2028seven.", "Nine\x85 ten."]
    (tmp_path / "text").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "theirs").write_bytes(b"\xef\xbb\xbf" + ("\r\n".join(lines) + "\r\n").encode())
    assert read_plain_files([tmp_path / "text"]).translations(tmp_path / "theirs").raw == tuple(lines)
