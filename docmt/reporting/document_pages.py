"""The list of the test documents of a study, and a page for each of them.

A page has the translations of one document side by side, its lexical chains, and its scores. A browser loads one page
at a time, so that a study with hundreds of documents opens as fast as one with ten.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import atomic_file
from docmt.base.scores import DOCUMENT, read_scores
from docmt.reporting.rendering import Renderer
from docmt.reporting.results import Run
from docmt.reporting.translations import CorpusTranslations

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
