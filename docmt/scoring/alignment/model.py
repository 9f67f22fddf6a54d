"""What a trained aligner knows of words and jumps, as files."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.artifacts import read_json, write_json
from docmt.base.columns import read_arrow, write_arrow
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.scoring.alignment.posteriors import SIZE, Jumps

WORDS = pa.dictionary(pa.int32(), pa.string())
LINKS = pa.schema([("source", WORDS), ("target", WORDS), ("links", pa.float32())])
"""A row a pair of words that training links, and one a word, without the other side: how often it has no link."""

LEXICON, JUMPS = "lexicon.arrow", "jumps.json"
"""The files of a model: LINKS, and the probabilities of jumps forward and backward."""

BothJumps = tuple[Jumps, Jumps]
"""Forward, target words linking to source words, and backward."""


@dataclass(frozen=True, eq=False)
class AlignmentModel:
    """`source_words`, `target_words`: their numbers. `source`, `target`: the words of each pair that is linked, (P,),
    and `links`, how often; `source_alone`, `target_alone`: how often each word has no link, (S,) and (T,)."""

    source_words: dict[str, int]
    target_words: dict[str, int]
    source: np.ndarray
    target: np.ndarray
    links: np.ndarray
    source_alone: np.ndarray
    target_alone: np.ndarray
    jumps: BothJumps

    def save(self, folder: Path) -> None:
        """The same model gives the same bytes."""
        sources, targets = len(self.source_words), len(self.target_words)
        columns = [
            _column(self.source_words, self.source, np.arange(sources), np.full(targets, -1)),
            _column(self.target_words, self.target, np.full(sources, -1), np.arange(targets)),
            pa.array(np.concatenate([self.links, self.source_alone, self.target_alone])),
        ]
        write_arrow(folder / LEXICON, pa.table(columns, schema=LINKS))
        write_json(folder / JUMPS, [jumps.probabilities.tolist() for jumps in self.jumps])

    @classmethod
    def load(cls, folder: Path) -> "AlignmentModel":
        """Raises UserError where a file is missing or is none of `save`."""
        table = read_arrow(folder / LEXICON, LINKS)
        jumps = _read_jumps(folder / JUMPS)
        with reading(folder / LEXICON, "not the lexicon of an aligner"):
            return cls._of(table, jumps)

    @classmethod
    def _of(cls, table: pa.Table, jumps: BothJumps) -> "AlignmentModel":
        columns = [table[name].combine_chunks() for name in ("source", "target")]
        words = [{word: n for n, word in enumerate(column.dictionary.to_pylist())} for column in columns]
        source, target = (column.indices.fill_null(-1).to_numpy().astype(np.int64) for column in columns)
        links, pairs = table["links"].to_numpy(), (source >= 0) & (target >= 0)
        alone = links[target < 0], links[source < 0]
        return cls(*words, source[pairs], target[pairs], links[pairs], *alone, jumps)


def _read_jumps(path: Path) -> BothJumps:
    both = read_json(path)
    if not (isinstance(both, list) and [isinstance(one, list) and len(one) for one in both] == [SIZE, SIZE]):
        raise UserError("not the jumps of an aligner", where=str(path), expected=f"two lists of {SIZE} numbers")
    with reading(path, "not the jumps of an aligner", "numbers"):
        forward, backward = (Jumps(np.array(one, dtype=float)) for one in both)
    return forward, backward


def _column(numbers: dict[str, int], *places: np.ndarray) -> pa.DictionaryArray:
    """Words by their numbers; -1 is none."""
    codes = np.concatenate(places).astype(np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(numbers, pa.string()))
