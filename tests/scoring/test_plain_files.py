"""Plain files of a user: their lines and documents."""

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
