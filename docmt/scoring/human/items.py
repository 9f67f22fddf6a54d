"""The items of a human evaluation: sentences with context and two translations, and the key that names their systems.

Paper: lexical chains (Lyu et al. 2022), section 5.6: 500 sentences of the test set drawn at random, each with the two
source sentences before it and the two after it, with their references, and with two translations in random order.
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
"""Number of sentences of context before a sentence, and after it."""

DIGEST = "digest"
"""The name of the digest in a key's file, beside the fields of the key."""

SHA256_DIGITS = 64
"""Number of hexadecimal digits of a whole SHA-256."""

Pair = tuple[str, str]
"""A source sentence and its reference; both are empty before the first and after the last sentence of a document."""


@dataclass(frozen=True)
class ComparedSystems:
    """The translations of a test set by two systems, a line for each sentence.

    `documents` has the name of the document of each sentence.
    """

    documents: Sequence[str]
    source: Sequence[str]
    references: Sequence[str]
    baseline: Sequence[str]
    system: Sequence[str]


@dataclass(frozen=True)
class SheetItem:
    """A sentence to judge, with its context and two translations.

    `line` is the number of the sentence in the test set, from 1. `before` and `after` are CONTEXT pairs each. `first`
    says whose translation is the first of the two.
    """

    line: int
    before: tuple[Pair, ...]
    source: str
    after: tuple[Pair, ...]
    translations: tuple[str, str]
    first: Literal["baseline", "system"]

    @property
    def texts(self) -> list[str]:
        """The texts of the item, in the order of a sheet's columns."""
        before, after = ([text for pair in pairs for text in pair] for pairs in (self.before, self.after))
        return [*before, self.source, *after, *self.translations]


def draw_sheet_items(test: ComparedSystems, sentences: int, seed: int) -> list[SheetItem]:
    """Draw the items of a sheet: different sentences in random order, each with its translations in random order.

    Raises UserError where the test set has fewer than `sentences` sentences.
    """
    size = len(test.source)
    if sentences > size:
        raise UserError("more sentences than there are", found=sentences, expected=f"at most {size}")
    random = np.random.default_rng(seed)
    places = random.permutation(size)[:sentences].tolist()
    # Drawn after the sentences and for each item: the order of the two translations must not tell their systems.
    swaps = random.integers(2, size=sentences).tolist()
    return [_item(test, place, bool(swap)) for place, swap in zip(places, swaps, strict=True)]


def text_digest(texts: Sequence[str]) -> str:
    """Return a digest of texts that identifies a row of a sheet.

    It ignores differences of white space, since spreadsheets may change it.
    """
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
    """Return the sentence at the distance `step` from `place`, or empty texts where it is of another document."""
    other = place + step
    if not 0 <= other < len(test.source) or test.documents[other] != test.documents[place]:
        return "", ""
    return test.source[other], test.references[other]


@dataclass(frozen=True)
class KeyItem:
    """The entry of an item in a key.

    `line` is the number of the sentence in the test set, from 1. `first` says whose translation is the first of the
    two. `texts` is the digest of the texts in the item's row.
    """

    line: int
    first: Literal["baseline", "system"]
    texts: str


@dataclass(frozen=True)
class Key:
    """The key of a sheet, which names the system of each translation; annotators must not see it.

    `baseline` and `system` are names, `seed` is the seed of the draw. `items[n]` is the entry of item n + 1.
    """

    baseline: str
    system: str
    seed: int
    items: tuple[KeyItem, ...]

    def __post_init__(self) -> None:
        """Check that the key has items."""
        need(len(self.items) > 0, "items", [], "an item for each row of the sheet")

    @classmethod
    def of_items(cls, items: Sequence[SheetItem], baseline: str, system: str, seed: int) -> "Key":
        """Return the key of drawn items; `baseline` and `system` are the names of the two systems."""
        entries = tuple(KeyItem(item.line, item.first, text_digest(item.texts)) for item in items)
        return cls(baseline, system, seed, entries)

    @classmethod
    def load(cls, path: Path) -> "Key":
        """Read a key.

        Raises UserError where the file is missing, is not a key, or was changed after it was written with its sheet.
        """
        content = read_json(path)
        stated = content.pop(DIGEST, None) if isinstance(content, dict) else None
        key = parse(cls, content, str(path))
        _check_digest(stated, key.digest, path)
        return key

    def save(self, path: Path) -> None:
        """Write the key with its digest, as JSON."""
        write_json(path, {**asdict(self), DIGEST: self.digest})

    @property
    def digest(self) -> str:
        """The SHA-256 of all fields of the key."""
        return digest(asdict(self), SHA256_DIGITS)

    @property
    def signature(self) -> str:
        """The signature of a human evaluation: the number of sentences, their context, the seed and the choices."""
        return f"human|sentences:{len(self.items)}|context:{CONTEXT}|seed:{self.seed}|choices:3|v:1"


def _check_digest(stated: Any, actual: str, path: Path) -> None:
    """Raise UserError where a key does not state its digest, or states another one."""
    if stated is None:
        remedy = "write it again: docmt draw-sheet with the same files, --sentences and --seed draws the same sheet"
        raise UserError("a key without its digest", where=str(path), expected=f"`{DIGEST}`, its SHA-256", remedy=remedy)
    if stated != actual:
        raise UserError(
            "the key was changed",
            where=str(path),
            found=f"content of digest {actual}",
            expected=f"content of digest {stated}, as the key states",
            remedy="take the key that was written with this sheet",
        )
