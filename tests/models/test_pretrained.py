"""Starts from pretrained checkpoints: the same numbers as transformers', and an account of every weight."""

import json
import os

import pytest
import torch
from helpers.checkpoints import POSITIONS, fields, reference_model, write_checkpoint
from torch import Tensor

from docmt.base.errors import UserError
from docmt.models import build
from docmt.models.pretrained import Start, start_from
from docmt.models.transformer import Transformer
from docmt.nn.segments import Layout, Segments
from docmt.nn.streams import Stream
from docmt.settings.models import GTransformerConfig, TransformerConfig

VOCABULARY = 25
ROWS = [(7 * piece) % VOCABULARY for piece in range(VOCABULARY)]
"""Of each piece of ours; no piece keeps its number."""
SOURCE, TARGET = [[7, 9, 3, 24], [2, 11, 12, 13, 8, 1, 20]], [[0, 5, 6], [0, 22, 10, 17, 3]]


def stream(sequences: list[list[int]]) -> Stream:
    runs = Segments.from_lengths([len(sequence) for sequence in sequences])
    return Stream(torch.tensor([token for sequence in sequences for token in sequence]), Layout(runs, runs))


def theirs(sequence: list[int]) -> Tensor:
    return torch.tensor([[ROWS[token] for token in sequence]])


def model_of(kind: str, config=TransformerConfig, **changes) -> Transformer:
    torch.manual_seed(3)
    return build(config(**{**fields(kind), **changes}), VOCABULARY, VOCABULARY).eval()


def started(model: Transformer, folder, source=ROWS, target=ROWS) -> Start:
    """Pieces are called by their numbers."""
    named = [None if rows is None else {str(n): row for n, row in enumerate(rows)} for rows in (source, target)]
    return start_from(model, folder, *named)


@torch.no_grad()
def logits(model: Transformer) -> Tensor:
    return model.logits(model.decode(stream(TARGET), model.encode(stream(SOURCE))))


@pytest.fixture(scope="module")
def reference():
    models = {kind: reference_model(kind, VOCABULARY) for kind in ("mbart", "bart", "bert")}
    return models.__getitem__


@torch.no_grad()
def reference_logits(model) -> Tensor:
    """Return the logits of the reference model, in the order of our pieces."""
    logits = [
        model(input_ids=theirs(source), decoder_input_ids=theirs(target)).logits[0]
        for source, target in zip(SOURCE, TARGET, strict=True)
    ]
    return torch.cat(logits)[:, ROWS]


@pytest.mark.parametrize("form", ["safetensors", "shards", "bin"])
@pytest.mark.parametrize("kind", ["mbart", "bart"])
def test_logits_are_those_of_transformers(reference, tmp_path, kind, form):
    folder, model = write_checkpoint(reference(kind), tmp_path / kind, form), model_of(kind)
    start = started(model, folder)
    assert start.new == []
    torch.testing.assert_close(logits(model), reference_logits(reference(kind)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("embeddings", ["target", "separate"])
def test_tables_that_are_not_shared_are_filled_alike(reference, tmp_path, embeddings):
    model = model_of("mbart", embeddings=embeddings)
    assert started(model, write_checkpoint(reference("mbart"), tmp_path / "mbart")).new == []
    torch.testing.assert_close(logits(model), reference_logits(reference("mbart")), rtol=1e-5, atol=1e-5)


def test_a_relu_is_taken_as_it_is(tmp_path):
    reference = reference_model("bart", VOCABULARY, activation_function="relu")
    model = model_of("bart", activation="relu")
    started(model, write_checkpoint(reference, tmp_path / "bart"))
    torch.testing.assert_close(logits(model), reference_logits(reference), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("form", ["safetensors", "bin"])
@torch.no_grad()
def test_encoder_states_are_those_of_bert_and_the_decoder_starts_anew(reference, tmp_path, form):
    folder = write_checkpoint(reference("bert"), tmp_path / "bert", form)
    model, before = model_of("bert", embeddings="separate"), model_of("bert", embeddings="separate")
    start = started(model, folder, target=None)
    bert = reference("bert").bert
    expected = torch.cat([bert(input_ids=theirs(source)).last_hidden_state[0] for source in SOURCE])
    torch.testing.assert_close(model.encode(stream(SOURCE)).states, expected, rtol=1e-5, atol=1e-5)
    fresh = dict(before.named_parameters())
    assert all(name.startswith(("encoder.", "source_embedding.")) for name in start.transferred)
    assert all(torch.equal(parameter, fresh[name]) for name, parameter in model.named_parameters() if name in start.new)


def test_the_first_berts_names_of_norms_are_known(reference, tmp_path):
    folder = write_checkpoint(reference("bert"), tmp_path / "bert", "bin")
    weights = torch.load(folder / "pytorch_model.bin")
    old = {n.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): w for n, w in weights.items()}
    assert set(old) != set(weights)
    models = [model_of("bert"), model_of("bert")]
    started(models[0], folder)
    torch.save(old, folder / "pytorch_model.bin")
    started(models[1], folder)
    assert all(torch.equal(*pair) for pair in zip(*(model.state_dict().values() for model in models), strict=True))


@pytest.mark.parametrize("kind", ["mbart", "bart", "bert"])
def test_every_weight_and_every_parameter_is_accounted_for(reference, tmp_path, kind):
    folder, model = write_checkpoint(reference(kind), tmp_path / kind, "bin"), model_of(kind)
    start = started(model, folder)
    assert set(start.outcomes) == set(torch.load(folder / "pytorch_model.bin"))
    assert sorted(start.transferred + start.new) == sorted(name for name, _ in model.named_parameters())
    parameters = {fate for fate in start.outcomes.values() if not fate.startswith(("no part", "row"))}
    assert parameters | {"source_embedding.weight"} == set(start.transferred)
    if kind == "bert":
        assert start.outcomes["bert.pooler.dense.weight"] == "no part of a translation model"
        assert "row 0 folded into" in start.outcomes["bert.embeddings.token_type_embeddings.weight"]
    else:
        heads = {start.outcomes[name] for name in ("lm_head.weight", "model.shared.weight")}
        assert heads == {"rows of source_embedding.weight"}
        assert start.outcomes["final_logits_bias"].endswith("all zero")


def test_a_piece_without_a_row_starts_as_the_mean_of_all(reference, tmp_path):
    model = model_of("mbart")
    rows = [None if piece in (4, 6) else row for piece, row in enumerate(ROWS)]
    start = started(model, write_checkpoint(reference("mbart"), tmp_path / "mbart"), rows, rows)
    table = reference("mbart").model.shared.weight
    assert start.new_pieces == {"source_embedding.weight": ["4", "6"]}
    torch.testing.assert_close(model.source_embedding.weight[4], table.mean(dim=0))
    assert torch.equal(model.source_embedding.weight[5], table[ROWS[5]])


def test_positions_beyond_the_checkpoints_start_anew(reference, tmp_path):
    model, fresh = model_of("bart", max_positions=POSITIONS + 3), model_of("bart", max_positions=POSITIONS + 3)
    start = started(model, write_checkpoint(reference("bart"), tmp_path / "bart"))
    assert set(start.new_positions.values()) == {POSITIONS}
    for side, stack in (("source", "encoder"), ("target", "decoder")):
        name = f"{side}_embedding.position.weight"
        theirs = getattr(reference("bart").model, stack).embed_positions.weight
        assert torch.equal(model.get_parameter(name)[:POSITIONS], theirs[2:])
        assert torch.equal(model.get_parameter(name)[POSITIONS:], fresh.get_parameter(name)[POSITIONS:])


def test_groups_start_from_the_checkpoints_attention(reference, tmp_path):
    """One sentence, and gates that let only the group attention through: the sentence model."""
    folder = write_checkpoint(reference("mbart"), tmp_path / "mbart")
    model = model_of("mbart", GTransformerConfig, combined_layers=1)
    start = started(model, folder)
    assert {name for name, _ in model.named_parameters() if ".global_." in name or ".gate." in name} == set(start.new)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if ".gate." in name:
                parameter.fill_(0.0 if name.endswith("weight") else 40.0)
    torch.testing.assert_close(logits(model), reference_logits(reference("mbart")), rtol=1e-5, atol=1e-5)


class Code:
    """Unpickled, it would write a file."""

    def __init__(self, path) -> None:
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


def refusal(model: Transformer, folder, **counterparts) -> str:
    with pytest.raises(UserError) as refused:
        started(model, folder, **counterparts)
    return str(refused.value)


@pytest.fixture
def bart(reference, tmp_path):
    """A folder that a test may spoil."""
    return write_checkpoint(reference("bart"), tmp_path / "bart", "bin")


def spoil(folder, change) -> None:
    weights = torch.load(folder / "pytorch_model.bin")
    change(weights)
    torch.save(weights, folder / "pytorch_model.bin")


def test_code_in_a_pickle_is_refused_and_not_run(bart, tmp_path):
    torch.save({"model.shared.weight": Code(tmp_path / "ran")}, bart / "pytorch_model.bin")
    assert "refused: a pickle of weights that is damaged, or would run code" in refusal(model_of("bart"), bart)
    assert not (tmp_path / "ran").exists()


def test_a_pickle_of_something_else_is_refused(bart):
    torch.save({"model": {"weight": torch.zeros(1)}}, bart / "pytorch_model.bin")
    assert "not weights by name" in refusal(model_of("bart"), bart)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.update({"model.encoder.extra.weight": torch.ones(2)}), "found model.encoder.extra.weight"),
        (lambda w: w.update({"model.encoder.layer_norm.weight": torch.ones(16)}), "model.encoder.layer_norm.weight"),
        (lambda w: w.update({"model.encoder.layers.2.fc1.bias": torch.ones(24)}), "model.encoder.layers.2.fc1.bias"),
        (lambda w: w.update(final_logits_bias=torch.ones(1, VOCABULARY)), "found final_logits_bias"),
        (lambda w: w.update({"lm_head.weight": w["lm_head.weight"] + 1}), "lm_head.weight: embeddings that are not"),
        (lambda w: w.pop("model.decoder.layers.1.fc2.bias"), "nothing for decoder.1.feed_forward.outer.bias"),
        (
            lambda w: w.pop("model.decoder.layers.1.self_attn.k_proj.bias"),
            "nothing for decoder.1.self_attention.qkv.bias",
        ),
        (lambda w: w.update({"model.encoder.layers.0.fc1.bias": torch.ones(23)}), "checkpoint of another shape"),
    ],
)
def test_weights_that_do_not_fit_are_named(bart, change, message):
    spoil(bart, change)
    assert message in refusal(model_of("bart"), bart)


def test_a_row_beyond_the_table_is_refused(bart):
    message = refusal(model_of("bart"), bart, source=[*ROWS[:-1], VOCABULARY])
    assert "fewer embeddings than its tokenizer has pieces" in message
    assert "25 rows, and a piece of number 25" in message


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("model_type", "t5", "unknown model_type\n  found t5"),
        ("decoder_ffn_dim", 8, "found encoder_ffn_dim 24, decoder_ffn_dim 8"),
        ("activation_function", "swish", "unknown activation\n  found swish"),
        ("d_model", None, "d_model: key is missing"),
    ],
)
def test_a_config_that_no_model_is_like_is_refused(bart, key, value, message):
    config = json.loads((bart / "config.json").read_text())
    config = {name: item for name, item in {**config, key: value}.items() if item is not None}
    (bart / "config.json").write_text(json.dumps(config))
    assert message in refusal(model_of("bart"), bart)


def test_relative_positions_of_a_bert_are_refused(reference, tmp_path):
    folder = write_checkpoint(reference("bert"), tmp_path / "bert")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "position_embedding_type": "relative_key"}))
    assert "the kind of positions is not supported\n  found relative_key" in refusal(model_of("bert"), folder)
