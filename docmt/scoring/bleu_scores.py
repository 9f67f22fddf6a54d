"""BLEU of the translations of a system, for each family and each unit, over the whole test set and each document.

It is also computed on parts of the test set. A sentence is in one bucket of each kind: by the `length` of its source in
words, by the `frequency` of the rarest word of its source in the training split, and by its `position` in its document,
from 1. Whether a system gains on long sentences, on rare words or late in documents is what its mean over the test set
cannot tell.
"""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

from docmt.base.columns import TOKENS, only
from docmt.base.scores import DOCUMENT, Score
from docmt.base.tables import read_arrow
from docmt.scoring.bleu import FAMILIES, BleuFamily, bleu_parts, line_counts, signature
from docmt.scoring.inputs import Lines, References, Translations, collapse_runs, read_translations, window_positions
from docmt.scoring.intervals import scores_of
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.pairings import UNITS, Pairing, pairings
from docmt.scoring.tallies import Tally, part_of
from docmt.settings.metrics import BUCKETED, LAST, bleu_name


def bleu_tallies(
    translations: Translations,
    references: References,
    target_language: str,
    lines: Lines = "sentences",
    families: Collection[str] = tuple(FAMILIES),
) -> list[Tally]:
    """Return the tallies of BLEU, for each family and each unit of `pairings`.

    `lines` says whether a line of the translations is a sentence or a document. `families` are the names of the
    families that are computed. Raises UserError for a document without a reference that has all of its sentences.
    """
    raw = pairings(translations.raw, references.raw, references, lines)
    tokenized = pairings(translations.tokenized, references.tokenized, references, lines)
    return [
        _tally(bleu_name(name, unit), family, target_language, unit, pair)
        for name, family in FAMILIES.items()
        if name in families
        for unit, pair in (tokenized if family.is_tokenized else raw).items()
    ]


def _tally(metric: str, family: BleuFamily, target_language: str, unit: str, pair: Pairing) -> Tally:
    computed = family.metric(target_language)
    counts = line_counts(computed, pair.hypotheses, pair.references)
    text = signature(computed, pair.references, pair.unit)
    return with_parts(Tally(metric, f"bleu:{family.smooth}", UNITS[unit], pair.names, counts, text))


def with_parts(tally: Tally) -> Tally:
    """Return a tally with the parts of its BLEU as facts."""
    return replace(tally, facts=bleu_parts(tally.counts.sum(axis=0), tally.kind.partition(":")[2]))


def of_last_sentences(tallies: Sequence[Tally], documents: Sequence[str], window: int) -> list[Tally]:
    """Return s-BLEU of those sentences alone that are the last of a whole window.

    `documents` has the name of the document of each sentence, and `window` is the number of sentences of a window.
    """
    # Our reading of what long-short term masking (Zhang et al. 2020), section 3.2, may score: "each sentence is
    # translated as the last sentence in a chunk of 4 sentences", which the first three of a document cannot be.
    places = [place for _, group in groupby(documents) for place, _ in enumerate(group)]
    chosen = [number for number, place in enumerate(places) if place >= window - 1]
    of = f"|sentences:last of {window}"
    return [part_of(tally, chosen, f"@{LAST}", of) for tally in tallies if chosen and tally.unit == UNITS["s"]]


def scores_by_document(tallies: Sequence[Tally], documents: Sequence[str]) -> list[Score]:
    """Return the scores of each document by itself, without intervals.

    `documents` has the name of the document of each sentence. For unit s the sentences of the document are the lines
    that are scored; for unit d the document is a single line. Other units are left out.
    """
    lengths = [len(list(group)) for _, group in groupby(documents)]
    starts, names = np.cumsum(lengths) - lengths, collapse_runs(documents)
    scores = []
    for tally in tallies:
        if tally.unit in (UNITS["s"], UNITS["d"]):
            # A row of unit d is a document already; rows of unit s are summed over the sentences of each document.
            sums = np.add.reduceat(tally.counts, starts) if tally.unit == UNITS["s"] else tally.counts
            scores += [
                Score(tally.metric, DOCUMENT + name, value, tally.signature, n=length)
                for name, value, length in zip(names, tally.scores(sums).tolist(), lengths, strict=True)
            ]
    return scores


def score(job: ScoringJob) -> ScoringResult:
    """Return BLEU of the whole test set, of each document, position in the window and bucket, and of last sentences.

    BLEU of position j is the s-BLEU of the translations in the file `test.j<j>.txt`, in which each sentence is
    translated as the j-th sentence of a window.
    """
    language, references = job.settings["target_language"], job.references
    tallies = bleu_tallies(job.translations, references, language, job.lines)
    # These references have no documents and no instances, so that `bleu_tallies` computes s-BLEU alone.
    only_sentences, parts = References(None, references.raw, references.tokenized), []
    windows = window_positions(job.inputs.translations)
    for name in (f"j{j}" for j in windows):
        translations = read_translations(job.inputs.translations, f"test.{name}", references, "sentences")
        of_position = bleu_tallies(translations, only_sentences, language)
        parts += [replace(tally, group=f"@{name}") for tally in of_position]
    if windows:
        # `of_last_sentences` is left out where no document is as long as a window.
        parts += of_last_sentences(tallies, references.documents, windows[-1])
    bucketed = next((tally for tally in tallies if tally.metric == BUCKETED), None)
    buckets = [*map(with_parts, bucket_tallies(job.inputs.tokens, bucketed))] if bucketed else []
    by_document = scores_by_document(tallies, references.documents)
    return ScoringResult([*scores_of([*tallies, *parts, *buckets]), *by_document], [*tallies, *parts])


COLUMNS = only(TOKENS, "split", "document", "sentence", "source_tokens")
"""The columns of tokens.arrow that decide on the buckets of a sentence."""

BOUNDS = {"length": (1, 11, 21, 31, 41), "frequency": (0, 1, 10, 100, 1000), "position": (1, 2, 6, 11, 21)}
"""The first number of each bucket of a kind; a bucket ends before the next one, and the last has no end."""


def bucket_names(bounds: Sequence[int]) -> list[str]:
    """Return the names of buckets.

    >>> bucket_names((0, 1, 10))
    ['0', '1-9', '10+']
    """
    pairs = pairwise(bounds)
    closed = [f"{low}-{high - 1}" if high - low > 1 else str(low) for low, high in pairs]
    return [*closed, f"{bounds[-1]}+"]


def bucket_tallies(tokens: Path, tally: Tally) -> list[Tally]:
    """Return the tally of each bucket with a sentence.

    `tokens`: the folder of stage 2. `tally`: the summands of s-BLEU, a row for each test sentence.
    """
    values = bucket_values(tokens)
    return [
        part_of(tally, chosen, f"@{kind}.{name}", f"|bucket:{kind}:{name}")
        for kind, bounds in BOUNDS.items()
        for place, name in enumerate(bucket_names(bounds))
        if (chosen := [n for n, value in enumerate(values[kind]) if bisect_right(bounds, value) - 1 == place])
    ]


def bucket_values(tokens: Path) -> dict[str, list[int]]:
    """Return the number of each test sentence that decides on its bucket, for each kind of bucket.

    An empty source has the length 1 and the frequency 0.
    """
    import polars as pl

    rows = pl.from_arrow(read_arrow(tokens / "tokens.arrow", COLUMNS)).lazy()
    words = rows.with_columns(pl.col("source_tokens").str.split(" ").alias("word"))
    train, test = (words.filter(split=split) for split in ("train", "test"))
    counts = train.select("word").explode("word").group_by("word").agg(frequency=pl.len())
    counted = test.with_row_index().explode("word").join(counts, "word", "left", maintain_order="left")
    values = counted.group_by("index", maintain_order=True).agg(
        length=pl.len(), frequency=pl.col("frequency").fill_null(0).min(), position=pl.col("sentence").first() + 1
    )
    # Streaming: the words of a large training split are never in memory all at once.
    return values.drop("index").collect(engine="streaming").to_dict(as_series=False)
