"""The targets of Snakemake: the state of each, what a run downloads for it, and the plan of its trainings."""

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from docmt.base.manifest import MANIFEST
from docmt.base.paths import INDEX
from docmt.grid.comparable import reasons_of_item
from docmt.grid.grid import Grid
from docmt.grid.items import card_of, item_corpora, item_entries, judged_systems, page_of, run_job, sheet_of
from docmt.grid.scored import scoring_of
from docmt.kinds.item import Item
from docmt.plan.estimates import Estimates, TrainingPlan
from docmt.plan.plan import Job, Plan
from docmt.plan.supplies import Supplies, Supply, together
from docmt.plan.unscored import supplies_of_scores
from docmt.settings.metrics import METRICS, base_of
from docmt.settings.scoring import ScoringPart
from docmt.settings.system import Entry

TargetKind = Literal["all", "study", "item", "sheet", "scores", "corpus"]
"""The kind of a target: `item` is a table, figure or passage of a study, `sheet` the sheet for annotators of a table;
`scores` are those of one system and seed."""

TargetState = Literal["made", "ready", "to-fetch", "by-hand", "licence"]
"""The state of a target: its file is there, or what its corpora and checkpoints need (`SupplyState`)."""


@dataclass(frozen=True)
class Target:
    """A target of Snakemake.

    `study` is None for `all` and for corpora. `plan` has the trainings of `all`, of a study or of an item; it is None
    for scores and for corpora. `fetch_bytes`: the size of what is to be downloaded, as far as it is known;
    `is_fetch_known`: whether that is all of it. `reasons`: why parts of the target are left out, or not scored.
    `not_comparable`: why numbers of the target are not comparable with the published ones, with their metrics.
    """

    name: str
    kind: TargetKind
    study: str | None
    about: str
    state: TargetState
    plan: TrainingPlan | None
    fetch_bytes: float = 0
    is_fetch_known: bool = True
    reasons: tuple[str, ...] = ()
    not_comparable: tuple[str, ...] = ()


class Targets:
    """The targets of Snakemake, with their states."""

    def __init__(self, plan: Plan) -> None:
        """List the targets of a plan."""
        self.plan, self.grid = plan, plan.grid
        self.estimates, self.supplies = Estimates(plan), Supplies(plan.grid, plan.root)

    def every(self) -> Target:
        """Return the target `all`."""
        active = self.grid.active
        entries = [entry for name in active for entry in self.grid.of_study(name)]
        pages = [self._page(name, INDEX) for name in active]
        needed = [supply for entry in entries for supply in self.supplies.of_entry(entry)]
        needed += [supply for name in active for supply in self._for_scores(name)]
        about = f"every study of config.yaml: {', '.join(active)}"
        return self._target("all", "all", None, about, pages, needed, entries)

    def of_study(self, study: str, scores: bool) -> Iterator[Target]:
        """Yield a study, its items and, where `scores` is true, the scores of each of its systems and seeds."""
        config, entries = self.grid.studies[study], self.grid.of_study(study)
        for_scores = self._for_scores(study)
        needed = [*self.supplies.of(config.corpora), *(s for entry in entries for s in self.supplies.of_entry(entry))]
        needed += for_scores
        yield self._target(study, "study", study, config.title, [self._page(study, INDEX)], needed, entries)
        for name, item in config.items.items():
            path, about = page_of(self.grid, study, name), f"{item.paper}: {item.title}" if item.paper else item.title
            entries_of_item = item_entries(self.grid, study, name)
            checkpoints = [folder for entry in entries_of_item for folder in self.grid.checkpoints_for(entry)]
            needed = self.supplies.of(item_corpora(self.grid, study, name), checkpoints)
            paths = [path for entry in entries_of_item for path in self.grid.translations_for(entry)]
            needed += map(self.supplies.translations, paths)
            needed += for_scores if {"scores", "occurrences"} & {*item.reads()} else []
            unscored = tuple(self._unscored(study, item, entries_of_item))
            page = [self._page(study, name)]
            target = self._target(path, "item", study, about, page, needed, entries_of_item, unscored)
            yield dataclasses.replace(target, not_comparable=tuple(self._not_comparable(study, item)))
            if item.has_sheet:
                yield self._sheet(study, name, about)
        runs = [(entry, seed) for entry in entries for seed in entry.seeds] if scores else []
        for entry, seed in runs:
            step, names = run_job(self.grid, "scores", entry, seed)
            job, about = Job.of(step, **names), f"scores of {entry.system.name} on {entry.corpus}"
            needed = [*self.supplies.of_entry(entry), *for_scores]
            yield self._target(self._name(job), "scores", study, about, [job], needed)

    def _sheet(self, study: str, name: str, about: str) -> Target:
        """Return the sheet for annotators of a table; `about` describes the table."""
        path, (_, entries) = sheet_of(self.grid, study, name), judged_systems(self.grid, study, name)
        needed = [supply for entry in entries for supply in self.supplies.of_entry(entry)]
        job = Job.of("sheet", scale=self.grid.scale, study=study, item=name)
        return self._target(path, "sheet", study, f"the sheet for annotators of {about}", [job], needed, entries)

    def corpora(self) -> Iterator[Target]:
        """Yield the targets of corpora."""
        for corpus in self.grid.corpora:
            step, names = card_of(self.grid, corpus)
            job, needed = Job.of(step, **names), [self.supplies.corpus(corpus)]
            yield self._target(self._name(job), "corpus", None, f"the corpus {corpus}", [job], needed)

    def _page(self, study: str, item: str) -> Job:
        """Return the job of a page."""
        return Job.of("page", scale=self.grid.scale, study=study, item=item)

    def _name(self, job: Job) -> str:
        """Return the target of Snakemake that is the output of a job; its place where a file is missing."""
        folder = self.plan.folder(job.step, job.names)
        return job.place if folder is None else (folder / MANIFEST).relative_to(self.plan.root).as_posix()

    def _is_finished(self, job: Job) -> bool:
        """Return whether the outputs of a job are there; they are not where a file is missing that decides them."""
        folder = self.plan.folder(job.step, job.names)
        return folder is not None and (folder / MANIFEST).is_file()

    def _for_scores(self, study: str) -> list[Supply]:
        """Return what the scores of a study need, without what is left out."""
        supplies = supplies_of_scores(self.supplies, study)
        return [supply for supply in supplies if supply.name not in self.grid.not_scored]

    def _unscored(self, study: str, item: Item, entries: Iterable[Entry]) -> Iterator[str]:
        """Yield why metrics of an item get no score, with the way to what is missing."""
        yield from unscored_metrics(self.grid, study, item, entries)
        corpora = dict.fromkeys(entry.corpus for entry in entries)
        missing = [pair for corpus in corpora for pair in scoring_of(self.grid, study, corpus).missing.items()]
        for part, reason in dict.fromkeys(missing):
            metrics = metrics_in(item, part)
            if metrics:
                yield f"{', '.join(metrics)} not scored: {reason}. {self.grid.ways_by_reason.get(reason, '')}".rstrip()

    def _not_comparable(self, study: str, item: Item) -> Iterator[str]:
        """Yield why numbers of an item are not comparable with published ones, as far as it is known before a run."""
        for reason, metrics in reasons_of_item(self.grid, study, item).items():
            yield f"{', '.join(metrics)} not comparable because {reason}"

    def _target(
        self,
        name: str,
        kind: TargetKind,
        study: str | None,
        about: str,
        jobs: Iterable[Job],
        needed: Iterable[Supply],
        entries: Iterable[Entry] | None = None,
        unscored: tuple[str, ...] = (),
    ) -> Target:
        """Return a target that is `jobs` and needs some supplies; a target with `entries` has a plan of trainings."""
        plan = None if entries is None else self.estimates.plan(entries)
        if all(map(self._is_finished, jobs)):
            return Target(name, kind, study, about, "made", plan, reasons=unscored)
        supplies = {supply.name: supply for supply in needed}.values()
        needs = together(supplies)
        reasons = tuple(supply.reason for supply in supplies if supply.reason)
        return Target(
            name, kind, study, about, needs.state, plan, needs.bytes, needs.is_size_known, (*reasons, *unscored)
        )


def targets(plan: Plan, studies: Iterable[str], scores: bool) -> Iterator[Target]:
    """Yield the target `all` of a plan, the targets of each of `studies`, and the targets of corpora.

    The targets of a study are the study and its items, and, where `scores` is true, the scores of each system and seed.
    Scores that several studies share are targets of the first of them.
    """
    listed, yielded = Targets(plan), set()
    yield listed.every()
    for study in studies:
        for target in listed.of_study(study, scores):
            if target.name not in yielded:
                yielded.add(target.name)
                yield target
    yield from listed.corpora()


def unscored_metrics(grid: Grid, study: str, item: Item, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield why metrics of an item get no score: settings name no vectors or no model for a target language."""
    languages = sorted({grid.corpora[entry.corpus].target_language for entry in entries})
    given: dict[ScoringPart, tuple[str, dict[str, str]]] = {
        "coherence": ("scoring.coherence.vectors", grid.scoring[study].coherence.vectors),
        "cohesion": ("scoring.cohesion.models", grid.scoring[study].cohesion.models),
    }
    for part, (setting, entries_of) in given.items():
        lacking = [language for language in languages if language not in entries_of]
        if metrics_in(item, part) and lacking:
            yield f"{part} not scored: {setting} of config.yaml has no entry for {', '.join(lacking)}"
    if metrics_in(item, "comet") and grid.scoring[study].comet.model is None:
        yield "COMET and doc-COMET not scored: scoring.comet.model names no model"


def metrics_in(item: Item, part: ScoringPart) -> list[str]:
    """Return the bases of the metrics of an item that need a part of `scoring`, each once."""
    bases = dict.fromkeys(map(base_of, item.measures))
    return [base for base in bases if METRICS[base].judge == part]
