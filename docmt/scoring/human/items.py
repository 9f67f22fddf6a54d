"""Which sentences annotators judge, what they see of each, and in which order the two translations stand.

Paper: lexical chains (Lyu et al. 2022), section 5.6: 500 sentences of the test set drawn at random, each with its two
preceding and two following source sentences and their references, and with the two translations without order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from docmt.base.artifacts import digest
from docmt.base.errors import UserError

CONTEXT = 2
"""Sentences on each side."""

Pair = tuple[str, str]
"""A source sentence and its reference; both empty beyond the document's ends."""


@dataclass(frozen=True)
class Compared:
    """Two systems' translations of a test set, a line a sentence. `documents`: the name of each one's document."""

    documents: Sequence[str]
    source: Sequence[str]
    references: Sequence[str]
    baseline: Sequence[str]
    system: Sequence[str]


@dataclass(frozen=True)
class Item:
    """A sentence to judge. `line`: its number in the test set, from 1. `first`: whose translation stands first."""

    line: int
    before: tuple[Pair, ...]
    source: str
    after: tuple[Pair, ...]
    translations: tuple[str, str]
    first: Literal["baseline", "system"]

    @property
    def texts(self) -> list[str]:
        """All that is shown, in the order of a sheet's columns."""
        before, after = ([text for pair in pairs for text in pair] for pairs in (self.before, self.after))
        return [*before, self.source, *after, *self.translations]


def draw(test: Compared, sentences: int, seed: int) -> list[Item]:
    """So many different sentences, in random order. Raises UserError where the test set has fewer."""
    size = len(test.source)
    if sentences > size:
        raise UserError("more sentences than there are", found=sentences, expected=f"at most {size}")
    random = np.random.default_rng(seed)
    chosen = random.permutation(size)[:sentences].tolist()
    swapped = random.integers(2, size=sentences).tolist()
    return [_item(test, place, bool(swap)) for place, swap in zip(chosen, swapped, strict=True)]


def text_digest(texts: Sequence[str]) -> str:
    """By which a sheet's row is known again; blanks, which spreadsheets may change, do not count."""
    return digest([" ".join(text.split()) for text in texts])


def _item(test: Compared, place: int, swap: bool) -> Item:
    steps = range(1, CONTEXT + 1)
    translations = (test.baseline[place], test.system[place])
    return Item(
        line=place + 1,
        before=tuple(_pair(test, place, -step) for step in reversed(steps)),
        source=test.source[place],
        after=tuple(_pair(test, place, step) for step in steps),
        translations=translations[::-1] if swap else translations,
        first="system" if swap else "baseline",
    )


def _pair(test: Compared, place: int, step: int) -> Pair:
    """The sentence so many `step`s from `place`, if it is of the same document."""
    other = place + step
    if not 0 <= other < len(test.source) or test.documents[other] != test.documents[place]:
        return "", ""
    return test.source[other], test.references[other]
