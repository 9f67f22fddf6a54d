"""Which instances belong to which update, and how an update is split to fit a device.

Lengths are target tokens, the ends of sentences included. An update's instances follow from (seed, epoch) and
`tokens_per_update` alone; `batch_tokens` and, later, the number of devices only split them.
"""

import numpy as np
import pyarrow as pa

from docmt.core.errors import UserError
from docmt.nn.rows import Rows
from docmt.training.seeds import derived_seed


def target_tokens(rows: Rows) -> np.ndarray:
    """Decoder outputs of each instance: its words and one end a sentence, in either frame."""
    return rows.target_words + rows.sentences


def packed(lengths: np.ndarray, budget: int) -> list[slice]:
    """Consecutive ranges whose lengths sum to at most `budget`; what is longer stands alone."""
    ends = np.cumsum(lengths)
    ranges, start, done = [], 0, 0
    while start < len(lengths):
        stop = max(int(np.searchsorted(ends, done + budget, side="right")), start + 1)
        ranges.append(slice(start, stop))
        start, done = stop, int(ends[stop - 1])
    return ranges


def epoch_updates(lengths: np.ndarray, tokens_per_update: int, seed: int, epoch: int) -> list[np.ndarray]:
    """The instances of each update of an epoch: a permutation of all, cut where the budget is full."""
    generator = np.random.Generator(np.random.PCG64(derived_seed(seed, "order", epoch)))
    order = generator.permutation(len(lengths))
    return [order[part] for part in packed(lengths[order], tokens_per_update)]


def micro_batches(instances: np.ndarray, lengths: np.ndarray, batch_tokens: int) -> list[np.ndarray]:
    """An update's instances in parts of at most `batch_tokens`."""
    return [instances[part] for part in packed(lengths[instances], batch_tokens)]


def check_lengths(lengths: np.ndarray, documents: pa.ChunkedArray, batch_tokens: int, where: str) -> None:
    """Raises UserError for the longest instance, if it does not fit a device's budget."""
    longest = int(lengths.argmax())
    if lengths[longest] > batch_tokens:
        raise UserError(
            f"a segment of document {documents[longest].as_py()!r} is longer than a batch",
            where=where,
            found=f"{lengths[longest]} target tokens",
            expected=f"at most train.batch_tokens = {batch_tokens}",
            remedy="raise train.batch_tokens, or cut documents smaller (view: max_tokens)",
        )
