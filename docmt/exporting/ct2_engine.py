"""Translations by CTranslate2, after a proof on the model itself that they are those of docmt's own search.

The proof translates a sample of the sentences with both programs. The probabilities of docmt's translations have to be
the same in both, output by output, and each translation of CTranslate2 has to be the same as docmt's, or as good.
"""

from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import chain
from typing import Any

import numpy as np

from docmt.base.errors import UserError
from docmt.decoding.translator import Progress, SearchResults, Translator, quiet
from docmt.exporting.ct2_model import check_ctranslate2
from docmt.exporting.ct2_search import MARGIN, CTranslate2Search
from docmt.exporting.source import ExportedModel
from docmt.nn.rows import Rows
from docmt.search.forced import forced_scores
from docmt.search.translations import Translation, length_penalty
from docmt.settings.ctranslate2 import engine_obstacles

SAMPLE = 64  # The largest number of sentences of a proof
TOLERANCE = 1e-3
"""The largest difference of the log-probabilities of an output (nats): 32-bit numbers are summed in other orders."""
MOST_LOSS = MARGIN  # The largest loss of the log-probability of a translation, for each of its outputs (nats)
REMEDY = "the engine docmt translates with every model: `engine: docmt` in config.yaml, or --engine docmt"


@dataclass(frozen=True)
class Proof:
    """What a proof has found."""

    sentences: int  # translated by both programs
    equal: int  # equal translations
    largest_difference: float  # that of the log-probabilities of an output, in nats


class CTranslate2Translator(Translator):
    """A translator that searches with CTranslate2, once the export of its model is proven."""

    def __init__(self, source: ExportedModel, progress: Progress = quiet) -> None:
        """Convert the model.

        Raises UserError where CTranslate2 cannot translate as the model does, or is not installed.
        """
        check_ctranslate2(source, engine_obstacles, "the engine docmt translates with every model")
        self.source, self.program = source, CTranslate2Search(source)
        self.proof: Proof | None = None
        super().__init__(source.network, source.decode, progress, self.program.search)

    def translate(self, rows: Rows) -> SearchResults:
        """Return the translations of all instances; the first call proves the export on some of them.

        Raises UserError where the proof fails.
        """
        if self.proof is None:
            self.proof = prove(self.program, rows, str(self.source.folder))
            self.program.unfinished = 0  # those of the proof are none of the translations
        return super().translate(rows)

    def facts(self) -> dict[str, Any]:
        """Return the version of CTranslate2, the proof, and the number of sentences that it did not finish."""
        facts = {"name": "ctranslate2", "version": version("ctranslate2"), "unfinished": self.program.unfinished}
        return {"engine": {**facts, "proof": asdict(self.proof) if self.proof else None}}


def prove(program: CTranslate2Search, rows: Rows, where: str) -> Proof:
    """Prove an export on some of the sentences; `where` names the model in messages.

    Raises UserError where a probability differs, or a translation of CTranslate2 is worse than that of docmt.
    """
    sample = rows.take(np.unique(np.linspace(0, len(rows) - 1, SAMPLE).round()))
    expected, translated = (
        Translator(program.model, program.config, search=search).translate(sample).best
        for search in (None, program.search)
    )
    difference = _largest_difference(program, sample, expected)
    if not difference <= TOLERANCE:
        raise UserError(
            "CTranslate2 does not compute the probabilities of this model",
            where=where,
            found=f"log-probabilities that differ by {difference:.2g}, in {len(sample)} sentences",
            expected=f"at most {TOLERANCE}",
            remedy=REMEDY,
        )
    unequal = [n for n, (a, b) in enumerate(zip(expected, translated, strict=True)) if a.sentences != b.sentences]
    loss = _largest_loss(program, sample, unequal, expected, translated)
    if loss > MOST_LOSS:
        raise UserError(
            "CTranslate2 does not find the translations of docmt's own search",
            where=where,
            found=f"{len(unequal)} of {len(sample)} sentences differ; log-probabilities are lower by up to {loss:.2g}",
            expected=f"equal translations, or log-probabilities that are lower by at most {MOST_LOSS} for each output",
            remedy=REMEDY,
        )
    return Proof(len(sample), len(sample) - len(unequal), difference)


def _largest_difference(program: CTranslate2Search, rows: Rows, translations: list[Translation]) -> float:
    sources, targets = program.framed(rows), [program.words(each.sentences[0]) for each in translations]
    pairs = enumerate(zip(sources, targets, strict=True))
    # Sentences that are longer than the export has positions are left out, since CTranslate2 translates none of them.
    short = [number for number, pair in pairs if max(map(len, pair)) < program.positions]
    if not short:
        return 0.0
    chosen = [translations[number].sentences for number in short]
    expected, _ = forced_scores(program.model, Rows.from_lists(rows.take(short).to_lists("source"), chosen))
    scored = program.log_probabilities([sources[number] for number in short], [targets[number] for number in short])
    return float(np.abs(np.array([*chain.from_iterable(scored)]) - expected.numpy()).max())


def _largest_loss(
    program: CTranslate2Search,
    rows: Rows,
    chosen: list[int],
    expected: list[Translation],
    translated: list[Translation],
) -> float:
    """Return by how much the score of another translation is lower at most, for each of its outputs; 0 for no loss."""
    if not chosen:
        return 0.0
    sources = rows.take(chosen).to_lists("source")
    _, sums = forced_scores(
        program.model, Rows.from_lists(sources, [translated[number].sentences for number in chosen])
    )
    losses = []
    for number, score in zip(chosen, sums.tolist(), strict=True):
        outputs = len(translated[number].sentences[0]) + 1
        penalty = length_penalty(outputs, program.config)
        losses.append((expected[number].normalised - score / penalty) * penalty / outputs)
    return max(0.0, *losses)
