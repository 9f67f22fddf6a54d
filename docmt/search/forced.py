"""The probability that a model gives to translations which are already there."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from docmt.nn.frames import FRAMES, ends
from docmt.nn.rows import Rows
from docmt.nn.segments import starts
from docmt.nn.streams import frame_batch, frame_source, frame_target, output_lengths

LOGITS_AT_ONCE = 2**20
"""Logits that are held at a time, of tokens over the whole vocabulary: so few that they stay in a processor's cache."""


@dataclass(frozen=True)
class VariantScores:
    """Of each row, sums of log-probabilities (nats, float64), and of how many outputs, ends of sentences included.

    Outputs that follow by rule (frame `closed`) are not counted.
    """

    score: np.ndarray
    """Of the last sentence."""
    outputs: np.ndarray
    context_score: np.ndarray | None = None
    """Of the sentences before it, the same for all rows of an item; none where only the last one was asked for."""
    context_outputs: np.ndarray | None = None


@torch.inference_mode()
def forced_scores(model: nn.Module, rows: Rows) -> tuple[Tensor, Tensor]:
    """Log-probability of each output of the given targets, and their sum for each sentence; nats, float64, on the CPU.

    One full forward, no label smoothing. Outputs include the end of each sentence (`</s>`, or `<sep>` within a joined
    window), which counts with the sentence that it ends; unmarked sentences have none, but for the last. In the frame
    `closed` the symbols after `</s>` follow by rule and score 0. The model is in evaluation mode.

    Paper: Voita et al. 2019 judge by the sum, not by the mean of tokens.
    """
    batch = frame_batch(rows, model.config.frame).to(next(model.parameters()).device)
    tokens = _scored(model, model.decode(batch.target_in, model.encode(batch.source)), batch.target_out)
    return tokens, _sums(tokens, output_lengths(rows, model.config.frame))


@torch.inference_mode()
def variant_scores(model: nn.Module, rows: Rows, variants: np.ndarray, whole: bool = False) -> VariantScores:
    """Forced scores of items' variants, which have the same source and the same target but for its last sentence.

    `variants`: how many consecutive rows each item has. The same numbers as by `forced_scores`; what an item's rows
    share is computed once: the source is encoded for its first row. Where `whole` targets are asked for, the context
    has logits in its first row; else only last sentences have any, which are much of the work.
    """
    frame, device = model.config.frame, next(model.parameters()).device
    item, first = np.repeat(np.arange(len(variants)), variants), starts(variants)
    encoded = model.encode(frame_source(rows.take(first), frame).to(device))
    target_in, target_out = frame_target(rows, frame)
    states = model.decode(target_in.to(device), encoded.spread(frame_source(rows, frame).to(device), item))

    row = np.repeat(np.arange(len(rows)), rows.sentences)
    _, is_last = ends(rows.sentences)
    wanted, lengths = is_last | (whole & np.isin(row, first)), output_lengths(rows, frame)
    places = torch.from_numpy(np.flatnonzero(np.repeat(wanted, lengths)))
    outputs = target_out[places]
    tokens = _scored(model, states.index_select(0, places.to(device)), outputs.to(device))
    by_choice = (~torch.isin(outputs, _certain(frame))).double()
    sums, counts = (_sums(values, lengths[wanted]).numpy() for values in (tokens, by_choice))

    last, context_item = is_last[wanted], item[row[wanted & ~is_last]]
    found = VariantScores(sums[last], counts[last].astype(int))
    if not whole:
        return found
    context, context_outputs = (
        np.bincount(context_item, values[~last], minlength=len(variants))[item] for values in (sums, counts)
    )
    return replace(found, context_score=context, context_outputs=context_outputs.astype(int))


def _scored(model: nn.Module, states: Tensor, outputs: Tensor) -> Tensor:
    """Log-probability of each output after its state."""
    tokens_at_once = max(LOGITS_AT_ONCE // model.target_size, 1)
    pieces = zip(states.split(tokens_at_once), outputs.split(tokens_at_once), strict=True)
    tokens = torch.cat([_log_probabilities(model.logits(part), targets) for part, targets in pieces]).cpu()
    return tokens.masked_fill(torch.isin(outputs.cpu(), _certain(model.config.frame)), 0)


def _certain(frame: str) -> Tensor:
    return torch.tensor(FRAMES[frame].certain, dtype=torch.long)


def _sums(tokens: Tensor, lengths: np.ndarray) -> Tensor:
    """Sums of consecutive runs of these lengths."""
    sums = torch.zeros(len(lengths), dtype=torch.float64)
    return sums.index_add_(0, torch.arange(len(lengths)).repeat_interleave(torch.from_numpy(lengths)), tokens)


def _log_probabilities(logits: Tensor, outputs: Tensor) -> Tensor:
    return logits.log_softmax(-1).gather(1, outputs[:, None]).squeeze(1).double()
