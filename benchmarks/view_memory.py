"""Memory that a training holds for its data: python benchmarks/view_memory.py FOLDER PAIRS [SOURCE] [TARGET].

A made-up view has PAIRS segments, of SOURCE and TARGET ids on average (25 if no number is given). A training opens it
and computes two updates. Private memory (the line `Anonymous` of smaps_rollup) is what each rank has of its own; pages
of a mapped file are not in it. The record is in training.md beside this.
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import torch

from docmt.base.columns import SEGMENTS
from docmt.base.recipe import Recipe
from docmt.base.tables import arrow_writer
from docmt.models import build
from docmt.models.pretrained import Start
from docmt.settings.models import TransformerConfig
from docmt.settings.train import TrainConfig
from docmt.supervision.watch import Watch
from docmt.training.checkpoint import StateFolder
from docmt.training.loop import Training
from docmt.training.optimiser import build_optimiser
from docmt.training.progress import Update, Validation
from docmt.training.task import Paths, Task, read_rows

SHARD, VOCABULARY = 10_000, 32_000
SIZES = {"encoder_layers": 1, "decoder_layers": 1, "width": 64, "inner": 64, "heads": 1}


def make_view(file: Path, pairs: int, means: tuple[int, int]) -> None:
    """Write segments of one sentence, in shards as stage 3 writes them; a length is up to twice the mean."""
    draw = np.random.default_rng(1)
    with arrow_writer(file, SEGMENTS) as writer:
        for first in range(0, pairs, SHARD):
            count = min(SHARD, pairs - first)
            columns = {"document": pa.array(["d"] * count), "first": pa.array(range(count), pa.int32())}
            for side, mean in zip(("source", "target"), means, strict=True):
                lengths = draw.integers(1, 2 * mean, count, dtype=np.int32)
                ids = draw.integers(8, VOCABULARY, lengths.sum(), dtype=np.int32)
                for name, values, sizes in (("ids", ids, lengths), ("lengths", lengths, np.ones(count, np.int32))):
                    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
                    columns[f"{side}_{name}"] = pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))
            writer.write_batch(pa.record_batch([columns[name] for name in SEGMENTS.names], SEGMENTS))


def private() -> int:
    """Return the bytes of memory that belong to this process alone."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Anonymous:"))


class Notes:
    """A listener that prints each update."""

    def updated(self, step: Update) -> None:
        print(f"update {step.update}: {step.source_tokens:,} source tokens, loss {step.loss:.4f}", flush=True)

    def validated(self, validation: Validation) -> None: ...

    def note(self, text: str) -> None: ...


def main() -> None:
    folder, pairs, *means = Path(sys.argv[1]), *map(int, sys.argv[2:])
    if not (folder / "train.arrow").exists():
        folder.mkdir(parents=True, exist_ok=True)
        make_view(folder / "train.arrow", pairs, tuple(means or (25, 25)))
        make_view(folder / "dev.arrow", 10, (25, 25))
    torch.manual_seed(1)
    model = build(TransformerConfig(**SIZES), VOCABULARY, VOCABULARY)
    paths = Paths(Recipe("train", 1, {}, folder), folder, folder, folder, folder)
    dev, began, before = read_rows(paths, "dev", model), time.perf_counter(), private()
    rows = read_rows(paths, "train", model, 4096)
    seconds, opened = time.perf_counter() - began, private() - before
    print(f"{len(rows):,} pairs, {rows.source_words.sum():,} and {rows.target_words.sum():,} ids, {seconds:.0f} s")
    train = TrainConfig(tokens_per_update=4096, batch_tokens=4096, max_updates=2, checkpoint="last")
    task = Task(model, build_optimiser(model, train), train, rows, dev, 1, torch.device("cpu"), Start([], []))
    with TemporaryDirectory() as state:
        Training(task, StateFolder(Path(state), print, {}), Watch()).run(Notes())
    after = private() - before
    print(f"private: {opened / len(rows):.0f} bytes a pair opened; with the updates {after / 2**20:,.0f} MiB in all")


if __name__ == "__main__":
    main()
