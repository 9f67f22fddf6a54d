"""Beam search over many instances at once, and forced scores; validation during training and decoding use both."""
