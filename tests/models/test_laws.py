"""What G-Transformer promises: groups are isolated below, joined above; with one sentence it is the Transformer."""

import pytest
import torch
from model_cases import SIZES, VOCABULARY, batch_of, documents, logits_of, model_of

from docmt.core.config import GTransformerConfig
from docmt.models import build
from docmt.nn.rows import Rows
from docmt.nn.streams import frame_source


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
            one, two = (logits_of(model, part).split(runs)[keep] for part in (batch, other))
            assert torch.equal(one, two)


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
    torch.manual_seed(1)
    model = build(config, VOCABULARY, VOCABULARY).eval()
    plain, changed = [[8, 9], [10, 11]], [[8, 12], [10, 11]]
    pairs = [([plain], [plain]), ([changed if side == "source" else plain], [changed if side == "target" else plain])]
    with torch.no_grad():
        second_sentence = [logits_of(model, batch_of("g_transformer", *pair))[-3:] for pair in pairs]
    assert torch.equal(*second_sentence) is (side not in CONTEXT[name])


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
    taken = dict(combined.named_parameters())
    with torch.no_grad():
        for name, parameter in combined.named_parameters():
            if ".gate." in name:
                parameter.fill_(0.0 if name.endswith("weight") else 60.0)
        for name, parameter in sentence.named_parameters():
            origin = name.replace("attention.", "attention.group.")
            shared = "source_embedding.weight"
            parameter.copy_(taken[shared if name in ("target_embedding.weight", "output.weight") else origin])
    batch = batch_of("transformer", [[[8, 9, 10]]], [[[11, 12]]])
    torch.testing.assert_close(logits_of(combined, batch), logits_of(sentence, batch), atol=1e-12, rtol=0)


def test_parameters_start_from_their_counterparts():
    model = model_of("g_transformer")
    origins = {name: model.taken_from(name) for name, _ in model.named_parameters()}
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
