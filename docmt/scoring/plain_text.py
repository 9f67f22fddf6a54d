"""The check whether text that metrics take as plain looks tokenised or escaped.

The families 13a and 13a_lower of BLEU, chrF and TER expect detokenised text: of text with a space before each full stop
and escapes such as `&apos;`, they are another number, 19.66 for instance where 16.77 is right. sacreBLEU itself warns
of 100 lines with such a full stop: "It looks like you forgot to detokenize your test data, which may hurt your score."
"""

import re
from collections.abc import Mapping, Sequence

from docmt.scoring.inputs import Stream

FEWEST_LINES = 100
"""The smallest number of lines with a sign that are told, as in sacreBLEU."""

FEWEST_SHARE = 0.1
"""The smallest share of lines with a sign that is told, in text of fewer than 1000 lines."""

SIGNS = {
    "end in a full stop after a space": re.compile(r"\s\.\s*$"),
    "have escapes of Moses, such as &apos; or @-@": re.compile(r"&(?:apos|quot|amp|lt|gt|bar|#124|#91|#93);|\s@-@\s"),
}
"""The signs of text that is not plain, as patterns by their descriptions."""

EFFECT = "It looks as if it was not detokenised, which changes BLEU of the families 13a and 13a_lower, chrF and TER."


def text_warnings(streams: Mapping[str, Stream]) -> list[str]:
    """Return a warning for each sign of each text that has it in 100 lines, or in a tenth of them.

    `streams` has the lines of each text, by the name of the text in warnings. Blank lines are not counted.

    >>> [text.split(". ")[0] for text in text_warnings({"one.txt": ["A cat .", "It sat."], "two.txt": ["A cat."]})]
    ['one.txt: 1 of 2 lines end in a full stop after a space']
    """
    return [warning for name, stream in streams.items() for warning in _warnings(name, stream)]


def _warnings(name: str, stream: Stream) -> list[str]:
    lines = [line for line in stream if line and line.strip()]
    counts = {sign: sum(pattern.search(line) is not None for line in lines) for sign, pattern in SIGNS.items()}
    return [
        f"{name}: {count} of {len(lines)} lines {sign}. {EFFECT}"
        for sign, count in counts.items()
        if count and count >= min(FEWEST_LINES, FEWEST_SHARE * len(lines))
    ]


def texts_of(name: str, streams: Sequence[Stream]) -> dict[str, Stream]:
    """Return several references by name: `reference`, `reference 2`, ..."""
    return {name if number == 1 else f"{name} {number}": stream for number, stream in enumerate(streams, 1)}
