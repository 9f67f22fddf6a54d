"""How well links agree with those of people.

Paper: Och and Ney: A Systematic Comparison of Various Statistical Alignment Models, CL 29 (2003), section 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from docmt.scoring.alignment.links import Links
from docmt.scoring.alignment.pharaoh import GoldLinks


@dataclass(frozen=True)
class Quality:
    """In percent. `precision`: of the links, those that are possible; `recall`: of the sure links, those found; `aer`:
    1 - (found sure + found possible) / (found + sure). None where there is nothing to divide by."""

    precision: float | None
    recall: float | None
    aer: float | None
    links: int
    sure: int
    possible: int
    sentences: int


def alignment_quality(found: Sequence[Links], gold: Sequence[GoldLinks]) -> Quality:
    """Over all sentence pairs.

    >>> one = GoldLinks(sure=frozenset({(0, 0), (1, 1)}), possible=frozenset({(0, 0), (1, 1), (1, 2)}))
    >>> quality = alignment_quality([frozenset({(0, 0), (1, 2), (2, 2)})], [one])
    >>> [round(value, 1) for value in (quality.precision, quality.recall, quality.aer)]
    [66.7, 50.0, 40.0]
    """
    pairs = list(zip(found, gold, strict=True))
    links, sure = sum(map(len, found)), sum(len(one.sure) for one in gold)
    right = sum(len(own & one.possible) for own, one in pairs)
    right_sure = sum(len(own & one.sure) for own, one in pairs)
    error = _percent(right + right_sure, links + sure)
    return Quality(
        precision=_percent(right, links),
        recall=_percent(right_sure, sure),
        aer=None if error is None else 100 - error,
        links=links,
        sure=sure,
        possible=sum(len(one.possible) for one in gold),
        sentences=len(gold),
    )


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
