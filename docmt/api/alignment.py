"""Word alignment of parallel sentences, by any of the aligners."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from docmt.api.documents import Text, parallel, sentences_of
from docmt.base.errors import UserError, check_known
from docmt.scoring.alignment.links import HEURISTICS, Link
from docmt.scoring.corpus_aligner import aligner_by_name
from docmt.settings.scoring import AlignerName

# The default heuristic that makes one set of links from the links of both directions.
HEURISTIC = "grow-diag-final-and"


@dataclass(frozen=True)
class Alignment:
    """The links of each sentence pair: pairs (source word, target word), both counted from 0, in rising order.

    `signature` describes how the links were computed.
    """

    links: list[list[Link]]
    signature: str


def align(
    source: Text,
    target: Text,
    *,
    training: tuple[Text, Text] | None = None,
    aligner: AlignerName = "default",
    model: str | Path | None = None,
    symmetrise: str | None = None,
) -> Alignment:
    """Align the words of sentence pairs; words are separated by spaces.

    `aligner` is `default` (the aligner of docmt, which gives the same links every time), `eflomal`, or `awesome-align`,
    which needs `model`, the folder of a BERT. For `default`, `model` may be the folder of a trained default aligner.
    `training` is more parallel text to learn from. `symmetrise` names the heuristic that makes one set of the links of
    both directions (grow-diag-final-and by default). Raises UserError where the texts do not correspond or the
    arguments do not go together.

    >>> import docmt
    >>> docmt.align(["das Haus .", "das Buch .", "ein Buch ."], ["the house .", "the book .", "a book ."]).links
    [[(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1), (2, 2)]]
    """
    lines = parallel_sentences(source, target, ("source", "target"))
    more = parallel_sentences(*training, ("training[0]", "training[1]")) if training else None
    return align_lines(lines, more, aligner, None if model is None else Path(model), symmetrise)


def parallel_sentences(source: Text, target: Text, names: tuple[str, str]) -> tuple[list[str], list[str]]:
    """Return the sentences of both sides; raise UserError where their numbers of sentences differ."""
    sentences, documents = sentences_of(source, names[0])
    return sentences, parallel(target, names[1], sentences, documents, names[0])


def align_lines(
    lines: tuple[Sequence[str], Sequence[str]],
    training: tuple[Sequence[str], Sequence[str]] | None,
    aligner: str,
    model: Path | None,
    symmetrise: str | None,
) -> Alignment:
    """Align the words of two lists of lines; see `align`."""
    check_together(aligner, model, training is not None, symmetrise)
    heuristic = symmetrise or HEURISTIC
    check_known("way to symmetrise", heuristic, HEURISTICS)
    aligned = aligner_by_name(aligner, model, training or ((), ())).align(*lines)
    links = [sorted(HEURISTICS[heuristic](pair)) for pair in aligned.lines]
    suffix = "" if aligner == "awesome-align" else f"|symmetrise:{heuristic}"
    return Alignment(links, f"aligner:{aligned.signature}{suffix}")


def check_together(aligner: str, model: Path | None, has_training: bool, symmetrise: str | None) -> None:
    """Raise UserError for arguments of an alignment that do not go together."""
    check_known("aligner", aligner, get_args(AlignerName))
    if aligner == "awesome-align" and model is None:
        raise UserError("awesome-align needs a model", where="--model", expected="the folder of a BERT")
    if aligner == "awesome-align" and symmetrise:
        what, remedy = "awesome-align makes a single set of links", "leave out --symmetrise, which joins two sets"
        raise UserError(what, where="--symmetrise", found=symmetrise, remedy=remedy)
    if aligner == "eflomal" and model is not None:
        what, remedy = "eflomal takes no model: it learns from the text alone", "leave out --model"
        raise UserError(what, where="--model", found=model, remedy=remedy)
    if model is not None and has_training:
        remedy = "leave out --model, or the training text"
        raise UserError("a trained model does not learn from more text", where="--train-source", remedy=remedy)
