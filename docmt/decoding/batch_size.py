"""The number of tokens that are decoded at once where no setting states it; it changes memory and speed alone."""

import torch
from torch import nn

from docmt.settings.decode import DecodeConfig

ON_CPU = 4096
"""Tokens on a CPU, which computes no faster with more of them."""
MOST = 65_536
"""Tokens on a GPU, whose rate hardly rises beyond (benchmarks/gpu.md)."""
FILLED = 0.4
"""Share of a GPU's memory that the caches and the logits of a step may fill, by the estimate below."""
BYTES = 4
"""Bytes of a number: searches compute in fp32."""
SENTENCE = 16
"""Source tokens of a short sentence; each sentence has a row of logits for each hypothesis."""


def batch_size(model: nn.Module, config: DecodeConfig) -> int:
    """Return the number of source tokens that a search decodes at once: as stated, or else as the device allows.

    The device has no say where the number decides results.
    """
    return config.batch_tokens or (ON_CPU if config.max_length_of == "batch" else tokens_at_once(model, config.beam))


def tokens_at_once(model: nn.Module, beam: int = 1) -> int:
    """Return the number of source tokens for the device of `model`: by the memory of a GPU, a fixed one on a CPU.

    A hypothesis keeps the keys and values of each token in each layer of the decoder, twice while hypotheses change
    places. A step has logits, probabilities and their order for all hypotheses.
    """
    device = next(model.parameters()).device
    if device.type != "cuda":
        return ON_CPU
    return tokens_for(model, beam, torch.cuda.get_device_properties(device).total_memory)


def tokens_for(model: nn.Module, beam: int, memory: int) -> int:
    """Return the number of source tokens for a GPU with so many bytes of memory."""
    config = model.config
    caches = (2 * beam + 1) * config.decoder_layers * 2 * config.width
    logits = 3 * beam * model.target_size / SENTENCE
    return min(max(int(FILLED * memory / (BYTES * (caches + logits))), ON_CPU), MOST)
