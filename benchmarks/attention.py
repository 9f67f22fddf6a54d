"""How fast attention inside runs is on this machine, beside the simpler ways and the least that it could take.

    OMP_NUM_THREADS=1 PYTHONPATH=tests python benchmarks/attention.py > benchmarks/attention.md

Rows: forward and backward of `attend` on streams like those of training; width 128, 4 heads, fp32.

How runs are put into buckets was chosen by these rows. Against buckets of exactly equal lengths, rounding lengths up to
three significant bits took 0.7 to 0.9 of the time at 15 to 35 tokens a run and as much elsewhere; four bits gained
nothing, and fixed steps of 8 or 16 lost a third at 5 to 12 tokens. Rounding the keys' lengths too lost everywhere.
Products written out (`bmm`) by MKL instead of the fused kernel took as long; those of oneDNN are faster on long rows
(`docmt/nn/onednn.py`).
"""

import platform
import random
import statistics
import time
from collections.abc import Callable

import torch
from helpers.dense_attention import attend as dense_attend
from torch.nn.functional import scaled_dot_product_attention

from docmt.nn.attention import attend_in_buckets
from docmt.nn.device import keep_freed_memory
from docmt.nn.onednn import linear
from docmt.nn.segments import Segments

HEADS, HEAD_WIDTH = 4, 32
BACKWARD_MATMULS, FORWARD_MATMULS = 5, 2
"""Products of lengths of queries and keys: scores and sum; scores again and four gradients."""


def seconds(work: Callable[[], object], repeats: int = 30, limit_s: float = 2.0) -> float:
    """The lower quartile of some repeats, after two for warming up; of fewer where they take long.

    On one thread processor time is taken, which other processes disturb least.
    """
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    times: list[float] = []
    while len(times) < 5 or (len(times) < repeats + 2 and sum(times) < limit_s):
        begin = clock()
        work()
        times.append(clock() - begin)
    return statistics.quantiles(times[2:], n=4)[0]


def per_run(q, k, v, query_segments, key_segments, causal):
    """One call of the kernel a run."""
    runs = zip(
        q.split(query_segments.lengths), k.split(key_segments.lengths), v.split(key_segments.lengths), strict=True
    )
    seen = [scaled_dot_product_attention(*(x.transpose(0, 1)[None] for x in run), is_causal=causal)[0] for run in runs]
    return torch.cat(seen, dim=1).transpose(0, 1)


def fresh_plan(q, k, v, query_segments, key_segments, causal):
    """Bucketed, with the plan made anew: what the first layer of a batch pays."""
    query_segments.prepared.clear()
    return attend_in_buckets(q, k, v, query_segments, key_segments, causal)


def lengths_of(runs: int, low: int, high: int, generator: random.Random) -> list[int]:
    return [generator.randint(low, high) for _ in range(runs)]


def cases() -> list[tuple[str, list[int], list[int], bool]]:
    draw = random.Random(1)
    shapes = {
        "330 sentences of 5-12": (330, 5, 12),
        "20 sentences of 15-35": (20, 15, 35),
        "20 sentences of 25": (20, 25, 25),
        "110 windows of 18-33": (110, 18, 33),
        "18 instances of 120-160": (18, 120, 160),
        "1 instance of 500": (1, 500, 500),
    }
    rows = []
    for name, shape in shapes.items():
        queries, keys = lengths_of(*shape, draw), lengths_of(*shape, draw)
        rows += [(f"{name}, self", queries, queries, False), (f"{name}, causal", queries, queries, True)]
        rows += [(f"{name}, cross", queries, keys, False)]
    return rows


def measure(queries: list[int], keys: list[int], causal: bool, rates: tuple[float, float]) -> list[float]:
    """Milliseconds: floor, bucketed, bucketed with its plan made anew, per run, dense mask."""
    query_segments = Segments.from_lengths(queries)
    key_segments = query_segments if queries is keys else Segments.from_lengths(keys)
    q, g = (torch.randn(sum(queries), HEADS, HEAD_WIDTH, requires_grad=True) for _ in range(2))
    k, v = (torch.randn(sum(keys), HEADS, HEAD_WIDTH, requires_grad=True) for _ in range(2))

    def both_ways(attend: Callable) -> float:
        def work() -> None:
            seen = attend(q, k, v, query_segments, key_segments, causal)
            torch.autograd.grad(seen, (q, k, v), g)

        return 1e3 * seconds(work)

    products = sum(a * b for a, b in zip(queries, keys, strict=True)) * HEADS * HEAD_WIDTH
    flops = 2 * products * (FORWARD_MATMULS + BACKWARD_MATMULS) / (2 if causal else 1)
    moved = 4 * HEADS * HEAD_WIDTH * (6 * sum(queries) + 6 * sum(keys))
    floor = 1e3 * max(flops / rates[0], moved / rates[1])
    return [floor, *(both_ways(way) for way in (attend_in_buckets, fresh_plan, per_run, dense_attend))]


def machine_rates() -> tuple[float, float]:
    """Floating point operations a second of a large product; bytes a second of a large copy (read and written)."""
    x, y = torch.randn(1024, 1024), torch.randn(1 << 24)
    out = torch.empty_like(y)
    fastest = min(seconds(lambda: x @ x), seconds(lambda: linear(x, x)))
    return 2 * 1024**3 / fastest, 8 * y.numel() / seconds(lambda: out.copy_(y))


def main() -> None:
    keep_freed_memory()
    rates = machine_rates()
    print("# Attention inside runs: forward and backward, milliseconds\n")
    print(
        f"torch {torch.__version__}, {platform.machine()}, {torch.get_num_threads()} thread(s), fp32, "
        f"{HEADS} heads of {HEAD_WIDTH}. Lower quartile of up to 30. Made by `benchmarks/attention.py`.\n\n"
        f"The floor is what the products or the memory traffic need at the machine's rates, whichever is more: "
        f"{rates[0] / 1e9:.0f} GFLOP/s in a product of 1024 x 1024, {rates[1] / 1e9:.1f} GB/s in a copy. "
        "First layer: with the plan made anew; the other layers share it. Per run: a call of the fused kernel a run. "
        "Dense: one boolean mask over the stream.\n"
    )
    print("| runs | floor | bucketed | first layer | per run | dense | to floor | per run, to it | dense, to it |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, queries, keys, causal in cases():
        floor, ours, first, single, masked = measure(queries, keys, causal, rates)
        figures = f"{floor:.2f} | {ours:.2f} | {first:.2f} | {single:.2f} | {masked:.1f}"
        ratios = f"{ours / floor:.1f} | {single / ours:.1f} | {masked / ours:.1f}"
        print(f"| {name} | {figures} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
