"""Probabilities of words given words, from how often training expects them to be linked.

Paper: Östling and Tiedemann: Efficient Word Alignment with Markov Chain Monte Carlo, PBML 106 (2016), section 3: the
Dirichlet priors, and that a token is judged by the links of all others, which is what keeps a rare word from taking all
that stands around it.
Departs: expected numbers stand for the samples of their Gibbs sampler (the zero-order collapsed variational Bayes of
Asuncion et al., On Smoothing and Inference for Topic Models, UAI 2009), so that nothing is drawn; one table of numbers
gives both p(target word | source word) and p(source word | target word).
"""

from dataclasses import dataclass

import numpy as np

from docmt.scoring.alignment.batches import Batch

PRIOR = 0.001
"""alpha: what the Dirichlet priors add to the number of links of each pair, and to that of each word without a link."""

NO_LINK = 0.2
"""p0: that a word has no link, before the words are looked at (their null prior)."""


@dataclass(frozen=True)
class Lexicon:
    """`links`: the expected number of links of each pair of words, (P,). `source_links`, `target_links`: of each word,
    with any other; `source_alone`, `target_alone`: of its tokens without a link; (S + 1,) and (T + 1,), the last of
    padding, 0."""

    links: np.ndarray
    source_links: np.ndarray
    target_links: np.ndarray
    source_alone: np.ndarray
    target_alone: np.ndarray

    @classmethod
    def empty(cls, pairs: int, source: int, target: int) -> "Lexicon":
        """Of so many pairs and words: all probabilities are even."""
        return cls(np.zeros(pairs), *(np.zeros(size + 1) for size in (source, target, source, target)))

    def summed(self, source: np.ndarray, target: np.ndarray) -> "Lexicon":
        """With `source_links` and `target_links` made from `links`, whose pairs are of these words, (P,) each."""
        source_links = np.bincount(source, self.links, len(self.source_links))
        target_links = np.bincount(target, self.links, len(self.target_links))
        return Lexicon(self.links, source_links, target_links, self.source_alone, self.target_alone)

    def scores(self, batch: Batch, index: np.ndarray, own: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """p(target word | source word) and p(source word | target word) of each cell, (B, J, I); on padding 0.

        `index`: of each of the batch's pairs its place in `links`, (P',). `own`: the expected links that the cells
        have added, which are not counted; 0 in the first round.
        """
        words = batch.target_words[:, :, None] & batch.source_words[:, None, :]
        links = np.where(words, np.maximum(self.links[index][batch.cells] - own, 0) + PRIOR, 0)
        forward = np.maximum(self.source_links[batch.source][:, None, :] - own, 0) + PRIOR * self._targets
        backward = np.maximum(self.target_links[batch.target][:, :, None] - own, 0) + PRIOR * self._sources
        return links / forward, links / backward

    def alone(self, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
        """p(target word | no link), (B, J), and p(source word | no link), (B, I); on padding 1 / p0."""
        target = _shares(self.target_alone, self._targets)[batch.target]
        source = _shares(self.source_alone, self._sources)[batch.source]
        return np.where(batch.target_words, target, 1 / NO_LINK), np.where(batch.source_words, source, 1 / NO_LINK)

    @property
    def _sources(self) -> int:
        return len(self.source_links) - 1

    @property
    def _targets(self) -> int:
        return len(self.target_links) - 1


def _shares(numbers: np.ndarray, words: int) -> np.ndarray:
    return (numbers + PRIOR) / (numbers.sum() + PRIOR * words)
