"""What a report knows: the study with its systems, and what of it has been run so far."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from docmt.base.artifacts import read_json
from docmt.base.parse import check_keys, mapping, parse
from docmt.base.paths import COMPARISON, CORPUS, PASSAGE, SCORES, TOKENS, TRAINING, TRANSLATIONS, Folder
from docmt.base.yaml_files import Lines
from docmt.kinds.study import StudyConfig
from docmt.reporting.run_files import read_card, read_comparisons, read_curve, read_record, read_scores
from docmt.settings.system import Entry


@dataclass(frozen=True)
class PageLink:
    """A page of the study, for links: of a table, figure or passage."""

    name: str
    title: str
    paper: str = ""


@dataclass(frozen=True)
class ReportSettings:
    """The slice of the grid that a page is made from.

    `item`: the table, figure or passage that the page is of, none for that of the whole study; `reads`: what of runs it
    is made from, none for everything. `not_run`: corpora, and systems on them (`corpus/system`), that were left out,
    and why. `cards`: where later stages count what a table shows (`corpus/count/split`). `human`: the file with what
    annotators prefer. `data`: the folders of corpora in stages that name no scale, where they are not called as these.
    `stand_ins`: folders of small random checkpoints, and what each stands for; `random_starts`: which one a system
    (`corpus/system`) started from.
    """

    scale: str
    study: StudyConfig
    entries: tuple[Entry, ...]
    corpora: dict[str, dict]
    not_run: dict[str, str] = field(default_factory=dict)
    item: str | None = None
    reads: tuple[str, ...] | None = None
    pages: tuple[PageLink, ...] = ()
    cards: dict[str, str] = field(default_factory=dict)
    human: str | None = None
    data: dict[str, str] = field(default_factory=dict)
    stand_ins: dict[str, str] = field(default_factory=dict)
    random_starts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> "ReportSettings":
        """Read the `settings.json` of stage 8. Raises UserError where it is none."""
        lines = Lines(str(path))
        value = mapping(read_json(path), lines)
        check_keys(value, ("version", *cls.__dataclass_fields__), lines)
        value = {key: item for key, item in value.items() if key != "version"}
        # Systems come resolved, as entries; how the study stated them is of no interest here.
        study = {**mapping(value.get("study"), lines, ("study",)), "systems": {}}
        return parse(cls, {**value, "study": study}, lines)

    def read(self, what: str) -> bool:
        """Whether the page is made from these files of runs, such as "scores"."""
        return self.reads is None or what in self.reads

    def why_not_run(self, corpus: str, system: str | None = None) -> str:
        """Empty where nothing was left out."""
        return self.not_run.get(f"{corpus}/{system}") or self.not_run.get(corpus, "")


@dataclass(frozen=True)
class Run:
    """One system on one corpus with one seed; none (or empty) is what has not been run."""

    entry: Entry
    seed: int
    translations: Path
    occurrences: Path
    passages: Path
    scores: dict | None = None
    record: dict | None = None
    curve: tuple[dict, ...] = ()


@dataclass(frozen=True)
class Results:
    """A study's settings, and all of its runs that are there; `comparisons` by table."""

    settings: ReportSettings
    folder: Path
    runs: tuple[Run, ...] = field(default=())
    comparisons: dict[str, tuple[dict, ...]] = field(default_factory=dict)

    @classmethod
    def load(cls, settings: ReportSettings, folder: Path) -> "Results":
        """Read scores, comparisons, records and curves under `results/`; what is not there was not run.

        Raises UserError for a file that is damaged.
        """
        compared = {table: _comparisons(settings, folder, table) for table in settings.study.tables}
        results = cls(settings, folder, comparisons=compared)
        return replace(results, runs=tuple(results._run(e, seed) for e in settings.entries for seed in e.seeds))

    def _run(self, entry: Entry, seed: int) -> Run:
        def stage(folder: Folder, system: str, **names: str) -> Path:
            run = {"scale": self.settings.scale, "corpus": entry.corpus, "system": system, "seed": seed}
            return folder.under(self.folder, **run, **names)

        training, scores = stage(TRAINING, entry.trained), stage(SCORES, entry.folder)
        reads = self.settings.read
        return Run(
            entry,
            seed,
            translations=stage(TRANSLATIONS, entry.folder),
            occurrences=scores / "occurrences.arrow",
            passages=stage(PASSAGE, entry.folder, study=self.settings.study.study, passage=""),
            scores=read_scores(scores / "scores.json") if reads("scores") else None,
            record=read_record(training / "record.json") if reads("records") else None,
            curve=read_curve(training / "metrics.jsonl") if reads("curves") else (),
        )

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the study's systems, in its order."""
        return tuple(dict.fromkeys(entry.system.name for entry in self.settings.entries))

    @property
    def corpora(self) -> tuple[str, ...]:
        """The study's, of which the page may show fewer."""
        return tuple(corpus for corpus in self.settings.study.corpora if corpus in self.settings.corpora)

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        """Of all systems."""
        return tuple(sorted({seed for entry in self.settings.entries for seed in entry.seeds}))

    def of(self, corpus: str, system: str | None = None) -> list[Run]:
        """The runs on a corpus, of all systems or of one, in the order of systems and seeds."""
        return [r for r in self.runs if r.entry.corpus == corpus and system in (None, r.entry.system.name)]

    def with_systems(self, systems: Collection[str]) -> "Results":
        """The same without the runs of other systems."""
        return replace(self, runs=tuple(run for run in self.runs if run.entry.system.name in systems))

    def first(self, corpus: str, system: str) -> Run:
        """The run of a system with its first seed, which figures of single documents show."""
        return self.of(corpus, system)[0]

    def comparison(self, table: str, *, corpus: str, metric: str, system: str, baseline: str, test: str) -> dict | None:
        """How a system compares with its baseline; none where that was not tested."""
        wanted = {"corpus": corpus, "metric": metric, "system": system, "baseline": baseline, "test": test}
        return next((one for one in self.comparisons.get(table, ()) if wanted.items() <= one.items()), None)

    def data(self, stage: Folder, corpus: str, **names: str) -> Path:
        """The folder of a corpus in a stage that names no scale, with further `names` that it has."""
        return stage.under(self.folder, corpus=self.settings.data.get(corpus, corpus), **names)

    def card(self, corpus: str) -> dict:
        """The counts that stage 1 wrote beside the corpus; empty where it has not run."""
        return read_card(self.data(CORPUS, corpus) / "card.json") or {}

    def text_cards(self, corpus: str) -> dict[str, dict]:
        """What stage 2 made of the corpus, by the name of the text that a system of the study takes."""
        texts = dict.fromkeys(e.system.text for e in self.settings.entries if e.corpus == corpus)
        found = {name: read_card(self.data(TOKENS, corpus, text=name) / "card.json") for name in texts}
        return {name: card for name, card in found.items() if card}

    def language(self, corpus: str, side: str) -> str:
        """`side` is source or target; empty where the catalogue does not say."""
        return self.settings.corpora.get(corpus, {}).get(f"{side}_language", "")


def _comparisons(settings: ReportSettings, folder: Path, table: str) -> tuple[dict, ...]:
    path = COMPARISON.under(folder, study=settings.study.study, table=table) / "comparisons.json"
    return read_comparisons(path) if settings.read("comparisons") else ()
