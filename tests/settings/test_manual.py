"""The manual, config.yaml, says of every setting what its dataclass says."""

import dataclasses
import re

import pytest
import yaml
from helpers.support import ROOT

from docmt.settings.data import CutConfig, TextConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import MODEL_CONFIGS, TransformerConfig
from docmt.settings.scoring import ScoringConfig
from docmt.settings.train import TrainConfig

SECTIONS = {
    **MODEL_CONFIGS,
    "train": TrainConfig,
    "decode": DecodeConfig,
    **{field.name: field.default_factory for field in dataclasses.fields(ScoringConfig) if field.name != "conventions"},
}


@pytest.mark.parametrize("section", SECTIONS)
def test_the_manual_states_every_default_and_what_it_means(section):
    """The values and comments of config.yaml are those of the dataclasses."""
    text = (ROOT / "config.yaml").read_text(encoding="utf-8")
    stated = {
        name: (yaml.safe_load(value), about)
        for name, value, about in re.findall(r"^ +(\w+): (\S+) # (.*)$", body_of(section, text), re.MULTILINE)
    }
    shared = manual(TransformerConfig) if section in MODEL_CONFIGS and section != "transformer" else {}
    expected = {name: line for name, line in manual(SECTIONS[section]).items() if shared.get(name) != line}
    assert stated == expected


def body_of(section: str, text: str) -> str:
    """The lines of a section; none of an architecture that has no more to set than another."""
    start = re.search(rf"^( *){section}:", text, re.MULTILINE)
    if start is None:
        return ""
    end = re.search(rf"^ {{0,{len(start[1])}}}\w+:", text[start.end() :], re.MULTILINE)
    return text[start.end() :][: end.start()] if end else text[start.end() :]


def test_the_manual_says_what_conventions_are():
    (field,) = [field for field in dataclasses.fields(ScoringConfig) if field.name == "conventions"]
    text = (ROOT / "config.yaml").read_text(encoding="utf-8")
    assert f"  conventions: {{}} # {field.metadata['about']}\n" in text


def test_the_manual_says_what_each_part_of_scoring_is():
    text = (ROOT / "config.yaml").read_text(encoding="utf-8")
    parts = [field for field in dataclasses.fields(ScoringConfig) if field.name != "conventions"]
    assert not [part.name for part in parts if f"  {part.name}: # {part.metadata['about']}\n" not in text]


@pytest.mark.parametrize("section", [TextConfig, CutConfig])
def test_the_manual_names_all_that_texts_and_views_can_be_told(section):
    text = (ROOT / "config.yaml").read_text(encoding="utf-8")
    stated = set(re.findall(r"^ *#   (\w+) +\S", text, re.MULTILINE))
    assert stated >= {field.name for field in dataclasses.fields(section)}


def manual(settings) -> dict:
    """Of a model the kind stands before its settings, which are those of one kind."""
    of_model = settings in MODEL_CONFIGS.values()
    fields = [field for field in dataclasses.fields(settings) if not (of_model and field.name == "kind")]
    return {f.name: (default(f), f.metadata["about"]) for f in fields}


def default(field: dataclasses.Field) -> object:
    """As YAML has it: a list for a tuple."""
    if field.default is dataclasses.MISSING:
        return field.default_factory()
    return [] if field.default == () else field.default
