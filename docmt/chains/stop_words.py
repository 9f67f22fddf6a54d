"""Words too frequent to say anything by being repeated.

Paper: lexical chains, appendix A: the 1,000 most frequent source words of the training set.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from docmt.base.artifacts import atomic_file
from docmt.base.texts import read_text
from docmt.base.vocabulary import by_frequency


def most_frequent(counts: Mapping[str, int], number: int) -> list[str]:
    """The `number` most frequent words, the most frequent first, ties in the order of code points.

    Our reading: punctuation counts as words, and most of it is among them.
    """
    return by_frequency(counts)[:number]


def write_stop_words(path: Path, words: Iterable[str]) -> None:
    """A word a line."""
    with atomic_file(path) as stream:
        stream.writelines(f"{word}\n" for word in words)


def read_stop_words(path: Path) -> frozenset[str]:
    """Raises UserError where the file cannot be read, or is not UTF-8."""
    return frozenset(read_text(path).split("\n")[:-1])
