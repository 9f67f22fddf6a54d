"""The budget of device-hours: what was used and what a run would add, and the run that it stops."""

import pytest
from helpers.plans import plan_of
from helpers.support import Project

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.grid.grid import load_grid
from docmt.plan.budget import Used, budget_lines, budget_of, check_budget

NOTHING = Used(0, {})
SENTENCE = "results/5_training/paper/toy/sentence/seed1"


@pytest.fixture
def jobs(small: Project) -> list:
    """The jobs of a run of all of a study, whose trainings have a number of updates."""
    return [*plan_of(small.root, "one").reasons]


def grid(project: Project, **config: object):
    return load_grid(project.root, {"device": "cpu", **config})


def test_without_a_budget_nothing_is_said_and_nothing_is_refused(small, jobs):
    assert budget_of(grid(small), jobs, NOTHING, small.root) is None
    assert budget_lines(grid(small), jobs, Used(1e6, {}), small.root) == []
    check_budget(grid(small), jobs, Used(1e6, {}), small.root)


def test_the_sum_is_what_was_used_and_what_the_run_would_add(small, jobs):
    alone = budget_of(grid(small, device_hours=10), jobs, NOTHING, small.root)
    assert alone.trainings == len([job for job in jobs if job.is_training]) > 2 and alone.unknown == 0
    assert alone.used == 0 < alone.estimated < 10 and not alone.is_exceeded
    later = budget_of(grid(small, device_hours=10), jobs, Used(9, {"results/elsewhere": 0.5}), small.root)
    assert (later.used, later.estimated) == (9.5, alone.estimated)
    assert budget_of(grid(small, device_hours=9.5), jobs, Used(9.5, {}), small.root).is_exceeded


def test_what_a_training_has_used_is_not_estimated_again(small, jobs):
    alone = budget_of(grid(small, device_hours=10), jobs, NOTHING, small.root)
    begun = budget_of(grid(small, device_hours=10), jobs, Used(0, {SENTENCE: 1e-9}), small.root)
    assert begun.used + begun.estimated == pytest.approx(alone.estimated) and begun.used == 1e-9
    nearly = budget_of(grid(small, device_hours=10), jobs, Used(0, {SENTENCE: 5.0}), small.root)
    assert nearly.used == 5 and nearly.estimated < alone.estimated


def test_trainings_that_were_set_aside_are_counted(small, jobs):
    write_json(small.root / "results/aside/0123/files/record.json", {"device_hours": 2.5})
    write_json(small.root / "results/aside/4567/files/record.json", {"wall_s": 3})
    assert budget_of(grid(small, device_hours=10), jobs, NOTHING, small.root).used == 2.5


def test_a_run_says_at_least_where_a_training_has_no_estimate(small):
    small.edit("config.yaml", "defaults/train", {"max_epochs": 2})
    jobs = [*plan_of(small.root, "one").reasons]
    (line,) = budget_lines(grid(small, device_hours=10), jobs, Used(1, {}), small.root)
    assert line == (
        "of device_hours 10: at least 1.00 device-hours: 1.00 of earlier trainings, 0.00 estimated for 4 trainings of "
        "this run, 4 of them without an estimate"
    )


def test_a_run_beyond_the_budget_is_refused_with_the_remedy(small, jobs):
    over = grid(small, device_hours=2)
    assert budget_lines(over, jobs, Used(3, {}), small.root)[1] == (
        "this is above device_hours 2 of config.yaml: no job would start"
    )
    with pytest.raises(UserError) as refused:
        check_budget(over, jobs, Used(3, {}), small.root)
    assert (refused.value.where, refused.value.expected) == ("device_hours of config.yaml", "at most 2")
    assert "--config device_hours=4" in refused.value.remedy
    without = [job for job in jobs if not job.is_training]
    check_budget(over, without, Used(3, {}), small.root)
    assert budget_lines(over, without, Used(3, {}), small.root) == []


def test_damaged_records_refuse_a_run_and_not_its_plan(small, jobs):
    write_json(small.root / "results/aside/0123/files/record.json", {"device_hours": "two"})
    (line,) = budget_lines(grid(small, device_hours=2), jobs, NOTHING, small.root)
    assert line.startswith("the budget of device-hours is not checked: ")
    with pytest.raises(UserError, match="not the record of a training"):
        check_budget(grid(small, device_hours=2), jobs, NOTHING, small.root)
