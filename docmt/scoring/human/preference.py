"""What annotators preferred, and how far they agree.

Paper: lexical chains (Lyu et al. 2022), section 5.6, Table 4 (equal, better, worse; the paper has no agreement).
Agreement: Cohen: A Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement 20 (1960).
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean
from typing import get_args

from docmt.scoring.human.items import Key
from docmt.scoring.human.sheet import Verdict

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def preferences(key: Key, annotators: dict[str, Sequence[Verdict]]) -> dict:
    """Table 4 with agreement; `annotators`: each one's verdicts by name. Numbers are in percent, but for kappa.

    `preferred`: of the sentences that are not equal, those where the system is better; none where all are equal.
    """
    rows = {name: verdict_shares(verdicts) for name, verdicts in annotators.items()}
    pairs = [
        {"annotators": [one, other], "observed": observed_agreement(annotators[one], annotators[other])}
        | {"kappa": kappa(annotators[one], annotators[other])}
        for one, other in combinations(annotators, 2)
    ]
    return {
        "system": key.system,
        "baseline": key.baseline,
        "sentences": len(key.items),
        "annotators": [{"annotator": name, **row, **_preferred(row)} for name, row in rows.items()],
        "average": (mean := {name: fmean(row[name] for row in rows.values()) for name in VERDICTS}) | _preferred(mean),
        "agreement": pairs,
        "signature": key.signature,
    }


def verdict_shares(verdicts: Sequence[Verdict]) -> dict[Verdict, float]:
    """Percent of each verdict.

    >>> verdict_shares(["better", "equal", "better", "worse"])
    {'better': 50.0, 'worse': 25.0, 'equal': 25.0}
    """
    counts = Counter(verdicts)
    return {name: 100 * counts[name] / len(verdicts) for name in VERDICTS}


def observed_agreement(one: Sequence[Verdict], other: Sequence[Verdict]) -> float:
    """Percent of sentences in which two annotators agree."""
    return 100 * fmean(first == second for first, second in zip(one, other, strict=True))


def kappa(one: Sequence[Verdict], other: Sequence[Verdict]) -> float | None:
    """(p - e) / (1 - e): p is how often they agree, e how often they would by chance, each with his own shares.

    None where chance alone makes them always agree. Of four sentences the two agree in three (p = 3/4); they say
    "better" in 2/4 and 1/4, "equal" in 2/4 and 3/4, so e = 2/4 * 1/4 + 2/4 * 3/4 = 1/2, and kappa is 1/2:

    >>> kappa(["better", "better", "equal", "equal"], ["better", "equal", "equal", "equal"])
    0.5
    """
    shared = [verdict_shares(verdicts) for verdicts in (one, other)]
    chance = sum(shared[0][name] * shared[1][name] for name in VERDICTS) / 100**2
    return None if chance == 1 else (observed_agreement(one, other) / 100 - chance) / (1 - chance)


def _preferred(row: dict[Verdict, float]) -> dict[str, float | None]:
    decided = row["better"] + row["worse"]
    return {"preferred": 100 * row["better"] / decided if decided else None}
