"""Forced scores: the probability that a model gives to existing translations."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from docmt.base.runs import places, starts
from docmt.nn.frames import FRAMES, ends
from docmt.nn.rows import Rows
from docmt.nn.streams import Stream, frame_batch, frame_source, frame_target, output_lengths

STATES_AT_ONCE = {"cpu": 64, "cuda": 2048}
"""The number of states whose logits over the whole vocabulary are in memory at a time, by type of device.

On a CPU the number is so small that the logits stay in its cache.
"""


@dataclass(frozen=True)
class VariantScores:
    """The scores of variants, an entry for each row: sums of log-probabilities (nats, float64) and numbers of outputs.

    Outputs include the ends of sentences. Outputs that follow by rule (frame `closed`) are not counted.
    """

    score: np.ndarray
    """The score of the last sentence."""
    outputs: np.ndarray
    """The number of outputs of the last sentence."""
    context_score: np.ndarray | None = None
    """The score of the sentences before the last one, the same for all rows of an item.

    None where only the last sentence was scored.
    """
    context_outputs: np.ndarray | None = None
    """The number of outputs of the sentences before the last one; None as for `context_score`."""


@torch.inference_mode()
def forced_scores(model: nn.Module, rows: Rows) -> tuple[Tensor, Tensor]:
    """Return the log-probability of each target output, and their sum per sentence (nats, float64, on the CPU).

    The targets are scored in one full forward pass, without label smoothing. Outputs include the end of each sentence
    (`</s>`, or `<sep>` within a joined window), which counts with the sentence that it ends; in the frame `unmarked`
    only the last sentence has an end. In the frame `closed` the symbols after `</s>` follow by rule and score 0. The
    model is in evaluation mode.

    Paper: Voita et al. 2019 judge by the sum of the log-probabilities, not by their mean per token.
    """
    batch = frame_batch(rows, model.config.frame).to(next(model.parameters()).device)
    states = model.decode(batch.target_in, model.encode(batch.source))
    tokens = _score_outputs(model, states, np.arange(len(states)), batch.target_out.cpu())
    return tokens, _sums(tokens, output_lengths(rows, model.config.frame))


@torch.inference_mode()
def variant_scores(model: nn.Module, rows: Rows, variants: np.ndarray, whole: bool = False) -> VariantScores:
    """Return the forced scores of items' variants, which differ only in the last sentence of their target.

    `variants`: the number of consecutive rows of each item. The scores equal those of `forced_scores`, but shared work
    is done once per item: the encoded source, and the decoder's states up to the token where a target differs from the
    item's first target. Where `whole` is true, the context is scored too, in the first row of each item; otherwise
    logits, a large part of the work, are computed for last sentences only.
    """
    frame, item = model.config.frame, np.repeat(np.arange(len(variants)), variants)
    row = np.repeat(np.arange(len(rows)), rows.sentences)
    _, is_last = ends(rows.sentences)
    wanted, lengths = is_last | (whole & np.isin(row, starts(variants))), output_lengths(rows, frame)
    tokens, outputs = _score_variants(model, rows, item, np.repeat(wanted, lengths))
    by_choice = (~torch.isin(outputs, _forced_outputs(frame))).double()
    sums, counts = (_sums(values, lengths[wanted]).numpy() for values in (tokens, by_choice))

    last, context_item = is_last[wanted], item[row[wanted & ~is_last]]
    scores = VariantScores(sums[last], counts[last].astype(int))
    if not whole:
        return scores
    context, context_outputs = (
        np.bincount(context_item, values[~last], minlength=len(variants))[item] for values in (sums, counts)
    )
    return replace(scores, context_score=context, context_outputs=context_outputs.astype(int))


def _score_variants(model: nn.Module, rows: Rows, item: np.ndarray, wanted: np.ndarray) -> tuple[Tensor, Tensor]:
    """Return the log-probabilities of the `wanted` outputs, and these outputs.

    `item`: the number of each row's item.
    """
    frame, device = model.config.frame, next(model.parameters()).device
    _, first = np.unique(item, return_index=True)
    encoded = model.encode(frame_source(rows.take(first), frame).to(device))
    target_in, target_out = frame_target(rows, frame)
    target_in = share_prefixes(target_in, first[item])
    states = model.decode(target_in.to(device), encoded.repeat_instances(frame_source(rows, frame).to(device), item))
    # Several outputs may follow the same shared state: its logits are computed once.
    shared, state_of_output = np.unique(target_in.instances.rows.numpy()[wanted], return_inverse=True)
    positions = target_in.instances.first[torch.from_numpy(shared)]
    outputs = target_out[torch.from_numpy(wanted)]
    return _score_outputs(model, states.index_select(0, positions.to(device)), state_of_output, outputs), outputs


def _score_outputs(model: nn.Module, states: Tensor, state_of_output: np.ndarray, outputs: Tensor) -> Tensor:
    """Return the log-probability of each output, on the CPU.

    `state_of_output`: the number of the state after which the output comes; `outputs` are on the CPU too.
    """
    at_once, scores, order = STATES_AT_ONCE[states.device.type], [], []
    for begin, part in zip(range(0, len(states), at_once), states.split(at_once), strict=True):
        chosen = np.flatnonzero((state_of_output >= begin) & (state_of_output < begin + len(part)))
        indices = torch.from_numpy(state_of_output[chosen] - begin), outputs[torch.from_numpy(chosen)]
        scores.append(model.logits(part).log_softmax(-1)[tuple(index.to(part.device) for index in indices)].double())
        order.append(chosen)
    tokens = torch.empty(len(outputs), dtype=torch.float64)
    tokens[torch.from_numpy(np.concatenate(order))] = torch.cat(scores).cpu()
    return tokens.masked_fill(torch.isin(outputs, _forced_outputs(model.config.frame)), 0)


def _forced_outputs(frame: str) -> Tensor:
    """Return the outputs that follow by rule in this frame."""
    return torch.tensor(FRAMES[frame].forced_outputs, dtype=torch.long)


def _sums(tokens: Tensor, lengths: np.ndarray) -> Tensor:
    """Return the sums of consecutive runs of these lengths."""
    sums = torch.zeros(len(lengths), dtype=torch.float64)
    return sums.index_add_(0, torch.arange(len(lengths)).repeat_interleave(torch.from_numpy(lengths)), tokens)


def share_prefixes(targets: Stream, first: np.ndarray) -> Stream:
    """Return the same stream, where instances share the rows of common beginnings.

    Instance i uses the rows of instance `first[i]` as long as their tokens are equal. `first[i]`: the number i itself,
    or the number of an instance before it with the same source.
    """
    tokens, lengths = targets.tokens.numpy(), np.asarray(targets.instances.lengths, dtype=np.int64)
    begins, place = starts(lengths), places(lengths)
    instance = np.repeat(np.arange(len(lengths)), lengths)
    counterpart = begins[first][instance] + place
    is_other = place >= lengths[first][instance]
    is_other |= tokens != tokens[np.where(is_other, 0, counterpart)]
    common = np.where(first == np.arange(len(first)), 0, lengths)
    np.minimum.at(common, instance[is_other], place[is_other])
    is_computed = place >= common[instance]
    rows = np.cumsum(is_computed) - 1
    return replace(
        targets,
        layout=targets.layout.with_shared_rows(
            np.where(is_computed, rows, rows[np.where(is_computed, 0, counterpart)])
        ),
    )
