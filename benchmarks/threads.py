"""The time of translating with one thread and with more, on free cores and on busy ones.

    python benchmarks/threads.py [--threads 1 2]

Models are random, sentences are of 25 random pieces, the beam is 5. Rounds of the numbers of threads alternate, and the
median of each is printed; busy cores have one endless loop per core beside.
"""

import argparse
import multiprocessing
import random
import statistics
import time

import torch

from docmt.base.workers import cores
from docmt.models import build
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import TransformerConfig

SHAPES = ((64, 2, 500, 60), (128, 3, 4000, 40), (256, 6, 4000, 30), (512, 6, 4000, 16))
"""Width, layers of each side, pieces of the vocabulary, sentences."""
ROUNDS = 3
LENGTH = 25


def spin() -> None:
    """Use a core until the process is ended."""
    while True:
        pass


def measure(shape: tuple[int, int, int, int], numbers: list[int]) -> dict[int, float]:
    """The median seconds of a translation, by the number of threads."""
    width, layers, vocabulary, sentences = shape
    torch.manual_seed(1)
    sizes = {"width": width, "inner": 4 * width, "heads": max(1, width // 64)}
    config = TransformerConfig(**sizes, encoder_layers=layers, decoder_layers=layers)
    model = build(config, vocabulary, vocabulary).eval()
    pieces = random.Random(1)
    rows = Rows.from_lists([[[pieces.randrange(5, vocabulary) for _ in range(LENGTH)]] for _ in range(sentences)])
    seconds: dict[int, list[float]] = {number: [] for number in numbers}
    for _ in range(ROUNDS):
        for number in numbers:
            torch.set_num_threads(number)
            start = time.perf_counter()
            beam_search(model, rows, DecodeConfig(beam=5))
            seconds[number].append(time.perf_counter() - start)
    return {number: statistics.median(values) for number, values in seconds.items()}


def main() -> None:
    """Print a table of the ratios of each number of threads to one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    numbers = parser.parse_args().threads
    print("| cores | width | layers | " + " | ".join(f"{number} threads, s" for number in numbers) + " |")
    print("|---|---|---|" + "---|" * len(numbers))
    for state in ("free", "busy"):
        loops = [multiprocessing.Process(target=spin, daemon=True) for _ in range(cores() * (state == "busy"))]
        for loop in loops:
            loop.start()
        for shape in SHAPES:
            times = measure(shape, numbers)
            print(f"| {state} | {shape[0]} | {shape[1]} | " + " | ".join(f"{times[n]:.2f}" for n in numbers) + " |")
        for loop in loops:
            loop.terminate()


if __name__ == "__main__":
    main()
