"""The studies of a project: their systems, their entries, their settings of scoring, and whether corpora fit them."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from docmt.base.errors import UserError, check_known
from docmt.base.names import SPLITS
from docmt.base.yaml_files import Lines
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.held_out import TRAIN
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
from docmt.reporting.item import Checks
from docmt.reporting.study import StudyConfig, check_findings
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


Corpora = Mapping[str, CorpusConfig]  # All corpora by their names.


def check_splits(names: Iterable[str], corpora: Corpora, corpus_files: Mapping[str, str], lines: Lines) -> None:
    """Raise UserError where a corpus of a study has no files for one of the splits, before anything is computed.

    `names`: the corpora of the study whose lines are `lines`. `corpus_files`: the path of each corpus' file.
    """
    for number, name in enumerate(names):
        missing = [split for split in SPLITS if split not in corpora[name].splits]
        if missing:
            held = ", ".join(f"{split}: {{first: 20}}" for split in missing)
            hold = f", or hold documents of train out: `held_out: {{{held}}}` in its reader"
            raise UserError(
                f"the corpus has no {' and no '.join(missing)}, without which no system is trained and scored",
                where=lines.place(("corpora", number)),
                found=f"{name}, with {', '.join(corpora[name].splits) or 'contrastive sets alone'}",
                expected=", ".join(SPLITS),
                remedy=f"add files for it to {corpus_files[name]}{'' if TRAIN in missing else hold}",
            )


def check_languages(entries: Iterable[Entry], texts: Mapping[str, TextConfig], corpora: Corpora, lines: Lines) -> None:
    """Raise UserError where an entry's preset of text is learnt on a corpus of other languages than the entry's."""
    for entry in entries:
        name = entry.system.text
        corpus, learnt = (corpora[corpus_name] for corpus_name in (entry.corpus, texts[name].learnt_on or entry.corpus))
        languages, expected = ((config.source_language, config.target_language) for config in (learnt, corpus))
        if languages != expected:
            raise UserError(
                "the text is learnt on a corpus of other languages",
                where=lines.place(("systems", entry.system.name, "text")),
                found=f"text {name}, learnt on {learnt.corpus} ({'-'.join(languages)})",
                expected=f"a text of {corpus.corpus} ({'-'.join(expected)})",
            )
