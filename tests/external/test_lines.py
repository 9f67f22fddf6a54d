"""Lines of a user's translations: what is read, and what is refused with its file, its line and the likely cause."""

import re
from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.external.lines import ExpectedText, read_translations
from docmt.settings.external import FileTranslations

DOCUMENTS = ("a", "a", "a", "b", "b")
TEST = ExpectedText(DOCUMENTS, ("s",) * 5, ("r",) * 5, dev_sentences=7)
FIVE = "1\n2\n3\n4\n5\n"


def read(path: Path, **stated: str) -> list[str]:
    return read_translations(path, FileTranslations(str(path), **stated), TEST)


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "other.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [FIVE, FIVE.removesuffix("\n"), "\ufeff" + FIVE, FIVE.replace("\n", "\r\n"), "1\r\n2\n3\n4\r\n5"],
    ids=["feed", "no last feed", "byte order mark", "carriage returns", "both ends"],
)
def test_ends_of_lines_and_a_byte_order_mark_are_no_text(tmp_path, content):
    assert read(write(tmp_path, content)) == ["1", "2", "3", "4", "5"]


def test_a_blank_line_is_an_empty_translation(tmp_path):
    assert read(write(tmp_path, "1\n\n3\n4\n5\n")) == ["1", "", "3", "4", "5"]


@pytest.mark.parametrize("content", ["1\n2\n3\n\n4\n5\n", "1\r\n2\r\n3\r\n\r\n4\r\n5\r\n\r\n"])
def test_blank_lines_between_documents_are_no_translations(tmp_path, content):
    assert read(write(tmp_path, content)) == ["1", "2", "3", "4", "5"]


def test_a_blank_line_inside_a_document_is_empty_beside_blank_lines_between_documents(tmp_path):
    assert read(write(tmp_path, "1\n\n3\n\n4\n5\n")) == ["1", "", "3", "4", "5"]


def test_a_character_that_ends_lines_elsewhere_is_text_where_the_number_is_right(tmp_path):
    assert read(write(tmp_path, "1\u2028x\n2\n3\n4\n5\n"))[0] == "1\u2028x"


WRONG = {
    "a line too few": ("1\n2\n3\n4\n", 5, "4 lines; expected 5 lines", ""),
    "a line too many": (FIVE + "6\n", 6, "6 lines; expected 5 lines", ""),
    "a blank line at the end": (FIVE + "\n", 6, "6 lines", "blank lines at the end"),
    "blank lines at the end": (FIVE + "\n \n", 6, "7 lines", "blank lines at the end"),
    "a blank line inside": ("1\n2\n\n3\n4\n5\n", 3, "6 lines", "a blank line too many"),
    "blank lines inside": ("1\n\n2\n3\n\n4\n5\n", 2, "7 lines", "blank lines between documents"),
    "another split": (FIVE + "6\n7\n", 6, "7 lines", "it has as many lines as the dev split has sentences"),
    "blank lines between documents": ("\n1\n2\n3\n\n4\n5\n\n", 1, "8 lines", "blank lines between documents"),
    "another end of a line": ("1\n2\u20283\n4\n5\n", 2, "4 lines", "the character U+2028, at which another program"),
    "sentences on a line": ("1. 2.\n3?\n4\n5\n", 1, "4 lines", "several sentences on a line"),
    "a document a line": ("1 2 3\n4 5\n", 1, "2 lines", "it has a line for each of the documents: state `lines: doc"),
}


@pytest.mark.parametrize("what", WRONG)
def test_another_number_of_lines_is_refused_with_line_and_cause(tmp_path, what):
    content, line, count, cause = WRONG[what]
    path = write(tmp_path, content)
    with pytest.raises(
        UserError, match=rf"{re.escape(str(path))}:{line}: the file must have one line for each test"
    ) as wrong:
        read(path)
    assert count in str(wrong.value)
    assert (f"likely cause: {cause}" in str(wrong.value)) if cause else ("likely" not in str(wrong.value))


def test_sentences_where_lines_are_documents_are_refused(tmp_path):
    assert read(write(tmp_path, "1 2 3\n4 5\n"), lines="documents") == ["1 2 3", "4 5"]
    with pytest.raises(
        UserError, match=r":1: the file must have one line for each test document\n  found 5 lines.*\n.*`lines: sent"
    ):
        read(write(tmp_path, FIVE), lines="documents")


NO_TEXT = {
    "empty": ("", r":1: no translation in the file\n  found an empty file"),
    "blank": ("\n \n\n\n\n", r":1: no translation in the file\n  found 5 blank lines"),
    "not UTF-8": (b"1\n\xff\n3\n4\n5\n", r":2: not valid UTF-8\n  found byte 0xff"),
    "carriage returns alone": ("1\r2\r3\r4\r5", r":1: a carriage return inside a line"),
    "no file": (None, "file not found"),
}


@pytest.mark.parametrize("what", NO_TEXT)
def test_what_is_no_text_is_refused(tmp_path, what):
    content, message = NO_TEXT[what]
    path = tmp_path / "none.txt" if content is None else write(tmp_path, content)
    with pytest.raises(UserError, match=rf"{re.escape(str(path))}.*{message}|{re.escape(str(path))}{message}"):
        read(path)


def folder(tmp_path: Path, **files: str) -> Path:
    (tmp_path / "other").mkdir()
    for name, content in files.items():
        (tmp_path / "other" / name.replace("_", ".")).write_text(content, encoding="utf-8")
    return tmp_path / "other"


def test_a_folder_has_a_file_for_each_document(tmp_path):
    path = folder(tmp_path, b_txt="4\n5\n", a_txt="1\n2\n3\n", _hidden="x")
    assert read(path) == ["1", "2", "3", "4", "5"]


def test_files_may_have_the_plain_names_of_documents_or_follow_their_order(tmp_path):
    path = folder(tmp_path, b="4\n5\n", a="1\n2\n3\n")
    assert read(path) == read(path, files="order") == ["1", "2", "3", "4", "5"]
    (path / "a").rename(path / "c")
    with pytest.raises(
        UserError, match=r"other/b:3: the file must have one line for each sentence of document a\n  found 2 lines"
    ):
        read(path, files="order")


def test_each_file_of_a_folder_may_be_one_line(tmp_path):
    path = folder(tmp_path, a_txt="1 2 3\n", b_txt="4 5\n")
    assert read(path, lines="documents") == ["1 2 3", "4 5"]


def test_a_wrong_document_is_refused(tmp_path):
    path = folder(tmp_path, a_txt="1\n2\n3\n", bb_txt="4\n5\n")
    with pytest.raises(UserError, match=r"other/bb\.txt: unknown document of the test set\n  found bb\n  did you mean"):
        read(path)


def test_a_missing_document_is_refused(tmp_path):
    path = folder(tmp_path, a_txt="1\n2\n3\n")
    for files in ("names", "order"):
        with pytest.raises(
            UserError, match=r"other: the folder must have one file for each test document\n  found 1 files, .* of b"
        ):
            read(path, files=files)


def test_a_wrong_file_of_a_document_is_refused_with_its_line(tmp_path):
    path = folder(tmp_path, a_txt="1\n2\n3\n\n", b_txt="4\n5\n")
    with pytest.raises(
        UserError, match=r"a\.txt:4: the file must have one line for each sentence of document a\n.*\n.*at the end"
    ):
        read(path)
