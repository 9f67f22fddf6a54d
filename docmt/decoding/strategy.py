"""From segments to translations: how depends on what the test view's segments are, and on the model's frame.

A translation is one of a sentence, or, where the model does not mark sentences, one of a whole document.
"""

from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from docmt.base.errors import UserError
from docmt.decoding.segments import SegmentTable, Sentence
from docmt.decoding.translator import Searches, Translator
from docmt.decoding.windows import Fallbacks, Position, slide
from docmt.settings.data import CutConfig
from docmt.settings.models import Frame


@dataclass
class Decoded:
    """Translations of all test sentences, in order."""

    strategy: str
    takes: list[list[Sentence]]
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
        positions = {f"test.j{j}": take for j, take in enumerate(self.takes, start=1)} if len(self.takes) > 1 else {}
        return positions | {"test": self.takes[-1]}


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
    refuse(model.config.frame, cut)
    found, first = translator.translate(segments.rows), segments.first_sentences()
    runs = [one.sentences for one in found.best]
    if cut.window is not None:
        slid = slide(runs, segments, cut.window, translator)
        strategy = "sentences" if cut.window == 1 else "sliding windows"
        return Decoded(strategy, slid.takes, len(slid.takes[-1]), found.searches, first, slid.fallbacks, slid.positions)
    takes, sentences = [list(chain.from_iterable(runs))], sum(segments.lengths)
    if model.config.frame == "unmarked":
        documents = [len(instances) for instances in segments.by_document()]
        lines = [line for line, instances in enumerate(documents) for _ in range(instances)]
        return Decoded("documents", takes, sentences, found.searches, lines, documents=documents)
    strategy = "synchronous sentences" if model.synchronous else "instances"
    return Decoded(strategy, takes, sentences, found.searches, first)


def refuse(frame: Frame, cut: CutConfig) -> None:
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
