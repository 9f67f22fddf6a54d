"""The parameters of the default aligner: the lexicon during training, and the trained model with its files.

The probability that a word translates another word is computed from the expected number of links between the two.

Paper: Östling and Tiedemann: Efficient Word Alignment with Markov Chain Monte Carlo, PBML 106 (2016), section 3. The
paper has the Dirichlet priors, and the rule that the probability of a link of a token is computed from the links of all
other tokens. Without this rule, rare words would be linked to all words around them.
Departs: the paper samples links by Gibbs sampling; here expected numbers of links replace the samples, so that training
is deterministic (the zero-order collapsed variational Bayes of Asuncion et al., On Smoothing and Inference for Topic
Models, UAI 2009). A single table of numbers gives both p(target word | source word) and p(source word | target word).
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.artifacts import read_json, write_json
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.tables import read_arrow, write_arrow
from docmt.scoring.alignment.batches import PairBatch
from docmt.scoring.alignment.posteriors import JUMP_COUNT, NO_LINK, Jumps

PRIOR = 0.001
"""The parameter alpha of the Dirichlet priors, a number of links.

Alpha is added to the number of links of each pair of words, and to the number of unlinked tokens of each word.
"""

WORDS = pa.dictionary(pa.int32(), pa.string())
LINKS = pa.schema([("source", WORDS), ("target", WORDS), ("links", pa.float32())])
"""The columns of a lexicon.

A row with two words has the number of links between them. A row with a word on one side, and null on the other side,
has the number of tokens of the word that have no link.
"""

LEXICON, JUMPS = "lexicon.arrow", "jumps.json"
"""The files of a model: a table with the columns LINKS, and the probabilities of jumps in both directions."""

BothJumps = tuple[Jumps, Jumps]
"""The jumps of the forward direction, in which target words link to source words, and of the backward direction."""


@dataclass(frozen=True)
class Lexicon:
    """The expected numbers of links from which the probabilities of words are computed.

    The arrays of the source side have shape (S + 1,), the arrays of the target side (T + 1,); their last entry belongs
    to padding and is 0.
    """

    links: np.ndarray  # (P,): the number of links of each pair of words
    source_links: np.ndarray  # the number of all links of each source word
    target_links: np.ndarray  # the number of all links of each target word
    source_unlinked: np.ndarray  # the number of tokens of each source word that have no link
    target_unlinked: np.ndarray  # the number of tokens of each target word that have no link

    @classmethod
    def empty(cls, pairs: int, source: int, target: int) -> "Lexicon":
        """Return a lexicon without links for `pairs` pairs of words, `source` source words and `target` target words.

        By this lexicon, all words have the same probability.
        """
        return cls(np.zeros(pairs), *(np.zeros(size + 1) for size in (source, target, source, target)))

    def with_word_totals(self, source: np.ndarray, target: np.ndarray) -> "Lexicon":
        """Return the lexicon with `source_links` and `target_links` computed from `links`.

        `source` and `target` have the ids of the two words of each pair, (P,) each.
        """
        source_links = np.bincount(source, self.links, len(self.source_links))
        target_links = np.bincount(target, self.links, len(self.target_links))
        return Lexicon(self.links, source_links, target_links, self.source_unlinked, self.target_unlinked)

    def scores(
        self, batch: PairBatch, index: np.ndarray, cell_links: np.ndarray | float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return p(target word | source word) and p(source word | target word) of each cell, (B, J, I); 0 on padding.

        `index` has the place in `links` of each of the different pairs of words of the batch, (P',). `cell_links` are
        the expected links that the cells added in the last round, (B, J, I), or 0 in the first round.
        """
        words = batch.target_words[:, :, None] & batch.source_words[:, None, :]
        sources, targets = _words(self.source_links), _words(self.target_links)
        # They are subtracted, since the probability of a link of a token is computed from the links of all other
        # tokens.
        links = np.where(words, np.maximum(self.links[index][batch.cells] - cell_links, 0) + PRIOR, 0)
        # A Dirichlet prior: (links + PRIOR) / (all links of the word + PRIOR times the number of words).
        forward = np.maximum(self.source_links[batch.source][:, None, :] - cell_links, 0) + PRIOR * targets
        backward = np.maximum(self.target_links[batch.target][:, :, None] - cell_links, 0) + PRIOR * sources
        return links / forward, links / backward

    def unlinked_probabilities(self, batch: PairBatch) -> tuple[np.ndarray, np.ndarray]:
        """Return p(target word | no link), (B, J), and p(source word | no link), (B, I); 1 / NO_LINK on padding."""
        target = _shares(self.target_unlinked)[batch.target]
        source = _shares(self.source_unlinked)[batch.source]
        return np.where(batch.target_words, target, 1 / NO_LINK), np.where(batch.source_words, source, 1 / NO_LINK)


def _words(numbers: np.ndarray) -> int:
    # The last entry belongs to padding.
    return len(numbers) - 1


def _shares(numbers: np.ndarray) -> np.ndarray:
    return (numbers + PRIOR) / (numbers.sum() + PRIOR * _words(numbers))


@dataclass(frozen=True, eq=False)
class AlignmentModel:
    """The trained model of the default aligner."""

    source_words: dict[str, int]  # the id of each source word
    target_words: dict[str, int]  # the id of each target word
    source: np.ndarray  # (P,): the source word of each linked pair
    target: np.ndarray  # (P,): the target word of each linked pair
    links: np.ndarray  # (P,): the expected number of links of the pair
    source_unlinked: np.ndarray  # (S,): the expected number of tokens of each word that have no link
    target_unlinked: np.ndarray  # (T,): the same for target words
    jumps: BothJumps  # the probabilities of jumps in both directions

    def save(self, folder: Path) -> None:
        """Write the model to a folder; the bytes of the files depend on the model alone."""
        sources, targets = len(self.source_words), len(self.target_words)
        # Rows of pairs come first, then a row for each source word alone, then a row for each target word alone.
        columns = [
            _column(self.source_words, self.source, np.arange(sources), np.full(targets, -1)),
            _column(self.target_words, self.target, np.full(sources, -1), np.arange(targets)),
            pa.array(np.concatenate([self.links, self.source_unlinked, self.target_unlinked])),
        ]
        write_arrow(folder / LEXICON, pa.table(columns, schema=LINKS))
        write_json(folder / JUMPS, [jumps.probabilities.tolist() for jumps in self.jumps])

    @classmethod
    def load(cls, folder: Path) -> "AlignmentModel":
        """Read the model that `save` wrote; raises UserError where a file is missing, or is not a file of a model."""
        table = read_arrow(folder / LEXICON, LINKS)
        jumps = _read_jumps(folder / JUMPS)
        with reading(folder / LEXICON, "not the lexicon of an aligner"):
            table.validate(full=True)  # also where a manifest lists the file: a wrong place of a word crashes Python
            columns = [table[name].combine_chunks() for name in ("source", "target")]
            words = [{word: n for n, word in enumerate(column.dictionary.to_pylist())} for column in columns]
            source, target = (column.indices.fill_null(-1).to_numpy().astype(np.int64) for column in columns)
            links, pairs = table["links"].to_numpy(), (source >= 0) & (target >= 0)
            unlinked = links[target < 0], links[source < 0]
            alone = source[target < 0], target[source < 0]
            # Each word has one number, and one row without a word on the other side, in the order of these numbers.
            if not all(np.array_equal(rows, np.arange(len(side))) for rows, side in zip(alone, words, strict=True)):
                raise ValueError("a word twice, or none")
            if not (np.isfinite(links).all() and (links >= 0).all()):
                raise ValueError("numbers of links below 0, infinite or no numbers")
            return cls(*words, source[pairs], target[pairs], links[pairs], *unlinked, jumps)


def _read_jumps(path: Path) -> BothJumps:
    both = read_json(path)
    if not (
        isinstance(both, list)
        and [isinstance(numbers, list) and len(numbers) for numbers in both] == [JUMP_COUNT, JUMP_COUNT]
    ):
        raise UserError("not the jumps of an aligner", where=str(path), expected=f"two lists of {JUMP_COUNT} numbers")
    with reading(path, "not the jumps of an aligner", "probabilities above 0"):
        forward, backward = (np.array(numbers, dtype=float) for numbers in both)
        if not all(((numbers > 0) & (numbers <= 1)).all() for numbers in (forward, backward)):
            raise ValueError("other numbers")
    return Jumps(forward), Jumps(backward)


def _column(numbers: dict[str, int], *places: np.ndarray) -> pa.DictionaryArray:
    codes = np.concatenate(places).astype(np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(numbers, pa.string()))
