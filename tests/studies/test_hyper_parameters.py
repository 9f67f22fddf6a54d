"""The hyper-parameters that the papers state (hyper_parameters.yaml): the studies have them, and the papers say them.

Systems are held to the table without the papers' files; with them, the table is held to the papers' text.
"""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers.papers import FILES, read_paper
from helpers.whole_grid import whole_grid

from docmt.base.yaml_files import load_yaml
from docmt.settings.system import Entry

NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?)(?:\s*e-(\d+)|\^\{-(\d+)\})?(K?)")
IN_WORDS = {"five": 5}

Settings = Mapping[str, Any]
"""The settings of a system by their paths."""


class Statement(NamedTuple):
    """A value that a paper states of a setting."""

    study: str
    place: str
    quote: str
    systems: tuple[str, ...]
    but: tuple[str, ...]
    setting: str
    value: Any
    words: str | None

    def holds_for(self, system: str) -> bool:
        return _matches(system, self.systems) and not _matches(system, self.but)

    def difference(self, system: str, settings: Settings) -> str | None:
        """What is wrong with this setting of a system, or None."""
        value = settings.get(self.setting, "no such setting")
        if value == self.value:
            return None
        return (
            f"{self.study}/{system}: {self.setting} is {value!r}, and {self.value!r} in the paper, {self.place}: "
            f"“{self.quote}”"
        )


@cache
def table() -> dict:
    return load_yaml(Path(__file__).parent / "hyper_parameters.yaml")[0]


@cache
def statements() -> list[Statement]:
    return [
        Statement(
            study,
            row["place"],
            row["quote"],
            tuple(row.get("systems", ["*"])),
            tuple(row.get("but", [])),
            setting,
            value,
            row.get("words", {}).get(setting),
        )
        for study, rows in table()["stated"].items()
        for row in rows
        for setting, value in row["settings"].items()
    ]


EACH_STATEMENT = pytest.mark.parametrize(
    "statement", statements(), ids=lambda row: f"{row.study}-{row.systems[0]}-{row.setting}"
)


@cache
def systems(study: str) -> dict[str, Settings]:
    return {entry.system.name: settings_of(entry) for entry in whole_grid().of_study(study)}


def settings_of(entry: Entry) -> Settings:
    """All settings of a system, with those of its text, its corpus and its scores."""
    sections = {
        "": dataclasses.asdict(entry.system),
        "text.": dataclasses.asdict(whole_grid().texts[entry.system.text]),
        "corpus.": {"stop_words": whole_grid().corpora[entry.corpus].stop_words},
        "scoring.": dataclasses.asdict(whole_grid().scoring[entry.study]),
    }
    flat = {f"{section}{path}": value for section, values in sections.items() for path, value in paths(values)}
    return {**flat, "seeds": len(entry.seeds)}


def paths(values: Mapping, above: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a mapping of mappings, by their paths."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from paths(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def differences(statement: Statement, declared: Mapping[str, Settings]) -> list[str]:
    """What is wrong with this setting of the systems that a statement holds for."""
    differing = (statement.difference(name, values) for name, values in declared.items() if statement.holds_for(name))
    return [difference for difference in differing if difference is not None]


@EACH_STATEMENT
def test_systems_have_what_the_papers_state(statement):
    declared = systems(statement.study)
    for pattern in statement.systems:
        assert any(fnmatchcase(name, pattern) for name in declared), f"{pattern}: no such system"
    assert differences(statement, declared) == []


@EACH_STATEMENT
def test_the_quotation_says_the_value(statement):
    said = statement.words or statement.value
    if isinstance(said, str):
        assert said.casefold() in statement.quote.casefold()
    else:
        assert said in numbers(statement.quote)


def numbers(quote: str) -> set[float]:
    """The numbers of a text: `16000`, `1,000`, `200K`, `5e-4`, `10^{-9}` and words."""
    words = {float(number) for word, number in IN_WORDS.items() if word in quote.split()}
    return words | {_number(*match.groups()) for match in NUMBER.finditer(quote)}


def _number(digits: str, exponent: str | None, power: str | None, thousands: str) -> float:
    text = digits.replace(",", "")
    if power is not None:
        return float(f"1e-{power}") if text == "10" else float(text) ** -int(power)
    return float(f"{text}e-{exponent or 0}") * (1000 if thousands else 1)


@EACH_STATEMENT
def test_the_quotation_is_in_the_paper(shared, statement):
    there = folded(statement.quote) in paper(shared, statement.study)
    assert there, f"{statement.study}, {statement.place}: the paper does not say “{statement.quote}”"


@cache
def paper(shared: Path, study: str) -> str:
    return folded(read_paper(shared, study))


def folded(text: str) -> str:
    """A text without white space, hyphens, marks of style and numbers of footnotes, and with each formula once.

    The G-Transformer paper's text has every number of a formula three times over (`512512512`, `5e45𝑒45e-4`).
    """
    once = re.sub(r"(\d)e(\d)\1𝑒\2\1e-\2", r"\1e-\2", text)
    once = re.sub(r"(?<![\d.])(\d{2,}|\d\.\d+)\1\1(?![\d.])", r"\1", once)
    return re.sub(r"[-\s*`⁰¹²³⁴⁵⁶⁷⁸⁹]+", "", once)


@pytest.mark.parametrize("study", FILES)
def test_what_a_study_states_is_in_a_paper_or_ours_for_a_reason(study):
    """Every setting that a system states itself: the table has it for that system, or the list `ours`."""
    reasons, unused = table()["ours"][study], set(table()["ours"][study])
    for name, setting in stated(study):
        by_paper = [row for row in statements() if row.study == study and row.holds_for(name)]
        covered = any(row.setting == setting or row.setting.startswith(f"{setting}.") for row in by_paper)
        assert covered or setting in reasons, f"{study}/{name}: no paper states {setting}, and no reason does"
        unused -= set() if covered else {setting}
    assert not unused


def stated(study: str) -> Iterator[tuple[str, str]]:
    """Each system and the paths that it states."""
    for name, system in whole_grid().studies[study].systems.items():
        for path, _ in paths({key: value for key, value in system.items() if key not in ("extends", "corpora")}):
            section, _, rest = path.partition(".")
            both = section == "view" and rest.partition(".")[0] not in ("train", "test")
            yield from ((name, path) for path in ([f"view.train.{rest}", f"view.test.{rest}"] if both else [path]))
