"""The input of a report: the study with its systems, and the files of all runs so far.

The values that tables and figures use are checked as they are read, so that a damaged file, or a file of another
program, ends in a message.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_json, read_json_lines, read_object_if_there
from docmt.base.foreign import reading
from docmt.base.parse import check_keys, mapping, parse
from docmt.base.paths import COMPARISON, CORPUS, PASSAGE, SCORES, TOKENS, TRAINING, TRANSLATIONS, Folder
from docmt.base.yaml_files import Lines
from docmt.kinds.study import StudyConfig
from docmt.settings.system import Entry


@dataclass(frozen=True)
class PageLink:
    """A page of a table, figure or passage of the study, for links to it."""

    name: str
    title: str
    paper: str = ""


@dataclass(frozen=True)
class ReportSettings:
    """The settings of a page, the `settings.json` of stage 8.

    `item`: the table, figure or passage of the page, none for the page of the whole study. `reads`: the names of the
    inputs that the page may read, none for all. `not_run`: reasons of corpora, and of systems on them
    (`corpus/system`), that were left out. `pages`: the pages of all items, for links. `cards`: files of later stages
    with counts (by `corpus/count/split`). `human`: the file of judgements. `data`: folder names of corpora in stages
    whose paths have no scale, where they differ from the corpora's. `stand_ins`: pretrained checkpoints by the folders
    of the random ones that replace them; `random_starts`: the folder of the random checkpoint from which a system
    (`corpus/system`) started. `version`: that of the stage's code, in docmt.plan.versions.
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
    version: int | None = None

    @classmethod
    def load(cls, path: Path) -> "ReportSettings":
        """Read the `settings.json` of stage 8. Raises UserError for any other file."""
        lines = Lines(str(path))
        value = mapping(read_json(path), lines)
        check_keys(value, cls.__dataclass_fields__, lines)
        # Systems come resolved, as entries; their statements in the study are not needed.
        study = {**mapping(value.get("study"), lines, ("study",)), "systems": {}}
        return parse(cls, {**value, "study": study}, lines)

    def read(self, what: str) -> bool:
        """Return whether the page may read an input of runs, such as "scores"."""
        return self.reads is None or what in self.reads

    def why_not_run(self, corpus: str, system: str | None = None) -> str:
        """Return why a corpus, or a system on it, was left out; empty where it was not."""
        return self.not_run.get(f"{corpus}/{system}") or self.not_run.get(corpus, "")


@dataclass(frozen=True)
class Run:
    """A system on a corpus with a seed: its folders, and its files; none (or empty) where a stage has not run."""

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
    """The settings of a page, with all runs of its systems, and the comparisons of systems by table."""

    settings: ReportSettings
    folder: Path
    runs: tuple[Run, ...] = field(default=())
    comparisons: dict[str, tuple[dict, ...]] = field(default_factory=dict)

    @classmethod
    def load(cls, settings: ReportSettings, folder: Path) -> "Results":
        """Read scores, comparisons, records and curves from a folder of results; a missing file was not run.

        Raises UserError for a damaged file.
        """
        comparisons = {table: _comparisons(settings, folder, table) for table in settings.study.tables}
        results = cls(settings, folder, comparisons=comparisons)
        return replace(results, runs=tuple(results._run(e, seed) for e in settings.entries for seed in e.seeds))

    def _run(self, entry: Entry, seed: int) -> Run:
        """Read the run of an entry with a seed: the files that the page may read, and that exist."""

        def stage(folder: Folder, system: str, **names: str) -> Path:
            """Return the run's folder in a stage."""
            run = {"scale": self.settings.scale, "corpus": entry.corpus, "system": system, "seed": seed}
            return folder.under(self.folder, **run, **names)

        training, scores = stage(TRAINING, entry.trained), stage(SCORES, entry.folder)
        reads, curve = self.settings.read, training / "metrics.jsonl"
        return Run(
            entry,
            seed,
            translations=stage(TRANSLATIONS, entry.folder),
            occurrences=scores / "occurrences.arrow",
            passages=stage(PASSAGE, entry.folder, study=self.settings.study.study, passage=""),
            scores=read_scores(scores / "scores.json") if reads("scores") else None,
            record=read_record(training / "record.json") if reads("records") else None,
            curve=tuple(read_json_lines(curve)) if reads("curves") and curve.exists() else (),
        )

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The names of the page's systems, in the order of the page."""
        return tuple(dict.fromkeys(entry.system.name for entry in self.settings.entries))

    @property
    def corpora(self) -> tuple[str, ...]:
        """The corpora of the page, in the order of the study."""
        return tuple(corpus for corpus in self.settings.study.corpora if corpus in self.settings.corpora)

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of all systems, sorted."""
        return tuple(sorted({seed for entry in self.settings.entries for seed in entry.seeds}))

    def of(self, corpus: str, system: str | None = None) -> list[Run]:
        """Return the runs on a corpus, of all systems or of one, in the order of systems and seeds."""
        return [r for r in self.runs if r.entry.corpus == corpus and system in (None, r.entry.system.name)]

    def with_systems(self, systems: Collection[str]) -> "Results":
        """Return the results without the runs of other systems."""
        return replace(self, runs=tuple(run for run in self.runs if run.entry.system.name in systems))

    def first(self, corpus: str, system: str) -> Run:
        """Return the run of a system with its first seed, which figures of single documents use."""
        return self.of(corpus, system)[0]

    def comparison(self, table: str, *, corpus: str, metric: str, system: str, baseline: str, test: str) -> dict | None:
        """Return the comparison of a system with its baseline, as stage 7 wrote it; none where it was not tested."""
        wanted = {"corpus": corpus, "metric": metric, "system": system, "baseline": baseline, "test": test}
        return next((pair for pair in self.comparisons.get(table, ()) if wanted.items() <= pair.items()), None)

    def data(self, stage: Folder, corpus: str, **names: str) -> Path:
        """Return the folder of a corpus in a stage whose paths have no scale; `names`: further parts of the path."""
        return stage.under(self.folder, corpus=self.settings.data.get(corpus, corpus), **names)

    def card(self, corpus: str) -> dict:
        """Return the card that stage 1 wrote for a corpus; empty where it has not run."""
        return read_card(self.data(CORPUS, corpus) / "card.json") or {}

    def text_cards(self, corpus: str) -> dict[str, dict]:
        """Return the cards that stage 2 wrote for a corpus, by the text of the page's systems."""
        texts = dict.fromkeys(e.system.text for e in self.settings.entries if e.corpus == corpus)
        cards = {name: read_card(self.data(TOKENS, corpus, text=name) / "card.json") for name in texts}
        return {name: card for name, card in cards.items() if card}

    def language(self, corpus: str, side: str) -> str:
        """Return the language of a side, source or target; empty where the catalogue does not state it."""
        return self.settings.corpora.get(corpus, {}).get(f"{side}_language", "")


def _comparisons(settings: ReportSettings, folder: Path, table: str) -> tuple[dict, ...]:
    """Read the comparisons of a table; empty where the page may not read them, or there are none."""
    path = COMPARISON.under(folder, study=settings.study.study, table=table) / "comparisons.json"
    return read_comparisons(path) if settings.read("comparisons") else ()


def read_scores(path: Path) -> dict[str, Any] | None:
    """Read `scores.json`; none where there is no such file."""
    return _checked(
        path, _check_scores, "not the scores of a system", "what `docmt job score-system` writes", "decoding"
    )


def read_record(path: Path) -> dict[str, Any] | None:
    """Read the `record.json` of a training; none where there is no such file."""
    return _checked(path, _check_record, "not the record of a training", "what `docmt job train-system` writes")


def read_comparisons(path: Path) -> tuple[dict[str, Any], ...]:
    """Read the `comparisons.json` of a table; empty where there is no such file."""
    content = _checked(
        path, _check_comparisons, "not the comparisons of a table", "what `docmt job compare-systems` writes"
    )
    return tuple((content or {}).get("comparisons", ()))


def read_card(path: Path) -> dict[str, Any] | None:
    """Read a `card.json` with the counts of each split; none where there is no such file."""
    return _checked(path, _check_card, "not a card of docmt", "a mapping for each of `splits`")


def _checked(
    path: Path, check: Callable[[dict[str, Any]], None], what: str, expected: str, *needed: str
) -> dict[str, Any] | None:
    """Read an object with the keys `needed` from a file; none where there is no such file.

    Raises UserError, of the parts `what` and `expected`, where `check` raises any exception.
    """
    content = read_object_if_there(path, *needed)
    if content is not None:
        with reading(path, what, expected):
            check(content)
    return content


def _check_scores(scores: dict[str, Any]) -> None:
    """Raise KeyError, TypeError or the like where a score lacks its number or its signature."""
    for families in (scores.get("bleu", {}), *scores.get("positions", {}).values()):
        for units in families.values():
            _need_scores(units.values())
    _need_scores(scores.get("consistency", {}).values())
    _need_scores(score for name in ("coherence", "cohesion") if (score := scores.get(name)))
    for accuracy in scores.get("contrastive", {}).values():
        for counts in (accuracy, *accuracy.get("by_distance", {}).values()):
            _need_numbers(counts, "items", "right")
    _need(str, "text", scores["decoding"]["lines"])


def _check_record(record: dict[str, Any]) -> None:
    """Raise TypeError where a value that the page uses has the wrong type."""
    _need(dict, "mapping", record.get("hardware", {}))
    numbers = ("parameters", "source_tokens_per_s", "target_tokens_per_s", "dev_perplexity", "wall_s", "updates")
    _need_numbers(record, *(name for name in numbers if record.get(name) is not None))


def _check_comparisons(content: dict[str, Any]) -> None:
    """Raise KeyError or TypeError where a comparison lacks its p-value or its signature."""
    for comparison in content.get("comparisons", ()):
        _need(dict, "mapping", comparison)
        _need(str, "text", comparison["signature"])
        _need_numbers(comparison, "p")


def _check_card(card: dict[str, Any]) -> None:
    """Raise TypeError where the counts of a split are no mapping."""
    for split in (card.get("splits") or {}).values():
        _need(dict, "mapping", split)


def _need_scores(scores: Any) -> None:
    """Raise KeyError or TypeError where one of the scores lacks its number or its signature."""
    for score in scores:
        _need_numbers(score, "score")
        _need(str, "text", score["signature"])


def _need_numbers(values: Mapping[str, Any], *names: str) -> None:
    """Raise KeyError for a missing name, and TypeError for a value that is no number."""
    for name in names:
        if not isinstance(values[name], int | float):
            raise TypeError(f"{name}: {values[name]!r} is no number")


def _need(kind: type, called: str, value: Any) -> None:
    """Raise TypeError unless the value is of this type; `called`: the name of the type in the message."""
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {called}")
