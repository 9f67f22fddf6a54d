"""Moses' normalize-punctuation.perl, tokenizer.perl and detokenizer.perl, for languages that write spaces.

The normaliser is written here because sacremoses differs from the Perl script: in the quotes ’ ‘ by themselves, in
spaces at the ends of a line and, for German, French and Spanish, at the last full stop of a line. The script works on
bytes, so that its letters, digits and spaces are those of ASCII.

The tokenizer is written here for speed and for equality with the Perl script. A chunk is the text between two spaces;
almost all rules look at one chunk only. Therefore the tokens of a chunk are computed once and remembered, which is
several times as fast as sacremoses. Letters and numbers are those of Unicode, as in Perl, so that the tokens are those
that the Perl script prints (`tests/helpers/moses_parity.py` counts equal lines and lists the differences). The lists of
abbreviations and the detokenizer are those of sacremoses.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

import regex
from sacremoses import MosesDetokenizer
from sacremoses.corpus import NonbreakingPrefixes

_NO_BREAK = "\u00a0"
_ANY_RULE_APPLIES = re.compile(rf"[\r()`´„“”–—‘’‚…«»{_NO_BREAK}]|''|  | [:;%]|\"[,.]|[,.]\"")
"""A pattern that matches wherever a rule of the normaliser may match; the normaliser does not change other lines."""

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

REMEMBERED_CHUNKS = 1 << 16  # The number of chunks whose tokens are remembered
_CONTROLS = regex.compile(r"[\x00-\x08\x0e-\x1f]")
_LETTER = regex.compile(r"\p{Alphabetic}")
_NUMERIC = "#NUMERIC_ONLY#"
_NEEDS_NEIGHBOURS = frozenset("',")
"""Marks whose treatment depends on the characters beside them; a mark at an edge of the sentence lacks a neighbour."""

_WITHIN_WORDS = {"fi": ":", "sv": ":", "ca": "·", "tdt": "'"}
"""The mark, by language, that is not cut from its word before a lower-case letter (EU:ssa, il·lusió)."""

_BETWEEN_OTHERS = (r"(\P{Alphabetic})'(\P{Alphabetic})", r"\1 ' \2")
"""The rule of an apostrophe between two characters that are no letters; other rules are for letters."""
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
"""The rules of apostrophes by language: English cuts contractions before the apostrophe (it 's).

French, Italian, Irish and Catalan cut them after the apostrophe (l' an). In Somali (`so`) and Tetum (`tdt`) an
apostrophe between two letters is not cut. Any other language separates every apostrophe from the letters beside it.
"""


class Normaliser:
    """The normalisation of punctuation, as in normalize-punctuation.perl.

    `language` is an ISO 639-1 code. On the language depends whether a comma or full stop is written before or after a
    closing quote, and whether a comma or a full stop replaces a no-break space between two digits.
    """

    def __init__(self, language: str) -> None:
        """Compile the rules of a language."""
        self._rules = [
            (re.compile(pattern, re.ASCII), replacement) for pattern, replacement in _punctuation_rules(language)
        ]

    def normalise(self, line: str) -> str:
        """Return a line with its punctuation normalised."""
        if _ANY_RULE_APPLIES.search(line) is None:
            return line
        for pattern, replacement in self._rules:
            line = pattern.sub(replacement, line)
        return line


def _punctuation_rules(language: str) -> Iterator[tuple[str, str]]:
    # The order is that of the script.
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
    """The tokenizer and detokenizer of Moses.

    With `normalise`, punctuation is normalised first (`Normaliser`). With `aggressive`, words are also cut at hyphens,
    as with the option `-a` of Moses.
    Departs: tokens have no escapes, as with the option `-no-escape` of Moses: they keep `&`, `"` and brackets as they
    are, so that vocabularies and outputs are readable and references need no escapes. The word DOTMULTI, which Moses
    uses as a placeholder for dots, is ordinary text.
    """

    def __init__(self, language: str, normalise: bool = False, aggressive: bool = False) -> None:
        """Compile the rules of a language (ISO 639-1) and read its abbreviations."""
        self._normaliser = Normaliser(language) if normalise else None
        self._rules = [
            (mark, regex.compile(pattern), replacement) for mark, pattern, replacement in _rules(language, aggressive)
        ]
        self._abbreviations, self._before_numbers = _abbreviations(language)
        self._chunk = lru_cache(REMEMBERED_CHUNKS)(self._cut_chunk)
        self._detokenizer = MosesDetokenizer(lang=language)

    def tokenize(self, sentence: str) -> list[str]:
        """Return the tokens of a sentence; control characters are removed."""
        if self._normaliser is not None:
            sentence = self._normaliser.normalise(sentence)
        chunks = _CONTROLS.sub("", sentence).split()
        if not chunks:
            return []
        line = " ".join(chunks)
        # A chunk is cut with a space on both sides. The script has no space there for these marks at an edge of the
        # line; and where two apostrophes share a space, the patterns of the script match only the first apostrophe.
        if line[0] in _NEEDS_NEIGHBOURS or line[-1] in _NEEDS_NEIGHBOURS or "' '" in line:
            words = self._cut(line)
        else:
            words = list(chain.from_iterable(map(self._chunk, chunks)))
        return self._split_full_stops(words) if "." in line else words

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Return the plain text of tokens.

        Words that were cut at hyphens are joined again; normalised punctuation stays as it is.
        """
        return self._detokenizer.detokenize(tokens, unescape=False)

    def _cut_chunk(self, chunk: str) -> list[str]:
        return [chunk] if chunk.isalpha() else self._cut(f" {chunk} ")

    def _cut(self, text: str) -> list[str]:
        for mark, pattern, replacement in self._rules:
            if mark in text:
                text = pattern.sub(replacement, text)
        return text.split()

    def _split_full_stops(self, words: list[str]) -> list[str]:
        tokens = []
        for word, following in zip(words, [*words[1:], None], strict=True):
            # The full stop of the last word is always separated; several dots in a row are not.
            is_stopped = word[-1] == "." and word[-2:-1] not in ("", ".")
            if is_stopped and (following is None or not self._is_abbreviation(word[:-1], following)):
                tokens += (word[:-1], ".")
            else:
                tokens.append(word)
        if tokens[-1].endswith(".'"):
            tokens[-1:] = [tokens[-1].removesuffix(".'"), ".", "'"]
        return [word for word in tokens if word]

    def _is_abbreviation(self, word: str, following: str) -> bool:
        # `word` is given without its full stop.
        return (
            ("." in word and _LETTER.search(word) is not None)
            or word in self._abbreviations
            or following[0].islower()
            or (word in self._before_numbers and following[0] in "0123456789")
        )


def _rules(language: str, aggressive: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the rules of a language: for each a mark that a text must contain, a pattern, and its replacement."""
    # The rules are applied in this order; then the text is cut at spaces. The mark is only for speed: to test for the
    # mark is faster than to search the pattern.
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
    for pattern, replacement in _APOSTROPHES.get(language, [("'", " ' ")]):
        yield "'", pattern, replacement


def _abbreviations(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that keep their full stop, and the words that keep their full stop before numbers only."""
    kinds = {}
    # A language without lists of its own has the lists of English.
    for entry in NonbreakingPrefixes().words(language):
        word, marker, _ = entry.partition(_NUMERIC)
        kinds[word.rstrip() if marker else entry] = bool(marker)
    return frozenset(w for w in kinds if not kinds[w]), frozenset(w for w in kinds if kinds[w])
