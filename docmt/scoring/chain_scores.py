"""LTCR and HHI of a system of the workflow: its translations of the test split's lexical chains."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.columns import TOKENS, read_arrow
from docmt.scoring.occurrences import StopLists, Texts
from docmt.scoring.stop_lists import StopList, cased, most_frequent, read_stop_list
from docmt.settings.scoring import ConsistencyConfig

NAMES = ("split", "document", "source_tokens", "source_pieces", "target_tokens")
COLUMNS = pa.schema([TOKENS.field(name) for name in NAMES])


@dataclass(frozen=True)
class Corpus:
    """`tokens.arrow` as chains need it: training lines, and test lines with their documents."""

    source: list[str]
    target: list[str]
    source_words: list[str]
    documents: list[str]
    test_source: list[str]

    @classmethod
    def read(cls, tokens: Path, config: ConsistencyConfig) -> "Corpus":
        """Sources are pieces where chains are; `source_words` are words in any case."""
        rows = read_arrow(tokens / "tokens.arrow", COLUMNS)
        train, test = (rows.filter(pc.equal(rows["split"], split)) for split in ("train", "test"))
        source = f"source_{'pieces' if config.chains == 'pieces' else 'tokens'}"
        columns = (train[source], train["target_tokens"], train["source_tokens"], test["document"], test[source])
        return cls(*(column.to_pylist() for column in columns))

    def texts(self, hypotheses: Sequence[str]) -> Texts:
        return Texts(self.documents, self.test_source, hypotheses)


@dataclass(frozen=True)
class StopFiles:
    """A file of words a side, instead of the most frequent ones."""

    source: Path | None = None
    target: Path | None = None


def stop_lists(
    config: ConsistencyConfig, files: StopFiles, source: Sequence[str], target: Sequence[str], of: str = ""
) -> StopLists:
    """`source`, `target`: lines of words, of which the most frequent are counted; `of`: which (`most_frequent`)."""
    return StopLists(
        _stop_list(files.source, config.source_stop_words, source, config.source_case == "lower", of),
        _stop_list(files.target, config.target_stop_words, target, config.target_case == "lower", of),
    )


def _stop_list(file: Path | None, count: int | None, lines: Sequence[str], lower: bool, of: str) -> StopList:
    if file is not None:
        return read_stop_list(file, lower)
    return most_frequent((cased(line, lower) for line in lines), count or 0, of)
