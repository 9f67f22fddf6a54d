"""docmt beside fairseq 0.12.2 on one GPU: trainings of Transformer base in bf16 on the same pieces, by turns.

    python benchmarks/gpu_peers.py [--pairs 3] [--seconds 300] [--device cpu]

Both train on the corpus of `peers/corpus.py` with as many target tokens an update. fairseq's Trainer and docmt's
Training mark the clock after each update, and the source words between the first and the last mark of the measured
updates are divided by the time between them. A process measures all sizes of one toolkit. Each prints a line of JSON,
and the last line has the ratios. fairseq must be importable, without its extensions. `--device cpu` tries the script on
small models.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from peers import corpus
from peers.job import BASE, TINY, Job, Marks, Shape

SHAPES = {
    "cuda": [replace(BASE, tokens=tokens, warm_up=6, updates=20) for tokens in (4_000, 16_000, 64_000)],
    "cpu": [replace(TINY, tokens=tokens, warm_up=1, updates=2) for tokens in (500, 1_000)],
}
TOOLKITS = ("docmt", "fairseq")


def main() -> None:
    """Measure one toolkit where `--toolkit` names it, else all of them by turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=list(SHAPES))
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=300, help="no further pair begins after so many seconds")
    parser.add_argument("--work", type=Path, default=Path("/tmp/docmt-gpu-peers"), help="the folder of the corpus")
    parser.add_argument("--toolkit", choices=TOOLKITS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.toolkit:
        measure_toolkit(options)
        sys.stdout.flush()
        os._exit(0)  # fairseq's threads abort an ordinary end of the process
    began, lines = time.monotonic(), []
    corpus.write_corpus(options.work, SHAPES[options.device][0].vocabulary)
    for _ in range(options.pairs):
        if time.monotonic() - began < options.seconds:
            lines += [line for toolkit in TOOLKITS for line in run(toolkit, options)]
    rates = {toolkit: [line for line in lines if line["toolkit"] == toolkit] for toolkit in TOOLKITS}
    for shape in SHAPES[options.device]:
        ours, theirs = (
            [one["rate"] for one in rates[toolkit] if one["tokens"] == shape.tokens] for toolkit in TOOLKITS
        )
        ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True))
        print(json.dumps({"tokens": shape.tokens, "median": statistics.median(ratios), "ratios": ratios}), flush=True)


def run(toolkit: str, options: argparse.Namespace) -> list[dict]:
    """Run the process of a toolkit, print its lines, and return them."""
    command = [sys.executable, __file__, "--toolkit", toolkit, "--device", options.device, "--work", options.work]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{toolkit} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for line in found:
        print(json.dumps(line), flush=True)
    return found


def measure_toolkit(options: argparse.Namespace) -> None:
    """Train at each size, and print words a second and milliseconds an update as JSON."""
    if options.toolkit == "fairseq":
        from peers.toolkits.fairseq import binarised, prepare

        job = Job("fairseq", "prepare", SHAPES[options.device][0], options.work)
        if not (binarised(job) / "finished").exists():
            prepare(job)
            (binarised(job) / "finished").touch()
    for shape in SHAPES[options.device]:
        rows = {"docmt": docmt_marks, "fairseq": fairseq_marks}[options.toolkit](options, shape)
        first, last = rows[shape.warm_up - 1], rows[-1]
        words = sum(row[0] for row in rows[shape.warm_up :])
        seconds = last[2] - first[2]
        line = {"toolkit": options.toolkit, "tokens": shape.tokens, "rate": round(words / seconds)}
        line |= {"words_an_update": round(words / shape.updates), "ms": round(1000 * seconds / shape.updates, 1)}
        print(json.dumps(line), flush=True)


def docmt_marks(options: argparse.Namespace, shape: Shape) -> list:
    """Return the marks of docmt's training."""
    import torch

    from docmt.base.vocabulary import SPECIALS, Vocabulary
    from docmt.models import build
    from docmt.models.pretrained import Start
    from docmt.nn.rows import Rows
    from docmt.settings.models import TransformerConfig
    from docmt.settings.train import TrainConfig
    from docmt.supervision.watch import Watch
    from docmt.training.checkpoint import StateFolder
    from docmt.training.loop import Training
    from docmt.training.optimiser import build_optimiser
    from docmt.training.task import Task

    marks, files = Marks(), corpus.Corpus(options.work)

    class Listener:
        def updated(self, step: object) -> None:
            # Each sentence has an end besides its words; docmt counts both.
            marks.mark(round(step.source_tokens * share))

        def validated(self, validation: object) -> None: ...
        def note(self, text: str) -> None: ...

    vocabulary = Vocabulary((*SPECIALS, *files.pieces))
    sides = [[[vocabulary.encode(words)] for words in files.sentences("train", side)] for side in ("src", "tgt")]
    rows = Rows.from_lists(*sides)
    words = rows.source_words.sum()
    share = words / (words + len(rows))
    tokens = {"tokens_per_update": shape.tokens, "batch_tokens": shape.tokens}
    train = TrainConfig(**tokens, max_updates=shape.warm_up + shape.updates, checkpoint="last", precision="bf16")
    sizes = {"encoder_layers": shape.layers, "decoder_layers": shape.layers, "width": shape.width}
    torch.manual_seed(0)
    config = TransformerConfig(**sizes, inner=shape.inner, heads=shape.heads)
    device = torch.device(options.device)
    model = build(config, len(vocabulary), len(vocabulary)).to(device)
    task = Task(model, build_optimiser(model, train), train, rows, rows.take([0]), 0, device, Start([], []))
    with TemporaryDirectory() as folder:
        Training(task, StateFolder(Path(folder), print, {}), Watch()).run(Listener())
    return marks._rows


def fairseq_marks(options: argparse.Namespace, shape: Shape) -> list:
    """Return the marks of fairseq's training."""
    from peers.toolkits import fairseq

    fairseq.make_importable()
    import torch
    from fairseq.trainer import Trainer
    from fairseq_cli import train as program

    marks, begin, train_step = Marks(), Trainer.__init__, Trainer.train_step

    def begun(trainer: Trainer, config: object, *arguments: object, **named: object) -> None:
        # The command line of fairseq takes bf16 for a TPU.
        config.common.tpu = False
        begin(trainer, config, *arguments, **named)

    def marked(trainer: Trainer, samples: list, *arguments: object, **named: object) -> object:
        outcome = train_step(trainer, samples, *arguments, **named)
        if options.device == "cuda":
            torch.cuda.synchronize()
        marks.mark(sum(int(sample["net_input"]["src_lengths"].sum()) - sample["nsentences"] for sample in samples))
        return outcome

    job = Job("fairseq", "train", shape, options.work)
    settings = [part for part in fairseq.training_options(job) if part != "--cpu"]
    settings += ["--bf16"] if options.device == "cuda" else ["--cpu"]
    Trainer.__init__, Trainer.train_step = begun, marked
    fairseq.call(program.cli_main, fairseq.binarised(job), *fairseq.model_options(job), *settings)
    Trainer.__init__, Trainer.train_step = begin, train_step
    return marks._rows


if __name__ == "__main__":
    main()
