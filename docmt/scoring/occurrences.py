"""The lexical chains that LTCR and HHI look at, and the translations of their words in a system's output.

Paper: lexical chains, appendix A. With the rules' defaults they are the chains of `docmt chains words`.

The papers are silent on what the translation of an occurrence is; `docmt.settings.scoring.ConsistencyConfig` has the
choices. By its defaults it is the target words linked to the occurrence, lower-cased, joined in order, without
punctuation and stop words. Where nothing else is linked, stop words count after all: a word that is translated by "do"
twice is translated alike, and one that is "it" once is not. What has no link at all in either direction was left out by
the system, or is a word that the aligner does not know it by: it agrees with nothing. Were such occurrences skipped, a
system would gain by leaving out, or garbling, whatever it cannot translate consistently.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise
from math import comb

import numpy as np
import pyarrow as pa

from docmt.base.chains import Words, chains_of_pieces, repeated, words_of_pieces
from docmt.base.columns import OCCURRENCES
from docmt.scoring.alignment.links import DirectedLinks, Links
from docmt.scoring.chain_scores import AlignedTranslations, StopLists
from docmt.scoring.consistency import TranslatedChain, agreeing_pairs, counted_translations
from docmt.scoring.inputs import apply_case
from docmt.settings.scoring import ConsistencyConfig


@dataclass(frozen=True)
class Chain:
    """A repeated word of a document's source side. `places`: (sentence, token), sentences counted through all
    documents."""

    document: str
    places: tuple[tuple[int, int], ...]


def find_chains(
    documents: Sequence[str], lines: Sequence[str], stop_words: frozenset[str], config: ConsistencyConfig
) -> list[Chain]:
    """`documents`: each line's, by name; `lines`: source sentences, of pieces where chains are.

    A word is left out where it is a stop word, or where it has no letter and no digit and the rules say so. A word has
    the same pieces wherever it stands.

    >>> lines = ["A cat .", "the cat .", "a cat"]
    >>> [one.places for one in find_chains(["x", "x", "y"], lines, frozenset({"."}), ConsistencyConfig())]
    [((0, 1), (1, 1))]
    >>> pieces = ["ca@@ ts sit", "all ca@@ ts"]
    >>> [one.places for one in find_chains(["x", "x"], pieces, frozenset(), ConsistencyConfig(chains="pieces"))]
    [((0, 0), (1, 1)), ((0, 1), (1, 2))]
    """
    sentences = [_words(line.split(), config) for line in lines]
    words = [apply_case(word, config.source_case == "lower") for line, _ in sentences for word in line]
    if not config.source_punctuation:
        stop_words |= {word for word in words if not has_letters(word)}
    counts = np.fromiter(chain.from_iterable(counts for _, counts in sentences), np.int64)
    pairs = groupby(zip(documents, sentences, strict=True), key=lambda pair: pair[0])
    lengths = np.array([sum(len(line) for _, (line, _) in group) for _, group in pairs])
    members, sizes = chains_of_pieces(repeated(pa.array(words, pa.string()), lengths, stop_words), counts)
    places = [(number, token) for number, (_, own) in enumerate(sentences) for token in range(sum(own))]
    found = [places[member] for member in members.tolist()]
    ends = accumulate(sizes.tolist(), initial=0)
    return [Chain(documents[found[start][0]], tuple(found[start:end])) for start, end in pairwise(ends)]


def _words(tokens: list[str], config: ConsistencyConfig) -> Words:
    return words_of_pieces(tokens) if config.chains == "pieces" else (tokens, [1] * len(tokens))


def has_letters(word: str) -> bool:
    """Or digits: whether it is more than punctuation."""
    return any(map(str.isalnum, word))


def translated_chains(
    texts: AlignedTranslations, stop_lists: StopLists, config: ConsistencyConfig
) -> list[TranslatedChain]:
    """Of every chain of the documents."""
    outputs = aligned_outputs(texts, stop_lists, config)
    return [
        TranslatedChain(one.document, tuple(outputs[sentence].translation(token) for sentence, token in one.places))
        for one in find_chains(texts.documents, texts.sources, stop_lists.source.words, config)
    ]


@dataclass(frozen=True)
class Output:
    """A translated sentence. `words`: cased; None stands for punctuation that is no part of translations.

    `directions`: of each source word with links, the places of its target words; where reverse links count, those of
    the other direction come second. `stop_words`: no part of translations; `keeps_stop_words`: unless there is nothing
    else.
    """

    words: tuple[str | None, ...]
    directions: tuple[dict[int, list[int]], ...]
    stop_words: frozenset[str]
    keeps_stop_words: bool

    @classmethod
    def of(cls, line: str, aligned: DirectedLinks, stop_words: frozenset[str], config: ConsistencyConfig) -> "Output":
        words = [apply_case(word, config.target_case == "lower") for word in line.split()]
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
        return _first(content) or (_first(linked) if self.keeps_stop_words else [])

    def translation(self, source: int) -> str | None:
        """Of the source word at this place; None where it has none.

        The first is linked to "New", the second to "the", a stop word, and "York", the third to nothing.

        >>> links = DirectedLinks.symmetric(frozenset({(0, 1), (1, 2), (1, 0)}))
        >>> output = Output.of("the New York .", links, frozenset({"the"}), ConsistencyConfig())
        >>> [output.translation(place) for place in range(3)]
        ['new', 'york', None]
        """
        return " ".join(self.words[place] for place in self.places(source)) or None


def aligned_outputs(texts: AlignedTranslations, stop_lists: StopLists, config: ConsistencyConfig) -> list[Output]:
    pairs = zip(texts.hypotheses, texts.links, strict=True)
    return [Output.of(line, links, stop_lists.target.words, config) for line, links in pairs]


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

    >>> from docmt.scoring.chain_scores import StopList
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


def occurrences(
    system: AlignedTranslations, reference: AlignedTranslations, stop_lists: StopLists, config: ConsistencyConfig
) -> pa.Table:
    """OCCURRENCES of the chains that LTCR takes, with their places, for the case studies of stage 8.

    All their pairs are counted, whatever `config.pairs` says.
    """
    chains = find_chains(system.documents, system.sources, stop_lists.source.words, config)
    rows = [
        {
            "document": one.document,
            "unit": config.chains,
            "lines": [line for line, _ in one.places],
            "words": [word for _, word in one.places],
        }
        for one in chains
    ]
    for prefix, side in (("", system), ("reference_", reference)):
        outputs = aligned_outputs(side, stop_lists, config)
        for row, one in zip(rows, chains, strict=True):
            row |= {prefix + name: value for name, value in _rendered(one, outputs, config).items()}
    return pa.Table.from_pylist(rows, OCCURRENCES)


def _rendered(one: Chain, outputs: Sequence[Output], config: ConsistencyConfig) -> dict:
    translations = [outputs[line].translation(word) for line, word in one.places]
    taking_part = counted_translations(TranslatedChain(one.document, tuple(translations)), config)
    return {
        "translations": translations,
        "places": [outputs[line].places(word) for line, word in one.places],
        "agreeing": agreeing_pairs(taking_part, config),
        "pairs": comb(len(taking_part), 2),
    }
