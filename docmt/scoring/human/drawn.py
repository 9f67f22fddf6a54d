"""The blind sheet of a study: drawn from the translations of two systems, by the settings of a table of judgements."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.base.columns import DOCUMENTS
from docmt.base.errors import UserError
from docmt.base.names import Identical
from docmt.base.parse import parse
from docmt.base.paths import CORPUS, TRANSLATIONS
from docmt.base.recipe import read_settings
from docmt.base.result_folders import ResultFolders
from docmt.base.tables import read_parquet
from docmt.scoring.human.items import ComparedSystems, Key, draw_sheet_items, drawable
from docmt.scoring.human.sheet import write_page, write_sheet
from docmt.scoring.inputs import read_lines_of_test
from docmt.scoring.score import read_decoding


@dataclass(frozen=True)
class SheetRun:
    """A system whose translations are judged: its name in the study, its folder, and the seed of its training."""

    name: str
    folder: str
    seed: int


@dataclass(frozen=True)
class SheetSettings:
    """The settings of a sheet, the `job.json` of its job."""

    version: int  # the version of the step
    scale: str
    corpus: str  # the name of the corpus in the folders of translations
    data: str  # the folder of the corpus in stage 1
    source_language: str
    target_language: str
    baseline: SheetRun
    system: SheetRun
    sentences: int  # the largest number of sentences
    draw: int  # the seed by which sentences are drawn
    identical: Identical  # what the sheet does with identical translations

    @classmethod
    def load(cls, path: Path) -> "SheetSettings":
        """Read the `job.json` of a sheet. Raises UserError for any other file."""
        return parse(cls, read_settings(path), str(path))


def write_study_sheet(settings: Path, results: ResultFolders, output: Path) -> None:
    """Write the sheet `output` as CSV, with a page of the same name and its key beside it (the step `sheet`).

    A test set with fewer sentences than the settings state is judged as a whole. Raises UserError where a line of a
    translation is a document, or where translations and test set do not correspond line by line.
    """
    wanted = SheetSettings.load(settings)
    documents = results.at(CORPUS, corpus=wanted.data) / "documents.parquet"
    rows = read_parquet(documents, DOCUMENTS, split="test")
    names, source, references = (rows[name].to_pylist() for name in ("document", "source", "target"))
    translations = [_translations(wanted, run, results, len(rows)) for run in (wanted.baseline, wanted.system)]
    test = ComparedSystems(names, source, references, *translations)
    identical, sentences = wanted.identical, min(wanted.sentences, len(drawable(test, wanted.identical)))
    if not sentences:
        what = "nothing to judge: both systems translate every sentence alike"
        raise UserError(what, where=str(settings), remedy="`identical: filled` of the table counts such pairs as equal")
    items = draw_sheet_items(test, sentences, wanted.draw, identical)
    write_sheet(output, items)
    write_page(output.with_suffix(".html"), items, (wanted.source_language, wanted.target_language))
    key = Key.of_items(items, wanted.baseline.name, wanted.system.name, wanted.draw, identical)
    key.save(output.with_suffix(".key.json"))


def _translations(settings: SheetSettings, run: SheetRun, results: ResultFolders, sentences: int) -> tuple[str, ...]:
    names: dict[str, Any] = {"scale": settings.scale, "corpus": settings.corpus, "system": run.folder, "seed": run.seed}
    folder = results.at(TRANSLATIONS, **names)
    lines = read_decoding(folder / "decoding.json")["lines"]
    if lines != "sentences":
        what, expected = "not the translations of sentences", "a system that marks sentences"
        raise UserError(
            what, where=str(folder / "test.txt"), found=f"a line for each of the {lines}", expected=expected
        )
    return read_lines_of_test(folder / "test.txt", sentences, lines)
