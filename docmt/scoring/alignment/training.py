"""Training of the default aligner: IBM Model 1, then hidden Markov models, in both directions at once.

Paper: Liang, Taskar, Klein: Alignment by Agreement, HLT-NAACL 2006: the expected number of links is the product of the
posteriors of both directions. For the priors see docmt.scoring.alignment.model, for the two models
docmt.scoring.alignment.posteriors.
Departs: in the rounds of Model 1, whose posteriors are vague, the mean of the two posteriors replaces their product.
The expected number of tokens without a link comes from the direction in which the word chooses its link. If it were the
rest that the products leave, doubt would count as a missing translation: a word whose translation is always far away
(a place name at the other end of the sentence) would lose its link round by round.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from docmt.scoring.alignment.batches import NumberedSentences, PairBatch, batches, distinct_numbers, pair_numbers
from docmt.scoring.alignment.links import AlignedLines, DirectedLinks
from docmt.scoring.alignment.model import PRIOR, AlignmentModel, BothJumps, Lexicon
from docmt.scoring.alignment.posteriors import INITIAL_SHARE, JUMP_COUNT, NO_LINK, Jumps, hidden_markov, ibm_model_1

IBM_MODEL_1_ROUNDS = 3
"""Number of rounds with IBM Model 1, before those with hidden Markov models."""

HIDDEN_MARKOV_ROUNDS = 4
"""Number of rounds with hidden Markov models."""

ALIGNER_NAME = (
    f"hmm-agreement,v:1,model1:{IBM_MODEL_1_ROUNDS},hmm:{HIDDEN_MARKOV_ROUNDS},prior:{PRIOR:g},nolink:{NO_LINK:g}"
    f",kept:{INITIAL_SHARE:g}"
)
"""The name of the default aligner in signatures. Raise v where a change of the code changes links."""

LEAST_LINKS = 1e-4
"""Smallest expected number of links of a pair of words in a saved model; fewer are less than a tenth of the prior."""

Posteriors = Callable[[np.ndarray, np.ndarray, np.ndarray, Jumps], tuple[np.ndarray, np.ndarray]]
"""The type of `ibm_model_1` and `hidden_markov`."""


def train(source: Sequence[str], target: Sequence[str]) -> AlignmentModel:
    """Train a model on lines of source and target that correspond.

    Words are separated by white space and lower-cased.
    """
    training = AlignerTraining(source, target)
    training.run()
    return training.model()


def align(source: Sequence[str], target: Sequence[str], model: AlignmentModel | None = None) -> list[DirectedLinks]:
    """Return the links of each line, learnt from all of these lines and from the counts of a trained `model`."""
    training = AlignerTraining(source, target, model)
    training.run()
    links_of_lines = [DirectedLinks.symmetric(frozenset())] * len(source)
    for place, links in training.links():
        links_of_lines[place] = links
    return links_of_lines


@dataclass(frozen=True)
class DefaultAligner:
    """The default aligner, which needs no pretrained weights and gives the same links for the same lines.

    `model` is trained on other lines. The aligner goes on learning from the lines that it aligns, so that it also
    links words which the model lacks.
    """

    model: AlignmentModel | None = None

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """Return the links of each line, learnt from the model and from all lines together."""
        return AlignedLines(align(source, target, self.model), ALIGNER_NAME)


class AlignerTraining:
    """A training of the default aligner on sentence pairs; the same lines give the same bytes.

    `words` has the numbers of the words of each side, `sizes` the numbers of words. `pairs` has the numbers of all
    pairs of words that occur in the same sentence pair, or that the `known` model links, in rising order. `lexicon` and
    `jumps` are the results of the rounds so far. Training needs about 20 bytes for each possible link.
    """

    def __init__(self, source: Sequence[str], target: Sequence[str], known: AlignmentModel | None = None) -> None:
        """Prepare the numbers of words and the batches; the counts of the `known` model are added in all rounds.

        The jumps of the known model are the prior of the jumps to learn.
        """
        self._known = known
        self.words = (dict(known.source_words), dict(known.target_words)) if known else ({}, {})
        sides = [NumberedSentences.numbered(*side) for side in zip((source, target), self.words, strict=True)]
        self.sizes = len(self.words[0]), len(self.words[1])
        batches_with_pairs = list(batches(*sides, self.sizes))
        self._batches = [batch for batch, _ in batches_with_pairs]
        linked = pair_numbers(known.source, known.target, self.sizes[1]) if known else np.zeros(0, np.int64)
        self.pairs = distinct_numbers(np.concatenate([linked, *(pairs for _, pairs in batches_with_pairs)]))
        self._index = [np.searchsorted(self.pairs, pairs).astype(np.int32) for _, pairs in batches_with_pairs]
        self._cell_links: list[np.ndarray | float] = [0.0] * len(self._batches)
        self.lexicon = self._with_word_totals(self._at_first())
        self._first_jumps: BothJumps = known.jumps if known else (Jumps.at_first(), Jumps.at_first())
        self.jumps = self._first_jumps

    def run(self) -> None:
        """Run all rounds: those of IBM Model 1, then those of hidden Markov models."""
        for _ in range(IBM_MODEL_1_ROUNDS):
            self.ibm_model_1_round()
        for _ in range(HIDDEN_MARKOV_ROUNDS):
            self.hidden_markov_round()

    def ibm_model_1_round(self) -> None:
        """Run a round of IBM Model 1, with the mean of both directions' posteriors as expected links."""
        self._round(ibm_model_1, lambda ahead, back: (ahead + back) / 2)

    def hidden_markov_round(self) -> None:
        """Run a round of hidden Markov models, with the product of both directions' posteriors as expected links."""
        moves = self._round(hidden_markov, np.multiply)
        self.jumps = (self._first_jumps[0].trained(moves[0]), self._first_jumps[1].trained(moves[1]))

    def _round(self, posteriors: Posteriors, shared: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        """Set the lexicon to the expected numbers of links over all batches.

        `shared` computes the expected links from the posteriors of both directions. Return the expected numbers of
        jumps forward and backward, (2, JUMP_COUNT).
        """
        lexicon = self._at_first()
        jumps = np.zeros((2, JUMP_COUNT))
        for number, (batch, index, cell_links) in enumerate(
            zip(self._batches, self._index, self._cell_links, strict=True)
        ):
            ahead, back, moves = self._posteriors(posteriors, batch, index, cell_links)
            jumps += moves
            self._cell_links[number] = _count_links(lexicon, batch, index, shared(ahead, back))
            _count_unlinked(lexicon, batch, ahead, back)
        self.lexicon = self._with_word_totals(lexicon)
        return jumps

    def links(self) -> Iterator[tuple[int, DirectedLinks]]:
        """Yield the number and the links of each line that has words on both sides.

        The link of a word is its most probable link, the first of equally probable ones. A word has no link where this
        is at least as probable.
        """
        for batch, index, cell_links in zip(self._batches, self._index, self._cell_links, strict=True):
            ahead, back, _ = self._posteriors(hidden_markov, batch, index, cell_links)
            forward = _best(ahead, batch.target_words)
            backward = _best(back.transpose(0, 2, 1), batch.source_words)
            for place, sources, targets in zip(batch.places.tolist(), forward, backward, strict=True):
                links = frozenset((i, j) for j, i in enumerate(sources) if i >= 0)
                yield place, DirectedLinks(links, frozenset((i, j) for i, j in enumerate(targets) if j >= 0))

    def model(self) -> AlignmentModel:
        """Return the model of the rounds so far, rounded to the precision of its files."""
        linked = self.lexicon.links >= LEAST_LINKS
        source, target = self._words_of(self.pairs[linked])
        numbers = (self.lexicon.links[linked], self.lexicon.source_unlinked[:-1], self.lexicon.target_unlinked[:-1])
        return AlignmentModel(*self.words, source, target, *(n.astype(np.float32) for n in numbers), self.jumps)

    def _posteriors(
        self, posteriors: Posteriors, batch: PairBatch, index: np.ndarray, cell_links: np.ndarray | float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the posteriors of links forward and backward, (B, J, I) each, and the expected numbers of jumps.

        A forward posterior is the probability that the target word chooses the link, a backward posterior that the
        source word chooses it. The numbers of jumps have shape (2, JUMP_COUNT).
        """
        forward, backward = self.lexicon.scores(batch, index, cell_links)
        target_unlinked, source_unlinked = self.lexicon.unlinked_probabilities(batch)
        ahead, moves = posteriors(forward, target_unlinked, batch.source_lengths, self.jumps[0])
        backward = backward.transpose(0, 2, 1)
        back, moves_back = posteriors(backward, source_unlinked, batch.target_lengths, self.jumps[1])
        return ahead, back.transpose(0, 2, 1), np.stack([moves, moves_back])

    def _at_first(self) -> Lexicon:
        """Return the lexicon before the links of the sentences are counted: the counts of the known model, if any."""
        lexicon = Lexicon.empty(len(self.pairs), *self.sizes)
        if self._known:
            known = self._known
            places = np.searchsorted(self.pairs, pair_numbers(known.source, known.target, self.sizes[1]))
            lexicon.links[places] = known.links
            lexicon.source_unlinked[: len(known.source_unlinked)] = known.source_unlinked
            lexicon.target_unlinked[: len(known.target_unlinked)] = known.target_unlinked
        return lexicon

    def _words_of(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.divmod(pairs, self.sizes[1] + 1)

    def _with_word_totals(self, lexicon: Lexicon) -> Lexicon:
        return lexicon.with_word_totals(*self._words_of(self.pairs))


def _best(posteriors: np.ndarray, words: np.ndarray) -> list[list[int]]:
    """Return the place of the word that each word links to; -1 for a word without a link, and on padding."""
    # What the posteriors of a word leave of 1 is the probability that it has no link.
    has_link = posteriors.max(axis=2) > 1 - posteriors.sum(axis=2)
    return np.where(has_link & words, posteriors.argmax(axis=2), -1).tolist()


def _count_links(lexicon: Lexicon, batch: PairBatch, index: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Add the expected links of the cells, `shared` (B, J, I), to the lexicon; return the numbers that were added."""
    # Rounded before they are added: the next round subtracts the returned numbers, and exactly 0 must remain for a pair
    # of words that occurs only once.
    cell_links = shared.astype(np.float32)
    lexicon.links[index] += np.bincount(batch.cells.ravel(), cell_links.ravel(), len(index))
    return cell_links


def _count_unlinked(lexicon: Lexicon, batch: PairBatch, ahead: np.ndarray, back: np.ndarray) -> None:
    """Add the expected number of tokens without a link, from the posteriors of the direction in which a word chooses.

    `ahead` and `back` are the forward and backward posteriors, (B, J, I) each.
    """
    target_unlinked = np.where(batch.target_words, np.maximum(1 - ahead.sum(axis=2), 0), 0)
    source_unlinked = np.where(batch.source_words, np.maximum(1 - back.sum(axis=1), 0), 0)
    lexicon.target_unlinked[:] += np.bincount(
        batch.target.ravel(), target_unlinked.ravel(), len(lexicon.target_unlinked)
    )
    lexicon.source_unlinked[:] += np.bincount(
        batch.source.ravel(), source_unlinked.ravel(), len(lexicon.source_unlinked)
    )
