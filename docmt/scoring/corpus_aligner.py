"""The aligner of a corpus of the workflow: our own is trained once on its training split, for all of its systems."""

from pathlib import Path

import pyarrow.compute as pc

from docmt.core.artifacts import read_json
from docmt.core.documents import TOKENS, read_arrow
from docmt.core.errors import UserError
from docmt.core.scoring import AlignerConfig
from docmt.scoring.alignment.aligners import Aligner, DefaultAligner
from docmt.scoring.alignment.awesome import AwesomeAlign
from docmt.scoring.alignment.eflomal import Eflomal
from docmt.scoring.alignment.model import AlignmentModel
from docmt.scoring.alignment.training import train
from docmt.scoring.chain_scores import Corpus


def write_aligner(settings: Path, tokens: Path, output: Path) -> None:
    """`docmt train-aligner`: the default one, of source words or pieces, as settings say."""
    rows = read_arrow(tokens / "tokens.arrow", TOKENS)
    rows = rows.filter(pc.equal(rows["split"], "train"))
    source = "source_pieces" if read_json(settings)["source"] == "pieces" else "source_tokens"
    train(rows[source].to_pylist(), rows["target_tokens"].to_pylist()).save(output)


def corpus_aligner(config: AlignerConfig, trained: Path | None, corpus: Corpus) -> Aligner:
    """`trained`: the folder of the default aligner. Raises UserError where it is needed and not given."""
    if config.kind == "eflomal":
        return Eflomal(corpus.source, corpus.target)
    if config.kind == "awesome-align":
        return AwesomeAlign(Path(config.model))
    if trained is None:
        raise UserError("the trained aligner is not named", where="--aligner", expected="a folder of train-aligner")
    return DefaultAligner(AlignmentModel.load(trained))
