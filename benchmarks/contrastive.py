"""How fast variants are scored: `OMP_NUM_THREADS=1 python benchmarks/contrastive.py`; the record is contrastive.md.

Rows like those of Voita et al.'s sets: an item has four source sentences, and translations that differ in the last. Weights
are random: what is computed does not depend on them. Times are CPU times, since others may use the machine.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import nn

from docmt.core.architectures import GTransformerConfig, TransformerConfig
from docmt.decoding.contrastive import batch_scores
from docmt.decoding.translator import quiet
from docmt.models import build
from docmt.nn.rows import Rows
from docmt.search import forced_scores

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


def timed(score: Callable, *given: object) -> tuple[float, list[float]]:
    start = time.process_time()
    scores = score(*given)
    return time.process_time() - start, scores


def main() -> None:
    torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    load = Path("/proc/loadavg").read_text().split()[0]
    print(
        f"{torch.get_num_threads()} threads, torch {torch.__version__}, load {load}, rows a CPU second, medians of {ROUNDS}"
    )
    for name, config in MODELS.items():
        torch.manual_seed(1)
        model = build(config, VOCABULARY, VOCABULARY).eval()
        for kind, variants in SETS.items():
            rows, counts = items(variants, random.Random(1))
            taken = {score: [] for score in (one_by_one, in_batches, by_item)}
            for _ in range(ROUNDS):
                found = {score: timed(score, model, rows, counts) for score in taken}
                for score, (time_taken, _) in found.items():
                    taken[score].append(time_taken)
            first, *others = (np.array(scores) for _, scores in found.values())
            assert all(np.abs(first - other).max() < 1e-3 for other in others)
            rates = [len(rows) / statistics.median(times) for times in taken.values()]
            times = ", ".join(f"{rate / rates[0]:.1f}" for rate in rates[1:])
            shown = " ".join(f"{rate:6.0f}" for rate in rates)
            print(f"{name:20} {kind:22} {len(rows)} rows of {len(counts)} items: {shown}   times {times}", flush=True)


if __name__ == "__main__":
    main()
