"""Standard input in the place of a file: `-`, once in a command."""

import json
from pathlib import Path

import pytest
from helpers.command_line import output

from docmt.base.errors import UserError

REFERENCE = "The cat sat.\nIt was black.\n\nA dog barked at it.\nNobody saw the dog.\n"
HYPOTHESES = REFERENCE.replace("black", "grey").replace("Nobody", "No one")
NAMES = "a\na\nb\nb\n"


@pytest.fixture
def files(tmp_path) -> dict[str, Path]:
    """Texts whose documents are parted by blank lines, and names for the same lines without blank ones."""
    texts = {
        "hypotheses": HYPOTHESES,
        "reference": REFERENCE,
        "documents": NAMES,
        **{f"{name}.plain": text.replace("\n\n", "\n") for name, text in (("h", HYPOTHESES), ("r", REFERENCE))},
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return {name: tmp_path / name for name in texts}


def scores(*arguments: object, text: str = "") -> list[dict]:
    return json.loads(output("score", *arguments, "--json", text=text))


def test_hypotheses_from_standard_input(files):
    reference = ("--reference", files["reference"])
    expected = scores("--hypotheses", files["hypotheses"], *reference)
    given = scores("--hypotheses", "-", *reference, text=HYPOTHESES)
    assert [{**row, "system": ""} for row in given] == [{**row, "system": ""} for row in expected]
    assert {row["system"] for row in given} == {"standard input"}
    assert output("score", "--hypotheses", "-", *reference, text=HYPOTHESES).splitlines()[1].startswith("standard inp")


def test_standard_input_may_be_one_of_several_systems(files):
    reference = ("--reference", files["reference"])
    systems = scores("--hypotheses", files["reference"], "--hypotheses", "-", *reference, text=HYPOTHESES)
    assert list(dict.fromkeys(row["system"] for row in systems)) == [str(files["reference"]), "standard input"]
    assert systems[0]["value"] == pytest.approx(100) and systems[-1]["value"] < 99


def test_a_reference_from_standard_input(files):
    hypotheses = ("--hypotheses", files["hypotheses"])
    assert scores(*hypotheses, "--reference", "-", text=REFERENCE) == scores(
        *hypotheses, "--reference", files["reference"]
    )


def test_names_of_documents_from_standard_input(files):
    plain = ("--hypotheses", files["h.plain"], "--reference", files["r.plain"])
    expected = scores(*plain, "--documents", files["documents"])
    assert scores(*plain, "--documents", "-", text=NAMES) == expected
    assert [score["metric"] for score in expected] == ["s-BLEU", "d-BLEU"]


def test_a_baseline_from_standard_input_has_a_name(files):
    arguments = ("--hypotheses", files["reference"], "--reference", files["reference"])
    record = json.loads(output("compare", "--baseline", "-", *arguments, "--json", text=HYPOTHESES))
    assert record["baseline"] == "standard input"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--hypotheses", "-", "--reference", "-"),
        ("--hypotheses", "-", "--hypotheses", "-", "--reference", "reference"),
        ("--hypotheses", "hypotheses", "--reference", "reference", "--reference", "-", "--documents", "-"),
    ],
)
def test_standard_input_is_one_file(files, arguments):
    given = [files.get(argument, argument) for argument in arguments]
    with pytest.raises(UserError, match="-: standard input is one file\n  found 2 times -; expected once"):
        output("score", *given, text=HYPOTHESES)


def test_messages_call_it_standard_input_and_nothing_is_left_behind(files, monkeypatch):
    folder = files["reference"].parent / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with pytest.raises(UserError) as refused:
        output("score", "--hypotheses", "-", "--reference", files["reference"], text="one\n")
    assert str(refused.value).startswith("standard input: a different number of lines\n  found 1; expected 5, as in ")
    with pytest.raises(UserError, match=r"^standard input:2: not valid UTF-8"):
        output("score", "--hypotheses", files["hypotheses"], "--reference", "-", text=b"one\n\xff\n")
    assert list(folder.iterdir()) == []


def test_a_table_of_a_corpus_from_standard_input():
    printed = output("check-corpus", "-", text="source\ttarget\tdocument\nun\tone\td\ndeux\ttwo\td\n")
    assert printed.splitlines()[1].split()[:3] == ["train", "1", "2"]


def test_a_file_of_that_name_is_given_with_its_folder(files):
    path = files["reference"].with_name("-")
    path.write_text(REFERENCE)
    system, *_ = scores("--hypotheses", path, "--reference", files["reference"], text="other text\n")
    assert system["value"] == pytest.approx(100)
