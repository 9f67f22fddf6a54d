"""An update in bf16 fits the attention of GPUs, on the device `meta`, whose tensors have no values.

How often the host reads values is in tests/training/test_host_waits.py and tests/decoding/test_host_waits.py.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers.model_cases import CASES, MOSTLY_SLOW, VOCABULARY, batch_of, documents

from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.nn import attention, varlen
from docmt.nn.noise import document_keys
from docmt.nn.streams import Batch
from docmt.training.computing import forward_context
from docmt.training.losses import batch_losses

META = torch.device("meta")
HEADS_OF_8 = {"width": 32, "heads": 4}
"""Variable-length attention needs heads whose width is a multiple of 8."""


def model_without_values(case: str, number_type: torch.dtype = torch.float32, **settings: object) -> Transformer:
    config = replace(CASES[case], absent_pieces=(9,), **settings)
    return build(config, VOCABULARY, VOCABULARY).to(META, number_type).train()


def batch_for(case: str) -> Batch:
    source, target = documents()
    return batch_of(case, source, target).with_keys(document_keys(1, np.arange(len(source)))).with_word_dropout(0.1)


def backward(model: Transformer, batch: Batch) -> set[str]:
    """The names of the parameters that an update gives a gradient to, which it leaves on the device."""
    loss, _, terms = batch_losses(model, batch, 0.1, forward_context(torch.device("cpu"), "fp32"))
    (loss + sum(term.total for term in terms.values())).backward()
    return {name for name, parameter in model.named_parameters() if parameter.grad is not None}


@pytest.mark.skipif(varlen.kernel() is None, reason="this torch has no variable-length attention")
@pytest.mark.parametrize("case", MOSTLY_SLOW)
def test_an_update_fits_the_attention_of_gpus(case, monkeypatch):
    """The kernel itself is CUDA's; what goes in and what comes out has the shapes and types that it states."""
    calls = []

    def attend(*arguments):
        calls.append(arguments[0].dtype)
        return varlen.attend(*arguments)

    monkeypatch.setattr(attention, "attend_in_buckets", attend)
    model = model_without_values(case, torch.bfloat16, **HEADS_OF_8)
    assert backward(model, batch_for(case).to(META)) >= {"encoder.0.feed_forward.inner.weight"}
    assert len(calls) >= 6 and set(calls) <= {torch.bfloat16}
