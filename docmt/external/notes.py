"""What a person should know of translations that docmt did not make: lines that look other than the study states.

Text that looks tokenised or escaped is told by the scoring job, for all systems (`docmt/scoring/plain_text.py`).
"""

from collections.abc import Iterator, Sequence

from docmt.external.lines import ExpectedText
from docmt.settings.external import ExternalConfig


def notes(lines: Sequence[str], source: ExternalConfig, test: ExpectedText) -> Iterator[str]:
    """Yield a sentence for each thing that a person should know of translations."""
    references, sources = (test.unit(texts, source.lines) for texts in (test.references, test.sources))
    for what, texts in (("reference", references), ("source", sources)):
        if list(lines) == texts:
            yield f"the translations are the {what} itself, line by line"
    if source.case == "cased" and any(map(_has_capital, references)) and not any(map(_has_capital, lines)):
        yield "no line has a capital letter, and `case: cased` is stated"
    if source.case == "lower" and (capitals := sum(map(_has_capital, lines))):
        yield f"{capitals} of {len(lines)} lines have capital letters, and `case: lower` is stated"
    if blank := sum(not line.strip() for line in lines):
        yield f"{blank} of {len(lines)} lines are blank, which count as empty translations"


def _has_capital(line: str) -> bool:
    """Return whether a line has a capital letter."""
    return line != line.lower()
