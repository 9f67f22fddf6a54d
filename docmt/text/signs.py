"""Signs that lines are not what is stated of them, such as pieces that nobody joined to words.

Each row of `SIGNS` is a pattern of lines, with the statement that it denies. A few lines of good text may match, such
as a heading with `##` or an e-mail with one `@@`, so that a sign counts from a share of the lines on. The shares were
decided on the corpora of the papers: no plain reference has a sign, and each text has its sign that was tokenised,
escaped, cut into pieces, lower-cased or truecased (tests/text/test_signs.py).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from docmt.base.text_patterns import ESCAPES, SHARE_OF_ESCAPES, SHARE_OF_SPACED_MARKS, SPACED_MARKS
from docmt.text.chinese import HAN

Stated = Literal["words", "plain", "tokens", "cased", "openings", "lower", "spaced"]
"""A statement about lines: they have whole words (not pieces, and no symbols of a model); they are plain text, or
tokens between spaces; they have capital letters, begin with them (openings), or have none; spaces are between words."""

Lines = Sequence[str | None]
"""The lines of a text. A line that a text does not have, such as a second reference of a sentence, is None."""

MOST_CHARACTERS = 40  # The largest number of characters of a line that messages show


@dataclass(frozen=True)
class Sign:
    """A row of the table.

    `what` is said of the lines that match `pattern`. `share` is the smallest share of such lines that counts. `denies`
    is the statement that they make untrue, and `advice` is what to do. `compared`: whether references explain the sign,
    of whose lines at least half as large a share has it. `is_certain`: whether the statement cannot be true; an
    uncertain sign is told and never refused.
    """

    what: str
    pattern: regex.Pattern[str]
    denies: Stated
    advice: str
    share: float = 0.05
    compared: bool = True
    is_certain: bool = True


@dataclass(frozen=True)
class Seen:
    """A sign in a text: the number of its lines, the number of all lines that are not blank, and the first line."""

    sign: Sign
    count: int
    lines: int
    first: str

    @property
    def text(self) -> str:
        """The sign with its counts and the first line, as a sentence without its subject."""
        first = self.first if len(self.first) <= MOST_CHARACTERS else f"{self.first[:MOST_CHARACTERS]}..."
        return f"{self.count} of {self.lines} lines {self.sign.what}, first: {first!r}"


def _sign(what: str, pattern: str, denies: Stated, advice: str, **more: float | bool) -> Sign:
    return Sign(what, regex.compile(pattern), denies, advice, **more)


_EXPECTED = "BLEU of the families 13a and 13a_lower, chrF and TER expect plain text"

SIGNS = (
    _sign("end words in @@", r"\S@@(?!\S)", "words", "Join the pieces of BPE: sed -E 's/@@( |$)//g'"),
    _sign("end words in </w>", r"\S</w>(?!\S)", "words", "Join the pieces of BPE: sed -E 's/ //g; s/<\\/w>/ /g'"),
    _sign("begin words with ▁", "▁", "words", "Join the pieces of SentencePiece: sed 's/ //g; s/▁/ /g; s/^ //'"),
    _sign("have the joiner ￭", "￭", "words", "Join the tokens of OpenNMT: sed -E 's/ ?￭ ?//g'"),
    _sign("begin words with ##", r"\S ##\w", "words", "Join the pieces of WordPiece: sed 's/ ##//g'"),
    _sign(
        "have symbols of a model",
        r"(?<!\S)(?:_eos|<eos>|</?s>|<pad>|<sep>|\[SEP\]|\[CLS\]|\[PAD\])(?!\S)",
        "words",
        "Take the symbols out, and put each sentence on a line of its own",
    ),
    _sign(
        "have escapes of Moses",
        ESCAPES,
        "plain",
        f"Write the characters in place of escapes such as &apos;: {_EXPECTED}",
        share=SHARE_OF_ESCAPES,
    ),
    _sign(
        "have a space before a full stop or a comma",
        SPACED_MARKS,
        "plain",
        f"Detokenise it: {_EXPECTED}",
        share=SHARE_OF_SPACED_MARKS,
    ),
    _sign(
        "end in a full stop or a comma without a space before it",
        r"\w[.,?!]\s*$",
        "tokens",
        "Tokenise it: mat. and mat are two words here",
        share=0.5,
        compared=False,
    ),
    _sign(
        "have no capital letter",
        r"^\P{Lu}*\p{Ll}\P{Lu}*$",
        "cased",
        "It looks lower-cased: restore its case, or take metrics that ignore case, such as 13a_lower",
        share=0.99,
    ),
    _sign(
        "begin with a small letter",
        r"^[^\p{L}\p{N}]*\p{Ll}",
        "openings",
        "It looks truecased: begin each sentence with a capital letter",
        share=0.4,
        is_certain=False,
    ),
    _sign("have capital letters", r"\p{Lu}", "lower", "It is not in lower case", compared=False),
    _sign(
        "are in a script without spaces between words (Chinese, Japanese)",
        rf"[{HAN}\u3040-\u30ff]{{5}}",
        "spaced",
        "Name the language (zh, ja) for metrics that cut its words, or cut them first: whole clauses count as words",
        share=0.3,
    ),
    _sign(
        "are in a script without spaces between words (Thai, Lao, Burmese, Khmer)",
        r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{12}",
        "spaced",
        "Cut the words first, or take chrF: whole clauses count as words",
        share=0.3,
    ),
)
"""The table of signs."""


def signs_of(lines: Lines, stated: Collection[str], references: Iterable[Lines] = ()) -> Iterator[Seen]:
    """Yield each sign in lines that denies one of the statements about them, and that references do not explain.

    A single line with a sign counts only in a text of one line. Lower-cased text is not told to be truecased too.

    >>> [seen.text for seen in signs_of(["Is@@ it", "I@@ s"], {"words"})]
    ["2 of 2 lines end words in @@, first: 'Is@@ it'"]
    """
    of_references = [line for reference in references for line in reference]
    for sign in SIGNS:
        if sign.denies in stated and (seen := _seen(sign, lines)):
            share = seen.count / seen.lines
            if not sign.compared or 2 * _share(sign, of_references) < share:
                yield seen
                if sign.denies == "cased":
                    return


def text_warnings(texts: Mapping[str, Lines], references: Mapping[str, Lines], stated: Collection[str]) -> list[str]:
    """Return a warning for each sign of each text, and of the references, by their names.

    References are compared with the texts only for case: a lower-cased reference is told where the texts are cased.

    >>> text_warnings({"ours": ["A cat."]}, {"reference": ["A cat ."]}, {"plain"})[0].split(", first")[0]
    'reference: 1 of 1 lines have a space before a full stop or a comma'
    """
    seen = [(name, sign) for name, lines in texts.items() for sign in signs_of(lines, stated, references.values())]
    for name, lines in references.items():
        seen += [(name, sign) for sign in signs_of(lines, {*stated} - {"cased", "openings"})]
        seen += [(name, sign) for sign in signs_of(lines, {*stated} & {"cased"}, texts.values())]
    return [f"{name}: {sign.text}. {sign.sign.advice}." for name, sign in seen]


def _seen(sign: Sign, lines: Lines) -> Seen | None:
    matching, total = _matching(sign, lines)
    is_enough = matching and len(matching) >= max(min(2, total), sign.share * total)
    return Seen(sign, len(matching), total, matching[0]) if is_enough else None


def _share(sign: Sign, lines: Lines) -> float:
    matching, total = _matching(sign, lines)
    return len(matching) / max(total, 1)


def _matching(sign: Sign, lines: Lines) -> tuple[list[str], int]:
    # Blank lines are left out of both numbers.
    texts = [line for line in lines if line and line.strip()]
    return [line for line in texts if sign.pattern.search(line)], len(texts)
