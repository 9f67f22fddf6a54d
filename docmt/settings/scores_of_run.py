"""All scores in the files of a run: each metric by its name, with its interval and its number of units."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docmt.settings.metric import Source
from docmt.settings.metrics import METRICS, base_of, is_of_set, parse_metric


@dataclass(frozen=True)
class RunScore:
    """The score of a run by a metric.

    `low`, `high`: the ends of its interval; None without one. `n`: the number of units that the score is over, such as
    sentences, documents, contrastive items or pairs of translated words; None where the metric has none.
    """

    metric: str
    value: float
    low: float | None
    high: float | None
    signature: str
    n: int | None
    lower_is_better: bool


def scores_of_run(scores: dict[str, Any], record: dict[str, Any] | None) -> Iterator[RunScore]:
    """Yield every score in the `scores.json` of a run, and in the `record.json` of its training, if it has one."""
    contents: dict[Source, dict[str, Any]] = {"scores": scores, "record": record or {}}
    for name in metric_names(scores):
        parsed = parse_metric(name)
        measured = parsed.find(contents[parsed.metric.source])
        if measured is not None:
            low, high = (measured.interval.low, measured.interval.high) if measured.interval else (None, None)
            better = parsed.metric.lower_is_better
            units = units_of(name, scores)
            yield RunScore(name, measured.value, low, high, measured.signature, units, better)


def metric_names(scores: dict[str, Any]) -> Iterator[str]:
    """Yield the names of all metrics with each set and each detail that a `scores.json` has, scored or not."""
    for base, metric in METRICS.items():
        sets = _sets(base, scores) if metric.has_sets else []
        for name in (base, *(f"{base}:{part}" for part in sets)):
            yield name
            yield from (f"{name}@{detail}" for detail in _details(name, scores))


def _sets(base: str, scores: dict[str, Any]) -> list[str]:
    """Return the contrastive sets, and the sets that they are parts of; of LTCR and HHI the conventions."""
    if base != "accuracy":
        return [name.partition(":")[2] for name in scores.get("consistency", {}) if name.startswith(f"{base}:")]
    parts = [name.split("/") for name in scores.get("contrastive", {})]
    return list(dict.fromkeys("/".join(part[:size]) for part in parts for size in range(1, len(part) + 1)))


def _details(name: str, scores: dict[str, Any]) -> list[str]:
    """Return the positions or the distances that a metric may be of."""
    base, _, chosen = name.partition(":")
    if base == "accuracy":
        sets = scores.get("contrastive", {}).items()
        counted = [counts for part, counts in sets if not chosen or is_of_set(part, chosen)]
        return sorted({distance for counts in counted for distance in counts["by_distance"]}, key=int)
    positions = (*scores.get("positions", {}), *scores.get("decoding", {}).get("positions", {}))
    pattern = parse_metric(name).metric.detail
    buckets = [f"{kind}.{bucket}" for kind, names in scores.get("buckets", {}).items() for bucket in names]
    in_windows = sorted(dict.fromkeys(positions), key=lambda position: (len(position), position))
    return [detail for detail in (*in_windows, *buckets) if re.fullmatch(pattern, detail)]


def units_of(name: str, scores: dict[str, Any]) -> int | None:
    """Return the number of units that a score is over; None where `scores.json` does not count them."""
    parsed, base = parse_metric(name), base_of(name)
    if parsed.metric.source == "record":
        return None
    decoding, position = scores.get("decoding", {}), parsed.detail
    if base == "accuracy":
        return _items(scores, parsed.set, position)
    if base in ("LTCR", "HHI"):
        counts = scores["consistency"][f"{base}:{parsed.set}" if parsed.set else base]
        return counts.get("pairs" if base == "LTCR" else "chains")
    if position and "." in position:
        kind, _, bucket = position.partition(".")
        return scores["buckets"][kind][bucket]["sentences"]
    if position:
        return decoding.get("positions", {}).get(position, {}).get("exact")
    if base in scores:
        return scores[base].get("pairs", scores[base].get("sentences"))
    # The unit is the last word before the name of BLEU, chrF or TER: sentences, documents or packed instances.
    unit = base.split(" ")[-1].partition("-")[0]
    if unit == "d":
        return len(scores["by_document"]) if "by_document" in scores else None
    return decoding.get("segments" if unit == "i" else "sentences")


def _items(scores: dict[str, Any], chosen: str | None, distance: str | None) -> int:
    """Return the number of the contrastive items of a set (none: all) at a distance (none: all)."""
    counted = [counts for name, counts in scores["contrastive"].items() if chosen is None or is_of_set(name, chosen)]
    if distance is None:
        return sum(counts["items"] for counts in counted)
    return sum(counts["by_distance"].get(distance, {"items": 0})["items"] for counts in counted)
