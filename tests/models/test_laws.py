"""The laws of G-Transformer: each setting opens its way to context; without groups it is the Transformer.

Which sentences see each other in each case of the table is in `helpers/contract.py`, as for all architectures.
"""

import pytest
import torch
from helpers.model_cases import SIZES, VOCABULARY, batch_of, documents, logits_of, model_of

from docmt.base.checks import BadValue
from docmt.models import build
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows
from docmt.settings.models import GTransformerConfig, TransformerConfig

# Earlier target states have seen their own source sentences, so decoder self-attention brings both sides.
CONTEXT = {"decoder_self_combined_layers": {"source", "target"}, "cross_combined_layers": {"source"}}


@pytest.mark.parametrize("name", CONTEXT)
@pytest.mark.parametrize("side", ["source", "target"])
def test_each_combined_attention_opens_its_way_to_context(name, side):
    config = GTransformerConfig(**SIZES, combined_layers=0, **{name: 1})
    assert seen_from_the_second_sentence(config, side) is (side in CONTEXT[name])


def seen_from_the_second_sentence(config: GTransformerConfig, side: str) -> bool:
    """Whether a word of the first sentence of this side changes predictions in the second."""
    torch.manual_seed(1)
    model = build(config, VOCABULARY, VOCABULARY).eval()
    plain, changed = [[8, 9], [10, 11]], [[8, 12], [10, 11]]
    pairs = [([plain], [plain]), ([changed if side == "source" else plain], [changed if side == "target" else plain])]
    with torch.no_grad():
        second_sentence = [logits_of(model, batch_of("g_transformer", *pair))[-3:] for pair in pairs]
    return not torch.equal(*second_sentence)


def without_locality(frame: str, **settings) -> tuple:
    """A G-Transformer without either locality, and a Transformer, both built from one seed."""
    models = []
    for config in (
        GTransformerConfig(**SIZES, frame=frame, language_locality=False, translation_locality=False, **settings),
        TransformerConfig(**SIZES, frame=frame),
    ):
        torch.manual_seed(1)
        models.append(build(config, VOCABULARY, VOCABULARY).double().eval())
    return tuple(models)


@pytest.mark.parametrize("settings", [{"combined_layers": 1}, {"combined_layers": 2, "top_attention": "group"}])
@pytest.mark.parametrize("frame", ["wrapped", "unmarked"])
def test_without_either_locality_it_is_the_document_transformer(frame, settings):
    """Table 5's last row, parameter by parameter, whatever K is."""
    group, document = without_locality(frame, **settings)
    expected = dict(document.named_parameters())
    assert list(expected) == [name for name, _ in group.named_parameters()]
    assert all(torch.equal(parameter, expected[name]) for name, parameter in group.named_parameters())
    batch = frame_batch(Rows.from_lists(*documents()), frame)
    assert torch.equal(logits_of(group, batch), logits_of(document, batch))


def test_global_attention_alone_stands_in_the_top_layers_only():
    """With one layer of two global, the lower encoder layer still keeps to the sentence."""
    config = GTransformerConfig(**SIZES, combined_layers=1, top_attention="global")
    torch.manual_seed(1)
    model = build(config, VOCABULARY, VOCABULARY)
    scopes = [[layer.self_attention.scope for layer in stack] for stack in (model.encoder, model.decoder)]
    cross = [layer.cross_attention.scope for layer in model.decoder]
    assert [*scopes, cross] == [["sentence", "instance"]] * 3


@pytest.mark.parametrize(
    "settings", [{"top_attention": "global"}, {"top_attention": "group"}, {"language_locality": False}]
)
def test_attention_that_stands_alone_starts_from_the_sentence_models(settings):
    model = build(GTransformerConfig(**SIZES, combined_layers=1, **settings), VOCABULARY, VOCABULARY)
    origins = {name: model.transfer_source(name) for name, _ in model.named_parameters()}
    new = {name for name, origin in origins.items() if origin is None}
    assert {name.split(".")[2] for name in new} == ({"cross_attention"} if "language_locality" in settings else set())
    assert set(origins.values()) - {None} == {name for name, _ in model_of("transformer").named_parameters()}


def test_a_frame_without_sentences_needs_a_model_without_groups():
    with pytest.raises(BadValue, match="frame: found 'unmarked', expected wrapped or closed"):
        GTransformerConfig(frame="unmarked", language_locality=False)
