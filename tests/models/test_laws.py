"""The laws of G-Transformer: groups are isolated below and joined above; without groups it is the Transformer."""

import pytest
import torch
from helpers.model_cases import SIZES, VOCABULARY, batch_of, documents, logits_of, model_of

from docmt.base.checks import BadValue
from docmt.models import build
from docmt.nn.rows import Rows
from docmt.nn.streams import frame_batch, frame_source
from docmt.settings.models import GTransformerConfig, TransformerConfig


def test_groups_are_isolated():
    """Without combined layers a sentence depends on itself and its place only: others may change word by word."""
    model = model_of("g_transformer groups")
    source, target = documents()
    changed_source = [[[8] * len(sentence) for sentence in document] for document in source]
    changed_target = [[[9] * len(sentence) for sentence in document] for document in target]
    for number, document in enumerate(source):
        for keep in range(len(document)):
            mixed = [[*map(list, whole[number])] for whole in (changed_source, changed_target)]
            mixed[0][keep], mixed[1][keep] = source[number][keep], target[number][keep]
            batch = batch_of("g_transformer groups", [source[number]], [target[number]])
            other = batch_of("g_transformer groups", [mixed[0]], [mixed[1]])
            runs = batch.target_in.sentences.lengths
            plain_logits, changed_logits = (logits_of(model, part).split(runs)[keep] for part in (batch, other))
            assert torch.equal(plain_logits, changed_logits)


@pytest.mark.parametrize("layers, reached", [(0, False), (1, True)])
def test_the_encoder_sees_other_sentences_only_by_combined_layers(layers, reached):
    config = GTransformerConfig(**SIZES, combined_layers=0, encoder_self_combined_layers=layers)
    torch.manual_seed(1)
    model = build(config, VOCABULARY, VOCABULARY).eval()
    first, second = (frame_source(Rows.from_lists([[[8, 9], [word, 11]]]), "wrapped") for word in (12, 13))
    with torch.no_grad():
        states = [model.encode(stream).states[:4] for stream in (first, second)]
    assert torch.equal(*states) is not reached


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


def test_on_one_sentence_documents_groups_are_the_sentence_transformer():
    group, sentence = model_of("g_transformer groups"), model_of("transformer", seed=2)
    sentence.load_state_dict(group.state_dict())
    source, target = documents()
    singles = (
        [[words] for document in source for words in document],
        [[words] for document in target for words in document],
    )
    batch = batch_of("transformer", *singles)
    assert torch.equal(logits_of(group, batch), logits_of(sentence, batch))


def test_a_gate_that_is_open_leaves_group_attention_alone():
    """With the gates at one, G-Transformer of any K is the sentence Transformer on one-sentence documents."""
    combined, sentence = model_of("g_transformer everywhere"), model_of("transformer pre-norm")
    sentence.config = combined.config
    combined_parameters = dict(combined.named_parameters())
    with torch.no_grad():
        for name, parameter in combined.named_parameters():
            if ".gate." in name:
                parameter.fill_(0.0 if name.endswith("weight") else 60.0)
        for name, parameter in sentence.named_parameters():
            origin = name.replace("attention.", "attention.group.")
            shared = "source_embedding.weight"
            parameter.copy_(
                combined_parameters[shared if name in ("target_embedding.weight", "output.weight") else origin]
            )
    batch = batch_of("transformer", [[[8, 9, 10]]], [[[11, 12]]])
    torch.testing.assert_close(logits_of(combined, batch), logits_of(sentence, batch), atol=1e-12, rtol=0)


def test_parameters_start_from_their_counterparts():
    model = model_of("g_transformer")
    origins = {name: model.transfer_source(name) for name, _ in model.named_parameters()}
    new = {name for name, origin in origins.items() if origin is None}
    assert new == {name for name in origins if ".global_." in name or ".gate." in name}
    sentence = {name for name, _ in model_of("transformer").named_parameters()}
    assert {origin for origin in origins.values() if origin is not None} == sentence
    assert origins["decoder.1.cross_attention.group.key.weight"] == "decoder.1.cross_attention.key.weight"


def test_combined_layers_are_the_top_ones_of_each_kind():
    config = GTransformerConfig(**SIZES, combined_layers=1, cross_combined_layers=2, decoder_self_combined_layers=0)
    names = {name for name, _ in build(config, VOCABULARY, VOCABULARY).named_parameters() if ".gate.bias" in name}
    assert names == {
        "encoder.1.self_attention.gate.bias",
        "decoder.0.cross_attention.gate.bias",
        "decoder.1.cross_attention.gate.bias",
    }


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


# What a token of the second sentence can see of the first: by language locality, its own side, and the source by it.
REMOVALS = {"language_locality": {"source", "target"}, "translation_locality": {"source"}}


@pytest.mark.parametrize("name", REMOVALS)
@pytest.mark.parametrize("side", ["source", "target"])
def test_each_locality_keeps_its_attention_to_the_sentence(name, side):
    config = GTransformerConfig(**SIZES, combined_layers=0, **{name: False})
    assert seen_from_the_second_sentence(config, side) is (side in REMOVALS[name])


@pytest.mark.parametrize(("top", "reached"), [("combined", True), ("global", True), ("group", False)])
def test_the_top_layers_have_the_attention_that_was_asked_for(top, reached):
    config = GTransformerConfig(**SIZES, combined_layers=1, top_attention=top)
    assert seen_from_the_second_sentence(config, "target") is reached


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
