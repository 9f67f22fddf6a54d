"""`docmt check-corpus`: every problem of a corpus, with file and line, so many of each kind as were asked for."""

import json
import sys
from pathlib import Path

import pytest
from helpers.reader_files import tar_bytes, write_files

from docmt.base.digests import sha256_file
from docmt.cli.corpus import review_text
from docmt.cli.main import main
from docmt.corpus.review import review_files

BLANK_LINES = {"blank": True}
GOOD = {"a.zh": "一\n二\n\n三\n", "a.en": "one\ntwo\n\nthree\n", "b.en": "1\n2\n\n3\n"}


@pytest.fixture
def validate(tmp_path, monkeypatch, capsys):
    """Run the command in a folder; its exit status and what it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DOCMT_MIRROR", raising=False)

    def run(*arguments: object) -> tuple[int, list[str]]:
        monkeypatch.setattr(sys, "argv", ["docmt", "check-corpus", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code, (printed.out + printed.err).splitlines()

    return run


@pytest.fixture
def validate_lines(tmp_path, monkeypatch):
    """Review the files a.zh and a.en of a folder, as lines; the status and the lines of the command."""
    monkeypatch.chdir(tmp_path)

    def run(at_most: int = 10, documents: object = BLANK_LINES, **more: object) -> tuple[int, list[str]]:
        sides = {"source": "a.zh", "target": "a.en", **more}
        review = review_files({"kind": "lines", "splits": {"train": sides}, "documents": documents}, "mine", at_most)
        return 2 if review.problems.problems else 0, review_text(review).splitlines()

    return run


def test_counts_of_a_good_corpus(tmp_path, validate_lines):
    write_files(tmp_path, GOOD)
    status, lines = validate_lines(references=["b.en"])
    assert status == 0
    assert [line.split() for line in lines[1:]] == [["train", "2", "3", "1", "to", "2", "2", "3", "/", "11"]]


def test_every_problem_with_its_line_and_the_rest_counted(tmp_path, validate_lines):
    source = ["一", "", "三\x00", *["四"] * 4, "<s>", "九", "十" * 1001, "十一"]
    target = [*["one"] * 3, "", "", "", "", "_eos", "", "ten", "eleven", "twelve"]
    write_files(tmp_path, {"a.zh": b"\n".join(text.encode() for text in source) + b"\xff\n", "a.en": "\n".join(target)})
    status, lines = validate_lines(2, documents=None)
    assert status == 2
    assert lines == [
        "empty sentence: 6",
        "  a.zh:2",
        "  a.en:4",
        "  and 4 more",
        "control character in the text: 1",
        "  a.zh:3: found U+0000",
        "stray marker in the text: 2",
        "  a.zh:8: found <s>",
        "  a.en:8: found _eos",
        "not valid UTF-8: 1",
        "  a.zh:11: found byte 0xff at column 7",
        "the two sides have different numbers of lines: 1",
        "  a.zh:11: found 11 lines; expected 12 lines, as in a.en",
        "warning: sentence of more than 1000 characters: 1",
        "  a.zh:10: found 1001",
        "warning: sentences are only a tag (<...>) (only_a_tag): 1",
        "  the corpus train source: found 1 of 11 sentences, first a.zh:8",
        "warning: U+FFFD stands for characters that are lost (replacement_character): 1",
        "  the corpus train source: found 1 of 11 sentences, first a.zh:11",
    ]


def test_text_that_is_another_but_for_its_form_is_counted(tmp_path, validate):
    rows = ["split\tdocument\tsource\ttarget", "train\ta\t„Eins“\tone", "train\tb\tzwei\ttwo", "test\tc\tEINS.\tOne"]
    rows += ["test\td\tdrei\tthree", "dev\te\tvier\tfour"]
    items = "item\tdistance\tsource\ttarget\tcorrect\ni\t0\tZwei\tTwo!\t1\ni\t0\tZwei\ttoo\t0\n"
    write_files(tmp_path, {"own/t.tsv": "\n".join(rows) + "\n", "own/c.tsv": items})
    table = {"kind": "table", "file": "t.tsv", "split": "split"}
    parts = [table, {"kind": "contrastive_table", "sets": {"p": "c.tsv"}}]
    reader = {"kind": "combined", "parts": parts}
    files = [{"name": "t.tsv"}, {"name": "c.tsv"}]
    more = {"source_language": "de", "files": files, "reader": reader, "expected": {}, "contrastive": True}
    path = corpus_file(tmp_path, **more)
    status, lines = validate(path)
    assert (status, lines[4:]) == (
        0,
        [
            "shared with train, of test, but for case, punctuation and form of Unicode: "
            "sentence pairs 1 of 2 (50 %), source sentences 1 of 2 (50 %); first t.tsv:4",
            "shared with train, of contrastive set p: items with their context 1 of 1 (100 %), "
            "judged sentences 1 of 1 (100 %)",
            "contrastive set p: 1 items",
        ],
    )
    _, printed = validate(path, "--json")
    record = json.loads("\n".join(printed))
    assert [each["items"]["count"] for each in record["shared_items"]] == [1]
    assert record["signs"]["test"] == {"source": {}, "target": {}}


def test_problems_of_boundaries_do_not_hide_each_other(tmp_path, validate_lines):
    write_files(tmp_path, {"a.zh": "一\n\n\n四\n五\n\n七\n", "a.en": "1\n\n\n4\n\n6\n7\n"})
    assert validate_lines() == (
        2,
        ["empty document: 1", "  a.zh:3", "document boundary on one side only: 2", "  a.en:5", "  a.zh:6"],
    )


# A corpus file

MINE = {
    "corpus": "mine",
    "about": "mine",
    "source_language": "zh",
    "target_language": "en",
    "licence": "CC0",
    "citation": "me",
    "files": [{"name": "a.tgz"}, {"name": "dev.zh"}, {"name": "dev.en"}],
    "reader": {
        "kind": "combined",
        "parts": [
            {"kind": "lines", "archive": "a.tgz", "splits": {"train": {"source": "a.zh", "target": "a.en"}}},
            {"kind": "lines", "splits": {"dev": {"source": "dev.zh", "target": "dev.en"}}},
        ],
    },
    "expected": {"train": {"documents": 2, "sentences": 3}, "dev": {"documents": 1, "sentences": 1}},
}
FILES = {"a.tgz": tar_bytes(GOOD), "dev.zh": "七\n", "dev.en": "seven\n"}


def corpus_file(tmp_path: Path, **changes: object) -> str:
    write_files(tmp_path, {"own/mine.yaml": json.dumps({**MINE, **changes})})
    return "own/mine.yaml"


@pytest.mark.parametrize("where", ["beside", "folder", "deep folder", "source", "mirror"])
def test_files_of_a_corpus_file_are_located(tmp_path, validate, where):
    folder = {"beside": "own", "folder": "there", "deep folder": "there/deep", "source": "far", "mirror": "far"}[where]
    write_files(tmp_path, {f"{folder}/{name}": content for name, content in FILES.items()})
    sources = [{"name": file["name"], "sources": [str(tmp_path / "far" / file["name"])]} for file in MINE["files"]]
    path = corpus_file(tmp_path, **({"files": sources} if where == "source" else {}))
    options = {"folder": ["--files", "there"], "deep folder": ["--files", "there"], "mirror": ["--mirror", "far"]}
    status, lines = validate(path, *options.get(where, []))
    assert status == 0
    assert lines[0].startswith("warning: splits are missing") and lines[1] == "  mine: found no test"
    assert [line.split()[:3] for line in lines[3:5]] == [["train", "2", "3"], ["dev", "1", "1"]]
    assert lines[5:] == ["shared between splits: nothing"]


def test_what_is_there_is_read_where_a_file_is_missing_or_changed(tmp_path, validate):
    write_files(tmp_path, {"own/dev.zh": "七\n\n", "own/dev.en": "seven\n"})
    digest = sha256_file(tmp_path / "own/dev.zh")
    path = corpus_file(tmp_path, files=[{"name": "a.tgz"}, {"name": "dev.zh", "sha256": "0" * 64}, {"name": "dev.en"}])
    assert validate(path) == (
        2,
        [
            "file not found: 1",
            "  a.tgz",
            "wrong checksum: 1",
            f"  dev.zh: found sha256 {digest}; expected {'0' * 64}",
            "the two sides have different numbers of lines: 1",
            "  dev.en:1: found 1 lines; expected 2 lines, as in dev.zh",
        ],
    )


def test_nothing_to_read(tmp_path, validate_lines):
    write_files(tmp_path, {"a.zh": "一\n"})
    assert validate_lines() == (2, ["file not found: 1", "  a.en"])
