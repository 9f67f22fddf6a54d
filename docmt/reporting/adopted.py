"""Translations that docmt did not make, on a page: what is stated of them, and what was noted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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
    """Yield the runs of external systems that are scored, in the order of the page."""
    runs = [run for run in results.runs if run.scores and isinstance(run.entry.system, ExternalSystem)]
    for run in runs:
        decoding = run.scores["decoding"]
        same = [other for other in runs if other is not run and _is_same(run, other)]
        yield AdoptedRun(run, decoding, tuple(dict.fromkeys(other.entry.system.name for other in same)))


def _is_same(run: Run, other: Run) -> bool:
    """Return whether two runs have the same lines on the same corpus."""
    digests = [scored.scores["decoding"].get("digest") for scored in (run, other)]
    return run.entry.corpus == other.entry.corpus and digests[0] is not None and digests[0] == digests[1]


def replaced_file(runs: Sequence[Run]) -> str:
    """Return the name of the user's translations that generated lines replace in runs; empty where none do."""
    replaced = [run for run in runs if run.scores and run.scores["decoding"].get("stand_in")]
    return replaced[0].entry.system.source.place if replaced else ""
