"""Learning rates against the formulas."""

import pytest

from docmt.settings.train import TrainConfig
from docmt.training.optimiser import schedule_of


@pytest.mark.parametrize(
    ("update", "expected"), [(1, 5e-4 / 4000), (2000, 2.5e-4), (4000, 5e-4), (16000, 2.5e-4), (64000, 1.25e-4)]
)
def test_inverse_sqrt_rises_linearly_to_its_peak_and_falls_with_the_root(update, expected):
    train = TrainConfig(schedule="inverse_sqrt", lr=5e-4, warmup_updates=4000)
    assert schedule_of(train, 512)(update) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("update", [1, 100, 7999, 8000, 8001, 200_000])
@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_noam_is_the_formula_of_vaswani_et_al(update, factor):
    train = TrainConfig(schedule="noam", noam_factor=factor, warmup_updates=8000, lr=123.0)
    expected = factor * 512**-0.5 * min(update**-0.5, update * 8000**-1.5)
    assert schedule_of(train, 512)(update) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("update", "share"), [(1, 1 / 100), (50, 1 / 2), (100, 1.0), (300, 3 / 4), (500, 1 / 2), (900, 0.0), (901, 0.0)]
)
@pytest.mark.parametrize("power", [1.0, 2.0])
def test_polynomial_falls_from_the_warm_up_to_nothing_at_the_last_update(update, share, power):
    train = TrainConfig(schedule="polynomial", lr=3e-5, warmup_updates=100, max_updates=900, decay_power=power)
    expected = share if update < 100 else share**power
    assert schedule_of(train, 512)(update) == pytest.approx(3e-5 * expected, rel=1e-12)


@pytest.mark.parametrize("schedule", ["inverse_sqrt", "noam", "polynomial"])
def test_without_warm_up_the_first_update_has_the_highest_rate(schedule):
    train = TrainConfig(schedule=schedule, lr=1.0, warmup_updates=0, max_updates=20)
    rates = [schedule_of(train, 64)(update) for update in (1, 2, 3, 10)]
    assert rates == sorted(rates, reverse=True)
    assert 0 < rates[-1] < rates[0]
