"""The aligner against loops over tiny data, its laws, and what it finds."""

import math
from itertools import pairwise, product
from random import Random

import numpy as np
import pytest

from docmt.scoring import alignment
from docmt.scoring.alignment import NULL_PROBABILITY, TENSION, TENSIONS, UNSEEN, diagonal_prior, train_aligner

SOURCE = ["das haus", "das buch", "ein buch", "das kleine haus dort", "ein"]
TARGET = ["the house", "the book", "a book", "the small house over there", "a"]


def drawn_lines(seed: int, count: int, words: str) -> list[str]:
    draw = Random(seed)
    return [" ".join(draw.choices(words, k=draw.randint(1, 6))) for _ in range(count)]


def loop_prior(i: int, j: int, n: int, m: int, tension: float) -> float:
    if i == 0:
        return NULL_PROBABILITY
    weights = [math.exp(-tension * abs(k / n - j / m)) for k in range(1, n + 1)]
    return (1 - NULL_PROBABILITY) * weights[i - 1] / sum(weights)


def loop_training(source: list[str], target: list[str]) -> dict[tuple[str, str], float]:
    """t(target word | source word) by loops alone; the empty source word is ''."""
    pairs = [(["", *s.split()], t.split()) for s, t in zip(source, target, strict=True)]
    table = {pair: 1.0 for words, others in pairs for pair in product(words, others)}
    for tension in TENSIONS:
        counts = dict.fromkeys(table, 0.0)
        for words, others in pairs:
            for j, other in enumerate(others, start=1):
                scores = [
                    table[word, other] * loop_prior(i, j, len(words) - 1, len(others), tension)
                    for i, word in enumerate(words)
                ]
                for word, score in zip(words, scores, strict=True):
                    counts[word, other] += score / sum(scores)
        totals: dict[str, float] = {}
        for (word, _), count in counts.items():
            totals[word] = totals.get(word, 0.0) + count
        table = {(word, other): count / totals[word] for (word, other), count in counts.items()}
    return table


def loop_links(table: dict, source: str, target: str) -> list[int | None]:
    words, others = ["", *source.split()], target.split()
    links = []
    for j, other in enumerate(others, start=1):
        scores = [
            table.get((word, other), UNSEEN) * loop_prior(i, j, len(words) - 1, len(others), TENSION)
            for i, word in enumerate(words)
        ]
        best = scores.index(max(scores))
        links.append(best - 1 if best else None)
    return links


def learnt(source: list[str], target: list[str]) -> dict[tuple[str, str], float]:
    aligner = train_aligner(source, target)
    words, others = list(aligner.source), list(aligner.target)
    rows = zip(aligner.pairs.tolist(), aligner.probabilities.tolist(), strict=True)
    return {(words[pair // (len(others) + 1)], others[pair % (len(others) + 1)]): value for pair, value in rows}


CASES = [(SOURCE, TARGET), (drawn_lines(1, 12, "abcdef"), drawn_lines(2, 12, "uvwxyz"))]


@pytest.mark.parametrize("at_once", [1, 20, 1 << 20])
@pytest.mark.parametrize(("source", "target"), CASES)
def test_training_is_that_of_loops_however_it_is_chunked(source, target, at_once, monkeypatch):
    monkeypatch.setattr(alignment, "CELLS_AT_ONCE", at_once)
    assert learnt(source, target) == pytest.approx(loop_training(source, target))


@pytest.mark.parametrize("at_once", [1, 1 << 20])
@pytest.mark.parametrize(("source", "target"), CASES)
def test_links_are_those_of_loops(source, target, at_once, monkeypatch):
    monkeypatch.setattr(alignment, "CELLS_AT_ONCE", at_once)
    aligner, table = train_aligner(source, target), loop_training(source, target)
    tested = [*source, "das unbekannte buch", "", "a"], [*target, "the unheard book", "a b", ""]
    assert aligner.align(*tested) == [loop_links(table, *pair) for pair in zip(*tested, strict=True)]


def test_probabilities_of_a_source_word_sum_to_one():
    sums: dict[str, float] = {}
    for (word, _), value in learnt(SOURCE, TARGET).items():
        sums[word] = sums.get(word, 0.0) + value
    assert sums == pytest.approx(dict.fromkeys(sums, 1.0))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 5), (7, 2), (40, 1)])
@pytest.mark.parametrize("tension", [0.0, TENSION])
def test_the_prior_sums_to_one_and_falls_off_from_the_diagonal(n, m, tension):
    prior = diagonal_prior(n, m, tension).reshape(m, n + 1)
    np.testing.assert_allclose(prior.sum(axis=1), 1)
    np.testing.assert_allclose(prior[:, 0], NULL_PROBABILITY)
    for j, row in enumerate(prior[:, 1:], start=1):
        order = sorted(range(n), key=lambda i: abs((i + 1) / n - j / m))
        assert all(row[a] >= row[b] - 1e-12 for a, b in pairwise(order))


def test_words_are_aligned_to_their_translations_in_another_order():
    """Sentences whose target is the source back to front: no link is on the diagonal, but for the middle."""
    draw = Random(3)
    lexicon = {f"s{n}": f"t{n}" for n in range(20)}
    sentences = [draw.sample(sorted(lexicon), 5) for _ in range(300)]
    source = [" ".join(words) for words in sentences]
    target = [" ".join(lexicon[word] for word in reversed(words)) for words in sentences]
    assert train_aligner(source, target).align(source[:20], target[:20]) == [[4, 3, 2, 1, 0]] * 20


def test_nothing_to_align():
    aligner = train_aligner(SOURCE, TARGET)
    assert aligner.align([], []) == []
    assert aligner.align(["", "das"], ["the", ""]) == [[None], []]
