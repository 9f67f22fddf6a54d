"""The lexical chains of test documents with their translations by the reference and by each system, and their counts.

Paper: lexical chains (Lyu et al. 2022), appendix G.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from docmt.base.columns import OCCURRENCES
from docmt.base.tables import read_arrow
from docmt.reporting.results import Run


@dataclass(frozen=True)
class Rendering:
    """The translations of a lexical chain by a system or by the reference, with one entry for each occurrence."""

    # The translation of each occurrence, None for an occurrence without a translation.
    translations: tuple[str | None, ...]
    # The positions of the words of each translation in its target sentence, from 0.
    places: tuple[tuple[int, ...], ...]
    agreeing: int  # The number of pairs whose two translations agree.
    pairs: int  # The number of pairs of occurrences that can be compared.

    @property
    def is_consistent(self) -> bool | None:
        """Return whether the two translations of every pair agree; None where there is no pair to compare."""
        return self.agreeing == self.pairs if self.pairs else None

    @cached_property
    def counts(self) -> list[tuple[str | None, int]]:
        """The different translations with their numbers of occurrences, the most frequent translation first."""
        return Counter(self.translations).most_common()

    @property
    def varies(self) -> bool:
        """Return whether a chain has at least two different translations, and not all pairs of translations agree."""
        return len({text for text in self.translations if text is not None}) > 1 and self.is_consistent is False

    @property
    def differs(self) -> bool:
        """Return whether a chain has at least two different translations, no two of which share a word."""
        texts = {text.casefold() for text in self.translations if text is not None}
        words = [word for text in texts for word in set(text.split())]
        return len(texts) > 1 and len(words) == len(set(words))

    @property
    def share(self) -> float:
        """The share of pairs whose translations agree, from 0 to 1; 0 where there is no pair."""
        return self.agreeing / self.pairs if self.pairs else 0.0


# Without eq=False a chain could not be the key of a mapping, since its field `systems`, a mapping, has no hash.
@dataclass(frozen=True, eq=False)
class ChainCase:
    """A lexical chain of a test document with its translations by the reference and by each system."""

    document: str
    unit: str  # "words" where the chain repeats a word, "pieces" where it repeats a piece.
    # The number of the test sentence, and the number of the word or piece in it, of each occurrence, both from 0.
    places: tuple[tuple[int, int], ...]
    reference: Rendering
    systems: dict[str, Rendering]

    @property
    def differs(self) -> bool:
        """Return whether one system translates the chain consistently and another system does not."""
        return {True, False} <= {rendering.is_consistent for rendering in self.systems.values()}

    @property
    def spread(self) -> float:
        """The difference between the largest and the smallest share of agreeing pairs of the systems, from 0 to 1."""
        shares = [rendering.share for rendering in self.systems.values()]
        return max(shares) - min(shares)

    def is_overcorrected(self, system: str) -> bool:
        """Return whether the system translates the chain consistently although the reference varies."""
        return bool(self.systems[system].is_consistent) and self.reference.varies


@dataclass(frozen=True)
class ChainCounts:
    """The numbers of chains that a system, or the reference (`system` is None), translates consistently."""

    system: str | None
    chains: int  # The number of chains with at least one pair of translations to compare.
    consistent: int  # The number of these chains that are translated consistently.
    # The numbers (consistent, all) of the chains that the reference translates consistently.
    faithful: tuple[int, int] | None
    # The numbers (consistent, all) of the chains in which the reference varies. The last two fields are None for the
    # reference itself.
    overcorrected: tuple[int, int] | None


def read_chains(runs: Sequence[Run]) -> list[ChainCase]:
    """Read the chains that all of the runs have; their systems must have the same preset of text."""
    tables = [read_arrow(run.occurrences, OCCURRENCES).to_pylist() for run in runs]
    by_place = [{_key(row): row for row in table} for table in tables]
    return [
        ChainCase(
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
    """Return the unit and the places of a row's chain, which are the same in the rows of all runs for this chain."""
    return row["unit"], *row["lines"], *row["words"]


def _rendering(row: dict, prefix: str) -> Rendering:
    """Return the translations of a row of OCCURRENCES; `prefix` is "reference_" for the reference, else empty."""
    texts, places, agreeing, pairs = (row[prefix + name] for name in ("translations", "places", "agreeing", "pairs"))
    return Rendering(tuple(texts), tuple(map(tuple, places)), agreeing, pairs)


def chain_counts(chains: Sequence[ChainCase], system: str | None) -> ChainCounts:
    """Count the chains with pairs to compare, and the consistent ones; `system` None counts those of the reference."""
    verdicts = {chain: (chain.reference if system is None else chain.systems[system]).is_consistent for chain in chains}
    compared = [chain for chain in chains if verdicts[chain] is not None]

    def among(chosen: list[ChainCase]) -> tuple[int, int]:
        """Return the number of consistent chains in `chosen`, and the number of all chains in it."""
        return sum(bool(verdicts[chain]) for chain in chosen), len(chosen)

    consistent, total = among(compared)
    if system is None:
        return ChainCounts(None, total, consistent, None, None)
    faithful = among([chain for chain in compared if chain.reference.is_consistent])
    overcorrected = among([chain for chain in compared if chain.reference.varies])
    return ChainCounts(system, total, consistent, faithful, overcorrected)


def overcorrected(chains: Sequence[ChainCase]) -> list[ChainCase]:
    """Return the chains that at least one system over-corrects, and that show it beyond doubt."""
    # Any two translations by the reference that share a word, as "every day" and "rides every day" do, cast doubt: the
    # alignment may have linked one word too many.
    chosen = [chain for chain in chains if any(map(chain.is_overcorrected, chain.systems)) and chain.reference.differs]
    # Chains on which the systems differ come first, and then those with more occurrences.
    return sorted(chosen, key=lambda chain: (not chain.differs, -len(chain.places)))
