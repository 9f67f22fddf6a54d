"""What a person should know of translations that docmt did not make: lines that look other than the study states."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError
from docmt.external.lines import ExpectedText
from docmt.settings.external import ExternalConfig

SignsOf = Callable[[Sequence[str], Collection[str], Iterable[Sequence[str]]], Iterator[Any]]
"""The function `docmt.text.signs.signs_of`, which finds signs that lines are not what is stated of them."""

SETTINGS = {
    "plain": ("tokenised: false", "or state `tokenised: true` if they are tokens, whose escapes docmt reads"),
    "tokens": ("tokenised: true", "state `tokenised: false`"),
    "cased": ("case: cased", "state `case: lower`"),
    "openings": ("case: cased", "or state `case: truecased`"),
    "lower": ("case: lower", "state `case: cased` or `case: truecased`"),
}
"""The settings that make statements about lines, and what else to state, by the statement."""


def refuse_denied(
    path: Path, lines: Sequence[str], source: ExternalConfig, test: ExpectedText, signs_of: SignsOf
) -> None:
    """Raise UserError for the first sign of what cannot be true of the lines of a file, such as pieces of words."""
    for seen in _signs(lines, source, test, signs_of):
        if seen.sign.is_certain:
            setting, other = SETTINGS.get(seen.sign.denies, ("words", ""))
            raise UserError(
                "the lines are not what the study states",
                where=str(path),
                found=seen.text,
                expected=f"lines with `{setting}`" if other else "whole words, a translation on each line",
                remedy="; ".join(filter(None, (seen.sign.advice, other))),
            )


def notes(lines: Sequence[str], source: ExternalConfig, test: ExpectedText, signs_of: SignsOf) -> Iterator[str]:
    """Yield a sentence for each thing that a person should know of translations."""
    references, sources = (test.unit(texts, source.lines) for texts in (test.references, test.sources))
    for what, texts in (("reference", references), ("source", sources)):
        if list(lines) == texts:
            yield f"the translations are the {what} itself, line by line"
    for seen in _signs(lines, source, test, signs_of):
        setting, _ = SETTINGS.get(seen.sign.denies, ("", ""))
        yield seen.text + (f", and `{setting}` is stated" if setting else "")
    if blank := sum(not line.strip() for line in lines):
        yield f"{blank} of {len(lines)} lines are blank, which count as empty translations"


def _signs(lines: Sequence[str], source: ExternalConfig, test: ExpectedText, signs_of: SignsOf) -> Iterator[Any]:
    """Return the signs that deny what a study states of lines, where the references do not have them too."""
    stated = {"words", "tokens" if source.tokenised else "plain"}
    case = {"cased": {"cased", "openings"}, "truecased": {"cased"}, "lower": {"lower"}}[source.case]
    return signs_of(lines, stated | case, [test.unit(test.references, source.lines)])
