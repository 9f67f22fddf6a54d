"""Moses' normalize-punctuation.perl, tokenizer.perl and detokenizer.perl, for languages that write spaces.

The normaliser is our own, since sacremoses differs in the quotes ’ ‘ by themselves, in spaces at the ends and, German,
French and Spanish, at the last full stop of a line. The script works on bytes, so letters, digits and spaces are those
of ASCII.

The tokenizer is our own, since it decides almost everything between two spaces: what each chunk of a sentence becomes
is found once and remembered, which is several times as fast as sacremoses, and letters and numbers are those of Unicode
as Perl has them, so that it gives what the Perl script prints (`tests/helpers/moses_parity.py` counts equal lines, and
lists what differs). The lists of abbreviations and the detokenizer are those of sacremoses.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

import regex
from sacremoses import MosesDetokenizer
from sacremoses.corpus import NonbreakingPrefixes

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

REMEMBERED_CHUNKS = 1 << 16
_CONTROLS = regex.compile(r"[\x00-\x08\x0e-\x1f]")
_LETTER = regex.compile(r"\p{Alphabetic}")
_NUMERIC = "#NUMERIC_ONLY#"
_LOOKS_FURTHER = frozenset("',")
"""Apostrophes and commas are parted by what stands beside them, which may be the edge of the sentence."""

_WITHIN_WORDS = {"fi": ":", "sv": ":", "ca": "·", "tdt": "'"}
"""Marks that stay within words where a small letter follows (EU:ssa, il·lusió)."""

_BETWEEN_OTHERS = (r"(\P{Alphabetic})'(\P{Alphabetic})", r"\1 ' \2")
_BEFORE_LETTER = (r"(\P{Alphabetic})'(\p{Alphabetic})", r"\1 ' \2")
_AFTER_LETTER = (r"(\p{Alphabetic})'(\P{Alphabetic})", r"\1 ' \2")
_JOINED_RIGHT = [
    _BETWEEN_OTHERS,
    (r"([^\p{Alphabetic}\p{N}])'(\p{Alphabetic})", r"\1 ' \2"),
    _AFTER_LETTER,
    (r"(\p{Alphabetic})'(\p{Alphabetic})", r"\1 '\2"),
    (r"(\p{N})'s", r"\1 's"),
]
_JOINED_BOTH = [_BETWEEN_OTHERS, _BEFORE_LETTER, _AFTER_LETTER]
_JOINED_LEFT = [*_JOINED_BOTH, (r"(\p{Alphabetic})'(\p{Alphabetic})", r"\1' \2")]
_APOSTROPHES = {
    "en": _JOINED_RIGHT,
    **dict.fromkeys(("fr", "it", "ga", "ca"), _JOINED_LEFT),
    **dict.fromkeys(("so", "tdt"), _JOINED_BOTH),
}
"""Where contractions are cut (it 's, l' an); other languages have every apostrophe by itself."""


class Normaliser:
    """`language`: ISO 639-1; it decides where punctuation stands by quotes, and what parts groups of digits."""

    def __init__(self, language: str) -> None:
        self._rules = [(re.compile(found, re.ASCII), becomes) for found, becomes in _punctuation_rules(language)]

    def normalise(self, line: str) -> str:
        if _TOUCHED.search(line) is None:
            return line
        for pattern, becomes in self._rules:
            line = pattern.sub(becomes, line)
        return line


def _punctuation_rules(language: str) -> Iterator[tuple[str, str]]:
    yield from _SPACES
    yield from _QUOTES_AND_DASHES
    yield from _NO_BREAK_SPACES
    if language == "en":
        yield from _COMMAS_INSIDE
    elif language not in ("cs", "cz"):
        yield from _COMMAS_OUTSIDE
    mark = "," if language in ("de", "es", "cz", "cs", "fr") else "."
    yield rf"(\d){_NO_BREAK}(\d)", rf"\1{mark}\2"


class Moses:
    """Tokens and back. `normalise`: punctuation first (`Normaliser`); `aggressive`: hyphens are cut (`-a`).

    Departs: no escapes (`-no-escape`): tokens keep `&`, `"` and brackets as they are, so that vocabularies and
    outputs stay readable and no reference has to be escaped. Text that holds Moses' own stand-in for dots (DOTMULTI)
    is text.
    """

    def __init__(self, language: str, normalise: bool = False, aggressive: bool = False) -> None:
        self._normaliser = Normaliser(language) if normalise else None
        self._rules = [(mark, regex.compile(found), becomes) for mark, found, becomes in _rules(language, aggressive)]
        self._abbreviations, self._before_numbers = _abbreviations(language)
        self._chunk = lru_cache(REMEMBERED_CHUNKS)(self._cut_chunk)
        self._detokenizer = MosesDetokenizer(lang=language)

    def tokenize(self, sentence: str) -> list[str]:
        if self._normaliser is not None:
            sentence = self._normaliser.normalise(sentence)
        chunks = _CONTROLS.sub("", sentence).split()
        if not chunks:
            return []
        line = " ".join(chunks)
        if line[0] in _LOOKS_FURTHER or line[-1] in _LOOKS_FURTHER or "' '" in line:
            words = self._cut(line)
        else:
            words = list(chain.from_iterable(map(self._chunk, chunks)))
        return self._part_stops(words) if "." in line else words

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Cut hyphens are joined again; punctuation that was normalised stays so."""
        return self._detokenizer.detokenize(tokens, unescape=False)

    def _cut_chunk(self, chunk: str) -> list[str]:
        return [chunk] if chunk.isalpha() else self._cut(f" {chunk} ")

    def _cut(self, text: str) -> list[str]:
        for mark, pattern, becomes in self._rules:
            if mark in text:
                text = pattern.sub(becomes, text)
        return text.split()

    def _part_stops(self, words: list[str]) -> list[str]:
        """Part full stops from words that are no abbreviation; the last word's always. Dots stay together."""
        parted = []
        for word, following in zip(words, [*words[1:], None], strict=True):
            is_stopped = word[-1] == "." and word[-2:-1] not in ("", ".")
            if is_stopped and (following is None or not self._is_abbreviation(word[:-1], following)):
                parted += (word[:-1], ".")
            else:
                parted.append(word)
        if parted[-1].endswith(".'"):
            parted[-1:] = [parted[-1].removesuffix(".'"), ".", "'"]
        return [word for word in parted if word]

    def _is_abbreviation(self, word: str, following: str) -> bool:
        return (
            ("." in word and _LETTER.search(word) is not None)
            or word in self._abbreviations
            or following[0].islower()
            or (word in self._before_numbers and following[0] in "0123456789")
        )


def _rules(language: str, aggressive: bool) -> Iterator[tuple[str, str, str]]:
    """What a text must hold, a pattern, and what it becomes, in their order; tokens are then what spaces part."""
    within = _WITHIN_WORDS.get(language, "")
    yield "", rf"[^\p{{Alnum}}\s.'`,\-{within}]", r" \g<0> "
    if within:
        yield within, rf"{within}(?=$|\P{{Ll}})", r" \g<0> "
    if aggressive:
        yield "-", r"(?<=\p{Alnum})-(?=\p{Alnum})", " @-@ "
    yield "..", r"\.{2,}", r" \g<0> "
    yield ",", r"(\P{N}),", r"\1 , "
    yield ",", r",(\P{N})", r" , \1"
    yield ",", r"(\p{N}),$", r"\1 ,"
    for pattern, becomes in _APOSTROPHES.get(language, [("'", " ' ")]):
        yield "'", pattern, becomes


def _abbreviations(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words that keep their full stop, and those that keep it before numbers only; English for an unknown language."""
    kinds = {}
    for entry in NonbreakingPrefixes().words(language):
        word, marker, _ = entry.partition(_NUMERIC)
        kinds[word.rstrip() if marker else entry] = bool(marker)
    return frozenset(w for w in kinds if not kinds[w]), frozenset(w for w in kinds if kinds[w])
