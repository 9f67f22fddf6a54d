"""From segments to translations: how depends on what the test view's segments are, and on the model's frame.

A translation is one of a sentence, or, where the model does not mark sentences, one of a whole document.

Windows slide: every window of k sentences is translated once, and every sentence is taken as its j-th.

Paper: long-short term masking (Zhang et al. 2020), section 3.1: each sentence is translated up to k times, each time
    as another sentence of a window; the outputs for one j, put together, are one translation of the test set.
Departs: the paper leaves open where sentences come from whose window does not exist, and what is done with an output
    that has not as many sentences as its window. Here: where no window has sentence t as its j-th, the nearest
    one of the same document is taken; a document shorter than k is one window. The sentences of a window whose
    output has another number of sentences are each translated again, alone; should that output have several
    sentences, they become one line.
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
"""Where a sentence's translation stands: number of the window, number of the sentence within it."""


@dataclass
class Fallbacks:
    """How often a window's output could not be taken as it was."""

    windows: int = 0
    """Windows whose output had not as many sentences as their source."""
    sentences: int = 0
    """Sentences that were therefore translated again, alone."""
    merged: int = 0
    """Sentences, alone in their window, whose output of several sentences became one line."""


@dataclass
class Position:
    """Where the sentences of one take come from."""

    exact: int = 0
    """Sentences that were translated as the j-th of their window."""
    nearest: int = 0
    """Sentences translated as another than the j-th, since their document has no window where they are."""
    alone: int = 0
    """Sentences translated again, alone."""


@dataclass
class Decoded:
    """Translations of all test sentences, in order."""

    strategy: str
    translations: list[list[Sentence]]
    """One list of all sentences for each position j of the window; one where segments do not overlap.

    Where lines are documents: one list of the runs of words of all instances.
    """
    sentences: int
    """Sentences of the test set."""
    searches: list[Searches]
    """What was found of each segment, before any fallback."""
    first_lines: list[int]
    """The line, from 0 on, where each segment's first sentence stands."""
    fallbacks: Fallbacks = field(default_factory=Fallbacks)
    positions: list[Position] = field(default_factory=list)
    """Where the sentences of each take come from, if segments are windows."""
    documents: list[int] | None = None
    """Where lines are documents: how many runs each has."""

    @property
    def lines(self) -> Literal["sentences", "documents"]:
        """What a line of the translations is."""
        return "sentences" if self.documents is None else "documents"

    @property
    def line_lengths(self) -> list[int]:
        """How many of the runs of a take make each line."""
        return [1] * self.sentences if self.documents is None else self.documents

    def files(self) -> dict[str, list[Sentence]]:
        """By the name that their files begin with; `test` is the last position."""
        positions = (
            {f"test.j{j}": sentences for j, sentences in enumerate(self.translations, start=1)}
            if len(self.translations) > 1
            else {}
        )
        return positions | {"test": self.translations[-1]}


def decode_segments(segments: SegmentTable, cut: CutConfig, translator: Translator) -> Decoded:
    """Windows slide (a sentence is a window of 1); instances and sub-documents lie side by side.

    What `strategy` says: `sentences`, each alone; `sliding windows`; `instances`, a beam over each; `synchronous
    sentences`, a beam over each sentence, which sees its document's source; `documents`, without marked sentences.

    A model that does not mark sentences gives one run of words an instance; the runs of a document's instances make
    one line. Instances of one sentence are sentences, whatever the frame.

    Raises UserError where the number of sentences is free and the segments are no windows, and where sentences are
    not marked and windows overlap.
    """
    model = translator.model
    check_frame(model.config.frame, cut)
    found, first = translator.translate(segments.rows), segments.first_sentences()
    runs = [one.sentences for one in found.best]
    if cut.window is not None:
        translations, positions, fallbacks = slide(runs, segments, cut.window, translator)
        strategy = "sentences" if cut.window == 1 else "sliding windows"
        return Decoded(strategy, translations, len(translations[-1]), found.searches, first, fallbacks, positions)
    translations, sentences = [list(chain.from_iterable(runs))], sum(segments.lengths)
    if model.config.frame == "unmarked":
        documents = [len(instances) for instances in segments.by_document()]
        lines = [line for line, instances in enumerate(documents) for _ in range(instances)]
        return Decoded("documents", translations, sentences, found.searches, lines, documents=documents)
    strategy = "synchronous sentences" if model.synchronous else "instances"
    return Decoded(strategy, translations, sentences, found.searches, first)


def check_frame(frame: Frame, cut: CutConfig) -> None:
    if frame == "joined" and cut.window is None:
        raise UserError(
            "this model's number of sentences is free, and only windows have a fallback for that",
            found=f"frame joined, test view {cut.name}",
            expected="a test view of windows, or a model with frame wrapped",
        )
    if frame == "unmarked" and (cut.window or 1) > 1:
        raise UserError(
            "this model does not mark sentences, so what overlapping windows give cannot be put together",
            found=f"frame unmarked, test view {cut.name}",
            expected="a test view of max_tokens, max_sentences or window 1, or a model with another frame",
        )


def slide(
    outputs: list[list[Sentence]], segments: SegmentTable, k: int, translator: Translator
) -> tuple[list[list[Sentence]], list[Position], Fallbacks]:
    """For each j = 1..k the translations of all sentences, each as the j-th of its window where there is such a one.

    `outputs`: of each window the sentences that its translation has, not always as many as the window.
    """
    aligned, alone, fallbacks = align(outputs, segments, translator)
    translations, positions = [], []
    for j in range(1, k + 1):
        found = list(places(segments, j))
        translations.append([aligned[window][place] for window, place in found])
        again = sum(window in alone for window, _ in found)
        exact = sum(window not in alone and place == j - 1 for window, place in found)
        positions.append(Position(exact, len(found) - exact - again, again))
    return translations, positions, fallbacks


def places(segments: SegmentTable, j: int) -> Iterator[Place]:
    """Where each sentence of the test set stands as the j-th of a window, or as near to that as its document allows."""
    lengths = segments.lengths
    for windows in segments.by_document():
        for sentence in range(len(windows) - 1 + lengths[windows[0]]):
            window = min(max(sentence - (j - 1), 0), len(windows) - 1)
            yield windows[window], sentence - window


def align(
    outputs: list[list[Sentence]], segments: SegmentTable, translator: Translator
) -> tuple[list[list[Sentence]], set[int], Fallbacks]:
    """Outputs with as many sentences as their windows; the windows whose sentences were translated again, alone."""
    lengths = segments.lengths
    failed = [window for window, output in enumerate(outputs) if len(output) != lengths[window]]
    # Alone already: the same window again would give the same output.
    single = {window: [merge_sentences(outputs[window])] for window in failed if lengths[window] == 1}
    several = [window for window in failed if lengths[window] > 1]
    fallbacks = Fallbacks(windows=len(failed), merged=len(single))
    other = single | retranslate(several, segments, translator, fallbacks)
    return [other.get(window, output) for window, output in enumerate(outputs)], set(several), fallbacks


def retranslate(
    failed: list[int], segments: SegmentTable, translator: Translator, fallbacks: Fallbacks
) -> dict[int, list[Sentence]]:
    """The failed windows' sentences, translated alone: each once though several windows have it."""
    if not failed:
        return {}
    sources, first = segments.rows.to_lists("source"), segments.first_sentences()
    names = {window: [first[window] + i for i in range(len(sources[window]))] for window in failed}
    alone = {name: source for window in failed for name, source in zip(names[window], sources[window], strict=True)}
    found = translator.translate(Rows.from_lists([[source] for source in alone.values()])).best
    lines = dict(zip(alone, (merge_sentences(one.sentences) for one in found), strict=True))
    fallbacks.sentences = len(alone)
    fallbacks.merged += sum(len(one.sentences) != 1 for one in found)
    return {window: [lines[name] for name in names[window]] for window in failed}


def merge_sentences(sentences: list[Sentence]) -> Sentence:
    """Several sentences as one."""
    return list(chain.from_iterable(sentences))
