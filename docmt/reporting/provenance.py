"""The provenance of a report's numbers: a record per run, the environments of trainings, the settings of systems.

A system is described by its resolved settings, and by their differences from the system that it extends.
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
    """A run: the record of its training and the facts of its decoding, empty where there are none.

    `unigram`: dev perplexity of the unigram model. A system that uses the model of another has no record of training.
    """

    run: Run
    record: dict[str, Any]
    decoding: dict[str, Any]
    unigram: float | None

    @property
    def share(self) -> float | None:
        """The best dev perplexity divided by that of the unigram model; none where one of them is missing."""
        perplexity = self.record.get("dev_perplexity")
        return perplexity / self.unigram if perplexity and self.unigram else None


@dataclass(frozen=True)
class Environment:
    """The versions, commit and hardware of trainings, with the runs that share them."""

    facts: dict[str, Any]
    runs: tuple[str, ...]


def run_records(results: Results) -> list[RunRecord]:
    """Return the record of every run that was trained or decoded."""
    return [run_record for run in results.runs if (run_record := _run_record(run)).record or run_record.decoding]


def _run_record(run: Run) -> RunRecord:
    """Return the record of a run, of its own training and not of that of a system whose model it uses."""
    scores = run.scores or {}
    record = run.record if run.entry.trained == run.entry.folder else None
    return RunRecord(run, record or {}, scores.get("decoding", {}), scores.get("unigram_dev_perplexity"))


def environments(results: Results) -> list[Environment]:
    """Return every distinct environment of the trainings."""
    groups: dict[str, tuple[dict, list[str]]] = {}
    for run in results.runs:
        if run.record:
            facts = {key: run.record.get(key) for key in ("commit", "versions", "hardware", "device", "threads")}
            name = f"{run.entry.corpus}/{run.entry.system.name}/seed{run.seed}"
            groups.setdefault(canonical_json(facts), (facts, []))[1].append(name)
    return [Environment(facts, tuple(names)) for facts, names in groups.values()]


@dataclass(frozen=True)
class Change:
    """A setting with its value and the different value of the parent system."""

    path: str
    parent: Any
    value: Any


@dataclass(frozen=True)
class SystemDescription:
    """A system of the study: its differences from its parent (none without a parent), and all settings by section."""

    entry: Entry
    changes: tuple[Change, ...] | None
    sections: dict[str, dict[str, Any]]

    @property
    def random_start(self) -> bool:
        """Return whether `pretrained` is a small random checkpoint of the scale."""
        return is_random_checkpoint(self.entry.system.pretrained)


def describe_systems(results: Results) -> list[SystemDescription]:
    """Return every system of the study once: its settings are the same on all corpora."""
    entries = {entry.system.name: entry for entry in reversed(results.settings.entries)}
    return [_describe(entries[name], entries) for name in results.systems]


def _describe(entry: Entry, entries: dict[str, Entry]) -> SystemDescription:
    """Return the description of a system; `entries`: those of all systems, by name."""
    system, parent = entry.system, entries.get(entry.extends or "")
    data = {"text": system.text, "view of train": system.view.train.name, "view of dev, test": system.view.test.name}
    sections = {"data": data} | {name: resolved(entry)[name] for name in ("model", "train", "decode")}
    return SystemDescription(entry, differences(parent, entry) if parent else None, sections)


def resolved(entry: Entry) -> dict[str, Any]:
    """Return every setting of a system by section; cuts are given by their names, such as window3."""
    system = entry.system
    view = {"train": system.view.train.name, "test": system.view.test.name}
    return {**dataclasses.asdict(system), "view": view}


def differences(parent: Entry, child: Entry) -> tuple[Change, ...]:
    """Return the settings in which two systems differ, including those that only one of them has."""
    before, after = (flatten(resolved(entry)) for entry in (parent, child))
    paths = [path for path in {**before, **after} if path != "name"]
    return tuple(
        Change(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)
    )
