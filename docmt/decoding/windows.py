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


@dataclass
class Position:
    """Where the sentences of one take come from."""

    standing: int = 0
    """Sentences that were translated as the j-th of their window."""
    nearest: int = 0
    """Sentences translated as another than the j-th, since their document has no window where they are."""
    alone: int = 0
    """Sentences translated again, alone."""


@dataclass(frozen=True)
class Slid:
    """For each j = 1..k the translations of all sentences, each as the j-th of its window where there is such a one."""

    takes: list[list[Sentence]]
    positions: list[Position]
    fallbacks: Fallbacks


def slide(outputs: list[list[Sentence]], segments: SegmentTable, k: int, translator: Translator) -> Slid:
    """`outputs`: of each window the sentences that its translation has, not always as many as the window."""
    aligned, alone, fallbacks = align(outputs, segments, translator)
    takes, positions = [], []
    for j in range(1, k + 1):
        found = list(places(segments, j))
        takes.append([aligned[window][place] for window, place in found])
        again = sum(window in alone for window, _ in found)
        standing = sum(window not in alone and place == j - 1 for window, place in found)
        positions.append(Position(standing, len(found) - standing - again, again))
    return Slid(takes, positions, fallbacks)


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
    fallbacks = Fallbacks(windows=len(failed))
    single = [window for window in failed if lengths[window] == 1]
    # Alone already: the same window again would give the same output.
    aligned = [*outputs]
    for window in single:
        aligned[window] = [merged(outputs[window])]
    fallbacks.merged = len(single)
    several = [window for window in failed if lengths[window] > 1]
    for window, sentences in retranslated(several, segments, translator, fallbacks).items():
        aligned[window] = sentences
    return aligned, set(several), fallbacks


def retranslated(
    failed: list[int], segments: SegmentTable, translator: Translator, fallbacks: Fallbacks
) -> dict[int, list[Sentence]]:
    """The failed windows' sentences, translated alone: each once though several windows have it."""
    if not failed:
        return {}
    sources, first = segments.rows.to_lists("source"), segments.first_sentences()
    names = {window: [first[window] + i for i in range(len(sources[window]))] for window in failed}
    alone = {name: source for window in failed for name, source in zip(names[window], sources[window], strict=True)}
    found = translator.translate(Rows.from_lists([[source] for source in alone.values()])).best
    lines = dict(zip(alone, (merged(one.sentences) for one in found), strict=True))
    fallbacks.sentences = len(alone)
    fallbacks.merged += sum(len(one.sentences) != 1 for one in found)
    return {window: [lines[name] for name in names[window]] for window in failed}


def merged(sentences: list[Sentence]) -> Sentence:
    """Several sentences as one."""
    return list(chain.from_iterable(sentences))
