"""LTCR and HHI against loops, their laws, and the interval."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.scoring.consistency import TranslatedChain, consistency, hhi, ltcr, ltcr_interval

CHAINS = st.lists(
    st.builds(
        TranslatedChain,
        st.sampled_from(["a", "b", "c"]),
        st.lists(st.sampled_from(["x", "y", "z z"]), max_size=6).map(tuple),
    ),
    max_size=8,
)


def loop_ltcr(chains: list[TranslatedChain]) -> float | None:
    same = pairs = 0
    for chain in chains:
        for first in range(len(chain.translations)):
            for second in range(first):
                pairs += 1
                if chain.translations[first] == chain.translations[second]:
                    same += 1
    return 100 * same / pairs if pairs else None


def loop_hhi(chains: list[TranslatedChain]) -> float | None:
    total = size = 0.0
    for chain in chains:
        k = len(chain.translations)
        if k < 2:
            continue
        own = 0.0
        for different in set(chain.translations):
            own += (chain.translations.count(different) / k) ** 2
        total += k * own
        size += k
    return 100 * total / size if size else None


@given(CHAINS)
def test_both_are_those_of_loops(chains):
    assert ltcr(chains) == pytest.approx(loop_ltcr(chains))
    assert hhi(chains) == pytest.approx(loop_hhi(chains))


@given(CHAINS)
def test_they_are_100_exactly_where_every_chain_has_one_translation(chains):
    alike = all(len(set(chain.translations)) < 2 for chain in chains)
    if any(chain.pairs for chain in chains):
        assert (ltcr(chains) == 100) == (hhi(chains) == pytest.approx(100)) == alike


@given(CHAINS, st.randoms(use_true_random=False))
def test_the_order_of_chains_and_occurrences_does_not_matter(chains, draw):
    other = [TranslatedChain(c.document, tuple(draw.sample(c.translations, len(c.translations)))) for c in chains]
    draw.shuffle(other)
    assert ltcr(other) == pytest.approx(ltcr(chains))
    assert hhi(other) == pytest.approx(hhi(chains))


def test_pairs_count_and_not_chains():
    """Micro average: 1 of 3 pairs and 1 of 1."""
    chains = [TranslatedChain("a", ("x", "x", "y")), TranslatedChain("a", ("x", "x"))]
    assert ltcr(chains) == pytest.approx(100 * 2 / 4)
    assert hhi(chains) == pytest.approx(100 * (3 * 5 / 9 + 2) / 5)


@given(CHAINS)
def test_there_is_an_interval_where_there_is_a_score(chains):
    interval = ltcr_interval(chains)
    if ltcr(chains) is None:
        assert interval is None
    else:
        assert 0 <= interval["low"] <= interval["high"] <= 100


def test_the_interval_is_of_documents_and_the_same_each_time():
    one = [TranslatedChain("a", ("x", "y")), TranslatedChain("a", ("x", "x"))]
    assert (ltcr_interval(one)["low"], ltcr_interval(one)["high"]) == (50, 50), "one document, always drawn"
    two = [TranslatedChain("a", ("x", "y")), TranslatedChain("b", ("x", "x"))]
    interval = ltcr_interval(two)
    assert (interval["low"], interval["high"]) == (0, 100)
    assert interval == ltcr_interval(two)
    assert interval["signature"] == "bootstrap|unit:documents|draws:1000|seed:1|level:95|v:1"


def test_more_documents_narrow_the_interval():
    def width(documents: int) -> float:
        pairs = [("x", "x"), ("x", "y")]
        interval = ltcr_interval([TranslatedChain(str(n), pairs[n % 2]) for n in range(documents)])
        return interval["high"] - interval["low"]

    assert width(400) < width(100) < width(10)


def test_scores_say_how_they_were_made():
    scores = consistency([TranslatedChain("a", ("x", "y")), TranslatedChain("a", ("x",))], "chains:some")
    assert scores["LTCR"]["signature"] == "LTCR|chains:some|match:exact|average:micro|v:1"
    assert scores["HHI"]["signature"] == "HHI|chains:some|match:exact|average:size|v:1"
    assert (scores["LTCR"]["score"], scores["LTCR"]["chains"], scores["LTCR"]["pairs"]) == (0, 1, 1)
    assert scores["HHI"]["score"] == 50


def test_nothing_to_compare_gives_no_score():
    assert consistency([TranslatedChain("a", ("x",))], "chains:some") == {}
