"""An export to CTranslate2 computes the same probabilities, and translates as docmt does, without docmt."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.exported import DOCUMENTS, TEXT, VOCABULARY, loaded_program, write_model
from helpers.model_cases import CASES

import docmt
from docmt.models.store import load_model
from docmt.nn.rows import Rows
from docmt.search.forced import forced_scores
from docmt.settings.data import CutConfig
from docmt.settings.models import TransformerConfig

pytestmark = pytest.mark.filterwarnings("ignore:.*another number of sentences")
PLAIN = CASES["transformer"]
MODELS: dict[str, tuple[TransformerConfig, int]] = {
    "wrapped": (PLAIN, 1),
    "summarised, pre-norm, untied": (replace(PLAIN, frame="summarised", norm="pre", embeddings="separate"), 1),
    "learned positions, gelu, normed embeddings": (CASES["transformer other"], 1),
    "pieces that are not known": (replace(PLAIN, absent_pieces=(9, 12)), 1),
    "unmarked": (CASES["transformer unmarked"], 1),
    "fairseq": (CASES["transformer fairseq"], 1),
    "joined": (CASES["transformer joined"], 1),
    "windows": (CASES["transformer joined"], 3),
    "windows that a learned table just has": (
        replace(CASES["transformer joined"], position_table="learned", max_positions=12),
        3,
    ),
}


@pytest.fixture(params=MODELS)
def folder(request, tmp_path) -> Path:
    config, window = MODELS[request.param]
    return write_model(tmp_path / "model", config, CutConfig(window=window))


def exported(folder: Path, monkeypatch, **settings):
    output = folder.parent / "exported"
    docmt.export_model(folder, output, "ctranslate2", **settings)
    return loaded_program(output, monkeypatch).CTranslate2Model(output, threads=1)


def lines(folder: Path, **settings) -> list[list[str]]:
    opened = docmt.open_model(folder, device="cpu", threads=1)
    return [list(document.lines) for document in opened.translate(DOCUMENTS, **settings)]


def test_probabilities_are_those_of_docmt(folder, monkeypatch):
    translator = exported(folder, monkeypatch)
    network = load_model(folder)
    size = translator.settings["window"]
    sources = [[[7, 9, 11], [20], [13, 14]][:size], [[8, 8], [21, 22, 23], [10]][:size]]
    targets = [[[10, 8], [9, 9, 24], [7]][:size], [[25], [13], [15, 16]][:size]]
    expected, _ = forced_scores(network, Rows.from_lists(sources, targets))
    names = [[[VOCABULARY.pieces[number] for number in sentence] for sentence in window] for window in sources]
    between = [translator.settings["between"]] if size > 1 else []
    outputs = [
        [VOCABULARY.pieces[number] for sentence in window for number in ([4] if between else []) + sentence]
        for window in targets
    ]
    scored = translator.translator.score_batch(
        [translator._framed(window) for window in names], [output[len(between) :] for output in outputs]
    )
    actual = [value for each in scored for value in each.log_probs]
    np.testing.assert_allclose(actual, expected.numpy(), atol=2e-5)


@pytest.mark.some(3)
def test_greedy_translations_are_equal_whatever_the_model_is(folder, monkeypatch):
    assert exported(folder, monkeypatch, beam=1).translate(DOCUMENTS) == lines(folder, beam=1)


def test_a_window_that_the_table_of_positions_is_too_short_for_is_refused(tmp_path, monkeypatch):
    config = replace(CASES["transformer joined"], position_table="learned", max_positions=9)
    program = exported(write_model(tmp_path / "model", config, CutConfig(window=2)), monkeypatch)
    assert len(program.translate([["abcd", "efg"]])[0]) == 2
    with pytest.raises(ValueError, match="a window has 10 pieces with its symbols; the model has 9 positions"):
        program.translate([["a"], ["abcd", "efgh"]])


@pytest.mark.parametrize("settings", [{}, {"length_alpha": 0.4}, {"length_penalty": "none"}], ids=str)
@pytest.mark.parametrize("window", [1, 2])
def test_beams_are_equal_where_barred_outputs_are_improbable(window, settings, tmp_path, monkeypatch):
    config = replace(CASES["transformer pre-norm"], frame="joined" if window > 1 else "wrapped")
    folder = write_model(tmp_path / "model", config, CutConfig(window=window), is_sure=True, seed=5)
    assert exported(folder, monkeypatch, beam=4, **settings).translate(DOCUMENTS) == lines(folder, beam=4, **settings)


def test_a_maximum_length_of_batches_depends_on_the_batches(tmp_path, monkeypatch):
    """As fairseq has it, and models that are imported from it."""
    config = CASES["transformer fairseq"]
    folder = write_model(tmp_path / "m", config, CutConfig(window=1), decode={"max_length_of": "batch"})
    settings = {"beam": 1, "batch_tokens": 6, "max_length_b": 1}
    assert exported(folder, monkeypatch, **settings).translate(DOCUMENTS) == lines(folder, **settings)


def test_the_program_translates_standard_input_without_docmt(tmp_path):
    folder = write_model(tmp_path / "model", PLAIN, CutConfig(window=1))
    output = tmp_path / "exported"
    docmt.export_model(folder, output, "ctranslate2", beam=1)
    hidden = tmp_path / "hidden"
    (hidden / "docmt").mkdir(parents=True)
    (hidden / "docmt" / "__init__.py").write_text("raise ImportError('docmt is not needed')\n")
    done = subprocess.run(
        [sys.executable, output / "translate.py", "--threads", "1"],
        input=f"\n{TEXT}\x07\n",
        env={"PYTHONPATH": str(hidden), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = "\n\n".join("\n".join(document) for document in lines(folder, beam=1))
    assert done.stdout == f"\n{expected}\n\n"


def test_the_export_has_what_its_program_needs(tmp_path):
    folder = write_model(tmp_path / "model", PLAIN, CutConfig(window=1))
    docmt.export_model(folder, tmp_path / "exported", "ctranslate2", beam=3, max_length_b=7)
    settings = json.loads((tmp_path / "exported/translate.json").read_text())
    assert (settings["beam"], settings["max_length_b"], settings["window"]) == (3, 7, 1)
    assert [line.split("==")[0] for line in (tmp_path / "exported/requirements.txt").read_text().splitlines()] == [
        *("ctranslate2", "regex", "sacremoses", "subword-nmt")
    ]
    assert not (tmp_path / "exported/chinese.py").exists()
    assert "`translate.py` needs `ctranslate2`" in (tmp_path / "exported/README.md").read_text()
