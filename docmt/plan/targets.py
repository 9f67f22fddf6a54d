"""The targets of Snakemake: the state of each, what a run downloads for it, and the plan of its trainings."""

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from docmt.base.manifest import MANIFEST
from docmt.base.paths import INDEX
from docmt.grid.comparable import reasons_of_item
from docmt.grid.grid import Grid
from docmt.grid.items import card_of, item_corpora, item_entries, judged_systems, page_of, run_job, sheet_of
from docmt.grid.scored import scoring_of
from docmt.plan.estimates import Estimates
from docmt.plan.plan import Job, Plan
from docmt.plan.supplies import Supplies, Supply, supplies_of_scores, together
from docmt.reporting.item import Item
from docmt.settings.metrics import METRICS, base_of
from docmt.settings.scoring import ScoringPart
from docmt.settings.system import Entry

TargetKind = Literal["all", "study", "item", "sheet", "scores", "corpus"]
"""The kind of a target: `item` is a table, figure or passage of a study, `sheet` the sheet for annotators of a table;
`scores` are those of one system and seed."""

# The state of a target: its file is there, or what its corpora and checkpoints need (`SupplyState`).
TargetState = Literal["made", "ready", "to-fetch", "by-hand", "licence"]


# The meaning of each state of a target.
STATES: dict[TargetState, str] = {
    "made": "it is there",
    "ready": "all that it needs is here",
    "to-fetch": "a run downloads what it needs",
    "by-hand": "it needs files that a person has to bring, or has to agree to (fetch_checkpoints)",
    "licence": "it needs files for which a licence is needed",
}


@dataclass(frozen=True)
class TargetSummary:
    """A target of snakemake: its name, its kind, its state (see `STATES`), and the trainings that it still needs.

    `kind` is all, study, item (a table, figure or passage), scores (of one system and seed) or corpus. `trainings` is
    the number of trainings that the target needs, and `missing_trainings` is the number of these that have not ended;
    `stored_trainings` have not ended here, but a run pulls them from the store.
    `device_hours` and `disk_bytes` are estimates for the missing trainings. `device_hours` leaves out
    `unknown_trainings`: the number of missing trainings over a corpus of unknown size. Each of the five is None where
    it does not apply. `basis` says where the rates of computing come from. `fetch_bytes` is the size of what is to be
    downloaded, as far as it is known; `is_fetch_known` is False where files of unknown size are among it. `reasons`
    says why parts of the target are left out or not scored. `not_comparable` says why numbers of the target are not
    comparable with the published ones beside them.
    """

    target: str
    kind: TargetKind
    state: TargetState
    about: str
    study: str | None = None
    trainings: int | None = None
    missing_trainings: int | None = None
    device_hours: float | None = None
    unknown_trainings: int | None = None
    disk_bytes: int | None = None
    fetch_bytes: float = 0
    is_fetch_known: bool = True
    reasons: tuple[str, ...] = ()
    not_comparable: tuple[str, ...] = ()
    basis: tuple[str, ...] = ()
    stored_trainings: int = 0


class Targets:
    """The targets of Snakemake, with their states."""

    def __init__(self, plan: Plan) -> None:
        """List the targets of a plan."""
        self.plan, self.grid = plan, plan.grid
        self.estimates, self.supplies = Estimates(plan), Supplies(plan.grid, plan.root)

    def every(self) -> TargetSummary:
        """Return the target `all`."""
        active = self.grid.active
        entries = [entry for name in active for entry in self.grid.of_study(name)]
        needed = self.supplies.of_entries(entries)
        needed += [supply for name in active for supply in supplies_of_scores(self.supplies, name)]
        about = f"every study of config.yaml: {', '.join(active)}"
        return self._target("all", "all", about, [self._page(name, INDEX) for name in active], needed, entries)

    def of_study(self, study: str, scores: bool) -> Iterator[TargetSummary]:
        """Yield a study, its items and, where `scores` is true, the scores of each of its systems and seeds."""
        config, entries = self.grid.studies[study], self.grid.of_study(study)
        for_scores = supplies_of_scores(self.supplies, study)
        needed = [*self.supplies.of(config.corpora), *self.supplies.of_entries(entries), *for_scores]
        yield self._target(study, "study", config.title, [self._page(study, INDEX)], needed, entries, study=study)
        for name, item in config.items.items():
            yield from self._item(study, name, item, for_scores)
        for entry in entries if scores else ():
            about = f"scores of {entry.system.name} on {entry.corpus}"
            needed = [*self.supplies.of_entries([entry]), *for_scores]
            for seed in entry.seeds:
                step, names = run_job(self.grid, "scores", entry, seed)
                job = Job.of(step, **names)
                yield self._target(self._name(job), "scores", about, [job], needed, study=study)

    def _item(self, study: str, name: str, item: Item, for_scores: list[Supply]) -> Iterator[TargetSummary]:
        about = f"{item.paper}: {item.title}" if item.paper else item.title
        entries = item_entries(self.grid, study, name)
        needed = [*self.supplies.of(item_corpora(self.grid, study, name)), *self.supplies.of_entries(entries)]
        needed += for_scores if {"scores", "occurrences"} & {*item.reads()} else []
        yield self._target(
            page_of(self.grid, study, name),
            "item",
            about,
            [self._page(study, name)],
            needed,
            entries,
            study=study,
            reasons=tuple(self._unscored(study, item, entries)),
            not_comparable=tuple(self._not_comparable(study, item)),
        )
        if item.has_sheet:
            _, judged = judged_systems(self.grid, study, name)
            job = Job.of("sheet", scale=self.grid.scale, study=study, item=name)
            path, what = sheet_of(self.grid, study, name), f"the sheet for annotators of {about}"
            yield self._target(path, "sheet", what, [job], self.supplies.of_entries(judged), judged, study=study)

    def corpora(self) -> Iterator[TargetSummary]:
        """Yield the targets of corpora."""
        for corpus in self.grid.corpora:
            step, names = card_of(self.grid, corpus)
            job, needed = Job.of(step, **names), [self.supplies.corpus(corpus)]
            yield self._target(self._name(job), "corpus", f"the corpus {corpus}", [job], needed)

    def _page(self, study: str, item: str) -> Job:
        return Job.of("page", scale=self.grid.scale, study=study, item=item)

    def _name(self, job: Job) -> str:
        """Return the target of Snakemake that is the output of a job; its place where a file is missing."""
        folder = self.plan.folder(job.step, job.names)
        return job.place if folder is None else (folder / MANIFEST).relative_to(self.plan.root).as_posix()

    def _is_finished(self, job: Job) -> bool:
        """Return whether the outputs of a job are there; they are not where a file is missing that decides them."""
        folder = self.plan.folder(job.step, job.names)
        return folder is not None and (folder / MANIFEST).is_file()

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
        about: str,
        jobs: Iterable[Job],
        needed: Iterable[Supply],
        entries: Iterable[Entry] | None = None,
        **facts: Any,
    ) -> TargetSummary:
        """Return a target of jobs; one with `entries` has trainings, and `facts` are further fields of it."""
        target = TargetSummary(name, kind, "made", about, **facts)
        if entries is not None:
            target = dataclasses.replace(target, **vars(self.estimates.plan(entries)))
        if all(map(self._is_finished, jobs)):
            return target
        supplies = {supply.name: supply for supply in needed}.values()
        needs = together(supplies)
        return dataclasses.replace(
            target,
            state=needs.state,
            fetch_bytes=needs.bytes,
            is_fetch_known=needs.is_size_known,
            reasons=(*(supply.reason for supply in supplies if supply.reason), *target.reasons),
        )


def targets(plan: Plan, studies: Iterable[str], scores: bool, of_no_study: bool = True) -> Iterator[TargetSummary]:
    """Yield the target `all` of a plan, the targets of each of `studies`, and the targets of corpora.

    The targets of a study are the study and its items, and, where `scores` is true, the scores of each system and seed.
    `of_no_study` tells whether `all` and the corpora are wanted: the state of `all` takes longer than that of a study.
    """
    listed, yielded = Targets(plan), set()
    if of_no_study:
        yield listed.every()
    for study in studies:
        for target in listed.of_study(study, scores):
            # Scores that several studies share are targets of the first of them.
            if target.target not in yielded:
                yielded.add(target.target)
                yield target
    if of_no_study:
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
