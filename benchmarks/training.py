"""Tokens a second of whole training updates, and the share of the processor's matrix rate that they reach.

    python benchmarks/training.py [--updates 15] [--threads 1 2]

Synthetic segments, models of 2 + 2 layers, 128/512/4: a vocabulary of 1,000 and sentences of about 8 words, alone,
in windows of 3, and in instances of about 140 tokens; and, beside published rates of other toolkits, a vocabulary of
4,000 and sentences of about 21 words, alone and in documents of 18. An update holds about 2,500 target tokens.
Seconds are processor time by threads, and those of the fastest update: what it takes where nothing else runs. The
floor is the time that the update's matrix products alone need, as they are computed, at the rate of a large product
on the same threads.
"""

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from docmt.base.ragged import Ragged
from docmt.base.vocabulary import SPECIALS
from docmt.models import build
from docmt.models.pretrained import Start
from docmt.nn.frames import frame_batch
from docmt.nn.onednn import HAS_ONEDNN, product
from docmt.nn.rows import RowChains, Rows
from docmt.settings.models import (
    READS_CHAINS,
    GTransformerConfig,
    HanConfig,
    LexicalChainConfig,
    LongShortConfig,
    TransformerConfig,
    WLinkConfig,
)
from docmt.settings.train import TrainConfig
from docmt.supervision.watch import Watch
from docmt.training.checkpoint import StateFolder
from docmt.training.loop import Training
from docmt.training.optimiser import build_optimiser
from docmt.training.progress import Update, Validation
from docmt.training.task import Task

TOKENS = 2500
SIZES = {"encoder_layers": 2, "decoder_layers": 2, "width": 128, "inner": 512, "heads": 4}


@dataclass(frozen=True)
class Case:
    """A model, sentences a segment, words a sentence (on average), pieces of the vocabulary."""

    name: str
    config: TransformerConfig
    sentences: int
    words: int
    vocabulary: int


CASES = (
    Case("sentences of 8", TransformerConfig(**SIZES), 1, 8, 1000),
    Case("windows of 3", TransformerConfig(**SIZES, frame="joined"), 3, 8, 1000),
    Case("instances of 140, G-Transformer K=1", GTransformerConfig(**SIZES, combined_layers=1), 15, 8, 1000),
    Case("instances of 140, G-Transformer K=2", GTransformerConfig(**SIZES), 15, 8, 1000),
    Case("windows of 3, long-short", LongShortConfig(**SIZES, aggregation_inner=256), 3, 8, 1000),
    Case("documents of 15, lexical chains", LexicalChainConfig(**SIZES, frame="wrapped"), 15, 8, 1000),
    Case("documents of 15, W-Link", WLinkConfig(**SIZES), 15, 8, 1000),
    Case("documents of 15, HAN encoder", HanConfig(**SIZES), 15, 8, 1000),
    Case("sentences of 21", TransformerConfig(**SIZES), 1, 21, 4000),
    Case("documents of 18 x 21, G-Transformer K=2", GTransformerConfig(**SIZES), 18, 21, 4000),
)


def make_rows(case: Case) -> Rows:
    """Enough for an epoch of two updates; lengths of sentences half as long to half as long again."""
    generator = np.random.default_rng(0)
    segments = 2 * TOKENS // (case.sentences * (case.words + 1))
    sides: list[Ragged] = []
    for _ in range(2):
        lengths = generator.integers(case.words // 2, case.words * 3 // 2 + 1, size=segments * case.sentences)
        words = Ragged.of(generator.integers(len(SPECIALS), case.vocabulary, size=lengths.sum()), lengths)
        sides += words.grouped(np.full(segments, case.sentences))
    return Rows(*sides, chains_of(sides[1].flat(), segments, case))


def chains_of(lengths: np.ndarray, segments: int, case: Case) -> RowChains | None:
    """Chains of three words in three sentences one after another, one word in eight, where the model reads chains."""
    if case.config.kind not in READS_CHAINS:
        return None
    by_segment = lengths.reshape(segments, case.sentences)
    first = np.cumsum(by_segment, axis=1) - by_segment
    members = [row[: len(row) // 3 * 3] for row in first]
    counts = np.full(segments, case.sentences // 3)
    return RowChains(*Ragged.of(np.concatenate(members), np.full(counts.sum(), 3)).grouped(counts))


def matrix_rate() -> float:
    """Floating-point operations a second of a large matrix product, by the faster of torch's libraries."""
    a, seconds = torch.randn(2048, 2048), []
    for multiply in [torch.matmul, *([product] if HAS_ONEDNN else [])] * 8:
        began = processor_time()
        multiply(a, a)
        seconds.append(processor_time() - began)
    return 2 * 2048**3 / min(seconds)


def matrix_operations(case: Case) -> float:
    """Of one update by the target token, forward and backward; attention as it is computed, with its padding."""
    torch.manual_seed(0)
    model = build(case.config, case.vocabulary, case.vocabulary).train()
    # The products of oneDNN, on a CPU, would not be counted.
    model, batch = model.to("meta"), frame_batch(make_rows(case), case.config.frame).to("meta")
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counted:
        states, terms = model(batch)
        (model.logits(states).sum() + sum(term.total for term in terms.values())).backward()
    return counted.get_total_flops() / len(batch.target_out)


class Clock(list):
    """A listener that keeps the updates, with the processor time since the one before."""

    def __init__(self) -> None:
        self._last = processor_time()

    def updated(self, step: Update) -> None:
        now = processor_time()
        self.append(replace(step, seconds=now - self._last))
        self._last = now

    def validated(self, validation: Validation) -> None: ...

    def note(self, text: str) -> None: ...


def processor_time() -> float:
    return time.process_time() / torch.get_num_threads()


def fastest_update(case: Case, updates: int) -> Update:
    """The update of most target tokens a second, the first three left out."""
    torch.manual_seed(0)
    train = TrainConfig(tokens_per_update=TOKENS, batch_tokens=TOKENS, max_updates=updates, checkpoint="last")
    model, rows = build(case.config, case.vocabulary, case.vocabulary), make_rows(case)
    task = Task(
        model, build_optimiser(model, train), train, rows, rows.take([0]), 0, torch.device("cpu"), Start([], [])
    )
    clock = Clock()
    with TemporaryDirectory() as folder:
        Training(task, StateFolder(Path(folder), print, {}), Watch()).run(clock)
    return max(clock[3:], key=lambda step: step.target_tokens / step.seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=25)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    if arguments.updates < 4:
        parser.error("--updates: at least 4, since the first three do not count")
    print("| view | threads | source / target tokens a second | ms an update | floor, ms | share |")
    print("|---|---|---|---|---|---|")
    for threads in arguments.threads:
        torch.set_num_threads(threads)
        rate, steps = 0.0, []
        for case in CASES:
            rate = max(rate, matrix_rate())
            steps.append(fastest_update(case, arguments.updates))
        for case, step in zip(CASES, steps, strict=True):
            floor = matrix_operations(case) * step.target_tokens / rate
            speeds = f"{step.source_tokens / step.seconds:,.0f} / {step.target_tokens / step.seconds:,.0f}"
            share = f"{step.seconds * 1e3:.0f} | {floor * 1e3:.0f} | {floor / step.seconds:.2f}"
            print(f"| {case.name} | {threads} | {speeds} | {share} |", flush=True)


if __name__ == "__main__":
    main()
