"""The scores of the translations of a system (`scores.parquet`), and the summands of the scores (`details.arrow`)."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import as_object, read_object, write_json
from docmt.base.columns import TOKENS, only
from docmt.base.errors import check_known
from docmt.base.foreign import reading
from docmt.base.names import DeviceName
from docmt.base.parse import parse
from docmt.base.recipe import read_settings
from docmt.base.scores import Score, table_of
from docmt.base.tables import read_arrow, write_arrow, write_parquet
from docmt.base.vocabulary import EOS, Vocabulary
from docmt.scoring.inputs import Lines, References, Stream, read_instances, read_references
from docmt.scoring.measured import ScoringInputs, ScoringJob
from docmt.scoring.strings import CHARACTERS
from docmt.scoring.tallies import Tally, write_tallies
from docmt.settings.data import ViewConfig
from docmt.settings.metrics import METRICS

REQUIRED_KEYS = (
    *("system", "corpus", "seed", "scale", "target_language", "resolved"),
    *("consistency", "aligner", "contrastive", "coherence", "cohesion", "comet", "conventions", "requested"),
)
"""The keys that the `job.json` of stage 7 must have."""

TextWarnings = Callable[[Mapping[str, Stream], Mapping[str, Stream], Collection[str]], list[str]]
"""A function that returns warnings of texts, given by name, of which something is stated: `docmt.text.signs`."""


@dataclass(frozen=True)
class Scoring:
    """The result of the step `scores`: scores, summands, occurrences, and facts of the scoring for `scoring.json`."""

    scores: list[Score]
    tallies: list[Tally]
    occurrences: pa.Table
    facts: dict[str, Any]


def score(settings: dict, inputs: ScoringInputs, text_warnings: TextWarnings, device: DeviceName = "auto") -> Scoring:
    """Return all scores of a system, computed by the modules that `docmt.settings.metrics.METRICS` names.

    Where a line of the translations is a document, the scores that need sentences are left out: s-BLEU, BLEU by
    position, consistency, coherence, cohesion and COMET. `device` is the device of the models that compute cohesion and
    COMET. Raises UserError where translations and references do not correspond line by line.
    """
    decoding = read_decoding(inputs.translations / "decoding.json")
    job = ScoringJob(settings, inputs, read_test_references(settings, inputs), decoding["lines"], device)
    results = [import_module(module).score(job) for module in modules_of(settings["requested"])]
    stated = stated_of_lines(decoding) + stated_of_machine(settings["resolved"])
    scores = [*(score for result in results for score in result.scores), *decoding_scores(decoding)]
    # The reference has the same scores whatever the system.
    scores = [replace(s, signature=s.signature + stated) if s.text == "translations" else s for s in scores]
    facts = {
        "warnings": text_warnings(
            {"translations": job.translations.raw}, job.references.texts, stated_of_text(decoding, settings)
        ),
        "unigram_dev_perplexity": unigram_dev_perplexity(inputs.tokens),
        "decoding": decoding,
        "settings": settings,
    }
    return Scoring(
        [score for score in scores if not math.isnan(score.value)],
        [replace(tally, signature=tally.signature + stated) for result in results for tally in result.tallies],
        # Chunks are combined, so that the bytes of the file do not depend on the number of metrics without occurrences.
        pa.concat_tables(result.occurrences for result in results).combine_chunks(),
        facts,
    )


def decoding_scores(decoding: Mapping[str, Any]) -> Iterator[Score]:
    """Yield the numbers of translated sentences, and the percentage of them that were translated again, alone."""
    sentences = decoding.get("sentences")
    if sentences is None:
        return
    yield Score("sentences", "", sentences, "sentences|v:1", n=sentences)
    for position, counts in decoding.get("positions", {}).items():
        if "exact" in counts:
            yield Score("sentences", f"@{position}", counts["exact"], "sentences|v:1", n=counts["exact"])
    if "fallback_sentences" in decoding:
        share = decoding["fallback_sentences"] / sentences
        yield Score("fallbacks", "", 100 * share, "fallbacks|unit:sentences|v:1", n=sentences)


def stated_of_text(decoding: dict, settings: dict) -> set[str]:
    """Return what must be true of the plain text of translations and references, in the words of `docmt.text.signs`.

    Only others' translations are stated to have capital letters: a system of docmt has the case of its text.
    """
    cased = {"cased", "openings"} if decoding.get("case", "lower") != "lower" else set()
    # Metrics cut the text of all other languages at spaces.
    spaced = {"spaced"} if settings["target_language"] not in CHARACTERS else set()
    return {"words", "plain", *cased, *spaced}


def stated_of_lines(decoding: dict) -> str:
    """Return the end of signatures that says what a study states of the lines of an external system.

    The result is empty for a trained system, whose lines are made by docmt.
    """
    if "tokenised" not in decoding:
        return ""
    form = "tokens" if decoding["tokenised"] else "plain"
    punctuation = "normalised" if decoding["normalised"] else "not normalised"
    return f"|lines:{form},{decoding['case']},{punctuation}"


def stated_of_machine(resolved: Mapping[str, Any]) -> str:
    """Return the end of signatures that says in which precision a system was trained, and which program searched.

    `resolved` has the settings of the system. What is as usual, fp32 and docmt, is left out.

    >>> stated_of_machine({"train": {"precision": "bf16"}, "decode": {"engine": "ctranslate2"}})
    '|precision:bf16|engine:ctranslate2'
    """
    stated = (("train", "precision", "fp32"), ("decode", "engine", "docmt"))
    values = ((name, resolved.get(section, {}).get(name, usual), usual) for section, name, usual in stated)
    return "".join(f"|{name}:{value}" for name, value, usual in values if value != usual)


def modules_of(requested: Collection[str]) -> list[str]:
    """Return the modules that compute all metrics but those on request, and those of `requested`, each once."""
    chosen = [metric for name, metric in METRICS.items() if not metric.on_request or name in requested]
    return list(dict.fromkeys(metric.module for metric in chosen if metric.module))


def read_decoding(path: Path) -> dict:
    """Read `decoding.json`, the record of the decoding that stage 6 wrote.

    Raises UserError where the file is missing, or does not say whether lines are sentences or documents.
    """
    decoding = read_object(path, "lines")
    check_known("kind of lines", decoding["lines"], get_args(Lines), str(path))
    return decoding


def read_test_references(settings: dict, inputs: ScoringInputs) -> References:
    """Read the references of the test split, with the packed instances of the system's view, if it has any."""
    references = read_references(inputs.corpus, inputs.tokens)
    if inputs.view is None:
        return references
    view = as_object(settings["resolved"], "job.json resolved", ("view",))["view"]
    cut = parse(ViewConfig, view, "job.json", ("resolved", "view")).test
    return read_instances(inputs.view, cut, references)


def write_scores(
    settings: Path, inputs: ScoringInputs, output: Path, text_warnings: TextWarnings, device: DeviceName = "auto"
) -> list[str]:
    """Write `scores.parquet`, with `details.arrow`, `occurrences.arrow` and `scoring.json` (the step `scores`).

    Returns warnings of text that is not what the metrics expect, which `scoring.json` has too.
    """
    scored = score(read_settings(settings, *REQUIRED_KEYS), inputs, text_warnings, device)
    run = {name: scored.facts["settings"][name] for name in ("corpus", "system", "seed")}
    write_tallies(output / "details.arrow", scored.tallies)
    write_arrow(output / "occurrences.arrow", scored.occurrences)
    write_json(output / "scoring.json", scored.facts)
    write_parquet(output / "scores.parquet", table_of(scored.scores, **run))
    return scored.facts["warnings"]


def unigram_dev_perplexity(tokens: Path) -> float | None:
    """Return the perplexity of a unigram model on the dev split; every trained model should have a lower perplexity.

    The unigram model gives each target piece its relative frequency in the training split, after adding one to the
    count of each piece of the vocabulary. Each sentence is followed by one end symbol, as in the dev perplexity of
    trained models. The result is None where the corpus has no training split or no dev split.
    """
    table = read_arrow(tokens / "tokens.arrow", only(TOKENS, "split", "target_ids"))
    size = len(Vocabulary.load(tokens / "text" / "vocabulary.target.txt"))
    with reading(tokens / "tokens.arrow", "not the pieces of its vocabulary", remedy="make the tokens again"):
        train, dev = (piece_counts(table, split, size) for split in ("train", "dev"))
    return perplexity(train, dev) if train.sum() and dev.sum() else None


def piece_counts(table: pa.Table, split: str, size: int) -> np.ndarray:
    """Return the number of occurrences of each id in the targets of a split, end symbols included; shape (size,).

    Raises ValueError for an id that is not below `size`, the size of the vocabulary.
    """
    targets = table.filter(pc.equal(table.column("split"), split)).column("target_ids")
    ids = pc.list_flatten(targets).to_numpy(zero_copy_only=False)
    if ids.max(initial=0) >= size:
        raise ValueError(f"id {ids.max()}, and a vocabulary of {size}")
    counts = np.bincount(ids.astype(np.int64), minlength=size)
    counts[EOS] += len(targets)
    return counts


def perplexity(train: np.ndarray, dev: np.ndarray) -> float:
    """Return the perplexity of a dev split with the piece counts `dev`, under add-one smoothed counts `train`."""
    log_probabilities = np.log(train + 1) - np.log(train.sum() + len(train))
    return float(np.exp(-(dev * log_probabilities).sum() / dev.sum()))
