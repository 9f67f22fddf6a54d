"""What all aligners have in common, and the default one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from docmt.scoring.alignment import training
from docmt.scoring.alignment.links import Aligned
from docmt.scoring.alignment.model import AlignmentModel


@dataclass(frozen=True)
class AlignedLines:
    """`signature`: how the links were found, for the signatures of what is measured on them."""

    lines: list[Aligned]
    signature: str


class Aligner(Protocol):
    """White space parts words."""

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """The links of each line, where both sides have as many lines."""
        ...


@dataclass(frozen=True)
class DefaultAligner:
    """Needs no weights, and gives the same links for the same lines. `model`: trained on other lines; what is unlike
    them in the lines given is learnt from these."""

    model: AlignmentModel | None = None

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        return AlignedLines(training.align(source, target, self.model), training.NAME)
