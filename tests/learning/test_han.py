"""HAN learns from up to three sentences back what only they decide."""

import pytest
from helpers.learning_tasks import accuracy, learn, pronoun
from helpers.sizes import LEARNING as SIZES

from docmt.settings.models import HanConfig


@pytest.mark.some(1)
@pytest.mark.parametrize("context", ["encoder", "decoder"])
def test_previous_sentences_teach_the_pronoun(context):
    """The cue is one, two or three sentences back; the decoder sees what it became in the translation."""
    model = learn(HanConfig(**SIZES, context=context), pronoun(1500, seed=1, sentences=4), updates=120, at_once=30)
    assert accuracy(model, pronoun(300, seed=2, sentences=4)) > 95
