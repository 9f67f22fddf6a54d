"""When two translations of a word agree.

A translation is its words, joined by single spaces; the empty one agrees with itself alone. All rules are symmetric.
`exact` is the only equivalence: by the others a may agree with b and b with c, but not a with c.
"""

from collections.abc import Callable, Sequence

from docmt.settings.scoring import ConsistencyConfig

EQUIVALENCES = ("exact",)


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
