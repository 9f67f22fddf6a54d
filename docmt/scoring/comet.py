"""COMET and document-level COMET, which unbabel-comet computes by a local checkpoint in an environment of its own.

Papers: Rei et al., COMET: A Neural Framework for MT Evaluation (EMNLP 2020); Vernikos et al., Embarrassingly Easy
Document-Level MT Metrics (WMT 2022). For document-level COMET, each sentence is read after the previous sentences of
its document, separated by the separator token of the encoder; only the tokens of the sentence itself are pooled, which
the library does. The context of a translation is that of the reference, as in the paper.

Departs: where sentences with their context are longer than the encoder can read, they get less context; the code of the
paper cuts the sentence itself. Of several references, the first is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from docmt.base.columns import DOCUMENTS
from docmt.base.digests import digest, sha256_file
from docmt.base.errors import UserError
from docmt.base.names import DeviceName
from docmt.base.programs import Program, Request
from docmt.base.tables import read_parquet
from docmt.scoring.inputs import DIGITS, Stream
from docmt.scoring.intervals import scores_of
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.tallies import Tally
from docmt.settings.comet import CHECKPOINT, comet_files

PROGRAM = Path(__file__).parent / "programs" / "comet_scorer.py"
"""The program that the Python of the other environment runs."""
LONGEST_S = 7 * 86_400
"""The longest time for the scores of a system, in seconds: a program that hangs does not block a job for ever."""

Sample = tuple[str, str, str]  # The source, the translation and the reference of a sentence


@dataclass(frozen=True)
class CometProgram:
    """The program that computes COMET."""

    words: tuple[str, ...]  # a command that runs Python in an environment with unbabel-comet
    model: Path  # a folder
    encoder: Path | None  # a folder; None where the library knows the encoder
    batch: int  # the number of sentences of a batch
    device: DeviceName = "auto"

    @property
    def name(self) -> str:
        """The name of the model in signatures: its folder, and the first digits of the digest of its files."""
        files = digest([*map(sha256_file, comet_files(self.model))], DIGITS)
        return f"{self.model.resolve().name}-{files}"

    def measure(self, documents: Sequence[Sequence[Sample]], contexts: dict[str, int]) -> dict[str, dict]:
        """Return the answers of the program for documents, by measure; `contexts` has the context of each measure.

        Raises UserError where the program cannot be started or gives no answer, and for a checkpoint that would run
        code or is damaged.
        """
        from docmt.models.weights import read_pickle  # imported here, since most scores do not need torch

        read_pickle(self.model / CHECKPOINT, "state_dict")
        count = sum(map(len, documents))
        # All sentences are one request, since the scores of some checkpoints depend on the batches.
        requests = [
            Request(name, {"context": context, "documents": documents}, "scores", float, count)
            for name, context in contexts.items()
        ]
        program = Program(self._command(), "scoring.comet", LONGEST_S)
        return {request.id: _checked(answer) for request, answer in program.answers(requests)}

    def _command(self) -> list[str]:
        options = {"model": self.model, "encoder": self.encoder, "batch": self.batch, "device": self.device}
        texts = [text for name, value in options.items() if value is not None for text in (f"--{name}", str(value))]
        # Python runs isolated (-I), so that it imports nothing of this environment.
        return [*self.words, "-I", str(PROGRAM), *texts]


def _checked(answer: dict) -> dict:
    facts = {"version": str, "reads_references": bool, "cut": int, "less_context": int}
    lacking = [name for name, kind in facts.items() if not isinstance(answer.get(name), kind)]
    if lacking:
        raise UserError(
            "the program of COMET did not say how it scored",
            where="scoring.comet",
            found=f"no {', '.join(lacking)}",
            remedy="scoring.comet.command must run Python, and nothing else",
        )
    return answer


def signature(measure: str, answer: dict, context: int, model: str) -> str:
    """Return the signature of a measure: the model, the version of the library, the references and the context."""
    references = "first" if answer["reads_references"] else "none"
    context_text = f"context:{context} sentences, of references|" if measure != "COMET" else ""
    return f"{measure}|model:{model}|unbabel-comet:{answer['version']}|references:{references}|{context_text}v:1"


def sentence_tally(measure: str, answer: dict, context: int, model: str) -> Tally:
    """Return the tally of a mean over sentences from an answer of the program; names of sentences are numbers from 0.

    Its facts are `cut_sentences` and `less_context`.
    """
    counts = np.array([(score, 1) for score in answer["scores"]], dtype=float)
    facts = {"cut_sentences": answer["cut"], "less_context": answer["less_context"]}
    names = tuple(map(str, range(len(counts))))
    text = signature(measure, answer, context, model)
    return Tally(measure, "mean", "sentences", names, counts, text, facts=facts)


def grouped(samples: Sequence[Sample], documents: Sequence[str]) -> list[list[Sample]]:
    """Return the samples by document; `documents` has the name of the document of each sample.

    >>> grouped([("a", "b", "c"), ("d", "e", "f"), ("g", "h", "i")], ["x", "x", "y"])
    [[('a', 'b', 'c'), ('d', 'e', 'f')], [('g', 'h', 'i')]]
    """
    pairs = zip(documents, samples, strict=True)
    return [[sample for _, sample in run] for _, run in groupby(pairs, key=lambda pair: pair[0])]


def first_references(streams: Sequence[Stream]) -> list[str]:
    """Return the first reference of each sentence; a sentence may lack the reference of the first stream.

    >>> first_references([("a", None), ("b", "c")])
    ['a', 'c']
    """
    return [next(text for text in texts if text is not None) for texts in zip(*streams, strict=True)]


def contexts_of(context: int) -> dict[str, int]:
    """Return the context of each measure that is computed; there is no document-level COMET without context.

    >>> contexts_of(2), contexts_of(0)
    ({'COMET': 0, 'doc-COMET': 2}, {'COMET': 0})
    """
    return {"COMET": 0} | ({"doc-COMET": context} if context else {})


def score(job: ScoringJob) -> ScoringResult:
    """Return COMET and document-level COMET of a system's translations as plain text.

    The result is empty where the settings name no model, and where a line of the translations is a document.
    """
    settings, inputs = job.settings["comet"], job.inputs
    if settings is None or job.lines != "sentences":
        return ScoringResult()
    sources = read_parquet(inputs.corpus / "documents.parquet", DOCUMENTS, split="test")["source"].to_pylist()
    samples = list(zip(sources, job.translations.raw, first_references(job.references.raw), strict=True))
    contexts = contexts_of(settings["context"])
    program = CometProgram(
        inputs.comet_command, inputs.comet_model, inputs.comet_encoder, settings["batch"], job.device
    )
    answers = program.measure(grouped(samples, job.references.documents), contexts)
    tallies = [sentence_tally(name, answer, contexts[name], program.name) for name, answer in answers.items()]
    return ScoringResult(scores_of(tallies), tallies)
