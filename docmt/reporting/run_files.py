"""What runs have left, as a report reads it; a file that is damaged, or none of ours, is refused by its name.

What is not there was not run. Of scores and comparisons is checked what tables and figures go by, so that nothing but a
message becomes of a file of another shape.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_json_lines, read_object_if_there
from docmt.base.foreign import reading


def read_scores(path: Path) -> dict[str, Any] | None:
    """`scores.json`."""
    scores = read_object_if_there(path, "decoding")
    if scores is None:
        return None
    with reading(path, "not the scores of a system", "what `docmt score-system` writes"):
        for families in (scores.get("bleu", {}), *scores.get("positions", {}).values()):
            for units in families.values():
                _need_scores(units.values())
        _need_scores(scores.get("consistency", {}).values())
        _need_scores(found for name in ("coherence", "cohesion") if (found := scores.get(name)))
        for accuracy in scores.get("contrastive", {}).values():
            _need_numbers(accuracy, "items", "right")
            for one in accuracy.get("by_distance", {}).values():
                _need_numbers(one, "items", "right")
        _text(scores["decoding"]["lines"])
    return scores


def _need_scores(found: Any) -> None:
    for one in found:
        _need_numbers(one, "score")
        _text(one["signature"])


def _need_numbers(one: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if not isinstance(one[name], int | float):
            raise TypeError(f"{name}: {one[name]!r} is no number")


def _text(value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")


def _mapping(value: Any) -> None:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is no mapping")


def read_record(path: Path) -> dict[str, Any] | None:
    """`record.json` of a training."""
    record = read_object_if_there(path)
    if record is None:
        return None
    with reading(path, "not the record of a training", "what `docmt train` writes"):
        _mapping(record.get("hardware", {}))
        numbers = ("parameters", "source_tokens_per_s", "target_tokens_per_s", "dev_perplexity", "wall_s", "updates")
        _need_numbers(record, *(name for name in numbers if record.get(name) is not None))
    return record


def read_curve(path: Path) -> tuple[dict[str, Any], ...]:
    """The lines of `metrics.jsonl`."""
    return tuple(read_json_lines(path)) if path.exists() else ()


def read_comparisons(path: Path) -> tuple[dict[str, Any], ...]:
    """`comparisons.json` of a table."""
    compared = read_object_if_there(path)
    found = (compared or {}).get("comparisons", ())
    with reading(path, "not the comparisons of a table", "what `docmt compare-table` writes"):
        for one in found:
            _mapping(one)
            _text(one["signature"])
            _need_numbers(one, "p")
    return tuple(found)


def read_card(path: Path) -> dict[str, Any] | None:
    """A `card.json` with what is counted of each split."""
    card = read_object_if_there(path)
    if card is None:
        return None
    with reading(path, "not a card of docmt", "a mapping for each of `splits`"):
        for split in (card.get("splits") or {}).values():
            _mapping(split)
    return card
