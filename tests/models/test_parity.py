"""Logits and gradients against dumps of reference implementations: fairseq, and the authors' of G-Transformer.

In double precision the references agree with themselves across versions to 1e-13, so what is beyond is a difference.
"""

import re

import numpy as np
import pytest
import torch

from docmt.core.config import GTransformerConfig, TransformerConfig
from docmt.models import build
from docmt.nn.segments import Segments
from docmt.nn.streams import Layout, Stream

SHAPE = {"width": 16, "inner": 32, "heads": 4}
SENTENCE = {**SHAPE, "encoder_layers": 2, "decoder_layers": 2}
DOCUMENT = {**SHAPE, "encoder_layers": 3, "decoder_layers": 3}
CASES = {
    "transformer.postnorm_tied": TransformerConfig(**SENTENCE),
    "transformer.prenorm_tied": TransformerConfig(**SENTENCE, norm="pre"),
    "transformer.postnorm_untied": TransformerConfig(**SENTENCE, embeddings="separate"),
    "g_transformer.partial_top2": GTransformerConfig(**DOCUMENT, combined_layers=2),
    "g_transformer.partial_none": GTransformerConfig(**DOCUMENT, combined_layers=0),
    "g_transformer.full": TransformerConfig(**DOCUMENT),
}
NAMES = [
    (r"^(en|de)coder\.layers", r"\1coder"),
    (r"^encoder\.embed_tokens", "source_embedding"),
    (r"^decoder\.embed_tokens", "target_embedding"),
    (r"^decoder\.output_projection", "output"),
    (r"^(en|de)coder\.layer_norm", r"\1coder_norm"),
    (r"self_attn_layer_norm", "after_self.norm"),
    (r"encoder_attn_layer_norm", "after_cross.norm"),
    (r"final_layer_norm", "after_feed_forward.norm"),
    (r"self_attn", "self_attention"),
    (r"encoder_attn", "cross_attention"),
    (r"attention_local", "attention.group"),
    (r"attention_global", "attention.global_"),
    (r"attention_gate\.0", "attention.gate"),
    (r"q_proj", "query"),
    (r"k_proj", "key"),
    (r"v_proj", "value"),
    (r"out_proj", "output"),
    (r"fc1", "feed_forward.inner"),
    (r"fc2", "feed_forward.outer"),
]
PAD, SMOOTHING = 1, 0.1


def our_name(name: str, parameters: set[str]) -> str:
    for pattern, ours in NAMES:
        name = re.sub(pattern, ours, name)
    return name if name in parameters else name.replace(".group.", ".")


def stream_of(tokens: np.ndarray, tags: np.ndarray | None) -> Stream:
    """The rows without padding; sentences are runs of equal tags, or whole rows."""
    rows = [row[row != PAD] for row in tokens]
    tags = [np.ones_like(row) for row in rows] if tags is None else [tag[tag > 0] for tag in tags]
    sentences = [count for row in tags for count in np.unique(row, return_counts=True)[1].tolist()]
    layout = Layout(Segments.from_lengths(sentences), Segments.from_lengths(map(len, rows)))
    return Stream(torch.from_numpy(np.concatenate(rows)), layout)


def load(case: str, dump) -> torch.nn.Module:
    config, size = CASES[case], len(dump["param/encoder.embed_tokens.weight"])
    model = build(config, size, len(dump["param/decoder.embed_tokens.weight"])).double().eval()
    state = dict.fromkeys(model.state_dict())
    for key in dump.files:
        name = our_name(key.removeprefix("param/"), set(state))
        if key.startswith("param/") and name in state:
            state[name] = torch.from_numpy(dump[key]).double()
    model.load_state_dict(state)
    for embedding in (model.source_embedding, model.target_embedding):
        embedding.positions = torch.from_numpy(dump["const/sin_table"]).double()
    return model


def streams(dump) -> tuple[Stream, Stream]:
    tagged = "tags/src" in dump.files
    sides = (("in/src_tokens", "tags/src"), ("in/prev_output_tokens", "tags/prev"))
    source, target_in = (stream_of(dump[tokens], dump[tags] if tagged else None) for tokens, tags in sides)
    return source, target_in


@pytest.fixture(params=CASES)
def reference(request, shared):
    path = shared / "parity" / f"{request.param}.npz"
    if not path.is_file():
        pytest.skip(f"needs {path}")
    return request.param, np.load(path)


def test_logits_are_the_reference_implementations(reference):
    case, dump = reference
    model, (source, target_in) = load(case, dump), streams(dump)
    with torch.no_grad():
        logits = model.logits(model.decode(target_in, model.encode(source)))
    real = dump["in/prev_output_tokens"] != PAD
    np.testing.assert_allclose(logits.numpy(), dump["f64/logits_BTV"][real], atol=1e-12, rtol=0)


def test_gradients_are_the_reference_implementations(reference):
    """Of the label-smoothed loss, as the toolkit of the dump defines it: the mass of a share over V or V - 1 pieces."""
    case, dump = reference
    model, (source, target_in) = load(case, dump), streams(dump)
    logits = model.logits(model.decode(target_in, model.encode(source)))
    scores = logits.log_softmax(-1)
    target = torch.from_numpy(dump["in/target"][dump["in/prev_output_tokens"] != PAD])
    size = scores.shape[1]
    share, kind = (SMOOTHING / size, "grad") if case.startswith("g_") else (SMOOTHING / (size - 1), "grad012")
    of_target = 1 - SMOOTHING - (0 if case.startswith("g_") else share)
    loss = -(of_target * scores.gather(1, target[:, None]).sum() + share * scores.sum())
    loss.backward()
    parameters, compared = dict(model.named_parameters()), 0
    for key in dump.files:
        name = our_name(key.removeprefix(f"f64/{kind}/"), set(parameters))
        if key.startswith(f"f64/{kind}/") and name in parameters:
            np.testing.assert_allclose(parameters[name].grad.numpy(), dump[key], atol=1e-10, rtol=1e-10, err_msg=name)
            compared += 1
    assert compared == len(parameters)
