"""Every model computes on the device `meta`, whose tensors have no values: nothing in it reads what a GPU computes.

There, each read of a value by the host raises an error, and so does each operation whose result has a size that depends
on values. The one read of a decoding step (`Progress.advance`) is answered by the test.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers.model_cases import CASES, MOSTLY_SLOW, VOCABULARY, batch_of, documents

from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.nn import attention, progress
from docmt.nn.backends import varlen
from docmt.nn.frames import FRAMES
from docmt.nn.noise import document_keys
from docmt.nn.streams import Batch
from docmt.training.computing import forward_context
from docmt.training.update import batch_losses

META = torch.device("meta")
NOISY = {"dropout": 0.2, "attention_dropout": 0.1, "activation_dropout": 0.1}
HEADS_OF_8 = {"width": 32, "heads": 4}
"""Variable-length attention needs heads whose width is a multiple of 8."""
BEAM = 2


def model_without_values(case: str, number_type: torch.dtype = torch.float32, **settings: object) -> Transformer:
    config = replace(CASES[case], absent_pieces=(9,), **settings)
    return build(config, VOCABULARY, VOCABULARY).to(META, number_type).train()


def batch_for(case: str) -> Batch:
    source, target = documents()
    return batch_of(case, source, target).with_keys(document_keys(1, np.arange(len(source)))).with_word_dropout(0.1)


def backward(model: Transformer, batch: Batch) -> set[str]:
    """The names of the parameters that an update gives a gradient to, which it leaves on the device."""
    loss, _, terms = batch_losses(model, batch, 0.1, lambda: forward_context(torch.device("cpu"), "fp32"))
    (loss + sum(term.total for term in terms.values())).backward()
    return {name for name, parameter in model.named_parameters() if parameter.grad is not None}


@pytest.mark.parametrize("number_type", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("case", MOSTLY_SLOW)
def test_an_update_reads_no_value(case, number_type):
    on_meta = backward(model_without_values(case, number_type, **NOISY), batch_for(case).to(META))
    # A move to meta makes two parameters of one that two modules share.
    assert on_meta >= backward(build(CASES[case], VOCABULARY, VOCABULARY), batch_for(case))


@pytest.mark.skipif(varlen.kernel() is None, reason="this torch has no variable-length attention")
@pytest.mark.parametrize("case", MOSTLY_SLOW)
def test_an_update_fits_the_attention_of_gpus(case, monkeypatch):
    """The kernel itself is CUDA's; what goes in and what comes out has the shapes and types that it states."""
    calls = []

    def attend(*arguments):
        calls.append(arguments[0].dtype)
        return varlen.attend(*arguments)

    monkeypatch.setattr(attention.bucketed, "attend", attend)
    model = model_without_values(case, torch.bfloat16, **HEADS_OF_8)
    assert backward(model, batch_for(case).to(META)) >= {"encoder.0.feed_forward.inner.weight"}
    assert len(calls) >= 6 and set(calls) <= {torch.bfloat16}


@pytest.mark.parametrize("number_type", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("case", MOSTLY_SLOW)
def test_a_decoding_step_reads_one_value(case, number_type, monkeypatch):
    reads = []

    def answer(x: torch.Tensor) -> np.ndarray:
        """The hypotheses write one sentence each; that of the source changes at the first step."""
        reads.append(x.shape)
        return np.stack((np.full(x.shape[1], len(reads) - 1), np.full(x.shape[1], len(reads) == 1)))

    monkeypatch.setattr(progress, "download", answer)
    model, (source, target) = model_without_values(case, number_type).eval(), documents()
    batch = batch_of(case, source, target).to(META)
    memory = model.encode(batch.source)
    memory = memory.by_sentence() if model.synchronous else memory
    cache = model.start(memory, BEAM)
    hypotheses = BEAM * memory.layout.instances.runs
    tokens = torch.full((hypotheses,), FRAMES[model.config.frame].input_before.edge, device=META)
    for step in range(1, 4):
        assert model.logits(model.step(tokens, cache)).shape == (hypotheses, VOCABULARY)
        assert len(reads) == step


@pytest.mark.parametrize("case", MOSTLY_SLOW)
def test_states_of_a_whole_translation_read_no_value(case):
    model, (source, target) = model_without_values(case).eval(), documents()
    batch = batch_of(case, source, target).to(META)
    with torch.inference_mode():
        assert model.decode(batch.target_in, model.encode(batch.source)).shape == (len(batch.target_in.tokens), 16)


def test_a_read_on_meta_is_an_error():
    """What these tests rest on."""
    x = torch.zeros(3, device=META)
    for read in (x.tolist, x.sum().item, x.cpu, x.nonzero, lambda: bool(x.any()), lambda: x[x > 0], x.unique):
        with pytest.raises((NotImplementedError, RuntimeError)):
            read()
