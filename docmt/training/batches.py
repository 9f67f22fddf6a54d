"""Which instances belong to which update, and how an update is split to fit a device.

Lengths are target tokens, the ends of sentences included. An update's instances follow from (seed, epoch) and
`tokens_per_update` alone; `batch_tokens` and the number of ranks only split them.
"""

import heapq

import numpy as np
import pyarrow as pa

from docmt.base.errors import UserError
from docmt.nn.rows import Rows
from docmt.training.computing import derived_seed


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


def micro_batches(
    instances: np.ndarray, lengths: np.ndarray, tokens_per_update: int, batch_tokens: int, ranks: int = 1
) -> list[np.ndarray]:
    """An update's instances in parts of at most `batch_tokens` and nearly equal size, for ranks to take in turn.

    There are 1, 2, 4, 8 ... parts, as few as will do and at least as many as ranks (or an odd number of ranks times
    that). So 1, 2, 4 and 8 ranks compute the same parts, and only sum them up in another order, where memory alone
    asks for as many. Of fewer instances than parts each is one.
    """
    parts = ranks // (ranks & -ranks)
    while parts < ranks or parts * batch_tokens < tokens_per_update:
        parts *= 2
    tokens = lengths[instances]
    shares = dealt(tokens, parts)
    while parts < len(instances) and max(tokens[share].sum() for share in shares) > batch_tokens:
        parts *= 2
        shares = dealt(tokens, parts)
    return [instances[share] for share in shares if len(share)]


def dealt(lengths: np.ndarray, hands: int) -> list[np.ndarray]:
    """Numbers of the lengths in so many hands of nearly equal sums: the longest first, each to the emptiest hand."""
    sums = [(0, hand) for hand in range(hands)]
    owner = np.empty(len(lengths), dtype=np.int64)
    for number in np.argsort(-lengths, kind="stable"):
        total, hand = sums[0]
        owner[number] = hand
        heapq.heapreplace(sums, (total + int(lengths[number]), hand))
    return [np.flatnonzero(owner == hand) for hand in range(hands)]


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
