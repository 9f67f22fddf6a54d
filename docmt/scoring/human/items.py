"""The items of a human evaluation: sentences with context and two translations, and the key that names their systems.

Paper: lexical chains (Lyu et al. 2022), section 5.6. 500 sentences of the test set are drawn at random. Annotators see
each sentence with two translations in random order, and with the two source sentences before and after it and the
references of these.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from docmt.base.artifacts import read_json, write_json
from docmt.base.checks import need
from docmt.base.digests import digest
from docmt.base.errors import UserError
from docmt.base.names import Identical
from docmt.base.parse import parse

CONTEXT = 2  # The number of context sentences before a judged sentence, and also after it

DIGEST = "digest"  # The name of the digest in the file of a key, beside the fields of the key

SHA256_DIGITS = 64  # The number of hexadecimal digits of a whole SHA-256

Pair = tuple[str, str]
"""A context sentence and its reference; both are empty where the document has no sentence at this place."""


@dataclass(frozen=True)
class ComparedSystems:
    """The translations of a test set by two systems, with a line for each sentence."""

    documents: Sequence[str]  # the name of the document of each sentence
    source: Sequence[str]
    references: Sequence[str]
    baseline: Sequence[str]
    system: Sequence[str]


@dataclass(frozen=True)
class SheetItem:
    """A sentence to judge, with its context and two translations."""

    line: int  # the number of the sentence in the test set, from 1
    before: tuple[Pair, ...]  # CONTEXT sentences with their references, as in `after`
    source: str
    after: tuple[Pair, ...]
    translations: tuple[str, str]
    first: Literal["baseline", "system"]  # the system of the first translation
    # Items are equal where the same texts are judged in the same order, whoever fills in the choice.
    filled: bool = field(default=False, compare=False)  # whether the sheet counts the pair as equal without asking

    @property
    def is_identical(self) -> bool:
        """Whether both translations are the same but for white space."""
        first, second = self.translations
        return are_identical(first, second)

    @property
    def texts(self) -> list[str]:
        """The texts of the item, in the order of the columns of a sheet."""
        before, after = ([text for pair in pairs for text in pair] for pairs in (self.before, self.after))
        return [*before, self.source, *after, *self.translations]


def are_identical(first: str, second: str) -> bool:
    """Return whether two translations are the same but for white space."""
    return first.split() == second.split()


def drawable(test: ComparedSystems, identical: Identical) -> list[int]:
    """Return the numbers of the sentences of which a sheet may be drawn, from 0."""
    pairs = enumerate(zip(test.baseline, test.system, strict=True))
    return [place for place, pair in pairs if identical != "left_out" or not are_identical(*pair)]


def draw_sheet_items(
    test: ComparedSystems, sentences: int, seed: int, identical: Identical = "filled"
) -> list[SheetItem]:
    """Draw the items of a sheet: different sentences in random order, each with two translations in random order.

    Raises UserError where there are fewer than `sentences` sentences to draw from.
    """
    places = drawable(test, identical)
    if sentences > len(places):
        of = " with different translations" if identical == "left_out" else ""
        raise UserError("more sentences than there are", found=sentences, expected=f"at most {len(places)}{of}")
    random = np.random.default_rng(seed)
    places = random.permutation(places)[:sentences].tolist()
    # The order of the two translations is drawn for each item, so that annotators cannot guess the systems from it.
    swaps = random.integers(2, size=sentences).tolist()
    items = [_item(test, place, bool(swap)) for place, swap in zip(places, swaps, strict=True)]
    return [replace(item, filled=identical == "filled" and item.is_identical) for item in items]


def text_digest(texts: Sequence[str]) -> str:
    """Return a digest of texts that identifies a row of a sheet."""
    # The digest ignores differences of white space, since spreadsheet programs may change white space.
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
    """Return the sentence `step` lines from `place` and its reference; empty texts outside of its document."""
    other = place + step
    if not 0 <= other < len(test.source) or test.documents[other] != test.documents[place]:
        return "", ""
    return test.source[other], test.references[other]


@dataclass(frozen=True)
class KeyItem:
    """The entry of an item in a key."""

    line: int  # the number of the sentence in the test set, from 1
    first: Literal["baseline", "system"]  # the system of the first translation
    texts: str  # the digest of the texts of the item
    filled: bool  # whether the sheet counts the pair as equal without asking


@dataclass(frozen=True)
class Key:
    """The key of a sheet, which names the system of each translation; annotators must not see it."""

    baseline: str  # the name of the baseline
    system: str  # the name of the system
    seed: int  # the seed by which items were drawn
    identical: Identical
    items: tuple[KeyItem, ...]  # items[n] is the entry of item n + 1

    def __post_init__(self) -> None:
        """Check that the key has items."""
        need(len(self.items) > 0, "items", [], "an item for each row of the sheet")

    @classmethod
    def of_items(
        cls, items: Sequence[SheetItem], baseline: str, system: str, seed: int, identical: Identical = "filled"
    ) -> "Key":
        """Return the key of drawn items; `baseline` and `system` are the names of the two systems."""
        entries = tuple(KeyItem(item.line, item.first, text_digest(item.texts), item.filled) for item in items)
        return cls(baseline, system, seed, identical, entries)

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
        sentences = f"sentences:{len(self.items)}|identical:{self.identical}"
        return f"human|{sentences}|context:{CONTEXT}|seed:{self.seed}|choices:3|v:2"

    @property
    def filled(self) -> int:
        """The number of pairs that the sheet counts as equal without asking."""
        return sum(item.filled for item in self.items)


def _check_digest(stated: Any, actual: str, path: Path) -> None:
    if stated is None:
        remedy = "write it again: docmt draw-sheet with the same files and options draws the same sheet"
        raise UserError("a key without its digest", where=str(path), expected=f"`{DIGEST}`, its SHA-256", remedy=remedy)
    if stated != actual:
        raise UserError(
            "the key was changed",
            where=str(path),
            found=f"content of digest {actual}",
            expected=f"content of digest {stated}, as the key states",
            remedy="take the key that was written with this sheet",
        )
