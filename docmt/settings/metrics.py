"""The metrics that a study's tables may name, and where `scores.json`, or a training's record, has each.

A name is `base`, `base:set` or `base@detail` and both: `s-BLEU`, `mteval d-BLEU`, `i-BLEU` (over packed instances),
`s-BLEU@j2` (position 2 of a window), `LTCR@low` and `LTCR@high` (its interval), `accuracy` (all sets together),
`accuracy:pronoun` (with its parts, `pronoun/...`), `accuracy:pronoun@3` (distance 3). Accuracies are in percent in
tables, as papers print them; `scores.json` has fractions. `parameters`, `speed` and `dev NLL` need no scores, only a
training.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from docmt.base.errors import UserError, nearest

NO_DETAIL = "(?!)"


@dataclass(frozen=True)
class Measured:
    """A number and the signature that says how it was made."""

    value: float
    signature: str


@dataclass(frozen=True)
class Tallied:
    """Which rows of `details.arrow` have what each unit of the test set adds to a metric."""

    measure: str
    set: str | None = None
    distance: int | None = None


Source = Literal["scores", "record"]
"""What has a metric: `scores.json`, or `record.json` of the training."""

Finder = Callable[[dict, str | None, str | None], Measured | None]
"""(scores or record, set, detail) -> the number, or none where these lack it."""

Selector = Callable[[str | None, str | None], Tallied | None]
"""(set, detail) -> the rows that the metric is over, or none where it is no function of such sums."""


@dataclass(frozen=True)
class Metric:
    """`has_sets`: may be asked of one contrastive set; `detail`: the form of what may follow an @.

    `tallied`: where the summands of the metric stand, for tests of significance. `source`: which file has it. `unit`
    stands at the axes of figures. `judge`: the part of `scoring` that may name a pretrained model to measure
    it by. `module`: what measures it, with `score` (`docmt.scoring.measured`); empty where that is no part of `scores`
    of its own. The order of modules is that of what they add to `details.arrow`.
    """

    about: str
    find: Finder
    unit: str
    decimals: int = 2
    has_sets: bool = False
    detail: str = NO_DETAIL
    tallied: Selector = lambda *_: None
    source: Source = "scores"
    judge: Literal["aligner", "cohesion"] | None = None
    module: str = ""


def bleu_measure(family: str, unit: str, position: str | None = None) -> str:
    """What a BLEU score is called in `details.arrow`, such as `bleu|13a|s` and, in windows, `bleu|13a|s|j2`."""
    return "|".join(filter(None, ("bleu", family, unit, position)))


def _bleu(family: str, unit: str, about: str) -> Metric:
    def find(scores: dict, _: str | None, position: str | None) -> Measured | None:
        families = scores.get("positions", {}).get(position, {}) if position else scores.get("bleu", {})
        found = families.get(family, {}).get(unit)
        return found and Measured(found["score"], found["signature"])

    return Metric(
        about,
        find,
        "BLEU",
        detail=r"j\d+" if unit == "s" else NO_DETAIL,
        tallied=lambda _, position: Tallied(bleu_measure(family, unit, position)),
        module="docmt.scoring.bleu_scores",
    )


def _consistency(name: str, about: str, detail: str = NO_DETAIL) -> Metric:
    def find(scores: dict, _: str | None, end: str | None) -> Measured | None:
        found = scores.get("consistency", {}).get(name)
        if found and end:
            interval = found.get("interval")
            return interval and Measured(interval[end], interval["signature"])
        return found and Measured(found["score"], found["signature"])

    return Metric(
        about,
        find,
        "%",
        detail=detail,
        tallied=lambda _, end: None if end else Tallied(name),
        judge="aligner",
        module="docmt.scoring.ltcr",
    )


def is_of_set(name: str, wanted: str) -> bool:
    """Whether a contrastive set is the wanted one or, as `anaphora/f.sg` is of `anaphora`, a part of it."""
    return name == wanted or name.startswith(f"{wanted}/")


def _own(
    name: str, about: str, unit: str, decimals: int = 2, judge: Literal["aligner", "cohesion"] | None = None
) -> Metric:
    """A metric that is called the same in tables, in `scores.json`, in `details.arrow` and as a module."""

    def find(scores: dict, *_: str | None) -> Measured | None:
        found = scores.get(name)
        return Measured(found["score"], found["signature"]) if found else None

    tallied, module = lambda *_: Tallied(name), f"docmt.scoring.{name}"
    return Metric(about, find, unit, decimals, tallied=tallied, judge=judge, module=module)


def _accuracy(scores: dict, name: str | None, distance: str | None) -> Measured | None:
    sets = scores.get("contrastive", {})
    chosen = [found for one, found in sets.items() if name is None or is_of_set(one, name)]
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


def _sentences(scores: dict, _: str | None, position: str | None) -> Measured | None:
    decoding = scores.get("decoding", {})
    counts = decoding.get("positions", {}).get(position, {}).get("exact") if position else decoding.get("sentences")
    return None if counts is None else Measured(counts, "sentences|v:1")


def _parameters(record: dict, *_: str | None) -> Measured | None:
    count = record.get("parameters")
    return None if count is None else Measured(count / 1e6, "parameters|unit:millions|v:1")


def _speed(record: dict, *_: str | None) -> Measured | None:
    speed, hardware = record.get("source_tokens_per_s"), record.get("hardware", {})
    machine = hardware.get("gpu") or hardware.get("processor")
    signature = f"speed|unit:thousand source pieces a second|ranks:{record.get('ranks')}|machine:{machine}|v:1"
    return None if speed is None else Measured(speed / 1e3, signature)


def _dev_likelihood(record: dict, *_: str | None) -> Measured | None:
    """Every frame is measured by the same number of tokens, words and one end a sentence: the sums are compared."""
    perplexity = record.get("dev_perplexity")
    signature = "dev NLL|unit:nats|per:target pieces + sentences of dev, whatever the frame|label_smoothing:0|v:1"
    return None if perplexity is None else Measured(math.log(perplexity), signature)


BLEU_FAMILIES = {
    "": ("13a", "cased"),
    "mteval ": ("13a_lower", "lower-cased as mteval-v13a"),
    "multi-bleu ": ("tokenized_lower", "tokenised and lower-cased as multi-bleu -lc"),
    "cased multi-bleu ": ("tokenized", "tokenised and cased as multi-bleu"),
}
"""By what stands before `s-BLEU` in a metric's name: the family in `scores.json`, and what it is."""

BLEU_UNITS = {"s": "over sentences", "d": "over documents", "i": "over the packed instances of the system's view"}

METRICS = {
    **{
        f"{name}{unit}-BLEU": _bleu(family, unit, f"{about}, {over}")
        for name, (family, about) in BLEU_FAMILIES.items()
        for unit, over in BLEU_UNITS.items()
    },
    "accuracy": Metric(
        "contrastive accuracy in percent",
        _accuracy,
        "%",
        decimals=1,
        has_sets=True,
        detail=r"\d+",
        tallied=lambda name, distance: Tallied("accuracy", name, None if distance is None else int(distance)),
        module="docmt.scoring.contrastive",
    ),
    "LTCR": _consistency(
        "LTCR", "pairs of a lexical chain's words translated alike, in percent; its 95 % interval", detail="low|high"
    ),
    "HHI": _consistency("HHI", "concentration of a lexical chain's translations, in percent"),
    "coherence": _own("coherence", "cosine of adjacent sentences' mean word vectors", "cosine", decimals=4),
    "cohesion": _own(
        "cohesion", "probability of each sentence as the next one, by BERT", "probability", decimals=4, judge="cohesion"
    ),
    "fallbacks": Metric("sentences translated again, alone, in percent", _fallbacks, "%"),
    "sentences": Metric(
        "sentences translated; @j2: as the second of a window, and not only as near to it as their document allows",
        _sentences,
        "sentences",
        decimals=0,
        detail=r"j\d+",
    ),
    "parameters": Metric("all parameters of the model, in millions", _parameters, "millions", source="record"),
    "speed": Metric(
        "thousand source words a second in training; words are pieces, with the symbols around sentences",
        _speed,
        "thousand pieces a second",
        source="record",
    ),
    "dev NLL": Metric(
        "cross-entropy of the dev set under the trained model, without label smoothing, in nats a target piece",
        _dev_likelihood,
        "nats a target piece",
        decimals=3,
        source="record",
    ),
}


@dataclass(frozen=True)
class MetricName:
    """A metric's name taken apart."""

    metric: Metric
    set: str | None
    detail: str | None

    def find(self, content: dict) -> Measured | None:
        """The metric in the content of the file that has it (`metric.source`); none where it has no such number."""
        return self.metric.find(content, self.set, self.detail)

    @property
    def tallied(self) -> Tallied | None:
        """Where `details.arrow` has what the metric is a sum of; none where systems cannot be compared by it."""
        return self.metric.tallied(self.set, self.detail)


def parse_metric(name: str, where: str | None = None) -> MetricName:
    """Raises UserError for a metric that does not exist, or that has no such sets or details."""
    base, set_name, detail = re.fullmatch(r"([^:@]*)(?::([^@]*))?(?:@(.*))?", name, re.DOTALL).groups()
    if base not in METRICS:
        raise UserError("unknown metric", where=where, found=name, remedy=nearest(base, METRICS))
    metric = METRICS[base]
    if set_name == "" or (set_name and not metric.has_sets):
        raise UserError("no metric of a contrastive set", where=where, found=name, expected="accuracy:<set>")
    if detail is not None and not re.fullmatch(metric.detail, detail):
        expected = "s-BLEU@j<position>, sentences@j<position>, accuracy@<distance>, LTCR@low or LTCR@high"
        raise UserError("unknown detail of a metric", where=where, found=name, expected=expected)
    return MetricName(metric, set_name, detail)
