"""What studies say of their papers' way of measuring: the words are the papers', and the studies score by them."""

import re

import pytest
from helpers.papers import FILES, read_paper
from helpers.whole_grid import whole_grid

from docmt.grid.comparable import not_comparable

MOST_WORDS = 15
"""A quotation is a few words."""
GRID = whole_grid()
QUOTATIONS = [
    (study, metric, statement.quotation)
    for study in FILES
    for metric, statements in GRID.studies[study].measured_as.items()
    for statement in statements
]


def plain(text: str) -> str:
    """Without marks of footnotes, of bold type and of code."""
    return " ".join(re.sub(r"[*`⁰¹²³⁴⁵⁶⁷⁸⁹]", "", text).split())


def test_every_study_of_a_paper_says_how_its_scores_are_measured():
    assert {study for study, *_ in QUOTATIONS} == set(FILES)
    assert all(len(quotation.split()) <= MOST_WORDS for *_, quotation in QUOTATIONS)


@pytest.mark.parametrize(("study", "metric", "quotation"), QUOTATIONS)
def test_the_quotations_stand_in_the_papers(study, metric, quotation, shared):
    assert quotation in plain(read_paper(shared, study)), metric


@pytest.mark.parametrize("study", FILES)
def test_the_studies_measure_as_their_papers_say(study):
    """Where all models are there, so that no cell of a paper needs a mark."""
    assert not_comparable(GRID, study, GRID.studies[study].corpora) == {}
