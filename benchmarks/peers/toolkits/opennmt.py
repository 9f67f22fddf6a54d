"""OpenNMT-py 3.5.1, which runs as it is."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from peers.corpus import Corpus
from peers.job import Job, Marks


def prepare(job: Job) -> None:
    """Write the vocabulary with counts, which decide nothing."""
    folder = job.corpus / "opennmt"
    folder.mkdir(exist_ok=True)
    lines = (f"{piece}\t1\n" for piece in Corpus(job.corpus).pieces)
    (folder / "vocabulary.txt").write_text("".join(lines), encoding="utf-8")


def train(job: Job) -> None:
    """Train, with a mark after each update; no model is left."""
    from onmt.bin import train as program
    from onmt.trainer import Trainer

    marks, accumulate = Marks(), Trainer._gradient_accumulation

    def marked(trainer: Trainer, batches: list, *arguments: object) -> None:
        accumulate(trainer, batches, *arguments)
        marks.mark(sum(int(batch["srclen"].sum()) for batch in batches))

    Trainer._gradient_accumulation = marked
    with TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.yaml"
        settings.write_text(yaml.safe_dump(training_settings(job, Path(folder))), encoding="utf-8")
        sys.argv = ["onmt_train", "-config", str(settings)]
        program.main()
    marks.write()


def training_settings(job: Job, folder: Path) -> dict:
    corpus, shape, vocabulary = Corpus(job.corpus), job.shape, str(job.corpus / "opennmt/vocabulary.txt")
    paths = {"path_src": str(corpus.path("train", "src")), "path_tgt": str(corpus.path("train", "tgt"))}
    updates = shape.warm_up + shape.updates
    return {
        "data": {"corpus": {**paths, "transforms": [], "weight": 1}},
        "src_vocab": vocabulary,
        "tgt_vocab": vocabulary,
        "share_vocab": True,
        "share_embeddings": True,
        "share_decoder_embeddings": True,
        "encoder_type": "transformer",
        "decoder_type": "transformer",
        "position_encoding": True,
        "enc_layers": shape.layers,
        "dec_layers": shape.layers,
        "heads": shape.heads,
        "hidden_size": shape.width,
        "word_vec_size": shape.width,
        "transformer_ff": shape.inner,
        "dropout": [0.1],
        "attention_dropout": [0.0],
        "label_smoothing": 0.1,
        "batch_type": "tokens",
        "batch_size": shape.tokens,
        "accum_count": [1],
        "normalization": "tokens",
        "num_workers": 0,
        "bucket_size": 20_000,
        "optim": "adam",
        "adam_beta2": 0.98,
        "learning_rate": 5e-4,
        "decay_method": "none",
        "train_steps": updates,
        "valid_steps": updates + 1,
        "save_checkpoint_steps": updates,
        "seed": 1,
        "report_every": updates,
        "save_model": str(folder / "model"),
        "world_size": 1,
        "gpu_ranks": [],
    }
