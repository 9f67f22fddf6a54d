"""Beam search over many instances at once, and forced scores; used by training's validation and by decoding."""

from docmt.search.beam import Translation, beam_search
from docmt.search.forced import forced_scores

__all__ = ["Translation", "beam_search", "forced_scores"]
