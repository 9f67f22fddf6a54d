"""What systems and scores need from outside (corpora, checkpoints, translations): whether it is here, how it is had.

A file for scores that config.yaml names is the user's own: where it is missing, the run is refused. A study's file may
be missing (`missing: skip`): the metrics that need it are left out, and all others are computed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.files import FileConfig
from docmt.catalogue.filesets import FileSetConfig, load_file_sets
from docmt.catalogue.missing import Places, wanted_files
from docmt.grid.grid import Grid
from docmt.grid.scored import scoring_of
from docmt.plan.plan import Job, Plan
from docmt.settings.comet import has_comet
from docmt.settings.metrics import METRICS
from docmt.settings.pretrained import has_weights, is_random_checkpoint
from docmt.settings.scoring import MODEL, ScoringPart
from docmt.settings.system import Entry

SupplyState = Literal["ready", "to-fetch", "by-hand", "licence"]
"""Whether something is here, a program can fetch it, a person has to bring it, or a licence is needed first. The order
is that of the trouble."""
STATES: tuple[SupplyState, ...] = get_args(SupplyState)


@dataclass(frozen=True)
class Supply:
    """A corpus, the folder of a checkpoint, or a path of translations, that systems need."""

    name: str
    state: SupplyState = "ready"
    # The size of what is to be fetched, as far as it is known; `is_size_known`: whether that is all of it.
    bytes: float = 0
    is_size_known: bool = True
    reason: str = ""  # Why systems are left out, for reports; empty for what is here or can be fetched.
    way: str = ""  # How a person gets it.


class Supplies:
    """The supplies of a grid in the project's folder `root`."""

    def __init__(self, grid: Grid, root: Path = Path()) -> None:
        """Remember each supply that was asked for, since many systems need the same ones."""
        self.grid, self.root, self.plan = grid, root, Plan(grid, root)
        self._known: dict[str, Supply] = {}

    @cached_property
    def checkpoints(self) -> dict[str, FileSetConfig]:
        """The checkpoints of `workflow/downloads`, by their folders."""
        return {
            files.folder: files
            for files in load_file_sets(Path(self.grid.clone)).values()
            if files.kind == "checkpoint"
        }

    def corpus(self, name: str) -> Supply:
        """Return the supply of a corpus: it is ready where it has been read, and at a scale with fixtures."""
        if name not in self._known:
            is_here = self.grid.fixtures is not None or self.plan.is_finished(Job.of("corpus", corpus=name))
            places = self.grid.places(self.root)
            self._known[name] = Supply(name) if is_here else corpus_supply(self.grid.corpora[name], places)
        return self._known[name]

    def checkpoint(self, folder: str) -> Supply:
        """Return the supply of the folder of a checkpoint; random checkpoints are generated."""
        if folder not in self._known:
            self._known[folder] = self._checkpoint(folder)
        return self._known[folder]

    def _checkpoint(self, folder: str) -> Supply:
        if is_random_checkpoint(folder) or has_weights(self.root / folder):
            return Supply(folder)
        files = self.checkpoints.get(folder)
        reason = f"{folder} is missing: a pretrained model"
        if files is None:
            return Supply(folder, "by-hand", reason=reason, way=f"Put a checkpoint into the folder {folder}.")
        if self.grid.fetch_checkpoints:
            return Supply(folder, "to-fetch", files.bytes)
        way = (
            f"`fetch_checkpoints: true` in config.yaml, or `docmt fetch-files {files.set}`, downloads it"
            f" ({files.gigabytes:g} GB; licence: {files.licence}). Or put a copy of yours into this folder."
        )
        return Supply(folder, "by-hand", reason=reason, way=way)

    def translations(self, path: str) -> Supply:
        """Return the supply of the file or folder with the translations of an external system."""
        if (self.root / path).exists():
            return Supply(path)
        way = f"Put the translations at {path}, or state their path in the study (translations: path)."
        return Supply(path, "by-hand", reason=f"{path} is missing: translations of another system", way=way)

    def of_entries(self, entries: Iterable[Entry]) -> list[Supply]:
        """Return what systems on corpora need to be trained, or to be adopted."""
        needed: list[Supply] = []
        for entry in entries:
            needed += self.of(self.grid.corpora_for(entry), self.grid.checkpoints_for(entry))
            needed += map(self.translations, self.grid.translations_for(entry))
        return needed

    def of(self, corpora: Iterable[str], checkpoints: Iterable[str] = ()) -> list[Supply]:
        """Return the supplies of corpora and of folders of checkpoints."""
        return [*map(self.corpus, dict.fromkeys(corpora)), *map(self.checkpoint, dict.fromkeys(checkpoints))]

    def left_out(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return why supplies of the studies are left out, and how each can be had, by their names."""
        needed = self.of(corpus for study in self.grid.studies.values() for corpus in study.corpora)
        needed += self.of_entries(self.grid.entries)
        absent = [supply for supply in needed if supply.reason]
        return {supply.name: supply.reason for supply in absent}, {supply.name: supply.way for supply in absent}


def together(supplies: Iterable[Supply]) -> Supply:
    """Return supplies as one without a name: the worst state, and the size of all that is to be fetched."""
    supplies = list(supplies)
    worst = max((STATES.index(supply.state) for supply in supplies), default=0)
    known = all(supply.is_size_known for supply in supplies)
    return Supply("", STATES[worst], sum(supply.bytes for supply in supplies), known)


def corpus_supply(corpus: CorpusConfig, places: Places) -> Supply:
    """Return the supply of a corpus: its files that are not here, and how they can be had."""
    wanted = wanted_files(corpus, places)
    by_hand = [file for file in wanted if not file.is_public and not places.has_remote_mirror]
    fetched = [file for file in wanted if file not in by_hand]
    size, is_known = sum(file.size or 0 for file in fetched), all(file.size is not None for file in fetched)
    if by_hand:
        reason = f"{corpus.corpus} is missing: {names_of(by_hand)}"
        state: SupplyState = "licence" if any(file.licence for file in by_hand) else "by-hand"
        return Supply(corpus.corpus, state, size, is_known, reason, _way(by_hand))
    return Supply(corpus.corpus, "to-fetch" if fetched else "ready", size, is_known)


def names_of(files: list[FileConfig]) -> str:
    """Return the names of files for a report, shortened where there are more than three."""
    names = [file.name for file in files]
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} and {len(names) - 1} more files"


def _way(files: Iterable[FileConfig]) -> str:
    ways = dict.fromkeys(" ".join((file.obtain or "").split()) for file in files)
    return " ".join(way for way in ways if way) or "No public source is known."


def left_out_lines(grid: Grid, studies: Iterable[str]) -> list[str]:
    """Return a line for each reason why systems of studies are left out: their number, the reason, and the way."""
    counts, ways = Counter[str](), grid.ways_by_reason
    for entry in (entry for study in studies for entry in grid.of_study(study)):
        reason = grid.left_out(entry)
        if reason is not None:
            counts[reason] += len(entry.seeds)
    runs = {reason: "1 run" if number == 1 else f"{number} runs" for reason, number in sorted(counts.items())}
    return [f"left out: {number}: {reason}. {ways[reason]}".rstrip() for reason, number in runs.items()]


def missing_for_scores(supplies: Supplies) -> list[Supply]:
    """Return the missing files and folders that studies name for their scores, and that config.yaml does not name."""
    grid = supplies.grid
    named = {path for study in grid.studies for path in grid.scoring[study].paths if not _states(grid, study, path)}
    stated = {path for study in grid.studies for path in grid.scoring[study].paths} - named
    needed = [supply_for_scores(supplies, path) for path in sorted(stated)]
    return [supply for supply in needed if supply.reason]


def supplies_of_scores(supplies: Supplies, study: str) -> list[Supply]:
    """Return the supplies of what a study names for its scores, without those for metrics that are left out."""
    grid = supplies.grid
    paths = [path for path in grid.scoring[study].paths if _states(grid, study, path) and path not in grid.not_scored]
    return [supply_for_scores(supplies, path) for path in paths]


def supply_for_scores(supplies: Supplies, path: str) -> Supply:
    """Return the supply of a file or folder that a study names for its scores."""
    grid = supplies.grid
    what = next(paths[path] for scoring in grid.scoring.values() if path in (paths := scoring.paths))
    if what == MODEL:
        return supplies.checkpoint(path)
    if (supplies.root / path).is_file() or has_comet(supplies.root / path, what):
        return Supply(path)
    by_metric = [statements for study in grid.studies.values() for statements in study.measured_as.values()]
    ways = [item.obtain for statements in by_metric for item in statements if path in _leaves(item.scoring)]
    way = next(filter(None, ways), f"Put {what} into {path}.")
    return Supply(path, "by-hand", reason=f"{path} is missing: {what}", way=way)


def _states(grid: Grid, study: str, path: str) -> bool:
    """Return whether a study itself, and not only config.yaml, names a path for its scores."""
    return path in _leaves(grid.studies[study].scoring)


def _leaves(value: Any) -> Iterator[Any]:
    if not isinstance(value, Mapping):
        yield value
        return
    for item in value.values():
        yield from _leaves(item)


def metrics_of(part: ScoringPart) -> str:
    """Return the names of the metrics that need a part of `scoring`, such as an aligner."""
    return ", ".join(name for name, metric in METRICS.items() if metric.judge == part)


def not_scored_lines(grid: Grid, jobs: Iterable[Job]) -> list[str]:
    """Return a line for each reason why metrics of jobs are not computed: metrics, number of runs, reason and way."""
    counts: dict[tuple[str, ScoringPart], int] = {}
    for job in jobs:
        if job.step == "scores":
            entry = grid.find_scored(job.names["corpus"], job.names["system"])
            for part, reason in scoring_of(grid, entry.study, entry.corpus).missing.items():
                counts[reason, part] = counts.get((reason, part), 0) + 1
    ways = grid.ways_by_reason
    return [
        f"not scored: {metrics_of(part)} of {number} runs: {reason}. {ways.get(reason, '')}".rstrip()
        for (reason, part), number in sorted(counts.items())
    ]
