"""The decoding strategies: how the translations of segments become a translation of each sentence or document.

The strategy follows from the segments of the test view and from the frame of the model. Each line of the result is the
translation of a sentence or, where the model does not mark sentences, of a whole document.

Windows of k sentences overlap, and each window is translated once. So a sentence is translated up to k times: as the
j-th sentence of a window for each position j from 1 to k.

Paper: long-short term masking (Zhang et al. 2020), section 3.1: for each position j, the translations of all sentences
as j-th sentences of windows are together one translation of the test set.

Departs: the paper does not say which translation a sentence gets where no window has it as its j-th sentence, nor what
to do with an output that has a different number of sentences than its window. Here a sentence that no window has as its
j-th sentence gets its translation in the nearest window of the same document. A document with fewer than k sentences is
one window. Where the output of a window has a different number of sentences, each sentence of the window is translated
again, alone. Where the output of a single sentence has several sentences, they are joined to one line. Where the
windows are filled (`partial_copy`), the translations of the copies are dropped.
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
"""The place of the translation of a sentence: the number of its window, and of the sentence in the window, from 0."""


@dataclass
class Fallbacks:
    """The numbers of windows and of sentences whose output has a different number of sentences than their source."""

    windows: int = 0
    """The number of windows whose output has a different number of sentences than their source."""
    sentences: int = 0
    """The number of sentences that were translated again, alone, since the output of their window was not used."""
    merged: int = 0
    """The number of sentences that were translated alone and whose output of several sentences became one line."""


@dataclass
class Position:
    """The numbers of sentences of the translation for one position j, by the origin of their translations."""

    exact: int = 0
    """The number of sentences that were translated as the j-th sentence of a window."""
    nearest: int = 0
    """The number of sentences that are the j-th sentence of no window and were translated at the nearest position."""
    alone: int = 0
    """The number of sentences that were translated again, alone."""


@dataclass
class Decoded:
    """The translations of all test sentences, in order, with counts of how they were made."""

    strategy: str
    """The name of the strategy; see `decode_segments`."""
    translations: list[list[Sentence]]
    """A list for each position j in the window, with a translation of every sentence; a single list where segments do
    not overlap. Where lines are documents, a single list with the run of pieces of every instance."""
    sentences: int
    """The number of sentences of the test set."""
    searches: list[Searches]
    """The results of the search for each segment, before sentences are translated again or joined."""
    first_lines: list[int]
    """The number of the line that has the first sentence of each segment; lines are counted from 0."""
    fallbacks: Fallbacks = field(default_factory=Fallbacks)
    """The counts of outputs with a different number of sentences than their source; all 0 without windows."""
    positions: list[Position] = field(default_factory=list)
    """The counts of the origins of sentences for each position j; empty where segments are not windows."""
    documents: list[int] | None = None
    """The number of runs of pieces of each document, where lines are documents; else None."""

    @property
    def lines(self) -> Literal["sentences", "documents"]:
        """The unit of a line of the translations: sentences or documents."""
        return "sentences" if self.documents is None else "documents"

    @property
    def line_lengths(self) -> list[int]:
        """The number of runs of pieces in each line: 1 for a sentence, the number of its instances for a document."""
        return [1] * self.sentences if self.documents is None else self.documents

    def files(self) -> dict[str, list[Sentence]]:
        """Return the translations by the beginning of the name of their files: `test`, or `test.j1` and so on.

        There is a name for each position of windows of several sentences; `test` is then the last position.
        """
        positions = (
            {f"test.j{j}": sentences for j, sentences in enumerate(self.translations, start=1)}
            if len(self.translations) > 1
            else {}
        )
        return positions | {"test": self.translations[-1]}


def decode_segments(segments: SegmentTable, cut: CutConfig, translator: Translator) -> Decoded:
    """Return the translations of all sentences or documents of the test set.

    The field `strategy` of the result is `sentences` (windows of 1), `sliding windows` (windows of several sentences),
    `instances` (one beam for each instance), `synchronous sentences` (one beam for each sentence, which sees the source
    of its whole instance), or `documents` (the model does not mark sentences).

    With windows of 1 the lines are sentences for every model.

    Raises UserError where the model cannot translate the segments; see `check_frame`.
    """
    model = translator.model
    check_frame(model.config.frame, cut)
    copies = 0 if cut.partial_copy is None else cut.window - 1
    results, first = translator.translate(segments.rows), segments.first_sentences(copies)
    runs = [translation.sentences for translation in results.best]
    if cut.window is not None:
        translations, positions, fallbacks = slide(runs, segments, cut.window, translator, copies)
        strategy = "sentences" if cut.window == 1 else "sliding windows"
        return Decoded(strategy, translations, len(translations[-1]), results.searches, first, fallbacks, positions)
    translations, sentences = [list(chain.from_iterable(runs))], sum(segments.lengths)
    if model.config.frame == "unmarked":
        # A model that does not mark sentences outputs one run of pieces for each instance, and the runs of all
        # instances of a document become one line.
        documents = [len(instances) for instances in segments.by_document()]
        lines = [line for line, instances in enumerate(documents) for _ in range(instances)]
        return Decoded("documents", translations, sentences, results.searches, lines, documents=documents)
    strategy = "synchronous sentences" if model.synchronous else "instances"
    return Decoded(strategy, translations, sentences, results.searches, first)


def check_frame(frame: Frame, cut: CutConfig) -> None:
    """Raise UserError where a model with this frame cannot translate the segments of this cut.

    The frame `joined` needs windows, and the frame `unmarked` needs segments that do not overlap.
    """
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
    outputs: list[list[Sentence]], segments: SegmentTable, k: int, translator: Translator, copies: int = 0
) -> tuple[list[list[Sentence]], list[Position], Fallbacks]:
    """Return a translation of all sentences for each position j from 1 to k, with counts of the origins of sentences.

    `outputs` has the sentences of the output of each window, which may be more or fewer than those of the window. The
    first `copies` sentences of each document are copies, which are left out.
    """
    aligned, alone, fallbacks = align(outputs, segments, translator, copies)
    translations, positions = [], []
    for j in range(1, k + 1):
        chosen = list(places(segments, j, copies))
        translations.append([aligned[window][place] for window, place in chosen])
        again = sum(window in alone for window, _ in chosen)
        exact = sum(window not in alone and place == j - 1 for window, place in chosen)
        positions.append(Position(exact, len(chosen) - exact - again, again))
    return translations, positions, fallbacks


def places(segments: SegmentTable, j: int, copies: int = 0) -> Iterator[Place]:
    """Yield the place in which each sentence is the j-th of its window, or else as near to the j-th as possible.

    The first `copies` sentences of each document are left out.
    """
    lengths = segments.lengths
    for windows in segments.by_document():
        for sentence in range(copies, len(windows) - 1 + lengths[windows[0]]):
            window = min(max(sentence - (j - 1), 0), len(windows) - 1)
            yield windows[window], sentence - window


def align(
    outputs: list[list[Sentence]], segments: SegmentTable, translator: Translator, copies: int = 0
) -> tuple[list[list[Sentence]], set[int], Fallbacks]:
    """Return outputs with as many sentences as their windows, the windows that were translated again, and counts."""
    lengths = segments.lengths
    failed = [window for window, output in enumerate(outputs) if len(output) != lengths[window]]
    # A window of one sentence is not translated again, since the output would be the same.
    single = {window: [merge_sentences(outputs[window])] for window in failed if lengths[window] == 1}
    several = [window for window in failed if lengths[window] > 1]
    fallbacks = Fallbacks(windows=len(failed), merged=len(single))
    # A window whose output has a different number of sentences is translated again sentence by sentence.
    other = single | retranslate(several, segments, translator, fallbacks, copies)
    return [other.get(window, output) for window, output in enumerate(outputs)], set(several), fallbacks


def retranslate(
    failed: list[int], segments: SegmentTable, translator: Translator, fallbacks: Fallbacks, copies: int
) -> dict[int, list[Sentence]]:
    """Return the sentences of the failed windows, each translated alone."""
    if not failed:
        return {}
    sources, first = segments.rows.to_lists("source"), segments.first_sentences()
    left_out = {window: max(copies - segments.first[window], 0) for window in failed}
    names = {window: range(first[window], first[window] + len(sources[window])) for window in failed}
    # A sentence that is in several windows is translated once, and a copy not at all.
    alone = {n: s for w in failed for n, s in [*zip(names[w], sources[w], strict=True)][left_out[w] :]}
    translations = translator.translate(Rows.from_lists([[source] for source in alone.values()])).best
    lines = dict(zip(alone, (merge_sentences(translation.sentences) for translation in translations), strict=True))
    fallbacks.sentences = len(alone)
    fallbacks.merged += sum(len(translation.sentences) != 1 for translation in translations)
    return {window: [lines.get(name, []) for name in names[window]] for window in failed}


def merge_sentences(sentences: list[Sentence]) -> Sentence:
    """Return the pieces of several sentences as one sentence."""
    return list(chain.from_iterable(sentences))
