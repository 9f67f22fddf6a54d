"""Plain files of a user: their lines and documents."""

import pytest

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
