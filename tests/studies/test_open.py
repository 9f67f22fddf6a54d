"""The study of lexical chains on open text: the paper's systems and items, on corpora that everybody can download."""

import re

import pytest
from helpers.papers import OPEN
from helpers.whole_grid import whole_grid

from docmt.catalogue.corpus import CorpusConfig
from docmt.plan.estimates import Estimates
from docmt.plan.plan import Plan
from docmt.reporting.study import StudyConfig
from docmt.settings.system import SystemConfig

PAPER = "lexical-chains"
STANDS_FOR = {
    "news_zh-en_open": "news_zh-en",
    "news_zh-en_open_2m": "news_zh-en_2m",
    "ted_zh-en_2015": "ted_zh-en",
    "ted_fr-en_iwslt2017": "ted_fr-en",
}
WITHOUT = {
    # Its annotators judged sentences of the licensed test set.
    "table4"
}
BESIDE = {
    # Metrics that are not in the paper.
    "chrf_ter"
}


def study(name: str) -> StudyConfig:
    return whole_grid().studies[name]


def systems(name: str) -> dict[tuple[str, str], SystemConfig]:
    """By the paper's corpus and the name of the system."""
    entries = whole_grid().of_study(name)
    return {(STANDS_FOR.get(entry.corpus, entry.corpus), entry.system.name): entry.system for entry in entries}


def test_its_systems_are_the_papers():
    """In every setting: only the corpora differ."""
    assert systems(OPEN) == systems(PAPER)


def test_its_items_are_the_papers():
    open_items, items = study(OPEN).items, study(PAPER).items
    assert open_items.keys() == (items.keys() - WITHOUT) | BESIDE
    for name, item in open_items.items():
        if name in BESIDE:
            continue
        assert item.kind == items[name].kind
        on_paper = {(STANDS_FOR[corpus], system) for corpus, system in item.systems_of(study(OPEN).corpora)}
        assert on_paper == {*items[name].systems_of(study(PAPER).corpora)}, name
        assert {*items[name].measures} == {*item.measures}


@pytest.mark.parametrize("name", sorted({*whole_grid().studies[OPEN].items} - BESIDE))
def test_no_number_of_the_paper_stands_beside_ours_and_each_page_says_what_differs(name):
    item = study(OPEN).items[name]
    rows = [*getattr(item, "rows", ()), *getattr(item, "series", ())]
    assert not any(row.published for row in rows) and not getattr(item, "published", "") and not item.paper
    kind, number = re.fullmatch(r"([a-z]+)(\d*)", name).groups()
    heading = f"{kind.capitalize()} {number}".strip()
    assert item.title.startswith(f"{heading} on open text: ")
    assert "Not the paper's" in f"{item.caption} {item.note}"


def test_everybody_can_download_its_corpora():
    catalogue: dict[str, CorpusConfig] = whole_grid().corpora
    assert all(file.is_public for corpus in STANDS_FOR for file in catalogue[corpus].files)


def test_its_hours_have_no_unknown(tmp_path):
    estimates = Estimates(Plan(whole_grid(), tmp_path))
    assert all(estimates.hours(entry) is not None for entry in whole_grid().of_study(OPEN))
