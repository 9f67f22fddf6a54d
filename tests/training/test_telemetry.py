"""What a training tells of itself beside its losses."""

import math

import numpy as np
import pytest
import torch
from helpers.model_cases import CASES, batch_of, documents, model_of, rows_of
from helpers.toy_task import Notes, make_folder

from docmt.nn.layers import Projections
from docmt.nn.rows import Rows
from docmt.training import validate
from docmt.training.computing import forward_context
from docmt.training.progress import peak_memory
from docmt.training.validate import attention_entropy, sample

CPU = torch.device("cpu")


def entropy_of(model, source, target) -> dict[str, float]:
    return attention_entropy(model, rows_of(source, target), CPU, forward_context(CPU, "fp32"))


def indifferent(case: str):
    """A model whose queries like all keys the same."""
    model = model_of(case)
    for module in model.modules():
        if isinstance(module, Projections) and module.roles[0] == "q":
            with torch.no_grad():
                module.weight[: module.in_features] = module.bias[: module.in_features] = 0
    return model


def spread(batch, role: str, scope: str) -> list[float]:
    """Of each query of a layer: the logarithm of how many keys it sees."""
    source, target = (stream.layout.runs(scope).lengths for stream in (batch.source, batch.target_in))
    if role == "cross":
        return [math.log2(keys) for queries, keys in zip(target, source, strict=True) for _ in range(queries)]
    if role == "decoder_self":
        return [math.log2(place + 1) for length in target for place in range(length)]
    return [math.log2(length) for length in source for _ in range(length)]


ROLES = ("encoder_self", "decoder_self", "cross")


def everywhere(parts: dict[str, str]) -> dict[str, dict[str, str]]:
    return dict.fromkeys(ROLES, parts)


LAYERS = {
    "transformer": everywhere({"": "instance"}),
    "lexical_chain latent": everywhere({"": "sentence"}),
    "g_transformer": everywhere({".group": "sentence", ".global": "instance"}),
    "g_transformer groups": everywhere({"": "sentence"}),
    "g_transformer without language locality": {
        "encoder_self": {"": "instance"},
        "decoder_self": {"": "instance"},
        "cross": {".group": "sentence", ".global": "instance"},
    },
    "han": everywhere({"": "sentence"}),
}
"""Of each case and kind of attention the kinds that are told apart, and what they see."""


@pytest.mark.parametrize("case", LAYERS)
def test_attention_without_preferences_has_the_entropy_of_its_runs(case):
    source, target = documents()
    batch = batch_of(case, source, target)
    entropy = entropy_of(indifferent(case), source, target)
    expected = {
        f"{role}{part}": np.mean(spread(batch, role, scope))
        for role, parts in LAYERS[case].items()
        for part, scope in parts.items()
    }
    assert {kind: entropy[kind] for kind in expected} == pytest.approx(expected, rel=1e-6)
    assert not [kind for kind in entropy if kind.startswith(ROLES) and kind not in expected]


@pytest.mark.parametrize("case", CASES)
def test_every_attention_of_every_model_is_told_of(case):
    entropy = entropy_of(model_of(case), *documents())
    assert set(ROLES) <= {kind.split(".")[0] for kind in entropy}
    besides = {
        "lexical_chain": {"encoder.general.attention", "encoder.lexical.attention"},
        "w_link": {"encoder.shared_context.attention"},
        "han joint": {f"{s}_context.{level}_attention" for s in ("source", "target") for level in ("word", "sentence")},
    }
    assert besides.get(case, set()) <= set(entropy)
    assert all(math.isfinite(bits) and bits >= 0 for bits in entropy.values())


def test_telling_changes_nothing():
    model = model_of("g_transformer").train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    state = torch.get_rng_state()
    assert entropy_of(model, *documents()) == entropy_of(model, *documents())
    assert model.training
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    assert not [module for module in model.modules() if module._forward_pre_hooks]


def test_the_sample_is_fixed_spread_over_the_dev_set_and_small():
    rows = Rows.from_lists([[[7]]] * 5000, [[[number] * 9] for number in range(5000)])
    chosen = sample(rows)
    ids = chosen.target_ids.flat()
    assert validate.SAMPLE_TOKENS / 2 < len(ids) <= validate.SAMPLE_TOKENS
    assert ids[0] == 0
    assert ids[-1] > 4900
    assert np.array_equal(sample(rows).target_ids.flat(), ids)
    assert len(sample(rows.take(range(3)))) == 3


def test_metrics_tell_of_entropy_memory_and_padding(tmp_path):
    folder = make_folder(tmp_path / "run")
    assert folder.train(Notes())
    trained, validated = ([line for line in folder.metrics() if line["kind"] == kind] for kind in ("train", "dev"))
    kinds = {f"entropy.{role}.{part}" for role in ROLES for part in ("group", "global")}
    assert all(kinds == {name for name in line if name.startswith("entropy")} for line in validated)
    assert all(0 < line["padding_share"] < 0.5 for line in trained)
    assert all(1 < line["memory_mib"] <= peak_memory(CPU) for line in trained)
    hours = [line["device_hours"] for line in trained]
    assert hours == sorted(hours)
    assert all(line["device_hours"] == pytest.approx(line["wall_s"] / 3600) for line in trained)
