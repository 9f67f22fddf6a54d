"""Figures of latent variables: how similar each step of decoding is to those of its sentence."""

from docmt.kinds.latent import LatentFigure
from docmt.reporting.kinds import Made
from docmt.reporting.kinds.attention import inside_of, strip_records
from docmt.reporting.results import Results


def made(_: str, item: LatentFigure, results: Results) -> Made:
    one = inside_of(results, item.corpus, item.system)
    asked = one.asked if one else ()
    return Made(one if asked else None, strip_records("similarity", asked))
