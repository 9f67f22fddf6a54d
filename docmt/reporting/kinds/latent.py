"""Figures of latent variables: how similar each step of decoding is to those of its sentence."""

from docmt.kinds.latent import LatentFigure
from docmt.reporting.kinds.attention import inside_maps, strip_records
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results


def content(_: str, item: LatentFigure, results: Results) -> PieceContent:
    one = inside_maps(results, item.corpus, item.system)
    asked = one.similarity if one else ()
    return PieceContent(one if asked else None, strip_records("similarity", asked))
