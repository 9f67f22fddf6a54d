"""Counts that a corpus has only once later stages have cut it: read from the cards that they left under results/."""

from collections.abc import Iterator
from pathlib import Path

from docmt.base.artifacts import as_object, read_object
from docmt.base.foreign import reading
from docmt.catalogue.later_counts import COUNTS


def made_counts(results: Path, corpus: str, split: str, count: str) -> Iterator[tuple[str, float]]:
    """The count in every text that has been made of the corpus: the text's name and the number."""
    made = COUNTS[count]
    for path in sorted(results.glob(made.of_split(split).format(corpus=corpus, text="*"))):
        card = as_object(read_object(path, "splits")["splits"], f"{path} splits").get(split)
        if card:
            with reading(path, "not a card with this count", f"{count} of each split"):
                value = made.value(card)
            yield path.parent.parent.name, value


def where_made(results: Path, corpus: str, split: str, count: str) -> str:
    """Where the count would stand, for a person who wants it."""
    pattern = COUNTS[count].of_split(split)
    return str(results / pattern.format(corpus=corpus, text="<text>").replace("*", ""))
