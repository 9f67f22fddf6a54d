"""The time that jobs ask a cluster for."""

from helpers.small_grid import STUDY
from helpers.support import Project
from hypothesis import given
from hypothesis import strategies as st

from docmt.grid.grid import load_grid
from docmt.plan.estimates import LEAST, MARGIN, MOST, STEP, estimated_minutes, minutes_for
from docmt.plan.plan import Job, Plan


def times(project: Project, step: str, *systems: str) -> list[int]:
    plan = Plan(load_grid(project.root), project.root)
    jobs = [Job.of(step, corpus="toy", system=system, seed=1) for system in systems]
    return [*estimated_minutes(plan, jobs).values()]


@given(hours=st.floats(0, 1e5))
def test_time_is_within_limits_and_enough_or_all_that_is_asked_for(hours):
    asked = minutes_for(hours)
    assert LEAST <= asked <= MOST and asked % STEP == 0
    assert asked >= MARGIN * hours * 60 * 0.999 or asked == MOST


def test_trainings_ask_for_the_time_of_their_estimates(small):
    small.edit(STUDY, "systems/document/train", {"max_updates": 10_000_000})
    short, long = times(small, "train", "sentence", "document")
    assert short == LEAST < long


def test_a_training_of_unknown_size_has_no_estimate(small):
    small.edit(STUDY, "systems/sentence/train", {"max_updates": None, "patience": 5})
    assert times(small, "train", "sentence") == []


def test_translations_follow_the_size_of_the_test_set(small):
    grown = []
    for sentences in (None, 1_000, 100_000_000):
        if sentences:
            split = {"documents": 100, "sentences": sentences}
            small.edit("workflow/corpora/toy.yaml", "expected", {"test": split})
        grown.append(times(small, "translate", "sentence"))
    assert grown == [[], [LEAST], [MOST]]
