"""What LTCR and HHI are measured on: texts, and words that make no chain or are no part of a translation."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc

from docmt.base.artifacts import read_lines
from docmt.base.columns import TOKENS, only, read_arrow
from docmt.base.vocabulary import by_frequency
from docmt.scoring.alignment.links import DirectedLinks
from docmt.scoring.inputs import apply_case, file_label
from docmt.settings.scoring import ConsistencyConfig

COLUMNS = only(TOKENS, "split", "document", "source_tokens", "source_pieces", "target_tokens")


@dataclass(frozen=True)
class StopList:
    """`name` is what signatures call it: `none`, `top150`, or a file's name and digest."""

    words: frozenset[str]
    name: str


@dataclass(frozen=True)
class AlignedTranslations:
    """Test sentences: each one's document by name, its source (pieces, where chains are of pieces), a system's
    translation or the reference, and the links of the two."""

    documents: Sequence[str]
    sources: Sequence[str]
    hypotheses: Sequence[str]
    links: Sequence[DirectedLinks]


@dataclass(frozen=True)
class StopLists:
    """Words that make no chain, and words that are no part of a translation."""

    source: StopList
    target: StopList


@dataclass(frozen=True)
class ChainCorpus:
    """`tokens.arrow` as chains need it: training lines, and test lines with their documents."""

    source: list[str]
    target: list[str]
    source_words: list[str]
    documents: list[str]
    test_source: list[str]

    @classmethod
    def read(cls, tokens: Path, config: ConsistencyConfig) -> "ChainCorpus":
        """Sources are pieces where chains are; `source_words` are words in any case."""
        rows = read_arrow(tokens / "tokens.arrow", COLUMNS)
        train, test = (rows.filter(pc.equal(rows["split"], split)) for split in ("train", "test"))
        source = f"source_{'pieces' if config.chains == 'pieces' else 'tokens'}"
        columns = (train[source], train["target_tokens"], train["source_tokens"], test["document"], test[source])
        return cls(*(column.to_pylist() for column in columns))


@dataclass(frozen=True)
class StopFiles:
    """A file of words a side, instead of the most frequent ones."""

    source: Path | None = None
    target: Path | None = None


def stop_lists(
    config: ConsistencyConfig, files: StopFiles, source: Sequence[str], target: Sequence[str], suffix: str = ""
) -> StopLists:
    """`source`, `target`: lines of words, of which the most frequent are counted; `suffix`: which (`most_frequent`)."""
    return StopLists(
        _stop_list(files.source, config.source_stop_words, source, config.source_case == "lower", suffix),
        _stop_list(files.target, config.target_stop_words, target, config.target_case == "lower", suffix),
    )


def _stop_list(file: Path | None, count: int | None, lines: Sequence[str], lower: bool, suffix: str) -> StopList:
    if file is not None:
        return read_stop_list(file, lower)
    return most_frequent((apply_case(line, lower) for line in lines), count or 0, suffix)


def most_frequent(lines: Iterable[str], count: int, suffix: str = "") -> StopList:
    """So many of the most frequent words of `lines`, ties in the order of code points.

    `suffix`: what lines these are, for the list's name, where they are not those of training.

    >>> most_frequent(["the cat", "the dog"], 2) == StopList(frozenset({"the", "cat"}), "top2")
    True
    """
    if not count:
        return StopList(frozenset(), "none")
    words = Counter(word for line in lines for word in line.split())
    return StopList(frozenset(by_frequency(words)[:count]), f"top{count}{suffix}")


def read_stop_list(path: Path, lower: bool) -> StopList:
    """A word a line. `lower`: of a text whose words are lower-cased. Raises UserError where the file cannot be read."""
    words = (line.strip() for line in read_lines(path))
    return StopList(frozenset(apply_case(word, lower) for word in words if word), file_label(path))
