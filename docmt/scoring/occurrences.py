"""The lexical chains of the test set, and the translations of their occurrences, from which LTCR and HHI are computed.

Paper: lexical chains (Lyu et al. 2022), appendix A. With the default settings the chains are those of
the step `chain_words`.

The papers do not define the translation of an occurrence; `docmt.settings.scoring.ConsistencyConfig` has the choices.
By default the translation consists of the target words that are linked to the occurrence, lower-cased, in the order of
the sentence, without punctuation and stop words. Where all linked words are stop words, they are the translation: two
occurrences that are both translated by "do" agree, and an occurrence that is translated by "it" agrees with neither.

An occurrence has no link in either direction where the system left it out, or where the aligner does not know its
translation. By default an occurrence without a translation agrees with no other occurrence. If such occurrences were
skipped, a system would gain by leaving out, or garbling, the words that it cannot translate consistently.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
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
    """A lexical chain: the occurrences of a word that a source document repeats.

    `document` is the name of the document. `places` has the number of the sentence in the test set, and of the word (or
    piece) in the sentence, for each occurrence; both numbers begin at 0.
    """

    document: str
    places: tuple[tuple[int, int], ...]


def find_chains(
    documents: Sequence[str], lines: Sequence[str], stop_words: frozenset[str], config: ConsistencyConfig
) -> list[Chain]:
    """Return the lexical chains of all documents.

    `documents` has the name of the document of each line. `lines` are source sentences, cut into pieces where
    `config.chains` is `pieces`. Stop words form no chains. Words without a letter or a digit form chains only where
    `config.source_punctuation` is true. A word has the same pieces at all of its occurrences.

    >>> lines = ["A cat .", "the cat .", "a cat"]
    >>> [cats.places for cats in find_chains(["x", "x", "y"], lines, frozenset({"."}), ConsistencyConfig())]
    [((0, 1), (1, 1))]
    >>> pieces = ["ca@@ ts sit", "all ca@@ ts"]
    >>> [cats.places for cats in find_chains(["x", "x"], pieces, frozenset(), ConsistencyConfig(chains="pieces"))]
    [((0, 0), (1, 1)), ((0, 1), (1, 2))]
    """
    sentences = [_words(line.split(), config) for line in lines]
    words = [apply_case(word, config.source_case == "lower") for line, _ in sentences for word in line]
    if not config.source_punctuation:
        # This makes a new set: a frozenset is never changed in place, so the stop list of the caller stays as it is.
        stop_words |= {word for word in words if not has_letters(word)}
    counts = np.fromiter(chain.from_iterable(counts for _, counts in sentences), np.int64)
    pairs = groupby(zip(documents, sentences, strict=True), key=lambda pair: pair[0])
    lengths = np.array([sum(len(line) for _, (line, _) in group) for _, group in pairs])
    chains = chains_of_pieces(repeated(pa.array(words, pa.string()), lengths, stop_words), counts)
    places = [
        (number, token) for number, (_, piece_counts) in enumerate(sentences) for token in range(sum(piece_counts))
    ]
    of_chains = (tuple(places[member] for member in members.tolist()) for members in chains)
    return [Chain(documents[occurrences[0][0]], occurrences) for occurrences in of_chains]


def _words(tokens: list[str], config: ConsistencyConfig) -> Words:
    return words_of_pieces(tokens) if config.chains == "pieces" else (tokens, [1] * len(tokens))


def has_letters(word: str) -> bool:
    """Return whether a word has a letter or a digit; a word without them is punctuation."""
    return any(map(str.isalnum, word))


def translated_chains(
    texts: AlignedTranslations, stop_lists: StopLists, config: ConsistencyConfig
) -> list[TranslatedChain]:
    """Return all lexical chains of the documents with the translations of their occurrences."""
    outputs = aligned_outputs(texts, stop_lists, config)
    return [
        TranslatedChain(
            lexical_chain.document,
            tuple(outputs[sentence].translation(token) for sentence, token in lexical_chain.places),
        )
        for lexical_chain in find_chains(texts.documents, texts.sources, stop_lists.source.words, config)
    ]


@dataclass(frozen=True)
class Output:
    """A translated sentence with its word links.

    `words` are the words of the translation, lower-cased where the settings say so; None replaces punctuation that the
    settings leave out. `directions` has a dictionary for the forward direction and, where the settings use it, one for
    the backward direction. A dictionary has the places of the target words that are linked to each source word.
    `stop_words` are left out of translations; where `keeps_stop_words` is true, they are the translation of a source
    word that is linked to stop words alone.
    """

    words: tuple[str | None, ...]
    directions: tuple[dict[int, list[int]], ...]
    stop_words: frozenset[str]
    keeps_stop_words: bool

    @classmethod
    def of(cls, line: str, aligned: DirectedLinks, stop_words: frozenset[str], config: ConsistencyConfig) -> "Output":
        """Return the output of a translated line with its links, prepared by the settings for target words."""
        words = [apply_case(word, config.target_case == "lower") for word in line.split()]
        links = (aligned.forward, aligned.backward) if config.reverse_links else (aligned.forward,)
        return cls(
            tuple(word if config.target_punctuation or has_letters(word) else None for word in words),
            tuple(_by_source(direction) for direction in links),
            stop_words,
            config.only_stop_words == "kept",
        )

    def places(self, source: int) -> list[int]:
        """Return the places of the target words that translate the source word at the place `source`."""
        linked = [
            [place for place in direction.get(source, []) if self.words[place] is not None]
            for direction in self.directions
        ]
        # Words that are no stop words come first: from the forward direction or, where it links none, from the backward
        # direction.
        content = ([place for place in places if self.words[place] not in self.stop_words] for places in linked)
        # Where neither direction has any, stop words are chosen in the same order, if they count.
        return _first(content) or (_first(linked) if self.keeps_stop_words else [])

    def translation(self, source: int) -> str | None:
        """Return the translation of the source word at the place `source`, or None where it has no translation.

        Example: the first source word is linked to "New", the second source word is linked to "York" and to the stop
        word "the", and the third source word has no links.

        >>> links = DirectedLinks.symmetric(frozenset({(0, 1), (1, 2), (1, 0)}))
        >>> output = Output.of("the New York .", links, frozenset({"the"}), ConsistencyConfig())
        >>> [output.translation(place) for place in range(3)]
        ['new', 'york', None]
        """
        return " ".join(self.words[place] for place in self.places(source)) or None


def aligned_outputs(texts: AlignedTranslations, stop_lists: StopLists, config: ConsistencyConfig) -> list[Output]:
    """Return an `Output` for each translated sentence."""
    pairs = zip(texts.hypotheses, texts.links, strict=True)
    return [Output.of(line, links, stop_lists.target.words, config) for line, links in pairs]


def _first(choices: Iterable[list[int]]) -> list[int]:
    return next(filter(None, choices), [])


def _by_source(links: Links) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for source, target in sorted(links):
        places.setdefault(source, []).append(target)
    return places


def signature(config: ConsistencyConfig, stop_lists: StopLists, aligner: str) -> str:
    """Return the part of signatures that says how chains and translations were found; `aligner` is the aligner's name.

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
    """Return the table OCCURRENCES: the chains of LTCR with the places of their words, for case studies of stage 8.

    `reference` has the references in the place of the translations of `system`. The columns of pairs count all pairs of
    a chain, also where `config.pairs` is `first`.
    """
    chains = find_chains(system.documents, system.sources, stop_lists.source.words, config)
    rows = [
        {
            "document": lexical_chain.document,
            "unit": config.chains,
            "lines": [line for line, _ in lexical_chain.places],
            "words": [word for _, word in lexical_chain.places],
        }
        for lexical_chain in chains
    ]
    for prefix, texts in (("", system), ("reference_", reference)):
        outputs = aligned_outputs(texts, stop_lists, config)
        for row, lexical_chain in zip(rows, chains, strict=True):
            row |= {
                prefix + name: value for name, value in _translation_columns(lexical_chain, outputs, config).items()
            }
    return pa.Table.from_pylist(rows, OCCURRENCES)


def _translation_columns(lexical_chain: Chain, outputs: Sequence[Output], config: ConsistencyConfig) -> dict:
    translations = [outputs[line].translation(word) for line, word in lexical_chain.places]
    taking_part = counted_translations(TranslatedChain(lexical_chain.document, tuple(translations)), config)
    return {
        "translations": translations,
        "places": [outputs[line].places(word) for line, word in lexical_chain.places],
        "agreeing": agreeing_pairs(taking_part, config),
        "pairs": comb(len(taking_part), 2),
    }
