import json
from pathlib import Path

import pytest
import torch
from helpers.model_cases import CASES, VOCABULARY, model_of
from helpers.sealed import check_reader
from safetensors.torch import load_file, save_file

from docmt.base.errors import UserError
from docmt.models import build
from docmt.models.store import init_from, load_model, read_card, read_checkpoint, save_model


@pytest.fixture
def folder(tmp_path):
    save_model(tmp_path, model_of("transformer").float(), {"system": "sentence", "seed": 7})
    return tmp_path


def edit_card(folder, **changes):
    card = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(card | changes))


def edit_weights(folder, change):
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")


def test_the_card_says_what_was_built_and_where_it_came_from(folder):
    card = read_card(folder)
    assert card["kind"] == "transformer" and card["config"]["width"] == 16
    assert (card["source_size"], card["target_size"]) == (VOCABULARY, VOCABULARY)
    assert card["provenance"] == {"system": "sentence", "seed": 7}


def test_tied_tensors_are_stored_once(folder):
    names = set(load_file(folder / "model.safetensors"))
    assert {name for name in names if "embedding" in name or name == "output.weight"} == {"source_embedding.weight"}


def test_a_g_transformer_takes_its_groups_from_the_sentence_model(folder):
    model = model_of("g_transformer").float()
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    sentence = dict(load_model(folder).named_parameters())
    transferred, new = init_from(model, folder)
    assert sorted(transferred + new) == sorted(before)
    assert all(".global_." in name or ".gate." in name for name in new) and len(new) == 6 + 6 + 8
    for name, parameter in model.named_parameters():
        expected = before[name] if name in new else sentence[name.replace(".group.", ".")]
        assert torch.equal(parameter, expected), name


def test_parameters_are_the_mapped_bytes_of_the_file(folder):
    """Processes share mapped bytes. A changed parameter is a copy, which neither the file nor another model has."""
    path = folder / "model.safetensors"
    before = path.read_bytes()
    first, second = load_model(folder), load_model(folder)
    lines = [line.split() for line in Path("/proc/self/maps").read_text().splitlines() if str(path) in line]
    spans = [tuple(int(end, 16) for end in line[0].split("-")) for line in lines]
    for model in (first, second):
        assert all(any(start <= p.data_ptr() < end for start, end in spans) for p in model.parameters())
    with torch.no_grad():
        next(first.parameters()).zero_()
    assert next(second.parameters()).any() and path.read_bytes() == before


def refusal(call, *arguments) -> str:
    with pytest.raises(UserError) as caught:
        call(*arguments)
    return str(caught.value)


def test_damaged_weights_are_refused(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    assert "not a safetensors file, or a damaged one" in refusal(load_model, folder)


def test_weights_that_differ_from_their_manifest_are_refused(folder):
    check_reader(folder / "model.safetensors", lambda: load_model(folder))


def test_pickled_weights_that_differ_from_their_manifest_are_refused(tmp_path):
    torch.save({"a": torch.zeros(3)}, tmp_path / "pytorch_model.bin")
    check_reader(tmp_path / "pytorch_model.bin", lambda: read_checkpoint(tmp_path))


def test_an_unknown_architecture_is_refused(folder):
    edit_card(folder, kind="g_transformers")
    assert "unknown model\n  found g_transformers\n  did you mean 'g_transformer'?" in refusal(load_model, folder)


def test_settings_of_another_architecture_are_refused(folder):
    edit_card(folder, kind="w_link")
    message = refusal(load_model, folder)
    assert "config.kind: value not allowed\n  found transformer; expected w_link, which has these settings" in message


def test_another_shape_is_refused_with_both_shapes(folder):
    edit_card(folder, config=read_card(folder)["config"] | {"inner": 32})
    message = refusal(load_model, folder)
    assert "model.safetensors encoder.0.feed_forward.inner.weight: checkpoint of another shape" in message
    assert "found (24, 16); expected (32, 16)" in message


def test_missing_and_unknown_parameters_are_named(folder):
    edit_weights(folder, lambda weights: weights.pop("encoder.0.after_self.norm.bias"))
    message = refusal(load_model, folder)
    assert "checkpoint of another architecture" in message
    assert "found without encoder.0.after_self.norm.bias" in message
    edit_weights(
        folder, lambda weights: weights.update({"encoder.0.after_self.norm.bias": torch.zeros(16), "x": torch.zeros(1)})
    )
    assert "found with x" in refusal(load_model, folder)


def test_a_start_with_another_vocabulary_is_refused_and_changes_nothing(folder):
    model = build(CASES["g_transformer"], VOCABULARY + 1, VOCABULARY + 1)
    before = [parameter.detach().clone() for parameter in model.parameters()]
    message = refusal(init_from, model, folder)
    assert "model.safetensors source_embedding.weight: checkpoint of another shape" in message
    assert "found (30, 16); expected (31, 16)" in message
    assert all(torch.equal(*pair) for pair in zip(before, model.parameters(), strict=True))


def test_a_start_from_something_else_is_refused(folder):
    save_file({"bert.pooler": torch.zeros(2)}, folder / "model.safetensors")
    message = refusal(init_from, model_of("g_transformer"), folder)
    assert "no parameter can be transferred from this model" in message and "found bert.pooler" in message
