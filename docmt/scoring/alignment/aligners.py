"""What aligns lines, by name: the default, eflomal, awesome-align, or links that a file has."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from docmt.core.artifacts import sha256_file
from docmt.core.errors import UserError
from docmt.scoring.alignment import training
from docmt.scoring.alignment.links import Aligned
from docmt.scoring.alignment.model import AlignmentModel
from docmt.scoring.alignment.pharaoh import read_links


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


@dataclass(frozen=True)
class GivenLinks:
    """Links from a file in Pharaoh format; those of both directions are the same."""

    path: Path

    def align(self, source: Sequence[str], target: Sequence[str]) -> AlignedLines:
        """Raises UserError where the file's lines do not fit."""
        lines = [Aligned.symmetric(links) for links in read_links(self.path, source, target)]
        return AlignedLines(lines, f"pharaoh,sha256:{sha256_file(self.path)[:12]}")


def check_lines(source: Sequence[str], target: Sequence[str], where: str) -> None:
    """Raises UserError where they are not as many."""
    if len(source) != len(target):
        found, expected = f"{len(target)} target lines", f"{len(source)}, one for each source line"
        raise UserError("another number of lines", where=where, found=found, expected=expected)
