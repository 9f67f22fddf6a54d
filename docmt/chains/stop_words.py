"""Words too frequent to say anything by being repeated.

Paper: lexical chains, appendix A: the 1,000 most frequent source words of the training set.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from docmt.core.artifacts import atomic_file
from docmt.core.errors import UserError
from docmt.core.vocabulary import by_frequency


def most_frequent(lines: Iterable[str], count: int) -> list[str]:
    """The `count` most frequent words, the most frequent first, ties in the order of code points.

    `lines`: words joined by single spaces. Our reading: punctuation counts as words, and most of it is among them.
    """
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(line.split(" "))
    return by_frequency(counts)[:count]


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
