"""CTranslate2 as the engine of decoding gives what docmt's own search gives, or refuses the model."""

import dataclasses
import json
import random
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
import torch
from helpers.command_line import output
from helpers.exported import DOCUMENTS, TEXT, write_model
from helpers.model_cases import CASES
from helpers.recipes import write_recipe
from helpers.tiny import segment

import docmt
from docmt.base.columns import SEGMENTS
from docmt.base.errors import UserError
from docmt.base.tables import write_arrow
from docmt.exporting.ct2_engine import CTranslate2Search
from docmt.nn.rows import Rows
from docmt.search.forced import forced_scores
from docmt.settings.ctranslate2 import SENTENCE_FRAMES
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import TransformerConfig
from docmt.trained.engine import exported_model, translator_of
from docmt.trained.model import TrainedModel

SENTENCES = CutConfig(window=1)
SURE = replace(CASES["transformer pre-norm"], frame="summarised")
draw = random.Random(3)
SOURCES = [[[draw.randrange(7, 27) for _ in range(draw.randrange(12))]] for _ in range(60)]
ROWS = Rows.from_lists(SOURCES)
"""Sentences of up to 11 pieces, some of which have none."""


def model_of(folder: Path, config: TransformerConfig = SURE, end: float = 4.5, **more) -> TrainedModel:
    """A model that ends most of its translations itself."""
    return TrainedModel.open(write_model(folder / "model", config, SENTENCES, True, end, **more), "cpu", 1)


def translators(model: TrainedModel, **decode):
    return [
        translator_of(model, SENTENCES, DecodeConfig(engine=engine, **{"beam": 4, **decode}))
        for engine in ("docmt", "ctranslate2")
    ]


@pytest.mark.parametrize("frame", SENTENCE_FRAMES)
def test_translations_are_those_of_docmts_own_search(frame, tmp_path):
    usual, other = translators(model_of(tmp_path, replace(SURE, frame=frame), end=3, seed=5), length_alpha=0.6)
    expected, translated = usual.translate(ROWS), other.translate(ROWS)
    assert [each.sentences for each in translated.best] == [each.sentences for each in expected.best]
    assert [each.forced_ends for each in translated.best] == [each.forced_ends for each in expected.best]
    assert dataclasses.replace(other.counts, seconds=0) == dataclasses.replace(usual.counts, seconds=0)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "decode",
    [{"beam": 1}, {"length_penalty": "none"}, {"length_alpha": 0.0}, {"max_length_of": "batch", "batch_tokens": 50}],
    ids=str,
)
def test_all_that_a_search_can_be_told_is_obeyed(decode, tmp_path):
    usual, other = translators(model_of(tmp_path), **decode)
    expected = [each.sentences for each in usual.translate(ROWS).best]
    assert [each.sentences for each in other.translate(ROWS).best] == expected
    assert 0 < other.facts()["engine"]["unfinished"] < len(ROWS), "both programs have translated"


def test_what_is_said_of_the_work(tmp_path):
    usual, other = translators(model_of(tmp_path))
    other.translate(ROWS)
    facts = other.facts()["engine"]
    proof = facts.pop("proof")
    assert (facts["name"], proof["sentences"], proof["equal"]) == ("ctranslate2", len(ROWS), len(ROWS))
    assert 0 < proof["largest_difference"] < 1e-4
    assert usual.facts() == {}


def test_n_best_lists_have_the_scores_of_the_model(tmp_path):
    model = model_of(tmp_path)
    _, other = translators(model, n_best=3)
    for source, ((ranked,)) in zip(SOURCES, other.translate(ROWS).searches, strict=True):
        assert len(ranked) == 3 and ranked == sorted(ranked, key=lambda each: -each.normalised)
        rows = Rows.from_lists([source] * 3, [each.sentences for each in ranked])
        assert [each.score for each in ranked] == pytest.approx(
            forced_scores(model.network, rows)[1].tolist(), abs=1e-4
        )


def test_what_reaches_its_maximum_length_is_searched_by_docmt(tmp_path):
    usual, other = translators(model_of(tmp_path, end=-9), max_length_a=0.0, max_length_b=3)
    assert other.translate(ROWS).best == usual.translate(ROWS).best
    assert other.facts()["engine"]["unfinished"] == usual.counts.forced_ends == len(ROWS)


def test_a_sentence_without_a_position_in_the_export_is_searched_by_docmt(tmp_path, monkeypatch):
    monkeypatch.setattr("docmt.exporting.ct2_model.SINUSOID_ROWS", 8)
    usual, other = translators(model_of(tmp_path))
    expected = [each.sentences for each in usual.translate(ROWS).best]
    assert [each.sentences for each in other.translate(ROWS).best] == expected
    long = sum(len(sentence) > 6 for (sentence,) in SOURCES)
    assert long <= other.facts()["engine"]["unfinished"] < len(ROWS)


def test_other_probabilities_are_no_proof(tmp_path):
    _, other = translators(model_of(tmp_path))
    with torch.no_grad():
        other.model.output.weight[:, 3] += 0.1 * torch.arange(27)
    with pytest.raises(UserError, match="does not compute the probabilities of this model") as refused:
        other.translate(ROWS)
    assert "expected at most 0.001" in str(refused.value) and "`engine: docmt` in config.yaml" in str(refused.value)
    assert other.counts.source_tokens == 0


def test_worse_translations_are_no_proof(tmp_path):
    _, other = translators(model_of(tmp_path))
    search = other.program.search
    # Every sentence gets a translation that is one piece longer.
    longer = lambda each: replace(each, sentences=[[*each.sentences[0], 9]])  # noqa: E731
    other.program.search = lambda rows: [[[longer(ranked[0])] for ranked in searches] for searches in search(rows)]
    with pytest.raises(UserError, match="does not find the translations of docmt's own search") as refused:
        other.translate(ROWS)
    assert f"{len(ROWS)} of {len(ROWS)} sentences differ" in str(refused.value)


REFUSED = {
    "windows": (
        CASES["transformer joined"],
        CutConfig(window=2),
        {},
        "test view window2; expected a test view of sing",
    ),
    "documents": (CASES["transformer"], CutConfig(documents=True), {}, "test view documents; expected a test view of"),
    "joined": (CASES["transformer joined"], SENTENCES, {}, "frame joined, which may give several sentences; expected"),
    "architecture": (CASES["g_transformer"], SENTENCES, {}, "architecture g_transformer; expected"),
    "penalty": (CASES["transformer"], SENTENCES, {"length_penalty": "gnmt"}, "length penalty gnmt; expected average"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_models_are_refused(case, tmp_path):
    config, cut, decode, told = REFUSED[case]
    model = TrainedModel.open(write_model(tmp_path / "model", config, cut), "cpu", 1)
    with pytest.raises(UserError, match="cannot translate as this model does") as refused:
        translator_of(model, cut, DecodeConfig(engine="ctranslate2", **decode))
    assert told in str(refused.value) and "the engine docmt translates with every model" in str(refused.value)


def test_without_ctranslate2_the_message_names_its_extra(tmp_path, monkeypatch):
    model = model_of(tmp_path)
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(UserError, match="needs ctranslate2") as refused:
        translators(model)
    assert "in docmt's clone: pip install -c pins.txt -e '.[ctranslate2]'" in str(refused.value)


def test_a_gpu_that_ctranslate2_does_not_see_is_named(tmp_path):
    source = exported_model(model_of(tmp_path), SENTENCES, DecodeConfig())
    on_gpu = [SimpleNamespace(device=torch.device("cuda", 0))]
    network = SimpleNamespace(config=source.network.config, parameters=lambda: iter(on_gpu))
    with pytest.raises(
        UserError,
        match=r"CTranslate2 sees no GPU\n  found a model on cuda:0\n  `engine: docmt` or `device: cpu` in config.yaml",
    ):
        CTranslate2Search(replace(source, network=network))


def test_the_stage_writes_the_same_files(tmp_path):
    folder = model_of(tmp_path).folder
    rows = [segment(0, number, [sentence]) for number, (sentence,) in enumerate(SOURCES)]
    write_arrow(tmp_path / "view" / "test.arrow", pa.Table.from_pylist(rows, SEGMENTS))
    run = {"study": "demo", "corpus": "toy", "system": "sentence", "scale": "smoke", "seed": 1}
    written, folders = {}, []
    for engine in ("docmt", "ctranslate2"):
        decode = dataclasses.asdict(DecodeConfig(beam=4, n_best=1, engine=engine))
        settings = {"version": 1, **run, "decode": decode, "view": dataclasses.asdict(ViewConfig(SENTENCES, SENTENCES))}
        inputs = {"model": folder, "view": tmp_path / "view"}
        words = write_recipe(tmp_path / engine, "translate", settings, inputs)
        output(*words, "--threads", 1, "--device", "cpu")
        folders.append(Path(words[-1]))
        written[engine] = {path.name: path.read_text() for path in sorted(folders[-1].glob("test.*"))}
    records = [json.loads((folder / "decoding.json").read_text()) for folder in folders]
    assert records[1] == {**records[0], "engine": "ctranslate2"} and records[0]["engine"] == "docmt"
    nbest = [texts.pop("test.nbest.tsv").splitlines() for texts in written.values()]
    assert [row.split("\t")[-1] for row in nbest[0]] == [row.split("\t")[-1] for row in nbest[1]]
    assert written["ctranslate2"] == written["docmt"] and written["docmt"]["test.txt"].count("\n") == len(SOURCES)
    facts = json.loads((folders[1] / "record.json").read_text())["engine"]
    assert facts["proof"]["equal"] == len(SOURCES)


def test_people_name_the_engine_too(tmp_path):
    folder = model_of(tmp_path).folder
    options = ["--model", folder, "--device", "cpu", "--threads", 1]
    expected = output("translate", *options, text=TEXT)
    assert output("translate", *options, "--engine", "ctranslate2", text=TEXT) == expected
    opened = docmt.open_model(folder, device="cpu", threads=1)
    assert opened.translate(DOCUMENTS, engine="ctranslate2") == opened.translate(DOCUMENTS)
