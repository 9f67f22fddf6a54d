"""Figures of latent variables: the similarity of each decoding step to the latent variables of its sentence."""

from docmt.kinds.latent import LatentFigure
from docmt.reporting.kinds.attention import inside_maps, strip_records
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results


def content(_: str, item: LatentFigure, results: Results) -> PieceContent:
    """Return the map of similarity of the item's system, and its cells as flat records; without a map, no content."""
    maps = inside_maps(results, item.corpus, item.system)
    similarity = maps.similarity if maps else ()
    return PieceContent(maps if similarity else None, strip_records("similarity", similarity))
