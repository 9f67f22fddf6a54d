"""A trained model, opened from its folder: it translates documents, scores variants and finds lexical chains."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch

from docmt.base.chains import chains_of
from docmt.base.checks import BadValue
from docmt.base.columns import SEGMENT_CHAINS, STOP_WORDS
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.recipe import CARD, model_folder
from docmt.base.workers import cores
from docmt.chains.documents import read_stop_words
from docmt.corpus.inputs import ContrastiveItem
from docmt.corpus.read import contrastive_table
from docmt.decoding.contrastive import score_variants
from docmt.decoding.translator import Progress, quiet
from docmt.models.store import load_model, read_card
from docmt.models.transformer import Transformer
from docmt.nn.device import DeviceName, choose_device
from docmt.nn.positions import check_positions
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import READS_CHAINS
from docmt.text.encode import contrastive_tokens
from docmt.text.pipeline import TextPipeline
from docmt.views.segments import contrastive_segments

USEFUL_THREADS = ((256, 1), (512, 4))
"""Pairs (width, threads): the largest number of threads with which a model below this width translates.

On free cores a second thread saves a fifth of the time of a narrow model; on busy ones it takes twenty times as long.
"""
MOST_THREADS = 8  # The largest number of threads with which a wider model translates a few documents


@dataclass(frozen=True)
class TrainedModel:
    """A model and its text pipeline, with the folder that both were read from."""

    network: Transformer
    pipeline: TextPipeline
    folder: Path

    @classmethod
    def open(cls, folder: Path, device: DeviceName, threads: int | None) -> "TrainedModel":
        """Load `model.safetensors`, `model.json` and `text/` from a folder, or from the folder `model` inside it.

        The model computes on `device` with `threads` CPU threads, or with `default_threads` where `threads` is None.
        Raises UserError where a file is missing or damaged, or the vocabularies are not those of the model.
        """
        folder = model_folder(folder)
        model, pipeline = load_model(folder, choose_device(device)), TextPipeline.load(folder / "text")
        sizes = len(pipeline.source.vocabulary), len(pipeline.target.vocabulary)
        if sizes != (model.source_size, model.target_size):
            raise UserError(
                "the vocabularies are not those of the model",
                where=str(folder / "text"),
                found=f"{sizes[0]} source and {sizes[1]} target pieces",
                expected=f"{model.source_size} and {model.target_size}",
            )
        torch.set_num_threads(threads or default_threads(model.config.width))
        return cls(model, pipeline, folder)

    @property
    def languages(self) -> tuple[str, str]:
        """The codes of the source and the target language."""
        return self.pipeline.config.source_language, self.pipeline.config.target_language

    def test_cut(self) -> CutConfig:
        """Return the settings that cut the model's test documents; raise UserError where model.json lacks them."""
        where = str(self.folder / CARD)
        view = read_card(self.folder).get("provenance", {}).get("view")
        if view is None:
            raise UserError("the model does not say how documents are cut", where=where, expected="provenance.view")
        return parse(ViewConfig, view, where, ("provenance", "view")).test

    def decode_config(self, **stated: Any) -> DecodeConfig:
        """Return the settings of a beam search: the stated ones, and the model's own (`provenance.decode`) for others.

        A setting that is None is not stated. Settings that neither states have their defaults. Raises UserError for a
        value that a setting cannot have, and where model.json has a setting that does not exist.
        """
        settings = read_card(self.folder).get("provenance", {}).get("decode", {})
        config = parse(DecodeConfig, settings, str(self.folder / CARD), ("provenance", "decode"))
        try:
            return replace(config, **{name: value for name, value in stated.items() if value is not None})
        except BadValue as problem:
            raise UserError(
                "value not allowed", where=problem.name, found=problem.value, expected=problem.expected
            ) from None

    def chains(self, segments: Iterable[Sequence[str]]) -> pa.Table | None:
        """Return SEGMENT_CHAINS of `segments`; None where the model reads no lexical chains.

        Each segment is a list of source sentences. Raises UserError where the stop list is missing.
        """
        if self.network.config.kind not in READS_CHAINS:
            return None
        stop_words, words = read_stop_words(self.folder / STOP_WORDS), cache(self.pipeline.source.words)
        rows = []
        for sentences in segments:
            texts, counts = zip(*map(words, sentences), strict=True)
            rows.append(dict(zip(SEGMENT_CHAINS.names, chains_of(texts, counts, stop_words), strict=True)))
        return pa.Table.from_pylist(rows, SEGMENT_CHAINS)


def default_threads(width: int) -> int:
    """Return the number of CPU threads with which a model of this width is expected to translate fastest now.

    The environment variable OMP_NUM_THREADS is an upper limit.
    """
    # Threads wait for each other after every matrix product of a decoding step. Where other programs use the cores, the
    # wait is longer than the product: two threads on two busy cores are slower than one (benchmarks/threads.md). So
    # narrow models use one thread, and wider models only the cores that were free in the last minute.
    useful = next((threads for limit, threads in USEFUL_THREADS if width < limit), MOST_THREADS)
    allowed = int(os.environ.get("OMP_NUM_THREADS") or cores())
    free = cores() - os.getloadavg()[0]
    return max(1, min(useful, allowed, round(free)))


def forced_scores(
    model: TrainedModel,
    items: Sequence[ContrastiveItem],
    where: str,
    batch_tokens: int | None,
    whole: bool = False,
    progress: Progress = quiet,
) -> pa.Table:
    """Return CONTRASTIVE_SCORES of items; their contexts are cut as the model's own test documents were cut.

    `whole` has the meaning of `docmt.decoding.contrastive.score_variants`. `where` names the items' files in messages.
    Raises UserError for a sentence without any token, where the model does not say how documents are cut, and for an
    item that is longer than its table of positions.
    """
    tokens = contrastive_tokens(contrastive_table(items), model.pipeline.sides, where)
    segments = contrastive_segments(tokens, model.test_cut())
    check_positions(Path(where), segments, [model.network.config.learned_positions])
    contexts = (
        items[segment["item"]].source[-len(segment["source_lengths"]) :]
        for segment in segments.select(["item", "source_lengths"]).to_pylist()
    )
    return score_variants(model.network, segments, model.chains(contexts), batch_tokens, progress, whole)
