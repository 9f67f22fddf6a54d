"""What a report knows: the study with its systems, and what of it has been run so far.

Of files that runs have left is checked what tables and figures go by, so that nothing but a message becomes of one that
is damaged, or none of ours.
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
    (`corpus/system`) started from. `version`: of the stage's code, in docmt.plan.versions.
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
        """Read the `settings.json` of stage 8. Raises UserError where it is none."""
        lines = Lines(str(path))
        value = mapping(read_json(path), lines)
        check_keys(value, cls.__dataclass_fields__, lines)
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


def read_scores(path: Path) -> dict[str, Any] | None:
    """`scores.json`; none where there is none."""
    return _checked(
        path, _check_scores, "not the scores of a system", "what `docmt job score-system` writes", "decoding"
    )


def read_record(path: Path) -> dict[str, Any] | None:
    """`record.json` of a training; none where there is none."""
    return _checked(path, _check_record, "not the record of a training", "what `docmt job train-system` writes")


def read_comparisons(path: Path) -> tuple[dict[str, Any], ...]:
    """`comparisons.json` of a table."""
    found = _checked(
        path, _check_comparisons, "not the comparisons of a table", "what `docmt job compare-systems` writes"
    )
    return tuple((found or {}).get("comparisons", ()))


def read_card(path: Path) -> dict[str, Any] | None:
    """A `card.json` with what is counted of each split; none where there is none."""
    return _checked(path, _check_card, "not a card of docmt", "a mapping for each of `splits`")


def _checked(
    path: Path, check: Callable[[dict[str, Any]], None], what: str, expected: str, *needed: str
) -> dict[str, Any] | None:
    """The object in a file that has the keys `needed`; none where there is no such file. `check` raises anything."""
    found = read_object_if_there(path, *needed)
    if found is not None:
        with reading(path, what, expected):
            check(found)
    return found


def _check_scores(scores: dict[str, Any]) -> None:
    for families in (scores.get("bleu", {}), *scores.get("positions", {}).values()):
        for units in families.values():
            _need_scores(units.values())
    _need_scores(scores.get("consistency", {}).values())
    _need_scores(found for name in ("coherence", "cohesion") if (found := scores.get(name)))
    for accuracy in scores.get("contrastive", {}).values():
        for one in (accuracy, *accuracy.get("by_distance", {}).values()):
            _need_numbers(one, "items", "right")
    _need(str, "text", scores["decoding"]["lines"])


def _check_record(record: dict[str, Any]) -> None:
    _need(dict, "mapping", record.get("hardware", {}))
    numbers = ("parameters", "source_tokens_per_s", "target_tokens_per_s", "dev_perplexity", "wall_s", "updates")
    _need_numbers(record, *(name for name in numbers if record.get(name) is not None))


def _check_comparisons(found: dict[str, Any]) -> None:
    for one in found.get("comparisons", ()):
        _need(dict, "mapping", one)
        _need(str, "text", one["signature"])
        _need_numbers(one, "p")


def _check_card(card: dict[str, Any]) -> None:
    for split in (card.get("splits") or {}).values():
        _need(dict, "mapping", split)


def _need_scores(found: Any) -> None:
    for one in found:
        _need_numbers(one, "score")
        _need(str, "text", one["signature"])


def _need_numbers(one: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if not isinstance(one[name], int | float):
            raise TypeError(f"{name}: {one[name]!r} is no number")


def _need(kind: type, called: str, value: Any) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {called}")
