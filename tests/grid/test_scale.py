"""A scale's own settings of scores go over those of config.yaml, key by key, with the checkpoints that it makes."""

import pytest

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.yaml_files import Lines
from docmt.grid.scale import Scale
from docmt.settings.pretrained import RandomCheckpoint
from docmt.settings.scoring import ScoringConfig

LINES = Lines("workflow/scales/tiny.yaml")
CONFIG = parse(
    ScoringConfig,
    {"coherence": {"vectors": {"de": "de.txt"}, "window": 3}, "cohesion": {"models": {"de": "models/german"}}},
    "config.yaml",
)


def scored(stated: object, *replaced: str) -> ScoringConfig:
    """The settings of scoring at a scale that states some, and makes checkpoints in place of others."""
    sizes = dict.fromkeys(("encoder_layers", "decoder_layers", "width", "inner", "heads"), 1)
    checkpoints = tuple(RandomCheckpoint(folder, "bert", **sizes) for folder in replaced)
    return Scale("tiny", scoring=stated, lines=LINES, checkpoints=checkpoints).scored(CONFIG)


def test_only_what_the_scale_states_changes():
    scoring = scored({"coherence": {"vectors": {"en": "trained"}, "epochs": 1}})
    assert scoring.coherence.vectors == {"de": "de.txt", "en": "trained"}
    assert (scoring.coherence.window, scoring.coherence.epochs) == (3, 1)
    assert scoring.cohesion == CONFIG.cohesion
    assert scored({}) == CONFIG


def test_checkpoints_that_the_scale_makes_are_taken_instead():
    folders = ("models/german", "models/bert")
    scoring = scored({"cohesion": {"models": {"en": "models/bert"}}}, *folders)
    assert scoring.cohesion.models == {"de": "results/0_models/german@tiny", "en": "results/0_models/bert@tiny"}
    aligner = {"kind": "awesome-align", "model": "models/bert"}
    assert scored({"aligner": aligner}, *folders).aligner.model == "results/0_models/bert@tiny"


@pytest.mark.parametrize("stated", [{"cohesoin": {}}, {"coherence": {"window": 0}}, ["cohesion"]])
def test_what_scoring_cannot_have_is_refused_at_the_scale(stated):
    with pytest.raises(UserError, match=r"workflow/scales/tiny\.yaml"):
        scored(stated)
