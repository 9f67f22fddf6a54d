"""How the numbers came about: a line a run, the environments that the runs ran in, and what each system is.

A system is its resolved settings; shown is where they differ from those of the system that it extends.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any

from docmt.base.artifacts import canonical_json
from docmt.reporting.formats import flatten
from docmt.reporting.results import Results, Run
from docmt.settings.pretrained import is_random_checkpoint
from docmt.settings.system import Entry


@dataclass(frozen=True)
class RunRecord:
    """One run: training's record and decoding's facts, empty where there are none.

    A system that uses another's model has no training of its own.
    """

    run: Run
    record: dict[str, Any]
    decoding: dict[str, Any]
    unigram: float | None

    @property
    def share(self) -> float | None:
        """Best dev perplexity as a share of the unigram model's."""
        own = self.record.get("dev_perplexity")
        return own / self.unigram if own and self.unigram else None


@dataclass(frozen=True)
class Environment:
    """Versions, commit and hardware, with the runs that share them."""

    facts: dict[str, Any]
    runs: tuple[str, ...]


def run_records(results: Results) -> list[RunRecord]:
    """Of every run that was trained or decoded."""
    return [run_record for run in results.runs if (run_record := _run_record(run)).record or run_record.decoding]


def _run_record(run: Run) -> RunRecord:
    scores = run.scores or {}
    own = run.record if run.entry.trained == run.entry.folder else None
    return RunRecord(run, own or {}, scores.get("decoding", {}), scores.get("unigram_dev_perplexity"))


def environments(results: Results) -> list[Environment]:
    """Every distinct environment of the trainings."""
    groups: dict[str, tuple[dict, list[str]]] = {}
    for run in results.runs:
        if run.record:
            facts = {key: run.record.get(key) for key in ("commit", "versions", "hardware", "device", "threads")}
            name = f"{run.entry.corpus}/{run.entry.system.name}/seed{run.seed}"
            groups.setdefault(canonical_json(facts), (facts, []))[1].append(name)
    return [Environment(facts, tuple(names)) for facts, names in groups.values()]


@dataclass(frozen=True)
class Change:
    """A setting that differs from the parent's."""

    path: str
    parent: Any
    value: Any


@dataclass(frozen=True)
class SystemDescription:
    """`changes` is none where the system extends no other; `sections` has every setting, resolved."""

    entry: Entry
    changes: tuple[Change, ...] | None
    sections: dict[str, dict[str, Any]]

    @property
    def random_start(self) -> bool:
        """Whether `pretrained` is a small random checkpoint that the scale makes."""
        return is_random_checkpoint(self.entry.system.pretrained)


def describe_systems(results: Results) -> list[SystemDescription]:
    """Every system of the study once, whatever the number of corpora: settings are the same on all."""
    entries = {entry.system.name: entry for entry in reversed(results.settings.entries)}
    return [_describe(entries[name], entries) for name in results.systems]


def _describe(entry: Entry, entries: dict[str, Entry]) -> SystemDescription:
    system, parent = entry.system, entries.get(entry.extends or "")
    data = {"text": system.text, "view of train": system.view.train.name, "view of dev, test": system.view.test.name}
    sections = {"data": data} | {name: resolved(entry)[name] for name in ("model", "train", "decode")}
    return SystemDescription(entry, differences(parent, entry) if parent else None, sections)


def resolved(entry: Entry) -> dict[str, Any]:
    """Every setting of a system by section; a cut by its name, such as window3."""
    system = entry.system
    view = {"train": system.view.train.name, "test": system.view.test.name}
    return {**dataclasses.asdict(system), "view": view}


def differences(parent: Entry, own: Entry) -> tuple[Change, ...]:
    """Settings that the two resolve differently, those that only one of them knows included."""
    before, after = (flatten(resolved(entry)) for entry in (parent, own))
    paths = [path for path in {**before, **after} if path != "name"]
    return tuple(
        Change(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)
    )
