"""The rendering of templates to pages, each a file that contains its styles, scripts and figures."""

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from docmt.base.paths import PAGE
from docmt.reporting import formats
from docmt.reporting.case_studies import ChainStudy, corpus_chain_study
from docmt.reporting.exports import endings_of
from docmt.reporting.provenance import adopted_runs, environments, run_records, score_warnings
from docmt.reporting.results import Results
from docmt.reporting.translations import MOST_DOCUMENTS, CorpusTranslations, read_translations

# The folders of templates: those of all pages, and that in which `kinds/systems.html` is a template of a kind.
TEMPLATES = (Path(__file__).parent / "templates", Path(__file__).parents[1])

# The files of `templates/styles`, in the order in which they are on a page; the later one wins.
STYLES = ("colours", "base", "tables", "figures", "documents", "systems", "findings", "controls", "screens")

# The files of `templates/scripts`, in the order in which a page runs them.
SCRIPTS = ("common", "siblings", "theme", "choose", "values", "sort", "filter", "save", "start")

# The largest number of systems in curves, translations and chains of a study: more cannot be distinguished.
MOST_SYSTEMS = 12


class Renderer:
    """The templates of pages, with what all pages of a study have in common; `mixed`: see `write_report`.

    `moved`: the folder in which pages are written, and the one in which people open them.
    """

    def __init__(self, results: Results, moved: tuple[Path, Path], mixed: Sequence[str] = ()) -> None:
        """Load the templates."""
        self.results, self.mixed, self.moved = results, mixed, moved
        self.environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.filters |= formats.FILTERS
        facts = {"card_facts": card_facts, "most_documents": MOST_DOCUMENTS, "endings_of": endings_of}
        self.environment.globals |= facts

    def render(self, template: str, output: Path, **content: Any) -> str:
        """Return a page, which is the file `output`; a browser loads no other file for it."""
        written, opened = self.moved
        link = links(self.results, opened / output.relative_to(written))
        return self.environment.get_template(template).render(link=link, **self._common, **content)

    @cached_property
    def few(self) -> Results:
        """The results of the first MOST_SYSTEMS systems."""
        return self.results.with_systems(self.results.systems[:MOST_SYSTEMS])

    @cached_property
    def translations(self) -> dict[str, CorpusTranslations]:
        """The translations of each corpus that has some; a test set is read once, where a page shows it."""
        read = {corpus: read_translations(self.few, corpus) for corpus in self.few.corpora}
        return {corpus: translations for corpus, translations in read.items() if translations is not None}

    @cached_property
    def chains(self) -> dict[str, ChainStudy]:
        """The case study of each corpus with scored chains."""
        studies = {corpus: corpus_chain_study(self.few, corpus) for corpus in self.few.corpora}
        return {corpus: study for corpus, study in studies.items() if study is not None}

    @cached_property
    def _common(self) -> dict[str, Any]:
        """The variables of the templates that all pages have."""
        results = self.results
        return {
            "css": self._inlined("styles/{}.css", STYLES),
            "scripts": self._inlined("scripts/{}.js", SCRIPTS),
            "mixed": self.mixed,
            "study": results.settings.study,
            "scale": results.settings.scale,
            "results": results,
            "look": results.look,
            "labels": results.labels,
            "on_page": [(name, results.labels[name]) for name in results.systems],
            "run_records": run_records(results),
            "environments": environments(results),
            "adopted": list(adopted_runs(results)),
            "score_warnings": score_warnings(results),
        }

    def _inlined(self, pattern: str, names: Sequence[str]) -> Markup:
        sources = [self.environment.loader.get_source(self.environment, pattern.format(name))[0] for name in names]
        return Markup("\n".join(sources))


def study_folder(results: Results) -> Path:
    """Return the folder of the pages of a study."""
    return results.folders.root / PAGE.stage / results.settings.scale / results.settings.study.study


def links(results: Results, output: Path) -> Callable[..., str]:
    """Return a function from the name and the suffix of a page to its address, relative to where `output` is opened."""
    folder = study_folder(results)

    def link(name: str, suffix: str = "html") -> str:
        return Path(os.path.relpath(folder / f"{name}.{suffix}", output.parent)).as_posix()

    return link


def card_facts(card: dict, stated: dict) -> dict:
    """Return the facts in the card of a corpus that are not among `stated`, the facts of the catalogue."""
    return {key: value for key, value in card.items() if key not in stated and key != "corpus"}
