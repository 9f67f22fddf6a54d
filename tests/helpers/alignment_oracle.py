"""The default aligner by loops over words: every alignment of a sentence pair, one after another."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from math import prod

from docmt.scoring.alignment.model import PRIOR, AlignmentModel
from docmt.scoring.alignment.posteriors import FARTHEST, INITIAL_SHARE, NO_LINK
from docmt.scoring.alignment.posteriors import PRIOR as JUMP_PRIOR

Scores = Sequence[Sequence[float]]
"""p(target word j | source word i) by [j][i]."""


def alignments(targets: int, sources: int) -> Iterator[tuple[int | None, ...]]:
    """Each target word's source word, or none."""
    return product([None, *range(sources)], repeat=targets)


def posteriors(probabilities: dict[tuple, float], sources: int) -> list[list[float]]:
    """Of each link, [j][i], from those of whole alignments."""
    total = sum(probabilities.values())
    (targets,) = {len(alignment) for alignment in probabilities}
    return [
        [sum(value for alignment, value in probabilities.items() if alignment[j] == i) / total for i in range(sources)]
        for j in range(targets)
    ]


def ibm_model_1(scores: Scores, alone: Sequence[float]) -> list[list[float]]:
    sources = len(scores[0])
    probabilities = {
        alignment: prod(
            NO_LINK * alone[j] if i is None else (1 - NO_LINK) / sources * scores[j][i] for j, i in enumerate(alignment)
        )
        for alignment in alignments(len(scores), sources)
    }
    return posteriors(probabilities, sources)


def hidden_markov(
    scores: Scores, alone: Sequence[float], jump: Callable[[int], float]
) -> tuple[list[list[float]], Counter]:
    """Posteriors, and the expected numbers of jumps; one goes from the last link to behind the source."""
    sources, probabilities, jumps = len(scores[0]), {}, Counter()
    for alignment in alignments(len(scores), sources):
        places = [0, *(i + 1 for i in alignment if i is not None), sources + 1]
        distances = [place - before for before, place in pairwise(places)]
        words = (NO_LINK * alone[j] if i is None else (1 - NO_LINK) * scores[j][i] for j, i in enumerate(alignment))
        probabilities[alignment] = prod(words) * prod(map(jump, distances))
        for distance in distances:
            jumps[distance] += probabilities[alignment]
    total = sum(probabilities.values())
    return posteriors(probabilities, sources), Counter({distance: value / total for distance, value in jumps.items()})


Place = tuple[int, int, int]


class Loops:
    """Rounds of training over lines; `links`, `source_unlinked`, `target_unlinked` by words, jumps by distance."""

    def __init__(self, source: Sequence[str], target: Sequence[str], known: AlignmentModel | None = None) -> None:
        self.pairs = [(s.lower().split(), t.lower().split()) for s, t in zip(source, target, strict=True)]
        self.start = from_model(known) if known else (Counter(), Counter(), Counter())
        self.links, self.source_unlinked, self.target_unlinked = self.start
        vocabularies = (known.source_words, known.target_words) if known else ((), ())
        self.sources = {word for words, _ in self.pairs for word in words} | set(vocabularies[0])
        self.targets = {word for _, words in self.pairs for word in words} | set(vocabularies[1])
        self.cell_links = Counter()
        self.first_jumps = (
            [dict(enumerate(direction.probabilities, -FARTHEST)) for direction in known.jumps]
            if known
            else [at_first()] * 2
        )
        self.jumps = self.first_jumps

    def ibm_model_1_round(self) -> None:
        cell_posteriors = {}
        for number in self.aligned():
            forward, backward, target_unlinked, source_unlinked = self.scores(number)
            ahead, back = ibm_model_1(forward, target_unlinked), transposed(ibm_model_1(backward, source_unlinked))
            cell_posteriors |= {(number, *place): (p, q) for place, p, q in cells(ahead, back)}
        self.finish(cell_posteriors, lambda p, q: (p + q) / 2)

    def hidden_markov_round(self) -> None:
        cell_posteriors, moves = {}, (Counter(), Counter())
        for number in self.aligned():
            ahead, back, *jump_counts = self.posteriors(number)
            cell_posteriors |= {(number, *place): (p, q) for place, p, q in cells(ahead, back)}
            for total, counts in zip(moves, jump_counts, strict=True):
                total.update(counts)
        self.finish(cell_posteriors, lambda p, q: p * q)
        self.jumps = [
            {
                jump: INITIAL_SHARE * at_first()[jump]
                + (1 - INITIAL_SHARE) * (expected[jump] + JUMP_PRIOR * value) / (expected.total() + JUMP_PRIOR)
                for jump, value in first.items()
            }
            for expected, first in zip(moves, self.first_jumps, strict=True)
        ]

    def aligned(self) -> Iterator[int]:
        return (number for number, pair in enumerate(self.pairs) if all(pair))

    def posteriors(self, number: int) -> tuple[list[list[float]], list[list[float]], Counter, Counter]:
        """[j][i] both, and jumps forward and backward."""
        forward, backward, target_unlinked, source_unlinked = self.scores(number)
        ahead, moves = hidden_markov(forward, target_unlinked, self.jumps[0].__getitem__)
        back, moves_back = hidden_markov(backward, source_unlinked, self.jumps[1].__getitem__)
        return ahead, transposed(back), moves, moves_back

    def scores(self, number: int) -> tuple[Scores, Scores, list[float], list[float]]:
        """Of target words [j][i], of source words [i][j], and of each alone; a cell's own link does not count."""
        words, others = self.pairs[number]
        of_source, of_target = Counter(), Counter()
        for (word, other), value in self.links.items():
            of_source[word] += value
            of_target[other] += value

        def score(j: int, i: int, total: float, size: int) -> float:
            link = self.cell_links[number, j, i]
            return (self.links[words[i], others[j]] - link + PRIOR) / (total - link + PRIOR * size)

        columns, rows = range(len(words)), range(len(others))
        forward = [[score(j, i, of_source[words[i]], len(self.targets)) for i in columns] for j in rows]
        backward = [[score(j, i, of_target[others[j]], len(self.sources)) for j in rows] for i in columns]
        target_unlinked = [share(self.target_unlinked, word, self.targets) for word in others]
        return forward, backward, target_unlinked, [share(self.source_unlinked, word, self.sources) for word in words]

    def finish(
        self, cell_posteriors: dict[Place, tuple[float, float]], shared: Callable[[float, float], float]
    ) -> None:
        """Count the links of a round, and the words without a link.

        `cell_posteriors` has both posteriors of a link by sentence pair, target and source place; `shared` gives the
        number of links that the two count as.
        """
        self.links, self.source_unlinked, self.target_unlinked = (Counter(counts) for counts in self.start)
        self.cell_links = Counter({place: shared(*both) for place, both in cell_posteriors.items()})
        for (number, j, i), value in self.cell_links.items():
            words, others = self.pairs[number]
            self.links[words[i], others[j]] += value
        for number in self.aligned():
            words, others = self.pairs[number]
            for i, word in enumerate(words):
                self.source_unlinked[word] += max(
                    1 - sum(cell_posteriors[number, j, i][1] for j in range(len(others))), 0
                )
            for j, other in enumerate(others):
                self.target_unlinked[other] += max(
                    1 - sum(cell_posteriors[number, j, i][0] for i in range(len(words))), 0
                )

    def best(self, number: int) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
        """Links forward and backward of a sentence pair with words on both sides."""
        ahead, back, *_ = self.posteriors(number)
        forward = {(i, j) for j, row in enumerate(ahead) if (i := likeliest(row)) is not None}
        return forward, {(i, j) for i, row in enumerate(transposed(back)) if (j := likeliest(row)) is not None}


def from_model(model: AlignmentModel) -> tuple[Counter, Counter, Counter]:
    sources, targets = list(model.source_words), list(model.target_words)
    rows = zip(model.source.tolist(), model.target.tolist(), model.links.tolist(), strict=True)
    alone = (
        Counter(dict(zip(*columns, strict=True)))
        for columns in ((sources, model.source_unlinked.tolist()), (targets, model.target_unlinked.tolist()))
    )
    return Counter({(sources[i], targets[j]): value for i, j, value in rows}), *alone


def at_first() -> dict[int, float]:
    weights = {jump: 1 / (1 + abs(jump - 1)) for jump in range(-FARTHEST, FARTHEST + 1)}
    return {jump: weight / sum(weights.values()) for jump, weight in weights.items()}


def cells(ahead: Scores, back: Scores) -> Iterator[tuple[tuple[int, int], float, float]]:
    """((j, i), of one, of the other)"""
    return (((j, i), ahead[j][i], back[j][i]) for j in range(len(ahead)) for i in range(len(ahead[j])))


def share(counts: Counter, word: str, words: set[str]) -> float:
    return (counts[word] + PRIOR) / (counts.total() + PRIOR * len(words))


def transposed(table: Sequence[Sequence[float]]) -> list[list[float]]:
    return [list(column) for column in zip(*table, strict=True)]


def likeliest(row: Sequence[float]) -> int | None:
    best = max(range(len(row)), key=row.__getitem__)
    return best if row[best] > 1 - sum(row) else None
