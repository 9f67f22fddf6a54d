"""The translations of a lexical chain's words in a system's output, by word alignment.

The papers are silent on what the translation of an occurrence is; `docmt.settings.scoring.ConsistencyConfig` has the
choices. By its defaults it is the target words linked to the occurrence, lower-cased, joined in order, without
punctuation and stop words. Where nothing else is linked, stop words count after all: a word that is translated by "do"
twice is translated alike, and one that is "it" once is not. What has no link at all in either direction was left out by
the system, or is a word that the aligner does not know it by: it agrees with nothing. Were such occurrences skipped, a
system would gain by leaving out, or garbling, whatever it cannot translate consistently.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

import pyarrow as pa

from docmt.base.columns import OCCURRENCES
from docmt.scoring.alignment.links import Aligned, Links
from docmt.scoring.chains import Chain, find_chains, has_letters
from docmt.scoring.consistency import TranslatedChain, agreeing_pairs, counted
from docmt.scoring.stop_lists import StopList, cased
from docmt.settings.scoring import ConsistencyConfig


@dataclass(frozen=True)
class Texts:
    """Test sentences: each one's document by name, its source (pieces, where chains are of pieces), a translation."""

    documents: Sequence[str]
    sources: Sequence[str]
    hypotheses: Sequence[str]


@dataclass(frozen=True)
class StopLists:
    """Words that make no chain, and words that are no part of a translation."""

    source: StopList
    target: StopList


def translated_chains(
    texts: Texts, aligned: Sequence[Aligned], stop_lists: StopLists, config: ConsistencyConfig
) -> list[TranslatedChain]:
    """Of every chain of the documents. `aligned`: of each sentence and its translation."""
    outputs = [
        Output.of(line, links, stop_lists.target.words, config)
        for line, links in zip(texts.hypotheses, aligned, strict=True)
    ]
    return [
        TranslatedChain(chain.document, tuple(outputs[sentence].translation(token) for sentence, token in chain.places))
        for chain in chains_of(texts, stop_lists, config)
    ]


def chains_of(texts: Texts, stop_lists: StopLists, config: ConsistencyConfig) -> list[Chain]:
    """The chains of the documents, in the order of `translated_chains`."""
    return find_chains(texts.documents, texts.sources, stop_lists.source.words, config)


@dataclass(frozen=True)
class Output:
    """A translated sentence. `words`: cased; None stands for punctuation that is no part of translations.

    `directions`: of each source word with links, the places of its target words; where reverse links count, those of
    the other direction come second. `stop_words`: no part of translations; `keeps_them`, unless there is nothing else.
    """

    words: tuple[str | None, ...]
    directions: tuple[dict[int, list[int]], ...]
    stop_words: frozenset[str]
    keeps_them: bool

    @classmethod
    def of(cls, line: str, aligned: Aligned, stop_words: frozenset[str], config: ConsistencyConfig) -> "Output":
        words = [cased(word, config.target_case == "lower") for word in line.split()]
        links = (aligned.forward, aligned.backward) if config.reverse_links else (aligned.forward,)
        return cls(
            tuple(word if config.target_punctuation or has_letters(word) else None for word in words),
            tuple(_by_source(direction) for direction in links),
            stop_words,
            config.only_stop_words == "kept",
        )

    def places(self, source: int) -> list[int]:
        """Of the words that are the translation of the source word at this place."""
        linked = [
            [place for place in direction.get(source, []) if self.words[place] is not None]
            for direction in self.directions
        ]
        content = ([place for place in places if self.words[place] not in self.stop_words] for places in linked)
        return _first(content) or (_first(linked) if self.keeps_them else [])

    def translation(self, source: int) -> str | None:
        """Of the source word at this place; None where it has none.

        The first is linked to "New", the second to "the", a stop word, and "York", the third to nothing.

        >>> links = Aligned.symmetric(frozenset({(0, 1), (1, 2), (1, 0)}))
        >>> output = Output.of("the New York .", links, frozenset({"the"}), ConsistencyConfig())
        >>> [output.translation(place) for place in range(3)]
        ['new', 'york', None]
        """
        return " ".join(self.words[place] for place in self.places(source)) or None


def _first(choices: Iterable[list[int]]) -> list[int]:
    """The first that is not empty."""
    return next(filter(None, choices), [])


def _by_source(links: Links) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for source, target in sorted(links):
        places.setdefault(source, []).append(target)
    return places


def signature(config: ConsistencyConfig, stop_lists: StopLists, aligner: str) -> str:
    """How translations of chains are found, for the signatures of what is measured on them.

    >>> lists = StopLists(StopList(frozenset(), "top1000"), StopList(frozenset(), "top150"))
    >>> signature(ConsistencyConfig(), lists, "hmm")
    'chains:words|nochain:top1000|aligner:hmm|links:forward+reverse|case:lc|strip:punctuation+top150|onlystop:kept'
    """
    source = [config.chains, *(["lc"] if config.source_case == "lower" else [])]
    unchained = [stop_lists.source.name, *([] if config.source_punctuation else ["punctuation"])]
    stripped = [*([] if config.target_punctuation else ["punctuation"]), stop_lists.target.name]
    return "|".join(
        [
            f"chains:{'-'.join(source)}",
            f"nochain:{'+'.join(unchained)}",
            f"aligner:{aligner}",
            f"links:{'forward+reverse' if config.reverse_links else 'forward'}",
            f"case:{'lc' if config.target_case == 'lower' else 'mixed'}",
            f"strip:{'+'.join(stripped)}",
            f"onlystop:{config.only_stop_words}",
        ]
    )


Side = tuple[Texts, Sequence[Aligned]]
"""Test sentences with a system's translations, or the references, and each one's links."""


def occurrences(system: Side, reference: Side, stop_lists: StopLists, config: ConsistencyConfig) -> pa.Table:
    """OCCURRENCES of the chains that LTCR takes, with their places, for the case studies of stage 8.

    All their pairs are counted, whatever `config.pairs` says.
    """
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
