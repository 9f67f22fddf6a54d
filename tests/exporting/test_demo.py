"""The models of the demo translate 500 lines by CTranslate2 as by docmt, with the beam of the demo."""

import pytest
from helpers.exported import loaded_program
from helpers.planted import at

import docmt

LINES = 500

pytestmark = pytest.mark.filterwarnings("ignore:.*another number of sentences")


@pytest.mark.slow
@pytest.mark.parametrize("system", ["sentence", "concat_3"])
def test_500_lines_are_translated_equally(system, finished_demo, tmp_path, monkeypatch):
    """At scale smoke the models have hardly been trained, so that some hypotheses are nearly equal."""
    folder = finished_demo.root / at(finished_demo, f"5_training/toy_zh-en/{system}/seed1")
    corpus = finished_demo.root / at(finished_demo, "1_corpus/toy_zh-en")
    documents: list[list[str]] = []
    for document in docmt.read_corpus(corpus):
        if sum(map(len, documents)) < LINES:
            documents.append(list(document.source))
    assert sum(map(len, documents)) >= LINES
    opened = docmt.open_model(folder, device="cpu", threads=1)
    for beam, differing in ((1, 0), (5, LINES // 50)):
        output = tmp_path / f"beam{beam}"
        docmt.export_model(folder, output, "ctranslate2", beam=beam)
        exported = loaded_program(output, monkeypatch).CTranslate2Model(output, threads=1)
        expected = [list(translation.lines) for translation in opened.translate(documents, beam=beam)]
        pairs = zip(exported.translate(documents), expected, strict=True)
        unequal = sum(a != b for ours, theirs in pairs for a, b in zip(ours, theirs, strict=True))
        assert unequal <= differing
        if system == "sentence":
            translated = opened.translate(documents, beam=beam, engine="ctranslate2")
            pairs = zip((each.lines for each in translated), expected, strict=True)
            assert sum(a != b for ours, theirs in pairs for a, b in zip(ours, theirs, strict=True)) <= differing
