"""How the numbers came about: a line a run, and the environments that the runs ran in."""

from dataclasses import dataclass
from typing import Any

from docmt.base.artifacts import canonical_json
from docmt.reporting.results import Results, Run


@dataclass(frozen=True)
class Account:
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


def accounts(results: Results) -> list[Account]:
    """Of every run that was trained or decoded."""
    return [account for run in results.runs if (account := _account(run)).record or account.decoding]


def _account(run: Run) -> Account:
    scores = run.scores or {}
    own = run.record if run.entry.trained == run.entry.folder else None
    return Account(run, own or {}, scores.get("decoding", {}), scores.get("unigram_dev_perplexity"))


def environments(results: Results) -> list[Environment]:
    """Every distinct environment of the trainings."""
    groups: dict[str, tuple[dict, list[str]]] = {}
    for run in results.runs:
        if run.record:
            facts = {key: run.record.get(key) for key in ("commit", "versions", "hardware", "device", "threads")}
            name = f"{run.entry.corpus}/{run.entry.system.name}/seed{run.seed}"
            groups.setdefault(canonical_json(facts), (facts, []))[1].append(name)
    return [Environment(facts, tuple(names)) for facts, names in groups.values()]
