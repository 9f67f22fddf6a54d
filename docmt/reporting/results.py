"""What a report knows: the study with its systems, and what of it has been run so far."""

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from docmt.core.artifacts import read_json
from docmt.core.errors import UserError
from docmt.core.grid import Entry
from docmt.core.parse import Lines, check_keys, mapping, parse
from docmt.core.study import StudyConfig


@dataclass(frozen=True)
class ReportSettings:
    """The slice of the grid that a report is made from. `not_run`: corpora that were left out, and why."""

    scale: str
    study: StudyConfig
    entries: tuple[Entry, ...]
    corpora: dict[str, dict]
    not_run: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> "ReportSettings":
        """Read the `settings.json` of stage 8. Raises UserError where it is none."""
        lines = Lines(str(path))
        value = mapping(read_json(path), lines)
        check_keys(value, ("version", "scale", "study", "entries", "corpora", "not_run"), lines)
        value = {key: item for key, item in value.items() if key != "version"}
        # Systems come resolved, as entries; how the study stated them is of no interest here.
        study = {**mapping(value.get("study"), lines, ("study",)), "systems": {}}
        return parse(cls, {**value, "study": study}, lines)


@dataclass(frozen=True)
class Run:
    """One system on one corpus with one seed; none (or empty) is what has not been run."""

    entry: Entry
    seed: int
    translations: Path
    occurrences: Path
    scores: dict | None = None
    record: dict | None = None
    curve: tuple[dict, ...] = ()


@dataclass(frozen=True)
class Results:
    """A study's settings, and all of its runs that are there."""

    settings: ReportSettings
    folder: Path
    runs: tuple[Run, ...] = field(default=())
    comparisons: tuple[dict, ...] = ()

    @classmethod
    def load(cls, settings: ReportSettings, folder: Path) -> "Results":
        """Read scores, comparisons, records and curves under `results/`; what is not there was not run.

        Raises UserError for a file that is damaged.
        """
        compared = read_if_there(folder / "7_comparisons" / settings.study.study / "comparisons.json") or {}
        results = cls(settings, folder, comparisons=tuple(compared.get("comparisons", ())))
        seeds = settings.study.seeds or ()
        return replace(results, runs=tuple(results._run(e, seed) for e in settings.entries for seed in seeds))

    def _run(self, entry: Entry, seed: int) -> Run:
        def stage(name: str, system: str) -> Path:
            return self.folder / name / self.settings.scale / entry.corpus / system / f"seed{seed}"

        training = stage("5_training", entry.trained)
        return Run(
            entry,
            seed,
            translations=stage("6_translations", entry.folder),
            occurrences=stage("7_scores", entry.folder) / "occurrences.arrow",
            scores=read_if_there(stage("7_scores", entry.folder) / "scores.json"),
            record=read_if_there(training / "record.json"),
            curve=_read_curve(training / "metrics.jsonl"),
        )

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the study's systems, in its order."""
        return tuple(dict.fromkeys(entry.system.name for entry in self.settings.entries))

    @property
    def corpora(self) -> tuple[str, ...]:
        return self.settings.study.corpora

    def of(self, corpus: str, system: str | None = None) -> list[Run]:
        """The runs on a corpus, of all systems or of one, in the order of systems and seeds."""
        return [r for r in self.runs if r.entry.corpus == corpus and system in (None, r.entry.system.name)]

    def comparison(self, corpus: str, metric: str, system: str, baseline: str, test: str) -> dict | None:
        """How a system compares with its baseline; none where that was not tested."""
        wanted = {"corpus": corpus, "metric": metric, "system": system, "baseline": baseline, "test": test}
        return next((one for one in self.comparisons if wanted.items() <= one.items()), None)

    def card(self, corpus: str) -> dict:
        """The counts that stage 1 wrote beside the corpus; empty where it has not run."""
        return read_if_there(self.folder / "1_corpus" / corpus / "card.json") or {}

    def text_cards(self, corpus: str) -> dict[str, dict]:
        """What stage 2 made of the corpus, by the name of the text that a system of the study takes."""
        texts = dict.fromkeys(e.system.text for e in self.settings.entries if e.corpus == corpus)
        found = {name: read_if_there(self.folder / "2_tokens" / corpus / name / "card.json") for name in texts}
        return {name: card for name, card in found.items() if card}

    def language(self, corpus: str, side: str) -> str:
        """`side` is source or target; empty where the catalogue does not say."""
        return self.settings.corpora.get(corpus, {}).get(f"{side}_language", "")


def read_if_there(path: Path) -> Any:
    return read_json(path) if path.exists() else None


def _read_curve(path: Path) -> tuple[dict, ...]:
    if not path.exists():
        return ()
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError as problem:
            raise UserError("not a JSON line", where=f"{path}:{number}", found=problem) from None
    return tuple(rows)
