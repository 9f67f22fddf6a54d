"""Translations by CTranslate2, after a proof on the model itself that they are those of docmt's own search.

The proof translates a sample of the sentences with both programs. The probabilities of docmt's translations have to be
the same in both, output by output, and each translation of CTranslate2 has to be the same as docmt's, or as good.

CTranslate2 cannot force the end of a translation at its maximum length, and bars outputs before the softmax; in docmt
they are barred after it. So docmt's own search translates the sentences whose search in CTranslate2 did not end before
their maximum length, and hypotheses with nearly equal scores are scored again, with all outputs, and ranked by that.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import torch

from docmt.base.errors import UserError
from docmt.base.vocabulary import EOS, SPECIALS
from docmt.decoding.segments import Sentence
from docmt.decoding.translator import Progress, Searches, SearchResults, Translator, quiet
from docmt.exporting.ct2_folder import search_settings
from docmt.exporting.ct2_model import check_ctranslate2, ctranslate2, position_rows, save_ct2_model
from docmt.exporting.source import ExportedModel
from docmt.nn.frames import frame_source
from docmt.nn.rows import Rows
from docmt.search.beam import search_memory
from docmt.search.forced import forced_scores
from docmt.search.rules import RULES, instance_limits, most_pieces
from docmt.search.translations import Translation, length_penalty
from docmt.settings.ctranslate2 import engine_obstacles

TINY = 1e-9  # The exponent of the length in place of 0: with 0, CTranslate2 would end a search earlier than docmt does
MARGIN = 0.01
"""The largest difference, for each output (nats), of scores of hypotheses that are scored again with all outputs."""
BATCH: dict[str, Any] = {"max_batch_size": 1024, "batch_type": "tokens", "max_input_length": 0}
"""The arguments for a batch: CTranslate2 computes 1,024 tokens at once, since more are slower, and cuts no source."""

Pieces = list[str]


class Hypothesis(NamedTuple):
    """A translation that CTranslate2 found: its pieces without the end, and its score, divided by the penalty."""

    pieces: Pieces
    score: float


class CTranslate2Search:
    """A model in CTranslate2, which searches batches of sentences."""

    def __init__(self, source: ExportedModel) -> None:
        """Convert the model, in 32-bit floating point, and load it on the device of its parameters.

        Raises UserError where CTranslate2 is not installed, or sees no GPU while the model is on one.
        """
        self.model, self.config = source.network, source.decode
        self.frame, self.settings = source.network.config.frame, search_settings(source)
        self.source_pieces, self.target_pieces = source.pieces
        self.numbers = {piece: number for number, piece in enumerate(self.target_pieces)}
        self.positions = position_rows(source.network.config)
        self.program = _loaded(source)
        self.unfinished = 0
        """The number of sentences that CTranslate2 did not finish, so that docmt's own search translated them."""

    @torch.inference_mode()
    def search(self, rows: Rows) -> list[Searches]:
        """Return the translations of each sentence of a batch, best first, as the only search of its instance."""
        longest = most_pieces(self.model.config.learned_positions)
        by_sentence = instance_limits(rows, self.config, RULES[self.frame].counted_besides, longest)
        sources, limits = self.framed(rows), [limit for (limit,) in by_sentence]
        translations = self._ranked(sources, self._finished(sources, limits))
        others = [number for number in range(len(rows)) if number not in translations]
        if others:
            self.unfinished += len(others)
            framed = frame_source(rows.take(others), self.frame).to(next(self.model.parameters()).device)
            remaining = search_memory(
                self.model, self.model.encode(framed), [[limits[number]] for number in others], self.config
            )
            translations.update(zip(others, remaining, strict=True))
        return [[translations[number]] for number in range(len(rows))]

    def framed(self, rows: Rows) -> list[Pieces]:
        """Return the pieces of each source sentence with the symbols around it."""
        before = self.settings["before"]
        opening, end = ([before] if before else []), SPECIALS[EOS]
        return [
            [*opening, *(self.source_pieces[number] for number in sentence), end]
            for (sentence,) in rows.to_lists("source")
        ]

    def log_probabilities(self, sources: list[Pieces], targets: list[Pieces]) -> list[list[float]]:
        """Return the log-probability of each output of given translations, the end included."""
        return [[*each.log_probs] for each in self.program.score_batch(sources, targets, **BATCH)]

    def words(self, sentence: Sentence) -> Pieces:
        """Return the pieces of a translation."""
        return [self.target_pieces[number] for number in sentence]

    def _finished(self, sources: list[Pieces], limits: list[int]) -> dict[int, list[Hypothesis]]:
        short = [number for number, source in enumerate(sources) if len(source) <= self.positions]
        results = self._results([sources[number] for number in short], max(limits)) if short else []
        ended = ((number, self._ended(result, limits[number])) for number, result in zip(short, results, strict=True))
        # By the numbers of the sentences in the batch.
        return {number: hypotheses for number, hypotheses in ended if hypotheses}

    def _results(self, sources: list[Pieces], limit: int) -> list[Any]:
        return self.program.translate_batch(
            sources,
            beam_size=self.config.beam,
            num_hypotheses=self.config.beam,
            length_penalty=self.settings["length_alpha"] or TINY,
            suppress_sequences=self.settings["barred"],
            # The end counts in the length of a hypothesis, and each output needs a position.
            max_decoding_length=min(limit + 1, self.positions),
            return_end_token=True,
            return_scores=True,
            **BATCH,
        )

    def _ended(self, result: Any, limit: int) -> list[Hypothesis]:
        """Return the hypotheses of a sentence, or nothing where docmt's search would have forced their ends."""
        pieces, end = result.hypotheses, SPECIALS[EOS]
        # The last hypothesis to end is among them, since a search stops when as many as the beam has have ended. If it
        # is shorter than the limit, no end was forced, and the search took the same steps as docmt's.
        is_whole = len(pieces) == self.config.beam and all(each[-1:] == [end] for each in pieces)
        if not is_whole or max(map(len, pieces)) > limit:
            return []
        return [Hypothesis(each[:-1], score) for each, score in zip(pieces, result.scores, strict=True)]

    def _ranked(self, sources: list[Pieces], ended: dict[int, list[Hypothesis]]) -> dict[int, list[Translation]]:
        # All of them for n-best lists, else the nearly best ones.
        chosen = {
            number: hypotheses if self.config.n_best else self._rivals(hypotheses)
            for number, hypotheses in ended.items()
        }
        again = [(number, each.pieces) for number, some in chosen.items() if self._is_scored(some) for each in some]
        scores = iter(self.log_probabilities([sources[number] for number, _ in again], [pieces for _, pieces in again]))
        ranked = {}
        for number, some in chosen.items():
            is_scored = self._is_scored(some)
            sums = [sum(next(scores)) if is_scored else each.score * self._penalty(each.pieces) for each in some]
            translations = [self._translation(each.pieces, total) for each, total in zip(some, sums, strict=True)]
            ranked[number] = sorted(translations, key=lambda translation: -translation.normalised)
        return ranked

    def _is_scored(self, hypotheses: Sequence[Hypothesis]) -> bool:
        return self.config.n_best > 0 or len(hypotheses) > 1

    def _rivals(self, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
        best = hypotheses[0]
        margin = MARGIN * (len(best.pieces) + 1) / self._penalty(best.pieces)
        return [each for each in hypotheses if each.score >= best.score - margin]

    def _penalty(self, pieces: Pieces) -> float:
        return length_penalty(len(pieces) + 1, self.config)

    def _translation(self, pieces: Pieces, score: float) -> Translation:
        sentence = [self.numbers[piece] for piece in pieces]
        return Translation([sentence], score, score / self._penalty(pieces), 0)


def _loaded(source: ExportedModel) -> Any:
    library, device = ctranslate2(), next(source.network.parameters()).device
    if device.type == "cuda" and not library.get_cuda_device_count():
        raise UserError(
            "CTranslate2 sees no GPU",
            where="decode.engine",
            found=f"a model on {device}",
            remedy="`engine: docmt` or `device: cpu` in config.yaml, or --engine docmt or --device cpu",
        )
    with TemporaryDirectory(prefix="docmt.") as folder:
        save_ct2_model(source, Path(folder))
        return library.Translator(
            folder,
            device=device.type,
            device_index=device.index or 0,
            compute_type="float32",
            intra_threads=torch.get_num_threads(),
        )


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
