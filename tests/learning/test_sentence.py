"""What the tasks are worth: whoever sees single sentences stays at chance on what they judge, and learns the rest."""

import pytest
import torch
from helpers.learning_tasks import accuracy, chain, learn, pronoun
from helpers.sizes import LEARNING as SIZES

from docmt.settings.models import TransformerConfig


@pytest.mark.some(1)
@pytest.mark.parametrize(("task", "updates", "at_once"), [(pronoun, 150, 50), (chain, 250, 75)])
def test_the_sentence_model_stays_at_chance(task, updates, at_once):
    config = TransformerConfig(**SIZES)
    model = learn(config, task(1500, seed=1).by_sentence(), updates=updates, at_once=at_once)
    test = task(600, seed=2).by_sentence()
    assert abs(accuracy(model, test) - 50) < 5
    batch, is_judged = test.batch(config)
    with torch.no_grad():
        predictions = model.logits(model.decode(batch.target_in, model.encode(batch.source))).argmax(dim=-1)
    assert (predictions == batch.target_out)[~is_judged & (batch.target_out >= 7)].float().mean() > 0.95
