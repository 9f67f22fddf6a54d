"""The selection of a view's training data: short documents are left out, and so are segments that are not drawn."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from docmt.base.errors import UserError
from docmt.base.ragged import sums
from docmt.settings.data import CutConfig
from docmt.views.cuts import Cuts
from docmt.views.segments import Sentences, document_numbers

SEED = b"docmt sample"  # The key of the hash that ranks segments; a different key would draw different segments


def long_enough(sentences: Sentences, cut: CutConfig) -> np.ndarray:
    """Return for each document whether it has the minimum numbers of sentences and of source pieces that `cut` sets.

    Paper: G-Transformer, section 3.1, where training documents "with a length of less than 768 tokens" are removed.
    """
    lengths = np.diff(sentences.documents)
    # Our reading: the length is the number of source pieces, without the symbols around sentences.
    pieces = sums(sentences.source.lengths, lengths)
    return (lengths >= (cut.min_document_sentences or 0)) & (pieces >= (cut.min_document_tokens or 0))


def ranks(sentences: Sentences, cuts: Cuts) -> np.ndarray:
    """Return a pseudo-random number (uint64) for each segment.

    The number depends only on the name of the segment's document and on the number of the segment's last sentence.
    """
    owner = document_numbers(sentences, cuts)
    # No two segments of a cut have the same last sentence, but several windows may have the same first sentence.
    ends = cuts.ends - sentences.documents[owner]
    keys = (f"{name}\t{end}".encode() for name, end in zip(sentences.names[owner], ends, strict=True))
    numbers = b"".join(blake2b(key, digest_size=8, key=SEED).digest() for key in keys)
    return np.frombuffer(numbers, "<u8")


def draw(size: int, shards: Iterable[np.ndarray], where: str) -> list[np.ndarray]:
    """Return, for each shard, the numbers of its segments among the `size` segments with the lowest ranks, ascending.

    `shards`: the `ranks` of each shard, in the order of the shards. The segments of a smaller draw are all in a larger
    draw.

    Raises UserError, which names `where`, where there are fewer segments than `size`.
    """
    drawn, places = np.zeros(0, np.uint64), np.zeros((0, 2), np.int64)
    total = count = 0
    for number, shard_ranks in enumerate(shards):
        shard_places = np.stack([np.full(len(shard_ranks), number), np.arange(len(shard_ranks))], axis=1)
        # Memory holds at most `size` drawn segments and one shard.
        drawn, places = np.concatenate([drawn, shard_ranks]), np.concatenate([places, shard_places])
        # The sort is stable, so that of segments with equal ranks the earlier one is drawn.
        lowest = np.argsort(drawn, kind="stable")[:size]
        drawn, places = drawn[lowest], places[lowest]
        total, count = total + len(shard_ranks), count + 1
    if total < size:
        what = "fewer training segments than are to be drawn"
        raise UserError(what, where=where, found=f"{total} segments", expected=f"{size} or more (view.train.sample)")
    return [np.sort(places[places[:, 0] == number, 1]) for number in range(count)]
