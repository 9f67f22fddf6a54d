"""The step from segments to translations, which depends on the segments of the test view and on the frame of the model.

A translation is that of a sentence or, where the model does not mark sentences, that of a whole document.

Windows overlap: every window of k sentences is translated once, so a sentence has a translation as the j-th sentence of
a window for each j.

Paper: long-short term masking (Zhang et al. 2020), section 3.1: each sentence is translated up to k times, each time as
another sentence of a window; the outputs for one j, put together, are one translation of the test set.

Departs: the paper does not say which translation a sentence gets where no window has it as its j-th sentence, nor what
to do with an output that has a different number of sentences than its window. Here a sentence t that no window has as
its j-th sentence gets its translation in the nearest window of the same document. A document shorter than k is one
window. If the output of a window has a different number of sentences, each sentence of the window is translated again,
alone. If such an output has several sentences, they become one line.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from docmt.base.errors import UserError
from docmt.decoding.segments import SegmentTable, Sentence
from docmt.decoding.translator import Searches, Translator
from docmt.nn.rows import Rows
from docmt.settings.data import CutConfig
from docmt.settings.models import Frame

Place = tuple[int, int]
"""The place of a sentence's translation: number of the window, and number of the sentence within it."""


@dataclass
class Fallbacks:
    """Counts of windows, and of sentences, whose output could not be used directly."""

    windows: int = 0
    """Windows whose output has a different number of sentences than their source."""
    sentences: int = 0
    """Sentences that were translated again, alone, because of such windows."""
    merged: int = 0
    """Sentences, alone in their window, whose output of several sentences became one line."""


@dataclass
class Position:
    """Counts of the sentences of the translation for one position j, by the window that they come from."""

    exact: int = 0
    """Sentences that were translated as the j-th sentence of their window."""
    nearest: int = 0
    """Sentences that were translated at another position, since their document has no window in which they are the
    j-th."""
    alone: int = 0
    """Sentences that were translated again, alone."""


@dataclass
class Decoded:
    """The translations of all test sentences, in order."""

    strategy: str
    """The name of the strategy; see `decode_segments`."""
    translations: list[list[Sentence]]
    """For each position j of the window, a list with a translation of every sentence; a single such list where segments
    do not overlap. Where lines are documents, a single list with the run of words of every instance."""
    sentences: int
    """Number of sentences of the test set."""
    searches: list[Searches]
    """The results of the search for each segment, before any fallback."""
    first_lines: list[int]
    """For each segment, the line, from 0 on, of its first sentence."""
    fallbacks: Fallbacks = field(default_factory=Fallbacks)
    positions: list[Position] = field(default_factory=list)
    """The origin of the sentences for each position j, if segments are windows."""
    documents: list[int] | None = None
    """The number of runs of each document, where lines are documents."""

    @property
    def lines(self) -> Literal["sentences", "documents"]:
        """The unit of a line of the translations."""
        return "sentences" if self.documents is None else "documents"

    @property
    def line_lengths(self) -> list[int]:
        """The number of runs that make each line."""
        return [1] * self.sentences if self.documents is None else self.documents

    def files(self) -> dict[str, list[Sentence]]:
        """Return the translations by the beginning of the name of their file; `test` is the last position."""
        positions = (
            {f"test.j{j}": sentences for j, sentences in enumerate(self.translations, start=1)}
            if len(self.translations) > 1
            else {}
        )
        return positions | {"test": self.translations[-1]}


def decode_segments(segments: SegmentTable, cut: CutConfig, translator: Translator) -> Decoded:
    """Return the translations of all sentences; windows overlap, instances and sub-documents do not.

    A sentence is a window of 1. The field `strategy` is `sentences` (each translated alone), `sliding windows`,
    `instances` (one beam for each instance), `synchronous sentences` (one beam for each sentence, which sees the source
    of its document), or `documents` (sentences are not marked).

    A model that does not mark sentences gives one run of words for each instance, and the runs of a document's
    instances make one line. Instances of one sentence count as sentences, whatever the frame.

    Raises UserError where the number of output sentences is free and the segments are no windows, and where sentences
    are not marked and windows overlap.
    """
    model = translator.model
    check_frame(model.config.frame, cut)
    results, first = translator.translate(segments.rows), segments.first_sentences()
    runs = [translation.sentences for translation in results.best]
    if cut.window is not None:
        translations, positions, fallbacks = slide(runs, segments, cut.window, translator)
        strategy = "sentences" if cut.window == 1 else "sliding windows"
        return Decoded(strategy, translations, len(translations[-1]), results.searches, first, fallbacks, positions)
    translations, sentences = [list(chain.from_iterable(runs))], sum(segments.lengths)
    if model.config.frame == "unmarked":
        documents = [len(instances) for instances in segments.by_document()]
        lines = [line for line, instances in enumerate(documents) for _ in range(instances)]
        return Decoded("documents", translations, sentences, results.searches, lines, documents=documents)
    strategy = "synchronous sentences" if model.synchronous else "instances"
    return Decoded(strategy, translations, sentences, results.searches, first)


def check_frame(frame: Frame, cut: CutConfig) -> None:
    """Raise UserError where a model with this frame cannot translate segments that are cut in this way."""
    if frame == "joined" and cut.window is None:
        raise UserError(
            "this model is free to give another number of sentences, and only windows have a fallback for that",
            found=f"frame joined, test view {cut.name}",
            expected="a test view of windows, or a model with frame wrapped",
        )
    if frame == "unmarked" and (cut.window or 1) > 1:
        raise UserError(
            "this model does not mark sentences, so the outputs of overlapping windows cannot be combined",
            found=f"frame unmarked, test view {cut.name}",
            expected="a test view of max_tokens, max_sentences or window 1, or a model with another frame",
        )


def slide(
    outputs: list[list[Sentence]], segments: SegmentTable, k: int, translator: Translator
) -> tuple[list[list[Sentence]], list[Position], Fallbacks]:
    """Return, for each position j = 1..k, a translation of all sentences, with counts of their origin.

    `outputs` has the sentences of each window's translation, whose number may differ from that of the window.
    """
    aligned, alone, fallbacks = align(outputs, segments, translator)
    translations, positions = [], []
    for j in range(1, k + 1):
        chosen = list(places(segments, j))
        translations.append([aligned[window][place] for window, place in chosen])
        again = sum(window in alone for window, _ in chosen)
        exact = sum(window not in alone and place == j - 1 for window, place in chosen)
        positions.append(Position(exact, len(chosen) - exact - again, again))
    return translations, positions, fallbacks


def places(segments: SegmentTable, j: int) -> Iterator[Place]:
    """Yield the place where each sentence is the j-th of its window, or is as near to that as its document allows."""
    lengths = segments.lengths
    for windows in segments.by_document():
        for sentence in range(len(windows) - 1 + lengths[windows[0]]):
            window = min(max(sentence - (j - 1), 0), len(windows) - 1)
            yield windows[window], sentence - window


def align(
    outputs: list[list[Sentence]], segments: SegmentTable, translator: Translator
) -> tuple[list[list[Sentence]], set[int], Fallbacks]:
    """Return outputs with as many sentences as their windows, the windows that were translated again, and counts.

    Such windows are translated again sentence by sentence.
    """
    lengths = segments.lengths
    failed = [window for window, output in enumerate(outputs) if len(output) != lengths[window]]
    # A window of one sentence would give the same output again.
    single = {window: [merge_sentences(outputs[window])] for window in failed if lengths[window] == 1}
    several = [window for window in failed if lengths[window] > 1]
    fallbacks = Fallbacks(windows=len(failed), merged=len(single))
    other = single | retranslate(several, segments, translator, fallbacks)
    return [other.get(window, output) for window, output in enumerate(outputs)], set(several), fallbacks


def retranslate(
    failed: list[int], segments: SegmentTable, translator: Translator, fallbacks: Fallbacks
) -> dict[int, list[Sentence]]:
    """Return the sentences of the failed windows, each translated alone.

    A sentence that is in several windows is translated once.
    """
    if not failed:
        return {}
    sources, first = segments.rows.to_lists("source"), segments.first_sentences()
    names = {window: [first[window] + i for i in range(len(sources[window]))] for window in failed}
    alone = {name: source for window in failed for name, source in zip(names[window], sources[window], strict=True)}
    translations = translator.translate(Rows.from_lists([[source] for source in alone.values()])).best
    lines = dict(zip(alone, (merge_sentences(translation.sentences) for translation in translations), strict=True))
    fallbacks.sentences = len(alone)
    fallbacks.merged += sum(len(translation.sentences) != 1 for translation in translations)
    return {window: [lines[name] for name in names[window]] for window in failed}


def merge_sentences(sentences: list[Sentence]) -> Sentence:
    """Return several sentences as one."""
    return list(chain.from_iterable(sentences))
