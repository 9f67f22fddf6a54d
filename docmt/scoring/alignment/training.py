"""Training of the default aligner: IBM Model 1, then hidden Markov models, in both directions at once.

Paper: Liang, Taskar, Klein: Alignment by Agreement, HLT-NAACL 2006: the expected number of links is the product of the
posteriors of both directions. docmt.scoring.alignment.model describes the priors, and
docmt.scoring.alignment.posteriors the two models.
Departs: in the rounds of IBM Model 1, whose posteriors are vague, the mean of the two posteriors replaces the product.
The expected number of tokens without a link is computed from the posteriors of one direction: forward for target words,
backward for source words. If it were 1 minus the products, doubt would count as a missing translation: a word whose
translation is always far away (a place name at the other end of the sentence) would lose its link round by round.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from docmt.scoring.alignment.batches import PairBatch, batches, distinct_numbers, numbered, pair_numbers
from docmt.scoring.alignment.links import AlignedLines, DirectedLinks
from docmt.scoring.alignment.model import PRIOR, AlignmentModel, BothJumps, Lexicon
from docmt.scoring.alignment.posteriors import INITIAL_SHARE, JUMP_COUNT, NO_LINK, Jumps, hidden_markov, ibm_model_1

IBM_MODEL_1_ROUNDS = 3  # The number of rounds with IBM Model 1, which come before the rounds with hidden Markov models

HIDDEN_MARKOV_ROUNDS = 4  # The number of rounds with hidden Markov models

ALIGNER_NAME = (
    f"hmm-agreement,v:1,model1:{IBM_MODEL_1_ROUNDS},hmm:{HIDDEN_MARKOV_ROUNDS},prior:{PRIOR:g},nolink:{NO_LINK:g}"
    f",kept:{INITIAL_SHARE:g}"
)
"""The name of the default aligner in signatures; a change of the code that changes links must increase the number v."""

LEAST_LINKS = 1e-4  # The smallest expected number of links of a pair of words in a saved model: a tenth of the prior

Posteriors = Callable[[np.ndarray, np.ndarray, np.ndarray, Jumps], tuple[np.ndarray, np.ndarray]]
"""The type of the functions that compute posteriors, `ibm_model_1` and `hidden_markov`."""


def train(source: Sequence[str], target: Sequence[str]) -> AlignmentModel:
    """Train a model on source lines and their target lines.

    Words are separated by white space, and training lower-cases them.
    """
    training = AlignerTraining(source, target)
    training.run()
    return training.model()


def align(source: Sequence[str], target: Sequence[str], model: AlignmentModel | None = None) -> list[DirectedLinks]:
    """Return the links of each line, learnt from all lines together and from the counts of a trained `model`."""
    training = AlignerTraining(source, target, model)
    training.run()
    links_of_lines = [DirectedLinks.symmetric(frozenset())] * len(source)
    for place, links in training.links():
        links_of_lines[place] = links
    return links_of_lines


@dataclass(frozen=True)
class DefaultAligner:
    """The default aligner, which needs no pretrained weights and gives the same links for the same lines.

    `model` was trained on other lines. The aligner also learns from the lines that it aligns, so that it can link words
    which the model does not have.
    """

    model: AlignmentModel | None = None

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """Return the links of each line, learnt from all lines together and from the counts of the model."""
        return AlignedLines(align(source, target, self.model), ALIGNER_NAME)


class AlignerTraining:
    """A training of the default aligner on sentence pairs; the same lines give the same bytes.

    `words` has the ids of the words of each side, and `sizes` has the number of words of each side. `pairs` has the
    numbers (`pair_numbers`) of all pairs of words that occur in the same sentence pair, or that the `known` model
    links, in rising order. `lexicon` and `jumps` are the results of the rounds so far. Training needs about 20 bytes of
    memory for each possible link.
    """

    def __init__(self, source: Sequence[str], target: Sequence[str], known: AlignmentModel | None = None) -> None:
        """Prepare the ids of words and the batches.

        The counts of the `known` model are added in all rounds, and its probabilities of jumps are a prior.
        """
        self._known = known
        self.words = (dict(known.source_words), dict(known.target_words)) if known else ({}, {})
        sides = [numbered(*side) for side in zip((source, target), self.words, strict=True)]
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
        """Run all rounds: first the rounds of IBM Model 1, then the rounds of hidden Markov models."""
        for _ in range(IBM_MODEL_1_ROUNDS):
            self.ibm_model_1_round()
        for _ in range(HIDDEN_MARKOV_ROUNDS):
            self.hidden_markov_round()

    def ibm_model_1_round(self) -> None:
        """Run a round of IBM Model 1; the mean of the posteriors of both directions is the expected number of links."""
        self._round(ibm_model_1, lambda ahead, back: (ahead + back) / 2)

    def hidden_markov_round(self) -> None:
        """Run a round of hidden Markov models; the product of both posteriors is the expected number of links."""
        moves = self._round(hidden_markov, np.multiply)
        self.jumps = (self._first_jumps[0].trained(moves[0]), self._first_jumps[1].trained(moves[1]))

    def _round(self, posteriors: Posteriors, shared: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        """Set the lexicon to the expected numbers of links of all batches, and return expected numbers of jumps.

        `shared` computes the expected links from the posteriors of both directions. The result has the expected number
        of each jump in the forward direction and in the backward direction, (2, JUMP_COUNT).
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

        The link of a word is its most probable link; of several equally probable links it is the first. A word has no
        link where having none is at least as probable as its most probable link.
        """
        for batch, index, cell_links in zip(self._batches, self._index, self._cell_links, strict=True):
            ahead, back, _ = self._posteriors(hidden_markov, batch, index, cell_links)
            forward = _best(ahead, batch.target_words)
            backward = _best(back.transpose(0, 2, 1), batch.source_words)
            for place, sources, targets in zip(batch.places.tolist(), forward, backward, strict=True):
                links = frozenset((i, j) for j, i in enumerate(sources) if i >= 0)
                yield place, DirectedLinks(links, frozenset((i, j) for i, j in enumerate(targets) if j >= 0))

    def model(self) -> AlignmentModel:
        """Return the model after the rounds so far, with numbers of the precision that files have (float32)."""
        linked = self.lexicon.links >= LEAST_LINKS
        source, target = self._words_of(self.pairs[linked])
        numbers = (self.lexicon.links[linked], self.lexicon.source_unlinked[:-1], self.lexicon.target_unlinked[:-1])
        return AlignmentModel(*self.words, source, target, *(n.astype(np.float32) for n in numbers), self.jumps)

    def _posteriors(
        self, posteriors: Posteriors, batch: PairBatch, index: np.ndarray, cell_links: np.ndarray | float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the forward and the backward posteriors of links, (B, J, I) each, and the expected numbers of jumps.

        The numbers of jumps have shape (2, JUMP_COUNT).
        """
        forward, backward = self.lexicon.scores(batch, index, cell_links)
        target_unlinked, source_unlinked = self.lexicon.unlinked_probabilities(batch)
        # A forward posterior is the probability that the target word chooses the link.
        ahead, moves = posteriors(forward, target_unlinked, batch.source_lengths, self.jumps[0])
        backward = backward.transpose(0, 2, 1)
        # A backward posterior is the probability that the source word chooses the link.
        back, moves_back = posteriors(backward, source_unlinked, batch.target_lengths, self.jumps[1])
        return ahead, back.transpose(0, 2, 1), np.stack([moves, moves_back])

    def _at_first(self) -> Lexicon:
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
    """Return the place of the word to which each word links; -1 for a word without a link, and on padding."""
    # The probability that a word has no link is 1 minus the sum of its posteriors.
    has_link = posteriors.max(axis=2) > 1 - posteriors.sum(axis=2)
    return np.where(has_link & words, posteriors.argmax(axis=2), -1).tolist()


def _count_links(lexicon: Lexicon, batch: PairBatch, index: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Add the expected links of the cells, `shared` (B, J, I), to the lexicon; return the numbers that were added."""
    # The numbers are rounded before they are added: the next round subtracts the returned numbers, and exactly 0 must
    # remain for a pair of words that occurs only once.
    cell_links = shared.astype(np.float32)
    lexicon.links[index] += np.bincount(batch.cells.ravel(), cell_links.ravel(), len(index))
    return cell_links


def _count_unlinked(lexicon: Lexicon, batch: PairBatch, ahead: np.ndarray, back: np.ndarray) -> None:
    """Add the expected numbers of tokens without a link to the lexicon.

    `ahead` and `back` are the forward and the backward posteriors, (B, J, I) each.
    """
    # Words are counted by the posteriors in which they choose their link.
    target_unlinked = np.where(batch.target_words, np.maximum(1 - ahead.sum(axis=2), 0), 0)
    source_unlinked = np.where(batch.source_words, np.maximum(1 - back.sum(axis=1), 0), 0)
    lexicon.target_unlinked[:] += np.bincount(
        batch.target.ravel(), target_unlinked.ravel(), len(lexicon.target_unlinked)
    )
    lexicon.source_unlinked[:] += np.bincount(
        batch.source.ravel(), source_unlinked.ravel(), len(lexicon.source_unlinked)
    )
