"""Models that see the document learn what only context decides; by sentences it stays at chance."""

from pathlib import Path

import pytest
import torch
from helpers.sizes import LEARNING as SIZES
from helpers.toy_task import HE, SHE, Folder, make_documents, make_folder

from docmt.models.store import load_model
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows

QUICK = {
    "tokens_per_update": 400,
    "batch_tokens": 400,
    "max_updates": 120,
    "lr": 5e-3,
    "warmup_updates": 20,
    "word_dropout": 0.0,
    "validate_every_updates": 60,
    "save_every_updates": 1000,
}


def accuracies(folder: Folder, by_sentence: bool) -> tuple[float, float]:
    """Shares of right pronouns and of right other words, on fresh documents, given the words before."""
    sides = list(zip(*make_documents(100, seed=3), strict=True))
    if by_sentence:
        sides = [[[sentence] for sentences in side for sentence in sentences] for side in sides]
    model = load_model(folder.paths.output / "model")
    batch = frame_batch(Rows.from_lists(*sides), model.config.frame)
    with torch.no_grad():
        predicted = model.logits(model.decode(batch.target_in, model.encode(batch.source))).argmax(dim=-1)
    right = predicted == batch.target_out
    pronoun = (batch.target_out == HE) | (batch.target_out == SHE)
    return right[pronoun].float().mean().item(), right[~pronoun].float().mean().item()


def trained(root: Path, model: dict, by_sentence: bool = False) -> Folder:
    folder = make_folder(root, documents=600, by_sentence=by_sentence)
    folder.model.clear()
    folder = folder.changed({**SIZES, **model}, **QUICK)
    assert folder.train()
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        {"kind": "g_transformer", "combined_layers": 1},
        {"kind": "transformer", "frame": "joined"},
    ],
    ids=["g_transformer", "windows"],
)
def test_document_models_learn_the_pronoun(tmp_path, model):
    pronouns, _ = accuracies(trained(tmp_path / "run", model), by_sentence=False)
    assert pronouns > 0.95


def test_the_sentence_model_learns_all_but_the_pronoun(tmp_path):
    folder = trained(tmp_path / "run", {"kind": "transformer"}, by_sentence=True)
    pronouns, others = accuracies(folder, by_sentence=True)
    assert 0.35 < pronouns < 0.65
    assert others > 0.85
