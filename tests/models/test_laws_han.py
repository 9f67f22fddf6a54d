"""The laws of HAN: k sentences back and none forward, detached; with closed gates it is a Transformer."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers.model_cases import CASES, VOCABULARY, batch_of, documents, logits_of, model_of

from docmt.models import build
from docmt.models.store import init_from, save_model
from docmt.nn.frames import frame_batch
from docmt.nn.looks import previous_sentences
from docmt.nn.rows import Rows
from docmt.settings.models import TransformerConfig

HAN_CASES = ["han", "han decoder", "han joint"]
PARTS = ("source_context", "target_context")
DOCUMENT = [[8, 9], [10, 11, 12], [13, 14], [15, 16], [17, 18, 19], [20, 21], [22, 23]]


def parts_of(model):
    return [part for part in (model.source_context, model.target_context) if part is not None]


def set_gates(model, value: float) -> None:
    with torch.no_grad():
        for part in parts_of(model):
            part.gate.weight.zero_()
            part.gate.bias.fill_(value)


def test_previous_sentences_by_example():
    """Two instances of three sentences and of two, looking two back."""
    looking, seen = previous_sentences(np.array([3, 2]), 2)
    assert list(zip(looking.tolist(), seen.tolist(), strict=True)) == [(1, 0), (2, 0), (2, 1), (4, 3)]


@pytest.mark.parametrize("case", HAN_CASES)
def test_with_closed_gates_it_is_the_sentence_model(case):
    """Neutral: gates at zero, and HAN's norm after a norm that is neutral, so that it changes nothing."""
    config = replace(CASES[case], norm_epsilon=1e-13)
    torch.manual_seed(1)
    model = build(config, VOCABULARY, VOCABULARY).double().eval()
    set_gates(model, -60.0)
    shared = {field: getattr(config, field) for field in TransformerConfig.__dataclass_fields__ if field != "kind"}
    sentence = build(TransformerConfig(**shared), VOCABULARY, VOCABULARY).double().eval()
    sentence.load_state_dict({k: v for k, v in model.state_dict().items() if not k.startswith(PARTS)})
    source, target = documents()
    singles = ([[words] for document in side for words in document] for side in (source, target))
    expected = logits_of(sentence, batch_of(case, *singles))
    torch.testing.assert_close(logits_of(model, batch_of(case, source, target)), expected, atol=1e-9, rtol=0)


def changed_sentences(before: torch.Tensor, after: torch.Tensor, lengths: tuple[int, ...]) -> list[int]:
    pairs = zip(before.split(lengths), after.split(lengths), strict=True)
    return [number for number, (old, new) in enumerate(pairs) if (old - new).abs().max() > 1e-9]


@pytest.mark.parametrize("sentences", [1, 2, 3])
@pytest.mark.parametrize("changed", [0, 2, 5])
@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_a_sentence_reaches_exactly_the_next_k(side, changed, sentences):
    case = "han decoder"
    model = build_like(case, context=side, context_sentences=sentences)
    other = [[*words[:-1], 24] if number == changed else words for number, words in enumerate(DOCUMENT)]
    pair = (other, DOCUMENT) if side == "encoder" else (DOCUMENT, other)
    plain_batch, changed_batch = (batch_of(case, [source], [target]) for source, target in ((DOCUMENT, DOCUMENT), pair))
    reached_sentences = changed_sentences(
        logits_of(model, plain_batch), logits_of(model, changed_batch), plain_batch.target_in.sentences.lengths
    )
    assert reached_sentences == list(range(changed, min(changed + sentences + 1, len(DOCUMENT))))


def build_like(case: str, **settings: object):
    torch.manual_seed(1)
    model = build(replace(CASES[case], **settings), VOCABULARY, VOCABULARY).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("context", ["encoder", "decoder"])
def test_context_and_its_query_are_detached_unless_asked(context, gradient):
    """With the gate open a state is context alone: words train it only where context passes gradients on."""
    model = build_like("han", context=context, context_gradient=gradient, embeddings="separate")
    set_gates(model, 60.0)
    batch = frame_batch(Rows.from_lists([[[8, 9], [10, 11]]], [[[8, 9], [10, 11]]]), "wrapped")
    if context == "encoder":
        states, table = model.encode(batch.source).states[4:], model.source_embedding.weight
    else:
        states, table = model.decode(batch.target_in, model.encode(batch.source))[3:], model.target_embedding.weight
    generator = torch.Generator().manual_seed(1)
    weights = torch.randn(states.shape, generator=generator, dtype=states.dtype)
    (gradients,) = torch.autograd.grad((states * weights).sum(), table, allow_unused=True)
    reached = set() if gradients is None else set(gradients.abs().sum(1).nonzero().flatten().tolist())
    same_sentence, before = {10, 11} <= reached, {8, 9} <= reached
    assert (same_sentence, before) == (gradient, gradient)
    assert gradient or not reached


def names_of(model, *parts: str) -> set[str]:
    return {name for name, _ in model.named_parameters() if name.startswith(parts)}


@pytest.mark.parametrize("context", ["encoder", "decoder", "joint"])
def test_all_but_han_starts_from_the_sentence_model(context, tmp_path):
    save_model(tmp_path, model_of("transformer").float(), {})
    model = build_like("han", context=context).float()
    _, new = init_from(model, tmp_path)
    assert set(new) == names_of(model, *PARTS) and new


def test_joint_takes_the_encoders_part_of_an_encoder_model(tmp_path):
    first = model_of("han").float()
    save_model(tmp_path, first, {})
    joint = build_like("han", context="joint").float()
    _, new = init_from(joint, tmp_path)
    assert set(new) == names_of(joint, "target_context")
    assert torch.equal(joint.source_context.gate.weight, first.source_context.gate.weight)
