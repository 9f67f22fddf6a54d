"""Beam search over any number of segments, batch by batch, with an account of the work."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import nn

from docmt.nn.rows import Rows
from docmt.search.beam import Translation, join_translations, search_instances
from docmt.settings.decode import DecodeConfig


def token_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Indices of items in batches of at most `budget` tokens, longest first; an item beyond it is a batch by itself.

    Items of similar length are together, since a batch takes as many steps as its longest item; and the longest
    come first, so that a lack of memory shows at once.
    """
    batches: list[list[int]] = []
    room = 0
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if not batches or lengths[index] > room:
            batches.append([])
            room = budget
        batches[-1].append(index)
        room -= lengths[index]
    return batches


Progress = Callable[[int, int, int], None]
"""Told after each batch: segments done, segments in all, source pieces done."""


def quiet(done: int, total: int, pieces: int) -> None:
    """Progress that is shown to nobody."""


@dataclass
class DecodingCounts:
    """What decoding did; tokens are pieces without special symbols."""

    source_tokens: int = 0
    target_tokens: int = 0
    forced_ends: int = 0
    """Sentences (joined, unmarked: segments) that reached their maximum length; counted in every window with them."""
    seconds: float = 0.0


Searches = list[list[Translation]]
"""Of an instance, the best first: of one search or, where the model is synchronous, of one for each sentence."""


@dataclass(frozen=True)
class SearchResults:
    """What was found of some instances, in their order."""

    best: list[Translation]
    """The best translation of each instance."""
    searches: list[Searches]
    """Of each instance the `n_best` best translations that its searches found."""


class Translator:
    """A model with the settings that it translates by."""

    def __init__(self, model: nn.Module, config: DecodeConfig, progress: Progress = quiet) -> None:
        self.model, self.config, self.progress = model, config, progress
        self.counts = DecodingCounts()

    def translate(self, rows: Rows) -> SearchResults:
        """Search for every instance, batch by batch."""
        start = time.perf_counter()
        found: dict[int, Searches] = {}
        pieces = 0
        for indices in token_batches(rows.source_words.tolist(), self.config.batch_tokens):
            batch = rows.take(indices)
            # Only what is asked for is kept: long documents have long hypotheses.
            kept = max(self.config.n_best, 1)
            searched = search_instances(self.model, batch, self.config)
            found.update(zip(indices, ([ranked[:kept] for ranked in one] for one in searched), strict=True))
            pieces += len(batch.source_ids)
            self.progress(len(found), len(rows), pieces)
        searches = [found[index] for index in range(len(rows))]
        best = [join_translations([ranked[0] for ranked in one]) for one in searches]
        self.counts.seconds += time.perf_counter() - start
        self.counts.source_tokens += len(rows.source_ids)
        self.counts.target_tokens += sum(len(words) for done in best for words in done.sentences)
        self.counts.forced_ends += sum(done.forced_ends for done in best)
        return SearchResults(best, searches)
