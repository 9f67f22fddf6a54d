"""BLEU of dev, by which validations are judged where settings say so."""

import pytest
from helpers.toy_task import make_folder

from docmt.base.errors import UserError
from docmt.base.vocabulary import UNK, Vocabulary
from docmt.settings.data import TextConfig
from docmt.text.bpe import Segmenter
from docmt.text.casing import KeepCase
from docmt.text.pipeline import PipelineConfig, TextPipeline
from docmt.text.side import Side
from docmt.text.tokenizers import tokenizer_for
from docmt.trained.dev_bleu import dev_bleu

WORDS = Vocabulary.from_counts(
    {"the": 3, "house": 2, "cat": 2, "is": 2, "big": 1, "small": 1, ".": 5, "a@@": 1, "b": 1}
)


@pytest.fixture
def text(tmp_path):
    side = Side(tokenizer_for("en", TextConfig()), KeepCase(), Segmenter(()), WORDS)
    config = PipelineConfig(source_language="en", target_language="en", merges=0)
    TextPipeline(config, side, side).save(tmp_path / "text")
    return tmp_path / "text"


def ids(*sentences: str) -> list[list[int]]:
    return [WORDS.encode(sentence.split()) for sentence in sentences]


def test_bleu_of_instances_is_that_of_their_restored_text(text):
    score = dev_bleu(text)
    references = [ids("the house is big .", "the cat is small ."), ids("the a@@ b is big .")]
    assert score(references, references) == pytest.approx(100)
    hypotheses = [ids("the house is small .", "the cat is small ."), ids("the a@@ b is big .")]
    from sacrebleu import corpus_bleu

    lines = (
        ["the house is small. the cat is small.", "the ab is big."],
        ["the house is big. the cat is small.", "the ab is big."],
    )
    assert score(hypotheses, references) == pytest.approx(corpus_bleu(lines[0], [lines[1]]).score)
    # One sentence for two: instances are compared, so that nothing needs to be put in order.
    assert 0 < score([[hypotheses[0][0] + hypotheses[0][1]], hypotheses[1]], references) < 100


def test_an_unknown_word_earns_nothing(text):
    score = dev_bleu(text)
    references = [ids("the house is big .", "the cat is small .")]
    unknown = [[[UNK, *sentence[1:]] for sentence in references[0]]]
    without = [[sentence[1:] for sentence in references[0]]]
    assert score(unknown, unknown) == score(without, unknown) < 100


def test_a_folder_without_a_pipeline_is_refused_before_training(tmp_path):
    folder = make_folder(tmp_path / "run").changed(select_by="bleu")
    with pytest.raises(UserError, match=r"text\.json: file not found"):
        folder.train(open_score=lambda: dev_bleu(folder.paths.text))
    assert not folder.paths.state.exists()
