"""How fast variants are scored: `OMP_NUM_THREADS=1 python benchmarks/contrastive.py`; the record is contrastive.md.

Rows like those of Voita et al.'s sets: an item has four source sentences, and translations that differ in the last.
Weights are random: what is computed does not depend on them. Times are CPU times, since others may use the machine.

`python benchmarks/contrastive.py MODEL VIEW` takes a model's folder and all rows of a view's contrastive.arrow instead.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
from torch import nn

from docmt.base.columns import CONTRASTIVE_SEGMENTS
from docmt.decoding.contrastive import batch_scores, distinct_variants
from docmt.decoding.segments import View
from docmt.decoding.translator import quiet
from docmt.models import build
from docmt.models.store import load_model
from docmt.nn.rows import Rows
from docmt.search.forced import forced_scores
from docmt.settings.models import GTransformerConfig, TransformerConfig

VOCABULARY = 8000
SIZES = {"encoder_layers": 2, "decoder_layers": 2, "width": 128, "inner": 512, "heads": 4, "embeddings": "separate"}
MODELS = {
    "transformer, joined": TransformerConfig(**SIZES, frame="joined"),
    "g_transformer": GTransformerConfig(**SIZES, combined_layers=2),
}
SETS = {"deixis": (2, 2), "lexical cohesion": (2, 3), "ellipsis (inflection)": (4, 6), "ellipsis (VP)": (9, 12)}
"""Variants of an item, from and to: as many as in each of the sets on average."""

ROWS, SENTENCES, WORDS, LAST_WORDS = 60, 4, (4, 14), (3, 9)
ROUNDS = 3

Case = tuple[str, nn.Module, str, Rows, np.ndarray, int]
"""A model, a set, its rows, how many of them each item has, and how often they are scored."""


def made_up() -> Iterator[Case]:
    for name, config in MODELS.items():
        torch.manual_seed(1)
        model = build(config, VOCABULARY, VOCABULARY).eval()
        for kind, variants in SETS.items():
            yield name, model, kind, *items(variants, random.Random(1)), ROUNDS


def items(variants: tuple[int, int], draw: random.Random) -> tuple[Rows, np.ndarray]:
    """About ROWS rows, and how many each item has."""

    def sentence(words: tuple[int, int]) -> list[int]:
        return [draw.randrange(7, VOCABULARY) for _ in range(draw.randint(*words))]

    sources, targets, counts = [], [], []
    while sum(counts) < ROWS:
        counts.append(draw.randint(*variants))
        source, context = ([sentence(WORDS) for _ in range(count)] for count in (SENTENCES, SENTENCES - 1))
        sources += [source] * counts[-1]
        targets += [[*context, sentence(LAST_WORDS)] for _ in range(counts[-1])]
    return Rows.from_lists(sources, targets), np.array(counts)


def of_a_view(folder: Path, view: Path) -> Iterator[Case]:
    model = load_model(folder, torch.device("cpu"))
    table, _ = View(view).read("contrastive.arrow", CONTRASTIVE_SEGMENTS, model)
    numbered = groupby(enumerate(table["set"].to_pylist()), lambda pair: pair[1])
    for kind, group in numbered:
        part = table.take([number for number, _ in group])
        distinct, _, variants = distinct_variants(part.to_pylist())
        yield model.config.kind, model, kind, Rows.from_table(part).take(distinct), variants, 1


def one_by_one(model: nn.Module, rows: Rows, _: np.ndarray) -> list[float]:
    passes = (forced_scores(model, rows.take([row]))[1] for row in range(len(rows)))
    return [sentences[-1].item() for sentences in passes]


def in_batches(model: nn.Module, rows: Rows, _: np.ndarray) -> list[float]:
    """Each row for itself: what was done before items shared anything."""
    scores = np.empty(len(rows))
    for chosen in np.array_split(np.argsort(-(rows.source_words + rows.target_words)), max(len(rows) // 60, 1)):
        batch = rows.take(chosen)
        scores[chosen] = forced_scores(model, batch)[1][torch.from_numpy(np.cumsum(batch.sentences) - 1)]
    return scores.tolist()


def by_item(model: nn.Module, rows: Rows, counts: np.ndarray) -> list[float]:
    return batch_scores(model, rows, counts, 4096, quiet)["score"].tolist()


WAYS = (one_by_one, in_batches, by_item)


def timed(score: Callable, *given: object) -> tuple[float, list[float]]:
    start = time.process_time()
    scores = score(*given)
    return time.process_time() - start, scores


def measured(model: nn.Module, rows: Rows, counts: np.ndarray, rounds: int) -> list[float]:
    """CPU seconds of each of WAYS, after one round that does not count; all must give the same scores."""
    few = int(counts[:3].sum())
    for way in WAYS:
        way(model, rows.take(range(few)), counts[:3])
    found = [[timed(way, model, rows, counts) for way in WAYS] for _ in range(rounds)]
    first, *others = (np.array(scores) for _, scores in found[0])
    assert all(np.abs(first - other).max() < 1e-3 for other in others)
    return [statistics.median(seconds for seconds, _ in times) for times in zip(*found, strict=True)]


def main() -> None:
    torch.set_num_threads(1)
    load = Path("/proc/loadavg").read_text().split()[0]
    print(f"torch {torch.__version__}, 1 thread, load {load}: rows a CPU second {', '.join(w.__name__ for w in WAYS)}")
    totals, all_rows = np.zeros(len(WAYS)), 0
    for name, model, kind, rows, counts, rounds in of_a_view(*map(Path, sys.argv[1:])) if sys.argv[1:] else made_up():
        seconds = np.array(measured(model, rows, counts, rounds))
        totals, all_rows = totals + seconds, all_rows + len(rows)
        shown, times = ((" ".join(f"{one:6.{places}f}" for one in values)) for values, places in figures(rows, seconds))
        print(f"{name:20} {kind:22} {len(rows):5} rows of {len(counts):4} items: {shown}   times {times}", flush=True)
    print(f"{all_rows} rows in {', '.join(f'{one:.1f}' for one in totals)} CPU seconds")


def figures(rows: Rows, seconds: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Rows a second, and how many times as fast as row by row; with their decimal places."""
    return [(len(rows) / seconds, 0), (seconds[0] / seconds[1:], 1)]


if __name__ == "__main__":
    main()
