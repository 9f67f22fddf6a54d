"""Validations that are judged by the BLEU of dev, translated by the shared search."""

import pytest
import torch
from helpers.toy_task import Notes, make_documents, make_folder

from docmt.base.errors import UserError
from docmt.base.vocabulary import UNK, Vocabulary
from docmt.cli.dev_bleu import dev_bleu
from docmt.search import beam_search
from docmt.settings.data import TextConfig
from docmt.settings.decode import DecodeConfig
from docmt.text.bpe import Segmenter
from docmt.text.casing import Keep
from docmt.text.pipeline import PipelineConfig, TextPipeline
from docmt.text.side import Side
from docmt.text.tokenizers import tokenizer_for
from docmt.training.settings import read_settings
from docmt.training.task import prepare
from docmt.training.validate import dev_score


@pytest.mark.parametrize("beam", [1, 3])
def test_every_dev_instance_is_translated_and_given_to_the_score_with_its_reference(tmp_path, beam):
    folder = make_folder(tmp_path / "run").changed(select_by="bleu", bleu_beam=beam)
    calls, parts = [], []
    watched = lambda batches: parts.extend(batches) or parts  # noqa: E731
    score = lambda found, references: calls.append((found, references)) or 12.5  # noqa: E731
    task = prepare(folder.paths, read_settings(folder.paths), torch.device("cpu"), lambda: score)
    task.model.train()
    assert dev_score(task.model, task.dev, task.train, task.score, watched) == 12.5
    assert len(parts) > 1
    assert task.model.training
    ((found, references),) = calls
    assert references == [target for _, target in make_documents(8, seed=2)]
    task.model.eval()
    alone = [beam_search(task.model, task.dev.take([n]), DecodeConfig(beam=beam))[0][0].sentences for n in range(8)]
    assert found == alone


def test_the_score_says_when_to_stop_and_whose_weights_to_take(tmp_path):
    """The scores rise, fall and stay; the loss says otherwise."""
    scores = iter([1.0, 5.0, 4.0, 5.0, 0.0])
    rules = {"select_by": "bleu", "patience": 2, "max_updates": None, "validate_every_updates": 2}
    folder, notes = make_folder(tmp_path / "run").changed(**rules), Notes()
    assert folder.train(notes, open_score=lambda: lambda found, references: next(scores))
    record, dev = folder.record(), [line for line in folder.metrics() if line["kind"] == "dev"]
    assert notes.said("training ends after update 8: no better dev BLEU in 2 validations")
    assert [line["bleu"] for line in dev] == [1.0, 5.0, 4.0, 5.0]
    assert min(dev, key=lambda line: line["loss"])["update"] == 8
    assert record["best_update"] == 4
    assert record["dev_bleu"] == 0.0, "of the weights that were chosen, scored again"
    assert record["stop_rule"] == "no better dev BLEU in 2 validations"


def test_no_score_is_asked_for_where_the_loss_decides(tmp_path):
    folder = make_folder(tmp_path / "run").changed(max_updates=1, validate_every_updates=1)
    assert folder.train(open_score=lambda: pytest.fail("asked for a score"))
    assert "bleu" not in folder.metrics()[-1]
    assert folder.record()["dev_bleu"] is None


WORDS = Vocabulary.from_counts(
    {"the": 3, "house": 2, "cat": 2, "is": 2, "big": 1, "small": 1, ".": 5, "a@@": 1, "b": 1}
)


@pytest.fixture
def text(tmp_path):
    side = Side(tokenizer_for("en", TextConfig()), Keep(), Segmenter(()), WORDS)
    config = PipelineConfig(source_language="en", target_language="en", merges=0)
    TextPipeline(config, side, side).save(tmp_path / "text")
    return tmp_path / "text"


def ids(*sentences: str) -> list[list[int]]:
    return [WORDS.encode(sentence.split()) for sentence in sentences]


def test_bleu_of_instances_is_that_of_their_restored_text(text):
    score = dev_bleu(text)
    references = [ids("the house is big .", "the cat is small ."), ids("the a@@ b is big .")]
    assert score(references, references) == pytest.approx(100)
    found = [ids("the house is small .", "the cat is small ."), ids("the a@@ b is big .")]
    from sacrebleu import corpus_bleu

    lines = (
        ["the house is small. the cat is small.", "the ab is big."],
        ["the house is big. the cat is small.", "the ab is big."],
    )
    assert score(found, references) == pytest.approx(corpus_bleu(lines[0], [lines[1]]).score)
    # One sentence for two: instances are compared, so that nothing needs to be put in order.
    assert 0 < score([[found[0][0] + found[0][1]], found[1]], references) < 100


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
