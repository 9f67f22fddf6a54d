"""The preferences of annotators, and the agreement of annotators.

Papers: lexical chains (Lyu et al. 2022), section 5.6, Table 4, has the percentages of equal, better and worse, without
agreement. Kappa is from Cohen: A Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement
20 (1960).
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean
from typing import get_args

from docmt.scoring.human.items import Key
from docmt.scoring.human.sheet import Verdict

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)  # All verdicts, in the order in which percentages are listed


def preferences(key: Key, annotators: dict[str, Sequence[Verdict]]) -> dict:
    """Return the numbers of Table 4 and the agreement of annotators; all but kappa are percentages.

    `annotators` has the verdicts of each annotator, by name. In the result, `preferred` is the percentage of verdicts
    "better" among the verdicts "better" and "worse"; it is None where all verdicts are "equal". `filled` is the number
    of identical pairs, which count as equal; the agreement is over the others, which annotators have judged.
    """
    asked = [number for number, item in enumerate(key.items) if not item.filled]
    judged = {name: [verdicts[number] for number in asked] for name, verdicts in annotators.items()}
    rows = {name: verdict_shares(verdicts) for name, verdicts in annotators.items()}
    pairs = [
        {"annotators": [first, second], "observed": observed_agreement(judged[first], judged[second])}
        | {"kappa": kappa(judged[first], judged[second])}
        for first, second in combinations(annotators, 2)
    ]
    return {
        "system": key.system,
        "baseline": key.baseline,
        "sentences": len(key.items),
        "filled": key.filled,
        "annotators": [{"annotator": name, **row, **_preferred(row)} for name, row in rows.items()],
        "average": (mean := {name: fmean(row[name] for row in rows.values()) for name in VERDICTS}) | _preferred(mean),
        "agreement": pairs,
        "signature": key.signature,
    }


def verdict_shares(verdicts: Sequence[Verdict]) -> dict[Verdict, float]:
    """Return the percentage of each verdict.

    >>> verdict_shares(["better", "equal", "better", "worse"])
    {'better': 50.0, 'worse': 25.0, 'equal': 25.0}
    """
    counts = Counter(verdicts)
    return {name: 100 * counts[name] / len(verdicts) for name in VERDICTS}


def observed_agreement(first: Sequence[Verdict], second: Sequence[Verdict]) -> float | None:
    """Return the percentage of sentences on which two annotators agree; None without a sentence."""
    return None if not first else 100 * fmean(verdict == other for verdict, other in zip(first, second, strict=True))


def kappa(first: Sequence[Verdict], second: Sequence[Verdict]) -> float | None:
    """Return Cohen's kappa of two annotators, or None where the expected agreement is 1, and without a sentence.

    kappa = (p - e) / (1 - e), where p is the share of sentences on which the annotators agree, and e is the share that
    is expected where both annotators give random verdicts, each with their own shares of verdicts.

    Example: of four sentences the annotators agree on three, so p = 3/4. Their shares of "better" are 2/4 and 1/4, and
    their shares of "equal" are 2/4 and 3/4, so e = 2/4 * 1/4 + 2/4 * 3/4 = 1/2, and kappa is 1/2.

    >>> kappa(["better", "better", "equal", "equal"], ["better", "equal", "equal", "equal"])
    0.5
    """
    observed = observed_agreement(first, second)
    if observed is None:
        return None
    shares = [verdict_shares(verdicts) for verdicts in (first, second)]
    chance = sum(shares[0][name] * shares[1][name] for name in VERDICTS) / 100**2
    # kappa = (p - e) / (1 - e)
    return None if chance == 1 else (observed / 100 - chance) / (1 - chance)


def _preferred(row: dict[Verdict, float]) -> dict[str, float | None]:
    decided = row["better"] + row["worse"]
    return {"preferred": 100 * row["better"] / decided if decided else None}
