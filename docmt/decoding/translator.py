"""Beam search over any number of segments, batch by batch, with an account of the work."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from docmt.core.config import DecodeConfig
from docmt.decoding.batches import token_batches
from docmt.nn.rows import Rows
from docmt.search import Translation, beam_search

Progress = Callable[[int, int, int], None]
"""Told after each batch: segments done, segments in all, source pieces done."""


def quiet(done: int, total: int, pieces: int) -> None:
    """Progress that is shown to nobody."""


@dataclass
class Account:
    """What decoding did; tokens are pieces without special symbols."""

    source_tokens: int = 0
    target_tokens: int = 0
    forced_ends: int = 0
    """Sentences (joined, unmarked: segments) that reached their maximum length; counted in every window with them."""
    seconds: float = 0.0


class Translator:
    """A model with the settings that it translates by."""

    def __init__(self, model: nn.Module, config: DecodeConfig, progress: Progress = quiet) -> None:
        self.model, self.config, self.progress = model, config, progress
        self.account = Account()

    def translate(self, rows: Rows) -> list[Translation]:
        """The best translation of each instance, in the order of the rows."""
        start = time.perf_counter()
        best: dict[int, Translation] = {}
        pieces = 0
        for indices in token_batches(rows.source_words.tolist(), self.config.batch_tokens):
            batch = rows.take(indices)
            found = beam_search(self.model, batch, self.config)
            best.update((index, translations[0]) for index, translations in zip(indices, found, strict=True))
            pieces += len(batch.source_ids)
            self.progress(len(best), len(rows), pieces)
        translations = [best[index] for index in range(len(rows))]
        self._add(rows, translations, time.perf_counter() - start)
        return translations

    def _add(self, rows: Rows, translations: list[Translation], seconds: float) -> None:
        self.account.seconds += seconds
        self.account.source_tokens += len(rows.source_ids)
        self.account.target_tokens += sum(len(words) for done in translations for words in done.sentences)
        self.account.forced_ends += sum(done.forced_ends for done in translations)
