"""The round trip of a text: references that are cut into tokens and joined again, scored against themselves.

A system writes tokens, which are joined to plain text. Where the joined tokens of a reference are not the reference, a
perfect translation scores less than 100 too. So the BLEU of the round trip is the most that a system can reach.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from docmt.base.manifest import check_file
from docmt.base.names import SPLITS
from docmt.text.pipeline import TextPipeline

LEAST = 99.5  # The BLEU of a round trip below which there is a warning.
TOKENISERS = {"zh": "zh", "ja": "char"}
"""sacreBLEU's tokeniser of a target language, where it is not 13a; that of Japanese needs a library of its own."""


def round_trips(pipeline: TextPipeline, documents: Path) -> dict[str, dict[str, Any]]:
    """Return the round trip of the targets of each split but train: its `sentences`, those that `differ`, and `bleu`.

    BLEU ignores case where the text is lower-cased, since no system can restore it.
    """
    check_file(documents)
    rows = pq.read_table(documents, columns=["split", "target"], filters=pc.field("split") != "train")
    trips = {}
    for split in SPLITS:
        targets: pa.ChunkedArray = rows["target"].filter(pc.equal(rows["split"], split))
        if len(targets):
            trips[split] = _round_trip(pipeline, targets.to_pylist())
    return trips


def bleu_of(joined: Sequence[str], references: Sequence[str], language: str, lowercase: bool = False) -> float:
    """Return the BLEU of sentences that were joined again, against the references that they were."""
    from sacrebleu.metrics import BLEU

    # `force` leaves the warning of tokenised lines to the warnings of the corpus. The effective order is that of the
    # longest n-gram there is, so that a few short sentences have a BLEU too.
    tokenize = TOKENISERS.get(language, "13a")
    metric = BLEU(lowercase=lowercase, force=True, effective_order=True, tokenize=tokenize)
    return metric.corpus_score(joined, [references]).score


def _round_trip(pipeline: TextPipeline, references: list[str]) -> dict[str, Any]:
    config = pipeline.config
    is_lower = config.case == "lower" and not config.is_pretrained("target")
    joined = [pipeline.target.rejoined(reference) for reference in references]
    expected = [reference.lower() for reference in references] if is_lower else references
    return {
        "sentences": len(references),
        "differ": sum(a != b for a, b in zip(joined, expected, strict=True)),
        "bleu": round(bleu_of(joined, references, config.target_language, is_lower), 2),
    }


def round_trip_warnings(trips: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a warning for each split whose BLEU is below LEAST.

    >>> round_trip_warnings({"dev": {"sentences": 9, "differ": 0, "bleu": 100.0}})
    []
    """
    return [
        f"{split}: {trip['differ']} of {trip['sentences']} references change when their tokens are joined again, so "
        f"that a perfect translation has BLEU {trip['bleu']:.1f}; systems that write plain text can have more."
        for split, trip in trips.items()
        if trip["bleu"] < LEAST
    ]
