"""Which sentences annotators judge, what they see of each, and in which order the two translations stand.

Paper: lexical chains (Lyu et al. 2022), section 5.6: 500 sentences of the test set drawn at random, each with its two
preceding and two following source sentences and their references, and with the two translations without order.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from docmt.base.artifacts import digest, read_json, write_json
from docmt.base.checks import need
from docmt.base.errors import UserError
from docmt.base.parse import parse

CONTEXT = 2
"""Sentences on each side."""

DIGEST = "digest"
"""In a key's file beside its own fields."""

SHA256_DIGITS = 64

Pair = tuple[str, str]
"""A source sentence and its reference; both empty beyond the document's ends."""


@dataclass(frozen=True)
class ComparedSystems:
    """Two systems' translations of a test set, a line a sentence. `documents`: the name of each one's document."""

    documents: Sequence[str]
    source: Sequence[str]
    references: Sequence[str]
    baseline: Sequence[str]
    system: Sequence[str]


@dataclass(frozen=True)
class SheetItem:
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


def draw_sheet_items(test: ComparedSystems, sentences: int, seed: int) -> list[SheetItem]:
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


def _item(test: ComparedSystems, place: int, swap: bool) -> SheetItem:
    steps = range(1, CONTEXT + 1)
    translations = (test.baseline[place], test.system[place])
    return SheetItem(
        line=place + 1,
        before=tuple(_pair(test, place, -step) for step in reversed(steps)),
        source=test.source[place],
        after=tuple(_pair(test, place, step) for step in steps),
        translations=translations[::-1] if swap else translations,
        first="system" if swap else "baseline",
    )


def _pair(test: ComparedSystems, place: int, step: int) -> Pair:
    """The sentence so many `step`s from `place`, if it is of the same document."""
    other = place + step
    if not 0 <= other < len(test.source) or test.documents[other] != test.documents[place]:
        return "", ""
    return test.source[other], test.references[other]


@dataclass(frozen=True)
class KeyItem:
    """`first`: whose translation stands first; `texts`: digest of what the sheet's row shows."""

    line: int
    first: Literal["baseline", "system"]
    texts: str


@dataclass(frozen=True)
class Key:
    """What annotators may not see. `items[n]` is that of item n + 1."""

    baseline: str
    system: str
    seed: int
    items: tuple[KeyItem, ...]

    def __post_init__(self) -> None:
        need(len(self.items) > 0, "items", [], "an item for each row of the sheet")

    @classmethod
    def of_items(cls, items: Sequence[SheetItem], baseline: str, system: str, seed: int) -> "Key":
        """`baseline`, `system`: what the two are called."""
        known = tuple(KeyItem(item.line, item.first, text_digest(item.texts)) for item in items)
        return cls(baseline, system, seed, known)

    @classmethod
    def load(cls, path: Path) -> "Key":
        """Raises UserError where the file is missing, is no key, or is not what was written with a sheet."""
        found = read_json(path)
        stated = found.pop(DIGEST, None) if isinstance(found, dict) else None
        key = parse(cls, found, str(path))
        _check_digest(stated, key.digest, path)
        return key

    def save(self, path: Path) -> None:
        write_json(path, {**asdict(self), DIGEST: self.digest})

    @property
    def digest(self) -> str:
        """SHA-256 of all that the key says."""
        return digest(asdict(self), SHA256_DIGITS)

    @property
    def signature(self) -> str:
        """How sentences were chosen and shown."""
        return f"human|sentences:{len(self.items)}|context:{CONTEXT}|seed:{self.seed}|choices:3|v:1"


def _check_digest(stated: Any, found: str, path: Path) -> None:
    if stated is None:
        remedy = "write it again: docmt human sheet with the same files, --sentences and --seed draws the same sheet"
        raise UserError("a key without its digest", where=str(path), expected=f"`{DIGEST}`, its SHA-256", remedy=remedy)
    if stated != found:
        raise UserError(
            "the key was changed",
            where=str(path),
            found=f"content of digest {found}",
            expected=f"content of digest {stated}, as the key states",
            remedy="take the key that was written with this sheet",
        )
