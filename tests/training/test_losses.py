"""The loss against loops over tokens and vocabulary, and gradients of updates against one another."""

import math

import numpy as np
import pytest
import torch
from helpers.sizes import TRAINED
from helpers.toy_task import VOCABULARY, make_documents
from torch.nn import functional

from docmt.models import build
from docmt.nn.frames import frame_batch
from docmt.nn.noise import document_keys
from docmt.nn.rows import Rows
from docmt.settings.models import GTransformerConfig
from docmt.supervision.ranks import Ranks
from docmt.training import losses
from docmt.training.batches import micro_batches
from docmt.training.computing import forward_context
from docmt.training.losses import accumulate_gradients, smoothed_cross_entropy
from docmt.training.optimiser import clip_gradients
from docmt.training.validate import dev_losses


def loss_by_loops(logits: list[list[float]], target: list[int], smoothing: float) -> tuple[float, float]:
    """fairseq 0.9: (1 - eps) nll + eps / V * sum over the vocabulary of -log p."""
    loss = nll = 0.0
    for row, right in zip(logits, target, strict=True):
        total = math.log(sum(math.exp(value) for value in row))
        likelihoods = [value - total for value in row]
        nll -= likelihoods[right]
        loss -= (1 - smoothing) * likelihoods[right] + smoothing / len(row) * sum(likelihoods)
    return loss, nll


def loss_of_logits(logits: torch.Tensor, target: torch.Tensor, smoothing: float) -> tuple[torch.Tensor, torch.Tensor]:
    """The logits are the states where the table of pieces is the identity."""
    return smoothed_cross_entropy(logits, torch.eye(logits.shape[1], dtype=logits.dtype), target, smoothing)


@pytest.fixture(params=[1, 3, 1024])
def rows_of_parts(request, monkeypatch):
    monkeypatch.setattr(losses, "MOST_ROWS", request.param)


@pytest.mark.usefixtures("rows_of_parts")
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_loss_is_that_of_the_loops(smoothing):
    torch.manual_seed(0)
    logits, target = torch.randn(7, 11) * 3, torch.randint(0, 11, (7,))
    loss, nll = loss_of_logits(logits, target, smoothing)
    expected = loss_by_loops(logits.tolist(), target.tolist(), smoothing)
    assert (loss.item(), nll.item()) == pytest.approx(expected, rel=1e-5)


@pytest.mark.usefixtures("rows_of_parts")
@pytest.mark.parametrize("absent", [None, [1, 4]])
def test_both_gradients_are_those_of_the_products(absent):
    """Absent pieces have the probability 0, no share of the smoothing, and no gradient."""
    torch.manual_seed(0)
    states, table = (torch.randn(rows, 5, dtype=torch.float64, requires_grad=True) for rows in (8, 7))
    numbers, target = torch.tensor(absent or [], dtype=torch.long), torch.randint(5, 7, (8,))
    known = torch.tensor([piece for piece in range(7) if piece not in (absent or ())])
    logits = (states @ table.t()).index_select(1, known)
    expected = functional.cross_entropy(logits, torch.searchsorted(known, target), label_smoothing=0.1, reduction="sum")
    loss, _ = smoothed_cross_entropy(states, table, target, 0.1, None if absent is None else numbers)
    torch.testing.assert_close(loss, expected)
    for gradient, right in zip(
        *(torch.autograd.grad(value, (states, table)) for value in (loss, expected)), strict=True
    ):
        torch.testing.assert_close(gradient, right)


def test_a_frozen_table_has_no_gradient_and_the_states_have_theirs():
    states, table = torch.randn(3, 5, requires_grad=True), torch.randn(7, 5)
    loss, _ = smoothed_cross_entropy(states, table, torch.tensor([0, 1, 2]), 0.1)
    loss.backward()
    assert table.grad is None and states.grad.abs().sum() > 0


@pytest.fixture
def model():
    torch.manual_seed(0)
    config = GTransformerConfig(**TRAINED, dropout=0.2, combined_layers=1)
    return build(config, len(VOCABULARY), len(VOCABULARY))


@pytest.fixture
def rows() -> Rows:
    documents = make_documents(9, seed=5)
    return Rows.from_lists([source for source, _ in documents], [target for _, target in documents])


def gradients(model, rows: Rows, batch_tokens: int, ranks: int = 1) -> tuple[list[torch.Tensor], object]:
    lengths = rows.target_tokens
    model.zero_grad()
    parts = micro_batches(np.arange(len(rows)), lengths, int(lengths.sum()), batch_tokens, ranks)
    batches = [frame_batch(rows.take(part), "wrapped").with_keys(document_keys(1, part)) for part in parts]
    batches = [batch.with_word_dropout(0.1) for batch in batches]
    fp32 = forward_context(torch.device("cpu"), "fp32")
    sums = accumulate_gradients(model, batches, int(lengths.sum()), 0.1, {}, fp32)
    return [p.grad.clone() for p in model.parameters() if p.grad is not None], sums.over(Ranks(), {})


@pytest.mark.parametrize(("batch_tokens", "ranks"), [(15, 1), (40, 1), (64, 1), (64, 3), (10_000, 4)])
def test_an_update_has_the_same_gradient_however_it_is_split(model, rows, batch_tokens, ranks):
    """With dropout and word dropout on, whose draws follow from the document."""
    whole, whole_sums = gradients(model, rows, 10_000)
    split, split_sums = gradients(model, rows, batch_tokens, ranks)
    for whole_gradient, split_gradient in zip(whole, split, strict=True):
        torch.testing.assert_close(whole_gradient, split_gradient, rtol=1e-4, atol=1e-6)
    assert split_sums.loss == pytest.approx(whole_sums.loss, rel=1e-5)
    assert split_sums.target_tokens == whole_sums.target_tokens == rows.target_tokens.sum()


def test_clipping_scales_the_gradient_to_the_norm_and_returns_the_one_before(model, rows):
    before, _ = gradients(model, rows, 10_000)
    norm = torch.cat([gradient.flatten() for gradient in before]).norm().item()
    assert clip_gradients(model.parameters(), 0.0) == pytest.approx(norm, rel=1e-5)
    assert clip_gradients(model.parameters(), norm / 4) == pytest.approx(norm, rel=1e-5)
    assert clip_gradients(model.parameters(), 0.0) == pytest.approx(norm / 4, rel=1e-4)


def test_dev_losses_are_means_over_all_target_tokens(model, rows):
    batch = frame_batch(rows, "wrapped")
    model.eval()
    with torch.no_grad():
        logits = model.logits(model.decode(batch.target_in, model.encode(batch.source)))
    expected = loss_by_loops(logits.tolist(), batch.target_out.tolist(), 0.1)
    tokens = len(batch.target_out)
    *means, terms = dev_losses(
        model, rows, 30, 0.1, torch.device("cpu"), forward_context(torch.device("cpu"), "fp32"), Ranks()
    )
    assert means == pytest.approx([value / tokens for value in expected], rel=1e-4) and terms == {}
    assert model.training
