"""Beam search over many instances at once, and forced scores; used by training's validation and by decoding."""
