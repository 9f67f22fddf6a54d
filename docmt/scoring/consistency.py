"""The consistency of the translations of lexical chains: LTCR and HHI.

Paper: lexical chains (Lyu et al. 2022), section 4.1 (LTCR, after Lyu et al. 2021) and appendix D (HHI, eq. 25 and 26).
The settings `ConsistencyConfig` (`docmt.settings.scoring`) make the choices that the paper leaves open.
`docmt.scoring.occurrences` defines the translation of an occurrence.

The translation of an occurrence is a text: words joined by single spaces. The empty text agrees only with the empty
text. The setting `match` chooses the rule by which two translations agree. All rules are symmetric, but only `exact` is
an equivalence: by another rule, a may agree with b and b with c, while a does not agree with c.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Literal

from docmt.scoring.tallies import Tally, document_tally
from docmt.settings.scoring import ConsistencyConfig

Summands = tuple[float, float]
"""The two numbers (a, b) that a chain adds to a score: 100 times the sum of all a, divided by the sum of all b."""


@dataclass(frozen=True)
class TranslatedChain:
    """The translations of the occurrences of a lexical chain.

    `document` is the name of the chain's document. A translation is a text of words joined by spaces, or None for an
    occurrence without a translation.
    """

    document: str
    translations: tuple[str | None, ...]


def counted_translations(chain: TranslatedChain, config: ConsistencyConfig) -> list[str | None]:
    """Return the translations that LTCR and HHI count; `config.unaligned` decides on occurrences without a translation.

    A None in the result agrees with no other translation.

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

    Example of the rule `fuzzy`: a single insertion turns "vote" into "votes", and the longer text has 5 characters, so
    the similarity of the two texts is 1 - 1/5 = 0.8.

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
    """Return whether the characters of one text are a part of the other text, such as "vote" of "votes".

    Paper: DelTA (Wang et al. 2025), which calls this rule fuzzy match.
    """
    return first in second or second in first


def _fuzzy(first: str, second: str, least: float) -> bool:
    longest = max(len(first), len(second))
    # The similarity is rounded, since rounding errors could put it a little below an equal threshold.
    return round(1 - edit_distance(first, second) / longest, 9) >= least


MATCHES: dict[str, Callable[[str, str, float], bool]] = {
    "exact": _exact,
    "subset": _subset,
    "overlap": _overlap,
    "contained": _contained,
    "fuzzy": _fuzzy,
}
"""The rules by which two translations agree, by the values of `ConsistencyConfig.match`.

The arguments of a rule are two different texts, neither of them empty, and `ConsistencyConfig.similarity`.
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
            # One row of the table at a time: the least of a deletion, an insertion and a replacement.
            diagonal, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, diagonal + (item != other))
    return row[-1]


def agreeing_pairs(translations: Sequence[str | None], config: ConsistencyConfig) -> int:
    """Return the number of agreeing pairs among the translations of a chain; a None agrees with no translation.

    >>> agreeing_pairs(["cat", "cat", "black cat", None, None], ConsistencyConfig())
    1
    >>> agreeing_pairs(["cat", "cat", "black cat", None, None], ConsistencyConfig(match="overlap"))
    3
    """
    counts = Counter(text for text in translations if text is not None)
    same = sum(comb(count, 2) for count in counts.values())
    # Equal translations are counted above, so the rule is applied only once to each pair of different translations.
    pairs = combinations(counts, 2)
    return same + sum(counts[first] * counts[second] for first, second in pairs if agree(first, second, config))


def ltcr_summands(chain: TranslatedChain, config: ConsistencyConfig) -> Summands:
    """Return the summands of LTCR: the number of agreeing pairs of translations, and the number of all pairs.

    Where `config.pairs` is `first` (LTCR-1), only pairs with the first translation of the chain are counted. For a
    macro average, the summands are the ratio of the two numbers, and 1. Both summands are 0 for a chain with fewer than
    two translations.

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
    """Return the summands of HHI (eq. 26): K times the HHI of the chain (eq. 25), and K, its number of translations.

    For a macro average, the summands are the HHI of the chain, and 1. Both summands are 0 for a chain with fewer than
    two translations, which LTCR leaves out too.

    Example: for "cat", "kitty" and "cat" the shares are 2/3 and 1/3. The sum of the squared shares is 5/9, and K times
    this sum is 3 * 5/9 = 5/3.

    >>> chain = TranslatedChain("a", ("cat", "kitty", "cat"))
    >>> part, whole = hhi_summands(chain, ConsistencyConfig())
    >>> round(part, 4), whole
    (1.6667, 3)
    """
    texts = counted_translations(chain, config)
    size = len(texts)
    if size < 2:
        return 0, 0
    # Eq. 25 is the sum of the squared shares of the different translations. This sum equals the share of equal pairs
    # among all ordered pairs of translations, where each translation is also paired with itself. We compute the share
    # of agreeing pairs, since shares of translations need an agreement that is an equivalence.
    return weighted_summands((size + 2 * agreeing_pairs(texts, config)) / size, size, config)


def weighted_summands(part: float, whole: float, config: ConsistencyConfig) -> Summands:
    """Return (part, whole) for a micro average, and (part / whole, 1) for a macro average."""
    return (part, whole) if config.average == "micro" else (part / whole, 1)


def consistency_tallies(
    chains: Sequence[TranslatedChain], documents: Sequence[str], config: ConsistencyConfig, occurrence_signature: str
) -> list[Tally]:
    """Return the tallies of LTCR and HHI, with a row for each document, which has the sums of its chains' summands.

    `documents` has the names of all documents of the test set. `occurrence_signature` is the part of the signatures
    that says how chains and translations were found. Facts are the number of `chains` that are counted, the number of
    `pairs` of LTCR, the number of `occurrences` of all chains, and of occurrences without a translation (`unaligned`).

    Example: of the pairs of the first chain 1 of 3 agrees, and of the second chain 1 of 1. So LTCR is 2 / 4, and by the
    macro average the mean of 1/3 and 1. HHI is 5/9 and 1; the mean over translations is (3 * 5/9 + 2 * 1) / 5.

    >>> chains = [TranslatedChain("a", ("cat", "kitty", "cat")), TranslatedChain("b", ("dog", "dog"))]
    >>> rules = ConsistencyConfig(), ConsistencyConfig(average="macro")
    >>> [[round(tally.score, 2) for tally in consistency_tallies(chains, "ab", rule, "")] for rule in rules]
    [[50.0, 73.33], [66.67, 77.78]]
    """
    sizes = [size for chain in chains if (size := len(counted_translations(chain, config))) > 1]
    facts = {
        "chains": len(sizes),
        "pairs": sum(size - 1 if config.pairs == "first" else comb(size, 2) for size in sizes),
        "occurrences": sum(len(chain.translations) for chain in chains),
        "unaligned": sum(chain.translations.count(None) for chain in chains),
    }
    tallies = []
    for name, measure in MEASURES.items():
        added = ((chain.document, measure.summands(chain, config)) for chain in chains)
        tally = document_tally(name, "percent", documents, added, measure.signature(config, occurrence_signature))
        tallies.append(replace(tally, n=facts[measure.unit], facts=facts))
    return tallies


def ltcr_signature(config: ConsistencyConfig, occurrence_signature: str) -> str:
    """Return the signature of LTCR: `occurrence_signature`, and the settings that compare translations.

    >>> ltcr_signature(ConsistencyConfig(match="fuzzy"), "chains:words")
    'LTCR|chains:words|unaligned:own|match:fuzzy0.8|pairs:all|average:micro|v:2'
    """
    return f"LTCR|{occurrence_signature}|{_agreement(config)}|pairs:{config.pairs}|average:{config.average}|v:2"


def hhi_signature(config: ConsistencyConfig, occurrence_signature: str) -> str:
    """Return the signature of HHI: `occurrence_signature`, and the settings that compare translations.

    `shares:pairs` says that HHI is computed from agreeing pairs, since agreement is not an equivalence (see
    `hhi_summands`).

    >>> hhi_signature(ConsistencyConfig(match="subset"), "chains:words")
    'HHI|chains:words|unaligned:own|match:subset|shares:pairs|average:size|v:2'
    """
    shares = "" if config.match == "exact" else "|shares:pairs"
    average = "size" if config.average == "micro" else "macro"
    return f"HHI|{occurrence_signature}|{_agreement(config)}{shares}|average:{average}|v:2"


def _agreement(config: ConsistencyConfig) -> str:
    threshold = f"{config.similarity:g}" if config.match == "fuzzy" else ""
    return f"unaligned:{config.unaligned}|match:{config.match}{threshold}"


@dataclass(frozen=True)
class Measure:
    """A measure of consistency: the summands of a chain, the signature, and the unit that it counts."""

    summands: Callable[[TranslatedChain, ConsistencyConfig], Summands]
    signature: Callable[[ConsistencyConfig, str], str]
    unit: Literal["pairs", "chains"]


MEASURES = {
    "LTCR": Measure(ltcr_summands, ltcr_signature, "pairs"),
    "HHI": Measure(hhi_summands, hhi_signature, "chains"),
}
"""The measures by name."""
