"""Padding changes nothing but the number of rows, in every architecture and with every kind of dropout on."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers.model_cases import CASES, documents, model_of, rows_of

from docmt.base.vocabulary import PAD
from docmt.nn.compiled import pad_batch
from docmt.nn.frames import frame_batch
from docmt.nn.noise import document_keys
from docmt.nn.streams import Batch

NOISY = {"dropout": 0.2, "attention_dropout": 0.2, "activation_dropout": 0.1}


def batch_for(case: str) -> Batch:
    source, target = documents()
    keys = document_keys(5, np.arange(len(source)))
    return frame_batch(rows_of(source, target), CASES[case].frame).with_keys(keys).with_word_dropout(0.2)


def pass_of(model, batch: Batch) -> dict:
    """Return the states of predicted tokens, the loss terms, and the gradients of their sum, by name."""
    states, terms = model(batch)
    states = states[: len(batch.target_out)]
    loss = torch.nn.functional.cross_entropy(model.logits(states), batch.target_out)
    total = loss + sum(term.total for term in terms.values())
    named = dict(model.named_parameters())
    gradients = torch.autograd.grad(total, list(named.values()), allow_unused=True)
    counts = {f"number of {name}": torch.tensor(term.count) for name, term in terms.items()}
    results = {"states": states, "total": total, **counts, **dict(zip(named, gradients, strict=True))}
    return {name: value for name, value in results.items() if value is not None}


@pytest.mark.some(10)
@pytest.mark.parametrize("case", CASES)
def test_states_terms_and_gradients_stay(case, monkeypatch):
    monkeypatch.setitem(CASES, case, replace(CASES[case], **NOISY))
    model, batch = model_of(case).train(), batch_for(case)
    wider = pad_batch(batch, 64)
    assert wider.source.padding > 0 and wider.target_in.padding > 0
    plain, padded = pass_of(model, batch), pass_of(model, wider)
    assert padded.keys() == plain.keys()
    for name, value in plain.items():
        torch.testing.assert_close(padded[name], value, atol=1e-11, rtol=1e-9, msg=lambda text, n=name: f"{n}: {text}")


@pytest.mark.parametrize("frame", ["wrapped", "unmarked", "closed"])
@pytest.mark.parametrize("quantum", [1, 2, 7, 8, 30, 64])
def test_what_is_added_is_whole_instances_no_longer_than_others(frame, quantum):
    source, target = documents()
    batch = frame_batch(rows_of(source, target), frame)
    wider = pad_batch(batch, quantum)
    assert wider.source.instances.runs == wider.target_in.instances.runs
    assert wider.source.sentences.runs == wider.target_in.sentences.runs
    assert torch.equal(wider.target_out, batch.target_out)
    for stream, plain in ((wider.source, batch.source), (wider.target_in, batch.target_in)):
        rows = len(plain.tokens)
        assert torch.equal(stream.tokens[:rows], plain.tokens)
        assert (stream.tokens[rows:] == PAD).all()
        assert len(stream.tokens) % quantum == 0
        assert stream.padding == len(stream.tokens) - rows == stream.instances.tokens - rows
        for cut, before in ((stream.sentences, plain.sentences), (stream.instances, plain.instances)):
            assert cut.lengths[: before.runs] == before.lengths
            assert cut.longest == before.longest
    assert all(wider.source.sentences.lengths[batch.source.sentences.runs :])
