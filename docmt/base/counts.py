"""Counts by split, which shards have each for themselves and a card has in all."""

Counts = dict[str, dict[str, int]]
"""By split and name. What is called `longest`, or ends so, is no sum."""


def add_counts(one: Counts, other: Counts) -> Counts:
    return {split: _added(one.get(split, {}), other.get(split, {})) for split in one | other}


def _added(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    numbers = {name: (one.get(name, 0), other.get(name, 0)) for name in one | other}
    return {name: max(pair) if name.endswith("longest") else sum(pair) for name, pair in numbers.items()}
