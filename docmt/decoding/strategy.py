"""From segments to translations: how depends on what the test view's segments are, and on the model's frame.

A translation is one of a sentence, or, where the model does not mark sentences, one of a whole document.
"""

from dataclasses import dataclass, field
from typing import Literal

from docmt.core.architectures import Frame
from docmt.core.config import CutConfig
from docmt.core.errors import UserError
from docmt.decoding.segments import SegmentTable, Sentence
from docmt.decoding.translator import Translator
from docmt.decoding.windows import Fallbacks, slide


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
    fallbacks: Fallbacks = field(default_factory=Fallbacks)
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

    A model that does not mark sentences gives one run of words an instance; the runs of a document's instances make
    one line. Instances of one sentence are sentences, whatever the frame.

    Raises UserError where the number of sentences is free and the segments are no windows, and where sentences are
    not marked and windows overlap.
    """
    frame = translator.model.config.frame
    refuse(frame, cut)
    if cut.window is not None:
        takes, fallbacks = slide(segments, cut.window, translator)
        strategy = "sentences" if cut.window == 1 else "sliding windows"
        return Decoded(strategy, takes, len(takes[-1]), fallbacks)
    runs = [words for found in translator.translate(segments.rows) for words in found.sentences]
    sentences = sum(segments.lengths)
    if frame == "unmarked":
        return Decoded("documents", [runs], sentences, documents=segments.instances_of_documents())
    return Decoded("instances", [runs], sentences)


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
