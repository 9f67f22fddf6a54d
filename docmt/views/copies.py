"""Partial copy: context that a document lacks is filled with part of what it has."""

from dataclasses import replace

import numpy as np

from docmt.views.segments import Ids, Sentences


def with_copies(sentences: Sentences, copies: int, share: float) -> Sentences:
    """Put `copies` copies of the first `share` of its first sentence, on both sides, at the head of each document.

    Windows of `copies + 1` then have each of the document's own sentences as their last once, and none of them is
    shorter. Pieces are counted, and rounded up.

    Paper: long-short term masking (Zhang et al. 2020), section 3.2, says no more than that Jean et al. 2019, "Fill in
    the Blanks", "filled the missing context with partial copy strategy, since the repetition can naturally enhance the
    lexical cohesion".
    Our reading: missing are the sentences before a document's first one, so that only the windows of its first k - 1
    sentences are filled; what is copied is the first real sentence of such a window, which is the document's first.
    Both sides are copied, so that the model sees the repetition and its consistent translation. It is the beginning
    that is copied, since the beginnings of both sides mostly translate each other, and since a choice by chance would
    be another one each time that the view is made. Training only: a filled test segment would not be the test set.
    """
    first = sentences.documents[:-1]
    sides = (_with_copies(side, first, copies, share) for side in (sentences.source, sentences.target))
    documents = sentences.documents + copies * np.arange(len(sentences.documents))
    return replace(sentences, **dict(zip(("source", "target"), sides, strict=True)), documents=documents, copies=copies)


def _with_copies(side: Ids, first: np.ndarray, copies: int, share: float) -> Ids:
    """No id is moved: a copy is a shorter look at the sentence's place."""
    before = np.repeat(first, copies)
    # Rounded before it is rounded up, since 0.07 * 100 is a little more than 7.
    parts = np.ceil(np.round(share * side.lengths[before], 9)).astype(np.int64)
    lengths = np.insert(side.lengths, before, parts)
    return Ids(side.values, np.insert(side.starts, before, side.starts[before]), lengths)
