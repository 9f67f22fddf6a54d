"""When a checkpoint is due, and when the deadline is near, by a clock that the test moves."""

from math import inf

import pytest

from docmt.supervision.watch import REMEMBERED, JobOptions, Watch


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def spend(watch: Watch, clock: Clock, work: str, seconds: float) -> None:
    with watch.during(work, 1):
        clock.now += seconds


def make(deadline_minutes: float = inf, **options: object) -> tuple[Watch, Clock]:
    clock = Clock()
    return Watch(JobOptions(**options), end=60 * deadline_minutes, clock=clock), clock


@pytest.mark.parametrize(("ahead", "needed"), [("update", 25.0), ("validation", 32.0), (None, 20.0)])
def test_time_is_kept_for_what_comes_next_and_a_slow_checkpoint(ahead, needed):
    watch, clock = make(deadline_minutes=10)
    spend(watch, clock, "update", 5.0)
    spend(watch, clock, "update", 2.0)
    spend(watch, clock, "validation", 12.0)
    spend(watch, clock, "checkpoint", 10.0)
    for left, near in ((needed + 1, False), (needed, True), (1.0, True), (-5.0, True)):
        clock.now = 600 - left
        assert watch.deadline_is_near(ahead) == near


def test_the_deadline_leaves_time_for_one_work_of_a_process():
    """Else a validation that takes longer than the jobs would never be made."""
    watch, clock = make(deadline_minutes=10)
    clock.now = 700.0
    assert not watch.deadline_is_near(None)
    spend(watch, clock, "validation", 1.0)
    assert watch.deadline_is_near(None) and watch.deadline_is_near("update")


def test_a_slow_first_update_is_forgotten_after_many():
    watch, clock = make(deadline_minutes=10)
    spend(watch, clock, "update", 300.0)
    for _ in range(REMEMBERED["update"] - 1):
        spend(watch, clock, "update", 0.1)
    clock.now = 400.0
    assert watch.deadline_is_near("update")
    spend(watch, clock, "update", 0.1)
    assert not watch.deadline_is_near("update")


def test_checkpoints_are_due_by_minutes_since_the_last():
    watch, clock = make(save_minutes=5)
    for ahead in ("update", "validation"):
        clock.now = 299.0
        assert not watch.save_is_due(ahead)
        clock.now = 300.0
        assert watch.save_is_due(ahead)
    spend(watch, clock, "checkpoint", 20.0)
    clock.now = 619.0
    assert not watch.save_is_due("update")
    clock.now = 620.0
    assert watch.save_is_due("update")


def test_with_a_deadline_one_is_due_at_once_to_know_its_time():
    watch, clock = make(deadline_minutes=60)
    assert watch.save_is_due("update")
    spend(watch, clock, "checkpoint", 1.0)
    assert not watch.save_is_due("update")


def test_with_a_deadline_one_is_due_before_a_validation_of_unknown_length():
    watch, clock = make(deadline_minutes=60)
    spend(watch, clock, "checkpoint", 1.0)
    assert watch.save_is_due("validation")
    spend(watch, clock, "validation", 1.0)
    assert not watch.save_is_due("validation")
