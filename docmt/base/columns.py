"""The columns of the tables that stages hand to each other, and how they are read, written and checked.

`documents.parquet`    one row a sentence pair, in order: what a corpus is, whatever it was made from.
`contrastive.parquet`  one row an item: the same source, translations that differ in the last sentence.
`*.arrow`              uncompressed Arrow files, memory-mapped by whoever reads them.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from docmt.base.artifacts import atomic_file
from docmt.base.errors import UserError
from docmt.base.foreign import need_file, reading
from docmt.base.runs import sums

_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
_NUMBER, _NUMBERS = pa.int32(), pa.list_(pa.int32())
_REAL = pa.float64()


def _table(*columns: tuple) -> pa.Schema:
    """Columns in this order: a type, and the names of those that stand side by side and have it."""
    return pa.schema([(name, kind) for kind, *names in columns for name in names])


def only(schema: pa.Schema, *names: str) -> pa.Schema:
    """The columns of these names, for who needs no others."""
    return pa.schema([schema.field(name) for name in names])


_SENTENCE = ((_TEXT, "split", "document"), (_NUMBER, "sentence"))
_ITEM = ((_TEXT, "set"), (_NUMBER, "item", "distance"))
_SIDES = (_NUMBERS, "source_ids", "source_lengths", "target_ids", "target_lengths")
_VARIANT = ((_TEXT, "set"), (_NUMBER, "item", "variant", "distance"), (pa.bool_(), "correct"))

DOCUMENTS = _table(*_SENTENCE, (_TEXT, "source", "target"), (_TEXTS, "references"))
"""`document` is unique within its split; `sentence` counts from 0 within its document. `references`: further
translations beside `target`, none for most corpora."""

CONTRASTIVE = _table(*_ITEM, (_TEXTS, "source", "target_context", "variants"), (_NUMBER, "correct"))
"""`source` has one sentence more than `target_context`; each of `variants` translates the last of them and
`variants[correct]` is right. `distance`: how many sentences back the deciding one stands; 0 = not stated, or in the
judged one. `set`: a phenomenon, or a part of one after a slash (`anaphora/f.sg`)."""

TOKENS = _table(
    *_SENTENCE,
    (_TEXT, "source_tokens", "target_tokens", "source_pieces", "target_pieces"),
    (_NUMBERS, "source_ids", "target_ids"),
)
"""Tokens are tokenised and cased, pieces are BPE; both are joined by single spaces. Ids have no special symbols
at the ends. Of a text with `pretrained` pieces, tokens are the words that these make (`docmt.text.pretrained`)."""

REFERENCE_TOKENS = _table(*_SENTENCE, (_TEXTS, "reference_tokens"))
"""The further references of documents.parquet, tokenised and cased as `target_tokens`; only sentences that have any."""

CONTRASTIVE_TOKENS = _table(
    *_ITEM, (pa.list_(_NUMBERS), "source_ids", "target_context_ids", "variant_ids"), (_NUMBER, "correct")
)

SEGMENTS = _table((_TEXT, "document"), (_NUMBER, "first"), _SIDES)
"""One row a segment of a view: consecutive sentences of one document from sentence `first` on. Ids of all its
sentences stand one after another, without special symbols; `lengths` gives each sentence's count. In training windows
with `partial_copy`, copies may stand before sentence `first`: then it is 0, and the window has them first."""

CONTRASTIVE_SEGMENTS = _table(*_VARIANT, _SIDES)
"""One row a variant: as much context as the view can see, the judged sentence last."""

CHAINS_WORDS = _table((_TEXT, "split", "document", "word"), (_NUMBERS, "sentences", "words"))
"""One row a lexical chain of a whole document: its k-th occurrence is token `words[k]` of sentence `sentences[k]`."""

SEGMENT_CHAINS = _table((_NUMBERS, "members", "lengths"))
"""One row a segment of a view, in the view's order. `members`: places in the segment's `source_ids`, chain after
chain, those of one chain rising; `lengths`: how many members each chain has."""

CONTRASTIVE_SCORES = _table(
    *_VARIANT, (_REAL, "score"), (_NUMBER, "outputs"), (_REAL, "context_score"), (_NUMBER, "context_outputs")
)
"""One row a variant: the sum of the log-probabilities of the judged sentence (nats) and how many outputs it has, its
end symbol included; the same of the target sentences before it, none where these were not asked for."""

DETAILS = _table(
    (_TEXT, "measure", "kind", "unit", "set"), (_NUMBER, "distance"), (_TEXTS, "names"), (pa.list_(_REAL), "counts")
)
"""One row a score: what each of its units (`names`: sentences, documents, items) adds to the sums that it is made of,
all counts of one unit after another. `set` and `distance`: of contrastive items, else none."""

_RENDERING = ((_TEXTS, "translations"), (pa.list_(_NUMBERS), "places"), (_NUMBER, "agreeing", "pairs"))
OCCURRENCES = _table(
    *((_TEXT, "document", "unit"), (_NUMBERS, "lines", "words"), *_RENDERING),
    *[(kind, *(f"reference_{name}" for name in names)) for kind, *names in _RENDERING],
)
"""One row a lexical chain of the test split, as LTCR takes it: its k-th occurrence is word `words[k]` (or, where `unit`
is pieces, that piece) of the source of test sentence `lines[k]`, counted from 0 through the split. Its translation is
`translations[k]`, none where it has none, of the tokens at `places[k]` of the output. Of `pairs` of translations so
many are `agreeing`. The same of the reference."""

INSIDE = _table(
    (_TEXT, "document"),
    (_NUMBER, "chain"),
    (_TEXT, "piece"),
    (_NUMBER, "sentence", "place"),
    (_TEXTS, "outputs"),
    (pa.list_(pa.float32()), "attention", "alignment", "similarity"),
)
"""One row a member of a lexical chain, chain after chain: a source piece, by its place in its sentence, and what a
model did with it (`docmt.decoding.inside`) at each of `outputs`, the pieces of the sentence's reference and its end."""

STOP_WORDS = "stop_words.txt"
"""Beside chains, and in the folder of a model that reads them: the words that are in none."""


def write_parquet(path: Path | str, table: pa.Table) -> None:
    with atomic_file(path, "wb") as stream:
        pq.write_table(table, stream, compression="zstd")


def write_arrow(path: Path | str, table: pa.Table) -> None:
    with atomic_file(path, "wb") as stream, pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)


def write_if_any(path: Path, table: pa.Table | None) -> None:
    """As `write_arrow`; where there is none, a file of an earlier run is removed, not to be taken for this one's."""
    if table is None:
        path.unlink(missing_ok=True)
    else:
        write_arrow(path, table)


def read_parquet(path: Path | str, schema: pa.Schema, split: str | None = None) -> pa.Table:
    """The rows of one split, or, where none is named, all.

    Raises UserError where the file is missing, is no Parquet, or lacks a column of `schema`.
    """
    chosen = None if split is None else [("split", "=", split)]
    with reading(path, "not a Parquet file"):
        need_file(path)
        table = pq.read_table(path, filters=chosen)
        table.validate(full=True)
    return with_columns(path, table, schema)


def read_arrow(path: Path | str, schema: pa.Schema, split: str | None = None) -> pa.Table:
    """Memory-map an Arrow file; the rows of one split, or all.

    Raises UserError where it is missing, damaged, or lacks a column of `schema`.
    """
    with reading(path, "not an Arrow file"):
        need_file(path)
        with pa.memory_map(str(path), "r") as stream:
            table = pa.ipc.open_file(stream).read_all()
        table.validate(full=True)  # damage within would end the process where values are read
    found = with_columns(path, table, schema)
    return found if split is None else found.filter(pc.equal(found["split"], split))


def read_chains(path: Path, segments: pa.Table) -> pa.Table:
    """SEGMENT_CHAINS of a view's `segments`.

    Raises UserError where they are not the chains of so many, and for a member that is no source piece of its segment.
    """
    table = read_arrow(path, SEGMENT_CHAINS)
    if len(table) != len(segments):
        raise UserError(
            "chains of another view",
            where=str(path),
            found=f"{len(table)} rows",
            expected=f"{len(segments)}, one for each segment",
            remedy="make the chains anew from this view (docmt chains segments)",
        )
    check_chains(path, table, segments)
    return table


def with_columns(path: Path | str, table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of `schema`, with its types.

    Raises UserError where one is missing or of another type; `path` is named.
    """
    missing = [name for name in schema.names if name not in table.schema.names]
    if missing:
        raise UserError(
            "columns are missing",
            where=str(path),
            found=", ".join(table.schema.names),
            expected=", ".join(schema.names),
        )
    with reading(path, "columns of other types", ", ".join(f"{field.name}: {field.type}" for field in schema)):
        return table.select(schema.names).cast(schema)


OF_TOKENS = "make the view anew, from the tokens of the text that is used"


def check_segments(path: Path, table: pa.Table, sizes: Mapping[str, int]) -> None:
    """SEGMENTS, or a table with the same four columns. `sizes`: of the vocabularies of `source` and `target`.

    Raises UserError for an id beyond a vocabulary, for lengths that do not add up, and for sides of other lengths.
    """
    for batch in table.to_batches():
        with reading(path, "not segments of a view", remedy=OF_TOKENS):
            for side, size in sizes.items():
                ids, lengths = batch.column(f"{side}_ids"), batch.column(f"{side}_lengths")
                _check_sums(lengths, ids.value_lengths().to_numpy(), f"{side}_lengths")
                _check_range(_values(ids), size, f"{side}_ids")
            sentences = [batch.column(f"{side}_lengths").value_lengths().to_numpy() for side in sizes]
            if not np.array_equal(sentences[0], sentences[-1]):
                raise UserError("sides of other numbers of sentences", where=str(path), remedy=OF_TOKENS)


def check_chains(path: Path, chains: pa.Table, segments: pa.Table) -> None:
    """See `read_chains`."""
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
