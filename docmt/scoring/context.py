"""CXMI: by how many nats a model gives the reference more probability with its context than without it.

Paper: Fernandes et al., Measuring and Increasing Context Usage in Context-Aware Machine Translation, ACL 2021, section
3. CXMI (conditional cross-mutual information) is the cross-entropy of a model without the context minus that with it,
estimated as a mean over the sentences of a test set; it grows by the information of each further sentence of context. A
model that does not use the context has 0, and one that is worse with it a number below 0.

Departs: the paper trains with contexts of random sizes, so that its models know each size. What the models here have
seen without context differs; the signature says it (`seen`).
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.columns import CONTEXT_SCORES
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.ragged import places
from docmt.base.tables import read_arrow
from docmt.scoring.inputs import collapse_runs
from docmt.scoring.intervals import scores_of
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.tallies import Tally, document_tally
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.scoring import CxmiConfig


def cxmi_signature(context: int, cut: CutConfig) -> str:
    """Return the signature of CXMI: the most sentences of context, and whether training had fewer (`seen_in`)."""
    return f"CXMI|unit:sentences|context:{context}|seen:{seen_in(cut)}|v:1"


def seen_in(cut: CutConfig) -> str:
    """Return whether training saw sentences without context, by its cut of documents.

    `openings`: the first sentences of documents are training segments of each size. `instances`: segments are long, and
    only their openings have little context before them. `no`: all training segments have their whole context.

    >>> [seen_in(CutConfig(**cut)) for cut in ({"window": 3, "openings": True}, {"documents": True}, {"window": 3})]
    ['openings', 'instances', 'no']
    """
    if cut.window is None:
        return "instances"
    return "openings" if cut.openings else "no"


def cxmi_tallies(scores: pa.Table, signature: str, where: str) -> list[Tally]:
    """Return the tally of CXMI, then those of the distances 1, 2, ... that the documents have.

    `scores` is the table CONTEXT_SCORES of the file `where`. The row of a document has the sum of its sentences' gains
    in nats, and the number of these sentences. CXMI counts all sentences, each with all of its context; the distance j
    counts those with j sentences before them, and what the j-th adds to the others.

    Raises UserError where the scores of a sentence are not finite, or not those of 0, 1, ... sentences of context.
    """
    context, score = scores["context"].to_numpy(), scores["score"].to_numpy()
    alone = np.flatnonzero(context == 0)
    sizes = np.diff(np.append(alone, len(scores)))
    if not len(alone) or not np.array_equal(context, places(sizes)) or not np.isfinite(score).all():
        expected = "finite log-probabilities after 0, 1, ... sentences"
        raise UserError("not the scores of sentences by their context", where=where, expected=expected)
    pairs = {"": (alone + sizes - 1, alone)}  # The rows with the context and without it, by group.
    for distance in range(1, context.max() + 1):
        nearer = np.flatnonzero(context == distance)
        pairs[f"@{distance}"] = (nearer, nearer - 1)
    names = scores["document"].to_pylist()
    return [_tally(scores, names, *rows, signature, group) for group, rows in pairs.items()]


def _tally(
    scores: pa.Table, names: list[str], rows: np.ndarray, before: np.ndarray, signature: str, group: str
) -> Tally:
    score = scores["score"].to_numpy()
    gains = score[rows] - score[before]
    added: Iterable = ((names[row], (gain, 1)) for row, gain in zip(rows, gains, strict=True))
    tally = document_tally("CXMI", "mean", collapse_runs(names), added, signature)
    outputs = int(scores["outputs"].to_numpy()[rows].sum())
    facts = {"outputs": outputs, "nats_per_output": float(gains.sum() / outputs)}
    return replace(tally, group=group, n=len(rows), facts=facts)


def read_cxmi(path: Path, context: int, cut: CutConfig) -> list[Tally]:
    """Read a file `context.arrow` of a model that was trained on `cut`; raises UserError as `cxmi_tallies` does."""
    return cxmi_tallies(read_arrow(path, CONTEXT_SCORES), cxmi_signature(context, cut), str(path))


def score(job: ScoringJob) -> ScoringResult:
    """Return CXMI, in all and by distance; the result is empty where the study does not want it of the system."""
    if "cxmi" not in job.settings:
        return ScoringResult()
    config = parse(CxmiConfig, job.settings["cxmi"], "job.json", ("cxmi",))
    view = parse(ViewConfig, job.settings["resolved"]["view"], "job.json", ("resolved", "view"))
    tallies = read_cxmi(job.inputs.context / "context.arrow", config.context, view.train)
    return ScoringResult(scores_of(tallies), tallies)
