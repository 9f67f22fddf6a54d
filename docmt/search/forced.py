"""The probability that a model gives to translations which are already there."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from docmt.base.runs import places, starts
from docmt.nn.frames import FRAMES, ends
from docmt.nn.rows import Rows
from docmt.nn.streams import Stream, frame_batch, frame_source, frame_target, output_lengths

STATES_AT_ONCE = {"cpu": 64, "cuda": 2048}
"""States whose logits over the whole vocabulary are held at a time: on a CPU so few that they stay in its cache."""


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
    states = model.decode(batch.target_in, model.encode(batch.source))
    tokens = _scored(model, states, np.arange(len(states)), batch.target_out.cpu())
    return tokens, _sums(tokens, output_lengths(rows, model.config.frame))


@torch.inference_mode()
def variant_scores(model: nn.Module, rows: Rows, variants: np.ndarray, whole: bool = False) -> VariantScores:
    """Forced scores of items' variants, which have the same source and the same target but for its last sentence.

    `variants`: how many consecutive rows each item has. The same numbers as by `forced_scores`; what an item's rows
    share is computed once: the encoded source, and the decoder's states up to where a target differs from the first
    one. Where `whole` targets are asked for, the context has logits in the first row; else only last sentences have
    any, which are much of the work.
    """
    frame, item = model.config.frame, np.repeat(np.arange(len(variants)), variants)
    row = np.repeat(np.arange(len(rows)), rows.sentences)
    _, is_last = ends(rows.sentences)
    wanted, lengths = is_last | (whole & np.isin(row, starts(variants))), output_lengths(rows, frame)
    tokens, outputs = _scored_variants(model, rows, item, np.repeat(wanted, lengths))
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


def _scored_variants(model: nn.Module, rows: Rows, item: np.ndarray, wanted: np.ndarray) -> tuple[Tensor, Tensor]:
    """Log-probabilities of the `wanted` outputs, and these; `item`: of which each row is."""
    frame, device = model.config.frame, next(model.parameters()).device
    _, first = np.unique(item, return_index=True)
    encoded = model.encode(frame_source(rows.take(first), frame).to(device))
    target_in, target_out = frame_target(rows, frame)
    target_in = share_prefixes(target_in, first[item])
    states = model.decode(target_in.to(device), encoded.repeat_instances(frame_source(rows, frame).to(device), item))
    shared, which = np.unique(target_in.instances.rows.numpy()[wanted], return_inverse=True)
    places = target_in.instances.first[torch.from_numpy(shared)]
    outputs = target_out[torch.from_numpy(wanted)]
    return _scored(model, states.index_select(0, places.to(device)), which, outputs), outputs


def _scored(model: nn.Module, states: Tensor, which: np.ndarray, outputs: Tensor) -> Tensor:
    """Log-probability, on the CPU, of each output (on the CPU too) after state number `which`."""
    at_once, found, order = STATES_AT_ONCE[states.device.type], [], []
    for begin, part in zip(range(0, len(states), at_once), states.split(at_once), strict=True):
        here = np.flatnonzero((which >= begin) & (which < begin + len(part)))
        places = torch.from_numpy(which[here] - begin), outputs[torch.from_numpy(here)]
        found.append(model.logits(part).log_softmax(-1)[tuple(place.to(part.device) for place in places)].double())
        order.append(here)
    tokens = torch.empty(len(outputs), dtype=torch.float64)
    tokens[torch.from_numpy(np.concatenate(order))] = torch.cat(found).cpu()
    return tokens.masked_fill(torch.isin(outputs, _certain(model.config.frame)), 0)


def _certain(frame: str) -> Tensor:
    return torch.tensor(FRAMES[frame].forced_outputs, dtype=torch.long)


def _sums(tokens: Tensor, lengths: np.ndarray) -> Tensor:
    """Sums of consecutive runs of these lengths."""
    sums = torch.zeros(len(lengths), dtype=torch.float64)
    return sums.index_add_(0, torch.arange(len(lengths)).repeat_interleave(torch.from_numpy(lengths)), tokens)


def share_prefixes(targets: Stream, first: np.ndarray) -> Stream:
    """The same stream, whose instance i has the rows of instance `first[i]` for as long as their tokens are the same.

    `first[i]`: itself, or an instance before it with the same source.
    """
    tokens, lengths = targets.tokens.numpy(), np.asarray(targets.instances.lengths, dtype=np.int64)
    begins, place = starts(lengths), places(lengths)
    instance = np.repeat(np.arange(len(lengths)), lengths)
    there = begins[first][instance] + place
    is_other = place >= lengths[first][instance]
    is_other |= tokens != tokens[np.where(is_other, 0, there)]
    common = np.where(first == np.arange(len(first)), 0, lengths)
    np.minimum.at(common, instance[is_other], place[is_other])
    is_own = place >= common[instance]
    rows = np.cumsum(is_own) - 1
    return replace(
        targets, layout=targets.layout.with_shared_rows(np.where(is_own, rows, rows[np.where(is_own, 0, there)]))
    )
