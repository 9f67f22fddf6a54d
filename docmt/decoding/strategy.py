"""From segments to one translation a sentence: how depends on what the test view's segments are."""

from dataclasses import dataclass, field

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
    """One list of all sentences for each position j of the window; one where segments do not overlap."""
    fallbacks: Fallbacks = field(default_factory=Fallbacks)

    def files(self) -> dict[str, list[Sentence]]:
        """By the name that their files begin with; `test` is the last position."""
        positions = {f"test.j{j}": take for j, take in enumerate(self.takes, start=1)} if len(self.takes) > 1 else {}
        return positions | {"test": self.takes[-1]}


def decode_segments(segments: SegmentTable, cut: CutConfig, translator: Translator) -> Decoded:
    """Windows slide (a sentence is a window of 1); instances and sub-documents lie side by side.

    Raises UserError where the number of sentences is free and the segments are no windows.
    """
    if cut.window is not None:
        takes, fallbacks = slide(segments, cut.window, translator)
        return Decoded("sentences" if cut.window == 1 else "sliding windows", takes, fallbacks)
    if translator.model.config.frame == "joined":
        raise UserError(
            "this model's number of sentences is free, and only windows have a fallback for that",
            found=f"frame joined, test view {cut.name}",
            expected="a test view of windows, or a model with frame wrapped",
        )
    outputs = translator.translate(segments.rows)
    return Decoded("instances", [[words for found in outputs for words in found.sentences]])
