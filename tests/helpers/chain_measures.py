"""LTCR and HHI of chains without their signatures."""

from collections.abc import Sequence
from math import isnan

from docmt.base.scores import Score
from docmt.scoring.consistency import TranslatedChain, consistency_tallies
from docmt.scoring.intervals import score_of
from docmt.settings.scoring import ConsistencyConfig


def measured(
    chains: Sequence[TranslatedChain],
    config: ConsistencyConfig,
    documents: Sequence[str] | None = None,
    of: str = "",
) -> list[Score]:
    """LTCR and HHI; `documents` are all of the test set, if more than those of the chains."""
    names = documents or list(dict.fromkeys(chain.document for chain in chains)) or ["none"]
    return [score_of(tally) for tally in consistency_tallies(chains, names, config, of)]


def _value(score: Score) -> float | None:
    return None if isnan(score.value) else score.value


def ltcr(chains: Sequence[TranslatedChain], config: ConsistencyConfig) -> float | None:
    return _value(measured(chains, config)[0])


def hhi(chains: Sequence[TranslatedChain], config: ConsistencyConfig) -> float | None:
    return _value(measured(chains, config)[1])
