"""s-BLEU of parts of the test set: sentences that are alike in length, in their rarest word, or in position.

A sentence is in one bucket of each kind: by the `length` of its source in words, by the `frequency` of the rarest word
of its source in the training split, and by its `position` in its document, from 1. Whether a system gains on long
sentences, on rare words or late in documents is what its mean over the test set cannot tell.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from docmt.base.columns import TOKENS, only
from docmt.base.tables import read_arrow
from docmt.scoring.tallies import Tally, part_of

COLUMNS = only(TOKENS, "split", "document", "sentence", "source_tokens")
"""The columns of tokens.arrow that decide on the buckets of a sentence."""

BOUNDS = {"length": (1, 11, 21, 31, 41), "frequency": (0, 1, 10, 100, 1000), "position": (1, 2, 6, 11, 21)}
"""The first number of each bucket of a kind; a bucket ends before the next one, and the last has no end."""


def bucket_names(bounds: Sequence[int]) -> list[str]:
    """Return the names of buckets.

    >>> bucket_names((0, 1, 10))
    ['0', '1-9', '10+']
    """
    pairs = pairwise(bounds)
    closed = [f"{low}-{high - 1}" if high - low > 1 else str(low) for low, high in pairs]
    return [*closed, f"{bounds[-1]}+"]


def bucket_tallies(tokens: Path, tally: Tally) -> list[Tally]:
    """Return the tally of each bucket with a sentence.

    `tokens`: the folder of stage 2. `tally`: the summands of s-BLEU, a row for each test sentence.
    """
    values = bucket_values(tokens)
    return [
        part_of(tally, chosen, f"@{kind}.{name}", f"|bucket:{kind}:{name}")
        for kind, bounds in BOUNDS.items()
        for place, name in enumerate(bucket_names(bounds))
        if (chosen := [n for n, value in enumerate(values[kind]) if bisect_right(bounds, value) - 1 == place])
    ]


def bucket_values(tokens: Path) -> dict[str, list[int]]:
    """Return the number of each test sentence that decides on its bucket, for each kind of bucket.

    An empty source has the length 1 and the frequency 0.
    """
    import polars as pl

    rows = pl.from_arrow(read_arrow(tokens / "tokens.arrow", COLUMNS)).lazy()
    words = rows.with_columns(pl.col("source_tokens").str.split(" ").alias("word"))
    train, test = (words.filter(split=split) for split in ("train", "test"))
    counts = train.select("word").explode("word").group_by("word").agg(frequency=pl.len())
    counted = test.with_row_index().explode("word").join(counts, "word", "left", maintain_order="left")
    values = counted.group_by("index", maintain_order=True).agg(
        length=pl.len(), frequency=pl.col("frequency").fill_null(0).min(), position=pl.col("sentence").first() + 1
    )
    # Streaming: the words of a large training split are never in memory all at once.
    return values.drop("index").collect(engine="streaming").to_dict(as_series=False)
