"""Which corpora a target of the workflow is about."""

import pytest
from helpers.support import ROOT

from docmt.plan.grid import load_grid
from docmt.plan.slices import corpora_of


@pytest.mark.parametrize(
    ("targets", "corpora"),
    [
        (["all"], ["toy_zh-en", "bible_zh-en"]),
        (["bible"], ["bible_zh-en"]),
        (["results/8_report/paper/bible/index.html"], ["bible_zh-en"]),
        (["results/1_corpus/ted_fr-en/card.json"], ["ted_fr-en"]),
        (["results/3_views/ted_fr-en/some/window3/card.json", "demo"], ["ted_fr-en", "toy_zh-en"]),
        (["/elsewhere/results/7_scores/paper/ted_en-de/sentence/seed1/scores.json"], ["ted_en-de"]),
        (["results/report.html", "results/1_corpus/nothing/card.json", "settings"], []),
        ([], []),
    ],
)
def test_corpora_of_targets(targets, corpora):
    grid = load_grid(ROOT, {"studies": ["demo", "bible"]})
    assert corpora_of(grid, targets) == corpora
