"""The pages of a study: the study's page, and a page for each of its items with files of its numbers beside it.

A page for each test document has its translations side by side, its lexical chains, and its scores. A browser loads one
page at a time, so that a study with hundreds of documents opens as fast as one with ten.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.base.artifacts import atomic_file
from docmt.base.result_folders import ResultFolders
from docmt.base.scores import DOCUMENT, read_scores
from docmt.reporting.best import best_lines, single_seed
from docmt.reporting.exports import write_exports
from docmt.reporting.figures import POSITION
from docmt.reporting.findings import judged_findings
from docmt.reporting.overview import overview
from docmt.reporting.pieces import Piece, pieces
from docmt.reporting.plots import (
    ACCURACY,
    BUCKET_AXES,
    DISTANCE,
    Plot,
    accuracy_by_distance,
    bleu_by_bucket,
    bleu_by_position,
    collapsed,
    inside_curves,
    learning_curves,
    with_differences,
)
from docmt.reporting.provenance import describe_systems
from docmt.reporting.rendering import MOST_SYSTEMS, Renderer, study_folder
from docmt.reporting.results import ReportSettings, Results, Run
from docmt.reporting.translations import CorpusTranslations, documents_to_show

NOT_YET = "not run yet"  # The reason of runs that nothing forbids.
MOST_CORPORA = 2  # The largest number of corpora in the picture of the first screen.
# The reason of trainings whose scores were not computed, or are shown by nothing.
NOT_SCORED = "trained, without scores"


def write_report(
    settings: Path,
    results: ResultFolders,
    output: Path,
    human: Path | None = None,
    mixed: Sequence[str] = (),
    opened: Path | None = None,
) -> None:
    """Write the page of a study or of an item to `output`; the numbers of an item also in files beside the page.

    `settings`: the job.json of the page. `results`: the folders of results. `human`: the file of human judgements.
    `mixed`: sentences about outputs that were made from different contents of one identity, which the page warns of.
    `opened`: the path at which people open the page, a link to it (None = `output`); links to other pages start there.
    A study without any run has a page too, whose tables say "not run".
    """
    loaded = Results.load(ReportSettings.load(settings, human), results)
    opened = opened or output
    rendered, renderer = pieces(loaded), Renderer(loaded, (output.parent, opened.parent), mixed)
    page = render(renderer, rendered, output)
    if loaded.settings.item is not None:
        (piece,) = rendered
        write_exports(piece, loaded, output)
    elif is_in_place(loaded, opened):
        write_documents(renderer, output.parent / FOLDER)
    with atomic_file(output) as stream:
        stream.write(page)


def render(renderer: Renderer, items: list[Piece], output: Path) -> str:
    """Return the HTML of a page; its links to other pages of the study are relative to `output`."""
    results = renderer.results
    first = _first_screen(results, items)
    if results.settings.item is not None:
        return renderer.render("item.html", output, piece=items[0], **first)
    return renderer.render("page.html", output, pieces=items, **first, **_content(renderer, items))


def _first_screen(results: Results, items: Sequence[Piece]) -> dict[str, Any]:
    """Return the variables of the first screen of a page: what was found, and what was not run."""
    return {
        "findings": judged_findings(results),
        # Numbers of generated text say nothing about quality: no system is the best on it.
        "best": [] if results.settings.data else list(best_lines(items)),
        "single_seed": single_seed(items) and any(entry.has_model for entry in results.settings.entries),
        "absent": absent_runs(results),
    }


def absent_runs(results: Results) -> dict[str, str]:
    """Return how many runs have no result, as a text, by the reason; empty where all have one."""
    reasons = Counter(reason for run in results.runs if (reason := _why_absent(run, results.settings)))
    every = len(results.runs)
    return {reason: f"{count} of {every} runs" for reason, count in reasons.most_common()}


def _why_absent(run: Run, settings: ReportSettings) -> str:
    """Return why a run has no result that the page may read; empty where it has one."""
    if not (settings.read("scores") or settings.read("records")) or run.scores is not None:
        return ""
    # A page that may read only records, such as that of a table of losses, counts runs without a training.
    if run.record is not None:
        return NOT_SCORED if settings.read("scores") else ""
    return settings.why_not_run(run.entry.corpus, run.entry.system.name) or NOT_YET


def _content(renderer: Renderer, items: Sequence[Piece]) -> dict[str, Any]:
    """Return the variables of templates that only the study's page has; its curves and examples are of few systems."""
    results, few, look = renderer.results, renderer.few, renderer.results.look
    kinds = {piece.item.kind for piece in items}

    def compared(plots: list[Plot], axis: str, unit: str) -> list[Plot]:
        baseline = results.baseline
        return [with_differences(plot, look, baseline, axis, unit) for plot in plots] if baseline else plots

    return {
        "scored": sum(run.scores is not None for run in results.runs),
        "left_out": len(results.systems[MOST_SYSTEMS:]),
        "overview": overview(few, look)[:MOST_CORPORA],
        "learning": learning_curves(few, look),
        "accuracy": compared(accuracy_by_distance(few, look), DISTANCE, ACCURACY),
        # A figure of the study has them already.
        "positions": [] if "positions" in kinds else compared(bleu_by_position(few, look), POSITION, "s-BLEU"),
        "has_curves": "curves" in kinds,
        "buckets": {
            kind: compared(bleu_by_bucket(few, look, kind), BUCKET_AXES[kind], "s-BLEU") for kind in BUCKET_AXES
        },
        "collapsed": list(collapsed(few.runs)),
        "inside_curves": inside_curves(few, look),
        "chain_studies": [study for study in renderer.chains.values() if any(row.chains for row in study.counts)],
        "documents": documents_to_show(renderer.translations.values()),
        "listed": sum(len(read.documents) for read in renderer.translations.values()),
        "systems": describe_systems(results),
    }


def is_in_place(results: Results, output: Path) -> bool:
    """Return whether a page is in the folder of its study; a copy elsewhere links to the documents of the original."""
    return output.resolve() == (study_folder(results) / "index.html").resolve()


FOLDER = "documents"  # The name of the folder of the pages, beside the page of the study.
# The score of a document: that of its text as one line, with the tokenization that is sacreBLEU's default.
OF_DOCUMENT = "d-BLEU"


@dataclass(frozen=True)
class ListedDocument:
    """A line of the list: a test document with its size, and the d-BLEU of each system, None where it has none."""

    number: int  # The place of the document in the test set, from 1, which is the name of its page.
    name: str
    sentences: int
    length: int  # The length of the source in the unit of the list.
    scores: Mapping[str, float | None]


@dataclass(frozen=True)
class DocumentList:
    """The test documents of a corpus."""

    corpus: str
    unit: str  # "words", or "characters" for a source language without spaces.
    seed: int
    systems: tuple[str, ...]
    baseline: str | None  # The system with which the others are compared; None without one.
    lines: tuple[ListedDocument, ...]

    def difference(self, line: ListedDocument, system: str) -> float | None:
        """Return the d-BLEU of a system minus the baseline's; None for the baseline, and where one is missing."""
        if self.baseline is None or system == self.baseline:
            return None
        score, other = line.scores[system], line.scores[self.baseline]
        return None if score is None or other is None else score - other


def write_documents(renderer: Renderer, folder: Path) -> None:
    """Write the list of documents and their pages; nothing for a study without translations."""
    lists = [_listed(read, renderer.results.baseline) for read in renderer.translations.values()]
    written = set()
    if lists:
        index = folder / "index.html"
        written.add(_write(index, renderer.render("documents.html", index, lists=lists)))
    for listed in lists:
        written |= {_write(path, page) for path, page in _pages(listed, renderer, folder)}
    # These are pages of an earlier test set.
    for path in set(folder.rglob("*.html")) - written:
        path.unlink()


def _listed(read: CorpusTranslations, baseline: str | None) -> DocumentList:
    scores = {run.entry.system.name: _scores(run) for run in read.runs}
    lines = tuple(
        ListedDocument(
            number, name, len(places), read.length(name), {system: scores[system].get(name) for system in read.systems}
        )
        for number, (name, places) in enumerate(read.documents.items(), 1)
    )
    return DocumentList(
        read.corpus, read.unit, read.runs[0].seed, read.systems, baseline if baseline in scores else None, lines
    )


def _scores(run: Run) -> dict[str, float]:
    rows = read_scores(run.folder / "scores.parquet", of_documents=True) if run.scores is not None else []
    return {row.group.removeprefix(DOCUMENT): row.value for row in rows if row.metric == OF_DOCUMENT}


def _pages(listed: DocumentList, renderer: Renderer, folder: Path) -> Iterator[tuple[Path, str]]:
    read, chains = renderer.translations[listed.corpus], renderer.chains.get(listed.corpus)
    lines = (None, *listed.lines, None)
    for before, line, after in zip(lines, listed.lines, lines[2:], strict=False):
        path = folder / listed.corpus / f"{line.number}.html"
        content = {
            "listed": listed,
            "line": line,
            "document": read.document(line.name),
            "chains": chains,
            "case": chains.of_document(line.name) if chains else None,
            "before": before,
            "after": after,
        }
        yield path, renderer.render("document.html", path, **content)


def _write(path: Path, text: str) -> Path:
    with atomic_file(path) as stream:
        stream.write(text)
    return path
