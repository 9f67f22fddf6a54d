"""A draft: the part of a corpus file that one address gives."""

from dataclasses import dataclass
from typing import Any

from docmt.drafts.address import Pair

Value = dict[str, Any]
"""A value of YAML: a file or a reader of a corpus file."""


@dataclass(frozen=True)
class Draft:
    """The files and the reader of an address, and facts for the people who use the corpus.

    `reader` lacks `splits`, whose value for any split is `text`; a test set is no text for training. `documents` and
    `sentences`: the numbers that the place states; None = unknown. `notes`: what a person should know or check.
    """

    name: str
    pair: Pair
    about: str
    licence: str
    citation: str
    files: tuple[Value, ...]
    reader: Value
    text: Any
    is_test_set: bool = False
    documents: int | None = None
    sentences: int | None = None
    notes: tuple[str, ...] = ()


def file_value(name: str, url: str, grade: str, **checksums: str | int | None) -> Value:
    """Return a file of a corpus file with its address, and the checksums that are known."""
    known = {kind: value for kind, value in checksums.items() if value}
    return {"name": name, "sources": [{"url": url, "grade": grade}], **known}
