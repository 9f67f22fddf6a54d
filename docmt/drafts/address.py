"""The addresses of corpora: a place, a path and a pair of languages, as in `opus:News-Commentary/v16/en-de`."""

import re
from dataclasses import dataclass

from docmt.base.credentials import refuse_credentials
from docmt.base.errors import UserError, check_known
from docmt.base.names import is_language

FORMS = {
    "opus": "opus:CORPUS/VERSION/SOURCE-TARGET",
    "sacrebleu": "sacrebleu:SET/SOURCE-TARGET",
}
"""The form of an address, by the place of the corpus."""
CODE = re.compile(r"([a-z]{2,3})([_-]\w+)?", re.IGNORECASE)
"""The code of a language at a place, such as `zh_cn` or `pt-BR`; the first letters are docmt's code."""


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
    parts = rest.split("/")
    fits = len(parts) == 3 if place == "opus" else len(parts) > 1
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
