"""The differences between two recipes of a job: what was asked of it before, and what is asked of it now."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from docmt.base.digests import value_of
from docmt.base.manifest import DIGITS
from docmt.base.recipe import Recipe

# Settings of pages and comparisons, in words.
IN_WORDS = {
    "not_run": "what is left out",
    "not_scored": "what is not scored",
    "ways": "what is missing",
    "entries": "what the page shows of its systems",
    "systems": "the list of the study's systems",
    "pages": "the list of the study's tables and figures",
    "pairs": "what is compared",
    "folders": "what is compared",
}
MISSING = "nothing"  # The value of a name that only one of two mappings has, in messages.
LONGEST = 40  # The largest number of characters of a value in a message.


@dataclass(frozen=True)
class Difference:
    """A value that differs between two recipes. `before`, `now`: the two values as text for messages."""

    kind: Literal["setting", "version", "library", "file", "input"]
    name: str
    before: str
    now: str

    def __str__(self) -> str:
        """Return the phrase of messages."""
        setting, _, item = self.name.partition(".")
        if self.kind == "setting" and setting in IN_WORDS:
            # A number is a place in the list, which nobody has written.
            return f"{IN_WORDS[setting]} has changed{f' ({item})' if item and not item[0].isdigit() else ''}"
        what = f"the version of the step {self.name}" if self.kind == "version" else f"the {self.kind} {self.name}"
        if MISSING in (self.before, self.now):
            return f"{what} is {'new' if self.before == MISSING else 'gone'}"
        return f"{what} is another one" if self.kind == "input" else f"{what} was {self.before}, is {self.now}"


def changes(before: Recipe, now: Recipe) -> Iterator[Difference]:
    """Yield the differences between two recipes of a step."""
    for name, pair in differences(dict(before.settings), dict(now.settings)).items():
        yield Difference("setting", name, *map(_short, pair))
    if before.version != now.version:
        yield Difference("version", now.step, str(before.version), str(now.version))
    for name, pair in differences(dict(before.libraries), dict(now.libraries)).items():
        yield Difference("library", name, *map(str, pair))
    digests = ({role: file.digest for role, file in recipe.files.items()} for recipe in (before, now))
    for name, pair in differences(*digests).items():
        yield Difference("file", name, *(value_of(digest)[:DIGITS] for digest in pair))
    ids = ({role: folder.name for role, folder in recipe.inputs.items()} for recipe in (before, now))
    for name, pair in differences(*ids).items():
        yield Difference("input", name, *pair)


def differences(before: object, now: object, path: str = "") -> dict[str, tuple[object, object]]:
    """Return the values that differ between two nested values of JSON, by their names joined with points."""
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        # Lists of one length are compared item by item; the names of the items are their places, from 0.
        before, now = dict(enumerate(before)), dict(enumerate(now))
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return {} if before == now else {path: (before, now)}
    names = sorted({*before, *now})
    nested = (
        differences(before.get(name, MISSING), now.get(name, MISSING), f"{path}.{name}".lstrip(".")) for name in names
    )
    return {name: values for part in nested for name, values in part.items()}


def _short(value: object) -> str:
    text = re.sub(r"\s+", " ", str(value))
    if len(text) <= LONGEST:
        return text
    if isinstance(value, list | dict):
        return "1 value" if len(value) == 1 else f"{len(value)} values"
    return f"{text[: LONGEST - 3]}..."
