"""The papers' trainings, as the studies state them: their learning rates and KL weights against the formulas.

The formulas are written anew here, from the papers (Zhang et al. 2020, Lyu et al. 2022, Bao et al. 2021, Miculicich et
al. 2018) and from the scripts of the last two.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import sqrt
from pathlib import Path

import pytest
from helpers.support import ROOT
from torch import nn

from docmt.base.yaml_files import load_yaml
from docmt.grid.resolve import Resolver
from docmt.grid.scale import Scale
from docmt.grid.study import load_study
from docmt.models import build
from docmt.settings.system import SystemConfig
from docmt.training.optimiser import build_optimiser, schedules_of, set_learning_rates

HAN = "recipes"
"""The study of the trainings of HAN's authors."""
UPDATES = (1, 2, 100, 2499, 2500, 2501, 3999, 4000, 4001, 7999, 8000, 8001, 16000, 16001, 20000, 39999, 50000, 200000)


@cache
def resolver(study: str) -> Resolver:
    defaults = load_yaml(ROOT / "config.yaml")[0]["defaults"]
    path = Path(__file__).parent / "recipes.yaml" if study == HAN else ROOT / f"workflow/studies/{study}.yaml"
    return Resolver(*load_study(path), defaults, Scale())


def recipe(name: str) -> SystemConfig:
    study, _, system = name.partition("/")
    return resolver(study).resolve(system)


def noam(factor: float, warmup: int) -> Callable[[int], float]:
    """Vaswani et al. 2017, eq. 3, at width 512."""
    return lambda n: factor / sqrt(512) * (n / warmup**1.5 if n < warmup else 1 / sqrt(n))


def inverse_root(peak: float, warmup: int) -> Callable[[int], float]:
    return lambda n: peak * n / warmup if n < warmup else peak * sqrt(warmup) / sqrt(n)


def triangle(peak: float, warmup: int, end: int) -> Callable[[int], float]:
    return lambda n: peak * n / warmup if n < warmup else max(0, peak * (end - n) / (end - warmup))


RATES = {
    "long-short/long_short_3": {"lr": noam(4.0, 16000)},
    "lexical-chains/transformer": {"lr": noam(1.0, 8000)},
    "lexical-chains/lexical_chain": {"lr_new": noam(0.5, 8000), "lr_transferred": noam(0.5, 8000)},
    "g-transformer/sentence": {"lr": inverse_root(5e-4, 4000)},
    "g-transformer/g_transformer": {"lr_new": inverse_root(5e-4, 4000), "lr_transferred": inverse_root(1e-4, 4000)},
    "g-transformer/g_transformer.random": {"lr": inverse_root(5e-4, 4000)},
    "g-transformer/g_transformer.mbart": {group: triangle(3e-5, 2500, 10**6) for group in ("lr_new", "lr_transferred")},
    "recipes/han.sentence": {"lr": noam(2.0, 8000)},
    "recipes/han": {"lr_new": noam(2.0, 8000), "lr_transferred": noam(2.0, 8000)},
    "recipes/han.new_only": {"lr_new": noam(2.0, 8000)},
}


@pytest.mark.parametrize("name", RATES)
def test_learning_rates(name):
    system = recipe(name)
    model = nn.ModuleDict({"known": nn.Linear(1, 1), "fresh": nn.Linear(1, 1)})
    starts = system.init_from is not None or system.pretrained is not None
    transferred = [parameter for parameter, _ in model.named_parameters() if starts and parameter.startswith("known")]
    if "transferred" in system.train.frozen:
        model["known"].requires_grad_(False)
    optimiser = build_optimiser(model, system.train, transferred)
    schedules = schedules_of(optimiser, system.train, system.model.width)
    for update in UPDATES:
        expected = {group: formula(update) for group, formula in RATES[name].items()}
        rates = set_learning_rates(optimiser, schedules, update)
        assert rates == pytest.approx(expected, rel=1e-12), update


def test_kl_weight_rises_from_0_to_1_over_the_first_20000_updates():
    model = build(
        replace(recipe("lexical-chains/lexical_chain").model, encoder_layers=1, decoder_layers=1, width=8, inner=8),
        20,
        20,
    )
    weights = [model.term_weights(update)["kl"] for update in (1, 5000, 10000, 19999, 20000, 20001, 50000)]
    assert weights == pytest.approx([1 / 20000, 0.25, 0.5, 19999 / 20000, 1, 1, 1], rel=1e-12)
