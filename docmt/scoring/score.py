"""All the scores of one system's translations in one `scores.json`, and what they are sums of in `details.arrow`."""

from importlib import import_module
from pathlib import Path
from typing import get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import as_object, read_object, write_json
from docmt.base.columns import TOKENS, read_arrow, write_arrow
from docmt.base.errors import check_known
from docmt.base.foreign import reading
from docmt.base.names import DeviceName
from docmt.base.parse import parse
from docmt.base.vocabulary import EOS, Vocabulary
from docmt.scoring.inputs import Lines, References, read_instances, read_references
from docmt.scoring.measured import ScoringInputs, ScoringJob, ScoringResult
from docmt.scoring.tallies import write_tallies
from docmt.settings.data import ViewConfig
from docmt.settings.metrics import METRICS

NEEDED = (
    *("system", "corpus", "seed", "scale", "target_language", "resolved"),
    *("consistency", "aligner", "contrastive", "coherence", "cohesion"),
)
"""Keys of the stage's `settings.json`."""


def score(settings: dict, inputs: ScoringInputs, device: DeviceName = "auto") -> ScoringResult:
    """Every score; `docmt.settings.metrics` says where a metric stands, and which module measures it.

    Where a line of the translations is a document, what needs sentences is left out: s-BLEU, positions, consistency,
    coherence, cohesion. `device` is that of BERT. Raises UserError where translations and references do not correspond
    line by line.
    """
    decoding = read_decoding(inputs.translations / "decoding.json")
    job = ScoringJob(settings, inputs, read_test_references(settings, inputs), decoding["lines"], device)
    modules = dict.fromkeys(metric.module for metric in METRICS.values() if metric.module)
    parts = [import_module(module).score(job) for module in modules]
    scores = {
        **{name: settings[name] for name in ("system", "corpus", "seed", "scale")},
        **{name: {} for name in ("consistency", "coherence", "cohesion", "contrastive")},
        **{name: value for part in parts for name, value in part.scores.items()},
        "unigram_dev_perplexity": unigram_dev_perplexity(inputs.tokens),
        "decoding": decoding,
        "settings": settings,
    }
    # One batch, however many metrics have none.
    chains = pa.concat_tables(part.occurrences for part in parts).combine_chunks()
    return ScoringResult(scores, [tally for part in parts for tally in part.tallies], chains)


def read_decoding(path: Path) -> dict:
    """The account of stage 6. Raises UserError where it is none."""
    decoding = read_object(path, "lines")
    check_known("kind of lines", decoding["lines"], get_args(Lines), str(path))
    return decoding


def read_test_references(settings: dict, inputs: ScoringInputs) -> References:
    """The test split, with the instances that the system's view packs it into."""
    view = as_object(settings["resolved"], "settings.json resolved", ("view",))["view"]
    cut = parse(ViewConfig, view, "settings.json", ("resolved", "view")).test
    return read_instances(inputs.view, cut, read_references(inputs.corpus, inputs.tokens))


def write_scores(settings: Path, inputs: ScoringInputs, output: Path, device: DeviceName = "auto") -> None:
    """`docmt score-system`: `scores.json`, with `details.arrow` and `occurrences.arrow` beside it."""
    found = score(read_object(settings, *NEEDED), inputs, device)
    write_tallies(output.with_name("details.arrow"), found.tallies)
    write_arrow(output.with_name("occurrences.arrow"), found.occurrences)
    write_json(output, found.scores)


def unigram_dev_perplexity(tokens: Path) -> float | None:
    """The perplexity that a model without any context would have: the least that a trained model must beat.

    Of the dev targets' pieces under their frequencies in training; none where the corpus lacks one of the two.

    Counts are smoothed by adding one to each piece of the vocabulary. Every sentence is followed by one end
    symbol, as in the models' own dev perplexity.
    """
    table = read_arrow(tokens / "tokens.arrow", TOKENS)
    size = len(Vocabulary.load(tokens / "text" / "vocabulary.target.txt"))
    with reading(tokens / "tokens.arrow", "not the pieces of its vocabulary", remedy="make the tokens anew"):
        train, dev = (piece_counts(table, split, size) for split in ("train", "dev"))
    return perplexity(train, dev) if train.sum() and dev.sum() else None


def piece_counts(table: pa.Table, split: str, size: int) -> np.ndarray:
    """How often each id occurs in the targets of a split, end symbols included; shape (size,)."""
    targets = table.filter(pc.equal(table.column("split"), split)).column("target_ids")
    ids = pc.list_flatten(targets).to_numpy(zero_copy_only=False)
    if ids.max(initial=0) >= size:
        raise ValueError(f"id {ids.max()}, and a vocabulary of {size}")
    counts = np.bincount(ids.astype(np.int64), minlength=size)
    counts[EOS] += len(targets)
    return counts


def perplexity(train: np.ndarray, dev: np.ndarray) -> float:
    """Of `dev` counts under the add-one smoothed frequencies of `train` counts."""
    log_probabilities = np.log(train + 1) - np.log(train.sum() + len(train))
    return float(np.exp(-(dev * log_probabilities).sum() / dev.sum()))
