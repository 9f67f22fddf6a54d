"""Words that make no chain, and words that are no part of a translation."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import read_lines, sha256_file
from docmt.base.vocabulary import by_frequency

DIGITS = 8
"""Of a file's SHA-256 in a signature."""


@dataclass(frozen=True)
class StopList:
    """`name` is what signatures call it: `none`, `top150`, or a file's name and digest."""

    words: frozenset[str]
    name: str


def most_frequent(lines: Iterable[str], count: int, of: str = "") -> StopList:
    """So many of the most frequent words of `lines`, ties in the order of code points.

    `of`: what lines these are, for the list's name, where they are not those of training.

    >>> most_frequent(["the cat", "the dog"], 2) == StopList(frozenset({"the", "cat"}), "top2")
    True
    """
    if not count:
        return StopList(frozenset(), "none")
    words = Counter(word for line in lines for word in line.split())
    return StopList(frozenset(by_frequency(words)[:count]), f"top{count}{of}")


def read_stop_list(path: Path, lower: bool) -> StopList:
    """A word a line. `lower`: of a text whose words are lower-cased. Raises UserError where the file cannot be read."""
    words = (line.strip() for line in read_lines(path))
    return StopList(frozenset(cased(word, lower) for word in words if word), named(path))


def named(path: Path) -> str:
    """A file as signatures name it, with the beginning of its digest."""
    return f"{path.name}-{sha256_file(path)[:DIGITS]}"


def cased(text: str, lower: bool) -> str:
    return text.lower() if lower else text
