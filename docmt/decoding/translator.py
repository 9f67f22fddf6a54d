"""Beam search over any number of segments, batch by batch, with counts of the work."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import nn

from docmt.decoding.batch_size import batch_size
from docmt.decoding.batches import token_batches
from docmt.nn.rows import Rows
from docmt.search.beam import search_instances
from docmt.search.translations import Translation, join_translations
from docmt.settings.decode import DecodeConfig

Progress = Callable[[int, int, int], None]
"""A function that is called after each batch with numbers: of segments done, all segments, and source pieces done."""


def quiet(done: int, total: int, pieces: int) -> None:
    """Print no progress; this is the default of functions that report progress."""


@dataclass
class DecodingCounts:
    """Counts of the work of decoding; tokens are pieces without special symbols, counted in every search."""

    source_tokens: int = 0
    target_tokens: int = 0
    forced_ends: int = 0
    """The number of sentences that reached their maximum length, counted in every window that has them; for the frames
    joined and unmarked, the number of segments that reached their maximum length."""
    seconds: float = 0.0
    """The time of all searches, in seconds."""


Searches = list[list[Translation]]
"""The translations that each search of an instance found, best first. An instance has a single search or, where the
model is synchronous, a search for each sentence."""


Search = Callable[[Rows], list[Searches]]
"""A function that searches a batch of instances; the hypotheses of each search are ranked, best first."""


@dataclass(frozen=True)
class SearchResults:
    """The results of the searches for several instances, in the order of the instances."""

    best: list[Translation]
    """The best translation of each instance."""
    searches: list[Searches]
    """The `n_best` best translations of each search of each instance, or the best one where `n_best` is 0."""


class Translator:
    """A model with its search settings, and counts of the work so far."""

    def __init__(
        self, model: nn.Module, config: DecodeConfig, progress: Progress = quiet, search: Search | None = None
    ) -> None:
        """Set all counts to 0; `progress` is called after each batch.

        `search` searches each batch in place of docmt's own beam search.
        """
        self.model, self.config, self.progress = model, config, progress
        self.search = search or self._search
        self.counts = DecodingCounts()

    def facts(self) -> dict[str, Any]:
        """Return what the record of a job says of the program that searches; nothing for docmt's own search."""
        return {}

    def translate(self, rows: Rows) -> SearchResults:
        """Return the translations of all instances, which are searched batch by batch, and add the work to `counts`."""
        start = time.perf_counter()
        by_index: dict[int, Searches] = {}
        pieces = 0
        tokens = batch_size(self.model, self.config)
        for indices in token_batches(rows.source_words.tolist(), tokens):
            batch = rows.take(indices)
            # Only the `n_best` best hypotheses are stored, since hypotheses of long documents need much memory.
            limit = max(self.config.n_best, 1)
            searched = self.search(batch)
            by_index.update(
                zip(indices, ([ranked[:limit] for ranked in instance] for instance in searched), strict=True)
            )
            pieces += int(batch.source_words.sum())
            self.progress(len(by_index), len(rows), pieces)
        searches = [by_index[index] for index in range(len(rows))]
        best = [join_translations([ranked[0] for ranked in instance]) for instance in searches]
        self.counts.seconds += time.perf_counter() - start
        self.counts.source_tokens += int(rows.source_words.sum())
        self.counts.target_tokens += sum(len(words) for translation in best for words in translation.sentences)
        self.counts.forced_ends += sum(translation.forced_ends for translation in best)
        return SearchResults(best, searches)

    def _search(self, rows: Rows) -> list[Searches]:
        return search_instances(self.model, rows, self.config)
