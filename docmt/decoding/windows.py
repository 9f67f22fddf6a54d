"""Sliding windows: every window of k sentences is translated once, and every sentence is taken as its j-th.

Paper: long-short term masking (Zhang et al. 2020), section 3.1: each sentence is translated up to k times, each time
    as another sentence of a window; the outputs for one j, put together, are one translation of the test set.
Departs: the paper leaves open where sentences come from whose window does not exist, and what is done with an output
    that has not as many sentences as its window. Here: where no window has sentence t as its j-th, the nearest
    one of the same document is taken; a document shorter than k is one window. The sentences of a window whose
    output has another number of sentences are each translated again, alone; should that output have several
    sentences, they become one line.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from docmt.decoding.segments import SegmentTable, Sentence
from docmt.decoding.translator import Translator
from docmt.nn.rows import Rows

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


def slide(segments: SegmentTable, k: int, translator: Translator) -> tuple[list[list[Sentence]], Fallbacks]:
    """For each j = 1..k the translations of all sentences, each as the j-th of its window where there is such a one."""
    outputs = [found.sentences for found in translator.translate(segments.rows)]
    fallbacks = align(outputs, segments, translator)
    takes = [[outputs[window][place] for window, place in places(segments, j)] for j in range(1, k + 1)]
    return takes, fallbacks


def places(segments: SegmentTable, j: int) -> Iterator[Place]:
    """Where each sentence of the test set stands as the j-th of a window, or as near to that as its document allows."""
    lengths = segments.lengths
    for windows in segments.by_document():
        for sentence in range(len(windows) - 1 + lengths[windows[0]]):
            window = min(max(sentence - (j - 1), 0), len(windows) - 1)
            yield windows[window], sentence - window


def align(outputs: list[list[Sentence]], segments: SegmentTable, translator: Translator) -> Fallbacks:
    """Replace in place each output that has not as many sentences as its window."""
    lengths = segments.lengths
    failed = [window for window, output in enumerate(outputs) if len(output) != lengths[window]]
    fallbacks = Fallbacks(windows=len(failed))
    single = [window for window in failed if lengths[window] == 1]
    for window in single:
        # Alone already: the same window again would give the same output.
        outputs[window] = [merged(outputs[window])]
    fallbacks.merged = len(single)
    retranslate([window for window in failed if lengths[window] > 1], outputs, segments, translator, fallbacks)
    return fallbacks


def retranslate(
    failed: list[int],
    outputs: list[list[Sentence]],
    segments: SegmentTable,
    translator: Translator,
    fallbacks: Fallbacks,
) -> None:
    """Translate the failed windows' sentences alone, each once though several windows have it."""
    if not failed:
        return
    sources = segments.source_sentences()
    document = {window: number for number, windows in enumerate(segments.by_document()) for window in windows}
    names = {
        window: [(document[window], segments.first[window] + i) for i in range(len(sources[window]))]
        for window in failed
    }
    alone = {name: source for window in failed for name, source in zip(names[window], sources[window], strict=True)}
    found = translator.translate(Rows.from_lists([[source] for source in alone.values()]))
    lines = dict(zip(alone, (merged(one.sentences) for one in found), strict=True))
    for window in failed:
        outputs[window] = [lines[name] for name in names[window]]
    fallbacks.sentences = len(alone)
    fallbacks.merged += sum(len(one.sentences) != 1 for one in found)


def merged(sentences: list[Sentence]) -> Sentence:
    """Several sentences as one."""
    return list(chain.from_iterable(sentences))
