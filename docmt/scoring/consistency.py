"""The consistency of the translations of lexical chains: LTCR and HHI.

Paper: lexical chains, section 4.1 (LTCR, after Lyu et al. 2021) and appendix D (HHI, eq. 25 and 26). The paper leaves
some choices open; they are settings (`docmt.settings.scoring.ConsistencyConfig`). `docmt.scoring.occurrences` defines
the translation of an occurrence.

A translation is a text: its words, joined by single spaces. The empty translation agrees only with itself. All rules by
which two translations agree are symmetric. Only the rule `exact` is an equivalence: by another rule, a may agree with b
and b with c, while a does not agree with c.
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
"""Number of times that the bootstrap draws documents."""

SEED = 1
"""Seed of the bootstrap."""

LEVEL = 95
"""Percentage of the draws whose LTCR lies in the interval."""

Summands = tuple[float, float]
"""The summands (a, b) of a chain: a score is 100 times the sum of all a, divided by the sum of all b."""


@dataclass(frozen=True)
class TranslatedChain:
    """A lexical chain of a test document, with the translations of its occurrences.

    `document` is the name of the document. A translation is a text of words joined by spaces; it is None where the
    occurrence has no translation.
    """

    document: str
    translations: tuple[str | None, ...]


def counted_translations(chain: TranslatedChain, config: ConsistencyConfig) -> list[str | None]:
    """Return the translations of a chain that take part, by the setting for occurrences without a translation.

    A None in the result is a translation that agrees with no other.

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
    """Return whether two translations agree by the rule `config.match`.

    >>> rules = ("exact", "subset", "overlap", "contained")
    >>> [agree("trust vote", "vote", ConsistencyConfig(match=rule)) for rule in rules]
    [False, True, True, True]
    >>> [agree("trust vote", "no vote", ConsistencyConfig(match=rule)) for rule in rules]
    [False, False, True, False]
    >>> [agree("vote", "votes", ConsistencyConfig(match=rule)) for rule in rules]
    [False, False, False, True]

    Example of the rule `fuzzy`: a single insertion turns "vote" into "votes", and the longer word has 5 characters, so
    the similarity of the two is 1 - 1/5 = 0.8.

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
    """Return whether a text is a part of the other one, ignoring the limits of words (DelTA's fuzzy match).

    Paper: DelTA, Wang et al. (2025).
    """
    return first in second or second in first


def _fuzzy(first: str, second: str, least: float) -> bool:
    longest = max(len(first), len(second))
    # Rounded, since 1 - 1 / 5 is a little less than 0.8 in floating point.
    return round(1 - edit_distance(first, second) / longest, 9) >= least


MATCHES: dict[str, Callable[[str, str, float], bool]] = {
    "exact": _exact,
    "subset": _subset,
    "overlap": _overlap,
    "contained": _contained,
    "fuzzy": _fuzzy,
}
"""The rules of `ConsistencyConfig.match`.

The arguments of a rule are two texts that differ and are not empty, and `ConsistencyConfig.similarity`.
"""


def edit_distance(first: Sequence, second: Sequence) -> int:
    """Return the smallest number of insertions, deletions and replacements that turn `first` into `second`.

    Paper: Levenshtein (1966).

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
    """Return the number of pairs of a chain's translations that agree.

    >>> agreeing_pairs(["cat", "cat", "black cat", None, None], ConsistencyConfig())
    1
    >>> agreeing_pairs(["cat", "cat", "black cat", None, None], ConsistencyConfig(match="overlap"))
    3
    """
    counts = Counter(text for text in translations if text is not None)
    same = sum(comb(count, 2) for count in counts.values())
    # Equal translations are counted above, so that the rule runs only once for each pair of different translations.
    pairs = combinations(counts, 2)
    return same + sum(counts[first] * counts[second] for first, second in pairs if agree(first, second, config))


def ltcr_summands(chain: TranslatedChain, config: ConsistencyConfig) -> Summands:
    """Return the numbers of agreeing pairs and of pairs of a chain's translations: the summands of LTCR.

    With `config.pairs` `first` (LTCR-1), pairs are those of the first translation with each other translation. For a
    macro average, the summands are the ratio of the two numbers, and 1. Both are 0 for a chain with fewer than two
    translations.

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
    """Return the summands of HHI (eq. 26): K times eq. 25, and K, the number of translations of a chain.

    For a macro average, the summands are eq. 25 and 1. Both are 0 for a chain with fewer than two translations, which
    LTCR leaves out too.

    Eq. 25 is the sum of squared shares of the different translations. It equals the share of equal pairs among all
    ordered pairs of translations, where each translation is also paired with itself. We compute the share of agreeing
    pairs: where agreement is not an equivalence, there are no classes of translations that could have shares.

    Example: for "cat", "kitty" and "cat" the shares are 2/3 and 1/3. The sum of their squares is 5/9, and K times this
    sum is 3 * 5/9 = 5/3.

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
    """Return (part, whole) for a micro average, and (part / whole, 1) for a macro average."""
    return (part, whole) if config.average == "micro" else (part / whole, 1)


def ltcr(chains: Sequence[TranslatedChain], config: ConsistencyConfig) -> float | None:
    """Return the lexical translation consistency ratio, 0 to 100, or None where no chain has two translations.

    Example: 1 of 3 pairs of the first chain agrees, and the only pair of the second chain. These are 2 of 4 pairs, and
    the mean of the chains' ratios is the mean of 1/3 and 1.

    >>> chains = [TranslatedChain("a", ("cat", "kitty", "cat")), TranslatedChain("b", ("dog", "dog"))]
    >>> ltcr(chains, ConsistencyConfig())
    50.0
    >>> round(ltcr(chains, ConsistencyConfig(average="macro")), 2)
    66.67
    """
    return _score([ltcr_summands(chain, config) for chain in chains])


def hhi(chains: Sequence[TranslatedChain], config: ConsistencyConfig) -> float | None:
    """Return the Herfindahl-Hirschman index in percent, as table 6 prints it, or None where LTCR is None.

    Example: eq. 25 is 5/9 for the first chain, with 3 translations, and 1 for the second chain, with 2 translations.
    HHI is (3 * 5/9 + 2 * 1) / 5.

    >>> chains = [TranslatedChain("a", ("cat", "kitty", "cat")), TranslatedChain("b", ("dog", "dog"))]
    >>> round(hhi(chains, ConsistencyConfig()), 2)
    73.33
    """
    return _score([hhi_summands(chain, config) for chain in chains])


def _score(summands: Sequence[Summands]) -> float | None:
    part, whole = (sum(column) for column in zip(*summands, strict=True)) if summands else (0, 0)
    return 100 * part / whole if whole else None


MEASURES = {"LTCR": ltcr_summands, "HHI": hhi_summands}
"""The functions that return the summands of a chain, by the name of the measure."""


def measure_tally(
    name: str, chains: Sequence[TranslatedChain], documents: Sequence[str], config: ConsistencyConfig
) -> Tally:
    """Return the tally of a measure of MEASURES: a row for each document, with the sums of its chains' summands."""
    added = ((chain.document, MEASURES[name](chain, config)) for chain in chains)
    return document_tally(name, "percent", documents, added)


def ltcr_interval(chains: Sequence[TranslatedChain], config: ConsistencyConfig) -> dict | None:
    """Return the 95 % bootstrap interval of LTCR as `{"low", "high", "signature"}`.

    A draw has the same number of documents, drawn with replacement. Documents without pairs of translations are left
    out; the result is None where no document has a pair. The interval is our addition to the paper.
    """
    documents = list(dict.fromkeys(chain.document for chain in chains))
    table = measure_tally("LTCR", chains, documents, config).counts
    # A draw of documents that all lack pairs would have no LTCR.
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
    """Return LTCR and HHI with their signatures: `{"LTCR": {...}, "HHI": {...}}`.

    Both have counts: `chains` that take part, `pairs` of LTCR, `occurrences` in all chains, and occurrences without a
    translation (`unaligned`). `occurrence_signature` is the part of the signatures that describes the translations of
    occurrences. The result is empty where no chain has two translations.
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
    """Return the signature of LTCR: `occurrence_signature`, and the settings of this module.

    >>> ltcr_signature(ConsistencyConfig(match="fuzzy"), "chains:words")
    'LTCR|chains:words|unaligned:own|match:fuzzy0.8|pairs:all|average:micro|v:2'
    """
    return f"LTCR|{occurrence_signature}|{_agreement(config)}|pairs:{config.pairs}|average:{config.average}|v:2"


def hhi_signature(config: ConsistencyConfig, occurrence_signature: str) -> str:
    """Return the signature of HHI; its parts are those of `ltcr_signature`.

    `shares:pairs` says that agreement is not an equivalence (see `hhi_summands`).

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
    """Return the tallies of LTCR and HHI, with a row for each document of the test set, with or without chains.

    The list is empty where no chain has two translations, since neither measure has a score then.
    """
    tallies = [measure_tally(name, chains, documents, config) for name in MEASURES]
    return [tally for tally in tallies if tally.counts.any()]
