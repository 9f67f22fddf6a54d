"""LTCR and HHI against loops, for every choice; their laws, and the interval."""

from dataclasses import replace
from math import isnan

import pytest
from helpers.chain_measures import hhi, ltcr, measured
from hypothesis import given
from hypothesis import strategies as st

from docmt.scoring import consistency as module
from docmt.scoring.consistency import TranslatedChain, edit_distance
from docmt.settings.scoring import ConsistencyConfig

DEFAULT = ConsistencyConfig()
TEXTS = ["x", "y", "z z", "x y", "xy", "y x"]
TRANSLATIONS = st.sampled_from([None, *TEXTS])
CHAINS = st.lists(
    st.builds(TranslatedChain, st.sampled_from(["a", "b", "c"]), st.lists(TRANSLATIONS, max_size=6).map(tuple)),
    max_size=8,
)
CONFIGS = st.builds(
    ConsistencyConfig,
    match=st.sampled_from(["exact", "subset", "overlap", "contained", "fuzzy"]),
    similarity=st.sampled_from([0.3, 0.5, 1.0]),
    unaligned=st.sampled_from(["own", "skip", "empty"]),
    pairs=st.sampled_from(["all", "first"]),
    average=st.sampled_from(["micro", "macro"]),
)


def distance(first: str, second: str) -> int:
    if not first or not second:
        return len(first) + len(second)
    same = distance(first[1:], second[1:]) + (first[0] != second[0])
    return min(same, distance(first[1:], second) + 1, distance(first, second[1:]) + 1)


def loop_agree(first: str | None, second: str | None, config: ConsistencyConfig) -> bool:
    if first is None or second is None:
        return False
    if "" in (first, second):
        return first == second
    words, others = set(first.split()), set(second.split())
    longest = max(len(first), len(second))
    return {
        "exact": first == second,
        "subset": words.issubset(others) or others.issubset(words),
        "overlap": len(words & others) > 0,
        "contained": first in second or second in first,
        "fuzzy": longest - distance(first, second) >= config.similarity * longest - 1e-9,
    }[config.match]


def loop_texts(chain: TranslatedChain, config: ConsistencyConfig) -> list[str | None]:
    texts = []
    for text in chain.translations:
        if text is None and config.unaligned == "skip":
            continue
        texts.append("" if text is None and config.unaligned == "empty" else text)
    return texts


def loop_ltcr(chains: list[TranslatedChain], config: ConsistencyConfig) -> float | None:
    ratios, same, pairs = [], 0, 0
    for chain in chains:
        texts = loop_texts(chain, config)
        chain_same = chain_pairs = 0
        for later in range(len(texts)):
            for earlier in range(later):
                if config.pairs == "all" or earlier == 0:
                    chain_pairs += 1
                    chain_same += loop_agree(texts[earlier], texts[later], config)
        if chain_pairs:
            ratios.append(chain_same / chain_pairs)
        same, pairs = same + chain_same, pairs + chain_pairs
    if not pairs:
        return None
    return 100 * (same / pairs if config.average == "micro" else sum(ratios) / len(ratios))


def loop_hhi(chains: list[TranslatedChain], config: ConsistencyConfig) -> float | None:
    """Eq. 25 with classes for exact matches, with ordered pairs otherwise."""
    total = size = 0.0
    for chain in chains:
        texts = loop_texts(chain, config)
        if len(texts) < 2:
            continue
        # Each that is None is a class of its own.
        named = [f"none {number}" if text is None else text for number, text in enumerate(texts)]
        if config.match == "exact":
            concentration = sum((named.count(different) / len(named)) ** 2 for different in set(named))
        else:
            agreeing = [
                [i == j or loop_agree(texts[i], texts[j], config) for i in range(len(texts))] for j in range(len(texts))
            ]
            concentration = sum(map(sum, agreeing)) / len(texts) ** 2
        weight = len(texts) if config.average == "micro" else 1
        total, size = total + weight * concentration, size + weight
    return 100 * total / size if size else None


@given(CHAINS, CONFIGS)
def test_both_are_those_of_loops(chains, config):
    assert ltcr(chains, config) == pytest.approx(loop_ltcr(chains, config))
    assert hhi(chains, config) == pytest.approx(loop_hhi(chains, config))


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_edit_distance_is_that_of_the_recursion(first, second):
    assert edit_distance(first, second) == distance(first, second)


@given(CHAINS, CONFIGS)
def test_an_occurrence_without_a_translation_lowers_both_unless_it_is_skipped(chains, config):
    """By the rule `own`, leaving a word out is never better than translating it like the others."""
    different, empty = replace(config, unaligned="own"), replace(config, unaligned="empty")
    said = [replace(c, translations=tuple(text or "x" for text in c.translations)) for c in chains]
    alike = [replace(c, translations=tuple("x" for _ in c.translations)) for c in chains]
    left_out = [replace(c, translations=(*c.translations[:-1], None)) for c in alike if len(c.translations) > 1]
    if left_out:
        assert ltcr(left_out, different) < ltcr(alike, different) == 100
        assert hhi(left_out, different) < hhi(alike, different)
    for measure in (ltcr, hhi):
        assert (measure(chains, different) or 0) <= (measure(chains, empty) or 0)
        assert measure(said, different) == measure(said, replace(config, unaligned="skip"))


@given(CHAINS)
def test_they_are_100_exactly_where_every_chain_has_one_translation(chains):
    alike = all(len(set(c.translations)) < 2 and None not in c.translations for c in chains if len(c.translations) > 1)
    if any(len(chain.translations) > 1 for chain in chains):
        assert (ltcr(chains, DEFAULT) == 100) == (hhi(chains, DEFAULT) == pytest.approx(100)) == alike


@given(CHAINS, CONFIGS)
def test_there_is_an_interval_where_two_documents_have_a_score(chains, config):
    documents = [*dict.fromkeys(chain.document for chain in chains), "without chains"]
    scored = {chain.document for chain in chains if ltcr([chain], config) is not None}
    for score in measured(chains, config, documents):
        assert (score.interval is None) == (len(scored) < 2)
        assert score.interval is None or 0 <= score.low <= score.high <= 100 + 1e-9


def test_scores_say_how_they_were_made_and_of_what():
    chains = [TranslatedChain("a", ("x", "y", None)), TranslatedChain("a", ("x",))]
    ltcr_score, hhi_score = measured(chains, DEFAULT, ["a"], "chains:some")
    assert ltcr_score.signature == "LTCR|chains:some|unaligned:own|match:exact|pairs:all|average:micro|v:2"
    assert hhi_score.signature == "HHI|chains:some|unaligned:own|match:exact|average:size|v:2"
    assert ltcr_score.facts == {"chains": 1, "pairs": 3, "occurrences": 4, "unaligned": 1} == hhi_score.facts
    assert (ltcr_score.value, ltcr_score.n, hhi_score.n) == (0, 3, 1)
    assert hhi_score.value == pytest.approx(100 / 3)
    skipped = measured(chains, replace(DEFAULT, unaligned="skip", pairs="first"))[0].facts
    assert (skipped["pairs"], skipped["unaligned"]) == (1, 1)


def test_every_choice_of_this_module_is_in_the_signatures():
    choices = {"unaligned": "skip", "match": "fuzzy", "pairs": "first", "average": "macro"}
    for signature, unseen in ((module.ltcr_signature, set()), (module.hhi_signature, {"pairs"})):
        changed = {
            name
            for name, value in choices.items()
            if signature(replace(DEFAULT, **{name: value}), "") != signature(DEFAULT, "")
        }
        assert changed == choices.keys() - unseen
    fuzzy = replace(DEFAULT, match="fuzzy")
    assert module.ltcr_signature(fuzzy, "") != module.ltcr_signature(replace(fuzzy, similarity=0.5), "")


@pytest.mark.parametrize(("texts", "unaligned"), [(("x",), "own"), (("x", None), "skip")])
def test_nothing_to_compare_gives_no_score(texts, unaligned):
    scores = measured([TranslatedChain("a", texts)], replace(DEFAULT, unaligned=unaligned))
    assert [(isnan(score.value), score.n) for score in scores] == [(True, 0)] * 2
