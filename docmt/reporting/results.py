"""The input of a page: its settings, and the files that the runs of its systems have written so far.

The values that tables and figures use are checked when they are read. A damaged file, or a file of another program,
therefore ends in a message.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_json_lines, read_object_if_there
from docmt.base.foreign import reading
from docmt.base.parse import check_keys, mapping, parse
from docmt.base.paths import COMPARISON, CORPUS, INSIDE, PASSAGE, SCORES, TOKENS, TRAINING, TRANSLATIONS, Folder
from docmt.base.recipe import read_settings
from docmt.base.result_folders import ResultFolders
from docmt.base.scores import Score, read_scores
from docmt.base.yaml_files import Lines
from docmt.reporting.item import LabelledSystem
from docmt.reporting.look import Style, styles
from docmt.reporting.study import StudyConfig
from docmt.settings.metrics import scores_of_record
from docmt.settings.system import Entry


@dataclass(frozen=True)
class PageLink:
    """The name, the title and the paper of an item, for links to the page of the item."""

    name: str
    title: str
    paper: str = ""


@dataclass(frozen=True)
class ReportSettings:
    """The settings of a page, the `job.json` of stage 8."""

    scale: str
    study: StudyConfig
    entries: tuple[Entry, ...]
    corpora: dict[str, dict]
    # Why a corpus or a system on a corpus was left out, by `corpus` or `corpus/system`.
    not_run: dict[str, str] = field(default_factory=dict)
    # Why metrics are not computed, by corpus and by the part of `scoring` that they need.
    not_scored: dict[str, dict[str, str]] = field(default_factory=dict)
    # Why numbers are not comparable with published ones, by corpus and by the base of the metric's name (empty: of all
    # numbers).
    not_comparable: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    ways: dict[str, str] = field(default_factory=dict)  # How what is missing can be had, by the reason.
    item: str | None = None  # The table, figure or passage of the page; None for the page of the whole study.
    reads: tuple[str, ...] | None = None  # The names of the inputs that the page may read; None where it may read all.
    pages: tuple[PageLink, ...] = ()  # The pages of all items, for links.
    # All systems of the study with their labels, in an order that decides on their colours; an item's page has them
    # all.
    systems: tuple[LabelledSystem, ...] = ()
    # The paths of cards of later stages than stage 1, by `corpus/count/split`.
    cards: dict[str, str] = field(default_factory=dict)
    human: str | None = None  # The file of human judgements.
    # The folder names of corpora in stages whose paths have no scale, where these differ from the names of the corpora.
    data: dict[str, str] = field(default_factory=dict)
    # The folders of pretrained checkpoints, by the folders of the random checkpoints that replace them.
    stand_ins: dict[str, str] = field(default_factory=dict)
    # The folder of the random checkpoint from which a system started, by `corpus/system`.
    random_starts: dict[str, str] = field(default_factory=dict)
    version: int | None = None

    @classmethod
    def load(cls, path: Path, human: Path | None = None) -> "ReportSettings":
        """Read the `job.json` of stage 8. Raises UserError for any other file.

        `human` is the file of human judgements, whose path is not in the settings.
        """
        lines = Lines(str(path))
        value = mapping(read_settings(path), lines)
        check_keys(value, cls.__dataclass_fields__, lines)
        # `entries` has the systems with all settings, so that the section `systems` of the study is not needed.
        study = {**mapping(value.get("study"), lines, ("study",)), "systems": {}}
        return parse(cls, {**value, "study": study, "human": human and str(human)}, lines)

    def read(self, what: str) -> bool:
        """Return whether the page may read an input of its runs, such as "scores"."""
        return self.reads is None or what in self.reads

    def why_not_run(self, corpus: str, system: str | None = None) -> str:
        """Return why a corpus, or a system on a corpus, was left out; empty where it was not left out."""
        return self.not_run.get(f"{corpus}/{system}") or self.not_run.get(corpus, "")

    def why_not_scored(self, corpus: str, part: str | None) -> str:
        """Return why metrics that need a part of `scoring` are not computed on a corpus; empty where they are."""
        return self.not_scored.get(corpus, {}).get(part or "", "")


@dataclass(frozen=True)
class Run:
    """A run (a system on a corpus with a seed), with its folders and the content of its files.

    `scores` and `of_reference` are the scores of the translations and of the reference, by name, and `of_record` those
    of the training. `scoring` has facts of the scoring, and `folder` is the folder of the scores. All are None or empty
    where a stage has not run, or where the page may not read the file.
    """

    entry: Entry
    seed: int
    translations: Path
    inside: Path
    folder: Path
    scores: dict[str, Score] | None = None
    of_reference: dict[str, Score] = field(default_factory=dict)
    scoring: dict = field(default_factory=dict)
    record: dict | None = None
    curve: tuple[dict, ...] = ()

    @property
    def occurrences(self) -> Path:
        """The file with the lexical chains of the test set."""
        return self.folder / "occurrences.arrow"

    @property
    def of_record(self) -> dict[str, Score] | None:
        """The scores of the training; None where there is no record of it."""
        return None if self.record is None else {score.name: score for score in scores_of_record(self.record)}


@dataclass(frozen=True)
class Results:
    """The settings of a page, the runs of its systems, and the comparisons of systems, by the name of their table."""

    settings: ReportSettings
    folders: ResultFolders
    runs: tuple[Run, ...] = field(default=())
    comparisons: dict[str, tuple[dict, ...]] = field(default_factory=dict)

    @classmethod
    def load(cls, settings: ReportSettings, folders: ResultFolders) -> "Results":
        """Read scores, comparisons, records and curves from folders of results; a missing file is no mistake.

        Raises UserError for a damaged file.
        """
        comparisons = {table: _comparisons(settings, folders, table) for table in settings.study.tables}
        results = cls(settings, folders, comparisons=comparisons)
        return replace(results, runs=tuple(results._run(e, seed) for e in settings.entries for seed in e.seeds))

    def _run(self, entry: Entry, seed: int) -> Run:
        def stage(folder: Folder, system: str, **names: str) -> Path:
            run = {"scale": self.settings.scale, "corpus": entry.corpus, "system": system, "seed": seed}
            return self.folders.at(folder, **run, **names)

        # A system without a model has no files of a training.
        training, scores = stage(TRAINING, entry.trained or entry.folder), stage(SCORES, entry.scored)
        reads, curve, table = self.settings.read, training / "metrics.jsonl", scores / "scores.parquet"
        rows = read_scores(table) if reads("scores") and table.exists() else None
        of = {text: {row.name: row for row in rows or () if row.text == text} for text in ("translations", "reference")}
        return Run(
            entry,
            seed,
            translations=stage(TRANSLATIONS, entry.folder),
            inside=stage(INSIDE, entry.folder),
            folder=scores,
            scores=None if rows is None else of["translations"],
            of_reference=of["reference"],
            scoring={} if rows is None else read_scoring(scores / "scoring.json"),
            record=read_record(training / "record.json") if reads("records") else None,
            curve=tuple(read_json_lines(curve)) if reads("curves") and curve.exists() else (),
        )

    def passage(self, name: str, corpus: str, system: str) -> Path:
        """Return the file with the translations of a passage by the first run of a system."""
        run, study = self.first(corpus, system), self.settings.study.study
        names = {"scale": self.settings.scale, "corpus": corpus, "system": run.entry.folder, "seed": run.seed}
        return self.folders.at(PASSAGE, **names, study=study, passage=name) / "passages.json"

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The names of the page's systems, in the order of the page."""
        return tuple(dict.fromkeys(entry.system.name for entry in self.settings.entries))

    @cached_property
    def labels(self) -> dict[str, str]:
        """The label of each system of the study, which is the same on all pages of the study."""
        names = {labelled.system: labelled.name for labelled in self.settings.systems}
        return names | {name: name for name in self.systems if name not in names}

    @cached_property
    def look(self) -> dict[str, Style]:
        """The style of each system of the study, which is the same on all pages of the study."""
        return styles(self.labels)

    @property
    def baseline(self) -> str | None:
        """The system with which others are compared outside of tables: that of the first table with one, if any."""
        tables = self.settings.study.tables.values()
        return next((table.baseline for table in tables if getattr(table, "baseline", None) in self.look), None)

    @property
    def corpora(self) -> tuple[str, ...]:
        """The corpora of the page, in the order in which the study lists them."""
        return tuple(corpus for corpus in self.settings.study.corpora if corpus in self.settings.corpora)

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of all systems of the page, sorted."""
        return tuple(sorted({seed for entry in self.settings.entries for seed in entry.seeds}))

    def of(self, corpus: str, system: str | None = None) -> list[Run]:
        """Return the runs on a corpus, of one system or of all, in the order of systems and then of seeds."""
        return [r for r in self.runs if r.entry.corpus == corpus and system in (None, r.entry.system.name)]

    def with_systems(self, systems: Collection[str]) -> "Results":
        """Return the results with the runs of these systems alone."""
        return replace(self, runs=tuple(run for run in self.runs if run.entry.system.name in systems))

    def first(self, corpus: str, system: str) -> Run:
        """Return the run of a system with its first seed, which figures of single documents use."""
        return self.of(corpus, system)[0]

    def comparison(self, table: str, *, corpus: str, metric: str, system: str, baseline: str, test: str) -> dict | None:
        """Return the comparison of a system with its baseline that stage 7 wrote; None where there is none."""
        wanted = {"corpus": corpus, "metric": metric, "system": system, "baseline": baseline, "test": test}
        return next((pair for pair in self.comparisons.get(table, ()) if wanted.items() <= pair.items()), None)

    def data(self, stage: Folder, corpus: str, **names: str) -> Path:
        """Return the folder of a corpus in a stage whose paths have no scale; `names`: other names in the path."""
        return self.folders.at(stage, corpus=self.settings.data.get(corpus, corpus), **names)

    def card(self, corpus: str) -> dict:
        """Return the card that stage 1 wrote for a corpus; empty where stage 1 has not run."""
        return read_card(self.data(CORPUS, corpus) / "card.json") or {}

    def text_cards(self, corpus: str) -> dict[str, dict]:
        """Return the cards of stage 2 for a corpus, where it has run, by the presets of text of the page's systems."""
        texts = dict.fromkeys(e.system.text for e in self.settings.entries if e.corpus == corpus)
        cards = {name: read_card(self.data(TOKENS, corpus, text=name) / "card.json") for name in texts}
        return {name: card for name, card in cards.items() if card}

    def language(self, corpus: str, side: str) -> str:
        """Return the language of a side ("source" or "target"); empty where the catalogue does not state it."""
        return self.settings.corpora.get(corpus, {}).get(f"{side}_language", "")


def _comparisons(settings: ReportSettings, folders: ResultFolders, table: str) -> tuple[dict, ...]:
    """Read the comparisons of a table; empty where there are none, or where the page may not read them."""
    names = {"scale": settings.scale, "study": settings.study.study, "table": table}
    path = folders.at(COMPARISON, **names) / "comparisons.json"
    return read_comparisons(path) if settings.read("comparisons") else ()


def read_scoring(path: Path) -> dict[str, Any]:
    """Read `scoring.json`, the facts of a scoring; return an empty mapping where there is no such file."""
    return _checked(path, _check_scoring, "not the facts of a scoring", "what the step scores writes", "decoding") or {}


def read_record(path: Path) -> dict[str, Any] | None:
    """Read the `record.json` of a training; return None where there is no such file."""
    return _checked(path, _check_record, "not the record of a training", "what the step train writes")


def read_comparisons(path: Path) -> tuple[dict[str, Any], ...]:
    """Read the `comparisons.json` of a table; return an empty tuple where there is no such file."""
    content = _checked(path, _check_comparisons, "not the comparisons of a table", "what the step compare writes")
    return tuple((content or {}).get("comparisons", ()))


def read_card(path: Path) -> dict[str, Any] | None:
    """Read a `card.json` with the counts of each split; return None where there is no such file."""
    return _checked(path, _check_card, "not a card of docmt", "a mapping for each of `splits`")


def _checked(
    path: Path, check: Callable[[dict[str, Any]], None], what: str, expected: str, *needed: str
) -> dict[str, Any] | None:
    """Read an object with the keys `needed` from a JSON file; None without a file. Raises UserError for another one."""
    content = read_object_if_there(path, *needed)
    if content is not None:
        with reading(path, what, expected):
            check(content)
    return content


def _check_scoring(facts: dict[str, Any]) -> None:
    """Raise an exception, such as KeyError or TypeError, where a text that the page shows is none."""
    for text in (facts["decoding"]["lines"], *facts.get("warnings", ())):
        _need(str, "text", text)


def _check_record(record: dict[str, Any]) -> None:
    _need(dict, "mapping", record.get("hardware", {}))
    speeds = tuple(f"{unit}_per_s" for unit in ("source_words", "source_tokens", "target_tokens"))
    numbers = ("parameters", *speeds, "dev_perplexity", "wall_s", "updates")
    _need_numbers(record, *(name for name in numbers if record.get(name) is not None))


def _check_comparisons(content: dict[str, Any]) -> None:
    for comparison in content.get("comparisons", ()):
        _need(dict, "mapping", comparison)
        for name in ("signature", "untested"):
            _need(str, "text", comparison[name])
        _need_numbers(comparison, *(() if comparison["untested"] else ("p",)))


def _check_card(card: dict[str, Any]) -> None:
    for split in (card.get("splits") or {}).values():
        _need(dict, "mapping", split)


def _need_numbers(values: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if not isinstance(values[name], int | float):
            raise TypeError(f"{name}: {values[name]!r} is no number")


def _need(kind: type, called: str, value: Any) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {called}")
