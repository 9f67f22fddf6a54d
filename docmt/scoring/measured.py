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
    """The files and folders from which the scores of a system are computed.

    `corpus`, `tokens`, `view` and `translations` are folders of the stages 1, 2, 3 and 6; an external system has no
    view. `contrastive` is the folder of the forced scores of contrastive sets, where the corpus has them. `aligner` is
    the folder of the aligner that was trained on the corpus, where the settings choose the default aligner.
    `word_vectors` is a file of word vectors, `next_sentence_model` is the folder of a BERT, `aligner_model` is the
    folder of the model of awesome-align, and `stop_files` are files of stop words; `comet_command` has the words of the
    command that runs COMET's Python, `comet_model` and `comet_encoder` are folders. Each is None or empty where the
    settings do not name it.
    """

    corpus: Path
    tokens: Path
    view: Path | None
    translations: Path
    contrastive: Path | None = None
    aligner: Path | None = None
    word_vectors: Path | None = None
    next_sentence_model: Path | None = None
    aligner_model: Path | None = None
    stop_files: StopFiles = field(default_factory=StopFiles)
    comet_command: tuple[str, ...] = ()
    comet_model: Path | None = None
    comet_encoder: Path | None = None


@dataclass(frozen=True)
class ScoringJob:
    """The translations of the test split by a system, with their references and the settings of the scores.

    `settings` is the content of the `job.json` of stage 7. `lines` says whether a line of the translations is a
    sentence or a document. `device` is the device of neural models that score translations.
    """

    settings: dict
    inputs: ScoringInputs
    references: References
    lines: Lines
    device: DeviceName = "auto"

    @cached_property
    def translations(self) -> Translations:
        """The translations of the test split, which are read when a metric first uses them.

        Raises UserError where the number of translations differs from the number of references.
        """
        return read_translations(self.inputs.translations, "test", self.references, self.lines)


@dataclass(frozen=True)
class ScoringResult:
    """The result of a metric; all fields are empty where the metric cannot be computed.

    `scores` are the rows of `scores.parquet`. `tallies` are written to `details.arrow`; the comparisons of systems read
    them. `occurrences` is a table of the lexical chains of the test set, for case studies; it has rows only where the
    lines of the translations are sentences.
    """

    scores: list[Score] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    occurrences: pa.Table = field(default_factory=OCCURRENCES.empty_table)
