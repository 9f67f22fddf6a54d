"""The texts that LTCR and HHI are measured on, and the stop lists of source and target."""

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
    """A set of stop words. `name` is its name in signatures: `none`, `top150`, or a file's name and digest."""

    words: frozenset[str]
    name: str


@dataclass(frozen=True)
class AlignedTranslations:
    """Test sentences with their translations and the word links between the two.

    `documents` has the name of the document of each sentence. `sources` are lines of words, or of pieces where chains
    are chains of pieces. `hypotheses` are the translations of a system, or the references.
    """

    documents: Sequence[str]
    sources: Sequence[str]
    hypotheses: Sequence[str]
    links: Sequence[DirectedLinks]


@dataclass(frozen=True)
class StopLists:
    """The stop lists of both sides: source words that form no chains, and target words that translations leave out."""

    source: StopList
    target: StopList


@dataclass(frozen=True)
class ChainCorpus:
    """The lines of a corpus that the metrics of lexical chains need.

    `source` and `target` are training lines, `test_source` are test lines, and `documents` has the name of the document
    of each test line. `source` and `test_source` are lines of pieces where chains are chains of pieces; `source_words`
    are the training lines as words in all cases.
    """

    source: list[str]
    target: list[str]
    source_words: list[str]
    documents: list[str]
    test_source: list[str]

    @classmethod
    def read(cls, tokens: Path, config: ConsistencyConfig) -> "ChainCorpus":
        """Read the lines from the `tokens.arrow` of the folder `tokens`."""
        rows = read_arrow(tokens / "tokens.arrow", COLUMNS)
        train, test = (rows.filter(pc.equal(rows["split"], split)) for split in ("train", "test"))
        source = f"source_{'pieces' if config.chains == 'pieces' else 'tokens'}"
        columns = (train[source], train["target_tokens"], train["source_tokens"], test["document"], test[source])
        return cls(*(column.to_pylist() for column in columns))


@dataclass(frozen=True)
class StopFiles:
    """Files of stop words; a side without a file has the most frequent words as its stop list."""

    source: Path | None = None
    target: Path | None = None


def stop_lists(
    config: ConsistencyConfig, files: StopFiles, source: Sequence[str], target: Sequence[str], suffix: str = ""
) -> StopLists:
    """Return the stop lists of both sides, from `files` or else from the most frequent words of the lines.

    `source` and `target` are lines of words. `suffix` is the end of the names of counted lists (see `most_frequent`).
    """
    return StopLists(
        _stop_list(files.source, config.source_stop_words, source, config.source_case == "lower", suffix),
        _stop_list(files.target, config.target_stop_words, target, config.target_case == "lower", suffix),
    )


def _stop_list(file: Path | None, count: int | None, lines: Sequence[str], lower: bool, suffix: str) -> StopList:
    if file is not None:
        return read_stop_list(file, lower)
    return most_frequent((apply_case(line, lower) for line in lines), count or 0, suffix)


def most_frequent(lines: Iterable[str], count: int, suffix: str = "") -> StopList:
    """Return the `count` most frequent words of `lines`; words with equal counts are in the order of code points.

    `suffix` is the end of the list's name, where the lines are not the training lines.

    >>> most_frequent(["the cat", "the dog"], 2) == StopList(frozenset({"the", "cat"}), "top2")
    True
    """
    if not count:
        return StopList(frozenset(), "none")
    words = Counter(word for line in lines for word in line.split())
    return StopList(frozenset(by_frequency(words)[:count]), f"top{count}{suffix}")


def read_stop_list(path: Path, lower: bool) -> StopList:
    """Read a stop list from a file with a word on each line, and lower-case the words where `lower` is true.

    Raises UserError where the file cannot be read.
    """
    words = (line.strip() for line in read_lines(path))
    return StopList(frozenset(apply_case(word, lower) for word in words if word), file_label(path))
