"""Punctuation as Moses' normalize-punctuation.perl leaves it: plain quotes, hyphens and spaces.

Our own, since sacremoses differs in the quotes ’ ‘ by themselves, in spaces at the ends and, German, French and
Spanish, at the last full stop of a line. The script works on bytes, so letters, digits and spaces are those of ASCII.
"""

import re
from collections.abc import Iterator

_NO_BREAK = "\u00a0"
_TOUCHED = re.compile(rf"[\r()`´„“”–—‘’‚…«»{_NO_BREAK}]|''|  | [:;%]|\"[,.]|[,.]\"")
"""What the rules look for; a line without it stays as it is."""

_SPACES = [
    ("\r", ""),
    (r"\(", " ("),
    (r"\)", ") "),
    (" +", " "),
    (r"\) ([.!:?;,])", r")\1"),
    (r"\( ", "("),
    (r" \)", ")"),
    (r"(\d) %", r"\1%"),
    (" :", ":"),
    (" ;", ";"),
]
_QUOTES_AND_DASHES = [
    ("`", "'"),
    ("''", ' " '),
    ("[„“”]", '"'),
    ("–", "-"),
    ("—", " - "),
    (" +", " "),
    ("´", "'"),
    ("([a-zA-Z])‘([a-zA-Z])", r"\1'\2"),
    ("([a-zA-Z])’([a-zA-Z])", r"\1'\2"),
    ("[‘‚]", "'"),
    ("’", '"'),
    ("''", '"'),
    ("…", "..."),
    (f"{_NO_BREAK}«{_NO_BREAK}", ' "'),
    (f"«{_NO_BREAK}?", '"'),
    (f"{_NO_BREAK}»{_NO_BREAK}", '" '),
    (f"{_NO_BREAK}?»", '"'),
]
_NO_BREAK_SPACES = [
    (f"{_NO_BREAK}%", "%"),
    (f"nº{_NO_BREAK}", "nº "),
    (f"{_NO_BREAK}([:?!;])", r"\1"),
    (f"{_NO_BREAK}(ºC|cm)", r" \1"),
    (f",{_NO_BREAK}", ", "),
    (" +", " "),
]
_COMMAS_INSIDE = [(r'"([,.]+)', r'\1"')]
_COMMAS_OUTSIDE = [(',"', '",'), (r'(\.+)"(\s*[^<]|$)', r'"\1\2')]


class Normaliser:
    """`language`: ISO 639-1; it decides where punctuation stands by quotes, and what parts groups of digits."""

    def __init__(self, language: str) -> None:
        self._rules = [(re.compile(found, re.ASCII), becomes) for found, becomes in _rules(language)]

    def normalise(self, line: str) -> str:
        if _TOUCHED.search(line) is None:
            return line
        for pattern, becomes in self._rules:
            line = pattern.sub(becomes, line)
        return line


def _rules(language: str) -> Iterator[tuple[str, str]]:
    yield from _SPACES
    yield from _QUOTES_AND_DASHES
    yield from _NO_BREAK_SPACES
    if language == "en":
        yield from _COMMAS_INSIDE
    elif language not in ("cs", "cz"):
        yield from _COMMAS_OUTSIDE
    mark = "," if language in ("de", "es", "cz", "cs", "fr") else "."
    yield rf"(\d){_NO_BREAK}(\d)", rf"\1{mark}\2"
