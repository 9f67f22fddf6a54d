"""The aligners by their names in settings, and the training of the default aligner on a training split."""

import math
from collections.abc import Sequence
from pathlib import Path

from docmt.base.columns import TOKENS
from docmt.base.errors import UserError
from docmt.base.recipe import read_settings
from docmt.base.tables import read_arrow
from docmt.scoring.alignment.links import Aligner
from docmt.scoring.alignment.model import AlignmentModel
from docmt.scoring.alignment.programs import AwesomeAlign, Eflomal
from docmt.scoring.alignment.training import DefaultAligner, train
from docmt.scoring.chain_scores import ChainCorpus
from docmt.settings.scoring import AlignerConfig

MOST_LINKS = 200_000_000
"""The largest number of possible links in the training text.

A possible link is a source word and a target word of the same sentence pair. Training needs about 20 bytes of memory
for each possible link. 400,000 sentence pairs of 22 words on each side have about this number.
"""


def write_aligner(settings: Path, tokens: Path, output: Path) -> None:
    """Train the default aligner on the training split and write its model (the step `aligner`).

    The settings say whether the source sentences are cut into words or into pieces.
    """
    rows = read_arrow(tokens / "tokens.arrow", TOKENS, split="train")
    source = "source_pieces" if read_settings(settings, "source")["source"] == "pieces" else "source_tokens"
    train(*thin_pairs(rows[source].to_pylist(), rows["target_tokens"].to_pylist())).save(output)


def thin_pairs(source: list[str], target: list[str]) -> tuple[list[str], list[str]]:
    """Return all sentence pairs, or an even sample where all pairs have more than MOST_LINKS possible links."""
    links = sum(len(line.split()) * len(other.split()) for line, other in zip(source, target, strict=True))
    # The sample has every n-th sentence pair; n is the number of possible links divided by MOST_LINKS, rounded up.
    step = max(1, math.ceil(links / MOST_LINKS))
    # The sample is not the first pairs, since the first pairs of a corpus may all be of one genre, such as talks.
    return source[::step], target[::step]


def corpus_aligner(config: AlignerConfig, folder: Path | None, corpus: ChainCorpus) -> Aligner:
    """Return the aligner that the settings of a corpus choose.

    `folder` is the folder of the default aligner that was trained on the corpus, or of the model of awesome-align.
    Raises UserError where the settings choose one of these two aligners and `folder` is None.
    """
    if folder is None and config.kind != "eflomal":
        option = "--aligner" if config.kind == "default" else "--aligner-model"
        raise UserError("the folder of the aligner is not given", where=option, expected=f"that of {config.kind}")
    return aligner_by_name(config.kind, folder, (corpus.source, corpus.target))


def aligner_by_name(kind: str, model: Path | None, lines: tuple[Sequence[str], Sequence[str]] = ((), ())) -> Aligner:
    """Return the aligner whose name in settings is `kind`: `eflomal`, `awesome-align` or `default`.

    `model` is the folder of the BERT of awesome-align, or of the trained model of the default aligner. `lines` are the
    source lines and the target lines of a training text, from which eflomal learns, and also the default aligner where
    `model` is None. Raises UserError where the model of the default aligner is missing or damaged.
    """
    if kind == "eflomal":
        return Eflomal(*lines)
    if kind == "awesome-align":
        return AwesomeAlign(model)
    if model is not None:
        return DefaultAligner(AlignmentModel.load(model))
    return DefaultAligner(train(*lines) if lines[0] else None)
