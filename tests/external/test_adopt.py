"""Adopted translations have the files that stage 6 writes for a trained system."""

import json

import pyarrow as pa
import pytest

from docmt.base.columns import DOCUMENTS
from docmt.base.errors import UserError
from docmt.base.tables import write_parquet
from docmt.external.adopt import AdoptionSettings, adopted_lines, read_expected, write_adopted
from docmt.settings.external import FileTranslations
from docmt.text.signs import signs_of

ROWS = [("test", "a", 0, "他", "He."), ("test", "a", 1, "她", "She."), ("dev", "d", 0, "它", "It.")]


def adopt(tmp_path, content: str | None, **stated: object) -> tuple[list[str], dict]:
    names = ("split", "document", "sentence", "source", "target")
    rows = [{"references": [], **dict(zip(names, row, strict=True))} for row in ROWS]
    write_parquet(tmp_path / "corpus/documents.parquet", pa.Table.from_pylist(rows, schema=DOCUMENTS))
    path = None if content is None else tmp_path / "theirs.txt"
    if path:
        path.write_text(content, encoding="utf-8")
    source = FileTranslations("given", **stated)
    settings = AdoptionSettings(5, "s", "c", "theirs", "paper", 1, source, stand_in=path is None)
    output, test = tmp_path / "output", read_expected(tmp_path / "corpus")
    theirs, notes = adopted_lines(settings, test, path, signs_of, "en")
    write_adopted(settings, test, theirs, notes, output, lambda line: (f"<{line}>", line))
    return notes, json.loads((output / "decoding.json").read_text(encoding="utf-8"))


def lines(tmp_path, name: str) -> list[str]:
    return (tmp_path / "output" / name).read_text(encoding="utf-8").splitlines()


def test_text_tokens_and_record_are_written(tmp_path):
    notes, record = adopt(tmp_path, "\ufeffHe is.\r\n\r\n")
    assert lines(tmp_path, "test.txt") == ["He is.", ""] and lines(tmp_path, "test.tok.txt") == ["<He is.>", "<>"]
    assert notes == record["notes"] == ["1 of 2 lines are blank, which count as empty translations"]
    assert (record["lines"], record["sentences"], record["empty"], record["stand_in"]) == ("sentences", 2, 1, False)


def test_the_digest_is_that_of_the_lines_and_not_of_the_bytes(tmp_path):
    digests = [adopt(tmp_path, content)[1]["digest"] for content in ("A\nB\n", "A\r\nB", "A\nC\n")]
    assert digests[0] == digests[1] != digests[2]


def test_nothing_is_written_of_a_wrong_file(tmp_path):
    with pytest.raises(UserError, match=r"theirs\.txt:1: .*\n.*\n  likely cause: it has a line for each"):
        adopt(tmp_path, "a\n")
    assert not (tmp_path / "output").exists()


def test_generated_lines_are_said_to_be_generated(tmp_path):
    notes, record = adopt(tmp_path, None, tokenised=True)
    assert notes == [] and record["stand_in"] is True and record["strategy"] == "generated lines"
    assert len(lines(tmp_path, "test.txt")) == 2 and lines(tmp_path, "test.txt")[0].startswith("He")
