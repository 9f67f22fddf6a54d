"""A scale's own settings of scores go over those of config.yaml, key by key, with the checkpoints that it makes."""

import pytest

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.yaml_files import Lines
from docmt.grid.scale import scaled_scoring
from docmt.settings.scoring import ScoringConfig

LINES = Lines("workflow/scales/tiny.yaml")
CONFIG = parse(
    ScoringConfig,
    {"coherence": {"vectors": {"de": "de.txt"}, "window": 3}, "cohesion": {"models": {"de": "models/german"}}},
    "config.yaml",
)


def test_only_what_the_scale_states_changes():
    scoring = scaled_scoring(CONFIG, {"coherence": {"vectors": {"en": "trained"}, "epochs": 1}}, {}, LINES)
    assert scoring.coherence.vectors == {"de": "de.txt", "en": "trained"}
    assert (scoring.coherence.window, scoring.coherence.epochs) == (3, 1)
    assert scoring.cohesion == CONFIG.cohesion
    assert scaled_scoring(CONFIG, {}, {}, LINES) == CONFIG


def test_checkpoints_that_the_scale_makes_are_taken_instead():
    folders = {"models/german": "results/0_models/german@tiny", "models/bert": "results/0_models/bert@tiny"}
    scoring = scaled_scoring(CONFIG, {"cohesion": {"models": {"en": "models/bert"}}}, folders, LINES)
    assert scoring.cohesion.models == {"de": "results/0_models/german@tiny", "en": "results/0_models/bert@tiny"}
    aligner = {"kind": "awesome-align", "model": "models/bert"}
    assert scaled_scoring(CONFIG, {"aligner": aligner}, folders, LINES).aligner.model == "results/0_models/bert@tiny"


@pytest.mark.parametrize("stated", [{"cohesoin": {}}, {"coherence": {"window": 0}}, ["cohesion"]])
def test_what_scoring_cannot_have_is_refused_at_the_scale(stated):
    with pytest.raises(UserError, match=r"workflow/scales/tiny\.yaml"):
        scaled_scoring(CONFIG, stated, {}, LINES)
