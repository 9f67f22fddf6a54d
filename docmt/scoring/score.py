"""All the scores of one system's translations in one `scores.json`, and what they are sums of in `details.arrow`."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pyarrow as pa

from docmt.base.artifacts import as_object, read_object, write_json
from docmt.base.columns import write_arrow
from docmt.base.errors import check_known
from docmt.base.parse import parse
from docmt.scoring.inputs import Lines, References, read_instances, read_references
from docmt.scoring.measured import Given, Inputs, Scored
from docmt.scoring.tallies import write_tallies
from docmt.scoring.unigram import unigram_dev_perplexity
from docmt.settings.data import ViewConfig
from docmt.settings.metrics import METRICS

if TYPE_CHECKING:
    from docmt.nn.device import DeviceName

NEEDED = (
    *("system", "corpus", "seed", "scale", "target_language", "resolved"),
    *("consistency", "aligner", "contrastive", "coherence", "cohesion"),
)
"""Keys of the stage's `settings.json`."""


def score(settings: dict, inputs: Inputs, device: "DeviceName" = "auto") -> Scored:
    """Every score; `docmt.settings.metrics` says where a metric stands, and which module measures it.

    Where a line of the translations is a document, what needs sentences is left out: s-BLEU, positions, consistency,
    coherence, cohesion. `device` is that of BERT. Raises UserError where translations and references do not correspond
    line by line.
    """
    decoding = read_decoding(inputs.translations / "decoding.json")
    given = Given(settings, inputs, read_test(settings, inputs), decoding["lines"], device)
    modules = dict.fromkeys(metric.module for metric in METRICS.values() if metric.module)
    parts = [import_module(module).score(given) for module in modules]
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
    return Scored(scores, [tally for part in parts for tally in part.tallies], chains)


def read_decoding(path: Path) -> dict:
    """The account of stage 6. Raises UserError where it is none."""
    decoding = read_object(path, "lines")
    check_known("kind of lines", decoding["lines"], get_args(Lines), str(path))
    return decoding


def read_test(settings: dict, inputs: Inputs) -> References:
    """The test split, with the instances that the system's view packs it into."""
    cut = parse(
        ViewConfig,
        as_object(settings["resolved"], "settings.json resolved", ("view",))["view"],
        "settings.json",
        ("resolved", "view"),
    ).test
    return read_instances(inputs.view, cut, read_references(inputs.corpus, inputs.tokens))


def write_scores(settings: Path, inputs: Inputs, output: Path, device: "DeviceName" = "auto") -> None:
    """`docmt score-system`: `scores.json`, with `details.arrow` and `occurrences.arrow` beside it."""
    found = score(read_object(settings, *NEEDED), inputs, device)
    write_tallies(output.with_name("details.arrow"), found.tallies)
    write_arrow(output.with_name("occurrences.arrow"), found.occurrences)
    write_json(output, found.scores)
