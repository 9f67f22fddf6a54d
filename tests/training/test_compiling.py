"""Compiled parts compute what the others do, are few, and are made by a compiler that may fail.

The backends are those that need no compiler of C++: what they are given is what any backend is.
"""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
import torch
from helpers.model_cases import CASES, VOCABULARY, documents, rows_of
from helpers.toy_task import Notes, make_folder

from docmt.base.errors import UserError
from docmt.models import build
from docmt.nn.compiled import Backend, compile_parts, pad_batch
from docmt.nn.frames import frame_batch
from docmt.nn.layers import FeedForward
from docmt.nn.noise import document_keys
from docmt.nn.onednn import ROWS
from docmt.nn.streams import Batch
from docmt.supervision.exit import read_exit
from docmt.supervision.ranks import Ranks
from docmt.supervision.watch import JobOptions
from docmt.training import job
from docmt.training.batches import epoch_updates, micro_batches
from docmt.training.computing import forward_context, quantum
from docmt.training.losses import accumulate_gradients
from docmt.training.optimiser import clip_gradients
from docmt.training.progress import Sums

NOISY = {"dropout": 0.2, "attention_dropout": 0.1, "activation_dropout": 0.1}
KINDS = [
    "g_transformer",
    "lexical_chain",
    "long_short",
    *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("transformer", "transformer pre-norm", "han", "w_link")),
]
CPU = torch.device("cpu")


class Counted:
    """A backend that compiles nothing, and counts what it is given."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[torch.Tensor]):
        self.graphs += 1
        return graph.forward


def batch_for(kind: str, update: int) -> Batch:
    """Other documents, and other chains, in each update."""
    source, target = documents(seed=update)
    keys = document_keys(update, np.arange(len(source)))
    return frame_batch(rows_of(source, target), CASES[kind].frame).with_keys(keys).with_word_dropout(0.1)


def trained(
    kind: str, backend: Backend | None, rows: int, updates: int = 3, **sizes: int
) -> tuple[dict[str, torch.Tensor], list[Sums]]:
    """The weights after so many updates of two batches, in double precision, and the sums of each."""
    torch.manual_seed(1)
    model = build(replace(CASES[kind], **NOISY, **sizes), VOCABULARY, VOCABULARY).double().train()
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    sums = []
    for update in range(1, updates + 1):
        batches = [pad_batch(batch_for(kind, number), rows) for number in (2 * update, 2 * update + 1)]
        tokens = sum(len(batch.target_out) for batch in batches)
        weights = model.term_weights(update)
        with compile_parts(model, backend):
            added = accumulate_gradients(model, batches, tokens, 0.1, weights, forward_context(CPU, "fp32"))
        sums.append(added.over(Ranks(), weights))
        clip_gradients(model.parameters(), inf)
        optimiser.step()
        optimiser.zero_grad()
    return {name: parameter.detach() for name, parameter in model.named_parameters()}, sums


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_compiled_training_is_the_same_training(kind):
    plain, plain_sums = trained(kind, None, 1)
    compiled, sums = trained(kind, "aot_eager", 64)
    for name, weights in plain.items():
        torch.testing.assert_close(compiled[name], weights, atol=1e-6, rtol=0, msg=lambda text, n=name: f"{n}: {text}")
    for plain_sum, padded_sum in zip(plain_sums, sums, strict=True):
        assert padded_sum.loss == pytest.approx(plain_sum.loss, abs=1e-6)
        assert (padded_sum.source_tokens, padded_sum.target_tokens) == (
            plain_sum.source_tokens,
            plain_sum.target_tokens,
        )
        assert padded_sum.terms.counts == plain_sum.terms.counts
        assert plain_sum.padding == 0 and padded_sum.padding == padded_sum.places - plain_sum.places > 0


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", KINDS)
def test_parts_are_compiled_for_each_shape_not_for_each_layer_or_batch(kind):
    counts = []
    for layers, updates in ((1, 1), (3, 1), (1, 3)):
        torch.compiler.reset()
        backend = Counted()
        trained(kind, backend, 256, updates, encoder_layers=layers, decoder_layers=layers)
        counts.append(backend.graphs)
    assert counts[0] == counts[1] == counts[2] > 2


def test_as_many_shapes_are_compiled_as_there_are():
    """torch stops after the eighth, and would leave it to chance which kernels compute the others."""
    backend, part = Counted(), FeedForward(4, 8, dropout=0.0)
    with compile_parts(part, backend):
        for rows in (*range(2, 12), *range(2, 12)):
            part(torch.ones(rows, 4))
    assert backend.graphs == 10


def test_an_epoch_has_few_shapes_and_each_is_compiled_once():
    """Instances of 20 to 60 tokens, 25 batches of at most 1,024; rows are multiples of the quantum."""
    draw, budget = np.random.default_rng(1), 1024
    sentences = [
        [draw.integers(7, VOCABULARY, size=draw.integers(5, 20)).tolist() for _ in range(3)] for _ in range(600)
    ]
    rows = rows_of(sentences, sentences)
    lengths, multiple = rows.target_tokens, quantum(CPU, budget, compiled=True)
    batches = [
        pad_batch(frame_batch(rows.take(part), "wrapped"), multiple)
        for update in epoch_updates(lengths, budget, seed=1, epoch=0)
        for part in micro_batches(update, lengths, budget, budget)
    ]
    counts = [len(stream.tokens) for batch in batches for stream in (batch.source, batch.target_in)]
    assert len(batches) >= 20 and all(count % multiple == 0 for count in counts)
    assert len(set(counts)) <= 4
    backend, part = Counted(), FeedForward(4, 8, dropout=0.0)
    with compile_parts(part, backend):
        for count in counts:
            part(torch.ones(count, 4))
    assert backend.graphs == len(set(counts))


def test_only_a_job_that_is_asked_compiles():
    assert JobOptions().compiled is False
    assert quantum(CPU, 4096, compiled=False) == ROWS
    assert quantum(torch.device("cuda"), 4096, compiled=False) == 1
    assert quantum(CPU, 4096, compiled=True) == 256


class Killed(BaseException):
    """Ends a training at once."""


def kill_at(update: int) -> Notes:
    def kill(step) -> None:
        if step.update == update:
            raise Killed

    return Notes(each=kill)


def compiled_by(monkeypatch, backend) -> None:
    monkeypatch.setattr(job, "COMPILER", backend)


@pytest.mark.slow
def test_a_stopped_training_goes_on_to_the_same_weights(folder, tmp_path, monkeypatch):
    compiled_by(monkeypatch, "eager")
    whole = make_folder(tmp_path / "whole")
    notes = Notes()
    assert whole.train(notes, compiled=True)
    assert notes.said("streams are padded to multiples of 64")
    assert all(step.padding > 0 and step.places % 64 == 0 for step in notes.steps)
    with pytest.raises(Killed):
        folder.train(kill_at(8), compiled=True)
    torch.compiler.reset()
    assert folder.train(compiled=True)
    assert folder.weights() == whole.weights()
    assert folder.record()["compiled"] is True


def test_validation_is_not_compiled(folder, monkeypatch):
    """Nor is translating the dev set, nor the entropy of attention."""

    class Counts(Notes):
        def validated(self, validation) -> None:
            graph_counts.append((backend.graphs, max(counts)))

    backend, counts, graph_counts = Counted(), [], []
    compiled_by(monkeypatch, backend)
    assert folder.changed(select_by="bleu").train(
        Counts(each=lambda step: counts.append(backend.graphs)), open_score=lambda: lambda *sides: 1.0, compiled=True
    )
    assert len(graph_counts) == 3 and all(after == before > 0 for after, before in graph_counts)


def fails(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]):
    raise RuntimeError("no such instruction")


def test_a_compiler_that_fails_ends_the_training_with_its_remedy(folder, monkeypatch):
    compiled_by(monkeypatch, fails)
    with pytest.raises(UserError) as problem:
        folder.train(compiled=True)
    said = str(problem.value)
    assert "torch.compile does not work here" in said and "no such instruction" in said and "DOCMT_COMPILE=0" in said
    assert read_exit(folder.paths.state).status == 2
    assert folder.train(compiled=False)
