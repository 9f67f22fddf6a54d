"""How consistently the words of lexical chains are translated: LTCR and HHI.

Paper: lexical chains, section 4.1 (LTCR, after Lyu et al. 2021) and appendix D (HHI, eq. 25 and 26). What the paper
leaves open is `docmt.settings.scoring.ConsistencyConfig`; what the translation of an occurrence is,
`docmt.scoring.occurrences` says.

A translation is its words, joined by single spaces; the empty one agrees with itself alone. All rules by which two
agree are symmetric. `exact` is the only equivalence: by the others a may agree with b and b with c, but not a with c.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from docmt.scoring.tallies import Tally, document_tally
from docmt.settings.scoring import ConsistencyConfig

DRAWS = 1000
"""How many times the bootstrap draws documents."""

SEED = 1
LEVEL = 95
"""Percent of the draws that the interval holds."""

Summands = tuple[float, float]
"""What a chain adds to a score: score = 100 * sum of the first / sum of the second."""


@dataclass(frozen=True)
class TranslatedChain:
    """A chain of a test document. `translations`: of its occurrences, words joined by spaces; None: it has none."""

    document: str
    translations: tuple[str | None, ...]


def counted_translations(chain: TranslatedChain, config: ConsistencyConfig) -> list[str | None]:
    """The translations that take part, by the rule for occurrences without one; None agrees with nothing.

    >>> rules = (ConsistencyConfig(unaligned=rule) for rule in ("own", "skip", "empty"))
    >>> [counted_translations(TranslatedChain("a", ("cat", None)), rule) for rule in rules]
    [['cat', None], ['cat'], ['cat', '']]
    """
    if config.unaligned == "skip":
        return [text for text in chain.translations if text is not None]
    if config.unaligned == "empty":
        return [text or "" for text in chain.translations]
    return list(chain.translations)


def agree(first: str, second: str, config: ConsistencyConfig) -> bool:
    """By the rule that `config.match` names.

    >>> rules = ("exact", "subset", "overlap", "contained")
    >>> [agree("trust vote", "vote", ConsistencyConfig(match=rule)) for rule in rules]
    [False, True, True, True]
    >>> [agree("trust vote", "no vote", ConsistencyConfig(match=rule)) for rule in rules]
    [False, False, True, False]
    >>> [agree("vote", "votes", ConsistencyConfig(match=rule)) for rule in rules]
    [False, False, False, True]

    "vote" becomes "votes" by one insertion, and the longer one has 5 characters: they are similar to 0.8.

    >>> [agree("vote", "votes", ConsistencyConfig(match="fuzzy", similarity=s)) for s in (0.8, 0.81)]
    [True, False]
    """
    if first == second or not first or not second:
        return first == second
    return MATCHES[config.match](first, second, config.similarity)


def _exact(first: str, second: str, _: float) -> bool:
    return first == second


def _subset(first: str, second: str, _: float) -> bool:
    words, others = set(first.split(" ")), set(second.split(" "))
    return words <= others or others <= words


def _overlap(first: str, second: str, _: float) -> bool:
    return not set(first.split(" ")).isdisjoint(second.split(" "))


def _contained(first: str, second: str, _: float) -> bool:
    """What DelTA (Wang et al. 2025) calls fuzzy: of the texts, whatever their words."""
    return first in second or second in first


def _fuzzy(first: str, second: str, least: float) -> bool:
    longest = max(len(first), len(second))
    # Rounded, since 1 - 1 / 5 is a little less than 0.8.
    return round(1 - edit_distance(first, second) / longest, 9) >= least


MATCHES: dict[str, Callable[[str, str, float], bool]] = {
    "exact": _exact,
    "subset": _subset,
    "overlap": _overlap,
    "contained": _contained,
    "fuzzy": _fuzzy,
}
"""By `ConsistencyConfig.match`: two texts that differ and are not empty, and `ConsistencyConfig.similarity`."""


def edit_distance(first: Sequence, second: Sequence) -> int:
    """The least number of insertions, deletions and replacements that make one the other (Levenshtein 1966).

    >>> edit_distance("kitten", "sitting")
    3
    """
    row = list(range(len(second) + 1))
    for number, item in enumerate(first, 1):
        diagonal, row[0] = row[0], number
        for place, other in enumerate(second, 1):
            diagonal, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, diagonal + (item != other))
    return row[-1]


def agreeing_pairs(translations: Sequence[str | None], config: ConsistencyConfig) -> int:
    """Of all pairs of a chain's translations, those that agree.

    >>> agreeing_pairs(["cat", "cat", "black cat", None, None], ConsistencyConfig())
    1
    >>> agreeing_pairs(["cat", "cat", "black cat", None, None], ConsistencyConfig(match="overlap"))
    3
    """
    counts = Counter(text for text in translations if text is not None)
    same = sum(comb(count, 2) for count in counts.values())
    pairs = combinations(counts, 2)
    return same + sum(counts[one] * counts[other] for one, other in pairs if agree(one, other, config))


def ltcr_summands(chain: TranslatedChain, config: ConsistencyConfig) -> Summands:
    """Agreeing pairs and pairs, of all or (LTCR-1) of the first translation with each other; none for a lone one.

    For a macro average, their ratio and 1.

    >>> chain = TranslatedChain("a", ("cat", "kitty", "cat"))
    >>> ltcr_summands(chain, ConsistencyConfig()), ltcr_summands(chain, ConsistencyConfig(pairs="first"))
    ((1, 3), (1, 2))
    """
    texts = counted_translations(chain, config)
    if len(texts) < 2:
        return 0, 0
    if config.pairs == "first":
        first, *others = texts
        part = sum(None not in (first, other) and agree(first, other, config) for other in others)
        return weighted_summands(part, len(others), config)
    return weighted_summands(agreeing_pairs(texts, config), comb(len(texts), 2), config)


def hhi_summands(chain: TranslatedChain, config: ConsistencyConfig) -> Summands:
    """K times eq. 25 and K, the number of translations (eq. 26); none for a lone one. For a macro average, eq. 25 and
    1.

    Eq. 25, the sum of squared shares, is the share of ordered pairs of translations, each with itself among them,
    that are the same. We compute that share of those that agree: where agreement is no equivalence there are no classes
    to have shares. A chain of which LTCR can say nothing, one translation alone, is left out here too.

    Of "cat", "kitty" and "cat" the shares are 2/3 and 1/3, the sum of their squares 5/9, and 3 * 5/9 = 5/3.

    >>> chain = TranslatedChain("a", ("cat", "kitty", "cat"))
    >>> part, whole = hhi_summands(chain, ConsistencyConfig())
    >>> round(part, 4), whole
    (1.6667, 3)
    """
    texts = counted_translations(chain, config)
    size = len(texts)
    if size < 2:
        return 0, 0
    return weighted_summands((size + 2 * agreeing_pairs(texts, config)) / size, size, config)


def weighted_summands(part: float, whole: float, config: ConsistencyConfig) -> Summands:
    return (part, whole) if config.average == "micro" else (part / whole, 1)


def ltcr(chains: Sequence[TranslatedChain], config: ConsistencyConfig) -> float | None:
    """Lexical translation consistency ratio, 0 to 100; none where no chain has two translations.

    1 of the 3 pairs of the first chain agrees, and the one of the second: 2 of 4 pairs, a mean of 1/3 and 1.

    >>> chains = [TranslatedChain("a", ("cat", "kitty", "cat")), TranslatedChain("b", ("dog", "dog"))]
    >>> ltcr(chains, ConsistencyConfig())
    50.0
    >>> round(ltcr(chains, ConsistencyConfig(average="macro")), 2)
    66.67
    """
    return _score([ltcr_summands(chain, config) for chain in chains])


def hhi(chains: Sequence[TranslatedChain], config: ConsistencyConfig) -> float | None:
    """Herfindahl-Hirschman index, 0 to 100, in percent as table 6 prints it; none where LTCR is none.

    5/9 and 1, three times and two times: (3 * 5/9 + 2 * 1) / 5.

    >>> chains = [TranslatedChain("a", ("cat", "kitty", "cat")), TranslatedChain("b", ("dog", "dog"))]
    >>> round(hhi(chains, ConsistencyConfig()), 2)
    73.33
    """
    return _score([hhi_summands(chain, config) for chain in chains])


def _score(summands: Sequence[Summands]) -> float | None:
    part, whole = (sum(column) for column in zip(*summands, strict=True)) if summands else (0, 0)
    return 100 * part / whole if whole else None


MEASURES = {"LTCR": ltcr_summands, "HHI": hhi_summands}


def measure_tally(
    name: str, chains: Sequence[TranslatedChain], documents: Sequence[str], config: ConsistencyConfig
) -> Tally:
    """What each of `documents` adds to one of MEASURES: (part, whole)."""
    added = ((chain.document, MEASURES[name](chain, config)) for chain in chains)
    return document_tally(name, "percent", documents, added)


def ltcr_interval(chains: Sequence[TranslatedChain], config: ConsistencyConfig) -> dict | None:
    """`{"low", "high", "signature"}`: between which LTCR is in 95 % of draws of as many documents, with replacement.

    Documents without a pair to compare carry nothing and are left out; none where all are. Our addition.
    """
    documents = list(dict.fromkeys(chain.document for chain in chains))
    table = measure_tally("LTCR", chains, documents, config).counts
    table = table[table[:, 1] > 0]
    if not len(table):
        return None
    drawn = np.random.default_rng(SEED).integers(len(table), size=(DRAWS, len(table)))
    part, whole = table[drawn].sum(axis=1).T
    tail = (100 - LEVEL) / 2
    low, high = np.percentile(100 * part / whole, [tail, 100 - tail]).tolist()
    signature = f"bootstrap|unit:documents|draws:{DRAWS}|seed:{SEED}|level:{LEVEL}|v:1"
    return {"low": low, "high": high, "signature": signature}


def consistency(chains: Sequence[TranslatedChain], config: ConsistencyConfig, occurrence_signature: str) -> dict:
    """`{"LTCR": {...}, "HHI": {...}}`, each with its score and signature; empty where no chain has two translations.

    Counts are of the chains that take part and of LTCR's pairs, and of the occurrences in all chains: how many there
    are, and how many have no translation (`unaligned`). `occurrence_signature`: how the translations were found.
    """
    sizes = [len(counted_translations(chain, config)) for chain in chains]
    taking_part = [size for size in sizes if size > 1]
    if not taking_part:
        return {}
    counts = {
        "chains": len(taking_part),
        "pairs": sum(size - 1 if config.pairs == "first" else comb(size, 2) for size in taking_part),
        "occurrences": sum(len(chain.translations) for chain in chains),
        "unaligned": sum(chain.translations.count(None) for chain in chains),
    }
    return {
        "LTCR": {
            "score": ltcr(chains, config),
            "interval": ltcr_interval(chains, config),
            **counts,
            "signature": ltcr_signature(config, occurrence_signature),
        },
        "HHI": {"score": hhi(chains, config), **counts, "signature": hhi_signature(config, occurrence_signature)},
    }


def ltcr_signature(config: ConsistencyConfig, occurrence_signature: str) -> str:
    """`occurrence_signature` and what this module does with the translations.

    >>> ltcr_signature(ConsistencyConfig(match="fuzzy"), "chains:words")
    'LTCR|chains:words|unaligned:own|match:fuzzy0.8|pairs:all|average:micro|v:2'
    """
    return f"LTCR|{occurrence_signature}|{_agreement(config)}|pairs:{config.pairs}|average:{config.average}|v:2"


def hhi_signature(config: ConsistencyConfig, occurrence_signature: str) -> str:
    """See `ltcr_signature`. `shares:pairs` says that agreement is no equivalence (see `hhi_summands`).

    >>> hhi_signature(ConsistencyConfig(match="subset"), "chains:words")
    'HHI|chains:words|unaligned:own|match:subset|shares:pairs|average:size|v:2'
    """
    shares = "" if config.match == "exact" else "|shares:pairs"
    average = "size" if config.average == "micro" else "macro"
    return f"HHI|{occurrence_signature}|{_agreement(config)}{shares}|average:{average}|v:2"


def _agreement(config: ConsistencyConfig) -> str:
    threshold = f"{config.similarity:g}" if config.match == "fuzzy" else ""
    return f"unaligned:{config.unaligned}|match:{config.match}{threshold}"


def consistency_tallies(
    chains: Sequence[TranslatedChain], documents: Sequence[str], config: ConsistencyConfig
) -> list[Tally]:
    """LTCR's and HHI's, a row for each document of the test set, chains or not: (part, whole), by `percent`.

    None where no chain has two translations, and so neither has a score.
    """
    tallies = [measure_tally(name, chains, documents, config) for name in MEASURES]
    return [tally for tally in tallies if tally.counts.any()]
