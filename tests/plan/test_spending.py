"""Device-hours so far, against the estimate of all trainings."""

import pytest
from helpers.plans import planner_of

from docmt.base.paths import RESULTS
from docmt.plan.driver import targets_of
from docmt.plan.estimates import Estimates
from docmt.plan.spending import spending_of


@pytest.fixture
def planned(small):
    """The estimates of a small project, and the jobs of its targets."""
    planner = planner_of(small.root)
    return Estimates(planner.jobs.grid, small.root / RESULTS), [*planner.closure(targets_of(planner, ["all"]))]


def hours_of(estimates, job):
    return estimates.hours(estimates.grid.find(job.names["corpus"], job.names["system"])).hours


def test_the_total_has_the_hours_of_the_finished_and_the_estimates_of_the_others(planned):
    estimates, order = planned
    trainings = [job for job in order if job.is_training]
    nothing = spending_of(estimates, order, {}, {})
    assert nothing.used == 0 and nothing.unknown == 0 and nothing.basis
    assert nothing.total == pytest.approx(sum(hours_of(estimates, job) for job in trainings))
    first, *others = trainings
    some = spending_of(estimates, order, {first: 5.0}, {})
    assert some.used == 5
    assert some.total == pytest.approx(5 + sum(hours_of(estimates, job) for job in others))
    every = spending_of(estimates, order, dict.fromkeys(trainings, 1.0), {})
    assert every.used == every.total == len(trainings) and every.basis == ()


def test_what_a_training_has_used_is_part_of_its_estimate_until_it_is_more(planned):
    estimates, order = planned
    first = next(job for job in order if job.is_training)
    hours, nothing = hours_of(estimates, first), spending_of(estimates, order, {}, {})
    begun = spending_of(estimates, order, {}, {first: hours / 2})
    assert (begun.used, begun.total) == (pytest.approx(hours / 2), pytest.approx(nothing.total))
    long = spending_of(estimates, order, {}, {first: hours * 3})
    assert long.total == pytest.approx(nothing.total + 2 * hours)


def test_a_training_of_the_store_costs_nothing(planned):
    estimates, order = planned
    trainings = [job.names for job in order if job.is_training]
    estimates.stored = {(names["corpus"], names["system"], int(names["seed"])) for names in trainings}
    assert spending_of(estimates, order, {}, {}).total == 0
