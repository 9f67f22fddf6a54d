"""The columns of the tables that stages hand to each other, and functions that read, write and check the tables.

`documents.parquet` has one row for each sentence pair, in order: it is the corpus, in the same form for all corpora.
`contrastive.parquet` has one row for each item: a source and several translations that differ in the last sentence.
`*.arrow` are uncompressed Arrow files; readers memory-map them.
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
    """Build a schema from groups of columns, in order: a type and the names of neighbouring columns of this type."""
    return pa.schema([(name, kind) for kind, *names in columns for name in names])


def only(schema: pa.Schema, *names: str) -> pa.Schema:
    """Return a schema of the columns `names` alone, so that a reader need not read the others."""
    return pa.schema([schema.field(name) for name in names])


_SENTENCE = ((_TEXT, "split", "document"), (_NUMBER, "sentence"))
_ITEM = ((_TEXT, "set"), (_NUMBER, "item", "distance"))
_SIDES = (_NUMBERS, "source_ids", "source_lengths", "target_ids", "target_lengths")
_VARIANT = ((_TEXT, "set"), (_NUMBER, "item", "variant", "distance"), (pa.bool_(), "correct"))

DOCUMENTS = _table(*_SENTENCE, (_TEXT, "source", "target"), (_TEXTS, "references"))
"""One row for each sentence pair. `document` is unique within its split; `sentence` counts from 0 within its document.
`references` are further translations beside `target`; most corpora have none."""

CONTRASTIVE = _table(*_ITEM, (_TEXTS, "source", "target_context", "variants"), (_NUMBER, "correct"))
"""One row for each contrastive item. `source` has one sentence more than `target_context`. Each of `variants` is a
translation of the last source sentence, and `variants[correct]` is the right one. `distance` is how many sentences
before the judged sentence the deciding sentence is; 0 = not stated, or the judged sentence itself decides. `set` is a
phenomenon, or a part of a phenomenon after a slash (`anaphora/f.sg`)."""

TOKENS = _table(
    *_SENTENCE,
    (_TEXT, "source_tokens", "target_tokens", "source_pieces", "target_pieces"),
    (_NUMBERS, "source_ids", "target_ids"),
)
"""One row for each sentence pair of a text. Tokens are tokenised and cased, pieces are BPE; both are joined by single
spaces. Ids have no special symbols at the ends. Where a text has `pretrained` pieces, tokens are the words that the
pieces form (`docmt.text.pretrained`)."""

REFERENCE_TOKENS = _table(*_SENTENCE, (_TEXTS, "reference_tokens"))
"""The further references of documents.parquet, tokenised and cased as `target_tokens`. Sentences without further
references have no row."""

CONTRASTIVE_TOKENS = _table(
    *_ITEM, (pa.list_(_NUMBERS), "source_ids", "target_context_ids", "variant_ids"), (_NUMBER, "correct")
)
"""One row for each contrastive item, with the ids of its pieces: a list for each sentence, and for each variant."""

SEGMENTS = _table((_TEXT, "document"), (_NUMBER, "first"), _SIDES)
"""One row for each segment of a view: consecutive sentences of one document, from sentence `first` on. `source_ids` and
`target_ids` have the ids of all its sentences one after another, without special symbols; `source_lengths` and
`target_lengths` have the number of ids of each sentence. Training windows with `partial_copy` may begin with copies
of the document's first sentence, before sentence `first`, which then is 0."""

CONTRASTIVE_SEGMENTS = _table(*_VARIANT, _SIDES)
"""One row for each variant of a contrastive item: as many context sentences as the view can see, then the judged
sentence."""

CHAINS_WORDS = _table((_TEXT, "split", "document", "word"), (_NUMBERS, "sentences", "words"))
"""One row for each lexical chain of a whole document: its k-th occurrence is token `words[k]` of sentence
`sentences[k]`."""

SEGMENT_CHAINS = _table((_NUMBERS, "members", "lengths"))
"""One row for each segment of a view, in the view's order. `members` are places in the segment's `source_ids`, chain
after chain, rising within a chain; `lengths` is the number of members of each chain."""

CONTRASTIVE_SCORES = _table(
    *_VARIANT, (_REAL, "score"), (_NUMBER, "outputs"), (_REAL, "context_score"), (_NUMBER, "context_outputs")
)
"""One row for each variant. `score` is the sum of the log-probabilities of the judged sentence (nats), `outputs` the
number of its target pieces, its end symbol included. `context_score` and `context_outputs` are the same for the target
sentences before it; they are null where no score of the context was computed."""

DETAILS = _table(
    (_TEXT, "measure", "kind", "unit", "set"), (_NUMBER, "distance"), (_TEXTS, "names"), (pa.list_(_REAL), "counts")
)
"""One row for each score: the contribution of each unit (`names`: sentences, documents or items) to the sums from which
the score is computed. `counts` has all numbers of the first unit, then all of the second, and so on. `set` and
`distance` are null except for contrastive items."""

_RENDERING = ((_TEXTS, "translations"), (pa.list_(_NUMBERS), "places"), (_NUMBER, "agreeing", "pairs"))
OCCURRENCES = _table(
    *((_TEXT, "document", "unit"), (_NUMBERS, "lines", "words"), *_RENDERING),
    *[(kind, *(f"reference_{name}" for name in names)) for kind, *names in _RENDERING],
)
"""One row for each lexical chain of the test split, as LTCR uses it. The k-th occurrence is word `words[k]` (or piece
`words[k]`, where `unit` is pieces) of the source of test sentence `lines[k]`, counted from 0 through the split. Its
translation is `translations[k]` (null where it has none), which are the tokens at `places[k]` of the output. `pairs` is
the number of pairs of translations, `agreeing` the number of pairs that agree. The columns `reference_*` are the same
for the reference."""

INSIDE = _table(
    (_TEXT, "document"),
    (_NUMBER, "chain"),
    (_TEXT, "piece"),
    (_NUMBER, "sentence", "place"),
    (_TEXTS, "outputs"),
    (pa.list_(pa.float32()), "attention", "alignment", "similarity"),
)
"""One row for each member of a lexical chain, chain after chain: a source piece, its place in its sentence, and
measurements inside a model (`docmt.decoding.inside`) at each of `outputs`: the pieces of the sentence's reference and
its end symbol."""

STOP_WORDS = "stop_words.txt"
"""The file of the words that no lexical chain has; it is beside chains and in the folder of a model that reads them."""


def write_parquet(path: Path | str, table: pa.Table) -> None:
    """Write a table as a Parquet file, which appears only when it is complete."""
    with atomic_file(path, "wb") as stream:
        pq.write_table(table, stream, compression="zstd")


def write_arrow(path: Path | str, table: pa.Table) -> None:
    """Write a table as an Arrow file, which appears only when it is complete."""
    with atomic_file(path, "wb") as stream, pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)


def write_if_any(path: Path, table: pa.Table | None) -> None:
    """Write a table as `write_arrow` does, or remove the file where `table` is none.

    A file of an earlier run would otherwise look like a result of this one.
    """
    if table is None:
        path.unlink(missing_ok=True)
    else:
        write_arrow(path, table)


def read_parquet(path: Path | str, schema: pa.Schema, split: str | None = None) -> pa.Table:
    """Read the rows of one split of a Parquet file, or all rows where `split` is none.

    Raises UserError where the file is missing, is not Parquet, or lacks a column of `schema`.
    """
    chosen = None if split is None else [("split", "=", split)]
    with reading(path, "not a Parquet file"):
        need_file(path)
        table = pq.read_table(path, filters=chosen)
        table.validate(full=True)
    return with_columns(path, table, schema)


def read_arrow(path: Path | str, schema: pa.Schema, split: str | None = None) -> pa.Table:
    """Memory-map an Arrow file and return the rows of one split, or all rows where `split` is none.

    Raises UserError where the file is missing, is damaged, or lacks a column of `schema`.
    """
    with reading(path, "not an Arrow file"):
        need_file(path)
        with pa.memory_map(str(path), "r") as stream:
            table = pa.ipc.open_file(stream).read_all()
        table.validate(full=True)  # a damaged value would crash the process when it is read
    selected = with_columns(path, table, schema)
    return selected if split is None else selected.filter(pc.equal(selected["split"], split))


def read_chains(path: Path, segments: pa.Table) -> pa.Table:
    """Read the chains (SEGMENT_CHAINS) of the segments of a view.

    Raises UserError where the numbers of rows differ, and for a member that is no source piece of its segment.
    """
    table = read_arrow(path, SEGMENT_CHAINS)
    if len(table) != len(segments):
        raise UserError(
            "chains of another view",
            where=str(path),
            found=f"{len(table)} rows",
            expected=f"{len(segments)}, one for each segment",
            remedy="make the chains of this view again (docmt job find-segment-chains)",
        )
    check_chains(path, table, segments)
    return table


def with_columns(path: Path | str, table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Select the columns of `schema` and cast them to its types.

    Raises UserError, which names `path`, where a column is missing or has a type that cannot be cast.
    """
    missing = [name for name in schema.names if name not in table.schema.names]
    if missing:
        raise UserError(
            "columns are missing",
            where=str(path),
            found=", ".join(table.schema.names),
            expected=", ".join(schema.names),
        )
    with reading(path, "columns have different types", ", ".join(f"{field.name}: {field.type}" for field in schema)):
        return table.select(schema.names).cast(schema)


OF_TOKENS = "make the view again from the tokens of the text that is used"
"""The remedy where a view and the vocabularies in use belong to different texts."""


def check_segments(path: Path, table: pa.Table, sizes: Mapping[str, int]) -> None:
    """Check the ids and lengths of SEGMENTS, or of a table with the same four columns.

    `sizes` has the number of pieces of the vocabularies of `source` and `target`. Raises UserError for an id beyond its
    vocabulary, for lengths whose sum is not the number of ids, and where source and target differ in the number of
    sentences.
    """
    for batch in table.to_batches():
        with reading(path, "not segments of a view", remedy=OF_TOKENS):
            for side, size in sizes.items():
                ids, lengths = batch.column(f"{side}_ids"), batch.column(f"{side}_lengths")
                _check_sums(lengths, ids.value_lengths().to_numpy(), f"{side}_lengths")
                _check_range(_values(ids), size, f"{side}_ids")
            sentences = [batch.column(f"{side}_lengths").value_lengths().to_numpy() for side in sizes]
            if not np.array_equal(sentences[0], sentences[-1]):
                raise UserError(
                    "source and target have different numbers of sentences", where=str(path), remedy=OF_TOKENS
                )


def check_chains(path: Path, chains: pa.Table, segments: pa.Table) -> None:
    """Raise UserError where `chains` cannot be the chains of `segments` (see `read_chains`)."""
    with reading(
        path,
        "not lexical chains of segments",
        remedy="make the chains of this view again (docmt job find-segment-chains)",
    ):
        lengths, members = (chains[name].combine_chunks() for name in ("lengths", "members"))
        _check_sums(lengths, members.value_lengths().to_numpy(), "lengths")
        pieces = segments["source_ids"].combine_chunks().value_lengths().to_numpy()
        limits = np.repeat(pieces, members.value_lengths().to_numpy())
        places = _values(members)
        if len(places) and not ((places >= 0) & (places < limits)).all():
            raise ValueError("members beyond the pieces of their segment")


def _values(lists: pa.ListArray) -> np.ndarray:
    """Return the numbers of all lists one after another; raise ValueError where a number is missing."""
    flat = lists.flatten()
    if flat.null_count or lists.null_count:
        raise ValueError("numbers are missing")
    return flat.to_numpy()


def _check_range(ids: np.ndarray, size: int, name: str) -> None:
    """Raise ValueError unless all ids are numbers of pieces of a vocabulary of `size` pieces."""
    low, high = int(ids.min(initial=0)), int(ids.max(initial=0))
    if low < 0 or high >= size:
        raise ValueError(f"{name} from {low} to {high} in a vocabulary of {size} pieces")


def _check_sums(lengths: pa.ListArray, expected: np.ndarray, name: str) -> None:
    """Raise ValueError unless each list of lengths sums to the expected number and none is negative."""
    values = _values(lengths).astype(np.int64)
    totals = sums(values, lengths.value_lengths().to_numpy().astype(np.int64))
    if values.min(initial=0) < 0 or not np.array_equal(totals, expected):
        raise ValueError(f"{name} that do not sum to the number of values")
