"""The perplexity that a model without any context would have: the least that a trained model must beat."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.columns import TOKENS, read_arrow
from docmt.base.foreign import reading
from docmt.base.vocabulary import EOS, Vocabulary


def unigram_dev_perplexity(tokens: Path) -> float | None:
    """Of the dev targets' pieces under their frequencies in training; none where the corpus lacks one of the two.

    Counts are smoothed by adding one to each piece of the vocabulary. Every sentence is followed by one end
    symbol, as in the models' own dev perplexity.
    """
    table = read_arrow(tokens / "tokens.arrow", TOKENS)
    size = len(Vocabulary.load(tokens / "text" / "vocabulary.target.txt"))
    with reading(tokens / "tokens.arrow", "not the pieces of its vocabulary", remedy="make the tokens anew"):
        train, dev = (piece_counts(table, split, size) for split in ("train", "dev"))
    return perplexity(train, dev) if train.sum() and dev.sum() else None


def piece_counts(table: pa.Table, split: str, size: int) -> np.ndarray:
    """How often each id occurs in the targets of a split, end symbols included; shape (size,)."""
    targets = table.filter(pc.equal(table.column("split"), split)).column("target_ids")
    ids = pc.list_flatten(targets).to_numpy(zero_copy_only=False)
    if ids.max(initial=0) >= size:
        raise ValueError(f"id {ids.max()}, and a vocabulary of {size}")
    counts = np.bincount(ids.astype(np.int64), minlength=size)
    counts[EOS] += len(targets)
    return counts


def perplexity(train: np.ndarray, dev: np.ndarray) -> float:
    """Of `dev` counts under the add-one smoothed frequencies of `train` counts."""
    log_probabilities = np.log(train + 1) - np.log(train.sum() + len(train))
    return float(np.exp(-(dev * log_probabilities).sum() / dev.sum()))
