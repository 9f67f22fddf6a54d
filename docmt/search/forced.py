"""The probability that a model gives to translations which are already there."""

import torch
from torch import Tensor, nn

from docmt.nn.frames import FRAMES
from docmt.nn.rows import Rows
from docmt.nn.streams import frame_batch, output_lengths

LOGITS_AT_ONCE = 2048
"""Target tokens whose logits over the whole vocabulary are held at a time: bounds memory, changes no result."""


@torch.inference_mode()
def forced_scores(model: nn.Module, rows: Rows) -> tuple[Tensor, Tensor]:
    """Log-probability of each output of the given targets, and their sum for each sentence; nats, float64, on the CPU.

    One full forward, no label smoothing. Outputs include the end of each sentence (`</s>`, or `<sep>` within a joined
    window), which counts with the sentence that it ends; unmarked sentences have none, but for the last. In the frame
    `closed` the symbols after `</s>` follow by rule and score 0. The model is in evaluation mode.

    Paper: Voita et al. 2019 judge by the sum, not by the mean of tokens.
    """
    batch = frame_batch(rows, model.config.frame).to(next(model.parameters()).device)
    states = model.decode(batch.target_in, model.encode(batch.source))
    pieces = zip(states.split(LOGITS_AT_ONCE), batch.target_out.split(LOGITS_AT_ONCE), strict=True)
    tokens = torch.cat([_log_probabilities(model.logits(part), outputs) for part, outputs in pieces]).cpu()
    certain = torch.tensor(FRAMES[model.config.frame].certain, dtype=torch.long)
    tokens = tokens.masked_fill(torch.isin(batch.target_out.cpu(), certain), 0)
    lengths = torch.from_numpy(output_lengths(rows, model.config.frame))
    sums = torch.zeros(len(lengths), dtype=torch.float64)
    return tokens, sums.index_add_(0, torch.arange(len(lengths)).repeat_interleave(lengths), tokens)


def _log_probabilities(logits: Tensor, outputs: Tensor) -> Tensor:
    return logits.log_softmax(-1).gather(1, outputs[:, None]).squeeze(1).double()
