"""`occurrences.arrow`: the translations of lexical chains with their places, for the case studies of stage 8."""

from collections.abc import Sequence
from math import comb

import pyarrow as pa

from docmt.base.columns import OCCURRENCES
from docmt.scoring.alignment.links import Aligned
from docmt.scoring.chains import Chain
from docmt.scoring.consistency import TranslatedChain, agreeing_pairs, counted
from docmt.scoring.occurrences import Output, StopLists, Texts, chains_of
from docmt.settings.scoring import ConsistencyConfig

Side = tuple[Texts, Sequence[Aligned]]
"""Test sentences with a system's translations, or the references, and each one's links."""


def occurrences(system: Side, reference: Side, stop_lists: StopLists, config: ConsistencyConfig) -> pa.Table:
    """OCCURRENCES of the chains that LTCR takes; all their pairs are counted, whatever `config.pairs` says."""
    chains = chains_of(system[0], stop_lists, config)
    rows = [
        {
            "document": chain.document,
            "unit": config.chains,
            "lines": [line for line, _ in chain.places],
            "words": [word for _, word in chain.places],
        }
        for chain in chains
    ]
    for prefix, (texts, aligned) in (("", system), ("reference_", reference)):
        stopped = stop_lists.target.words
        pairs = zip(texts.hypotheses, aligned, strict=True)
        outputs = [Output.of(line, links, stopped, config) for line, links in pairs]
        for row, chain in zip(rows, chains, strict=True):
            row |= {prefix + name: value for name, value in _rendered(chain, outputs, config).items()}
    return pa.Table.from_pylist(rows, OCCURRENCES)


def _rendered(chain: Chain, outputs: Sequence[Output], config: ConsistencyConfig) -> dict:
    translations = [outputs[line].translation(word) for line, word in chain.places]
    taking_part = counted(TranslatedChain(chain.document, tuple(translations)), config)
    return {
        "translations": translations,
        "places": [outputs[line].places(word) for line, word in chain.places],
        "agreeing": agreeing_pairs(taking_part, config),
        "pairs": comb(len(taking_part), 2),
    }
