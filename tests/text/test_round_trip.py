"""The BLEU of a perfect translation: references, cut into tokens and joined again, against themselves."""

import pytest
import sacrebleu
from helpers.small_corpus import document_rows, write_corpus

from docmt.base.artifacts import read_json
from docmt.settings.data import TextConfig
from docmt.text.pipeline import TextPipeline, TokensSettings
from docmt.text.process import process_corpus
from docmt.text.round_trip import round_trip_warnings

PLAIN = ["He came home, and she left.", "The dog's bone (an old one) is 3.5 cm long."] * 3
QUOTES = ["“Anna can’t wait,” she said. “And his brother’s boat hasn’t come!”"] * 6
FOREIGN = ["New York和Νέα Υόρκη见面。"] * 6


def processed(tmp_path, target: str, sentences: list[str], **text):
    rows = [
        row for split in ("train", "dev") for row in document_rows(split, split, [("Ja.", line) for line in sentences])
    ]
    settings = TokensSettings(1, "small", "de", target, TextConfig(merges=30, **text))
    warnings = process_corpus(settings, write_corpus(tmp_path / "corpus", rows), tmp_path / "tokens")
    return read_json(tmp_path / "tokens" / "card.json")["round_trip"], warnings


@pytest.mark.parametrize("case", ["keep", "truecase", "lower"])
def test_plain_text_comes_back(tmp_path, case):
    trips, warnings = processed(tmp_path, "en", PLAIN, case=case)
    assert trips == {"dev": {"sentences": 6, "differ": 0, "bleu": 100.0}}
    assert warnings == []


@pytest.mark.parametrize(("target", "sentences"), [("en", QUOTES), ("zh", FOREIGN)])
def test_reversible_tokens_come_back(tmp_path, target, sentences):
    assert processed(tmp_path, target, sentences, join="reversible")[0]["dev"]["bleu"] == 100


@pytest.mark.parametrize(("target", "sentences"), [("en", QUOTES), ("zh", FOREIGN)])
def test_text_that_does_not_come_back_is_told_with_the_bleu_of_sacrebleu(tmp_path, target, sentences):
    trips, warnings = processed(tmp_path, target, sentences)
    side = TextPipeline.load(tmp_path / "tokens" / "text").target
    joined = [side.rejoined(sentence) for sentence in sentences]
    expected = sacrebleu.corpus_bleu(joined, [sentences], tokenize="zh" if target == "zh" else "13a").score
    assert trips["dev"] == {"sentences": 6, "differ": 6, "bleu": pytest.approx(expected, abs=0.01)}
    assert expected < 90
    (warning,) = warnings
    assert "dev: 6 of 6 references change when their tokens are joined again" in warning
    assert warnings == round_trip_warnings(trips)
