"""Length penalties: how hypotheses of different lengths are compared."""

from docmt.settings.decode import DecodeConfig


def length_factor(length: int, config: DecodeConfig) -> float:
    """By what the sum of log-probabilities is divided; `length` counts all outputs, ends of sentences included.

    Paper: gnmt is Wu et al. 2016, eq. 14, without the coverage penalty; unified_dnmt is what the public code of the
    lexical-chain paper's author makes of it (unified-dnmt, onmt/beam.py), which rewards length less.
    """
    if config.length_penalty == "average":
        return length**config.length_alpha
    if config.length_penalty == "gnmt":
        return ((5 + length) / 6) ** config.length_alpha
    if config.length_penalty == "unified_dnmt":
        return (5 + length / 6) ** config.length_alpha
    return 1.0
