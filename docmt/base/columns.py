"""The columns of the tables that stages hand to each other, and functions that check the tables.

`documents.parquet` is a corpus, in the same form for all corpora: one row for each sentence pair, in the order of the
text. `contrastive.parquet` has one row for each contrastive item: a source, and several translations that differ in the
last sentence. Files named `*.arrow` are uncompressed Arrow files; readers map them into memory, or read single record
batches.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.ragged import sums

_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
_NUMBER, _NUMBERS = pa.int32(), pa.list_(pa.int32())
_REAL = pa.float64()


def _table(*columns: tuple) -> pa.Schema:
    """Build a schema from groups of neighbouring columns of one type; a group is the type, then the names."""
    return pa.schema([(name, kind) for kind, *names in columns for name in names])


def only(schema: pa.Schema, *names: str) -> pa.Schema:
    """Return a schema of the columns `names` alone, so that a reader leaves out all other columns."""
    return pa.schema([schema.field(name) for name in names])


_SENTENCE = ((_TEXT, "split", "document"), (_NUMBER, "sentence"))
_ITEM = ((_TEXT, "set"), (_NUMBER, "item", "distance"))
_SIDES = (_NUMBERS, "source_ids", "source_lengths", "target_ids", "target_lengths")
_VARIANT = ((_TEXT, "set"), (_NUMBER, "item", "variant", "distance"), (pa.bool_(), "correct"))

DOCUMENTS = _table(*_SENTENCE, (_TEXT, "source", "target"), (_TEXTS, "references"))
"""The columns of documents.parquet, which has one row for each sentence pair. The name `document` is unique within its
split; `sentence` counts from 0 within its document. `references` has further translations beside `target`; most corpora
have none."""

CONTRASTIVE = _table(*_ITEM, (_TEXTS, "source", "target_context", "variants"), (_NUMBER, "correct"))
"""The columns of contrastive.parquet, which has one row for each contrastive item. `source` has one sentence more than
`target_context`. Each of `variants` is a translation of the last source sentence, and `variants[correct]` is the right
one. `distance` is the number of sentences from the deciding sentence to the judged one (0 = the set does not state it,
or the judged sentence itself decides). `set` is the name of a phenomenon, or of a part of a phenomenon, with a slash
between the two (`anaphora/f.sg`)."""

TOKENS = _table(
    *_SENTENCE,
    (_TEXT, "source_tokens", "target_tokens", "source_pieces", "target_pieces"),
    (_NUMBERS, "source_ids", "target_ids"),
)
"""The columns of the output of stage 2, one row for each sentence pair. The tokens of a sentence are tokenised and
cased words, and the pieces are BPE pieces; both are joined by single spaces. The ids have no special symbols at the
ends. Where a text has `pretrained` pieces, the tokens are the words that the pieces form (`docmt.text.pretrained`)."""

REFERENCE_TOKENS = _table(*_SENTENCE, (_TEXTS, "reference_tokens"))
"""The columns of the further references of documents.parquet, tokenised and cased as `target_tokens`. A sentence
without further references has no row."""

CONTRASTIVE_TOKENS = _table(
    *_ITEM, (pa.list_(_NUMBERS), "source_ids", "target_context_ids", "variant_ids"), (_NUMBER, "correct")
)
"""The columns of tokenised contrastive sets, one row for each item: a list of ids for each sentence and each
variant."""

SEGMENTS = _table((_TEXT, "document"), (_NUMBER, "first"), _SIDES)
"""The columns of a view, one row for each segment: consecutive sentences of one document, from sentence `first` on.
`source_ids` and `target_ids` have the ids of all sentences of the segment one after another, without special symbols;
`source_lengths` and `target_lengths` have the number of ids of each sentence. With `partial_copy` a document begins
with k - 1 copies of the start of its first sentence, which are sentences too."""

CONTRASTIVE_SEGMENTS = _table(*_VARIANT, _SIDES)
"""The columns of contrastive segments, one row for each variant of a contrastive item: as many context sentences as the
view allows, then the judged sentence."""

CHAINS_WORDS = _table((_TEXT, "split", "document", "word"), (_NUMBERS, "sentences", "words"))
"""The columns of the chains of whole documents, one row for each lexical chain. The k-th occurrence of a chain's word
is token `words[k]` of sentence `sentences[k]`."""

SEGMENT_CHAINS = _table((_NUMBERS, "members", "lengths"))
"""The columns of the chains of a view, one row for each segment, in the view's order. `members` has the places of the
chains' pieces in the segment's `source_ids`, chain after chain, in rising order within a chain; `lengths` has the
number of members of each chain."""

CONTRASTIVE_SCORES = _table(
    *_VARIANT, (_REAL, "score"), (_NUMBER, "outputs"), (_REAL, "context_score"), (_NUMBER, "context_outputs")
)
"""The columns of scored contrastive sets, one row for each variant. `score` is the sum of the log-probabilities (nats)
of the judged sentence's target pieces and end symbol, and `outputs` is their number. `context_score` and
`context_outputs` are such a sum and number for the target sentences before the judged one; both are null where no score
of the context was computed."""

CONTEXT_SCORES = _table((_TEXT, "document"), (_NUMBER, "sentence", "context"), (_REAL, "score"), (_NUMBER, "outputs"))
"""The columns of the forced scores of references after contexts of several sizes, one row for each sentence of test and
each size, sentence after sentence, with rising sizes from 0. `context` is the number of sentences before `sentence`
that the model read. `score` and `outputs` are those of the sentence alone, as in CONTRASTIVE_SCORES."""

DETAILS = _table(
    (_TEXT, "metric", "group", "kind", "unit", "signature"), (_TEXTS, "names"), (pa.list_(_REAL), "counts")
)
"""The columns of details.arrow, one row for each score: the contribution of each unit of the test set to the sums from
which the score is computed. `names` has the names of the units: sentences, documents or items. `counts` has all numbers
of the first unit, then all numbers of the second unit, and so on. The other columns are those of SCORES."""

# The columns of scores.parquet, one row for each score of a run (`docmt.base.scores`).
SCORES = _table(
    (_TEXT, "corpus", "system"),
    (pa.int64(), "seed"),
    (_TEXT, "text", "metric", "group"),
    (_REAL, "value", "low", "high"),
    (_TEXT, "interval"),
    (pa.int64(), "n"),
    (pa.map_(_TEXT, _REAL), "facts"),
    (_TEXT, "signature"),
)

_RENDERING = ((_TEXTS, "translations"), (pa.list_(_NUMBERS), "places"), (_NUMBER, "agreeing", "pairs"))
OCCURRENCES = _table(
    *((_TEXT, "document", "unit"), (_NUMBERS, "lines", "words"), *_RENDERING),
    *[(kind, *(f"reference_{name}" for name in names)) for kind, *names in _RENDERING],
)
"""The columns of the occurrences that LTCR compares, one row for each lexical chain of the test split. The k-th
occurrence of a chain is word `words[k]` (piece `words[k]` where `unit` is pieces) of the source sentence `lines[k]`;
sentences are counted from 0 through the split. `translations[k]` is the translation of this occurrence, the tokens at
`places[k]` of the output; it is null for an occurrence without a translation. `pairs` is the number of pairs of
translations, and `agreeing` the number of pairs that agree. The columns `reference_*` have the translations of the same
occurrences in the reference."""

INSIDE = _table(
    (_TEXT, "document"),
    (_NUMBER, "chain"),
    (_TEXT, "piece"),
    (_NUMBER, "sentence", "place"),
    (_TEXTS, "outputs"),
    (pa.list_(pa.float32()), "attention", "alignment", "similarity"),
)
"""The columns of measurements inside a model, one row for each member of a lexical chain, chain after chain. A member
is a source piece with its place in its sentence. `outputs` has the pieces of the reference of this sentence, and the
end symbol; `attention`, `alignment` and `similarity` have a number for each output (`docmt.decoding.inside`)."""

STOP_WORDS = "stop_words.txt"
"""The name of the file with the words that form no lexical chain. The file is in the folders of chains, and in the
folders of models that read chains."""


def with_columns(path: Path | str, table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Select the columns of `schema` and cast them. Raises UserError, which names `path`, for other columns."""
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


# The remedy in messages about chains that do not fit the segments of their view.
OF_CHAINS = "make the chains of this view again with `docmt job`"
# The remedy in messages about a view and vocabularies that belong to different texts.
OF_TOKENS = "make the view again from the tokens of the text that is used"


def check_segments(path: Path, table: pa.Table, sizes: Mapping[str, int]) -> None:
    """Check the ids and lengths of SEGMENTS, or of a table with the same four columns.

    `sizes` has the number of pieces of the vocabularies of `source` and `target`. Raises UserError for an id beyond its
    vocabulary, for lengths whose sum is not the number of ids, and where source and target differ in the number of
    sentences.
    """
    for batch in table.to_batches():
        with reading(path, "not segments of a view", remedy=OF_TOKENS):
            for side, size in sizes.items():
                lists, lengths = batch.column(f"{side}_ids"), batch.column(f"{side}_lengths")
                _check_sums(lengths, lists.value_lengths().to_numpy(), f"{side}_lengths")
                ids = _values(lists)
                low, high = int(ids.min(initial=0)), int(ids.max(initial=0))
                if low < 0 or high >= size:
                    raise ValueError(f"{side}_ids from {low} to {high} in a vocabulary of {size} pieces")
            sentences = [batch.column(f"{side}_lengths").value_lengths().to_numpy() for side in sizes]
            if not np.array_equal(sentences[0], sentences[-1]):
                raise UserError(
                    "source and target have different numbers of sentences", where=str(path), remedy=OF_TOKENS
                )


def check_chains(path: Path, chains: pa.Table, segments: pa.Table) -> None:
    """Raise UserError where `chains` cannot be the chains of `segments` (see `read_chains`)."""
    with reading(path, "not lexical chains of segments", remedy=OF_CHAINS):
        pieces, first = pc.list_value_length(segments["source_ids"]).to_numpy(), 0
        for batch in chains.to_batches():
            members, sizes = batch.column("members"), batch.column("members").value_lengths().to_numpy()
            _check_sums(batch.column("lengths"), sizes, "lengths")
            places, limits = _values(members), np.repeat(pieces[first : first + len(batch)], sizes)
            if not ((places >= 0) & (places < limits)).all():
                raise ValueError("members beyond the pieces of their segment")
            first += len(batch)


def _values(lists: pa.ListArray) -> np.ndarray:
    """Return the numbers of all lists one after another; raise ValueError where a number is missing."""
    flat = lists.flatten()
    if flat.null_count or lists.null_count:
        raise ValueError("numbers are missing")
    return flat.to_numpy()


def _check_sums(lengths: pa.ListArray, expected: np.ndarray, name: str) -> None:
    """Raise ValueError unless each list of lengths sums to the expected number and none is negative."""
    values = _values(lengths).astype(np.int64)
    totals = sums(values, lengths.value_lengths().to_numpy().astype(np.int64))
    if values.min(initial=0) < 0 or not np.array_equal(totals, expected):
        raise ValueError(f"{name} that do not sum to the number of values")
