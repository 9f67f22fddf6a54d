"""The chains of many texts at once, as polars frames: what `docmt.base.chains` finds in one text after another.

A frame of words has a row a word: `text`, the number of its text, rising, `word`, and what else is known of it.
"""

from collections.abc import Iterable

import polars as pl
import pyarrow as pa

from docmt.base.columns import SEGMENT_CHAINS
from docmt.base.vocabulary import CONTINUES
from docmt.chains.statistics import COUNTED


def repeated(words: pl.DataFrame, stop_words: Iterable[str]) -> pl.DataFrame:
    """A row for each word that its text has twice or more, by first occurrence; other columns are lists, a chain each.

    See `docmt.base.chains.repeated_words`.
    """
    stopped = pl.DataFrame({"word": list(stop_words)}, {"word": pl.String})
    kept = words.join(stopped, on="word", how="anti", maintain_order="left")
    occurrences = kept.group_by("text", "word", maintain_order=True).agg(pl.len().alias("size"), pl.all())
    return occurrences.filter(pl.col("size") > 1)


def count(words: pl.DataFrame, chains: pl.DataFrame) -> dict[str, int]:
    """See `statistics`. `chains`: of `repeated`."""
    numbers = words["text"].n_unique(), len(words), len(chains), int(chains["size"].sum())
    return dict(zip(COUNTED, numbers, strict=True))


def words_of_sentences(tokens: pl.Series, pieces: pl.Series) -> pl.DataFrame:
    """A frame of words with `row`, the number of the sentence, in place of `text`, and `pieces`, how many a word has.

    `tokens`, `pieces`: of each sentence, joined by single spaces. A last piece that would continue ends there, a first
    one opens a word; see `docmt.base.chains`.
    """
    every = pl.DataFrame({"piece": pieces.str.split(" ")}).with_row_index("row").explode("piece")
    opens_row = pl.col("row").ne_missing(pl.col("row").shift(1))
    continues = pl.col("piece").str.starts_with(CONTINUES) | pl.col("piece").shift(1).str.ends_with(CONTINUES)
    opened = every.select("row", opens=opens_row | ~continues).with_row_index("place").filter("opens")
    counts = pl.col("place").shift(-1, fill_value=len(every)).cast(pl.Int64) - pl.col("place")
    return opened.select("row", word=tokens.str.split(" ").explode(), pieces=counts)


def chains_of_pieces(chains: pl.DataFrame, texts: int) -> pa.Table:
    """SEGMENT_CHAINS of `texts` texts. `chains`: `repeated` words, with `start`, the place of a word's first piece.

    See `docmt.base.chains.chains_of_pieces`.
    """
    pieces = chains.with_columns(piece=pl.int_ranges(0, pl.col("pieces").list.first())).explode("piece")
    members = pieces.select("text", members=pl.col("start") + pl.col("piece"))
    found = members.group_by("text", maintain_order=True).agg(
        pl.col("members").list.explode(keep_nulls=False, empty_as_null=False), lengths=pl.col("members").list.len()
    )
    every = pl.DataFrame({"text": pl.arange(texts, dtype=chains.schema["text"], eager=True)})
    rows = every.join(found, on="text", how="left", maintain_order="left")
    return rows.select(pl.col(SEGMENT_CHAINS.names).fill_null([])).to_arrow().cast(SEGMENT_CHAINS)
