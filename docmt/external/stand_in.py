"""Generated lines that stand in for a user's translations at a scale whose corpora are generated too.

They are the references with some words left out and some words exchanged, so that no score is perfect and two systems
differ. They say that the path works, and nothing else.
"""

import random
from collections.abc import Sequence

from docmt.external.lines import ExpectedText

CHANGED = 0.15
"""The share of words that are left out, and of words that change places with the next one."""


def stand_in(test: ExpectedText, lines: str, name: str, is_spaced: bool) -> list[str]:
    """Return a line for each sentence, or for each document where `lines` is "documents".

    `name` is the system's with its seed, from which the changes follow. `is_spaced`: whether spaces separate words;
    in other languages characters are changed.
    """
    between = " " if is_spaced else ""
    changed = []
    for number, reference in enumerate(test.references):
        # A generator seeded by a text gives the same numbers on every machine.
        draw = random.Random(f"{name} {number}")
        changed.append(between.join(_changed(reference.split() if is_spaced else list(reference), draw)))
    return test.unit(changed, lines)


def _changed(words: Sequence[str], draw: random.Random) -> list[str]:
    """Return words of which some are left out and some have changed places; one word at least is left."""
    left = [word for word in words if draw.random() >= CHANGED] or list(words[:1])
    for place in range(len(left) - 1):
        if draw.random() < CHANGED:
            left[place], left[place + 1] = left[place + 1], left[place]
    return left
