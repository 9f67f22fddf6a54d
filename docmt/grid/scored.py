"""What the scores of a system are computed with: the settings of scoring of its study, for its corpus."""

from dataclasses import dataclass
from typing import Any

from docmt.base.errors import UserError
from docmt.catalogue.corpus import STOP_WORDS
from docmt.grid.grid import Grid
from docmt.grid.scoring import trained_settings
from docmt.settings.comet import NO_PYTHON, CometConfig
from docmt.settings.scoring import AlignerConfig, ConsistencyConfig, ScoringConfig, ScoringPart
from docmt.settings.system import Entry


@dataclass(frozen=True)
class CorpusScoring:
    """The settings of scoring for a corpus.

    `consistency` has the stop words of the corpus. `aligner`, `vectors` (a file of word vectors, or `trained`), `model`
    (the folder of a BERT) and `comet` are None where the metrics that need them are not computed. `missing`: why they
    are not, by the part of `scoring` that names a file which is not here.
    """

    config: ScoringConfig
    consistency: ConsistencyConfig
    aligner: AlignerConfig | None
    vectors: str | None
    model: str | None
    comet: CometConfig | None
    missing: dict[ScoringPart, str]

    @property
    def aligner_model(self) -> str | None:
        """The folder of the model of awesome-align; None for other aligners."""
        return None if self.aligner is None else self.aligner.model

    @property
    def stop_lists(self) -> dict[str, str]:
        """The files of stop words by their roles among the inputs of a job; empty where no chain is scored."""
        if self.aligner is None:
            return {}
        lists = {side: getattr(self.consistency, f"{side}_stop_lists") for side in ("source", "target")}
        return {f"{side}_stop_list": path for side, paths in lists.items() for path in paths.values()}


def scoring_of(grid: Grid, study: str, corpus: str) -> CorpusScoring:
    """Return the settings by which a study scores its systems on a corpus."""
    config, chosen = grid.corpus_at_scale(corpus), grid.scoring[study]
    stop_words = tuple(getattr(config, name) for name in STOP_WORDS)
    consistency = chosen.consistency.of_corpus(config.languages, stop_words)
    lists = [*consistency.source_stop_lists.values(), *consistency.target_stop_lists.values()]
    vectors = chosen.coherence.vectors.get(config.target_language)
    model = chosen.cohesion.models.get(config.target_language)
    needed: dict[ScoringPart, list[str | None]] = {
        "aligner": [chosen.aligner.model, *lists],
        "coherence": [vectors],
        "cohesion": [model],
        "comet": [chosen.comet.model, chosen.comet.encoder],
    }
    reasons = {
        part: [grid.not_scored[path] for path in paths if path in grid.not_scored] for part, paths in needed.items()
    }
    missing = {part: why[0] for part, why in reasons.items() if why}
    if chosen.comet.model is not None and chosen.comet.command is None:
        missing.setdefault("comet", NO_PYTHON)
    return CorpusScoring(
        config=chosen,
        consistency=consistency,
        aligner=None if "aligner" in missing else chosen.aligner,
        vectors=None if "coherence" in missing else vectors,
        model=None if "cohesion" in missing else model,
        comet=None if "comet" in missing or chosen.comet.model is None else chosen.comet,
        missing=missing,
    )


def scoring_of_entry(grid: Grid, entry: Entry) -> CorpusScoring:
    """Return the settings by which a system on a corpus is scored."""
    return scoring_of(grid, entry.study, entry.corpus)


def trained_on(grid: Grid, corpus: str, text: str, what: str, where: str) -> dict[str, Any]:
    """Return the settings of what is trained on a corpus for its scores; `what` is a key of `trained_settings`.

    Raises UserError, at `where`, where no study needs it.
    """
    language = grid.corpora[corpus].target_language
    for entry in grid.entries:
        if (entry.corpus, entry.system.text) == (corpus, text):
            trained = trained_settings(grid.scoring[entry.study], language)
            if what in trained:
                return {key.split(".")[1]: value for key, value in trained[what].items()}
    raise UserError(f"no study trains {what} of this corpus and text", where=where)
