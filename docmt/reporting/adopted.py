"""Translations that docmt did not make, on a page: what is stated of them, and what was noted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from docmt.base.artifacts import read_object_if_there
from docmt.reporting.results import Results, Run
from docmt.settings.system import ExternalSystem


@dataclass(frozen=True)
class AdoptedRun:
    """A run of an external system, with the content of its `decoding.json`.

    `same_as`: the systems of the page that have the same translations.
    """

    run: Run
    decoding: dict[str, Any]
    same_as: tuple[str, ...]

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


def replaced_file(runs: Sequence[Run]) -> str:
    """Return the name of the user's translations that generated lines replace in runs; empty where none do."""
    replaced = [run for run in runs if run.scoring and run.scoring["decoding"].get("stand_in")]
    return replaced[0].entry.system.source.place if replaced else ""
