"""COMET and document-level COMET of translations in plain files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docmt.scoring.comet import CometProgram, contexts_of, first_references, grouped, result, sentence_tally
from docmt.scoring.inputs import References
from docmt.scoring.intervals import Interval, score_interval


@dataclass(frozen=True)
class CometScore:
    """COMET or document-level COMET (`measure`) of a system.

    `score` is the mean over sentences. `interval` holds the middle 95 % of the scores of test sets drawn from the
    sentences. `cut_sentences` are longer than the encoder can read, and `less_context` sentences got less context for
    that reason. `sentence_scores` has the score of each sentence, and `signature` describes how they were computed.
    """

    measure: str
    score: float
    interval: Interval | None
    sentences: int
    cut_sentences: int
    less_context: int
    signature: str
    sentence_scores: tuple[float, ...]


def comet_scores(
    sources: Sequence[str], translations: Sequence[str], references: References, program: CometProgram, context: int
) -> Iterator[CometScore]:
    """Yield COMET and, where the documents are known and `context` is not 0, document-level COMET of a system.

    Raises UserError where the program cannot be started or gives no answer.
    """
    samples = list(zip(sources, translations, first_references(references.raw), strict=True))
    documents = references.documents or ["all"] * len(samples)
    contexts = contexts_of(context if references.documents is not None else 0)
    for name, answer in program.measure(grouped(samples, documents), contexts).items():
        interval = score_interval(sentence_tally(name, answer["scores"]))
        facts = result(name, answer, contexts[name], program.name)
        yield CometScore(name, interval=interval, sentence_scores=tuple(answer["scores"]), **facts)
