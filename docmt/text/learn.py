"""What is learnt from the training split, and from nothing else: cases, merge operations, vocabularies."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from docmt.core.config import TextConfig
from docmt.core.vocabulary import Vocabulary
from docmt.text.bpe import Segmenter, learn_merges


@dataclass(frozen=True)
class Subwords:
    segmenter: Segmenter
    vocabulary: Vocabulary


def count_tokens(lines: Iterable[str]) -> Counter[str]:
    """`lines`: tokens joined by single spaces."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(line.split(" "))
    return counts


def learn_subwords(config: TextConfig, source: Counter[str], target: Counter[str]) -> tuple[Subwords, Subwords]:
    """The source's and the target's; one and the same where BPE is joint. From counts of training tokens.

    Departs: `threshold` leaves rare pieces out of the vocabulary (they become `<unk>`); subword-nmt's own
    threshold would split them again. None of the papers uses either.
    """
    if config.bpe == "joint":
        both = learn_side(config, source + target)
        return both, both
    return learn_side(config, source), learn_side(config, target)


def learn_side(config: TextConfig, counts: Counter[str]) -> Subwords:
    segmenter = Segmenter(learn_merges(counts, config.merges))
    return Subwords(segmenter, Vocabulary.from_counts(segmenter.count_pieces(counts), config.threshold))
