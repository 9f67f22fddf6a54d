"""What a person should know of translations that docmt did not make: text that looks other than the study states.

Papers: Post, A Call for Clarity in Reporting BLEU Scores, WMT 2018: BLEU of text that was tokenised before is not BLEU
of plain text.
"""

import re
from collections.abc import Iterator, Sequence

from docmt.external.lines import ExpectedText
from docmt.settings.external import ExternalConfig

TOKENISED = re.compile(r" [.,?!;:](?: |$)|@-@|@@( |$)| '(?:s|t|re|ve|ll|d|m) |\b n't ")
"""Marks of tokenised text: spaces before punctuation, hyphens and pieces of words with @, and cut short forms."""
ESCAPED = re.compile(r"&(?:amp|quot|apos|lt|gt|#91|#93|#124);")
"""Characters as Moses' tokenizer and XML escape them."""
MOST = 0.2
"""The share of lines with a mark above which a text is noted, if the references have such marks more seldom."""


def notes(lines: Sequence[str], source: ExternalConfig, test: ExpectedText) -> Iterator[str]:
    """Yield a sentence for each thing that a person should know of translations."""
    references, sources = (test.unit(texts, source.lines) for texts in (test.references, test.sources))
    for what, texts in (("reference", references), ("source", sources)):
        if list(lines) == texts:
            yield f"the translations are the {what} itself, line by line"
    if not source.tokenised and (marked := _marked(TOKENISED, lines, references)):
        yield f"{marked} of {len(lines)} lines look tokenised, and `tokenised: false` is stated"
    if marked := _marked(ESCAPED, lines, references):
        yield f"{marked} of {len(lines)} lines look escaped (&quot; or similar), and scores take them as they are"
    if source.case == "cased" and any(map(_has_capital, references)) and not any(map(_has_capital, lines)):
        yield "no line has a capital letter, and `case: cased` is stated"
    if source.case == "lower" and (capitals := sum(map(_has_capital, lines))):
        yield f"{capitals} of {len(lines)} lines have capital letters, and `case: lower` is stated"
    if blank := sum(not line.strip() for line in lines):
        yield f"{blank} of {len(lines)} lines are blank, which count as empty translations"


def _marked(pattern: re.Pattern[str], lines: Sequence[str], references: Sequence[str]) -> int:
    """Return the number of lines with a mark; 0 where they are few, or the references have as many."""
    marked, usual = (sum(pattern.search(line) is not None for line in texts) for texts in (lines, references))
    return marked if marked > MOST * len(lines) and marked > 2 * usual else 0


def _has_capital(line: str) -> bool:
    """Return whether a line has a capital letter."""
    return line != line.lower()
