"""fairseq 0.12.2 on a present Python, without its compiled extensions.

fairseq and hydra have dataclasses whose fields default to instances of other dataclasses; Python 3.11 takes such an
instance for a value that can change, as it has no hash, and refuses the class. The compiled extension that cuts an
epoch into batches is replaced by a loop, which runs once before the first update and is not measured.
"""

import dataclasses
import os
import shutil
import sys
import types
from importlib.machinery import FileFinder
from itertools import chain
from pathlib import Path

import numpy as np

from peers.corpus import Corpus
from peers.job import Job, Marks

LANGUAGES = ("src", "tgt")


def prepare(job: Job) -> None:
    """Write the dictionary, and the corpus as numbers."""
    corpus, folder = Corpus(job.corpus), binarised(job)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    dictionary = folder / "pieces.dict.txt"
    dictionary.write_text("".join(f"{piece} 1\n" for piece in corpus.pieces), encoding="utf-8")
    make_importable()
    from fairseq_cli import preprocess

    call(
        preprocess.cli_main,
        *("--source-lang", LANGUAGES[0], "--target-lang", LANGUAGES[1]),
        *("--trainpref", corpus.folder / "train", "--testpref", corpus.folder / "test"),
        *("--srcdict", dictionary, "--joined-dictionary", "--destdir", folder, "--workers", 1),
    )


def train(job: Job) -> None:
    """Train, with a mark after each update; leave `checkpoint_last.pt` where the job names a model."""
    make_importable()
    from fairseq.trainer import Trainer
    from fairseq_cli import train as program

    marks, train_step = Marks(), Trainer.train_step

    def marked(trainer: Trainer, samples: list, *arguments: object, **named: object) -> object:
        outcome = train_step(trainer, samples, *arguments, **named)
        marks.mark(sum(int(sample["net_input"]["src_lengths"].sum()) - sample["nsentences"] for sample in samples))
        return outcome

    Trainer.train_step = marked
    call(program.cli_main, binarised(job), *model_options(job), *training_options(job))
    marks.write()


def convert(job: Job) -> None:
    """Write the job's model for CTranslate2 too, by CTranslate2's converter of fairseq's checkpoints."""
    make_importable()
    from argparse import Namespace

    from ctranslate2.converters import FairseqConverter
    from torch.serialization import safe_globals

    checkpoint = job.model / "checkpoint_last.pt"
    converter = FairseqConverter(str(checkpoint), str(binarised(job)), *LANGUAGES)
    with safe_globals([Namespace]):
        converter.convert(str(job.model / "ctranslate2"), force=True)


def model_options(job: Job) -> list:
    shape = job.shape
    sizes = {"layers": shape.layers, "embed-dim": shape.width, "ffn-embed-dim": shape.inner}
    sizes["attention-heads"] = shape.heads
    names = [(f"--{side}-{name}", size) for side in ("encoder", "decoder") for name, size in sizes.items()]
    return ["--arch", "transformer", *chain.from_iterable(names), "--share-all-embeddings", "--dropout", 0.1]


def training_options(job: Job) -> list:
    updates = job.options.get("updates", job.shape.warm_up + job.shape.updates)
    saving = ["--save-dir", job.model, "--no-epoch-checkpoints"] if job.model else ["--no-save"]
    return [
        *("--optimizer", "adam", "--adam-betas", "(0.9, 0.98)", "--lr-scheduler", "inverse_sqrt"),
        *("--lr", job.options.get("lr", 5e-4), "--warmup-updates", job.options.get("warmup_updates", 4000)),
        *("--criterion", "label_smoothed_cross_entropy", "--label-smoothing", 0.1),
        *("--max-tokens", job.shape.tokens, "--max-update", updates, "--num-workers", 0),
        *("--valid-subset", "test", "--disable-validation", "--cpu", "--seed", 1, "--log-format", "none", *saving),
    ]


def decode(job: Job) -> None:
    """Translate the test set as `fairseq-generate` does, and write the best translations in order."""
    make_importable()
    from fairseq.modules.transformer_layer import TransformerEncoderLayerBase
    from fairseq.tasks.translation import TranslationTask
    from fairseq_cli import generate

    marks, inference_step, best = Marks(), TranslationTask.inference_step, {}

    def marked(task: TranslationTask, generator: object, models: list, sample: dict, **named: object) -> list:
        if not best:
            marks.mark(0)
        ranked = inference_step(task, generator, models, sample, **named)
        for number, hypotheses in zip(sample["id"].tolist(), ranked, strict=True):
            best[number] = task.target_dictionary.string(hypotheses[0]["tokens"])
        marks.mark(int(sample["net_input"]["src_lengths"].sum()) - len(sample["id"]))
        return ranked

    TranslationTask.inference_step = marked
    # The layers' other way of inference calls a function of torch that refuses the call by now.
    load = TransformerEncoderLayerBase._load_from_state_dict
    TransformerEncoderLayerBase._load_from_state_dict = lambda layer, *parts: (
        load(layer, *parts),
        setattr(layer, "load_to_BT", False),
    )
    options = ["--path", job.model / "checkpoint_last.pt", "--beam", job.options["beam"], "--max-len-a", 1.2]
    options += ["--max-len-b", 10, "--batch-size", job.options["batch_sentences"], "--num-workers", 0, "--cpu"]
    call(generate.cli_main, binarised(job), *options, "--quiet", "--scoring", "sacrebleu", "--log-format", "none")
    job.output.write_text("".join(f"{best[number]}\n" for number in range(len(best))), encoding="utf-8")
    marks.write()


def binarised(job: Job) -> Path:
    return job.corpus / "fairseq"


def call(program: object, *arguments: object) -> None:
    sys.argv = ["fairseq", *map(str, arguments)]
    program()


def make_importable() -> None:
    """Let fairseq be imported: torch comes first, so that its own dataclasses stay as they are."""
    # Checkpoints of fairseq are pickles with its own classes.
    os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
    import torch  # noqa: F401

    decorate = dataclasses.dataclass

    def hashable(cls: type | None = None, /, **settings: bool) -> object:
        if cls is None:
            return lambda cls: hashable(cls, **settings)
        finished = decorate(cls, **settings)
        if finished.__hash__ is None:
            finished.__hash__ = object.__hash__
        return finished

    dataclasses.dataclass = hashable
    # hydra looks for its plugins by a method that Python 3.12 removed.
    if not hasattr(FileFinder, "find_module"):
        FileFinder.find_module = lambda finder, name: finder.find_spec(name).loader
    extension = types.ModuleType("fairseq.data.data_utils_fast")
    extension.batch_by_size_vec = batches
    extension.batch_by_size_fn = lambda order, length_of, *limits: batches(
        order, np.array([length_of(number) for number in order]), *limits
    )
    extension.batch_fixed_shapes_fast = None
    sys.modules[extension.__name__] = extension


def batches(order: np.ndarray, lengths: np.ndarray, tokens: int, sentences: int, multiple: int) -> list[np.ndarray]:
    """Cut sentences, in their order, into batches.

    `lengths` has the length of each sentence of `order`. A batch with its padding has at most `tokens` tokens and at
    most `sentences` sentences (-1: no limit). The number of sentences of a full batch is below `multiple`, or a
    multiple of it.
    """
    cut, start, longest, place = [], 0, 0, 0
    while place < len(order):
        longest, size = max(longest, int(lengths[place])), place + 1 - start
        if size > 1 and (0 < sentences < size or 0 < tokens < longest * size):
            size -= 1
            size = size if size < multiple else size - size % multiple
            cut.append(order[start : start + size])
            start = place = start + size
            longest = 0
        else:
            place += 1
    return [*cut, order[start:]] if start < len(order) else cut
