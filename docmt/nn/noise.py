"""Word dropout: words of the input replaced by `<mask>`."""

import torch

from docmt.core.vocabulary import MASK, SPECIALS
from docmt.nn.shapes import Tokens


def drop_words(tokens: Tokens, share: float, generator: torch.Generator) -> Tokens:
    """Replace each word by `<mask>` with probability `share`, independently; special symbols stay.

    The draw is made on the generator's device, and is the same wherever the tokens are.
    Paper: G-Transformer (Bao et al. 2021), appendix C.1.
    """
    if share == 0:
        return tokens
    draw = torch.rand(tokens.shape, generator=generator, device=generator.device).to(tokens.device)
    return tokens.masked_fill((draw < share) & (tokens >= len(SPECIALS)), MASK)
