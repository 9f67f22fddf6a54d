"""A byte order mark before a file that a user gives changes nothing."""

import json
import sys

import pytest

from docmt.chains.documents import read_stop_words
from docmt.cli.main import main
from docmt.models.fairseq_settings import read_dictionary
from docmt.scoring.alignment.links import read_gold, read_unchecked_links
from docmt.scoring.chain_scores import read_stop_list
from docmt.scoring.plain_files import text_lines
from docmt.scoring.word_vectors import read_word_vectors
from docmt.text.bpe import HEADER, Segmenter

MARK = "\ufeff"
TEXT = "the cat sat on the mat\nthe dog ran all the way home\n\nit was late and it was dark\n"


@pytest.fixture
def printed(tmp_path, capsys, monkeypatch):
    """What a command prints; files by name."""

    def run(files: dict[str, str], *arguments: str) -> str:
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["docmt", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        output = capsys.readouterr()
        assert end.value.code == 0, output.err
        return output.out

    return run


def test_scores_of_the_same_text_are_perfect(printed):
    score = ("score", "--hypotheses", "h", "--reference", "r", "--json")
    for mark_of_hypotheses, mark_of_references in ((MARK, ""), ("", MARK), (MARK, MARK)):
        rows = json.loads(printed({"h": mark_of_hypotheses + TEXT, "r": mark_of_references + TEXT}, *score))
        assert {round(row["value"], 6) for row in rows} == {100.0}


@pytest.mark.parametrize(
    "arguments",
    [
        ("score-consistency", "--source", "a", "--hypotheses", "b", "--documents", "d", "--json"),
        ("align", "--source", "a", "--target", "b"),
        ("score-coherence", "--hypotheses", "b", "--documents", "d", "--vectors", "v", "--json"),
        ("compare", "--baseline", "a", "--hypotheses", "b", "--reference", "a", "--documents", "d", "--json"),
    ],
)
def test_commands_see_no_mark(printed, arguments):
    files = {"a": TEXT.replace("\n\n", "\n"), "b": TEXT.replace("\n\n", "\n"), "d": "x\nx\ny\n"}
    files["v"] = "3 2\nthe 0.5 0.1\ncat 0.2 0.2\nit 0.1 0.9\n"
    plain = printed(files, *arguments)
    # A signature has the digest of the file of vectors.
    marked = {name: text if name == "v" else MARK + text for name, text in files.items()}
    assert printed(marked, *arguments) == plain


def test_readers_see_no_mark(tmp_path):
    def written(text: str):
        path = tmp_path / "file"
        path.write_text(MARK + text, encoding="utf-8")
        return path

    assert text_lines(written("a\r\nb\n")) == ("a", "b")
    assert read_stop_words(written("the\na\n")) == {"the", "a"}
    assert read_stop_list(written("the\na\n"), lower=True).words == {"the", "a"}
    assert read_dictionary(written("a 1\nb 2\n")) == ("a", "b")
    assert Segmenter.load(written(f"{HEADER}\na b\n")).merges == ("a b",)
    assert read_unchecked_links(written("0-0 1-1\n")) == [{(0, 0), (1, 1)}]
    assert read_gold(written("0-0\n"))[0].sure == {(0, 0)}
    assert read_word_vectors(written("1 2\na 0.5 1\n"), ["a"], "keep").rows == {"a": 0}


def test_contrastive_sets_and_tables_see_no_mark(printed):
    table = "source\ttarget\tdocument\nun\tone\td\n"
    assert "train" in printed({"t.tsv": MARK + table}, "check-corpus", "t.tsv")


def test_a_file_of_a_mark_alone_has_no_line(tmp_path):
    (tmp_path / "file").write_bytes(MARK.encode())
    assert text_lines(tmp_path / "file") == ()
