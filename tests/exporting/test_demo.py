"""The sentence model of the demo translates 500 lines by CTranslate2 as by docmt, with the beam of the demo."""

import pytest
from helpers.planted import at

import docmt

LINES = 500


@pytest.mark.slow
def test_500_lines_are_translated_equally(finished_demo):
    """At scale smoke the models have hardly been trained, so that some hypotheses are nearly equal."""
    folder = finished_demo.root / at(finished_demo, "5_training/toy_zh-en/sentence/seed1")
    corpus = finished_demo.root / at(finished_demo, "1_corpus/toy_zh-en")
    documents: list[list[str]] = []
    for document in docmt.read_corpus(corpus):
        if sum(map(len, documents)) < LINES:
            documents.append(list(document.source))
    assert sum(map(len, documents)) >= LINES
    opened = docmt.open_model(folder, device="cpu", threads=1)
    for beam, differing in ((1, 0), (5, LINES // 50)):
        expected = [list(translation.lines) for translation in opened.translate(documents, beam=beam)]
        translated = opened.translate(documents, beam=beam, engine="ctranslate2")
        pairs = zip((each.lines for each in translated), expected, strict=True)
        assert sum(a != b for ours, theirs in pairs for a, b in zip(ours, theirs, strict=True)) <= differing
