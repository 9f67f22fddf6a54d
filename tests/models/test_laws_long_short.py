"""The laws of long-short term masking: the paper's masks, a long stream as a Transformer's, few parameters."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers.contract import the_short_stream_keeps_to_its_sentence
from helpers.dense_attention import may_attend
from helpers.model_cases import CASES, SIZES, VOCABULARY, batch_of, documents, logits_of, model_of
from helpers.oracle_parts import cases_of

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.vocabulary import BOS, SEP
from docmt.models import build
from docmt.settings.models import LongShortConfig, TransformerConfig

SEPARATORS = {"joined": SEP, "wrapped": BOS}
"""What stands between sentences; in wrapped, before the first too."""


def published_mask(ids: np.ndarray, separator: int, causal: bool) -> np.ndarray:
    """Appendix A.2 on one row of ids: True where the mask is 0. The decoder adds its regular mask."""
    sentence = np.cumsum(ids == separator)
    visible = np.zeros((len(ids), len(ids)), dtype=bool)
    for query in range(len(ids)):
        for key in range(len(ids)):
            visible[query, key] = sentence[query] == sentence[key] and (not causal or key <= query)
    return visible


@pytest.mark.parametrize("frame", SEPARATORS)
@pytest.mark.parametrize("side", ["source", "target_in"])
def test_the_short_streams_blocks_are_those_of_the_papers_code(frame, side):
    case = "long_short" if frame == "joined" else "long_short sum"
    stream, causal = getattr(batch_of(case, *documents()), side), side == "target_in"
    runs = stream.layout.twice().sentences
    mask = may_attend(runs, runs, causal).numpy()
    tokens, start = len(stream.tokens), 0
    expected = np.zeros_like(mask)
    for length in stream.instances.lengths:
        window = slice(start, start + length)
        of_short = slice(tokens + start, tokens + start + length)
        expected[window, window] = published_mask(np.zeros(length), SEPARATORS[frame], causal)
        ids = stream.tokens[window].numpy()
        expected[of_short, of_short] = published_mask(ids, SEPARATORS[frame], causal)
        start += length
    np.testing.assert_array_equal(mask, expected)


@pytest.mark.parametrize("case", cases_of("long_short"))
def test_the_short_stream_keeps_to_its_sentence(case):
    the_short_stream_keeps_to_its_sentence(case)


def twins(aggregation: str, frame: str, norm: str):
    """A long-short model, and a Transformer with the same parameters."""
    shape = {**SIZES, "frame": frame, "norm": norm}
    torch.manual_seed(1)
    both = build(LongShortConfig(**shape, aggregation=aggregation), VOCABULARY, VOCABULARY).double().eval()
    plain = build(TransformerConfig(**shape), VOCABULARY, VOCABULARY).double().eval()
    plain.load_state_dict(both.state_dict())
    return both, plain


def test_the_long_stream_alone_is_the_transformer_of_windows():
    """The streams meet in the aggregation only."""
    both, plain = twins("long", "joined", "post")
    batch = batch_of("long_short", *documents())
    torch.testing.assert_close(logits_of(both, batch), logits_of(plain, batch), atol=1e-12, rtol=0)


@pytest.mark.parametrize(("reads", "reached"), [("own", False), ("long", True)])
def test_the_short_stream_reads_the_encoder_that_was_asked_for(reads, reached):
    """What a source token hands to another sentence of the encoder's short half: nothing, unless that half is long."""
    torch.manual_seed(1)
    model = build(replace(CASES["long_short"], cross_reads=reads), VOCABULARY, VOCABULARY).eval()
    batches = [batch_of("long_short", [[[8, 9], [word, 11]]], [[[7], [7]]]) for word in (12, 13)]
    short = [model.encode(batch.source).states.chunk(2)[1][:2] for batch in batches]
    assert torch.equal(*short) is not reached


def test_parameters_are_those_of_the_transformer_and_the_aggregation_is_new():
    model = model_of("long_short")
    origins = {name: model.transfer_source(name) for name, _ in model.named_parameters()}
    plain = {name for name, _ in model_of("transformer").named_parameters()}
    assert {origin for origin in origins.values() if origin is not None} == plain
    new = {name for name, origin in origins.items() if origin is None}
    assert new == {f"aggregation.{part}.{kind}" for part in ("inner", "outer") for kind in ("weight", "bias")}


def test_the_aggregation_has_the_papers_size():
    """1024 x 1024 + 1024 x 512 weights: the whole difference to the Transformer."""
    with torch.device("meta"):
        sizes = [
            sum(parameter.numel() for parameter in build(config, 100, 100).parameters())
            for config in (LongShortConfig(), TransformerConfig())
        ]
    weights, biases = 1024 * 1024 + 1024 * 512, 1024 + 512
    assert sizes[0] - sizes[1] == weights + biases
    assert round(weights / 1e6, 2) == 1.57


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"frame": "unmarked"}, "model frame: value not allowed\n  found unmarked; expected joined or wrapped"),
        ({"aggregation_inner": 0}, "model aggregation_inner: value not allowed\n  found 0; expected 1 or more"),
    ],
)
def test_what_the_streams_cannot_have_is_refused(settings, message):
    with pytest.raises(UserError) as caught:
        parse(LongShortConfig, {"kind": "long_short", **settings}, "model")
    assert message in str(caught.value)
