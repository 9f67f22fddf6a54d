"""docmt itself, from ids to ids: training as stage 5 has it, and beam search as stage 6 has it."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode
from training import matrix_rate

from docmt.base.chains import most_frequent, repeated
from docmt.base.ragged import Ragged, starts
from docmt.base.vocabulary import SPECIALS, Vocabulary
from docmt.decoding.translator import Translator
from docmt.exporting.ct2_engine import CTranslate2Translator, prove
from docmt.models import build
from docmt.models.pretrained import Start
from docmt.models.store import load_model, read_card, save_model
from docmt.nn import onednn as products
from docmt.nn.device import choose_device
from docmt.nn.frames import frame_batch
from docmt.nn.rows import RowChains, Rows
from docmt.settings.data import CutConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import MODEL_CONFIGS, READS_CHAINS, TransformerConfig
from docmt.settings.train import TrainConfig
from docmt.supervision.watch import Watch
from docmt.trained.engine import translator_of
from docmt.trained.model import TrainedModel
from docmt.training.checkpoint import StateFolder
from docmt.training.loop import Training
from docmt.training.optimiser import build_optimiser
from docmt.training.progress import Update, Validation
from docmt.training.task import Task
from peers.corpus import DOCUMENT, Corpus
from peers.job import Job, Marks

FRAMED = 500
"""Segments from which the share of special symbols is counted."""
STOP_WORDS = 150
"""The number of the most frequent words, of which there are no lexical chains."""


class MarkedUpdates:
    """A listener that marks each update, and ends the measurement at the last one."""

    def __init__(self, updates: int, words: float) -> None:
        """Expect so many updates; `words` is the share of source words among the tokens of the source stream."""
        self.marks, self._left, self._words = Marks(), updates, words

    def updated(self, step: Update) -> None:
        self.marks.mark(round(step.source_tokens * self._words))
        self._left -= 1
        if not self._left:
            self.marks.write()

    def validated(self, validation: Validation) -> None: ...

    def note(self, text: str) -> None: ...


def train(job: Job) -> None:
    """Train, with a mark after each update; leave a model folder where the job names one."""
    torch.set_num_threads(job.threads)
    updates = job.options.get("updates", job.shape.warm_up + job.shape.updates)
    task = training_task(job, updates)
    first = task.rows.take(np.arange(min(len(task.rows), FRAMED)))
    stream = frame_batch(first, task.model.config.frame).source.tokens
    listener = MarkedUpdates(updates, first.source_words.sum() / len(stream))
    with TemporaryDirectory() as folder:
        Training(task, StateFolder(Path(folder), print, {}), Watch()).run(listener)
    if job.model:
        (job.model / "text").mkdir(parents=True, exist_ok=True)
        save_model(job.model, task.model, {})
        for side in ("source", "target"):
            Vocabulary((*SPECIALS, *Corpus(job.corpus).pieces)).save(job.model / f"text/vocabulary.{side}.txt")


def training_task(job: Job, updates: int) -> Task:
    """Return the training of a job; its rows are segments of `sentences` sentences (1: single sentences)."""
    options = job.options
    tokens = options.get("tokens", job.shape.tokens)
    train = TrainConfig(
        tokens_per_update=tokens,
        batch_tokens=tokens,
        max_updates=updates,
        checkpoint="last",
        **options.get("train", {}),
    )
    config = model_config(job)
    each = options.get("sentences", 1)
    # The validation after the last update is not measured: it has a short segment, whatever the length of the others.
    rows, dev = (training_rows(job, config, sentences) for sentences in (each, min(each, DOCUMENT)))
    torch.manual_seed(0)
    size = len(SPECIALS) + job.shape.vocabulary
    model = build(config, size, size)
    # As a job does: memory that was freed is kept for the next update.
    device = choose_device("cpu")
    return Task(model, build_optimiser(model, train), train, rows, dev.take([0]), 0, device, Start([], []))


def model_config(job: Job) -> TransformerConfig:
    shape, more = job.shape, dict(job.options.get("model", {}))
    sizes = {"encoder_layers": shape.layers, "decoder_layers": shape.layers, "width": shape.width}
    return MODEL_CONFIGS[more.pop("kind", "transformer")](**sizes, inner=shape.inner, heads=shape.heads, **more)


def training_rows(job: Job, config: TransformerConfig, each: int) -> Rows:
    """Return segments of `each` sentences; what is left of the corpus after the last segment is dropped."""
    corpus = Corpus(job.corpus)
    vocabulary = Vocabulary((*SPECIALS, *corpus.pieces))
    sides = [[vocabulary.encode(words) for words in corpus.sentences("train", side)] for side in ("src", "tgt")]
    rows = Rows.from_lists(*(segments(side, each) for side in sides))
    return replace(rows, chains=chains_of(rows)) if config.kind in READS_CHAINS else rows


def segments(sentences: list, each: int) -> list[list]:
    """Cut sentences into segments of `each` of them; the rest, where they do not come out even, is dropped."""
    return [sentences[start : start + each] for start in range(0, len(sentences) - each + 1, each)]


def chains_of(rows: Rows) -> RowChains:
    """Return the lexical chains of rows: the repeated words of each, but for the most frequent ones of all."""
    words = pa.array(rows.source_ids.flat().astype(str))
    counts = Counter(words.to_pylist())
    chains = repeated(words, rows.source_words, most_frequent(counts, STOP_WORDS))
    ends = np.cumsum(rows.source_words)
    row_of_chain = np.searchsorted(ends, chains.values[chains.starts], side="right")
    members = chains.values - np.repeat(starts(rows.source_words)[row_of_chain], chains.lengths)
    return RowChains(*Ragged.of(members, chains.lengths).grouped(np.bincount(row_of_chain, minlength=len(rows))))


def decode(job: Job) -> None:
    """Translate the test set, with marks before and after; write the translations of sentences in order."""
    torch.set_num_threads(job.threads)
    translator, rows = translation_task(job)
    if isinstance(translator, CTranslate2Translator):
        # The proof, which a job makes once, is no part of the rate.
        translator.proof = prove(translator.program, rows, str(job.model))
    vocabulary = Vocabulary.load(job.model / "text/vocabulary.target.txt")
    marks = Marks()
    marks.mark(0)
    best = translator.translate(rows).best
    lines = [" ".join(vocabulary.decode(words)) for translation in best for words in translation.sentences]
    marks.mark(int(rows.source_words.sum()))
    job.output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    marks.write()


def translation_task(job: Job) -> tuple[Translator, Rows]:
    """Return the translator of a job's model, and the test set in segments of `sentences` sentences."""
    choose_device("cpu")  # As in `training_task`.
    vocabulary = Vocabulary.load(job.model / "text/vocabulary.source.txt")
    sentences = [vocabulary.encode(words) for words in Corpus(job.corpus).sentences("test", "src")]
    rows = Rows.from_lists(segments(sentences, job.options.get("sentences", 1)))
    settings = read_card(job.model)["provenance"].get("decode", {})
    settings = settings | {"beam": job.options["beam"], "batch_tokens": job.options["batch_tokens"]}
    if "engine" not in job.options:
        return Translator(load_model(job.model), DecodeConfig(**settings)), rows
    config = DecodeConfig(**settings, engine=job.options["engine"])
    return translator_of(TrainedModel.open(job.model, "cpu", job.threads), CutConfig(window=1), config), rows


def floor(job: Job) -> None:
    """Write how many source words a second the matrix products alone would let the job do.

    They are counted as they are computed, with the padding of attention, and take the time that they would take at the
    rate of a large product on the same threads (`benchmarks/training.py`).
    """
    torch.set_num_threads(job.threads)
    rate = matrix_rate()
    products.HAS_ONEDNN = False  # its products would not be counted
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counted:
        words = decode_once(job) if job.options["of"] == "decode" else update_once(job)
    Marks().write(floor=words * rate / counted.get_total_flops())


def update_once(job: Job) -> int:
    """Compute the products of an update, forward and backward, and return its source words."""
    task = training_task(job, 1)
    chosen = epoch_share(task.rows, task.train.tokens_per_update)
    batch = frame_batch(chosen, task.model.config.frame)
    states, terms = task.model.train()(batch)
    (task.model.logits(states).sum() + sum(term.total for term in terms.values())).backward()
    return int(chosen.source_words.sum())


def epoch_share(rows: Rows, tokens: int) -> Rows:
    """Return the first rows that have about so many target tokens."""
    return rows.take(np.arange(max(1, int(np.searchsorted(np.cumsum(rows.target_tokens), tokens)))))


def decode_once(job: Job) -> int:
    translator, rows = translation_task(job)
    translator.translate(rows)
    return int(rows.source_words.sum())
