"""What of the training split a view leaves out: documents that are too short, segments that are not drawn."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from docmt.base.errors import UserError
from docmt.base.runs import sums
from docmt.settings.data import CutConfig
from docmt.views.cuts import Cuts
from docmt.views.segments import Sentences, document_numbers

SEED = b"docmt sample"
"""Another one would be another draw."""


def long_enough(sentences: Sentences, cut: CutConfig) -> np.ndarray:
    """For each document whether it has as many sentences, and source pieces, as the cut wants.

    Paper: G-Transformer, section 3.1, where training documents "with a length of less than 768 tokens" are removed.
    Our reading: pieces of the source, without the symbols that stand around sentences.
    """
    lengths = np.diff(sentences.documents)
    pieces = sums(sentences.source.lengths, lengths)
    return (lengths >= (cut.min_document_sentences or 0)) & (pieces >= (cut.min_document_tokens or 0))


def ranks(sentences: Sentences, cuts: Cuts) -> np.ndarray:
    """A number by chance (uint64) for each segment; it follows from its document and last sentence, and nothing else.

    No two segments of a cut end with the same sentence, while windows may well begin with the same one.
    """
    owner = document_numbers(sentences, cuts)
    ends = cuts.ends - sentences.documents[owner] - sentences.copies
    keys = (f"{name}\t{end}".encode() for name, end in zip(sentences.names[owner], ends, strict=True))
    numbers = b"".join(blake2b(key, digest_size=8, key=SEED).digest() for key in keys)
    return np.frombuffer(numbers, "<u8")


def draw(size: int, shards: Iterable[np.ndarray], where: str) -> list[np.ndarray]:
    """The segments of the `size` lowest ranks: for each shard the numbers of its own, rising.

    `shards`: the `ranks` of each, in order. Only what is drawn so far is held, however many shards there are. A smaller
    draw is part of a larger one; of equal ranks the earlier segment is taken. Raises UserError, which names `where`,
    for fewer segments than are to be drawn.
    """
    drawn, places = np.zeros(0, np.uint64), np.zeros((0, 2), np.int64)
    total = count = 0
    for number, found in enumerate(shards):
        own = np.stack([np.full(len(found), number), np.arange(len(found))], axis=1)
        drawn, places = np.concatenate([drawn, found]), np.concatenate([places, own])
        lowest = np.argsort(drawn, kind="stable")[:size]
        drawn, places = drawn[lowest], places[lowest]
        total, count = total + len(found), count + 1
    if total < size:
        what = "fewer training segments than are to be drawn"
        raise UserError(what, where=where, found=f"{total} segments", expected=f"{size} or more (view.train.sample)")
    return [np.sort(places[places[:, 0] == number, 1]) for number in range(count)]
