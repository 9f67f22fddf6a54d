"""Whether the numbers of a view's tables can be: a damaged file, or one of another text, is refused before use."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.runs import sums

REMEDY = "make the view anew, from the tokens of the text that is used"


def check_segments(path: Path, table: pa.Table, sizes: Mapping[str, int]) -> None:
    """SEGMENTS, or a table with the same four columns. `sizes`: of the vocabularies of `source` and `target`.

    Raises UserError for an id beyond a vocabulary, for lengths that do not add up, and for sides of other lengths.
    """
    for batch in table.to_batches():
        with reading(path, "not segments of a view", remedy=REMEDY):
            for side, size in sizes.items():
                ids, lengths = batch.column(f"{side}_ids"), batch.column(f"{side}_lengths")
                _check_sums(lengths, ids.value_lengths().to_numpy(), f"{side}_lengths")
                _check_range(_values(ids), size, f"{side}_ids")
            sentences = [batch.column(f"{side}_lengths").value_lengths().to_numpy() for side in sizes]
            if not np.array_equal(sentences[0], sentences[-1]):
                raise UserError("sides of other numbers of sentences", where=str(path), remedy=REMEDY)


def check_chains(path: Path, chains: pa.Table, segments: pa.Table) -> None:
    """SEGMENT_CHAINS of a view's `segments`. Raises UserError for a member that is no source piece of its segment."""
    with reading(path, "not lexical chains of segments", remedy="make the chains anew from this view"):
        lengths, members = (chains[name].combine_chunks() for name in ("lengths", "members"))
        _check_sums(lengths, members.value_lengths().to_numpy(), "lengths")
        pieces = segments["source_ids"].combine_chunks().value_lengths().to_numpy()
        limits = np.repeat(pieces, members.value_lengths().to_numpy())
        places = _values(members)
        if len(places) and not ((places >= 0) & (places < limits)).all():
            raise ValueError("members beyond the pieces of their segment")


def _values(lists: pa.ListArray) -> np.ndarray:
    flat = lists.flatten()
    if flat.null_count or lists.null_count:
        raise ValueError("numbers are missing")
    return flat.to_numpy()


def _check_range(ids: np.ndarray, size: int, name: str) -> None:
    low, high = int(ids.min(initial=0)), int(ids.max(initial=0))
    if low < 0 or high >= size:
        raise ValueError(f"{name} from {low} to {high}, and a vocabulary of {size}")


def _check_sums(lengths: pa.ListArray, expected: np.ndarray, name: str) -> None:
    """Whether the numbers of each list add up."""
    values = _values(lengths).astype(np.int64)
    found = sums(values, lengths.value_lengths().to_numpy().astype(np.int64))
    if values.min(initial=0) < 0 or not np.array_equal(found, expected):
        raise ValueError(f"{name} that do not add up")
