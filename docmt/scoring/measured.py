"""What every metric of a system is given, and what it gives.

A metric is a module with `score(given) -> Scored`; `docmt.settings.metrics.METRICS` names it.
"""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from docmt.base.columns import OCCURRENCES
from docmt.base.names import DeviceName
from docmt.scoring.chain_scores import StopFiles
from docmt.scoring.inputs import Lines, References, Translations, read_translations
from docmt.scoring.tallies import Tally


@dataclass(frozen=True)
class ScoringInputs:
    """What stages 1 to 6 have left, the folder of the corpus' aligner, if it is the default one, and what settings
    name: word vectors, the folder of a BERT, stop lists."""

    corpus: Path
    tokens: Path
    view: Path
    translations: Path
    aligner: Path | None = None
    word_vectors: Path | None = None
    next_sentence_model: Path | None = None
    stop_files: StopFiles = field(default_factory=StopFiles)


@dataclass(frozen=True)
class ScoringJob:
    """A system's translations of the test split. `settings`: the stage's; `lines`: what a line of the translations is;
    `device`: of models that judge."""

    settings: dict
    inputs: ScoringInputs
    references: References
    lines: Lines
    device: DeviceName = "auto"

    @cached_property
    def translations(self) -> Translations:
        """Raises UserError where they are not a line for each line of the references."""
        return read_translations(self.inputs.translations, "test", self.references, self.lines)


@dataclass(frozen=True)
class ScoringResult:
    """`scores`: what goes into `scores.json`; `tallies`: into `details.arrow`, for comparing systems; `occurrences`: of
    lexical chains, for case studies, where lines are sentences. Nothing, where there is nothing to measure."""

    scores: dict = field(default_factory=dict)
    tallies: list[Tally] = field(default_factory=list)
    occurrences: pa.Table = field(default_factory=OCCURRENCES.empty_table)
