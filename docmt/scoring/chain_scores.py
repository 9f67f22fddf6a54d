"""The texts from which LTCR and HHI are computed, and the stop lists of source and target."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc

from docmt.base.artifacts import read_lines
from docmt.base.columns import TOKENS, only
from docmt.base.tables import read_arrow
from docmt.base.vocabulary import by_frequency
from docmt.scoring.alignment.links import DirectedLinks
from docmt.scoring.inputs import apply_case, file_label
from docmt.settings.scoring import ConsistencyConfig

COLUMNS = only(TOKENS, "split", "document", "source_tokens", "source_pieces", "target_tokens")


@dataclass(frozen=True)
class StopList:
    """A set of stop words with its name in signatures: `none`, `top150`, or the name and the digest of a file."""

    words: frozenset[str]
    name: str


@dataclass(frozen=True)
class AlignedTranslations:
    """Test sentences with their translations and the word links between the two."""

    documents: Sequence[str]  # the name of the document of each sentence
    sources: Sequence[str]  # sentences of words, or of pieces where the setting `chains` is `pieces`
    hypotheses: Sequence[str]  # the translations of a system, or the references
    links: Sequence[DirectedLinks]


@dataclass(frozen=True)
class StopLists:
    """The stop lists of source words, which form no chains, and of target words, which are left out of translations."""

    source: StopList
    target: StopList


@dataclass(frozen=True)
class ChainCorpus:
    """The lines of a corpus that the metrics of lexical chains read.

    `source` and `target` are sentences of the training split, `test_source` are source sentences of the test split, and
    `documents` has the name of the document of each test sentence. Where the setting `chains` is `pieces`, `source` and
    `test_source` are sentences of pieces; `source_words` has the source sentences of the training split as words.
    """

    source: list[str]
    target: list[str]
    source_words: list[str]
    documents: list[str]
    test_source: list[str]

    @classmethod
    def read(cls, tokens: Path, config: ConsistencyConfig) -> "ChainCorpus":
        """Read the lines from the file `tokens.arrow` of the folder `tokens`, which stage 2 wrote."""
        rows = read_arrow(tokens / "tokens.arrow", COLUMNS)
        train, test = (rows.filter(pc.equal(rows["split"], split)) for split in ("train", "test"))
        source = f"source_{'pieces' if config.chains == 'pieces' else 'tokens'}"
        columns = (train[source], train["target_tokens"], train["source_tokens"], test["document"], test[source])
        return cls(*(column.to_pylist() for column in columns))


@dataclass(frozen=True)
class StopFiles:
    """The files of stop words; the stop list of a side without a file has the most frequent words of the side."""

    source: Path | None = None
    target: Path | None = None


def stop_lists(
    config: ConsistencyConfig, files: StopFiles, source: Sequence[str], target: Sequence[str], suffix: str = ""
) -> StopLists:
    """Return the stop lists of both sides, from `files` or else from the most frequent words of the lines.

    `source` and `target` are lines of words. `suffix` is the end of the name of a list of most frequent words.
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

    `suffix` is the end of the name of the list; it says which lines were counted, if not those of the training split.

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
