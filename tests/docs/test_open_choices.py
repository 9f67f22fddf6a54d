"""What the page of open choices says of settings, studies and records is there."""

import re
from dataclasses import MISSING, fields

import pytest
import yaml
from helpers.support import ROOT

from docmt.settings.data import CutConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import MODEL_CONFIGS
from docmt.settings.scoring import ConsistencyConfig
from docmt.settings.train import TrainConfig

PAGE = (ROOT / "docs/explanation/open-choices.md").read_text(encoding="utf-8")
STUDIES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "workflow/studies").glob("*.yaml")}
CONFIGS = (*MODEL_CONFIGS.values(), DecodeConfig, CutConfig, ConsistencyConfig, TrainConfig)
PAIRS = sorted(set(re.findall(r"`(\w+): ([\w.]+)`", PAGE)))
SECTIONS = {"G-Transformer": "g-transformer", "Long-short": "long-short", "Lexical chains": "lexical-chains"}


def defaults(name: str) -> set[str]:
    """The defaults of a setting in all parts of settings that have it, as a page writes them."""
    values = [field.default for config in CONFIGS for field in fields(config) if field.name == name]
    return {str(value).lower() if isinstance(value, bool) else str(value) for value in values if value is not MISSING}


@pytest.mark.parametrize(("name", "value"), PAIRS)
def test_a_setting_has_the_value_by_default_or_in_a_study(name, value):
    usual = defaults(name)
    assert usual, "no such setting"
    assert value in usual or any(f"{name}: {value}" in text for text in STUDIES.values())


def test_tables_that_measure_a_choice_are_in_the_study_of_their_section():
    checked = 0
    for part in re.split(r"^## ", PAGE, flags=re.MULTILINE):
        study = next((study for title, study in SECTIONS.items() if part.startswith(title)), None)
        named = set(re.findall(r"tables? `(\w+)`", part))
        if study is None:
            assert not named
            continue
        assert named and named <= set(yaml.safe_load(STUDIES[study])["tables"])
        checked += len(named)
    assert checked > 4 and len(PAIRS) > 10


def test_records_are_there_and_have_the_numbers():
    numbers = {"studies": "220 of concat_3's 1,066 windows", "vocabularies": "49,940", "contrastive": "0.0 %"}
    for name, number in {**numbers, "text": "99.75"}.items():
        assert f"`benchmarks/{name}.md`" in PAGE
        assert number in (ROOT / f"benchmarks/{name}.md").read_text(encoding="utf-8")
