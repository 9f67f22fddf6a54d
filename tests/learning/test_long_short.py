"""Long-short term masking learns from windows what only context decides, whichever encoder stream is read."""

import pytest
from helpers.learning_tasks import accuracy, learn, pronoun
from helpers.sizes import LEARNING as SIZES

from docmt.settings.models import LongShortConfig


@pytest.mark.some(1)
@pytest.mark.parametrize("reads", ["own", "long"])
def test_windows_teach_the_pronoun(reads):
    config = LongShortConfig(**SIZES, aggregation_inner=64, cross_reads=reads)
    model = learn(config, pronoun(1000, seed=1), updates=140, at_once=30)
    assert accuracy(model, pronoun(300, seed=2)) > 95
