"""The studies of a project: their systems, their entries, and their settings of scoring."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from docmt.base.errors import check_known
from docmt.base.yaml_files import Lines
from docmt.catalogue.corpus import CorpusConfig
from docmt.grid.corpus_checks import check_languages, check_splits
from docmt.grid.entries import Systems
from docmt.grid.main_config import MainConfig
from docmt.grid.resolve import Resolver
from docmt.grid.scale import Scale
from docmt.grid.scoring import (
    check_conventions,
    check_measured_as,
    check_shared,
    scoring_of_study,
    with_score_folders,
)
from docmt.grid.study import check_items, load_study
from docmt.kinds.findings import check_findings
from docmt.kinds.item import Checks
from docmt.kinds.study import StudyConfig
from docmt.settings.data import TextConfig
from docmt.settings.scoring import ScoringConfig
from docmt.settings.system import Entry


class Studies:
    """The studies that were read, in their order: `configs` and `scoring` by name, and the `entries` of all."""

    def __init__(
        self, scale: Scale, texts: dict[str, TextConfig], corpora: dict[str, CorpusConfig], files: Mapping[str, str]
    ) -> None:
        """Begin without a study; `files` has the path of the catalogue's file of each corpus."""
        self.scale, self.texts, self.corpora, self.files = scale, texts, corpora, files
        self.configs: dict[str, StudyConfig] = {}
        self.scoring: dict[str, ScoringConfig] = {}
        self.entries: list[Entry] = []
        self._lines: dict[str, Lines] = {}

    def add(self, path: Path, config: MainConfig) -> None:
        """Read and check a study. Raises UserError for the first mistake."""
        study, lines = load_study(path)
        for number, corpus in enumerate(study.corpora):
            check_known("corpus", corpus, self.corpora, lines.place(("corpora", number)))
        check_splits(study.corpora, self.corpora, self.files, lines)
        resolver = Resolver(study, lines, asdict(config.defaults), self.scale)
        # Cycles are refused before any system is resolved, since resolving a cycle would not end.
        resolver.check_cycles()
        systems = Systems(resolver, self.texts, config)
        checks = Checks(study.corpora, systems.systems, systems.corpora, self.corpora, lines)
        check_items(study, checks)
        check_findings(study.findings, study.items, checks)
        entries = list(systems.entries(config.seeds, self.entries))
        check_languages(entries, self.texts, self.corpora, lines)
        check_measured_as(study, lines)
        self.scoring[study.study] = scoring_of_study(config.scoring, study.scoring, self.scale, lines)
        check_conventions(study, self.scoring[study.study], lines)
        self.configs[study.study], self._lines[study.study] = study, lines
        self.entries += list(with_score_folders(entries, self.entries, self.scoring))
        check_shared(self.entries, self.scoring, self.corpora, self._lines)
