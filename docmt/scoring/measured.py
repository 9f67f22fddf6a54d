"""The input and the result of a metric.

A metric is computed by a module with a function `score(job: ScoringJob) -> ScoringResult`. The table
`docmt.settings.metrics.METRICS` names the module of each metric.
"""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from docmt.base.columns import OCCURRENCES
from docmt.base.names import DeviceName
from docmt.base.scores import Score
from docmt.scoring.chain_scores import StopFiles
from docmt.scoring.inputs import Lines, References, Translations, read_translations
from docmt.scoring.tallies import Tally


@dataclass(frozen=True)
class ScoringInputs:
    """The files and folders from which the scores of a system are computed; None or empty where settings name none."""

    corpus: Path
    tokens: Path
    view: Path | None  # None for an external system
    translations: Path
    contrastive: Path | None = None  # the folder of the forced scores of contrastive sets
    context: Path | None = None  # the folder of the forced scores of references by their context
    aligner: Path | None = None  # the folder of the default aligner that was trained on the corpus
    word_vectors: Path | None = None  # a file
    next_sentence_model: Path | None = None  # the folder of a BERT
    aligner_model: Path | None = None  # the folder of the model of awesome-align
    stop_files: StopFiles = field(default_factory=StopFiles)  # files of stop words
    comet_command: tuple[str, ...] = ()  # the words of the command that runs COMET's Python
    comet_model: Path | None = None
    comet_encoder: Path | None = None


@dataclass(frozen=True)
class ScoringJob:
    """The translations of the test split by a system, with their references and the settings of the scores."""

    settings: dict  # the content of the `job.json` of stage 7
    inputs: ScoringInputs
    references: References
    lines: Lines  # whether a line of the translations is a sentence or a document
    device: DeviceName = "auto"  # the device of neural models that score translations

    @cached_property
    def translations(self) -> Translations:
        """The translations of the test split, which are read when a metric first uses them.

        Raises UserError where the number of translations differs from the number of references.
        """
        return read_translations(self.inputs.translations, "test", self.references, self.lines)


@dataclass(frozen=True)
class ScoringResult:
    """The result of a metric; all fields are empty where the metric cannot be computed.

    `occurrences` is a table of the lexical chains of the test set, for case studies; it has rows only where the lines
    of the translations are sentences.
    """

    scores: list[Score] = field(default_factory=list)  # the rows of `scores.parquet`
    tallies: list[Tally] = field(default_factory=list)  # written to `details.arrow`, which comparisons read
    occurrences: pa.Table = field(default_factory=OCCURRENCES.empty_table)
