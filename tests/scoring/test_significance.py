"""The tests of significance against loops over texts, exact enumeration, and what they must be on average."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import product
from math import comb

import numpy as np
import pytest
import sacrebleu
from helpers.chain_measures import ltcr
from sacrebleu.significance import PairedTest
from scipy.stats import binom, binomtest, norm, t

from docmt.scoring.bleu import FAMILIES, bleu_of_counts, line_counts
from docmt.scoring.consistency import TranslatedChain, consistency_tallies
from docmt.scoring.significance import (
    FEWEST_UNITS,
    SEED,
    paired_bootstrap,
    seed_p_value,
    sign_test,
    significance_signature,
)
from docmt.scoring.tallies import percent
from docmt.settings.scoring import ConsistencyConfig

WORDS = ["a", "the", "cat", "dog", "sat", "on", "mat", "."]
TESTS = [paired_bootstrap, sign_test]
QUICK = [partial(paired_bootstrap, draws=200), sign_test]


def smoothed(sums: np.ndarray) -> np.ndarray:
    return bleu_of_counts(sums, "exp")


def texts(numbers: np.random.Generator, reference: list[str], share: float) -> list[str]:
    """The reference with a share of its words replaced."""
    return [
        " ".join(str(numbers.choice(WORDS)) if numbers.random() < share else word for word in line.split())
        for line in reference
    ]


@pytest.fixture
def translations() -> tuple[list[str], list[list[str]], list[list[str]]]:
    """A reference of 14 lines; two runs of a system and of its baseline, which is a little worse."""
    numbers = np.random.default_rng(3)
    reference = [" ".join(numbers.choice(WORDS, size=numbers.integers(4, 12))) for _ in range(14)]
    runs = [[texts(numbers, reference, share) for _ in range(2)] for share in (0.30, 0.36)]
    return reference, *runs


def counts(lines: list[str], reference: list[str]) -> np.ndarray:
    return line_counts(FAMILIES["13a"].metric("en"), lines, [reference])


def mean_bleu(runs: list[list[str]], reference: list[str]) -> float:
    return float(np.mean([sacrebleu.corpus_bleu(lines, [reference]).score for lines in runs]))


@pytest.mark.parametrize("runs", [1, 2])
def test_the_bootstrap_of_bleu_is_that_of_drawn_lines(translations, runs):
    reference, system, baseline = translations[0], translations[1][:runs], translations[2][:runs]
    numbers, better, worse = np.random.default_rng(SEED), 0, 0
    for _ in range(130):
        times = numbers.multinomial(14, [1 / 14] * 14)
        drawn = [number for number, count in enumerate(times) for _ in range(count)]

        def pick(lines, drawn=drawn):
            return [lines[number] for number in drawn]

        ours, theirs = (
            mean_bleu([pick(lines) for lines in run_lines], pick(reference)) for run_lines in (system, baseline)
        )
        better, worse = better + (ours > theirs), worse + (ours < theirs)
    outcome = paired_bootstrap(
        *[[counts(lines, reference) for lines in run_lines] for run_lines in (system, baseline)],
        smoothed,
        draws=130,
    )
    assert (outcome.better, outcome.worse, outcome.equal) == (better, worse, 130 - better - worse)
    assert outcome.difference == pytest.approx(mean_bleu(system, reference) - mean_bleu(baseline, reference))
    turned = 130 - (better if outcome.difference > 0 else worse)
    student = 2 * t.cdf(norm.ppf(min(1, 2 * (turned + 1) / 131) / 2) * (13 / 14) ** 0.5, df=13)
    assert outcome.p == pytest.approx(student)


@pytest.mark.parametrize("runs", [1, 2])
def test_the_sign_test_of_bleu_puts_one_line_in_the_others_place(translations, runs):
    reference, system, baseline = translations[0], translations[1][:runs], translations[2][:runs]
    before, after = mean_bleu(baseline, reference), []
    for place in range(14):
        changed = [[*b[:place], s[place], *b[place + 1 :]] for s, b in zip(system, baseline, strict=True)]
        after.append(mean_bleu(changed, reference))
    better, worse = sum(score > before for score in after), sum(score < before for score in after)
    outcome = sign_test(
        *[[counts(lines, reference) for lines in run_lines] for run_lines in (system, baseline)], smoothed
    )
    assert (outcome.better, outcome.worse, outcome.equal) == (better, worse, 14 - better - worse)
    tail = sum(comb(better + worse, k) for k in range(min(better, worse) + 1)) / 2 ** (better + worse)
    assert outcome.p == pytest.approx(min(1, 2 * tail))


def random_chains(numbers: np.random.Generator) -> list[list[TranslatedChain]]:
    """Of each of nine documents, some without."""
    return [
        [TranslatedChain(f"d{d}", tuple(numbers.choice(list("xyz"), numbers.integers(1, 5)))) for _ in range(chains)]
        for d, chains in enumerate([3, 0, 1, 2, 4, 2, 1, 3, 2])
    ]


def test_ltcr_is_compared_over_documents():
    numbers = np.random.default_rng(5)
    system, baseline = random_chains(numbers), random_chains(numbers)
    names = [f"d{d}" for d in range(9)]

    def whole(documents):
        return ltcr([chain for chains in documents for chain in chains], ConsistencyConfig())

    ours, theirs = (
        consistency_tallies([c for d in chains_of_documents for c in d], names, ConsistencyConfig(), "")[0].counts
        for chains_of_documents in (system, baseline)
    )
    after = [whole([*baseline[:d], system[d], *baseline[d + 1 :]]) for d in range(9)]
    outcome = sign_test([ours], [theirs], percent)
    before = whole(baseline)
    assert outcome.better == sum(score > before + 1e-9 for score in after)
    assert outcome.worse == sum(score < before - 1e-9 for score in after)
    drawn, better = np.random.default_rng(SEED), 0
    for _ in range(60):
        times = drawn.multinomial(9, [1 / 9] * 9)
        scores = [whole([chains[d] for d in range(9) for _ in range(times[d])]) for chains in (system, baseline)]
        better += scores[0] > scores[1]
    assert paired_bootstrap([ours], [theirs], percent, draws=60).better == better


def test_the_bootstrap_draws_every_test_set_as_often_as_chance_does():
    """All 4^4 draws of four documents, one after another."""
    system, baseline = np.array([[3, 4], [1, 5], [0, 0], [2, 2]]), np.array([[2, 4], [2, 5], [1, 1], [0, 2]])
    sets = [list(drawn) for drawn in product(range(4), repeat=4)]
    with np.errstate(invalid="ignore"):
        scores = [[counts[drawn].sum(axis=0) for drawn in sets] for counts in (system, baseline)]
        ours, theirs = (percent(np.array(sums)) for sums in scores)
    outcome = paired_bootstrap([system], [baseline], percent, draws=4000)
    assert outcome.better / 4000 == pytest.approx(np.mean(ours > theirs), abs=0.02)
    assert outcome.worse / 4000 == pytest.approx(np.mean(ours < theirs), abs=0.02)


def test_sacrebleus_bootstrap_on_one_side_is_half_of_ours(translations):
    numbers = np.random.default_rng(8)
    reference = translations[0] * 6
    system, baseline = (texts(numbers, reference, share) for share in (0.28, 0.34))
    metrics = {"BLEU": sacrebleu.BLEU(references=[reference])}
    _, theirs = PairedTest([("baseline", baseline), ("system", system)], metrics, None, "bs")()
    ours = paired_bootstrap([counts(system, reference)], [counts(baseline, reference)], smoothed)
    assert 0.02 < ours.p < 0.9
    assert ours.p / 2 == pytest.approx(theirs["BLEU"][1].p_value, abs=0.05)


def right(numbers: np.random.Generator, items: int, share: float) -> np.ndarray:
    return np.stack([numbers.random(items) < share, np.ones(items)], axis=1).astype(float)


@pytest.mark.parametrize(("runs", "items"), [(1, 97), (3, 1000), (5, 1507)])
def test_the_sign_test_counts_items_as_whole_numbers_do(items, runs):
    """An item that one run wins and another run loses is a tie, whatever the rounding of the scores."""
    numbers = np.random.default_rng(items)
    system, baseline = (numbers.random((runs, items)) < 0.6 for _ in range(2))
    gained = (system.astype(int) - baseline).sum(axis=0)
    outcome = sign_test(
        *[[np.stack([run, np.ones(items)], 1) for run in runs_of] for runs_of in (system, baseline)], percent
    )
    assert (outcome.better, outcome.worse) == ((gained > 0).sum(), (gained < 0).sum())
    assert outcome.p == pytest.approx(binomtest(outcome.better, outcome.better + outcome.worse).pvalue)


def test_a_difference_that_rounding_made_is_none():
    """Two systems with the scores of two runs the other way round have the same mean, but for the last digit."""
    items = [np.array([[hit, 1.0] for hit in hits]) for hits in ([1, 1, 0] * 25, [1, 0, 0] * 25, [1, 1, 1] * 25)]
    system, baseline = items, [items[2], items[0], items[1]]
    for test in TESTS:
        assert (test(system, baseline, percent).p, test(baseline, system, percent).p) == (1, 1)
    assert seed_p_value([0.1 + 0.2, 0.7, 0.4], [0.3, 0.7, 0.1 * 4]) == 1
    assert seed_p_value([20.1, 20.3, 20.5], [20.0, 20.2, 20.4]) == 0


def accuracy_under_the_null(numbers: np.random.Generator, units: int) -> Callable[[], np.ndarray]:
    """Items that differ in how hard they are."""
    share = numbers.random(units)
    return lambda: np.stack([numbers.random(units) < share, np.ones(units)], 1).astype(float)


def ltcr_under_the_null(numbers: np.random.Generator, units: int) -> Callable[[], np.ndarray]:
    """Documents that differ in how consistent they are, and in their pairs of translations; some have none."""
    pairs, share = numbers.integers(0, 5, units) ** 2, numbers.beta(4, 2, units)
    return lambda: np.stack([numbers.binomial(pairs, share), pairs], 1).astype(float)


def bleu_under_the_null(numbers: np.random.Generator, units: int) -> Callable[[], np.ndarray]:
    """Sentences of 4 to 11 words that differ in the share of right words."""
    lengths, share = numbers.integers(4, 12, (units, 1)), numbers.beta(4, 2, (units, 1))
    places = np.arange(12)

    def run() -> np.ndarray:
        right = (numbers.random((units, 12)) < share) & (places < lengths)
        ngrams = [np.all([right[:, n : 12 - size + 1 + n] for n in range(size)], axis=0).sum(1) for size in range(1, 5)]
        return np.concatenate([lengths, lengths, np.stack(ngrams, 1), lengths - np.arange(4)], 1).astype(float)

    return run


NULLS = {
    "accuracy": (accuracy_under_the_null, percent),
    "LTCR": (ltcr_under_the_null, percent),
    "BLEU": (bleu_under_the_null, smoothed),
}
"""Test sets on which any two runs differ by chance alone, and the score that compares them."""


def check_level(metric: str, units: int, runs: int, draws: int, tests: list = TESTS, bound: float = 0.99) -> None:
    """No test finds p < 0.05 more often than chance would: the upper 99 % bound of draws of 5 %."""
    numbers, (test_set, score) = np.random.default_rng([units, runs]), NULLS[metric]
    rejections = Counter()
    for _ in range(draws):
        run = test_set(numbers, units)
        system, baseline = ([run() for _ in range(runs)] for _ in range(2))
        scores = [[score(counts.sum(axis=0, keepdims=True))[0] for counts in of] for of in (system, baseline)]
        p_values = {str(test): test(system, baseline, score).p for test in tests} | {"t": seed_p_value(*scores)}
        rejections.update(name for name, p in p_values.items() if p is not None and p < 0.05)
    assert max(rejections.values(), default=0) <= binom.ppf(bound, draws, 0.05), rejections
    assert min(rejections[name] for name in p_values if p_values[name] is not None) > 0, "by chance some are found"


@pytest.mark.some(2)
@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize(
    ("metric", "units", "tests"),
    [("accuracy", 1000, [sign_test]), ("LTCR", FEWEST_UNITS, TESTS), ("BLEU", FEWEST_UNITS, QUICK)],
)
def test_systems_that_do_not_differ_are_seldom_found_to(metric, units, tests, runs):
    check_level(metric, units, runs, 200, tests)


MANY = [*((metric, FEWEST_UNITS) for metric in NULLS), ("accuracy", 1000), ("LTCR", 1000)]


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("runs", [1, 2, 3, 5])
@pytest.mark.parametrize(("metric", "units"), MANY)
def test_in_many_draws_systems_that_do_not_differ_are_seldom_found_to(metric, units, runs):
    """The bound is that of all cases and tests together, of which one in a hundred would else be above its own."""
    check_level(metric, units, runs, 1000, bound=1 - 0.01 / (4 * len(MANY) * 3))


@pytest.mark.parametrize("test", TESTS)
def test_a_plain_difference_is_found_and_none_is_not(test):
    numbers = np.random.default_rng(1)
    weak, strong = right(numbers, 200, 0.5), right(numbers, 200, 0.75)
    outcome, back = test([strong], [weak], percent), test([weak], [strong], percent)
    assert outcome.p < 0.01 and outcome.better > outcome.worse
    assert (back.difference, back.better, back.worse) == (-outcome.difference, outcome.worse, outcome.better)
    assert back.p == pytest.approx(outcome.p)
    same = test([weak], [weak], percent)
    assert (same.difference, same.p, same.better, same.worse) == (0, 1, 0, 0)


def test_over_seeds_is_the_t_test_of_differences():
    """p as the area under Student's density, by a sum."""
    system, baseline = np.array([21.0, 23.5, 22.2, 24.0, 22.9]), np.array([20.5, 22.0, 22.4, 22.1, 21.0])
    differences = system - baseline
    statistic = differences.mean() / (differences.std(ddof=1) / np.sqrt(5))
    grid = np.linspace(-2000, 2000, 4_000_001)
    density = (1 + grid**2 / 4) ** (-5 / 2)
    assert seed_p_value(system, baseline) == pytest.approx(
        density[np.abs(grid) >= statistic].sum() / density.sum(), abs=1e-3
    )
    assert seed_p_value(system[:2], baseline[:2]) is None
    assert seed_p_value(system, system) == 1
    assert seed_p_value(system + 1, system) == 0


def test_a_p_value_says_how_it_was_made():
    assert significance_signature("sign", "items", 40, 1) == "sign|unit:items|units:40|runs:1|sides:2|v:2"
    drawn = "bootstrap+t-test|unit:documents|units:8|draws:1000|seed:12345|runs:3|sides:2|v:2"
    assert significance_signature("bootstrap", "documents", 8, 3) == drawn
