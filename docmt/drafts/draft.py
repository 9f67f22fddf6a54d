"""The address of a corpus, such as `opus:News-Commentary/v16/en-de`, and the draft of a corpus file that it gives."""

import re
from dataclasses import dataclass
from typing import Any

from docmt.base.credentials import refuse_credentials
from docmt.base.errors import UserError, check_known
from docmt.base.names import is_language

# The form of an address, by the place of the corpus.
FORMS = {
    "opus": "opus:CORPUS/VERSION/SOURCE-TARGET",
    "opus_xml": "opus_xml:CORPUS/VERSION/SOURCE-TARGET",
    "sacrebleu": "sacrebleu:SET/SOURCE-TARGET",
    "file": "file:PATH/SOURCE-TARGET",
}
# The code of a language at a place, such as `zh_cn` or `pt-BR`; the first letters are docmt's code.
CODE = re.compile(r"([a-z]{2,3})([_-]\w+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Pair:
    """A pair of languages at a place, whose codes may say more than docmt's, such as `zh_cn`."""

    source: str
    target: str

    @property
    def languages(self) -> tuple[str, str]:
        """docmt's codes of the two languages."""
        return CODE.fullmatch(self.source)[1].lower(), CODE.fullmatch(self.target)[1].lower()

    @property
    def sorted(self) -> str:
        """The pair in the order of the alphabet, as file names have it."""
        return "-".join(sorted((self.source, self.target)))


def parse_address(text: str) -> tuple[str, list[str]]:
    """Return the place of an address, a key of FORMS, and the parts of its path.

    Raises UserError for an unknown place, for a path that is not that of the place, and for credentials.
    """
    place, _, rest = text.partition(":")
    refuse_credentials(f"//{rest}", "ADDRESS")
    check_known("place of corpora", place, FORMS, where=text)
    parts = rest.rsplit("/", 1) if place == "file" else rest.split("/")
    fits = len(parts) == 3 if place.startswith("opus") else len(parts) > 1
    if not fits or not all(parts):
        raise UserError("not the address of a corpus", where=text, expected=FORMS[place])
    return place, parts


def parse_pair(text: str, where: str) -> Pair:
    """Read a pair of languages, such as `en-de` or `zh_cn-en`. Raises UserError for any other text."""
    source, _, target = text.partition("-")
    pair = Pair(source, target)
    if not all(CODE.fullmatch(code) and is_language(CODE.fullmatch(code)[1].lower()) for code in (source, target)):
        raise UserError(
            "not a pair of languages",
            where=where,
            found=text,
            expected="two codes of languages, with - between them",
        )
    if len(set(pair.languages)) == 1:
        raise UserError("the two languages of a pair are the same", where=where, found=text, expected="two languages")
    return pair


Value = dict[str, Any]  # A value of YAML: a file or a reader of a corpus file.


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
