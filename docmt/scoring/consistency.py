"""How consistently the words of lexical chains are translated: LTCR and HHI.

Paper: lexical chains, section 4.1 (LTCR, after Lyu et al. 2021) and appendix D (HHI, eq. 25 and 26).
The papers leave open what the translation of an occurrence is; docmt.scoring.occurrences says what we chose.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

DRAWS = 1000
"""How many times the bootstrap draws documents."""

SEED = 1
LEVEL = 95
"""Percent of the draws that the interval holds."""


@dataclass(frozen=True)
class TranslatedChain:
    """A chain of a test document: the translations of its occurrences, of those that have one."""

    document: str
    translations: tuple[str, ...]

    @property
    def pairs(self) -> int:
        """How many pairs of occurrences there are."""
        return comb(len(self.translations), 2)

    @property
    def agreeing_pairs(self) -> int:
        """Pairs whose translations are the same."""
        return sum(comb(count, 2) for count in Counter(self.translations).values())

    @property
    def squared_shares(self) -> float:
        """Eq. 25: the sum of R_i^2, R_i being the share of the i-th different translation."""
        size = len(self.translations)
        return sum((count / size) ** 2 for count in Counter(self.translations).values())


def ltcr(chains: Sequence[TranslatedChain]) -> float | None:
    """Lexical translation consistency ratio, 0 to 100: of all pairs of occurrences in a chain, those that agree.

    One ratio over all chains (micro average); none where no chain has two translations.
    """
    pairs = sum(chain.pairs for chain in chains)
    return 100 * sum(chain.agreeing_pairs for chain in chains) / pairs if pairs else None


def hhi(chains: Sequence[TranslatedChain]) -> float | None:
    """Herfindahl-Hirschman index, 0 to 100: the mean of the chains' own, each as often as it has translations.

    Over the chains that LTCR counts, those of two translations or more; none where there is no such chain.
    Paper: eq. 26, in percent as table 6 prints it.
    """
    counted = [chain for chain in chains if chain.pairs]
    sizes = sum(len(chain.translations) for chain in counted)
    return 100 * sum(len(chain.translations) * chain.squared_shares for chain in counted) / sizes if sizes else None


def ltcr_interval(chains: Sequence[TranslatedChain]) -> dict | None:
    """`{"low", "high", "signature"}`: between which LTCR is in 95 % of draws of as many documents, with replacement.

    Documents without a pair to compare carry nothing and are left out; none where all are. Our addition.
    """
    documents: dict[str, list[int]] = {}
    for chain in chains:
        if chain.pairs:
            counts = documents.setdefault(chain.document, [0, 0])
            counts[0] += chain.agreeing_pairs
            counts[1] += chain.pairs
    if not documents:
        return None
    table = np.array(list(documents.values()))
    drawn = np.random.default_rng(SEED).integers(len(table), size=(DRAWS, len(table)))
    agreeing, pairs = table[drawn].sum(axis=1).T
    tail = (100 - LEVEL) / 2
    low, high = np.percentile(100 * agreeing / pairs, [tail, 100 - tail]).tolist()
    signature = f"bootstrap|unit:documents|draws:{DRAWS}|seed:{SEED}|level:{LEVEL}|v:1"
    return {"low": low, "high": high, "signature": signature}


def consistency(chains: Sequence[TranslatedChain], how: str) -> dict:
    """`{"LTCR": {...}, "HHI": {...}}`, each with its score and signature; empty where no chain has two translations.

    `how`: the part of the signatures that says where the translations come from.
    """
    counted = [chain for chain in chains if chain.pairs]
    if not counted:
        return {}
    sizes = {"chains": len(counted), "pairs": sum(chain.pairs for chain in counted)}
    return {
        "LTCR": {
            "score": ltcr(counted),
            "interval": ltcr_interval(counted),
            **sizes,
            "signature": f"LTCR|{how}|match:exact|average:micro|v:1",
        },
        "HHI": {"score": hhi(counted), **sizes, "signature": f"HHI|{how}|match:exact|average:size|v:1"},
    }
