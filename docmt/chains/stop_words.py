"""Words too frequent to say anything by being repeated.

Paper: lexical chains, appendix A: the 1,000 most frequent source words of the training set.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from docmt.core.artifacts import atomic_file
from docmt.core.errors import UserError
from docmt.core.vocabulary import by_frequency


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
    """Raises UserError where the file is missing or is not UTF-8."""
    try:
        return frozenset(path.read_bytes().decode("utf-8").split("\n")[:-1])
    except FileNotFoundError:
        raise UserError("file not found", where=str(path)) from None
    except UnicodeDecodeError as problem:
        raise UserError("not valid UTF-8", where=str(path), found=problem) from None
