"""Training of the default aligner: IBM Model 1, then hidden Markov models, in both directions at once.

Paper: Liang, Taskar, Klein: Alignment by Agreement, HLT-NAACL 2006: what is counted is the product of the posteriors of
both directions. For the priors see docmt.scoring.alignment.model, for the models docmt.scoring.alignment.posteriors.
Departs: in the rounds of Model 1, whose posteriors are vague, their mean is counted. A word counts as alone as far as
its own direction says so: were it by what the product leaves, doubt would count as having no equivalent, and a word
that always stands far from its own (a place at the other end of the sentence) would lose it round by round.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from docmt.scoring.alignment.batches import NumberedSentences, PairBatch, batches, distinct_numbers, pair_numbers
from docmt.scoring.alignment.links import AlignedLines, DirectedLinks
from docmt.scoring.alignment.model import PRIOR, AlignmentModel, BothJumps, Lexicon
from docmt.scoring.alignment.posteriors import INITIAL_SHARE, JUMP_COUNT, NO_LINK, Jumps, hidden_markov, ibm_model_1

IBM_MODEL_1_ROUNDS = 3
HIDDEN_MARKOV_ROUNDS = 4

ALIGNER_NAME = (
    f"hmm-agreement,v:1,model1:{IBM_MODEL_1_ROUNDS},hmm:{HIDDEN_MARKOV_ROUNDS},prior:{PRIOR:g},nolink:{NO_LINK:g}"
    f",kept:{INITIAL_SHARE:g}"
)
"""Of the default aligner in signatures; raise v where it finds other links."""

LEAST = 1e-4
"""Expected links of a pair of words that a model keeps; fewer are no more than a tenth of the prior."""

Posteriors = Callable[[np.ndarray, np.ndarray, np.ndarray, Jumps], tuple[np.ndarray, np.ndarray]]
"""`ibm_model_1` or `hidden_markov`."""


def train(source: Sequence[str], target: Sequence[str]) -> AlignmentModel:
    """A target line for each source line. White space parts words, and case is not regarded."""
    training = AlignerTraining(source, target)
    training.run()
    return training.model()


def align(source: Sequence[str], target: Sequence[str], model: AlignmentModel | None = None) -> list[DirectedLinks]:
    """The links of each line, learnt from all of these lines, and from what a trained `model` knows."""
    training = AlignerTraining(source, target, model)
    training.run()
    found = [DirectedLinks.symmetric(frozenset())] * len(source)
    for place, links in training.links():
        found[place] = links
    return found


@dataclass(frozen=True)
class DefaultAligner:
    """Needs no weights, and gives the same links for the same lines. `model`: trained on other lines; what is unlike
    them in the lines given is learnt from these."""

    model: AlignmentModel | None = None

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        return AlignedLines(align(source, target, self.model), ALIGNER_NAME)


class AlignerTraining:
    """Sentence pairs, and what the rounds so far know of them. The same lines give the same bytes.

    `words`: the numbers of those of each side; `pairs`: the numbers of all pairs of words that share a sentence pair,
    or that `known` links, rising. What `known` has counted stays; its jumps are the prior of those to be learnt.
    Takes some 20 bytes for each possible link of a sentence pair.
    """

    def __init__(self, source: Sequence[str], target: Sequence[str], known: AlignmentModel | None = None) -> None:
        self._known = known
        self.words = (dict(known.source_words), dict(known.target_words)) if known else ({}, {})
        sides = [NumberedSentences.numbered(*side) for side in zip((source, target), self.words, strict=True)]
        self.sizes = len(self.words[0]), len(self.words[1])
        made = list(batches(*sides, self.sizes))
        self._batches = [batch for batch, _ in made]
        linked = pair_numbers(known.source, known.target, self.sizes[1]) if known else np.zeros(0, np.int64)
        self.pairs = distinct_numbers(np.concatenate([linked, *(pairs for _, pairs in made)]))
        self._index = [np.searchsorted(self.pairs, pairs).astype(np.int32) for _, pairs in made]
        self._own: list[np.ndarray | float] = [0.0] * len(self._batches)
        self.lexicon = self._with_word_totals(self._at_first())
        self._first_jumps: BothJumps = known.jumps if known else (Jumps.at_first(), Jumps.at_first())
        self.jumps = self._first_jumps

    def run(self) -> None:
        for _ in range(IBM_MODEL_1_ROUNDS):
            self.ibm_model_1_round()
        for _ in range(HIDDEN_MARKOV_ROUNDS):
            self.hidden_markov_round()

    def ibm_model_1_round(self) -> None:
        self._round(ibm_model_1, lambda ahead, back: (ahead + back) / 2)

    def hidden_markov_round(self) -> None:
        moves = self._round(hidden_markov, np.multiply)
        self.jumps = (self._first_jumps[0].trained(moves[0]), self._first_jumps[1].trained(moves[1]))

    def _round(self, posteriors: Posteriors, shared: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        """Count what is expected of all batches; gives the numbers of jumps, forward and backward. `shared`: what of
        the posteriors of both directions counts as links."""
        lexicon = self._at_first()
        jumps = np.zeros((2, JUMP_COUNT))
        for number, (batch, index, own) in enumerate(zip(self._batches, self._index, self._own, strict=True)):
            ahead, back, moves = self._posteriors(posteriors, batch, index, own)
            jumps += moves
            self._own[number] = _count_links(lexicon, batch, index, shared(ahead, back))
            _count_alone(lexicon, batch, ahead, back)
        self.lexicon = self._with_word_totals(lexicon)
        return jumps

    def links(self) -> Iterator[tuple[int, DirectedLinks]]:
        """Each line's place and links; lines without a word on a side are left out. Of a word its most probable link,
        of equal ones the first; none where having none is as probable."""
        for batch, index, own in zip(self._batches, self._index, self._own, strict=True):
            ahead, back, _ = self._posteriors(hidden_markov, batch, index, own)
            forward = _best(ahead, batch.target_words)
            backward = _best(back.transpose(0, 2, 1), batch.source_words)
            for place, sources, targets in zip(batch.places.tolist(), forward, backward, strict=True):
                links = frozenset((i, j) for j, i in enumerate(sources) if i >= 0)
                yield place, DirectedLinks(links, frozenset((i, j) for i, j in enumerate(targets) if j >= 0))

    def model(self) -> AlignmentModel:
        """What the rounds have found, rounded as files have it."""
        kept = self.lexicon.links >= LEAST
        source, target = self._words_of(self.pairs[kept])
        numbers = (self.lexicon.links[kept], self.lexicon.source_unlinked[:-1], self.lexicon.target_unlinked[:-1])
        return AlignmentModel(*self.words, source, target, *(n.astype(np.float32) for n in numbers), self.jumps)

    def _posteriors(
        self, posteriors: Posteriors, batch: PairBatch, index: np.ndarray, own: np.ndarray | float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each link that its target word has it, and that its source word has it, (B, J, I) each; and the expected
        numbers of jumps forward and backward."""
        forward, backward = self.lexicon.scores(batch, index, own)
        target_unlinked, source_unlinked = self.lexicon.unlinked_probabilities(batch)
        ahead, moves = posteriors(forward, target_unlinked, batch.source_lengths, self.jumps[0])
        backward = backward.transpose(0, 2, 1)
        back, moves_back = posteriors(backward, source_unlinked, batch.target_lengths, self.jumps[1])
        return ahead, back.transpose(0, 2, 1), np.stack([moves, moves_back])

    def _at_first(self) -> Lexicon:
        """What is counted before the sentences are."""
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
    """For each word the place of what it links to, -1 where it has no link and on padding."""
    has_link = posteriors.max(axis=2) > 1 - posteriors.sum(axis=2)
    return np.where(has_link & words, posteriors.argmax(axis=2), -1).tolist()


def _count_links(lexicon: Lexicon, batch: PairBatch, index: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Add expected links, (B, J, I), to `lexicon`; gives them back as what the batch has added. They are rounded before
    they are counted: of a pair of words that is met only once nothing may be left when its own link is taken off."""
    own = shared.astype(np.float32)
    lexicon.links[index] += np.bincount(batch.cells.ravel(), own.ravel(), len(index))
    return own


def _count_alone(lexicon: Lexicon, batch: PairBatch, ahead: np.ndarray, back: np.ndarray) -> None:
    """Add how far each word has no link, by the posteriors that it chooses by, (B, J, I) each."""
    target_unlinked = np.where(batch.target_words, np.maximum(1 - ahead.sum(axis=2), 0), 0)
    source_unlinked = np.where(batch.source_words, np.maximum(1 - back.sum(axis=1), 0), 0)
    lexicon.target_unlinked[:] += np.bincount(
        batch.target.ravel(), target_unlinked.ravel(), len(lexicon.target_unlinked)
    )
    lexicon.source_unlinked[:] += np.bincount(
        batch.source.ravel(), source_unlinked.ravel(), len(lexicon.source_unlinked)
    )
