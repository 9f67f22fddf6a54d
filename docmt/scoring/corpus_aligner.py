"""Aligners by name, and that of a corpus of the workflow: our own is trained once, on its training split."""

import math
from collections.abc import Sequence
from pathlib import Path

from docmt.base.artifacts import read_object
from docmt.base.columns import TOKENS, read_arrow
from docmt.base.errors import UserError
from docmt.scoring.alignment.links import Aligner
from docmt.scoring.alignment.model import AlignmentModel
from docmt.scoring.alignment.programs import AwesomeAlign, Eflomal
from docmt.scoring.alignment.training import DefaultAligner, train
from docmt.scoring.chain_scores import ChainCorpus
from docmt.settings.scoring import AlignerConfig

MOST_LINKS = 200_000_000
"""Possible links, a source word with a target word of the same sentence pair, that training goes through; it holds some
20 bytes for each. 400,000 sentence pairs of 22 words have as many."""


def write_aligner(settings: Path, tokens: Path, output: Path) -> None:
    """`docmt train-aligner`: the default one, of source words or pieces, as settings say."""
    rows = read_arrow(tokens / "tokens.arrow", TOKENS, split="train")
    source = "source_pieces" if read_object(settings, "source")["source"] == "pieces" else "source_tokens"
    train(*thin_pairs(rows[source].to_pylist(), rows["target_tokens"].to_pylist())).save(output)


def thin_pairs(source: list[str], target: list[str]) -> tuple[list[str], list[str]]:
    """All sentence pairs or, where they have more than MOST_LINKS, every second, third ... of them."""
    links = sum(len(line.split()) * len(other.split()) for line, other in zip(source, target, strict=True))
    step = max(1, math.ceil(links / MOST_LINKS))
    return source[::step], target[::step]


def corpus_aligner(config: AlignerConfig, trained: Path | None, corpus: ChainCorpus) -> Aligner:
    """`trained`: the folder of the default aligner. Raises UserError where it is needed and not given."""
    if config.kind == "default" and trained is None:
        raise UserError("the trained aligner is not named", where="--aligner", expected="a folder of train-aligner")
    model = Path(config.model) if config.kind == "awesome-align" else trained
    return aligner_by_name(config.kind, model, (corpus.source, corpus.target))


def aligner_by_name(kind: str, model: Path | None, lines: tuple[Sequence[str], Sequence[str]] = ((), ())) -> Aligner:
    """An aligner by its name in settings. `model`: the folder of awesome-align's BERT, or of the default's own model.

    `lines`, of source and target, are what eflomal learns from, and the default aligner without a model, if there are
    any. Raises UserError where the default's model is missing or damaged.
    """
    if kind == "eflomal":
        return Eflomal(*lines)
    if kind == "awesome-align":
        return AwesomeAlign(model)
    if model is not None:
        return DefaultAligner(AlignmentModel.load(model))
    return DefaultAligner(train(*lines) if lines[0] else None)
