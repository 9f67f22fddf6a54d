"""The provenance of a report's numbers: the records of runs, the environments of trainings, the settings of systems.

A system is described by all of its settings, and by those that differ from the system that it extends. Translations
that docmt did not make have what is stated of them, and what was noted.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docmt.base.artifacts import read_object_if_there
from docmt.base.digests import canonical_json
from docmt.reporting.formats import flatten
from docmt.reporting.results import Results, Run
from docmt.settings.pretrained import is_random_checkpoint
from docmt.settings.system import Entry, ExternalSystem


@dataclass(frozen=True)
class RunRecord:
    """A run, with the record of its training and the facts of its decoding, which are empty where there are none."""

    run: Run
    record: dict[str, Any]  # Empty for a system that uses the model of another system.
    decoding: dict[str, Any]
    unigram: float | None  # The dev perplexity of the unigram model.

    @property
    def share(self) -> float | None:
        """The best dev perplexity divided by that of the unigram model; None where one of them is missing."""
        perplexity = self.record.get("dev_perplexity")
        return perplexity / self.unigram if perplexity and self.unigram else None


@dataclass(frozen=True)
class Environment:
    """The versions, the commit and the hardware of trainings, and the names of the runs that have them in common."""

    facts: dict[str, Any]
    runs: tuple[str, ...]


def run_records(results: Results) -> list[RunRecord]:
    """Return the records of all runs that were trained or decoded."""
    return [run_record for run in results.runs if (run_record := _run_record(run)).record or run_record.decoding]


def _run_record(run: Run) -> RunRecord:
    """Return the record of a run, without a record of training where the run uses the model of another system."""
    record = run.record if run.entry.trained == run.entry.folder else None
    return RunRecord(run, record or {}, run.scoring.get("decoding", {}), run.scoring.get("unigram_dev_perplexity"))


def environments(results: Results) -> list[Environment]:
    """Return each different environment of the trainings once, with its runs."""
    groups: dict[str, tuple[dict, list[str]]] = {}
    for run in results.runs:
        if run.record:
            facts = {key: run.record.get(key) for key in ("commit", "versions", "hardware", "device", "threads")}
            name = f"{run.entry.corpus}/{run.entry.system.name}/seed{run.seed}"
            groups.setdefault(canonical_json(facts), (facts, []))[1].append(name)
    return [Environment(facts, tuple(names)) for facts, names in groups.values()]


def score_warnings(results: Results) -> dict[str, list[str]]:
    """Return the warnings of scoring jobs on text that looks tokenised or escaped, each with its runs."""
    runs: dict[str, list[str]] = {}
    for run in results.runs:
        for text in run.scoring.get("warnings", ()):
            runs.setdefault(text, []).append(f"{run.entry.corpus}/{run.entry.system.name}/seed{run.seed}")
    return runs


@dataclass(frozen=True)
class AdoptedRun:
    """A run of an external system, with the content of its `decoding.json`."""

    run: Run
    decoding: dict[str, Any]
    same_as: tuple[str, ...]  # The systems of the page that have the same translations.

    @property
    def origin(self) -> str:
        """Where the translations come from: the name of the user's file, or what else the settings name."""
        name = self.run.entry.system.source.place
        return f"generated lines in place of {name}" if self.decoding.get("stand_in") else name

    @property
    def notes(self) -> list[str]:
        """Sentences that a reader of the page should know."""
        same = [f"the same translations as {name}" for name in self.same_as]
        return [*same, *self.decoding.get("notes", [])]


def adopted_runs(results: Results) -> Iterator[AdoptedRun]:
    """Yield the runs of external systems whose translations are there, in the order of the page."""
    records = [(run, _record(results, run)) for run in results.runs if isinstance(run.entry.system, ExternalSystem)]
    adopted = [(run, record) for run, record in records if record]
    for run, record in adopted:
        same = [other for other, read in adopted if other is not run and _are_equal(run, record, other, read)]
        yield AdoptedRun(run, record, tuple(dict.fromkeys(other.entry.system.name for other in same)))


def _are_equal(run: Run, record: dict[str, Any], other: Run, read: dict[str, Any]) -> bool:
    """Return whether two runs have the same lines on the same corpus, by their `decoding.json`."""
    digest = record.get("digest")
    return run.entry.corpus == other.entry.corpus and digest is not None and digest == read.get("digest")


def _record(results: Results, run: Run) -> dict[str, Any] | None:
    """Return the `decoding.json` of a run, from its scores or beside its translations; None where there is none."""
    if run.scoring:
        return run.scoring["decoding"]
    may_read = results.settings.read("translations")
    return read_object_if_there(run.translations / "decoding.json", "lines") if may_read else None


@dataclass(frozen=True)
class Change:
    """A setting in which a system differs from the system that it extends."""

    path: str
    parent: Any  # The value of the system that it extends.
    value: Any  # The value of the system itself.


@dataclass(frozen=True)
class SystemDescription:
    """A system of the study: all of its settings by section, and its differences from the system that it extends.

    `changes` is None for a system that extends no other system of the page.
    """

    entry: Entry
    changes: tuple[Change, ...] | None
    sections: dict[str, dict[str, Any]]

    @property
    def random_start(self) -> bool:
        """Return whether `pretrained` is the folder of a small random checkpoint of the scale."""
        return is_random_checkpoint(self.entry.pretrained)


def describe_systems(results: Results) -> list[SystemDescription]:
    """Return the description of each system of the page; its settings are the same on all corpora."""
    entries = {entry.system.name: entry for entry in reversed(results.settings.entries)}
    return [_describe(entries[name], entries) for name in results.systems]


def _describe(entry: Entry, entries: dict[str, Entry]) -> SystemDescription:
    system, parent = entry.system, entries.get(entry.extends or "")
    if isinstance(system, ExternalSystem):
        source = dataclasses.asdict(system.source)
        return SystemDescription(entry, None, {"data": {"text": system.text}, source.pop("kind"): source})
    data = {"text": system.text, "view of train": system.view.train.name, "view of dev, test": system.view.test.name}
    settings = {name: resolved(entry)[name] for name in ("model", "train")} | {
        "decode": dataclasses.asdict(system.decode)
    }
    sections = {"data": data, **settings}
    return SystemDescription(entry, differences(parent, entry) if parent else None, sections)


def resolved(entry: Entry) -> dict[str, Any]:
    """Return all settings of a system by section; a cut is given by its name, such as window3."""
    system = entry.system
    view = {"train": system.view.train.name, "test": system.view.test.name}
    return {**dataclasses.asdict(system), "view": view}


def differences(parent: Entry, child: Entry) -> tuple[Change, ...]:
    """Return the settings in which two systems differ, also settings that only one of the two systems has."""
    before, after = (flatten(resolved(entry)) for entry in (parent, child))
    paths = [path for path in {**before, **after} if path != "name"]
    return tuple(
        Change(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)
    )
