"""Validations that are judged by the BLEU of dev, translated by the shared search."""

import pytest
import torch
from helpers.toy_task import Notes, make_documents, make_folder, open_score

from docmt.search.beam import beam_search
from docmt.settings.decode import DecodeConfig
from docmt.training.task import prepare, read_settings
from docmt.training.validate import dev_score


@pytest.mark.some(1)
@pytest.mark.parametrize("beam", [1, 3])
def test_every_dev_instance_is_translated_and_given_to_the_score_with_its_reference(tmp_path, beam):
    folder = make_folder(tmp_path / "run").changed(select_by="bleu", bleu_beam=beam)
    calls, parts = [], []
    watched = lambda batches: parts.extend(batches) or parts  # noqa: E731
    score = lambda translations, references: calls.append((translations, references)) or 12.5  # noqa: E731
    task = prepare(folder.paths, read_settings(folder.paths), torch.device("cpu"), lambda: score)
    task.model.train()
    assert dev_score(task.model, task.dev, task.train, task.score, watched) == 12.5
    assert len(parts) > 1
    assert task.model.training
    ((translations, references),) = calls
    assert references == [target for _, target in make_documents(8, seed=2)]
    task.model.eval()
    alone = [beam_search(task.model, task.dev.take([n]), DecodeConfig(beam=beam))[0][0].sentences for n in range(8)]
    assert translations == alone


def test_translations_of_dev_end_in_a_learned_table_of_positions(tmp_path):
    """A table that just has the longest segments; untrained models write until they are cut."""
    model, rules = {"position_table": "learned", "max_positions": 18}, {"select_by": "bleu", "max_updates": 1}
    folder = make_folder(tmp_path / "run").changed(model, validate_start=True, **rules)
    assert folder.train(open_score=open_score)
    assert [line["bleu"] is not None for line in folder.metrics() if line["kind"] == "dev"] == [True, True]


def test_the_score_says_when_to_stop_and_whose_weights_to_take(tmp_path):
    """The scores rise, fall and stay; the loss says otherwise."""
    scores = iter([1.0, 5.0, 4.0, 5.0, 0.0])
    rules = {"select_by": "bleu", "patience": 2, "max_updates": None, "validate_every_updates": 2}
    folder, notes = make_folder(tmp_path / "run").changed(**rules), Notes()
    assert folder.train(notes, open_score=lambda: lambda translations, references: next(scores))
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
