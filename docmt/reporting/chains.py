"""Lexical chains: how systems and the reference translate the words that a document repeats."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from docmt.base.columns import OCCURRENCES, read_arrow
from docmt.reporting.results import Run


@dataclass(frozen=True)
class Rendering:
    """How a system, or the reference, translates a chain: an entry an occurrence, none without translation.

    `places`: of the words of each translation in its sentence. `agreeing`: so many of the `pairs` of occurrences.
    """

    translations: tuple[str | None, ...]
    places: tuple[tuple[int, ...], ...]
    agreeing: int
    pairs: int

    @property
    def is_consistent(self) -> bool | None:
        """Whether all agree; none where there is nothing to compare."""
        return self.agreeing == self.pairs if self.pairs else None

    @cached_property
    def counts(self) -> list[tuple[str | None, int]]:
        """The different translations, the most frequent first."""
        return Counter(self.translations).most_common()

    @property
    def varies(self) -> bool:
        """Whether there are several translations, occurrences without any left aside, that do not all agree."""
        return len({text for text in self.translations if text is not None}) > 1 and self.is_consistent is False

    @property
    def share(self) -> float:
        """Of agreeing pairs."""
        return self.agreeing / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, eq=False)
class Chain:
    """A repeated word: its occurrences as (test sentence, word), and what is made of it."""

    document: str
    unit: str
    places: tuple[tuple[int, int], ...]
    reference: Rendering
    systems: dict[str, Rendering]

    @property
    def differs(self) -> bool:
        """Some system is consistent, another is not."""
        return {True, False} <= {one.is_consistent for one in self.systems.values()}

    @property
    def spread(self) -> float:
        """How far systems are apart in their shares of agreeing pairs."""
        shares = [one.share for one in self.systems.values()]
        return max(shares) - min(shares)

    def is_overcorrected(self, system: str) -> bool:
        """The system is consistent where the reference varies."""
        return bool(self.systems[system].is_consistent) and self.reference.varies


@dataclass(frozen=True)
class Account:
    """Of a system, none being the reference: how many chains can be compared, how many are consistent.

    `faithful`: how many, and of how many, of the chains that the reference translates consistently; `overcorrected`: of
    those in which it varies. Both are none for the reference itself.
    """

    system: str | None
    chains: int
    consistent: int
    faithful: tuple[int, int] | None
    overcorrected: tuple[int, int] | None


def read_chains(runs: Sequence[Run]) -> list[Chain]:
    """The chains that all of these runs have: they are of one text."""
    tables = [read_arrow(run.occurrences, OCCURRENCES).to_pylist() for run in runs]
    by_place = [{_key(row): row for row in table} for table in tables]
    return [
        Chain(
            row["document"],
            row["unit"],
            tuple(zip(row["lines"], row["words"], strict=True)),
            _rendering(row, "reference_"),
            {run.entry.system.name: _rendering(rows[key], "") for run, rows in zip(runs, by_place, strict=True)},
        )
        for key, row in by_place[0].items()
        if all(key in rows for rows in by_place)
    ]


def _key(row: dict) -> tuple:
    return row["unit"], *row["lines"], *row["words"]


def _rendering(row: dict, prefix: str) -> Rendering:
    texts, places, agreeing, pairs = (row[prefix + name] for name in ("translations", "places", "agreeing", "pairs"))
    return Rendering(tuple(texts), tuple(map(tuple, places)), agreeing, pairs)


def account(chains: Sequence[Chain], system: str | None) -> Account:
    """Of the chains that have translations to compare."""
    own = {chain: (chain.reference if system is None else chain.systems[system]).is_consistent for chain in chains}
    compared = [chain for chain in chains if own[chain] is not None]

    def among(chosen: list[Chain]) -> tuple[int, int]:
        return sum(bool(own[chain]) for chain in chosen), len(chosen)

    consistent, total = among(compared)
    if system is None:
        return Account(None, total, consistent, None, None)
    faithful = among([chain for chain in compared if chain.reference.is_consistent])
    overcorrected = among([chain for chain in compared if chain.reference.varies])
    return Account(system, total, consistent, faithful, overcorrected)
