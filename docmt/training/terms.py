"""Losses beside that of the translation, summed up by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from docmt.models.transformer import LossTerm


@dataclass
class Terms:
    """Sums of loss terms, and over how many things they are."""

    totals: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, terms: Mapping[str, LossTerm]) -> None:
        for name, term in terms.items():
            self._add(name, term.total.item(), term.count)

    def merge(self, other: "Terms") -> None:
        for name, total in other.totals.items():
            self._add(name, total, other.counts[name])

    def means(self) -> dict[str, float]:
        """Each term by the thing, such as nats a chain; a term that met none is left out."""
        return {name: total / self.counts[name] for name, total in self.totals.items() if self.counts[name]}

    def _add(self, name: str, total: float, count: int) -> None:
        self.totals[name] = self.totals.get(name, 0.0) + total
        self.counts[name] = self.counts.get(name, 0) + count
