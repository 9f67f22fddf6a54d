"""What scores are computed by at a scale: `scoring` of config.yaml, with the scale's own settings over it."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from docmt.base.parse import mapping, parse
from docmt.base.yaml_files import Lines
from docmt.settings.scoring import ScoringConfig


def laid_over(config: ScoringConfig, stated: Any, made: Mapping[str, str], lines: Lines) -> ScoringConfig:
    """`stated`: the scale's, key by key; `made`: folders of checkpoints that it makes, by those that they stand for.

    Raises UserError for what `scoring` cannot have.
    """
    # By itself first, so that a message is about what the scale states.
    parse(ScoringConfig, mapping(stated, lines, ("scoring",)), lines, ("scoring",))
    merged = _merged(dataclasses.asdict(config), stated)
    models = merged["cohesion"]["models"]
    merged["cohesion"]["models"] = {language: made.get(model, model) for language, model in models.items()}
    merged["aligner"]["model"] = made.get(merged["aligner"]["model"], merged["aligner"]["model"])
    return parse(ScoringConfig, merged, lines, ("scoring",))


def _merged(below: dict, above: Mapping) -> dict:
    """Mappings key by key, all else whole."""
    both = {
        key: _merged(below[key], value) if isinstance(below.get(key), dict) else value for key, value in above.items()
    }
    return {**below, **both}
