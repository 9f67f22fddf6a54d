"""Alignment error rate against sums over single links."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.scoring.alignment.links import GoldLinks, alignment_quality

links = st.frozensets(st.tuples(st.integers(0, 3), st.integers(0, 3)))
gold = st.builds(lambda sure, more: GoldLinks(sure, sure | more), links, links)
GRID = [(i, j) for i in range(4) for j in range(4)]


@given(st.lists(st.tuples(links, gold), max_size=4))
def test_quality_is_that_of_counting_links_one_by_one(pairs):
    """|A|, |S|, |A ∩ P| and |A ∩ S| of Och and Ney (2003), section 5."""
    link_count = sure = right = right_sure = 0
    for line_links, line_gold in pairs:
        for link in GRID:
            link_count += link in line_links
            sure += link in line_gold.sure
            right += link in line_links and link in line_gold.possible
            right_sure += link in line_links and link in line_gold.sure
    score = alignment_quality(*zip(*pairs, strict=True)) if pairs else alignment_quality([], [])
    assert score.precision == (pytest.approx(100 * right / link_count) if link_count else None)
    assert score.recall == (pytest.approx(100 * right_sure / sure) if sure else None)
    error = (
        pytest.approx(100 * (1 - (right_sure + right) / (link_count + sure)), abs=1e-9) if link_count + sure else None
    )
    assert score.aer == error
    assert (score.links, score.sure, score.sentences) == (link_count, sure, len(pairs))
    assert score.possible == sum(len(line_gold.possible) for _, line_gold in pairs)
