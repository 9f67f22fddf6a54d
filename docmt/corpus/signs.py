"""Signs of what the text of a corpus is like, which users rarely intend: found as documents pass, told, never refused.

Each row of `SIGNS` is a kind of sentence. A quick test decides for a thousand sentences whether some may be of the
kind. The script of a side is that of most of its first letters.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from docmt.base.text_patterns import (
    ESCAPES,
    NOTHING_VISIBLE,
    SHARE_OF_ESCAPES,
    SHARE_OF_SPACED_MARKS,
    SPACED_MARKS,
)
from docmt.catalogue.corpus import KnownSign
from docmt.corpus.folding import Folded
from docmt.corpus.inputs import Problems, SideText
from docmt.corpus.scripts import letters_by_script, scripts_of

PLACES = 3  # The number of first places that are kept of each sign
LETTERS_AT_MOST = 100_000
"""The number of characters of a side whose script is counted: its first ones, since a count of all takes long."""
LETTERS_AT_LEAST = 200  # The number of letters from which a side has a script


@dataclass(frozen=True)
class CorpusSign:
    """A row of the table.

    `what` is what a warning says of sentences with the sign, which `matches` tells. Sentences have one only if one of
    the `hints` is in the text or, without hints, where characters are unusual (`Folded.is_usual`). `share`: the
    smallest share of the sentences of a side that is told. `has_letters`: whether sentences with letters may have it.
    """

    name: KnownSign
    what: str
    matches: Callable[[str], object]
    hints: tuple[str, ...] = ()
    share: float = 0.0
    has_letters: bool = True

    def counts(self, number: int, of: int) -> bool:
        """Return whether `number` sentences of `of` are told: of a sign that good text may have, one is too few."""
        return number >= (max(min(2, of), self.share * of) if self.share else 1)

    def places(self, lines: Sequence[str], folded: Folded) -> list[int]:
        """Return the numbers of the `lines` with the sign; `folded` has the same lines."""
        if self.hints:
            # A search for a few characters is many times as fast as one for a pattern.
            hints = [hint for hint in self.hints if hint in folded.text]
            candidates = sorted({n for hint in hints for n, line in enumerate(lines) if hint in line})
        elif self.has_letters:
            candidates = () if folded.is_usual else range(len(lines))
        else:
            numbers = range(len(lines)) if "" in folded.lines else ()
            candidates = [n for n in numbers if lines[n] and not folded.lines[n]]
        return [n for n in candidates if self.matches(lines[n])]


# What a byte of UTF-8 after the first one becomes in the character sets of Windows and of western Europe, without
# what may follow a capital letter in good text.
_LATER = (
    "[\xa1-\xba\xbc-\xbf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u201a-\u201c\u201e-\u20ac\u2122]"
)


def _sign(name: KnownSign, what: str, pattern: str, *hints: str, share: float = 0.0) -> CorpusSign:
    return CorpusSign(name, what, regex.compile(pattern).search, hints, share)


SIGNS = (
    _sign(
        "moses_escaped",
        "text is escaped as Moses does it (&apos; &quot; &amp; @-@): write the characters in their place",
        ESCAPES,
        "&",
        "@-@",
        share=SHARE_OF_ESCAPES,
    ),
    _sign(
        "tokenised",
        "text is cut into tokens already (a space before full stops and commas): detokenise it",
        SPACED_MARKS,
        " .",
        " ,",
        share=SHARE_OF_SPACED_MARKS,
    ),
    _sign(
        "mojibake",
        "UTF-8 was read as another character set (Ã© for é): convert the file from its original",
        f"[ÃÂ]{_LATER}|â€|[ÐÑ]{_LATER}[ÐÑ]",
        *("Ã", "Â", "â€", "Ð"),
    ),
    _sign("only_a_tag", "sentences are only a tag (<...>)", r"^<[^<>]*>$", "<"),
    _sign("replacement_character", "U+FFFD stands for characters that are lost", "\ufffd"),
    _sign(
        "invisible_characters",
        "text has invisible characters (such as U+200B and U+200E)",
        "[\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\u206a-\u206f\U000e0000-\U000e007f]",
    ),
    _sign("bidi_controls", "text has controls of its direction (U+202A to U+202E)", "[\u202a-\u202e\u2066-\u2069]"),
    _sign("private_use", "text has characters of private use, which each font shows as it likes", r"\p{Co}"),
    _sign("soft_hyphens", "text has soft hyphens (U+00AD)", "\xad"),
    CorpusSign(
        "not_nfc",
        "text is not in the form NFC of Unicode (letters and accents apart)",
        lambda text: not unicodedata.is_normalized("NFC", text),
    ),
    CorpusSign("nothing_visible", "sentences have no visible character", NOTHING_VISIBLE.fullmatch, has_letters=False),
)
"""The table of signs. Controls have problems of their own, and so have long sentences (`docmt.corpus.opening`)."""
OTHER_SCRIPT: KnownSign = "other_script"
OTHER_LETTERS = "most letters are of another script than those of the language"


@dataclass
class SideSigns:
    """The signs of one side of a split: `counts` of sentences, the first places, and its letters by script."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, list[str]] = field(default_factory=dict)
    letters: Counter[str] = field(default_factory=Counter)
    characters: int = 0  # those that were counted by script
    sentences: int = 0

    def add(self, sides: Sequence[SideText], lines: Sequence[str], folded: Folded) -> None:
        """Look at `lines`, which are the sentences of `sides`, and are `folded`."""
        self.sentences += len(lines)
        if self.characters < LETTERS_AT_MOST:
            self.characters += len(folded.text)
            self.letters += letters_by_script(folded.text)
        for sign in SIGNS:
            if found := sign.places(lines, folded):
                self.counts[sign.name] += len(found)
                first = self.first.setdefault(sign.name, [])
                first += [_location(number, sides) for number in found[: PLACES - len(first)]]

    def record(self, language: str) -> dict[str, Any]:
        """Return the signs of the side as card.json has them, with the number of sentences or letters."""
        record = {
            name: {"count": count, "of": self.sentences, "first": self.first[name]}
            for name, count in sorted(self.counts.items())
        }
        total, own = self.letters.total(), scripts_of(language)
        others = total - sum(self.letters[script] for script in own)
        if own and total >= LETTERS_AT_LEAST and 2 * others > total:
            record[OTHER_SCRIPT] = {"count": others, "of": total, "script": self.letters.most_common(1)[0][0]}
        return record


def _location(number: int, sides: Sequence[SideText]) -> str:
    for side in sides:
        if number < len(side.sentences):
            return side.location(number)
        number -= len(side.sentences)
    raise IndexError(number)


def warn_of_signs(
    signs: Mapping[str, Mapping[str, Any]], known: Collection[KnownSign], corpus: str, problems: Problems
) -> None:
    """Warn of the signs of each split and side, but for those that are `known`; `signs` has the form of card.json."""
    records = {f"{split} {side}": record for split, sides in signs.items() for side, record in sides.items()}
    sides = [(f"{corpus} {where}", record) for where, record in records.items()]
    for sign in SIGNS:
        for where, record in sides:
            seen = record.get(sign.name)
            if seen and sign.name not in known and sign.counts(seen["count"], seen["of"]):
                found = f"{seen['count']:,} of {seen['of']:,} sentences, first {', '.join(seen['first'])}"
                problems.warn(f"{sign.what} ({sign.name})", where=where, found=found)
    for where, record in sides:
        if OTHER_SCRIPT in record and OTHER_SCRIPT not in known:
            seen = record[OTHER_SCRIPT]
            found = f"{seen['count']:,} of {seen['of']:,} letters, most of them {seen['script']}"
            problems.warn(f"{OTHER_LETTERS} ({OTHER_SCRIPT})", where=where, found=found)
