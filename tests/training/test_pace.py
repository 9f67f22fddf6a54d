"""When a checkpoint is due, and when the deadline is near, by a clock that the test moves."""

import pytest

from docmt.training.options import JobOptions
from docmt.training.pace import REMEMBERED, Pace


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def spend(pace: Pace, clock: Clock, work: str, seconds: float) -> None:
    with pace.timed(work):
        clock.now += seconds


def make(**options: object) -> tuple[Pace, Clock]:
    clock = Clock()
    return Pace(JobOptions(began=0.0, **options), clock), clock


def test_without_a_deadline_none_is_near():
    pace, clock = make()
    clock.now = 1e9
    assert not pace.deadline_is_near()


@pytest.mark.parametrize("left, near", [(36.0, False), (35.0, True), (1.0, True), (-5.0, True)])
def test_time_is_kept_for_an_update_a_validation_and_a_slow_checkpoint(left, near):
    pace, clock = make(deadline_minutes=10)
    spend(pace, clock, "update", 5.0)
    spend(pace, clock, "update", 2.0)
    spend(pace, clock, "validation", 10.0)
    spend(pace, clock, "checkpoint", 10.0)
    clock.now = 600 - left
    assert pace.deadline_is_near() == near


def test_a_slow_first_update_is_forgotten_after_many():
    pace, clock = make(deadline_minutes=10)
    spend(pace, clock, "update", 300.0)
    for _ in range(REMEMBERED["update"] - 1):
        spend(pace, clock, "update", 0.1)
    clock.now = 400.0
    assert pace.deadline_is_near()
    spend(pace, clock, "update", 0.1)
    assert not pace.deadline_is_near()


def test_checkpoints_are_due_by_minutes_since_the_last():
    pace, clock = make(save_minutes=5)
    clock.now = 299.0
    assert not pace.save_is_due()
    clock.now = 300.0
    assert pace.save_is_due()
    spend(pace, clock, "checkpoint", 20.0)
    clock.now = 619.0
    assert not pace.save_is_due()
    clock.now = 620.0
    assert pace.save_is_due()


def test_with_a_deadline_one_is_due_at_once_to_know_its_time():
    pace, clock = make(deadline_minutes=60)
    assert pace.save_is_due()
    spend(pace, clock, "checkpoint", 1.0)
    assert not pace.save_is_due()
