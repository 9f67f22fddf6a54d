"""What documents add to LTCR and HHI, and contrastive items to accuracy."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from docmt.scoring.consistency import MEASURES, TranslatedChain, by_document
from docmt.scoring.contrastive import Judgement
from docmt.scoring.tallies import Tally
from docmt.settings.scoring import ConsistencyConfig


def consistency_tallies(
    chains: Sequence[TranslatedChain], documents: Sequence[str], config: ConsistencyConfig
) -> list[Tally]:
    """LTCR's and HHI's, a row for each document of the test set, chains or not: (part, whole), by `percent`.

    None where no chain has two translations, and so neither has a score.
    """
    tallies = [
        Tally(name, "percent", "documents", tuple(documents), by_document(chains, documents, summands, config))
        for name, summands in MEASURES.items()
    ]
    return [tally for tally in tallies if tally.counts.any()]


def accuracy_tallies(judgements: Sequence[Judgement]) -> list[Tally]:
    """(1 if right, 1) of each item, by set and distance."""

    def group(judgement: Judgement) -> tuple[str, int]:
        return judgement.set, judgement.distance

    tallies = []
    for (name, distance), members in groupby(sorted(judgements, key=group), group):
        counts = np.array([[judgement.right, 1] for judgement in members], dtype=float)
        names = tuple(f"{distance}/{number}" for number in range(len(counts)))
        tallies.append(Tally("accuracy", "percent", "items", names, counts, name, distance))
    return tallies
