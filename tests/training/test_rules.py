"""Stop rules, checkpoint rules, learning rates' groups: what follows from settings and history."""

import itertools
from math import sqrt

import pytest

from docmt.base.checks import BadValue
from docmt.settings.train import TrainConfig
from docmt.training.optimiser import build_optimiser, schedules_of, set_learning_rates
from docmt.training.progress import Validation
from docmt.training.status import Status, best, chosen_updates, stop_reason


def history(*losses: float) -> list[Validation]:
    return [Validation(100 * (number + 1), number, loss, loss) for number, loss in enumerate(losses)]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (Status(update=49, epoch=2), None),
        (Status(update=50, epoch=2), "max_updates 50 reached"),
        (Status(update=49, epoch=3), "max_epochs 3 reached"),
        (Status(update=9, history=history(3.0, 2.0, 2.5)), None),
        (Status(update=9, history=history(3.0, 2.0, 2.5, 2.0)), "no better dev loss in 2 validations"),
        (Status(update=9, history=history(3.0, 2.0, 2.5, 1.9)), None),
        (Status(update=9, history=history(3.0, float("nan"), float("nan"))), "no better dev loss in 2 validations"),
    ],
)
def test_stop_rules(status, reason):
    train = TrainConfig(max_updates=50, max_epochs=3, patience=2)
    assert stop_reason(train, status) == reason


def scored(*scores: float) -> list[Validation]:
    """With losses that say the reverse of BLEU."""
    return [Validation(100 * (n + 1), n, loss=score, nll=score, bleu=score) for n, score in enumerate(scores)]


def test_patience_goes_by_bleu_where_the_rules_do():
    train = TrainConfig(patience=2, select_by="bleu")
    assert stop_reason(train, Status(update=9, history=scored(20.0, 21.0, 19.0))) is None
    reason = stop_reason(train, Status(update=9, history=scored(20.0, 19.0, 20.0)))
    assert reason == "no better dev BLEU in 2 validations"


RULES = {"best": [200], "last": [], "average": [300, 400, 500], "average_best": [200, 300, 400]}


@pytest.mark.parametrize(("rule", "expected"), RULES.items())
@pytest.mark.parametrize("by", ["loss", "bleu"])
def test_checkpoint_rules_say_whose_weights_are_kept(rule, expected, by):
    train = TrainConfig(checkpoint=rule, average=3, select_by=by)
    losses = (3.0, 1.0, 2.0, 1.0, 4.0)
    assert (
        chosen_updates(train, history(*losses) if by == "loss" else scored(*(10 - loss for loss in losses))) == expected
    )
    assert chosen_updates(train, []) == []


@pytest.mark.parametrize(
    ("rule", "expected"), [("best", [0]), ("last", []), ("average", [100, 200]), ("average_best", [100, 200])]
)
@pytest.mark.parametrize("by", ["loss", "bleu"])
def test_a_mean_has_no_untrained_weights_and_the_best_may_be_the_start(rule, expected, by):
    """The validation before the first update is the best of three."""
    start = Validation(0, 0, loss=0.5, nll=0.5, bleu=20.0)
    after = [Validation(100, 0, loss=3.0, nll=3.0, bleu=2.0), Validation(200, 0, loss=2.0, nll=2.0, bleu=3.0)]
    for average in (2, 3, 9):
        train = TrainConfig(checkpoint=rule, average=average, select_by=by, validate_start=True)
        assert chosen_updates(train, [start, *after]) == expected
        assert chosen_updates(train, [start]) == ([0] if rule == "best" else [])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("losses", list(itertools.permutations([1.0, 2.0, 3.0, 2.0, float("nan")]))[::7])
def test_weights_that_are_not_wanted_are_never_wanted_again(rule, losses):
    """Else a rule would ask for weights that are gone."""
    train, earlier = TrainConfig(checkpoint=rule, average=2), set()
    for count in range(1, len(losses) + 1):
        present = chosen_updates(train, history(*losses[:count]))
        assert set(present) <= earlier | {100 * count}
        earlier = set(present)


def test_the_earliest_of_equal_validations_is_the_best_and_one_that_is_no_number_the_worst():
    assert best(TrainConfig(), history(2.0, 1.0, 1.0)).update == 200
    assert best(TrainConfig(), history(float("nan"), 2.0)).update == 200


def test_two_learning_rates_reach_the_transferred_and_the_new_parameters(model):
    names = [name for name, _ in model.named_parameters()]
    transferred = [name for name in names if model.transfer_source(name) is not None]
    train = TrainConfig(lr=1.0, lr_new=5e-4, lr_transferred=1e-4, warmup_updates=10)
    optimiser = build_optimiser(model, train, transferred)
    rates = set_learning_rates(optimiser, schedules_of(optimiser, train, 8), update=5)
    assert rates == {"lr_new": pytest.approx(2.5e-4), "lr_transferred": pytest.approx(5e-5)}
    rate_of = {id(parameter): group["lr"] for group in optimiser.param_groups for parameter in group["params"]}
    for name, parameter in model.named_parameters():
        is_new = ".global_." in name or ".gate." in name
        assert rate_of[id(parameter)] == pytest.approx(2.5e-4 if is_new else 5e-5), name
    assert len(rate_of) == len(names)


GROUP_SCHEDULES = {
    "rise and root beside a straight line": (
        {"schedule": "polynomial", "lr": 3e-5}
        | {"schedule_new": "inverse_sqrt", "lr_new": 5e-4, "warmup_updates_new": 20},
        lambda n: 5e-4 * (n / 20 if n < 20 else sqrt(20 / n)),
        lambda n: 3e-5 * (n / 100 if n < 100 else (900 - n) / 800),
    ),
    "noam beside flat": (
        {"schedule": "noam", "noam_factor": 2.0, "schedule_transferred": "constant", "lr_transferred": 1e-5},
        lambda n: 2 / sqrt(8) * min(n / 100**1.5, 1 / sqrt(n)),
        lambda n: 1e-5,
    ),
    "noam with a longer warm-up": (
        {"schedule": "noam", "noam_factor": 0.5, "warmup_updates_transferred": 400},
        lambda n: 0.5 / sqrt(8) * min(n / 100**1.5, 1 / sqrt(n)),
        lambda n: 0.5 / sqrt(8) * min(n / 400**1.5, 1 / sqrt(n)),
    ),
    "one schedule that no group keeps": (
        {"schedule_new": "constant", "schedule_transferred": "inverse_sqrt", "warmup_updates_transferred": 0},
        lambda n: 5e-4,
        lambda n: 5e-4 / sqrt(n),
    ),
}


@pytest.mark.parametrize("case", GROUP_SCHEDULES)
def test_new_and_transferred_parameters_may_have_schedules_of_their_own(model, case):
    settings, new, transferred = GROUP_SCHEDULES[case]
    train = TrainConfig(warmup_updates=100, max_updates=900, **settings)
    optimiser = build_optimiser(model, train, ["source_embedding.weight"])
    schedules = schedules_of(optimiser, train, 8)
    for update in (1, 2, 19, 20, 21, 99, 100, 101, 399, 400, 401, 900):
        expected = {"lr_new": new(update), "lr_transferred": transferred(update)}
        assert set_learning_rates(optimiser, schedules, update) == pytest.approx(expected, rel=1e-12), update


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"schedule": "polynomial", "warmup_updates": 10, "max_updates": 10}, "more than warmup_updates 10"),
        ({"schedule_new": "polynomial", "warmup_updates_new": 10, "max_updates": 10}, "more than warmup_updates 10"),
        ({"schedule_transferred": "constant", "warmup_updates_transferred": 10}, "none where the schedule is constant"),
        ({"frozen": ("transferred",), "schedule_transferred": "noam"}, "none where frozen names 'transferred'"),
        ({"bleu_beam": 2}, "1 where select_by is loss"),
        ({"frozen": ("transferred",), "lr_transferred": 1e-4}, "none where frozen names 'transferred'"),
    ],
)
def test_impossible_pairs_of_rules_are_refused(settings, message):
    with pytest.raises(BadValue, match=message):
        TrainConfig(**settings)
