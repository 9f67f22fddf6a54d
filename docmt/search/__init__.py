"""Beam search over many instances at once, and forced scores; used by training's validation and by decoding."""

from docmt.search.beam import Translation, beam_search, search_each, side_by_side
from docmt.search.forced import VariantScores, forced_scores, variant_scores

__all__ = [
    "Translation",
    "VariantScores",
    "beam_search",
    "forced_scores",
    "search_each",
    "side_by_side",
    "variant_scores",
]
