"""COMET and document-level COMET by a program that stands for the other environment."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from helpers.comet_files import write_comet
from helpers.command_line import output
from helpers.support import ROOT

from docmt.base.columns import DOCUMENTS
from docmt.base.errors import UserError
from docmt.base.tables import write_parquet
from docmt.scoring import comet
from docmt.scoring.inputs import References, Translations
from docmt.scoring.programs.comet_scorer import with_context

OTHER_PYTHON = (sys.executable, str(ROOT / "tests/helpers/other_python.py"))
DOCUMENT_NAMES = ("x", "x", "x", "y")
SOURCES, LINES, ANSWERS = "abcd", ("a b", "c", "d e", "f"), ("a b", "c", "d x", "y")
SETTINGS = {"model": "given", "encoder": None, "context": 2, "batch": 4}


def scored(tmp_path: Path, settings: dict | None, lines: str = "sentences", command: tuple[str, ...] = OTHER_PYTHON):
    rows = [
        {"split": "test", "document": document, "sentence": number, "source": source, "target": "", "references": []}
        for number, (document, source) in enumerate(zip(DOCUMENT_NAMES, SOURCES, strict=True))
    ]
    write_parquet(tmp_path / "documents.parquet", pa.Table.from_pylist(rows, schema=DOCUMENTS))
    inputs = SimpleNamespace(
        corpus=tmp_path, comet_command=command, comet_model=write_comet(tmp_path / "model"), comet_encoder=None
    )
    job = SimpleNamespace(
        settings={"comet": settings},
        inputs=inputs,
        lines=lines,
        device="cpu",
        references=References(DOCUMENT_NAMES, (ANSWERS,), (ANSWERS,)),
        translations=Translations(LINES, LINES),
    )
    return comet.score(job)


def test_both_measures_are_means_over_sentences_with_their_summands(tmp_path):
    result = scored(tmp_path, SETTINGS)
    plain, with_documents = result.scores
    assert plain.value == pytest.approx((1 + 1 + 0.5 + 0) / 4)
    assert with_documents.value == pytest.approx(plain.value + (0 + 1 + 2 + 0) / 4)
    assert (
        plain.signature.startswith("COMET|model:model-") and "|unbabel-comet:0.0|references:first|" in plain.signature
    )
    assert "|context:2 sentences, of references|" in with_documents.signature
    assert [(tally.name, tally.unit) for tally in result.tallies] == [
        ("COMET", "sentences"),
        ("doc-COMET", "sentences"),
    ]
    for tally, measured in zip(result.tallies, (plain, with_documents), strict=True):
        assert tally.score == pytest.approx(measured.value)
        assert tally.names == ("0", "1", "2", "3")


def test_without_context_there_is_no_document_level_comet(tmp_path):
    (score,) = scored(tmp_path, SETTINGS | {"context": 0}).scores
    assert score.name == "COMET"


@pytest.mark.parametrize(("settings", "lines"), [(None, "sentences"), (SETTINGS, "documents")])
def test_no_program_runs_without_a_model_or_without_sentences(tmp_path, settings, lines):
    assert scored(tmp_path, settings, lines, ("no-such-program",)).scores == []


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("no-such-program",), "scoring.comet: the program cannot be started"),
        ((sys.executable,), "scoring.comet: the program gave no usable answer\n  found it ended with status 1"),
        (("echo",), "scoring.comet: the program wrote not a line of JSON"),
    ],
)
def test_an_environment_without_comet_is_refused(tmp_path, command, message):
    with pytest.raises(UserError) as refusal:
        scored(tmp_path, SETTINGS, command=command)
    assert message in str(refusal.value)


def test_an_answer_that_does_not_say_how_it_scored_is_refused(tmp_path):
    code = "import json\nfor line in open(0): print(json.dumps({'id': json.loads(line)['id'], 'scores': [1, 2, 3, 4]}))"
    with pytest.raises(UserError, match="did not say how it scored\n  found no version, reads_references, cut"):
        scored(tmp_path, SETTINGS, command=(sys.executable, "-c", code))


def test_context_is_that_of_the_document_and_of_references():
    document = [("s0", "t0", "r0"), ("s1", "t1", "r1"), ("s2", "t2", "r2"), ("s3", "t3", "r3")]
    assert with_context(document, 0, 2, "</s>", True) == {"src": "s0", "mt": "t0", "ref": "r0"}
    expected = {"src": "s1 </s> s2 </s> s3", "mt": "r1 </s> r2 </s> t3", "ref": "r1 </s> r2 </s> r3"}
    assert with_context(document, 3, 2, "</s>", True) == expected
    assert with_context(document, 1, 2, "|", False)["mt"] == "t0 | t1"


def test_plain_files_are_scored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_comet(tmp_path / "model")
    for name, lines in (("source", SOURCES), ("system", LINES), ("reference", ANSWERS), ("names", DOCUMENT_NAMES)):
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [
        *("score-comet", "--source", "source", "--hypotheses", "system", "--reference", "reference", "--json"),
        *("--comet-command", " ".join(OTHER_PYTHON), "--comet-model", "model"),
    ]
    (alone,) = json.loads(output(*command))
    assert (alone["metric"], alone["value"], alone["n"]) == ("COMET", 0.625, 4)
    assert alone["sentence_scores"] == [1, 1, 0.5, 0]
    both = json.loads(output(*command, "--documents", "names"))
    assert [row["metric"] for row in both] == ["COMET", "doc-COMET"]
    assert both[0] == alone and both[1]["value"] == 0.625 + 0.75
