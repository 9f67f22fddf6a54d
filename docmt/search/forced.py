"""Forced scores: the log-probability that a model gives to existing translations."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from docmt.base.ragged import places, starts
from docmt.nn.frames import FRAMES, ends, frame_source, frame_target, output_lengths
from docmt.nn.rows import Rows
from docmt.nn.segments import upload
from docmt.nn.streams import Stream
from docmt.search.source import source_of

STATES_AT_ONCE = {"cpu": 64, "cuda": 2048}
"""The number of decoder states whose logits over the whole vocabulary are in memory together, by type of device.

The number for a CPU is so small that the logits fit into its cache.
"""


@dataclass(frozen=True)
class VariantScores:
    """The forced scores of variants: each array has an entry for each row.

    Scores are sums of log-probabilities (nats, float64). Numbers of outputs include the ends of sentences, but not the
    symbols that the frame `closed` forces.
    """

    score: np.ndarray
    """The score of the last sentence."""
    outputs: np.ndarray
    """The number of outputs of the last sentence."""
    context_score: np.ndarray | None = None
    """The score of the sentences before the last one, which is the same for all rows of an item.

    The field is None where only the last sentence was scored.
    """
    context_outputs: np.ndarray | None = None
    """The number of outputs of the sentences before the last one; None where only the last sentence was scored."""


@torch.inference_mode()
def forced_scores(model: nn.Module, rows: Rows) -> tuple[Tensor, Tensor]:
    """Return the log-probability of each target output, and the sum for each sentence (nats, float64, on the CPU).

    The symbol that ends a sentence (`</s>`, or `<sep>` within a joined window) is one of the outputs of this sentence;
    in the frame `unmarked` only the last sentence has an end. In the frame `closed` the symbols after `</s>` are forced
    and have log-probability 0. The model must be in evaluation mode.

    Paper: Voita et al. 2019 judge variants by the sum of the log-probabilities, not by the mean over tokens.
    """
    # The targets are scored in one full forward pass, without label smoothing.
    target_in, target_out = frame_target(rows, model.config.frame)
    states = model.decode(target_in.to(next(model.parameters()).device), model.encode(source_of(model, rows)))
    tokens = _score_outputs(model, states, np.arange(len(states)), target_out)
    return tokens, _sums(tokens, output_lengths(rows, model.config.frame))


@torch.inference_mode()
def variant_scores(model: nn.Module, rows: Rows, variants: np.ndarray, whole: bool = False) -> VariantScores:
    """Return the forced scores of the variants of items, which differ only in the last sentence of their target.

    `variants` has the number of rows of each item; the rows of an item are consecutive. Where `whole` is true, the
    sentences before the last one are scored too, once for each item.
    """
    frame, item = model.config.frame, np.repeat(np.arange(len(variants)), variants)
    row = np.repeat(np.arange(len(rows)), rows.sentences)
    _, is_last = ends(rows.sentences)
    # Otherwise logits, a large part of the work, are computed for last sentences only.
    wanted, lengths = is_last | (whole & np.isin(row, starts(variants))), output_lengths(rows, frame)
    # The scores equal those of `forced_scores`, but work that the variants of an item share is done once.
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
    """Return the log-probabilities of the `wanted` outputs, and these; `item` has the number of each row's item."""
    frame, device = model.config.frame, next(model.parameters()).device
    _, first = np.unique(item, return_index=True)
    # The source of an item is encoded once.
    encoded = model.encode(source_of(model, rows.take(first)))
    target_in, target_out = frame_target(rows, frame)
    # Decoder states are computed again only from the token on where a target differs from the first of the item.
    target_in = share_prefixes(target_in, first[item])
    states = model.decode(target_in.to(device), encoded.repeat_instances(frame_source(rows, frame).to(device), item))
    # Several outputs may follow the same shared state; the logits of the state are computed once.
    shared, state_of_output = np.unique(target_in.instances.rows.numpy()[wanted], return_inverse=True)
    positions = target_in.instances.first[torch.from_numpy(shared)]
    outputs = target_out[torch.from_numpy(wanted)]
    return _score_outputs(model, states.index_select(0, upload(positions, device)), state_of_output, outputs), outputs


def _score_outputs(model: nn.Module, states: Tensor, state_of_output: np.ndarray, outputs: Tensor) -> Tensor:
    """Return the log-probability of each output, on the CPU; `state_of_output` has the number of its decoder state."""
    at_once, scores, order = STATES_AT_ONCE[states.device.type], [], []
    for begin, part in zip(range(0, len(states), at_once), states.split(at_once), strict=True):
        chosen = np.flatnonzero((state_of_output >= begin) & (state_of_output < begin + len(part)))
        indices = state_of_output[chosen] - begin, outputs[torch.from_numpy(chosen)]
        on_device = tuple(upload(index, part.device) for index in indices)
        scores.append(model.logits(part).log_softmax(-1)[on_device].double())
        order.append(chosen)
    tokens = torch.empty(len(outputs), dtype=torch.float64)
    tokens[torch.from_numpy(np.concatenate(order))] = torch.cat(scores).cpu()
    return tokens.masked_fill(torch.isin(outputs, _forced_outputs(model.config.frame)), 0)


def _forced_outputs(frame: str) -> Tensor:
    # A model does not choose these symbols: they have log-probability 0.
    return torch.tensor(FRAMES[frame].forced_outputs, dtype=torch.long)


def _sums(tokens: Tensor, lengths: np.ndarray) -> Tensor:
    sums = torch.zeros(len(lengths), dtype=torch.float64)
    return sums.index_add_(0, torch.arange(len(lengths)).repeat_interleave(torch.from_numpy(lengths)), tokens)


def share_prefixes(targets: Stream, first: np.ndarray) -> Stream:
    """Return the stream with shared rows for instances that begin with the same tokens.

    Instance i uses the rows of instance `first[i]` up to the first token in which the two differ. `first[i]` is i
    itself, or the number of an earlier instance with the same source.
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
