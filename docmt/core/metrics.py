"""The metrics that a study's tables may name, and where `scores.json` has each.

A name is `base`, `base:set` or `base@detail` and both: `s-BLEU`, `mteval d-BLEU`, `s-BLEU@j2` (position 2 of a
window), `LTCR@low` and `LTCR@high` (its interval), `accuracy` (all sets together), `accuracy:pronoun`,
`accuracy:pronoun@3` (distance 3). Accuracies are in percent in tables, as papers print them; `scores.json` has
fractions.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from docmt.core.errors import UserError, nearest


@dataclass(frozen=True)
class Measured:
    """A number and the signature that says how it was made."""

    value: float
    signature: str


Finder = Callable[[dict, str | None, str | None], Measured | None]
"""(scores, set, detail) -> the number, or none where these scores lack it."""


@dataclass(frozen=True)
class Metric:
    """`has_sets`: may be asked of one contrastive set; `detail`: the form of what may follow an @."""

    about: str
    find: Finder
    decimals: int = 2
    has_sets: bool = False
    detail: str = "(?!)"


def _bleu(family: str, unit: str) -> Finder:
    def find(scores: dict, _: str | None, position: str | None) -> Measured | None:
        families = scores.get("positions", {}).get(position, {}) if position else scores.get("bleu", {})
        found = families.get(family, {}).get(unit)
        return found and Measured(found["score"], found["signature"])

    return find


def _consistency(name: str) -> Finder:
    def find(scores: dict, _: str | None, end: str | None) -> Measured | None:
        found = scores.get("consistency", {}).get(name)
        if found and end:
            interval = found.get("interval")
            return interval and Measured(interval[end], interval["signature"])
        return found and Measured(found["score"], found["signature"])

    return find


def _accuracy(scores: dict, name: str | None, distance: str | None) -> Measured | None:
    sets = scores.get("contrastive", {})
    chosen = [sets[name]] if name in sets else [] if name else list(sets.values())
    if distance:
        chosen = [one["by_distance"][distance] for one in chosen if distance in one["by_distance"]]
    items = sum(one["items"] for one in chosen)
    if not items:
        return None
    return Measured(100 * sum(one["right"] for one in chosen) / items, scores["contrastive_signature"])


def _fallbacks(scores: dict, *_: str | None) -> Measured | None:
    decoding = scores.get("decoding")
    if not decoding:
        return None
    share = decoding["fallback_sentences"] / decoding["sentences"]
    return Measured(100 * share, "fallbacks|unit:sentences|v:1")


SENTENCES = {"detail": r"j\d+"}
ENDS = {"detail": "low|high"}

METRICS = {
    "s-BLEU": Metric("cased, over sentences", _bleu("13a", "s"), **SENTENCES),
    "d-BLEU": Metric("cased, over documents", _bleu("13a", "d")),
    "mteval s-BLEU": Metric("lower-cased as mteval-v13a, over sentences", _bleu("13a_lower", "s"), **SENTENCES),
    "mteval d-BLEU": Metric("lower-cased as mteval-v13a, over documents", _bleu("13a_lower", "d")),
    "multi-bleu s-BLEU": Metric(
        "tokenised and lower-cased as multi-bleu -lc, over sentences", _bleu("tokenized_lower", "s"), **SENTENCES
    ),
    "multi-bleu d-BLEU": Metric(
        "tokenised and lower-cased as multi-bleu -lc, over documents", _bleu("tokenized_lower", "d")
    ),
    "LTCR": Metric(
        "pairs of a lexical chain's words translated alike, in percent; its 95 % interval", _consistency("LTCR"), **ENDS
    ),
    "HHI": Metric("concentration of a lexical chain's translations, in percent", _consistency("HHI")),
    "accuracy": Metric("contrastive accuracy in percent", _accuracy, decimals=1, has_sets=True, detail=r"\d+"),
    "fallbacks": Metric("sentences translated again, alone, in percent", _fallbacks),
}


@dataclass(frozen=True)
class MetricName:
    """A metric's name taken apart."""

    metric: Metric
    set: str | None
    detail: str | None

    def find(self, scores: dict) -> Measured | None:
        """The metric in the content of a `scores.json`; none where it has no such number."""
        return self.metric.find(scores, self.set, self.detail)


def parse_metric(name: str, where: str | None = None) -> MetricName:
    """Raises UserError for a metric that does not exist, or that has no such sets or details."""
    base, set_name, detail = re.fullmatch(r"([^:@]*)(?::([^@]*))?(?:@(.*))?", name, re.DOTALL).groups()
    if base not in METRICS:
        raise UserError("unknown metric", where=where, found=name, remedy=nearest(base, METRICS))
    metric = METRICS[base]
    if set_name == "" or (set_name and not metric.has_sets):
        raise UserError("no metric of a contrastive set", where=where, found=name, expected="accuracy:<set>")
    if detail is not None and not re.fullmatch(metric.detail, detail):
        expected = "s-BLEU@j<position>, accuracy@<distance>, LTCR@low or LTCR@high"
        raise UserError("unknown detail of a metric", where=where, found=name, expected=expected)
    return MetricName(metric, set_name, detail)
