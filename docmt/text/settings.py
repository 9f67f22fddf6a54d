"""What the stage is told."""

from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import read_json
from docmt.base.parse import parse
from docmt.settings.data import TextConfig

SIDES = ("source", "target")


@dataclass(frozen=True)
class TokensSettings:
    """The stage's `settings.json`. `version`: of the stage's code, in docmt.plan.versions."""

    version: int
    corpus: str
    source_language: str
    target_language: str
    text: TextConfig

    @property
    def takes_from(self) -> str | None:
        """The other corpus whose text is taken; none where it is learnt here."""
        return self.text.takes_from(self.corpus)

    def language(self, side: str) -> str:
        return self.source_language if side == "source" else self.target_language


def read_settings(path: Path) -> TokensSettings:
    """Raises UserError where the file is missing or is none."""
    return parse(TokensSettings, read_json(path), str(path))
